//! Known answers beside found ones: what differs, and which differences are
//! explained.

use std::fmt;

use crate::corpus::{Goal, Instance};
use crate::homing::{Stats, Verdict};

/// What homing found on an instance, in the terms of the known answers.
pub struct Found {
    /// The exploration.
    pub stats: Stats,
    /// Steps to the nearest deadlock, if there is one.
    pub shortest_deadlock: Option<u64>,
    /// An answer a goal.
    pub goals: Vec<Answer>,
}

/// Whether a goal can be reached, and how soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// In so many steps, where known.
    Reachable(Option<u64>),
    /// Never.
    Unreachable,
    /// Not decided.
    Unknown,
}

impl Answer {
    /// The known answer to a goal.
    pub fn known(goal: &Goal) -> Self {
        match goal.reachable {
            Some(true) => Self::Reachable(goal.steps),
            Some(false) => Self::Unreachable,
            None => Self::Unknown,
        }
    }

    /// The answer in a result of `homing check`, where the trace's length is
    /// the number of steps.
    pub fn found(result: &Verdict) -> Self {
        match result.verdict.as_str() {
            "violated" => Self::Reachable(result.trace.as_ref().map(|trace| trace.length)),
            "holds" => Self::Unreachable,
            _ => Self::Unknown,
        }
    }

    /// Whether a found answer says what is known. What is not known cannot
    /// be contradicted; an undecided search contradicts every known answer.
    fn agrees_with(self, known: Self) -> bool {
        match (known, self) {
            (Self::Unknown, _) => true,
            (Self::Reachable(None), Self::Reachable(_)) => true,
            (known, found) => known == found,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reachable(Some(steps)) => write!(to, "yes/{steps}"),
            Self::Reachable(None) => write!(to, "yes"),
            Self::Unreachable => write!(to, "no"),
            Self::Unknown => write!(to, "-"),
        }
    }
}

/// A difference between what is known and what was found.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs: `states`, `transitions`, `levels`, `deadlocks`, `deadlock`, `goal 1` …
    pub about: String,
    /// Known and found values.
    pub values: String,
    /// Why the difference is right, where it has been looked into.
    pub explanation: Option<&'static str>,
}

/// A difference that has been looked into.
struct Explained {
    instance: &'static str,
    about: &'static str,
    reason: &'static str,
}

/// Differences that are right, each with its reason.
const EXPLAINED: &[Explained] = &[Explained {
    instance: "resistance.1",
    about: "states",
    reason: "actual_resistance falls below 16 bits: BEEM's tool has one error state there, \
             homing (as LTSmin) wraps, and LTSmin's count is not known",
}];

/// Whether it has been looked into why `found` states are right for an
/// instance that is said to have others; true where they are as said.
pub fn states_explained(instance: &Instance, found: u64) -> bool {
    instance.states == Some(found)
        || EXPLAINED.iter().any(|one| one.instance == instance.name && one.about == "states")
}

/// Everything in which `found` contradicts what is known of `instance`.
pub fn differences(instance: &Instance, found: &Found) -> Vec<Difference> {
    let stats = &found.stats;
    let mut list = Vec::new();
    let mut number = |about: &str, known: Option<u64>, found: Option<u64>| {
        if known.is_some() && known != found {
            list.push(difference(instance, about, text(known), text(found)));
        }
    };
    number("states", instance.states, Some(stats.states));
    number("transitions", instance.transitions, Some(stats.transitions));
    number("levels", instance.levels, Some(stats.levels));
    number("deadlocks", instance.deadlocks, Some(stats.deadlocks));
    number("deadlock", instance.shortest_deadlock, found.shortest_deadlock);
    for (goal, &answer) in instance.goals.iter().zip(&found.goals) {
        let known = Answer::known(goal);
        if !answer.agrees_with(known) {
            let about = format!("goal {}", goal.id);
            list.push(difference(instance, &about, known.to_string(), answer.to_string()));
        }
    }
    list
}

fn difference(instance: &Instance, about: &str, known: String, found: String) -> Difference {
    let explanation =
        EXPLAINED.iter().find(|entry| entry.instance == instance.name && entry.about == about);
    Difference {
        about: about.to_owned(),
        values: format!("{known} known, {found} found"),
        explanation: explanation.map(|entry| entry.reason),
    }
}

fn text(value: Option<u64>) -> String {
    crate::table::cell(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::homing::Planned;

    fn stats(states: u64, levels: u64) -> Stats {
        Stats {
            states,
            transitions: 0,
            deadlocks: 1,
            levels,
            bytes_per_state: 0.0,
            seconds: 0.0,
            peak_bytes: 0,
            compile_seconds: 0.0,
            complete: true,
            plan: Planned::default(),
        }
    }

    fn instance() -> Instance {
        let goal = Goal {
            id: "7".to_owned(),
            expression: "x == 1".to_owned(),
            reachable: Some(true),
            steps: Some(5),
        };
        Instance {
            name: "toy.1".to_owned(),
            states: Some(10),
            deadlocks: Some(1),
            shortest_deadlock: Some(3),
            goals: vec![goal],
            ..Instance::default()
        }
    }

    #[test]
    fn equal_answers_leave_no_difference() {
        let found = Found {
            stats: stats(10, 99),
            shortest_deadlock: Some(3),
            goals: vec![Answer::Reachable(Some(5))],
        };
        assert_eq!(differences(&instance(), &found), []);
    }

    #[test]
    fn every_wrong_answer_is_told() {
        let found = Found {
            stats: stats(11, 99),
            shortest_deadlock: None,
            goals: vec![Answer::Reachable(Some(6))],
        };
        let about: Vec<_> = differences(&instance(), &found)
            .into_iter()
            .map(|difference| difference.about)
            .collect();
        assert_eq!(about, ["states", "deadlock", "goal 7"]);
    }

    #[test]
    fn an_undecided_goal_contradicts_a_known_one() {
        assert!(!Answer::Unknown.agrees_with(Answer::Unreachable));
        assert!(Answer::Unreachable.agrees_with(Answer::Unknown));
        assert!(Answer::Reachable(Some(4)).agrees_with(Answer::Reachable(None)));
    }
}
