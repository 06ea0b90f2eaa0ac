//! States on disk: sorted files, merged and subtracted from each other in bounded memory.
//!
//! The file layer below external search (Edelkamp, Jabbar, Schrödl, "External A*", KI 2004;
//! survey, section 7). It knows nothing of searches: it holds *records*, which are packed
//! states with a [`Tag`], in *runs*, which are sorted files without duplicates.
//!
//! ```text
//! candidates ──Candidates (sorts in memory)──▶ runs, one a partition and depth
//! runs       ──Merge (k ways, each state once)──▶ Subtract (what earlier runs hold) ──▶ a new run
//! ```
//!
//! All reading and writing goes forward through files. Blocks are compressed against the
//! record before, carry checksums and say which state is their last, so that a block that
//! cannot matter is passed over.
//!
//! # Modules
//!
//! - `tag`: what is saved beside a state: its depth, and sixteen bits of its predecessor.
//! - `code`: how a sorted record is written as bytes, against the one before.
//! - `block`: blocks of these and their checksums.
//! - `run`: sorted files, and how they are written: [`Writer`], [`Run`]. `reader`: how they are
//!   read: [`Reader`].
//! - `filter`: which states surely are in no run, in memory: [`Filter`].
//! - `candidates`: the buffer that sorts. `sorted`: a batch of sorted records.
//! - `merge`, `subtract`: delayed duplicate detection.
//! - `directory`: the folder: who may use it, how much it may hold, what is kept there.
//! - `home`: the folder that a user names, with a folder a search in it.
//! - `manifest`: what is true of the folder, written by rename. `safely`: how that is done.
//! - `checkpoint`: a search in memory in one file: [`Checkpoint`], [`Saver`], [`Loader`].
//! - `desk`: how several processes work on one search: [`Desk`].
//! - `trouble`: what can go wrong, as values.

mod block;
mod candidates;
mod checkpoint;
mod code;
mod desk;
mod directory;
mod filter;
mod home;
mod manifest;
mod merge;
mod reader;
mod run;
mod safely;
mod sorted;
mod subtract;
mod tag;
mod trouble;

pub use candidates::Candidates;
pub use checkpoint::{Checkpoint, Loader, Saver, load_alone, save_alone};
pub use desk::{Attempt, Board, Desk, Found, Parts};
pub use directory::{Directory, Settings};
pub use filter::Filter;
pub use home::Home;
pub use manifest::{Entry, Manifest};
pub use merge::{FAN_IN, Merge, merge_all};
pub use reader::Reader;
pub use run::{Run, Writer};
pub use sorted::Sorted;
pub use subtract::Subtract;
pub use tag::Tag;
pub use trouble::Trouble;
