//! SPIN itself, where it is installed: whether its numbers of statements are
//! ours.
//!
//! A trail is nothing but numbers, so a trail with wrong ones leads `spin -t`
//! astray without a word. `spin -a -o1 -o2 -o3` writes the table of all
//! statements (`pan.t`); the closing brace of every process type must have the
//! same number there as here, since all statements before it are counted.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use homing::ir::Network;
use homing::ir::network::{Process, Target};

use crate::arguments::ModelFile;

/// What SPIN numbers differently, as a sentence; nothing where it agrees, is
/// not installed, or does not read the model.
pub fn disagreement(file: &ModelFile, network: &Network) -> Option<String> {
    let table = statements(file)?;
    let theirs = ends(&table);
    for process in &network.processes {
        let name = type_name(process);
        let (Some(ours), Some(theirs)) = (end_of(process), theirs.get(name)) else { continue };
        if ours != *theirs {
            return Some(format!(
                "SPIN numbers the statements of `{name}` differently (its end is {theirs} \
                 there and {ours} here): it may not replay this trail"
            ));
        }
    }
    None
}

/// The text of SPIN's table of statements.
fn statements(file: &ModelFile) -> Option<String> {
    let model = fs::canonicalize(&file.path).ok()?;
    let folder = std::env::temp_dir().join(format!("homing-spin-{}", std::process::id()));
    fs::create_dir(&folder).ok()?;
    let mut spin = Command::new("spin");
    spin.args(["-a", "-o1", "-o2", "-o3"]).current_dir(&folder);
    spin.args(file.reading.define.iter().map(|one| format!("-D{one}")));
    spin.args(file.reading.include.iter().filter_map(|one| absolute(one)));
    spin.arg(model).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let table = spin.status().ok().and_then(|_| fs::read_to_string(folder.join("pan.t")).ok());
    // Nothing depends on the folder's being gone.
    let _ = fs::remove_dir_all(&folder);
    table
}

fn absolute(folder: &str) -> Option<String> {
    Some(format!("-I{}", fs::canonicalize(Path::new(folder)).ok()?.display()))
}

/// By process type, the number of its end.
fn ends(table: &str) -> BTreeMap<&str, u32> {
    let mut found = BTreeMap::new();
    let mut name = "";
    for line in table.lines() {
        if let Some((_, rest)) = line.split_once("/* proctype ")
            && let Some((_, rest)) = rest.split_once(": ")
        {
            name = rest.trim_end_matches("*/").trim();
        }
        let Some((_, arguments)) = line.split_once("settr(") else { continue };
        let number = arguments.split(',').next().and_then(|number| number.trim().parse().ok());
        if let (Some(number), true) = (number, arguments.contains("\"-end-\"")) {
            found.insert(name, number);
        }
    }
    found
}

fn type_name(process: &Process) -> &str {
    match process.name.as_str() {
        "init" => ":init:",
        name => name.split_once('[').map_or(name, |(name, _)| name),
    }
}

fn end_of(process: &Process) -> Option<u32> {
    let ends = |target: &Target| *target == Target::End;
    let edge = process.edges.iter().find(|edge| edge.branches.iter().any(|b| ends(&b.target)));
    edge.and_then(|edge| edge.code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let table = "\t/* proctype 2: :init: */\n\
            \ttrans[2][1]\t= settr(32,0,2,3,3,\"(run P(1))\", 0, 2, 0);\n\
            \ttrans[2][3]\t= settr(34,0,0,5,5,\"-end-\", 0, 3500, 0);\n\
            \t/* proctype 1: Q */\n\
            \ttrans[1][13]\t= settr(31,0,0,10,10,\"-end-\", 0, 3500, 0);\n";
        assert_eq!(ends(table), BTreeMap::from([(":init:", 34), ("Q", 31)]));
    }
}
