//! BEEM, counted as sets: the states, deadlocks and levels that are known.

use anyhow::Result;

use super::Options;
use super::errors::figures;
use crate::answers::states_explained;
use crate::table::{Report, cell};

const COLUMNS: &[&str] = &[
    "instance",
    "expected_states",
    "states",
    "complete",
    "images",
    "relations",
    "nodes",
    "cpu_seconds",
    "explicit_cpu_seconds",
];

/// Counts every instance by both engines.
pub(super) fn run(options: &Options) -> Result<usize> {
    let setting = &options.common.setting;
    let homing = setting.homing()?;
    let mut report = Report::create(&options.common.out.join("symbolic-beem.tsv"), COLUMNS)?;
    let time = format!("{}s", options.seconds);
    let limits = ["--time", &time, "--memory", &options.memory];
    let sets = [&["--engine", "symbolic"][..], &limits].concat();
    let (mut wrong, mut equal, mut cut) = (0, 0, 0);
    for instance in setting.corpus()?.beem()? {
        let small = instance.states.is_some_and(|states| states <= options.most);
        if !small || !options.common.names(&instance.name) {
            continue;
        }
        let (stats, measured) = match homing.glance(&instance.model, &sets) {
            Ok(told) => told,
            Err(why) => {
                report.left_out(&instance.name, &format!("{why:#}"))?;
                continue;
            }
        };
        let (explicit, by_states) = homing.glance(&instance.model, &limits)?;
        let counts = |stats: &crate::homing::Stats| (stats.states, stats.deadlocks, stats.levels);
        let both = stats.complete && explicit.complete;
        let same = !both || counts(&stats) == counts(&explicit);
        let right = same && (!stats.complete || states_explained(&instance, stats.states));
        wrong += usize::from(!right);
        equal += usize::from(both && right);
        cut += usize::from(!stats.complete);
        let told = stats.plan.phases.iter().find_map(|phase| figures(phase));
        let [images, relations, nodes] = told.map_or([None; 3], |told| told.map(Some));
        report.told(&[
            instance.name.clone(),
            cell(instance.states),
            stats.states.to_string(),
            if stats.complete { "yes" } else { "no" }.to_owned(),
            cell(images),
            cell(relations),
            cell(nodes),
            format!("{:.2}", measured.cpu_seconds),
            format!("{:.2}", by_states.cpu_seconds),
        ])?;
        if !right {
            report.remark(&format!("wrong: {}", instance.name))?;
        }
    }
    let summary =
        format!("{equal} instances equal by both engines, {cut} cut by limits, {wrong} wrong");
    println!("{summary}");
    report.remark(&summary)?;
    Ok(wrong)
}
