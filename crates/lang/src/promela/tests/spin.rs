//! Against SPIN: it makes the same transitions of a text and of our tree of it,
//! written as Promela again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::corpus::models;
use super::{EVERYTHING, outcome, print};
use crate::corpus::corpus;

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

/// A line in pieces: words, numbers and signs.
fn pieces(line: &str) -> Vec<&str> {
    let part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut list = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let length = match part(first) {
            true => rest.find(|letter| !part(letter)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        list.push(&rest[..length]);
        rest = &rest[length..];
    }
    list
}

/// The first lines that differ. SPIN puts numbers for symbols into the text of
/// inlines, we do not.
fn difference<'a>(found: &'a str, expected: &'a str) -> Option<(&'a str, &'a str)> {
    let number = |piece: &str| piece.bytes().all(|byte| byte.is_ascii_digit());
    let name = |piece: &str| piece.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let same = |(a, b): &(&str, &str)| {
        let (a, b) = (pieces(a), pieces(b));
        a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a == b || name(a) && number(b))
    };
    if found.lines().count() != expected.lines().count() {
        return Some((found, expected));
    }
    found.lines().zip(expected.lines()).find(|pair| !same(pair))
}

#[test]
fn the_tree_is_what_spin_reads() {
    let Some(corpus) = corpus("promela") else { return };
    if !spin_exists() {
        return;
    }
    let folder = Folder::new("trees");
    let mut same = 0;
    // SPIN takes a tenth of a second a text; `HOMING_EVERY=1` looks at all.
    let every = std::env::var("HOMING_EVERY").ok().and_then(|number| number.parse().ok());
    for path in models(&corpus).iter().step_by(every.unwrap_or(11)) {
        let Some((expected, found)) = both(path, &folder) else { continue };
        let name = path.display();
        let found = found.unwrap_or_else(|| panic!("SPIN refuses what we made of {name}"));
        let differs = difference(&found, &expected);
        assert!(differs.is_none(), "{name} {differs:?}");
        same += 1;
    }
    println!("{same} texts have the transitions they should");
    assert!(same > 50);
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
