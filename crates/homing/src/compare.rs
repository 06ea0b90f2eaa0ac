//! Strategies side by side: every one on the same property, under the same
//! limits, each with a budget of its own.
//!
//! What is wrong with an expression in itself is refused before the first
//! run. What is wrong with it here only (an estimate for goals where there is
//! none, a store that is not exact) becomes a row of the table, because it is
//! one of the things a comparison shows.

use std::cell::RefCell;
use std::sync::Arc;

use homing_core::catalogue::{self, Kind};
use homing_core::expression::{self, Call};
use homing_guide::{Goal, Target};
use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_report::Verdict;
use homing_report::compare::{CompareOutcome, ComparedRun};
use homing_report::outcome::Statistics;
use homing_search::Strategy;
use homing_space::{CompiledSpace, Execution};
use homing_store::StoreConfig;

use crate::check::check;
use crate::load::Model;
use crate::options::Options;
use crate::question::{Question, asked as questions_asked, own_expressions, parse_goal};
use crate::run::{Configuration, Hooks, UsageError, parse, refused};
use crate::searched::default_store;

/// What to compare.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// What to check, and when to stop. Its strategy, estimate and store are
    /// not looked at.
    pub check: Options,
    /// The strategies: expressions with `;` between them.
    pub strategies: String,
    /// The stores, likewise; without, the first of the catalogue.
    pub stores: Option<String>,
}

/// Checks a model once for every property, strategy and store. `hooks` are
/// asked for before every run, with the strategy; once they say that the runs
/// are cancelled, no further one is started.
pub fn compare(
    model: &Model,
    options: &CompareOptions,
    mut hooks: impl FnMut(&str) -> Hooks,
) -> Result<CompareOutcome, UsageError> {
    let runs = asked(model, options)?;
    let mut outcome = CompareOutcome {
        model: model.network.name.clone(),
        command: String::new(),
        seed: options.check.seed,
        runs: Vec::new(),
        complete: true,
        internal_errors: Vec::new(),
    };
    for asked in runs {
        let hooks = hooks(&asked.strategy);
        let budget = hooks.budget.clone();
        if !budget.is_cancelled() {
            budget.restart();
            let row = run(model, asked, hooks)?;
            outcome.complete &= row.run.verdict.is_some();
            outcome.internal_errors.extend(row.failed);
            outcome.runs.push(row.run);
        }
        if budget.is_cancelled() {
            outcome.complete = false;
            break;
        }
    }
    outcome.internal_errors.extend(contradictions(&outcome.runs));
    Ok(outcome)
}

/// One run to be made.
pub(crate) struct Asked {
    pub property: String,
    pub strategy: String,
    pub options: Options,
}

/// All runs to be made, property by property; or what is wrong with one of
/// them.
fn asked(model: &Model, options: &CompareOptions) -> Result<Vec<Asked>, UsageError> {
    let stores = options.stores.as_deref().unwrap_or(default_store(model));
    let stores = several(stores, "store")?;
    let strategies = several(&options.strategies, "strategy")?;
    let questions = questions_asked(model, &options.check)?;
    options.check.passes.apply(Passes::ALL)?;
    let trial = Trial::new()?;
    stores.iter().try_for_each(Trial::store)?;
    for strategy in &strategies {
        trial.strategy(model, strategy, &options.check)?;
    }
    let mut runs = Vec::new();
    for (property, check) in one_by_one(&questions, &options.check) {
        let pairs = strategies.iter().flat_map(|one| stores.iter().map(move |store| (one, store)));
        runs.extend(pairs.map(|(strategy, store)| Asked {
            property: property.clone(),
            strategy: strategy.to_string(),
            options: Options {
                strategy: Some(strategy.to_string()),
                estimate: None,
                store: Some(store.to_string()),
                ..check.clone()
            },
        }));
    }
    Ok(runs)
}

/// For every question its name, and how to ask it alone.
pub(crate) fn one_by_one<'a>(
    questions: &'a [Arc<dyn Question>],
    options: &'a Options,
) -> impl Iterator<Item = (String, Options)> + 'a {
    questions.iter().enumerate().map(|(i, question)| {
        let name = question.name().to_string();
        // Goals come first, all else has a name.
        let (goals, properties) = match i < options.goals.len() {
            true => (vec![name.clone()], vec![]),
            false => (vec![], vec![name.clone()]),
        };
        (name, Options { goals, properties, ..options.clone() })
    })
}

/// The parts in a list of expressions.
fn several(text: &str, what: &str) -> Result<Vec<Call>, UsageError> {
    let sentence = |error: String| UsageError::Sentence(format!("{what} `{text}`: {error}"));
    let all = expression::parse_several(text).map_err(|error| sentence(error.to_string()))?;
    if all.is_empty() {
        return Err(UsageError::Sentence(format!("no {what} is given; `homing parts` lists them")));
    }
    all.iter().map(|one| one.as_call().cloned().map_err(sentence)).collect()
}

/// Says what is wrong with a strategy in itself, whatever it is used for.
pub fn check_strategy(strategy: &str) -> Result<(), String> {
    let call = parse(strategy, "strategy")?;
    let (strategy, _) = homing_search::strategy::build(&call, 1)?;
    for search in strategy.searches() {
        if let Some(estimate) = &search.estimate {
            catalogue::find(homing_guide::ESTIMATES, Kind::Estimate, &estimate.name)?;
        }
        if let Some(prefer) = &search.prefer {
            catalogue::find(homing_guide::PREFERENCES, Kind::Preference, &prefer.name)?;
        }
    }
    Ok(())
}

/// A model of one variable, on which every part can be made at once: what
/// cannot be made even here is wrong in itself.
struct Trial {
    space: CompiledSpace,
}

impl Trial {
    const MODEL: &str = "
        byte x;
        process P { state a; init a; trans a -> a { guard x < 3; effect x = x + 1; }; }
        system async;";

    fn new() -> Result<Trial, UsageError> {
        let internal = |error: String| UsageError::Internal(format!("the trial model: {error}"));
        let model = crate::parse("trial.dve", Trial::MODEL);
        let model = model.map_err(|error| internal(error.to_string()))?;
        let goal = Wanted::goal(parse_goal(&model, "x == 3")?.expr);
        let interpreted = Execution::Interpreted;
        let space = CompiledSpace::executed(&model.network, &[goal], Passes::NONE, interpreted);
        Ok(Trial { space: space.map_err(|error| refused(&model, error))? })
    }

    fn store(store: &Call) -> Result<(), UsageError> {
        let config = StoreConfig { width: 1, memory: None, states: None, cover: None };
        homing_store::build(&config, store).map(drop).map_err(UsageError::Sentence)
    }

    /// Refuses a strategy that is wrong whatever it is used for, or that has
    /// an expression of the user's own that is not one of the model.
    fn strategy(&self, model: &Model, strategy: &Call, check: &Options) -> Result<(), UsageError> {
        let options = Options {
            strategy: Some(strategy.to_string()),
            estimate: None,
            store: None,
            ..check.clone()
        };
        let parts = Configuration::choose(model, &options, "auto")?;
        own_expressions(model, &parts.expressions)?;
        // Which of the two targets a part is made for does not matter here.
        let goal = self.guide(&parts, Target::Condition(0));
        if goal.is_err() && self.guide(&parts, Target::Deadlock).is_err() {
            let sentence = |error| UsageError::Sentence(format!("strategy `{strategy}`: {error}"));
            return goal.map_err(sentence);
        }
        Ok(())
    }

    fn guide(&self, parts: &Configuration, target: Target<'static>) -> Result<(), String> {
        let texts = parts.expressions.iter();
        let expressions: Vec<(String, usize)> = texts.map(|text| (text.clone(), 0)).collect();
        let notices = RefCell::default();
        let goal = Goal {
            space: self.space.prepared(),
            successors: &self.space,
            target,
            costs: None,
            expressions: &expressions,
            memory: usize::MAX,
            notices: &notices,
            grounds: None,
            hasty: false,
        };
        parts.strategy.searches().iter().try_for_each(|Strategy { estimate, prefer, .. }| {
            estimate.iter().try_for_each(|call| homing_guide::build(&goal, call).map(drop))?;
            prefer.iter().try_for_each(|call| homing_guide::prefer(&goal, call).map(drop))
        })
    }
}

/// What came of a run.
pub(crate) struct Row {
    pub run: ComparedRun,
    /// Where homing itself failed: how.
    pub failed: Option<String>,
}

/// Makes one run.
pub(crate) fn run(model: &Model, asked: Asked, hooks: Hooks) -> Result<Row, UsageError> {
    let mut failed = None;
    let mut row = ComparedRun {
        property: asked.property,
        strategy: asked.strategy,
        store: asked.options.store.clone().unwrap_or_default(),
        verdict: None,
        reason: String::new(),
        length: None,
        optimal: false,
        at_least: None,
        statistics: Statistics::default(),
        compile_seconds: 0.0,
        notices: Vec::new(),
    };
    match check(model, &asked.options, hooks) {
        Ok(checked) => {
            row.statistics = checked.outcome.statistics;
            row.compile_seconds = checked.outcome.compile_seconds;
            row.notices = checked.outcome.notices;
            if let Some(result) = checked.outcome.results.into_iter().next() {
                row.verdict = Some(result.verdict);
                row.reason = result.reason;
                row.length = result.trace.map(|trace| trace.length as u64);
                row.optimal = result.optimal;
                row.at_least = result.at_least;
            }
        }
        Err(UsageError::Sentence(sentence) | UsageError::Stopped(sentence)) => {
            row.reason = sentence;
        }
        Err(UsageError::Internal(message)) => {
            row.reason = format!("homing itself failed: {message}");
            failed = Some(format!("`{}`: {message}", row.strategy));
        }
        // About the model, so that no other run would do better.
        Err(wrong @ (UsageError::Diagnostics { .. } | UsageError::More(_))) => return Err(wrong),
    }
    Ok(Row { run: row, failed })
}

/// What cannot be true together: a property that holds and is violated, a
/// proof that no trace is shorter and a shorter one.
pub(crate) fn contradictions(runs: &[ComparedRun]) -> Vec<String> {
    let mut found = Vec::new();
    for (i, one) in runs.iter().enumerate() {
        let others = runs.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, other)| other);
        for other in others.filter(|other| other.property == one.property) {
            found.extend(contradiction(one, other));
        }
    }
    found
}

fn contradiction(one: &ComparedRun, other: &ComparedRun) -> Option<String> {
    let name = |run: &ComparedRun| format!("`{}` with `{}`", run.strategy, run.store);
    let (holds, violated) = (Some(Verdict::Holds), Some(Verdict::Violated));
    if one.verdict == holds && other.verdict == violated {
        return Some(format!(
            "contradictory verdicts on `{}`: by {} it holds, by {} it is violated",
            one.property,
            name(one),
            name(other)
        ));
    }
    let proven = one.length.filter(|_| one.optimal).max(one.at_least);
    match (proven, other.length) {
        (Some(least), Some(length)) if length < least => Some(format!(
            "contradictory traces for `{}`: by {} none is shorter than {least} steps, but {} has \
             one of {length}",
            one.property,
            name(one),
            name(other)
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(strategy: &str, verdict: Verdict, length: Option<u64>, optimal: bool) -> ComparedRun {
        ComparedRun {
            property: "x == 3".into(),
            strategy: strategy.into(),
            store: "exact".into(),
            verdict: Some(verdict),
            reason: String::new(),
            length,
            optimal,
            at_least: None,
            statistics: Statistics::default(),
            compile_seconds: 0.0,
            notices: vec![],
        }
    }

    #[test]
    fn runs_that_cannot_both_be_right_are_noticed() {
        let holds = run("a", Verdict::Holds, None, false);
        let unknown = run("b", Verdict::Unknown, None, false);
        let five = run("c", Verdict::Violated, Some(5), true);
        let seven = run("d", Verdict::Violated, Some(7), false);
        let found = |runs: &[&ComparedRun]| {
            contradictions(&runs.iter().copied().cloned().collect::<Vec<_>>())
        };
        assert!(found(&[&holds, &unknown]).is_empty());
        assert!(found(&[&five, &seven, &unknown, &five]).is_empty());
        assert_eq!(found(&[&five, &seven, &holds]).len(), 2);
        let wrong = ComparedRun { optimal: true, ..seven.clone() };
        let said = found(&[&five, &wrong]);
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("shorter than 7 steps") && said[0].contains("`c`"), "{said:?}");
        let bound = ComparedRun { at_least: Some(6), ..unknown.clone() };
        assert!(found(&[&bound, &seven]).is_empty());
        assert!(found(&[&bound, &five])[0].contains("shorter than 6 steps"));
        let elsewhere = ComparedRun { property: "deadlock".into(), ..holds };
        assert!(found(&[&five, &elsewhere]).is_empty());
    }

    /// Else what is right would be refused.
    #[test]
    fn every_part_can_be_made_on_the_trial_model() {
        let model = crate::parse("trial.dve", Trial::MODEL).unwrap();
        let trial = Trial::new().unwrap();
        let tried = |text: &str| {
            let call = expression::parse(text).unwrap().as_call().unwrap().clone();
            trial.strategy(&model, &call, &Options::default())
        };
        for row in homing_search::STRATEGIES {
            assert!(tried(row.name).is_ok(), "{}", row.name);
        }
        for row in homing_guide::ESTIMATES {
            let arguments = match row.name {
                "expression" => "('3 - x')",
                "max" | "sum" | "ties" | "each" | "novelty" => "([goal-count, hamming])",
                "weight" | "lazy" | "cached" => "(goal-count)",
                _ => "",
            };
            let text = format!("greedy({}{arguments})", row.name);
            let answer = tried(&text);
            assert!(answer.is_ok(), "{text}: {answer:?}");
        }
        for row in homing_guide::PREFERENCES {
            let text = format!("greedy(relaxed-layers, prefer={})", row.name);
            let answer = tried(&text);
            assert!(answer.is_ok(), "{text}: {answer:?}");
        }
        for row in homing_store::STORES {
            let call = expression::parse(row.name).unwrap().as_call().unwrap().clone();
            assert!(Trial::store(&call).is_ok(), "{}", row.name);
        }
        for wrong in [
            "bredth",
            "greedy(goal-cuont)",
            "greedy(max([goal-cuont, hamming]))",
            "greedy(formula(combine=smu))",
            "greedy(goal-count, prefer=helpfull)",
            "breadth(depth=3)",
            "greedy(max([goal-count, active]))",
        ] {
            assert!(matches!(tried(wrong), Err(UsageError::Sentence(_))), "{wrong}");
        }
        assert!(matches!(tried("greedy(expression('y'))"), Err(UsageError::Diagnostics { .. })));
    }
}
