//! How many processes can still move: the fewer, the nearer a deadlock.
//!
//! Edelkamp, Leue, Lluch Lafuente (2004) call it the *active processes*
//! estimate. A process counts if it takes part in some step that is enabled in
//! the state, also in one that fails. One step may block several processes, so
//! the estimate is admissible only where there is just one. What clocks say is
//! not looked at.

use homing_core::catalogue::{Capability, Job, Kind, Row, Use};
use homing_core::{Batch, Claims, Cost, Edge, Expander, Heuristic, HeuristicFactory, Space, Word};
use homing_ir::layout::Field;
use homing_ir::moves::Move;
use homing_ir::network::Binary;
use homing_ir::system::{Joint, PartId, PartRole, System};

use crate::{EstimateBuilder, Goal, costs};
use homing_ir::evaluate::evaluate;

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "active",
    kind: Kind::Estimate,
    about: "for deadlocks: the number of processes that can still move",
    cite: "Edelkamp, Leue, Lluch Lafuente 2004",
    parameters: &[],
    needs: &[],
    gives: &[Capability::Deadlock],
    uses: &[
        Use::new(Job::BeginDeadlock, 0, "greedy(active, newest=1)"),
        Use::new(Job::WalkToDeadlock, 0, "greedy(active)"),
    ],
    build: |goal, call| {
        call.allow_named(&[])?;
        goal.is_deadlock("active")?;
        Ok(Box::new(Active::new(goal)))
    },
};

#[derive(Clone, Copy)]
struct Active<'a> {
    system: &'a System,
    moves: &'a [Move],
    fields: &'a [Field],
    successors: &'a dyn Space,
    least_cost: Cost,
}

impl<'a> Active<'a> {
    fn new(goal: &Goal<'a>) -> Active<'a> {
        Active {
            system: goal.space.system(),
            moves: &goal.space.moves().list,
            fields: &goal.space.layout().fields,
            successors: goal.successors,
            least_cost: goal.least_cost(),
        }
    }
}

impl HeuristicFactory for Active<'_> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Counter {
            of: *self,
            expander: self.successors.expander(),
            batch: Batch::new(self.successors.width()),
            moving: vec![false; self.system.components.len()],
            successors: 0,
        })
    }
}

/// Expands states and counts who moves.
struct Counter<'a> {
    of: Active<'a>,
    expander: Box<dyn Expander + 'a>,
    batch: Batch,
    /// Which components take part in an enabled step.
    moving: Vec<bool>,
    /// The successors made so far.
    successors: u64,
}

impl Counter<'_> {
    /// Notes the components that take part in a step with this label, which is
    /// enabled.
    fn note(&mut self, label: u32, state: &[Word]) {
        match self.of.moves[label as usize] {
            Move::Alone(part) => self.moves_with(part),
            Move::Pair { sender, receiver } => {
                self.moves_with(sender);
                self.moves_with(receiver);
            }
            Move::Joint(joint) => {
                let joint = &self.of.system.joints[joint as usize];
                joint.leader.into_iter().for_each(|leader| self.moves_with(leader));
                for part in joint.members.iter().flat_map(|member| &member.parts) {
                    if self.of.is_ready(joint, *part, state) {
                        self.moves_with(*part);
                    }
                }
            }
        }
    }

    fn moves_with(&mut self, part: PartId) {
        self.moving[self.of.system.part(part).component.index()] = true;
    }
}

impl Active<'_> {
    /// Whether a member of an enabled joint moves in it with this part, or
    /// fails.
    fn is_ready(&self, joint: &Joint, part: PartId, state: &[Word]) -> bool {
        let part = self.system.part(part);
        let location = self.system.component(part.component).location;
        if self.fields[location.index()].get(state) != part.from {
            return false;
        }
        let value = |term| evaluate(term, self.fields, state);
        let sent = joint.leader.map(|leader| &self.system.part(leader).role);
        let matches = match (sent, &part.role) {
            (Some(PartRole::Send(_, message)), PartRole::Receive(_, intakes)) => {
                message.iter().zip(intakes).all(|(sent, intake)| {
                    let mut compared = intake.comparisons().into_iter();
                    compared.all(|(how, term)| (value(term) == value(sent)) == (how == Binary::Eq))
                })
            }
            _ => true,
        };
        matches && value(&part.guard) != Some(0)
    }
}

impl Heuristic for Counter<'_> {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        self.batch.clear();
        self.expander.expand(state, &mut self.batch);
        self.successors += self.batch.len() as u64;
        self.moving.fill(false);
        for i in 0..self.batch.len() {
            self.note(self.batch.edge(i).label, state);
        }
        for i in 0..self.batch.faults().len() {
            self.note(self.batch.faults()[i].edge.label, state);
        }
        let moving = self.moving.iter().filter(|moving| **moving).count();
        costs::times(moving as Cost, self.of.least_cost.max(1))
    }

    fn work(&self) -> u64 {
        self.successors
    }

    fn claims(&self) -> Claims {
        // Where time passes, what seems enabled may be for ever too early or late.
        let Active { system, least_cost, .. } = self.of;
        let untimed = system.timing.is_none();
        let single = untimed && system.components.len() <= 1 && least_cost >= 1;
        Claims { admissible: single, consistent: single }
    }
}
