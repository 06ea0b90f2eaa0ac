//! `homing simulate`: walk through a model step by step.
//!
//! Commands come from the terminal, or from whatever standard input is. A
//! wrong one is explained; where nobody is there to correct it, it ends the
//! session.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use homing::budget::finishing;
use homing::ir::Trace;
use homing::ir::interp::ratio;
use homing::report::simulation::{Values, View};
use homing::report::style::counted;
use homing::report::text;
use homing::report::trace_file::Record;
use homing::{DEAD_END, Model, SimulateOptions, Simulation, Simulator, UsageError, Walk};

use crate::arguments::Simulate;
use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::terminal::{Terminal, complain, print};
use crate::watching::Watching;

/// The commands of a session.
pub const HELP: &str = "\
Commands:
  NUMBER         take the step of this number
  d, delay TIME  let time pass, as in 3/2: in models with clocks
  b, back [N]    undo the last step, or the last N
  r, random [N]  take a random step, or N
  g, guided [N]  take a step to where the estimate says the goal is nearest, or N
  s, state       show all values
  l, list        show state and steps again
  t, trace       show the way so far
  w, write FILE  write it to a file, for `homing replay`
  goal           say whether the goal is reached, and its estimate
  ?, help        show this
  q, quit        end, as Ctrl-D does
";

/// Runs the command.
pub fn run(
    arguments: &Simulate,
    terminal: &Terminal,
    watching: &Watching,
) -> Result<Exit, Failure> {
    if let Some(path) = &arguments.trace {
        super::check_target("trace", path)?;
    }
    let model = super::load(&arguments.model, terminal, watching)?;
    let simulator = Simulator::new(&model, &options(arguments)?)?;
    let from = start(arguments, &model)?;
    let mut simulation = simulator.start(&from).map_err(|error| {
        let path = arguments.from.as_deref().unwrap_or(Path::new("the trace")).display();
        sentence(format_args!("{path}: {error}; was the trace made from another model?"))
    })?;
    if arguments.estimate.is_some() {
        // What is wrong with it is said at once, not at the first guided step.
        simulation.estimate()?;
    }
    let view = View::new(simulator.interpreter());
    let session = Session {
        arguments,
        terminal,
        model: &model,
        simulator: &simulator,
        simulation,
        view,
        watching,
    };
    match (arguments.random, arguments.guided) {
        (Some(steps), _) => session.walk_once(Order::Random(steps)),
        (None, Some(steps)) => session.walk_once(Order::Guided(steps)),
        (None, None) => session.listen(),
    }
}

fn options(arguments: &Simulate) -> Result<SimulateOptions, Failure> {
    Ok(SimulateOptions {
        goal: arguments.aim.goal.clone(),
        property: arguments.aim.property.clone(),
        estimate: arguments.estimate.clone(),
        seed: arguments.seed,
        memory: homing::default_memory_limit(),
        execution: arguments.engine.explicit()?,
    })
}

/// The trace to start at the end of.
fn start(arguments: &Simulate, model: &Model) -> Result<Trace, Failure> {
    match &arguments.from {
        None => Ok(Trace::default()),
        Some(path) => Ok(super::traces::read(path, model)?.trace),
    }
}

/// A command of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Order {
    Take(usize),
    Delay(String),
    Back(usize),
    Random(usize),
    Guided(usize),
    State,
    List,
    Trace,
    Write(PathBuf),
    Goal,
    Help,
    Quit,
}

/// What a line asks for.
fn parse(line: &str) -> Result<Order, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let count = || match rest {
        "" => Ok(1),
        _ => rest.parse().map_err(|_| format!("`{rest}` is not a number of steps")),
    };
    let order = match word {
        "d" | "delay" if rest.is_empty() => return Err("how long? as in `delay 3/2`".into()),
        "d" | "delay" => return Ok(Order::Delay(rest.into())),
        "b" | "back" => return count().map(Order::Back),
        "r" | "random" => return count().map(Order::Random),
        "g" | "guided" => return count().map(Order::Guided),
        "w" | "write" if rest.is_empty() => return Err("write to which file?".into()),
        "w" | "write" => return Ok(Order::Write(rest.into())),
        "s" | "state" => Order::State,
        "" | "l" | "list" => Order::List,
        "t" | "trace" => Order::Trace,
        "goal" => Order::Goal,
        "?" | "h" | "help" => Order::Help,
        "q" | "quit" | "exit" => Order::Quit,
        _ => match word.parse() {
            Ok(number) => Order::Take(number),
            Err(_) => return Err(format!("there is no command `{word}`; `?` lists them")),
        },
    };
    match rest {
        "" => Ok(order),
        _ => Err(format!("`{word}` takes nothing behind it, not `{rest}`")),
    }
}

/// A walk, and who watches it.
struct Session<'a> {
    arguments: &'a Simulate,
    terminal: &'a Terminal,
    model: &'a Model,
    simulator: &'a Simulator<'a>,
    simulation: Simulation<'a>,
    view: View<'a>,
    watching: &'a Watching,
}

type Written = Result<(), Failure>;

impl Session<'_> {
    /// Walks once, and prints the trace.
    fn walk_once(mut self, order: Order) -> Result<Exit, Failure> {
        let mut notes = Vec::new();
        self.walk(&mut notes, &order)?;
        self.watching.done();
        let outcome = self.simulation.outcome()?;
        let mut exit = Exit::Success;
        if let Some(path) = &self.arguments.trace
            && let Err(failure) = self.save(path)
        {
            complain(&failure.text(self.terminal.styled_errors));
            exit = failure.exit();
        }
        let printed = print(|out| match self.arguments.json {
            true => super::json(out, &outcome),
            false => {
                text::trace(out, &outcome, &self.terminal.layout)?;
                out.write_all(&notes)
            }
        });
        Ok(exit.and(printed))
    }

    /// Reads commands until there are no more.
    fn listen(mut self) -> Result<Exit, Failure> {
        self.watching.talk();
        let prompted = io::stdin().is_terminal();
        let mut shown = self.respond(|session, out| {
            let seed = session.arguments.seed;
            let about = if prompted { "; `?` lists the commands" } else { "" };
            writeln!(out, "seed {seed}{about}").map_err(broken)?;
            session.show(out)
        })?;
        let mut lines = io::stdin().lock().lines();
        let mut number = 0;
        while shown == Exit::Success {
            if prompted {
                print(|out| write!(out, "> "));
            }
            let Some(line) = lines.next() else { break };
            let line = line.map_err(|error| sentence(format_args!("standard input: {error}")))?;
            number += 1;
            // An interrupt before the command was about something else.
            self.watching.budget().resume();
            if line.trim().is_empty() && !prompted {
                continue;
            }
            let answer = match parse(&line).map_err(sentence) {
                Ok(Order::Quit) => break,
                Ok(order) => self.respond(|session, out| session.obey(out, &order)),
                Err(failure) => Err(failure),
            };
            shown = match answer {
                Ok(exit) => exit,
                Err(failure) if prompted && failure.exit() == Exit::Wrong => {
                    complain(&failure.text(self.terminal.styled_errors));
                    Exit::Success
                }
                Err(Failure::Sentence(text)) => {
                    return Err(sentence(format_args!(
                        "command {number}, `{}`: {text}",
                        line.trim()
                    )));
                }
                Err(failure) => return Err(failure),
            };
        }
        Ok(shown)
    }

    /// Prints what `write` writes, all at once.
    fn respond(
        &mut self,
        write: impl FnOnce(&mut Self, &mut Vec<u8>) -> Written,
    ) -> Result<Exit, Failure> {
        let mut buffer = Vec::new();
        write(self, &mut buffer)?;
        Ok(print(|out| out.write_all(&buffer)))
    }

    fn obey(&mut self, out: &mut Vec<u8>, order: &Order) -> Written {
        let layout = self.terminal.layout;
        match order {
            Order::Take(number) => {
                self.simulation.take(*number).map_err(sentence)?;
                self.show(out)
            }
            Order::Delay(time) => {
                self.simulation.wait(time).map_err(sentence)?;
                self.show(out)
            }
            Order::Back(steps) => {
                if self.simulation.back(*steps) == 0 && *steps > 0 {
                    return Err(sentence("there is no step to undo"));
                }
                self.show(out)
            }
            Order::Random(_) | Order::Guided(_) => {
                let mut notes = Vec::new();
                let walk = self.walk(&mut notes, order)?;
                let mut last = self.simulation.outcome()?;
                last.steps.drain(..last.steps.len() - walk.steps);
                last.cause = None;
                text::trace(out, &last, &layout).map_err(broken)?;
                out.extend(notes);
                self.show(out)
            }
            Order::State => {
                let (before, state) = (self.simulation.before(), self.simulation.state());
                self.view.state(out, before, state, Values::All, &layout).map_err(broken)
            }
            Order::List => self.show(out),
            Order::Trace => {
                let outcome = self.simulation.outcome()?;
                text::trace(out, &outcome, &layout).map_err(broken)
            }
            Order::Write(path) => {
                self.save(path)?;
                let steps = counted(self.simulation.trace().steps.len() as u64, "step");
                writeln!(out, "{steps} written to {}", path.display()).map_err(broken)
            }
            Order::Goal => self.goal(out),
            Order::Help => out.write_all(HELP.as_bytes()).map_err(broken),
            Order::Quit => Ok(()),
        }
    }

    /// Where the walk is: the state, what is to be said of it, its steps.
    fn show(&mut self, out: &mut Vec<u8>) -> Written {
        let layout = self.terminal.layout;
        let strong = layout.palette.strong;
        let trace = self.simulation.trace();
        let mut steps = counted(trace.steps.len() as u64, "step");
        if self.model.network.is_timed() {
            let now = trace.steps.iter().map(|step| step.delay).sum::<i64>() + trace.rest;
            steps = format!("{steps}, at time {}", ratio(now, trace.unit));
        }
        let choices = self.simulation.choices();
        let causes = self.simulation.causes();
        let (before, state) = (self.simulation.before(), self.simulation.state());
        let mut write = || {
            writeln!(out, "{strong}after {steps}{strong:#}")?;
            self.view.state(out, before, state, Values::Brief, &layout)?;
            causes.iter().try_for_each(|cause| text::cause(out, cause, &layout.palette))?;
            self.view.choices(out, state, &choices, &layout)
        };
        write().map_err(broken)
    }

    /// Walks; notes what is not in the trace.
    fn walk(&mut self, notes: &mut Vec<u8>, order: &Order) -> Result<Walk, Failure> {
        let budget = self.watching.budget();
        let (steps, walk) = match order {
            Order::Guided(steps) => {
                (*steps, finishing("walking", || self.simulation.guided_walk(*steps, budget))?)
            }
            Order::Random(steps) => {
                (*steps, finishing("walking", || self.simulation.random_walk(*steps, budget)))
            }
            other => return Err(Failure::Internal(format!("{other:?} is no walk"))),
        };
        let faint = self.terminal.layout.palette.faint;
        let of = if walk.steps < steps { format!("{} of ", walk.steps) } else { String::new() };
        let mut said = format!("{of}{}, seed {}", counted(steps as u64, "step"), walk.seed);
        if walk.interrupted {
            said.push_str(", interrupted");
        }
        if matches!(order, Order::Guided(_)) {
            said.push_str(&format!(", {}", self.estimate()?));
        }
        writeln!(notes, "{faint}{said}{faint:#}").map_err(broken)?;
        for notice in self.simulation.notices() {
            writeln!(notes, "{faint}note: {notice}{faint:#}").map_err(broken)?;
        }
        Ok(walk)
    }

    /// The estimate of where the walk is.
    fn estimate(&mut self) -> Result<String, UsageError> {
        let name = self.simulation.estimate_name().unwrap_or_default();
        Ok(match self.simulation.estimate()? {
            DEAD_END => format!("{name}: a dead end"),
            steps => format!("{name}: {steps}"),
        })
    }

    fn goal(&mut self, out: &mut Vec<u8>) -> Written {
        let Some(property) = self.simulator.property() else {
            return Err(sentence("there is no goal: start with `--goal` or `--property`"));
        };
        let reached = match self.simulation.reached() {
            Ok(Some(cause)) => format!("yes: {}", cause.message),
            Ok(None) => "no".into(),
            Err(error) => format!("cannot be said: {error}"),
        };
        // Where nothing can guide, there is nothing more to say.
        let estimate = match self.estimate() {
            Ok(estimate) => format!(" ({estimate})"),
            Err(_) => String::new(),
        };
        writeln!(out, "{property}: {reached}{estimate}").map_err(broken)
    }

    fn save(&self, path: &Path) -> Written {
        super::check_target("trace", path)?;
        let record = Record {
            network: &self.model.network,
            model: &self.arguments.model.path.display().to_string(),
            property: self.simulation.violated().unwrap_or("simulation"),
            trace: self.simulation.trace(),
        };
        record.write(path).map_err(|error| {
            sentence(format_args!("cannot write the trace `{}`: {error}", path.display()))
        })
    }
}

/// Writing to memory does not fail.
fn broken(error: io::Error) -> Failure {
    Failure::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood() {
        let read = |line: &str| parse(line).unwrap();
        assert_eq!(read(" 12 "), Order::Take(12));
        assert_eq!([read("b"), read("back 3")], [Order::Back(1), Order::Back(3)]);
        assert_eq!([read("r 10"), read("guided")], [Order::Random(10), Order::Guided(1)]);
        assert_eq!(read("w a b.json"), Order::Write("a b.json".into()));
        assert_eq!([read(""), read("?"), read("q")], [Order::List, Order::Help, Order::Quit]);
        for wrong in ["x", "b -1", "r many", "w", "s 3", "1 2", "-1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    /// Whatever the line, it is read without a panic: `scripts/fuzz session`.
    #[test]
    fn fuzz_session() {
        let words = &["d", "back", "r", "g", "w", "goal", "q", "?", " ", "1", "-", "3/2", "\t"];
        let texts = homing_fuzz::Texts { words, frames: &[("back ", "")] };
        bolero::check!().with_iterations(60_000).for_each(|input: &[u8]| {
            if let Err(said) = parse(&texts.text(input)) {
                assert!(!said.is_empty());
            }
        });
    }

    #[test]
    fn help_has_every_command() {
        for word in
            ["delay", "back", "random", "guided", "state", "list", "trace", "write", "goal", "quit"]
        {
            assert!(HELP.contains(word), "{word}");
            assert!(parse(&format!("{word} 1")).is_ok() || parse(word).is_ok(), "{word}");
        }
    }
}
