//! Figs. 6, 7 and 8 of the paper on distance-preserving abstraction.

use anyhow::Result;
use homing_report::plot::{Line, Plot};

use super::Options;
use super::runs::Laboratory;
use crate::statistics::median;

/// The random system of Fig. 8. The paper does not say which it took; this is
/// the one of the fifteen for which the bound matters most.
const SYSTEM: u64 = 9;

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

/// The running time for different bounds N.
fn times(laboratory: &mut Laboratory, options: &Options) -> Result<Plot> {
    let mut points = Vec::new();
    for bound in (10..=150).step_by(10) {
        let strategy = format!("greedy(abstraction(states={bound}))");
        let mut seconds = Vec::new();
        for _ in 0..REPEATS {
            let run = laboratory.search_within("R8", SYSTEM, &strategy, 1, options.seconds)?;
            seconds.extend(run.ok().filter(|run| run.length.is_some()).map(|run| run.seconds));
        }
        points.extend(median(&seconds).map(|seconds| (f64::from(bound), seconds)));
    }
    Ok(Plot {
        title: format!("Fig. 8: greedy search by the bound N, random system {SYSTEM} of R8"),
        x: "bound N".into(),
        y: "seconds".into(),
        lines: vec![Line::new("greedy(abstraction(states=N))", points)],
        ..Plot::default()
    })
}
