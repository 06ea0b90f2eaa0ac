//! Groups of interchangeable processes, in packed states.

use homing_core::Word;
use homing_ir::layout::Field;
use homing_ir::symmetry::{Group, Swap};
use homing_ir::system::SlotId;

use super::clocks::{ClockHint, Zone};

/// A group, in packed states.
pub(super) struct Orbits {
    /// How many processes.
    pub size: usize,
    /// What is each process's own, process by process.
    pub own: Vec<Field>,
    /// What names processes, and what their clocks show.
    pub hints: Vec<Hint>,
    /// How each process is exchanged with the next one; none where the keys say
    /// everything, so that sorting is enough.
    pub swaps: Option<Vec<Exchange>>,
}

/// What keys say of names and clocks.
pub(super) enum Hint {
    /// How many of these fields name the process.
    Named { fields: Vec<Field>, names: Vec<i64> },
    /// Whether the process's own field names itself, another, or nobody; then the
    /// value.
    Names { fields: Vec<Field>, names: Vec<i64> },
    /// What is known of a clock of the process.
    Clock(ClockHint),
}

/// How two processes are exchanged in packed states.
pub(super) struct Exchange {
    /// Fields that change places, and the two names in them, equal where there
    /// are none.
    moved: Vec<(Field, Field, i64, i64)>,
    /// Fields that stay, and the two names in them.
    renamed: Vec<(Field, i64, i64)>,
    /// Clocks that change places, and the zone they are in.
    clocks: Option<(Zone, Vec<(usize, usize)>)>,
}

impl Exchange {
    fn of(swap: &Swap, fields: &[Field], zone: Option<&Zone>) -> Exchange {
        let names_in = |slot: SlotId| swap.names.iter().find(|(named, ..)| *named == slot);
        let moved = swap.slots.iter().map(|(a, b)| {
            let (x, y) = names_in(*a).map_or((0, 0), |(_, x, y)| (*x, *y));
            (fields[a.index()], fields[b.index()], x, y)
        });
        let moves = |slot: SlotId| swap.slots.iter().any(|(a, b)| *a == slot || *b == slot);
        let stays = swap.names.iter().filter(|(slot, ..)| !moves(*slot));
        let renamed = stays.map(|(slot, x, y)| (fields[slot.index()], *x, *y));
        let pairs = || swap.clocks.iter().map(|(a, b)| (*a as usize, *b as usize)).collect();
        let clocks = zone.filter(|_| !swap.clocks.is_empty()).map(|zone| (zone.clone(), pairs()));
        Exchange { moved: moved.collect(), renamed: renamed.collect(), clocks }
    }

    pub(super) fn apply(&self, state: &mut [Word]) {
        for (a, b, x, y) in &self.moved {
            let (left, right) = (a.get(state), b.get(state));
            a.set(state, rename(right, *x, *y));
            b.set(state, rename(left, *x, *y));
        }
        for (field, x, y) in &self.renamed {
            field.set(state, rename(field.get(state), *x, *y));
        }
        if let Some((zone, pairs)) = &self.clocks {
            pairs.iter().for_each(|(a, b)| zone.swap(state, *a, *b));
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
    pub(super) fn of(group: &Group, fields: &[Field], zone: Option<&Zone>) -> Orbits {
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
        if let Some(zone) = zone {
            everything &= group.swaps.iter().all(|swap| swap.clocks.is_empty());
            hints.extend(
                clock_rows(group).into_iter().flat_map(|row| zone.hints(row)).map(Hint::Clock),
            );
        }
        let by_process = (0..size).flat_map(|i| own.iter().map(move |row| fields[row[i].index()]));
        let swaps = group.swaps.iter().map(|swap| Exchange::of(swap, fields, zone)).collect();
        Orbits { size, own: by_process.collect(), hints, swaps: (!everything).then_some(swaps) }
    }

    /// Exchanges the process at a place and the one behind it.
    pub(super) fn exchange(&self, place: usize, state: &mut [Word]) {
        match &self.swaps {
            Some(swaps) => swaps[place].apply(state),
            None => {
                let own = self.own.len() / self.size;
                let fields = &self.own[place * own..(place + 2) * own];
                let (left, right) = fields.split_at(own);
                for (a, b) in left.iter().zip(right) {
                    let (one, other) = (a.get(state), b.get(state));
                    a.set(state, other);
                    b.set(state, one);
                }
            }
        }
    }

    pub(super) fn columns(&self) -> usize {
        self.own.len() / self.size + self.hints.len()
    }
}

/// The slots that can get to each other's places, and those that stay and name
/// processes, one by one.
fn orbits(group: &Group) -> Vec<Vec<SlotId>> {
    let named = group.swaps.iter().flat_map(|swap| swap.names.iter().map(|(slot, ..)| [*slot; 2]));
    let moved = group.swaps.iter().flat_map(|swap| swap.slots.iter().map(|(a, b)| [*a, *b]));
    joined(moved.chain(named))
}

/// The clocks that can get to each other's places, one a process, in the order of
/// the processes.
fn clock_rows(group: &Group) -> Vec<Vec<usize>> {
    let moved = group.swaps.iter().flat_map(|swap| swap.clocks.iter().map(|(a, b)| [*a, *b]));
    let rows = joined(moved).into_iter().filter_map(|orbit| {
        let row = chain(&orbit, group.swaps.iter().map(|swap| &swap.clocks[..]))?;
        Some(row.into_iter().map(|clock| clock as usize).collect())
    });
    rows.collect()
}

/// What pairs belong together, in order.
fn joined<T: Copy + Ord>(pairs: impl Iterator<Item = [T; 2]>) -> Vec<Vec<T>> {
    let mut orbits: Vec<Vec<T>> = Vec::new();
    for pair in pairs {
        let (with, without): (Vec<_>, Vec<_>) =
            orbits.into_iter().partition(|orbit| pair.iter().any(|one| orbit.contains(one)));
        let mut joined: Vec<T> = with.into_iter().flatten().chain(pair).collect();
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

impl Hint {
    pub(super) fn of(&self, process: usize, state: &[Word]) -> i64 {
        match self {
            Hint::Named { fields, names } => {
                let naming = fields.iter().filter(|field| field.get(state) == names[process]);
                naming.count() as i64
            }
            Hint::Clock(hint) => hint.of(process, state),
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
