//! From file to verdict on small models: `homing check` beside `spin`, the C
//! compiler and `pan`, as a user types them: `spin -a`, `gcc -O2 -DSAFETY`, `pan`.

use anyhow::Result;

use super::Options;
use super::counts;
use super::models::File;
use crate::homing::Homing;
use crate::measure::Limits;
use crate::pan::Pan;
use crate::table::{Report, Table};

pub const TABLE: &str = "promela-quick.tsv";

const COLUMNS: &[&str] = &["file", "states", "homing_cpu_seconds", "spin_cpu_seconds", "ratio"];

/// States beyond which a model is not small.
const MOST: u64 = 100_000;
/// Every so many-th small model is measured.
const EVERY: usize = 8;

const LIMITS: Limits = Limits { memory: Some(4 << 30), seconds: Some(60) };

/// Measures small models that `counts` found equal.
pub fn run(options: &Options) -> Result<()> {
    let homing = options.common.setting.homing()?;
    let models = options.models()?;
    let counted = Table::read(&options.common.out.join(counts::TABLE))?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    let small = counted.rows().filter(|row| {
        let states = row.number("homing_states");
        row.text("result") == Some("equal") && states.is_some_and(|states| states < MOST)
    });
    for row in small.step_by(EVERY) {
        let model = models.iter().find(|model| Some(model.name.as_str()) == row.text("file"));
        let Some(model) = model else { continue };
        let (ours, theirs) = match times(&homing, model) {
            Ok(times) => times,
            Err(error) => {
                eprintln!("{}: not measured: {error:#}", model.name);
                continue;
            }
        };
        let states = row.number("homing_states").unwrap_or(0).to_string();
        let seconds = |seconds: f64| format!("{seconds:.3}");
        report.row(&[
            model.name.clone(),
            states,
            seconds(ours),
            seconds(theirs),
            format!("{:.1}", theirs / ours),
        ])?;
    }
    Ok(())
}

fn times(homing: &Homing, model: &File) -> Result<(f64, f64)> {
    let pan = Pan::make_with(&model.path, &[], &["-O2"], LIMITS)?;
    let (_, searched) = pan.search(&["-m1000000"], LIMITS)?;
    let (_, ours) = homing.check_measured(&model.path, &[])?;
    Ok((ours.cpu_seconds, pan.make_seconds + searched.cpu_seconds))
}
