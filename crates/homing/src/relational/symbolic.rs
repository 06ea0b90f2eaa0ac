//! Relations, as sets of moments.
//!
//! ```text
//! circuit of the relation, with every condition that is asked about
//! questions that depend on the same latches, and need runs with or without an end: a group
//! of each group: its bits, and what can be reached, once
//!   invariants, deadlock    in the layer where they are met first, with the way back
//!   justice, LTL            a fair run, of the product with an automaton: a lasso
//!   CTL                     by labelling; where a single run shows that it is false, one
//!                           that shows the formula without its path quantifiers to be
//!   distances               by layers
//! ```
//! If every formula under a universal path quantifier is universal itself, a formula implies
//! what is left of it without its quantifiers: so a run of which that is false shows that the
//! formula is. A run is searched for and confirmed as one of an LTL formula.

use std::collections::HashMap;
use std::time::Instant;

use homing_budget::{Stop, room};
use homing_gates::Circuit;
use homing_ir::relation::{Ctl, Goal, TermId};
use homing_report::outcome::Statistics;
use homing_symbolic::reach::Progress;
use homing_symbolic::relational::reach::{Reached, forward};
use homing_symbolic::relational::{Machine, Moments, Wanted, influence};
use homing_symbolic::{Order, Set, Trouble};

use super::{Answering, Asked, Checking};
use crate::run::{UsageError, stop_reason};
use crate::symbolic::{self, SHARE, counted};

mod endless;

/// The symbolic engine on relations.
pub(crate) const SYMBOLIC: Answering = Answering {
    answers: |relation, asked| match asked {
        Asked::Deadlock => true,
        Asked::Specified(number) => match &relation.specifications[number].goal {
            Goal::Unsupported(_) => false,
            Goal::Justice(conditions) => !conditions.is_empty(),
            _ => true,
        },
    },
    takes: |strategy| strategy == BREADTH,
    answer,
    stats: None,
};

/// The search that is made.
const BREADTH: &str = "breadth";

/// Steps of operations that are about as much work as the expansion of a state.
const STEPS: u64 = 200;

fn answer(
    checking: &mut Checking,
    positions: &[usize],
    share: Option<u64>,
) -> Result<(), UsageError> {
    let plan = symbolic::plan(checking.options.strategy.as_deref().filter(|text| *text != "auto"));
    let plan = plan.map_err(UsageError::Sentence)?;
    if plan.call.name != BREADTH {
        return Err(UsageError::Sentence(format!(
            "models of hardware are searched as sets by `{BREADTH}`, not by `{}`",
            plan.call.name
        )));
    }
    let terms = Terms::of(checking, positions);
    let circuit = match Circuit::new(checking.relation, &terms.all) {
        Ok(circuit) => circuit,
        Err(refusal) => {
            positions.iter().for_each(|index| {
                checking.unknown(*index, refusal.to_string(), Statistics::default());
            });
            return Ok(());
        }
    };
    checking.planned(BREADTH, "decision diagrams", None);
    for (wanted, positions) in groups(checking, &circuit, &terms, positions) {
        let group = Group { circuit: &circuit, terms: &terms, wanted, order: plan.order, share };
        group.answer(checking, &positions)?;
    }
    Ok(())
}

/// The conditions that a circuit is asked for, by term.
struct Terms {
    all: Vec<TermId>,
    numbers: HashMap<TermId, usize>,
}

impl Terms {
    fn of(checking: &Checking, positions: &[usize]) -> Terms {
        let mut terms = Terms { all: Vec::new(), numbers: HashMap::new() };
        for index in positions {
            for term in checking.specification(*index).map_or(Vec::new(), |one| atoms(&one.goal)) {
                let next = terms.all.len();
                if *terms.numbers.entry(term).or_insert(next) == next {
                    terms.all.push(term);
                }
            }
        }
        terms
    }

    fn number(&self, term: TermId) -> usize {
        self.numbers.get(&term).copied().unwrap_or(0)
    }
}

/// The conditions that a goal is about.
fn atoms(goal: &Goal) -> Vec<TermId> {
    match goal {
        Goal::Invariant(term) => vec![*term],
        Goal::Ltl(formula) => formula.atoms().into_iter().copied().collect(),
        Goal::Justice(terms) => terms.clone(),
        Goal::Distance { from, to, .. } => vec![*from, *to],
        Goal::Ctl(formula) => {
            let mut found = Vec::new();
            let mut left = vec![formula];
            while let Some(one) = left.pop() {
                match one {
                    Ctl::Atom(term) => found.push(*term),
                    Ctl::Not(f) | Ctl::ExistsNext(f) | Ctl::ExistsAlways(f) => left.push(f),
                    Ctl::AllNext(f) | Ctl::AllAlways(f) => left.push(f),
                    Ctl::And(f, g) | Ctl::Or(f, g) => left.extend([&**f, g]),
                    Ctl::ExistsUntil(f, g) | Ctl::AllUntil(f, g) => left.extend([&**f, g]),
                }
            }
            found
        }
        Goal::Unsupported(_) => Vec::new(),
    }
}

/// The positions whose questions depend on the same latches, and what they ask for.
fn groups(
    checking: &Checking,
    circuit: &Circuit,
    terms: &Terms,
    positions: &[usize],
) -> Vec<(Wanted, Vec<usize>)> {
    let mut found: Vec<(Vec<bool>, Wanted, Vec<usize>)> = Vec::new();
    for index in positions {
        let goal = checking.specification(*index).map(|one| &one.goal);
        let endless = goal.is_some_and(|goal| !matches!(goal, Goal::Invariant(_)));
        let atoms = goal.map_or(Vec::new(), atoms);
        let asked: Vec<usize> = atoms.into_iter().map(|term| terms.number(term)).collect();
        let wanted = Wanted { asked, endless };
        let latches = match goal {
            Some(_) => influence(circuit, &wanted),
            None => vec![true; circuit.latches.len()],
        };
        let same = found
            .iter_mut()
            .find(|(other, group, _)| *other == latches && group.endless == endless);
        match same {
            None => found.push((latches, wanted, vec![*index])),
            Some((_, group, positions)) => {
                group.asked.extend(wanted.asked);
                positions.push(*index);
            }
        }
    }
    for (_, wanted, _) in &mut found {
        wanted.asked.sort_unstable();
        wanted.asked.dedup();
    }
    found.into_iter().map(|(_, wanted, positions)| (wanted, positions)).collect()
}

/// Questions that are answered together.
struct Group<'g> {
    circuit: &'g Circuit,
    terms: &'g Terms,
    wanted: Wanted,
    order: Order,
    share: Option<u64>,
}

/// What is known once everything that can be reached is.
struct Explored {
    reached: Reached,
    seconds: Instant,
}

impl Group<'_> {
    fn answer(&self, checking: &mut Checking, positions: &[usize]) -> Result<(), UsageError> {
        let bytes = room().min(1 << 40) / SHARE.1 * SHARE.0;
        let budget = checking.runner.budget().clone();
        let relation = checking.relation;
        let steps = self.share.map_or(u64::MAX, |share| share.saturating_mul(STEPS));
        let size = (bytes, steps);
        let machine = Machine::new(relation, self.circuit, &self.wanted, self.order, budget, size);
        let machine = match machine {
            Ok(machine) => machine,
            Err(trouble) => return self.give_up(checking, positions, trouble),
        };
        let done = match self.wanted.endless {
            true => self.endless(checking, &machine, positions),
            false => self.finite(checking, &machine, positions),
        };
        let d = machine.diagrams();
        let phase = format!("{} bits, {} nodes at most", machine.bits(), d.peak());
        checking.planned("", "", Some(phase));
        match done {
            Err(Failed::Usage(error)) => Err(error),
            Err(Failed::Trouble(trouble)) => {
                let open: Vec<usize> = positions
                    .iter()
                    .copied()
                    .filter(|index| !checking.is_answered(*index))
                    .collect();
                self.give_up(checking, &open, trouble)
            }
            Ok(()) => Ok(()),
        }
    }

    /// Says why there is no answer.
    fn give_up(
        &self,
        checking: &mut Checking,
        positions: &[usize],
        trouble: Trouble,
    ) -> Result<(), UsageError> {
        // Diagrams end as if they were cancelled where their share is spent.
        let only_share = self.share.is_some()
            && trouble == Trouble::Stopped(Stop::Cancelled)
            && !checking.runner.budget().is_cancelled();
        let why = match trouble {
            Trouble::Refused(why, _) => why,
            Trouble::Stopped(stop) => stop_reason(stop.into(), &checking.options.limits),
        };
        for index in positions {
            match only_share {
                true => checking.unfinished(*index, why.clone(), Statistics::default()),
                false => checking.unknown(*index, why.clone(), Statistics::default()),
            }
        }
        Ok(())
    }

    /// Invariants and deadlocks: in the layer in which they are met first.
    fn finite(
        &self,
        checking: &mut Checking,
        machine: &Machine,
        positions: &[usize],
    ) -> Result<(), Failed> {
        let moments = Moments::new(machine)?;
        let d = machine.diagrams();
        let mut open: Vec<(usize, Option<usize>, Set)> = Vec::new();
        for index in positions {
            let asked = checking.specification(*index).map(|one| atoms(&one.goal));
            let asked = asked.and_then(|atoms| atoms.first().map(|term| self.terms.number(*term)));
            let wrong = match asked {
                Some(asked) => moments.violating(asked)?,
                None => moments.ending()?,
            };
            open.push((*index, asked, wrong));
        }
        let mut hits: Vec<(usize, Option<usize>, usize, Set)> = Vec::new();
        let explored = explored(checking, &moments, &mut |layer, depth| {
            let mut left = Vec::new();
            for (index, asked, wrong) in open.drain(..) {
                let hit = d.and(layer, &wrong)?;
                match hit.is_empty() {
                    true => left.push((index, asked, wrong)),
                    false => hits.push((index, asked, depth, hit)),
                }
            }
            open = left;
            Ok(open.is_empty())
        })?;
        let spent = explored.spent(checking);
        for (index, asked, depth, hit) in hits {
            let trail = moments.trail(&explored.reached.layers[..=depth], &hit)?;
            let last = asked.map(|asked| moments.violation(asked));
            let run = moments.run(&trail, last.as_ref())?.ok_or_else(super::internal)?;
            match asked {
                Some(_) => checking.violated(index, run, true, spent)?,
                None => checking.deadlocked(index, &run, true, spent)?,
            }
        }
        for (index, ..) in open {
            match explored.reached.fails {
                true => checking.unknown(index, NO_VALUE, spent),
                false => checking.holds(index, "all reachable states were searched", spent),
            }
        }
        Ok(())
    }
}

/// Why nothing is said of a model in which a term fails.
const NO_VALUE: &str = "some term has no value in a reachable state";

/// Why a group ended without answers.
enum Failed {
    Trouble(Trouble),
    Usage(UsageError),
}

impl<T: Into<Trouble>> From<T> for Failed {
    fn from(trouble: T) -> Failed {
        Failed::Trouble(trouble.into())
    }
}

impl From<UsageError> for Failed {
    fn from(error: UsageError) -> Failed {
        Failed::Usage(error)
    }
}

/// Everything that can be reached, until a layer is enough.
fn explored(
    checking: &Checking,
    moments: &Moments,
    enough: &mut dyn FnMut(&Set, usize) -> Result<bool, Stop>,
) -> Result<Explored, Failed> {
    let seconds = Instant::now();
    let mut watch = checking.runner.watch(Some(u64::MAX));
    let mut stopped = None;
    let mut told = |progress: &Progress| symbolic::limit(&mut watch, progress, &mut stopped);
    let reached = forward(moments, enough, &mut told);
    match (reached, stopped) {
        (Ok(reached), _) => Ok(Explored { reached, seconds }),
        (Err(_), Some(why)) => {
            let why = stop_reason(why, &checking.options.limits);
            Err(Failed::Trouble(Trouble::Refused(why, None)))
        }
        (Err(stop), None) => Err(stop.into()),
    }
}

impl Explored {
    fn spent(&self, checking: &mut Checking) -> Statistics {
        let seconds = self.seconds.elapsed().as_secs_f64();
        checking.spent(&counted(&self.reached.progress), seconds)
    }
}
