//! What `minimise` promises: least costs on random networks, by Bellman's
//! equations over the interpreter's states, and sentences for what it cannot.
#![allow(clippy::unwrap_used)]

use crate::support;

use std::cell::Cell;
use std::collections::HashMap;

use homing::ir::flatten::SUPPORTED;
use homing::ir::interp::{Exploration, Interpreter, RuntimeErrorKind, State};
use homing::ir::network::{Binary, Composition, Expr, ExprKind, ProcessId, Property, PropertyKind};
use homing::ir::random::{Knobs, networks_with_goals};
use homing::ir::wellformed::Feature;
use homing::ir::{Diagnostic, Network, Span, Step};
use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::witness::outcome::Value;
use homing::{Hooks, Limits, Model, Options, UsageError};
use homing_lang::Language;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use support::{check, holds};

/// A language for prices of random networks, which have no text: numbers
/// separated by blanks, a constant and then how much each property counts that
/// is violated.
static NUMBERS: Language = Language { expression: weighted, ..homing_lang::dve::LANGUAGE };

fn weighted(network: &mut Network, text: &str, name: &str) -> Result<Expr, Vec<Diagnostic>> {
    let source = network.sources.add(name, text);
    let span = Span { source, start: 0, end: text.len() as u32 };
    let expr = |kind| Expr::new(kind, span);
    let number = |value| expr(ExprKind::Int(value));
    let mut weights = text.split_whitespace().map(|number| number.parse::<i64>().unwrap());
    let mut sum = number(weights.next().unwrap());
    for (weight, property) in weights.zip(&network.properties) {
        let PropertyKind::Never(value) = &property.kind else { continue };
        let value = Box::new(expr(ExprKind::Binary(
            Binary::Ne,
            Box::new(value.clone()),
            Box::new(number(0)),
        )));
        let part = expr(ExprKind::Binary(Binary::Mul, Box::new(number(weight)), value));
        sum = expr(ExprKind::Binary(Binary::Add, Box::new(sum), Box::new(part)));
    }
    Ok(sum)
}

/// One cost, as the test has it: prices as constants and weights.
#[derive(Clone, Debug)]
enum Part {
    Steps,
    Switches,
    /// Its name, and for some processes and then all others their prices.
    Priced(&'static str, Vec<(u32, [i64; 3])>, Option<[i64; 3]>),
}

const OF: i64 = 20;

impl Part {
    fn text(&self, network: &Network) -> String {
        let Part::Priced(name, some, others) = self else {
            return if matches!(self, Part::Steps) { "steps" } else { "switches" }.into();
        };
        let price = |[a, b, c]: &[i64; 3]| format!("{a} {b} {c}");
        let clause = |(process, weights): &(u32, [i64; 3])| {
            let name = &network.processes[self::process(network, *process).index()].name;
            format!("{name}: {}", price(weights))
        };
        let clauses: Vec<String> =
            some.iter().map(clause).chain(others.as_ref().map(price)).collect();
        let of = if matches!(*name, "probability" | "fuzzy") {
            format!(", of={OF}")
        } else {
            String::new()
        };
        format!("{name}('{}'{of})", clauses.join("; "))
    }

    /// Less is better: the cost of no step, and of one more.
    fn start(&self) -> f64 {
        match self {
            Part::Steps | Part::Switches | Part::Priced("sum" | "fuzzy", ..) => 0.0,
            Part::Priced("probability", ..) => -1.0,
            Part::Priced(..) => f64::NEG_INFINITY,
        }
    }

    fn add(&self, path: f64, value: f64) -> f64 {
        let of = OF as f64;
        match self {
            Part::Steps | Part::Switches | Part::Priced("sum", ..) => path + value,
            Part::Priced("highest", ..) => path.max(value),
            Part::Priced("lowest", ..) => path.max(-value),
            Part::Priced("fuzzy", ..) => path.max(of - value.clamp(0.0, of)),
            Part::Priced(..) => path * (value.clamp(0.0, of) / of),
        }
    }

    /// The value of a step in a state, if it has a price.
    fn value(
        &self,
        interpreter: &Interpreter,
        state: &State,
        step: &Step,
        switch: bool,
    ) -> Option<f64> {
        let network = interpreter.network();
        let (some, others) = match self {
            Part::Steps => return Some(1.0),
            Part::Switches => return Some(f64::from(u8::from(switch))),
            Part::Priced(_, some, others) => (some, others),
        };
        let moves = |process| step.edges.iter().any(|edge| edge.process == process);
        let own = some.iter().find(|(process, _)| moves(self::process(network, *process)));
        let [constant, weights @ ..] = own.map(|(_, weights)| weights).or(others.as_ref())?;
        let mut sum = *constant;
        for (weight, property) in weights.iter().zip(&network.properties) {
            let PropertyKind::Never(value) = &property.kind else { continue };
            // What cannot be evaluated as a whole counts as nothing.
            let Ok(value) = interpreter.eval(state, value) else { return Some(0.0) };
            sum += weight * i64::from(value != 0);
        }
        Some(sum as f64)
    }

    /// The number shown, as a cost of this test.
    fn shown(&self, value: &Value) -> f64 {
        let number = match value {
            Value::Number(number) => *number as f64,
            Value::Text(text) if **text == *"none" => return f64::NEG_INFINITY,
            Value::Text(text) => match text.split_once('/') {
                Some((part, _)) => part.parse().unwrap(),
                None => text.parse().unwrap(),
            },
        };
        match self {
            Part::Steps | Part::Switches | Part::Priced("sum" | "highest", ..) => number,
            Part::Priced("fuzzy", ..) => OF as f64 - number,
            Part::Priced(..) => -number,
        }
    }
}

/// A process of the system, by any number.
fn process(network: &Network, number: u32) -> ProcessId {
    let all: Vec<ProcessId> = network.system_processes().map(|(id, _)| id).collect();
    all[number as usize % all.len()]
}

/// Whether one cost is better than another, both lexicographic.
fn better(a: &[f64], b: &[f64]) -> bool {
    // Products are rounded.
    a.iter().zip(b).find(|(a, b)| (*a - *b).abs() > 2e-6).is_some_and(|(a, b)| a < b)
}

/// What a property's violations cost at least; `None` where there is none.
/// The whole is `None` where there is no least.
fn bellman(
    interpreter: &Interpreter,
    found: &Exploration,
    parts: &[Part],
) -> Option<Vec<Option<Vec<f64>>>> {
    let numbers: HashMap<&State, usize> =
        found.states.iter().enumerate().map(|(i, state)| (state, i)).collect();
    let processes = interpreter.network().processes.len() + 1;
    let together = interpreter.network().composition == Composition::Synchronous;
    // By state, and by who moved last; zero at first.
    let mut least: Vec<Option<Vec<f64>>> = vec![None; found.states.len() * processes];
    least[0] = Some(parts.iter().map(Part::start).collect());
    for round in 0.. {
        let mut changed = false;
        for (at, state) in found.states.iter().enumerate() {
            for (step, next) in interpreter.steps(state) {
                let Ok(next) = next else { continue };
                let mover = if together { 1 } else { step.edges[0].process.index() + 1 };
                for last in 0..processes {
                    let Some(cost) = least[at * processes + last].clone() else { continue };
                    let switch = last != 0 && last != mover;
                    let through: Vec<f64> = (parts.iter().zip(cost))
                        .map(|(part, path)| {
                            let value = part.value(interpreter, state, &step, switch);
                            value.map_or(path, |value| part.add(path, value))
                        })
                        .collect();
                    let known = &mut least[numbers[&next] * processes + mover];
                    if known.as_ref().is_none_or(|known| better(&through, known)) {
                        *known = Some(through);
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            break;
        }
        if round > found.states.len() * processes {
            return None;
        }
    }
    let best = |costs: &[Option<Vec<f64>>]| {
        let known = costs.iter().flatten().cloned();
        known.reduce(|a, b| if better(&b, &a) { b } else { a })
    };
    Some(least.chunks(processes).map(best).collect())
}

/// What is to be found, and in which states.
fn targets(
    interpreter: &Interpreter,
    found: &Exploration,
    goal: &Expr,
) -> Vec<(String, Vec<usize>)> {
    let goals = (0..found.states.len()).filter(|i| holds(interpreter, &found.states[*i], goal));
    let is_assertion = |kind| kind == RuntimeErrorKind::AssertionFailed;
    let errors = found.faults.iter().filter(|fault| !is_assertion(fault.error.kind));
    vec![
        ("p0".into(), goals.collect()),
        ("deadlock".into(), found.deadlocks.clone()),
        ("errors".into(), errors.map(|fault| fault.state).collect()),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let weights = || [-1..6i64, -3..6i64, -3..6i64].prop_map(|weights| weights);
    let names =
        prop::sample::select(vec!["sum", "sum", "highest", "lowest", "probability", "fuzzy"]);
    let some = prop::collection::vec((0..4u32, weights()), 0..3);
    let priced = (names, some, prop::option::weighted(0.8, weights()))
        .prop_filter("a price", |(_, some, others)| others.is_some() || !some.is_empty());
    prop_oneof![
        1 => Just(Part::Steps),
        1 => Just(Part::Switches),
        4 => priced.prop_map(|(name, some, others)| Part::Priced(name, some, others)),
    ]
}

/// Costs that are isotone.
fn costs() -> impl Strategy<Value = Vec<Part>> {
    let strict =
        |part: &Part| matches!(part, Part::Steps | Part::Switches | Part::Priced("sum", ..));
    prop_oneof![
        part()
            .prop_filter("more than steps", |one| !matches!(one, Part::Steps))
            .prop_map(|one| vec![one]),
        (part().prop_filter("isotone", strict), part()).prop_map(|(a, b)| vec![a, b]),
    ]
}

fn samples() -> impl Strategy<Value = (Network, Vec<Expr>)> {
    any::<bool>().prop_flat_map(|faults| {
        let left_out = if faults { Feature::ChannelValues } else { Feature::Loops };
        let left_out = [Feature::Loops, left_out];
        let features: Vec<Feature> =
            SUPPORTED.iter().copied().filter(|feature| !left_out.contains(feature)).collect();
        networks_with_goals(Knobs { faults, ..Knobs::with(&features) }, 3)
    })
}

fn model(mut network: Network, goals: &[Expr]) -> Model {
    let property = |(i, goal): (usize, &Expr)| Property {
        name: format!("p{i}"),
        span: goal.span,
        kind: PropertyKind::Never(goal.clone()),
    };
    network.properties = goals.iter().enumerate().map(property).collect();
    network.sources.add("random", "");
    let model = homing::parse("empty.dve", "process P { state a; init a; } system async;");
    let mut model = model.unwrap();
    (model.network, model.language) = (network, &NUMBERS);
    model
}

fn compare(
    result: &PropertyOutcome,
    expected: Option<&Vec<f64>>,
    parts: &[Part],
    fails: bool,
    about: &str,
) -> Result<(), TestCaseError> {
    let Some(expected) = expected else {
        // Beside a step that fails, only what slicing tells apart from it holds.
        // Nor does what cannot be evaluated somewhere.
        let cut =
            (fails || result.reason.contains("be evaluated")) && result.verdict == Verdict::Unknown;
        prop_assert!(cut || result.verdict == Verdict::Holds, "{}", about);
        return Ok(());
    };
    prop_assert_eq!(result.verdict, Verdict::Violated, "{}", about);
    let trace = result.trace.as_ref().unwrap();
    let cost: Vec<f64> =
        parts.iter().zip(&trace.cost).map(|(part, cost)| part.shown(&cost.value)).collect();
    prop_assert_eq!(cost.len(), parts.len());
    prop_assert!(!better(&cost, expected), "{}: {:?} < {:?}", about, cost, expected);
    if result.optimal {
        prop_assert!(!better(expected, &cost), "{}: {:?} > {:?}", about, cost, expected);
    }
    Ok(())
}

const LIMIT: usize = 300;

/// Least costs on random networks; that a trace costs what the search says is
/// checked by the library itself, by the interpreter.
#[test]
fn oracle_least_costs() {
    let (small, negative, cycles) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let config = ProptestConfig { cases: 300, max_shrink_iters: 300, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&(samples(), costs()), |((network, goals), parts)| {
        let model = model(network, &goals);
        let interpreter = Interpreter::new(&model.network).unwrap();
        let found = interpreter.explore(LIMIT);
        if !found.complete {
            return Ok(());
        }
        small.set(small.get() + 1);
        let fails = !found.faults.is_empty();
        let least = bellman(&interpreter, &found, &parts);
        let texts: Vec<String> = parts.iter().map(|part| part.text(&model.network)).collect();
        let minimise = Some(texts.join(", "));
        let targets = targets(&interpreter, &found, &goals[0]);
        let properties = targets.iter().map(|(name, _)| name.clone()).collect();
        let options = Options { properties, minimise, ..Options::default() };
        let plain = check(&model, &options);
        let settled = plain.outcome.plan.strategy == "rounds";
        negative.set(negative.get() + usize::from(settled));
        cycles.set(cycles.get() + usize::from(least.is_none()));
        let Some(least) = least else {
            prop_assert!(settled);
            for ((_, states), result) in targets.iter().zip(&plain.outcome.results) {
                prop_assert_eq!(result.verdict == Verdict::Violated, !states.is_empty());
                prop_assert!(!result.optimal);
            }
            return Ok(());
        };
        let expected = |states: &[usize]| {
            let costs = states.iter().filter_map(|state| least[*state].as_ref());
            costs.reduce(|a, b| if better(b, a) { b } else { a })
        };
        for ((name, states), result) in targets.iter().zip(&plain.outcome.results) {
            let about = format!("{name} by {} for {texts:?}", plain.outcome.plan.strategy);
            compare(result, expected(states), &parts, fails, &about)?;
            prop_assert!(result.optimal || states.is_empty(), "{}", about);
        }
        if settled {
            return Ok(());
        }
        let directed = ["goal-count", "fsm-max", "abstraction", "relaxed-layers", "hamming"];
        let directed = directed.map(|estimate| format!("astar({estimate})"));
        for strategy in directed.into_iter().chain(["rounds".into()]) {
            let options = Options {
                strategy: Some(strategy.clone()),
                properties: vec!["p0".into()],
                ..options.clone()
            };
            let result = check(&model, &options).outcome.results.remove(0);
            compare(
                &result,
                expected(&targets[0].1),
                &parts,
                fails,
                &format!("{strategy} for {texts:?}"),
            )?;
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let counts = (small.get(), negative.get(), cycles.get());
    assert!(counts.0 > 200 && counts.1 > 20 && counts.2 > 2, "too few of some kind: {counts:?}");
}

const TWO: &str = "
    byte x, y;
    process P { state a, b; init a;
        trans a -> a { guard x < 3; effect x = x + 1; }, a -> b { guard x == 3; }; }
    process Q { state a; init a; trans a -> a { guard y < 3; effect y = y + 1; }; }
    system async;";

fn two() -> Model {
    homing::parse("two.dve", TWO).unwrap()
}

fn to_goal(minimise: &str) -> Options {
    Options {
        goals: vec!["P.b && y == 2".into()],
        minimise: Some(minimise.into()),
        ..Options::default()
    }
}

/// The cost of the trace, as it is shown, and whether it is proven.
fn cost(model: &Model, options: &Options) -> (String, bool) {
    let result = check(model, options).outcome.results.remove(0);
    let cost = result.trace.unwrap().cost;
    let shown: Vec<String> =
        cost.iter().map(|cost| format!("{} {}", cost.value, cost.name)).collect();
    (shown.join(", "), result.optimal)
}

#[test]
fn costs_are_what_they_are_said_to_be() {
    for (minimise, expected) in [
        ("switches", "1 switches"),
        ("steps,switches", "6 steps, 1 switches"),
        // P pays 0, 1, 2 and 3, Q pays 5 and 4.
        ("P: x; Q: 5 - y", "15 sum"),
        ("sum('P: x; Q: 5 - y')", "15 sum"),
        // Steps of Q are free.
        ("P: x", "6 sum"),
        ("P: x; 1", "8 sum"),
        ("highest('P: x; Q: 7')", "7 highest"),
        ("lowest('10 - x')", "7 lowest"),
        ("probability('Q: 50')", "0.25 probability"),
        ("fuzzy('Q: y + 2', of=9)", "2/9 fuzzy"),
        ("sum('Q: 10'), switches", "20 sum, 1 switches"),
        ("x - 2", "-6 sum"),
        ("steps, sum('P: x - 5; 0')", "6 steps, -14 sum"),
        ("1 / x", "1 sum"),
    ] {
        assert_eq!(cost(&two(), &to_goal(minimise)), (expected.into(), true), "{minimise}");
    }
    // The number of steps is what every trace says of itself.
    assert_eq!(cost(&two(), &to_goal("steps")), (String::new(), true));
}

#[test]
fn a_goal_at_the_start_costs_nothing() {
    for (minimise, expected) in [
        ("x + 1", "0 sum"),
        ("steps, switches", "0 steps, 0 switches"),
        ("highest('x')", "none highest"),
    ] {
        let options = Options { goals: vec!["true".into()], ..to_goal(minimise) };
        assert_eq!(cost(&two(), &options), (expected.into(), true));
    }
}

/// A cycle that pays: there is no least, and what is found says so.
#[test]
fn cycles_that_pay_are_noticed() {
    let text = "byte x;
        process P { state a; init a;
            trans a -> a { effect x = (x + 1) % 4; }; }
        system async;";
    let model = homing::parse("round.dve", text).unwrap();
    let options = Options { goals: vec!["x == 2".into()], ..to_goal("0 - 1") };
    let checked = check(&model, &options);
    assert_eq!(checked.outcome.plan.strategy, "rounds");
    let result = &checked.outcome.results[0];
    assert_eq!((result.verdict, result.optimal), (Verdict::Violated, false));
    assert!(checked.outcome.notices.iter().any(|notice| notice.contains("a cycle")));
}

/// Sums that do not fit end the claim, and are said.
#[test]
fn costs_that_overflow_are_noticed() {
    let options = to_goal("sum('2147483647'), sum('2147483647')");
    let checked = check(&two(), &options);
    let result = &checked.outcome.results[0];
    assert_eq!((result.verdict, result.optimal), (Verdict::Violated, false));
    let cost = &result.trace.as_ref().unwrap().cost;
    assert!(cost[0].value.to_string().contains("beyond"), "{cost:?}");
    assert!(checked.outcome.notices.iter().any(|notice| notice.contains("beyond the numbers")));
}

#[test]
fn bounds_are_in_the_units_of_the_cost() {
    let bounded = |minimise: &str, bound: u64| {
        let limits = Limits { bound: Some(bound), ..Limits::default() };
        let checked = check(&two(), &Options { limits, ..to_goal(minimise) });
        let result = &checked.outcome.results[0];
        (result.verdict, result.reason.clone())
    };
    for (minimise, within, beyond, said) in [
        ("P: x; Q: 5 - y", 15, 14, "`sum` is at most 14"),
        ("highest('P: x; Q: 7')", 7, 6, "`highest` is at most 6"),
        ("lowest('10 - x')", 7, 8, "`lowest` is at least 8"),
        ("probability('Q: 50')", 25, 26, "`probability` is at least 26/100"),
        ("fuzzy('Q: y + 2', of=9)", 2, 3, "`fuzzy` is at least 3/9"),
        ("steps, switches", 6, 5, "`steps` is at most 5"),
    ] {
        assert_eq!(bounded(minimise, within).0, Verdict::Violated, "{minimise}");
        let (verdict, reason) = bounded(minimise, beyond);
        assert_eq!(verdict, Verdict::Unknown, "{minimise}");
        assert!(reason.contains("holds on paths") && reason.contains(said), "{reason}");
    }
}

/// What the options are refused with.
fn refusal(options: &Options) -> String {
    match homing::check(&two(), options, Hooks::default()) {
        Err(UsageError::Sentence(sentence)) => sentence,
        other => panic!("{options:?}: {other:?}"),
    }
}

fn expect(options: &Options, parts: &[&str]) {
    let said = refusal(options);
    for part in parts {
        assert!(said.contains(part), "`{said}` does not say `{part}`");
    }
}

#[test]
fn products_that_are_not_isotone_are_refused() {
    expect(
        &to_goal("lowest('x'), steps"),
        &["no search finds the best", "try `steps, lowest('x')`"],
    );
    expect(&to_goal("highest('x'), sum('y')"), &["try `sum('y'), highest('x')`"]);
    expect(&to_goal("highest('x'), lowest('y')"), &["give one of them"]);
    expect(&to_goal("steps, switches, sum('x')"), &["two costs"]);
}

#[test]
fn strategies_that_count_steps_are_refused() {
    let with = |strategy: &str, minimise: &str| Options {
        strategy: Some(strategy.into()),
        ..to_goal(minimise)
    };
    for strategy in ["breadth", "depth", "greedy", "weighted", "auto", "beam", "refining"] {
        expect(&with(strategy, "x"), &[strategy, "counts steps only", "`dijkstra`", "`astar`"]);
        expect(&with(strategy, "steps, switches"), &["counts steps only"]);
    }
    for strategy in ["dijkstra", "astar(fsm-max)"] {
        expect(&with(strategy, "x - 1"), &["may be negative", "use `rounds`"]);
    }
    expect(&with("astar(goal-count, prefer=contexts)", "x"), &["`prefer`", "leave it out"]);
    let estimate = Options { estimate: Some("3 - x".into()), ..to_goal("x - 1") };
    expect(&estimate, &["`rounds` takes no estimate"]);
}

#[test]
fn limits_in_other_units_are_refused() {
    let depth = Limits { depth: Some(5), ..Limits::default() };
    expect(&Options { limits: depth, ..to_goal("x") }, &["`--depth` counts steps", "`--bound`"]);
    let bound = |bound| Limits { bound: Some(bound), ..Limits::default() };
    expect(&Options { limits: bound(5), ..to_goal("x - 1") }, &["may be negative"]);
    expect(&Options { different: 3, ..to_goal("x") }, &["`--different`", "one of the two"]);
    expect(&Options { limits: bound(101), ..to_goal("probability('x')") }, &["100", "101 is more"]);
}

#[test]
fn what_is_not_a_cost_is_refused() {
    expect(&to_goal(""), &["nothing to minimise", "steps"]);
    expect(&to_goal("stepz"), &["`stepz`", "`steps`?"]);
    expect(&to_goal("hihgest('x')"), &["`hihgest`", "`highest`?"]);
    expect(&to_goal("steps, swiches"), &["`swiches`", "`switches`?"]);
    expect(&to_goal("steps, 3"), &["`3`", "there are: steps"]);
    expect(&to_goal("steps(3)"), &["`steps` takes no arguments"]);
    expect(&to_goal("sum(x)"), &["write `sum('…')`"]);
    expect(&to_goal("sum('x', of=3)"), &["no parameter `of`"]);
    expect(&to_goal("fuzzy('x', of=0)"), &["from 1 to"]);
    expect(&to_goal("sum('x'"), &["expected `,` or `)`"]);
    expect(&to_goal("PP: x"), &["no process `PP`", "`P`?"]);
    expect(&to_goal("sum('1; P: x')"), &["comes last"]);
    for unknown in ["zz + 1", "P: x +; 1", "sum('zz')"] {
        let error = homing::check(&two(), &to_goal(unknown), Hooks::default()).unwrap_err();
        let UsageError::Diagnostics { sources, diagnostics } = error else { panic!("{unknown}") };
        let at = sources.position(diagnostics[0].span);
        assert_eq!(sources.get(diagnostics[0].span.source).name, "<minimise>", "{at:?}");
    }
}

#[test]
fn estimates_of_what_cannot_be_added_up_are_noticed() {
    let options = Options { strategy: Some("astar(fsm-max)".into()), ..to_goal("highest('x')") };
    let checked = check(&two(), &options);
    assert!(checked.outcome.results[0].optimal);
    assert!(checked.outcome.notices.iter().any(|notice| notice.contains("only tell dead ends")));
}

/// The user's own estimate promises nothing, and so does the trace.
#[test]
fn own_estimates_prove_nothing() {
    let options = Options { estimate: Some("9 * (3 - x)".into()), ..to_goal("P: x; Q: 5 - y") };
    let checked = check(&two(), &options);
    assert_eq!(checked.outcome.plan.strategy, "astar(estimate=expression('9 * (3 - x)'))");
    assert!(!checked.outcome.results[0].optimal);
    assert!(
        checked.outcome.notices.iter().any(|notice| notice.contains("not proven to cost least"))
    );
}
