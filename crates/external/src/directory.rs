//! The folder of a search: who may use it, how much it may hold, what is kept there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::desk::Desk;
use crate::home::{LOCK, lock};
use crate::manifest::{MANIFEST, Manifest, UNFINISHED};
use crate::run::Run;
use crate::trouble::Trouble;

/// How the names of runs end.
const RUN: &str = "run";

/// What a folder is for.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Where it is.
    pub path: PathBuf,
    /// The words of a state.
    pub width: usize,
    /// How many bytes it may hold.
    pub limit: Option<u64>,
    /// What tells a search from others: model, question and options, as a number.
    pub fingerprint: u64,
}

/// The folder of a search, locked while it exists.
#[derive(Debug)]
pub struct Directory {
    settings: Settings,
    /// Held for its lock; none of a worker, who writes nothing that counts.
    _lock: Option<File>,
    next: AtomicU64,
    /// The bytes that its files take.
    used: AtomicU64,
    peak: AtomicU64,
    files: Mutex<Files>,
}

/// Files between two manifests.
#[derive(Debug, Default)]
struct Files {
    /// Written, perhaps not safe yet.
    unsafe_yet: BTreeMap<u64, File>,
    /// Not needed any more, but named by the manifest that counts.
    dropped: Vec<Run>,
}

impl Directory {
    /// Makes the folder, or takes one without a search.
    pub fn create(settings: Settings) -> Result<Directory, Trouble> {
        let path = &settings.path;
        fs::create_dir_all(path).map_err(Trouble::of(path))?;
        let directory = Directory::locked(settings)?;
        directory.desk().remove()?;
        match directory.path().join(MANIFEST).exists() {
            true => Err(Trouble::Occupied(directory.settings.path)),
            false => {
                remove_all_but(directory.path(), &[])?;
                Ok(directory)
            }
        }
    }

    /// Takes a folder with a search, and what its manifest says.
    pub fn resume(settings: Settings) -> Result<(Directory, Manifest), Trouble> {
        if !settings.path.join(MANIFEST).exists() {
            return Err(Trouble::Empty(settings.path));
        }
        let directory = Directory::locked(settings)?;
        let path = directory.path().join(MANIFEST);
        let manifest = Manifest::read(&path)?;
        check(&manifest, &directory.settings)?;
        let runs: Vec<&Run> = manifest.entries.iter().map(|entry| &entry.run).collect();
        let kept: Vec<u64> = runs.iter().map(|run| run.number).collect();
        remove_all_but(directory.path(), &kept)?;
        directory.next.store(manifest.next, Ordering::Relaxed);
        let used = runs.iter().map(|run| run.bytes).sum();
        directory.used.store(used, Ordering::Relaxed);
        directory.peak.store(used.max(manifest.peak), Ordering::Relaxed);
        Ok((directory, manifest))
    }

    /// Joins a search that another process leads, to work for it: takes numbers of files that
    /// nobody else has. None where there is no search yet.
    pub fn join(settings: Settings, worker: u64) -> Result<Option<Directory>, Trouble> {
        let path = settings.path.join(MANIFEST);
        if !path.exists() {
            return Ok(None);
        }
        let manifest = Manifest::read(&path)?;
        check(&manifest, &settings)?;
        let directory = Directory::of(Settings { limit: None, ..settings }, None);
        directory.next.store(worker << 32 | 1, Ordering::Relaxed);
        Ok(Some(directory))
    }

    /// Whether there is a search in a folder.
    pub fn holds_search(path: &Path) -> bool {
        path.join(MANIFEST).exists()
    }

    fn locked(settings: Settings) -> Result<Directory, Trouble> {
        let lock = lock(&settings.path.join(LOCK), &settings.path)?;
        Ok(Directory::of(settings, Some(lock)))
    }

    fn of(settings: Settings, lock: Option<File>) -> Directory {
        Directory {
            settings,
            _lock: lock,
            next: AtomicU64::new(1),
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            files: Mutex::default(),
        }
    }

    /// Where others find work.
    pub fn desk(&self) -> Desk {
        Desk::of(self.path())
    }

    /// Takes over runs that a worker wrote.
    pub fn adopt(&self, run: &Run) -> Result<(), Trouble> {
        self.charge(run.bytes)
    }

    /// Makes everything safe that was written.
    pub fn settle(&self) -> Result<(), Trouble> {
        let mut files = self.files();
        for (number, file) in &files.unsafe_yet {
            file.sync_data().map_err(Trouble::of(&self.path_of(*number)))?;
        }
        files.unsafe_yet.clear();
        Ok(())
    }

    /// Waits until nobody works any more in a folder, so long at most as it takes to notice
    /// that the search has ended.
    pub fn dismiss(path: &Path, patience: Duration) {
        let (desk, began) = (Desk::of(path), Instant::now());
        while began.elapsed() < patience && desk.look().is_ok_and(|found| !found.workers.is_empty())
        {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.settings.path
    }

    /// The words of a state.
    pub fn width(&self) -> usize {
        self.settings.width
    }

    /// The bytes that its files take, and the most they ever took.
    pub fn bytes(&self) -> (u64, u64) {
        (self.used.load(Ordering::Relaxed), self.peak.load(Ordering::Relaxed))
    }

    pub(crate) fn path_of(&self, number: u64) -> PathBuf {
        self.path().join(format!("{number}.{RUN}"))
    }

    /// A number and a name that no file had.
    pub(crate) fn new_file(&self) -> (u64, PathBuf) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number, self.path_of(number))
    }

    /// Counts bytes that are about to be written.
    pub(crate) fn charge(&self, bytes: u64) -> Result<(), Trouble> {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        match self.settings.limit {
            Some(most) if used > most => {
                self.used.fetch_sub(bytes, Ordering::Relaxed);
                Err(Trouble::Limit(self.settings.path.clone(), most))
            }
            _ => {
                self.peak.fetch_max(used, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// Notes that a file was written to its end.
    pub(crate) fn written(&self, number: u64, file: File) {
        self.files().unsafe_yet.insert(number, file);
    }

    /// Removes a file that no manifest names.
    pub(crate) fn discard(&self, path: &Path, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        // Where it cannot be removed, it will be when the search is resumed.
        let _ = fs::remove_file(path);
    }

    /// Says that a run is not needed any more. Its file stays until the next manifest is
    /// written, which does not name it.
    pub fn drop_run(&self, run: Run) {
        let mut files = self.files();
        let fresh = files.unsafe_yet.remove(&run.number).is_some();
        if fresh {
            self.discard(&self.path_of(run.number), run.bytes);
        } else {
            files.dropped.push(run);
        }
    }

    /// Makes everything safe that was written, and then the manifest, which counts from
    /// now on. What it does not name is removed.
    pub fn commit(&self, mut manifest: Manifest) -> Result<(), Trouble> {
        manifest.fingerprint = self.settings.fingerprint;
        manifest.width = self.settings.width as u64;
        manifest.next = self.next.load(Ordering::Relaxed);
        manifest.peak = self.peak.load(Ordering::Relaxed);
        self.settle()?;
        manifest.write(self.path())?;
        let mut files = self.files();
        for run in std::mem::take(&mut files.dropped) {
            self.discard(&self.path_of(run.number), run.bytes);
        }
        Ok(())
    }

    /// Removes what belongs to the search, and the folder where nothing else is in it.
    pub fn remove(self) -> Result<(), Trouble> {
        Directory::remove_search(self.path())
    }

    /// The same of a search that nobody works on; none may be there.
    pub fn remove_search(path: &Path) -> Result<(), Trouble> {
        if !path.exists() {
            return Ok(());
        }
        // Without a manifest, what is left if this is interrupted is no search.
        let manifest = path.join(MANIFEST);
        match fs::remove_file(&manifest) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Trouble::Io(manifest, error));
            }
            _ => {}
        }
        remove_all_but(path, &[])?;
        Desk::of(path).remove()?;
        for name in [UNFINISHED, LOCK] {
            // They may not be there.
            let _ = fs::remove_file(path.join(name));
        }
        // It may hold files of others.
        let _ = fs::remove_dir(path);
        Ok(())
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a manifest is that of a search.
fn check(manifest: &Manifest, settings: &Settings) -> Result<(), Trouble> {
    let Settings { path, width, fingerprint, .. } = settings;
    match manifest.fingerprint == *fingerprint && manifest.width == *width as u64 {
        true => Ok(()),
        false => Err(Trouble::Foreign(path.clone(), "another model, or with other options")),
    }
}

/// Removes files of runs, but for these.
fn remove_all_but(folder: &Path, kept: &[u64]) -> Result<(), Trouble> {
    for entry in fs::read_dir(folder).map_err(Trouble::of(folder))? {
        let path = entry.map_err(Trouble::of(folder))?.path();
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse::<u64>().ok());
        let is_run = path.extension().is_some_and(|end| end == RUN);
        if is_run && number.is_some_and(|number| !kept.contains(&number)) {
            fs::remove_file(&path).map_err(Trouble::of(&path))?;
        }
    }
    Ok(())
}
