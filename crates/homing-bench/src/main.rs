//! `homing-bench`: measures the `homing` command against known answers and
//! against its peers.
//!
//! Every subcommand runs whole programs, as a user would, and writes a table of
//! tab-separated values whose first line is the command that made it. Nothing
//! that measures links against homing but what it prints and draws
//! (`homing-report`): what is measured is what is shipped. `soak` measures nothing;
//! it asks the library, tens of programs a second.
//!
//! | command   | question it answers |
//! |-----------|---------------------|
//! | `beem`    | are states, levels, deadlocks and shortest paths exact? |
//! | `accuracy`| do estimates keep their promises, how near are they? |
//! | `auto`    | does the planner find as soon as the best plain search, and cost little where there is nothing? |
//! | `goals`   | what do estimates and preferences do for BEEM's goals? |
//! | `strategies` | what does every strategy of the catalogue take for the same goals? |
//! | `papers`  | how do the papers' experiments come out? |
//! | `spin`    | how many times faster and smaller than SPIN's `pan`? |
//! | `promela` | are states and verdicts SPIN's, and how much faster, smaller, shorter? |
//! | `liveness`| are verdicts of formulas right, how soon are violations found? |
//! | `timed`   | are zones and verdicts TChecker's, and how much faster, smaller? |
//! | `ltl`     | are automata of formulas smaller than ltl2ba's and SPIN's? |
//! | `tree`    | how many bytes does a tree-compressed state take? |
//! | `growth`  | does the rate hold from one million states to ten? |
//! | `scale`   | what do several threads take and save? |
//! | `disk`    | what do states on disk take beside states in memory? |
//! | `reduction` | how many states does partial-order reduction leave, beside SPIN's? |
//! | `limits`  | do `--time` and `--memory` hold on every model? |
//! | `symbolic` | do searches over sets find errors where breadth-first search does not? |
//! | `hardware` | how many circuits are decided, by which engine, and rightly? |
//! | `compile` | how long is a model compiled, by its size? |
//! | `fast-downward` | how many times more states does an estimate judge than Fast Downward's? |
//! | `lama`    | does the planner find with fewer expansions, and sooner, than `lama-first`? |
//! | `soak`    | do all answers about random programs of every language agree? |
//!
//! `family` measures nothing: it writes the models of the papers' tables.
//!
//! # Modules
//!
//! - One file a table: `beem`, `goals`, `auto`, `strategies`, `spin`, `promela`, `timed`, `tree`,
//!   `growth`, `compile`, `fast-downward`, `lama`. See
//!   docs/how-to/measure.md.
//! - `family`: the papers' model families, made anew, each with the figures it was
//!   calibrated by. Without time, as DVE: `arbiter`, `hanoi`, `random`. Timed, for UPPAAL and
//!   TChecker: `fischer`, `mutex`, `tramway`. In the crate's library
//!   part, for benchmarks that need such models.
//! - `random_promela`, `random_dve`, `random_timed`: random programs, in the library part
//!   too, for tests. `soak`: draws them, compares all answers about them and makes smaller
//!   what differs. See docs/how-to/soak-and-fuzz.md.

mod accuracy;
mod answers;
mod auto;
mod beem;
mod compile;
mod corpus;
mod disk;
mod fast_downward;
mod goals;
mod growth;
mod hardware;
mod homing;
mod lama;
mod limits;
mod liveness;
mod ltl;
mod measure;
mod page;
mod pan;
mod papers;
mod parallel;
mod parts;
mod planner;
mod prism;
mod promela;
mod reduction;
mod refusals;
mod scale;
mod searches;
mod smv;
mod soak;
mod spin;
mod statistics;
mod strategies;
mod symbolic;
mod table;
mod tasks;
mod timed;
mod tree;
mod twins;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};
use homing_bench::family;

use crate::corpus::Corpus;
use crate::homing::Homing;

/// Benchmarks of homing beside known answers and its peers.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compare with the known answers of the BEEM benchmark set
    Beem(beem::Options),
    /// Compare every estimate with exact distances on small BEEM instances
    Accuracy(accuracy::Options),
    /// Compare the planner with plain searches until errors, and where there are none
    Auto(auto::Options),
    /// Compare estimates and preferences on BEEM's reachable goals
    Goals(goals::Options),
    /// Compare all strategies on the same goals
    Strategies(strategies::Options),
    /// Set the experiments of the papers on directed search beside ours
    Papers(papers::Options),
    /// Compare speed and memory with SPIN on the Promela twins of BEEM
    Spin(spin::Options),
    /// Compare states, verdicts, speed, memory and traces with SPIN on Promela
    Promela(promela::Options),
    /// Compare verdicts, speed and runs of temporal formulas with known answers and SPIN
    Liveness(liveness::Options),
    /// Compare what is read of SMV, and answered, with NuSMV's answers
    Smv(smv::Options),
    /// Counts states of models in PRISM's language, beside published counts
    Prism(prism::Options),
    /// Compare zones, verdicts, speed and memory with TChecker on timed automata
    Timed(timed::Options),
    /// Compare the size of formulas' automata with ltl2ba's and SPIN's
    Ltl(ltl::Options),
    /// Compare symbolic searches with each other, and set the paper's figures beside them
    Symbolic(symbolic::Options),
    /// Measure the bytes a tree-compressed state takes
    Tree(tree::Options),
    /// Compare the rate at one million states with that at ten million
    Growth(growth::Options),
    /// Compare several threads with one
    Scale(scale::Options),
    /// Compare states on disk with states in memory
    Disk(disk::Options),
    /// Compare the states that partial-order reduction leaves with SPIN's
    Reduction(reduction::Options),
    /// Check every model of the corpus under tight limits, and fail on any excess
    Limits(limits::Options),
    /// Check the circuits of the corpus by several engines
    Hardware(hardware::Options),
    /// Measure the time homing needs to compile each BEEM model
    Compile(compile::Options),
    /// Compare the speed of estimates with Fast Downward's on the same tasks
    FastDownward(fast_downward::Options),
    /// Compare the planner until the first error with Fast Downward's `lama-first`
    Lama(lama::Options),
    /// Draw random programs of every language and compare all answers about them
    Soak(soak::Options),
    /// Write models of the papers' families: arbiter trees, towers of Hanoi, random systems
    Family(family::Options),
    /// Run one program and print what it used, as JSON
    #[command(hide = true)]
    Measure(measure::Options),
}

/// What every benchmark needs to know: where the models and the command are.
#[derive(Args, Clone)]
struct Setting {
    /// Folder of the benchmark models [default: $HOMING_CORPUS, else ../shared/corpus]
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// The homing command [default: the one beside this program, else on the PATH]
    #[arg(long)]
    homing: Option<PathBuf>,
}

impl Setting {
    fn corpus(&self) -> Result<Corpus> {
        Corpus::open(self.corpus.as_deref())
    }

    fn homing(&self) -> Result<Homing> {
        Homing::find(self.homing.as_deref())
    }
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("homing-bench: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Beem(options) => beem::run(&options),
        Command::Limits(options) => limits::run(&options),
        Command::Hardware(options) => hardware::run(&options),
        Command::Auto(options) => auto::run(&options),
        Command::Strategies(options) => strategies::run(&options),
        Command::Accuracy(options) => accuracy::run(&options),
        Command::Goals(options) => goals::run(&options),
        Command::Papers(options) => papers::run(&options),
        Command::Spin(options) => spin::run(&options),
        Command::Promela(options) => promela::run(&options),
        Command::Liveness(options) => liveness::run(&options),
        Command::Smv(options) => smv::run(&options),
        Command::Prism(options) => prism::run(&options),
        Command::Timed(options) => timed::run(&options),
        Command::Ltl(options) => ltl::run(&options),
        Command::Symbolic(options) => symbolic::run(&options),
        Command::Tree(options) => tree::run(&options),
        Command::Growth(options) => growth::run(&options),
        Command::Scale(options) => scale::run(&options),
        Command::Disk(options) => disk::run(&options),
        Command::Reduction(options) => reduction::run(&options),
        Command::Compile(options) => compile::run(&options),
        Command::FastDownward(options) => fast_downward::run(&options),
        Command::Lama(options) => lama::run(&options),
        Command::Soak(options) => soak::run(&options),
        Command::Family(options) => family::run(&options),
        Command::Measure(options) => measure::serve(&options),
    }
}
