//! Traces in files: written by `check --trace`, read by `replay`.
//!
//! ```json
//! { "format": "homing-trace", "version": 1, "model": "m.dve", "property": "deadlock",
//!   "steps": [
//!     [{"process":0,"edge":2,"branch":0,"name":"P","from":"a","to":"b","line":12}],
//!     …
//!   ] }
//! ```
//! Where control stays with a process, a step is a list of moves, each a list
//! of edges as above. A run that goes on for ever has `"loop": 3`, the steps before
//! those that it repeats. Runs of models with clocks end with
//! `"time": { "unit": 2, "delays": [0, 3, …], "rest": 1 }`: the delay before each
//! step and behind the last, in halves of a unit of time.
//!
//! Numbers decide; the names and lines are for people, and let a reader refuse
//! a trace that was made from another model. A file appears whole or not at
//! all: it is written beside its place and then moved there.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use homing_ir::network::{EdgeRef, ProcessId};
use homing_ir::{Network, Step, Trace};
use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::error::Category;

use homing_witness::moves::Moves;

const FORMAT: &str = "homing-trace";
const VERSION: u32 = 1;

/// The content of a trace file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TraceFile {
    /// Always `homing-trace`.
    pub format: String,
    /// The version of the format: 1.
    pub version: u32,
    /// The model's file.
    pub model: String,
    /// The property that the run violates.
    pub property: String,
    /// The steps.
    pub steps: Vec<TakenStep>,
    /// Of a run that goes on for ever, the steps before those that it repeats.
    #[serde(default, rename = "loop", skip_serializing_if = "Option::is_none")]
    pub repeats: Option<usize>,
    /// When they are taken, in models with clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TakenTime>,
}

/// When the steps of a run are taken, in a trace file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TakenTime {
    /// Delays are given in one part in so many of a unit of time.
    pub unit: i64,
    /// The delay before each step.
    pub delays: Vec<i64>,
    /// The delay behind the last one.
    pub rest: i64,
}

/// A step, in a trace file: the edges taken together, or a list of such where
/// control stays with a process.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum TakenStep {
    /// One move.
    One(Vec<TakenEdge>),
    /// Move by move.
    Sequence(Vec<Vec<TakenEdge>>),
}

impl TakenStep {
    fn moves(&self) -> &[Vec<TakenEdge>] {
        match self {
            TakenStep::One(edges) => std::slice::from_ref(edges),
            TakenStep::Sequence(moves) => moves,
        }
    }
}

/// An entry of a step: an edge, or the edges of a move.
enum Entry {
    Edge(TakenEdge),
    Move(Vec<TakenEdge>),
}

/// Tells by the first character what is there, so that an error names the
/// place and the field that is wrong.
impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Entry, D::Error> {
        struct EntryVisitor;
        impl<'de> Visitor<'de> for EntryVisitor {
            type Value = Entry;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an edge or a list of edges")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entry, A::Error> {
                TakenEdge::deserialize(MapAccessDeserializer::new(map)).map(Entry::Edge)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Entry, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Entry::Move)
            }
        }
        source.deserialize_any(EntryVisitor)
    }
}

impl<'de> Deserialize<'de> for TakenStep {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<TakenStep, D::Error> {
        let (mut edges, mut moves) = (Vec::new(), Vec::new());
        for entry in Vec::<Entry>::deserialize(source)? {
            match entry {
                Entry::Edge(edge) => edges.push(edge),
                Entry::Move(edges) => moves.push(edges),
            }
        }
        match (edges.is_empty(), moves.is_empty()) {
            (_, true) => Ok(TakenStep::One(edges)),
            (true, false) => Ok(TakenStep::Sequence(moves)),
            (false, false) => Err(D::Error::custom("edges and lists of edges in one step")),
        }
    }
}

/// An edge taken, in a trace file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TakenEdge {
    /// The number of the process in the model, from zero.
    pub process: u32,
    /// The number of the edge in the process, from zero.
    pub edge: u32,
    /// The number of the edge's branch, from zero.
    pub branch: u32,
    /// The process's name.
    pub name: String,
    /// The location it leaves.
    pub from: String,
    /// The location it reaches.
    pub to: String,
    /// The line the edge is written on.
    pub line: u32,
}

/// What is wrong with a trace file.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// It cannot be read.
    #[error("cannot read the trace `{}`: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is not JSON of the right shape.
    #[error("{}:{line}:{column}: not a trace: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
        /// The column, counted from one.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// It is a trace in a format this version does not know.
    #[error("{}: {message}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// It does not fit the model.
    #[error("{}: step {step}: {message}; was the trace made from another model?", path.display())]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// The step, counted from one.
        step: usize,
        /// What is wrong.
        message: String,
    },
}

/// What goes into a trace file.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The model.
    pub network: &'a Network,
    /// The model's file.
    pub model: &'a str,
    /// The property that the run violates.
    pub property: &'a str,
    /// The run.
    pub trace: &'a Trace,
}

impl Record<'_> {
    /// Writes the file, whole or not at all. A target that is not a regular
    /// file (a device, a pipe) is written to directly.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        if special {
            let file = OpenOptions::new().write(true).open(path)?;
            return self.write_to(file).map(drop);
        }
        // Through a symbolic link, the file it names is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let beside = temporary_name(&target);
        let written = File::create_new(&beside)
            .and_then(|file| self.write_to(file))
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&beside, &target));
        if written.is_err() {
            // It may never have existed; the first error is the one to report.
            let _ = fs::remove_file(&beside);
        }
        written
    }

    fn write_to(&self, file: File) -> io::Result<File> {
        let mut out = BufWriter::new(file);
        self.encode(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)
    }

    /// Writes the content, step by step, a line each.
    pub fn encode(&self, out: &mut dyn Write) -> io::Result<()> {
        let quoted = |text: &str| serde_json::to_string(text).map_err(io::Error::from);
        let (model, property) = (quoted(self.model)?, quoted(self.property)?);
        write!(out, "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"model\":{model},")?;
        write!(out, "\"property\":{property},\"steps\":[")?;
        let mut moves = Moves::new(self.network);
        for (i, step) in self.trace.steps.iter().enumerate() {
            out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
            let mut all: Vec<Vec<TakenEdge>> = step
                .moves()
                .map(|edges| edges.iter().map(|edge| taken(&mut moves, *edge)).collect())
                .collect();
            let step = match all.len() {
                1 => TakenStep::One(all.remove(0)),
                _ => TakenStep::Sequence(all),
            };
            serde_json::to_writer(&mut *out, &step)?;
        }
        out.write_all(b"\n]")?;
        if let Some(repeats) = self.trace.repeats {
            write!(out, ",\n\"loop\":{repeats}")?;
        }
        if self.network.is_timed() {
            let Trace { steps, unit, rest, .. } = self.trace;
            let delays = steps.iter().map(|step| step.delay).collect();
            let time = TakenTime { unit: *unit, delays, rest: *rest };
            out.write_all(b",\n\"time\":")?;
            serde_json::to_writer(&mut *out, &time)?;
        }
        out.write_all(b"}\n")
    }
}

fn temporary_name(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    target.with_file_name(name)
}

fn taken(moves: &mut Moves, edge: EdgeRef) -> TakenEdge {
    let described = moves.get(edge);
    TakenEdge {
        process: edge.process.0,
        edge: edge.edge,
        branch: edge.branch,
        name: described.process.clone(),
        from: described.from.clone(),
        to: described.to.clone(),
        line: described.line,
    }
}

/// A trace as read from a file, checked against a model.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredTrace {
    /// The model it was made from, by its file's name at that time.
    pub model: String,
    /// The property it violates.
    pub property: String,
    /// The run.
    pub trace: Trace,
}

/// Reads the trace in `path` and checks that its edges are edges of `network`.
pub fn read(path: &Path, network: &Network) -> Result<StoredTrace, TraceFileError> {
    let text = fs::read_to_string(path)
        .map_err(|error| TraceFileError::Read { path: path.into(), error })?;
    decode(path, &text, network)
}

/// As [`read`], from the text of a file.
pub fn decode(path: &Path, text: &str, network: &Network) -> Result<StoredTrace, TraceFileError> {
    let file = parse(path, text)?;
    let mut moves = Moves::new(network);
    let mut steps = Vec::with_capacity(file.steps.len());
    for (i, step) in file.steps.iter().enumerate() {
        let mismatch =
            |message| TraceFileError::Mismatch { path: path.into(), step: i + 1, message };
        let mut all = Vec::new();
        for edges in step.moves() {
            let edges = edges.iter().map(|edge| resolve(network, &mut moves, edge));
            all.push(edges.collect::<Result<Vec<EdgeRef>, String>>().map_err(mismatch)?);
        }
        let mut all = all.into_iter();
        steps.push(Step { delay: 0, edges: all.next().unwrap_or_default(), then: all.collect() });
    }
    let mut trace = Trace::new(steps);
    let format = |message| TraceFileError::Format { path: path.into(), message };
    if file.repeats.is_some_and(|repeats| repeats >= trace.steps.len()) {
        return Err(format("its loop begins behind its last step".into()));
    }
    trace.repeats = file.repeats;
    if let Some(time) = &file.time {
        set_times(&mut trace, time).map_err(format)?;
    }
    Ok(StoredTrace { model: file.model, property: file.property, trace })
}

/// Gives the steps of a run their delays, or says what is wrong with them.
fn set_times(trace: &mut Trace, time: &TakenTime) -> Result<(), String> {
    if time.delays.len() != trace.steps.len() {
        let (delays, steps) = (time.delays.len(), trace.steps.len());
        return Err(format!("there are {delays} delays for {steps} steps"));
    }
    if time.unit < 1 || time.rest < 0 || time.delays.iter().any(|delay| *delay < 0) {
        return Err("a delay is negative, or its unit is not positive".into());
    }
    (trace.unit, trace.rest) = (time.unit, time.rest);
    for (step, delay) in trace.steps.iter_mut().zip(&time.delays) {
        step.delay = *delay;
    }
    Ok(())
}

fn parse(path: &Path, text: &str) -> Result<TraceFile, TraceFileError> {
    #[derive(Deserialize)]
    struct Header {
        format: String,
        version: u32,
    }
    // A newer format may have another shape, so its number is looked at even
    // where the rest is not understood.
    if let Ok(header) = serde_json::from_str::<Header>(text) {
        let format = |message| Err(TraceFileError::Format { path: path.into(), message });
        if header.format != FORMAT {
            return format(format!("the format is `{}`, not `{FORMAT}`", header.format));
        }
        if header.version != VERSION {
            let found = header.version;
            return format(format!(
                "the trace is of version {found}, this homing reads version {VERSION}"
            ));
        }
    }
    serde_json::from_str(text).map_err(|error| TraceFileError::Syntax {
        path: path.into(),
        line: error.line().max(1),
        column: error.column().max(1),
        message: described(text, &error),
    })
}

/// A JSON error in words.
fn described(text: &str, error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof if text.trim().is_empty() => "the file is empty".into(),
        Category::Eof => "the file ends in the middle".into(),
        Category::Syntax => format!("it is no JSON: {}", without_place(error)),
        Category::Data | Category::Io => without_place(error),
    }
}

/// The message of a JSON error without the place at its end.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&place).unwrap_or(&message).to_string()
}

/// The edge that a file names, or why there is none like it in the model.
fn resolve(network: &Network, moves: &mut Moves, edge: &TakenEdge) -> Result<EdgeRef, String> {
    let process = network
        .processes
        .get(edge.process as usize)
        .ok_or_else(|| format!("there is no process number {}", edge.process))?;
    let branches = process.edges.get(edge.edge as usize).map(|edge| edge.branches.len());
    match branches {
        None => {
            return Err(format!("process `{}` has no edge number {}", process.name, edge.edge));
        }
        Some(branches) if edge.branch as usize >= branches => {
            return Err(format!(
                "edge {} of `{}` has no branch {}",
                edge.edge, process.name, edge.branch
            ));
        }
        Some(_) => {}
    }
    let reference =
        EdgeRef { process: ProcessId(edge.process), edge: edge.edge, branch: edge.branch };
    let described = moves.get(reference);
    let in_model = (&described.process, &described.from, &described.to);
    if in_model != (&edge.name, &edge.from, &edge.to) {
        return Err(format!(
            "the edge is `{}: {} -> {}` in the trace, but `{}: {} -> {}` in the model",
            edge.name, edge.from, edge.to, described.process, described.from, described.to
        ));
    }
    Ok(reference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_ir::counter::{counter, first_edges};

    fn example(steps: usize) -> (Network, Trace) {
        (counter(3), first_edges(steps))
    }

    fn encoded(network: &Network, trace: &Trace) -> String {
        let mut out = Vec::new();
        let record = Record { network, model: "c \"1\".dve", property: "x > 2", trace };
        record.encode(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn error(text: &str) -> String {
        decode(Path::new("t.json"), text, &counter(3)).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        for steps in [0, 1, 3] {
            let (network, trace) = example(steps);
            let text = encoded(&network, &trace);
            let read = decode(Path::new("t.json"), &text, &network).unwrap();
            assert_eq!(read.trace, trace);
            assert_eq!((read.model.as_str(), read.property.as_str()), ("c \"1\".dve", "x > 2"));
        }
    }

    #[test]
    fn sequences_are_lists_of_moves() {
        let (network, mut trace) = example(2);
        let edges = trace.steps[0].edges.clone();
        trace.steps[1].then = vec![edges.clone(), edges];
        let text = encoded(&network, &trace);
        assert!(text.contains("\n[{") && text.contains("\n[[{"), "{text}");
        assert_eq!(decode(Path::new("t.json"), &text, &network).unwrap().trace, trace);
        let broken = text.replacen("[[{", "[{\"process\":0},[{", 1);
        assert!(error(&broken).contains("t.json:3:"), "{}", error(&broken));
        let mixed = text.replacen("}],[", "}},[", 1).replacen("[[{", "[{", 1).replace("}},", "},");
        assert!(error(&mixed).contains("edges and lists of edges in one step"), "{mixed}");
    }

    #[test]
    fn the_format_is_fixed() {
        let (network, trace) = example(1);
        let expected = r#"{"format":"homing-trace","version":1,"model":"c \"1\".dve","property":"x > 2","steps":[
[{"process":0,"edge":0,"branch":0,"name":"Counter","from":"count","to":"count","line":4}]
]}
"#;
        assert_eq!(encoded(&network, &trace), expected);
    }

    #[test]
    fn broken_files_say_where() {
        let (network, trace) = example(2);
        let text = encoded(&network, &trace);
        assert!(error("").starts_with("t.json:1:1: not a trace: the file is empty"));
        assert!(error("foo").contains("it is no JSON"), "{}", error("foo"));
        assert!(error(&text[..text.len() / 2]).starts_with("t.json:2:"));
        assert!(error(&text.replace("branch", "twig")).contains("missing field `branch`"));
        assert!(error("[1]").starts_with("t.json:1:"));
        let deep = format!("{{\"x\":{}", "[".repeat(100_000));
        assert!(error(&deep).starts_with("t.json:1:"), "{}", error(&deep));
    }

    #[test]
    fn other_formats_are_named() {
        let newer = r#"{"format":"homing-trace","version":9,"steps":"elsewhere"}"#;
        assert!(error(newer).contains("version 9, this homing reads version 1"));
        assert!(error(r#"{"format":"itf","version":1}"#).contains("`itf`, not `homing-trace`"));
    }

    #[test]
    fn traces_of_other_models_are_refused() {
        let (network, trace) = example(2);
        let text = encoded(&network, &trace);
        let with = |from: &str, to: &str| error(&text.replacen(from, to, 1));
        assert!(
            with("\"process\":0", "\"process\":7").contains("step 1: there is no process number 7")
        );
        assert!(with("\"edge\":0", "\"edge\":99").contains("no edge number 99"));
        assert!(with("\"branch\":0", "\"branch\":4").contains("no branch 4"));
        assert!(with("Counter", "Clock").contains("`Clock: count -> count` in the trace"));
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let (network, trace) = example(3);
        let record = Record { network: &network, model: "m", property: "p", trace: &trace };
        let folder = std::env::temp_dir().join(format!("homing-report-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("t.json");
        record.write(&path).unwrap();
        record.write(&path).unwrap();
        assert_eq!(read(&path, &network).unwrap().trace, trace);
        let names = fs::read_dir(&folder).unwrap().count();
        assert_eq!(names, 1, "no temporary file stays behind");
        assert!(record.write(&folder).is_err(), "a folder is not a file");
        assert!(record.write(&folder.join("no/such/folder.json")).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error() {
        let (network, trace) = example(3);
        let record = Record { network: &network, model: "m", property: "p", trace: &trace };
        let error = record.write(Path::new("/dev/full")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(fs::metadata("/dev/full").is_ok_and(|metadata| !metadata.is_file()));
    }
}
