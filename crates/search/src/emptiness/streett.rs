//! Emptiness where what is requested again and again must be granted again and again.
//!
//! Emerson, Lei, "Modalities for Model Checking: Branching Time Logic Strikes Back"
//! (Science of Computer Programming 8, 1987); Latvala, Heljanko, "Coping with Strong
//! Fairness" (Fundamenta Informaticae 43, 2000); on the fly as Duret-Lutz, Poitrenaud,
//! Couvreur, "On-the-fly Emptiness Check of Transition-Based Streett Automata" (ATVA
//! 2009). With strong fairness there is a pair for every process: a state requests it in
//! which the process can move, a step grants it in which it does.
//!
//! ```text
//! as couvreur, in which a component C needs
//!   all acceptance sets and, of every pair that a state of C requests, a step that grants it
//! and when C is complete without: refine(C)
//!
//! refine(C):
//!   if an acceptance set is missing in C, or C has no step: nothing is there
//!   missing := the pairs that states of C request and no step within C grants
//!   if missing is empty: found, in C
//!   for every component D of C without the states that request one of missing: refine(D)
//! ```
//! A cycle through a state that requests a missing pair would never see it granted, so
//! nothing is lost. Every level of refinement gets rid of a pair, so there are no more
//! levels than pairs. What couvreur finds while components grow it finds here too: a
//! part of a component that has all it needs is enough.
//!
//! Deviations: refinement is a list of what is to be refined, not a recursion. A component
//! that is refined is first written down, step by step, so that its states are expanded
//! once more and not once a level; its components are found by Tarjan's search (see
//! `tarjan`), over that. Where a limit of steps left states unexpanded, nothing is
//! refined: what is left out is not known to lead nowhere.

use homing_core::hash::hash_words;
use homing_core::{Column, Id, StopReason, Watch, Word};

use super::ball::Ball;
use super::base::{Base, CURRENT, RED};
use super::couvreur::{Component, components};
use super::rounds::{nearest, path_to, round};
use super::walk::Walk;

pub(crate) fn streett(walk: &mut Walk<'_>, watch: &mut Watch) -> Result<(), StopReason> {
    let mut refinement = Refinement::new(walk.base.task.space.width());
    components(walk, watch, |walk, component, watch| refinement.refine(walk, component, watch))
}

/// A state that is left out, or whose component is complete.
const OUT: u32 = u32::MAX;
/// A state that was not met yet.
const NEW: u32 = 0;

/// A component, step by step, and which parts of it are still to be looked at. Its
/// states are named by their places in it.
struct Refinement {
    /// By number of the store, the place.
    places: Column<u32>,
    /// By place, the pairs that are requested.
    requested: Vec<u64>,
    /// By place, where its steps begin; and where the last ones end.
    first: Vec<usize>,
    /// Where they lead to, and what they are marked with.
    steps: Vec<(u32, u64)>,
    /// Parts of the component, and how many states each has.
    waiting: Vec<u32>,
    sizes: Vec<usize>,
    /// By place in the part that is looked at: the order in which it was met.
    numbers: Vec<u32>,
    frames: Vec<Frame>,
    active: Vec<u32>,
    state: Vec<Word>,
}

/// What is known of a state on the path of Tarjan's search.
struct Frame {
    place: u32,
    /// Its next step.
    next: usize,
    /// The least number of an active state known to be reached.
    low: u32,
    /// What the steps behind it that stay in its component are marked with.
    sets: u64,
    /// What the states behind it in its component request.
    requested: u64,
    cyclic: bool,
}

/// A part of the component in which all is granted that is requested, and what is: its
/// states are the active ones from there on.
struct Found {
    start: usize,
    requested: u64,
}

impl Refinement {
    fn new(width: usize) -> Refinement {
        Refinement {
            places: Column::new(OUT),
            requested: Vec::new(),
            first: Vec::new(),
            steps: Vec::new(),
            waiting: Vec::new(),
            sizes: Vec::new(),
            numbers: Vec::new(),
            frames: Vec::new(),
            active: Vec::new(),
            state: vec![0; width],
        }
    }

    /// Looks for a lasso in a component that lacks something it needs.
    fn refine(
        &mut self,
        walk: &mut Walk<'_>,
        component: &Component<'_>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        let missing = component.needed & !component.sets;
        if missing & walk.base.all != 0 || walk.base.is_cut() {
            return Ok(());
        }
        self.write_down(&mut walk.base, component, watch)?;
        self.wait(0..component.states.len() as u32, missing);
        while let Some(size) = self.sizes.pop() {
            let part = self.waiting.split_off(self.waiting.len() - size);
            if let Some(found) = self.search(&part, walk.base.all) {
                return self.report(walk, component, &found);
            }
            walk.base.look_now(watch, self.waiting.len(), self.bytes())?;
        }
        Ok(())
    }

    /// Writes the component down: the steps that stay in it.
    fn write_down(
        &mut self,
        base: &mut Base<'_>,
        component: &Component<'_>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        self.requested.clear();
        self.first.clear();
        self.steps.clear();
        for (place, id) in component.states.iter().enumerate() {
            self.places.set(*id, place as u32);
        }
        for id in component.states {
            base.store.load(*id, &mut self.state);
            base.expand(&self.state);
            self.requested.push(base.batch.requested());
            self.first.push(self.steps.len());
            for i in 0..base.chosen(*id) {
                self.state.copy_from_slice(base.batch.state(i));
                let hash = hash_words(&self.state);
                let Some(to) = base.number(&self.state, hash, *id)? else { continue };
                if to >= component.root && base.has(to, CURRENT) {
                    self.steps.push((self.places.get(to), base.batch.marks(i)));
                }
            }
            base.look(watch, 0, || self.bytes())?;
        }
        self.first.push(self.steps.len());
        self.numbers.clear();
        self.numbers.resize(component.states.len(), OUT);
        Ok(())
    }

    /// Those of the places that request nothing that is missing are looked at later.
    fn wait(&mut self, places: impl Iterator<Item = u32>, missing: u64) {
        let before = self.waiting.len();
        let requested = &self.requested;
        self.waiting.extend(places.filter(|place| requested[*place as usize] & missing == 0));
        match self.waiting.len() - before {
            0 => {}
            size => self.sizes.push(size),
        }
    }

    /// Tarjan's search in a part. Answers a component that has what it needs; the others
    /// wait, without what cannot be granted.
    fn search(&mut self, part: &[u32], all: u64) -> Option<Found> {
        part.iter().for_each(|place| self.numbers[*place as usize] = NEW);
        let mut met = NEW;
        for start in part {
            if self.numbers[*start as usize] == NEW {
                self.enter(*start, &mut met);
            }
            while let Some(frame) = self.frames.last_mut() {
                let place = frame.place as usize;
                if frame.next < self.first[place + 1] {
                    let (to, marks) = self.steps[frame.next];
                    frame.next += 1;
                    match self.numbers[to as usize] {
                        OUT => {}
                        NEW => {
                            self.enter(to, &mut met);
                        }
                        number => frame.reach(number, marks, 0),
                    }
                } else if let Some(found) = self.leave(all) {
                    return Some(found);
                }
            }
        }
        None
    }

    fn enter(&mut self, place: u32, met: &mut u32) {
        *met += 1;
        self.numbers[place as usize] = *met;
        self.active.push(place);
        let (next, requested) = (self.first[place as usize], self.requested[place as usize]);
        self.frames.push(Frame { place, next, low: *met, sets: 0, requested, cyclic: false });
    }

    /// All steps of the state on top were looked at.
    fn leave(&mut self, all: u64) -> Option<Found> {
        let frame = self.frames.pop()?;
        if let Some(below) = self.frames.last_mut()
            && frame.low < self.numbers[frame.place as usize]
        {
            // The step by which it was entered is the one before the next.
            below.reach(frame.low, frame.sets | self.steps[below.next - 1].1, frame.requested);
            return None;
        }
        let start = self.active.iter().rposition(|place| *place == frame.place)?;
        if frame.cyclic && frame.sets & all == all {
            let missing = frame.requested & !frame.sets;
            if missing == 0 {
                return Some(Found { start, requested: frame.requested });
            }
            let component = self.active.split_off(start);
            component.iter().for_each(|place| self.numbers[*place as usize] = OUT);
            self.wait(component.into_iter(), missing);
            return None;
        }
        self.active.drain(start..).for_each(|place| self.numbers[place as usize] = OUT);
        None
    }

    /// Reports the lasso through what was found, which is red from now on.
    fn report(
        &self,
        walk: &mut Walk<'_>,
        component: &Component<'_>,
        found: &Found,
    ) -> Result<(), StopReason> {
        let root = component.root;
        let Some(mut stem) = path_to(walk, root) else { return Ok(()) };
        let base = &mut walk.base;
        for place in &self.active[found.start..] {
            base.note(component.states[*place as usize], RED);
        }
        if !base.has(root, RED) {
            let mut ball = Ball::new(self.state.len());
            let inside = |base: &Base<'_>, id: Id| id >= root && base.has(id, CURRENT);
            let wanted = |base: &Base<'_>, id, _: &[Word], _| base.has(id, RED);
            if let Some((way, _)) = nearest(base, &mut ball, stem.last(), inside, wanted)? {
                stem = stem.and(&way);
            }
        }
        let inside = |base: &Base<'_>, id| base.has(id, RED);
        let round = round(base, stem.last(), base.all | found.requested, inside)?;
        base.report(stem, round);
        Ok(())
    }

    /// The memory taken, in bytes.
    fn bytes(&self) -> usize {
        let words = self.requested.capacity() + self.first.capacity() + 2 * self.steps.capacity();
        let halves = self.waiting.capacity() + self.numbers.capacity() + self.active.capacity();
        self.places.bytes()
            + words * size_of::<u64>()
            + halves * size_of::<u32>()
            + self.frames.capacity() * size_of::<Frame>()
    }
}

impl Frame {
    /// A step with these marks stays in the component and reaches this number; the
    /// states behind it request this.
    fn reach(&mut self, low: u32, sets: u64, requested: u64) {
        self.low = self.low.min(low);
        self.sets |= sets;
        self.requested |= requested;
        self.cyclic = true;
    }
}
