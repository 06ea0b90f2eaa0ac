//! Ways to search that must agree: strategies, stores, reduction, symmetry,
//! passes, what zones are made of, and each of them without machine code.

use homing::{
    Execution, Extrapolation, Options, PassSelection, Reduction, Subsumption, UseEngine,
    UseReduction, UseSymmetry, Zones,
};

use super::ours::limits;

/// A way to search.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// As on the command line.
    pub name: String,
    pub options: Options,
    /// Whether it always answers, size aside.
    pub complete: bool,
}

impl Configuration {
    /// The same without machine code.
    pub fn interpreted(self) -> Configuration {
        let engine = UseEngine::Explicit(Execution::Interpreted);
        let options = Options { engine, ..self.options };
        Configuration { name: format!("{} --engine interpreter", self.name), options, ..self }
    }
}

/// Strategies that look for anything, with their stores.
const BLIND: &[(&str, &str, bool)] = &[
    ("auto", "", true),
    ("breadth", "tree", true),
    ("depth", "exact", true),
    ("random-depth", "tree", true),
    ("breadth", "hash-compact", false),
    ("frontier", "", true),
    ("dijkstra", "", true),
];

/// Strategies that are directed at a goal.
const DIRECTED: &[(&str, bool)] = &[
    ("greedy(goal-count)", true),
    ("greedy(relaxed-trace)", true),
    ("greedy(relaxed-trace, prefer=helpful)", true),
    ("greedy(hadd)", true),
    ("greedy(hff, prefer=useless)", true),
    ("greedy(landmarks)", true),
    ("greedy(fsm-sum, prefer=useless)", true),
    ("greedy(formula, prefer=contexts)", true),
    ("greedy(hamming)", true),
    ("greedy(lazy(relaxed-trace))", true),
    ("astar(goal-count)", true),
    ("astar(hamming)", true),
    ("astar(fsm-max)", true),
    ("astar(relaxed-layers)", true),
    ("astar(lmcut)", true),
    ("astar(abstraction)", true),
    ("astar(database)", true),
    ("astar(russian-doll)", true),
    ("astar(perimeter)", true),
    ("astar(max([fsm-max, relaxed-layers]))", true),
    ("weighted(relaxed-layers)", true),
    ("k-best(formula)", true),
    ("beam(relaxed-trace)", false),
    ("broadening(fsm-sum)", true),
    ("breadth-heuristic(fsm-max)", true),
    ("beam-stack(fsm-max)", true),
    ("idastar(fsm-max)", true),
    ("branch-and-bound(fsm-max)", true),
    ("threshold", true),
    ("refining", true),
    ("sma(fsm-max)", true),
    ("perimeter", true),
    ("hill-climbing(fsm-sum)", false),
];

/// Strategies for runs without an end.
const LASSOS: &[&str] =
    &["tarjan", "nested", "ndfs", "couvreur", "streett", "owcty", "directed-nested"];

fn base() -> Options {
    Options { limits: limits(), ..Options::default() }
}

/// The way all others are compared with: everything is searched, nothing left out.
pub fn plain() -> Options {
    let passes = PassSelection { off: vec!["all".into()], on: Vec::new() };
    let (reduction, symmetry) = (UseReduction::Never, UseSymmetry::Never);
    Options { strategy: Some("breadth".into()), passes, reduction, symmetry, ..base() }
}

fn with(name: impl Into<String>, complete: bool, options: Options) -> Configuration {
    Configuration { name: name.into(), complete, options }
}

fn strategy(strategy: &str, store: &str, complete: bool) -> Configuration {
    let mut options = Options { strategy: Some(strategy.into()), ..base() };
    let mut name = format!("--strategy '{strategy}'");
    if !store.is_empty() {
        options.store = Some(store.into());
        name += &format!(" --store {store}");
    }
    with(name, complete, options)
}

/// What may be said to any strategy.
fn reduced() -> Vec<Configuration> {
    let breadth = || Options { strategy: Some("breadth".into()), ..base() };
    let mut all = Vec::new();
    for (name, reduction) in [
        ("static", Reduction::Static),
        ("stubborn", Reduction::Stubborn),
        ("goal", Reduction::Goal),
    ] {
        let options = || Options { reduction: UseReduction::By(reduction), ..breadth() };
        all.push(with(format!("--reduction {name}"), true, options()));
        let depth = Options { strategy: Some("depth".into()), ..options() };
        all.push(with(format!("--strategy depth --reduction {name}"), true, depth));
    }
    all.push(with("--symmetry", true, Options { symmetry: UseSymmetry::Always, ..breadth() }));
    all
}

fn passes() -> Vec<Configuration> {
    let pass = |name: &str| {
        let passes = PassSelection { off: vec!["all".into()], on: vec![name.into()] };
        let options = Options { strategy: Some("breadth".into()), passes, ..base() };
        with(format!("--no-pass all --pass {name}"), true, options)
    };
    homing::Passes::NAMES.into_iter().chain(["all"]).map(pass).collect()
}

fn zones() -> Vec<Configuration> {
    let mut all = Vec::new();
    for (extrapolated, extrapolation) in
        [("m", Extrapolation::M), ("lu", Extrapolation::Lu), ("lu-plus", Extrapolation::LuPlus)]
    {
        for (compared, subsumption) in [
            ("inclusion", Subsumption::Inclusion),
            ("am", Subsumption::Am),
            ("alu", Subsumption::Alu),
        ] {
            for (local, arriving) in [(true, false), (false, true)] {
                let zones = Zones {
                    extrapolation: Some(extrapolation),
                    subsumption: Some(subsumption),
                    local: Some(local),
                    compare_local: Some(local),
                    arriving,
                };
                let options = Options { strategy: Some("breadth".into()), zones, ..base() };
                let name = format!(
                    "--extrapolation {extrapolated} --subsumption {compared}, constants of each \
                     location {local}, zones on arrival {arriving}"
                );
                all.push(with(name, true, options));
            }
        }
    }
    all
}

/// Ways to look for anything.
pub fn blind(timed: bool) -> Vec<Configuration> {
    let fits = |(_, store, _): &&(&str, &str, bool)| !timed || store.is_empty();
    let strategies = BLIND.iter().filter(fits);
    let strategies = strategies.map(|(name, store, complete)| strategy(name, store, *complete));
    let plain = with("--strategy breadth --no-pass all", true, plain());
    let mut all: Vec<Configuration> = strategies.chain(passes()).chain([plain]).collect();
    all.extend(if timed { zones() } else { reduced() });
    if timed {
        let symmetry = UseSymmetry::Always;
        let symmetric = Options { symmetry, strategy: Some("breadth".into()), ..base() };
        all.push(with("--symmetry", true, symmetric));
    }
    all
}

/// Ways to look for a goal.
pub fn directed(timed: bool) -> Vec<Configuration> {
    let directed = DIRECTED.iter().map(|(name, complete)| strategy(name, "", *complete));
    blind(timed).into_iter().chain(directed).collect()
}

/// Ways to look for runs without an end.
pub fn lassos() -> Vec<Configuration> {
    let plain = LASSOS.iter().map(|name| strategy(name, "", true));
    let reduced = LASSOS.iter().take(4).map(|name| {
        let mut reduced = strategy(name, "", true);
        reduced.options.reduction = UseReduction::By(Reduction::Stubborn);
        reduced.name += " --reduction stubborn";
        reduced
    });
    plain.chain(reduced).chain([strategy("auto", "", true)]).collect()
}
