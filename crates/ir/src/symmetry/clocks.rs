//! Clocks, where processes are exchanged.
//!
//! Hendriks, Behrmann, Larsen, Niebert, Vaandrager, "Adding symmetry reduction to
//! UPPAAL" (FORMATS 2003). An exchange of processes exchanges their clocks too,
//! also those of an array that is indexed by names. What a system says of clocks
//! ([`Timing`]) must have its image as all else:
//!
//! ```text
//! the guards and resets of a part belong to its text, and so does its priority
//! the invariant of a location has its image at the image's location
//! the cases of a condition have their images among them
//! where a step fails depends on the same values of clocks
//! time waits for the images of what it waits for
//! ```
//! A guard is a conjunction and the cases of a condition are a disjunction whose
//! order does not matter, failures included ([`Constraint::at`]).
//!
//! A clock that is copied is named by its number, within arithmetic: where there
//! are copies, clocks have to stay.

use super::check::{Checker, identity};
use super::image::{Image, Text};
use super::matching::Matching;
use crate::system::{Command, ComponentId, PartId, SiteId, SlotId, System, Term};
use crate::timing::{ClockTerm, Constraint, Pending, Timing};

impl Matching<'_> {
    fn clock(&mut self, a: u32, b: u32) -> Option<()> {
        if a == b {
            return Some(());
        }
        let clocks = &mut self.exchange.clocks;
        let fits = *clocks.entry(a).or_insert(b) == b && *clocks.entry(b).or_insert(a) == a;
        (fits && a != 0 && b != 0).then_some(())
    }

    /// What two parts say of clocks, side by side.
    pub(super) fn timed_part(&mut self, a: PartId, b: PartId) -> Option<()> {
        let system = self.system;
        let Some(timing) = &system.timing else { return Some(()) };
        let (one, other) = (&timing.parts[a.index()], &timing.parts[b.index()]);
        self.constraints(&one.guard, &other.guard)?;
        let mut resets = one.resets.iter().zip(&other.resets);
        resets.try_for_each(|((a, _), (b, _))| self.clock(*a, *b))
    }

    /// The invariants of two components, side by side.
    pub(super) fn invariants(&mut self, a: ComponentId, b: ComponentId) -> Option<()> {
        let system = self.system;
        let Some(timing) = &system.timing else { return Some(()) };
        let (one, other) = (&timing.invariants[a.index()], &timing.invariants[b.index()]);
        one.iter().zip(other).try_for_each(|(one, other)| self.constraints(one, other))
    }

    fn constraints(&mut self, one: &[Constraint], other: &[Constraint]) -> Option<()> {
        one.iter().zip(other).try_for_each(|(one, other)| {
            self.term(&one.when, &other.when, None)?;
            self.term(&one.bound, &other.bound, None)?;
            self.clock_term(&one.left, &other.left)?;
            self.clock_term(&one.right, &other.right)
        })
    }

    fn clock_term(&mut self, one: &ClockTerm, other: &ClockTerm) -> Option<()> {
        match (known(one), known(other)) {
            (Some(a), Some(b)) => self.clock(a, b),
            (None, None) => match (one, other) {
                (
                    ClockTerm::Element { first, count, index },
                    ClockTerm::Element { first: start, index: theirs, .. },
                ) => {
                    if first != start {
                        (0..*count).try_for_each(|i| self.clock(first + i, start + i))?;
                    }
                    self.term(index, theirs, self.sorts.of_clock_index(*first, *count))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// What follows: arrays of clocks whose index is renamed are permuted with it
    /// and the other way round, and clocks go with the slots they are set through.
    pub(super) fn close_clocks(&mut self) -> Option<()> {
        for (first, count, sort) in self.sorts.clock_arrays() {
            let Some(sort) = sort else { continue };
            if let Some((a, b)) = self.exchange.names.get(&sort).copied() {
                let within = |name: i64| (0..i64::from(count)).contains(&name);
                if within(a) && within(b) {
                    self.clock(first + a as u32, first + b as u32)?;
                }
            }
            for index in 0..count {
                let to = self.exchange.clock(first + index);
                let inside = (first..first + count).contains(&to);
                if inside && to != first + index {
                    self.names(sort, i64::from(index), i64::from(to - first))?;
                }
            }
        }
        let system = self.system;
        let Some(timing) = &system.timing else { return Some(()) };
        let slots: Vec<(SlotId, u32)> = timing.pending_slots().collect();
        for (slot, clock) in &slots {
            let to = self.exchange.slot(*slot);
            if let Some((_, image)) = slots.iter().find(|(slot, _)| *slot == to) {
                self.clock(*clock, *image)?;
            }
        }
        for (index, pending) in timing.pending.iter().enumerate() {
            let image = self.exchange.clock(index as u32 + 1);
            let image = timing.pending[image as usize - 1];
            if let (Some(one), Some(other)) = (pending, image) {
                self.slot(one.base, other.base)?;
                self.slot(one.offset, other.offset)?;
            }
        }
        Some(())
    }
}

impl Image<'_> {
    /// What a part says of clocks, and its priority.
    pub(super) fn timed_part(&mut self, part: PartId) -> Option<Text> {
        let system = self.system;
        let Some(timing) = &system.timing else { return Some(Text::new()) };
        let timed = &timing.parts[part.index()];
        let mut text = self.constraints(&timed.guard)?;
        let last = |(at, (clock, _)): &(usize, &(u32, i64))| {
            timed.resets[at + 1..].iter().all(|(later, _)| later != clock)
        };
        let resets = timed.resets.iter().enumerate().filter(last);
        let mut resets: Vec<[i64; 2]> = resets
            .map(|(_, (clock, value))| [i64::from(self.exchange.clock(*clock)), *value])
            .collect();
        resets.sort_unstable();
        text.push(resets.len() as i64);
        text.extend(resets.concat());
        if let Some((edge, process)) = timing.priorities.get(part.index()) {
            text.extend([i64::from(*edge), i64::from(*process)]);
        }
        Some(text)
    }

    /// What a condition says of clocks and deadlocks.
    pub(super) fn timed_condition(&mut self, number: usize) -> Option<Text> {
        let system = self.system;
        let Some(timing) = &system.timing else { return Some(Text::new()) };
        let cases = timing.conditions[number].cases.iter();
        let cases: Option<Vec<Text>> = cases
            .map(|case| {
                let deadlock = case.deadlock.map_or(2, i64::from);
                let (term, clocks) =
                    (self.term(&case.term, None)?, self.constraints(&case.clocks)?);
                Some([vec![deadlock], term, clocks].concat())
            })
            .collect();
        Some(listed(cases?))
    }

    /// What must hold of clocks for a failure at a site.
    pub(super) fn timed_site(&mut self, site: SiteId) -> Option<Text> {
        let system = self.system;
        let constraints = system.timing.as_ref().and_then(|timing| timing.sites.get(site.index()));
        constraints.map_or(Some(Text::new()), |constraints| self.constraints(constraints))
    }

    fn constraints(&mut self, constraints: &[Constraint]) -> Option<Text> {
        let texts: Option<Vec<Text>> =
            constraints.iter().map(|constraint| self.constraint(constraint)).collect();
        Some(listed(texts?))
    }

    fn constraint(&mut self, constraint: &Constraint) -> Option<Text> {
        let mut text = vec![i64::from(constraint.strict)];
        text.extend(self.term(&constraint.when, None)?);
        text.extend(self.term(&constraint.bound, None)?);
        text.extend(self.clock(&constraint.left)?);
        text.extend(self.clock(&constraint.right)?);
        Some(text)
    }

    fn clock(&mut self, clock: &ClockTerm) -> Option<Text> {
        let exchange = self.exchange;
        let at = |clock: u32| i64::from(exchange.clock(clock));
        if let Some(clock) = known(clock) {
            return Some(vec![0, at(clock)]);
        }
        let ClockTerm::Element { first, count, index } = clock else { return None };
        let sort = self.sorts.of_clock_index(*first, *count);
        let start = if self.renames(sort) { i64::from(*first) } else { at(*first) };
        let fits = (0..*count).all(|place| {
            let to = exchange.value(sort, i64::from(place));
            (0..i64::from(*count)).contains(&to) && at(first + place) == start + to
        });
        let mut text = vec![1, start, i64::from(*count)];
        text.extend(self.term(index, sort)?);
        fits.then_some(text)
    }
}

impl Checker<'_> {
    /// Whether time passes alike in a state and its image.
    pub(super) fn keeps_timing(&self, exchange: &super::Exchange) -> bool {
        let Some(timing) = &self.system.timing else { return true };
        let nothing = identity();
        let mut image = Image::new(self.system, self.sorts, exchange);
        let mut same = Image::new(self.system, self.sorts, &nothing);
        let mut components = (0..self.system.components.len()).map(|c| ComponentId(c as u32));
        let components = components.all(|component| {
            let (from, to) = (component.index(), exchange.component(component).index());
            let invariants = timing.invariants[from].iter().zip(&timing.invariants[to]);
            timing.urgent[from] == timing.urgent[to]
                && timing.invariants[from].len() == timing.invariants[to].len()
                && invariants.into_iter().all(|(one, other)| {
                    let text = image.constraints(one);
                    text.is_some() && text == same.constraints(other)
                })
        });
        let urgent = |channel: crate::network::ChannelId| timing.urgent_channels[channel.index()];
        components
            && exchange.channels.iter().all(|(from, to)| urgent(*from) == urgent(*to))
            && self.keeps_clocks(exchange, timing)
    }

    fn keeps_clocks(&self, exchange: &super::Exchange, timing: &Timing) -> bool {
        let moved = |pending: Pending| Pending {
            base: exchange.slot(pending.base),
            offset: exchange.slot(pending.offset),
        };
        let mut all = timing.clocks.iter().enumerate();
        let fits = all.all(|(index, clock)| {
            let to = exchange.clock(index as u32 + 1) as usize - 1;
            (!self.start || clock.initial == timing.clocks[to].initial)
                && timing.pending[index].map(moved) == timing.pending[to]
        });
        fits && (exchange.clocks.is_empty() || !copies_clocks(self.system, timing))
    }
}

/// A list in no particular order.
fn listed(mut texts: Vec<Text>) -> Text {
    texts.sort_unstable();
    let mut all = vec![texts.len() as i64];
    texts.into_iter().for_each(|text| all.extend(text));
    all
}

/// The clock that is meant, where that does not depend on the state.
fn known(clock: &ClockTerm) -> Option<u32> {
    match clock {
        ClockTerm::Clock(clock) => Some(*clock),
        ClockTerm::Element { first, index: Term::Const(index), .. } => Some(first + *index as u32),
        ClockTerm::Element { .. } => None,
    }
}

/// Whether some clock is set to another one: what goes into the slots that say
/// so is not just 1, which stands for a number.
fn copies_clocks(system: &System, timing: &Timing) -> bool {
    let is_base = |slot: SlotId| timing.pending.iter().flatten().any(|one| one.base == slot);
    let mut copies = false;
    for part in &system.parts {
        let mut ones = Vec::new();
        let mut look = |command: &Command| {
            let is_one = |term: &Term| match term {
                Term::Const(value) => *value == 1,
                Term::Temp(temp) => ones.contains(temp),
                _ => false,
            };
            match command {
                Command::Let(temp, Term::Const(1)) => ones.push(*temp),
                Command::Let(temp, _) => ones.retain(|one| one != temp),
                Command::Set(slot, value) if is_base(*slot) => copies |= !is_one(value),
                Command::SetElement { first, value, .. } if is_base(*first) => {
                    copies |= !is_one(value);
                }
                _ => {}
            }
        };
        part.commands().for_each(|command| command.walk(&mut look));
    }
    copies
}
