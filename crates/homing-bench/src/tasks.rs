//! Goals to search for: those of the papers' families and of BEEM.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use homing_bench::family;

use crate::corpus::Instance;

/// Where a task comes from: averages over both would mean little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The papers' families.
    Families,
    /// BEEM.
    Beem,
}

impl Source {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Source::Families => "families",
            Source::Beem => "BEEM",
        }
    }
}

/// A goal of a model.
#[derive(Clone, Debug)]
pub struct Task {
    /// Where it comes from.
    pub source: Source,
    /// `H5`, `R7-04` for the fourth random system; `at.3 1` for the first goal of `at.3`.
    pub name: String,
    /// The model's file.
    pub model: PathBuf,
    /// The goal, in the model's language.
    pub goal: String,
    /// Whether it can be reached, where known.
    pub reachable: Option<bool>,
    /// The least number of steps to it, where known.
    pub steps: Option<u64>,
}

/// Of the random systems, five of each size.
const SEEDS: [u64; 5] = [1, 4, 7, 10, 13];

/// These models of the papers' families, the random ones with several seeds each.
pub fn seeded(names: impl IntoIterator<Item = String>) -> impl Iterator<Item = (String, u64)> {
    names.into_iter().flat_map(|name| {
        let seeds = if name.starts_with('R') { &SEEDS[..] } else { &SEEDS[..1] };
        seeds.iter().map(move |seed| (name.clone(), *seed))
    })
}

/// Models of the papers' families, by name and seed, written into `folder`. Their errors
/// can all be reached.
pub fn of_families(
    folder: &Path,
    names: impl IntoIterator<Item = (String, u64)>,
) -> Result<Vec<Task>> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let written = |(name, seed): (String, u64)| {
        let made = family::model(&name, seed)?;
        let name = if name.starts_with('R') { format!("{name}-{seed:02}") } else { name };
        let model = folder.join(format!("{name}.{}", made.extension));
        fs::write(&model, made.text)
            .with_context(|| format!("cannot write {}", model.display()))?;
        let (source, reachable) = (Source::Families, Some(true));
        Ok(Task { source, name, model, goal: made.goal, reachable, steps: None })
    };
    names.into_iter().map(written).collect()
}

/// The goals of BEEM's instances.
pub fn of_beem(instances: &[Instance]) -> Vec<Task> {
    let task = |instance: &Instance, goal: &crate::corpus::Goal| Task {
        source: Source::Beem,
        name: format!("{} {}", instance.name, goal.id),
        model: instance.model.clone(),
        goal: goal.expression.clone(),
        reachable: goal.reachable,
        steps: goal.steps,
    };
    instances.iter().flat_map(|one| one.goals.iter().map(move |goal| task(one, goal))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Task {
        /// One without a model.
        pub fn of(source: Source) -> Task {
            let (name, goal, model) = (String::new(), String::new(), PathBuf::new());
            Task { source, name, model, goal, reachable: Some(true), steps: None }
        }
    }

    #[test]
    fn there_are_63_models_of_the_families() {
        assert_eq!(seeded(family::names().into_iter().chain(family::timed_names())).count(), 63);
    }
}
