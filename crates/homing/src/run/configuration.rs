//! How a search is put together: strategy, store and estimate, chosen and fit for each other.

use homing_core::catalogue::{self, Capability, Kind, Row};
use homing_core::expression::{self, Call, Expression};
use homing_ir::passes::Passes;
use homing_report::outcome::Plan as Shown;
use homing_search::Strategy;
use homing_store::StoreBuilder;

use super::UsageError;
use crate::load::Model;
use crate::options::Options;
use crate::searched::default_store;

/// Strategy, store and estimate of a search.
#[derive(Clone)]
pub(crate) struct Configuration {
    pub strategy: Strategy,
    pub(super) store: Call,
    /// Whether the store keeps states, and never takes two for one.
    exact: bool,
    /// Whether the strategy keeps every state it has seen.
    keeps_all: bool,
    /// Whether it takes only the successors that a reduction asks for.
    reduces: bool,
    seed: u64,
    /// Expressions of the user's own that the estimate is made of.
    pub expressions: Vec<String>,
}

impl Configuration {
    /// The parts asked for; `default` is the strategy where none is.
    pub(crate) fn choose(
        model: &Model,
        options: &Options,
        default: &str,
    ) -> Result<Configuration, UsageError> {
        let store = options.store.as_deref().unwrap_or(default_store(model));
        choose(options, default, store).map_err(UsageError::Sentence)
    }

    /// How the run is put together, in words.
    pub(crate) fn plan(&self, passes: Passes) -> Shown {
        Shown {
            strategy: self.strategy.call.to_string(),
            store: self.store.to_string(),
            passes: passes.names().into_iter().map(String::from).collect(),
            phases: Vec::new(),
            zones: false,
        }
    }

    pub(crate) fn keeps_exact_states(&self) -> bool {
        self.exact
    }

    pub(crate) fn keeps_all(&self) -> bool {
        self.keeps_all
    }

    /// Whether the strategy promises something.
    pub(crate) fn gives(&self, capability: Capability) -> bool {
        self.strategy.gives(capability)
    }

    pub(crate) fn reduces(&self) -> bool {
        self.reduces
    }

    /// Takes the store of this name instead.
    pub(crate) fn take_store(&mut self, name: &str) -> Result<(), String> {
        let row = catalogue::find(homing_store::STORES, Kind::Store, name)?;
        self.store = parse(row.name, "store")?;
        self.exact = row.gives(Capability::Exact) && row.gives(Capability::KeepsStates);
        Ok(())
    }

    /// Those who take part in a race, each with the same store.
    pub(crate) fn contestants(&self) -> Vec<Configuration> {
        let searches = self.strategy.searches().iter();
        searches.map(|one| Configuration { strategy: one.clone(), ..self.clone() }).collect()
    }

    pub(crate) fn store(&self) -> &Call {
        &self.store
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }
}

fn choose(options: &Options, default: &str, store: &str) -> Result<Configuration, String> {
    let strategy_call = match (&options.strategy, &options.estimate) {
        (Some(strategy), _) => parse(strategy, "strategy")?,
        (None, Some(_)) => parse("greedy", "strategy")?,
        (None, None) => parse(default, "strategy")?,
    };
    let strategy_call = match &options.estimate {
        None => strategy_call,
        Some(estimate) => with_estimate(strategy_call, estimate)?,
    };
    let (strategy, _) = homing_search::strategy::build(&strategy_call, options.seed)?;
    let store = match options.store {
        // Zones are dropped for others by one thread at a time.
        None if needs(&strategy, Capability::Shared) => homing_store::STORES[0].name,
        _ => store,
    };
    let store = parse(store, "store")?;
    let store_row = catalogue::find(homing_store::STORES, Kind::Store, &store.name)?;
    let mut expressions = Vec::new();
    for search in strategy.searches() {
        fit_together(search, store_row)?;
        expressions.extend(search.estimate.iter().flat_map(homing_guide::expression::texts));
    }
    expressions.sort_unstable();
    expressions.dedup();
    let exact = store_row.gives(Capability::Exact) && store_row.gives(Capability::KeepsStates);
    let forgets = [Capability::MemoryBounded, Capability::Lossy];
    let keeps_all = !forgets.iter().any(|capability| strategy.gives(*capability));
    let reduces = strategy.gives(Capability::Reduces);
    Ok(Configuration {
        strategy,
        store,
        exact,
        keeps_all,
        reduces,
        seed: options.seed,
        expressions,
    })
}

/// Whether some search needs a store that promises this.
fn needs(strategy: &Strategy, capability: Capability) -> bool {
    strategy.searches().iter().any(|one| {
        homing_search::STRATEGIES
            .iter()
            .any(|row| row.name == one.call.name && row.needs.contains(&capability))
    })
}

/// Whether a search goes with its estimate, its preference and a store.
fn fit_together(search: &Strategy, store: &Row<StoreBuilder>) -> Result<(), String> {
    let row = catalogue::find(homing_search::STRATEGIES, Kind::Strategy, &search.call.name)?;
    fits("strategy", row, store)?;
    if let Some(estimate) = &search.estimate {
        catalogue::find(homing_guide::ESTIMATES, Kind::Estimate, &estimate.name)?;
    }
    let Some(prefer) = &search.prefer else { return Ok(()) };
    let preference = catalogue::find(homing_guide::PREFERENCES, Kind::Preference, &prefer.name)?;
    fits("preference", preference, store)?;
    let asks = preference.needs.iter().any(|need| !need.is_of_stores());
    if asks && search.estimate.is_none() {
        return Err(format!(
            "the preference `{}` asks the estimate, but `{}` has none",
            preference.name, row.name
        ));
    }
    Ok(())
}

/// A directed strategy with the user's own estimate.
fn with_estimate(mut strategy: Call, estimate: &str) -> Result<Call, String> {
    let row = catalogue::find(homing_search::STRATEGIES, Kind::Strategy, &strategy.name)?;
    if !row.parameters.iter().any(|parameter| parameter.name == "estimate") {
        return Err(format!("the strategy `{}` takes no estimate", row.name));
    }
    if strategy.named("estimate").is_some() || strategy.unnamed().next().is_some() {
        return Err(format!(
            "the strategy has an estimate; combine yours with it, as in \
             `{}(max([…, expression('{estimate}')]))`",
            row.name
        ));
    }
    let own = Call {
        name: homing_guide::EXPRESSION.into(),
        arguments: vec![(None, Expression::Text(estimate.into()))],
    };
    strategy.arguments.push((Some("estimate".into()), Expression::Call(own)));
    Ok(strategy)
}

pub(crate) fn parse(text: &str, what: &str) -> Result<Call, String> {
    let expression = expression::parse(text).map_err(|e| format!("{what} `{text}`: {e}"))?;
    expression.as_call().cloned()
}

/// Whether a store gives what a strategy or a preference needs.
fn fits<A, B>(what: &str, part: &Row<A>, store: &Row<B>) -> Result<(), String> {
    let missing: Vec<&str> = part
        .needs
        .iter()
        .filter(|need| need.is_of_stores() && !store.gives(**need))
        .map(|need: &Capability| need.name())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the {what} `{}` needs a store that is {}, which `{}` is not",
        part.name,
        missing.join(" and "),
        store.name
    ))
}
