//! What the planner costs where there is nothing to find, beside breadth-first search.
//!
//! Models are BEEM's goals out of reach, and BEEM's models without deadlocks: of these the
//! largest two of a family, so that families of many instances do not outweigh the others. Both
//! searches go through all states, without reduction and symmetry, in turn; the least time
//! of several runs counts. Instructions, counted by valgrind, do not depend on what else
//! the machine does.

use std::collections::BTreeMap;
use std::ffi::OsString;

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
const SAME_FAMILY: usize = 2;

/// A property that holds, or of which that is not known yet.
struct Claim {
    model: Instance,
    /// `deadlock`, or the number of a goal.
    name: String,
    /// What asks for it on the command line.
    asked: [String; 2],
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
        let of_family = deadlock_free.entry(family(&claim.model.name).to_owned()).or_default();
        let enough = claim.is_general() && *of_family >= SAME_FAMILY;
        if enough || !holds(&homing, &claim, options)? {
            continue;
        }
        *of_family += usize::from(claim.is_general());
        let (states, seconds, differ) = timed(&homing, &claim, options)?;
        wrong += usize::from(differ);
        let counted = match options.instructions {
            Some(most) if states <= most => Some(instructions(&homing, &claim)?),
            _ => None,
        };
        report.told(&row(&claim, states, seconds, counted))?;
    }
    Ok(wrong)
}

/// Goals out of reach, smallest models first, then freedom from deadlocks, largest first.
fn claims(options: &Options) -> Result<Vec<Claim>> {
    let mut models = options.common.setting.corpus()?.beem()?;
    let fits = |states: u64| (options.least..=options.most).contains(&states);
    models.retain(|model| model.states.is_some_and(fits));
    models.sort_by_key(|model| model.states);
    let mut all = Vec::new();
    for model in &models {
        for goal in model.goals.iter().filter(|goal| goal.reachable == Some(false)) {
            let asked = ["--goal".to_owned(), goal.expression.clone()];
            all.push(Claim { model: model.clone(), name: goal.id.clone(), asked });
        }
    }
    for model in models.into_iter().rev().filter(|model| model.deadlocks.unwrap_or(0) == 0) {
        let asked = ["--property", "deadlock"].map(str::to_owned);
        all.push(Claim { model, name: "deadlock".to_owned(), asked });
    }
    Ok(options.wanted(all, |claim| &claim.model.name))
}

impl Claim {
    /// Whether it is freedom from deadlocks, which can be asked of every model.
    fn is_general(&self) -> bool {
        self.name == "deadlock"
    }

    fn options<'a>(&'a self, strategy: &'a str, options: &'a Options) -> Vec<&'a str> {
        let [flag, value] = &self.asked;
        vec![flag, value, "--strategy", strategy, "--memory", &options.memory]
    }
}

/// Whether breadth-first search says within its time that the claim holds. What is known
/// needs not be asked.
fn holds(homing: &Homing, claim: &Claim, options: &Options) -> Result<bool> {
    if !claim.is_general() || claim.model.deadlocks == Some(0) {
        return Ok(true);
    }
    let limits = Limits { memory: None, seconds: Some(options.seconds) };
    let asked = claim.options("breadth", options);
    let answer = homing.try_check(&claim.model.model, &asked, limits)?;
    Ok(answer.is_ok_and(|(check, _)| check.results.iter().all(|one| one.verdict == "holds")))
}

/// The states, the least time of either strategy, and whether an answer is wrong.
fn timed(homing: &Homing, claim: &Claim, options: &Options) -> Result<(u64, Both, bool)> {
    let mut seconds: [Vec<f64>; 2] = Default::default();
    let (mut states, mut wrong) = (0, false);
    for _ in 0..options.runs.max(1) {
        for (strategy, seconds) in STRATEGIES.iter().zip(&mut seconds) {
            let asked = claim.options(strategy, options);
            let what = || format!("{} with {strategy}", claim.model.name);
            let (check, measured) =
                homing.check_measured(&claim.model.model, &asked).with_context(what)?;
            let result: &Verdict = check.results.first().with_context(what)?;
            if result.verdict != "holds" {
                println!("WRONG: {}: {}, though it holds", what(), result.verdict);
                wrong = true;
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
        arguments.extend(["check".into(), claim.model.model.clone().into()]);
        arguments.extend(claim.asked.iter().map(OsString::from));
        let rest = ["--strategy", strategy, "--reduction", "none", "--symmetry", "none"];
        arguments.extend(rest.map(OsString::from));
        let measured = measure("valgrind".as_ref(), &arguments, None, Limits::default())?;
        if measured.code != Some(0) {
            bail!("valgrind on {}: {}", claim.model.name, measured.complaint());
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
        claim.model.name.clone(),
        claim.name.clone(),
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
    fn ratios_are_to_breadth_first_search() {
        let model = Instance { name: "at.4".into(), ..Instance::default() };
        let asked = ["--property", "deadlock"].map(str::to_owned);
        let claim = Claim { model, name: "deadlock".into(), asked };
        assert!(claim.is_general());
        let told = row(&claim, 1000, [2.0, 2.5], Some([1e6, 1.1e6])).join(" ");
        assert_eq!(told, "at.4 deadlock 1000 2.000 2.500 1.250 1000000 1100000 1.100");
        let told = row(&claim, 1000, [2.0, 1.0], None).join(" ");
        assert_eq!(told, "at.4 deadlock 1000 2.000 1.000 0.500 - - -");
    }
}
