//! What the planner leaves out by itself, so that there is less to search.
//!
//! The first turn of every search looks at everything, so that small models are answered
//! with shortest traces and whole counts. A search that does not end there is made
//! lighter, unless the user says otherwise:
//!
//! ```text
//! goals                an estimate is asked about the initial state: perhaps there is no way
//! states               one for all that differ in which of some processes is where, if
//!                      these are at least WORTH arrangements
//! states and runs      else, interleavings are left out (stubborn sets): if a sample of
//!                      the space shows that it pays, and as long as it does
//! ```
//! Traces that are found so are made shorter by searches that leave nothing out, and only
//! these call one shortest.

use std::collections::{HashSet, VecDeque};

use homing_budget::attempt_part;
use homing_core::catalogue::Job;
use homing_core::{Batch, Space, Word};
use homing_guide::Target;
use homing_search::{Plan, Task};
use homing_space::CompiledSpace;
use homing_space::reduction::{Asked, Reduced, Reduction};

use super::answer::{Answer, is_known};
use super::gather::{Member, Search};
use super::{Check, Questions};
use crate::options::{UseReduction, UseSymmetry};
use crate::planner::{made, strategies};
use crate::run::{Aim, Ran, UsageError};
use crate::searched::Searched;

/// Expansions of the sample.
const SAMPLE: usize = 2_000;

/// Its work, at most, in successors.
const SAMPLE_WORK: u64 = 100_000;

/// Of so many expansions one at least must leave something out.
const PAYS: u64 = 8;

/// Of the time that is left, looking for something to leave out may take one of so many
/// parts.
const PARTS: u32 = 10;

impl Check<'_> {
    /// Whether the planner may leave out something at all.
    pub(super) fn may_leave_out(&self) -> bool {
        let Check { options, parts, .. } = self;
        let limits = &options.limits;
        let asked =
            options.reduction == UseReduction::Auto || options.symmetry == UseSymmetry::Auto;
        asked
            && matches!(parts.strategy.plan, Plan::Auto(_))
            && parts.keeps_exact_states()
            && self.minimise.is_none()
            && options.different <= 1
            && limits.depth.is_none()
            && limits.bound.is_none()
    }

    /// Whether this is a turn in which it does.
    fn leaves_out(&self) -> bool {
        self.turn.number > 0 && self.probes == 0 && self.may_leave_out()
    }

    /// Makes a search for states lighter, or as the user says.
    pub(super) fn lighten<'s>(
        &mut self,
        key: usize,
        mut searched: Searched<'s>,
        asked: Asked,
    ) -> Result<Searched<'s>, UsageError> {
        let (options, model) = (self.options, self.model);
        let symmetric = match options.symmetry {
            UseSymmetry::Always => true,
            UseSymmetry::Never => false,
            UseSymmetry::Auto => self.finds_symmetry(key, &searched),
        };
        if symmetric {
            searched = searched.symmetric(model, &self.parts);
        }
        let reduction = match searched.is_symmetric() {
            true => options.reduction.asked(),
            false => self.reduction(key, searched.discrete, asked),
        };
        let whole = !searched.is_symmetric() && reduction.is_none();
        searched.reduce(reduction, asked, &self.parts)?;
        if whole && self.turn.alone && self.leaves_out() {
            // There is nothing to leave out of a longer turn, so this is the last.
            self.runner.end_turn();
        }
        Ok(searched)
    }

    /// Whether a search that its first turn has ended goes on in it, instead of being begun
    /// anew and lighter: it is the only one, there is nothing to leave out, and no goal
    /// beside others that an estimate might prove to be out of reach.
    pub(super) fn goes_on(&self, search: &Search, searched: &Searched, asked: Asked) -> bool {
        let lone = search.members.len() == 1 || search.conditions.is_empty();
        let first = self.turn.alone && self.turn.number == 0 && self.probes == 0;
        lone && first && !self.may_be_symmetric(searched) && !self.pays(searched.discrete, asked)
    }

    /// Whether symmetry is worth its while, where the planner may look for it.
    fn may_be_symmetric(&self, searched: &Searched) -> bool {
        let look = || searched.is_worth_symmetry(&self.parts);
        self.options.symmetry == UseSymmetry::Auto
            && !matches!(self.options.reduction, UseReduction::By(_))
            && attempt_part("looking for symmetry", PARTS, look).unwrap_or(false)
    }

    /// Whether a reduction pays, where the planner may try it.
    fn pays(&self, space: &CompiledSpace, asked: Asked) -> bool {
        let reduced = || Reduced::new(space, Reduction::Stubborn, asked);
        let tried = || reduced().is_ok_and(|reduced| pays(space, &reduced));
        self.options.reduction == UseReduction::Auto
            && self.options.symmetry != UseSymmetry::Always
            && attempt_part("trying a reduction", PARTS, tried).unwrap_or(false)
    }

    /// Whether symmetry is worth its while. What was not found once is not looked for
    /// again.
    fn finds_symmetry(&mut self, key: usize, searched: &Searched) -> bool {
        if !self.leaves_out() || self.asymmetric.contains(&key) {
            return false;
        }
        let found = self.may_be_symmetric(searched);
        self.asymmetric.extend((!found).then_some(key));
        found
    }

    /// The reduction that is used for what is asked.
    pub(super) fn reduction(
        &mut self,
        key: usize,
        space: &CompiledSpace,
        asked: Asked,
    ) -> Option<Reduction> {
        match self.options.reduction {
            UseReduction::By(reduction) => Some(reduction),
            UseReduction::Never => None,
            UseReduction::Auto => {
                if !self.leaves_out() || self.unreduced.contains(&key) {
                    return None;
                }
                let found = self.pays(space, asked);
                self.unreduced.extend((!found).then_some(key));
                found.then_some(Reduction::Stubborn)
            }
        }
    }

    /// Gives up a reduction that the planner chose, where a turn showed that it leaves
    /// out next to nothing.
    pub(super) fn give_up_reduction(&mut self, key: usize, ran: &Ran) {
        let statistics = &ran.outcome.statistics;
        let little = |left_out: u64| left_out * PAYS < statistics.progress.expanded;
        if self.options.reduction == UseReduction::Auto && ran.reduced.is_some_and(little) {
            self.unreduced.push(key);
        }
    }

    /// Answers for goals that an estimate proves to be out of reach. Says whether nothing
    /// else is looked for.
    pub(super) fn proven(
        &mut self,
        search: &Search,
        questions: Questions,
        searched: &Searched,
        results: &mut [Option<Answer>],
    ) -> Result<bool, UsageError> {
        for Member { index, hit } in &search.members {
            let question = &*questions[*index];
            let goal = question.need(&self.model.network).into_sought().is_some_and(|it| it.slice);
            // No estimate knows where a goal cannot be evaluated.
            let evaluated = |bit: &usize| !searched.discrete.may_be_unevaluated(*bit);
            let bit = hit.bit().filter(|_| goal).filter(evaluated);
            let Some(ran) = bit.and_then(|bit| self.proof(search, bit, searched)) else { continue };
            let statistics = self.account(&ran);
            let outcome = self.not_found(question, &ran, statistics, None);
            results[*index] = Some(Answer::of(self.unless_vacuous(question, outcome)?));
            self.estimated.push(*index);
        }
        Ok(search.members.iter().all(|member| is_known(&results[member.index])))
    }

    /// The search that proves a goal to be out of reach, if an estimate of the initial
    /// state does.
    fn proof(&self, search: &Search, bit: usize, searched: &Searched) -> Option<Ran> {
        // One goal alone its own search asks about, by each guide that it makes.
        let lone = search.members.len() == 1;
        if self.turn.number != 1 || self.probes > 0 || lone {
            return None;
        }
        if !matches!(self.parts.strategy.plan, Plan::Auto(_)) || self.minimise.is_some() {
            return None;
        }
        let target = Some(Target::Condition(bit));
        let aim = Aim { target, ..search.aim.clone() };
        let task = Task { conditions: 1 << bit, ..Task::explore(searched.space()) };
        strategies(Job::Refute).iter().find_map(|prover| {
            let strategy = made(prover, self.parts.seed())?;
            let store = self.parts.store();
            let prove =
                || self.runner.round(&strategy, store, searched.discrete, &task, &aim, Some(1));
            let ran = attempt_part("asking an estimate", PARTS, prove).ok()?.ok()?;
            ran.proved.then_some(ran)
        })
    }
}

/// Whether a reduction leaves out enough successors in a sample of the space, breadth
/// first. What a search takes all the same, by its proviso, is not seen here.
fn pays(space: &CompiledSpace, reduced: &Reduced) -> bool {
    let (mut all, mut some) = (space.expander(), reduced.expander());
    let (mut every, mut batch) = (Batch::new(space.width()), Batch::new(space.width()));
    let mut seen: HashSet<Box<[Word]>> = HashSet::new();
    let mut open: VecDeque<Box<[Word]>> = VecDeque::new();
    let (mut successors, mut taken) = (0, 0);
    all.initial(&mut batch);
    for _ in 0..SAMPLE {
        let enough = batch.ample().unwrap_or(batch.len());
        for state in (0..enough).map(|i| batch.state(i)) {
            if seen.insert(state.into()) {
                open.push_back(state.into());
            }
        }
        let Some(state) = open.pop_front().filter(|_| some.work() < SAMPLE_WORK) else { break };
        every.clear();
        all.expand(&state, &mut every);
        batch.clear();
        some.expand(&state, &mut batch);
        successors += every.len() as u64;
        taken += batch.ample().unwrap_or(batch.len()) as u64;
    }
    (successors - taken) * PAYS >= successors && successors > taken
}
