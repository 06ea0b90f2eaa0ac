//! Broadcasts with many receivers whose guards speak of clocks.
//!
//! Each of them may receive or stay away, and of all combinations few are possible in a
//! zone: where periods of 33 tasks end, hardly any two do so together. So the values of
//! clocks are cut receiver by receiver, and what leaves none is not followed:
//!
//! ```text
//! within := zone ∧ guard of the sender
//! for each receiver in turn, each of its choices:
//!   moves:     within ∧ guard
//!   refrains:  within − its guards
//!   nothing left: no combination begins so
//! ```
//! Combinations are then numbered by those that are possible: the number of one means
//! something together with the zone only ([`ZoneSpace::step`]). Where there are few
//! combinations, all of them are numbered, and nothing is cut.

use homing_core::Word;
use homing_ir::system::PartId;

use crate::joints::Cut;
use crate::zones::ZoneSpace;
use crate::zones::dbm::Dbm;
use crate::zones::federation::Federation;
use crate::zones::steps::Scratch;

/// The values of clocks that are left along one choice after the other.
pub(super) struct Cutting<'a> {
    space: &'a ZoneSpace<'a>,
    state: Vec<Word>,
    /// By the number of those decided about; the sender is the first.
    left: Vec<Federation>,
    zone: Dbm,
    scratch: Scratch,
}

impl<'a> Cutting<'a> {
    pub fn new(space: &'a ZoneSpace<'a>) -> Cutting<'a> {
        let clocks = space.timing.clocks.len();
        Cutting {
            space,
            state: Vec::new(),
            left: vec![Federation::new(); 2],
            zone: Dbm::zero(clocks),
            scratch: Scratch::new(clocks),
        }
    }

    /// The values left before this decision, and room for those behind it.
    fn around(&mut self, level: usize) -> (&Federation, &mut Federation) {
        if self.left.len() <= level + 1 {
            self.left.resize_with(level + 2, Federation::new);
        }
        let (before, behind) = self.left.split_at_mut(level + 1);
        behind[0].clear();
        (&before[level], &mut behind[0])
    }
}

impl Cut for Cutting<'_> {
    fn most(&self) -> usize {
        self.space.options.most_combinations
    }

    fn begin(&mut self, state: &[Word], zone: &Dbm) {
        self.state.clear();
        self.state.extend_from_slice(state);
        self.left[0].clear();
        self.left[0].push(zone);
    }

    fn moves(&mut self, level: usize, part: Option<PartId>) -> bool {
        let (space, state) = (self.space, std::mem::take(&mut self.state));
        let mut zone = std::mem::replace(&mut self.zone, Dbm::zero(0));
        let (before, behind) = self.around(level);
        for one in before.zones() {
            zone.copy_from(one);
            if part.is_none_or(|part| space.guard(&[part], &state, &mut zone)) {
                behind.push(&zone);
            }
        }
        let any = !behind.is_empty();
        (self.state, self.zone) = (state, zone);
        any
    }

    fn refrains(&mut self, level: usize, parts: &[PartId]) -> bool {
        let (before, behind) = self.around(level);
        before.zones().iter().for_each(|zone| behind.push(zone));
        let mut behind = std::mem::take(&mut self.left[level + 1]);
        self.space.refrain(parts, &self.state, &mut behind, &mut self.scratch);
        let any = !behind.is_empty();
        self.left[level + 1] = behind;
        any
    }
}
