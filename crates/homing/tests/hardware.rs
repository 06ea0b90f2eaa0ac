//! Models of hardware: what they mean, by the expectations in their comments; models of the
//! corpus whose verdicts are known; what is said where there is no answer.

#![allow(clippy::expect_used, reason = "what a test expects must be there")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use homing::ir::relation::{Ctl, Evaluation, Goal, Specification};
use homing::ir::temporal::Formula;
use homing::report::{Verdict, hardware};
use homing::{Checked, Execution, Fairness, Hooks, Limits, Model, Options, UseEngine, UseSymmetry};

#[path = "../../../tests/support/corpus.rs"]
mod corpus;

fn options() -> Options {
    let expansions = Some(20_000);
    Options { limits: Limits { expansions, ..Limits::default() }, ..Options::default() }
}

fn checked(model: &Model) -> Checked {
    homing::check(model, &options(), Hooks::default()).expect("an answer")
}

fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models").join(folder);
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// Compares with the lines `expect: NAME holds`, `expect: NAME violated, length N` and
/// `expect: states N`, of which there is one a property.
fn compare(path: &Path) {
    let model = homing::load(path).expect("a model");
    let text = fs::read_to_string(path).expect("a text");
    let checked = checked(&model);
    let mut found: Vec<String> = checked
        .outcome
        .results
        .iter()
        .map(|result| match (result.verdict, &result.trace, result.optimal) {
            (Verdict::Holds, ..) => format!("{} holds", result.property),
            (Verdict::Violated, Some(trace), true) => {
                format!("{} violated, length {}", result.property, trace.length)
            }
            (Verdict::Violated, ..) => format!("{} violated", result.property),
            _ => format!("{} unknown: {}", result.property, result.reason),
        })
        .collect();
    let stats = homing::stats(&model, &options(), Hooks::default()).expect("counts");
    assert!(stats.complete, "{}: {}", path.display(), stats.reason);
    found.push(format!("states {}", stats.states));
    let mut expected: Vec<String> =
        text.lines().filter_map(|line| Some(line.split_once("expect: ")?.1.to_string())).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{}", path.display());
}

#[test]
fn models_are_what_their_comments_say() {
    let all = ["aiger", "btor2", "smv"].into_iter().flat_map(models);
    assert!(all.map(|path| compare(&path)).count() >= 6);
}

#[test]
fn corpus_verdicts_are_right() {
    let Some(corpus) = corpus::corpus("aiger") else { return };
    let resources = "aiger/theta-hwmcc24/subprojects/sts/sts-analysis/src/test/resources";
    let corpus = corpus.parent().expect("a folder").to_path_buf();
    let samples = "btor/pono-samples/samples";
    for (path, expected) in [
        (format!("{resources}/hw1_false.aag"), Verdict::Violated),
        (format!("{resources}/hw2_true.aag"), Verdict::Holds),
        ("btor/btor2tools/examples/btorsim/count2.btor2".into(), Verdict::Violated),
        ("btor/btor2tools/examples/btorsim/count4.btor2".into(), Verdict::Violated),
        ("btor/btor2tools/examples/btorsim/twocount2.btor2".into(), Verdict::Violated),
        ("btor/btor2tools/examples/btorsim/factorial4even.btor2".into(), Verdict::Violated),
        (format!("{samples}/k-induction/cnt-3bits-wrap-safe-kind-bound0.btor2"), Verdict::Holds),
        (format!("{samples}/counter-true.btor"), Verdict::Holds),
        (format!("{samples}/counter.btor"), Verdict::Violated),
    ] {
        let model = homing::load(&corpus.join(&path)).expect("a model");
        let found = checked(&model).outcome.results;
        assert_eq!(found[0].verdict, expected, "{path}: {}", found[0].reason);
    }
}

/// NuSMV's counts of specifications that are true and false. What is unknown here may be either.
#[test]
fn corpus_smv_verdicts_are_those_of_nusmv() {
    let Some(folder) = corpus::corpus("smv") else { return };
    let table = fs::read_to_string(folder.join("nusmv-results.tsv")).expect("a table");
    let mut decided = 0;
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let path = folder.parent().expect("a folder").join(fields[0]);
        let small = fs::metadata(&path).expect("a file").len() < 4000;
        if fields[1] != "ok" || !small {
            continue;
        }
        let model = homing::load(&path).expect("a model");
        let results = checked(&model).outcome.results;
        let count = |verdict| results.iter().filter(|one| one.verdict == verdict).count();
        let (holds, violated) = (count(Verdict::Holds), count(Verdict::Violated));
        let all: Vec<usize> = fields[2..4].iter().map(|n| n.parse().expect("a count")).collect();
        assert_eq!(results.len(), all[0] + all[1], "{}", fields[0]);
        assert!(holds <= all[0] && violated <= all[1], "{}: {results:?}", fields[0]);
        decided += holds + violated;
    }
    assert!(decided >= 30, "{decided}");
}

#[test]
fn witnesses_are_written_as_others_read_them() {
    let path = models("btor2").into_iter().find(|path| path.ends_with("counter.btor2"));
    let model = homing::load(&path.expect("a path")).expect("a model");
    let relation = model.network.relation.as_ref().expect("a relation");
    let checked = checked(&model);
    let (number, run) = &checked.runs[0];
    assert_eq!(relation.confirm_violation(run, &relation.specifications[*number].goal), Ok(()));
    let witness = hardware::written(relation, *number, run, "wit");
    assert!(
        witness.starts_with("sat\nb0\n#0\n0 000 count#0\n1 000 last#0\n@0\n0 1 enable@0\n@1\n")
    );
    assert!(witness.ends_with(".\n"));
    let vcd = hardware::written(relation, *number, run, "vcd");
    assert!(vcd.contains("$var wire 3 ! count $end") && vcd.contains("\n#5\nb101 !\n"), "{vcd}");
    let trace = hardware::written(relation, *number, run, "txt");
    assert!(trace.contains("-> State: 1.6 <-"), "{trace}");
}

#[test]
fn runs_that_were_changed_are_not_confirmed() {
    let path = models("btor2").into_iter().find(|path| path.ends_with("counter.btor2"));
    let model = homing::load(&path.expect("a path")).expect("a model");
    let relation = model.network.relation.as_ref().expect("a relation");
    let (number, run) = checked(&model).runs.remove(0);
    let goal = &relation.specifications[number].goal;
    let Goal::Invariant(term) = goal else { panic!("an invariant") };
    let last = run.moments.last().expect("a moment");
    assert_eq!(Evaluation::new(relation, last, &[]).holds(*term), Ok(false));
    for moment in 0..run.moments.len() {
        let mut changed = run.clone();
        changed.moments[moment].swap(0, 2);
        assert!(changed == run || relation.confirm_violation(&changed, goal).is_err());
    }
    let mut short = run.clone();
    short.moments.pop();
    assert!(relation.confirm_violation(&short, goal).is_err());
}

#[test]
fn too_many_inputs_are_told_of() {
    let text = "1 sort bitvec 32\n2 input 1\n3 state 1\n4 next 1 3 2\n5 sort bitvec 1\n\
                6 zero 1\n7 init 1 3 6\n8 ones 1\n9 eq 5 3 8\n10 bad 9\n";
    let model = homing::parse("wide.btor2", text).expect("a model");
    let engine = UseEngine::Explicit(Execution::Compiled);
    let explicit = homing::check(&model, &Options { engine, ..options() }, Hooks::default());
    let result = &explicit.expect("an answer").outcome.results[0];
    assert_eq!(result.verdict, Verdict::Unknown);
    assert!(result.reason.contains("too many inputs"), "{}", result.reason);
    assert_eq!(checked(&model).outcome.results[0].verdict, Verdict::Violated);
}

/// The verdicts of sets of states, and how long runs are that are shortest.
#[test]
fn sets_of_states_say_what_states_say() {
    let mut paths = [models("aiger"), models("btor2")].concat();
    if let Some(corpus) = corpus::corpus("btor") {
        let samples = corpus.join("btor2tools/examples/btorsim");
        paths.extend(
            ["count2.btor2", "count4.btor2", "twocount2.btor2"].map(|one| samples.join(one)),
        );
    }
    for path in paths {
        let model = homing::load(&path).expect("a model");
        for property in [Vec::new(), vec!["deadlock".to_string()]] {
            let results =
                [UseEngine::Explicit(Execution::Compiled), UseEngine::Symbolic].map(|engine| {
                    let asked = Options { engine, properties: property.clone(), ..options() };
                    let found = homing::check(&model, &asked, Hooks::default()).expect("an answer");
                    let results = found.outcome.results.into_iter();
                    let shown = results.map(|one| {
                        let length = one.trace.filter(|_| one.optimal).map(|trace| trace.length);
                        (one.property, one.verdict, length)
                    });
                    shown.collect::<Vec<_>>()
                });
            assert_eq!(results[0], results[1], "{}", path.display());
        }
    }
}

/// A counter of two bits that counts where its input allows it, and what is said of it.
#[test]
fn formulas_are_answered() {
    let text = "1 sort bitvec 2\n2 sort bitvec 1\n3 input 2\n4 state 1\n5 zero 1\n6 init 1 4 5\n\
                7 one 1\n8 add 1 4 7\n9 ite 1 3 8 4\n10 next 1 4 9\n11 ones 1\n12 eq 2 4 11\n\
                13 bad 12\n";
    let mut model = homing::parse("counter.btor2", text).expect("a model");
    let mut relation = model.network.relation.as_deref().expect("a relation").clone();
    let Goal::Invariant(below) = relation.specifications[0].goal else { panic!("an invariant") };
    let span = relation.specifications[0].span;
    let (low, top) = (Ctl::Atom(below), Ctl::Not(Box::new(Ctl::Atom(below))));
    let atom = || Box::new(Formula::Atom(below));
    let goals = [
        // Some run comes to the top, and not every one.
        Goal::Ctl(Ctl::ExistsUntil(Box::new(low.clone()), Box::new(top.clone()))),
        Goal::Ctl(Ctl::AllUntil(Box::new(low.clone()), Box::new(top.clone()))),
        // From everywhere below some run stays there for ever.
        Goal::Ctl(Ctl::AllAlways(Box::new(Ctl::Or(
            Box::new(top),
            Box::new(Ctl::ExistsAlways(Box::new(low))),
        )))),
        Goal::Ltl(Formula::Globally(Box::new(Formula::Finally(atom())))),
        Goal::Ltl(Formula::Finally(Box::new(Formula::Globally(atom())))),
        Goal::Distance { shortest: true, from: below, to: below },
    ];
    for (number, goal) in goals.into_iter().enumerate() {
        relation.specifications.push(Specification { name: format!("f{number}"), goal, span });
    }
    model.network.relation = Some(Arc::new(relation));
    let found = checked(&model).outcome.results;
    let verdicts: Vec<Verdict> = found[1..].iter().map(|one| one.verdict).collect();
    let (yes, no) = (Verdict::Holds, Verdict::Violated);
    assert_eq!(verdicts, [yes, no, yes, no, no, yes], "{found:#?}");
    assert!(found[2].trace.as_ref().is_some_and(|trace| trace.repeats.is_some()));
    assert_eq!(found[6].values[0].least, Some(0));
}

#[test]
fn what_is_not_available_is_said() {
    let model = homing::parse("m.aag", "aag 1 1 0 1 0\n2\n2\n").expect("a model");
    let asked = Options { goals: vec!["x".into()], ..Options::default() };
    assert!(homing::check(&model, &asked, Hooks::default()).is_err());
    for asked in [
        Options { fairness: Fairness::Weak, ..Options::default() },
        Options { symmetry: UseSymmetry::Always, ..Options::default() },
        Options { engine: UseEngine::Explicit(Execution::Interpreted), ..Options::default() },
    ] {
        let error = homing::check(&model, &asked, Hooks::default()).expect_err("a refusal");
        assert!(error.to_string().contains("not available for models of hardware"), "{error}");
        assert!(homing::stats(&model, &asked, Hooks::default()).is_err());
    }
    let asked = Options { without: vec!["o0".into()], ..Options::default() };
    let checked = homing::check(&model, &asked, Hooks::default()).expect("no answers");
    assert!(checked.outcome.results.is_empty());
    let notices = &checked.outcome.notices;
    assert!(notices[0].contains("everything the file specifies was left out"), "{notices:?}");
    let empty = homing::parse("m.aag", "aag 0 0 0 0 0\n").expect("a model");
    let checked = homing::check(&empty, &Options::default(), Hooks::default()).expect("no answers");
    let notices = &checked.outcome.notices;
    assert!(notices[0].contains("the file specifies nothing to check"), "{notices:?}");
    let asked = Options { properties: vec!["o1".into()], ..Options::default() };
    let error = homing::check(&model, &asked, Hooks::default()).expect_err("no such name");
    assert!(error.to_string().contains("did you mean `o0`?"), "{error}");
    let asked = Options { properties: vec!["deadlock".into()], ..Options::default() };
    let checked = homing::check(&model, &asked, Hooks::default()).expect("an answer");
    assert_eq!(checked.outcome.results[0].verdict, Verdict::Holds);
}

/// What a front end says of a specification that it does not support is the answer.
#[test]
fn what_is_not_supported_says_why() {
    let text = "MODULE main\nVAR x : boolean;\nLTLSPEC G (x -> O F x)\nINVARSPEC x | !x\n";
    let model = homing::parse("m.smv", text).expect("a model");
    let checked = homing::check(&model, &Options::default(), Hooks::default()).expect("answers");
    let results = &checked.outcome.results;
    let told = results.iter().map(|one| (one.verdict, one.reason.contains("past")));
    let told: Vec<(Verdict, bool)> = told.collect();
    assert!(told.contains(&(Verdict::Holds, false)), "{results:?}");
    assert!(told.contains(&(Verdict::Unknown, true)), "{results:?}");
}

/// What goes through steps of processes says what to do instead.
#[test]
fn models_without_processes_are_not_simulated() {
    let model = homing::parse("m.smv", "MODULE main\nVAR x : boolean;\n").expect("a model");
    let refused = homing::Simulator::new(&model, &homing::SimulateOptions::default());
    let Err(error) = refused else { panic!("it is simulated") };
    assert!(error.to_string().contains("`homing check` shows their runs"), "{error}");
}
