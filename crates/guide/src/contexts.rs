//! Context-enhanced search (CE): what interferes with the last step comes
//! first.
//!
//! Wehrle, Kupferschmid, "Context-Enhanced Directed Model Checking" (2010),
//! Fig. 2. Let s be reached by t, and s' = t'(s):
//!
//! ```text
//! insert(s', priority):
//!   if t is innocent:
//!     if t' ∉ C̄(t): prune s'
//!     else: n := least n with t' ∈ C_n(t);  q_n.insert(s', priority)
//!   else: q_0.insert(s', priority)
//! ```
//! t is *innocent* if no conjunct of the goal can become true by it: then t is
//! worth taking only for what it enables, and that interferes with it.
//!
//! Pruning is exact (proposition 1), but it depends on the way to s. A state
//! that is reached again by a step with another closure is therefore opened
//! again, this time for all steps. Where anything couples variables that no
//! transition has in common (committed locations, time), nothing is pruned.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::{Edge, Heuristic, Level, Merge, Preference, Taken};
use homing_ir::footprint::{SlotSet, term_reads};
use homing_ir::interval::Env;
use homing_ir::system::{Command, Interval, Part, PartId, SlotId, System};

use crate::ground::Ground;
use crate::interference::{APART, Interference};
use crate::{Goal, PreferenceBuilder, Target};

const PRUNE: Parameter = Parameter {
    name: "prune",
    about: "whether to leave out steps that provably need not follow, 1 or 0",
    default: "1",
};

pub(crate) const ROW: Row<PreferenceBuilder> = Row {
    name: "contexts",
    kind: Kind::Preference,
    about: "interference contexts (CE): first what interferes with the step before",
    cite: "Wehrle, Kupferschmid 2010",
    parameters: &[PRUNE],
    needs: &[Capability::KeepsStates, Capability::Exact],
    gives: &[Capability::Complete],
    uses: &[],
    build: |goal, call| {
        call.allow_named(&["prune"])?;
        let prune = PRUNE.number(call)? != 0;
        Ok(Box::new(Contexts::new(goal, prune)?))
    },
};

struct Contexts {
    interference: Interference,
    /// For every label, whether its steps cannot make any of the goal true.
    innocent: Vec<bool>,
    prunes: bool,
}

/// Marks: the label by which a state was reached, plus one.
const INITIAL: u32 = 0;
/// Set in marks of states all of whose steps are to be followed.
const ALL: u32 = 1 << 31;

impl Contexts {
    fn new(goal: &Goal, prune: bool) -> Result<Contexts, String> {
        let (system, moves) = (goal.space.system(), goal.space.moves());
        let interference = Interference::of(system, moves);
        let wishes = Wishes::of(goal)?;
        let innocent: Vec<bool> = (0..moves.list.len() as u32)
            .map(|label| {
                let writes = &interference.variables(label).writes;
                let of_goal: Vec<SlotId> =
                    writes.iter().copied().filter(|slot| wishes.slots.contains(*slot)).collect();
                let parts = moves.list[label as usize].parts(system);
                // Clocks are the variables behind the slots.
                let resets = of_goal.iter().any(|slot| slot.index() >= system.slots.len());
                let fulfils = |part: &PartId| wishes.fulfils(system, *part);
                of_goal.is_empty() || !resets && !parts.iter().any(fulfils)
            })
            .collect();
        let coupled = system.has_commitment() || system.timing.is_some();
        let prunes = prune && interference.closures() > 1 && !coupled;
        Ok(Contexts { interference, innocent, prunes })
    }

    /// The innocent step a state was reached by, if it was one.
    fn via(&self, mark: u32) -> Option<u32> {
        let label = (mark & !ALL).checked_sub(1)?;
        self.innocent[label as usize].then_some(label)
    }

    /// The closure that a state's steps are taken from; none where from all.
    fn closure(&self, mark: u32) -> Option<u32> {
        if mark & ALL != 0 {
            return None;
        }
        self.via(mark).map(|label| self.interference.closure(label))
    }
}

/// What the goal asks of single slots.
struct Wishes {
    /// The slots that the goal reads.
    slots: SlotSet,
    /// The goal in ground form; `None` where that is not exact.
    goals: Option<Ground>,
    ranges: Vec<Interval>,
}

impl Wishes {
    fn of(goal: &Goal) -> Result<Wishes, String> {
        let mut slots = term_reads(&goal.term(ROW.name)?);
        let system = goal.space.system();
        if let (Some(timing), Target::Condition(condition)) = (&system.timing, goal.target) {
            let clocks = timing.conditions[condition].cases.iter().flat_map(|case| &case.clocks);
            slots.extend(&timing.reads(system, clocks));
        }
        let goals = Some(Ground::goals_only(goal, ROW.name)?).filter(|goals| goals.goals_exact);
        let ranges = goal.space.system().slots.iter().map(|slot| slot.range).collect();
        Ok(Wishes { slots, goals, ranges })
    }

    /// Whether a part may make a constraint of the goal true that was not.
    fn fulfils(&self, system: &System, part: PartId) -> bool {
        let part = system.part(part);
        let mut fulfils = false;
        for command in part.commands() {
            command.walk(&mut |command| {
                let (slots, value) = match command {
                    Command::Set(slot, value) => (slot.0..slot.0 + 1, value),
                    Command::SetElement { first, count, value, .. } => {
                        (first.0..first.0 + count, value)
                    }
                    _ => return,
                };
                // What is known of a temporary is nothing, which is sound.
                let value = Env::new(&self.ranges).eval(value);
                fulfils |= slots.map(SlotId).any(|slot| self.wants(system, part, slot, value));
            });
        }
        fulfils
    }

    /// Whether the goal may ask for one of the values of `slot`, and the part
    /// does not move from where that is given.
    fn wants(&self, system: &System, part: &Part, slot: SlotId, values: Interval) -> bool {
        let Some(ground) = &self.goals else { return self.slots.contains(slot) };
        ground.goals.iter().flatten().any(|wanted| {
            let variable = &ground.variables[wanted.var as usize];
            let at = system.component(part.component).location == slot;
            variable.slot == slot
                && !(at && wanted.values.contains(variable.class(part.from)))
                && !variable.classes(values).intersect(&wanted.values).is_empty()
        })
    }
}

impl Preference for Contexts {
    fn initial(&self) -> u32 {
        INITIAL
    }

    fn mark(&self, _mark: u32, edge: Edge) -> u32 {
        edge.label + 1
    }

    fn may_prune(&self) -> bool {
        self.prunes
    }

    fn prunes(&self, mark: u32, edge: Edge) -> bool {
        self.closure(mark).is_some_and(|closure| closure != self.interference.closure(edge.label))
    }

    fn may_merge(&self) -> bool {
        self.prunes
    }

    fn merge(&self, known: u32, new: u32) -> Option<Merge> {
        let known_closure = self.closure(known)?;
        if self.closure(new) == Some(known_closure) {
            return None;
        }
        Some(Merge { mark: known | ALL, better: false })
    }

    fn level(&self, taken: &Taken, _: Option<&mut (dyn Heuristic + '_)>) -> Level {
        let queue = match self.via(taken.mark) {
            Some(via) => self.interference.distance(via, taken.edge.label),
            None => 0,
        };
        // What must not be pruned waits longest.
        Level { queue: u16::from(queue).min(u16::from(APART)), tie: 0 }
    }

    fn bytes(&self) -> usize {
        self.interference.bytes()
    }
}
