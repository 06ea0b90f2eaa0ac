//! Who races: what of the catalogue fits the questions.

use homing_core::catalogue::{Capability, Job, Row};
use homing_core::expression::{Call, Expression};
use homing_guide::{ESTIMATES, PREFERENCES};
use homing_search::STRATEGIES;
use homing_search::strategy::StrategyBuilder;

use crate::load::Model;
use crate::options::Options;
use crate::planner::{jobs, made, strategies};
use crate::question::{Need, NeedKind, asked};
use crate::run::UsageError;

/// The planner, which is always in the race.
pub(super) const AUTO: &str = "auto";

/// What the planner takes, greedy search by every estimate, and searches without one.
pub(super) fn first_entries(
    models: &[Model],
    options: &Options,
) -> Result<Vec<String>, UsageError> {
    let mut jobs = Vec::new();
    let mut runs = false;
    for model in models {
        let zones = model.network.is_timed();
        for question in asked(model, options)? {
            let need = question.need(&model.network);
            runs |= need.kind() == NeedKind::Run;
            jobs.extend(jobs_of(need, zones));
        }
    }
    jobs.sort_unstable();
    jobs.dedup();
    let planned = jobs.iter().flat_map(|job| strategies(*job)).map(String::from);
    let deadlock =
        |job: &Job| matches!(job, Job::BeginDeadlock | Job::FindDeadlock | Job::FindTimedDeadlock);
    let (some, all) = (jobs.iter().any(deadlock), jobs.iter().all(deadlock));
    let fits = |row: &&Row<_>| match row.gives(Capability::Deadlock) {
        true => some,
        false => !all,
    };
    let estimates = ESTIMATES.iter().filter(fits).filter(|row| stands_alone(row));
    let greedy = estimates.map(|row| format!("greedy({})", row.name));
    let others = STRATEGIES.iter().filter(|row| stands_alone(row) && is_whole(row));
    let others = others.filter(|row| !takes(row, "estimate") && row.name != AUTO);
    let others = others.filter(|row| runs || !row.gives(Capability::Lassos));
    let others = others.map(|row| row.name.to_string());
    let mut entries = vec![AUTO.to_string()];
    for entry in planned.chain(greedy).chain(others) {
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// What the planner needs a strategy for.
fn jobs_of(need: Need, zones: bool) -> Vec<Job> {
    let target = need.into_sought().and_then(|sought| sought.hit(0).target());
    target.map_or_else(Vec::new, |target| jobs(target, zones).to_vec())
}

/// Configurations that differ from one in its strategy, or in its preference.
pub(super) fn neighbours(strategy: &str, seed: u64) -> Vec<String> {
    let Some(made) = made(strategy, seed) else { return Vec::new() };
    let Some(estimate) = made.estimate else { return Vec::new() };
    let name = &made.call.name;
    let own = STRATEGIES.iter().find(|row| row.name == name);
    let preferences = PREFERENCES.iter().filter(|row| stands_alone(row));
    let preferences = preferences.map(|row| Call { name: row.name.into(), arguments: vec![] });
    let preferring = own.into_iter().filter(|row| takes(row, "prefer")).flat_map(|row| {
        let all = preferences.clone().map(Some).chain([None]);
        all.map(|prefer| put_together(row.name, &estimate, prefer.as_ref()))
    });
    let others = STRATEGIES.iter().filter(|row| {
        row.name != name
            && takes(row, "estimate")
            && is_whole(row)
            && !row.gives(Capability::Lassos)
    });
    let others = others.map(|row| {
        let prefer = made.prefer.as_ref().filter(|_| takes(row, "prefer"));
        put_together(row.name, &estimate, prefer)
    });
    preferring.chain(others).collect()
}

fn put_together(strategy: &str, estimate: &Call, prefer: Option<&Call>) -> String {
    let estimate = (None, Expression::Call(estimate.clone()));
    let prefer = prefer.map(|call| (Some("prefer".into()), Expression::Call(call.clone())));
    let arguments = std::iter::once(estimate).chain(prefer).collect();
    Call { name: strategy.into(), arguments }.to_string()
}

/// Whether it searches everything and remembers it: what `check` may call a proof.
fn is_whole(row: &Row<StrategyBuilder>) -> bool {
    row.gives(Capability::Complete) && !row.gives(Capability::MemoryBounded)
}

/// Whether nothing must be said about it.
fn stands_alone<B>(row: &Row<B>) -> bool {
    row.parameters.iter().all(|parameter| !parameter.default.is_empty())
}

fn takes(row: &Row<StrategyBuilder>, name: &str) -> bool {
    row.parameters.iter().any(|parameter| parameter.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str, properties: &[&str], goals: &[&str]) -> Vec<String> {
        let model = crate::parse("m.dve", text).unwrap();
        let of = |all: &[&str]| all.iter().map(|one| one.to_string()).collect();
        let options =
            Options { properties: of(properties), goals: of(goals), ..Options::default() };
        first_entries(&[model], &options).unwrap()
    }

    const MODEL: &str = "byte x; process P { state a; init a;
        trans a -> a { guard x < 3; effect x = x + 1; }; } system async;";

    #[test]
    fn only_what_fits_the_questions_races() {
        let goal = entries(MODEL, &[], &["x == 3"]);
        assert_eq!(goal[0], AUTO);
        for entry in
            ["breadth", "depth", "greedy(fsm-sum)", "greedy(relaxed-trace, prefer=useless)"]
        {
            assert!(goal.iter().any(|one| one == entry), "{entry} is missing from {goal:?}");
        }
        for entry in ["greedy(active)", "nested", "greedy(max)", "beam"] {
            assert!(!goal.iter().any(|one| one.starts_with(entry)), "{entry} is in {goal:?}");
        }
        let deadlock = entries(MODEL, &["deadlock"], &[]);
        assert!(deadlock.contains(&"greedy(active)".into()), "{deadlock:?}");
        assert!(!deadlock.contains(&"greedy(fsm-sum)".into()), "{deadlock:?}");
        let mut once = goal.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), goal.len());
    }

    /// A row with a typing error would only make tuning worse, which nobody would see.
    #[test]
    fn neighbours_are_strategies() {
        let all = neighbours("greedy(abstraction(states=100), prefer=useless)", 1);
        assert!(all.len() > 5, "{all:?}");
        for one in &all {
            assert!(made(one, 1).is_some_and(|made| made.estimate.is_some()), "{one}");
        }
        assert!(all.contains(&"greedy(abstraction(states=100))".to_string()), "{all:?}");
        assert!(all.iter().any(|one| one.starts_with("weighted(abstraction(states=100)")));
        assert!(neighbours("breadth", 1).is_empty() && neighbours("auto", 1).is_empty());
    }
}
