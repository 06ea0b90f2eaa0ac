//! Sets of moments against brute force on random relations.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod brute;

use std::collections::{BTreeSet, HashMap};

use brute::Brute;
use homing_budget::Budget;
use homing_gates::Circuit;
use homing_ir::random::config;
use homing_ir::relation::{Ctl, Goal, Interpreter, Relation, Sort, TermId, random};
use homing_ir::temporal::{Connective, Formula};
use homing_symbolic::Order;
use homing_symbolic::relational::ctl::Labelling;
use homing_symbolic::relational::distance::{Distance, longest, shortest};
use homing_symbolic::relational::fair::{Fairness, feasible};
use homing_symbolic::relational::lasso::lasso;
use homing_symbolic::relational::ltl::product;
use homing_symbolic::relational::{Machine, Moments, Trail, Wanted, reach};
use proptest::prelude::*;

/// Numbers that decide what is drawn.
struct Dice {
    numbers: Vec<u32>,
    next: usize,
}

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.next += 1;
        let number = self.numbers[self.next % self.numbers.len()] as usize;
        number.wrapping_add(self.next * 13) % sides.max(1)
    }

    /// One of some terms, if there is any.
    fn term(&mut self, terms: &[TermId]) -> TermId {
        terms[self.roll(terms.len())]
    }

    fn ctl(&mut self, terms: &[TermId], depth: u32) -> Ctl {
        if depth == 0 {
            return Ctl::Atom(self.term(terms));
        }
        let which = self.roll(11);
        let mut part = || Box::new(self.ctl(terms, depth - 1));
        match which {
            0 => Ctl::Not(part()),
            1 => Ctl::And(part(), part()),
            2 => Ctl::Or(part(), part()),
            3 => Ctl::ExistsNext(part()),
            4 => Ctl::ExistsUntil(part(), part()),
            5 => Ctl::ExistsAlways(part()),
            6 => Ctl::AllNext(part()),
            7 | 8 => Ctl::AllUntil(part(), part()),
            9 => Ctl::AllAlways(part()),
            _ => Ctl::Atom(self.term(terms)),
        }
    }

    fn ltl(&mut self, terms: &[TermId], depth: u32) -> Formula<TermId> {
        if depth == 0 {
            return Formula::Atom(self.term(terms));
        }
        let which = self.roll(8);
        let mut part = || self.ltl(terms, depth - 1);
        match which {
            0 => part().negated(),
            1 => Formula::Next(Box::new(part())),
            2 => Formula::Finally(Box::new(part())),
            3 => Formula::Globally(Box::new(part())),
            4 => Formula::binary(Connective::Until, part(), part()),
            5 => Formula::binary(Connective::Or, part(), part()),
            6 => Formula::binary(Connective::Implies, part(), part()),
            _ => Formula::binary(Connective::Release, part(), part()),
        }
    }
}

/// A relation with some fairness, and the boolean terms about a moment that it has.
fn drawn() -> impl Strategy<Value = (Relation, Vec<u32>)> {
    (random::relation(), prop::collection::vec(any::<u32>(), 40))
}

fn booleans(relation: &Relation, of_state: bool) -> Vec<TermId> {
    let all = (0..relation.terms.len() as u32).map(TermId);
    all.filter(|term| relation.terms.sort(*term) == Sort::Bool)
        .filter(|term| relation.terms.support([*term]).next.is_empty())
        .filter(|term| !of_state || relation.is_of_state(*term))
        .collect()
}

fn with_fairness(relation: &mut Relation, dice: &mut Dice) {
    let terms = booleans(relation, false);
    for _ in 0..dice.roll(3) {
        relation.justice.push(dice.term(&terms));
    }
    for _ in 0..dice.roll(3) {
        relation.compassion.push((dice.term(&terms), dice.term(&terms)));
    }
}

/// Conditions by number.
struct Asked {
    terms: Vec<TermId>,
    numbers: HashMap<TermId, usize>,
}

impl Asked {
    fn new(terms: &[TermId]) -> Asked {
        let terms = terms.to_vec();
        let numbers = terms.iter().enumerate().map(|(i, term)| (*term, i)).collect();
        Asked { terms, numbers }
    }

    fn wanted(&self, endless: bool) -> Wanted {
        Wanted { asked: (0..self.terms.len()).collect(), endless }
    }
}

fn machine<'c>(
    relation: &'c Relation,
    circuit: &'c Circuit,
    asked: &Asked,
    endless: bool,
) -> Machine<'c> {
    let wanted = asked.wanted(endless);
    let budget = Budget::default();
    Machine::new(relation, circuit, &wanted, Order::Force, budget, (1 << 28, u64::MAX))
        .expect("small")
}

fn reachability(relation: &Relation) -> Result<(), TestCaseError> {
    let Some(brute) = Brute::new(relation) else { return Ok(()) };
    let Goal::Invariant(bad) = relation.specifications[0].goal else { return Ok(()) };
    let Some(good) = brute.holds(bad) else { return Ok(()) };
    let asked = Asked::new(&[bad]);
    let circuit = Circuit::new(relation, &asked.terms).expect("small");
    let machine = machine(relation, &circuit, &asked, false);
    let moments = Moments::new(&machine).unwrap();
    let d = moments.diagrams();
    let wrong = moments.violating(0).unwrap();
    let mut hit = None;
    let reached = reach::forward(
        &moments,
        &mut |layer, depth| {
            let found = d.and(layer, &wrong)?;
            if !found.is_empty() && hit.is_none() {
                hit = Some((depth, found));
            }
            Ok(false)
        },
        &mut |_| Ok(()),
    )
    .unwrap();
    prop_assert!(!reached.fails);
    // Distances, layer by layer.
    let (mut layer, mut depth) = (brute.initial.clone(), 0);
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let mut distance = None;
    while !layer.is_empty() {
        if distance.is_none() && layer.iter().any(|one| !good.contains(one)) {
            distance = Some(depth);
        }
        seen.extend(&layer);
        let next = layer.iter().flat_map(|one| brute.steps[*one].iter().copied());
        layer = next.filter(|one| !seen.contains(one)).collect();
        depth += 1;
    }
    prop_assert_eq!(hit.as_ref().map(|(depth, _)| *depth), distance);
    let back = reach::backward(&moments, &wrong, &mut |_| Ok(())).unwrap();
    let met =
        back.layers.last().is_some_and(|last| !d.and(last, moments.initial()).unwrap().is_empty());
    prop_assert_eq!(met.then(|| back.layers.len() - 1), distance);
    if let Some((depth, found)) = hit {
        let trail = moments.trail(&reached.layers[..=depth], &found).unwrap();
        let run = moments.run(&trail, Some(&moments.violation(0))).unwrap().expect("finite");
        prop_assert_eq!(run.moments.len(), depth + 1);
        prop_assert_eq!(relation.confirm_violation(&run, &relation.specifications[0].goal), Ok(()));
    }
    Ok(())
}

fn branching(relation: &mut Relation, numbers: Vec<u32>) -> Result<(), TestCaseError> {
    let mut dice = Dice { numbers, next: 0 };
    with_fairness(relation, &mut dice);
    let Some(brute) = Brute::new(relation) else { return Ok(()) };
    let terms = booleans(relation, true);
    if terms.is_empty() || terms.iter().any(|term| brute.holds(*term).is_none()) {
        return Ok(());
    }
    let asked = Asked::new(&terms);
    let circuit = Circuit::new(relation, &asked.terms).expect("small");
    let machine = machine(relation, &circuit, &asked, true);
    let moments = Moments::new(&machine).unwrap();
    let fairness = Fairness::of(&machine, &[]);
    let atom = |term: TermId| asked.numbers[&term];
    let Ok(labelling) = Labelling::new(&moments, &fairness, &atom) else { return Ok(()) };
    for _ in 0..6 {
        let formula = dice.ctl(&terms, 3);
        let violating = labelling.violating(&formula).unwrap();
        let holds = brute.ctl(&formula).expect("no failure");
        let fair = brute.states_of(&brute.fair(&brute.all()));
        let initial = brute.states_of(&brute.initial);
        let wrong = initial.iter().any(|one| fair.contains(one) && !holds.contains(one));
        prop_assert_eq!(!violating.is_empty(), wrong, "{:?}", formula);
    }
    let fair = brute.states_of(&brute.fair(&brute.all()));
    let within: BTreeSet<usize> = brute.reachable.intersection(&fair).copied().collect();
    let reached = reach::forward(&moments, &mut |_, _| Ok(false), &mut |_| Ok(())).unwrap();
    let d = moments.diagrams();
    let area = d.and(&reached.all, labelling.fair()).unwrap();
    let (from, to) = (dice.term(&terms), dice.term(&terms));
    for (is_shortest, found) in [
        (true, shortest(&moments, &area, machine.holds(atom(from)), machine.holds(atom(to)))),
        (false, longest(&moments, &area, machine.holds(atom(from)), machine.holds(atom(to)))),
    ] {
        let (from, to) = (brute.holds(from).unwrap(), brute.holds(to).unwrap());
        prop_assert_eq!(found.unwrap(), distance(&brute, &within, &from, &to, is_shortest));
    }
    Ok(())
}

fn distance(
    brute: &Brute,
    within: &BTreeSet<usize>,
    from: &BTreeSet<usize>,
    to: &BTreeSet<usize>,
    is_shortest: bool,
) -> Distance {
    let from: BTreeSet<usize> = from.intersection(within).copied().collect();
    let to: BTreeSet<usize> = to.intersection(within).copied().collect();
    if from.is_empty() || to.is_empty() {
        return Distance::Undefined;
    }
    let mut layer = from;
    for steps in 0..=within.len() as u64 {
        match is_shortest {
            true if !layer.is_disjoint(&to) => return Distance::Steps(steps),
            true => {}
            false => layer.retain(|one| !to.contains(one)),
        }
        if layer.is_empty() {
            return if is_shortest { Distance::Infinite } else { Distance::Steps(steps) };
        }
        let next = layer.iter().flat_map(|one| brute.steps[*one].iter().copied());
        layer = next.filter(|one| within.contains(one)).collect();
    }
    Distance::Infinite
}

fn linear(relation: &mut Relation, numbers: Vec<u32>) -> Result<(), TestCaseError> {
    let mut dice = Dice { numbers, next: 0 };
    with_fairness(relation, &mut dice);
    let Some(brute) = Brute::new(relation) else { return Ok(()) };
    let terms = booleans(relation, false);
    if terms.iter().any(|term| brute.holds(*term).is_none()) {
        return Ok(());
    }
    let asked = Asked::new(&terms);
    let circuit = Circuit::new(relation, &asked.terms).expect("small");
    let machine = machine(relation, &circuit, &asked, true);
    for _ in 0..3 {
        let formula = dice.ltl(&terms, 3);
        let translation = homing_omega::translate(&formula.clone().negated()).expect("small");
        let atoms: Vec<usize> = translation.atoms.iter().map(|term| asked.numbers[term]).collect();
        let Ok((moments, fairness)) = product(&machine, &translation.automaton, &atoms) else {
            continue;
        };
        let reached = reach::forward(&moments, &mut |_, _| Ok(false), &mut |_| Ok(())).unwrap();
        let core = feasible(&moments, &reached.all, &fairness).unwrap();
        let found = lasso(&moments, &reached.layers, &core, &fairness).unwrap();
        let explicit = accepted(&brute, &translation.automaton, &translation.atoms);
        prop_assert_eq!(found.is_some(), explicit, "{:?}", formula);
        if let Some(trail) = found {
            confirmed(relation, &moments, &trail, Goal::Ltl(formula))?;
        }
    }
    Ok(())
}

fn confirmed(
    relation: &Relation,
    moments: &Moments,
    trail: &Trail,
    goal: Goal,
) -> Result<(), TestCaseError> {
    let run = moments.run(trail, None).unwrap().expect("small");
    prop_assert_eq!(relation.confirm_violation(&run, &goal), Ok(()));
    Ok(())
}

/// Whether the product with an automaton has a fair run, by brute force: the product is a
/// graph like that of a relation.
fn accepted(brute: &Brute, automaton: &homing_ir::automaton::Automaton, atoms: &[TermId]) -> bool {
    let holds: Vec<_> = atoms.iter().map(|term| brute.holds(*term).expect("no failure")).collect();
    let letter = |one: usize| {
        let bits = holds.iter().enumerate().map(|(i, set)| u64::from(set.contains(&one)) << i);
        bits.fold(0, |all, bit| all | bit)
    };
    let mut nodes: Vec<(usize, usize, usize)> = Vec::new();
    for one in 0..brute.valuations.len() {
        for (state, leaving) in automaton.states.iter().enumerate() {
            for (number, transition) in leaving.iter().enumerate() {
                if transition.guard.contains(letter(one)) {
                    nodes.push((one, state, number));
                }
            }
        }
    }
    let steps = nodes.iter().map(|(one, state, number)| {
        let target = automaton.states[*state][*number].target as usize;
        let after = |(_, (next, q, _)): &(usize, &(usize, usize, usize))| {
            *q == target && brute.steps[*one].contains(next)
        };
        nodes.iter().enumerate().filter(after).map(|(at, _)| at).collect::<Vec<usize>>()
    });
    let lifted = |set: &BTreeSet<usize>| -> BTreeSet<usize> {
        (0..nodes.len()).filter(|at| set.contains(&nodes[*at].0)).collect()
    };
    let mut justice: Vec<_> = brute.justice.iter().map(lifted).collect();
    for set in 0..automaton.sets {
        let marked = |at: &usize| {
            let (_, state, number) = nodes[*at];
            automaton.states[state][number].marks >> set & 1 == 1
        };
        justice.push((0..nodes.len()).filter(marked).collect());
    }
    let starts = |at: &usize| {
        let (one, state, _) = nodes[*at];
        brute.initial.contains(&one) && automaton.initial.contains(&(state as u32))
    };
    let mut product = Brute {
        relation: brute.relation,
        valuations: nodes.iter().map(|(one, ..)| brute.valuations[*one].clone()).collect(),
        state: (0..nodes.len()).collect(),
        initial: (0..nodes.len()).filter(starts).collect(),
        steps: steps.collect(),
        reachable: BTreeSet::new(),
        compassion: brute.compassion.iter().map(|(p, q)| (lifted(p), lifted(q))).collect(),
        justice,
    };
    product.reachable = product.forward(&product.initial);
    !product.looping(&product.reachable).is_empty()
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn what_can_be_reached((relation, _) in drawn()) {
        reachability(&relation)?;
    }

    #[test]
    fn branching_time((mut relation, numbers) in drawn()) {
        branching(&mut relation, numbers)?;
    }

    #[test]
    fn linear_time((mut relation, numbers) in drawn()) {
        linear(&mut relation, numbers)?;
    }
}

#[test]
fn random_relations_are_not_all_skipped() {
    let mut looked_at = 0;
    for seed in 0..60u32 {
        let numbers: Vec<u32> =
            (0..100).map(|i| (seed + 1).wrapping_mul(2_654_435_761) ^ (i * i * 97)).collect();
        let relation = random::drawn(&numbers);
        looked_at +=
            usize::from(Brute::new(&relation).is_some() && Interpreter::new(&relation).is_ok());
    }
    assert!(looked_at > 15, "{looked_at}");
}
