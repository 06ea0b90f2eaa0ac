//! What kind of property a formula is, and how strong an automaton.
//!
//! The hierarchy is that of Manna and Pnueli, "A hierarchy of temporal properties"
//! (1990):
//!
//! ```text
//! safety      violated by a beginning of the run:  closure(f) ∩ ¬f is empty
//! guarantee   satisfied by a beginning of the run: ¬f is a safety property
//! obligation  a boolean combination of both:       as the formula shows, or
//!                                                  f and ¬f have weak automata
//! ```
//! The closure of f has the runs of which every beginning can go on to satisfy f:
//! the automaton of f without useless states, all of whose runs are accepting.
//! Weak automata are those of the persistence class, and what is in it together
//! with its negation is an obligation.
//!
//! A formula is *stutter-invariant* if it cannot tell how often a letter is
//! repeated: if it has no X, or by Michaud and Duret-Lutz, "Practical
//! stutter-invariance checks for ω-regular languages" (2015): if no word is
//! accepted both by f and ¬f where either may repeat letters.

use std::collections::BTreeMap;

use homing_ir::automaton::Automaton;
use homing_ir::temporal::Formula;

use crate::component::{self, Class, components};
use crate::cubes::{both, covered};
use crate::formulas::{Formulas, Id, Node};
use crate::translate::{Error, automaton, numbered};

/// What is known of a formula. `false` where it is not so, or not known because
/// finding out is too much work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Kind {
    /// A run that violates it has a beginning that does.
    pub safety: bool,
    /// A run that satisfies it has a beginning that does.
    pub guarantee: bool,
    /// A boolean combination of such.
    pub obligation: bool,
    /// Whether it makes no difference how often a state is repeated.
    pub stutter_invariant: bool,
}

/// How much of a search an automaton asks for, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Strength {
    /// Who reaches an accepting component is accepted whatever follows: it is
    /// enough to search for a state.
    Terminal,
    /// A component is accepting with all its cycles or with none: it is enough to
    /// search for a cycle in an accepting one.
    Weak,
    /// All others.
    General,
}

/// Products with more states are not looked at.
const MOST_PAIRS: usize = 50_000;
/// With more atoms than this, letters are not looked at one by one.
const FEW_ATOMS: u32 = 6;

/// The kind of a formula.
pub fn kind<A: PartialEq + Clone>(formula: &Formula<A>) -> Result<Kind, Error> {
    let (formula, atoms) = numbered(formula)?;
    let mut formulas = Formulas::new();
    let f = formulas.read(&formula);
    let not = formulas.not(f);
    let count = atoms.len() as u32;
    let yes = automaton(&formulas, f, count)?;
    let no = automaton(&formulas, not, count)?;
    let safety = is_safety(&yes, &no);
    let guarantee = is_safety(&no, &yes);
    let weak = |automaton| strength(automaton) <= Strength::Weak;
    let obligation =
        safety || guarantee || shows_obligation(&formulas, f) || weak(&yes) && weak(&no);
    let stutter_invariant = !has_next(&formulas, f) || repeats(&yes, &no);
    Ok(Kind { safety, guarantee, obligation, stutter_invariant })
}

/// How strong an automaton is.
pub fn strength(automaton: &Automaton) -> Strength {
    let components = component::of_automaton(automaton);
    let classes = component::classes(automaton, &components);
    if classes.contains(&Class::PartiallyAccepting) {
        return Strength::General;
    }
    let reached = (0..automaton.states.len() as u32).filter(|state| components.reached(*state));
    let mut accepting = reached
        .filter(|state| classes[components.of[*state as usize] as usize] == Class::FullyAccepting);
    let complete = |state: u32| {
        let inside = automaton.states[state as usize].iter();
        let inside = inside.filter(|one| components.together(state, one.target));
        let guards: Vec<_> = inside.map(|one| one.guard).collect();
        covered(homing_ir::automaton::Cube::TRUE, &guards)
    };
    if accepting.all(complete) { Strength::Terminal } else { Strength::Weak }
}

/// Whether runs whose beginnings all can go on to be accepted are accepted.
fn is_safety(yes: &Automaton, no: &Automaton) -> bool {
    let mut closure = yes.clone();
    closure.sets = 0;
    closure.states.iter_mut().flatten().for_each(|one| one.marks = 0);
    disjoint(&closure, no).unwrap_or(false)
}

/// Whether no word is accepted by both; nothing where finding out is too much.
pub fn disjoint(a: &Automaton, b: &Automaton) -> Option<bool> {
    if a.sets + b.sets > homing_ir::automaton::MOST || a.sets >= homing_ir::automaton::MOST {
        return None;
    }
    let starts: Vec<(u32, u32)> =
        a.initial.iter().flat_map(|p| b.initial.iter().map(move |q| (*p, *q))).collect();
    let all = a.all_sets() | b.all_sets() << a.sets;
    empty(&starts, all, |(p, q), steps| {
        for one in &a.states[p as usize] {
            homing_budget::checkpoint();
            for other in &b.states[q as usize] {
                if !both(one.guard, other.guard).is_empty() {
                    steps.push(((one.target, other.target), one.marks | other.marks << a.sets));
                }
            }
        }
    })
}

/// Whether a graph has no cycle with all marks; nothing where it is too large.
fn empty<N: Copy + Ord>(
    starts: &[N],
    all: u64,
    steps: impl Fn(N, &mut Vec<(N, u64)>),
) -> Option<bool> {
    let mut number: BTreeMap<N, u32> = BTreeMap::new();
    let mut order: Vec<N> = Vec::new();
    let mut graph: Vec<Vec<(u32, u64)>> = Vec::new();
    let mut enter = |node: N, order: &mut Vec<N>| {
        *number.entry(node).or_insert_with(|| {
            order.push(node);
            order.len() as u32 - 1
        })
    };
    let roots: Vec<u32> = starts.iter().map(|node| enter(*node, &mut order)).collect();
    let mut found = Vec::new();
    while let Some(node) = order.get(graph.len()).copied() {
        homing_budget::checkpoint();
        if order.len() > MOST_PAIRS {
            return None;
        }
        found.clear();
        steps(node, &mut found);
        found.sort_unstable();
        found.dedup();
        graph.push(found.iter().map(|(to, marks)| (enter(*to, &mut order), *marks)).collect());
    }
    let parts = components(graph.len(), roots, |at, i| graph[at as usize].get(i).map(|one| one.0));
    let mut marks = vec![None; parts.count as usize];
    for (from, leaving) in graph.iter().enumerate() {
        for (_, with) in leaving.iter().filter(|one| parts.together(from as u32, one.0)) {
            *marks[parts.of[from] as usize].get_or_insert(0) |= with;
        }
    }
    Some(!marks.iter().flatten().any(|marks| marks & all == all))
}

/// Whether the formula is built as obligations are: Černá and Pelánek, "Relating
/// hierarchy of temporal properties to model checking" (2003).
fn shows_obligation(formulas: &Formulas, f: Id) -> bool {
    match formulas.node(f) {
        Node::Constant(_) | Node::Literal { .. } => true,
        Node::Next(f) => shows_obligation(formulas, *f),
        Node::And(all) | Node::Or(all) => all.iter().all(|f| shows_obligation(formulas, *f)),
        Node::Until(f, g) => shows_obligation(formulas, *f) && without(formulas, *g, false),
        Node::Release(f, g) => shows_obligation(formulas, *f) && without(formulas, *g, true),
    }
}

/// Whether there is no `U` in the formula, or no `R`.
fn without(formulas: &Formulas, f: Id, until: bool) -> bool {
    match formulas.node(f) {
        Node::Constant(_) | Node::Literal { .. } => true,
        Node::Next(f) => without(formulas, *f, until),
        Node::And(all) | Node::Or(all) => all.iter().all(|f| without(formulas, *f, until)),
        Node::Until(f, g) => !until && without(formulas, *f, until) && without(formulas, *g, until),
        Node::Release(f, g) => {
            until && without(formulas, *f, until) && without(formulas, *g, until)
        }
    }
}

fn has_next(formulas: &Formulas, f: Id) -> bool {
    match formulas.node(f) {
        Node::Constant(_) | Node::Literal { .. } => false,
        Node::Next(_) => true,
        Node::And(all) | Node::Or(all) => all.iter().any(|f| has_next(formulas, *f)),
        Node::Until(f, g) | Node::Release(f, g) => has_next(formulas, *f) || has_next(formulas, *g),
    }
}

/// A state of an automaton that may repeat letters: whether it stays for another
/// letter like the last.
type Repeating = (u32, bool);

/// Whether no word is accepted by both, where either may repeat letters.
fn repeats(a: &Automaton, b: &Automaton) -> bool {
    if a.atoms > FEW_ATOMS || a.sets.max(1) + b.sets.max(1) > homing_ir::automaton::MOST {
        return false;
    }
    let shift = a.sets.max(1);
    let all = every(a) | every(b) << shift;
    let starts: Vec<(Repeating, Repeating, u64)> = a
        .initial
        .iter()
        .flat_map(|p| b.initial.iter().map(move |q| ((*p, false), (*q, false), 0)))
        .collect();
    let found = empty(&starts, all, |(p, q, last), steps| {
        let one_letter = p.1 || q.1;
        let letters = if one_letter { last..last + 1 } else { 0..1 << a.atoms };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for letter in letters {
            moves(a, p, letter, &mut left);
            moves(b, q, letter, &mut right);
            for (to, marks) in &left {
                for (other, more) in &right {
                    // The letter matters to those who stay only.
                    let kept = if to.1 || other.1 { letter } else { 0 };
                    steps.push(((*to, *other, kept), marks | more << shift));
                }
            }
        }
    });
    found == Some(true)
}

/// All sets; one where there are none, so that repeating for ever is no run.
fn every(automaton: &Automaton) -> u64 {
    automaton.all_sets().max(1)
}

fn moves(automaton: &Automaton, at: Repeating, letter: u64, list: &mut Vec<(Repeating, u64)>) {
    list.clear();
    let (state, stays) = at;
    if stays {
        list.extend([((state, true), 0), ((state, false), 0)]);
        return;
    }
    for one in automaton.open(state, letter) {
        let marks = if automaton.sets == 0 { 1 } else { one.marks };
        list.extend([((one.target, true), marks), ((one.target, false), marks)]);
    }
}
