//! Runs of the compiled space, followed step by step.

use std::collections::BTreeMap;

use homing_core::{Batch, Edge, Expander, Word};
use homing_ir::Step;
use homing_ir::moves::Move;
use homing_ir::network::EdgeRef;

use crate::question::Hit;
use crate::searched::Searched;

/// A run to a violation: one more state than edges, and the step that fails at
/// its end, where that is what is looked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Followed {
    pub states: Vec<Vec<Word>>,
    pub edges: Vec<Edge>,
    pub fault: Option<Edge>,
}

impl Followed {
    /// The number of steps, a failing one included.
    pub(super) fn len(&self) -> usize {
        self.edges.len() + usize::from(self.fault.is_some())
    }

    /// The run without what lies between two visits of one state.
    pub(super) fn without_loops(&self) -> Followed {
        let mut last: BTreeMap<&[Word], usize> = BTreeMap::new();
        for (i, state) in self.states.iter().enumerate() {
            last.insert(state, i);
        }
        let mut cut = Followed { fault: self.fault, ..Followed::default() };
        let mut at = 0;
        while let Some(state) = self.states.get(at) {
            let leaving = last.get(state.as_slice()).copied().unwrap_or(at);
            cut.states.push(state.clone());
            cut.edges.extend(self.edges.get(leaving));
            at = leaving + 1;
        }
        cut
    }
}

/// Follows steps of the network in the compiled space.
pub(super) struct Follower<'a> {
    space: &'a Searched<'a>,
    hit: Hit,
    expander: Box<dyn Expander + 'a>,
    batch: Batch,
    /// The labels of steps that are no joints.
    labels: BTreeMap<Vec<EdgeRef>, Vec<u32>>,
    /// Whether each label is a joint's.
    joints: Vec<bool>,
    /// The edges that passes have left parts of.
    kept: Vec<EdgeRef>,
    /// States expanded so far.
    pub expanded: u64,
}

/// What following one more step led to.
pub(super) enum Next {
    /// The state behind the step.
    State(Edge),
    /// The state has no such step.
    None,
}

impl<'a> Follower<'a> {
    pub(super) fn new(searched: &'a Searched<'a>, hit: Hit) -> Follower<'a> {
        let space = searched.discrete;
        let moves = space.moves();
        let mut labels: BTreeMap<Vec<EdgeRef>, Vec<u32>> = BTreeMap::new();
        let is_joint = |one: &Move| matches!(one, Move::Joint(_));
        let joints: Vec<bool> = moves.list.iter().map(is_joint).collect();
        for label in (0..moves.list.len() as u32).filter(|label| !joints[*label as usize]) {
            let step = moves.step(space.system(), label);
            labels.entry(step.edges).or_default().push(label);
        }
        let mut kept: Vec<EdgeRef> = space.system().parts.iter().map(|part| part.edge).collect();
        kept.sort_unstable();
        kept.dedup();
        Follower {
            space: searched,
            hit,
            expander: searched.space().expander(),
            batch: Batch::new(searched.space().width()),
            labels,
            joints,
            kept,
            expanded: 0,
        }
    }

    /// The initial state.
    pub(super) fn initial(&mut self) -> Vec<Word> {
        self.batch.clear();
        self.expander.initial(&mut self.batch);
        self.batch.state(0).to_vec()
    }

    /// Expands a state, and says whether it is what is looked for; where that
    /// is a failing step, by which.
    pub(super) fn expand(&mut self, state: &[Word]) -> (bool, Option<Edge>) {
        self.batch.clear();
        self.expander.expand(state, &mut self.batch);
        self.expanded += 1;
        match self.hit {
            Hit::Condition(bit) => (self.expander.violated(state) >> bit & 1 == 1, None),
            Hit::Deadlock => (self.batch.deadlock(), None),
            Hit::Never => (false, None),
            Hit::Fault => {
                let fault = self.batch.faults().first().map(|fault| fault.edge);
                (fault.is_some(), fault)
            }
        }
    }

    /// Takes a step from the state expanded last, `state`, which becomes the
    /// state behind it.
    pub(super) fn take(&self, state: &mut [Word], step: &Step) -> Next {
        let labels = self.labels.get(&step.edges).map_or(&[][..], Vec::as_slice);
        let fits = |edge: Edge| match self.joints[edge.label as usize] {
            false => labels.contains(&edge.label),
            true => self.space.step(state, edge) == *step,
        };
        let mut fitting = (0..self.batch.len()).filter(|i| fits(self.batch.edge(*i)));
        // While control is held there may be several ways on; where just this
        // one is not there any more, another will do.
        let same = |i: &usize| self.space.step(state, self.batch.edge(*i)) == *step;
        let found = match step.then.is_empty() {
            true => fitting.next(),
            false => fitting.clone().find(same).or_else(|| fitting.next()),
        };
        match found {
            None => Next::None,
            Some(found) => {
                let edge = self.batch.edge(found);
                state.copy_from_slice(self.batch.state(found));
                Next::State(edge)
            }
        }
    }

    /// Whether slicing has left nothing of a step.
    fn is_sliced_off(&self, step: &Step) -> bool {
        step.moves().flatten().all(|edge| self.kept.binary_search(edge).is_err())
    }

    /// Follows steps from the initial state to the first violation. Steps that
    /// slicing has dropped are left out; `None` where one of the others cannot
    /// be taken, or where there is no violation.
    pub(super) fn follow(&mut self, steps: &[Step]) -> Option<Followed> {
        let mut state = self.initial();
        let mut run = Followed { states: vec![state.clone()], ..Followed::default() };
        let mut steps = steps.iter().filter(|step| !step.edges.is_empty());
        loop {
            let (found, fault) = self.expand(&state);
            if found {
                run.fault = fault;
                return Some(run);
            }
            let step = steps.by_ref().find(|step| !self.is_sliced_off(step))?;
            match self.take(&mut state, step) {
                Next::None => return None,
                Next::State(edge) => {
                    run.edges.push(edge);
                    run.states.push(state.clone());
                }
            }
        }
    }

    /// The steps of the network that a run takes.
    pub(super) fn steps(&self, run: &Followed) -> Vec<Step> {
        let taken = run.states.iter().zip(run.edges.iter().chain(&run.fault));
        taken.map(|(state, edge)| self.space.step(state, *edge)).collect()
    }
}
