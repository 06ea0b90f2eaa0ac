//! Charts, timelines and UPPAAL's way to write runs: which was asked for, and where
//! it goes.

use std::fs;
use std::path::PathBuf;

use homing::Model;
use homing::ir::Trace;
use homing::ir::interp::Interpreter;
use homing::report::chart::{self, chart};
use homing::report::timeline::{self, timeline};
use homing::report::uppaal_trace;
use homing::witness::outcome::TraceOutcome;

use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::terminal::{Terminal, complain, print};

/// A chart that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawing {
    format: Format,
    /// The file it goes to; without, standard output.
    file: Option<PathBuf>,
}

/// A run: what is told of it, and its steps.
pub type Shown<'a> = (&'a TraceOutcome, &'a Trace);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Text,
    Mermaid,
    Svg,
    Timeline,
    TimelineSvg,
    Uppaal,
}

/// From `FORMAT` or `FORMAT=FILE`.
pub fn drawing(text: &str) -> Result<Drawing, String> {
    let (format, file) = match text.split_once('=') {
        Some((_, "")) => return Err("the name of the file is missing behind `=`".into()),
        Some((format, file)) => (format, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let format = match format {
        "text" => Format::Text,
        "mermaid" => Format::Mermaid,
        "svg" => Format::Svg,
        "timeline" => Format::Timeline,
        "timeline-svg" => Format::TimelineSvg,
        "uppaal" => Format::Uppaal,
        _ => return Err("there are text, mermaid, svg, timeline, timeline-svg and uppaal".into()),
    };
    Ok(Drawing { format, file })
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
pub fn draw_all(charts: &[Drawing], model: &Model, run: Shown, terminal: &Terminal) -> Exit {
    charts.iter().fold(Exit::Success, |exit, chart| exit.and(chart.draw(model, run, terminal)))
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

    fn draw(&self, model: &Model, run: Shown, terminal: &Terminal) -> Exit {
        let Some(path) = &self.file else {
            return print(|out| {
                writeln!(out)?;
                out.write_all(&self.drawn(model, run, terminal, true))
            });
        };
        match fs::write(path, self.drawn(model, run, terminal, false)) {
            Ok(()) => Exit::Success,
            Err(error) => {
                let path = path.display();
                complain(&format!("error: cannot write the chart `{path}`: {error}\n"));
                Exit::Wrong
            }
        }
    }

    fn drawn(
        &self,
        model: &Model,
        (trace, run): Shown,
        terminal: &Terminal,
        coloured: bool,
    ) -> Vec<u8> {
        let chart = chart(trace);
        let mut out = Vec::new();
        let palette = match coloured {
            true => terminal.layout.palette,
            false => homing::report::style::Palette::plain(),
        };
        // Writing to memory does not fail.
        let _ = match self.format {
            Format::Text => chart::text(&mut out, &chart, &palette),
            Format::Mermaid => chart::mermaid(&mut out, &chart),
            Format::Timeline => timeline::text(&mut out, &timeline(trace), &palette),
            Format::TimelineSvg => {
                out.extend(timeline::svg(&timeline(trace)).bytes());
                Ok(())
            }
            // Every run that is shown was executed.
            Format::Uppaal => match Interpreter::new(&model.network) {
                Ok(interpreter) => uppaal_trace::text(&mut out, &interpreter, run),
                Err(_) => Ok(()),
            },
            Format::Svg => {
                out.extend(chart::svg(&chart).bytes());
                Ok(())
            }
        };
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_may_name_a_file() {
        let svg = Drawing { format: Format::Svg, file: Some("a=b.svg".into()) };
        assert_eq!(drawing("svg=a=b.svg"), Ok(svg));
        assert_eq!(drawing("text"), Ok(Drawing { format: Format::Text, file: None }));
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
