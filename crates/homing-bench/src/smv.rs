//! `homing-bench smv`: what is read of SMV, and answered, beside NuSMV's answers.
//!
//! A row a file of the corpus: what NuSMV says of it and how many of its specifications are
//! true and false, what homing says and how many hold, are violated or unknown, or the
//! sentence it refuses the file with. The run fails where the two contradict each other.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::Setting;
use crate::homing::Check;
use crate::measure::Limits;
use crate::table::{Report, Row, Table};

/// Arguments of `homing-bench smv`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Seconds a file
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// The table to write
    #[arg(long, default_value = "bench/results/smv-read.tsv")]
    out: PathBuf,
}

const COLUMNS: &[&str] =
    &["file", "nusmv", "true", "false", "homing", "holds", "violated", "unknown", "remark"];

/// Reads and checks every file; exit code 1 if an answer contradicts NuSMV's.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let root = options.setting.corpus()?.root().to_owned();
    let known = Table::read(&root.join("smv/nusmv-results.tsv"))?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let (mut files, mut refused, mut wrong) = (0, 0, 0);
    let time = format!("{}s", options.seconds);
    for row in known.rows() {
        let Some(file) = row.text("file") else { continue };
        let limits = Limits { seconds: Some(4 * options.seconds + 10), memory: None };
        let found = homing.try_check(&root.join(file), &["--time", &time], limits)?;
        let answered = found.map(|(check, _)| check);
        let readable = row.text("status") != Some("err");
        files += usize::from(readable);
        refused += usize::from(readable && answered.is_err());
        let remark = contradiction(&row, &answered);
        wrong += usize::from(remark.is_some());
        report.row(&cells(file, &row, &answered, remark.as_deref()))?;
    }
    let summary =
        format!("of {files} files that NuSMV reads {refused} are refused; {wrong} contradictions");
    println!("{summary}");
    report.remark(&summary)?;
    Ok(ExitCode::from(u8::from(wrong > 0)))
}

/// Results with a verdict; NuSMV does not count ways that are measured (`COMPUTE`).
fn count(check: &Check, verdict: &str) -> u64 {
    let asked = check.results.iter().filter(|one| !one.property.starts_with("compute"));
    asked.filter(|one| one.verdict == verdict).count() as u64
}

/// What is wrong with an answer, where NuSMV has one.
fn contradiction(row: &Row, answered: &Result<Check, String>) -> Option<String> {
    let (status, expected) = (row.text("status")?, [row.number("true")?, row.number("false")?]);
    let Ok(check) = answered else { return None };
    if status == "err" {
        return Some("NuSMV refuses it".into());
    }
    let [yes, no] = expected;
    let (holds, violated) = (count(check, "holds"), count(check, "violated"));
    let all = holds + violated + count(check, "unknown");
    let contradicted = holds > yes || violated > no || all != yes + no;
    (status == "ok" && contradicted).then(|| "NuSMV says otherwise".into())
}

fn cells(
    file: &str,
    row: &Row,
    answered: &Result<Check, String>,
    remark: Option<&str>,
) -> Vec<String> {
    let told = |column| row.text(column).unwrap_or("-").to_owned();
    let mut cells = vec![file.to_owned(), told("status"), told("true"), told("false")];
    match answered {
        Ok(check) => {
            cells.push("read".into());
            let verdicts = ["holds", "violated", "unknown"];
            cells.extend(verdicts.map(|verdict| count(check, verdict).to_string()));
            cells.push(remark.unwrap_or("-").to_owned());
        }
        Err(sentence) => {
            cells.push("refused".into());
            cells.extend(["-", "-", "-"].map(str::to_owned));
            cells.push(sentence.replace(['\t', '\n'], " "));
        }
    }
    cells
}
