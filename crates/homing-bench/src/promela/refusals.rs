//! Models that homing does not read, by reason, and whether SPIN reads them.
//!
//! Names in a reason count as one: what is refused is a construct, not a name.

use std::collections::BTreeMap;

use anyhow::Result;

use super::Options;
use crate::measure::Limits;
use crate::pan::Pan;
use crate::table::Report;

const TABLE: &str = "refusals-promela.tsv";

const COLUMNS: &[&str] = &["reason", "files", "read_by_spin", "example"];

/// A look at the first states is enough: what is refused is refused before.
const GLANCE: &[&str] = &["--time", "5s", "--memory", "1G", "--states", "10"];

const LIMITS: Limits = Limits { memory: Some(8 << 30), seconds: Some(60) };

/// The models refused for one reason.
#[derive(Default)]
struct Refused {
    files: usize,
    read_by_spin: usize,
    /// One that SPIN reads, if there is one.
    example: String,
}

/// Reads every model, and asks SPIN about those that are refused.
pub fn run(options: &Options) -> Result<()> {
    let homing = options.common.setting.homing()?;
    let models = options.models()?;
    let mut reasons: BTreeMap<String, Refused> = BTreeMap::new();
    for model in &models {
        let Err(reason) = homing.try_check(&model.path, GLANCE, LIMITS)? else { continue };
        let reads = Pan::is_possible(&model.path, LIMITS)?;
        println!("{}: {reason}{}", model.name, if reads { " (SPIN reads it)" } else { "" });
        let refused = reasons.entry(without_names(&reason)).or_default();
        if refused.files == 0 || (reads && refused.read_by_spin == 0) {
            refused.example.clone_from(&model.name);
        }
        refused.files += 1;
        refused.read_by_spin += usize::from(reads);
    }
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    report.remark(&format!("{} models", models.len()))?;
    let mut rows: Vec<(String, Refused)> = reasons.into_iter().collect();
    rows.sort_by_key(|(_, refused)| std::cmp::Reverse((refused.read_by_spin, refused.files)));
    for (reason, Refused { files, read_by_spin, example }) in rows {
        report.row(&[reason, files.to_string(), read_by_spin.to_string(), example])?;
    }
    Ok(())
}

/// A sentence with `…` for whatever is in quotes, and without tabs.
fn without_names(sentence: &str) -> String {
    let mut pieces = sentence.split('`');
    let mut result = pieces.next().unwrap_or_default().to_string();
    while let Some(_name) = pieces.next() {
        result.push_str("`…`");
        result.push_str(pieces.next().unwrap_or_default());
    }
    result.replace('\t', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_make_reasons() {
        assert_eq!(without_names("`a` is not `b`: no"), "`…` is not `…`: no");
        assert_eq!(without_names("nothing\tquoted"), "nothing quoted");
        assert_eq!(without_names("left `open"), "left `…`");
    }
}
