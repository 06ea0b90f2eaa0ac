//! The same search again, not so deep.
//!
//! Holzmann, "The SPIN Model Checker" (2004), option `-i`: depth-first searches find
//! errors deep down; once one is known, another search need not go as deep. Here:
//!
//! ```text
//! again(lasso):
//!   bound := a quarter of the length of the lasso
//!   repeat, each time by half the effort at most:
//!     search, with an empty store, expanding nothing after `bound` steps
//!     a shorter lasso was found: bound := a quarter of its length
//!     none was:                  bound := half way from it to the length, if it is
//!                                less than half the length, else stop
//! ```
//! A state that was reached by a long way is not looked at again when a shorter way to it
//! is met, so a search that finds nothing proves nothing. But it is cheap: the lower the
//! bound, the fewer the states within it.

use homing_core::{Progress, StopReason};

use super::Search;
use crate::path::Lasso;
use crate::strategy::Context;
use crate::task::{Statistics, Task};

/// In how many searches the effort is spent, where none ends sooner.
const SHARES: u64 = 2;

/// The lasso, or a shorter one, found by no more than `effort` expansions, which are
/// counted in `statistics`.
pub(crate) fn again(
    search: Search,
    run: &mut Context<'_, '_>,
    mut best: Lasso,
    effort: u64,
    statistics: &mut Statistics,
) -> Lasso {
    let task = Task { conditions: 0, deadlock: false, fault: false, count: 0, ..*run.task };
    let limits = run.watch.limits().clone();
    let before = *statistics;
    let last = statistics.progress.expanded.saturating_add(effort);
    let mut bound = best.path.len() / 4;
    while bound > 0 {
        let spent = statistics.progress.expanded;
        let share = (effort / SHARES).min(last.saturating_sub(spent));
        if share == 0 {
            break;
        }
        let ours = run.watch.limits_mut();
        ours.bound = Some(limits.bound.unwrap_or(u64::MAX).min(bound as u64));
        ours.expansions = Some(limits.expansions.unwrap_or(u64::MAX).min(spent + share));
        let outcome = search.once(run, &task, *statistics);
        *statistics = outcome.statistics;
        let length = best.path.len();
        match outcome.findings.lasso.filter(|found| found.path.len() < length) {
            Some(found) => {
                bound = found.path.len() / 4;
                best = found;
            }
            None if outcome.stopped.is_some_and(is_final) || 2 * bound >= length => break,
            None => bound = (bound + length) / 2,
        }
    }
    *run.watch.limits_mut() = limits;
    let progress = Progress { stored: before.progress.stored, ..statistics.progress };
    *statistics = Statistics { progress, ..before };
    best
}

/// Whether a search that ended so should not be followed by another.
fn is_final(reason: StopReason) -> bool {
    !matches!(reason, StopReason::Bound | StopReason::Depth | StopReason::Expansions)
}
