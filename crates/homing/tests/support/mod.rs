//! What several tests of the façade need.
#![allow(dead_code, clippy::unwrap_used)]

#[path = "../../../../tests/support/expectations.rs"]
pub mod expectations;
pub mod networks;
pub mod promela;

use homing::catalogue::{Capability, Kind, Row};
use homing::ir::Trace;
use homing::ir::interp::{Interpreter, ReplayProblem, RuntimeErrorKind, State};
use homing::ir::network::Expr;
use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::{Checked, Hooks, Limits, Model, Options};

/// A strategy and a store that fit each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Combination {
    /// The strategy's expression.
    pub strategy: String,
    /// Whether it needs a goal.
    pub directed: bool,
    /// Whether it always finds a shortest trace.
    pub shortest: bool,
    /// Whether it may find out without a search that there is nothing to find.
    pub proves: bool,
    /// The store's expression.
    pub store: String,
    /// Whether the store never takes two states for one.
    pub exact: bool,
    /// Whether it always ends with an answer.
    pub complete: bool,
    /// Whether it keeps every state it has seen.
    pub counts: bool,
}

impl Combination {
    /// Options that choose it.
    pub fn options(&self) -> Options {
        // What may go on for ever is stopped.
        let expansions = (!self.complete).then_some(20_000);
        Options {
            strategy: Some(self.strategy.clone()),
            store: Some(self.store.clone()),
            limits: Limits { expansions, ..Limits::default() },
            ..Options::default()
        }
    }

    /// The verdict on a property that holds.
    pub fn on_what_holds(&self) -> Verdict {
        if self.exact && self.complete { Verdict::Holds } else { Verdict::Unknown }
    }
}

/// Every strategy of the catalogue, directed ones with every estimate, with
/// every store that gives what it needs.
pub fn combinations() -> Vec<Combination> {
    let mut all = Vec::new();
    // Who wins a race is not the same in every run: see `races`.
    for strategy in of_kind(Kind::Strategy).filter(|row| row.name != "race") {
        for (number, (expression, prefer)) in expressions(&strategy).into_iter().enumerate() {
            let needs = strategy.needs.iter().chain(prefer.iter().flat_map(|row| row.needs));
            let needs: Vec<_> = needs.filter(|need| need.is_of_stores()).collect();
            let fitting = |store: &Row<()>| needs.iter().all(|need| store.gives(**need));
            // Every store with the first form of a strategy; of the others,
            // each with a store of its own turn.
            let stores: Vec<Row<()>> = of_kind(Kind::Store).filter(fitting).collect();
            for (turn, store) in stores.iter().enumerate() {
                if number == 0 || turn == number % stores.len() {
                    all.push(Combination {
                        strategy: expression.clone(),
                        // Some are directed where an estimate is given only.
                        directed: strategy.gives(Capability::Directed)
                            || prefer.is_some()
                            || expression.starts_with("directed-nested("),
                        shortest: strategy.gives(Capability::Shortest) && prefer.is_none(),
                        proves: strategy.name == "refining"
                            || !BLUNT.iter().any(|part| expression.ends_with(part)),
                        store: small(store.name),
                        exact: store.gives(Capability::Exact),
                        complete: strategy.gives(Capability::Complete),
                        // Under a threshold, most states are expanded many times.
                        counts: !strategy.gives(Capability::MemoryBounded)
                            && !strategy.gives(Capability::Lossy)
                            && strategy.name != "threshold",
                    });
                }
            }
        }
    }
    all
}

/// Directed strategies with the estimates that are made for deadlocks.
pub fn deadlock_combinations() -> Vec<Combination> {
    let mut all = Vec::new();
    for estimate in of_kind(Kind::Estimate).filter(|row| row.gives(Capability::Deadlock)) {
        for strategy in ["greedy", "astar"] {
            all.push(Combination {
                strategy: format!("{strategy}({})", estimate.name),
                directed: true,
                shortest: false,
                proves: true,
                store: "exact".into(),
                exact: true,
                complete: true,
                counts: true,
            });
        }
    }
    all
}

/// Races: blind and directed, with some that see everything.
pub fn races() -> Vec<Combination> {
    let race = |strategy: &str, directed| Combination {
        strategy: strategy.into(),
        directed,
        shortest: false,
        proves: directed,
        store: "exact".into(),
        exact: true,
        // Where all are directed, what dead ends hide may stay open.
        complete: !strategy.contains("beam"),
        counts: false,
    };
    vec![
        race("race", false),
        race("race('dijkstra; random-depth; breadth')", false),
        race("race('auto; depth')", false),
        race("race('greedy(relaxed-trace); breadth')", true),
        race("race('beam(goal-count, k=2); astar(hamming); guided-walk(goal-count)')", true),
    ]
}

/// The parts of one kind.
pub fn of_kind(kind: Kind) -> impl Iterator<Item = Row<()>> {
    homing::catalogue().into_iter().filter(move |row| row.kind == kind)
}

/// A strategy with every estimate it may be directed by, and with every
/// preference, around an estimate that tells it what it needs to know.
fn expressions(strategy: &Row<()>) -> Vec<(String, Option<Row<()>>)> {
    let name = strategy.name;
    let takes = |name: &str| strategy.parameters.iter().any(|parameter| parameter.name == name);
    let directed = takes("estimate");
    let mut all: Vec<(String, Option<Row<()>>)> = match directed {
        false => vec![(name.into(), None)],
        true => of_kind(Kind::Estimate)
            .filter(|estimate| !estimate.gives(Capability::Deadlock))
            .filter(|estimate| !DIAGRAMS.contains(&estimate.name) || FEW.contains(&name))
            .map(|estimate| (format!("{name}({})", example(estimate.name)), None))
            .collect(),
    };
    if !takes("prefer") {
        return all;
    }
    for prefer in of_kind(Kind::Preference) {
        let asks: Vec<Capability> =
            prefer.needs.iter().copied().filter(|need| !need.is_of_stores()).collect();
        let able = |row: &Row<()>| asks.iter().all(|need| row.gives(*need));
        let estimate = of_kind(Kind::Estimate).find(able);
        for call in preferences(prefer.name) {
            match (directed, &estimate) {
                (true, Some(estimate)) => {
                    all.push((format!("{name}({}, prefer={call})", estimate.name), Some(prefer)));
                }
                (false, _) if asks.is_empty() => {
                    all.push((format!("{name}(prefer={call})"), Some(prefer)));
                }
                _ => {}
            }
        }
    }
    all
}

/// Estimates that encode the model anew for each search, and the strategies that try them here:
/// the one that relies on all they promise. `crates/guide/tests/claims` holds them to it.
const DIAGRAMS: &[&str] = &["inferred", "symbolic-database"];
const FEW: &[&str] = &["astar"];

/// How strategies end that prune nothing.
const BLUNT: &[&str] = &[
    "breadth",
    "depth",
    "dijkstra",
    "(goal-count)",
    "prune=0))",
    "bounding)",
    "contexts))",
    "bound=0))",
];

/// An estimate with the arguments it cannot do without.
pub fn example(estimate: &str) -> String {
    match estimate {
        "expression" => "expression('0')".into(),
        "max" | "sum" | "ties" | "each" | "novelty" => format!("{estimate}([goal-count, fsm-max])"),
        "weight" => "weight(fsm-sum, by=3)".into(),
        "lazy" | "cached" => format!("{estimate}(fsm-sum)"),
        "inferred" => "inferred(depth=3)".into(),
        "symbolic-database" => "symbolic-database(bits=8)".into(),
        other => other.into(),
    }
}

/// A preference in all its forms.
fn preferences(name: &str) -> Vec<&str> {
    match name {
        "bounding" => {
            vec!["bounding", "bounding(over=contexts)", "bounding(over=contexts, bound=0)"]
        }
        "contexts" => vec!["contexts", "contexts(prune=0)"],
        "useless" => vec!["useless", "useless(queues=1)"],
        "helpful" => vec!["helpful", "helpful(queues=1)"],
        other => vec![other],
    }
}

/// A store that does not ask for the machine's memory at once.
fn small(store: &str) -> String {
    match store {
        "bitstate" => "bitstate(bits=20)".into(),
        other => other.into(),
    }
}

/// Checks, and expects an answer.
pub fn check(model: &Model, options: &Options) -> Checked {
    homing::check(model, options, Hooks::default())
        .unwrap_or_else(|error| panic!("{}: {error}", model.network.name))
}

/// What the last state of a trace is, by the interpreter; `None` where the
/// last step fails. Anything else is a wrong trace.
pub fn end(interpreter: &Interpreter, trace: &Trace) -> Option<State> {
    match interpreter.replay(trace) {
        Ok(states) => states.last().cloned(),
        Err(error) => {
            assert_eq!(error.step + 1, trace.steps.len(), "the trace does not replay: {error}");
            assert!(matches!(error.problem, ReplayProblem::Fault(_)), "not enabled: {error}");
            None
        }
    }
}

/// Whether the last step of a trace fails by an assertion.
pub fn fails_by_assertion(interpreter: &Interpreter, trace: &Trace) -> bool {
    let failed = interpreter.replay(trace).err().map(|error| error.problem);
    matches!(failed, Some(ReplayProblem::Fault(error))
        if error.kind == RuntimeErrorKind::AssertionFailed)
}

/// Whether an expression holds; one that cannot be evaluated does not.
pub fn holds(interpreter: &Interpreter, state: &State, expr: &Expr) -> bool {
    interpreter.eval(state, expr).is_ok_and(|value| value != 0)
}

/// A result's numbers fit each other.
pub fn expect_sane(result: &PropertyOutcome, with: &Combination) {
    let statistics = result.statistics;
    if !with.counts {
        return;
    }
    assert!(statistics.stored >= 1, "the initial state: {result:?}");
    assert!(statistics.peak_bytes > 0 && statistics.seconds >= 0.0, "{result:?}");
    assert!(statistics.generated + 1 >= statistics.stored, "{result:?}");
    // A* may expand a state again, and `auto` looks for a shorter way.
    // Zones that others cover are not counted as stored any more.
    let timed = result.trace.as_ref().is_some_and(|trace| trace.time.is_some());
    let covers = timed || with.store == "covering";
    let again = with.directed || with.strategy == "auto" || covers;
    assert!(again || statistics.expanded <= statistics.stored, "{result:?}");
    if let Some(trace) = &result.trace {
        assert_eq!(trace.length, trace.steps.len());
        assert!(trace.cause.is_some(), "{result:?}");
        // The failing step is not generated.
        let most = if covers { statistics.generated + 1 } else { statistics.stored };
        assert!(trace.length as u64 <= most, "{result:?}");
    }
}
