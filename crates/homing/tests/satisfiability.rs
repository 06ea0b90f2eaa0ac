//! Checks of circuits by a solver for satisfiability: the models of hardware with what their
//! comments say, and random relations against the explicit engine.

#![allow(clippy::expect_used, reason = "what a test expects must be there")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use homing::catalogue::{Capability, Kind};
use homing::ir::random::config;
use homing::ir::relation::{Goal, Relation, random};
use homing::report::Verdict;
use homing::report::outcome::PropertyOutcome;
use homing::{Checked, Execution, Hooks, Limits, Model, Options, UseEngine};
use proptest::prelude::*;

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models");
    let entries = ["aiger", "btor2"].map(|name| std::fs::read_dir(folder.join(name)));
    let entries = entries.into_iter().flat_map(|entries| entries.expect("a folder"));
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

fn checked(model: &Model, engine: UseEngine, strategy: Option<&str>) -> Checked {
    let limits = Limits { expansions: Some(20_000), ..Limits::default() };
    let strategy = strategy.map(String::from);
    let options = Options { engine, strategy, limits, ..Options::default() };
    homing::check(model, &options, Hooks::default()).expect("answers")
}

const EXPLICIT: UseEngine = UseEngine::Explicit(Execution::Compiled);

/// Verdicts are the same, and lengths where both are shortest.
fn agree(found: &PropertyOutcome, expected: &PropertyOutcome) -> Result<(), String> {
    let length = |one: &PropertyOutcome| one.trace.as_ref().map(|trace| trace.length);
    let known = found.verdict != Verdict::Unknown && expected.verdict != Verdict::Unknown;
    let same = found.verdict == expected.verdict
        && (!found.optimal || !expected.optimal || length(found) == length(expected));
    match !known || same {
        true => Ok(()),
        false => Err(format!("{found:?} instead of {expected:?}")),
    }
}

#[test]
fn every_check_meets_the_expectations() {
    for path in models() {
        let model = homing::load(&path).expect("a model");
        let expected = checked(&model, EXPLICIT, None).outcome.results;
        for row in homing::catalogue().iter().filter(|row| row.kind == Kind::Satisfiability) {
            let results = checked(&model, UseEngine::Sat, Some(row.name)).outcome.results;
            for (found, expected) in results.iter().zip(&expected) {
                let name = format!("{}: {} by {}", path.display(), found.property, row.name);
                assert_eq!(agree(found, expected), Ok(()), "{name}");
                // What is not inductive over few steps is left to others.
                let gives_up = !row.gives(Capability::Complete) || row.name == "k-induction";
                let may_be_open = gives_up && expected.verdict == Verdict::Holds;
                assert!(may_be_open || found.verdict != Verdict::Unknown, "{name}: {found:?}");
                let shortest = row.gives(Capability::Shortest) && expected.optimal;
                assert!(!shortest || found.optimal, "{name}");
            }
        }
    }
}

/// A model that is a relation, with its invariant and the same as a justice property.
fn model_of(relation: &Relation) -> Model {
    let mut model = homing::parse("random.aag", "aag 0 0 0 0 0\n").expect("a model");
    let mut relation = relation.clone();
    let Goal::Invariant(term) = relation.specifications[0].goal else { panic!("an invariant") };
    let mut lasting = relation.specifications[0].clone();
    lasting.name = "lasting".into();
    lasting.goal = Goal::Justice(vec![term]);
    relation.specifications.push(lasting);
    model.network.relation = Some(Arc::new(relation));
    model
}

fn compare(relation: &Relation) -> Result<(), TestCaseError> {
    let bits: u32 =
        relation.variables.iter().map(|one| one.domain.size().expect("small").ilog2()).sum();
    prop_assume!(bits <= 9);
    let model = model_of(relation);
    let expected = checked(&model, EXPLICIT, None).outcome.results;
    for strategy in ["turns", "bmc", "k-induction", "pdr"] {
        let results = checked(&model, UseEngine::Sat, Some(strategy)).outcome.results;
        for (found, expected) in results.iter().zip(&expected) {
            let agree = agree(found, expected).map_err(|why| format!("{strategy}: {why}"));
            prop_assert_eq!(agree, Ok(()));
            let open = found.verdict == Verdict::Unknown && expected.verdict != Verdict::Unknown;
            let gives_up = ["bmc", "k-induction"].contains(&strategy);
            prop_assert!(!open || gives_up, "{}: {:?}", strategy, found);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn differential_checks_of_relations(relation in random::relation()) {
        compare(&relation)?;
    }
}

#[test]
fn what_is_too_large_and_what_is_no_check_is_said() {
    let text = "1 sort bitvec 32\n2 sort bitvec 8\n3 sort array 1 2\n4 state 3 memory\n\
                5 input 1\n6 read 2 4 5\n7 sort bitvec 1\n8 redor 7 6\n9 bad 8\n";
    let model = homing::parse("wide.btor2", text).expect("a model");
    let result = &checked(&model, UseEngine::Sat, None).outcome.results[0];
    assert_eq!(result.verdict, Verdict::Unknown);
    assert!(result.reason.contains("`memory` is too large"), "{}", result.reason);
    assert!(result.reason.contains("wide.btor2:4:"), "{}", result.reason);
    let options =
        Options { engine: UseEngine::Sat, strategy: Some("bmcc".into()), ..Options::default() };
    let error = homing::check(&model, &options, Hooks::default()).expect_err("no such check");
    assert!(error.to_string().contains("did you mean `bmc`?"), "{error}");
}

/// A counter of thirty bits: too many states for the explicit engine, few steps for an
/// invariant. Time that is over ends every check with what it found out so far.
#[test]
fn a_check_ends_with_its_time() {
    let text = "1 sort bitvec 30\n2 sort bitvec 1\n3 zero 1\n4 state 1\n5 init 1 4 3\n6 one 1\n\
                7 add 1 4 6\n8 next 1 4 7\n9 ones 1\n10 eq 2 4 9\n11 bad 10\n";
    let model = homing::parse("counter.btor2", text).expect("a model");
    let limits = Limits { time: Some(std::time::Duration::from_millis(300)), ..Limits::default() };
    let options = Options { engine: UseEngine::Sat, limits, ..Options::default() };
    let strategy = Some("bmc".into());
    let checked = homing::check(&model, &Options { strategy, ..options }, Hooks::default());
    let result = checked.expect("an answer").outcome.results.remove(0);
    assert_eq!(result.verdict, Verdict::Unknown);
    assert!(result.reason.contains("time limit"), "{}", result.reason);
}
