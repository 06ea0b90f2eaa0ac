//! BEEM: every model and every goal can be read, and small models mean what
//! they should, according to the reference interpreter.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{beem, render_all};
use homing_ir::Network;
use homing_ir::interp::Interpreter;
use homing_lang::{Parsed, dve};

/// Models of at most this many states are explored by the interpreter.
const FEW_STATES: usize = 4_000;

fn read(path: &Path) -> Parsed {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    dve::parse(&path.display().to_string(), &text)
}

/// All models, those with properties included.
fn models(beem: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let files = entries(beem).into_iter().flat_map(|family| entries(&family));
    files.filter(|path| path.extension().is_some_and(|ending| ending == "dve")).collect()
}

/// The rows of a table, without its head.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let table = fs::read_to_string(path).unwrap();
    let cells = |row: &str| row.split('\t').map(str::to_string).collect();
    table.lines().skip(1).map(cells).collect()
}

/// Models by name, with how many states and breadth-first levels they have.
fn small_models(beem: &Path) -> BTreeMap<String, (usize, usize)> {
    let rows = rows(&beem.join("MERGED-states.tsv")).into_iter();
    let counts = rows.filter_map(|row| {
        let (states, levels) = (row[3].parse().ok()?, row[4].parse().ok()?);
        (states <= FEW_STATES).then_some((row[0].clone(), (states, levels)))
    });
    counts.filter(|(name, _)| path(beem, name).exists()).collect()
}

/// `at.1` is `at/at.1.dve`.
fn path(beem: &Path, name: &str) -> PathBuf {
    let family = name.split('.').next().unwrap_or(name);
    beem.join(family).join(format!("{name}.dve"))
}

#[test]
fn every_model_is_read() {
    let Some(beem) = beem() else { return };
    let models = models(&beem);
    assert!(models.len() > 400, "only {} models found", models.len());
    for path in models {
        let parsed = read(&path);
        let said = render_all(&parsed.network.sources, &parsed.diagnostics);
        assert!(parsed.usable(), "{}\n{said}", path.display());
        let wrong = homing_ir::wellformed::check(&parsed.network);
        assert!(wrong.is_empty(), "{}", render_all(&parsed.network.sources, &wrong));
    }
}

/// The shortest way to `goal`, as far as a complete exploration says.
fn distance(network: &mut Network, goal: &str) -> Option<u32> {
    let goal = dve::expression(network, goal, "<goal>").unwrap();
    let interpreter = Interpreter::new(network).unwrap();
    let found = interpreter.explore(FEW_STATES);
    assert!(found.complete);
    found.distance(|state| interpreter.eval(state, &goal) != Ok(0))
}

#[test]
fn every_goal_is_read_and_its_distance_is_known() {
    let Some(beem) = beem() else { return };
    let small = small_models(&beem);
    let (mut read_only, mut explored) = (0, 0);
    for row in rows(&beem.join("reach-goals.tsv")) {
        let (name, goal, steps) = (format!("{}.{}", row[0], row[1]), &row[3], &row[7]);
        if !path(&beem, &name).exists() {
            continue;
        }
        let mut network = read(&path(&beem, &name)).network;
        if small.contains_key(&name) {
            explored += 1;
            let expected = steps.parse().ok();
            assert_eq!(distance(&mut network, goal), expected, "{name} {goal}");
        } else {
            read_only += 1;
            let said = dve::expression(&mut network, goal, "<goal>").err().unwrap_or_default();
            assert!(said.is_empty(), "{name}\n{}", render_all(&network.sources, &said));
        }
    }
    println!("{explored} goals searched for, {read_only} only read");
    assert!(explored > 5 && read_only > 100);
}

#[test]
fn small_models_have_the_states_they_should() {
    let Some(beem) = beem() else { return };
    let small = small_models(&beem);
    for (name, expected) in &small {
        let network = read(&path(&beem, name)).network;
        let found = Interpreter::new(&network).unwrap().explore(FEW_STATES);
        assert_eq!((found.states.len(), found.levels()), *expected, "{name}");
    }
    println!("{} models explored", small.len());
    assert!(small.len() > 10);
}
