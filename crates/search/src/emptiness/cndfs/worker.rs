//! What one thread does: its blue search, and its red ones.

use std::mem::take;
use std::thread;

use homing_core::hash::hash_words;
use homing_core::{Batch, Expander, Id, Random, StopReason, Visit, Watch, Word};

use super::End;
use super::colours::{BLUE, ENTERED, Own, RED, clear, colour, has};
use super::common::{Common, Done, Shown};
use crate::depth_first::stack::Stack;
use crate::emptiness::base::NO_EDGE;
use crate::path::Path;

/// Expansions after which a worker tells what it did.
const TELLING: u64 = 64;

/// A worker.
pub(super) struct Worker<'c, 'w> {
    common: &'c Common<'c>,
    me: usize,
    own: Own,
    expander: Box<dyn Expander + 'c>,
    batch: Batch,
    /// The path of the blue search, with the sets of steps; and of each state on it, whether
    /// it was entered through its gate.
    blue: Stack<u64>,
    gates: Vec<bool>,
    red: Stack<u64>,
    /// The steps to where the red search began.
    stem: usize,
    /// R of the red search: states, and gates.
    region: Vec<(Id, bool)>,
    /// How it orders successors, unless as they come.
    order: Option<Random>,
    places: Vec<usize>,
    state: Vec<Word>,
    expanded: u64,
    done: Done,
    bytes: usize,
    /// Of the worker that looks at the limits for all.
    watch: Option<&'w mut Watch>,
}

impl<'c, 'w> Worker<'c, 'w> {
    pub(super) fn new(
        common: &'c Common<'c>,
        me: usize,
        watch: Option<&'w mut Watch>,
    ) -> Worker<'c, 'w> {
        let width = common.space.width();
        Worker {
            common,
            me,
            own: Own::new(me),
            expander: common.space.expander(),
            batch: Batch::new(width),
            blue: Stack::new(width),
            gates: Vec::new(),
            red: Stack::new(width),
            stem: 0,
            region: Vec::new(),
            order: (me > 0).then(|| Random::new(me as u64)),
            places: Vec::new(),
            state: vec![0; width],
            expanded: 0,
            done: Done::default(),
            bytes: 0,
            watch,
        }
    }

    /// Searches until all is blue, somebody says to stop, or a limit is met.
    pub(super) fn search(&mut self) {
        let ended = self.blue();
        self.common.add(take(&mut self.done));
        if let Err(End::Limit(reason)) = ended {
            self.common.stop(reason);
        }
    }

    /// Looks at the limits while others search.
    pub(super) fn wait_for_others(&mut self) {
        while self.common.are_others_running() && !self.common.is_over() {
            thread::yield_now();
            if let Err(End::Limit(reason)) = self.look_now() {
                self.common.stop(reason);
            }
        }
    }

    fn blue(&mut self) -> Result<(), End> {
        self.batch.clear();
        self.expander.initial(&mut self.batch);
        self.blue.open(Id::NONE);
        push(&mut self.blue, &self.batch, &mut self.places, None);
        while !self.common.is_over() {
            match self.blue.advance() {
                Some(successor) => self.step(successor)?,
                None if self.blue.frames() == 1 => return Ok(()),
                None => self.leave()?,
            }
        }
        Err(End::Over)
    }

    /// A step of the blue search.
    fn step(&mut self, successor: usize) -> Result<(), End> {
        let (top, marks) = (self.blue.top(), self.blue.path_to(successor));
        let accepts = top.is_some() && marks & self.common.all == self.common.all;
        let (state, hash) = (self.blue.state(successor), self.blue.hash(successor));
        let id = number(self.common, self.me, state, hash)?;
        let notes = self.common.store.notes(id);
        if has(notes, self.own.cyan.of(false)) {
            self.close(id, successor, accepts);
        } else if accepts && has(notes, BLUE.of(true)) {
            // What lies behind the gate was searched from there.
        } else if has(notes, BLUE.of(false)) {
            if accepts {
                colour(notes, self.own.cyan.of(true));
                self.state.copy_from_slice(self.blue.state(successor));
                self.leave_gate(id, Some(successor))?;
            }
        } else {
            colour(notes, self.own.cyan.of(false));
            if accepts {
                colour(notes, self.own.cyan.of(true));
            }
            self.enter(id, successor, accepts)?;
        }
        Ok(())
    }

    /// A step closes a cycle: accepted, if one of its last two steps is.
    fn close(&self, id: Id, successor: usize, accepts: bool) {
        let through_gate = self.gates.last().is_some_and(|gate| *gate) && id != self.blue.top();
        if (accepts || through_gate) && self.common.wants_lasso() {
            self.report(self.path_over(successor), id);
        }
    }

    /// Enters a state that is cyan from now on.
    fn enter(&mut self, id: Id, successor: usize, gate: bool) -> Result<(), End> {
        self.state.copy_from_slice(self.blue.state(successor));
        let depth = self.blue.frames() as u32 - 1;
        self.blue.open(id);
        self.gates.push(gate);
        let first = colour(self.common.store.notes(id), ENTERED);
        if self.common.cuts(depth) {
            return Ok(());
        }
        self.expand()?;
        self.done.levels = self.done.levels.max(u64::from(depth));
        if first {
            self.show();
        }
        push(&mut self.blue, &self.batch, &mut self.places, self.order.as_mut());
        self.common.store.prefetch(self.blue.top_hashes());
        Ok(())
    }

    /// Leaves the state on top, and its gate, if it was entered through that.
    fn leave(&mut self) -> Result<(), End> {
        let id = self.blue.top();
        let notes = self.common.store.notes(id);
        colour(notes, BLUE.of(false));
        clear(notes, self.own.cyan.of(false));
        if self.gates.pop().is_some_and(|gate| gate) {
            if let Some(top) = self.blue.taken().next_back() {
                self.state.copy_from_slice(self.blue.state(top));
            }
            self.leave_gate(id, None)?;
        }
        self.blue.pop();
        Ok(())
    }

    /// Leaves the gate of a state, which is blue: the red search. The gate was entered by the
    /// step to this successor of the top, or, without, by that to the top.
    fn leave_gate(&mut self, id: Id, successor: Option<usize>) -> Result<(), End> {
        colour(self.common.store.notes(id), BLUE.of(true));
        if self.common.wants_lasso() {
            self.stem = self.blue.frames() - if successor.is_some() { 1 } else { 2 };
            match self.red(id)? {
                Some((way, back)) => {
                    let stem = successor.map_or_else(|| self.blue.path(), |s| self.path_over(s));
                    // The gate itself was met: the cycle begins behind it.
                    let behind = stem.len();
                    let path = stem.and(&way);
                    match back == id {
                        true => self.common.found_lasso(path, behind),
                        false => self.report(path, back),
                    }
                }
                None => self.redden(id)?,
            }
        }
        clear(self.common.store.notes(id), self.own.cyan.of(true));
        Ok(())
    }

    /// The red search from the gate of a state, which lies in `state`. Answers a way from that
    /// state to one that is cyan, or to the gate, and which.
    fn red(&mut self, seed: Id) -> Result<Option<(Path, Id)>, End> {
        self.region.clear();
        self.add(seed, true);
        let hash = hash_words(&self.state);
        self.red.clear();
        self.red.open(Id::NONE);
        self.red.add(&self.state, NO_EDGE, hash, 0, None);
        if let Some(first) = self.red.advance()
            && self.is_new(seed, false)
        {
            self.enter_red(seed, first)?;
        }
        while self.red.frames() > 1 {
            if self.common.is_over() {
                return Err(End::Over);
            }
            let Some(successor) = self.red.advance() else {
                self.red.pop();
                continue;
            };
            let (state, hash) = (self.red.state(successor), self.red.hash(successor));
            let id = number(self.common, self.me, state, hash)?;
            let accepts = self.red.path_to(successor) & self.common.all == self.common.all;
            if has(self.common.store.notes(id), self.own.cyan.of(false)) || accepts && id == seed {
                let mut path = self.red.path();
                path.push(self.red.edge(successor), self.red.state(successor));
                return Ok(Some((path, id)));
            }
            if accepts && !self.is_new(id, true) {
                continue;
            }
            if accepts {
                self.add(id, true);
            }
            if self.is_new(id, false) {
                self.enter_red(id, successor)?;
            }
        }
        Ok(None)
    }

    fn enter_red(&mut self, id: Id, successor: usize) -> Result<(), End> {
        self.add(id, false);
        self.state.copy_from_slice(self.red.state(successor));
        let depth = (self.stem + self.red.frames()) as u32 - 1;
        self.red.open(id);
        if self.common.cuts(depth) {
            return Ok(());
        }
        self.expand()?;
        push(&mut self.red, &self.batch, &mut self.places, self.order.as_mut());
        self.common.store.prefetch(self.red.top_hashes());
        Ok(())
    }

    /// Whether a state, or a gate, is neither in the region nor red.
    fn is_new(&self, id: Id, gate: bool) -> bool {
        !has(self.common.store.notes(id), self.own.region.of(gate) | RED.of(gate))
    }

    fn add(&mut self, id: Id, gate: bool) {
        colour(self.common.store.notes(id), self.own.region.of(gate));
        self.region.push((id, gate));
    }

    /// Colours the region red, once every gate in it but the first is.
    fn redden(&mut self, seed: Id) -> Result<(), End> {
        for at in 0..self.region.len() {
            let (id, gate) = self.region[at];
            if gate && id != seed {
                self.wait(id)?;
            }
        }
        for (id, gate) in self.region.drain(..) {
            let notes = self.common.store.notes(id);
            colour(notes, RED.of(gate));
            clear(notes, self.own.region.of(gate));
        }
        Ok(())
    }

    /// Waits until a gate is red, for which somebody will see.
    fn wait(&mut self, id: Id) -> Result<(), End> {
        while !has(self.common.store.notes(id), RED.of(true)) {
            if self.common.is_over() {
                return Err(End::Over);
            }
            if self.common.is_cut() || !self.common.wants_lasso() {
                return Ok(());
            }
            thread::yield_now();
            self.look_now()?;
        }
        Ok(())
    }

    /// Expands the state in `state`.
    fn expand(&mut self) -> Result<(), End> {
        if self.expanded >= self.common.most {
            return Err(End::Limit(StopReason::Expansions));
        }
        self.batch.clear();
        self.expander.expand(&self.state, &mut self.batch);
        self.expanded += 1;
        self.done.expanded += 1;
        self.done.generated += self.batch.len() as u64;
        self.look()
    }

    /// Counts and tells what the state shows that is entered for the first time, lassos aside.
    fn show(&mut self) {
        let wanted = self.common.wanted();
        self.done.deadlocks += u64::from(self.batch.deadlock());
        self.done.faults += self.batch.faults().len() as u64;
        let asked = wanted.conditions | wanted.count;
        let violated = if asked == 0 { 0 } else { self.expander.violated(&self.state) };
        self.done.counted += u64::from(violated & wanted.count != 0);
        let shown = Shown {
            conditions: violated & wanted.conditions,
            deadlock: wanted.deadlock && self.batch.deadlock(),
            fault: self.batch.faults().first().copied().filter(|_| wanted.fault),
        };
        if shown.conditions != 0 || shown.deadlock || shown.fault.is_some() {
            self.common.found(&shown, &self.blue.path());
        }
    }

    /// Reports a path whose last state is on the path of the blue search.
    fn report(&self, path: Path, back: Id) {
        if let Some(back) = self.blue.position(back) {
            self.common.found_lasso(path, back);
        }
    }

    /// The way to the top and on by the step to one of its successors.
    fn path_over(&self, successor: usize) -> Path {
        let mut path = self.blue.path();
        path.push(self.blue.edge(successor), self.blue.state(successor));
        path
    }

    /// Tells what was done, now and then; the first worker looks at the limits, too.
    fn look(&mut self) -> Result<(), End> {
        let due = self.watch.as_mut().is_some_and(|watch| watch.due());
        if due || self.done.expanded >= TELLING {
            self.common.add(take(&mut self.done));
            let bytes = self.blue.bytes() + self.red.bytes();
            self.common.takes(self.bytes, bytes);
            self.bytes = bytes;
        }
        if due { self.look_now() } else { Ok(()) }
    }

    fn look_now(&mut self) -> Result<(), End> {
        let common = self.common;
        match &mut self.watch {
            Some(watch) => common.look(watch).map_err(End::Limit),
            None => Ok(()),
        }
    }
}

/// The number of a state, which is stored if it is not yet.
fn number(common: &Common<'_>, me: usize, state: &[Word], hash: u64) -> Result<Id, End> {
    match common.store.visit(me, state, hash) {
        Visit::New(id) | Visit::Known(id) | Visit::Covered(id) => Ok(id),
        Visit::Full => Err(End::Limit(common.full())),
    }
}

/// Adds what is in the batch to the frame on top, in an order of one's own.
fn push(
    stack: &mut Stack<u64>,
    batch: &Batch,
    places: &mut Vec<usize>,
    order: Option<&mut Random>,
) {
    let mut add = |place: usize| {
        let state = batch.state(place);
        stack.add(state, batch.edge(place), hash_words(state), batch.marks(place), None);
    };
    let Some(order) = order else { return (0..batch.len()).for_each(add) };
    places.clear();
    places.extend(0..batch.len());
    order.shuffle(places);
    places.iter().for_each(|place| add(*place));
}
