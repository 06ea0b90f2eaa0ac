//! What is drawn: programs of every language homing reads.

use homing_bench::random_promela::{self, corners};
use homing_bench::{random_dve, random_timed};

/// A random program.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub text: String,
    /// States to look for, in the model's own language.
    pub goals: Vec<String>,
}

/// Which tool or oracle answers beside homing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Oracle {
    /// SPIN, and the reference interpreter.
    Spin,
    /// The reference interpreter.
    Interpreter,
    /// None but homing's own configurations.
    Itself,
}

/// A generator of programs.
#[derive(Clone, Copy)]
pub struct Generator {
    pub name: &'static str,
    /// How files of its language end.
    pub extension: &'static str,
    pub oracle: Oracle,
    pub draw: fn(u64) -> Drawn,
}

/// All generators.
pub const GENERATORS: &[Generator] = &[
    Generator { name: "promela", extension: "pml", oracle: Oracle::Spin, draw: usual },
    Generator { name: "promela-corners", extension: "pml", oracle: Oracle::Spin, draw: corner },
    Generator { name: "promela-never", extension: "pml", oracle: Oracle::Spin, draw: never },
    Generator { name: "promela-ltl", extension: "pml", oracle: Oracle::Spin, draw: formula },
    Generator { name: "dve", extension: "dve", oracle: Oracle::Interpreter, draw: dve },
    Generator { name: "tchecker", extension: "tck", oracle: Oracle::Itself, draw: tchecker },
    Generator { name: "uppaal", extension: "xta", oracle: Oracle::Itself, draw: uppaal },
];

fn promela(text: String, goals: &[&str]) -> Drawn {
    Drawn { text, goals: goals.iter().map(|goal| (*goal).to_owned()).collect() }
}

fn usual(seed: u64) -> Drawn {
    promela(random_promela::program(seed), &["g == 2", "g == 1 && _nr_pr < 2"])
}

fn corner(seed: u64) -> Drawn {
    promela(corners::program(seed, corners::Claim::None), &["x == 2"])
}

fn never(seed: u64) -> Drawn {
    promela(corners::program(seed, corners::Claim::Never), &[])
}

fn formula(seed: u64) -> Drawn {
    promela(corners::program(seed, corners::Claim::Formula), &[])
}

fn dve(seed: u64) -> Drawn {
    let (text, goals) = random_dve::program(seed);
    Drawn { text, goals }
}

fn tchecker(seed: u64) -> Drawn {
    let (text, goals) = random_timed::tchecker(seed);
    Drawn { text, goals }
}

fn uppaal(seed: u64) -> Drawn {
    let (text, goals) = random_timed::uppaal(seed);
    Drawn { text, goals }
}
