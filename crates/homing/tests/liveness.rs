//! Formulas of random networks: what every strategy says, against a decision
//! procedure of another kind on the interpreter's states.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::cell::Cell;
use std::collections::BTreeMap;

use homing::catalogue::{Capability, Kind};
use homing::ir::automaton::{Automaton, Cube, Transition};
use homing::ir::interp::{Interpreter, State};
use homing::ir::network::{EdgeRef, Expr, ExprKind, LocationId, ProcessId, Property, PropertyKind};
use homing::ir::random::regions::Regions;
use homing::ir::random::{TimedKnobs, config, timed_networks_with_goals};
use homing::ir::source::Span;
use homing::ir::temporal::{Connective, Formula};
use homing::ir::{Network, Step, Trace};
use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::witness::Forbidden;
use homing::witness::infinite::forbidden;
use homing::witness::outcome::CauseKind;
use homing::{Crew, Fairness, Hooks, Model, Options, Reduction, UsageError, UseReduction};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use support::expectations::{formulas as expected_formulas, models};
use support::networks::{model, samples};
use support::of_kind;

/// Networks with more states are left to others.
const LIMIT: usize = 150;

/// The reachable states of a network.
struct Graph {
    states: Vec<State>,
    /// By state, where its steps lead and who takes part in each.
    steps: Vec<Vec<(usize, u64)>>,
    /// By state, who has a step.
    enabled: Vec<u64>,
    /// Whether some step fails.
    fails: bool,
}

impl Graph {
    /// The states, unless there are too many. Where there is no step, the system
    /// stays where it is; where all fail, if it `rests` then.
    fn new(interpreter: &Interpreter, rests: bool) -> Option<Graph> {
        let mut graph = Graph {
            states: vec![interpreter.initial()],
            steps: Vec::new(),
            enabled: Vec::new(),
            fails: false,
        };
        let mut next = 0;
        while next < graph.states.len() {
            let found = interpreter.steps(&graph.states[next]);
            let (mut steps, mut enabled) = (Vec::new(), 0);
            for (step, result) in &found {
                let who = step.all().fold(0, |all, edge| all | 1 << edge.process.index());
                enabled |= who;
                let Ok(state) = result else {
                    graph.fails = true;
                    continue;
                };
                let known = graph.states.iter().position(|other| other == state);
                let number = known.unwrap_or(graph.states.len());
                if known.is_none() {
                    graph.states.push(state.clone());
                }
                steps.push((number, who));
            }
            if found.is_empty() || rests && steps.is_empty() {
                steps.push((next, 0));
            }
            graph.steps.push(steps);
            graph.enabled.push(enabled);
            if graph.states.len() > LIMIT {
                return None;
            }
            next += 1;
        }
        Some(graph)
    }

    /// The regions of a network with clocks, unless there are too many. Time passes step
    /// by step; where it may pass for ever, or nothing happens any more, it is a loop.
    fn of_regions(interpreter: &Interpreter, atoms: &[Expr]) -> Option<Graph> {
        let regions = Regions::explore(interpreter, atoms, LIMIT);
        let ends = regions.ends(interpreter);
        let steps = (0..regions.states.len()).map(|region| {
            let own = ends[region].then_some(region);
            let next = regions.next[region].iter().chain(&regions.later[region]).copied();
            next.chain(own).map(|to| (to, 0)).collect()
        });
        regions.complete.then(|| Graph {
            steps: steps.collect(),
            enabled: vec![0; regions.states.len()],
            fails: !regions.faults.is_empty(),
            states: regions.states.clone(),
        })
    }
}

/// Lichtenstein, Pnueli, "Checking that finite state concurrent programs satisfy
/// their linear specification" (1985): a node is a state and, for every temporal
/// operator of the formula, a guess what holds in the next state. A run violates the
/// formula if its nodes agree with each other, all that is promised comes, and the
/// formula is false of the first.
struct Tableau<'a> {
    graph: &'a Graph,
    /// By state, which atoms hold.
    letters: Vec<u64>,
    operators: Vec<&'a Formula<usize>>,
}

impl<'a> Tableau<'a> {
    fn new(graph: &'a Graph, letters: Vec<u64>, formula: &'a Formula<usize>) -> Tableau<'a> {
        let mut operators = Vec::new();
        let mut left = vec![formula];
        while let Some(formula) = left.pop() {
            match formula {
                Formula::Constant(_) | Formula::Atom(_) => {}
                Formula::Not(f) => left.push(f),
                Formula::Next(f) | Formula::Finally(f) | Formula::Globally(f) => {
                    operators.push(formula);
                    left.push(f);
                }
                Formula::Binary(op, f, g) => {
                    left.extend([&**f, &**g]);
                    if op.sign().chars().all(char::is_alphabetic) {
                        operators.push(formula);
                    }
                }
            }
        }
        Tableau { graph, letters, operators }
    }

    /// Whether a formula holds in a node.
    fn value(&self, formula: &Formula<usize>, (state, guess): (usize, u32)) -> bool {
        let node = (state, guess);
        let later = || {
            let number = self.operators.iter().position(|one| std::ptr::eq(*one, formula));
            guess >> number.unwrap() & 1 == 1
        };
        match formula {
            Formula::Constant(value) => *value,
            Formula::Atom(atom) => self.letters[state] >> atom & 1 == 1,
            Formula::Not(f) => !self.value(f, node),
            Formula::Next(_) => later(),
            Formula::Finally(f) => self.value(f, node) || later(),
            Formula::Globally(f) => self.value(f, node) && later(),
            Formula::Binary(op, f, g) => {
                let (f, g) = (self.value(f, node), self.value(g, node));
                match op {
                    Connective::And => f && g,
                    Connective::Or => f || g,
                    Connective::Implies => !f || g,
                    Connective::Iff => f == g,
                    Connective::Until | Connective::WeakUntil => g || f && later(),
                    Connective::Release => g && (f || later()),
                }
            }
        }
    }

    /// Which of the promises a node does not leave open.
    fn kept(&self, node: (usize, u32)) -> u64 {
        let kept = |formula: &Formula<usize>| {
            let holds = self.value(formula, node);
            match formula {
                Formula::Finally(f) => !holds || self.value(f, node),
                Formula::Globally(f) => holds || !self.value(f, node),
                Formula::Binary(Connective::Until, _, g) => !holds || self.value(g, node),
                Formula::Binary(Connective::WeakUntil, f, g) => {
                    holds || !self.value(f, node) && !self.value(g, node)
                }
                Formula::Binary(Connective::Release, _, g) => holds || !self.value(g, node),
                _ => true,
            }
        };
        let all = self.operators.iter().enumerate();
        all.filter(|(_, one)| kept(one)).fold(0, |all, (i, _)| all | 1 << i)
    }

    /// Whether what one node guesses is so in the next.
    fn agree(&self, guess: u32, next: (usize, u32)) -> bool {
        self.operators.iter().enumerate().all(|(i, formula)| {
            let holds = match formula {
                Formula::Next(f) => self.value(f, next),
                formula => self.value(formula, next),
            };
            guess >> i & 1 == u32::from(holds)
        })
    }

    /// Whether some run, fair where that is asked for, violates the formula.
    fn is_violated(&self, formula: &Formula<usize>, fairness: Fairness) -> bool {
        let guesses = 0..1_u32 << self.operators.len();
        let mut nodes: Vec<(usize, u32)> = guesses.clone().map(|guess| (0, guess)).collect();
        nodes.retain(|node| !self.value(formula, *node));
        let mut numbers: BTreeMap<(usize, u32), usize> =
            nodes.iter().enumerate().map(|(i, node)| (*node, i)).collect();
        // By node its successors, with who takes part.
        let mut edges: Vec<Vec<(usize, u64)>> = Vec::new();
        let mut at = 0;
        while at < nodes.len() {
            let (state, guess) = nodes[at];
            let mut leaving = Vec::new();
            for (to, who) in &self.graph.steps[state] {
                for next in guesses.clone().map(|guess| (*to, guess)) {
                    if self.agree(guess, next) {
                        let number = *numbers.entry(next).or_insert_with(|| {
                            nodes.push(next);
                            nodes.len() - 1
                        });
                        leaving.push((number, *who));
                    }
                }
            }
            edges.push(leaving);
            at += 1;
        }
        let everyone = self.graph.enabled.iter().fold(0, |all, who| all | who);
        // Whom a run never lets move, by not passing states in which they could: of
        // strongly fair runs everybody else moves again and again.
        let idle: Vec<u64> = match fairness {
            Fairness::Strong => subsets(everyone),
            Fairness::None | Fairness::Weak => vec![0],
        };
        idle.into_iter().any(|idle| {
            let stays = |node: usize| self.graph.enabled[nodes[node].0] & idle == 0;
            let mut left = edges.clone();
            for (node, leaving) in left.iter_mut().enumerate() {
                leaving.retain(|(to, _)| stays(node) && stays(*to));
                if fairness == Fairness::Weak {
                    let waiting = !self.graph.enabled[nodes[node].0];
                    leaving.iter_mut().for_each(|(_, who)| *who |= waiting);
                }
            }
            let needed = if fairness == Fairness::None { 0 } else { everyone & !idle };
            self.has_run(&nodes, &left, needed)
        })
    }

    /// Whether some component keeps all promises and treats those who are `needed`.
    fn has_run(&self, nodes: &[(usize, u32)], edges: &[Vec<(usize, u64)>], needed: u64) -> bool {
        let promises = (1 << self.operators.len()) - 1;
        self.components(edges).iter().any(|component| {
            let inside = |number: &usize| component.contains(number);
            let loops = component.iter().any(|n| edges[*n].iter().any(|(to, _)| inside(to)));
            let kept = component.iter().fold(0, |all, n| all | self.kept(nodes[*n]));
            let treated = component
                .iter()
                .flat_map(|n| edges[*n].iter().filter(|(to, _)| inside(to)))
                .fold(0, |all, (_, who)| all | who);
            loops && kept & promises == promises && needed & !treated == 0
        })
    }

    /// The strongly connected components, by forward and backward reachability.
    fn components(&self, edges: &[Vec<(usize, u64)>]) -> Vec<Vec<usize>> {
        let mut back: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
        for (from, leaving) in edges.iter().enumerate() {
            leaving.iter().for_each(|(to, _)| back[*to].push(from));
        }
        let reach = |from: usize, next: &dyn Fn(usize) -> Vec<usize>| {
            let mut seen = vec![false; edges.len()];
            let mut open = vec![from];
            seen[from] = true;
            while let Some(node) = open.pop() {
                for to in next(node) {
                    if !std::mem::replace(&mut seen[to], true) {
                        open.push(to);
                    }
                }
            }
            seen
        };
        let mut found = vec![false; edges.len()];
        let mut components = Vec::new();
        for node in 0..edges.len() {
            if found[node] {
                continue;
            }
            let ahead = reach(node, &|n| edges[n].iter().map(|(to, _)| *to).collect());
            let behind = reach(node, &|n| back[n].clone());
            let component: Vec<usize> =
                (0..edges.len()).filter(|n| ahead[*n] && behind[*n]).collect();
            component.iter().for_each(|n| found[*n] = true);
            components.push(component);
        }
        components
    }
}

/// All subsets of a set of bits.
fn subsets(all: u64) -> Vec<u64> {
    let next = |set: &u64| (*set != all).then(|| (set | !all).wrapping_add(1) & all);
    std::iter::successors(Some(0), next).collect()
}

/// Formulas with few temporal operators, over three atoms.
fn formulas() -> impl Strategy<Value = Formula<usize>> {
    let leaf = prop_oneof![
        8 => (0..3_usize).prop_map(Formula::Atom),
        1 => any::<bool>().prop_map(Formula::Constant),
    ];
    let formulas = leaf.prop_recursive(3, 8, 2, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let connective = prop_oneof![
            Just(Connective::And),
            Just(Connective::Or),
            Just(Connective::Implies),
            Just(Connective::Iff),
            Just(Connective::Until),
            Just(Connective::WeakUntil),
            Just(Connective::Release),
        ];
        prop_oneof![
            1 => boxed.clone().prop_map(Formula::Not),
            1 => boxed.clone().prop_map(Formula::Next),
            2 => boxed.clone().prop_map(Formula::Finally),
            2 => boxed.prop_map(Formula::Globally),
            4 => (connective, inner.clone(), inner).prop_map(|(op, f, g)| Formula::binary(op, f, g)),
        ]
    });
    let again = |f| Formula::Globally(Box::new(Formula::Finally(Box::new(f))));
    prop_oneof![4 => formulas.clone(), 1 => formulas.prop_map(again)]
}

/// Strategies that look for lassos, and some that need a state recorded.
fn strategies() -> Vec<String> {
    let lassos = of_kind(Kind::Strategy).filter(|row| row.gives(Capability::Lassos));
    let names = lassos.map(|row| row.name.to_string());
    let others = ["auto", "breadth", "depth", "dijkstra", "greedy(goal-count)", "astar(fsm-max)"];
    let inner = ["directed-nested(inner=fsm-max)", "directed-nested(hamming, inner=fsm-sum)"];
    let races = ["race('couvreur; breadth')", "race('astar(fsm-max); cndfs; greedy(goal-count)')"];
    others.into_iter().chain(inner).chain(races).map(String::from).chain(names).collect()
}

/// Those of them that decide under this fairness.
fn deciding(fairness: Fairness) -> Vec<String> {
    let pairs = |name: &String| {
        let mut rows = of_kind(Kind::Strategy);
        name == "auto" || rows.any(|row| row.name == name && row.gives(Capability::Pairs))
    };
    let mut strategies = strategies();
    strategies.retain(|name| fairness != Fairness::Strong || pairs(name));
    strategies
}

/// What is said of the formula; nothing where the model is none that can be reduced.
fn checked(
    model: &Model,
    strategy: &str,
    fairness: Fairness,
    reduction: Option<Reduction>,
) -> Option<PropertyOutcome> {
    let options = Options {
        properties: vec!["f".into()],
        strategy: Some(strategy.into()),
        fairness,
        // Some search by several threads from the first state on.
        crew: Crew::of(if strategy == "cndfs" { 3 } else { 1 }),
        reduction: reduction.map_or(UseReduction::Never, UseReduction::By),
        ..Options::default()
    };
    match homing::check(model, &options, Hooks::default()) {
        Ok(mut checked) => checked.outcome.results.pop(),
        Err(UsageError::Sentence(_)) if reduction.is_some() => None,
        Err(error) => panic!("{strategy}: {error}"),
    }
}

/// The run that a strategy finds, made shorter: its length, and whether it is called
/// shortest. It is a run that the formula forbids, and no longer than before.
fn shortened(model: &Model, strategy: &str, fairness: Fairness) -> (usize, bool) {
    let options = Options {
        properties: vec!["f".into()],
        strategy: Some(strategy.into()),
        fairness,
        ..Options::default()
    };
    let checked = homing::check(model, &options, Hooks::default()).unwrap();
    let [(name, long)] = &checked.traces[..] else { panic!("{strategy} finds one run") };
    let options = Options { fairness, ..Options::default() };
    let shortened = homing::shorten(model, &options, long, name, Hooks::default()).unwrap();
    let length = shortened.trace.steps.len();
    assert!(length <= long.steps.len());
    assert_eq!(shortened.outcome.before, long.steps.len() as u64);
    assert_eq!(shortened.outcome.trace.length, length);
    homing::replay(model, &shortened.trace, name).unwrap();
    (length, shortened.outcome.optimal)
}

/// Which atoms hold in a state.
fn letter(interpreter: &Interpreter, atoms: &[Expr], state: &State) -> u64 {
    let holds = |atom: &Expr| interpreter.eval(state, atom).is_ok_and(|value| value != 0);
    atoms.iter().rev().fold(0, |letter, atom| letter << 1 | u64::from(holds(atom)))
}

/// A model with atoms, a formula over them, which runs count, and what is left out.
type Sample = ((Model, Vec<Expr>), Formula<usize>, Fairness, Option<Reduction>);

#[test]
fn oracle_formulas_of_random_networks() {
    compare(prop_oneof![Just(Fairness::None), Just(Fairness::Weak)].boxed());
}

#[test]
fn oracle_formulas_of_random_networks_under_strong_fairness() {
    compare(Just(Fairness::Strong).boxed());
}

fn compare(fairness: BoxedStrategy<Fairness>) {
    let (compared, violated) = (Cell::new(0), Cell::new(0));
    let reductions =
        prop_oneof![Just(None), Just(Some(Reduction::Static)), Just(Some(Reduction::Stubborn)),];
    let samples = (samples(), formulas(), fairness, reductions);
    let mut runner = TestRunner::new(config(200));
    let test = |((mut model, atoms), formula, fairness, reduction): Sample| {
        let fair = fairness != Fairness::None;
        let of_atoms = formula.try_map(&mut |atom: &usize| Ok::<_, ()>(atoms[*atom].clone()));
        let kind = PropertyKind::Temporal(Box::new(of_atoms.unwrap()));
        let property = Property { name: "f".into(), span: Span::default(), kind };
        model.network.properties = vec![property];
        let Ok(interpreter) = Interpreter::new(&model.network) else { return Ok(()) };
        let Some(graph) = Graph::new(&interpreter, false) else { return Ok(()) };
        let Some(resting) = Graph::new(&interpreter, true) else { return Ok(()) };
        let letters = graph.states.iter().map(|state| letter(&interpreter, &atoms, state));
        let letters: Vec<u64> = letters.collect();
        let tableau = Tableau::new(&graph, letters.clone(), &formula);
        // A run that is to be fair to one whose every step fails comes to an end.
        if tableau.operators.len() > 5 || fair && graph.fails {
            return Ok(());
        }
        // Runs that end in an error are no runs, but may have shown enough.
        let violates = tableau.is_violated(&formula, fairness);
        if violates != Tableau::new(&resting, letters, &formula).is_violated(&formula, fairness) {
            return Ok(());
        }
        let expected = match violates {
            true => Verdict::Violated,
            false => Verdict::Holds,
        };
        let mut shortest = None;
        let mut lengths = Vec::new();
        for strategy in &deciding(fairness) {
            let Some(result) = checked(&model, strategy, fairness, reduction) else { continue };
            // What lies behind a step that fails is not known, nor what an atom means
            // where it cannot be evaluated.
            let unknown = ["what it asks cannot be evaluated", "an estimate has proven"];
            let evaluated = !unknown.iter().any(|why| result.reason.starts_with(why));
            if (graph.fails || !evaluated) && !violates && result.verdict == Verdict::Unknown {
                continue;
            }
            prop_assert_eq!(
                result.verdict,
                expected,
                "{} {:?}: {} of {:?}",
                strategy,
                reduction,
                result.reason,
                formula
            );
            let length = result.trace.map(|trace| trace.length);
            if result.optimal {
                shortest = shortest.or(length);
            }
            lengths.extend(length);
        }
        compared.set(compared.get() + 1);
        violated.set(violated.get() + usize::from(expected == Verdict::Violated));
        if let (Some(shortest), Some(least)) = (shortest, lengths.iter().min()) {
            prop_assert!(shortest <= *least, "{} is not shortest: {:?}", shortest, lengths);
        }
        if violates && fairness != Fairness::Strong {
            let (length, optimal) = shortened(&model, "ndfs", fairness);
            let least = lengths.iter().copied().min().unwrap_or(length);
            prop_assert!(!optimal || length <= least, "{} is not shortest: {:?}", length, lengths);
            prop_assert!(shortest.is_none_or(|shortest| length >= shortest), "{} steps", length);
        }
        Ok(())
    };
    runner.run(&samples, test).unwrap();
    eprintln!("{} formulas, {} violated", compared.get(), violated.get());
    assert!(violated.get() * 5 > compared.get() && violated.get() < compared.get());
}

/// Whether a formula may tell how often a state is repeated.
fn mentions_next(formula: &Formula<usize>) -> bool {
    match formula {
        Formula::Next(_) => true,
        Formula::Constant(_) | Formula::Atom(_) => false,
        Formula::Not(f) | Formula::Finally(f) | Formula::Globally(f) => mentions_next(f),
        Formula::Binary(_, f, g) => mentions_next(f) || mentions_next(g),
    }
}

/// With clocks: the product with zones, against the same tableau on regions, for formulas
/// that cannot tell a delay from none.
#[test]
fn oracle_formulas_of_random_timed_networks() {
    let (compared, violated) = (Cell::new(0), Cell::new(0));
    let knobs = TimedKnobs { copies: false, ..TimedKnobs::everything() };
    let samples = (timed_networks_with_goals(knobs, 3), formulas());
    let test = |((network, atoms), formula): ((Network, Vec<Expr>), Formula<usize>)| {
        let mut model = model(network, &[]);
        let of_atoms = formula.try_map(&mut |atom: &usize| Ok::<_, ()>(atoms[*atom].clone()));
        let kind = PropertyKind::Temporal(Box::new(of_atoms.unwrap()));
        model.network.properties = vec![Property { name: "f".into(), span: Span::default(), kind }];
        let interpreter = Interpreter::new(&model.network).unwrap();
        let Some(graph) = Graph::of_regions(&interpreter, &atoms) else { return Ok(()) };
        let letters = graph.states.iter().map(|state| letter(&interpreter, &atoms, state));
        let tableau = Tableau::new(&graph, letters.collect(), &formula);
        if tableau.operators.len() > 5 || mentions_next(&formula) || graph.fails {
            return Ok(());
        }
        let violates = tableau.is_violated(&formula, Fairness::None);
        let expected = if violates { Verdict::Violated } else { Verdict::Holds };
        for strategy in strategies() {
            let Some(result) = checked(&model, &strategy, Fairness::None, None) else { continue };
            let unasked = result.reason.contains("not for clocks");
            if result.verdict == Verdict::Unknown && unasked {
                return Ok(());
            }
            let told = (&strategy, &result.reason, &formula);
            prop_assert_eq!(result.verdict, expected, "{:?}", told);
            let untold = result.trace.as_ref().is_some_and(|trace| {
                let cause = trace.cause.as_ref().unwrap();
                cause.message.starts_with("and so on") != trace.repeats.is_some()
            });
            prop_assert!(!untold, "{:?}", told);
        }
        compared.set(compared.get() + 1);
        violated.set(violated.get() + usize::from(violates));
        Ok(())
    };
    TestRunner::new(config(400)).run(&samples, test).unwrap();
    eprintln!("{} formulas, {} violated", compared.get(), violated.get());
    assert!(compared.get() >= 50, "{}", compared.get());
    assert!(violated.get() * 5 > compared.get() && violated.get() < compared.get());
}

/// The project's own models mean what their first lines say of runs without an end,
/// and every run that is found can be replayed by its name.
#[test]
fn models_satisfy_the_formulas_they_say() {
    let mut met = [0; 2];
    for path in ["dve", "promela"].into_iter().flat_map(models) {
        let text = std::fs::read_to_string(&path).unwrap();
        for (formula, expected) in expected_formulas(&text) {
            let model = homing::load(&path).unwrap();
            let kinds = [Fairness::None, Fairness::Weak, Fairness::Strong];
            for (fairness, holds) in kinds.into_iter().zip(expected) {
                for strategy in deciding(fairness) {
                    let about =
                        format!("{}: {formula} by {strategy}, {fairness:?}", path.display());
                    let options = Options {
                        formulas: vec![formula.clone()],
                        strategy: Some(strategy),
                        fairness,
                        ..Options::default()
                    };
                    let checked = homing::check(&model, &options, Hooks::default()).unwrap();
                    let result = &checked.outcome.results[0];
                    let verdict = if holds { Verdict::Holds } else { Verdict::Violated };
                    assert_eq!(result.verdict, verdict, "{about}: {}", result.reason);
                    for (name, trace) in &checked.traces {
                        let replayed = homing::replay(&model, trace, name).unwrap();
                        let shown = result.trace.as_ref().unwrap();
                        assert_eq!(replayed.steps, shown.steps, "{about}");
                        assert_eq!(replayed.repeats, shown.repeats, "{about}");
                        let kinds = [&replayed, shown].map(|one| one.cause.as_ref().unwrap().kind);
                        assert_eq!(kinds[0], kinds[1], "{about}");
                    }
                    met[usize::from(holds)] += 1;
                }
            }
        }
    }
    assert!(met.iter().all(|met| *met > 20), "{met:?}");
}

/// A run that is none of those forbidden is not taken for one.
#[test]
fn confirmation_may_fail() {
    let text = "byte x; process P { state a, b; init a; trans a -> b { effect x = 1; },
        b -> a { effect x = 0; }; } process Q { state a; init a; trans a -> a {}; } system async;";
    let model = homing::parse("m.dve", text).unwrap();
    let options = Options { formulas: vec!["[] <> x == 1".into()], ..Options::default() };
    let checked = homing::check(&model, &options, Hooks::default()).unwrap();
    let (name, trace) = &checked.traces[0];
    let kind = |trace: &Trace| {
        let cause = homing::replay(&model, trace, name).unwrap().cause;
        cause.map(|cause| cause.kind)
    };
    assert_eq!(kind(trace), Some(CauseKind::Forever));
    // Without its loop it shows nothing; nor with steps that lead elsewhere, nor with
    // a loop that is none.
    assert_eq!(kind(&Trace { repeats: None, ..trace.clone() }), None);
    let step = |process| {
        let edge = EdgeRef { process: ProcessId(process), edge: 0, branch: 0 };
        Step::new(vec![edge])
    };
    let moves = Trace { repeats: Some(0), ..Trace::new(vec![step(0)]) };
    assert_eq!(kind(&moves), None);
    let other = EdgeRef { process: ProcessId(0), edge: 1, branch: 0 };
    let around = vec![step(0), Step::new(vec![other])];
    assert_eq!(kind(&Trace { repeats: Some(0), ..Trace::new(around) }), None);
}

/// A loop that is fair to a process only as long as it need not be strongly so is not
/// taken for one that is.
#[test]
fn confirmation_looks_at_fairness() {
    let path = models("dve").into_iter().find(|path| path.ends_with("semaphore.dve")).unwrap();
    let model = homing::load(&path).unwrap();
    let interpreter = Interpreter::new(&model.network).unwrap();
    let on = Transition { guard: Cube::TRUE, marks: 1, target: 0 };
    let automaton = Automaton { atoms: 0, sets: 1, initial: vec![0], states: vec![vec![on]] };
    let said = |asked: Fairness, confirmed: Fairness| {
        let formulas = vec!["[] <> W_0.works".into()];
        let options = Options { formulas, fairness: asked, ..Options::default() };
        let checked = homing::check(&model, &options, Hooks::default()).unwrap();
        let claim = Forbidden {
            formula: None,
            atoms: &[],
            sources: &model.network.sources,
            automaton: &automaton,
            stutters: true,
            fairness: confirmed,
            observer: None,
        };
        let (_, trace) = checked.traces.first()?;
        Some(forbidden(&interpreter, trace, &claim).map(|cause| cause.kind))
    };
    let forever = Some(Ok(CauseKind::Forever));
    assert_eq!(said(Fairness::None, Fairness::None), forever);
    assert!(said(Fairness::None, Fairness::Weak).is_some_and(|said| said.is_err()));
    assert_eq!(said(Fairness::Weak, Fairness::Weak), forever);
    let unfair = Err("it is not fair to W_0".to_string());
    assert_eq!(said(Fairness::Weak, Fairness::Strong), Some(unfair));
    assert_eq!(said(Fairness::Strong, Fairness::Strong), None);
}

/// A regression: the only step of a process fails, and another process may still run for
/// ever. A reduction that takes the failing step for enough sees no run at all.
#[test]
fn a_step_that_fails_is_not_enough() {
    let text = "process F { byte z = 0; state a, b; init a; trans a -> b { effect z = 1 / z; }; }
        process P { state a, b; init a; trans a -> b {}, b -> a {}; }
        process Q { state a, b; init a; trans a -> b {}, b -> a {}; } system async;";
    let mut model = homing::parse("m.dve", text).unwrap();
    let at = Expr::new(ExprKind::At(ProcessId(2), LocationId(1)), Span::default());
    let again = Formula::Globally(Box::new(Formula::Finally(Box::new(Formula::Atom(at)))));
    let kind = PropertyKind::Temporal(Box::new(again));
    model.network.properties = vec![Property { name: "f".into(), span: Span::default(), kind }];
    for reduction in [None, Some(Reduction::Static), Some(Reduction::Stubborn)] {
        for strategy in strategies() {
            let Some(result) = checked(&model, &strategy, Fairness::None, reduction) else {
                continue;
            };
            assert_eq!(result.verdict, Verdict::Violated, "{strategy} {reduction:?}");
        }
    }
}
