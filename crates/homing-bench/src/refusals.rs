//! Why files are refused: a row a reason, with the number of files and one of them.
//!
//! Reasons that differ in names and numbers alone are one.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use crate::table::Report;

const COLUMNS: &[&str] = &["kind", "files", "reason", "such as"];

/// Files by what became of them.
#[derive(Default)]
pub struct Refusals {
    rows: BTreeMap<(&'static str, String), Vec<String>>,
}

impl Refusals {
    /// Notes a file that is read.
    pub fn read(&mut self, file: &str) {
        self.rows.entry(("read", "-".to_owned())).or_default().push(file.to_owned());
    }

    /// Notes a file that is refused, by the kind of its model and the sentence.
    pub fn refused(&mut self, file: &str, kind: &'static str, sentence: &str) {
        self.rows.entry((kind, general(sentence))).or_default().push(file.to_owned());
    }

    /// Writes the table, of each kind the most frequent reasons first.
    pub fn write(self, path: &Path) -> Result<()> {
        let mut report = Report::create(path, COLUMNS)?;
        let mut rows: Vec<_> = self.rows.into_iter().collect();
        rows.sort_by_key(|((kind, _), files)| (*kind, std::cmp::Reverse(files.len())));
        for ((kind, reason), files) in rows {
            let example = files.first().cloned().unwrap_or_default();
            report.row(&[kind.to_owned(), files.len().to_string(), reason, example])?;
        }
        Ok(())
    }
}

/// A sentence without the names and numbers of one model.
fn general(sentence: &str) -> String {
    let mut parts = String::new();
    for (at, part) in sentence.split('`').enumerate() {
        // What stands between two backticks is a name, unless it is a word of the language.
        let quoted = at % 2 == 1;
        match quoted && !WORDS.contains(&part) {
            true => parts.push_str("`…`"),
            false if quoted => parts.push_str(&format!("`{part}`")),
            false => parts.push_str(&without_numbers(part)),
        }
    }
    parts.replace(['\t', '\n'], " ")
}

/// Words of languages that say what a refusal is about.
const WORDS: &[&str] =
    &["double", "string", "after_update", "before_update", "spawn", "exit", "!", "?", "or", "not"];

fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive(' ') {
        let bare = word.trim_end_matches([' ', ',', ';', ':', '.']);
        match !bare.is_empty() && bare.chars().all(|c| c.is_ascii_digit()) && bare.len() > 1 {
            true => out.push_str(&format!("…{}", &word[bare.len()..])),
            false => out.push_str(word),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_names_and_numbers_are_one() {
        let check = |sentence: &str, expected: &str| assert_eq!(general(sentence), expected);
        check("the name `fischer` is not declared", "the name `…` is not declared");
        check("`double` is not supported", "`double` is not supported");
        check("`P` stands for 65536 processes", "`…` stands for … processes");
        check("at other rates than 1", "at other rates than 1");
    }
}
