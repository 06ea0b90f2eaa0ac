//! What can be written on the command line: a file a command, and what they share.

mod accuracy;
mod automaton;
mod check;
mod compare;
mod disk;
mod export;
mod parts;
mod plan;
mod shared;
mod simulate;
mod stats;
mod traces;
mod tune;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use self::accuracy::ACCURACY_EXAMPLES;
pub use self::accuracy::Accuracy;
use self::automaton::AUTOMATON_EXAMPLES;
pub use self::automaton::Automaton;
use self::check::CHECK_EXAMPLES;
pub use self::check::Check;
pub use self::compare::Compare;
use self::compare::{COMPARE_EXAMPLES, COMPARE_EXIT_CODES};
pub use self::disk::{Disk, Resume, Work};
use self::disk::{RESUME_EXAMPLES, WORK_EXAMPLES};
use self::export::EXPORT_EXAMPLES;
pub use self::export::Export;
pub use self::parts::{Parts, Schema, SchemaOf};
pub use self::plan::ExplainPlan;
use self::plan::{PLAN_EXAMPLES, PLAN_EXIT_CODES};
pub use self::shared::{Budget, Limits, ModelFile, Output, Reading};
pub use self::simulate::Simulate;
use self::simulate::{SIMULATE_EXAMPLES, SIMULATE_EXIT_CODES};
pub use self::stats::Stats;
pub use self::traces::{Replay, Shorten};
use self::traces::{SHORTEN_EXAMPLES, SHORTEN_EXIT};
pub use self::tune::{Best, Tune};
use self::tune::{TUNE_EXAMPLES, TUNE_EXIT_CODES};

const EXIT_CODES: &str = "\
Exit codes:
   0  everything asked for holds, and everything was looked at
   1  something is violated
   2  the command line, the model or another file is wrong
   3  not known, or not everything was looked at
  70  an error in homing itself
 130  interrupted twice
If several apply: 1 before 2 before 3.";

/// Finds errors in models of concurrent systems, or proves that there are none.
#[derive(Debug, Parser)]
#[command(name = "homing", version, after_help = EXIT_CODES)]
pub struct Arguments {
    /// Whether to use colours
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_possible_values = false
    )]
    pub color: Color,

    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// Whether to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    /// On terminals, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Search a model for violations of its properties
    #[command(after_help = CHECK_EXAMPLES, after_long_help = format!("{CHECK_EXAMPLES}\n\n{EXIT_CODES}"))]
    Check(Box<Check>),
    /// Count the states of a model
    #[command(after_long_help = EXIT_CODES)]
    Stats(Stats),
    /// Go on with a search on disk, or one with a checkpoint, that was stopped or killed
    #[command(after_help = RESUME_EXAMPLES, after_long_help = format!("{RESUME_EXAMPLES}\n\n{EXIT_CODES}"))]
    Resume(Resume),
    /// Help a search on disk that another process leads, also on another machine
    ///
    /// The folder is one that both see. Workers may be slow, join, leave or be killed at any
    /// moment; counts and verdicts are the same. The verdict is told here, too.
    #[command(after_help = WORK_EXAMPLES, after_long_help = format!("{WORK_EXAMPLES}\n\n{EXIT_CODES}"))]
    Work(Work),
    /// Compare estimates with the exact distance of every state to a goal
    #[command(after_help = ACCURACY_EXAMPLES, after_long_help = format!("{ACCURACY_EXAMPLES}\n\n{EXIT_CODES}"))]
    Accuracy(Accuracy),
    /// Run several strategies on the same property, and show a table of what each took
    #[command(after_help = COMPARE_EXAMPLES, after_long_help = format!("{COMPARE_EXAMPLES}\n\n{COMPARE_EXIT_CODES}"))]
    Compare(Compare),
    /// Race configurations on models, and write the best one down under a name
    #[command(after_help = TUNE_EXAMPLES, after_long_help = format!("{TUNE_EXAMPLES}\n\n{TUNE_EXIT_CODES}"))]
    Tune(Tune),
    /// Say what `auto` does on a model: who takes turns, what each costs and finds
    #[command(after_help = PLAN_EXAMPLES, after_long_help = format!("{PLAN_EXAMPLES}\n\n{PLAN_EXIT_CODES}"))]
    ExplainPlan(ExplainPlan),
    /// Walk through a model step by step
    #[command(after_help = SIMULATE_EXAMPLES, after_long_help = format!("{SIMULATE_EXAMPLES}\n\n{}\n{SIMULATE_EXIT_CODES}", crate::commands::simulate::HELP))]
    Simulate(Simulate),
    /// Execute a trace, step by step, and show it
    #[command(after_long_help = EXIT_CODES)]
    Replay(Replay),
    /// Make a trace shorter
    #[command(after_help = SHORTEN_EXAMPLES, after_long_help = format!("{SHORTEN_EXAMPLES}\n\n{SHORTEN_EXIT}"))]
    Shorten(Shorten),
    /// Write the search for a goal as a task for another tool, or draw the model
    #[command(after_help = EXPORT_EXAMPLES, after_long_help = format!("{EXPORT_EXAMPLES}\n\n{EXIT_CODES}"))]
    Export(Export),
    /// Translate a formula of linear temporal logic to an automaton, and show it
    #[command(after_help = AUTOMATON_EXAMPLES)]
    Automaton(Automaton),
    /// List the parts a search can be put together from
    Parts(Parts),
    /// Print the JSON schema of what `--json` prints
    Schema(Schema),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_argument_is_explained() {
        for command in Arguments::command().get_subcommands() {
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} {}",
                    command.get_name(),
                    argument.get_id()
                );
            }
        }
    }

    #[test]
    fn goals_may_start_with_a_minus() {
        let parsed = Arguments::try_parse_from(["homing", "check", "m.dve", "--goal", "-x == 1"]);
        let Command::Check(check) = parsed.unwrap().command else { panic!("not a check") };
        assert_eq!(check.goal, ["-x == 1"]);
    }
}
