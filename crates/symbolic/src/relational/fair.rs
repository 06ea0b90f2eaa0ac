//! Runs that are fair: the moments from which one begins.
//!
//! Justice after Emerson, Lei, "Efficient Model Checking in Fragments of the Propositional
//! Mu-Calculus" (LICS 1986); compassion after Kesten, Pnueli, Raviv, "Algorithmic
//! Verification of Linear Temporal Logic Specifications" (ICALP 1998):
//!
//! ```text
//! feasible(within):
//!   new := within
//!   repeat
//!     for each justice J:          new := E [new U new and J]
//!     for each compassion (p, q):  new := (new and not p) or E [new U new and q]
//!     new := the moments of new with a run that stays in new
//!   until nothing changes
//! fair(within) = E [within U feasible(within)]
//! ```
//! In what is left every moment can reach every `J`, and from every `p` a `q`, without leaving
//! it. So a strongly connected component that no other follows there is fair.
//!
//! A path quantifier ranges over fair runs only; without any condition, over runs without an
//! end.

use super::{Machine, Moments};
use crate::diagram::{Made, Set};

/// What fair runs do.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    /// What holds again and again.
    pub justice: Vec<Set>,
    /// What holds again and again if something else does: first that, then this.
    pub compassion: Vec<(Set, Set)>,
}

impl Fairness {
    /// That of a relation, with more conditions among those that were asked for.
    pub fn of(machine: &Machine, more: &[usize]) -> Fairness {
        let justice = machine.justice.iter().map(|one| one.holds.clone());
        let more = more.iter().map(|number| machine.holds(*number).clone());
        let pairs = machine.compassion.iter();
        Fairness {
            justice: justice.chain(more).collect(),
            compassion: pairs.map(|(p, q)| (p.holds.clone(), q.holds.clone())).collect(),
        }
    }
}

/// The moments that fair runs within a set come to and stay in.
pub fn feasible(moments: &Moments, within: &Set, fairness: &Fairness) -> Made<Set> {
    let d = moments.diagrams();
    let mut new = moments.endless(within)?;
    loop {
        let old = new.clone();
        for justice in &fairness.justice {
            new = moments.until(&new, &d.and(&new, justice)?)?;
        }
        for (asked, granted) in &fairness.compassion {
            let reaching = moments.until(&new, &d.and(&new, granted)?)?;
            new = d.or(&d.minus(&new, asked)?, &reaching)?;
        }
        new = moments.endless(&new)?;
        if new == old {
            return Ok(new);
        }
    }
}

/// The moments within a set from which a fair run begins that stays in it.
pub fn fair(moments: &Moments, within: &Set, fairness: &Fairness) -> Made<Set> {
    moments.until(within, &feasible(moments, within, fairness)?)
}
