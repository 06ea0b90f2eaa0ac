//! While a command runs: its budget, a line of progress for whoever watches, an ear for
//! Ctrl-C, and a watchdog.

use std::sync::Arc;
use std::time::Duration;

use homing::Board;
use homing::budget::Budget;
use homing::report::outcome::First;
use homing::report::style::{bytes, seconds};
use homing::{Hooks, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::arguments::Command;
use crate::exit::Exit;
use crate::terminal::{Terminal, complain, print};
use crate::unfinished::{self, Unfinished};
use crate::watchdog;

/// The time between two looks at the progress.
const INTERVAL: Duration = Duration::from_millis(100);

/// The exit code of a run that was interrupted twice: 128 and the number of
/// the signal, as shells have it.
const INTERRUPTED: i32 = 130;

/// What surrounds a running command.
pub struct Watching {
    bar: Option<ProgressBar>,
    budget: Budget,
    board: Board,
    unfinished: Unfinished,
}

impl Watching {
    /// From now on time counts, progress is shown where somebody may be watching, the first
    /// Ctrl-C ends the search and the second the process.
    pub fn start(command: &Command, terminal: &Terminal) -> Watching {
        let limits = unfinished::limits(command);
        let (time, memory) = limits.unwrap_or_default();
        let (budget, board) = (Budget::new(time, memory), Board::default());
        let unfinished = Unfinished::new(command, terminal.layout, board.clone());
        if limits.is_some() {
            listen(budget.clone());
            watchdog::watch(budget.clone(), unfinished.clone());
        }
        let bar = terminal.watched.then(|| {
            let style = ProgressStyle::with_template("{wide_msg}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.with_style(style)
        });
        Watching { bar, budget, board, unfinished }
    }

    /// What the search calls.
    pub fn hooks(&self) -> Hooks {
        self.hooks_of("")
    }

    /// The same where there are several searches, one after the other; the
    /// line of progress begins with `which` of them it is.
    pub fn hooks_of(&self, which: &str) -> Hooks {
        let which = if which.is_empty() { String::new() } else { format!("{which}: ") };
        let progress = self.bar.clone().map(|bar| reporter(bar, which));
        let found = self.bar.clone().map(|bar| {
            Arc::new(move |first: &First| {
                bar.println(found(first));
            }) as _
        });
        Hooks { budget: self.budget.clone(), progress, board: self.board.clone(), found }
    }

    /// What the command may spend; Ctrl-C cancels it.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// From now on the command talks with its user, who can wait or interrupt.
    pub fn talk(&self) {
        watchdog::take_the_word();
    }

    /// There is a result: telling it is not limited.
    pub fn done(&self) {
        watchdog::take_the_word();
        self.budget.lift();
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Tells what is known where there is no result.
    pub fn unfinished(&self, reason: &str) -> Exit {
        let (text, exit) = self.unfinished.told(reason);
        print(|out| out.write_all(&text)).and(exit)
    }
}

fn listen(budget: Budget) {
    let heard = ctrlc::set_handler(move || {
        if budget.cancel() {
            std::process::exit(INTERRUPTED);
        }
        complain("\nstopping with what is known so far; once more to quit at once\n");
    });
    if let Err(error) = heard {
        complain(&format!("warning: Ctrl-C will lose the run: {error}\n"));
    }
}

/// What was found first, for who is watching.
fn found(first: &First) -> String {
    let First { seconds: after, length, at_least, .. } = first;
    let (after, steps) = (seconds(*after), if *length == 1 { "step" } else { "steps" });
    let proven = match at_least {
        0 => String::new(),
        least => format!(", at least {least}"),
    };
    format!("found after {after}: {length} {steps}{proven}; making it shorter, Ctrl-C to stop")
}

type Reporter = Box<dyn FnMut(&Progress, Duration) + Send>;

fn reporter(bar: ProgressBar, which: String) -> Reporter {
    let mut last = (Duration::ZERO, 0);
    Box::new(move |progress, elapsed| {
        let since = elapsed.saturating_sub(last.0);
        if since >= INTERVAL {
            let fresh = progress.stored.saturating_sub(last.1);
            let rate = fresh as f64 / since.as_secs_f64();
            bar.set_message(format!("{which}{}", line(progress, elapsed, rate)));
            last = (elapsed, progress.stored);
        }
    })
}

fn line(progress: &Progress, elapsed: Duration, rate: f64) -> String {
    let best = progress.best.map_or(String::new(), |best| format!("  best estimate {best}"));
    format!(
        "{} states  {}/s  frontier {}  depth {}{best}  {}  {}",
        progress.stored,
        thousands(rate),
        progress.frontier,
        progress.depth,
        bytes(progress.bytes as u64),
        seconds(elapsed.as_secs_f64()),
    )
}

fn thousands(rate: f64) -> String {
    match rate {
        rate if rate >= 1e6 => format!("{:.1} M", rate / 1e6),
        rate if rate >= 1e3 => format!("{:.0} k", rate / 1e3),
        rate => format!("{rate:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_fits_one_line() {
        let progress = Progress {
            stored: 1_711_620,
            frontier: 12_345,
            depth: 43,
            best: Some(3),
            bytes: 24_100_000,
            ..Progress::default()
        };
        let text = line(&progress, Duration::from_millis(3200), 2_140_000.0);
        let expected =
            "1711620 states  2.1 M/s  frontier 12345  depth 43  best estimate 3  24.1 MB  3.20 s";
        assert_eq!(text, expected);
        let undirected = line(&Progress { best: None, ..progress }, Duration::ZERO, 900.0);
        assert!(!undirected.contains("estimate") && undirected.contains("900/s"), "{undirected}");
    }
}
