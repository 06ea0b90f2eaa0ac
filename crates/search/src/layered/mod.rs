//! Layered search: breadth-first, most layers forgotten.
//!
//! Survey (Edelkamp et al. 2008), section 4 and Fig. 4; Korf, Zhang, Thayer,
//! Hohwald, "Frontier Search" (JACM 2005); Zhou, Hansen, "Breadth-First
//! Heuristic Search" (AIJ 2006).
//!
//! ```text
//! Succ := initial states
//! while Succ ≠ ∅:
//!   Closed(0) := Succ, Succ := ∅
//!   for every s in Closed(0), every successor t of s:
//!     if t is wanted: GeneratePath(t)
//!     unless t is in Closed(0..L − 1), in a relay layer, or g(t) + h(t) > U: add t to Succ
//!   Closed(k) := Closed(k − 1) for k = L − 1, …, 1
//! ```
//!
//! | search | L | U | layers |
//! |---|---|---|---|
//! | frontier search | given or measured | – | whole |
//! | breadth-first heuristic search | measured | rises from round to round | whole |
//! | beam-stack search | all | falls with every way found | slices, see `beam` |
//!
//! *Paths.* A state knows its ancestor in the last layer before it that is
//! kept, which knows its own in the one before. When something is found, all
//! layers may go but these few states. GeneratePath divides and conquers:
//! between two neighbours it searches again, in the same way, and gets states
//! closer to each other; two that are one step apart are joined by expanding
//! the first.
//!
//! Deviations: relay layers are several, and thinned with age (Zhou and Hansen
//! keep one, at a depth that needs a guess of the length); duplicates are looked
//! for in them, too, for the reasons in `window`. U need not be met exactly: the
//! first way found is a shortest one under any U that is large enough. Steps are
//! counted; other costs have no layers.

mod beam;
mod held;
mod pass;
mod wanted;
mod window;

use homing_core::{Batch, DEAD_END, Price, StopReason, Word};

use crate::path::Path;
use crate::strategy::Context;
use crate::task::{Finding, Findings, Outcome, Statistics, Task};
use pass::{Company, Found, Pass, What};
use wanted::Wanted;
pub(crate) use window::Keeping;

/// Passes over the layers for one task.
pub(crate) struct Layered<'a> {
    task: &'a Task<'a>,
    company: Company<'a>,
    findings: Findings,
    wanted: Wanted,
    admissible: bool,
    /// Whether the first way found is a shortest one.
    in_order: bool,
    /// No way that is still to be found is shorter.
    at_least: Price,
    notices: Vec<String>,
}

/// One round: a pass over all layers that matter to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub keeping: Keeping,
    /// U.
    pub bound: Option<Price>,
    /// What layers are limited to.
    pub width: Option<usize>,
}

/// How a round ended that was not stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// All was found.
    Found,
    /// All was searched, but for what the user left out.
    Searched(Option<StopReason>),
    /// States were pruned whose path and estimate add up to this at least.
    Pruned(Price),
}

impl<'a> Layered<'a> {
    pub(crate) fn new(run: Context<'a, '_>) -> Layered<'a> {
        let heuristic = run.guide.instance().heuristic;
        Layered {
            task: run.task,
            admissible: heuristic.as_ref().is_none_or(|heuristic| heuristic.claims().admissible),
            company: Company {
                heuristic,
                watch: run.watch,
                statistics: Statistics::default(),
                waiting_states: 0,
                waiting_bytes: 0,
            },
            findings: Findings::default(),
            wanted: Wanted::of(run.task),
            in_order: true,
            at_least: 0,
            notices: Vec::new(),
        }
    }

    /// The expansions so far.
    pub(crate) fn expanded(&self) -> u64 {
        self.company.statistics.progress.expanded
    }

    /// The least estimate of an initial state.
    pub(crate) fn first_estimate(&mut self) -> Price {
        let Some(heuristic) = &mut self.company.heuristic else { return 0 };
        let mut batch = Batch::new(self.task.space.width());
        self.task.space.expander().initial(&mut batch);
        let estimates = (0..batch.len()).map(|i| heuristic.estimate(batch.state(i), None));
        estimates.filter(|estimate| *estimate != DEAD_END).min().unwrap_or(0).into()
    }

    /// Goes through the layers.
    pub(crate) fn round(&mut self, round: Round) -> Result<End, StopReason> {
        let pass = Pass::new(self.task, round.keeping, self.wanted.clone(), 0);
        let mut pass = pass.bounded(round.bound).under(self.company.watch);
        if let Some(width) = round.width {
            self.in_order = false;
            pass = pass.narrow(width);
        }
        pass.start(&mut self.company)?;
        loop {
            let found = pass.go(&mut self.company);
            let depth = if round.width.is_none() { pass.depth() } else { 0 };
            let length = found.as_ref().map_or(None, |found| Some(found.as_ref()?.length));
            self.has_reached(depth, length);
            let Some(found) = found? else { break };
            self.wanted = pass.wanted.clone();
            let longest = self.wanted.longest();
            if round.width.is_none() && longest.is_some() {
                self.notice(&pass, round);
                // The layers are not needed any more, only what else was found.
                let rest = pass.into_found();
                self.generate_path(found, round.bound)?;
                rest.into_iter().try_for_each(|found| self.generate_path(found, round.bound))?;
                return Ok(End::Found);
            }
            (self.company.waiting_states, self.company.waiting_bytes) = pass.size();
            let joined = self.generate_path(found, round.bound);
            (self.company.waiting_states, self.company.waiting_bytes) = (0, 0);
            joined?;
            if let (Some(_), Some(longest)) = (round.width, longest) {
                // Only shorter ways are of interest from now on.
                let Some(bound) = longest.checked_sub(1) else { return Ok(End::Found) };
                pass.bound = Some(bound.into());
            }
        }
        self.notice(&pass, round);
        if let (Some(_), Some(longest)) = (round.width, self.wanted.longest()) {
            self.has_searched(longest.into());
            return Ok(End::Found);
        }
        Ok(match pass.pruned {
            Some(least) => End::Pruned(least),
            None => End::Searched(pass.beyond),
        })
    }

    /// Says where a locality that was given proved too small.
    fn notice(&mut self, pass: &Pass, round: Round) {
        let given = round.keeping.locality;
        if let Some(farthest) = pass.window.farthest
            && given > 0
            && round.width.is_none()
        {
            self.notices.push(format!(
                "a locality of {given} is too small here: states came back after up to {farthest} \
                 layers and were searched again"
            ));
        }
    }

    /// The layers before this one are searched: what is not found yet is
    /// further away. What was found just now may be in this one.
    fn has_reached(&mut self, depth: u32, found: Option<u32>) {
        // Of this layer itself, only what shows at generation was seen.
        let seen = u32::from(!(self.task.deadlock || self.task.fault));
        let least = found.map_or(depth + seen, |length| length.min(depth + seen));
        self.has_searched(least.into());
    }

    /// Nothing below this sum was found. Of what lies behind the limit of steps
    /// nobody knows.
    pub(crate) fn has_searched(&mut self, least: Price) {
        let least = least.min(self.task.behind_limit(self.company.watch.limits().depth));
        if self.admissible {
            self.at_least = self.at_least.max(least);
        }
    }

    /// GeneratePath: joins the states on the way by searching between them.
    fn generate_path(&mut self, found: Found, bound: Option<Price>) -> Result<(), StopReason> {
        let mut way = found.way;
        way.reverse();
        let mut path = match way.last() {
            Some((start, _)) => Path::starting_at(start),
            None => Path::default(),
        };
        let mut expander = self.task.space.expander();
        let mut batch = Batch::new(self.task.space.width());
        while let [.., (to, end), (from, start)] = &way[..] {
            if end - start > 1 {
                let between = self.between((from, *start), (to, *end), bound)?;
                if between.is_empty() {
                    // A way that cannot be found again is left empty; replaying
                    // it will not confirm the finding.
                    path = Path::default();
                    break;
                }
                way.truncate(way.len() - 2);
                way.extend(between.into_iter().rev());
                continue;
            }
            batch.clear();
            expander.expand(from, &mut batch);
            if let Some(step) = (0..batch.len()).find(|i| batch.state(*i) == &to[..]) {
                path.push(batch.edge(step), to);
            }
            way.pop();
        }
        match found.what {
            What::Goal(conditions) => self.findings.found(conditions, &path),
            What::Deadlock => self.findings.deadlock = Some(Finding { path, fault: None }),
            What::Fault(fault) => self.findings.fault = Some(Finding { path, fault: Some(fault) }),
        }
        Ok(())
    }

    /// States between two that are known to be connected, these included.
    fn between(
        &mut self,
        (from, start): (&[Word], u32),
        (to, end): (&[Word], u32),
        bound: Option<Price>,
    ) -> Result<Vec<(Vec<Word>, u32)>, StopReason> {
        // An estimate that looks at how a state was reached may judge it
        // otherwise now; then without.
        for bound in [bound, None] {
            let pass = Pass::new(self.task, Keeping::MEASURED, Wanted::state(to), start);
            let mut pass = pass.bounded(bound).up_to(end);
            pass.begin(from, &mut self.company)?;
            if let Some(found) = pass.go(&mut self.company)? {
                return Ok(found.way);
            }
        }
        Ok(Vec::new())
    }

    /// What came of it all.
    pub(crate) fn outcome(self, end: Result<End, StopReason>) -> Outcome {
        let complete = self.findings.complete(self.task);
        let stopped = match end {
            _ if complete => None,
            Ok(End::Found) => None,
            Ok(End::Searched(beyond)) => beyond,
            Ok(End::Pruned(_)) => Some(StopReason::Pruned),
            Err(reason) => Some(reason),
        };
        let searched = stopped.is_none() && !complete;
        let Company { heuristic, statistics, .. } = self.company;
        let estimated = heuristic.map_or(0, |heuristic| heuristic.work());
        Outcome {
            at_least: if searched { Price::MAX } else { self.at_least },
            findings: self.findings,
            statistics: Statistics { estimated, ..statistics },
            stopped,
            optimal: self.admissible && (self.in_order || end.is_ok()),
            notices: self.notices,
        }
    }
}
