//! The compiled space: packed states, compiled moves.
//!
//! Moves of one or two components are compiled whole. Joints (broadcasts,
//! vectors, synchronous steps) would be exponentially many; for them single
//! parts are compiled and put together here, state by state. Moves after which
//! control stays with a component are followed up in [`crate::atomic`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use homing_core::{Batch, Edge, Expander, Fault, Space, Word};
use homing_ir::flatten::Wanted;
use homing_ir::moves::{Move, Moves};
use homing_ir::passes::{self, Passes};
use homing_ir::system::{ComponentId, FaultKind, Joint, Member, PartId};
use homing_ir::trace::Step;
use homing_ir::{Diagnostic, Network, System, flatten};
use homing_jit::{Code, FUSED, JitError, Outcome, Phase, Ready};

use crate::atomic::{Inside, labels};

/// A space of packed states with compiled successors.
pub struct CompiledSpace {
    code: Code,
    /// The longest message of a joint.
    message: usize,
    /// Whether some parts move only where no others do.
    late: bool,
    /// Whether control may stay with a component.
    atomic: bool,
    /// The first step that could not start a process, and whom to tell.
    unstarted: Mutex<Option<(Vec<Word>, Edge)>>,
    alarm: OnceLock<Arc<AtomicBool>>,
}

/// Why a network has no compiled space.
#[derive(Clone, Debug)]
pub enum SpaceError {
    /// It uses what no system can express.
    Refused(Vec<Diagnostic>),
    /// There is no machine code for it.
    Jit(JitError),
}

impl CompiledSpace {
    /// The space of a network, with conditions for the search to look for,
    /// after the passes.
    pub fn new(
        network: &Network,
        conditions: &[Wanted],
        passes: Passes,
    ) -> Result<CompiledSpace, SpaceError> {
        let mut system = flatten(network, conditions).map_err(SpaceError::Refused)?;
        passes::run(&mut system, passes);
        CompiledSpace::of(system).map_err(SpaceError::Jit)
    }

    /// The space of a system.
    pub fn of(system: System) -> Result<CompiledSpace, JitError> {
        let length = |part: &homing_ir::system::Part| match &part.role {
            homing_ir::system::PartRole::Send(_, message) => message.len(),
            homing_ir::system::PartRole::Receive(_, intakes) => intakes.len(),
            _ => 0,
        };
        let message = system.parts.iter().map(length).max().unwrap_or(0);
        let (late, atomic) = (system.has_late_parts(), system.has_atomic_parts());
        let code = Code::new(system)?;
        let (unstarted, alarm) = (Mutex::new(None), OnceLock::new());
        Ok(CompiledSpace { code, message, late, atomic, unstarted, alarm })
    }

    /// The system.
    pub fn system(&self) -> &System {
        self.code.system()
    }

    /// Where its slots lie in packed states.
    pub fn layout(&self) -> &homing_ir::layout::Layout {
        self.code.layout()
    }

    /// Its numbered steps.
    pub fn moves(&self) -> &Moves {
        self.code.moves()
    }

    /// A bit for every condition of the system that holds in `state`.
    pub fn conditions(&self, state: &[Word]) -> u64 {
        self.code.conditions(self.own(state))
    }

    /// This space's own words of a state; what a space around it adds lies
    /// behind them.
    fn own<'s>(&self, state: &'s [Word]) -> &'s [Word] {
        &state[..self.layout().words]
    }

    /// Raises `alarm` as soon as a process cannot be started for lack of a slot.
    pub fn on_unstarted(&self, alarm: &Arc<AtomicBool>) {
        self.alarm.get_or_init(|| Arc::clone(alarm));
    }

    /// The first step met that could not start a process for lack of a slot.
    pub fn unstarted(&self) -> Option<Step> {
        let found = self.unstarted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        found.map(|(state, edge)| self.step(&state, edge))
    }

    fn note_unstarted(&self, state: &[Word], faults: &[Fault]) {
        let sites = &self.system().sites;
        let slotless = |fault: &&Fault| sites[fault.site as usize].kind == FaultKind::NoFreeSlot;
        let Some(fault) = faults.iter().find(slotless) else { return };
        let mut found = self.unstarted.lock().unwrap_or_else(PoisonError::into_inner);
        found.get_or_insert_with(|| (state.to_vec(), fault.edge));
        if let Some(alarm) = self.alarm.get() {
            alarm.store(true, Ordering::Relaxed);
        }
    }

    /// The time spent compiling so far.
    pub fn compile_time(&self) -> Duration {
        self.code.compile_time()
    }

    /// Why code could not be made on the way, if so.
    pub fn error(&self) -> Option<JitError> {
        self.code.error()
    }

    /// The edges of the network taken from `state` by `edge`.
    pub fn step(&self, state: &[Word], edge: Edge) -> Step {
        let state = self.own(state);
        match self.moves().list[edge.label as usize] {
            Move::Joint(joint) => {
                self.joint_step(&self.system().joints[joint as usize], state, edge.choice)
            }
            _ if self.moves().holder(edge.label).is_some() && edge.choice != 0 => {
                self.long_step(state, edge)
            }
            _ => self.moves().step(self.system(), edge.label),
        }
    }

    fn joint_step(&self, joint: &Joint, state: &[Word], wanted: u32) -> Step {
        let mut found = Step::default();
        let mut expansion = JointExpansion::new(self);
        let edges = |parts: &[PartId]| parts.iter().map(|p| self.system().part(*p).edge).collect();
        let mut when = When { committed: self.any_committed(state), late: false };
        let mut gathered = expansion.gather(joint, state, when);
        if gathered == Gathered::Blocked && self.late {
            when.late = true;
            gathered = expansion.gather(joint, state, when);
        }
        match gathered {
            Gathered::Blocked => {}
            Gathered::Ready => expansion.each(&mut |choice, parts| {
                if choice == wanted {
                    found.edges = edges(parts);
                }
            }),
            Gathered::Failed { part, .. } => {
                let leader = joint.leader.filter(|leader| *leader != part);
                found.edges = edges(&leader.into_iter().chain([part]).collect::<Vec<_>>());
            }
        }
        found
    }

    /// A step in which control is held, move by move.
    fn long_step(&self, state: &[Word], edge: Edge) -> Step {
        let mut successors = Batch::new(self.layout().words);
        let mut expander = self.compiled_expander();
        expander.moves(state, &mut successors);
        let labels = match edge.choice & FUSED {
            0 => expander.inside.trail(&mut successors, edge),
            _ => labels(&self.code, edge),
        };
        let mut moves =
            labels.into_iter().map(|label| self.moves().step(self.system(), label).edges);
        Step { delay: 0, edges: moves.next().unwrap_or_default(), then: moves.collect() }
    }

    fn compiled_expander(&self) -> CompiledExpander<'_> {
        CompiledExpander {
            space: self,
            joints: JointExpansion::new(self),
            commitment: self.system().has_commitment(),
            inside: Inside::new(&self.code),
        }
    }

    /// Whether some component that is running is not where it may rest.
    fn is_unfinished(&self, state: &[Word]) -> bool {
        let fields = &self.layout().fields;
        let mut components = self.system().components.iter();
        components.any(|c| !c.end[fields[c.location.index()].get(state) as usize])
    }

    fn any_committed(&self, state: &[Word]) -> bool {
        let fields = &self.layout().fields;
        self.system().components.iter().any(|component| {
            component.committed[fields[component.location.index()].get(state) as usize]
        })
    }
}

impl Space for CompiledSpace {
    fn width(&self) -> usize {
        self.layout().words
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(self.compiled_expander())
    }
}

struct CompiledExpander<'a> {
    space: &'a CompiledSpace,
    joints: JointExpansion<'a>,
    commitment: bool,
    inside: Inside<'a>,
}

/// What decides about who may move in a state, besides guards.
#[derive(Clone, Copy)]
struct When {
    /// Only those at committed locations.
    committed: bool,
    /// Also the parts that move only where no others do.
    late: bool,
}

impl CompiledExpander<'_> {
    /// Adds the moves of `state` to `out`, also those after which control is
    /// held.
    fn moves(&mut self, state: &[Word], out: &mut Batch) {
        let before = (out.len(), out.faults().len());
        let code = &self.space.code;
        let committed = self.commitment && self.space.any_committed(state);
        if committed {
            code.expand(state, out, is_committed);
        } else {
            code.expand_all(state, out);
        }
        self.joints(state, When { committed, late: false }, out);
        if self.space.late && (out.len(), out.faults().len()) == before {
            let may = |system: &System, component: ComponentId, location: usize| {
                !committed || is_committed(system, component, location)
            };
            code.expand_late(state, out, may);
            self.joints(state, When { committed, late: true }, out);
        }
    }

    fn joints(&mut self, state: &[Word], when: When, out: &mut Batch) {
        let code = &self.space.code;
        let first = (code.moves().list.len() - code.system().joints.len()) as u32;
        for (index, joint) in code.system().joints.iter().enumerate() {
            self.joints.expand(joint, first + index as u32, state, when, out);
        }
    }
}

fn is_committed(system: &System, component: ComponentId, location: usize) -> bool {
    system.component(component).committed[location]
}

impl Expander for CompiledExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        let initial = self.space.layout().pack(&self.space.system().initial());
        out.push(&initial, Edge::default());
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let state = self.space.own(state);
        if self.space.code.is_trapped(state) {
            return out.set_deadlock(false);
        }
        let (states, faults) = (out.len(), out.faults().len());
        self.moves(state, out);
        if self.space.atomic {
            self.inside.follow(states, faults, out);
        }
        let stuck = (out.len(), out.faults().len()) == (states, faults);
        if out.faults().len() > faults {
            self.space.note_unstarted(state, &out.faults()[faults..]);
        }
        out.set_deadlock(stuck && self.space.is_unfinished(state));
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.space.conditions(state)
    }
}

/// Puts joints together from single parts. Owns its scratch memory.
struct JointExpansion<'a> {
    space: &'a CompiledSpace,
    message: Vec<i64>,
    /// The parts that can move, member after member; `starts` delimits them.
    ready: Vec<PartId>,
    starts: Vec<usize>,
    chosen: Vec<usize>,
    parts: Vec<PartId>,
    leader: Option<PartId>,
    target: Vec<Word>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gathered {
    Blocked,
    Ready,
    Failed { part: PartId, site: u32 },
}

impl<'a> JointExpansion<'a> {
    fn new(space: &'a CompiledSpace) -> JointExpansion<'a> {
        JointExpansion {
            space,
            message: vec![0; space.message],
            ready: Vec::new(),
            starts: Vec::new(),
            chosen: Vec::new(),
            parts: Vec::new(),
            leader: None,
            target: vec![0; space.layout().words],
        }
    }

    fn expand(&mut self, joint: &Joint, label: u32, state: &[Word], when: When, out: &mut Batch) {
        match self.gather(joint, state, when) {
            Gathered::Blocked => {}
            Gathered::Failed { site, .. } => {
                out.fail(Fault { edge: Edge { label, choice: 0 }, site });
            }
            Gathered::Ready => self.combine(label, state, out),
        }
    }

    /// Finds the parts that can move: of each member at least one, unless it
    /// is optional.
    fn gather(&mut self, joint: &Joint, state: &[Word], when: When) -> Gathered {
        self.ready.clear();
        self.starts.clear();
        self.leader = joint.leader;
        if let Some(leader) = joint.leader {
            if !self.present(leader, state, when) || !self.in_time(leader, when) {
                return Gathered::Blocked;
            }
            match self.space.code.ready(leader, state, &mut self.message) {
                Ready::No => return Gathered::Blocked,
                Ready::Failed(site) => return Gathered::Failed { part: leader, site },
                Ready::Yes => {}
            }
        }
        if !joint.members.iter().all(|member| self.can_take_part(member, state, when)) {
            return Gathered::Blocked;
        }
        for member in &joint.members {
            let start = self.ready.len();
            for part in &member.parts {
                if !self.present(*part, state, when) || !self.in_time(*part, when) {
                    continue;
                }
                match self.space.code.ready(*part, state, &mut self.message) {
                    Ready::No => {}
                    Ready::Failed(site) => return Gathered::Failed { part: *part, site },
                    Ready::Yes => self.ready.push(*part),
                }
            }
            if self.ready.len() > start {
                self.starts.push(start);
            } else if !member.optional && !self.is_absent(member, state) {
                return Gathered::Blocked;
            }
        }
        let alone = self.leader.is_none() && self.starts.is_empty();
        if alone { Gathered::Blocked } else { Gathered::Ready }
    }

    /// Whether a member that must move is where it might.
    fn can_take_part(&self, member: &Member, state: &[Word], when: When) -> bool {
        member.optional
            || self.is_absent(member, state)
            || member.parts.iter().any(|part| self.present(*part, state, when))
    }

    /// Whether a process is not running: a synchronous system steps without it.
    fn is_absent(&self, member: &Member, state: &[Word]) -> bool {
        let system = self.space.system();
        system.synchronous
            && system.component(member.component).absent
                == Some(self.location(member.component, state))
    }

    fn location(&self, component: ComponentId, state: &[Word]) -> i64 {
        let slot = self.space.system().component(component).location;
        self.space.layout().fields[slot.index()].get(state)
    }

    /// Whether the part's component is at its location, and free to move.
    fn present(&self, part: PartId, state: &[Word], when: When) -> bool {
        let system = self.space.system();
        let part = system.part(part);
        self.location(part.component, state) == part.from
            && (!when.committed || system.is_committed(part))
    }

    /// Whether a part need not wait until nothing else moves.
    fn in_time(&self, part: PartId, when: When) -> bool {
        when.late || !self.space.system().part(part).late
    }

    /// Calls `visit` with every choice of one part a member, the last varying
    /// fastest, the leader first.
    fn each(&mut self, visit: &mut dyn FnMut(u32, &[PartId])) {
        self.chosen.clear();
        self.chosen.extend_from_slice(&self.starts);
        for choice in 0.. {
            self.parts.clear();
            self.parts.extend(self.leader);
            self.parts.extend(self.chosen.iter().map(|at| self.ready[*at]));
            visit(choice, &self.parts);
            if !self.advance() {
                return;
            }
        }
    }

    /// Goes on to the next choice, like an odometer.
    fn advance(&mut self) -> bool {
        for member in (0..self.chosen.len()).rev() {
            let end = self.starts.get(member + 1).copied().unwrap_or(self.ready.len());
            self.chosen[member] += 1;
            if self.chosen[member] < end {
                return true;
            }
            self.chosen[member] = self.starts[member];
        }
        false
    }

    fn combine(&mut self, label: u32, state: &[Word], out: &mut Batch) {
        let (space, message) = (self.space, std::mem::take(&mut self.message));
        let mut target = std::mem::take(&mut self.target);
        let leader_last = self.leader.is_some() && !space.system().sender_first;
        self.each(&mut |choice, parts| {
            let edge = Edge { label, choice };
            target.copy_from_slice(state);
            match take(space, state, &message, parts, leader_last, &mut target) {
                Outcome::Done => out.push(&target, edge),
                Outcome::Failed(site) => out.fail(Fault { edge, site }),
            }
        });
        self.message = message;
        self.target = target;
    }
}

/// Runs all phases of all parts on `target`.
fn take(
    space: &CompiledSpace,
    state: &[Word],
    message: &[i64],
    parts: &[PartId],
    leader_last: bool,
    target: &mut [Word],
) -> Outcome {
    let (leader, others) = parts.split_at(usize::from(leader_last));
    for phase in Phase::ALL {
        for part in others.iter().chain(leader) {
            let outcome = space.code.apply(*part, phase, state, message, target);
            if outcome != Outcome::Done {
                return outcome;
            }
        }
    }
    Outcome::Done
}
