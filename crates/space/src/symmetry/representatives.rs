//! The representative of a state; see [`crate::symmetry`].

use homing_core::Word;
use homing_ir::layout::Field;
use homing_ir::system::Interval;

use super::ORDERS;
use super::orbits::{Exchange, Orbits};

/// What a field holds in the states that have representatives.
pub(super) type Within = (Field, Interval);

/// An exchange of two neighbours: a group, and the place of the first of the two.
pub(super) type Step = (usize, usize);

/// Makes representatives. Owns its scratch memory.
pub struct Representatives<'a> {
    groups: &'a [Orbits],
    within: Option<Within>,
    /// Process by process.
    keys: Vec<i64>,
    before: Vec<Word>,
    /// The stretches of processes with equal keys.
    ties: Vec<(usize, usize)>,
    /// Algorithm P's c, by process, and whether its o is 1.
    places: Vec<usize>,
    rising: Vec<bool>,
    /// The group at hand.
    group: usize,
    /// Where asked for, the exchanges that led to the last representative.
    steps: Option<Vec<Step>>,
}

impl<'a> Representatives<'a> {
    pub(super) fn new(
        groups: &'a [Orbits],
        within: Option<Within>,
        width: usize,
    ) -> Representatives<'a> {
        let size = groups.iter().map(|group| group.size).max().unwrap_or(0);
        Representatives {
            groups,
            within,
            keys: Vec::new(),
            before: vec![0; width],
            ties: Vec::with_capacity(size),
            places: vec![0; size],
            rising: vec![true; size],
            group: 0,
            steps: None,
        }
    }

    /// Replaces a state by the representative of its orbit, and says by which
    /// exchanges.
    pub(super) fn replace_by(&mut self, state: &mut [Word]) -> Vec<Step> {
        self.steps = Some(Vec::new());
        self.replace(state);
        self.steps.take().unwrap_or_default()
    }

    /// Replaces a state by the representative of its orbit.
    pub fn replace(&mut self, state: &mut [Word]) {
        if self.within.is_some_and(|(field, range)| !range.contains(field.get(state))) {
            return;
        }
        for (number, group) in self.groups.iter().enumerate() {
            self.group = number;
            self.fill(group, state);
            match &group.swaps {
                None => self.sort(group, state),
                Some(swaps) => {
                    self.sort_by(group, swaps, state);
                    self.settle(group, swaps, state);
                }
            }
        }
    }

    #[inline]
    fn note(&mut self, place: usize) {
        if let Some(steps) = &mut self.steps {
            steps.push((self.group, place));
        }
    }

    fn fill(&mut self, group: &Orbits, state: &[Word]) {
        let own = group.own.len() / group.size;
        self.keys.clear();
        for process in 0..group.size {
            let fields = &group.own[process * own..(process + 1) * own];
            self.keys.extend(fields.iter().map(|field| field.get(state)));
            self.keys.extend(group.hints.iter().map(|hint| hint.of(process, state)));
        }
    }

    /// Sorts where the keys say everything: they are written back.
    fn sort(&mut self, group: &Orbits, state: &mut [Word]) {
        let columns = group.columns();
        let mut sorted = true;
        for end in 1..group.size {
            let mut at = end;
            while at > 0 && self.is_less(at, columns) {
                self.swap_keys(at - 1, columns);
                self.note(at - 1);
                (at, sorted) = (at - 1, false);
            }
        }
        if !sorted {
            let fields = group.own.iter().zip(&self.keys);
            fields.for_each(|(field, value)| field.set(state, *value));
        }
    }

    /// Sorts by exchanging neighbours.
    fn sort_by(&mut self, group: &Orbits, swaps: &[Exchange], state: &mut [Word]) {
        let columns = group.columns();
        for end in 1..group.size {
            let mut at = end;
            while at > 0 && self.is_less(at, columns) {
                self.swap_keys(at - 1, columns);
                swaps[at - 1].apply(state);
                self.note(at - 1);
                at -= 1;
            }
        }
    }

    fn key(&self, process: usize, columns: usize) -> &[i64] {
        &self.keys[process * columns..(process + 1) * columns]
    }

    /// Whether the key is less than the one before.
    fn is_less(&self, process: usize, columns: usize) -> bool {
        self.key(process, columns) < self.key(process - 1, columns)
    }

    fn swap_keys(&mut self, process: usize, columns: usize) {
        let (left, right) = self.keys.split_at_mut((process + 1) * columns);
        left[process * columns..].swap_with_slice(&mut right[..columns]);
    }

    /// Puts processes with equal keys in order.
    fn settle(&mut self, group: &Orbits, swaps: &[Exchange], state: &mut [Word]) {
        self.find_ties(group, swaps, state);
        let factorial = |size: usize| (1..=size).try_fold(1, usize::checked_mul);
        let mut sizes = self.ties.iter().map(|(start, end)| end - start);
        let orders = sizes.try_fold(1, |all: usize, size| all.checked_mul(factorial(size)?));
        match orders {
            Some(1) => {}
            Some(orders) if orders <= ORDERS => self.try_all(swaps, state),
            _ => self.descend(swaps, state),
        }
    }

    /// The stretches of equal keys in which some exchange changes the state.
    fn find_ties(&mut self, group: &Orbits, swaps: &[Exchange], state: &mut [Word]) {
        let columns = group.columns();
        self.ties.clear();
        let mut start = 0;
        while start < group.size {
            let same = |end: &usize| self.key(*end, columns) == self.key(start, columns);
            let end = start + (start..group.size).take_while(same).count();
            self.before.copy_from_slice(state);
            let changes = swaps[start..end - 1].iter().any(|swap| {
                swap.apply(state);
                let changes = state[..] != self.before[..];
                state.copy_from_slice(&self.before);
                changes
            });
            if changes {
                self.ties.push((start, end));
            }
            start = end;
        }
    }

    /// Takes the least state of all orders.
    fn try_all(&mut self, swaps: &[Exchange], state: &mut [Word]) {
        self.places.fill(0);
        self.rising.fill(true);
        self.before.copy_from_slice(state);
        let taken = |steps: &Option<Vec<Step>>| steps.as_ref().map_or(0, Vec::len);
        let mut best = taken(&self.steps);
        while let Some(swap) = self.next_change() {
            swaps[swap].apply(state);
            self.note(swap);
            if state[..] < self.before[..] {
                self.before.copy_from_slice(state);
                best = taken(&self.steps);
            }
        }
        state.copy_from_slice(&self.before);
        if let Some(steps) = &mut self.steps {
            steps.truncate(best);
        }
    }

    /// The exchange that leads to the next order: of the first stretch, or where
    /// all its orders were there, of the next one, and from the start of the
    /// first.
    fn next_change(&mut self) -> Option<usize> {
        for tie in 0..self.ties.len() {
            let (start, end) = self.ties[tie];
            if let Some(at) = self.plain_change(start, end - start) {
                return Some(at);
            }
            self.places[start..end].fill(0);
            self.rising[start..end].fill(true);
        }
        None
    }

    /// Algorithm P's steps P3 to P7, for the processes from `start` on.
    fn plain_change(&mut self, start: usize, size: usize) -> Option<usize> {
        let mut ahead = 0;
        for j in (1..=size).rev() {
            let (place, rising) = (self.places[start + j - 1], self.rising[start + j - 1]);
            match rising {
                true if place + 1 == j => ahead += 1,
                false if place == 0 => {}
                true => {
                    self.places[start + j - 1] = place + 1;
                    return Some(start + j - place - 1 + ahead - 1);
                }
                false => {
                    self.places[start + j - 1] = place - 1;
                    return Some(start + j - place + ahead - 1);
                }
            }
            self.rising[start + j - 1] = !rising;
        }
        None
    }

    /// Exchanges neighbours as long as that makes the state less.
    fn descend(&mut self, swaps: &[Exchange], state: &mut [Word]) {
        let mut changed = true;
        while changed {
            changed = false;
            for tie in 0..self.ties.len() {
                let (start, end) = self.ties[tie];
                for (place, swap) in swaps.iter().enumerate().take(end - 1).skip(start) {
                    self.before.copy_from_slice(state);
                    swap.apply(state);
                    if state[..] < self.before[..] {
                        self.note(place);
                        changed = true;
                    } else {
                        state.copy_from_slice(&self.before);
                    }
                }
            }
        }
    }
}
