//! Figs. 6, 7 and 8 of the paper on distance-preserving abstraction.

use anyhow::Result;
use homing_report::plot::{Line, Plot};

use super::Options;
use super::runs::{Laboratory, Run};
use crate::statistics::median;

/// The bounds of Fig. 8.
const BOUNDS: (u32, u32) = (10, 150);

/// How often each search of Fig. 8 is made.
const REPEATS: usize = 3;

/// The pictures with the names of their files; those whose model is wanted.
pub fn make(laboratory: &mut Laboratory, options: &Options) -> Result<Vec<(&'static str, Plot)>> {
    let mut all = Vec::new();
    if options.wants("H3") {
        let estimates = ["abstraction(states=40)", "abstraction(states=40, order=far)"];
        let names = ["low error distance first", "high error distance first"];
        let title = "Fig. 6: three disks, N = 40";
        all.push(("papers-fig6.svg", errors(laboratory, "H3", estimates, names, title)?));
    }
    if options.wants("A2") {
        let estimates = ["abstraction(states=20)", "abstraction(states=20, compose=default)"];
        let names = ["ranking-based", "default"];
        let title = "Fig. 7: arbiter tree of eight processes, N = 20";
        all.push(("papers-fig7.svg", errors(laboratory, "A2", estimates, names, title)?));
    }
    if options.wants("R8") {
        all.push(("papers-fig8.svg", times(laboratory, options)?));
    }
    Ok(all)
}

/// The mean relative error over the exact distance, of two estimates.
fn errors(
    laboratory: &Laboratory,
    model: &str,
    estimates: [&str; 2],
    names: [&str; 2],
    title: &str,
) -> Result<Plot> {
    let outcome = laboratory.accuracy(model, &estimates)?;
    let mut plot = outcome.errors_plot();
    plot.title = format!("{title} ({} states)", outcome.states);
    for (line, name) in plot.lines.iter_mut().zip(names) {
        line.name = format!("{name}: {}", line.name);
    }
    Ok(plot)
}

/// The random system of Fig. 8. The paper does not say which it took. Ours is
/// the one whose explored states differ most, as a ratio, between the least
/// and the greatest bound: most of the others are too easy to show anything.
fn chosen(laboratory: &mut Laboratory, options: &Options) -> Result<u64> {
    let mut best = (0.0, 1);
    for system in laboratory.seeds("R8") {
        let mut explored = |bound: u32| -> Result<Option<f64>> {
            let run = search(laboratory, options, system, bound)?;
            Ok(run.map(|run| run.explored.max(1.0)))
        };
        let (least, greatest) = BOUNDS;
        if let (Some(least), Some(greatest)) = (explored(least)?, explored(greatest)?) {
            let ratio = (least / greatest).max(greatest / least);
            if ratio > best.0 {
                best = (ratio, system);
            }
        }
    }
    Ok(best.1)
}

/// A search of Fig. 8, where it finds the error.
fn search(
    laboratory: &mut Laboratory,
    options: &Options,
    system: u64,
    bound: u32,
) -> Result<Option<Run>> {
    let strategy = format!("greedy(abstraction(states={bound}))");
    let run = laboratory.search_within("R8", system, &strategy, 1, options.seconds)?;
    Ok(run.ok().filter(|run| run.length.is_some()))
}

/// The running time for different bounds N.
fn times(laboratory: &mut Laboratory, options: &Options) -> Result<Plot> {
    let system = chosen(laboratory, options)?;
    let mut points = Vec::new();
    for bound in (BOUNDS.0..=BOUNDS.1).step_by(10) {
        let mut seconds = Vec::new();
        for _ in 0..REPEATS {
            let run = search(laboratory, options, system, bound)?;
            seconds.extend(run.map(|run| run.command));
        }
        points.extend(median(&seconds).map(|seconds| (f64::from(bound), seconds)));
    }
    Ok(Plot {
        title: format!("Fig. 8: greedy search by the bound N, random system {system} of R8"),
        x: "bound N".into(),
        y: "processor time of the command (s)".into(),
        lines: vec![Line::new("greedy(abstraction(states=N))", points)],
        ..Plot::default()
    })
}
