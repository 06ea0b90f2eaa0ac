//! The last line of defence of the limits: a thread that speaks where the command does
//! not.
//!
//! The command looks at its budget wherever it may take long, and mostly ends by itself.
//! Where it does not (inside a library, in code that takes longer than anybody thought),
//! this thread tells what is known so far and ends the process. Only one of the two ever
//! speaks ([`take_the_word`]), so that nothing is told by halves.

use std::fs::{self, File};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

use homing::budget::{Budget, Counting, Reserve, Stopped, heap};

use crate::unfinished::Unfinished;

/// The time between two looks.
const TICK: Duration = Duration::from_millis(20);

/// Nobody has spoken yet; the command speaks; the watchdog does.
const NOBODY: u8 = 0;
const COMMAND: u8 = 1;
const WATCHDOG: u8 = 2;

static WORD: AtomicU8 = AtomicU8::new(NOBODY);

/// Says that the command tells its result now. Does not return where the watchdog is
/// telling one already: that ends the process.
pub fn take_the_word() {
    let taken = WORD.compare_exchange(NOBODY, COMMAND, Ordering::AcqRel, Ordering::Acquire);
    if taken == Err(WATCHDOG) {
        loop {
            thread::park();
        }
    }
    heap::set_ceiling(usize::MAX);
}

/// Whether the command tells its result.
pub fn is_told() -> bool {
    WORD.load(Ordering::Acquire) == COMMAND
}

/// Watches over a command that spends `budget`; `unfinished` is what to tell.
pub fn watch(budget: Budget, unfinished: Unfinished) {
    if let Some(limit) = budget.memory() {
        heap::set_ceiling(limit.saturating_add(slack(limit) / 8 * 6));
    }
    // Written to without the locks that the command may hold.
    let out = standard_output();
    // Without a thread the command still looks at its budget by itself.
    let _ = thread::Builder::new().name("watchdog".into()).spawn(move || {
        Counting::exempt_this_thread();
        while !is_told() {
            if let Some(stopped) = overdue(&budget) {
                return speak(stopped, &unfinished, out);
            }
            thread::sleep(TICK);
        }
    });
}

/// Whether the budget is spent, and was for so long that the command will not say so.
fn overdue(budget: &Budget) -> Option<Stopped> {
    let (all, own) = resident();
    heap::tell_resident(own);
    let limit = budget.memory();
    let reserve = Reserve {
        time: Duration::from_millis(300) + budget.time().unwrap_or_default() * 3 / 100,
        memory: limit.map_or(0, |limit| slack(limit) / 8 * 5),
        patience: Duration::from_millis(200),
    };
    let full = limit.is_some_and(|limit| all > limit.saturating_add(slack(limit) / 8 * 7));
    let stop = budget.check_with(reserve).err();
    let why = stop.or(full.then_some(homing::budget::Stop::Memory))?;
    Some(Stopped { why, phase: budget.phase() })
}

/// What may be resident beyond a limit on memory.
fn slack(limit: usize) -> usize {
    (limit / 10).max(64 << 20)
}

fn speak(stopped: Stopped, unfinished: &Unfinished, out: Option<File>) {
    let word = WORD.compare_exchange(NOBODY, WATCHDOG, Ordering::AcqRel, Ordering::Acquire);
    if word.is_err() {
        return;
    }
    let (text, exit) = unfinished.told(&homing::cut(stopped));
    let written = match out {
        Some(mut out) => out.write_all(&text).and_then(|()| out.flush()),
        None => io::stdout().lock().write_all(&text),
    };
    // If nobody listens, there is nobody to tell.
    let _ = written;
    std::process::exit(exit as i32);
}

#[cfg(unix)]
fn standard_output() -> Option<File> {
    use std::os::fd::AsFd;
    io::stdout().as_fd().try_clone_to_owned().ok().map(File::from)
}

#[cfg(not(unix))]
fn standard_output() -> Option<File> {
    None
}

/// The bytes of the process that are resident, and those of them that no file holds; none
/// where the system does not tell.
fn resident() -> (usize, usize) {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages(&text).map_or((0, 0), |(all, shared)| (all * PAGE, all.saturating_sub(shared) * PAGE))
}

/// The size of a page that the kernel counts in.
const PAGE: usize = 4096;

/// The second and third of the numbers.
fn pages(statm: &str) -> Option<(usize, usize)> {
    let mut numbers = statm.split_whitespace().skip(1).map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_pages_are_read() {
        assert_eq!(pages("2000 300 100 5 0 200 0\n"), Some((300, 100)));
        assert_eq!(pages(""), None);
    }

    #[test]
    fn slack_is_a_tenth_or_64_megabytes() {
        assert_eq!(slack(256 << 20), 64 << 20);
        assert_eq!(slack(10 << 30), 1 << 30);
    }

    #[test]
    fn the_command_has_time_to_speak_by_itself() {
        let budget = Budget::new(Some(Duration::ZERO), None);
        assert!(budget.check().is_err() && overdue(&budget).is_none());
    }
}
