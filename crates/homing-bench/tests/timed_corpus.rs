//! A quick part of `homing-bench timed`: some of TChecker's own tests, and the
//! models of the corpus whose outcome their names tell. Skipped without the
//! corpus.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use homing::report::outcome::Verdict;
use homing::{EXTRAPOLATIONS, Hooks, Options, SUBSUMPTIONS, Zones};

/// Of the exhaustive breadth-first tests, every so many-th is run.
const EVERY: usize = 19;

fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("HOMING_CORPUS").map_or(beside, PathBuf::from).join("timed");
    if !root.is_dir() {
        println!("skipped: no corpus");
        return None;
    }
    Some(root)
}

fn named<T: Copy>(all: &[(&str, T)], name: &str) -> T {
    all.iter().find(|(known, _)| *known == name).expect("a known name").1
}

/// The model and settings of a test of `tchecker`'s former program, as its name
/// tells; nothing for depth-first ones, and those of another algorithm.
fn settings(test: &str) -> Option<(&str, Zones)> {
    let rest = test.strip_prefix("covreach-")?.strip_suffix("_bfs_raw")?;
    let (rest, extrapolation) = rest.rsplit_once('_')?;
    let (rest, semantics) = rest.rsplit_once('_')?;
    let (model, cover) = rest.strip_suffix("_zg")?.rsplit_once('_')?;
    let name = match extrapolation.trim_end_matches(['g', 'l']) {
        "NOextra" => "none".to_owned(),
        name => name.trim_start_matches("extra").to_lowercase(),
    };
    let subsumption = match cover {
        "async" => return None,
        "inclusion" => "inclusion".to_owned(),
        cover => cover[..cover.len() - 1].to_lowercase(),
    };
    let zones = Zones {
        extrapolation: Some(named(EXTRAPOLATIONS, &name)),
        local: Some(!extrapolation.ends_with('g')),
        subsumption: Some(named(SUBSUMPTIONS, &subsumption)),
        compare_local: Some(!cover.ends_with('g')),
        arriving: semantics == "non-elapsed",
    };
    Some((model, zones))
}

/// Zones kept where all are explored. The program that these tests were written
/// for never drops the initial zone: there may be one more.
#[test]
fn zones_are_those_tchecker_expects() {
    let Some(root) = corpus() else { return };
    let folder = root.join("tchecker-tests");
    let table = fs::read_to_string(folder.join("expected-stats.tsv")).unwrap();
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let columns = lines.next().expect("names of columns");
    let column = |name| columns.iter().position(|known| *known == name).expect("a column");
    let (test, reachable, stored) = (column("test"), column("REACHABLE"), column("STORED_NODES"));
    let rows = lines.filter(|row| row[reachable] == "false");
    let tests = rows.filter_map(|row| Some((row.clone(), settings(row[test])?)));
    let (mut compared, mut equal) = (0, 0);
    for (row, (model, zones)) in tests.step_by(EVERY) {
        let path = folder.join(format!("models/covreach--covreach-{model}.tck"));
        let model = homing::load(&path).expect("it is read");
        let options = Options { zones, ..Options::default() };
        let stats = homing::stats(&model, &options, Hooks::default()).expect("it is explored");
        let stored: u64 = row[stored].parse().expect("a number");
        assert!(stored == stats.states || stored == stats.states + 1, "{row:?}: {}", stats.states);
        compared += 1;
        equal += usize::from(stored == stats.states);
    }
    assert!(compared > 30 && equal * 10 > compared * 8, "{equal} of {compared} are equal");
}

/// Circuits whose names say whether the last node can be done in time. Of
/// `g0_100` the name is wrong: it is, at 100.
#[test]
fn circuits_are_done_as_their_names_say() {
    let Some(root) = corpus() else { return };
    for (name, done) in [
        ("g0_100_unsat", true),
        ("g0_150_sat", true),
        ("g0_nobound_sat", true),
        ("g1_100_unsat", false),
        ("g1_nobound_sat", true),
        ("g3_300_sat", true),
        ("g3_nobound_sat", true),
    ] {
        let path = root.join(format!("ticktac-generated/{name}.xml"));
        let model = homing::load(&path).expect("it is read");
        let options = Options { goals: vec!["Node0.Done".into()], ..Options::default() };
        let checked = homing::check(&model, &options, Hooks::default()).expect("it is checked");
        let found = checked.outcome.results[0].verdict == Verdict::Violated;
        assert_eq!(found, done, "{name}");
    }
}
