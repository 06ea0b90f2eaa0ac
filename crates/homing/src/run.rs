//! What check and stats share: options, the choice of parts, one search.

mod configuration;
mod doubt;
mod guides;
mod race;
mod turn;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use homing_budget::{Budget, Stopped, finishing, heap};
use homing_core::expression::Call;
use homing_core::{Cost, Crew, Limits, Progress, Space, StopReason, Store, Watch};
use homing_guide::{Grounds, Stages, Target};
use homing_ir::network::EdgeRef;
use homing_ir::{Diagnostic, Sources};
use homing_report::outcome::{First, PropertyOutcome};
use homing_search::{Context, Outcome, Plan, Strategy, Task};
use homing_space::reduction::Reduced;
use homing_space::{CompiledSpace, Remembering, Restricted, Restriction, SpaceError};
use homing_store::{Making, StoreConfig};

pub(crate) use self::configuration::{Configuration, parse};
pub(crate) use self::guides::TABLES;
pub(crate) use self::race::Raced;
use self::turn::Turn;
use crate::elsewhere::Elsewhere;
use crate::load::{self, Model};
use crate::record::Record;
use crate::searched::Searched;

/// What is told of a run's progress, and who tells.
pub(crate) type Report = Box<dyn FnMut(&Progress, Duration) + Send>;

/// Who is told of what was found first, while it is made shorter.
pub(crate) type Tell = Arc<dyn Fn(&First) + Send + Sync>;

/// How a run talks to whoever started it.
#[derive(Default)]
pub struct Hooks {
    /// What the run may spend. Limits among the options that it does not have are set.
    /// When it is spent, or cancelled, what was learned until then is reported.
    pub budget: Budget,
    /// Told of progress, many times a second.
    pub progress: Option<Report>,
    /// Where to write what is known so far, for whoever has to tell before the run does.
    pub board: Board,
    /// Told of what was found first, while it is made shorter.
    pub found: Option<Tell>,
}

/// What is known so far of the properties that are being checked.
#[derive(Clone, Default, Debug)]
pub struct Board(Arc<Mutex<Vec<PropertyOutcome>>>);

impl Board {
    /// Writes it anew.
    pub fn write(&self, known: Vec<PropertyOutcome>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// What it says. An unknown verdict without a reason is still being looked for.
    pub fn read(&self) -> Vec<PropertyOutcome> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What is wrong with the options.
#[derive(Clone, Debug)]
pub enum UsageError {
    /// A sentence.
    Sentence(String),
    /// Diagnostics, in a goal or in a model that uses what cannot be checked.
    Diagnostics {
        /// The texts they point into.
        sources: Sources,
        /// What is wrong.
        diagnostics: Vec<Diagnostic>,
    },
    /// A process could not start because the model has room for too few of
    /// this type: read it again ([`Model::with_more`](crate::Model)).
    More(u32),
    /// homing itself failed: a result it cannot stand by. Not the user's
    /// fault.
    Internal(String),
    /// A limit was met before there was anything to tell: which one, and where.
    Stopped(String),
}

impl From<Stopped> for UsageError {
    fn from(stopped: Stopped) -> UsageError {
        UsageError::Stopped(cut(stopped))
    }
}

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            UsageError::Sentence(sentence)
            | UsageError::Internal(sentence)
            | UsageError::Stopped(sentence) => f.write_str(sentence),
            UsageError::More(_) => f.write_str("there is room for too few processes"),
            UsageError::Diagnostics { diagnostics, .. } => f.write_str(load::first(diagnostics)),
        }
    }
}

impl std::error::Error for UsageError {}

/// Runs searches one after the other under common limits.
pub(crate) struct Runner {
    budget: Budget,
    cancel: Arc<AtomicBool>,
    progress: Arc<Mutex<Option<Report>>>,
    found: Option<Tell>,
    limits: Limits,
    /// The memory that all searches at the same time may take.
    memory: Option<usize>,
    crew: Crew,
    start: Instant,
    turn: Cell<Turn>,
    /// Ground forms that were made for one search or another.
    grounds: Rc<Grounds>,
    /// Where searches last, if they outlast the process.
    elsewhere: Option<Rc<Elsewhere>>,
}

/// What one search did, with what its store says of it.
pub(crate) struct Ran {
    pub outcome: Outcome,
    pub seconds: f64,
    /// For stores that may miss states: the share expected to be seen.
    pub coverage: Option<f64>,
    pub store_bytes: usize,
    /// Whether the estimate alone proves that there is nothing to find.
    pub proved: bool,
    /// What the user should know.
    pub notices: Vec<String>,
    /// What was done, one after the other, where a plan was made.
    pub phases: Vec<String>,
    /// Where interleavings were left out: of how many states.
    pub reduced: Option<u64>,
    /// What was found before anything was made shorter, where a plan was made.
    pub first: Option<First>,
    /// What was done in detail, where a plan was made.
    pub record: Option<Record>,
}

/// What guides of one run share while they are made.
#[derive(Default)]
pub(crate) struct Shared {
    /// What the user should know.
    pub notices: RefCell<Vec<String>>,
    /// Whether to be quick about making more.
    pub hasty: Cell<bool>,
}

/// What the rounds before the last one took.
#[derive(Default)]
pub(crate) struct Before {
    progress: Progress,
    estimated: u64,
    seconds: f64,
    notices: Vec<String>,
}

impl Before {
    pub(crate) fn add(&mut self, strategy: &Strategy, ran: &Ran) {
        self.progress += ran.outcome.statistics.progress;
        self.estimated += ran.outcome.statistics.estimated;
        self.seconds += ran.seconds;
        self.notices.extend(ran.notices.iter().cloned());
        if let Some(estimate) = &strategy.estimate {
            let expanded = ran.outcome.statistics.progress.expanded;
            self.notices.push(format!("`{estimate}` found nothing in {expanded} expansions"));
        }
    }

    pub(crate) fn expanded(&self) -> u64 {
        self.progress.expanded
    }

    /// The last round, with what the others took.
    pub(crate) fn and(mut self, mut ran: Ran) -> Ran {
        ran.outcome.statistics.estimated += self.estimated;
        ran.outcome.statistics.progress += self.progress;
        ran.seconds += self.seconds;
        self.notices.append(&mut ran.notices);
        ran.notices = self.notices;
        ran
    }
}

/// What a search is directed at: the target, and the conditions that have the
/// values of the user's own expressions.
#[derive(Clone, Default)]
pub(crate) struct Aim {
    pub target: Option<Target<'static>>,
    pub expressions: Vec<(String, usize)>,
    /// What steps cost at least, by label; one each where nothing is said.
    pub costs: Option<Vec<Cost>>,
    /// The classes of steps, by label, where states are told apart by the class
    /// of the step they were reached by.
    pub classes: Option<Vec<u32>>,
    /// What of the space is left out.
    pub restriction: Option<Restriction>,
    /// Whether successors are representatives, not what steps lead to.
    pub representatives: bool,
    /// What the automaton of a product waits for.
    pub stages: Option<Stages>,
}

impl Runner {
    pub(crate) fn new(hooks: Hooks, limits: Limits) -> Runner {
        let Hooks { budget, progress, found, .. } = hooks;
        budget.limit(limits.time, limits.memory);
        let time = [limits.time, budget.left()].into_iter().flatten().min();
        let limits = Limits { time, ..limits };
        let (cancel, progress) = (Arc::default(), Arc::new(Mutex::new(progress)));
        let (start, turn, grounds) = (Instant::now(), Cell::default(), Rc::default());
        let (memory, crew, elsewhere) = (limits.memory, Crew::default(), None);
        Runner {
            budget,
            cancel,
            progress,
            found,
            limits,
            memory,
            crew,
            start,
            turn,
            grounds,
            elsewhere,
        }
    }

    /// With so many threads.
    pub(crate) fn with_crew(self, crew: Crew) -> Runner {
        Runner { crew, ..self }
    }

    /// Who searches.
    pub(crate) fn crew(&self) -> Crew {
        self.crew
    }

    /// The same, with searches that last.
    pub(crate) fn on(self, elsewhere: Option<Rc<Elsewhere>>) -> Runner {
        Runner { elsewhere, ..self }
    }

    /// Removes what would last, unless there is something to go on with. That depends on
    /// what went wrong, if anything did.
    pub(crate) fn leave(&self, wrong: Option<&UsageError>) -> Result<(), UsageError> {
        self.elsewhere.as_ref().map_or(Ok(()), |elsewhere| elsewhere.end(wrong))
    }

    /// How to go on with a search that was stopped, if it can be.
    pub(crate) fn how_to_go_on(&self) -> Option<String> {
        self.elsewhere.as_ref()?.how_to_go_on()
    }

    /// Whether searches outlast the process.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.elsewhere.is_some()
    }

    /// Runs for the same user, of what is left of the limits, for paths up to
    /// this bound and for at most so many expansions.
    pub(crate) fn bounded(&self, bound: Option<u64>, expansions: Option<u64>) -> Runner {
        let time = self.time_left();
        let expansions = expansions.or(self.limits.expansions);
        let limits = Limits { bound, time, expansions, ..self.limits.clone() };
        let (cancel, progress) = (Arc::clone(&self.cancel), Arc::clone(&self.progress));
        let (budget, found) = (self.budget.clone(), self.found.clone());
        let (start, turn) = (Instant::now(), Cell::default());
        let (grounds, elsewhere, crew) =
            (Rc::clone(&self.grounds), self.elsewhere.clone(), self.crew);
        let memory = self.memory;
        Runner {
            budget,
            cancel,
            progress,
            found,
            limits,
            memory,
            crew,
            start,
            turn,
            grounds,
            elsewhere,
        }
    }

    /// Ends searches of this space as soon as the model turns out to have room
    /// for too few processes.
    pub(crate) fn guard(&self, model: &Model, space: &CompiledSpace) {
        let network = &model.network;
        let processes = network.system_processes();
        let mut edges = processes.flat_map(|(process, found)| {
            (0..found.edges.len()).map(move |edge| EdgeRef {
                process,
                edge: edge as u32,
                branch: 0,
            })
        });
        if edges.any(|edge| (model.language.missing)(network, edge).is_some()) {
            space.on_unstarted(&self.cancel);
        }
    }

    /// An error where a search of this space was ended so.
    pub(crate) fn enough(&self, model: &Model, space: &CompiledSpace) -> Result<(), UsageError> {
        let Some(step) = space.unstarted() else { return Ok(()) };
        let last = step.then.last().unwrap_or(&step.edges);
        let mut kinds = last.iter().map(|edge| (model.language.missing)(&model.network, *edge));
        match kinds.find_map(|kind| kind) {
            Some(kind) => {
                self.cancel.store(false, Ordering::Relaxed);
                Err(UsageError::More(kind))
            }
            None => Ok(()),
        }
    }

    /// Tells of what was found first.
    pub(crate) fn tell(&self, first: &First) {
        if let Some(tell) = &self.found {
            tell(first);
        }
    }

    /// The time since the run began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// What the run may spend.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The limits.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A watch over what is left of the limits.
    pub(crate) fn watch(&self, expansions: Option<u64>) -> Watch {
        let mut limits = self.limits.clone();
        limits.expansions = expansions.or(self.most_expansions());
        limits.time = self.time_left();
        limits.memory = self.memory;
        let watch = Watch::new(limits)
            .with_budget(self.budget.clone())
            .with_crew(self.crew)
            .with_cancel(Arc::clone(&self.cancel));
        let progress = Arc::clone(&self.progress);
        if progress.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            return watch;
        }
        watch.with_report(move |now, elapsed| {
            if let Some(report) = &mut *progress.lock().unwrap_or_else(PoisonError::into_inner) {
                report(now, elapsed);
            }
        })
    }

    /// Runs one search; of a strategy that refines its estimate, one a round.
    pub(crate) fn run(
        &self,
        parts: &Configuration,
        searched: &Searched,
        task: &Task,
        aim: &Aim,
    ) -> Result<Ran, UsageError> {
        let unreduced = needs_all(task, aim);
        let reduced = searched.reduced_space().filter(|_| unreduced.is_none());
        let space = reduced.unwrap_or(searched.space());
        let mut ran = self.run_in(parts, searched, space, task, aim)?;
        ran.notices.extend(searched.notices.iter().cloned());
        if let Some(reduced) = searched.reduced() {
            let told = match unreduced {
                Some(why) => format!("no partial-order reduction: {why}"),
                None => counted(reduced, &mut ran),
            };
            ran.notices.push(told);
        }
        searched.realise(&mut ran.outcome.findings)?;
        Ok(ran)
    }

    fn run_in(
        &self,
        parts: &Configuration,
        searched: &Searched,
        whole: &dyn Space,
        task: &Task,
        aim: &Aim,
    ) -> Result<Ran, UsageError> {
        let space = searched.discrete;
        let restricted = aim.restriction.as_ref().map(|left_out| Restricted::new(whole, left_out));
        let searched: &dyn Space = restricted.as_ref().map_or(whole, |restricted| restricted);
        self.run_task(parts, space, &Task { space: searched, ..*task }, aim)
    }

    /// Runs one search of the task's own space, which is made from `space`.
    pub(crate) fn run_task(
        &self,
        parts: &Configuration,
        space: &CompiledSpace,
        task: &Task,
        aim: &Aim,
    ) -> Result<Ran, UsageError> {
        let refine = match parts.strategy.plan {
            Plan::Once => return self.round(&parts.strategy, &parts.store, space, task, aim, None),
            Plan::Auto(auto) => return self.planned(auto, parts, space, task, aim),
            Plan::Race(_) => return self.race_for_states(parts, space, task, aim),
            Plan::Refine(refine) => refine,
        };
        let mut before = Before::default();
        for (estimate, budget) in refine.rounds() {
            let strategy = Strategy { estimate: Some(estimate), ..parts.strategy.clone() };
            let left = self.limits.expansions.map(|most| most.saturating_sub(before.expanded()));
            let most = match (budget, left) {
                (Some(budget), Some(left)) => Some(budget.min(left)),
                (budget, left) => budget.or(left),
            };
            let ran = self.round(&strategy, &parts.store, space, task, aim, most)?;
            let spent = ran.outcome.stopped == Some(StopReason::Expansions);
            if !spent || budget.is_none() || most == left {
                return Ok(before.and(ran));
            }
            before.add(&strategy, &ran);
        }
        Err(UsageError::Internal("no round of refinement was the last".into()))
    }

    pub(crate) fn round(
        &self,
        strategy: &Strategy,
        store: &Call,
        space: &CompiledSpace,
        task: &Task,
        aim: &Aim,
        expansions: Option<u64>,
    ) -> Result<Ran, UsageError> {
        let sentence = UsageError::Sentence;
        let started = Instant::now();
        let shared = Shared::default();
        let guide = self.guide(strategy, space, aim, &shared);
        let guide = guide.map_err(|error| match self.budget.check() {
            Ok(()) => UsageError::Sentence(error),
            Err(_) => UsageError::Stopped(error),
        })?;
        let classes = guide.preference.as_ref().and_then(|p| p.classes());
        let classes = classes.or(aim.classes.as_deref());
        let remembering = classes.map(|classes| Remembering::new(task.space, classes));
        let task = match &remembering {
            Some(remembering) => Task { space: remembering, ..*task },
            None => Task { ..*task },
        };
        let config = store_config(task.space, &self.limits);
        let mut stores = Making::new(config, store.clone()).map_err(sentence)?;
        let watch = &mut self.watch(expansions);
        let context = Context { task: &task, stores: &mut stores, guide: &guide, watch };
        let (mut outcome, on_disk) = match &self.elsewhere {
            Some(elsewhere) => {
                let (outcome, bytes) = elsewhere.search(strategy, context)?;
                (outcome, bytes.map(|bytes| bytes as usize))
            }
            None => (strategy.algorithm.run(context), None),
        };
        let store = stores.last();
        self.name_the_limit(&mut outcome, store);
        if let Some(error) = space.error() {
            return Err(UsageError::Sentence(error.to_string()));
        }
        let statistics = &outcome.statistics;
        Ok(Ran {
            proved: statistics.dead_ends > 0 && statistics.progress.expanded == 0,
            notices: [shared.notices.take(), outcome.notices.clone()].concat(),
            outcome,
            seconds: started.elapsed().as_secs_f64(),
            coverage: store.filter(|store| !store.is_exact()).map(|store| store.coverage()),
            store_bytes: on_disk.unwrap_or(stores.bytes()),
            phases: Vec::new(),
            reduced: None,
            first: None,
            record: None,
        })
    }

    /// A store that is full because no more states were wanted.
    pub(crate) fn name_the_limit(&self, outcome: &mut Outcome, store: Option<&dyn Store>) {
        let most = self.limits.states.unwrap_or(u64::MAX);
        let met = store.is_some_and(|store| store.len() as u64 >= most);
        if met && outcome.stopped == Some(StopReason::StoreFull) {
            outcome.stopped = Some(StopReason::States);
        }
    }
}

/// Counts in how many expansions a reduction left something out, and tells.
fn counted(reduced: &Reduced, ran: &mut Ran) -> String {
    let count = match reduced.needs_proviso() {
        true => ran.outcome.statistics.reduced,
        false => reduced.reduced(),
    };
    ran.reduced = Some(count);
    let expanded = ran.outcome.statistics.progress.expanded;
    let told = match reduced.is_given_up() {
        true => "given up, since it left out little".to_string(),
        false => format!("an ample set was taken in {count} of {expanded} expansions"),
    };
    format!("partial-order reduction: {told}")
}

/// Why a search needs all interleavings.
fn needs_all(task: &Task, aim: &Aim) -> Option<&'static str> {
    if aim.restriction.is_some() {
        Some("traces are told apart by their steps")
    } else if task.pricing.is_some() || aim.classes.is_some() {
        Some("it matters what the steps cost")
    } else {
        None
    }
}

/// What a store of this space's states is made from.
pub(crate) fn store_config<'a>(space: &'a dyn Space, limits: &Limits) -> StoreConfig<'a> {
    let (memory, states) = (limits.memory, limits.states);
    StoreConfig { width: space.width(), memory, states, cover: space.cover() }
}

/// Why a network has no space, for the user.
pub(crate) fn refused(model: &Model, error: SpaceError) -> UsageError {
    match error {
        SpaceError::Refused(diagnostics) => {
            UsageError::Diagnostics { sources: model.network.sources.clone(), diagnostics }
        }
        SpaceError::Jit(error) => UsageError::Sentence(error.to_string()),
    }
}

/// Runs `work` within the budget. Searches look at it themselves and end with what they
/// have; what they do not notice ends a moment later.
pub(crate) fn during<T>(budget: &Budget, work: impl FnOnce() -> T) -> Result<T, Stopped> {
    const PHASE: &str = "preparing or making a search";
    budget.during(PHASE, || finishing(PHASE, work))
}

/// Why a run ended before it had anything to tell, in words.
pub fn cut(stopped: Stopped) -> String {
    let why = stop_reason(stopped.why.into(), &Limits::default());
    format!("{why} while {}", stopped.phase)
}

/// The most memory in use so far, by whoever knows best.
pub(crate) fn peak(progress: &Progress) -> u64 {
    heap::peak().unwrap_or(0).max(progress.bytes) as u64
}

/// Why a search ended early, in words.
pub(crate) fn stop_reason(stopped: StopReason, limits: &Limits) -> String {
    match stopped {
        StopReason::Memory => "stopped by the memory limit".into(),
        StopReason::StoreFull if limits.memory.is_some() => "stopped by the memory limit".into(),
        StopReason::StoreFull => "the store can hold no more states".into(),
        StopReason::Time => "stopped by the time limit".into(),
        StopReason::States => "stopped by the limit on states".into(),
        StopReason::Expansions => "stopped by the limit on expansions".into(),
        StopReason::Bound => match limits.bound {
            Some(bound) => format!("holds on paths of cost at most {bound}"),
            None => "paths above the bound were not followed".into(),
        },
        StopReason::Pruned => "the strategy left states out".into(),
        StopReason::Depth => "states at the depth limit were not expanded".into(),
        StopReason::Disk => "stopped since the disk, or what of it may be used, is full".into(),
        StopReason::Cancelled => "interrupted".into(),
    }
}
