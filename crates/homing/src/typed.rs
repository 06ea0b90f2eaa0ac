//! Models written in Rust.
//!
//! A [`TypedModel`] says what its states are, which steps they have, and how a state is
//! packed into words; [`search`] looks for its goal by any strategy and store of the
//! catalogue. It is directed by the model's own estimate, which strategies call `own`, as in
//! `astar(own)`: other estimates are made from the text of a model.
//!
//! What is found is executed again on the model's own states before it is shown
//! ([`Witness`]), as the interpreter does for models in a language: neither packing nor
//! search nor store can make a run up. `examples/tiles.rs` is a model to begin with.

use std::fmt;

use homing_core::{Batch, Edge, Expander, Heuristic, HeuristicFactory, Limits, Space, Watch};
pub use homing_core::{Claims, Cost, DEAD_END, Word};
use homing_search::strategy::{Context, Plan, build};
use homing_search::{Guide, Path, Statistics, Task};
use homing_store::{Making, STORES};

use crate::run::{UsageError, parse, stop_reason, store_config};

/// A model written in Rust.
pub trait TypedModel: Sync {
    /// A state.
    type State: Clone + PartialEq + fmt::Debug;

    /// The words of a packed state.
    fn width(&self) -> usize;

    /// Packs a state into [`TypedModel::width`] words: different states into different words.
    fn pack(&self, state: &Self::State, words: &mut [Word]);

    /// The state that was packed.
    fn unpack(&self, words: &[Word]) -> Self::State;

    /// The state that runs begin in.
    fn initial(&self) -> Self::State;

    /// Calls `step` for every step of a state, always in the same order: with a number of its
    /// own choice, by which it names the step to the user, and the state it leads to.
    fn steps(&self, state: &Self::State, step: &mut dyn FnMut(u32, Self::State));

    /// Whether a state is looked for.
    fn is_goal(&self, state: &Self::State) -> bool;

    /// How many steps the goal is away, about; [`DEAD_END`] where it is out of
    /// reach.
    fn estimate(&self, _state: &Self::State) -> Cost {
        0
    }

    /// What holds of the estimate.
    fn claims(&self) -> Claims {
        Claims::default()
    }
}

/// A run: the number of each step, and the state it leads to.
pub type TypedRun<M> = Vec<(u32, <M as TypedModel>::State)>;

/// Executes what a search found, on its own.
pub trait Witness {
    /// What a path looks like to the user.
    type Run;

    /// The run along a path to a goal; or what is wrong with it.
    fn confirm(&self, path: &Path) -> Result<Self::Run, String>;
}

/// The name of the estimate that is the model's own.
const OWN: &str = "own";

/// A typed model as a space.
pub struct Typed<'m, M>(pub &'m M);

impl<M: TypedModel> Space for Typed<'_, M> {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Expanding { model: self.0, words: vec![0; self.0.width()] })
    }
}

struct Expanding<'m, M> {
    model: &'m M,
    words: Vec<Word>,
}

impl<M: TypedModel> Expander for Expanding<'_, M> {
    fn initial(&mut self, out: &mut Batch) {
        self.model.pack(&self.model.initial(), &mut self.words);
        out.push(&self.words, Edge::default());
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let Expanding { model, words } = self;
        let mut choice = 0;
        model.steps(&model.unpack(state), &mut |label, next| {
            words.fill(0);
            model.pack(&next, words);
            out.push(words, Edge { label, choice });
            choice += 1;
        });
        out.set_deadlock(choice == 0);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        u64::from(self.model.is_goal(&self.model.unpack(state)))
    }
}

impl<M: TypedModel> HeuristicFactory for Typed<'_, M> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Own(self.0))
    }
}

struct Own<'m, M>(&'m M);

impl<M: TypedModel> Heuristic for Own<'_, M> {
    fn estimate(&mut self, state: &[Word], _: Option<Edge>) -> Cost {
        self.0.estimate(&self.0.unpack(state))
    }

    fn claims(&self) -> Claims {
        self.0.claims()
    }
}

impl<M: TypedModel> Witness for Typed<'_, M> {
    type Run = TypedRun<M>;

    fn confirm(&self, path: &Path) -> Result<Self::Run, String> {
        let mut state = self.0.initial();
        let mut run = Vec::with_capacity(path.len());
        for (number, (_, edge)) in path.steps().enumerate() {
            let (mut choice, mut taken) = (0, None);
            self.0.steps(&state, &mut |label, next| {
                if edge == (Edge { label, choice }) {
                    taken = Some(next);
                }
                choice += 1;
            });
            let shown = format!("step {} ({})", number + 1, edge.label);
            state = taken.ok_or_else(|| format!("{shown} is not possible in {state:?}"))?;
            run.push((edge.label, state.clone()));
        }
        match self.0.is_goal(&state) {
            true => Ok(run),
            false => Err(format!("{state:?} is no goal")),
        }
    }
}

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Answer<R> {
    /// The run to the goal, executed; none where there is none, or the search was cut.
    pub run: Option<R>,
    /// Whether no run is shorter.
    pub optimal: bool,
    /// Why not all was searched, where nothing was found and more may be there.
    pub unfinished: Option<String>,
    /// What the search did.
    pub statistics: Statistics,
}

/// Looks for the goal of a model.
pub fn search<M: TypedModel>(
    model: &M,
    strategy: &str,
    store: Option<&str>,
    limits: &Limits,
) -> Result<Answer<TypedRun<M>>, UsageError> {
    let sentence = UsageError::Sentence;
    let call = parse(strategy, "strategy").map_err(sentence)?;
    let (strategy, _) = build(&call, 1).map_err(sentence)?;
    let wrong = match (&strategy.estimate, &strategy.plan) {
        _ if strategy.prefer.is_some() => Some("preferences are made from the text of a model"),
        (_, Plan::Auto(_) | Plan::Refine(_)) => Some("it plans by the text of a model"),
        (_, Plan::Race(_)) => Some("one search runs over a model written in Rust"),
        (Some(estimate), Plan::Once) if estimate.name != OWN => {
            Some("a model written in Rust has one estimate, `own`")
        }
        _ => None,
    };
    if let Some(why) = wrong {
        return Err(sentence(format!("`{call}` cannot be taken: {why}")));
    }
    let space = Typed(model);
    let heuristic = strategy.estimate.is_some().then_some(Typed(model));
    let guide = Guide {
        heuristic: heuristic.map(|own| Box::new(own) as Box<dyn HeuristicFactory + '_>),
        ..Guide::default()
    };
    let store = parse(store.unwrap_or(STORES[0].name), "store").map_err(sentence)?;
    let mut stores = Making::new(store_config(&space, limits), store).map_err(sentence)?;
    let task = Task { conditions: 1, ..Task::explore(&space) };
    let mut watch = Watch::new(limits.clone());
    let run = Context { task: &task, stores: &mut stores, guide: &guide, watch: &mut watch };
    let outcome = strategy.algorithm.run(run);
    let found = outcome.findings.conditions.first().and_then(Option::as_ref);
    let confirmed = found.map(|finding| space.confirm(&finding.path)).transpose();
    let run = confirmed.map_err(|why| UsageError::Internal(format!("the run found: {why}")))?;
    let lossy = stores.last().is_some_and(|store| !store.is_exact());
    let cut = outcome.stopped.map(|stopped| stop_reason(stopped, limits));
    let cut = cut.or(lossy.then(|| "the store may take two states for one".into()));
    Ok(Answer {
        unfinished: cut.filter(|_| run.is_none()),
        optimal: outcome.optimal && run.is_some(),
        run,
        statistics: outcome.statistics,
    })
}
