//! The BEEM part of the model corpus and what is known of each instance.
//!
//! The corpus is not part of the project. It is looked for where `--corpus` or
//! `HOMING_CORPUS` says, else beside the project in `../shared/corpus`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::table::{Row, Table};

/// The folder of the corpus.
pub struct Corpus {
    root: PathBuf,
}

/// One base instance of BEEM with its known answers; absent where unknown.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// Family and number, for example `at.3`.
    pub name: String,
    /// The DVE model.
    pub model: PathBuf,
    /// Reachable states.
    pub states: Option<u64>,
    /// Transitions between them, parallel ones counted each.
    pub transitions: Option<u64>,
    /// Largest breadth-first distance from the initial state, which is at 0:
    /// hanoi.1 with its 8 discs says 255, and the ten layers of phils.1 say 9.
    pub levels: Option<u64>,
    /// States without a successor.
    pub deadlocks: Option<u64>,
    /// Steps to the nearest of them.
    pub shortest_deadlock: Option<u64>,
    /// Reachability questions.
    pub goals: Vec<Goal>,
}

/// A reachability question with its known answer.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The property's number in BEEM.
    pub id: String,
    /// The goal as a DVE expression.
    pub expression: String,
    /// Whether it is reachable, where known.
    pub reachable: Option<bool>,
    /// The least number of steps to it, where known.
    pub steps: Option<u64>,
}

impl Corpus {
    /// Finds the corpus, preferring the folder given.
    pub fn open(given: Option<&Path>) -> Result<Self> {
        let root = given
            .map(Path::to_owned)
            .or_else(|| std::env::var_os("HOMING_CORPUS").map(PathBuf::from))
            .unwrap_or_else(beside_the_project);
        if !root.is_dir() {
            bail!("no corpus at {}: name its folder with --corpus", root.display());
        }
        // Other tools are run in folders of their own.
        let root = root.canonicalize().unwrap_or(root);
        Ok(Self { root })
    }

    /// Every given BEEM base instance, by family and number.
    pub fn beem(&self) -> Result<Vec<Instance>> {
        let folder = self.beem_folder();
        let mut known = BTreeMap::new();
        for row in Table::read(&folder.join("MERGED-states.tsv"))?.rows() {
            if let Some(instance) = counted(&folder, row) {
                known.insert(sort_key(&instance.name), instance);
            }
        }
        for row in Table::read(&folder.join("deadlocks.tsv"))?.rows() {
            if let Some(instance) = row.text("instance").and_then(|name| find(&mut known, name)) {
                instance.states = instance.states.or(row.number("states"));
                instance.deadlocks = row.number("deadlock_states");
                instance.shortest_deadlock = row.number("shortest_steps_to_deadlock");
            }
        }
        for row in Table::read(&folder.join("reach-goals.tsv"))?.rows() {
            let name = (row.text("model"), row.text("instance"));
            if let ((Some(family), Some(number)), Some(goal)) = (name, goal(row))
                && let Some(instance) = find(&mut known, &format!("{family}.{number}"))
            {
                instance.goals.push(goal);
            }
        }
        Ok(known.into_values().filter(|known| known.model.is_file()).collect())
    }

    /// Those of one family, where one is named.
    pub fn beem_of(&self, wanted: Option<&str>) -> Result<Vec<Instance>> {
        let mut all = self.beem()?;
        all.retain(|instance| wanted.is_none_or(|wanted| family(&instance.name) == wanted));
        Ok(all)
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of BEEM's models and tables.
    pub fn beem_folder(&self) -> PathBuf {
        self.root.join("dve/beem")
    }

    /// The folder of formulas for BEEM's models.
    pub fn ltl_folder(&self) -> PathBuf {
        self.root.join("dve/ltl")
    }

    /// The folder of Promela models.
    pub fn promela_folder(&self) -> PathBuf {
        self.root.join("promela")
    }

    /// The folder of timed models.
    pub fn timed_folder(&self) -> PathBuf {
        self.root.join("timed")
    }

    /// The Promela model of the same name as a BEEM instance.
    pub fn promela(&self, name: &str) -> PathBuf {
        self.root.join("promela/beem").join(family(name)).join(format!("{name}.pm"))
    }
}

/// A model's file.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path below the folder that was looked through.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
}

impl File {
    /// The text, whatever its encoding.
    pub fn text(&self) -> Result<String> {
        let bytes = fs::read(&self.path);
        let bytes = bytes.with_context(|| format!("cannot read {}", self.path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// All files below `root` whose names end so, by name.
pub fn files(root: &Path, endings: &[&str]) -> Result<Vec<File>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder);
        let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
            if path.is_dir() {
                folders.push(path);
            } else if endings.contains(&ending) {
                let name = path.strip_prefix(root).unwrap_or(&path);
                found.push(File { name: name.to_string_lossy().into_owned(), path });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The part of an instance's name before its number.
pub fn family(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(family, _)| family)
}

fn beside_the_project() -> PathBuf {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    project.canonicalize().unwrap_or(project).join("../shared/corpus")
}

/// Families alphabetically, numbers numerically.
fn sort_key(name: &str) -> (String, u64) {
    let number = name.rsplit_once('.').and_then(|(_, number)| number.parse().ok());
    (family(name).to_owned(), number.unwrap_or(0))
}

fn find<'a>(
    known: &'a mut BTreeMap<(String, u64), Instance>,
    name: &str,
) -> Option<&'a mut Instance> {
    known.get_mut(&sort_key(name))
}

/// LTSmin's count goes before BEEM's own: its searches were all exhaustive.
fn counted(folder: &Path, row: Row<'_>) -> Option<Instance> {
    let name = row.text("model")?;
    let complete = row.text("beem_complete") == Some("yes");
    let beem = row.number("beem_states").filter(|_| complete);
    let states = row.number("ltsmin_states").or(beem);
    let component_states = row.number("scc_states");
    Some(Instance {
        name: name.to_owned(),
        model: folder.join(family(name)).join(format!("{name}.dve")),
        states,
        transitions: row.number("scc_transitions").filter(|_| component_states == states),
        levels: row.number("ltsmin_bfs_levels"),
        ..Instance::default()
    })
}

/// Re-derived answers go before BEEM's, whose lengths need not be shortest.
fn goal(row: Row<'_>) -> Option<Goal> {
    let answer = row.text("verified_answer").or(row.text("beem_answer"));
    Some(Goal {
        id: row.text("property_id")?.to_owned(),
        expression: row.text("goal_expression")?.to_owned(),
        reachable: match answer {
            Some("yes") => Some(true),
            Some("no") => Some(false),
            _ => None,
        },
        steps: row.number("verified_shortest_steps"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_keep_their_hyphens() {
        assert_eq!(family("train-gate.7"), "train-gate");
        assert!(sort_key("at.2") < sort_key("at.10"));
    }

    #[test]
    fn known_answers_are_read() {
        let Ok(corpus) = Corpus::open(None) else {
            println!("skipped: no corpus");
            return;
        };
        let instances = corpus.beem().unwrap();
        let at = instances.iter().find(|known| known.name == "at.2").unwrap();
        assert_eq!((at.states, at.levels, at.deadlocks), (Some(49443), Some(47), Some(0)));
        assert_eq!((at.goals[0].reachable, at.goals[0].steps), (Some(true), Some(15)));
        assert!(corpus.promela("at.3").is_file());
    }
}
