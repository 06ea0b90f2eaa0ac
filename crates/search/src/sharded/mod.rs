//! One search over many shards.
//!
//! Korf, Schultze, "Large-Scale Parallel Breadth-First Search" (AAAI 2005), and Edelkamp,
//! Jabbar, "Large-Scale Directed Model Checking LTL" (SPIN 2006), for what threads and
//! disks share: states are owned by shards, by their hash, and a search goes in rounds.
//!
//! ```text
//! while something waits in a shard:
//!   bucket := the least in which something waits                      (least)
//!   every worker takes states of that bucket                          (take)
//!     tests what is tested at expansion, expands them with its own expander,
//!     posts each successor to the shard that owns it, duplicates seen just now left out
//!   every shard takes in what was posted to it                        (put)
//!   every worker learns what became of what it posted, tests and estimates what is new,
//!     and lets it wait                                                (settle)
//! ```
//! The phases of a round are apart: nobody takes while somebody puts. Where little waits,
//! one worker does the whole round and the others sleep.
//!
//! Threads, bucket files and processes are three ways to hold the states, and each is a
//! [`Shard`]; the loop, what is tested when, what is promised and how the search ends are
//! written once. In `memory` a shard is a [`Store`](homing_core::Store) and a column of
//! parents.
//!
//! # The same for every number of workers
//!
//! In memory a round is a piece of the queue that one thread would have: worker 0 takes
//! its first part, worker 1 the next. What is posted to a shard is taken in in the order of
//! workers, and each posts in the order of expansion. So of several ways to a new state
//! the one is kept that one thread keeps, whatever comes first by the clock, and new
//! states queue up in the same order. How many states a round has depends on counts, never
//! on the number of workers. Where rounds hold states of one level (breadth-first search,
//! Dijkstra's algorithm) even that does not matter, and all is as with one thread: order,
//! traces, counts.
//!
//! # Modules
//!
//! - `post`: what a worker expanded in a round, and to whom each successor goes.
//! - `memory`: shards in memory, and `front`, the states that wait.
//! - `worker`: what one thread has for itself; it tests and estimates.
//! - `rounds`: the loop. `team`: threads that meet between phases.
//!
//! Searches begin in the kernel of one thread and come here when they turn out long:
//! `best_first::handing`.

mod front;
mod memory;
mod post;
mod rounds;
mod team;
mod worker;

use homing_core::{Edge, Price, StopReason, Word};

pub(crate) use memory::{Keeping, Memory};
pub(crate) use post::Owners;
pub use post::{Candidates, Post, States};
pub(crate) use rounds::{Rounds, Tally, search};
pub(crate) use worker::Common;

/// Where a state is kept: a shard, and a number that is the shard's own business.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place(u64);

impl Place {
    /// Nowhere: where initial states come from.
    pub const NONE: Place = Place(u64::MAX);

    /// The shard number of states that were stored before there were shards.
    const BEFORE: u32 = u32::MAX - 1;

    /// State `number` of a shard.
    pub fn new(shard: usize, number: u32) -> Place {
        Place((shard as u64) << 32 | u64::from(number))
    }

    /// A state stored before there were shards.
    pub(crate) fn before(number: u32) -> Place {
        Place::new(Place::BEFORE as usize, number)
    }

    /// Its shard.
    pub fn shard(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// Its number there.
    pub fn number(self) -> u32 {
        self.0 as u32
    }

    /// Whether it was stored before there were shards.
    pub(crate) fn is_before(self) -> bool {
        self.shard() == Place::BEFORE as usize
    }
}

/// States that are taken together, and what they cost at least: an order-preserving key,
/// of which a search takes the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Bucket {
    /// The key of the first of them.
    pub key: u64,
    /// The cost of the path to it.
    pub path: Price,
    /// About how many states are taken of it in the round.
    pub states: u64,
}

/// A successor that goes to the shard that owns it.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The state.
    pub state: &'a [Word],
    /// Its hash ([`homing_core::hash::hash_words`]).
    pub hash: u64,
    /// The cost of the path to it.
    pub path: Price,
    /// Where the state is that it was generated from; [`Place::NONE`] of initial states.
    pub from: Place,
    /// That state.
    pub source: &'a [Word],
    /// The step between them.
    pub edge: Edge,
}

/// A part of the workers: the one of this number, of so many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Which.
    pub index: usize,
    /// Of how many.
    pub of: usize,
}

impl Part {
    /// All of it.
    pub const ALL: Part = Part { index: 0, of: 1 };

    /// The part's share of so many things in a row.
    pub fn share(self, length: usize) -> std::ops::Range<usize> {
        let cut = |index: usize| length / self.of * index + (length % self.of).min(index);
        cut(self.index)..cut(self.index + 1)
    }
}

/// Who tests and estimates states for a shard.
pub trait Judge {
    /// Whether anybody is asked about a state before it waits.
    fn is_guided(&self) -> bool;

    /// The key under which a successor waits. None where it need not: a dead end, or
    /// beyond a bound.
    fn key(&mut self, candidate: &Candidate<'_>) -> Option<u64>;

    /// A state is new, and is kept at this place: it is counted, and tested, if states are
    /// tested when they are generated.
    fn is_new(&mut self, candidate: &Candidate<'_>, place: Place);
}

/// What a shard holds.
#[derive(Clone, Copy, Default, Debug)]
pub struct Held {
    /// States.
    pub stored: u64,
    /// States that wait.
    pub waiting: u64,
    /// Bytes of memory.
    pub bytes: usize,
}

/// A shard: the states that hash to it, and where they wait; one a worker.
///
/// A shard that answers late (files, where duplicates are found by sorting) does its work
/// when a bucket is first taken, keys candidates when they are put, and leaves
/// [`Shard::settle`] empty.
pub trait Shard: Send {
    /// The least bucket of what waits here, of all that was settled; at most so many states
    /// are taken of it in the round to come, by all workers together. Called between
    /// rounds.
    fn least(&mut self, most: usize) -> Result<Option<Bucket>, StopReason>;

    /// Adds to `out` this part's states of the round, each once.
    fn take(&mut self, bucket: Bucket, part: Part, out: &mut States) -> Result<(), StopReason>;

    /// Takes in what was posted to this shard, in this order.
    fn put(&mut self, inbox: &[Candidates<'_>], judge: &mut dyn Judge) -> Result<(), StopReason>;

    /// Learns, once all shards have taken in what was posted, what became of what this
    /// worker posted.
    fn settle(&mut self, posted: &Post, judge: &mut dyn Judge) -> Result<(), StopReason>;

    /// Loads a state of this shard and answers where the state is that it was generated
    /// from.
    fn parent(&mut self, place: Place, state: &mut [Word]) -> Result<Place, StopReason>;

    /// What it holds.
    fn held(&self) -> Held;
}
