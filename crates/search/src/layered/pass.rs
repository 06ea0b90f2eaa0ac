//! One pass over the layers, from some states on; see [the kernel](super).

use std::collections::VecDeque;

use homing_core::hash::hash_words;
use homing_core::{Batch, DEAD_END, Expander, Fault, Heuristic, Price, StopReason, Watch, Word};

use super::beam::{Beam, Key};
use super::held::{Held, NOWHERE, Node, Place};
use super::wanted::Wanted;
use super::window::{Keeping, Window};
use crate::task::{Statistics, Task};

/// What all passes of a search share.
pub(crate) struct Company<'c> {
    pub heuristic: Option<Box<dyn Heuristic + 'c>>,
    pub watch: &'c mut Watch,
    pub statistics: Statistics,
    /// What passes hold that wait for this one.
    pub waiting_states: u64,
    pub waiting_bytes: usize,
}

impl Company<'_> {
    /// Looks at the watch. What is stored is the most ever held at a time.
    fn look(&mut self, states: usize, frontier: usize, bytes: usize) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = progress.stored.max(self.waiting_states + states as u64);
        progress.frontier = frontier as u64;
        let tables = self.heuristic.as_ref().map_or(0, |heuristic| heuristic.bytes());
        progress.bytes = progress.bytes.max(self.waiting_bytes + bytes + tables);
        self.watch.check(progress)
    }
}

/// A layer that is held.
struct Layer {
    depth: u32,
    places: Vec<Place>,
}

/// Something wanted, and states on the way to it.
pub(crate) struct Found {
    pub what: What,
    /// The number of steps, a failing one included.
    pub length: u32,
    /// States on the way, from where the pass started, with their depths.
    pub way: Vec<(Vec<Word>, u32)>,
}

/// What was found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// A state with these conditions; the target of a pass that has one.
    Goal(u64),
    Deadlock,
    Fault(Fault),
}

pub(crate) struct Pass<'a> {
    expander: Box<dyn Expander + 'a>,
    held: Held,
    /// The layers held, by depth. The last is being expanded.
    layers: Vec<Layer>,
    /// How many of its states were.
    done: usize,
    /// The layer behind it.
    next: Vec<Place>,
    /// The depth of the first layer.
    base: u32,
    pub window: Window,
    beam: Option<Beam>,
    /// States at this depth are not expanded.
    most: Option<u32>,
    /// What paths may cost for the user.
    limit: Option<Price>,
    /// U: states with more before and ahead of them are pruned.
    pub bound: Option<Price>,
    /// The least path and estimate of a state that was pruned.
    pub pruned: Option<Price>,
    /// What was left out at the user's request.
    pub beyond: Option<StopReason>,
    pub wanted: Wanted,
    found: VecDeque<Found>,
    batch: Batch,
    source: Vec<Word>,
    expanded: u64,
}

impl<'a> Pass<'a> {
    /// A pass whose first layer has this depth. It needs states to start from.
    pub(crate) fn new(task: &Task<'a>, keeping: Keeping, wanted: Wanted, base: u32) -> Pass<'a> {
        let width = task.space.width();
        Pass {
            expander: task.space.expander(),
            held: Held::new(width),
            layers: vec![Layer { depth: base, places: Vec::new() }],
            done: 0,
            next: Vec::new(),
            base,
            window: Window::new(keeping),
            beam: None,
            most: None,
            limit: None,
            bound: None,
            pruned: None,
            beyond: None,
            wanted,
            found: VecDeque::new(),
            batch: Batch::new(width),
            source: vec![0; width],
            expanded: 0,
        }
    }

    /// With the limits of the user.
    pub(crate) fn under(mut self, watch: &Watch) -> Pass<'a> {
        self.limit = watch.limits().bound;
        self.most = watch.limits().depth;
        self
    }

    /// With nothing expanded at this depth.
    pub(crate) fn up_to(mut self, depth: u32) -> Pass<'a> {
        self.most = Some(depth);
        self
    }

    /// With U.
    pub(crate) fn bounded(mut self, bound: Option<Price>) -> Pass<'a> {
        self.bound = bound;
        self
    }

    /// With layers of at most `width` states; every layer must be kept.
    pub(crate) fn narrow(mut self, width: usize) -> Pass<'a> {
        self.beam = Some(Beam::new(width));
        self
    }

    /// Starts from the initial states.
    pub(crate) fn start(&mut self, company: &mut Company) -> Result<(), StopReason> {
        let mut batch = std::mem::replace(&mut self.batch, Batch::new(0));
        batch.clear();
        self.expander.initial(&mut batch);
        for i in 0..batch.len() {
            self.begin(batch.state(i), company)?;
        }
        self.batch = batch;
        self.look(company)
    }

    /// Starts from one state, or one more.
    pub(crate) fn begin(
        &mut self,
        state: &[Word],
        company: &mut Company,
    ) -> Result<(), StopReason> {
        let hash = hash_words(state);
        if self.held.find(state, hash).is_some() || self.is_above(self.base) {
            return Ok(());
        }
        let goals = self.wanted.goals(&mut *self.expander, state);
        if goals != 0 {
            let way = vec![(state.to_vec(), self.base)];
            let what = What::Goal(goals);
            self.wanted.found(what, self.base, self.base);
            self.found.push_back(Found { what, length: self.base, way });
        }
        if self.keeps(state, None, self.base, company).is_some() {
            let node = Node { ancestor: NOWHERE, depth: self.base };
            let place = self.held.insert(state, hash, node).ok_or(StopReason::StoreFull)?;
            self.current_mut().push(place);
        }
        Ok(())
    }

    /// The depth of the states being expanded.
    pub(crate) fn depth(&self) -> u32 {
        self.layers.last().map_or(self.base, |layer| layer.depth)
    }

    /// The states held, and their memory in bytes.
    pub(crate) fn size(&self) -> (u64, usize) {
        let places = self.layers.iter().map(|layer| layer.places.capacity()).sum::<usize>()
            + self.next.capacity();
        let beam = self.beam.as_ref().map_or(0, |beam| beam.capacity());
        let bytes = self.held.bytes() + 4 * places + beam * size_of::<(Key, Place)>();
        (self.held.len() as u64, bytes)
    }

    /// What was found and not yet told.
    pub(crate) fn into_found(self) -> VecDeque<Found> {
        self.found
    }

    /// Goes on until something wanted is found, or nothing is left.
    pub(crate) fn go(&mut self, company: &mut Company) -> Result<Option<Found>, StopReason> {
        loop {
            if let Some(found) = self.found.pop_front() {
                return Ok(Some(found));
            }
            let Some(place) = self.current().get(self.done).copied() else {
                if self.descend(company)? || self.backtrack() {
                    continue;
                }
                let _ = self.look(company);
                return Ok(None);
            };
            self.done += 1;
            if self.most.is_some_and(|most| self.depth() >= most) {
                self.done = self.current().len();
                self.beyond.get_or_insert(StopReason::Depth);
                continue;
            }
            self.expand(place, company)?;
            if company.watch.due() || company.watch.limits().expansions.is_some() {
                self.look(company)?;
            }
        }
    }

    fn current(&self) -> &[Place] {
        self.layers.last().map_or(&[], |layer| &layer.places)
    }

    fn current_mut(&mut self) -> &mut Vec<Place> {
        match self.layers.last_mut() {
            Some(layer) => &mut layer.places,
            None => &mut self.next,
        }
    }

    fn look(&self, company: &mut Company) -> Result<(), StopReason> {
        let waiting = self.current().len() - self.done + self.next_len();
        let (states, bytes) = self.size();
        company.look(states as usize, waiting, bytes)
    }

    fn next_len(&self) -> usize {
        self.next.len() + self.beam.as_ref().map_or(0, |beam| beam.len())
    }

    fn expand(&mut self, place: Place, company: &mut Company) -> Result<(), StopReason> {
        let depth = self.depth();
        self.source.copy_from_slice(self.held.state(place));
        if let Some(heuristic) = &mut company.heuristic {
            heuristic.expanding(&self.source);
        }
        let mut batch = std::mem::replace(&mut self.batch, Batch::new(0));
        batch.clear();
        self.expander.expand(&self.source, &mut batch);
        self.expanded += 1;
        let statistics = &mut company.statistics;
        statistics.progress.expanded += 1;
        statistics.progress.generated += batch.len() as u64;
        statistics.progress.depth = depth;
        statistics.levels = statistics.levels.max(depth);
        statistics.deadlocks += u64::from(batch.deadlock());
        statistics.faults += batch.faults().len() as u64;
        if batch.deadlock() && self.wanted.deadlock(depth) {
            self.note(What::Deadlock, place, None);
        }
        if let Some(fault) = batch.faults().first()
            && !self.is_above(depth + 1)
            && self.wanted.fault(depth + 1)
        {
            self.note(What::Fault(*fault), place, None);
        }
        let node = Node { ancestor: place, depth: depth + 1 };
        for i in 0..batch.len() {
            self.visit(&batch, i, place, node, company)?;
        }
        self.batch = batch;
        Ok(())
    }

    /// Looks at a successor of the state at `source`.
    fn visit(
        &mut self,
        batch: &Batch,
        successor: usize,
        source: Place,
        node: Node,
        company: &mut Company,
    ) -> Result<(), StopReason> {
        if self.is_above(node.depth) {
            return Ok(());
        }
        let state = batch.state(successor);
        let hash = hash_words(state);
        if let Some(known) = self.held.find(state, hash) {
            let layer = self.held.node(known).depth - self.base;
            self.window.note(layer, node.depth - self.base);
            return Ok(());
        }
        // A goal is looked for at generation: nothing that is generated later
        // is nearer.
        let goals = self.wanted.goals(&mut *self.expander, state);
        if goals != 0 {
            self.note(What::Goal(goals), source, Some(state));
        }
        let via = Some(batch.edge(successor));
        let Some(sum) = self.keeps(state, via, node.depth, company) else { return Ok(()) };
        let key = (sum, hash);
        if self.beam.as_ref().is_some_and(|beam| !beam.takes(key)) {
            return Ok(());
        }
        let place = self.held.insert(state, hash, node).ok_or(StopReason::StoreFull)?;
        match &mut self.beam {
            None => self.next.push(place),
            Some(beam) => {
                if let Some(worst) = beam.add(key, place) {
                    self.held.remove(worst);
                }
            }
        }
        Ok(())
    }

    /// Whether the user wants nothing of this depth.
    fn is_above(&mut self, depth: u32) -> bool {
        let above = self.limit.is_some_and(|limit| Price::from(depth) > limit);
        if above {
            self.beyond.get_or_insert(StopReason::Bound);
        }
        above
    }

    /// The sum of path and estimate of a state, unless it is pruned.
    fn keeps(
        &mut self,
        state: &[Word],
        via: Option<homing_core::Edge>,
        depth: u32,
        company: &mut Company,
    ) -> Option<Price> {
        let path = Price::from(depth);
        let Some(heuristic) = &mut company.heuristic else {
            return self.is_within(path).then_some(path);
        };
        let estimate = heuristic.estimate(state, via);
        if estimate == DEAD_END {
            company.statistics.dead_ends += 1;
            return None;
        }
        let best = &mut company.statistics.progress.best;
        *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        let sum = path + Price::from(estimate);
        if heuristic.claims().admissible && self.limit.is_some_and(|limit| sum > limit) {
            self.beyond.get_or_insert(StopReason::Bound);
            return None;
        }
        self.is_within(sum).then_some(sum)
    }

    /// Whether a sum is not above U. What is, is noted.
    fn is_within(&mut self, sum: Price) -> bool {
        let above = self.bound.is_some_and(|bound| sum > bound);
        if above {
            self.pruned = Some(self.pruned.map_or(sum, |least| least.min(sum)));
        }
        !above
    }

    /// Notes that something was found at the state at `source`, or one step
    /// behind it.
    fn note(&mut self, what: What, source: Place, end: Option<&[Word]>) {
        let depth = self.held.node(source).depth;
        let length = depth + u32::from(!matches!(what, What::Deadlock));
        let mut way: Vec<_> = end.map(|state| (state.to_vec(), depth + 1)).into_iter().collect();
        let mut place = source;
        while place != NOWHERE {
            let node = self.held.node(place);
            way.push((self.held.state(place).to_vec(), node.depth));
            place = node.ancestor;
        }
        way.reverse();
        self.wanted.found(what, length, self.depth());
        self.found.push_back(Found { what, length, way });
    }

    /// Turns to the next layer, if it has states.
    fn descend(&mut self, company: &mut Company) -> Result<bool, StopReason> {
        // Most is held just before the oldest layer goes.
        self.look(company)?;
        let depth = self.depth() + 1;
        let places = match &mut self.beam {
            None => std::mem::take(&mut self.next),
            Some(beam) => beam.descend(),
        };
        if places.is_empty() {
            return Ok(false);
        }
        self.layers.push(Layer { depth, places });
        self.done = 0;
        self.window.adapt(depth - self.base, self.expanded);
        self.forget(depth - self.base);
        self.wanted.turn_to(depth);
        Ok(true)
    }

    /// Forgets layers that are not kept any more. What has its ancestor there
    /// has it in the layer before from now on.
    fn forget(&mut self, steps: u32) {
        let (held, window, base) = (&mut self.held, &self.window, self.base);
        let forgotten = |layer: &Layer| !window.keeps(layer.depth - base, steps);
        for layer in 1..self.layers.len() {
            if forgotten(&self.layers[layer - 1]) {
                for place in &self.layers[layer].places {
                    let ancestor = held.node(*place).ancestor;
                    held.set_ancestor(*place, held.node(ancestor).ancestor);
                }
                self.layers[layer - 1].places.iter().for_each(|place| held.remove(*place));
            }
        }
        self.layers.retain(|layer| !forgotten(layer));
    }

    /// Returns to the deepest layer of a beam whose successors were not all
    /// looked at, if there is one.
    fn backtrack(&mut self) -> bool {
        let Some(layers) = self.beam.as_mut().and_then(|beam| beam.backtrack(self.bound)) else {
            return false;
        };
        for layer in self.layers.drain(layers..) {
            layer.places.iter().for_each(|place| self.held.remove(*place));
        }
        self.done = 0;
        self.wanted.turn_to(self.depth());
        true
    }
}
