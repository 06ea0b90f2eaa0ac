//! Whether all answers about a program agree: homing's with the oracle's, and
//! those of its configurations with each other.

use homing::Model;
use homing::Options;
use homing::ir::interp::{Interpreter, RuntimeErrorKind};
use homing::ir::network::Expr;
use homing::report::outcome::Verdict;

use super::configurations::{self, Configuration};
use super::generators::{Generator, Oracle};
use super::ours::{self, Judged, MOST_STATES, Trouble};
use super::spin::{Answers, Theirs, Workshop};

/// States that the interpreter explores, which is slow.
const INTERPRETED: usize = 2_000;

/// Two answers that differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What differs, without what is different in every program.
    pub kind: String,
    pub ours: String,
    pub theirs: String,
}

/// What became of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Compared {
    /// Everything agrees.
    Same,
    Different(Difference),
    /// It was not compared, and why.
    Skipped(String),
}

/// What is compared, and with what.
pub struct Comparison<'a> {
    pub generator: &'a Generator,
    pub goals: &'a [String],
    pub workshop: Option<&'a Workshop>,
    /// Chooses the configurations.
    pub seed: u64,
    /// How many configurations there are of each kind.
    pub configurations: usize,
}

/// Ends a comparison before its end.
enum End {
    Different(Difference),
    Skipped(String),
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for End {
    fn from(error: anyhow::Error) -> End {
        End::Failed(error)
    }
}

fn different(kind: impl Into<String>, ours: impl ToString, theirs: impl ToString) -> End {
    let (ours, theirs) = (ours.to_string(), theirs.to_string());
    End::Different(Difference { kind: kind.into(), ours, theirs })
}

/// What our own failures are called. Names and numbers are left out.
fn trouble(kind: &str, trouble: Trouble) -> End {
    let (word, said) = match trouble {
        Trouble::Refused(said) => ("refused", said),
        Trouble::Internal(said) => ("internal error", said),
        Trouble::Panic(said) => ("panic", said),
        Trouble::Stopped => return End::Skipped("a limit was met".into()),
    };
    different(format!("{kind}{word}: {}", general(&said)), said, "an answer")
}

/// What SPIN says, without file, line and the token it stopped at.
fn without_place(said: &str) -> &str {
    let said = said.split_once("Error: ").map_or(said, |(_, said)| said);
    said.split_once('\t').map_or(said, |(said, _)| said).split(" near '").next().unwrap_or(said)
}

fn general(said: &str) -> String {
    let mut quoted = false;
    let letters = said.lines().next().unwrap_or_default().chars().filter(|letter| {
        quoted ^= *letter == '`';
        !quoted && !letter.is_ascii_digit()
    });
    letters.collect()
}

impl Comparison<'_> {
    /// Compares all answers about a program.
    pub fn compare(&self, text: &str) -> anyhow::Result<Compared> {
        match self.steps(text) {
            Ok(()) => Ok(Compared::Same),
            Err(End::Different(difference)) => Ok(Compared::Different(difference)),
            Err(End::Skipped(why)) => Ok(Compared::Skipped(why)),
            Err(End::Failed(error)) => Err(error),
        }
    }

    fn steps(&self, text: &str) -> Result<(), End> {
        let name = format!("random.{}", self.generator.extension);
        let mut model = match ours::read(&name, text) {
            Ok(model) => model,
            Err(said) => return Err(self.unread(text, said)?),
        };
        let counted = ours::stats(&mut model, &counting()).map_err(|said| trouble("", said));
        let counted = match counted {
            Ok(counted) => counted,
            Err(end) => return Err(self.or_refused(text, end)?),
        };
        if !counted.complete || counted.states > MOST_STATES {
            return Err(End::Skipped("too many states".into()));
        }
        let judged = self.check(&mut model)?;
        match self.generator.oracle {
            Oracle::Spin => {
                self.with_spin(text, counted.states, &judged)?;
                self.interpreted(&model, counted.states, &judged)?;
            }
            Oracle::Interpreter => self.interpreted(&model, counted.states, &judged)?,
            Oracle::Itself => {}
        }
        self.configured(&mut model, &judged)
    }

    /// A model that is not read: a difference where the other tool reads it.
    fn unread(&self, text: &str, said: Trouble) -> Result<End, End> {
        let end = trouble("", said);
        self.or_refused(text, end)
    }

    fn or_refused(&self, text: &str, end: End) -> Result<End, End> {
        let Some(workshop) = self.workshop.filter(|_| self.generator.oracle == Oracle::Spin) else {
            return Ok(end);
        };
        Ok(match workshop.ask(text)? {
            Theirs::Refused(why) => {
                End::Skipped(format!("both refuse it: {}", general(without_place(&why))))
            }
            Theirs::Cut(why) => End::Skipped(why.into()),
            Theirs::Searched(_) => end,
        })
    }

    /// Everything asked of the model and for the goals, in the plain way.
    fn check(&self, model: &mut Model) -> Result<Vec<Judged>, End> {
        let mut plain = configurations::plain();
        plain.strategy = None;
        let general = ["assertions", "deadlock", "errors"].map(String::from).to_vec();
        let options = Options { properties: general, ..configurations::plain() };
        let mut judged = ours::check(model, &options).map_err(|said| trouble("check, ", said))?;
        let written: Vec<String> =
            model.network.properties.iter().map(|property| property.name.clone()).collect();
        if !written.is_empty() {
            let options = Options { properties: written, ..plain };
            judged.extend(ours::check(model, &options).map_err(|said| trouble("claim, ", said))?);
        }
        if !self.goals.is_empty() {
            let options = Options { goals: self.goals.to_vec(), ..configurations::plain() };
            judged.extend(ours::check(model, &options).map_err(|said| trouble("goal, ", said))?);
        }
        Ok(judged)
    }

    fn with_spin(&self, text: &str, states: u64, judged: &[Judged]) -> Result<(), End> {
        let Some(workshop) = self.workshop else {
            return Err(End::Skipped("SPIN or a C compiler is not installed".into()));
        };
        match workshop.ask(text)? {
            Theirs::Refused(why) => {
                Err(End::Skipped(format!("SPIN refuses it: {}", general(&why))))
            }
            Theirs::Cut(why) => Err(End::Skipped(why.into())),
            Theirs::Searched(answers) => same_as_spin(states, judged, &answers),
        }
    }

    fn goal_exprs(&self, model: &mut Model) -> Result<Vec<Expr>, End> {
        let read = |goal: &String| {
            let expression = model.language.expression;
            expression(&mut model.network, goal, "<goal>")
                .map_err(|_| different("goal refused", goal, "an expression"))
        };
        self.goals.iter().map(read).collect()
    }

    /// States and verdicts against the reference interpreter.
    fn interpreted(&self, model: &Model, states: u64, judged: &[Judged]) -> Result<(), End> {
        let mut model = model.clone();
        let goals = self.goal_exprs(&mut model)?;
        let found = ours::guarded(|| {
            let interpreter = Interpreter::new(&model.network)
                .map_err(|said| Trouble::Refused(format!("{said:?}")))?;
            let found = interpreter.explore(INTERPRETED);
            let asserted =
                found.distance(|state| !interpreter.violated_assertions(state).is_empty());
            let reached: Vec<Option<u32>> = goals
                .iter()
                .map(|goal| {
                    found.distance(|state| interpreter.eval(state, goal).is_ok_and(|it| it != 0))
                })
                .collect();
            Ok((found, asserted, reached))
        });
        let (found, asserted, reached) = found.map_err(|said| trouble("interpreter, ", said))?;
        if !found.complete {
            return Ok(());
        }
        if found.states.len() as u64 != states {
            return Err(different("interpreter: states", states, found.states.len()));
        }
        let failed = |assertion: bool| {
            let mut faults = found.faults.iter();
            let of_kind = faults
                .find(|fault| (fault.error.kind == RuntimeErrorKind::AssertionFailed) == assertion);
            of_kind.map(|fault| found.depths[fault.state] + 1)
        };
        let deadlock = found.deadlocks.first().map(|state| found.depths[*state]);
        let assertion = asserted.into_iter().chain(failed(true)).min();
        shortest("interpreter", "deadlock", judged, deadlock)?;
        shortest("interpreter", "assertions", judged, assertion)?;
        shortest("interpreter", "errors", judged, failed(false))?;
        let goals = self.goals.iter().zip(reached);
        goals.into_iter().try_for_each(|(goal, at)| shortest("interpreter", goal, judged, at))
    }

    /// Some configurations, chosen by the seed, against the plain way.
    fn configured(&self, model: &mut Model, judged: &[Judged]) -> Result<(), End> {
        let timed = model.network.is_timed();
        let general = ["assertions", "deadlock", "errors"].map(String::from).to_vec();
        for with in self.chosen(configurations::blind(timed)) {
            let options = Options { properties: general.clone(), ..with.options.clone() };
            agree(model, &with, &options, judged)?;
        }
        if !self.goals.is_empty() {
            for with in self.chosen(configurations::directed(timed)) {
                let options = Options { goals: self.goals.to_vec(), ..with.options.clone() };
                agree(model, &with, &options, judged)?;
            }
        }
        let written: Vec<String> =
            model.network.properties.iter().map(|property| property.name.clone()).collect();
        if !written.is_empty() {
            for with in self.chosen(configurations::lassos()) {
                let options = Options { properties: written.clone(), ..with.options.clone() };
                agree(model, &with, &options, judged)?;
            }
        }
        Ok(())
    }

    fn chosen(&self, all: Vec<Configuration>) -> impl Iterator<Item = Configuration> {
        let (start, count) = (self.seed as usize * self.configurations, all.len());
        (0..self.configurations.min(count)).map(move |turn| all[(start + turn) % count].clone())
    }
}

fn counting() -> Options {
    Options { strategy: Some("breadth".into()), limits: ours::limits(), ..Options::default() }
}

fn same_as_spin(states: u64, judged: &[Judged], theirs: &Answers) -> Result<(), End> {
    let verdict = |name: &str| judged.iter().find(|judged| judged.property == name);
    let violated = |name: &str| verdict(name).map(|judged| judged.verdict == Verdict::Violated);
    let fails = violated("errors") == Some(true);
    if fails != theirs.fails {
        return Err(different("SPIN: run-time errors", fails, theirs.fails));
    }
    for (name, theirs) in
        [("deadlock", theirs.invalid_end_state), ("assertions", theirs.assertion_violated)]
    {
        // What lies behind a failing step is not searched, by either.
        let cut = verdict(name).is_some_and(Judged::cut_short);
        let ours = violated(name).filter(|_| !fails && !cut);
        if let (Some(ours), Some(theirs)) = (ours, theirs)
            && ours != theirs
        {
            return Err(different(format!("SPIN: {name} violated"), ours, theirs));
        }
    }
    if let Some(theirs) = theirs.states
        && theirs != states
    {
        return Err(different("SPIN: states", states, theirs));
    }
    let Some(theirs) = theirs.claim_violated.filter(|_| !fails) else { return Ok(()) };
    let claim = ["never", "p"].into_iter().find_map(verdict);
    let Some(claim) = claim else { return Err(different("claim is dropped", "none", theirs)) };
    match (claim.verdict, theirs) {
        (Verdict::Violated, true) | (Verdict::Holds, false) => Ok(()),
        _ if claim.cut_short() => Ok(()),
        (verdict, theirs) => {
            let said = format!("{verdict}: {}", claim.reason);
            Err(different(format!("SPIN: claim, {verdict} here"), said, theirs))
        }
    }
}

/// Whether a property is violated after as many steps as the oracle says.
fn shortest(oracle: &str, name: &str, judged: &[Judged], length: Option<u32>) -> Result<(), End> {
    let Some(ours) = judged.iter().find(|judged| judged.property == name) else { return Ok(()) };
    let violated = (ours.verdict == Verdict::Violated).then_some(ours.length).flatten();
    if violated == length.map(u64::from) || ours.cut_short() {
        return Ok(());
    }
    let kind = if ["deadlock", "assertions", "errors"].contains(&name) { name } else { "goal" };
    let ours = format!("{name}: {ours:?}");
    Err(different(format!("{oracle}: {kind}"), ours, format!("{length:?} steps")))
}

/// Whether a configuration agrees with the plain way.
fn agree(
    model: &mut Model,
    with: &Configuration,
    options: &Options,
    plain: &[Judged],
) -> Result<(), End> {
    let about = format!("{}, ", with.name);
    let judged = match ours::check(model, options) {
        Ok(judged) => judged,
        // Not every configuration fits every model.
        Err(Trouble::Refused(_) | Trouble::Stopped) => return Ok(()),
        Err(said) => return Err(trouble(&about, said)),
    };
    for ours in &judged {
        let Some(plain) = plain.iter().find(|plain| plain.property == ours.property) else {
            continue;
        };
        if let Some(what) = disagreement(ours, plain, with.complete) {
            let kind = format!("{}: {what}", with.name);
            return Err(different(kind, format!("{ours:?}"), format!("{plain:?}")));
        }
    }
    Ok(())
}

/// What is wrong with an answer, beside that of the plain way.
fn disagreement(ours: &Judged, plain: &Judged, complete: bool) -> Option<&'static str> {
    match (ours.verdict, plain.verdict) {
        (Verdict::Violated, Verdict::Violated) => {}
        (Verdict::Holds, Verdict::Violated) => return Some("holds"),
        (Verdict::Violated, Verdict::Holds) => return Some("violated"),
        (Verdict::Unknown, Verdict::Holds | Verdict::Violated) if complete && !ours.cut_short() => {
            return Some("unknown");
        }
        _ => return None,
    }
    // Of runs without an end nothing is promised but by those who look for it.
    let (length, least) = (ours.length?, plain.length?);
    if plain.optimal && length < least {
        return Some("shorter than shortest");
    }
    (plain.optimal && ours.optimal && length != least).then_some("not shortest")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(verdict: Verdict, length: Option<u64>, optimal: bool) -> Judged {
        let (property, reason) = ("p".into(), String::new());
        Judged { property, verdict, reason, length, optimal }
    }

    #[test]
    fn answers_disagree_where_one_must_be_wrong() {
        let shortest = judged(Verdict::Violated, Some(3), true);
        let longer = judged(Verdict::Violated, Some(4), false);
        let holds = judged(Verdict::Holds, None, false);
        let unknown = judged(Verdict::Unknown, None, false);
        assert_eq!(disagreement(&longer, &shortest, true), None);
        assert_eq!(disagreement(&holds, &shortest, true), Some("holds"));
        assert_eq!(disagreement(&shortest, &holds, true), Some("violated"));
        assert_eq!(disagreement(&unknown, &holds, true), Some("unknown"));
        assert_eq!(disagreement(&unknown, &holds, false), None);
        let cut = Judged { reason: "stopped by the time limit".into(), ..unknown };
        assert_eq!(disagreement(&cut, &holds, true), None);
        let wrong = judged(Verdict::Violated, Some(4), true);
        assert_eq!(disagreement(&wrong, &shortest, true), Some("not shortest"));
        let wrong = judged(Verdict::Violated, Some(2), false);
        assert_eq!(disagreement(&wrong, &shortest, true), Some("shorter than shortest"));
    }

    #[test]
    fn refusals_of_spin_leave_out_the_place() {
        let said = "spin: model.pml:20, Error: dubious use of 'else'\tsaw ''}' = 125'";
        assert_eq!(without_place(said), "dubious use of 'else'");
    }

    #[test]
    fn kinds_leave_out_names_and_numbers() {
        assert_eq!(general("there is no `x7` in line 12"), "there is no ` in line ");
    }
}
