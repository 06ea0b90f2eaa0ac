//! Properties of whole runs: a search in the product of the model and an automaton.
//!
//! | the automaton | the strategy | what is searched |
//! |---|---|---|
//! | is an observer of finite runs | any | the product, for a state |
//! | accepts after finitely many letters | any | the product, for a state |
//! | else | one that finds lassos | the product, for a lasso |
//! | else | any other | the product with a state recorded, for a state |
//!
//! The planner takes the first, or searches of both other kinds in turns: see `turns`.
//!
//! The model is not sliced: a process that has nothing to do with the atoms may
//! still run for ever, and with it gone the others would stop where they do not. Dead
//! variables are reset as always. So a loop of the search may be one of the model only
//! from the second round on, when all that is dead has its lasting values: the
//! interpreter, which knows nothing of this, is shown one round more if need be.

use std::rc::Rc;

use homing_core::Space;
use homing_core::catalogue::Capability;
use homing_ir::automaton::MOST;
use homing_ir::components::is_terminal;
use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_report::outcome::{PropertyOutcome, Verdict};
use homing_search::{Path, Plan, Strategy, Task};
use homing_space::reduction::{Asked, Reduction};
use homing_space::zones::within::WithinSpace;
use homing_space::{CompiledSpace, Degeneralised, Fairness, LivenessToSafety, Product};
use homing_witness::Fairness as Fair;

use super::answer::Answer;
use super::cut::unevaluated;
use super::queries::Problem;
use super::refuted::Found;
use super::turns::LAST;
use super::{Check, mask};
use crate::load::Model;
use crate::options::{Options, UseReduction};
use crate::question::{Hit, Need, Question};
use crate::run::{Aim, Configuration, Raced, Ran, Runner, UsageError, refused};
use crate::searched::Searched;
use crate::stages::stages;
use crate::symmetric::once_each;
use crate::temporal::Temporal;

/// What is searched where the planner is to decide: for a state, and for a strongly fair
/// run. For others: see `turns`.
pub(super) const FOR_STATES: &str = "breadth";
const FOR_STRONGLY_FAIR: &str = "streett";

/// Why clocks are not asked for.
const CLOCKS: &str = "formulas and automata can ask where processes are and what variables hold, \
     but not for clocks";

/// Why zones are not compared by what they cover.
const COVERS: &str = "a zone that covers another does not show that a run comes back to it: such \
     questions need another store than `covering`";

/// Why there is one counterexample though several are asked for.
const ONE_RUN: &str = "`--different` tells apart traces that end in a state, by the order of \
     steps that depend on each other; of runs without an end one is shown";

/// How the product is searched, the least demanding first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    States,
    Lassos,
    Safety,
}

/// A search in a product and what it found, and what it was, in words.
type Looked = (Ran, Option<Found>, String);

/// A product that is searched.
struct Looking<'l> {
    temporal: &'l Temporal,
    searched: &'l Searched<'l>,
    product: &'l Product<'l>,
    aim: &'l Aim,
}

/// A product that was searched, and what it was made of.
struct Made<'m> {
    temporal: &'m Temporal,
    searched: &'m Searched<'m>,
    product: &'m Product<'m>,
    ran: Ran,
    found: Option<Found>,
}

impl Check<'_> {
    /// Answers a question about whole runs.
    pub(super) fn temporal(
        &mut self,
        index: usize,
        question: &dyn Question,
        result: &mut Option<Answer>,
    ) -> Result<(), UsageError> {
        let Need::Run(temporal) = question.need(&self.model.network) else { return Ok(()) };
        match self.unable(temporal) {
            Some(why) => self.unsearched.push((index, why)),
            None => match self.runs(index, question, temporal) {
                Ok(answer) => *result = Some(answer),
                Err(Problem::Unable(why)) => self.unsearched.push((index, why)),
                Err(Problem::Usage(error)) => return Err(error),
            },
        }
        Ok(())
    }

    /// Why no search is made.
    fn unable(&self, temporal: &Temporal) -> Option<String> {
        let sentence = if self.minimise.is_some() {
            "what a run without an end costs does not add up to a number: `--minimise` is for traces \
             that end in a state"
        } else if self.options.fairness == Fair::Strong && !self.decides_strongly(temporal) {
            "strong fairness takes another kind of search: `streett`, or `auto`, which takes it"
        } else if self.options.fairness != Fair::None && self.model.network.is_timed() {
            "fairness between processes is not offered with clocks"
        } else if self.parts.strategy.prefers() && temporal.finite.is_none() {
            "preferences among steps are not offered for runs that go on for ever"
        } else if let Plan::Race(_) = self.parts.strategy.plan
            && self.parts.strategy.searches().iter().any(|one| matches!(one.plan, Plan::Auto(_)))
        {
            "for runs without an end `auto` takes turns of its own, which cannot be in a race: name \
             others, such as `race('couvreur; breadth')`"
        } else if !self.parts.expressions.is_empty() {
            "estimates of your own are for goals, not for formulas and automata"
        } else {
            return None;
        };
        Some(sentence.into())
    }

    /// An outcome that says so where a formula holds because what it speaks of never
    /// happens. Asked after the search: mostly a state is found at once.
    pub(super) fn unless_vacuous(
        &self,
        question: &dyn Question,
        mut outcome: PropertyOutcome,
    ) -> Result<PropertyOutcome, UsageError> {
        let (Some(antecedent), Verdict::Holds) = (question.antecedent(), outcome.verdict) else {
            return Ok(outcome);
        };
        let wanted = [Wanted::goal(antecedent.clone())];
        let space =
            CompiledSpace::executed(self.quiet(), &wanted, self.passes, self.options.execution())
                .map_err(|error| refused(self.model, error))?;
        let searched = Searched::new(&space, self.options.zones, false)?;
        let parts = self.chosen(FOR_STATES)?;
        let task = Hit::Condition(0).task(searched.space());
        let ran = self.runner.run(&parts, &searched, &task, &Aim::default())?;
        let cut = ran.outcome.statistics.faults > 0;
        let all = ran.outcome.stopped.is_none() && ran.coverage.is_none() && !cut;
        if all && ran.outcome.findings.is_empty() {
            outcome.reason = VACUOUS.into();
        }
        Ok(outcome)
    }

    /// Looks for a run that violates a property.
    fn runs(
        &mut self,
        index: usize,
        question: &dyn Question,
        temporal: &Temporal,
    ) -> Result<Answer, Problem> {
        let (way, parts) = self.way(temporal)?;
        if way != Way::States && self.asks_to_cover() {
            return Err(Problem::Unable(COVERS.into()));
        }
        let estimated = parts.as_ref().unwrap_or(&self.parts).strategy.is_estimated();
        let (conditions, mut aim) = aimed(temporal, way, estimated);
        let passes = Passes { slice: false, ..self.passes };
        let prepared = self.prepare(Some(index), false, &conditions, passes)?;
        let space = Rc::clone(&prepared.space);
        let fairness = fairness(self.model, self.options, temporal, &space)?;
        if asks_for_clocks(&space, temporal) {
            return Err(Problem::Unable(CLOCKS.into()));
        }
        let unreduced = self.needs_all(temporal, way);
        let mut searched = Searched::of_runs(&space, self.options.zones)?;
        if unreduced.is_none() {
            let conditions = mask(temporal.conditions().len());
            let asked = Asked { conditions, lasso: true, ..Asked::default() };
            let reduction = self.reduction(index, &space, asked);
            searched.reduce(reduction, asked, parts.as_ref().unwrap_or(&self.parts))?;
        }
        if let Some(stages) = &mut aim.stages {
            stages.inner = searched.space().width();
        }
        let resting = searched.resting().map_err(Problem::Unable)?;
        let product = product(temporal, &searched, resting.as_ref(), fairness.as_ref());
        self.runner.guard(self.model, &space);
        let parts = parts.as_ref().unwrap_or(&self.parts);
        let looking = Looking { temporal, searched: &searched, product: &product, aim: &aim };
        let (ran, found, planned) = self.look_for_run(way, parts, &looking)?;
        self.runner.enough(self.model, &space)?;
        self.phases.push(format!("`{}`: {planned}", question.name()));
        if self.options.different > 1 {
            let told = format!("{ONE_RUN}: `{}`", question.name());
            once_each(&mut self.notices, &[told]);
        }
        self.note_compiled(&prepared);
        if let (UseReduction::By(_), Some(why)) = (self.options.reduction, unreduced) {
            let name = question.name();
            self.notices.push(format!("no partial-order reduction, `{name}`: {why}"));
        }
        let (searched, product) = (&searched, &product);
        let made = Made { temporal, searched, product, ran, found };
        Ok(self.concluded(index, question, made)?)
    }

    /// Searches the product. Answers with what the search was, too.
    fn look_for_run(
        &self,
        way: Way,
        parts: &Configuration,
        looking: &Looking,
    ) -> Result<Looked, UsageError> {
        let Looking { temporal, searched, product, .. } = *looking;
        match &parts.strategy.plan {
            Plan::Race(_) => {
                let contestants = parts.contestants();
                let way_of = |parts: &Configuration| way_of(&parts.strategy, temporal);
                let ways: Vec<Way> = contestants.iter().map(way_of).collect();
                let look = |runner: &Runner, number: usize| {
                    looking.look(runner, &contestants[number], ways[number])
                };
                Ok(self.runner.race(&contestants, look)?.1)
            }
            _ if way == Way::Lassos && self.plans() && product.streett_pairs() == 0 => {
                self.in_turns(searched, product)
            }
            _ => looking.look(&self.runner, parts, way),
        }
    }

    /// Reads the answer off a search.
    fn concluded(
        &mut self,
        index: usize,
        question: &dyn Question,
        made: Made,
    ) -> Result<Answer, UsageError> {
        let Made { temporal, searched, product, mut ran, found } = made;
        if let Some(reduced) = searched.reduced() {
            let count = reduced.reduced();
            ran.reduced = Some(count);
            self.give_up_reduction(index, &ran);
            let told = format!("an ample set may have been taken in {count} expansions");
            ran.notices.push(format!("partial-order reduction: {told}"));
        }
        self.notices.extend(ran.notices.iter().cloned());
        self.phases.extend(ran.phases.iter().cloned());
        let statistics = self.account(&ran);
        let name = question.name();
        if let Some(mut found) = found {
            if ran.outcome.optimal && found.comparable {
                let expanded = ran.outcome.statistics.progress.expanded;
                found.comparable = self.never_stutters(searched, product, &found, expanded)?;
            }
            let claim = temporal.claim(self.options.fairness);
            let answer = self.refuted(question, claim, found, &ran, statistics)?;
            if answer.outcome.optimal && temporal.finite.is_none() {
                self.notices.push(format!("shortest in the product with its automaton: `{name}`"));
            }
            return Ok(answer);
        }
        let cut = self.cut_off(ran.outcome.statistics.faults, false);
        let atoms = mask(temporal.atoms.len());
        let cut = cut.or_else(|| unevaluated(searched.discrete, atoms, Some(&ran)));
        let mut outcome = self.not_found(question, &ran, statistics, cut);
        if temporal.automaton.initial.is_empty() && outcome.verdict == Verdict::Holds {
            outcome.reason = ALWAYS.into();
            return Ok(Answer::of(outcome));
        }
        // Mostly the search has seen what the formula speaks of.
        let antecedent = 1_u64.checked_shl(temporal.atoms.len() as u32).unwrap_or(0);
        let outcome = match product.seen() & antecedent {
            0 => self.unless_vacuous(question, outcome)?,
            _ => outcome,
        };
        Ok(Answer::of(outcome))
    }

    /// Whether the strategy decides strong fairness, or need not: every beginning of a
    /// run can go on fairly.
    fn decides_strongly(&self, temporal: &Temporal) -> bool {
        let gives = |capability| self.parts.gives(capability);
        matches!(self.parts.strategy.plan, Plan::Auto(_))
            || gives(Capability::Pairs)
            || temporal.finite.is_some()
            || !gives(Capability::Lassos) && is_terminal(&temporal.automaton)
    }

    /// Why all steps are needed where a reduction is asked for.
    fn needs_all(&self, temporal: &Temporal, way: Way) -> Option<&'static str> {
        match way {
            _ if self.model.network.is_timed() => Some("that is not offered with clocks"),
            _ if self.options.fairness != Fair::None => Some("it is not fair to leave steps out"),
            _ if !temporal.stutter_invariant => {
                Some("how often a state is repeated may matter to the formula or automaton")
            }
            _ if self.options.reduction == UseReduction::By(Reduction::Goal) => {
                Some("the reduction `goal` keeps ways to goals, not runs")
            }
            Way::Safety => Some("the way back to a recorded state needs all steps"),
            _ => None,
        }
    }

    /// How the product is searched, and by what parts where they are not those
    /// that were asked for.
    fn way(&self, temporal: &Temporal) -> Result<(Way, Option<Configuration>), UsageError> {
        let finite = temporal.finite.is_some();
        let terminal = finite || is_terminal(&temporal.automaton);
        if self.plans() {
            let (way, strategy) = match (terminal, self.options.fairness) {
                (true, _) => (Way::States, FOR_STATES),
                (false, Fair::Strong) => (Way::Lassos, FOR_STRONGLY_FAIR),
                (false, _) => (Way::Lassos, LAST),
            };
            return Ok((way, Some(self.chosen_for(way, strategy)?)));
        }
        // What a race needs is what the most demanding of its searches needs.
        let ways = self.parts.strategy.searches().iter().map(|one| way_of(one, temporal));
        let way = ways.max().unwrap_or(Way::States);
        let strategy = self.parts.strategy.call.to_string();
        let parts = self.model.network.is_timed().then(|| self.chosen_for(way, &strategy));
        Ok((way, parts.transpose()?))
    }

    /// Whether zones are to be dropped for others that cover them.
    fn asks_to_cover(&self) -> bool {
        let covering = homing_store::covering::ROW.name;
        self.model.network.is_timed()
            && self.options.store.is_some()
            && self.parts.store().name == covering
    }

    /// Whether the planner is to decide.
    fn plans(&self) -> bool {
        matches!(self.parts.strategy.plan, Plan::Auto(_))
    }

    /// The parts of a strategy for a search of this kind. A zone that covers another says
    /// nothing of runs that come back to it.
    pub(super) fn chosen_for(&self, way: Way, strategy: &str) -> Result<Configuration, UsageError> {
        let mut parts = self.chosen(strategy)?;
        if self.model.network.is_timed() && way != Way::States && self.options.store.is_none() {
            parts.take_store(homing_store::STORES[0].name).map_err(UsageError::Sentence)?;
        }
        Ok(parts)
    }

    /// The parts of a strategy that the planner chose.
    pub(super) fn chosen(&self, strategy: &str) -> Result<Configuration, UsageError> {
        let options =
            Options { strategy: Some(strategy.into()), estimate: None, ..self.options.clone() };
        Configuration::choose(self.model, &options, strategy)
    }
}

impl Looking<'_> {
    /// Searches it. Answers with what the search was, too.
    fn look(&self, runner: &Runner, parts: &Configuration, way: Way) -> Result<Looked, UsageError> {
        let mut aim = self.aim.clone();
        if let Some(stages) = &mut aim.stages {
            stages.records = way == Way::Safety;
        }
        let look = match way {
            Way::States => for_state,
            Way::Lassos => for_lasso,
            Way::Safety => record,
        };
        let (ran, found) = look(runner, parts, self.searched, self.product, &aim)?;
        Ok((ran, found, described(&parts.strategy.call, way)))
    }
}

/// How a search by this strategy goes about it.
fn way_of(strategy: &Strategy, temporal: &Temporal) -> Way {
    let finite = temporal.finite.is_some();
    match finite || is_terminal(&temporal.automaton) {
        _ if strategy.gives(Capability::Lassos) && !finite => Way::Lassos,
        true => Way::States,
        false => Way::Safety,
    }
}

/// Searches the product for a state from which on everything is accepted.
fn for_state(
    runner: &Runner,
    parts: &Configuration,
    searched: &Searched,
    product: &Product,
    aim: &Aim,
) -> Result<(Ran, Option<Found>), UsageError> {
    let task = Task { conditions: 1, ..Task::explore(product) };
    let ran = runner.run_task(parts, searched.discrete, &task, aim)?;
    let found = goal(&ran).map(|path| Found::new(searched, product, path, None));
    Ok((ran, found))
}

/// Searches the product for an accepted lasso, with one acceptance set where the
/// strategy takes no more.
pub(super) fn for_lasso(
    runner: &Runner,
    parts: &Configuration,
    searched: &Searched,
    product: &Product,
    aim: &Aim,
) -> Result<(Ran, Option<Found>), UsageError> {
    let counted = product.acceptance_sets() > parts.strategy.algorithm.most_sets();
    let degeneralised = counted.then(|| Degeneralised::new(product));
    let space: &dyn Space = degeneralised.as_ref().map_or(product, |space| space);
    let task = Task { lasso: true, ..Task::explore(space) };
    let ran = runner.run_task(parts, searched.discrete, &task, aim)?;
    let lasso = ran.outcome.findings.lasso.as_ref();
    let found = lasso.map(|lasso| {
        // From where everything is accepted on, it is not the loop that matters.
        let mut expander = product.expander();
        let mut ends = |steps| expander.violated(&lasso.path.state(steps)[..product.width()]);
        match (0..=lasso.path.len()).find(|steps| ends(*steps) != 0) {
            Some(steps) => Found::new(searched, space, &lasso.path, None).cut(steps),
            // The lasso of a violation that needs no loop is longer than what is shown.
            None => Found {
                comparable: !product.may_end(),
                ..Found::new(searched, space, &lasso.path, lasso.back)
            },
        }
    });
    Ok((ran, found))
}

/// Searches the product with a state recorded.
pub(super) fn record(
    runner: &Runner,
    parts: &Configuration,
    searched: &Searched,
    product: &Product,
    aim: &Aim,
) -> Result<(Ran, Option<Found>), UsageError> {
    let recording = LivenessToSafety::new(product).map_err(UsageError::Sentence)?;
    let task = Task { conditions: 1, ..Task::explore(&recording) };
    let ran = runner.run_task(parts, searched.discrete, &task, aim)?;
    let found = goal(&ran).map(|path| {
        let back = path.steps().position(|(_, edge)| recording.records(edge.label));
        Found::new(searched, &recording, path, back)
    });
    Ok((ran, found))
}

/// The conditions that a space needs, and what a search in the product is directed at.
fn aimed(temporal: &Temporal, way: Way, estimated: bool) -> (Vec<Wanted>, Aim) {
    let mut conditions = temporal.conditions();
    let mut aim = Aim::default();
    if estimated {
        let (first, room) = (conditions.len(), MOST as usize - conditions.len());
        let (stages, needed) = stages(temporal, first, room, way == Way::Safety);
        aim.stages = Some(stages);
        conditions.extend(needed);
    }
    (conditions, aim)
}

/// Whether what a property asks depends on clocks, or on whether anything is possible.
fn asks_for_clocks(space: &CompiledSpace, temporal: &Temporal) -> bool {
    let timing = space.system().timing.as_ref();
    timing.is_some_and(|timing| {
        let atoms = timing.conditions.iter().take(temporal.atoms.len());
        atoms.into_iter().any(|condition| !condition.cases.is_empty())
    })
}

/// Which runs count, as acceptance of the product.
fn fairness<'f>(
    model: &'f Model,
    options: &Options,
    temporal: &Temporal,
    space: &'f CompiledSpace,
) -> Result<Option<Fairness<'f>>, UsageError> {
    let (network, room) = (&model.network, MOST - temporal.automaton.sets);
    let fairness = match options.fairness {
        // Every beginning of a run can go on fairly.
        _ if temporal.finite.is_some() => None,
        Fair::None => None,
        Fair::Weak => Some(Fairness::weak(network, space, room)),
        Fair::Strong => Some(Fairness::strong(network, space, room)),
    };
    fairness.transpose().map_err(UsageError::Sentence)
}

/// The product of a space and the automaton of a property.
fn product<'p>(
    temporal: &'p Temporal,
    searched: &'p Searched,
    resting: Option<&'p WithinSpace>,
    fairness: Option<&'p Fairness>,
) -> Product<'p> {
    let automaton = &temporal.automaton;
    let mut product = match (searched.reduced(), resting) {
        (Some(reduced), _) => Product::new(reduced, automaton).reducing(),
        (None, Some(resting)) => Product::new(resting, automaton).resting(),
        (None, None) => Product::new(searched.space(), automaton),
    };
    if !temporal.stutters {
        product = product.without_stuttering();
    }
    if let Some(failed) = temporal.finite {
        product = product.of_finite_runs(failed);
    }
    if let Some(fairness) = fairness {
        product = product.fair(fairness);
    }
    product
}

/// Why a formula holds that no run violates, of whatever model.
const ALWAYS: &str = "every run satisfies it, whatever the model does";

/// Why a formula holds that says nothing.
const VACUOUS: &str = "holds vacuously: what it speaks of never happens";

pub(super) fn described(strategy: impl std::fmt::Display, way: Way) -> String {
    match way {
        Way::States => format!("{strategy}, for a state from which on it cannot hold"),
        Way::Lassos => format!("{strategy}, for an accepted run"),
        Way::Safety => format!("{strategy}, for an accepted run, its loop recorded"),
    }
}

impl Raced for Looked {
    fn ran(&mut self) -> &mut Ran {
        &mut self.0
    }
}

/// The path to the state that was looked for.
fn goal(ran: &Ran) -> Option<&Path> {
    ran.outcome.findings.conditions.first()?.as_ref().map(|finding| &finding.path)
}
