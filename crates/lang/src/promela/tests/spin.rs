//! Against SPIN: it makes the same transitions of a text and of our tree of it,
//! written as Promela again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::corpus::{corpus, models};
use super::{EVERYTHING, outcome, print};

/// An empty folder of its own for each test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("homing-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn spin_exists() -> bool {
    let exists = Command::new("spin").arg("-V").output().is_ok();
    if !exists {
        println!("skipped: there is no spin");
    }
    exists
}

/// The transitions SPIN makes of a file, as far as they do not depend on how
/// it is written; nothing where it refuses it.
fn transitions(file: &Path, folder: &Path) -> Option<String> {
    let made = Command::new("spin")
        .args(["-o1", "-o2", "-o3", "-a"])
        .arg(fs::canonicalize(file).unwrap())
        .current_dir(folder)
        .output()
        .unwrap();
    if !made.status.success() {
        return None;
    }
    let text = fs::read(folder.join("pan.t")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let place = |line: &&str| ["/*", "tr_2_src"].iter().any(|s| line.trim_start().starts_with(s));
    let telling = text.lines().filter(|line| !place(line));
    Some(telling.collect::<Vec<_>>().join("\n"))
}

/// What SPIN makes of a file, and of our tree of it.
fn both(path: &Path, folder: &Folder) -> Option<(String, Option<String>)> {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let outcome = outcome(&path.display().to_string(), &text);
    if !outcome.errors().is_empty() {
        return None;
    }
    let expected = transitions(path, &folder.0)?;
    let file = folder.0.join("printed.pml");
    fs::write(&file, print::program(&outcome.program)).unwrap();
    Some((expected, transitions(&file, &folder.0)))
}

#[test]
fn the_tree_is_what_spin_reads() {
    let Some(corpus) = corpus() else { return };
    if !spin_exists() {
        return;
    }
    let folder = Folder::new("trees");
    let mut same = 0;
    let step = std::env::var("STEP").ok().and_then(|s| s.parse().ok()).unwrap_or(7);
    for path in models(&corpus).iter().step_by(step) {
        let Some((expected, found)) = both(path, &folder) else { continue };
        match found {
            Some(found) if found == expected => same += 1,
            Some(found) => {
                let d = found.lines().zip(expected.lines()).find(|(a, b)| a != b);
                println!("DIFFERS\t{}\t{d:?}", path.file_name().unwrap().display());
            }
            None => println!("REJECTS\t{}", path.display()),
        }
    }
    println!("{same} the same");
}

#[test]
fn a_bit_of_everything() {
    let outcome = outcome("everything.pml", EVERYTHING);
    let said: Vec<String> = outcome.diagnostics.iter().map(|one| outcome.show(one)).collect();
    assert!(said.is_empty(), "{said:?}");
    if !spin_exists() {
        return;
    }
    let folder = Folder::new("everything");
    let file = folder.0.join("everything.pml");
    fs::write(&file, EVERYTHING).unwrap();
    let (expected, found) = both(&file, &folder).expect("SPIN reads it");
    assert_eq!(found.expect("SPIN reads our tree"), expected);
}
