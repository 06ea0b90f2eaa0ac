//! Which questions share a search.
//!
//! Deadlocks, run-time errors and assertions share one; goals share one where slicing
//! leaves the same system for them. A directed search has one target, so there each
//! question has a search of its own.

use homing_ir::flatten::Wanted;
use homing_ir::passes::{Kept, Passes};

use super::answer::{Answer, is_known};
use super::{Check, Questions};
use crate::question::{Hit, Question, Sought, asserts_in_effects, failed_step, own_expressions};
use crate::run::{Aim, UsageError, refused};

/// Questions that are looked for together.
pub(crate) struct Search {
    pub members: Vec<Member>,
    pub conditions: Vec<Wanted>,
    /// More conditions, whose values an estimate is made of.
    pub values: Vec<Wanted>,
    pub passes: Passes,
    pub aim: Aim,
    /// Whether assertions are asked for.
    pub asserts: bool,
    /// The condition that a step failed by an assertion, where nothing lies behind it.
    pub trap: Option<usize>,
    /// The first question.
    pub key: usize,
}

/// A question of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Member {
    /// Its position in the list of questions.
    pub index: usize,
    /// How the search tells that it was found.
    pub hit: Hit,
}

impl Search {
    fn new(passes: Passes) -> Search {
        let (members, conditions, values) = (Vec::new(), Vec::new(), Vec::new());
        let (aim, asserts, trap) = (Aim::default(), false, None);
        Search { members, conditions, values, passes, aim, asserts, trap, key: 0 }
    }

    /// Adds what a question looks for.
    fn add(&mut self, index: usize, sought: &Sought) {
        if self.members.is_empty() {
            self.key = index;
        }
        self.asserts |= sought.asserts;
        self.members.push(Member { index, hit: sought.hit(self.conditions.len()) });
        self.conditions.extend(sought.condition().cloned());
    }

    /// The conditions of what has no answer yet.
    pub(super) fn open(&self, results: &[Option<Answer>]) -> u64 {
        let open = self.members.iter().filter(|member| !is_known(&results[member.index]));
        open.filter_map(|member| member.hit.bit())
            .chain(self.trap)
            .fold(0, |all, bit| all | 1 << bit)
    }

    /// Whether some question is looked for so.
    pub(super) fn asks(&self, hit: Hit) -> bool {
        self.members.iter().any(|member| member.hit == hit)
    }
}

impl Check<'_> {
    /// Gathers the questions about states into searches.
    pub(super) fn gather(&self, questions: Questions) -> Result<Vec<Search>, UsageError> {
        if self.parts.strategy.is_directed() {
            return self.directed(questions);
        }
        let unsliced = Passes { slice: false, ..self.passes };
        let mut general = Search::new(unsliced);
        let mut goals: Vec<(Search, Kept)> = Vec::new();
        let is_goal = |(_, sought): &_| Sought::condition(sought).is_some() && sought.slice;
        let (sliced, others): (Vec<_>, Vec<_>) =
            self.sought(questions).into_iter().partition(is_goal);
        others.iter().for_each(|(index, sought)| general.add(*index, sought));
        for ((index, sought), kept) in sliced.iter().zip(self.kept(&sliced)?) {
            self.add_goal(&mut goals, *index, sought, kept);
        }
        // Steps that fail by an assertion are none of the errors, but may cut something off.
        if asserts_in_effects(&self.model.network) && !self.model.language.goes_on {
            general.trap = Some(general.conditions.len());
            general.conditions.push(failed_step());
        }
        let mut searches: Vec<Search> = goals.into_iter().map(|(search, _)| search).collect();
        if !general.members.is_empty() {
            searches.push(general);
        }
        Ok(searches)
    }

    /// What is sought by the questions about states, with their positions.
    fn sought(&self, questions: Questions) -> Vec<(usize, Sought)> {
        let network = &self.model.network;
        let decided = |question: &dyn Question| self.undecided(question).is_none();
        let questions = questions.iter().enumerate().filter(|(_, one)| decided(&***one));
        let needs = questions.map(|(index, question)| (index, question.need(network)));
        needs.filter_map(|(index, need)| Some((index, need.into_sought()?))).collect()
    }

    /// A directed search has one target.
    fn directed(&self, questions: Questions) -> Result<Vec<Search>, UsageError> {
        let expressions = own_expressions(self.model, &self.parts.expressions)?;
        let mut searches = Vec::new();
        for (index, sought) in self.sought(questions) {
            let target = match sought.hit(0) {
                // There is nothing to look for.
                Hit::Never => continue,
                hit => hit.target().ok_or_else(|| {
                    UsageError::Sentence(format!(
                        "the strategy is directed at a goal, and there is none for `{}`: {}",
                        questions[index].name(),
                        questions[index].undirected()
                    ))
                })?,
            };
            let slice = sought.slice && self.passes.slice;
            let mut search = Search::new(Passes { slice, ..self.passes });
            search.add(index, &sought);
            let first = search.conditions.len();
            let texts = self.parts.expressions.iter().enumerate();
            search.aim.expressions = texts.map(|(i, text)| (text.clone(), first + i)).collect();
            search.aim.target = Some(target);
            search.values.clone_from(&expressions);
            searches.push(search);
        }
        Ok(searches)
    }

    /// Adds a goal to the search whose sliced system is the same, or to one of
    /// its own.
    fn add_goal(&self, goals: &mut Vec<(Search, Kept)>, index: usize, sought: &Sought, kept: Kept) {
        let same =
            goals.iter_mut().find(|(search, known)| *known == kept && search.conditions.len() < 64);
        match same {
            Some((search, _)) => search.add(index, sought),
            None => {
                let mut search = Search::new(self.passes);
                search.add(index, sought);
                goals.push((search, kept));
            }
        }
    }

    /// What slicing leaves for each of the goals.
    fn kept(&self, goals: &[(usize, Sought)]) -> Result<Vec<Kept>, UsageError> {
        // What shares its search with no other need not be flattened for that.
        if goals.len() < 2 || !self.passes.slice {
            return Ok(vec![Kept::new(); goals.len()]);
        }
        let wanted: Vec<Wanted> =
            goals.iter().filter_map(|(_, sought)| sought.condition().cloned()).collect();
        let system = homing_ir::flatten(self.quiet(), &wanted).map_err(|diagnostics| {
            refused(self.model, homing_space::SpaceError::Refused(diagnostics))
        })?;
        Ok(homing_ir::passes::kept(&system))
    }
}
