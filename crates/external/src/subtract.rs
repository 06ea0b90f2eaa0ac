//! Subtraction of what earlier runs hold: delayed duplicate detection.
//!
//! In a directed graph a step may lead back to any layer, so all of them are subtracted; a
//! proven bound on how far it may lead would spare the older ones. What a [`Filter`] rules
//! out is asked of no run; of what is left, each state is asked of one run after the other,
//! until one holds it. Groups and blocks of states that all lie between two that are asked
//! for are passed over.

use crate::directory::Directory;
use crate::filter::Filter;
use crate::reader::Reader;
use crate::run::Run;
use crate::sorted::Sorted;
use crate::trouble::Trouble;

/// Subtracts runs from batches that come in order.
#[derive(Debug)]
pub struct Subtract {
    readers: Vec<Reader>,
    /// The records of a batch whose fate is open.
    open: Vec<u32>,
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
        Ok(Subtract { readers, open: Vec::new() })
    }

    /// Notes in a batch, which comes behind all before it, what the runs hold. All of their
    /// states were added to the filter; those of the batch are now.
    pub fn from(&mut self, batch: &mut Sorted, filter: &mut Filter) -> Result<(), Trouble> {
        self.open.clear();
        filter.add(batch, &mut self.open);
        for reader in &mut self.readers {
            ask(reader, batch, &mut self.open)?;
        }
        self.readers.retain(|reader| !reader.has_ended());
        Ok(())
    }
}

/// Asks a run for the states whose fate is open, and leaves those for which it still is.
fn ask(reader: &mut Reader, batch: &mut Sorted, open: &mut Vec<u32>) -> Result<(), Trouble> {
    let mut left = 0;
    for at in 0..open.len() {
        let i = open[at] as usize;
        // A run may hold a state at several depths, the least first.
        if reader.find(batch.state(i))? && batch.met(i, reader.tag().depth()) {
            continue;
        }
        open[left] = open[at];
        left += 1;
    }
    open.truncate(left);
    Ok(())
}
