//! What follows from what is decided: two literals of each clause are watched.
//!
//! Moskewicz and others (DAC 2001): a clause is looked at only when one of two of its
//! literals becomes false, and nothing is to be done when decisions are taken back. Sörensson,
//! Eén (MiniSat 1.13): a *blocker* beside each watch, a literal that is true more often than
//! not, spares the look at the clause.

use super::Cdcl;
use super::clauses::Place;
use super::literal::Lit;

/// A clause that is watched.
#[derive(Clone, Copy)]
pub(super) struct Watch {
    /// Its place, and above that a bit that says whether it has but two literals.
    place: u32,
    /// Another literal of it; of a clause of two literals, the other one.
    blocker: Lit,
}

const TWO: u32 = 1 << 31;

impl Watch {
    fn place(self) -> Place {
        Place(self.place & !TWO)
    }

    fn is_of_two(self) -> bool {
        self.place & TWO != 0
    }
}

impl Cdcl {
    /// Begins to watch a clause.
    pub(super) fn attach(&mut self, place: Place, is_of_two: bool) {
        let words = self.clauses.of(place);
        let (first, second) = (Lit::from_word(words[0]), Lit::from_word(words[1]));
        let place = if is_of_two { place.0 | TWO } else { place.0 };
        self.watches[(!first).code()].push(Watch { place, blocker: second });
        self.watches[(!second).code()].push(Watch { place, blocker: first });
    }

    /// It is true now, for this reason.
    pub(super) fn enqueue(&mut self, lit: Lit, reason: Place) {
        self.values[lit.code()] = 1;
        self.values[(!lit).code()] = -1;
        let variable = lit.variable();
        self.levels[variable] = self.depth() as u32;
        self.reasons[variable] = reason;
        self.trail.push(lit);
    }

    /// All that follows; or a clause that is false.
    pub(super) fn propagate(&mut self) -> Option<Place> {
        while let Some(lit) = self.trail.get(self.head).copied() {
            self.head += 1;
            if let Some(conflict) = self.look_at(lit) {
                self.head = self.trail.len();
                return Some(conflict);
            }
        }
        None
    }

    /// Looks at the clauses in which a literal has become false.
    fn look_at(&mut self, lit: Lit) -> Option<Place> {
        let mut list = std::mem::take(&mut self.watches[lit.code()]);
        self.work += list.len() as u64;
        let (mut at, mut kept, mut conflict) = (0, 0, None);
        while at < list.len() && conflict.is_none() {
            let watch = list[at];
            at += 1;
            let value = self.values[watch.blocker.code()];
            let keep = if value > 0 {
                Some(watch)
            } else if watch.is_of_two() {
                conflict = self.unit(watch.blocker, value, watch.place());
                Some(watch)
            } else {
                self.look_into(watch, !lit, &mut conflict)
            };
            if let Some(watch) = keep {
                list[kept] = watch;
                kept += 1;
            }
        }
        list.copy_within(at.., kept);
        list.truncate(kept + list.len() - at);
        self.watches[lit.code()] = list;
        conflict
    }

    /// Looks for another literal to watch in the place of one that is false. Gives back the
    /// watch where there is none.
    fn look_into(
        &mut self,
        watch: Watch,
        falsified: Lit,
        conflict: &mut Option<Place>,
    ) -> Option<Watch> {
        let place = watch.place();
        if self.clauses.is_dropped(place) {
            return None;
        }
        let words = self.clauses.of_mut(place);
        let first = Lit::from_word(words[0] ^ words[1] ^ falsified.word());
        let value = self.values[first.code()];
        let watch = Watch { place: watch.place, blocker: first };
        if value > 0 {
            return Some(watch);
        }
        let other = (2..words.len()).find(|at| self.values[words[*at] as usize] >= 0);
        (words[0], words[1]) = (first.word(), falsified.word());
        if let Some(other) = other {
            words.swap(1, other);
            let watched = !Lit::from_word(words[1]);
            self.watches[watched.code()].push(watch);
            return None;
        }
        *conflict = self.unit(first, value, place);
        Some(watch)
    }

    /// All literals but one are false.
    fn unit(&mut self, last: Lit, value: i8, place: Place) -> Option<Place> {
        if value < 0 {
            return Some(place);
        }
        self.enqueue(last, place);
        None
    }
}
