//! Compiled and interpreted code and the reference, state by state.
//!
//! Where control stays with a component, compiled code takes several moves at once
//! ([`homing_jit::Path`]) and how many is its own affair: there, what comes out when control
//! is given up is compared.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use homing_core::{Batch, Edge, Word};
use homing_ir::moves::{Holder, Move};
use homing_ir::system::{ComponentId, PartId, PartRole};
use homing_ir::{Prepared, System};
use homing_jit::{Bounds, Code, Execution, Outcome, Phase, Ready};
use proptest::prelude::*;

use crate::reference::{Expanded, Reference, Values, Which};

/// The states of a system that are compared.
const STATES: usize = 40;

/// How a system is executed, and the bounds on what is compiled.
type Way = (Execution, Bounds);

/// The ways of executing a system: compiled, with successors made in registers and in
/// memory, what is small compiled and the rest interpreted, what is asked for again compiled,
/// and all interpreted.
const WAYS: [Way; 5] = [
    (Execution::Compiled, Bounds { words: usize::MAX, values: usize::MAX, calls: 0 }),
    (Execution::Compiled, Bounds { words: 0, values: usize::MAX, calls: 0 }),
    (Execution::Compiled, Bounds { words: usize::MAX, values: 100, calls: 0 }),
    (Execution::Gradual, Bounds { words: usize::MAX, values: usize::MAX, calls: 3 }),
    (Execution::Interpreted, Bounds { words: 0, values: 0, calls: 0 }),
];

/// A move that was made: its label, who holds control afterwards, and where it leads.
type Moved = (u32, Option<Holder>, Values);

/// What came of some moves.
#[derive(Clone, Default)]
struct Progress {
    moved: Vec<Moved>,
    faults: Vec<(u32, u32)>,
}

/// What came out when control was given up: states, and sites of failures.
#[derive(PartialEq, Eq, Debug, Default)]
struct Given {
    states: BTreeSet<Values>,
    sites: BTreeSet<u32>,
}

/// A system as it is executed, compiled and interpreted, to be compared with what it means.
pub struct Comparison {
    executed: [Executed; WAYS.len()],
}

impl Comparison {
    /// Compiles nothing yet.
    pub fn new(system: System) -> Comparison {
        let prepared = Prepared::new(system);
        let executed = WAYS.map(|way| {
            let code = Code::within(Arc::clone(&prepared), way.0, way.1);
            Executed { way, code: code.expect("a machine we compile for") }
        });
        Comparison { executed }
    }

    /// Compares the states that are reached first.
    pub fn run(&self) -> Result<(), TestCaseError> {
        self.executed.iter().try_for_each(|executed| executed.told(executed.run()))
    }

    /// Compares all there is to one state; answers its successors.
    pub fn state(&self, values: &Values) -> Result<Vec<Values>, TestCaseError> {
        let mut successors = Vec::new();
        for executed in &self.executed {
            successors = executed.told(executed.state(values))?;
        }
        Ok(successors)
    }
}

/// A system as it is executed in one way.
struct Executed {
    way: Way,
    code: Code,
}

impl Executed {
    /// A difference, with the way of executing that it was found in.
    fn told<T>(&self, compared: Result<T, TestCaseError>) -> Result<T, TestCaseError> {
        compared.map_err(|error| TestCaseError::fail(format!("{:?}: {error}", self.way)))
    }

    fn reference(&self) -> Reference<'_> {
        Reference { system: self.code.system(), moves: self.code.moves() }
    }

    fn run(&self) -> Result<(), TestCaseError> {
        let mut queue = VecDeque::from([self.code.system().initial()]);
        let mut seen: BTreeSet<Values> = queue.iter().cloned().collect();
        let mut compared = 0;
        while let Some(values) = queue.pop_front() {
            for next in self.state(&values)? {
                if seen.insert(next.clone()) {
                    queue.push_back(next);
                }
            }
            compared += 1;
            if compared == STATES {
                break;
            }
        }
        prop_assert_eq!(self.code.error(), None);
        Ok(())
    }

    fn state(&self, values: &Values) -> Result<Vec<Values>, TestCaseError> {
        let words = &self.code.layout().pack(values)[..];
        prop_assert_eq!(&self.code.layout().unpack(words), values);
        if self.code.is_trapped(words) {
            return Ok(Vec::new());
        }
        let (system, reference) = (self.code.system(), self.reference());
        let about = format!("in {values:?}");
        let mut failed = 0;
        let holding = self.code.conditions(words, &mut failed);
        prop_assert_eq!((holding, failed), reference.conditions(values), "{}", about);
        self.parts(values, words)?;
        let mut successors = Vec::new();
        let mut expansions: Vec<(Which, Batch)> = Vec::new();
        if !system.has_commitment() {
            expansions.push((Which::Ordinary, self.batch(|out| self.code.expand_all(words, out))));
        }
        let ordinary = self.batch(|out| self.code.expand(words, out, |_, _, _| true));
        let timeout = self.batch(|out| self.code.expand_timeouts(words, out, |_, _, _| true));
        expansions.extend([(Which::Ordinary, ordinary), (Which::Timeout, timeout)]);
        if system.any_committed && system.has_commitment() {
            let committed = self.batch(|out| self.code.expand_committed(words, out));
            expansions.push((Which::Committed, committed));
        }
        for (which, batch) in expansions {
            let expected = reference.expand(values, which);
            self.same(values, &batch, &expected)?;
            successors.extend(expected.successors.into_iter().map(|(_, values)| values));
        }
        for component in (0..system.components.len() as u32).map(ComponentId) {
            let held = self.batch(|out| self.code.expand_held(component, words, out));
            self.same(values, &held, &self.held(component, values))?;
        }
        Ok(successors)
    }

    fn batch(&self, expand: impl Fn(&mut Batch)) -> Batch {
        let mut batch = Batch::new(self.code.layout().words);
        expand(&mut batch);
        batch
    }

    /// What the reference says that a holder of control leads.
    fn held(&self, component: ComponentId, values: &Values) -> Expanded {
        // Where no moves are for holders only, theirs are the ordinary ones.
        let which = if self.code.moves().has_held_only() { Which::Held } else { Which::Ordinary };
        let mut expanded = Expanded::default();
        self.reference().led_by(component, values, which, &mut expanded);
        expanded
    }

    /// The same successors and failures, in the same order; where control stays with a
    /// component, the same in the end.
    fn same(&self, from: &Values, found: &Batch, expected: &Expanded) -> Result<(), TestCaseError> {
        let fused = self.code.system().has_atomic_parts();
        for i in 0..found.len() {
            let to = self.unpacked(found, i)?;
            if fused {
                prop_assert_eq!(self.replay(from, found.edge(i)), Some(to), "from {:?}", from);
            }
        }
        if fused {
            let found = self.given(&self.compiled(found), |component, values| {
                let words = self.code.layout().pack(values);
                let held = self.batch(|out| self.code.expand_held(component, &words, out));
                self.compiled(&held)
            });
            let expected = self.given(&self.evaluated(expected.clone()), |component, values| {
                self.evaluated(self.held(component, values))
            });
            prop_assert_eq!(found, expected, "from {:?}", from);
            return Ok(());
        }
        let Progress { moved, faults } = self.compiled(found);
        let successors = moved.into_iter().map(|(label, _, values)| (label, values)).collect();
        prop_assert_eq!(&Expanded { successors, faults }, expected, "from {:?}", from);
        Ok(())
    }

    /// A successor, whose unused bits must be zero: stores compare words.
    fn unpacked(&self, batch: &Batch, i: usize) -> Result<Values, TestCaseError> {
        let values = self.code.layout().unpack(batch.state(i));
        prop_assert_eq!(&self.code.layout().pack(&values)[..], batch.state(i));
        Ok(values)
    }

    /// Where the moves of an edge lead, one by one.
    fn replay(&self, from: &Values, edge: Edge) -> Option<Values> {
        let Some(path) = self.code.path(edge) else {
            return self.step(from, edge.label);
        };
        path.labels.iter().try_fold(from.clone(), |values, label| self.step(&values, *label))
    }

    fn step(&self, from: &Values, label: u32) -> Option<Values> {
        let component = match self.code.moves().list[label as usize] {
            Move::Alone(part) | Move::Pair { sender: part, .. } => part,
            Move::Joint(_) => return None,
        };
        let component = self.code.system().part(component).component;
        let mut expanded = Expanded::default();
        for which in [Which::Held, Which::Timeout] {
            self.reference().led_by(component, from, which, &mut expanded);
        }
        let mut successors = expanded.successors.into_iter();
        successors.find(|(other, _)| *other == label).map(|(_, values)| values)
    }

    fn compiled(&self, batch: &Batch) -> Progress {
        let moved = |i: usize| {
            let edge = batch.edge(i);
            (edge.label, self.code.holder(edge), self.code.layout().unpack(batch.state(i)))
        };
        let faults = batch.faults().iter().map(|fault| (fault.edge.label, fault.site));
        Progress { moved: (0..batch.len()).map(moved).collect(), faults: faults.collect() }
    }

    fn evaluated(&self, expanded: Expanded) -> Progress {
        let holder = |label: u32| self.code.moves().holder(label);
        let moved = expanded.successors.into_iter();
        let moved = moved.map(|(label, values)| (label, holder(label), values)).collect();
        Progress { moved, faults: expanded.faults }
    }

    /// Follows `first` until nobody holds control.
    fn given(&self, first: &Progress, held: impl Fn(ComponentId, &Values) -> Progress) -> Given {
        let mut given = Given::default();
        let mut queue: VecDeque<(Holder, Values)> = VecDeque::new();
        let mut seen: Vec<(Holder, Values)> = Vec::new();
        let mut progress = first.clone();
        loop {
            given.sites.extend(progress.faults.iter().map(|(_, site)| *site));
            for (_, holder, values) in std::mem::take(&mut progress.moved) {
                let trapped = self.code.system().trap.is_some_and(|trap| values[trap.index()] != 0);
                match holder.filter(|_| !trapped) {
                    None => drop(given.states.insert(values)),
                    Some(holder) if !seen.contains(&(holder, values.clone())) => {
                        seen.push((holder, values.clone()));
                        queue.push_back((holder, values));
                    }
                    Some(_) => {}
                }
            }
            let Some((holder, values)) = queue.pop_front() else { return given };
            progress = held(holder.component, &values);
            if progress.moved.is_empty() && progress.faults.is_empty() {
                self.blocked(holder, values, &mut given);
            } else if holder.deterministic {
                first_only(&mut progress);
            }
        }
    }

    /// A holder of control that cannot go on.
    fn blocked(&self, holder: Holder, values: Values, given: &mut Given) {
        let component = self.code.system().component(holder.component);
        let location = values[component.location.index()] as usize;
        match component.blocked[location].filter(|_| holder.deterministic) {
            Some(site) => drop(given.sites.insert(site.0)),
            None => drop(given.states.insert(values)),
        }
    }

    /// The functions of single parts.
    fn parts(&self, values: &Values, words: &[Word]) -> Result<(), TestCaseError> {
        let system = self.code.system();
        let mut sent = Vec::new();
        for (index, part) in system.parts.iter().enumerate() {
            if let PartRole::Send(channel, _) = &part.role {
                let message = self.part(PartId(index as u32), &[], values, words)?;
                sent.extend(message.map(|message| (*channel, message)));
            }
        }
        for (index, part) in system.parts.iter().enumerate() {
            let part_id = PartId(index as u32);
            match &part.role {
                PartRole::Receive(channel, intakes) => {
                    let fits =
                        |sent: &&(_, Vec<i64>)| sent.0 == *channel && sent.1.len() >= intakes.len();
                    for (_, message) in sent.iter().filter(fits) {
                        self.part(part_id, message, values, words)?;
                    }
                }
                PartRole::Alone | PartRole::Label(_) => {
                    drop(self.part(part_id, &[], values, words)?)
                }
                PartRole::Send(..) => {}
            }
        }
        Ok(())
    }

    /// Compares [`Code::ready`] and [`Code::apply`] of one part; answers the message of a
    /// sender that is ready.
    fn part(
        &self,
        id: PartId,
        received: &[i64],
        values: &Values,
        words: &[Word],
    ) -> Result<Option<Vec<i64>>, TestCaseError> {
        let part = self.code.system().part(id);
        let length = match &part.role {
            PartRole::Send(_, message) => message.len(),
            _ => received.len(),
        };
        let mut message = received.to_vec();
        message.resize(length, 0);
        let ready = self.code.ready(id, words, &mut message);
        let expected = self.reference().ready(part, received, values);
        let about = format!("{id:?} in {values:?}");
        let (mut temps, expected_message) = match expected {
            Ok(Some(bound)) => bound,
            Ok(None) => {
                prop_assert_eq!(ready, Ready::No, "{}", about);
                return Ok(None);
            }
            Err(site) => {
                prop_assert_eq!(ready, Ready::Failed(site.0), "{}", about);
                return Ok(None);
            }
        };
        prop_assert_eq!(ready, Ready::Yes, "{}", about);
        prop_assert_eq!(&message, &expected_message, "{}", about);
        let (mut target, mut next) = (words.to_vec(), values.clone());
        for phase in Phase::ALL {
            let outcome = self.code.apply(id, phase, words, &message, &mut target);
            let expected = self.reference().apply(part, phase, values, &mut next, &mut temps);
            match expected {
                Ok(()) => prop_assert_eq!(outcome, Outcome::Done, "{}", about),
                Err(site) => {
                    prop_assert_eq!(outcome, Outcome::Failed(site.0), "{}", about);
                    return Ok(None);
                }
            }
            prop_assert_eq!(&target, &self.code.layout().pack(&next), "{}", about);
        }
        Ok(matches!(part.role, PartRole::Send(..)).then_some(message))
    }
}

/// Of a deterministic holder's moves only the first counts, with all that was compiled
/// behind it.
fn first_only(progress: &mut Progress) {
    let moved = progress.moved.iter().map(|(label, ..)| *label);
    let first = moved.chain(progress.faults.iter().map(|(label, _)| *label)).min();
    progress.moved.retain(|(label, ..)| Some(*label) == first);
    progress.faults.retain(|(label, _)| Some(*label) == first);
}
