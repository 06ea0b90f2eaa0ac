//! What a move does, all at once: the commands of all parts of a move, run on
//! symbols rather than numbers (King, "Symbolic Execution and Program
//! Testing", 1976).
//!
//! ```text
//! log := empty                          writes so far, oldest first
//! run(slot := e)    under path p:  log += (p, slot, value of e)
//! run(if c a else b)           :  run(a) under p ∧ c; run(b) under p ∧ ¬c
//! value of slot s              :  the source's s, overwritten by every write
//!                                 to s in the log: Choose(p, value, older)
//! ```
//! The order of things is that of the engines: prepared values and messages in
//! the source state, then stores, effects and cleanup of all participants,
//! phase by phase. Arrays are never written out: a read `a[i]` after a write
//! `a[j]` is `Choose(i = j, written, a[i])`.
//!
//! A loop makes all it writes [`UNKNOWN`], and so is a term that grows beyond
//! [`LARGEST`]. Checks never forbid anything here: a step that fails has no
//! successor.

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::network::{Binary, Unary};
use homing_ir::system::{Command, Part, PartRole, SlotId, System, TempId, Term};

/// A value nothing is known of.
pub(super) const UNKNOWN: Term = Term::Temp(TempId(u32::MAX));

/// The most nodes of a term.
const LARGEST: usize = 300;

/// One way a move can happen.
#[derive(Clone, Debug, Default)]
pub(super) struct Case {
    /// All of these must hold in the source state.
    pub conjuncts: Vec<Term>,
    /// What slots become, over the source state.
    pub assignments: Vec<(SlotId, Term)>,
}

/// Parts that move together.
pub(super) struct Together<'a> {
    /// In the order their effects run.
    pub parts: Vec<&'a Part>,
    /// The one that sends.
    pub sender: Option<&'a Part>,
    /// Slots that others may write in between.
    pub disturbed: &'a BTreeSet<SlotId>,
}

/// What the parts do together. `constants` are the values of
/// slots that are the same in all states; within a step even these may change.
pub(super) fn execute(system: &System, constants: &[Option<i64>], together: &Together) -> Case {
    let mut machine = Machine { constants, log: Vec::new() };
    let mut conjuncts = Vec::new();
    let message = message(&machine, together.sender);
    let mut temps: Vec<BTreeMap<TempId, Term>> = Vec::new();
    for part in &together.parts {
        let mut known = BTreeMap::new();
        conjuncts.extend(enabled(system, &machine, part, &message, &mut known));
        for (temp, term) in &part.prepare {
            let value = machine.value(term, &known);
            known.insert(*temp, value);
        }
        temps.push(known);
    }
    for slot in together.disturbed {
        machine.write(None, *slot, UNKNOWN);
    }
    let phases: [fn(&Part) -> &[Command]; 3] =
        [|part| &part.stores, |part| &part.effect, |part| &part.cleanup];
    for phase in phases {
        for (part, temps) in together.parts.iter().zip(&mut temps) {
            machine.run(phase(part), temps, None);
        }
    }
    Case { conjuncts, assignments: machine.assignments() }
}

/// When a part can move, given the message; binds what it receives.
fn enabled(
    system: &System,
    machine: &Machine,
    part: &Part,
    message: &[Term],
    temps: &mut BTreeMap<TempId, Term>,
) -> Vec<Term> {
    let location = system.component(part.component).location;
    let mut conjuncts = vec![Term::is(location, part.from), part.guard.clone()];
    if let PartRole::Receive(_, intakes) = &part.role {
        for (intake, value) in intakes.iter().zip(message) {
            if let Some(temp) = intake.bound() {
                temps.insert(temp, value.clone());
            }
            for (how, term) in intake.comparisons() {
                conjuncts.push(Term::binary(how, term.clone(), value.clone()));
            }
        }
    }
    conjuncts.iter().map(|term| machine.value(term, &BTreeMap::new())).collect()
}

/// The message of a sender, over the source state.
fn message(machine: &Machine, sender: Option<&Part>) -> Vec<Term> {
    match sender.map(|part| &part.role) {
        Some(PartRole::Send(_, message)) => {
            message.iter().map(|term| machine.value(term, &BTreeMap::new())).collect()
        }
        _ => Vec::new(),
    }
}

/// That a part cannot move, for members a joint moves without.
pub(super) fn disabled(
    system: &System,
    constants: &[Option<i64>],
    part: &Part,
    sender: Option<&Part>,
) -> Term {
    let machine = Machine { constants, log: Vec::new() };
    let message = message(&machine, sender);
    let all = enabled(system, &machine, part, &message, &mut BTreeMap::new());
    not(all.into_iter().reduce(Term::and).unwrap_or(Term::Const(1)))
}

/// The slots a part may write.
pub(super) fn written(part: &Part) -> BTreeSet<SlotId> {
    let mut slots = BTreeSet::new();
    for command in part.commands() {
        command.walk(&mut |command| match command {
            Command::Set(slot, _) => {
                slots.insert(*slot);
            }
            Command::SetElement { first, count, .. } => {
                slots.extend((first.0..first.0 + count).map(SlotId));
            }
            _ => {}
        });
    }
    slots
}

/// A write: where `path` holds, the `index`-th of `count` slots from `first`.
struct Write {
    path: Option<Term>,
    first: SlotId,
    count: u32,
    index: Term,
    value: Term,
}

struct Machine<'a> {
    constants: &'a [Option<i64>],
    log: Vec<Write>,
}

impl Machine<'_> {
    fn run(
        &mut self,
        commands: &[Command],
        temps: &mut BTreeMap<TempId, Term>,
        path: Option<&Term>,
    ) {
        for command in commands {
            homing_budget::checkpoint();
            match command {
                Command::Set(slot, term) => {
                    let value = self.value(term, temps);
                    self.write(path, *slot, value);
                }
                Command::SetElement { first, count, index, value } => {
                    let (value, index) = (self.value(value, temps), self.value(index, temps));
                    let (first, count) = (*first, *count);
                    self.log.push(Write { path: path.cloned(), first, count, index, value });
                }
                Command::Let(temp, term) => {
                    let value = self.value(term, temps);
                    temps.insert(*temp, value);
                }
                Command::If(condition, then, otherwise) => {
                    let condition = self.value(condition, temps);
                    let negated = not(condition.clone());
                    for (block, condition) in [(then, condition), (otherwise, negated)] {
                        if condition != Term::Const(0) {
                            let under = narrow(path, condition);
                            // What is computed within is not seen outside.
                            self.run(block, &mut temps.clone(), under.as_ref());
                        }
                    }
                }
                Command::While(_, body, _) => self.forget(body, path),
                Command::Require(..) => {}
            }
        }
    }

    fn write(&mut self, path: Option<&Term>, slot: SlotId, value: Term) {
        let (path, index) = (path.cloned(), Term::Const(0));
        self.log.push(Write { path, first: slot, count: 1, index, value });
    }

    fn forget(&mut self, body: &[Command], path: Option<&Term>) {
        for command in body {
            command.walk(&mut |command| {
                let (first, count) = match command {
                    Command::Set(slot, _) => (*slot, 1),
                    Command::SetElement { first, count, .. } => (*first, *count),
                    _ => return,
                };
                for slot in first.0..first.0 + count {
                    self.write(path, SlotId(slot), UNKNOWN);
                }
            });
        }
    }

    /// What every slot in the log becomes, but for those that stay.
    fn assignments(&self) -> Vec<(SlotId, Term)> {
        let slots: BTreeSet<SlotId> = self
            .log
            .iter()
            .flat_map(|write| (write.first.0..write.first.0 + write.count).map(SlotId))
            .collect();
        let all = slots.into_iter().map(|slot| (slot, small(self.slot(slot))));
        all.filter(|(slot, term)| *term != Term::Slot(*slot)).collect()
    }

    /// The value of a term now, over the source state.
    fn value(&self, term: &Term, temps: &BTreeMap<TempId, Term>) -> Term {
        small(self.substitute(term, temps))
    }

    fn substitute(&self, term: &Term, temps: &BTreeMap<TempId, Term>) -> Term {
        let inner = |term: &Term| Box::new(self.substitute(term, temps));
        match term {
            Term::Const(_) => term.clone(),
            Term::Slot(slot) => self.slot(*slot),
            Term::Temp(temp) if term == &UNKNOWN => Term::Temp(*temp),
            Term::Temp(temp) => temps.get(temp).cloned().unwrap_or(Term::Const(0)),
            Term::Element { first, count, index } => {
                self.element(*first, *count, self.substitute(index, temps))
            }
            Term::Unary(op, term) => Term::Unary(*op, inner(term)),
            Term::Binary(op, left, right) => Term::Binary(*op, inner(left), inner(right)),
            Term::Choose(condition, then, otherwise) => {
                choose(self.substitute(condition, temps), *inner(then), *inner(otherwise))
            }
            Term::Wrap(range, term) => Term::Wrap(*range, inner(term)),
            Term::Check(range, term, site) => Term::Check(*range, inner(term), *site),
            Term::NonZero(term, _) => *inner(term),
        }
    }

    fn slot(&self, slot: SlotId) -> Term {
        let mut value = match self.constants[slot.index()] {
            Some(constant) => Term::Const(constant),
            None => Term::Slot(slot),
        };
        for write in &self.log {
            if !(write.first.0..write.first.0 + write.count).contains(&slot.0) {
                continue;
            }
            let here = equal(write.index.clone(), Term::Const(i64::from(slot.0 - write.first.0)));
            value = write.over(here, value);
        }
        value
    }

    fn element(&self, first: SlotId, count: u32, index: Term) -> Term {
        if let Term::Const(index) = index
            && (0..i64::from(count)).contains(&index)
        {
            return self.slot(SlotId(first.0 + index as u32));
        }
        let mut value = Term::Element { first, count, index: Box::new(index.clone()) };
        for write in &self.log {
            let apart = write.first.0 + write.count <= first.0 || first.0 + count <= write.first.0;
            if !apart {
                let offset = i64::from(write.first.0) - i64::from(first.0);
                let here = equal(index.clone(), plus(write.index.clone(), offset));
                value = write.over(here, value);
            }
        }
        value
    }
}

impl Write {
    /// `older`, overwritten where this write happens and is `here`.
    fn over(&self, here: Term, older: Term) -> Term {
        let happens = match &self.path {
            _ if here == Term::Const(0) => return older,
            Some(path) if here == Term::Const(1) => path.clone(),
            Some(path) => Term::and(path.clone(), here),
            None => here,
        };
        choose(happens, self.value.clone(), older)
    }
}

fn small(term: Term) -> Term {
    let mut nodes = 0;
    term.walk(&mut |_| nodes += 1);
    if nodes > LARGEST { UNKNOWN } else { term }
}

fn narrow(path: Option<&Term>, condition: Term) -> Option<Term> {
    match (path, condition) {
        (None, Term::Const(_)) => None,
        (None, condition) => Some(condition),
        (Some(path), condition) => Some(small(Term::and(path.clone(), condition))),
    }
}

fn not(term: Term) -> Term {
    match term {
        Term::Const(value) => Term::Const(i64::from(value == 0)),
        Term::Unary(Unary::Not, inner) => Term::binary(Binary::Ne, *inner, Term::Const(0)),
        other => Term::Unary(Unary::Not, Box::new(other)),
    }
}

fn equal(left: Term, right: Term) -> Term {
    match (&left, &right) {
        (Term::Const(a), Term::Const(b)) => Term::Const(i64::from(a == b)),
        (a, b) if a == b && is_known(a) => Term::Const(1),
        _ => Term::binary(Binary::Eq, left, right),
    }
}

/// Whether nothing in the term is unknown: two unknown values are two values.
fn is_known(term: &Term) -> bool {
    let mut known = true;
    term.walk(&mut |term| known &= *term != UNKNOWN);
    known
}

fn plus(term: Term, offset: i64) -> Term {
    match term {
        term if offset == 0 => term,
        Term::Const(value) => Term::Const(value + offset),
        term => Term::binary(Binary::Add, term, Term::Const(offset)),
    }
}

fn choose(condition: Term, then: Term, otherwise: Term) -> Term {
    match condition {
        Term::Const(0) => otherwise,
        Term::Const(_) => then,
        condition => Term::Choose(Box::new(condition), Box::new(then), Box::new(otherwise)),
    }
}
