//! How many states the relaxed estimates evaluate a second, on BEEM's models
//! with their goals.
//!
//! ```sh
//! cargo bench -p homing-guide --bench relaxed            # one instance a family
//! cargo bench -p homing-guide --bench relaxed -- at.3    # these
//! ```
//!
//! The models are looked for where `HOMING_CORPUS` says, else beside the
//! project. The states are the first of a breadth-first search. Columns: the
//! instance, milliseconds to build h^U, states, and states a second by h^L, by
//! h^U, and by h^U with all steps judged as useless or not.

#![allow(clippy::expect_used)]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use homing_core::{Batch, Heuristic, Space, Word, expression};
use homing_guide::Goal;
use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_lang::dve;
use homing_space::CompiledSpace;

/// States evaluated in one round.
const STATES: usize = 5000;

/// How long rounds are repeated.
const TIME: Duration = Duration::from_millis(200);

fn main() {
    let Some(beem) = beem() else { return };
    let wanted: BTreeSet<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!("instance\tbuild_ms\tstates\tlayers_per_s\ttrace_per_s\tjudged_per_s");
    let rows: Vec<[f64; 3]> = (goals(&beem, &wanted).iter())
        .filter_map(|(instance, goal)| measure(&beem, instance, goal))
        .collect();
    let mean = |column: usize| {
        let logarithms: f64 = rows.iter().map(|row| row[column].ln()).sum();
        (logarithms / rows.len().max(1) as f64).exp()
    };
    println!("geometric mean\t\t\t{:.0}\t{:.0}\t{:.0}", mean(0), mean(1), mean(2));
}

fn beem() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("HOMING_CORPUS").map_or_else(beside, PathBuf::from);
    let beem = corpus.join("dve/beem");
    if !beem.is_dir() {
        println!("there is no corpus of models at {}", corpus.display());
        return None;
    }
    Some(beem)
}

/// Instances with their first goal: the last of every family, or those wanted.
fn goals(beem: &Path, wanted: &BTreeSet<String>) -> Vec<(String, String)> {
    let table = fs::read_to_string(beem.join("reach-goals.tsv")).expect("a table of goals");
    let mut first: BTreeMap<(String, u32), String> = BTreeMap::new();
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let instance = (cells[0].to_string(), cells[1].parse().expect("a number"));
        let file = beem.join(format!("{0}/{0}.{1}.dve", cells[0], cells[1]));
        if file.is_file() {
            first.entry(instance).or_insert(cells[3].to_string());
        }
    }
    if wanted.is_empty() {
        let last: BTreeMap<String, (u32, String)> =
            first.into_iter().map(|((family, n), goal)| (family, (n, goal))).collect();
        return last
            .into_iter()
            .map(|(family, (n, goal))| (format!("{family}.{n}"), goal))
            .collect();
    }
    let named = first.into_iter().map(|((family, n), goal)| (format!("{family}.{n}"), goal));
    named.filter(|(instance, _)| wanted.contains(instance)).collect()
}

fn measure(beem: &Path, instance: &str, goal: &str) -> Option<[f64; 3]> {
    let family = instance.split('.').next()?;
    let text = fs::read(beem.join(family).join(format!("{instance}.dve"))).ok()?;
    let mut network = dve::parse(instance, &String::from_utf8_lossy(&text)).network;
    let goal = dve::expression(&mut network, goal, "goal").ok()?;
    let space = CompiledSpace::new(&network, &[Wanted::goal(goal)], Passes::ALL).ok()?;
    let states = states(&space);
    let notices = RefCell::new(Vec::new());
    let goal = Goal::condition(space.prepared(), &space, 0, &notices);
    let build = |name| {
        let call = expression::parse(name).expect("an expression");
        homing_guide::build(&goal, call.as_call().expect("a call")).expect("an estimate")
    };
    let layers = build("relaxed-layers");
    let begun = processor_time();
    let trace = build("relaxed-trace");
    let built = processor_time() - begun;
    let (mut layers, mut trace) = (layers.instance(), trace.instance());
    let per_second = |round: &mut dyn FnMut()| states.len() as f64 / mean(round).as_secs_f64();
    let row = [
        per_second(&mut || evaluate(&mut *layers, &states)),
        per_second(&mut || evaluate(&mut *trace, &states)),
        per_second(&mut || judge(&mut *trace, &space, &states)),
    ];
    let (count, ms) = (states.len(), 1000.0 * built.as_secs_f64());
    println!("{instance}\t{ms:.0}\t{count}\t{:.0}\t{:.0}\t{:.0}", row[0], row[1], row[2]);
    Some(row)
}

/// The first states of a breadth-first search.
fn states(space: &CompiledSpace) -> Vec<Vec<Word>> {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut found = vec![batch.state(0).to_vec()];
    let mut known: BTreeSet<Vec<Word>> = found.iter().cloned().collect();
    let mut next = 0;
    while next < found.len() && found.len() < STATES {
        batch.clear();
        expander.expand(&found[next], &mut batch);
        let new = (0..batch.len()).map(|i| batch.state(i).to_vec());
        found.extend(new.filter(|state| known.insert(state.clone())));
        next += 1;
    }
    found
}

/// The processor time of one round, of many.
fn mean(round: &mut dyn FnMut()) -> Duration {
    let begun = (Instant::now(), processor_time());
    let mut rounds = 0;
    while begun.0.elapsed() < TIME {
        round();
        rounds += 1;
    }
    (processor_time() - begun.1) / rounds
}

/// The processor time taken so far where Linux tells, else the time passed.
fn processor_time() -> Duration {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let begun = BEGUN.get_or_init(Instant::now);
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| begun.elapsed(), Duration::from_nanos)
}

fn evaluate(estimate: &mut dyn Heuristic, states: &[Vec<Word>]) {
    for state in states {
        black_box(estimate.estimate(black_box(state), None));
    }
}

/// What a search does that looks for useless transitions.
fn judge(estimate: &mut dyn Heuristic, space: &CompiledSpace, states: &[Vec<Word>]) {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    let mut left = states.len();
    for state in states {
        batch.clear();
        expander.expand(state, &mut batch);
        for i in 0..batch.len().min(left) {
            let target = estimate.estimate(batch.state(i), Some(batch.edge(i)));
            black_box(Some(target) >= estimate.without(state, batch.edge(i).label));
        }
        left -= batch.len().min(left);
    }
}
