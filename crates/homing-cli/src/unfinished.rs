//! What is told of a run that a limit ended before it had a result.

use std::time::Duration;

use homing::Board;
use homing::report::compare::JSON;
use homing::report::outcome::{Plan, PropertyOutcome, Statistics, UnfinishedOutcome};
use homing::report::text::{self, Layout};
use homing::report::{CheckOutcome, StatsOutcome, Verdict};

use crate::arguments::{self, Command};
use crate::exit::Exit;
use crate::repeat;
use crate::terminal::complain;

/// The limits of a command that can be ended; of those that end by themselves, none.
pub fn limits(command: &Command) -> Option<(Option<Duration>, Option<usize>)> {
    let of = |budget: &arguments::Budget| (budget.time, budget.memory);
    let (time, memory) = match command {
        Command::Check(command) => of(&command.limits.budget),
        Command::Stats(command) => of(&command.limits.budget),
        Command::Compare(command) => of(&command.limits.budget),
        Command::ExplainPlan(command) => of(&command.limits.budget),
        Command::Tune(command) => of(&command.budget),
        Command::Accuracy(command) => of(&command.budget),
        Command::Shorten(command) => of(&command.budget),
        Command::Simulate(_) | Command::Replay(_) | Command::Export(_) => (None, None),
        Command::Automaton(_)
        | Command::Parts(_)
        | Command::Schema(_)
        | Command::Resume(_)
        | Command::Work(_)
        | Command::Completions { .. } => return None,
    };
    Some((time, memory.or_else(homing::default_memory_limit)))
}

/// What a run was to find out.
#[derive(Clone, Debug)]
pub struct Unfinished {
    asked: Asked,
    model: String,
    json: bool,
    layout: Layout,
    board: Board,
}

#[derive(Clone, Debug)]
enum Asked {
    /// Whether properties hold; those named by the user, before the model was read.
    Properties { named: Vec<String>, strategy: String, seed: u64 },
    /// How many states there are.
    States,
    /// Something of which no part is worth telling.
    Else,
}

impl Unfinished {
    /// What `command` is to find out. What is known of it will stand on `board`.
    pub fn new(command: &Command, layout: Layout, board: Board) -> Unfinished {
        let (asked, model, json) = match command {
            Command::Check(check) => {
                let named = check.goal.iter().chain(&check.property).chain(&check.ltl).cloned();
                let asked = Asked::Properties {
                    named: named.collect(),
                    strategy: check.strategy.clone().unwrap_or_default(),
                    seed: check.seed.unwrap_or(homing::Options::default().seed),
                };
                (asked, Some(&check.model), check.output.json)
            }
            Command::Stats(stats) => (Asked::States, Some(&stats.model), stats.output.json),
            Command::Accuracy(accuracy) => {
                (Asked::Else, Some(&accuracy.model), accuracy.output.json)
            }
            Command::Compare(compare) => {
                let json = compare.json || compare.format.name == JSON.name;
                (Asked::Else, Some(&compare.model), json)
            }
            Command::Shorten(shorten) => (Asked::Else, Some(&shorten.model), shorten.output.json),
            Command::ExplainPlan(plan) => (Asked::Else, Some(&plan.model), plan.output.json),
            Command::Tune(tune) => (Asked::Else, None, tune.output.json),
            Command::Replay(replay) => (Asked::Else, Some(&replay.model), replay.output.json),
            Command::Simulate(simulate) => (Asked::Else, Some(&simulate.model), simulate.json),
            Command::Export(_)
            | Command::Automaton(_)
            | Command::Parts(_)
            | Command::Schema(_)
            | Command::Resume(_)
            | Command::Work(_)
            | Command::Completions { .. } => (Asked::Else, None, false),
        };
        let model = match command {
            Command::Tune(tune) => {
                let names = tune.models.iter().map(|path| path.display().to_string());
                names.collect::<Vec<_>>().join(", ")
            }
            _ => model.map(|model| model.path.display().to_string()).unwrap_or_default(),
        };
        Unfinished { asked, model, json, layout, board }
    }

    /// What to write to standard output, and how the run ends. Where there is nothing to
    /// write, the reason goes to standard error.
    pub fn told(&self, reason: &str) -> (Vec<u8>, Exit) {
        let mut out = Vec::new();
        // Writing to memory does not fail.
        let written = match &self.asked {
            Asked::Properties { .. } => {
                let outcome = self.check(reason);
                let exit = Exit::from(&outcome);
                let written = match self.json {
                    true => crate::commands::json(&mut out, &outcome),
                    false => text::check(&mut out, &outcome, &self.layout),
                };
                written.map(|()| exit)
            }
            Asked::States => {
                let outcome = self.stats(reason);
                let written = match self.json {
                    true => crate::commands::json(&mut out, &outcome),
                    false => text::stats(&mut out, &outcome, &self.layout),
                };
                written.map(|()| Exit::Unknown)
            }
            Asked::Else if self.json => {
                let outcome = UnfinishedOutcome {
                    model: self.model.clone(),
                    command: repeat::command(),
                    verdict: Verdict::Unknown,
                    reason: reason.into(),
                };
                crate::commands::json(&mut out, &outcome).map(|()| Exit::Unknown)
            }
            Asked::Else => {
                complain(&format!("unknown: {reason}\n"));
                Ok(Exit::Unknown)
            }
        };
        (out, written.unwrap_or(Exit::Unknown))
    }

    fn check(&self, reason: &str) -> CheckOutcome {
        let (named, strategy, seed) = match &self.asked {
            Asked::Properties { named, strategy, seed } => (&named[..], strategy.clone(), *seed),
            _ => (&[][..], String::new(), 0),
        };
        let mut results = self.board.read();
        if results.is_empty() {
            results.extend(named.iter().map(|name| unknown(name)));
        }
        if results.is_empty() {
            results.push(unknown("the properties of the model"));
        }
        // Those with a reason of their own are not checked for that reason.
        let open = |result: &PropertyOutcome| {
            result.verdict == Verdict::Unknown && result.reason.is_empty()
        };
        for result in results.iter_mut().filter(|result| open(result)) {
            result.reason = reason.into();
        }
        CheckOutcome {
            model: self.model.clone(),
            command: repeat::command(),
            seed,
            plan: Plan { strategy, ..Plan::default() },
            notices: Vec::new(),
            results,
            statistics: Statistics { peak_bytes: peak(), ..Statistics::default() },
            compile_seconds: 0.0,
        }
    }

    fn stats(&self, reason: &str) -> StatsOutcome {
        StatsOutcome {
            model: self.model.clone(),
            command: repeat::command(),
            plan: Plan::default(),
            states: 0,
            transitions: 0,
            deadlocks: 0,
            levels: 0,
            errors: 0,
            violations: 0,
            state_bits: 0,
            state_words: 0,
            bytes_per_state: 0.0,
            peak_bytes: peak(),
            seconds: 0.0,
            compile_seconds: 0.0,
            complete: false,
            reason: reason.into(),
        }
    }
}

fn peak() -> u64 {
    homing::budget::heap::peak().unwrap_or(0) as u64
}

fn unknown(property: &str) -> PropertyOutcome {
    PropertyOutcome::new(property, Verdict::Unknown, "", Statistics::default())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use homing::report::schema::Told;
    use homing::report::style::Palette;
    use homing::witness::outcome::TraceOutcome;
    use homing::{Hooks, Options};

    use super::*;
    use crate::arguments::Arguments;

    fn told(line: &str, board: Board) -> (String, Exit) {
        let command = Arguments::try_parse_from(line.split(' ')).unwrap().command;
        let layout = Layout { palette: Palette::plain(), most_steps: usize::MAX };
        let (text, exit) = Unfinished::new(&command, layout, board).told("out of time");
        (String::from_utf8(text).unwrap(), exit)
    }

    /// They printed a sentence and no JSON.
    #[test]
    fn every_command_that_is_cut_prints_an_object() {
        for line in [
            "homing accuracy m.dve --goal x --estimate hamming --json",
            "homing compare m.dve --strategies breadth --json",
            "homing compare m.dve --strategies breadth --format json",
            "homing shorten m.dve t.json --json",
            "homing tune m.dve --json",
            "homing explain-plan m.dve --json",
            "homing replay m.dve t.json --json",
            "homing simulate m.dve --random 5 --json",
        ] {
            let (text, exit) = told(line, Board::default());
            let Ok(Told::<TraceOutcome>::Unfinished(outcome)) = serde_json::from_str(&text) else {
                panic!("{line}: {text}");
            };
            assert_eq!((outcome.verdict, exit), (Verdict::Unknown, Exit::Unknown), "{line}");
            assert_eq!((&*outcome.model, &*outcome.reason), ("m.dve", "out of time"), "{line}");
            let plain =
                told(&line.replace(" --json", "").replace(" --format json", ""), Board::default());
            assert_eq!(plain, (String::new(), Exit::Unknown), "{line}");
        }
    }

    /// The last word was given as the reason of all that is unknown.
    #[test]
    fn what_is_not_checked_keeps_its_reason() {
        let text = "<nta><declaration>clock x;</declaration><template><name>P</name>\
                    <location id=\"a\"/><init ref=\"a\"/></template><system>system P;</system>\
                    <queries><query><formula>Pr[&lt;=5](&lt;&gt; deadlock)</formula></query>\
                    </queries></nta>";
        let model = homing::parse("m.xml", text).unwrap();
        let hooks = Hooks::default();
        let board = hooks.board.clone();
        homing::check(&model, &Options::default(), hooks).unwrap();
        let mut known = board.read();
        known.push(unknown("open"));
        board.write(known);
        let (text, _) = told("homing check m.xml --json", board);
        let outcome: CheckOutcome = serde_json::from_str(&text).unwrap();
        let reason = |name: &str| {
            let mut results = outcome.results.iter();
            &*results.find(|one| one.property.starts_with(name)).unwrap().reason
        };
        assert_eq!(reason("open"), "out of time");
        assert!(reason("Pr").contains("not supported"), "{text}");
    }
}
