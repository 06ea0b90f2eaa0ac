//! What the planner did in one search, recorded as it happens.

use std::time::Duration;

use homing_report::planned::{
    GuideState, PlannedFinding, PlannedGuide, PlannedImprovement, PlannedSearch, PlannedTurn,
    Searcher,
};
use homing_search::alternating::{Shares, Sought};
use homing_search::turns::{Log, Turn, Who};
use homing_search::{Findings, Outcome};

use crate::question::Hit;

/// What the planner did in one search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    guides: Vec<Tried>,
    shares: Option<Shares>,
    zones: bool,
    log: Log,
    /// What was found in turns, as it was found.
    findings: Vec<(Hit, u64)>,
    /// The search for a shorter trace after them.
    pub improved: Option<PlannedImprovement>,
}

/// A guide that may be made, and what became of it.
#[derive(Clone, Debug)]
struct Tried {
    strategy: &'static str,
    at: Sought,
    /// How long making it took, and its number; or why that failed.
    made: Option<(Duration, Result<usize, String>)>,
}

impl Tried {
    /// Its number, from 0 in the order in which they are made.
    fn number(&self) -> Option<usize> {
        self.made.as_ref().and_then(|(_, made)| made.as_ref().ok().copied())
    }

    fn is_made(&self) -> bool {
        self.number().is_some()
    }
}

impl Record {
    /// The guides that may be made, one after the other.
    pub(crate) fn plans(
        &mut self,
        guides: impl Iterator<Item = (&'static str, Sought)>,
        shares: Shares,
        zones: bool,
    ) {
        self.guides = guides.map(|(strategy, at)| Tried { strategy, at, made: None }).collect();
        (self.shares, self.zones) = (Some(shares), zones);
    }

    /// Whether such a guide was made.
    pub(crate) fn has(&self, strategy: &str, at: Sought) -> bool {
        let is_it = |one: &Tried| one.strategy == strategy && one.at == at;
        self.guides.iter().any(|one| is_it(one) && one.is_made())
    }

    /// Whether any guide was made.
    pub(crate) fn has_any(&self) -> bool {
        self.guides.iter().any(Tried::is_made)
    }

    /// The first of them that waits was made, or could not be for this reason.
    pub(crate) fn tried(
        &mut self,
        (strategy, at): (&str, Sought),
        took: Duration,
        error: Option<&String>,
    ) {
        let is_it =
            |one: &&mut Tried| one.made.is_none() && one.strategy == strategy && one.at == at;
        let number = self.guides.iter().filter(|one| one.is_made()).count();
        if let Some(one) = self.guides.iter_mut().find(is_it) {
            one.made = Some((took, error.cloned().map_or(Ok(number), Err)));
        }
    }

    /// The searches have taken their turns. Answers with what came of it, what estimates
    /// took included.
    pub(crate) fn took_turns(&mut self, log: Log, mut outcome: Outcome) -> Outcome {
        outcome.statistics.estimated = log.estimating();
        self.findings = found(&outcome.findings).collect();
        self.log = log;
        outcome
    }

    /// Whether an estimate proved that there is nothing to find.
    pub(crate) fn refuted(&self) -> bool {
        self.log.refuted()
    }

    /// What is told of it; `name` says what the user calls something that is looked for.
    pub(crate) fn told(&self, name: &dyn Fn(Hit) -> String) -> PlannedSearch {
        PlannedSearch {
            shared: !self.zones,
            guides: self.guides(name),
            turns: self.log.turns().iter().map(|turn| self.turn(turn, name)).collect(),
            improved: self.improved.clone(),
            ..PlannedSearch::default()
        }
    }

    /// The guides in the order in which they were made, then those that were not.
    fn guides(&self, name: &dyn Fn(Hit) -> String) -> Vec<PlannedGuide> {
        let mut guides: Vec<&Tried> = self.guides.iter().collect();
        guides.sort_by_key(|one| one.number().unwrap_or(usize::MAX));
        let told = |guide: &Tried| {
            let number = guide.number();
            let (state, why) = match &guide.made {
                None => (GuideState::Waiting, String::new()),
                Some((_, Err(error))) => (GuideState::Refused, error.clone()),
                Some((_, Ok(number))) => (GuideState::Made, self.why(*number)),
            };
            PlannedGuide {
                number: number.map(|number| number as u64 + 1),
                strategy: guide.strategy.into(),
                property: hits(guide.at).map(name).collect::<Vec<_>>().join(", "),
                state,
                why,
                made_at: number.and_then(|number| self.log.guides().get(number).copied()),
                seconds: guide.made.as_ref().map_or(0.0, |(took, _)| took.as_secs_f64()),
            }
        };
        guides.into_iter().map(told).collect()
    }

    /// Why the guide of this number was made when it was.
    fn why(&self, number: usize) -> String {
        let probe = self.shares.map_or(0, |shares| shares.probe);
        let at = self.log.guides().get(number).copied().unwrap_or(0);
        let is_earlier = |one: &&Tried| one.number().is_some_and(|other| other < number);
        let mut earlier = self.guides.iter().filter(is_earlier);
        let found = |one: &Tried| {
            let met = |turn: &Turn| turn.began_at < at && turn.found.meets(one.at);
            self.log.turns().iter().any(met)
        };
        match number {
            _ if at == 0 => "made at once".into(),
            0 => format!("{probe} expansions breadth-first did not end the search"),
            _ if earlier.all(found) => "what the guides before led to was found".into(),
            _ => "enough was done since the last that another costs little beside it".into(),
        }
    }

    fn turn(&self, turn: &Turn, name: &dyn Fn(Hit) -> String) -> PlannedTurn {
        let (search, guide) = match turn.who {
            Who::Probe => (Searcher::Probe, None),
            Who::Guide(number) => (Searcher::Guide, Some(number as u64 + 1)),
            Who::Dive => (Searcher::Dive, None),
            Who::Blind => (Searcher::Blind, None),
        };
        let found = hits(turn.found).map(|hit| {
            let known = self.findings.iter().find(|(of, _)| *of == hit);
            PlannedFinding { property: name(hit), length: known.map_or(0, |(_, length)| *length) }
        });
        PlannedTurn {
            search,
            guide,
            turns: turn.turns,
            began_at: turn.began_at,
            took: turn.took,
            expanded: turn.expanded,
            least: turn.least,
            found: found.collect(),
            at_least: turn.at_least,
        }
    }
}

/// What is meant, one by one.
fn hits(sought: Sought) -> impl Iterator<Item = Hit> {
    let Sought { conditions, deadlock, fault } = sought;
    let bits = (0..64).filter(move |bit| conditions >> bit & 1 == 1).map(Hit::Condition);
    let deadlock = deadlock.then_some(Hit::Deadlock);
    bits.chain(deadlock).chain(fault.then_some(Hit::Fault))
}

/// What was found, with the steps to it.
fn found(findings: &Findings) -> impl Iterator<Item = (Hit, u64)> {
    let bits = (0..findings.conditions.len()).map(Hit::Condition);
    let all = bits.chain([Hit::Deadlock, Hit::Fault]);
    all.filter_map(|hit| Some((hit, hit.of(findings)?.length() as u64)))
}
