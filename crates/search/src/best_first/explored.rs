//! What searches over one visited set share: the states they stored, what they found,
//! and what is proven by it.

use homing_core::{Expander, Fault, Id, Limits, Open, Price, StopReason, Store, Watch};

use super::Rank;
use super::bound::Bound;
use super::closing::{Closing, Covering};
use super::handing::Handed;
use super::lead::{FIRST, Lead};
use super::promise::{Grounds, Kept, Promise};
use super::window::Window;
use crate::costs::Costs;
use crate::nodes::{Nodes, Origin};
use crate::proviso::Proviso;
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

/// The explored part of a space.
pub(crate) struct Explored<'a, S: ?Sized, C: Costs> {
    pub(super) task: &'a Task<'a>,
    pub(super) store: &'a mut S,
    pub(super) expander: Box<dyn Expander + 'a>,
    pub(super) nodes: Nodes,
    pub(super) costs: C,
    pub(super) closing: Closing<C::Value>,
    pub(super) covering: Covering,
    pub(super) bound: Bound,
    pub(super) promise: Promise,
    /// Where the space says that some successors are an ample set: which states were
    /// expanded, and how.
    pub(super) proviso: Option<Proviso>,
    pub(super) window: Window<C::Value>,
    pub(crate) findings: Findings,
    pub(crate) statistics: Statistics,
    /// The memory of searches that wait for their turn, in bytes.
    pub(crate) waiting: usize,
    /// The successors of states that others had expanded before.
    pub(crate) repeated: u64,
    /// Where shards took over: the states there, and what the estimates of all took.
    pub(super) handed: Option<Handed>,
}

impl<'a, S, C> Explored<'a, S, C>
where
    S: Store + ?Sized,
    C: Costs,
{
    /// Nothing is explored yet; a search that is led so will begin.
    pub(crate) fn new<O: Open>(
        task: &'a Task,
        store: &'a mut S,
        lead: &Lead<'_, '_, O>,
        limits: &Limits,
        costs: C,
    ) -> Self {
        let rank = lead.manner.rank;
        let (width, numbered) = (task.space.width(), store.keeps_states());
        let closing = Closing::new::<C>(rank, limits, numbered, lead.open.is_several());
        let reopens = closing.reopens();
        let admissible = lead.is_admissible();
        // A preference that prunes has reasons of its own for leaving out steps; what
        // lies within a bound is searched whole.
        let reduces = task.space.needs_proviso() && !lead.prunes() && limits.bound.is_none();
        // What was seen a moment ago is passed over; whether a bound left anything out must
        // not depend on that.
        let passes_over = rank == Rank::Depth && !lead.looks_again() && limits.bound.is_none();
        let grounds =
            Grounds { exact: store.is_exact(), preference: lead.preference.is_some(), admissible };
        Explored {
            expander: task.space.expander(),
            nodes: Nodes::new(&*store, width, task.wants_anything()),
            covering: Covering::new(rank, limits, task.wants_anything(), reopens),
            bound: Bound::new(limits, rank, admissible, reopens),
            promise: Promise::new(task, lead.manner, grounds),
            proviso: reduces.then(|| Proviso::new(numbered)),
            window: Window::new(width, passes_over),
            findings: Findings::default(),
            statistics: Statistics::default(),
            waiting: 0,
            repeated: 0,
            handed: None,
            task,
            store,
            costs,
            closing,
        }
    }

    /// The same from where other searches, in other orders, take part: a state waits in
    /// several open lists and is expanded by whichever search comes to it first. Only
    /// reachability counts from here on, and nothing is proven of costs beyond what was
    /// proven before. The search so far must have opened no state twice, and expanded
    /// those below `front`.
    pub(crate) fn shared(self, front: u32) -> Self {
        debug_assert!(!self.closing.reopens());
        self.store.disregard_costs();
        Explored {
            closing: Closing::shared(front),
            covering: Covering::Any,
            promise: self.promise.shared(),
            ..self
        }
    }

    /// Searches from the initial states on.
    pub(super) fn run<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        self.start(lead)?;
        self.look(lead, watch)?;
        self.go_on(lead, watch)
    }

    /// Goes on until everything is found or searched.
    pub(crate) fn go_on<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        self.go_while(lead, watch, |_, _| true)?;
        self.look(lead, watch).or(Ok(()))
    }

    /// Opens the initial states.
    pub(crate) fn start<O: Open>(&mut self, lead: &mut Lead<'_, '_, O>) -> Result<(), StopReason> {
        self.window.clear();
        self.expander.initial(&mut self.window.batch);
        self.store.prefetch(self.window.hash(0..self.window.batch.len(), lead.bit == 0));
        self.window.start(self.costs.one());
        self.visit_window(lead)
    }

    /// Goes on as long as something is left, and `more` says so.
    pub(crate) fn go_while<'l, 'g, O: Open>(
        &mut self,
        lead: &mut Lead<'l, 'g, O>,
        watch: &mut Watch,
        more: impl Fn(&Self, &Lead<'l, 'g, O>) -> bool,
    ) -> Result<(), StopReason> {
        while !self.findings.complete(self.task) && more(self, lead) && self.fill_window(lead) {
            self.visit_window(lead)?;
            if watch.due() || watch.limits().expansions.is_some() {
                self.look(lead, watch)?;
            }
        }
        Ok(())
    }

    /// Whether everything is found or, nothing waiting in `open`, searched.
    pub(crate) fn is_done(&self, open: &impl Open) -> bool {
        self.findings.complete(self.task) || open.is_empty()
    }

    /// Looks at the watch.
    pub(crate) fn look<O: Open>(
        &mut self,
        lead: &Lead<'_, '_, O>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = self.store.len() as u64;
        progress.frontier = lead.open.len() as u64;
        let bytes = self.bytes() + lead.bytes() + self.waiting;
        let progress = &mut self.statistics.progress;
        progress.bytes = progress.bytes.max(bytes);
        watch.check(progress)
    }

    /// The work of making successors, in units of what one takes where nothing is left out.
    pub(crate) fn work(&self) -> u64 {
        self.statistics.progress.generated + self.expander.work()
    }

    /// The memory of what is explored, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let proviso = self.proviso.as_ref().map_or(0, Proviso::bytes);
        self.store.bytes() + self.nodes.bytes() + self.closing.bytes() + proviso
    }

    /// What was left out at the user's request.
    pub(crate) fn left_out(&self) -> Option<StopReason> {
        self.bound.left_out()
    }

    /// What is looked for.
    pub(crate) fn task(&self) -> &'a Task<'a> {
        self.task
    }

    /// Lets a state that waits for others wait for this search too, unless it met it
    /// before. Answers whether it is a dead end.
    pub(crate) fn offer<O: Open>(&mut self, lead: &mut Lead<'_, '_, O>, entry: u32) -> bool {
        if !self.closing.meet(Id(entry), lead.bit) {
            return false;
        }
        let estimate = match &mut lead.estimate {
            None => Some(0),
            Some(estimate) => {
                let state = &mut self.window.source.state;
                self.store.load(Id(entry), state);
                estimate.of(state)
            }
        };
        let Some(estimate) = estimate else { return true };
        lead.open.push_again(entry, lead.key(&self.costs, self.costs.one(), estimate, FIRST));
        false
    }

    /// Notes that a state satisfies conditions.
    pub(super) fn found(&mut self, conditions: u64, origin: Origin) {
        let finding = self.finding(origin, None);
        self.findings.found(conditions, &finding.path);
    }

    pub(super) fn finding(&self, origin: Origin, fault: Option<Fault>) -> Finding {
        let width = self.window.batch.width();
        let mut expander = self.task.space.expander();
        let pricing = self.task.pricing;
        let path = self.nodes.path(&*self.store, origin, &mut *expander, width, pricing);
        // A way that cannot be found again is left empty; replaying it will
        // not confirm the finding.
        Finding { path: path.unwrap_or_default(), fault }
    }

    /// What was found apart, nothing costs less than this, as far as is proven so far.
    pub(crate) fn proven(&self) -> Price {
        self.kept().map_or(0, |kept| kept.at_least.min(self.bound.behind()))
    }

    fn kept(&self) -> Option<Kept> {
        let reduced = self.proviso.as_ref().is_some_and(|proviso| proviso.reduced > 0);
        self.promise.kept(reduced, self.bound.forgot())
    }

    /// What came of it, the search that was led so having ended.
    pub(crate) fn outcome<O: Open>(
        mut self,
        lead: &Lead<'_, '_, O>,
        stopped: Option<StopReason>,
    ) -> Outcome {
        let complete = self.findings.complete(self.task);
        let Handed { stored, estimated } =
            self.handed.unwrap_or(Handed { stored: self.store.len() as u64, estimated: 0 });
        self.statistics.progress.stored = stored;
        self.statistics.reduced = self.proviso.as_ref().map_or(0, |proviso| proviso.reduced);
        let stopped = match stopped {
            _ if complete => None,
            None => self.bound.left_out(),
            other => other,
        };
        let kept = self.kept();
        let optimal = kept.is_some_and(|kept| kept.optimal);
        let at_least = match (kept, stopped) {
            (None, _) => 0,
            (Some(_), None) if optimal && !complete || self.findings.is_empty() => Price::MAX,
            (Some(_), _) => self.proven(),
        };
        // What its estimates took before it was kept in a file counts as well.
        let estimated = self.statistics.estimated + lead.estimating() + estimated;
        let queues = lead.open.accesses();
        Outcome {
            statistics: Statistics { queues, estimated, ..self.statistics },
            findings: self.findings,
            stopped,
            optimal,
            at_least,
            notices: Vec::new(),
        }
    }
}
