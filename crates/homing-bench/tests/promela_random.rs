//! Random Promela programs, against SPIN: the number of states and what is
//! wrong with them.
//!
//! Draws a dozen programs; `HOMING_RANDOM_PROMELA=FIRST..END` draws those of
//! other seeds, as many as wanted. A program on which the two differ is left in
//! the folder for temporary files of the tests.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use homing::report::outcome::Verdict;
use homing::{Hooks, Limits, Options};
use homing_bench::random_promela::program;

/// States beyond which a program is left out: a dozen must not take long.
const MOST_STATES: u64 = 30_000;

/// What is compared.
#[derive(PartialEq, Eq, Debug)]
struct Figures {
    states: u64,
    invalid_end_state: bool,
    assertion_violated: bool,
}

/// What `pan` says. `None` where it runs to its depth limit: control goes
/// round in an atomic sequence.
fn spin(model: &Path, folder: &Path) -> Option<Figures> {
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder).output();
        let output = output.expect("the program can be run");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let model = model.to_str().expect("a plain path");
    let (made, said) = run("spin", &["-a", "-o1", "-o2", "-o3", model]);
    assert!(made, "{model}: spin: {said}");
    let flags = ["-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-o", "pan", "pan.c"];
    assert!(run("gcc", &flags).0, "{model}: gcc");
    let pan = |options: &[&str]| {
        let said = run("./pan", &[&["-m100000", "-c0"], options].concat()).1;
        (!said.contains("max search depth too small")).then_some(said)
    };
    let word_before = |said: &str, words: &str| -> u64 {
        let line = said.lines().find_map(|line| line.trim().strip_suffix(words));
        line.expect("pan reports").trim().parse().expect("a number")
    };
    let errors = |said: &str| -> u64 {
        let (_, rest) = said.split_once("errors: ").expect("pan reports");
        rest.split_whitespace().next().expect("a word").parse().expect("a number")
    };
    Some(Figures {
        states: word_before(&pan(&["-E", "-A"])?, "states, stored"),
        invalid_end_state: errors(&pan(&["-A"])?) > 0,
        assertion_violated: errors(&pan(&["-E"])?) > 0,
    })
}

/// What homing says; `None` where there are too many states.
fn homing(name: &str, text: &str) -> Option<Figures> {
    let model = homing::parse(name, text);
    let model = model.unwrap_or_else(|error| panic!("{name}: {error:?}\n{text}"));
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    // Processes that only a search finds: the model is read again with more.
    let explore = |model: &homing::Model| homing::stats(model, &options, Hooks::default());
    let (model, stats) = homing::settled(model, explore).expect("it can be explored");
    if !stats.complete {
        return None;
    }
    let checked = homing::check(&model, &Options::default(), Hooks::default());
    let checked = checked.expect("it can be checked").outcome;
    let violated = |name: &str| {
        let result = checked.results.iter().find(|result| result.property == name);
        result.expect("it is checked").verdict == Verdict::Violated
    };
    Some(Figures {
        states: stats.states,
        invalid_end_state: violated("deadlock"),
        assertion_violated: violated("assertions") || violated("errors"),
    })
}

fn seeds() -> std::ops::Range<u64> {
    let wanted = std::env::var("HOMING_RANDOM_PROMELA").unwrap_or_else(|_| "0..16".into());
    let (first, end) = wanted.split_once("..").expect("FIRST..END");
    first.parse().expect("a number")..end.parse().expect("a number")
}

fn installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn random_programs_are_what_spin_says() {
    if !installed("spin") || !installed("gcc") {
        println!("skipped: SPIN or a C compiler is not installed");
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("random-promela");
    let mut wrong = Vec::new();
    let mut compared = 0;
    for seed in seeds() {
        let text = program(seed);
        let name = format!("{seed}.pml");
        let Some(ours) = homing(&name, &text) else { continue };
        let own = folder.join(seed.to_string());
        fs::create_dir_all(&own).expect("a folder can be made");
        fs::write(own.join(&name), &text).expect("a file can be written");
        let Some(theirs) = spin(&own.join(&name), &own) else { continue };
        compared += 1;
        if ours == theirs {
            fs::remove_dir_all(&own).expect("it was just made");
        } else {
            wrong.push(format!("{}: ours {ours:?}, SPIN's {theirs:?}", own.join(name).display()));
        }
    }
    println!("{compared} programs compared");
    assert!(compared > 0, "nothing was compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
