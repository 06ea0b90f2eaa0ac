//! `--minimise`: what the trace that is looked for is to cost as little as
//! possible of.
//!
//! ```text
//! minimise = cost { "," cost } | EXPR            (EXPR alone is sum('EXPR'))
//! cost     = "steps" | "switches"
//!          | "sum" ( 'PRICE' ) | "highest" ( 'PRICE' ) | "lowest" ( 'PRICE' )
//!          | "probability" ( 'PRICE' [, of=N] ) | "fuzzy" ( 'PRICE' [, of=N] )
//! PRICE    = { PROCESS ":" EXPR ";" } [ EXPR ]
//! ```
//! EXPR is in the model's own language and is evaluated in the state that a
//! step leaves. The first process named that takes part in the step decides
//! which EXPR is its price; the last, without a process, is for all other
//! steps. A step without a price leaves the cost as it is. An EXPR that cannot
//! be evaluated counts as zero. A step that fails is not completed, and costs
//! nothing.
//!
//! *Switches* are changes of the moving process: of a synchronisation, the one
//! that sends or leads. They are no price of a step but of two in a row, so
//! that states are told apart by who moved last
//! ([`Remembering`](homing_space::Remembering)).
//!
//! What a cost must be for which search (survey, sections 3 and 4): *isotone*,
//! or no search that keeps one path a state finds the best, so the others are
//! refused; *monotone*, or only `rounds` settles it.

mod prices;
mod read;

use std::rc::Rc;

use homing_core::algebra::{Algebra, Lexicographic, Scalar};
use homing_core::catalogue::Capability;
use homing_core::{CostAlgebra, Limits, Price, StopReason};
use homing_ir::flatten::Wanted;
use homing_ir::interp::Interpreter;
use homing_ir::interval::Env;
use homing_ir::network::{Composition, Expr, ProcessId};
use homing_ir::passes::Passes;
use homing_ir::system::Interval;
use homing_ir::{Step, Trace};
use homing_search::{Outcome, Path, STRATEGIES, Strategy};
use homing_space::CompiledSpace;
use homing_witness::outcome::{CostOutcome, Value};

use crate::load::Model;
use crate::options::Options;
use crate::run::{Configuration, UsageError};
pub(crate) use prices::Prices;

/// The strategy for costs that never fall along a path, where none is given.
const DEFAULT: &str = "dijkstra";

/// The same, where there is an estimate.
const DIRECTED: &str = "astar";

/// The strategy that settles costs that may fall along a path.
const SETTLING: &str = homing_search::strategies::rounds::ROUNDS.name;

/// What to minimise: one cost, and where that is equal perhaps another.
#[derive(Debug)]
pub(crate) struct Minimise {
    factors: Vec<Factor>,
    scalars: Vec<Scalar>,
    algebra: Box<dyn CostAlgebra>,
    notices: Vec<String>,
}

/// One cost.
#[derive(Clone, Debug)]
struct Factor {
    /// Its name, and all of it as it was written.
    name: &'static str,
    text: String,
    what: What,
    algebra: Algebra,
}

#[derive(Clone, Debug)]
enum What {
    Steps,
    Switches,
    Prices(Vec<Clause>),
}

/// The price of the steps of a process, or of all.
#[derive(Clone, Debug)]
struct Clause {
    process: Option<ProcessId>,
    expr: Expr,
}

impl Factor {
    /// What the steps with these processes cost, by its place.
    fn clause(&self, mut takes_part: impl FnMut(ProcessId) -> bool) -> Option<usize> {
        let What::Prices(clauses) = &self.what else { return None };
        clauses.iter().position(|clause| clause.process.is_none_or(&mut takes_part))
    }

    fn clauses(&self) -> &[Clause] {
        match &self.what {
            What::Prices(clauses) => clauses,
            What::Steps | What::Switches => &[],
        }
    }
}

/// What the options ask to minimise, the parts of a search that fit it, and its
/// limits.
pub(crate) fn prepare(
    model: &Model,
    options: &Options,
) -> Result<(Option<Rc<Minimise>>, Configuration, Limits), UsageError> {
    let Some(mut minimise) = Minimise::read(model, options)? else {
        return Ok((None, Configuration::choose(model, options, "auto")?, options.limits.clone()));
    };
    let options = minimise.options(options).map_err(UsageError::Sentence)?;
    let parts = Configuration::choose(model, &options, DEFAULT)?;
    minimise.fits(&parts.strategy).map_err(UsageError::Sentence)?;
    Ok((Some(Rc::new(minimise)), parts, options.limits))
}

impl Minimise {
    /// What the options ask for; `None` where that is the number of steps,
    /// which needs nothing special.
    fn read(model: &Model, options: &Options) -> Result<Option<Minimise>, UsageError> {
        let Some(text) = &options.minimise else { return Ok(None) };
        let mut factors = read::factors(model, text)?;
        if let [Factor { what: What::Steps, .. }] = &factors[..] {
            return Ok(None);
        }
        let mut notices = Vec::new();
        learn(model, options, &mut factors, &mut notices)?;
        let (scalars, algebra) = algebra(&factors).map_err(UsageError::Sentence)?;
        Ok(Some(Minimise { factors, scalars, algebra, notices }))
    }

    /// What the user should know before the search.
    pub(crate) fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The passes that leave costs as they are: a process whose steps do not
    /// matter to the goal may still make a path cheaper, where costs may be
    /// negative.
    pub(crate) fn passes(&self, passes: Passes) -> Passes {
        Passes { slice: passes.slice && self.algebra.is_monotone(), ..passes }
    }

    /// The options with a strategy that fits, and the bound as a price.
    fn options(&self, options: &Options) -> Result<Options, String> {
        if options.different > 1 {
            return Err(format!(
                "`--different` looks for traces of few steps, not for those with the least \
                 `{}`; ask for one of the two",
                self.text()
            ));
        }
        let strategy = match (&options.strategy, &options.estimate) {
            (Some(strategy), _) => strategy,
            (None, _) if !self.algebra.is_monotone() => SETTLING,
            (None, Some(_)) => DIRECTED,
            (None, None) => DEFAULT,
        };
        let limits = self.limits(&options.limits)?;
        Ok(Options { strategy: Some(strategy.into()), limits, ..options.clone() })
    }

    fn limits(&self, limits: &Limits) -> Result<Limits, String> {
        if limits.depth.is_some() {
            return Err(format!(
                "`--depth` counts steps, but `{}` is minimised; give `--bound`",
                self.text()
            ));
        }
        let Some(bound) = limits.bound else { return Ok(limits.clone()) };
        if !self.algebra.is_monotone() {
            return Err(format!(
                "`--bound` leaves paths out that cost more, but `{}` may be negative, and a path \
                 become cheaper by going on",
                self.text()
            ));
        }
        if let Algebra::Probability { of } | Algebra::Fuzzy { of } = self.factors[0].algebra
            && bound > of.into()
        {
            let name = self.factors[0].name;
            return Err(format!("`--bound` for `{name}` is a number of {of}, {bound} is more"));
        }
        let first = self.scalars[0].encode(i64::try_from(bound).unwrap_or(i64::MAX));
        let bound = match self.factors.len() {
            1 => first,
            _ => Lexicographic::join(first, u32::MAX.into()),
        };
        Ok(Limits { bound: Some(bound), ..limits.clone() })
    }

    /// Whether the strategy takes these costs; a sentence where it does not.
    fn fits(&mut self, strategy: &Strategy) -> Result<(), String> {
        let name = &strategy.call.name;
        let text = self.text();
        if !strategy.gives(Capability::Costs) {
            let able = STRATEGIES.iter().filter(|row| row.gives(Capability::Costs));
            let able = able.map(|row| format!("`{}`", row.name));
            let able: Vec<String> = able.collect();
            return Err(format!(
                "`{name}` counts steps only; to minimise `{text}` use {}",
                able.join(" or ")
            ));
        }
        if strategy.prefers() {
            return Err(format!(
                "with `prefer` the first trace need not cost least; leave it out to minimise `{text}`"
            ));
        }
        if !self.algebra.is_monotone() && name != SETTLING {
            return Err(format!(
                "`{text}` may be negative, and a path become cheaper by going on, which `{name}` \
                 cannot settle; use `{SETTLING}`"
            ));
        }
        if strategy.is_estimated()
            && self.algebra.ahead(self.algebra.one(), 1) == self.algebra.one()
        {
            self.notices.push(format!(
                "estimates are sums of costs, which say nothing of `{}`: here they only tell dead ends",
                self.factors[0].text
            ));
        }
        Ok(())
    }

    /// The expressions of all prices, as conditions that have their values.
    pub(crate) fn values(&self) -> Vec<Wanted> {
        let clauses = self.factors.iter().flat_map(Factor::clauses);
        clauses.map(|clause| Wanted::goal(clause.expr.clone())).collect()
    }

    /// What the steps of a space cost, whose conditions from `first` on are
    /// [`Minimise::values`].
    pub(crate) fn prices<'a>(&'a self, space: &'a CompiledSpace, first: usize) -> Prices<'a> {
        Prices::new(self, space, first)
    }

    /// The price of a step with these costs, one a factor; `None` leaves the
    /// cost as it is.
    fn price(&self, mut value: impl FnMut(usize, &Factor) -> Option<i64>) -> Price {
        let mut one = |place: usize| {
            let scalar = self.scalars[place];
            value(place, &self.factors[place])
                .map_or_else(|| scalar.one(), |value| scalar.encode(value))
        };
        let first = one(0);
        if self.factors.len() == 1 { first } else { Lexicographic::join(first, one(1)) }
    }

    /// What a trace costs, by the reference interpreter: each price evaluated
    /// on the original model. Only `steps` of its steps are completed.
    fn replayed(
        &self,
        interpreter: &Interpreter,
        trace: &Trace,
        steps: usize,
    ) -> Result<Price, String> {
        let mut cost = self.algebra.one();
        let mut state = interpreter
            .refined(&interpreter.initial(), trace.unit)
            .ok_or_else(|| "its times are too fine to be counted".to_string())?;
        // Where all move together, nobody takes turns.
        let together = interpreter.network().composition == Composition::Synchronous;
        let mut last: Option<ProcessId> = None;
        for step in &trace.steps[..steps] {
            let mover = step.edges.first().map(|edge| edge.process).filter(|_| !together);
            let price = self.price(|_, factor| match &factor.what {
                What::Steps => Some(1),
                What::Switches => Some(i64::from(last.is_some() && last != mover)),
                What::Prices(clauses) => {
                    let clause = factor.clause(|process| takes_part(step, process))?;
                    Some(interpreter.eval(&state, &clauses[clause].expr).unwrap_or(0))
                }
            });
            cost = self.algebra.combine(cost, price);
            state = interpreter.take(&state, step).map_err(|error| error.to_string())?;
            last = mover;
        }
        Ok(cost)
    }

    /// What a trace costs: what the search says of its path, confirmed by the
    /// interpreter.
    pub(crate) fn cost(
        &self,
        prices: &Prices,
        path: &Path,
        interpreter: &Interpreter,
        trace: &Trace,
    ) -> Result<Price, String> {
        let searched = prices.along(path);
        let replayed = self.replayed(interpreter, trace, path.len())?;
        if searched != replayed {
            let [searched, replayed] = [searched, replayed].map(|cost| self.algebra.show(cost));
            return Err(format!("it costs {replayed}, not {searched}"));
        }
        Ok(searched)
    }

    /// A cost, factor by factor.
    pub(crate) fn shown(&self, cost: Price) -> Vec<CostOutcome> {
        let parts =
            if self.factors.len() == 1 { vec![cost] } else { Lexicographic::split(cost).to_vec() };
        let factors = self.factors.iter().zip(&self.scalars).zip(parts);
        factors
            .map(|((factor, scalar), part)| {
                let shown = scalar.show(part);
                let value = shown.parse().map_or_else(|_| Value::Text(shown.into()), Value::Number);
                CostOutcome { name: factor.name.into(), text: factor.text.clone(), value }
            })
            .collect()
    }

    /// Why a trace of this cost is not proven to cost least.
    pub(crate) fn doubt(&self, cost: Price, outcome: &Outcome) -> String {
        if self.algebra.is_saturated(cost) {
            return "its cost is beyond the numbers that costs are counted in".into();
        }
        match outcome.stopped {
            None if !self.algebra.is_monotone() => {
                "there is no least: a cycle makes paths cheaper each time it is taken".into()
            }
            None => "the estimate may be too high".into(),
            Some(_) => "the search was stopped".into(),
        }
    }

    /// What not being found within the bound means.
    pub(crate) fn beyond(&self, stopped: StopReason, limits: &Limits) -> Option<String> {
        let bound = limits.bound.filter(|_| stopped == StopReason::Bound)?;
        let Factor { name, algebra, .. } = &self.factors[0];
        Some(match algebra {
            Algebra::Additive { .. } | Algebra::Bottleneck => {
                format!("holds on paths whose `{name}` is at most {bound}")
            }
            Algebra::MaxMin => format!("holds on paths whose `{name}` is at least {bound}"),
            Algebra::Probability { of } | Algebra::Fuzzy { of } => {
                format!("holds on paths whose `{name}` is at least {bound}/{of}")
            }
        })
    }

    fn text(&self) -> String {
        let all: Vec<&str> = self.factors.iter().map(|factor| factor.text.as_str()).collect();
        all.join(", ")
    }
}

fn takes_part(step: &Step, process: ProcessId) -> bool {
    step.edges.iter().any(|edge| edge.process == process)
}

/// The algebra of one or two factors, refused where it is not isotone.
fn algebra(factors: &[Factor]) -> Result<(Vec<Scalar>, Box<dyn CostAlgebra>), String> {
    match factors {
        [one] => {
            let scalar = Scalar::new(one.algebra);
            Ok((vec![scalar], Box::new(scalar)))
        }
        [first, second] => {
            let product = Lexicographic::new(first.algebra, second.algebra);
            if product.is_isotone() {
                return Ok((product.factors().to_vec(), Box::new(product)));
            }
            let hint = match Lexicographic::new(second.algebra, first.algebra).is_isotone() {
                true => format!("try `{}, {}`", second.text, first.text),
                false => "give one of them, or `steps` or a `sum` before it".into(),
            };
            Err(format!(
                "`{0}, {1}`: of two paths that `{0}` tells apart, the better may become no better \
                 than the other, and then be worse by `{1}`, so that no search finds the best; {hint}",
                first.text, second.text
            ))
        }
        _ => Err("two costs can be minimised, one after the other, but not more".into()),
    }
}

/// Learns from the ranges of variables what no step costs less than, and
/// whether fractions are fractions.
fn learn(
    model: &Model,
    options: &Options,
    factors: &mut [Factor],
    notices: &mut Vec<String>,
) -> Result<(), UsageError> {
    let passes = options.passes.apply(Passes { slice: false, ..Passes::ALL })?;
    let passes = Passes { slice: false, ..passes };
    for factor in factors {
        let values: Vec<Wanted> =
            factor.clauses().iter().map(|clause| Wanted::goal(clause.expr.clone())).collect();
        if values.is_empty() {
            continue;
        }
        let mut system = homing_ir::flatten(&model.network, &values).map_err(|diagnostics| {
            UsageError::Diagnostics { sources: model.network.sources.clone(), diagnostics }
        })?;
        homing_ir::passes::run(&mut system, passes);
        let ranges: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
        let terms = system.conditions.iter().map(|condition| &condition.term);
        let ranges = terms.map(|term| prices::range(term, &Env::new(&ranges)));
        let Some(mut range) = ranges.reduce(Interval::hull) else { continue };
        if factor.clauses().last().is_some_and(|last| last.process.is_some()) {
            // Steps without a price leave a sum as it is.
            range = range.hull(Interval::point(0));
        }
        match &mut factor.algebra {
            Algebra::Additive { least } => *least = range.lo,
            Algebra::Probability { of } | Algebra::Fuzzy { of } => {
                if range.lo < 0 || range.hi > i64::from(*of) {
                    notices.push(format!(
                        "`{}`: values below 0 count as 0, above {of} as {of}",
                        factor.text
                    ));
                }
            }
            Algebra::Bottleneck | Algebra::MaxMin => {}
        }
    }
    Ok(())
}
