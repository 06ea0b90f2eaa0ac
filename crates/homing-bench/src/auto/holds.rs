//! What the planner costs where there is nothing to find, beside breadth-first search.
//!
//! Models are BEEM's goals out of reach, and BEEM's models without deadlocks, in DVE and in
//! Promela: of these the largest three of a family, so that families of many instances do not
//! outweigh the others. Both searches go through all states, without reduction and symmetry, in turn; the least time
//! of several runs counts. Instructions, counted by valgrind, do not depend on what else
//! the machine does.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::Options;
use crate::corpus::{Instance, family};
use crate::homing::{Homing, Verdict};
use crate::measure::{Limits, measure};
use crate::page::least;
use crate::table::{Report, cell};

pub const TABLE: &str = "auto-holds.tsv";

const COLUMNS: &[&str] = &[
    "model",
    "property",
    "states",
    "breadth_seconds",
    "auto_seconds",
    "seconds_ratio",
    "breadth_instructions",
    "auto_instructions",
    "instructions_ratio",
];

/// The searches compared.
const STRATEGIES: [&str; 2] = ["breadth", "auto"];

/// Models without deadlocks of one family.
const SAME_FAMILY: usize = 3;

/// Models in Promela have at most so many states: their steps take longer.
const MOST_IN_PROMELA: u64 = 15_000_000;

/// A property that holds, or of which that is not known yet.
struct Claim {
    /// `at.4`, or `at.4.pm` in Promela.
    name: String,
    model: PathBuf,
    /// `deadlock`, or the number of a goal.
    property: String,
    /// What asks for it on the command line.
    asked: [String; 2],
    /// Whether it is known to hold.
    known: bool,
}

/// What one command of either strategy took.
type Both = [f64; 2];

/// Measures every model; answers how many answers are wrong.
pub fn run(options: &Options) -> Result<usize> {
    let homing = options.common.setting.homing()?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    let mut deadlock_free: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = 0;
    for claim in claims(options)? {
        let of_family = deadlock_free.entry(claim.family()).or_default();
        let enough = claim.is_general() && *of_family >= SAME_FAMILY;
        if enough || !claim.holds(&homing, options)? {
            continue;
        }
        match measured(&homing, &claim, options) {
            Ok((cells, differs)) => {
                *of_family += usize::from(claim.is_general());
                wrong += usize::from(differs);
                report.told(&cells)?;
            }
            Err(error) => report.left_out(&claim.name, &format!("{error:#}"))?,
        }
    }
    Ok(wrong)
}

/// The row of a claim, and whether an answer is wrong.
fn measured(homing: &Homing, claim: &Claim, options: &Options) -> Result<(Vec<String>, bool)> {
    let (states, seconds, differs) = timed(homing, claim, options)?;
    if states < options.least {
        bail!("without what does not matter to the property, it has {states} states");
    }
    let counted = match options.instructions {
        Some(most) if states <= most => Some(instructions(homing, claim)?),
        _ => None,
    };
    Ok((row(claim, states, seconds, counted), differs))
}

/// Goals out of reach, smallest models first, then freedom from deadlocks, largest first.
fn claims(options: &Options) -> Result<Vec<Claim>> {
    let corpus = options.common.setting.corpus()?;
    let mut models = corpus.beem()?;
    let fits = |states: u64| (options.least..=options.most).contains(&states);
    models.retain(|model| model.states.is_some_and(fits));
    models.sort_by_key(|model| model.states);
    let mut all: Vec<Claim> = models.iter().flat_map(out_of_reach).collect();
    for model in models.iter().rev().filter(|model| model.deadlocks.unwrap_or(0) == 0) {
        let known = model.deadlocks == Some(0);
        all.push(Claim::deadlock_free(model.name.clone(), model.model.clone(), known));
        let twin = corpus.promela(&model.name);
        if model.states.is_some_and(|states| states <= MOST_IN_PROMELA) && twin.is_file() {
            // In another language it may be another system.
            all.push(Claim::deadlock_free(format!("{}.pm", model.name), twin, false));
        }
    }
    Ok(options.wanted(all, |claim| &claim.name))
}

/// The goals of a model that cannot be reached.
fn out_of_reach(model: &Instance) -> impl Iterator<Item = Claim> {
    let goals = model.goals.iter().filter(|goal| goal.reachable == Some(false));
    goals.map(|goal| Claim {
        name: model.name.clone(),
        model: model.model.clone(),
        property: goal.id.clone(),
        asked: ["--goal".to_owned(), goal.expression.clone()],
        known: true,
    })
}

impl Claim {
    fn deadlock_free(name: String, model: PathBuf, known: bool) -> Claim {
        let asked = ["--property", "deadlock"].map(str::to_owned);
        Claim { name, model, property: "deadlock".to_owned(), asked, known }
    }

    /// Whether it is freedom from deadlocks, which can be asked of every model.
    fn is_general(&self) -> bool {
        self.property == "deadlock"
    }

    /// The family, in each language by itself.
    fn family(&self) -> String {
        match self.name.strip_suffix(".pm") {
            Some(name) => format!("{}.pm", family(name)),
            None => family(&self.name).to_owned(),
        }
    }

    fn options<'a>(&'a self, strategy: &'a str, options: &'a Options) -> Vec<&'a str> {
        let [flag, value] = &self.asked;
        vec![flag, value, "--strategy", strategy, "--memory", &options.memory]
    }

    /// Whether it holds, by breadth-first search within its time where that is not known.
    fn holds(&self, homing: &Homing, options: &Options) -> Result<bool> {
        if self.known {
            return Ok(true);
        }
        let limits = Limits { memory: None, seconds: Some(options.seconds) };
        let asked = self.options("breadth", options);
        let answer = homing.try_check(&self.model, &asked, limits)?;
        Ok(answer.is_ok_and(|(check, _)| check.results.iter().all(|one| one.verdict == "holds")))
    }
}

/// The states, the least time of either strategy, and whether an answer is wrong.
fn timed(homing: &Homing, claim: &Claim, options: &Options) -> Result<(u64, Both, bool)> {
    let mut seconds: [Vec<f64>; 2] = Default::default();
    let (mut states, mut wrong) = (0, false);
    let limits = Limits { memory: None, seconds: Some(options.seconds) };
    for _ in 0..options.runs.max(1) {
        for (strategy, seconds) in STRATEGIES.iter().zip(&mut seconds) {
            let asked = claim.options(strategy, options);
            let what = || format!("{} with {strategy}", claim.name);
            let answer = homing.try_check(&claim.model, &asked, limits)?;
            let (check, measured) = answer.map_err(anyhow::Error::msg).with_context(what)?;
            let result: &Verdict = check.results.first().with_context(what)?;
            match result.verdict.as_str() {
                "holds" => {}
                "violated" => {
                    println!("WRONG: {}: violated, though it holds", what());
                    wrong = true;
                }
                _ => bail!("{}: {}", what(), result.reason),
            }
            states = result.statistics.stored.max(states);
            seconds.push(measured.cpu_seconds);
        }
    }
    Ok((states, seconds.map(|all| least(&all)), wrong))
}

/// Instructions of either strategy, by valgrind.
fn instructions(homing: &Homing, claim: &Claim) -> Result<Both> {
    let mut counted = [0.0; 2];
    for (strategy, counted) in STRATEGIES.iter().zip(&mut counted) {
        let mut arguments: Vec<OsString> =
            ["--tool=callgrind", "--callgrind-out-file=/dev/null"].map(OsString::from).into();
        arguments.push(homing.program().into());
        arguments.extend(["check".into(), claim.model.clone().into()]);
        arguments.extend(claim.asked.iter().map(OsString::from));
        let rest = ["--strategy", strategy, "--reduction", "none", "--symmetry", "none"];
        arguments.extend(rest.map(OsString::from));
        let measured = measure("valgrind".as_ref(), &arguments, None, Limits::default())?;
        if measured.code != Some(0) {
            bail!("valgrind on {}: {}", claim.name, measured.complaint());
        }
        *counted = collected(&measured.stderr).context("valgrind tells no instructions")?;
    }
    Ok(counted)
}

/// The instructions that callgrind tells at its end.
fn collected(log: &str) -> Option<f64> {
    let line = log.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

fn row(claim: &Claim, states: u64, seconds: Both, counted: Option<Both>) -> Vec<String> {
    let ratio = |[breadth, auto]: Both| format!("{:.3}", auto / breadth);
    vec![
        claim.name.clone(),
        claim.property.clone(),
        states.to_string(),
        format!("{:.3}", seconds[0]),
        format!("{:.3}", seconds[1]),
        ratio(seconds),
        cell(counted.map(|counted| counted[0])),
        cell(counted.map(|counted| counted[1])),
        cell(counted.map(ratio)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_read() {
        let log = "==7== Callgrind, a call-graph generating cache profiler\n\
                   ==7== \n==7== Events    : Ir\n==7== Collected : 63286733\n";
        assert_eq!(collected(log), Some(63_286_733.0));
        assert_eq!(collected("valgrind: no such program"), None);
    }

    #[test]
    fn a_family_counts_in_each_language_by_itself() {
        let family = |name: &str| Claim::deadlock_free(name.into(), PathBuf::new(), true).family();
        assert_eq!(family("train-gate.4"), "train-gate");
        assert_eq!(family("train-gate.4.pm"), "train-gate.pm");
        assert_eq!(family("at.5"), family("at.3"));
    }

    #[test]
    fn only_goals_out_of_reach_hold() {
        let goal = |id: &str, reachable| crate::corpus::Goal {
            id: id.into(),
            expression: format!("x == {id}"),
            reachable,
            steps: None,
        };
        let goals = vec![goal("1", Some(true)), goal("2", Some(false)), goal("3", None)];
        let model = Instance { name: "at.4".into(), goals, ..Instance::default() };
        let claims: Vec<Claim> = out_of_reach(&model).collect();
        assert_eq!(claims.len(), 1);
        assert_eq!(claims[0].asked, ["--goal", "x == 2"]);
        assert!(claims[0].known && !claims[0].is_general());
    }

    #[test]
    fn ratios_are_to_breadth_first_search() {
        let claim = Claim::deadlock_free("at.4".into(), PathBuf::new(), true);
        assert!(claim.is_general());
        let told = row(&claim, 1000, [2.0, 2.5], Some([1e6, 1.1e6])).join(" ");
        assert_eq!(told, "at.4 deadlock 1000 2.000 2.500 1.250 1000000 1100000 1.100");
        let told = row(&claim, 1000, [2.0, 1.0], None).join(" ");
        assert_eq!(told, "at.4 deadlock 1000 2.000 1.000 0.500 - - -");
    }
}
