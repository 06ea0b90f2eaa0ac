//! Which files of the corpus are not read, and why.
//!
//! Each is read and prepared as `homing check` does it, and searched for one state.

use anyhow::{Context, Result};

use super::Options;
use super::{explained, verdicts};
use crate::measure::Limits;
use crate::refusals::Refusals;

pub const TABLE: &str = "refusals-timed.tsv";

/// Reads every file.
pub fn run(options: &Options) -> Result<()> {
    let homing = options.common.setting.homing()?;
    let mut refusals = Refusals::default();
    for file in options.models()? {
        let time = format!("{}s", options.seconds);
        let glance = ["--states", "1", "--time", &time, "--memory", "1G"];
        let limits = Limits { memory: Some(4 << 30), seconds: Some(options.seconds + 5) };
        let looked = homing.try_check(&file.path, &glance, limits);
        match looked.with_context(|| file.name.clone())? {
            Ok(_) => refusals.read(&file.name),
            Err(note) => {
                let kind = match (verdicts::refusal(&note), explained::no_model(&file.name)) {
                    ("refused", Some(_)) => "no model",
                    (kind, _) => kind,
                };
                refusals.refused(&file.name, kind, &note);
            }
        }
    }
    refusals.write(&options.common.out.join(TABLE))
}
