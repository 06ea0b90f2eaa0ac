//! The project's own models mean what their first lines say, whatever they are
//! checked with: every strategy, every estimate, every store, every pass.
#![allow(clippy::unwrap_used)]

use crate::support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use homing::catalogue::{Capability, Kind, Row};
use homing::ir::interp::{Exploration, Interpreter};
use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::{Execution, Hooks, Limits, Model, Options, PassSelection, Passes, UseEngine};
use support::expectations::{Expectation, Subject, expectations, models};
use support::{
    Combination, check, combinations, deadlock_combinations, end, expect_sane, fails_by_assertion,
    holds, of_kind, races,
};

/// A model and what is expected of it.
struct Case {
    model: Model,
    expectations: Vec<Expectation>,
}

fn cases() -> Vec<Case> {
    let folders = of_kind(Kind::Language).flat_map(|language| models(language.name));
    let cases = folders.map(|path| case(&path));
    // Models of hardware have questions, and a test, of their own: `hardware.rs`.
    cases.filter(|case| case.model.network.relation.is_none()).collect()
}

fn case(path: &Path) -> Case {
    let model = homing::load(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Case { model, expectations: expectations(&fs::read_to_string(path).unwrap()) }
}

impl Case {
    /// What is expected of properties, not of numbers.
    fn properties(&self) -> impl Iterator<Item = &Expectation> {
        self.expectations.iter().filter(|one| one.subject != Subject::States)
    }
}

/// Options that ask for just this.
fn ask(options: Options, subject: &Subject) -> Options {
    match subject {
        Subject::Goal(goal) => Options { goals: vec![goal.clone()], ..options },
        general => Options { properties: vec![general_name(general).into()], ..options },
    }
}

fn general_name(subject: &Subject) -> &'static str {
    match subject {
        Subject::Deadlock => "deadlock",
        Subject::Assertion => "assertions",
        Subject::Error => "errors",
        Subject::States | Subject::Goal(_) => unreachable!("no general property"),
    }
}

/// Checks one property and compares everything the answer claims.
fn expect(case: &Case, expectation: &Expectation, options: &Options, with: &Combination) {
    let about = format!("{}: {:?} with {with:?}", case.model.network.name, expectation);
    let options = ask(options.clone(), &expectation.subject);
    let checked = check(&case.model, &options);
    let [result] = &checked.outcome.results[..] else { panic!("{about}: one result a property") };
    assert_eq!(result.statistics.stored, checked.outcome.statistics.stored, "{about}");
    // Estimates that count moves promise nothing where steps have several.
    let processes = case.model.network.system_processes();
    let atomic = processes
        .flat_map(|(_, process)| &process.edges)
        .any(|edge| edge.atomic != homing::ir::network::Atomic::No);
    let shortest = with.shortest && !(with.directed && atomic);
    let with = &Combination { shortest, ..with.clone() };
    expect_verdict(expectation, result, with, &about);
    expect_sane(result, with);
    assert_eq!(checked.traces.len(), usize::from(result.verdict == Verdict::Violated), "{about}");
    for (name, trace) in &checked.traces {
        assert_eq!(*name, result.property);
        assert_eq!(trace.steps.len(), result.trace.as_ref().unwrap().length, "{about}");
        let replayed = homing::replay(&case.model, trace, name).unwrap();
        assert_eq!(replayed.steps, result.trace.as_ref().unwrap().steps, "{about}");
        expect_shown(case, &expectation.subject, trace, &about);
    }
}

fn expect_verdict(
    expectation: &Expectation,
    result: &PropertyOutcome,
    with: &Combination,
    about: &str,
) {
    let Some(shortest) = expectation.length() else {
        assert_eq!(expectation.expected, "holds");
        assert!(!result.optimal && result.trace.is_none(), "{about}");
        // What lies behind a step that fails is not known, unless there is nothing to know.
        let cut = result.verdict == Verdict::Unknown && result.reason.contains("a step fails");
        if cut || result.reason == "the model asserts nothing" {
            return;
        }
        if with.complete {
            assert_eq!(result.verdict, with.on_what_holds(), "{about}");
            assert_eq!(result.reason.contains("expected to have seen"), !with.exact, "{about}");
        }
        return;
    };
    if !with.complete && result.verdict == Verdict::Unknown {
        return;
    }
    assert_eq!(result.verdict, Verdict::Violated, "{about}");
    assert!(result.optimal || !(with.shortest && with.exact), "{about}: not called shortest");
    let length = result.trace.as_ref().unwrap().length as u32;
    if result.optimal {
        assert_eq!(length, shortest, "{about}");
    } else {
        assert!(length >= shortest, "{about}: {length}");
    }
}

/// The interpreter sees at the trace's end what it is said to show.
fn expect_shown(case: &Case, subject: &Subject, trace: &homing::ir::Trace, about: &str) {
    let mut network = case.model.network.clone();
    let goal = match subject {
        Subject::Goal(text) => {
            Some((case.model.language.expression)(&mut network, text, "<goal>").unwrap())
        }
        _ => None,
    };
    let interpreter = Interpreter::new(&network).unwrap();
    let shown = match (subject, end(&interpreter, trace)) {
        (Subject::Error, None) => !fails_by_assertion(&interpreter, trace),
        (Subject::Assertion, None) => fails_by_assertion(&interpreter, trace),
        (Subject::Deadlock, Some(state)) => interpreter.is_deadlock(&state),
        (Subject::Assertion, Some(state)) => !interpreter.violated_assertions(&state).is_empty(),
        (Subject::Goal(_), Some(state)) => holds(&interpreter, &state, &goal.unwrap()),
        _ => false,
    };
    assert!(shown, "{about}: not at the end of its trace");
}

/// The names of the parts in an expression such as `astar(goal-count)`.
fn names(expression: &str) -> impl Iterator<Item = String> {
    let of_name = |letter: char| letter.is_alphanumeric() || letter == '-';
    let names = expression.split(move |letter| !of_name(letter));
    names.map(String::from).collect::<Vec<_>>().into_iter()
}

/// All against the same expectations, one in four each, in turn; and no part of
/// the catalogue is left out, so that a new one without a model fails here.
#[test]
fn every_part_meets_its_expectations() {
    const SHARE: usize = 4;
    let mut turn = 0;
    let mut exercised: BTreeSet<String> = BTreeSet::new();
    exercised.extend(["aiger", "btor2", "smv"].map(String::from));
    for case in cases() {
        exercised.insert(case.model.language.name.into());
        for expectation in case.properties() {
            let goal = matches!(expectation.subject, Subject::Goal(_));
            let mut fitting = combinations();
            fitting.retain(|with| goal || !with.directed);
            if matches!(expectation.subject, Subject::Deadlock) {
                fitting.extend(deadlock_combinations());
            }
            fitting.extend(races().into_iter().filter(|with| goal || !with.directed));
            turn += 1;
            for with in fitting.iter().skip(turn % SHARE).step_by(SHARE) {
                expect(&case, expectation, &with.options(), with);
                exercised.extend(names(&with.strategy).chain(names(&with.store)));
            }
        }
    }
    // Questions and engines have tests of their own: `every_question_is_asked`, `symbolic`.
    let searched = |row: &Row<()>| {
        !matches!(row.kind, Kind::Question | Kind::Engine | Kind::Symbolic | Kind::Satisfiability)
    };
    for row in homing::catalogue().into_iter().filter(searched) {
        assert!(
            exercised.contains(row.name),
            "no model exercises {} {}",
            row.kind.name(),
            row.name
        );
    }
}

/// Every question of the catalogue can be asked by name, and every need has an engine.
#[test]
fn every_question_is_asked() {
    let text = "byte x; process P { state a, b; init a; assert b: x < 9;
        trans a -> b { effect x = 3; }, b -> a { guard x < 5; }; } system async;";
    let model = homing::parse("asked.dve", text).unwrap();
    let automaton = std::env::temp_dir().join(format!("homing-asked-{}.hoa", std::process::id()));
    let hoa = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"x == 9\"\nacc-name: Buchi\n\
               Acceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[0] 0\n--END--\n";
    std::fs::write(&automaton, hoa).unwrap();
    for row in of_kind(Kind::Question) {
        let asked = match row.name {
            "goal" => "goal('x == 9')".into(),
            "reach" => "reach('x == 3')".into(),
            "ltl" => "ltl('[] <> P.a')".into(),
            "hoa" => format!("hoa('{}')", automaton.display()),
            "sup" | "inf" | "count" => format!("{}('x')", row.name),
            name => name.to_string(),
        };
        let options = Options { properties: vec![asked.clone()], ..Options::default() };
        let checked = homing::check(&model, &options, Hooks::default());
        let results = checked.unwrap_or_else(|error| panic!("{asked}: {error}")).outcome.results;
        // No location is marked as progress, and the cycle passes none.
        let expected = if asked == "progress" { Verdict::Violated } else { Verdict::Holds };
        assert_eq!(results[0].verdict, expected, "{asked}: {}", results[0].reason);
    }
    std::fs::remove_file(&automaton).unwrap();
}

/// Interchangeable processes change nothing but the number of states: in all models
/// breadth first, and in those made for it whatever they are searched with, one in
/// twelve each, in turn.
#[test]
fn symmetry_changes_no_expectation() {
    const SHARE: usize = 12;
    let mut turn = 0;
    let mut smaller = BTreeSet::new();
    for case in &cases() {
        let name = &case.model.network.name;
        let pool = ["pool", "workers", "started", "scalars"].contains(&&**name);
        for expectation in case.properties() {
            let goal = matches!(expectation.subject, Subject::Goal(_));
            let mut fitting = combinations();
            fitting.retain(|with| {
                let plain = with.strategy == "breadth" && with.store == "exact";
                (goal || !with.directed) && !with.strategy.contains("prefer") && (pool || plain)
            });
            turn += 1;
            let share = if pool { SHARE } else { 1 };
            for with in fitting.iter().skip(turn % share).step_by(share) {
                let options = Options { symmetry: homing::UseSymmetry::Always, ..with.options() };
                expect(case, expectation, &options, with);
            }
        }
        let count = |symmetry| {
            let options = Options { symmetry, ..Options::default() };
            homing::stats(&case.model, &options, Hooks::default()).unwrap().states
        };
        if count(homing::UseSymmetry::Always) < count(homing::UseSymmetry::Never) {
            smaller.insert(name.clone());
        }
    }
    for expected in ["pool", "workers", "started", "scalars", "fischer"] {
        assert!(smaller.contains(expected), "{expected}: {smaller:?}");
    }
}

/// Where no machine code may be made, the same is found: all counts are the same, and
/// one in thirty-six of the combinations, in turn, meets the same expectations.
#[test]
fn interpreted_code_changes_no_expectation() {
    const SHARE: usize = 36;
    let mut turn = 0;
    for case in &cases() {
        let count = |execution| {
            let options = Options { engine: UseEngine::Explicit(execution), ..Options::default() };
            let counted = homing::stats(&case.model, &options, Hooks::default()).unwrap();
            assert!(counted.complete, "{}: {}", case.model.network.name, counted.reason);
            (counted.states, counted.transitions, counted.deadlocks, counted.levels, counted.errors)
        };
        let [compiled, interpreted] = [Execution::Compiled, Execution::Interpreted].map(count);
        assert_eq!(compiled, interpreted, "{}", case.model.network.name);
        for expectation in case.properties() {
            let goal = matches!(expectation.subject, Subject::Goal(_));
            let mut fitting = combinations();
            fitting.retain(|with| goal || !with.directed);
            turn += 1;
            for with in fitting.iter().skip(turn % SHARE).step_by(SHARE) {
                let engine = UseEngine::Explicit(Execution::Interpreted);
                let options = Options { engine, ..with.options() };
                expect(case, expectation, &options, with);
            }
        }
    }
}

/// Every kind of expectation occurs both ways, else the test above shows less
/// than it seems to.
/// Models without clocks, and without what else only zones decide.
fn fit_for_sets() -> impl Iterator<Item = Case> {
    untimed().filter(|case| {
        let few = Limits { expansions: Some(1), ..Limits::default() };
        let options = Options { engine: UseEngine::Symbolic, limits: few, ..Options::default() };
        let refused = homing::stats(&case.model, &options, Hooks::default()).err();
        refused.is_none_or(|why| {
            assert!(why.to_string().contains("knows no clocks"), "{why}");
            false
        })
    })
}

/// Every symbolic search; those that do not see everything may leave open what holds.
#[test]
fn symbolic_searches_meet_the_same_expectations() {
    for row in of_kind(Kind::Symbolic) {
        let with = Combination {
            strategy: row.name.into(),
            directed: row.gives(Capability::Directed),
            shortest: row.gives(Capability::Shortest),
            proves: false,
            store: String::new(),
            exact: true,
            // Estimates, and states before the goal, may take more than there is here for them.
            complete: row.name == "breadth",
            counts: false,
        };
        for case in fit_for_sets() {
            let strategy = Some(with.strategy.clone());
            let memory = (!with.complete).then_some(1 << 24);
            let limits = Limits { memory, ..Limits::default() };
            let options =
                Options { engine: UseEngine::Symbolic, strategy, limits, ..Options::default() };
            let goal = |one: &&Expectation| matches!(one.subject, Subject::Goal(_));
            for expectation in case.properties().filter(|one| !with.directed || goal(one)) {
                expect(&case, expectation, &options, &with);
            }
        }
    }
}

/// States, deadlocks and levels as the explicit engine counts them.
#[test]
fn sets_count_what_states_count() {
    for case in fit_for_sets() {
        let count = |engine: UseEngine| {
            let options = Options { engine, ..Options::default() };
            let counted = homing::stats(&case.model, &options, Hooks::default()).unwrap();
            let held = counted.plan.phases.iter().any(|phase| phase.contains("control is held"));
            let steps = (!held).then_some((counted.transitions, counted.errors));
            ((counted.states, counted.deadlocks, counted.levels, counted.violations), steps)
        };
        let (one_by_one, as_sets) = (count(UseEngine::Auto), count(UseEngine::Symbolic));
        assert_eq!(as_sets.0, one_by_one.0, "{}", case.model.network.name);
        if as_sets.1.is_some() {
            assert_eq!(as_sets.1, one_by_one.1, "{}", case.model.network.name);
        }
    }
}

/// What sets of states have no form for is said, and nothing is ignored silently.
#[test]
fn the_symbolic_engine_says_what_it_cannot() {
    let text = "byte x; process P { state a; init a; trans a -> a { guard x < 3; effect x = x + 1; }; } system async;";
    let model = homing::parse("counter.dve", text).unwrap();
    let symbolic =
        Options { engine: UseEngine::Symbolic, goals: vec!["x == 3".into()], ..Options::default() };
    let unfit = [
        Options { store: Some("exact".into()), ..symbolic.clone() },
        Options { estimate: Some("x".into()), ..symbolic.clone() },
        Options { strategy: Some("dfs".into()), ..symbolic.clone() },
        Options { different: 2, ..symbolic.clone() },
        Options {
            strategy: Some("chaining".into()),
            limits: Limits { depth: Some(3), ..Limits::default() },
            ..symbolic.clone()
        },
    ];
    for options in unfit {
        assert!(homing::check(&model, &options, Hooks::default()).is_err(), "{options:?}");
    }
    let counts = |strategy: &str| {
        let options = Options {
            engine: UseEngine::Symbolic,
            strategy: Some(strategy.into()),
            ..Options::default()
        };
        homing::stats(&model, &options, Hooks::default()).map(|counted| counted.states)
    };
    for strategy in ["breadth", "chaining", "hints", "high-density", "splitting"] {
        assert_eq!(counts(strategy).unwrap(), 4, "{strategy}");
    }
    // They go to what is looked for, and nothing is.
    for strategy in ["bdda-star", "greedy", "backward"] {
        assert!(counts(strategy).is_err(), "{strategy}");
    }
    let formula = Options { formulas: vec!["[] <> P.a".into()], goals: Vec::new(), ..symbolic };
    let checked = check(&model, &formula);
    let result = &checked.outcome.results[0];
    assert_eq!(result.verdict, Verdict::Unknown);
    assert!(result.reason.contains("symbolic"), "{}", result.reason);
}

/// More states than 64 bits count are no limit that is reached.
#[test]
fn symbolic_searches_go_on_beyond_what_is_counted() {
    let switches: String = (0..66)
        .map(|i| {
            format!(
                "byte x{i}; process P{i} {{ state a; init a; trans a -> a {{ guard x{i} == 0; \
                 effect x{i} = 1; }}; }} "
            )
        })
        .collect();
    let text = format!("{switches} system async;");
    let model = homing::parse("switches.dve", &text).unwrap();
    let goal = (0..66).map(|i| format!("x{i} == 1")).collect::<Vec<_>>().join(" && ");
    let options = Options { engine: UseEngine::Symbolic, goals: vec![goal], ..Options::default() };
    let result = check(&model, &options).outcome.results.remove(0);
    assert_eq!(result.verdict, Verdict::Violated, "{}", result.reason);
    assert_eq!(result.trace.map(|trace| trace.length), Some(66));
}

/// A search that is cut says how far it came.
#[test]
fn symbolic_searches_keep_to_limits() {
    let text = "int x; process P { state a; init a; trans a -> a { guard x < 300; effect x = x + 1; }; } system async;";
    let model = homing::parse("counter.dve", text).unwrap();
    let limited = |limits: Limits| {
        let goals = vec!["x == 300".into()];
        let checked = check(
            &model,
            &Options { engine: UseEngine::Symbolic, goals, limits, ..Options::default() },
        );
        let result = checked.outcome.results[0].clone();
        assert_eq!(result.verdict, Verdict::Unknown, "{}", result.reason);
        result.at_least.unwrap()
    };
    assert_eq!(limited(Limits { depth: Some(40), ..Limits::default() }), 40);
    assert!(limited(Limits { expansions: Some(100), ..Limits::default() }) >= 99);
    assert!(limited(Limits { states: Some(100), ..Limits::default() }) >= 99);
    assert_eq!(limited(Limits { memory: Some(1 << 12), ..Limits::default() }), 0);
}

#[test]
fn models_expect_enough() {
    let expected: BTreeSet<(&str, bool)> = cases()
        .iter()
        .flat_map(|case| case.properties().cloned().collect::<Vec<_>>())
        .map(|one| match &one.subject {
            Subject::Goal(_) => ("goal", one.length().is_some()),
            general => (general_name(general), one.length().is_some()),
        })
        .collect();
    assert_eq!(expected.len(), 8, "{expected:?}");
}

/// All that is expected of a model, asked for at once.
#[test]
fn properties_do_not_disturb_each_other() {
    for case in cases() {
        for with in combinations().iter().filter(|with| !with.directed) {
            let mut options = with.options();
            let (goals, general): (Vec<&Expectation>, Vec<&Expectation>) =
                case.properties().partition(|one| matches!(one.subject, Subject::Goal(_)));
            for expectation in goals.iter().chain(&general) {
                options = match &expectation.subject {
                    Subject::Goal(goal) => {
                        options.goals.push(goal.clone());
                        options
                    }
                    subject => {
                        options.properties.push(general_name(subject).into());
                        options
                    }
                };
            }
            let checked = check(&case.model, &options);
            assert_eq!(checked.outcome.results.len(), goals.len() + general.len());
            for (expectation, result) in goals.iter().chain(&general).zip(&checked.outcome.results)
            {
                let about = format!("{}: {expectation:?} with {with:?}", case.model.network.name);
                expect_verdict(expectation, result, with, &about);
            }
        }
    }
}

/// Selections of passes: each alone switched off, all off, all on.
fn selections() -> Vec<PassSelection> {
    let off = |name: &str| PassSelection { off: vec![name.into()], ..PassSelection::default() };
    let mut all: Vec<PassSelection> = Passes::NAMES.into_iter().map(off).collect();
    all.push(off("all"));
    all.push(PassSelection { on: vec!["all".into()], ..PassSelection::default() });
    for name in Passes::NAMES {
        all.push(PassSelection { on: vec![name.into()], off: vec!["all".into()] });
    }
    all
}

#[test]
fn passes_change_no_verdict_and_no_length() {
    let with = combinations().into_iter().find(|with| with.shortest && with.exact).unwrap();
    for case in cases() {
        for expectation in case.properties() {
            for passes in selections() {
                expect(&case, expectation, &Options { passes, ..with.options() }, &with);
            }
        }
    }
}

fn explored(model: &Model) -> Exploration {
    let found = Interpreter::new(&model.network).unwrap().explore(10_000);
    assert!(found.complete);
    found
}

/// The models without clocks: of others, zones are counted.
fn untimed() -> impl Iterator<Item = Case> {
    cases().into_iter().filter(|case| !case.model.network.is_timed())
}

/// What `stats` counts is what the interpreter counts, with every store.
#[test]
fn stats_count_what_the_interpreter_counts() {
    for case in untimed() {
        let found = explored(&case.model);
        let interpreter = Interpreter::new(&case.model.network).unwrap();
        let asserts = |state: &&_| !interpreter.violated_assertions(state).is_empty();
        for with in combinations().iter().filter(|with| with.counts && !with.directed) {
            let about = format!("{} with {with:?}", case.model.network.name);
            let stats = homing::stats(&case.model, &with.options(), Hooks::default()).unwrap();
            assert_eq!(stats.states, found.states.len() as u64, "{about}");
            assert_eq!(stats.transitions, found.transitions as u64, "{about}");
            assert_eq!(stats.deadlocks, found.deadlocks.len() as u64, "{about}");
            assert_eq!(stats.errors, found.faults.len() as u64, "{about}");
            let violations = found.states.iter().filter(asserts).count();
            assert_eq!(stats.violations, violations as u64, "{about}");
            if with.shortest {
                assert_eq!(stats.levels, found.levels() as u64, "{about}");
            }
            assert_eq!(stats.complete, with.exact, "{about}");
            let states = case.expectations.iter().find(|one| one.subject == Subject::States);
            assert_eq!(Some(stats.states.to_string()), states.map(|one| one.expected.clone()));
        }
    }
}

/// Resetting what nobody reads any more drops states of some of our models,
/// and never makes more.
#[test]
fn dead_values_are_reset() {
    let states = |model: &Model, passes: PassSelection| {
        let options = Options { passes, ..Options::default() };
        homing::stats(model, &options, Hooks::default()).unwrap().states
    };
    let mut fewer = 0;
    for case in untimed() {
        let plain = states(&case.model, PassSelection::default());
        let none = PassSelection { off: vec!["all".into()], ..PassSelection::default() };
        assert_eq!(plain, states(&case.model, none), "{}", case.model.network.name);
        let dead = PassSelection { on: vec!["dead".into()], ..PassSelection::default() };
        let reset = states(&case.model, dead);
        assert!(reset <= plain, "{}", case.model.network.name);
        fewer += usize::from(reset < plain);
    }
    assert!(fewer > 0, "no model has a value that nobody reads any more");
}

/// Slicing drops states of some of our models, for goals that hold.
#[test]
fn slices_are_smaller() {
    let mut fewer = 0;
    for case in cases() {
        for expectation in case.properties().filter(|one| one.length().is_none()) {
            let Subject::Goal(_) = &expectation.subject else { continue };
            let stored = |off: &[&str]| {
                let off = off.iter().map(|name| name.to_string()).collect();
                let passes = PassSelection { off, ..PassSelection::default() };
                let options = ask(Options { passes, ..Options::default() }, &expectation.subject);
                check(&case.model, &options).outcome.statistics.stored
            };
            let (sliced, whole) = (stored(&["dead"]), stored(&["dead", "slice"]));
            assert!(sliced <= whole, "{}: {expectation:?}", case.model.network.name);
            fewer += usize::from(sliced < whole);
        }
    }
    assert!(fewer > 0, "no model has anything to slice away");
}
