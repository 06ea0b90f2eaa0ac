//! The way to a state, by scanning the layers before it.

use homing_core::{Batch, Word};
use homing_external::{Reader, Tag};

use super::{Ended, External};

impl External<'_, '_> {
    /// The states on a shortest way to `state`, which was met with this tag; those that are
    /// found, if a file is not what it should be.
    pub(super) fn states_to(
        &mut self,
        state: &[Word],
        mut tag: Tag,
    ) -> Result<Vec<Vec<Word>>, Ended> {
        let mut states = vec![state.to_vec()];
        while tag.depth() > 0 {
            let Some((before, its)) = self.predecessor(&states[states.len() - 1], tag)? else {
                break;
            };
            states.push(before);
            tag = its;
        }
        states.reverse();
        Ok(states)
    }

    /// A state one step before.
    fn predecessor(&mut self, state: &[Word], tag: Tag) -> Result<Option<(Vec<Word>, Tag)>, Ended> {
        let depth = tag.depth() - 1;
        let mut batch = Batch::new(self.directory.width());
        let runs = self.closed.values().flat_map(|closed| &closed.runs);
        for run in runs.filter(|run| run.depths.0 <= depth && depth <= run.depths.1) {
            let mut reader = Reader::open(self.directory, run)?;
            while reader.advance()? {
                let before = reader.state();
                if reader.tag().depth() != depth || Tag::mark_of(before) != tag.mark() {
                    continue;
                }
                batch.clear();
                self.expander.expand(before, &mut batch);
                if (0..batch.len()).any(|i| batch.state(i) == state) {
                    return Ok(Some((before.to_vec(), reader.tag())));
                }
            }
        }
        Ok(None)
    }
}
