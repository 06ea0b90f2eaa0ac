//! Property directed reachability.
//!
//! Bradley, "SAT-based model checking without unrolling" (VMCAI 2011); Eén, Mishchenko,
//! Brayton, "Efficient implementation of property directed reachability" (FMCAD 2011).
//!
//! ```text
//! F₀ = I, Fₖ = states not in a cube blocked at k or later: all that k steps reach, and more
//! for N = 1, 2, …:
//!     while F_N ∧ bad has a state: block its cube at N
//!     propagate: move cubes of Fₖ to Fₖ₊₁ where Fₖ ∧ T reaches none of them
//!     if some Fₖ = Fₖ₊₁: it holds, and what Fₖ says is an inductive invariant
//!
//! block(s, k):  if Fₖ₋₁ ∧ ¬s ∧ T ∧ s′ has a state:
//!                   it is initial: a counterexample
//!                   else block the cube of it at k − 1, then s at k again
//!               else generalise s: drop literals as long as that has no state;
//!                   block it at the last level where that is so
//! ```
//! Of generalisation, after Hassan, Bradley, Somenzi, "Better generalization in IC3" (FMCAD
//! 2013): where Fₖ₋₁ ∧ ¬s ∧ T ∧ s′ has a state without a literal of s, and that state (a
//! counterexample to generalisation) is not reached itself, it is blocked, and dropping the
//! literal tried again. States are not joined to cubes.
//!
//! Deviations. A variable says whether a moment is the first: clauses of frames speak of the
//! others only, so that no cube contains initial states and any constraint on first moments
//! will do. Cubes of predecessors are cut down by the core of a query that cannot have a
//! model: the state and its inputs lead elsewhere. What is proven is proven again, by another
//! solver, that has not seen anything ([`certificate`](crate::certificate)).

mod level;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use self::level::{Level, Lifting};
use crate::certificate::{Unproven, certify};
use crate::effort::{Effort, Interrupted};
use crate::unrolling::{Problem, Trace};

/// A literal of the state: the place of a latch among those that matter, and its value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bit(u32);

impl Bit {
    pub(crate) fn new(place: usize, value: bool) -> Bit {
        Bit((place as u32) << 1 | u32::from(value))
    }

    pub(crate) fn place(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn value(self) -> bool {
        self.0 & 1 == 1
    }
}

/// How many states that stand in the way of dropping a literal are blocked.
const COUNTEREXAMPLES: u32 = 3;

/// How often that may be for the sake of dropping a literal of such a state.
const DEEP: u32 = 1;

/// A set of states: those with these bits, in order.
pub(crate) type Cube = Vec<Bit>;

/// What a check found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reached {
    /// A run to what was looked for.
    Found(Trace),
    /// There is none, by an invariant of so many clauses, which was checked.
    Invariant(usize),
}

/// A cube that has to be blocked, since it leads to what is looked for.
struct Obligation {
    cube: Cube,
    /// The inputs under which it leads on.
    inputs: Vec<bool>,
    /// Where it leads, if not to the end.
    next: Option<usize>,
}

/// What a query about a cube came to.
enum Answer {
    /// It is reached from this state under these inputs.
    From { latches: Vec<bool>, inputs: Vec<bool>, is_first: bool },
    /// It is not, and neither is the cube of these bits.
    Unreached(Cube),
}

/// A check by property directed reachability, which can be interrupted and go on.
pub struct Pdr<'c> {
    problem: Problem<'c>,
    effort: Rc<Effort>,
    /// The latches that matter.
    latches: Vec<usize>,
    levels: Vec<Level<'c>>,
    /// The cubes that were blocked last at each level.
    frames: Vec<Vec<Cube>>,
    lifting: Lifting<'c>,
    activity: Vec<u32>,
}

impl<'c> Pdr<'c> {
    /// Nothing is checked yet.
    pub fn new(problem: Problem<'c>, effort: &Rc<Effort>) -> Self {
        let latches = problem.influence();
        let activity = vec![0; 2 * latches.len()];
        let lifting = Lifting::new(problem, &latches, effort);
        let (levels, frames) = (Vec::new(), Vec::new());
        Pdr { problem, effort: effort.clone(), latches, levels, frames, lifting, activity }
    }

    /// How many frames there are: as many steps lead to nothing that is looked for.
    pub fn frames(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// Checks until it is known.
    pub fn run(&mut self) -> Result<Reached, Unproven> {
        if self.levels.is_empty() {
            self.extend();
        }
        if self.frames() == 0 {
            if let Some((latches, inputs)) = self.levels[0].bad_state()? {
                return Ok(Reached::Found(Trace { latches, inputs: vec![inputs] }));
            }
            self.extend();
        }
        loop {
            let top = self.frames();
            while let Some((latches, inputs)) = self.levels[top].bad_state()? {
                let cube = self.lifting.of_bad(&latches, &inputs)?;
                if let Some(trace) = self.block(cube, inputs)? {
                    return Ok(Reached::Found(trace));
                }
            }
            self.extend();
            if let Some(level) = self.propagate()? {
                let invariant: Vec<Cube> = self.frames[level + 1..].concat();
                let certified = certify(self.problem, &self.latches, &invariant, &self.effort)?;
                certified.map_err(Unproven::Uncertified)?;
                return Ok(Reached::Invariant(invariant.len()));
            }
        }
    }

    fn extend(&mut self) {
        let is_first = self.levels.is_empty();
        self.levels.push(Level::new(self.problem, &self.latches, is_first, &self.effort));
        self.frames.push(Vec::new());
    }

    /// Blocks a cube at the last level; or finds a way to it.
    fn block(&mut self, cube: Cube, inputs: Vec<bool>) -> Result<Option<Trace>, Interrupted> {
        let top = self.frames();
        let mut all = vec![Obligation { cube, inputs, next: None }];
        let mut open = BinaryHeap::from([Reverse((top, 0))]);
        while let Some(Reverse((level, at))) = open.pop() {
            self.effort.count(1)?;
            let cube = &all[at].cube;
            if !self.is_blocked(cube, level) {
                match self.reached(&cube.clone(), level)? {
                    Answer::From { latches, inputs, is_first: true } => {
                        return Ok(Some(trace(&all, at, latches, inputs)));
                    }
                    Answer::From { latches, inputs, .. } => {
                        let before =
                            self.lifting.of_step(&self.latches, &latches, &inputs, cube)?;
                        all.push(Obligation { cube: before, inputs, next: Some(at) });
                        open.push(Reverse((level - 1, all.len() - 1)));
                        open.push(Reverse((level, at)));
                        continue;
                    }
                    Answer::Unreached(core) => {
                        let (cube, last) = self.generalised(core, level, DEEP)?;
                        self.add_blocked(cube, last);
                        if last < top {
                            open.push(Reverse((last + 1, at)));
                        }
                        continue;
                    }
                }
            }
            if level < top {
                open.push(Reverse((level + 1, at)));
            }
        }
        Ok(None)
    }

    /// Whether a cube lies in one that is blocked at a level.
    fn is_blocked(&self, cube: &Cube, level: usize) -> bool {
        self.frames[level..].iter().flatten().any(|blocked| is_part(blocked, cube))
    }

    /// Whether the states of the level before reach a cube from outside of it.
    fn reached(&mut self, cube: &Cube, level: usize) -> Result<Answer, Interrupted> {
        self.levels[level - 1].reached(&self.latches, cube, true)
    }

    /// A cube with fewer bits that is not reached either, and the last level where it is
    /// blocked. What stands in the way is blocked first, so many times deep.
    fn generalised(
        &mut self,
        mut cube: Cube,
        level: usize,
        deep: u32,
    ) -> Result<(Cube, usize), Interrupted> {
        let mut bits = cube.clone();
        bits.sort_by_key(|bit| self.activity[bit.0 as usize]);
        for bit in bits {
            if cube.len() < 2 || cube.binary_search(&bit).is_err() {
                continue;
            }
            let fewer: Cube = cube.iter().copied().filter(|other| *other != bit).collect();
            if let Some(core) = self.down(&fewer, level, deep)? {
                cube = core;
            }
        }
        let mut last = level;
        while last < self.frames() {
            match self.reached(&cube, last + 1)? {
                Answer::Unreached(core) => (cube, last) = (core, last + 1),
                Answer::From { .. } => break,
            }
        }
        Ok((cube, last))
    }

    /// The part of a cube that is not reached, if it is not; states that lead to it and are
    /// not reached themselves are blocked.
    fn down(&mut self, cube: &Cube, level: usize, deep: u32) -> Result<Option<Cube>, Interrupted> {
        let mut counterexamples = 0;
        loop {
            let (latches, inputs) = match self.reached(cube, level)? {
                Answer::Unreached(core) => return Ok(Some(core)),
                Answer::From { is_first: true, .. } => return Ok(None),
                Answer::From { latches, inputs, .. } => (latches, inputs),
            };
            if deep == 0 || level == 1 || counterexamples == COUNTEREXAMPLES {
                return Ok(None);
            }
            counterexamples += 1;
            let before = self.lifting.of_step(&self.latches, &latches, &inputs, cube)?;
            let Answer::Unreached(core) = self.reached(&before, level - 1)? else {
                return Ok(None);
            };
            let (blocked, last) = self.generalised(core, level - 1, deep - 1)?;
            self.add_blocked(blocked, last);
        }
    }

    /// Blocks a cube at a level and all before.
    fn add_blocked(&mut self, cube: Cube, level: usize) {
        for bit in &cube {
            self.activity[bit.0 as usize] += 1;
        }
        for frame in &mut self.frames[..=level] {
            frame.retain(|other| !is_part(&cube, other));
        }
        for at in 1..=level {
            self.levels[at].block(&self.latches, &cube);
        }
        self.frames[level].push(cube);
    }

    /// Moves cubes to later levels; a level where all were moved, if there is one.
    fn propagate(&mut self) -> Result<Option<usize>, Interrupted> {
        for level in 1..self.frames() {
            for cube in self.frames[level].clone() {
                self.effort.count(1)?;
                if !self.frames[level].contains(&cube) {
                    continue;
                }
                let answer = self.levels[level].reached(&self.latches, &cube, false)?;
                if let Answer::Unreached(core) = answer {
                    self.add_blocked(core, level + 1);
                }
            }
            if self.frames[level].is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }
}

/// Whether all bits of the first are among those of the second.
fn is_part(few: &Cube, many: &Cube) -> bool {
    let mut many = many.iter();
    few.len() <= many.len() && few.iter().all(|bit| many.by_ref().any(|other| other == bit))
}

/// The run that begins so and goes on as obligations say.
fn trace(all: &[Obligation], at: usize, latches: Vec<bool>, inputs: Vec<bool>) -> Trace {
    let mut moments = vec![inputs];
    let mut next = Some(at);
    while let Some(at) = next {
        moments.push(all[at].inputs.clone());
        next = all[at].next;
    }
    Trace { latches, inputs: moments }
}
