//! Rules about what stands in the files.

use crate::project::{TextFile, expect_none, files, shipped};

/// Lines of code a file may have, about: comments, blank lines and tests not
/// counted.
const LONGEST_FILE: usize = 500;

/// Lines that a function of the library may have, its signature included.
const LONGEST_FUNCTION: usize = 60;

/// Whether `word` stands in `line` by itself, not as part of a longer name.
fn has_word(line: &str, word: &str) -> bool {
    let of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        !before.is_some_and(of_name) && !after.is_some_and(of_name)
    })
}

/// Places in the code of `files` where `wrong` says so.
fn findings(files: &[TextFile], wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let places = files.iter().flat_map(|file| {
        let wrong = &wrong;
        let lines = file.code().filter(move |(_, line)| wrong(line));
        lines.map(move |(number, line)| format!("{}:{number}: {line}", file.path))
    });
    places.collect()
}

#[test]
fn unsafe_code_stays_where_it_may_be() {
    const MAY: &[&str] = &[
        "crates/store/",
        "crates/jit/",
        "crates/core/src/batch.rs",
        "crates/budget/src/allocator.rs",
    ];
    let elsewhere: Vec<_> = files()
        .into_iter()
        .filter(|file| file.path.ends_with(".rs"))
        .filter(|file| !MAY.iter().any(|place| file.path.starts_with(place)))
        // This file has to spell the word.
        .filter(|file| !file.path.ends_with("house_rules/text.rs"))
        .collect();
    // What stands between quotation marks is text.
    let code = |line: &str| line.split('"').step_by(2).collect::<String>();
    let word = |line: &str| has_word(&code(line), "unsafe") && !line.contains("(unsafe_code)");
    expect_none("unsafe code outside its crates", &findings(&elsewhere, word));
}

#[test]
fn every_unsafe_block_says_why_it_is_safe() {
    let mut bare = Vec::new();
    for file in shipped() {
        let lines: Vec<_> = file.text.lines().collect();
        for (number, line) in file.code() {
            let block = has_word(line, "unsafe") && line.ends_with('{') && !line.contains("fn ");
            let above = &lines[number.saturating_sub(9)..number];
            let told = above.iter().any(|line| line.contains("SAFETY"));
            if block && !told {
                bare.push(format!("{}:{number}: {line}", file.path));
            }
        }
    }
    expect_none("unsafe blocks without a SAFETY comment", &bare);
}

#[test]
fn shipped_code_does_not_unwrap() {
    let wrong = |line: &str| line.contains(".unwrap()") || line.contains(".expect(\"");
    expect_none("unwrap or expect outside tests", &findings(&shipped(), wrong));
}

#[test]
fn files_are_short_enough_to_read() {
    let long: Vec<_> = shipped()
        .iter()
        .map(|file| (file, file.code().count()))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .map(|(file, lines)| format!("{}: {lines} lines of code", file.path))
        .collect();
    expect_none("files to be split by idea", &long);
}

/// The library is where everything meets: what is long there is wired by hand.
#[test]
fn functions_of_the_library_are_short() {
    let library = shipped().into_iter().filter(|file| file.path.starts_with("crates/homing/src/"));
    let long: Vec<_> = library.flat_map(|file| long_functions(&file)).collect();
    expect_none("functions to be split", &long);
}

/// The functions of a formatted file that are too long: each ends with the first brace
/// that stands as far in as its signature begins.
fn long_functions(file: &TextFile) -> Vec<String> {
    let lines: Vec<&str> = file.text.lines().collect();
    let starts = lines.iter().enumerate().filter(|(_, line)| {
        let code = line.trim_start();
        let code = code.strip_prefix("pub(crate) ").unwrap_or(code);
        let code = code.strip_prefix("pub(super) ").unwrap_or(code);
        code.strip_prefix("pub ").unwrap_or(code).starts_with("fn ")
    });
    let mut long = Vec::new();
    for (start, line) in starts {
        let indent = line.len() - line.trim_start().len();
        let end = format!("{}}}", " ".repeat(indent));
        let length = lines[start..].iter().position(|line| *line == end).unwrap_or(0) + 1;
        if length > LONGEST_FUNCTION {
            long.push(format!("{}:{}: {length} lines", file.path, start + 1));
        }
    }
    long
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<_> = shipped()
        .iter()
        .filter(|file| !file.text.starts_with("//!"))
        .map(|file| file.path.clone())
        .collect();
    expect_none("files without a header", &silent);
}

/// Words are put together here so that this file does not contain them.
#[test]
fn nothing_is_left_for_later() {
    let words = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    let macros = [concat!("to", "do!"), concat!("unimple", "mented!"), concat!("db", "g!")];
    let wrong = |line: &str| {
        let has = |word: &&str| has_word(line, word);
        words.iter().any(has) || macros.iter().any(|name| line.contains(name))
    };
    expect_none("left for later", &all_lines(wrong));
}

#[test]
fn no_file_names_a_machine_or_a_registry() {
    let places = [
        concat!("/wo", "rk/"),
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
        concat!("/Us", "ers/"),
        concat!("crates", ".io"),
        concat!("pypi", ".org"),
        concat!("npmjs", ".org"),
        concat!("deb.", "debian.org"),
    ];
    let wrong = |line: &str| places.iter().any(|place| line.contains(place));
    expect_none("machine paths or registry hosts", &all_lines(wrong));
}

/// Places in any text of the project, comments included.
fn all_lines(wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let mut places = Vec::new();
    for file in files() {
        for (number, line) in file.text.lines().enumerate() {
            if wrong(line) {
                places.push(format!("{}:{}: {}", file.path, number + 1, line.trim()));
            }
        }
    }
    places
}

#[test]
fn words_are_found_by_themselves_only() {
    assert!(has_word("x = unsafe { y }", "unsafe"));
    assert!(!has_word("#[allow(unsafe_code)]", "unsafe"));
    assert!(!has_word("an_unsafe", "unsafe"));
}
