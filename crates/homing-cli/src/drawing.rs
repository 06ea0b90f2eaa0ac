//! Charts, timelines and UPPAAL's way to write runs: which was asked for, and where
//! it goes.

use std::fs;
use std::path::PathBuf;

use homing::report::format::{Draw, Format, RUNS, Shown, named};
use homing::report::style::Palette;

use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::terminal::{Terminal, complain, print};

/// A chart that was asked for.
#[derive(Clone, Debug)]
pub struct Drawing {
    format: &'static Format<Draw>,
    /// The file it goes to; without, standard output.
    file: Option<PathBuf>,
}

/// From `FORMAT` or `FORMAT=FILE`.
pub fn drawing(text: &str) -> Result<Drawing, String> {
    let (format, file) = match text.split_once('=') {
        Some((_, "")) => return Err("the name of the file is missing behind `=`".into()),
        Some((format, file)) => (format, Some(PathBuf::from(file))),
        None => (text, None),
    };
    Ok(Drawing { format: named(RUNS, format)?, file })
}

/// Finds out before a long search what is wrong with charts that were asked for.
pub fn check_all(charts: &[Drawing], json: bool) -> Result<(), Failure> {
    charts.iter().try_for_each(|chart| chart.check(json))?;
    let named = |at: usize| charts[at].file.as_ref();
    let twice = (1..charts.len()).find(|at| {
        named(*at).is_some_and(|file| (0..*at).any(|before| named(before) == Some(file)))
    });
    match twice.and_then(named) {
        Some(file) => Err(sentence(format_args!(
            "two charts go to the file `{}`: give each one of its own",
            file.display()
        ))),
        None => Ok(()),
    }
}

/// Draws a run in every way that was asked for.
pub fn draw_all(charts: &[Drawing], run: &Shown, terminal: &Terminal) -> Exit {
    charts.iter().fold(Exit::Success, |exit, chart| exit.and(chart.draw(run, terminal)))
}

impl Drawing {
    fn check(&self, json: bool) -> Result<(), Failure> {
        match &self.file {
            Some(path) => crate::commands::check_target("chart", path),
            None if json => Err(sentence(
                "--json and a chart on standard output do not go together: \
                 write the chart to a file, as in --chart svg=FILE",
            )),
            None => Ok(()),
        }
    }

    fn draw(&self, run: &Shown, terminal: &Terminal) -> Exit {
        let drawn = |palette: &Palette| {
            let mut out = Vec::new();
            // Writing to memory does not fail.
            let _ = (self.format.write)(&mut out, run, palette);
            out
        };
        let Some(path) = &self.file else {
            return print(|out| {
                writeln!(out)?;
                out.write_all(&drawn(&terminal.layout.palette))
            });
        };
        match fs::write(path, drawn(&Palette::plain())) {
            Ok(()) => Exit::Success,
            Err(error) => {
                let path = path.display();
                complain(&format!("error: cannot write the chart `{path}`: {error}\n"));
                Exit::Wrong
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_may_name_a_file() {
        let svg = drawing("svg=a=b.svg").unwrap();
        assert_eq!((svg.format.name, svg.file), ("svg", Some("a=b.svg".into())));
        assert!(drawing("text").is_ok_and(|text| text.file.is_none()));
        assert!(drawing("png").is_err() && drawing("svg=").is_err());
    }

    #[test]
    fn two_charts_do_not_share_a_file() {
        let charts = |all: &[&str]| -> Vec<Drawing> {
            all.iter().map(|text| drawing(text).unwrap()).collect()
        };
        assert!(check_all(&charts(&["text", "mermaid", "svg=a", "timeline=b"]), false).is_ok());
        assert!(check_all(&charts(&["text", "svg=a", "mermaid=a"]), false).is_err());
    }
}
