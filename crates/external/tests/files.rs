//! Files of states against sets in memory, and against everything that can go wrong.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use homing_core::{Random, Word};
use homing_external::{
    Candidates, Directory, Entry, Filter, Manifest, Merge, Reader, Run, Settings, Sorted, Subtract,
    Tag, Trouble, Writer, merge_all,
};
use proptest::prelude::*;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("homing-external-{}-{number}", std::process::id());
        Folder(std::env::temp_dir().join(name))
    }

    fn settings(&self, width: usize) -> Settings {
        Settings { path: self.0.clone(), width, limit: None, fingerprint: 7 }
    }

    fn create(&self, width: usize) -> Directory {
        Directory::create(self.settings(width)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

type Record = (Vec<Word>, Tag);

fn read(directory: &Directory, run: &Run) -> Result<Vec<Record>, Trouble> {
    let mut reader = Reader::open(directory, run)?;
    let mut records = Vec::new();
    while reader.advance()? {
        records.push((reader.state().to_vec(), reader.tag()));
    }
    Ok(records)
}

fn written(directory: &Directory, records: &[Record]) -> Run {
    let mut writer = Writer::new(directory, 0).unwrap();
    records.iter().for_each(|(state, tag)| writer.push(state, *tag).unwrap());
    writer.finish().unwrap()
}

/// States that often are the same.
fn states(random: &mut Random, width: usize, count: usize) -> Vec<Vec<Word>> {
    let word = |random: &mut Random| random.below(6) << random.below(64);
    (0..count).map(|_| (0..width).map(|_| word(random)).collect()).collect()
}

fn merged(directory: &Directory, runs: &[Run], nearest: bool) -> Vec<Record> {
    let mut merge = Merge::new(directory, runs, None, nearest).unwrap();
    let (mut batch, mut records) = (Sorted::new(directory.width()), Vec::new());
    loop {
        merge.fill(&mut batch, 13).unwrap();
        if batch.is_empty() {
            return records;
        }
        records.extend((0..batch.len()).map(|i| (batch.state(i).to_vec(), batch.tag(i))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Candidates, sorted in a tiny memory and merged, are the set of them: of each state at
    /// each depth the least mark.
    #[test]
    fn oracle_candidates_and_merges(width in 0..12usize, seed: u64, bytes in 1..20_000usize) {
        let folder = Folder::new();
        let directory = folder.create(width);
        let mut random = Random::new(seed);
        let mut candidates = Candidates::new(width, bytes);
        let mut runs: Vec<Run> = Vec::new();
        let mut model: BTreeMap<(u16, Vec<Word>, u32), u16> = BTreeMap::new();
        for state in states(&mut random, width, 2_000) {
            let partition = (homing_core::hash::hash_words(&state) % 3) as u16;
            let (depth, mark) = (random.below(3) as u32, random.below(5) as u16);
            let least = model.entry((partition, state.clone(), depth)).or_insert(mark);
            *least = mark.min(*least);
            if candidates.push(&state, Tag::new(partition, depth, mark)) {
                runs.extend(candidates.flush(&directory).unwrap());
            }
        }
        runs.extend(candidates.flush(&directory).unwrap());
        let mut all: BTreeMap<(u16, Vec<Word>, u32), u16> = BTreeMap::new();
        for partition in 0..3 {
            let of: Vec<Run> = runs.iter().filter(|run| run.partition == partition).cloned().collect();
            prop_assert!(of.iter().all(|run| run.depths.0 == run.depths.1));
            let records = merged(&directory, &of, false);
            prop_assert!(records.is_sorted_by_key(|(state, tag)| (state.clone(), *tag)));
            let one = merge_all(&directory, &of, false).unwrap();
            prop_assert_eq!(&read(&directory, &one).unwrap(), &records);
            let mut nearest = records.clone();
            nearest.dedup_by_key(|(state, _)| state.clone());
            prop_assert_eq!(merged(&directory, &of, true), nearest);
            for (state, tag) in records {
                prop_assert_eq!(tag.partition(), partition);
                prop_assert_eq!(all.insert((partition, state, tag.depth()), tag.mark()), None);
            }
        }
        prop_assert_eq!(all, model);
    }

    /// What is subtracted is what other sets hold, however thin the batch.
    #[test]
    fn oracle_subtraction(width in 1..4usize, seed: u64, count in 1..3_000usize, many in 1..20_000usize, filtered in 0..40_000usize) {
        let folder = Folder::new();
        let directory = folder.create(width);
        let mut random = Random::new(seed);
        let mut runs = Vec::new();
        let mut known: BTreeMap<Vec<Word>, u32> = BTreeMap::new();
        for _ in 0..3 {
            let mut records: Vec<Record> = (0..many)
                .map(|_| {
                    let state: Vec<Word> = (0..width).map(|_| random.below(1 << 12)).collect();
                    (state, Tag::new(0, random.below(4) as u32, 0))
                })
                .collect();
            records.sort();
            records.dedup();
            for (state, tag) in &records {
                let least = known.entry(state.clone()).or_insert(tag.depth());
                *least = tag.depth().min(*least);
            }
            runs.push(written(&directory, &records));
        }
        let mut asked: Vec<Vec<Word>> = (0..count)
            .map(|_| (0..width).map(|_| random.below(1 << 12)).collect())
            .collect();
        asked.sort();
        asked.dedup();
        let mut subtract = Subtract::new(&directory, &runs).unwrap();
        let mut filter = Filter::new(filtered);
        filter.renew(known.len() as u64);
        runs.iter().for_each(|run| filter.add_run(&directory, run).unwrap());
        for some in asked.chunks(100) {
            let mut batch = Sorted::new(width);
            some.iter().for_each(|state| batch.push(state, Tag::new(0, 2, 0)));
            subtract.from(&mut batch, &mut filter).unwrap();
            for (i, state) in some.iter().enumerate() {
                let depth = known.get(state);
                prop_assert_eq!(batch.is_new(i), depth.is_none());
                prop_assert_eq!(batch.is_known(i), depth.is_some_and(|depth| *depth <= 2));
            }
        }
    }

    /// Passing over records comes to the same as reading them.
    #[test]
    fn oracle_passing_over(seed: u64, count in 1..20_000usize, over in 0..21_000u64) {
        let folder = Folder::new();
        let directory = folder.create(2);
        let mut random = Random::new(seed);
        let mut records: Vec<Record> =
            states(&mut random, 2, count).into_iter().map(|state| (state, Tag::new(0, 3, 1))).collect();
        records.sort();
        records.dedup();
        let run = written(&directory, &records);
        let mut reader = Reader::open(&directory, &run).unwrap();
        reader.pass_over(over).unwrap();
        let next = reader.advance().unwrap().then(|| reader.state().to_vec());
        prop_assert_eq!(next.as_ref(), records.get(over as usize).map(|(state, _)| state));
    }
}

fn a_run(directory: &Directory, count: u64) -> (Run, Vec<Record>) {
    let records: Vec<Record> =
        (0..count).map(|i| (vec![i * 3, i << 40], Tag::new(0, i as u32 % 2, i as u16))).collect();
    (written(directory, &records), records)
}

#[test]
fn every_flipped_byte_and_every_cut_is_found_and_named() {
    let folder = Folder::new();
    let directory = folder.create(2);
    let (run, records) = a_run(&directory, 20);
    assert_eq!(read(&directory, &run).unwrap(), records);
    let path = folder.0.join(format!("{}.run", run.number));
    let bytes = fs::read(&path).unwrap();
    let damaged = |what: &str| match read(&directory, &run) {
        Err(Trouble::Damaged(named, _)) => assert_eq!(named, path),
        other => panic!("{what}: {other:?}"),
    };
    for at in 0..bytes.len() {
        for flip in [1, 0x80] {
            let mut wrong = bytes.clone();
            wrong[at] ^= flip;
            fs::write(&path, wrong).unwrap();
            damaged(&format!("byte {at} flipped by {flip}"));
        }
        fs::write(&path, &bytes[..at]).unwrap();
        damaged(&format!("cut after {at} bytes"));
    }
    fs::write(&path, [&bytes[..], &[0]].concat()).unwrap();
    damaged("one byte more");
}

/// A head that is wrong must not lead past what is behind it.
#[test]
fn damage_is_found_where_blocks_are_passed_over() {
    let folder = Folder::new();
    let directory = folder.create(2);
    let (run, _) = a_run(&directory, 50_000);
    let path = folder.0.join(format!("{}.run", run.number));
    let bytes = fs::read(&path).unwrap();
    let mut wrong = bytes.clone();
    // In the words of the first block's last state.
    wrong[16 + 32 + 3] ^= 1;
    fs::write(&path, wrong).unwrap();
    let mut batch = Sorted::new(2);
    batch.push(&[149_000, 0], Tag::default());
    let mut filter = Filter::default();
    let met =
        Subtract::new(&directory, [&run]).and_then(|mut runs| runs.from(&mut batch, &mut filter));
    assert!(matches!(met, Err(Trouble::Damaged(..))), "{met:?}");
}

#[test]
fn a_folder_has_a_limit_and_what_is_dropped_makes_room() {
    let folder = Folder::new();
    let directory =
        Directory::create(Settings { limit: Some(100_000), ..folder.settings(2) }).unwrap();
    let (first, _) = a_run(&directory, 5_000);
    let mut writer = Writer::new(&directory, 0).unwrap();
    let full = (0..).find_map(|i: u64| writer.push(&[i, i << 30], Tag::new(0, 0, 0)).err());
    assert!(full.as_ref().is_some_and(Trouble::is_full), "{full:?}");
    drop(writer);
    assert_eq!(directory.bytes().0, first.bytes, "what was not finished is gone");
    assert_eq!(read(&directory, &first).unwrap().len(), 5_000, "the rest can be read");
    directory.drop_run(first);
    assert_eq!(directory.bytes().0, 0);
}

/// The device that is always full.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_value() {
    let folder = Folder::new();
    let directory = folder.create(2);
    std::os::unix::fs::symlink("/dev/full", folder.0.join("1.run")).unwrap();
    let mut writer = Writer::new(&directory, 0).unwrap();
    let full = (0..100_000).find_map(|i: u64| writer.push(&[i, i << 30], Tag::new(0, 0, 0)).err());
    assert!(matches!(full, Some(Trouble::Full(_))), "{full:?}");
}

#[test]
fn a_folder_belongs_to_one_search_of_one_process() {
    let folder = Folder::new();
    let directory = folder.create(2);
    let again = Directory::create(folder.settings(2));
    assert!(matches!(again, Err(Trouble::Locked(_))), "{again:?}");
    let (run, records) = a_run(&directory, 100);
    let (loose, _) = a_run(&directory, 100);
    let mut manifest = Manifest::default();
    manifest.numbers.insert("expanded".into(), vec![42]);
    manifest.entries.push(Entry { role: "closed".into(), run: run.clone() });
    directory.commit(manifest.clone()).unwrap();
    drop(directory);

    let occupied = Directory::create(folder.settings(2));
    assert!(matches!(occupied, Err(Trouble::Occupied(_))), "{occupied:?}");
    let other = Settings { fingerprint: 8, ..folder.settings(2) };
    assert!(matches!(Directory::resume(other), Err(Trouble::Foreign(..))));
    assert!(matches!(Directory::resume(folder.settings(3)), Err(Trouble::Foreign(..))));

    let (directory, known) = Directory::resume(folder.settings(2)).unwrap();
    assert_eq!((known.number("expanded"), known.number("other")), (42, 0));
    assert_eq!(known.entries, manifest.entries);
    assert_eq!(read(&directory, &run).unwrap(), records);
    assert!(Reader::open(&directory, &loose).is_err(), "what no manifest names is gone");
    let (newer, _) = a_run(&directory, 1);
    assert!(newer.number > run.number);
    directory.remove().unwrap();
    assert!(!folder.0.exists());
}

#[test]
fn what_a_manifest_names_stays_until_the_next_one() {
    let folder = Folder::new();
    let directory = folder.create(2);
    let (run, _) = a_run(&directory, 100);
    let entry = Entry { role: "closed".into(), run: run.clone() };
    let mut manifest = Manifest::default();
    manifest.entries.push(entry);
    directory.commit(manifest).unwrap();
    directory.drop_run(run.clone());
    assert!(read(&directory, &run).is_ok());
    directory.commit(Manifest::default()).unwrap();
    assert!(Reader::open(&directory, &run).is_err());
    assert_eq!(directory.bytes().0, 0);
}

#[test]
fn folders_that_cannot_be_used_are_told_apart() {
    let folder = Folder::new();
    assert!(matches!(Directory::resume(folder.settings(1)), Err(Trouble::Empty(_))));
    fs::write(&folder.0, "a file").unwrap();
    let not_a_folder = Directory::create(folder.settings(1));
    assert!(matches!(not_a_folder, Err(Trouble::Io(..))), "{not_a_folder:?}");
    fs::remove_file(&folder.0).unwrap();
}
