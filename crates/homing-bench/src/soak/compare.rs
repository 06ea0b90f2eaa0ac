//! Whether all answers about a program agree: those of homing's configurations with
//! the interpreter's where it can say, else with those of the plain way to search, and
//! both with SPIN's.

use homing::Model;
use homing::Options;
use homing::ir::network::{Expr, Network};
use homing::report::outcome::Verdict;

use super::configurations::{self, Configuration};
use super::generators::{Generator, Oracle};
use super::interpreted::{self, INTERPRETED};
use super::ours::{self, Judged, MOST_STATES, Trouble};
use super::spin::{self, Answers, Theirs, Workshop};

/// The kind of difference where a claim is violated by SPIN only.
const CLAIM_HOLDS: &str = "SPIN: claim, holds here";

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
        let timed = self.generator.oracle == Oracle::Itself;
        let states = if timed { None } else { Some(self.count(text, &mut model)?) };
        let judged = self.reference(&mut model, states)?;
        let silent = match states.filter(|_| self.generator.oracle == Oracle::Spin) {
            Some(states) => self.with_spin(text, &model.network, states, &judged)?,
            None => None,
        };
        self.configured(&mut model, &judged)?;
        silent.map_or(Ok(()), |why| Err(End::Skipped(why.into())))
    }

    /// The number of states, where there are few.
    fn count(&self, text: &str, model: &mut Model) -> Result<u64, End> {
        let counted = match ours::stats(model, &counting()) {
            Ok(counted) => counted,
            Err(said) => return Err(self.or_refused(text, trouble("", said))?),
        };
        if !counted.complete || counted.states > MOST_STATES {
            return Err(End::Skipped("too many states".into()));
        }
        Ok(counted.states)
    }

    /// What all configurations must agree with: the interpreter's answers, or those of
    /// the plain way to search; of claims and timed models, always these.
    fn reference(&self, model: &mut Model, states: Option<u64>) -> Result<Vec<Judged>, End> {
        let mut judged = match self.interpreted(model, states)? {
            Some(judged) => judged,
            None => self.plain(model)?,
        };
        judged.extend(self.claims(model)?);
        if states.is_none() && judged.iter().any(Judged::limited) {
            return Err(End::Skipped("too many states".into()));
        }
        Ok(judged)
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
        Ok(match workshop.ask(text, true)? {
            Theirs::Refused(why) => {
                End::Skipped(format!("both refuse it: {}", general(without_place(&why))))
            }
            Theirs::Cut(why) => End::Skipped(why.into()),
            Theirs::Searched(_) => end,
        })
    }

    /// Everything asked of any model and for the goals, in the plain way.
    fn plain(&self, model: &mut Model) -> Result<Vec<Judged>, End> {
        let options = Options { properties: general_properties(), ..configurations::plain() };
        let mut judged = ours::check(model, &options).map_err(|said| trouble("check, ", said))?;
        if !self.goals.is_empty() {
            let options = Options { goals: self.goals.to_vec(), ..configurations::plain() };
            judged.extend(ours::check(model, &options).map_err(|said| trouble("goal, ", said))?);
        }
        Ok(judged)
    }

    /// What the model itself asks for.
    fn claims(&self, model: &mut Model) -> Result<Vec<Judged>, End> {
        let properties = written(model);
        if properties.is_empty() {
            return Ok(Vec::new());
        }
        let options = Options { properties, strategy: None, ..configurations::plain() };
        ours::check(model, &options).map_err(|said| trouble("claim, ", said))
    }

    /// Compares with SPIN. Answers why, where it says nothing that can be compared.
    fn with_spin(
        &self,
        text: &str,
        network: &Network,
        states: u64,
        judged: &[Judged],
    ) -> Result<Option<&'static str>, End> {
        let Some(workshop) = self.workshop else {
            return Err(End::Skipped("SPIN or a C compiler is not installed".into()));
        };
        if text.contains("np_") {
            return Ok(Some("pan takes `np_` for something else where runs begin and end"));
        }
        if text.contains("hidden ") {
            return Ok(Some("pan leaves hidden variables out of states"));
        }
        if spin::evaluates_channels(text) {
            return Ok(Some("pan puts back another message where `eval` looks at channels"));
        }
        let (processes, claim) = spin::claim_of(text).unwrap_or((text, ""));
        if !claim.is_empty() && processes.contains("_nr_pr") {
            return Ok(Some("pan counts the claim as a process"));
        }
        let waits = claim.contains("timeout");
        if waits && !processes.contains("timeout") {
            return Ok(Some("pan takes `timeout` for false where no process has it"));
        }
        let asserted = judged.iter().find(|judged| judged.property == "assertions");
        let hold = asserted.is_some_and(|judged| judged.verdict == Verdict::Holds);
        match workshop.ask(text, hold)? {
            Theirs::Refused(why) => {
                Err(End::Skipped(format!("SPIN refuses it: {}", general(without_place(&why)))))
            }
            Theirs::Cut(why) => Err(End::Skipped(why.into())),
            Theirs::Searched(answers) => match same_as_spin(states, judged, &answers) {
                Err(End::Different(found)) if waits && found.kind == CLAIM_HOLDS => {
                    Ok(Some("pan tries a claim that cannot move again, with `timeout` true"))
                }
                Err(End::Different(found)) => {
                    excuse(text, network, &found.kind).map(Some).ok_or(End::Different(found))
                }
                compared => compared,
            },
        }
    }

    fn goal_exprs(&self, model: &mut Model) -> Result<Vec<(String, Expr)>, End> {
        let read = |goal: &String| {
            let expression = model.language.expression;
            expression(&mut model.network, goal, "<goal>")
                .map(|read| (goal.clone(), read))
                .map_err(|_| different("goal refused", goal, "an expression"))
        };
        self.goals.iter().map(read).collect()
    }

    /// The interpreter's answers, where it can say all there is to say.
    fn interpreted(&self, model: &Model, states: Option<u64>) -> Result<Option<Vec<Judged>>, End> {
        let Some(states) = states.filter(|states| *states <= INTERPRETED) else { return Ok(None) };
        let mut model = model.clone();
        let goals = self.goal_exprs(&mut model)?;
        let found = interpreted::explore(&model, &goals);
        let Some(found) = found.map_err(|said| trouble("interpreter, ", said))? else {
            return Err(different("interpreter: states", states, format!("over {INTERPRETED}")));
        };
        if found.states != states {
            return Err(different("interpreter: states", states, found.states));
        }
        Ok(Some(found.judged))
    }

    /// Some configurations, chosen by the seed, against the plain way.
    fn configured(&self, model: &mut Model, judged: &[Judged]) -> Result<(), End> {
        let timed = model.network.is_timed();
        for with in self.chosen(configurations::blind(timed)) {
            let options = Options { properties: general_properties(), ..with.options.clone() };
            agree(model, &with, &options, judged)?;
        }
        if !self.goals.is_empty() {
            for with in self.chosen(configurations::directed(timed)) {
                let options = Options { goals: self.goals.to_vec(), ..with.options.clone() };
                agree(model, &with, &options, judged)?;
            }
        }
        let written = written(model);
        if !written.is_empty() {
            for with in self.chosen(configurations::lassos()) {
                let options = Options { properties: written.clone(), ..with.options.clone() };
                agree(model, &with, &options, judged)?;
            }
        }
        Ok(())
    }

    /// Those whose turn it is, every second time interpreted.
    fn chosen(&self, all: Vec<Configuration>) -> impl Iterator<Item = Configuration> {
        let (start, count) = ((self.seed as usize).wrapping_mul(self.configurations), all.len());
        let turn = move |turn| {
            let number = start.wrapping_add(turn);
            let one = all[number % count].clone();
            if number / count % 2 == 0 { one } else { one.interpreted() }
        };
        (0..self.configurations.min(count)).map(turn)
    }
}

fn counting() -> Options {
    Options { strategy: Some("breadth".into()), limits: ours::limits(), ..Options::default() }
}

fn general_properties() -> Vec<String> {
    ["assertions", "deadlock", "errors"].map(String::from).to_vec()
}

fn written(model: &Model) -> Vec<String> {
    model.network.properties.iter().map(|property| property.name.clone()).collect()
}

/// Why SPIN tells of an error that is none here, if that is known.
fn excuse(text: &str, network: &Network, kind: &str) -> Option<&'static str> {
    if kind.contains("(q_zero)") && text.contains("unless") {
        return Some("pan looks behind escapes while somebody offers a rendezvous");
    }
    spin::offers_beside_else(network)
        .then_some("pan takes an `else` for impossible beside a rendezvous that is accepted")
}

/// Compares with SPIN's answers. Answers why, where there is nothing to compare.
fn same_as_spin(
    states: u64,
    judged: &[Judged],
    theirs: &Answers,
) -> Result<Option<&'static str>, End> {
    let verdict = |name: &str| judged.iter().find(|judged| judged.property == name);
    let violated = |name: &str| verdict(name).map(|judged| judged.verdict == Verdict::Violated);
    let fails = violated("errors") == Some(true);
    if let Some(theirs) = &theirs.fails
        && fails != theirs.is_some()
    {
        let theirs = theirs.as_deref().unwrap_or("none");
        return Err(different(format!("SPIN: run-time error: {}", general(theirs)), fails, theirs));
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
    match (theirs.claim_violated, &theirs.fails) {
        (_, Some(_)) => Ok(None),
        (Some(_), None) if fails => Ok(Some("a step fails, so the claim is not compared")),
        (Some(theirs), None) => same_claim(["never", "p"].into_iter().find_map(verdict), theirs),
        (None, None) => Ok(Some("SPIN says nothing of the claim")),
    }
}

fn same_claim(ours: Option<&Judged>, theirs: bool) -> Result<Option<&'static str>, End> {
    let Some(claim) = ours else { return Err(different("claim is dropped", "none", theirs)) };
    match (claim.verdict, theirs) {
        (Verdict::Violated, true) | (Verdict::Holds, false) => Ok(None),
        _ if claim.cut_short() => Ok(Some("a limit was met")),
        (Verdict::Unknown, _) if claim.reason.contains("`enabled` is asked of") => {
            Ok(Some("pan executes what `enabled` should look at"))
        }
        (Verdict::Unknown, false) if claim.reason.contains("cannot be evaluated in some state") => {
            Ok(Some("pan asks only as much of a formula as decides it"))
        }
        (verdict, theirs) => {
            let said = format!("{verdict}: {}", claim.reason);
            Err(different(format!("SPIN: claim, {verdict} here"), said, theirs))
        }
    }
}

/// Whether a configuration agrees with the reference.
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

/// What is wrong with an answer, beside that of the reference.
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
