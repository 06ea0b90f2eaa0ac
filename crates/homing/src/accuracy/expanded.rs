//! Which states a search expands.

use std::sync::{Mutex, PoisonError};

use homing_core::expression::Call;
use homing_core::{Batch, Expander, Space, Watch, Word};
use homing_guide::Target;
use homing_report::accuracy::Expanded;
use homing_search::{Context, Guide, Task};
use homing_store::{Making, StoreConfig};

use super::graph::Graph;

/// A space that remembers which states were expanded, one after the other.
struct Noting<'a> {
    space: &'a dyn Space,
    expanded: Mutex<Vec<Word>>,
}

struct NotingExpander<'a> {
    inner: Box<dyn Expander + 'a>,
    expanded: &'a Mutex<Vec<Word>>,
}

impl Space for Noting<'_> {
    fn width(&self) -> usize {
        self.space.width()
    }

    fn inside(&self) -> Option<&dyn Space> {
        Some(self.space)
    }

    fn cover(&self) -> Option<&dyn homing_core::Cover> {
        self.space.cover()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(NotingExpander { inner: self.space.expander(), expanded: &self.expanded })
    }
}

impl Expander for NotingExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.inner.initial(out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let mut expanded = self.expanded.lock().unwrap_or_else(PoisonError::into_inner);
        expanded.extend_from_slice(state);
        drop(expanded);
        self.inner.expand(state, out);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.inner.violated(state)
    }
}

/// What a search by this strategy expands until it finds the target. The search
/// stays within `graph`, all of which is known to fit.
pub(super) fn expanded(
    space: &dyn Space,
    target: Target<'_>,
    strategy: &str,
    guide: Guide<'_>,
    graph: &mut Graph,
    watch: &mut Watch,
) -> Result<Expanded, String> {
    let recording = Noting { space, expanded: Mutex::default() };
    let task = Task {
        conditions: match target {
            Target::Condition(bit) => 1 << bit,
            Target::Deadlock | Target::State(_) => 0,
        },
        deadlock: matches!(target, Target::Deadlock),
        ..Task::explore(&recording)
    };
    let (strategy, _) = homing_search::strategy::build(&plain(strategy), 1)?;
    let config = StoreConfig {
        width: space.width(),
        memory: watch.limits().memory,
        states: None,
        cover: None,
    };
    let mut stores = Making::new(config, plain("exact"))?;
    let outcome =
        strategy.algorithm.run(Context { task: &task, stores: &mut stores, guide: &guide, watch });
    if outcome.stopped.is_some() {
        return Err("a search for the goal was stopped by a limit".into());
    }
    let findings = &outcome.findings;
    let found = match target {
        Target::Condition(bit) => findings.conditions.get(bit).and_then(Option::as_ref),
        Target::Deadlock | Target::State(_) => findings.deadlock.as_ref(),
    };
    let length = found.map(|finding| finding.length() as u64);
    let words = recording.expanded.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut by_depth = Vec::new();
    // Behind these, the way found was walked once more.
    let count = outcome.statistics.progress.expanded as usize;
    for state in words.chunks_exact(space.width()).take(count) {
        let depth = graph.depth(state).ok_or("a search left the known states")? as usize;
        if by_depth.len() <= depth {
            by_depth.resize(depth + 1, 0);
        }
        by_depth[depth] += 1;
    }
    Ok(Expanded { states: by_depth.iter().sum(), by_depth, length })
}

/// A part without arguments.
pub(super) fn plain(name: &str) -> Call {
    Call { name: name.into(), arguments: Vec::new() }
}
