//! Giving values to variables, one after the other, in all ways that constraints allow.
//!
//! ```text
//! level 0       what is known: the state that is left
//! level k       variable k has a value: one of its definition's, or any of its domain
//!               compute what has a value now; is a constraint false? then the next value
//! last level    all have values: a solution
//! from `tail`   it only matters whether there are values: one solution is enough
//! ```

use std::collections::BTreeMap;

use homing_budget::checkpoint;
use homing_ir::relation::{Constant, Domain, FailureKind, Relation, Term, TermId, VariableId};

use super::code::{Code, Key, Machine, Place, Slot, TooLarge, scalar};
use super::limbs;

/// Where the values of a variable come from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Any of the domain.
    Free,
    /// What a definition allows.
    Defined(Key),
    /// What another variable has.
    Kept(Slot),
}

/// What must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// A term is true.
    Holds(Key),
    /// A term is false.
    Fails(Key),
    /// A variable has a value that a definition allows.
    Allowed(Slot, Key),
}

/// What is to be planned.
#[derive(Default)]
pub struct Wanted {
    /// Variables that have values.
    pub known: Vec<Slot>,
    /// Those that get some, in this order.
    pub targets: Vec<(Slot, Source)>,
    /// From which of them on it only matters whether there are values.
    pub tail: usize,
    /// What must hold.
    pub checks: Vec<Check>,
}

/// A plan.
#[derive(Debug)]
pub struct Plan {
    pub code: Code,
    targets: Vec<Target>,
    checks: Vec<Vec<Check>>,
    tail: usize,
}

#[derive(Debug)]
struct Target {
    place: Place,
    source: Source,
    domain: Domain,
    size: Option<u64>,
    tree: Option<Tree>,
}

/// The choices of a definition.
#[derive(Debug)]
enum Tree {
    Leaf(Place),
    Range(i64, i64),
    Union(Vec<Tree>),
    Choose(Place, Box<(Tree, Tree)>),
}

/// Where a plan's run is.
pub struct Run {
    pub machine: Machine,
    /// By level, the values and how many were taken.
    options: Vec<Options>,
    /// How many values were tried.
    tried: u64,
    /// Why a term has no value that was needed.
    pub failed: Option<(FailureKind, TermId)>,
    /// Whether there were more values than anybody wants to try.
    pub exhausted: bool,
}

#[derive(Clone, Debug, Default)]
struct Options {
    next: u64,
    free: u64,
    chosen: Vec<Choice>,
}

#[derive(Clone, Copy, Debug)]
enum Choice {
    Register(usize),
    Number(i64),
}

/// The most values tried for the successors of one state.
pub const MOST_TRIED: u64 = 1 << 22;

impl Plan {
    /// The plan for what is wanted.
    pub fn new(relation: &Relation, wanted: &Wanted) -> Result<Plan, TooLarge> {
        let mut levels: BTreeMap<Slot, usize> = wanted.known.iter().map(|one| (*one, 0)).collect();
        levels.extend(wanted.targets.iter().enumerate().map(|(i, (slot, _))| (*slot, i + 1)));
        let mut roots = Vec::new();
        for (_, source) in &wanted.targets {
            if let Source::Defined(key) = source {
                roots.push(*key);
            }
        }
        roots.extend(wanted.checks.iter().map(|check| match check {
            Check::Holds(key) | Check::Fails(key) | Check::Allowed(_, key) => *key,
        }));
        let code = Code::new(relation, &levels, &roots)?;
        let mut checks = vec![Vec::new(); wanted.targets.len() + 1];
        for check in &wanted.checks {
            let level = match check {
                Check::Holds(key) | Check::Fails(key) => code.level(*key),
                Check::Allowed(slot, key) => code.level(*key).max(levels[slot]),
            };
            checks[level].push(*check);
        }
        let target = |(slot, source): &(Slot, Source)| {
            let domain = relation.variable(slot.0).domain.clone();
            let tree = match source {
                Source::Defined(key) => Some(tree(relation, &code, *key)),
                _ => None,
            };
            Target {
                place: code.variable(*slot),
                source: *source,
                size: domain.size(),
                domain,
                tree,
            }
        };
        let targets = wanted.targets.iter().map(target).collect();
        Ok(Plan { targets, checks, tail: wanted.tail, code })
    }

    /// Registers and books for runs of this plan.
    pub fn start(&self) -> Run {
        Run {
            machine: self.code.machine(),
            options: vec![Options::default(); self.targets.len()],
            tried: 0,
            failed: None,
            exhausted: false,
        }
    }

    /// Finds all solutions; what is known is in the registers. `found` says whether to go on.
    pub fn run(&self, relation: &Relation, run: &mut Run, found: &mut dyn FnMut(&Run) -> bool) {
        run.tried = 0;
        if !self.reach(relation, 0, run) {
            return;
        }
        if self.targets.is_empty() {
            found(run);
            return;
        }
        let mut at = 0;
        self.enter(0, run);
        loop {
            if !self.take(at, run) {
                if at == 0 || run.exhausted {
                    return;
                }
                at -= 1;
                continue;
            }
            if !self.reach(relation, at + 1, run) {
                continue;
            }
            if at + 1 < self.targets.len() {
                at += 1;
                self.enter(at, run);
                continue;
            }
            if !found(run) {
                return;
            }
            if self.tail < self.targets.len() {
                if self.tail == 0 {
                    return;
                }
                at = self.tail - 1;
            }
        }
    }

    /// Collects the values of a variable.
    fn enter(&self, at: usize, run: &mut Run) {
        let target = &self.targets[at];
        let options = &mut run.options[at];
        options.next = 0;
        options.free = 0;
        options.chosen.clear();
        match (&target.source, &target.tree) {
            (Source::Kept(slot), _) => {
                options.chosen.push(Choice::Register(self.code.variable(*slot).at));
            }
            (_, Some(tree)) => {
                if let Err(failure) = collect(tree, &run.machine, &mut options.chosen) {
                    match failure {
                        Some(failure) => run.failed = Some(failure),
                        None => run.exhausted = true,
                    }
                }
            }
            _ => match target.size {
                Some(size) if size <= MOST_TRIED => options.free = size,
                _ => run.exhausted = true,
            },
        }
    }

    /// Gives the next value to a variable.
    fn take(&self, at: usize, run: &mut Run) -> bool {
        let target = &self.targets[at];
        let Run { machine, options, tried, exhausted, .. } = run;
        let options = &mut options[at];
        let place = target.place;
        loop {
            let number = options.next;
            options.next += 1;
            *tried += 1;
            // One state may take long.
            checkpoint();
            if *tried > MOST_TRIED {
                *exhausted = true;
            }
            if *exhausted {
                return false;
            }
            if number < options.free {
                decode(&target.domain, number, &mut machine.registers[place.at..][..place.limbs]);
                return true;
            }
            match options.chosen.get((number - options.free) as usize) {
                None => return false,
                Some(Choice::Number(value)) => machine.registers[place.at] = *value as u64,
                Some(Choice::Register(from)) => {
                    machine.registers.copy_within(*from..*from + place.limbs, place.at);
                }
            }
            if admits(&target.domain, machine.registers[place.at]) {
                return true;
            }
        }
    }

    /// Computes what can be computed at a level, and whether all that is known then allows
    /// what was chosen.
    fn reach(&self, relation: &Relation, level: usize, run: &mut Run) -> bool {
        self.code.run(level, &mut run.machine);
        self.checks[level].iter().all(|check| self.check(relation, *check, run))
    }

    fn check(&self, relation: &Relation, check: Check, run: &mut Run) -> bool {
        let (key, wanted) = match check {
            Check::Holds(key) => (key, 1),
            Check::Fails(key) => (key, 0),
            Check::Allowed(slot, key) => return self.allowed(relation, slot, key, run),
        };
        let place = self.code.term(key);
        match run.machine.failed[place.flag] {
            None => run.machine.registers[place.at] == wanted,
            failure => {
                run.failed = failure;
                false
            }
        }
    }

    fn allowed(&self, relation: &Relation, slot: Slot, key: Key, run: &mut Run) -> bool {
        let place = self.code.variable(slot);
        let mut chosen = Vec::new();
        if let Err(failure) = collect(&tree(relation, &self.code, key), &run.machine, &mut chosen) {
            run.failed = failure.or(run.failed);
            run.exhausted |= failure.is_none();
            return false;
        }
        let registers = &run.machine.registers;
        let own = &registers[place.at..][..place.limbs];
        chosen.iter().any(|choice| match choice {
            Choice::Number(value) => own[0] == *value as u64,
            Choice::Register(from) => own == &registers[*from..][..place.limbs],
        })
    }
}

fn tree(relation: &Relation, code: &Code, (id, next): Key) -> Tree {
    match relation.terms.term(id) {
        Term::Range(low, high) => Tree::Range(low, high),
        Term::Choose(condition, a, b) if is_choice(relation, id) => Tree::Choose(
            code.term((condition, next)),
            Box::new((tree(relation, code, (a, next)), tree(relation, code, (b, next)))),
        ),
        Term::Union(..) => {
            let (mut parts, mut left) = (Vec::new(), vec![id]);
            while let Some(part) = left.pop() {
                match relation.terms.term(part) {
                    Term::Union(a, b) => left.extend([b, a]),
                    _ => parts.push(tree(relation, code, (part, next))),
                }
            }
            Tree::Union(parts)
        }
        _ => Tree::Leaf(code.term((id, next))),
    }
}

/// Whether a term has choices in its branches.
fn is_choice(relation: &Relation, id: TermId) -> bool {
    let mut left = vec![id];
    while let Some(id) = left.pop() {
        match relation.terms.term(id) {
            Term::Union(..) | Term::Range(..) => return true,
            Term::Choose(_, a, b) => left.extend([a, b]),
            _ => {}
        }
    }
    false
}

/// The values that a definition allows; an error where one has no value, or there are too
/// many.
fn collect(
    tree: &Tree,
    machine: &Machine,
    chosen: &mut Vec<Choice>,
) -> Result<(), Option<(FailureKind, TermId)>> {
    match tree {
        Tree::Leaf(place) => match machine.failed[place.flag] {
            None => chosen.push(Choice::Register(place.at)),
            failure => return Err(failure),
        },
        Tree::Range(low, high) => {
            if high.abs_diff(*low) > MOST_TRIED {
                return Err(None);
            }
            chosen.extend((*low..=*high).map(Choice::Number));
        }
        Tree::Union(parts) => {
            parts.iter().try_for_each(|part| collect(part, machine, chosen))?;
        }
        Tree::Choose(condition, branches) => {
            if let Some(failure) = machine.failed[condition.flag] {
                return Err(Some(failure));
            }
            let taken = machine.registers[condition.at] == 1;
            return collect(if taken { &branches.0 } else { &branches.1 }, machine, chosen);
        }
    }
    Ok(())
}

/// Whether a scalar is one of a domain; words always are.
fn admits(domain: &Domain, register: u64) -> bool {
    match domain {
        Domain::Range(low, high) => (*low..=*high).contains(&(register as i64)),
        Domain::Enumeration(values) => values.iter().any(|one| scalar(*one) == register),
        _ => true,
    }
}

/// The value with a number.
fn decode(domain: &Domain, number: u64, out: &mut [u64]) {
    match domain {
        Domain::Range(low, _) => out[0] = scalar(Constant::Int(low + number as i64)),
        Domain::Enumeration(values) => out[0] = scalar(values[number as usize]),
        Domain::Array { element, .. } => {
            let (size, mut rest) = (limbs::count(*element), number);
            for limbs in out.chunks_exact_mut(size) {
                limbs.fill(0);
                limbs[0] = rest;
                limbs::cut(&mut limbs[..1], *element);
                rest = rest.checked_shr(*element).unwrap_or(0);
            }
        }
        _ => {
            out.fill(0);
            out[0] = number;
        }
    }
}

/// All variables of a kind of slot.
pub fn slots(variables: &[VariableId], next: bool) -> impl Iterator<Item = Slot> + '_ {
    variables.iter().map(move |id| (*id, next))
}
