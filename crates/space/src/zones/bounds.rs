//! The greatest constants that clocks may still be compared with.
//!
//! Behrmann, Bouyer, Fleury, Larsen, "Static guard analysis in timed automata
//! verification" (TACAS 2003), with lower and upper bounds told apart as in
//! Behrmann, Bouyer, Larsen, Pelánek (2006): the least solution of
//!
//! ```text
//! L(p, l, x) ≥ c              x > c or x ≥ c in the invariant of l or in a
//!                             guard of a part of p that leaves l
//! L(p, l, x) ≥ L(p, l′, x)    a part of p leads from l to l′ and does not
//!                             reset x
//! ```
//! for component p, location l, clock x, and U the same with upper bounds. In a
//! state, the constants are the greatest over all components. That is sound for
//! clocks that several components use: a comparison by p is in p's own
//! solution, however often others reset the clock before.
//!
//! Not by location, but for all states, count conditions of the search, and
//! clocks that are copied: whoever compares the copy compares the original.
//! Bounds that are no numbers count with the greatest value they may have, by
//! the ranges of slots.

use homing_core::Word;
use homing_ir::System;
use homing_ir::interval::Env;
use homing_ir::layout::{Field, Layout};
use homing_ir::system::{Interval, Term};
use homing_ir::timing::{ClockTerm, Constraint, Timing};

use crate::zones::copies::copies;
use crate::zones::extrapolation::{Constants, NEVER};

/// The constants of all states.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// Those that count everywhere.
    everywhere: Constants,
    /// Those of the components that have any of their own.
    tables: Vec<Table>,
}

/// The constants of one component, by location.
#[derive(Clone, Debug)]
struct Table {
    location: Field,
    /// By location: L of all clocks, then U.
    rows: Vec<i32>,
}

impl Bounds {
    /// The constants of a system: by location, or the same everywhere.
    /// `together`: L and U are the greater of both. No clock has less than
    /// `least`.
    pub fn new(
        system: &System,
        timing: &Timing,
        layout: &Layout,
        local: bool,
        together: bool,
        least: i32,
    ) -> Bounds {
        let mut analysis = Analysis::new(system, timing);
        let Constants { lower, upper } = &mut analysis.everywhere;
        lower[1..].iter_mut().chain(&mut upper[1..]).for_each(|constant| {
            *constant = (*constant).max(least);
        });
        analysis.propagate();
        analysis.spread_copies(local);
        if together {
            let all = analysis.local.iter_mut().flatten();
            all.chain([&mut analysis.everywhere]).for_each(Constants::merge);
        }
        let tables = (0..analysis.local.len())
            .filter(|component| analysis.matters(*component))
            .map(|component| Table {
                location: layout.fields[system.components[component].location.index()],
                rows: analysis.local[component]
                    .iter()
                    .flat_map(|constants| [&constants.lower[..], &constants.upper[..]].concat())
                    .collect(),
            })
            .collect();
        Bounds { everywhere: analysis.everywhere, tables }
    }

    /// Writes the constants of a state to `lower` and `upper`, which have a
    /// place for every clock and for 0.
    #[inline]
    pub fn of(&self, state: &[Word], lower: &mut [i32], upper: &mut [i32]) {
        let n = lower.len();
        lower.copy_from_slice(&self.everywhere.lower);
        upper.copy_from_slice(&self.everywhere.upper);
        for table in &self.tables {
            let at = table.location.get(state) as usize * 2 * n;
            raise(lower, &table.rows[at..at + n]);
            raise(upper, &table.rows[at + n..at + 2 * n]);
        }
    }

    /// By clock, the greatest constant of any state, zero where there is none.
    pub fn greatest(&self) -> Vec<i32> {
        let n = self.everywhere.lower.len();
        let mut greatest = vec![0; n];
        raise(&mut greatest, &self.everywhere.lower);
        raise(&mut greatest, &self.everywhere.upper);
        let rows = self.tables.iter().flat_map(|table| table.rows.chunks_exact(n));
        rows.for_each(|row| raise(&mut greatest, row));
        greatest
    }
}

#[inline(always)]
fn raise(mine: &mut [i32], theirs: &[i32]) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = (*mine).max(*theirs);
    }
}

struct Analysis<'a> {
    system: &'a System,
    timing: &'a Timing,
    everywhere: Constants,
    /// By component and location.
    local: Vec<Vec<Constants>>,
}

impl<'a> Analysis<'a> {
    /// The constants of invariants and guards where they stand.
    fn new(system: &'a System, timing: &'a Timing) -> Analysis<'a> {
        let none = Constants::none(timing.clocks.len());
        let ranges: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
        let env = Env::new(&ranges);
        let mut everywhere = none.clone();
        for case in timing.conditions.iter().flat_map(|condition| &condition.cases) {
            case.clocks.iter().for_each(|constraint| note(constraint, &env, &mut everywhere));
        }
        let locations = |component: &homing_ir::system::Component| component.end.len();
        let mut local: Vec<Vec<Constants>> =
            system.components.iter().map(|c| vec![none.clone(); locations(c)]).collect();
        for (of, invariants) in local.iter_mut().zip(&timing.invariants) {
            for (constants, invariant) in of.iter_mut().zip(invariants) {
                invariant.iter().for_each(|constraint| note(constraint, &env, constants));
            }
        }
        for (part, timed) in system.parts.iter().zip(&timing.parts) {
            let constants = &mut local[part.component.index()][part.from as usize];
            timed.guard.iter().for_each(|constraint| note(constraint, &env, constants));
        }
        Analysis { system, timing, everywhere, local }
    }

    /// Carries constants backwards along parts that do not reset their clocks.
    fn propagate(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for (part, timed) in self.system.parts.iter().zip(&self.timing.parts) {
                homing_budget::checkpoint();
                let component = part.component.index();
                let location = self.system.components[component].location;
                for target in part.targets(location) {
                    let mut back = self.local[component][target as usize].clone();
                    for (clock, _) in &timed.resets {
                        back.lower[*clock as usize] = NEVER;
                        back.upper[*clock as usize] = NEVER;
                    }
                    let here = &mut self.local[component][part.from as usize];
                    let before = here.clone();
                    here.raise(&back.lower, &back.upper);
                    changed |= *here != before;
                }
            }
        }
    }

    /// Makes those constants count everywhere that do not belong to locations:
    /// all of them, or those of clocks that are copied.
    fn spread_copies(&mut self, local: bool) {
        let copies = copies(self.system, self.timing).pairs;
        let mut all = self.everywhere.clone();
        self.local.iter().flatten().for_each(|here| all.raise(&here.lower, &here.upper));
        if !local {
            self.everywhere = all;
            self.copy_until_stable(&copies);
            self.local.iter_mut().for_each(Vec::clear);
            return;
        }
        for clock in copies.iter().flat_map(|(copy, original)| [*copy, *original]) {
            self.everywhere.lower[clock] = self.everywhere.lower[clock].max(all.lower[clock]);
            self.everywhere.upper[clock] = self.everywhere.upper[clock].max(all.upper[clock]);
        }
        self.copy_until_stable(&copies);
    }

    fn copy_until_stable(&mut self, copies: &[(usize, usize)]) {
        // Each round carries constants one copy further.
        for _ in copies {
            for (copy, original) in copies {
                for constants in [&mut self.everywhere.lower, &mut self.everywhere.upper] {
                    constants[*original] = constants[*original].max(constants[*copy]);
                }
            }
        }
    }

    /// Whether a component has constants that do not count everywhere anyway.
    fn matters(&self, component: usize) -> bool {
        let beyond =
            |here: &[i32], everywhere: &[i32]| here.iter().zip(everywhere).any(|(a, b)| a > b);
        self.local[component].iter().any(|here| {
            beyond(&here.lower, &self.everywhere.lower)
                || beyond(&here.upper, &self.everywhere.upper)
        })
    }
}

/// Raises the constants to those of a constraint. Differences of two clocks
/// have none: see [`crate::zones::diagonals`].
fn note(constraint: &Constraint, env: &Env, constants: &mut Constants) {
    let says_nothing = constraint.when == Term::Const(0) || constraint.stopped().is_some();
    if says_nothing || constraint.is_diagonal() {
        return;
    }
    let Interval { lo, hi } = env.eval(&constraint.bound);
    let clamp = |value: i64| value.clamp(i64::from(NEVER), -i64::from(NEVER)) as i32;
    let mut raise = |clock: &ClockTerm, upper: bool| {
        for clock in clocks(clock, env).filter(|clock| *clock != 0) {
            let (constants, value) = match upper {
                true => (&mut constants.upper, clamp(hi)),
                false => (&mut constants.lower, clamp(lo.saturating_neg())),
            };
            // What a clock always, or never, satisfies needs no constant.
            if value >= 0 {
                constants[clock as usize] = constants[clock as usize].max(value);
            }
        }
    };
    raise(&constraint.left, true);
    raise(&constraint.right, false);
}

/// The clocks that a term may stand for.
pub(crate) fn clocks(term: &ClockTerm, env: &Env) -> std::ops::Range<u32> {
    match term {
        ClockTerm::Clock(clock) => *clock..clock + 1,
        ClockTerm::Element { first, count, index } => {
            let last = i64::from(*count) - 1;
            match env.eval(index).meet(Interval::new(0, last)) {
                Some(index) => first + index.lo as u32..first + index.hi as u32 + 1,
                None => *first..*first,
            }
        }
    }
}
