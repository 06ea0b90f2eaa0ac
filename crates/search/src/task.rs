//! What a search looks for, and what it found.

use homing_core::{Accesses, Fault, Price, Pricing, Progress, Space, StopReason, Watch};

use crate::path::{Lasso, Path};

/// What to look for in which space.
pub struct Task<'a> {
    /// The space.
    pub space: &'a dyn Space,
    /// The conditions of the space to look for, as a bit set. The search ends
    /// when every one of them, and what the flags below ask for, was found.
    pub conditions: u64,
    /// Whether to look for a state without any step.
    pub deadlock: bool,
    /// Whether to look for a step that fails.
    pub fault: bool,
    /// Whether to look for a run without an end that is accepted
    /// ([`Space::acceptance_sets`]). Only strategies that give
    /// [`Lassos`](homing_core::catalogue::Capability::Lassos) do.
    pub lasso: bool,
    /// Conditions whose states are only counted.
    pub count: u64,
    /// What steps cost; one each where nothing is said.
    pub pricing: Option<&'a dyn Pricing>,
    /// Asked where the limit on expansions is reached: whether to go on, with the limits
    /// raised. Searches that take turns ask.
    pub goes_on: Option<&'a dyn Fn(&mut Watch) -> bool>,
}

impl<'a> Task<'a> {
    /// Looks for nothing: explores everything and counts.
    pub fn explore(space: &'a dyn Space) -> Task<'a> {
        Task {
            space,
            conditions: 0,
            deadlock: false,
            fault: false,
            lasso: false,
            count: 0,
            pricing: None,
            goes_on: None,
        }
    }

    /// Whether a search that stopped for this reason goes on.
    pub(crate) fn goes_on(&self, stopped: StopReason, watch: &mut Watch) -> bool {
        stopped == StopReason::Expansions && self.goes_on.is_some_and(|goes_on| goes_on(watch))
    }

    /// What lies behind a limit of steps costs at least this much. What shows at
    /// expansion only was not seen of the last states before it.
    pub(crate) fn behind_limit(&self, depth: Option<u32>) -> Price {
        let seen = Price::from(!(self.deadlock || self.fault));
        match (depth, self.pricing) {
            (None, _) => Price::MAX,
            (Some(depth), None) => Price::from(depth) + seen,
            (Some(_), Some(_)) => 0,
        }
    }

    /// Whether it looks for anything. Only then parents are remembered.
    pub(crate) fn wants_anything(&self) -> bool {
        self.conditions != 0 || self.deadlock || self.fault || self.lasso
    }
}

/// One violation: the way to it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// From the initial state to the state found, or to the state whose step
    /// fails.
    pub path: Path,
    /// The step that fails, where that is what was found.
    pub fault: Option<Fault>,
}

impl Finding {
    /// The number of steps, the failing one included.
    pub fn length(&self) -> usize {
        self.path.len() + usize::from(self.fault.is_some())
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// For every condition, by its bit, the first state that satisfies it.
    pub conditions: Vec<Option<Finding>>,
    /// The first state without any step.
    pub deadlock: Option<Finding>,
    /// The first step that fails.
    pub fault: Option<Finding>,
    /// A run without an end that is accepted.
    pub lasso: Option<Lasso>,
    satisfied: u64,
}

impl Findings {
    /// Whether everything the task asks for was found, and it asked for
    /// something.
    pub fn complete(&self, task: &Task) -> bool {
        task.wants_anything()
            && task.conditions & !self.satisfied == 0
            && (!task.deadlock || self.deadlock.is_some())
            && (!task.fault || self.fault.is_some())
            && (!task.lasso || self.lasso.is_some())
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.satisfied == 0
            && self.deadlock.is_none()
            && self.fault.is_none()
            && self.lasso.is_none()
    }

    /// The conditions of the task not found yet.
    pub fn open_conditions(&self, task: &Task) -> u64 {
        task.conditions & !self.satisfied
    }

    /// Notes that a state satisfies `conditions`.
    pub fn found(&mut self, conditions: u64, path: &Path) {
        self.conditions.resize_with(64, || None);
        for bit in (0..64).filter(|bit| conditions >> bit & 1 == 1) {
            self.conditions[bit] = Some(Finding { path: path.clone(), fault: None });
        }
        self.satisfied |= conditions;
    }

    /// Adds what was found elsewhere, of what is not known yet. Says whether there is any.
    pub fn join(&mut self, others: &Findings) -> bool {
        let mut any = false;
        for (bit, other) in others.conditions.iter().enumerate() {
            if let Some(other) = other.as_ref().filter(|_| self.satisfied >> bit & 1 == 0) {
                self.found(1 << bit, &other.path);
                any = true;
            }
        }
        for (known, other) in
            [(&mut self.deadlock, &others.deadlock), (&mut self.fault, &others.fault)]
        {
            if known.is_none() && other.is_some() {
                known.clone_from(other);
                any = true;
            }
        }
        any
    }
}

/// What a search did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Counts as in progress reports; `bytes` is the highest seen. Of searches
    /// that forget states, `stored` is the most held at one time.
    pub progress: Progress,
    /// States without any step.
    pub deadlocks: u64,
    /// Steps that fail.
    pub faults: u64,
    /// States that an estimate proves to be without a way to the goal.
    pub dead_ends: u64,
    /// States that satisfy a condition of [`Task::count`].
    pub counted: u64,
    /// The greatest depth of an expanded state: of a breadth-first search, the
    /// number of its last level, the initial state being level 0.
    pub levels: u32,
    /// States of which an ample set was taken, by the proviso of the search.
    pub reduced: u64,
    /// What estimates took, in units of work ([`Heuristic::work`](homing_core::Heuristic::work)).
    pub estimated: u64,
    /// How often each open queue was used, of a search with several.
    pub queues: Option<Accesses>,
}

impl Statistics {
    /// Adds what the rounds before did; what describes a state of the search,
    /// not work, is that of the last.
    pub fn add(&mut self, before: &Statistics) {
        self.progress += before.progress;
        self.faults = self.faults.max(before.faults);
        self.dead_ends += before.dead_ends;
        self.reduced += before.reduced;
        // One estimate counts on through all rounds.
        self.estimated = self.estimated.max(before.estimated);
        self.levels = self.levels.max(before.levels);
    }
}

/// How a search ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What it found.
    pub findings: Findings,
    /// What it did.
    pub statistics: Statistics,
    /// Why it ended before every state was expanded; `None` where everything
    /// was looked at, or everything wanted was found.
    pub stopped: Option<StopReason>,
    /// Whether each trace found is a best one: shortest, or of least cost.
    pub optimal: bool,
    /// Proven: what was not found costs at least this much (in steps, or in
    /// the encoding of the cost algebra), and what was found too.
    pub at_least: Price,
    /// What the user should know.
    pub notices: Vec<String>,
}

impl Outcome {
    /// A search that could not even begin.
    pub fn stopped(reason: StopReason) -> Outcome {
        Outcome {
            findings: Findings::default(),
            statistics: Statistics::default(),
            stopped: Some(reason),
            optimal: false,
            at_least: 0,
            notices: Vec::new(),
        }
    }
}
