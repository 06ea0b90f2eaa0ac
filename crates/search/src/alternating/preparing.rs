//! When guides are made.

use super::{Aimed, Direct, Offer, Shares, Sought};

/// When guides are made.
///
/// Nobody knows what one takes before it is made. So it may take what is little beside the
/// work done so far; if that is not enough, it is tried again when twice as much was done.
/// So is the next when one is made.
pub(crate) struct Preparing {
    /// How much is done before another is tried.
    room: u64,
    /// The part of the work so far that it may take.
    part: u64,
    /// What the first may take, however little was done.
    first: u64,
    /// Whether there is one.
    made: bool,
}

impl Preparing {
    /// The first guide may take half as much as the work so far, another this part of it.
    /// Where some were made at once, the first that is not can wait for a moment.
    pub fn by(shares: Shares, part: u64, ready: bool) -> Preparing {
        let room = if ready { SETTLING } else { 0 };
        Preparing { room, part, first: shares.first, made: false }
    }

    /// The guides that are made at once.
    pub fn at_once<'g>(sought: Sought, direct: Direct<'_, 'g>) -> Vec<Aimed<'g>> {
        let mut ready: Vec<Aimed> = Vec::new();
        while ready.len() < MOST_AT_ONCE
            && let Offer::Made(aimed) = direct(sought, 0)
        {
            ready.push(aimed);
        }
        ready
    }

    /// Makes the next guide, if it is time for it after so much work.
    pub fn guide<'g>(
        &mut self,
        work: u64,
        sought: Sought,
        direct: Direct<'_, 'g>,
    ) -> Option<Aimed<'g>> {
        if work < self.room {
            return None;
        }
        self.room = work.max(self.first).saturating_mul(2);
        match direct(sought, if self.made { work / self.part } else { (work / 2).max(self.first) })
        {
            Offer::Made(aimed) => {
                self.made = true;
                Some(aimed)
            }
            Offer::TooLong => None,
            Offer::None => {
                self.room = u64::MAX;
                None
            }
        }
    }
}

/// The work before another guide is made, where some were made at once.
const SETTLING: u64 = 10_000;

/// The guides that are made at once, at most.
const MOST_AT_ONCE: usize = 2;
