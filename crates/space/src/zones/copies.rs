//! Which clocks are set to others, and to what numbers.
//!
//! Assignments that are not of numbers at fixed places go through slots
//! ([`Pending`]): a base, and an offset. What bases a clock may get is read off
//! the effects:
//!
//! ```text
//! bases(number)        = {number}
//! bases(c ? a : b)     = bases(a) ∪ bases(b)
//! bases(base slot)     = nothing new: whoever copies a clock that was assigned
//!                        before in the same step copies what that one copied
//! bases(other)         = all it may be by the ranges of slots
//! ```
//! closed under copying: x := y after y := z makes x a copy of z.

use homing_ir::System;
use homing_ir::interval::Env;
use homing_ir::system::{Command, Interval, SlotId, Term};
use homing_ir::timing::{Pending, Timing};

use crate::zones::unit::{Steps, gcd};

/// Which clocks are set to others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Copies {
    /// Copy and original.
    pub pairs: Vec<(usize, usize)>,
    /// Whether a number may be added to a copy.
    pub shifted: bool,
    /// The greatest number that a clock is set to, or that is added to a copy.
    pub most: i64,
    /// What all numbers are multiples of that are set or added through slots.
    pub step: i64,
}

/// Finds the copies of a system.
pub(crate) fn copies(system: &System, timing: &Timing) -> Copies {
    let ranges: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
    let fixed = timing.parts.iter().flat_map(|part| &part.resets).map(|(_, value)| *value);
    let mut search = Search {
        env: Env::new(&ranges),
        pending: timing
            .pending
            .iter()
            .enumerate()
            .filter_map(|(i, p)| Some((i + 1, (*p)?)))
            .collect(),
        // By clock: whether it may be set to each, 0 for a number.
        from: vec![vec![false; timing.clocks.len() + 1]; timing.clocks.len() + 1],
        shifted: false,
        most: fixed.max().unwrap_or(0),
        steps: Steps::new(&ranges),
        step: 0,
    };
    search.steps.counted = search.pending.iter().map(|(_, pending)| pending.offset).collect();
    for part in &system.parts {
        search.steps.temps.clear();
        let mut bases: Vec<(Vec<usize>, &Term)> = Vec::new();
        for command in part.commands() {
            command.walk(&mut |command| search.note(command, &mut bases));
        }
    }
    search.close();
    let Search { from, shifted, most, step, .. } = search;
    let all = from.iter().enumerate().flat_map(|(copy, originals)| {
        let originals = originals.iter().enumerate().skip(1).filter(|(_, is)| **is);
        originals.map(move |(original, _)| (copy, original))
    });
    Copies { pairs: all.collect(), shifted, most, step }
}

struct Search<'a> {
    env: Env<'a>,
    pending: Vec<(usize, Pending)>,
    from: Vec<Vec<bool>>,
    shifted: bool,
    most: i64,
    steps: Steps<'a>,
    step: i64,
}

impl<'a> Search<'a> {
    /// `bases` are the assignments of bases so far: to which clocks, and what.
    fn note(&mut self, command: &'a Command, bases: &mut Vec<(Vec<usize>, &'a Term)>) {
        let (slots, value) = match command {
            Command::Let(temp, term) => {
                self.steps.temps.insert(*temp, term);
                return;
            }
            Command::Set(slot, value) => (slot.0..slot.0 + 1, value),
            Command::SetElement { first, count, value, .. } => (first.0..first.0 + count, value),
            _ => return,
        };
        let clocks = |slot: fn(&Pending) -> SlotId| {
            let hit = |(_, pending): &&(usize, Pending)| slots.contains(&slot(pending).0);
            self.pending.iter().filter(hit).map(|(clock, _)| *clock).collect::<Vec<_>>()
        };
        let (based, shifted) = (clocks(|pending| pending.base), clocks(|pending| pending.offset));
        let value = self.resolve(value);
        if !based.is_empty() {
            self.add_bases(&based, value);
            bases.push((based, value));
        } else if !shifted.is_empty() {
            // The offset is set right behind the base it belongs to.
            let last = bases.last().filter(|(clocks, _)| *clocks == shifted);
            let number = last.is_some_and(|(_, base)| **base == Term::Const(1));
            self.shifted |= !number && !self.is_plain(value);
            self.add_number(value);
        }
    }

    fn resolve(&self, term: &'a Term) -> &'a Term {
        match term {
            Term::Temp(temp) => self.steps.temps.get(temp).copied().unwrap_or(term),
            term => term,
        }
    }

    /// The clocks whose pending slots a term reads.
    fn read(&self, term: &Term) -> Vec<usize> {
        let slots = match term {
            Term::Slot(slot) => slot.0..slot.0 + 1,
            Term::Element { first, count, .. } => first.0..first.0 + count,
            _ => return Vec::new(),
        };
        let hit = |(_, pending): &&(usize, Pending)| {
            slots.contains(&pending.base.0) || slots.contains(&pending.offset.0)
        };
        self.pending.iter().filter(hit).map(|(clock, _)| *clock).collect()
    }

    fn add_bases(&mut self, to: &[usize], term: &'a Term) {
        let term = self.resolve(term);
        let read = self.read(term);
        let last = self.from.len() as i64;
        let bases: Vec<usize> = match term {
            Term::Choose(_, then, otherwise) => {
                self.add_bases(to, then);
                return self.add_bases(to, otherwise);
            }
            _ if !read.is_empty() => read,
            term => {
                let Some(base) = self.env.eval(term).meet(Interval::new(1, last)) else { return };
                (base.lo - 1..base.hi).map(|clock| clock as usize).collect()
            }
        };
        to.iter().for_each(|to| bases.iter().for_each(|base| self.from[*to][*base] = true));
    }

    /// Notes the greatest value of an offset that is not another's, and what its
    /// values are multiples of.
    fn add_number(&mut self, term: &'a Term) {
        match self.resolve(term) {
            Term::Choose(_, then, otherwise) => {
                self.add_number(then);
                self.add_number(otherwise);
            }
            term if self.read(term).is_empty() => {
                self.most = self.most.max(self.env.eval(term).hi);
                self.step = gcd(self.step, self.steps.of(term));
            }
            _ => {}
        }
    }

    /// Whether an offset adds nothing to a copy.
    fn is_plain(&self, term: &'a Term) -> bool {
        match self.resolve(term) {
            Term::Const(0) => true,
            Term::Choose(_, then, otherwise) => {
                !self.read(then).is_empty() && **otherwise == Term::Const(0)
            }
            _ => false,
        }
    }

    /// Whoever copies a copy may get what it copied.
    fn close(&mut self) {
        let n = self.from.len();
        for k in 1..n {
            for i in 1..n {
                if self.from[i][k] {
                    let originals = self.from[k].clone();
                    self.from[i].iter_mut().zip(originals).for_each(|(is, more)| *is |= more);
                }
            }
        }
    }
}
