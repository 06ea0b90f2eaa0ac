//! Trails: runs in the format of SPIN and the verifiers it makes (`pan`).
//!
//! A line for every statement, `depth:process:statement`: how many lines come
//! before it, from 1 on; the number of the process (`_pid`); the number of the
//! statement among all statements of the model, claims included. A rendezvous
//! is two lines, the sender's first; what happens inside of a `d_step` is told
//! by the line of the `d_step` alone. Lines that begin with a negative number
//! are no steps:
//!
//! | line | says |
//! |---|---|
//! | `-4:-4:-4` | statements were merged: what a process does alone behind a statement may have no lines |
//! | `-2:n:-2` | a claim runs too: it is process 0, and the others are numbered from 1 |
//! | `-1:-1:-1` | here begins the cycle of a run that never ends |
//!
//! The numbers are those of [`Process::code`](homing_ir::network::Process::code)
//! and [`Edge::code`](homing_ir::network::Edge::code). Written are runs
//! without merging and claims (`spin -a -o3`, `pan` with `-DNOCLAIM`), which
//! `spin -t` replays.

mod follow;

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use homing_ir::interp::Interpreter;
use homing_ir::{Network, Trace};

use crate::trace_file::StoredTrace;
use homing_witness::outcome::CauseKind;
use homing_witness::replay::{observe, replay};

/// What is wrong with a trail.
#[derive(Debug, thiserror::Error)]
pub enum TrailError {
    /// It cannot be read.
    #[error("cannot read the trail `{}`: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is no trail, or not one of this model.
    #[error("{}:{line}: {message}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// The model has no numbers for its statements.
    #[error("models in this language have no trails: they are SPIN's, for models in Promela")]
    NoNumbers,
}

/// A line that is a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Line {
    /// Where it is in the file, counted from one.
    number: usize,
    process: u32,
    statement: u32,
}

/// A trail as written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Lines {
    steps: Vec<Line>,
    merged: bool,
    /// The lines before the cycle, where there is one.
    cycle: Option<usize>,
}

/// The trail of a run.
pub fn encode(network: &Network, trace: &Trace) -> Result<String, TrailError> {
    let mut text = String::new();
    let mut depth = 0;
    for (i, step) in trace.steps.iter().enumerate() {
        if trace.repeats == Some(i) {
            text.push_str("-1:-1:-1\n");
        }
        for edge in step.all() {
            let process = network.processes[edge.process.index()].code;
            let process = process.ok_or(TrailError::NoNumbers)?;
            // Within a `d_step` statements have no numbers.
            let Some(statement) = network.edge(*edge).code else { continue };
            depth += 1;
            // Writing to a string does not fail.
            let _ = writeln!(text, "{depth}:{process}:{statement}");
        }
    }
    Ok(text)
}

/// Whether a text is a trail rather than one of homing's own traces.
pub fn is_trail(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

/// Reads the trail in `path` and executes it.
pub fn read(path: &Path, network: &Network) -> Result<StoredTrace, TrailError> {
    let text =
        fs::read_to_string(path).map_err(|error| TrailError::Read { path: path.into(), error })?;
    decode(path, &text, network)
}

/// As [`read`], from the text of a file. The property is what the run violates
/// at its end; empty, if nothing.
pub fn decode(path: &Path, text: &str, network: &Network) -> Result<StoredTrace, TrailError> {
    if network.system_processes().any(|(_, process)| process.code.is_none()) {
        return Err(TrailError::NoNumbers);
    }
    let wrong = |(line, message)| TrailError::Line { path: path.into(), line, message };
    let lines = parse(text).map_err(wrong)?;
    let interpreter = Interpreter::new(network).map_err(|_| TrailError::NoNumbers)?;
    let mut trace = follow::follow(&interpreter, &lines).map_err(wrong)?;
    trace.repeats = lines.cycle.and_then(|before| first_of_cycle(network, &trace, before));
    let replayed = replay(&interpreter, &trace)
        .map_err(|error| wrong((lines.steps.len(), error.to_string())))?;
    let property = match observe(&interpreter, &replayed.end).map(|cause| cause.kind) {
        Some(CauseKind::Assertion) => "assertions",
        Some(CauseKind::Deadlock) => "deadlock",
        Some(CauseKind::Error) => "errors",
        Some(
            CauseKind::Goal
            | CauseKind::Invariant
            | CauseKind::Observer
            | CauseKind::Forever
            | CauseKind::Formula,
        )
        | None => "",
    };
    Ok(StoredTrace { model: network.name.clone(), property: property.into(), trace })
}

/// The step that begins behind so many lines; nothing where lines are missing.
fn first_of_cycle(network: &Network, trace: &Trace, before: usize) -> Option<usize> {
    let mut lines = 0;
    trace.steps.iter().position(|step| {
        let begins = lines == before;
        lines += step.all().filter(|edge| network.edge(**edge).code.is_some()).count();
        begins
    })
}

fn parse(text: &str) -> Result<Lines, (usize, String)> {
    let mut lines = Lines::default();
    let mut claimed = false;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let fields: Option<Vec<i64>> =
            line.split(':').map(|field| field.trim().parse().ok()).collect();
        let Some([depth, process, statement]) = fields.as_deref() else {
            return Err((number, format!("`{line}` is no line of a trail")));
        };
        match depth {
            -4 => lines.merged = true,
            -2 => claimed = true,
            -1 => lines.cycle = Some(lines.steps.len()),
            ..0 => {}
            // The claim's own steps.
            _ if claimed && *process == 0 => {}
            _ => {
                let process = process - i64::from(claimed);
                let (Ok(process), Ok(statement)) = (process.try_into(), (*statement).try_into())
                else {
                    return Err((number, format!("`{line}` is no line of a trail")));
                };
                lines.steps.push(Line { number, process, statement });
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_ir::counter::{counter, first_edges};

    #[test]
    fn lines_that_are_no_steps_are_told_apart() {
        let lines = parse("-2:1:-2\n-4:-4:-4\n1:0:19\n2:2:37\n3:0:19\n4:3:0\n").unwrap();
        let step = |number, process, statement| Line { number, process, statement };
        assert_eq!(
            lines,
            Lines { steps: vec![step(4, 1, 37), step(6, 2, 0)], merged: true, cycle: None }
        );
        assert!(parse("1:2\n").is_err() && parse("1:-2:3").is_err() && parse("a:b:c").is_err());
        assert_eq!(parse("1:0:0\n-1:-1:-1\n2:0:0\n").unwrap().cycle, Some(1));
    }

    #[test]
    fn models_without_numbers_have_no_trails() {
        let network = counter(3);
        assert!(matches!(encode(&network, &first_edges(2)), Err(TrailError::NoNumbers)));
        let read = decode(Path::new("t"), "1:0:0\n", &network);
        assert!(matches!(read, Err(TrailError::NoNumbers)));
    }

    /// The counter counts to three and is stuck; its only edge has number 7.
    fn numbered() -> Network {
        let mut network = counter(3);
        network.processes[0].code = Some(0);
        network.processes[0].edges[0].code = Some(7);
        network
    }

    #[test]
    fn what_is_written_is_read() {
        let network = numbered();
        let text = encode(&network, &first_edges(3)).unwrap();
        assert_eq!(text, "1:0:7\n2:0:7\n3:0:7\n");
        let stored = decode(Path::new("t"), &text, &network).unwrap();
        assert_eq!((stored.trace, stored.property.as_str()), (first_edges(3), "deadlock"));
    }

    #[test]
    fn steps_that_do_not_fit_say_where() {
        let error = |text: &str| decode(Path::new("t"), text, &numbered()).unwrap_err().to_string();
        assert!(error("1:0:7\n2:0:8\n").starts_with("t:2: "), "{}", error("1:0:7\n2:0:8\n"));
        assert!(error("1:0:7\n2:4:7\n").starts_with("t:2: there is no process 4"));
        assert!(error("1:0:7\n1:0:7\n1:0:7\n1:0:7\n").starts_with("t:4: "));
    }
}
