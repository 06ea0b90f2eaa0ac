//! The command `homing`. The only crate that reads arguments or prints.
//!
//! # Modules
//!
//! - `arguments`: the command line. `commands`: one file a command. `exit`: exit
//!   codes. `settings`: strategies by names of the user's own (`homing.toml`). `watching`: progress and
//!   Ctrl-C. `quantity`, `terminal`, `failure`, `repeat`: small helpers.

mod arguments;
mod commands;
mod drawing;
mod exit;
mod failure;
mod quantity;
mod repeat;
mod settings;
mod spin;
mod terminal;
mod unfinished;
mod watchdog;
mod watching;

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use arguments::{Arguments, Command};
use exit::Exit;
use failure::{Failure, apology, sentence};
use terminal::{Terminal, complain, print};
use watching::Watching;

/// All that is allocated counts against the limit on memory.
#[global_allocator]
static ALLOCATOR: homing::budget::Counting = homing::budget::Counting;

fn main() -> ExitCode {
    panic::set_hook(Box::new(apologise));
    guarded(run).into()
}

/// Runs the command; a panic is an internal error, whatever it was about.
fn guarded(run: impl FnOnce() -> Exit + panic::UnwindSafe) -> Exit {
    panic::catch_unwind(run).unwrap_or(Exit::Internal)
}

fn run() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) => return explain(&answer),
    };
    let terminal = Terminal::new(arguments.color);
    let command = match commands::resume::meant(arguments.command) {
        Ok(command) => command,
        Err(failure) => {
            complain(&failure.text(terminal.styled_errors));
            return failure.exit();
        }
    };
    let watching = Watching::start(&command, &terminal);
    let execute = || execute(&command, &terminal, &watching);
    let ended = watching.budget().during("starting", execute);
    let failure = match ended {
        Ok(Ok(exit)) => return exit,
        Ok(Err(failure)) => failure,
        Err(stopped) => Failure::Stopped(homing::cut(stopped)),
    };
    watching.done();
    match failure {
        Failure::Stopped(reason) => watching.unfinished(&reason),
        _ => {
            complain(&failure.text(terminal.styled_errors));
            failure.exit()
        }
    }
}

/// Help and version are asked for; all else is wrong usage.
fn explain(answer: &clap::Error) -> Exit {
    let printed = answer.print();
    let asked_for = answer.exit_code() == 0;
    if asked_for && printed.is_ok() { Exit::Success } else { Exit::Wrong }
}

fn execute(command: &Command, terminal: &Terminal, watching: &Watching) -> Result<Exit, Failure> {
    match command {
        Command::Check(arguments) => commands::check::run(arguments, terminal, watching),
        Command::Stats(arguments) => commands::stats::run(arguments, terminal, watching),
        Command::Resume(_) | Command::Work(_) => {
            Err(sentence("a search that goes on cannot be one that goes on"))
        }
        Command::Accuracy(arguments) => commands::accuracy::run(arguments, terminal, watching),
        Command::Compare(arguments) => commands::compare::run(arguments, terminal, watching),
        Command::Tune(arguments) => commands::tune::run(arguments, terminal, watching),
        Command::ExplainPlan(arguments) => commands::plan::run(arguments, terminal, watching),
        Command::Simulate(arguments) => commands::simulate::run(arguments, terminal, watching),
        Command::Replay(arguments) => commands::replay::run(arguments, terminal, watching),
        Command::Shorten(arguments) => commands::shorten::run(arguments, terminal, watching),
        Command::Export(arguments) => commands::export::run(arguments, terminal, watching),
        Command::Automaton(arguments) => commands::automaton::run(arguments),
        Command::Parts(arguments) => commands::parts::run(arguments, terminal),
        Command::Schema(arguments) => Ok(commands::schema::run(arguments)),
        Command::Completions { shell } => Ok(print(|out| {
            // The generator panics where writing fails, so it writes to memory.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "homing", &mut script);
            out.write_all(&script)
        })),
    }
}

fn apologise(panic: &PanicHookInfo) {
    let place = panic.location().map(|place| format!(" at {place}")).unwrap_or_default();
    let backtrace = Backtrace::capture();
    let backtrace = match backtrace.status() {
        BacktraceStatus::Captured => format!("{backtrace}\n"),
        _ => String::new(),
    };
    let message = format!("{}{place}", message(panic.payload()));
    complain(&format!("\n{backtrace}{}", apology(&message)));
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_error() {
        assert_eq!(guarded(|| panic!("on purpose")), Exit::Internal);
        assert_eq!(guarded(|| Exit::Unknown), Exit::Unknown);
    }
}
