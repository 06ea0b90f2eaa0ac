//! A space of representatives: one state for all that differ only in which of
//! some interchangeable processes is where.
//!
//! Ip and Dill (1996), see [`homing_ir::symmetry`], from which the permutations
//! come. Every successor is replaced by the representative of its orbit:
//!
//! ```text
//! representative(s):
//!   for each group of interchangeable processes:
//!     key(i) := what is process i's own, and which variables name it
//!     sort the processes by their keys
//!     among processes with equal keys, unless s stays the same whatever is
//!     exchanged: of all their orders, the one that makes s least
//! ```
//! The keys go with the processes when these are exchanged, so equal orbits get
//! equal sequences of keys, and what is left is to try the orders of ties. There
//! is nothing to try where all that belongs to the processes is in the keys: then
//! the representative is sorted, and that is all. Where there are more than
//! [`ORDERS`] orders, neighbours are exchanged as long as that makes the state
//! less: two states of one orbit may then keep two representatives, which costs
//! memory and nothing else. Orders are gone through by exchanges of neighbours, in
//! plain changes (Knuth, "The Art of Computer Programming" 4A, 7.2.1.2, algorithm
//! P), so that no permutation is ever written down.
//!
//! A path through representatives is no run: [`Symmetric::realise`] turns it into
//! one. Labels of steps are those of the representative that is left.

use homing_core::{Batch, Edge, Expander, Fault, Space, Word};
use homing_ir::layout::{Field, Layout};
use homing_ir::symmetry::{Group, Swap, Symmetry};
use homing_ir::system::SlotId;

/// The most orders of processes with equal keys that are tried for a state.
pub const ORDERS: usize = 720;

/// A space around a space.
pub struct Symmetric<'a> {
    inner: &'a dyn Space,
    groups: Vec<Orbits>,
}

impl<'a> Symmetric<'a> {
    /// The representatives of `inner`, whose states are laid out by `layout` and
    /// whose interchangeable processes these are.
    pub fn new(inner: &'a dyn Space, layout: &Layout, symmetry: &Symmetry) -> Symmetric<'a> {
        let groups = symmetry.groups.iter().map(|group| Orbits::of(group, &layout.fields));
        Symmetric { inner, groups: groups.collect() }
    }

    /// Makes representatives, with scratch memory of its own.
    pub fn representatives(&self) -> Representatives<'_> {
        let size = self.groups.iter().map(|group| group.size).max().unwrap_or(0);
        Representatives {
            groups: &self.groups,
            keys: Vec::new(),
            before: vec![0; self.inner.width()],
            ties: Vec::with_capacity(size),
            places: vec![0; size],
            rising: vec![true; size],
        }
    }

    /// The run of the inner space whose states have these representatives, one
    /// after the other: its states and the edges to them, the first of which is
    /// that of the initial state. `None` where there is none.
    pub fn realise<'p>(
        &self,
        mut path: impl Iterator<Item = &'p [Word]>,
    ) -> Option<Vec<(Edge, Vec<Word>)>> {
        let mut expander = self.inner.expander();
        let mut representatives = self.representatives();
        let mut batch = Batch::new(self.inner.width());
        expander.initial(&mut batch);
        let mut run = vec![representatives.find(&batch, path.next()?)?];
        for next in path {
            batch.clear();
            expander.expand(&run.last()?.1, &mut batch);
            run.push(representatives.find(&batch, next)?);
        }
        Some(run)
    }

    /// A step from `state` of the inner space that fails in the way `alike` asks
    /// for.
    pub fn failing(&self, state: &[Word], alike: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let mut batch = Batch::new(self.inner.width());
        self.inner.expander().expand(state, &mut batch);
        batch.faults().iter().copied().find(alike)
    }
}

impl Space for Symmetric<'_> {
    fn width(&self) -> usize {
        self.inner.width()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(SymmetricExpander {
            inner: self.inner.expander(),
            representatives: self.representatives(),
            batch: Batch::new(self.inner.width()),
            state: vec![0; self.inner.width()],
        })
    }
}

struct SymmetricExpander<'a> {
    inner: Box<dyn Expander + 'a>,
    representatives: Representatives<'a>,
    batch: Batch,
    state: Vec<Word>,
}

impl SymmetricExpander<'_> {
    fn hand_over(&mut self, out: &mut Batch) {
        for i in 0..self.batch.len() {
            self.state.copy_from_slice(self.batch.state(i));
            self.representatives.replace(&mut self.state);
            out.push(&self.state, self.batch.edge(i));
        }
        self.batch.faults().iter().for_each(|fault| out.fail(*fault));
        out.set_deadlock(self.batch.deadlock());
    }
}

impl Expander for SymmetricExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.batch.clear();
        self.inner.initial(&mut self.batch);
        self.hand_over(out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        self.batch.clear();
        self.inner.expand(state, &mut self.batch);
        self.hand_over(out);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.inner.violated(state)
    }
}

/// A group, in packed states.
struct Orbits {
    /// How many processes.
    size: usize,
    /// What is each process's own, process by process.
    own: Vec<Field>,
    /// What names processes.
    hints: Vec<Hint>,
    /// How each process is exchanged with the next one; none where the keys say
    /// everything, so that sorting is enough.
    swaps: Option<Vec<Exchange>>,
}

/// What keys say of names.
enum Hint {
    /// How many of these fields name the process.
    Named { fields: Vec<Field>, names: Vec<i64> },
    /// Whether the process's own field names itself, another, or nobody; then the
    /// value.
    Names { fields: Vec<Field>, names: Vec<i64> },
}

/// How two processes are exchanged in packed states.
#[derive(Default)]
struct Exchange {
    /// Fields that change places, and the two names in them, equal where there
    /// are none.
    moved: Vec<(Field, Field, i64, i64)>,
    /// Fields that stay, and the two names in them.
    renamed: Vec<(Field, i64, i64)>,
}

impl Exchange {
    fn of(swap: &Swap, fields: &[Field]) -> Exchange {
        let names_in = |slot: SlotId| swap.names.iter().find(|(named, ..)| *named == slot);
        let moved = swap.slots.iter().map(|(a, b)| {
            let (x, y) = names_in(*a).map_or((0, 0), |(_, x, y)| (*x, *y));
            (fields[a.index()], fields[b.index()], x, y)
        });
        let moves = |slot: SlotId| swap.slots.iter().any(|(a, b)| *a == slot || *b == slot);
        let stays = swap.names.iter().filter(|(slot, ..)| !moves(*slot));
        let renamed = stays.map(|(slot, x, y)| (fields[slot.index()], *x, *y));
        Exchange { moved: moved.collect(), renamed: renamed.collect() }
    }

    fn apply(&self, state: &mut [Word]) {
        for (a, b, x, y) in &self.moved {
            let (left, right) = (a.get(state), b.get(state));
            a.set(state, rename(right, *x, *y));
            b.set(state, rename(left, *x, *y));
        }
        for (field, x, y) in &self.renamed {
            field.set(state, rename(field.get(state), *x, *y));
        }
    }
}

fn rename(value: i64, x: i64, y: i64) -> i64 {
    match value {
        _ if value == x => y,
        _ if value == y => x,
        _ => value,
    }
}

impl Orbits {
    fn of(group: &Group, fields: &[Field]) -> Orbits {
        let size = group.members.len();
        let (mut own, mut hints, mut everything) = (Vec::new(), Vec::new(), true);
        for orbit in orbits(group) {
            let row = chain(&orbit, group.swaps.iter().map(|swap| &swap.slots[..]));
            let packed = |slots: &[SlotId]| slots.iter().map(|slot| fields[slot.index()]).collect();
            let plain = orbit.iter().all(|slot| !is_renamed(group, *slot));
            everything &= plain && row.is_some();
            match (names_in(group, orbit[0]), row) {
                (_, Some(row)) if plain => own.push(row),
                (None, _) => {}
                (Some(names), row) => {
                    if let Some(row) = row {
                        hints.push(Hint::Names { fields: packed(&row), names: names.clone() });
                    }
                    hints.push(Hint::Named { fields: packed(&orbit), names });
                }
            }
        }
        let by_process = (0..size).flat_map(|i| own.iter().map(move |row| fields[row[i].index()]));
        let swaps = group.swaps.iter().map(|swap| Exchange::of(swap, fields)).collect();
        Orbits { size, own: by_process.collect(), hints, swaps: (!everything).then_some(swaps) }
    }

    fn columns(&self) -> usize {
        self.own.len() / self.size + self.hints.len()
    }
}

/// The slots that can get to each other's places, and those that stay and name
/// processes, one by one.
fn orbits(group: &Group) -> Vec<Vec<SlotId>> {
    let mut orbits: Vec<Vec<SlotId>> = Vec::new();
    let named = group.swaps.iter().flat_map(|swap| swap.names.iter().map(|(slot, ..)| [*slot; 2]));
    let moved = group.swaps.iter().flat_map(|swap| swap.slots.iter().map(|(a, b)| [*a, *b]));
    for pair in moved.chain(named) {
        let (with, without): (Vec<_>, Vec<_>) =
            orbits.into_iter().partition(|orbit| pair.iter().any(|slot| orbit.contains(slot)));
        let mut joined: Vec<SlotId> = with.into_iter().flatten().chain(pair).collect();
        joined.sort_unstable();
        joined.dedup();
        orbits = without;
        orbits.push(joined);
    }
    orbits.sort_unstable();
    orbits
}

/// An orbit with one element a process, in the order of the processes: each
/// exchange exchanges just the elements of its two.
fn chain<'s, T: Copy + Ord + 's>(
    orbit: &[T],
    swaps: impl Iterator<Item = &'s [(T, T)]>,
) -> Option<Vec<T>> {
    let within = |pairs: &[(T, T)]| -> Option<(T, T)> {
        let mut inside = pairs.iter().filter(|(a, _)| orbit.contains(a));
        let pair = inside.next().copied();
        pair.filter(|_| inside.next().is_none())
    };
    let pairs: Vec<(T, T)> = swaps.map(within).collect::<Option<_>>()?;
    let first = *pairs.first()?;
    let shared = |one: T| pairs.get(1).is_some_and(|(a, b)| *a == one || *b == one);
    let mut row = vec![if shared(first.0) { first.1 } else { first.0 }];
    for (a, b) in pairs {
        let last = *row.last()?;
        row.push(match last {
            _ if last == a => b,
            _ if last == b => a,
            _ => return None,
        });
    }
    (row.len() == orbit.len()).then_some(row)
}

fn is_renamed(group: &Group, slot: SlotId) -> bool {
    group.swaps.iter().any(|swap| swap.names.iter().any(|(named, ..)| *named == slot))
}

/// The names of the processes in a slot, in the order of the processes;
/// none where not every process has one there.
fn names_in(group: &Group, slot: SlotId) -> Option<Vec<i64>> {
    let pairs = group.swaps.iter().map(|swap| {
        let found = swap.names.iter().find(|(named, ..)| *named == slot);
        found.map(|(_, x, y)| vec![(*x, *y)])
    });
    let pairs: Vec<Vec<(i64, i64)>> = pairs.collect::<Option<_>>()?;
    let mut all: Vec<i64> = pairs.iter().flatten().flat_map(|(x, y)| [*x, *y]).collect();
    all.sort_unstable();
    all.dedup();
    chain(&all, pairs.iter().map(|pair| &pair[..]))
}

/// Makes representatives. Owns its scratch memory.
pub struct Representatives<'a> {
    groups: &'a [Orbits],
    /// Process by process.
    keys: Vec<i64>,
    before: Vec<Word>,
    /// The stretches of processes with equal keys.
    ties: Vec<(usize, usize)>,
    /// Algorithm P's c, by process, and whether its o is 1.
    places: Vec<usize>,
    rising: Vec<bool>,
}

impl Representatives<'_> {
    /// Replaces a state by the representative of its orbit.
    pub fn replace(&mut self, state: &mut [Word]) {
        for group in self.groups {
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

    /// The successor in a batch with this representative.
    fn find(&mut self, batch: &Batch, representative: &[Word]) -> Option<(Edge, Vec<Word>)> {
        (0..batch.len()).find_map(|i| {
            let mut state = batch.state(i).to_vec();
            self.replace(&mut state);
            (state == representative).then(|| (batch.edge(i), batch.state(i).to_vec()))
        })
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
        while let Some(swap) = self.next_change() {
            swaps[swap].apply(state);
            if state[..] < self.before[..] {
                self.before.copy_from_slice(state);
            }
        }
        state.copy_from_slice(&self.before);
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
                for swap in &swaps[start..end - 1] {
                    self.before.copy_from_slice(state);
                    swap.apply(state);
                    match state[..] < self.before[..] {
                        true => changed = true,
                        false => state.copy_from_slice(&self.before),
                    }
                }
            }
        }
    }
}

impl Hint {
    fn of(&self, process: usize, state: &[Word]) -> i64 {
        match self {
            Hint::Named { fields, names } => {
                let naming = fields.iter().filter(|field| field.get(state) == names[process]);
                naming.count() as i64
            }
            Hint::Names { fields, names } => {
                let value = fields[process].get(state);
                match names.contains(&value) {
                    true if value == names[process] => i64::MIN,
                    true => i64::MIN + 1,
                    false => value,
                }
            }
        }
    }
}
