//! Fast Downward's search component: found, run on a task, and its log read.
//!
//! The Python package `up-fast-downward` carries the program, `downward`; the
//! translator before it is not needed, since `homing export --sas` writes what
//! the program reads.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::measure::{Limits, Measured, measure_reading};

/// Where the Python package keeps the program.
const IN_PACKAGE: &str = "downward/builds/release/bin/downward";

/// Prints the folder of the Python package without loading it.
const FIND_PACKAGE: &str = "import importlib.util as u; \
    print(u.find_spec('up_fast_downward').submodule_search_locations[0])";

/// Prints the options that an alias of the driver stands for, as JSON; its arguments are the
/// folder of the driver and the alias.
const SPELL_OUT: &str = "import sys, json; sys.path.insert(0, sys.argv[1]); \
    from driver import aliases; print(json.dumps(aliases.ALIASES[sys.argv[2]]))";

/// The folder that holds the driver, seen from the program's.
const TO_DRIVER: &str = "../../..";

/// The program.
pub struct Planner {
    program: PathBuf,
}

/// What the program said of one search.
#[derive(Debug, PartialEq)]
pub struct Plan {
    /// States whose heuristic value was computed.
    pub evaluated: u64,
    /// States expanded.
    pub expanded: u64,
    /// Processor seconds of the search alone, without reading the task and
    /// making the heuristic.
    pub search_seconds: f64,
    /// The steps of the plan, where one was found.
    pub length: Option<u64>,
}

impl Planner {
    /// Takes the program given, else the one on the `PATH`, else that of the
    /// Python package.
    pub fn find(given: Option<&Path>) -> Result<Self> {
        if let Some(program) = given {
            let program = program
                .canonicalize()
                .with_context(|| format!("no program at {}", program.display()))?;
            return Ok(Self { program });
        }
        let on_path = std::env::var_os("PATH").and_then(|path| {
            let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
            folders.iter().map(|folder| folder.join("downward")).find(|file| file.is_file())
        });
        match on_path.or_else(in_package) {
            Some(program) => Ok(Self { program }),
            None => bail!(
                "Fast Downward is missing: `pip install --no-deps up-fast-downward` brings it, \
                 or name its program `downward` with --downward"
            ),
        }
    }

    /// The options that an alias stands for, which differ from version to version. Only the
    /// driver knows them, which starts the program otherwise.
    pub fn alias(&self, name: &str) -> Result<Vec<String>> {
        let folder = self.program.parent().unwrap_or(Path::new(".")).join(TO_DRIVER);
        let python =
            Command::new("python3").args(["-c", SPELL_OUT]).arg(&folder).arg(name).output();
        let told = python.context("cannot start python3")?;
        if !told.status.success() {
            bail!("Fast Downward's driver, in {}, knows no alias {name}", folder.display());
        }
        serde_json::from_slice(&told.stdout).context("the driver's aliases cannot be read")
    }

    /// Runs a search on a task, as these options say.
    pub fn run(
        &self,
        options: &[String],
        task: &Path,
        folder: &Path,
        limits: Limits,
    ) -> Result<(Plan, Measured)> {
        let plan = ["--internal-plan-file", "plan"].map(OsString::from);
        let arguments: Vec<OsString> = options.iter().map(OsString::from).chain(plan).collect();
        let measured =
            measure_reading(&self.program, &arguments, Some(folder), Some(task), limits)?;
        let plan = parse(&measured.stdout)
            .with_context(|| format!("downward did not finish ({})", measured.complaint()))?;
        Ok((plan, measured))
    }
}

fn in_package() -> Option<PathBuf> {
    let output = Command::new("python3").args(["-c", FIND_PACKAGE]).output().ok()?;
    let folder = String::from_utf8(output.stdout).ok()?;
    let program = Path::new(folder.trim()).join(IN_PACKAGE);
    (output.status.success() && program.is_file()).then_some(program)
}

fn parse(log: &str) -> Result<Plan> {
    let number = |before: &str, after: &str| {
        let line = log.lines().find(|line| line.contains(before))?;
        line.split_once(before)?.1.trim().split(after).next()?.trim().parse::<f64>().ok()
    };
    Ok(Plan {
        evaluated: number("] Evaluated ", "state").context("no number of evaluated states")? as u64,
        expanded: number("] Expanded ", "state").context("no number of expanded states")? as u64,
        search_seconds: number("Actual search time:", "s").context("no search time")?,
        length: number("Plan length:", "step").map(|length| length as u64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read() {
        let log = "[t=0.1s, 10 KB] Initial heuristic value for ff: 26\n\
                   [t=0.17994s, 10672 KB] Actual search time: 0.012719s\n\
                   [t=0.18015s, 10672 KB] Plan length: 176 step(s).\n\
                   [t=0.18015s, 10672 KB] Expanded 1031 state(s).\n\
                   [t=0.18015s, 10672 KB] Evaluated 1124 state(s).\n\
                   [t=0.18015s, 10672 KB] Evaluated until last jump: 7 state(s).\n";
        let plan =
            Plan { evaluated: 1124, expanded: 1031, search_seconds: 0.012_719, length: Some(176) };
        assert_eq!(parse(log).unwrap(), plan);
        assert!(parse("Error reading task").is_err());
    }
}
