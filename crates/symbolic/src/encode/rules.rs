//! Who may move when.
//!
//! | rule | moves are left out |
//! |---|---|
//! | commitment | where somebody is committed: those of which nobody who must be is |
//! | timeout | timeout moves, where any other can be made or fails |
//! | control | moves for holders of control only, from states of the space |
//!
//! A state is a deadlock if nothing can be made or fails there and somebody who is running
//! is not where it may rest.

use homing_budget::checkpoint;
use homing_ir::moves::Move;

use super::moves::Transition;
use super::{Encoded, Encoding};
use crate::diagram::{Made, Set};

/// The moves of a system as its rules allow them, and what follows from them.
pub struct Rules {
    /// Moves from states of the space.
    pub ordinary: Vec<Transition>,
    /// Moves of holders of control, whatever the rules say.
    pub inner: Vec<Transition>,
    /// States without any move, not even one that fails, in which somebody should go on.
    pub deadlocks: Set,
}

impl Encoding<'_> {
    /// All moves, as the rules allow them.
    pub fn rules(&self) -> Encoded<Rules> {
        let d = &self.diagrams;
        let all = self.transitions()?;
        let inner = all.iter().filter(|one| self.moves.is_inner(one.label)).cloned().collect();
        let mut ordinary = Vec::new();
        let mut busy = d.constant(false);
        let (late, early): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| self.moves.is_timeout(one.label));
        for transition in early {
            let allowed = self.allowed(transition.label)?;
            busy = self.add(transition, &allowed, &busy, &mut ordinary)?;
        }
        let idle = d.not(&busy);
        for transition in late {
            let allowed = d.and(&self.allowed(transition.label)?, &idle)?;
            busy = self.add(transition, &allowed, &busy, &mut ordinary)?;
        }
        ordinary.sort_by_key(|one| one.label);
        let stuck = d.minus(&d.and(&self.valid, &self.unfinished()?)?, &busy)?;
        let deadlocks = match self.system.trap {
            Some(trap) => d.and(&stuck, &self.is(trap, 0)?)?,
            None => stuck,
        };
        Ok(Rules { ordinary, inner, deadlocks })
    }

    /// Adds a move where it is allowed, if it is anywhere; answers where some move is made or
    /// fails.
    fn add(
        &self,
        one: Transition,
        allowed: &Set,
        busy: &Set,
        ordinary: &mut Vec<Transition>,
    ) -> Made<Set> {
        checkpoint();
        let d = &self.diagrams;
        let enabled = d.and(&one.enabled, allowed)?;
        let fails = d.and(&one.fails, allowed)?;
        let either = d.or(&enabled, &fails)?;
        if !either.is_empty() {
            let relation = d.and(&one.relation, allowed)?;
            ordinary.push(Transition { enabled, fails, relation, ..one });
        }
        d.or(busy, &either)
    }

    /// Where some component is committed.
    pub(super) fn committed(&self) -> Made<Set> {
        let mut any = self.diagrams.constant(false);
        for component in &self.system.components {
            for (location, committed) in component.committed.iter().enumerate() {
                if *committed {
                    let here = self.is(component.location, location as i64)?;
                    any = self.diagrams.or(&any, &here)?;
                }
            }
        }
        Ok(any)
    }

    /// Where moves with a label may begin a step. Joints know for themselves.
    fn allowed(&self, label: u32) -> Made<Set> {
        let d = &self.diagrams;
        let leader = match self.moves.list[label as usize] {
            Move::Joint(_) => return Ok(d.constant(true)),
            Move::Alone(part) | Move::Pair { sender: part, .. } => self.system.part(part),
        };
        if self.moves.is_held_only(label) {
            return Ok(d.constant(false));
        }
        // Timeout moves go by who leads them in any case.
        let by_label = self.system.any_committed && !self.moves.is_timeout(label);
        let committed = match by_label {
            true => self.moves.is_committed(label),
            false => self.system.is_committed(leader),
        };
        if committed { Ok(d.constant(true)) } else { Ok(d.not(&self.committed()?)) }
    }

    /// Where somebody who is running is not where it may rest.
    fn unfinished(&self) -> Made<Set> {
        let d = &self.diagrams;
        let mut any = d.constant(false);
        for component in &self.system.components {
            for (location, end) in component.end.iter().enumerate() {
                if !*end {
                    any = d.or(&any, &self.is(component.location, location as i64)?)?;
                }
            }
        }
        Ok(any)
    }

    /// For every location of a component at which blocked control is a failure: where it is.
    pub(crate) fn blocked(&self, component: homing_ir::system::ComponentId) -> Made<Set> {
        let d = &self.diagrams;
        let component = self.system.component(component);
        let mut any = d.constant(false);
        for (location, site) in component.blocked.iter().enumerate() {
            if site.is_some() {
                any = d.or(&any, &self.is(component.location, location as i64)?)?;
            }
        }
        Ok(any)
    }

    /// Where an assertion within an effect has failed.
    pub(crate) fn trapped(&self) -> Made<Set> {
        match self.system.trap {
            Some(trap) => Ok(self.diagrams.not(&self.is(trap, 0)?)),
            None => Ok(self.diagrams.constant(false)),
        }
    }

    /// Who holds control after moves with a label.
    pub(crate) fn holder(&self, label: u32) -> Option<homing_ir::moves::Holder> {
        self.moves.holder(label)
    }
}
