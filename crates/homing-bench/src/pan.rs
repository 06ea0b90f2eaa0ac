//! SPIN's verifier: made from a Promela model, run, and its report read.
//!
//! `spin -a` writes a C program `pan` for one model. To compare like with like
//! SPIN keeps its hands off the model (`-o1 -o2 -o3`: no data-flow optimisation,
//! no resetting of dead variables, no merging of statements) and `pan` explores
//! everything (`-DNOREDUCE`: no partial-order reduction; `-E -A -c0`: neither
//! deadlocks nor assertions nor errors end the search).

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

use crate::measure::{Limits, Measured, measure};

/// How `pan` keeps states.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// As they are.
    None,
    /// As indices into tables of component states, `-DCOLLAPSE`.
    Collapse,
}

/// A verifier ready to run, in a folder of its own that goes when it goes.
pub struct Pan {
    folder: PathBuf,
    /// Processor seconds `spin` and the C compiler took.
    pub make_seconds: f64,
}

/// What `pan` reported of a complete search.
#[derive(Debug, PartialEq)]
pub struct PanReport {
    /// States stored.
    pub states: f64,
    /// Transitions: states stored and states met again.
    pub transitions: f64,
    /// Length of the longest path on its stack.
    pub depth: f64,
}

impl Pan {
    /// Makes the verifier of `model`.
    pub fn make(model: &Path, compression: Compression, limits: Limits) -> Result<Self> {
        let mut flags = vec!["-O2", "-DNOREDUCE"];
        if compression == Compression::Collapse {
            flags.push("-DCOLLAPSE");
        }
        Self::make_with(model, PLAIN, &flags, limits)
    }

    /// Makes a verifier for safety properties with these flags of `spin` and
    /// of the C compiler.
    pub fn make_with(model: &Path, spin: &[&str], gcc: &[&str], limits: Limits) -> Result<Self> {
        let gcc = [&["-DSAFETY", "-DNOCLAIM"], gcc].concat();
        Ok(Self::make_live(model, spin, &gcc, limits)?.0)
    }

    /// Makes a verifier for cycles too, of a model with formulas or a claim, with
    /// these flags. Answers the names of the formulas, too.
    pub fn make_live(
        model: &Path,
        spin: &[&str],
        gcc: &[&str],
        limits: Limits,
    ) -> Result<(Self, Vec<String>)> {
        let mut pan = Self { folder: fresh_folder(model)?, make_seconds: 0.0 };
        let megabytes = limits.memory.unwrap_or(8 << 30) >> 20;
        let time = Limits { memory: None, ..limits };
        let said = pan.step("spin", words(&[&["-a"], spin].concat(), Some(model)), time)?;
        let limit = format!("-DMEMLIM={megabytes}");
        let mut flags = vec!["-w", &limit];
        flags.extend(gcc);
        // Cycles are not found so, and other compression asks for it.
        if gcc.contains(&"-DSAFETY") && !gcc.contains(&"-DCOLLAPSE") {
            let text = fs::read(model).with_context(|| format!("cannot read {}", model.display()));
            flags.extend(whole(&String::from_utf8_lossy(&text?)));
        }
        flags.extend(["-o", "pan", "pan.c"]);
        pan.step("gcc", words(&flags, None), time)?;
        let name = |line: &str| Some(line.strip_prefix("ltl ")?.split_once(": ")?.0.to_owned());
        Ok((pan, said.lines().filter_map(name).collect()))
    }

    /// Whether SPIN makes a verifier of the model; it is not compiled.
    pub fn is_possible(model: &Path, limits: Limits) -> Result<bool> {
        let mut pan = Self { folder: fresh_folder(model)?, make_seconds: 0.0 };
        Ok(pan.step("spin", words(&["-a"], Some(model)), limits).is_ok())
    }

    /// Runs the verifier with these options and reads whatever it reports.
    pub fn search(&self, options: &[&str], limits: Limits) -> Result<(Told, Measured)> {
        let program = self.folder.join("pan");
        let measured = measure(&program, &words(options, None), Some(&self.folder), limits)?;
        Ok((Told::read(&measured.stdout), measured))
    }

    /// Runs a program in the folder; answers what it said.
    fn step(&mut self, program: &str, arguments: Vec<OsString>, limits: Limits) -> Result<String> {
        let folder = Some(self.folder.as_path());
        let made = measure(Path::new(program), &arguments, folder, limits)?;
        self.make_seconds += made.cpu_seconds;
        if made.code != Some(0) {
            // SPIN complains on standard output.
            let line = made.stdout.lines().find(|line| line.contains("rror"));
            bail!("{program}: {}", line.map_or_else(|| made.complaint(), str::to_owned));
        }
        Ok(made.stdout)
    }

    /// Explores everything with a stack of `depth` and 2^`slots` hash slots.
    pub fn run(&self, depth: u64, slots: u32, limits: Limits) -> Result<(PanReport, Measured)> {
        let options = [format!("-m{depth}"), format!("-w{slots}")];
        let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
        arguments.extend(words(&["-E", "-A", "-c0"], None));
        let program = self.folder.join("pan");
        let measured = measure(&program, &arguments, Some(&self.folder), limits)?;
        let report = parse(&measured.stdout)
            .with_context(|| format!("pan did not finish ({})", measured.complaint()))?;
        Ok((report, measured))
    }
}

impl Drop for Pan {
    fn drop(&mut self) {
        // A folder left behind in the temporary folder harms nobody.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Flags of the C compiler with which `pan` keeps the whole of a state: beside priorities
/// it takes variables of few bits for padding, and states that differ in these for one.
pub fn whole(text: &str) -> &'static [&'static str] {
    if text.contains("priority") { &["-DNOCOMP"] } else { &[] }
}

/// Flags of `spin` that keep its hands off the model.
pub const PLAIN: &[&str] = &["-o1", "-o2", "-o3"];

/// What `pan` reported, of a search that may have been cut short.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// States stored.
    pub states: Option<u64>,
    /// Transitions: states stored and states met again.
    pub transitions: Option<u64>,
    /// Errors reported.
    pub errors: Option<u64>,
    /// The first of them, with what stands behind `pan:N: `.
    pub error: Option<String>,
    /// The depth at which it was found.
    pub error_depth: Option<u64>,
    /// Length of the longest path on its stack.
    pub depth: Option<u64>,
    /// Why the search is not complete.
    pub cut_short: Option<&'static str>,
}

impl Told {
    fn read(output: &str) -> Told {
        let number = |words| number_before(output, words).ok().map(|number| number as u64);
        let error = output.lines().find_map(|line| {
            let (count, rest) = line.strip_prefix("pan:")?.split_once(": ")?;
            count.parse::<u64>().is_ok().then(|| rest.trim())
        });
        let (error, depth) = match error.and_then(|error| error.rsplit_once(" (at depth ")) {
            Some((text, depth)) => (Some(text), depth.trim_end_matches(')').parse().ok()),
            None => (error, None),
        };
        let errors = output.split_once("errors: ").map(|(_, rest)| rest);
        Told {
            states: number("states, stored").or_else(|| stored(output)),
            transitions: number("transitions (= stored+matched)"),
            errors: errors.and_then(|rest| rest.split_whitespace().next()?.parse().ok()),
            error: error.map(str::to_owned),
            error_depth: depth,
            depth: depth_reached(output).ok().map(|depth| depth as u64),
            cut_short: CUT_SHORT.iter().copied().find(|sign| output.contains(*sign)),
        }
    }
}

/// Numbers the folders of this run: one model may be made in several ways.
static MADE: AtomicUsize = AtomicUsize::new(0);

fn fresh_folder(model: &Path) -> Result<PathBuf> {
    let name = model.file_stem().unwrap_or_default().to_string_lossy();
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let folder = format!("homing-bench-{}-{number}-{name}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

fn words(words: &[&str], last: Option<&Path>) -> Vec<OsString> {
    let words = words.iter().map(OsString::from);
    words.chain(last.map(|path| path.as_os_str().to_owned())).collect()
}

/// Signs that `pan` did not look at everything.
const CUT_SHORT: &[&str] =
    &["max search depth too small", "Search not completed", "out of memory", "hash array overflow"];

/// Reads `pan`'s report; nothing less than a complete search will do.
fn parse(output: &str) -> Result<PanReport> {
    if let Some(sign) = CUT_SHORT.iter().find(|sign| output.contains(**sign)) {
        bail!("{sign}");
    }
    Ok(PanReport {
        states: number_before(output, "states, stored")?,
        transitions: number_before(output, "transitions (= stored+matched)")?,
        depth: depth_reached(output)?,
    })
}

fn number_before(output: &str, words: &str) -> Result<f64> {
    output
        .lines()
        .find_map(|line| line.trim().strip_suffix(words))
        .and_then(|number| number.trim().parse().ok())
        .with_context(|| format!("no number of {words}"))
}

/// States stored, where a nested search visited some of them twice.
fn stored(output: &str) -> Option<u64> {
    let (before, _) = output.split_once("states, stored (")?;
    before.lines().next_back()?.trim().parse().ok()
}

fn depth_reached(output: &str) -> Result<f64> {
    output
        .split_once("depth reached ")
        .and_then(|(_, rest)| rest.split(',').next()?.trim().parse().ok())
        .context("no depth reached")
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
State-vector 44 byte, depth reached 46327, errors: 0
  1066800 states, stored
  2563865 states, matched
1.0363067e+08 transitions (= stored+matched)
        0 atomic steps
";

    #[test]
    fn a_report_is_read() {
        let expected =
            PanReport { states: 1_066_800.0, transitions: 103_630_670.0, depth: 46_327.0 };
        assert_eq!(parse(REPORT).unwrap(), expected);
    }

    #[test]
    fn states_that_were_visited_twice_are_stored_once() {
        let nested = REPORT.replace("states, stored", "states, stored (1.5e+06 visited)");
        let told = Told::read(&nested);
        assert_eq!(
            (told.states, told.depth, told.errors),
            (Some(1_066_800), Some(46_327), Some(0))
        );
        assert_eq!(Told::read(REPORT).states, Some(1_066_800));
    }

    #[test]
    fn states_are_kept_whole_beside_priorities() {
        assert_eq!(whole("active proctype P() priority 2 { skip }"), ["-DNOCOMP"]);
        assert!(whole("active proctype P() { skip }").is_empty());
    }

    #[test]
    fn a_search_cut_short_is_refused() {
        let cut = format!("error: max search depth too small\n{REPORT}");
        assert!(parse(&cut).is_err());
        assert!(parse("pan: nothing").is_err());
    }
}
