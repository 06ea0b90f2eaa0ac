//! Subtraction of what earlier runs hold: delayed duplicate detection.
//!
//! In a directed graph a step may lead back to any layer, so all of them are subtracted; a
//! proven bound on how far it may lead would spare the older ones. Blocks whose states all
//! lie between two candidates are passed over unread.

use crate::directory::Directory;
use crate::run::{Reader, Run};
use crate::sorted::Sorted;
use crate::trouble::Trouble;

/// Subtracts runs from batches that come in order.
#[derive(Debug)]
pub struct Subtract {
    readers: Vec<Reader>,
}

impl Subtract {
    /// Of these runs.
    pub fn new<'r>(
        directory: &Directory,
        runs: impl IntoIterator<Item = &'r Run>,
    ) -> Result<Subtract, Trouble> {
        let mut readers = Vec::new();
        for run in runs {
            let mut reader = Reader::open(directory, run)?;
            if reader.advance()? {
                readers.push(reader);
            }
        }
        Ok(Subtract { readers })
    }

    /// Notes in a batch, which comes behind all before it, what the runs hold.
    pub fn from(&mut self, batch: &mut Sorted) -> Result<(), Trouble> {
        for reader in &mut self.readers {
            for i in 0..batch.len() {
                if batch.is_known(i) {
                    continue;
                }
                if !reader.advance_to(batch.state(i))? {
                    break;
                }
                // A run may hold a state at several depths, the least first.
                if reader.state() == batch.state(i) {
                    batch.met(i, reader.tag().depth());
                }
            }
        }
        self.readers.retain(|reader| !reader.has_ended());
        Ok(())
    }
}
