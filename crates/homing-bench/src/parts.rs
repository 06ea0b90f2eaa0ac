//! Commands of several parts: each measures one thing and writes its table, and then the
//! page is made anew from all tables there are.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::builder::EnumValueParser;
use clap::{Args, ValueEnum};

use crate::Setting;

/// What every such command is told.
#[derive(Args)]
pub struct Common<P: ValueEnum + Send + Sync + 'static> {
    #[command(flatten)]
    pub setting: Setting,
    /// What to measure; without, everything
    #[arg(value_parser = EnumValueParser::<P>::new())]
    pub parts: Vec<P>,
    /// Only models whose path contains this
    #[arg(long)]
    pub only: Option<String>,
    /// Folder of the tables and the page
    #[arg(long, default_value = "bench/results")]
    pub out: PathBuf,
}

impl<P: ValueEnum + Send + Sync + 'static> Common<P> {
    /// Whether a model of this name is wanted.
    pub fn names(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only))
    }
}

/// Measures one part; answers how many answers are wrong.
pub type Measure<O> = fn(&O) -> Result<usize>;

/// Runs the parts that are wanted, all where none is named, and then makes the page. Exit
/// code 1 where an answer is wrong.
pub fn run<P: ValueEnum + PartialEq + Send + Sync + 'static, O>(
    options: &O,
    common: &Common<P>,
    parts: &[(P, Measure<O>)],
    page: impl FnOnce(&Path) -> Result<()>,
) -> Result<ExitCode> {
    let mut wrong = 0;
    for (part, measure) in parts {
        if common.parts.is_empty() || common.parts.contains(part) {
            wrong += measure(options)?;
        }
    }
    page(&common.out)?;
    Ok(ExitCode::from(u8::from(wrong > 0)))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Clone, Copy, PartialEq, ValueEnum)]
    enum Part {
        First,
        Second,
    }

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        common: Common<Part>,
        #[arg(long)]
        wrong: bool,
    }

    fn ran(arguments: &[&str]) -> ExitCode {
        let options = Options::parse_from([&["bench"], arguments].concat());
        let parts: [(Part, Measure<Options>); 2] =
            [(Part::First, |_| Ok(0)), (Part::Second, |options| Ok(usize::from(options.wrong)))];
        run(&options, &options.common, &parts, |_| Ok(())).unwrap()
    }

    #[test]
    fn parts_that_are_not_named_do_not_run() {
        assert_eq!(ran(&["first", "--wrong"]), ExitCode::SUCCESS);
        assert_eq!(ran(&["second", "--wrong"]), ExitCode::from(1));
        assert_eq!(ran(&["--wrong"]), ExitCode::from(1));
        assert_eq!(ran(&[]), ExitCode::SUCCESS);
    }
}
