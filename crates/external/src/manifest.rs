//! What is true of the folder of a search, in one small file.
//!
//! It is written beside the one that counts, made safe, and then renamed: whenever a process
//! ends, there is one that is whole. Its last line is a checksum of all lines before.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use crate::block::checksum;
use crate::run::Run;
use crate::safely::replace;
use crate::trouble::Trouble;

/// Its name.
pub(crate) const MANIFEST: &str = "manifest";

/// Its name while it is written.
pub(crate) const UNFINISHED: &str = "manifest.new";

/// What it begins with: the format, which changes with that of runs.
const FORMAT: &str = "homing search on disk, format 3";

/// A run and what the search has it for, in one word.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// The word.
    pub role: String,
    /// The run.
    pub run: Run,
}

/// What a search must know to go on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manifest {
    pub(crate) fingerprint: u64,
    pub(crate) width: u64,
    pub(crate) next: u64,
    pub(crate) peak: u64,
    /// Numbers of the search's own, by names without spaces: some a name.
    pub numbers: BTreeMap<String, Vec<u64>>,
    /// The runs that there are.
    pub entries: Vec<Entry>,
}

impl Manifest {
    /// The number of this name; zero where there is none.
    pub fn number(&self, name: &str) -> u64 {
        self.numbers.get(name).and_then(|numbers| numbers.first()).copied().unwrap_or(0)
    }

    pub(crate) fn text(&self) -> String {
        let Manifest { fingerprint, width, next, peak, .. } = self;
        let mut text = format!("{FORMAT}\nhead {fingerprint} {width} {next} {peak}\n");
        for (name, numbers) in &self.numbers {
            let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
            let _ = writeln!(text, "number {name} {}", numbers.join(" "));
        }
        for Entry { role, run } in &self.entries {
            let Run { number, partition, depths: (least, greatest), count, bytes } = run;
            let _ = writeln!(
                text,
                "run {role} {number} {partition} {least} {greatest} {count} {bytes}"
            );
        }
        let sum = checksum(text.as_bytes());
        let _ = writeln!(text, "checksum {sum}");
        text
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<(), Trouble> {
        let (path, unfinished) = (folder.join(MANIFEST), folder.join(UNFINISHED));
        let mut file = File::create(&unfinished).map_err(Trouble::of(&unfinished))?;
        file.write_all(self.text().as_bytes()).map_err(Trouble::of(&unfinished))?;
        replace(&file, &unfinished, &path)
    }

    pub(crate) fn read(path: &Path) -> Result<Manifest, Trouble> {
        let bytes = fs::read(path).map_err(Trouble::of(path))?;
        let damaged = |what| Trouble::Damaged(path.into(), what);
        let text = String::from_utf8(bytes).map_err(|_| damaged("it is no text"))?;
        let first = text.lines().next().unwrap_or_default();
        if first != FORMAT && first.starts_with("homing search on disk, format ") {
            let folder = path.parent().unwrap_or(path);
            return Err(Trouble::Foreign(folder.into(), "another version of homing"));
        }
        Manifest::parse(&text).ok_or_else(|| damaged("its checksum is wrong"))
    }

    pub(crate) fn parse(text: &str) -> Option<Manifest> {
        let (content, sum) = text.rsplit_once("checksum ")?;
        if sum != format!("{}\n", checksum(content.as_bytes())) {
            return None;
        }
        let mut manifest = Manifest::default();
        for line in content.lines().skip(1) {
            let (kind, rest) = line.split_once(' ')?;
            let (name, rest) = if kind == "head" { ("", rest) } else { rest.split_once(' ')? };
            let numbers: Option<Vec<u64>> =
                rest.split_whitespace().map(|number| number.parse().ok()).collect();
            manifest.take(kind, name, numbers?)?;
        }
        Some(manifest)
    }

    fn take(&mut self, kind: &str, name: &str, numbers: Vec<u64>) -> Option<()> {
        match (kind, &numbers[..]) {
            ("head", &[fingerprint, width, next, peak]) => {
                (self.fingerprint, self.width, self.next, self.peak) =
                    (fingerprint, width, next, peak);
            }
            ("number", _) => {
                self.numbers.insert(name.into(), numbers);
            }
            ("run", &[number, partition, least, greatest, count, bytes]) => {
                let depths = (u32::try_from(least).ok()?, u32::try_from(greatest).ok()?);
                let partition = u16::try_from(partition).ok()?;
                let run = Run { number, partition, depths, count, bytes };
                self.entries.push(Entry { role: name.into(), run });
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_every_flipped_bit_is_found() {
        let run = Run { number: 3, partition: 2, depths: (1, 9), count: 77, bytes: 1000 };
        let mut manifest =
            Manifest { fingerprint: 5, width: 2, next: 4, peak: 9, ..Manifest::default() };
        manifest.numbers.insert("stored".into(), vec![1, 2, 3]);
        manifest.numbers.insert("none".into(), vec![]);
        manifest.entries.push(Entry { role: "closed".into(), run });
        let text = manifest.text();
        assert_eq!(Manifest::parse(&text), Some(manifest));
        let mut bytes = text.into_bytes();
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(text) = std::str::from_utf8(&bytes) {
                assert_eq!(Manifest::parse(text), None, "bit {bit}");
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for length in 0..bytes.len() {
            let cut = std::str::from_utf8(&bytes[..length]).unwrap();
            assert_eq!(Manifest::parse(cut), None, "cut after {length}");
        }
    }
}
