//! Speed on products of large Promela models, beside `pan -a`.
//!
//! Formulas of our own that hold, so that both programs have to search everything.
//! Both read the same model: SPIN with the formula as an `ltl` block behind it, homing
//! with `--ltl`. `pan` (`-O2 -DNOREDUCE`, made with `-o1 -o2 -o3`) is first asked how
//! deep its stack and how large its table must be, and then timed with these. A rate
//! is product states stored a processor second of the whole program, medians over
//! [`RUNS`] runs in turns. The rates are what is compared. The times are shown too, but
//! the products differ: `pan` has its own automaton, mostly larger than ours, and keeps
//! the values of dead variables (`-o2`), which homing resets.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::Options;
use super::spin::verdict;
use crate::homing::Homing;
use crate::measure::Limits;
use crate::pan::{PLAIN, Pan, Told};
use crate::promela::models::{self, File};
use crate::statistics::median;
use crate::table::Report;

pub const TABLE: &str = "liveness-speed.tsv";

const COLUMNS: &[&str] = &[
    "file",
    "formula",
    "result",
    "pan_states",
    "pan_seconds",
    "couvreur_states",
    "couvreur_seconds",
    "ndfs_states",
    "ndfs_seconds",
    "auto_states",
    "auto_seconds",
];

/// Our strategies, in the order of the columns.
pub const STRATEGIES: [&str; 3] = ["couvreur", "ndfs", "auto"];

/// How often each is run.
const RUNS: usize = 3;

const LIMITS: Limits = Limits { memory: Some(8 << 30), seconds: Some(200) };

/// Models, and formulas that hold there.
const FORMULAS: &[(&str, &str)] = &[
    ("beem/at/at.3.pm", "[] (P_2@p8 -> (! P_2@NCS W P_2@p12))"),
    ("beem/at/at.3.pm", "[]<> P_3@p4 -> []<> Timer@q"),
    ("beem/lamport/lamport.5.pm", "[] (P_1@CS -> <> (P_1@e1 || P_1@NCS))"),
    ("beem/lamport/lamport.5.pm", "([]<> P_0@q1 && []<> P_0@CS) -> []<> P_0@e1"),
    ("beem/szymanski/szymanski.3.pm", "<> P_3@p64 -> (! P_3@p64 U P_3@p61)"),
    ("beem/szymanski/szymanski.3.pm", "([]<> P_0@p8 && []<> P_0@p3) -> []<> P_0@p2"),
    ("beem/szymanski/szymanski.4.pm", "<>[] P_0@p61 -> []<> P_0@NCS"),
    (
        "beem/iprotocol/iprotocol.3.pm",
        "([]<> Receiver@send_naks && []<> Receiver@put_data) -> []<> Receiver@on_timeisout",
    ),
    ("beem/rether/rether.4.pm", "[]<> Node_2@finish -> []<> (Node_2@RT_action || Node_3@start)"),
    (
        "beem/public_subscribe/public_subscribe.2.pm",
        "[] (User_1@getCmdReceived -> <> chnlnel_ccToUser_1@ready)",
    ),
    (
        "beem/phils/phils.5.pm",
        "[] (phil_2@think && <> phil_2@finish -> (phil_2@think U (phil_2@finish || phil_2@one)))",
    ),
    ("beem/leader_filters/leader_filters.5.pm", "[] (P_2@p1 -> <> P_2@p2)"),
    ("beem/leader_filters/leader_filters.5.pm", "[]<> P_2@p5 -> []<> (P_2@p8 || P_3@p6)"),
    (
        "beem/bopdp/bopdp.3.pm",
        "[]<> LSL_Interrupt_Handler@awake -> []<> LSL_Interrupt_Handler@lsl_int_service",
    ),
    ("beem/bopdp/bopdp.3.pm", "<>[] Calc@idle -> []<> LSL_Driver@stand_by"),
    ("beem/bridge/bridge.1.pm", "[]<> soldier_4@go_left -> []<> torch@going"),
    ("beem/brp/brp.3.pm", "[] (Sender@idle -> <> (Sender@success || K@ready))"),
    ("beem/brp/brp.3.pm", "<>[] Producer@ready -> []<> L@got_msg"),
    ("beem/cambridge/cambridge.3.pm", "[]<> StoR@q -> []<> RtoS@q"),
    (
        "beem/gear/gear.2.pm",
        "([]<> Clutch@error_close && []<> Clutch@opening) -> []<> Clutch@closed",
    ),
    ("beem/krebs/krebs.2.pm", "[]<> krebs_0@citrat -> []<> krebs_1@citrat"),
    ("beem/sorter/sorter.3.pm", "[]<> ArmControler@AC1 -> []<> User@Wait"),
    ("beem/frogs/frogs.3.pm", "[] (Check@not_done -> <> (Check@done || Frog@q))"),
];

/// Measures every formula; answers how often the programs disagree.
pub fn run(options: &Options) -> Result<usize> {
    let homing = options.common.setting.homing()?;
    let models = models::all(&options.common.setting.corpus()?.promela_folder())?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    let mut wrong = 0;
    for (name, formula) in FORMULAS {
        if !options.common.names(name) {
            continue;
        }
        let Some(model) = models.iter().find(|model| model.name == *name) else { continue };
        let cells = compare(&homing, model, formula);
        wrong += usize::from(cells.as_ref().is_ok_and(|cells| cells[2] == "different"));
        report.measured(name, cells.map(|cells| vec![cells]))?;
    }
    Ok(wrong)
}

/// What a program said of a formula, and the processor seconds of its runs.
struct Ran {
    verdict: String,
    states: u64,
    seconds: Vec<f64>,
}

fn compare(homing: &Homing, model: &File, formula: &str) -> Result<Vec<String>> {
    let pan = with_formula(model, formula, |path| {
        Ok(Pan::make_live(path, PLAIN, &["-O2", "-DNOREDUCE"], LIMITS)?.0)
    })?;
    let told = pan.search(&["-a", "-A", "-m10000000", "-w24", "-N", NAME], LIMITS)?.0;
    let mut theirs =
        Ran { verdict: verdict(&told).to_owned(), states: stored(&told)?, seconds: Vec::new() };
    let depth = format!("-m{}", told.depth.context("no depth reached")? + 10);
    // About four slots a state are quickest.
    let slots = format!("-w{}", theirs.states.next_power_of_two().ilog2() + 2);
    let mut ours: Vec<Ran> = Vec::new();
    for run in 0..RUNS {
        let (told, measured) = pan.search(&["-a", "-A", &depth, &slots, "-N", NAME], LIMITS)?;
        if told.cut_short.is_some() {
            bail!("pan did not finish");
        }
        theirs.seconds.push(measured.cpu_seconds);
        for (place, strategy) in STRATEGIES.iter().enumerate() {
            let one = search(homing, &model.path, formula, strategy)?;
            match run {
                0 => ours.push(one),
                _ => ours[place].seconds.extend(one.seconds),
            }
        }
    }
    let all = || std::iter::once(&theirs).chain(&ours);
    if all().any(|ran| ran.verdict == "unknown") {
        bail!("not everything was searched");
    }
    let equal = all().all(|ran| ran.verdict == theirs.verdict);
    let result = if equal { theirs.verdict.clone() } else { "different".to_owned() };
    let mut cells = vec![model.name.clone(), formula.to_owned(), result];
    for ran in all() {
        let seconds = median(&ran.seconds).unwrap_or(f64::NAN);
        cells.extend([ran.states.to_string(), format!("{seconds:.2}")]);
    }
    Ok(cells)
}

/// The name of the formula in SPIN's copy of the model.
const NAME: &str = "asked";

/// Does something with a copy of the model that has the formula in it.
fn with_formula<T>(model: &File, formula: &str, act: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    // Beside no other files: the models of the list include none.
    let path = std::env::temp_dir().join(format!("homing-bench-{}.pml", std::process::id()));
    fs::write(&path, format!("{}\nltl {NAME} {{ {formula} }}\n", model.text()?))?;
    let done = act(&path);
    // A file left behind in the temporary folder harms nobody.
    let _ = fs::remove_file(&path);
    done
}

fn stored(told: &Told) -> Result<u64> {
    told.states.context("pan says nothing of states")
}

fn search(homing: &Homing, model: &Path, formula: &str, strategy: &str) -> Result<Ran> {
    let asked = ["--ltl", formula, "--strategy", strategy, "--time", "200s", "--memory", "6G"];
    let (check, measured) = homing.try_check(model, &asked, LIMITS)?.map_err(anyhow::Error::msg)?;
    let one = check.results.into_iter().next().context("no result")?;
    Ok(Ran {
        verdict: one.verdict,
        states: one.statistics.stored,
        seconds: vec![measured.cpu_seconds],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_asked_once() {
        let mut seen = std::collections::BTreeSet::new();
        assert!(FORMULAS.iter().all(|row| seen.insert(row)));
    }
}
