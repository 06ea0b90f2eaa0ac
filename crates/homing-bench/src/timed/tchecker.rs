//! Runs TChecker's `tck-reach` and reads what it prints.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::measure::{Limits, Measured, measure};

/// The program `tck-reach`.
pub struct TChecker {
    program: PathBuf,
}

/// What it tells of a search.
#[derive(Debug, PartialEq)]
pub struct Told {
    /// Whether a state with the labels was found.
    pub reachable: bool,
    /// Zones kept at the end.
    pub stored: u64,
    /// Zones taken from the queue.
    pub visited: u64,
    /// Transitions generated.
    pub transitions: u64,
    /// Seconds of the search alone.
    pub seconds: f64,
}

impl TChecker {
    /// The program in `folder`, else on the `PATH`.
    pub fn find(folder: Option<&Path>) -> TChecker {
        let program = PathBuf::from("tck-reach");
        TChecker { program: folder.map_or(program.clone(), |folder| folder.join(program)) }
    }

    /// Searches for a state with all of `labels`; everything, without. Nothing
    /// where the search was ended by its limits.
    pub fn search(
        &self,
        model: &Path,
        algorithm: &str,
        order: &str,
        labels: &[&str],
        limits: Limits,
    ) -> Result<Option<(Told, Measured)>> {
        let mut arguments: Vec<OsString> =
            ["-a", algorithm, "-s", order].into_iter().map(OsString::from).collect();
        if !labels.is_empty() {
            arguments.extend(["-l".into(), labels.join(",").into()]);
        }
        arguments.push(model.into());
        let measured = measure(&self.program, &arguments, None, limits)?;
        match measured.code {
            None => Ok(None),
            Some(_) if measured.stderr.contains("bad_alloc") => Ok(None),
            Some(0) => Ok(Some((parse(&measured.stdout)?, measured))),
            Some(_) => bail!("TChecker: {}", measured.complaint()),
        }
    }
}

fn parse(text: &str) -> Result<Told> {
    let value = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        let found = lines.find(|(key, _)| *key == name).map(|(_, value)| value.trim());
        found.with_context(|| format!("TChecker tells no {name}"))
    };
    Ok(Told {
        reachable: value("REACHABLE")? == "true",
        // The search without subsumption keeps all it visits.
        stored: value("STORED_STATES").or_else(|_| value("VISITED_STATES"))?.parse()?,
        visited: value("VISITED_STATES")?.parse()?,
        transitions: value("VISITED_TRANSITIONS")?.parse()?,
        seconds: value("RUNNING_TIME_SECONDS")?.parse()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read() {
        let text = "COVERED_STATES 78\nREACHABLE false\nRUNNING_TIME_SECONDS 0.5\n\
                    STORED_STATES 70\nVISITED_STATES 71\nVISITED_TRANSITIONS 147\n";
        let told =
            Told { reachable: false, stored: 70, visited: 71, transitions: 147, seconds: 0.5 };
        assert_eq!(parse(text).unwrap(), told);
        assert!(parse("REACHABLE true\n").is_err());
    }
}
