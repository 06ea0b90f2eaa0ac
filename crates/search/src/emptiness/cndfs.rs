//! Nested depth-first search by several threads (CNDFS).
//!
//! Evangelista, Laarman, Petrucci, van de Pol, "Improved Multi-Core Nested Depth-First
//! Search" (ATVA 2012).
//!
//! ```text
//! every worker i, all at the same time:            colours of all: blue, red; of i: cyan
//!   blue(s0)
//!
//! blue(s):
//!   colour s cyan of i
//!   for every successor t of s, in an order of i's own:
//!     if t is neither cyan of i nor blue: blue(t)
//!   colour s blue
//!   if s is accepting:
//!     R := {}, red(s)
//!     wait until every accepting state of R but s is red
//!     colour all states of R red
//!   s is no longer cyan of i
//!
//! red(s):
//!   add s to R
//!   for every successor t of s:
//!     if t is cyan of i: found
//!     if t is neither in R nor red: red(t)
//! ```
//! Workers share what is blue and what is red, and so prune each other's searches. Each may
//! enter a state that is on the path of another, so a state may be expanded more than twice.
//! Red is noted late, by whoever went through a whole region: a worker that meets an accepting
//! state there which is not red yet waits for whoever is at it. There is no accepted cycle when
//! *all* have come to the end of their blue searches: the first to do so proves nothing, since
//! a state is blue before its red search.
//!
//! Deviation: here steps accept, not states. An accepting step to t is two steps, through a
//! *gate* of t: an accepting state of its own, whose only step leads to t. That graph has the
//! same cycles and is searched as published. A gate is never stored or expanded: its colours
//! are noted beside those of t.
//!
//! Where states after so many steps are not expanded, somebody may wait for a gate that nobody
//! will ever come to. Then nothing is proven any more, and nobody waits.

mod colours;
mod common;
mod worker;

use std::panic;
use std::thread::{self, Builder};

use homing_core::{Limits, SharedStore, StopReason, Watch, carried};

pub(crate) use colours::WORKERS;

use crate::task::{Outcome, Statistics, Task};
use common::Common;
use worker::Worker;

/// Searches with so many workers, of which the first is this thread.
pub(crate) fn cndfs(
    task: &Task<'_>,
    store: &dyn SharedStore,
    workers: usize,
    before: Statistics,
    watch: &mut Watch,
) -> Outcome {
    // What counts is what each has expanded: all together no more than is left.
    let left = watch.limits().expansions;
    let left = left.map(|most| most.saturating_sub(before.progress.expanded));
    let limits = Limits { expansions: left, ..watch.limits().clone() };
    let common = Common::new(task, store, workers, &limits, before);
    // Before anybody begins: others might have come to the end before this thread looks.
    if let Err(reason) = common.look(watch) {
        common.stop(reason);
    }
    let carried = carried();
    let panicked = thread::scope(|scope| {
        let (common, carried) = (&common, &carried);
        let member = |me| {
            let member = common.member();
            move || {
                let _member = member;
                carried.run(|| Worker::new(common, me, None).search());
            }
        };
        let spawn = |me| Builder::new().spawn_scoped(scope, member(me)).ok();
        // With fewer than were asked for it is the same search, only slower.
        let crew: Vec<_> = (1..workers).filter_map(spawn).collect();
        if let Err(reason) = common.look(watch) {
            common.stop(reason);
        }
        let _member = common.member();
        let mut first = Worker::new(common, 0, Some(watch));
        first.search();
        first.wait_for_others();
        crew.into_iter().filter_map(|one| one.join().err()).collect::<Vec<_>>()
    });
    if let Some(payload) = panicked.into_iter().next() {
        panic::resume_unwind(payload);
    }
    common.outcome()
}

/// Why a worker ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// All is known, or somebody said to stop.
    Over,
    /// A limit was met.
    Limit(StopReason),
}
