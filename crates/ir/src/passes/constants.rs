//! Constant folding, by intervals: a term with one possible value becomes that
//! value; checks that cannot fail and reductions that change nothing vanish;
//! parts that can never move are dropped, unless another part's failure needs
//! them ([`witnesses`]).

use super::flow::{self, Visitor, Writers};
use super::infeasible;
use crate::interval::{self, Env, truth};
use crate::network::Binary;
use crate::system::{Command, Interval, Joint, PartId, SlotId, System, Term};

/// Folds constants throughout.
pub(super) fn fold(system: &mut System) {
    let ranges: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
    let impossible = vec![false; system.parts.len()];
    let mut folder = Folder { ranges: &ranges, impossible };
    let writers = Writers::of(system);
    flow::walk(system, &ranges, &writers, &mut folder);
    for part in &mut system.parts {
        [&mut part.stores, &mut part.effect, &mut part.cleanup].into_iter().for_each(prune);
    }
    let mut dropped = folder.impossible;
    for (index, part) in system.parts.iter().enumerate() {
        let never = infeasible::is_infeasible(system, PartId(index as u32));
        dropped[index] |= never && !part.guard.may_fail();
    }
    for part in witnesses(system) {
        dropped[part.index()] = false;
    }
    drop_parts(system, &dropped);
}

/// Parts that matter by being there, whether they can move or not: a guard is
/// evaluated, and may fail, only where partners are at the locations to move
/// from, before it is asked whether they can. The first receiver gives its name
/// to the failure of a sender; a vector without an edge of each participant
/// does not even fail.
fn witnesses(system: &System) -> Vec<PartId> {
    let may_fail = |part: &PartId| system.part(*part).guard.may_fail();
    let mut found = Vec::new();
    for channel in &system.rendezvous {
        if channel.senders.iter().any(may_fail) {
            found.extend(&channel.receivers);
        }
    }
    // Who is at a committed location may be what lets others try.
    let counts = |joint: &&Joint| joint.leader.is_none() || system.any_committed;
    for joint in system.joints.iter().filter(counts) {
        let parts = || joint.members.iter().flat_map(|member| &member.parts);
        if parts().any(may_fail) {
            found.extend(parts());
        }
    }
    found
}

struct Folder<'a> {
    ranges: &'a [Interval],
    impossible: Vec<bool>,
}

impl Visitor for Folder<'_> {
    fn term(&mut self, term: &mut Term, env: &Env) {
        let whole = std::mem::replace(term, Term::Const(0));
        *term = simplified(whole, env);
    }

    fn assign(&mut self, slot: SlotId, value: Interval) -> Interval {
        let range = self.ranges[slot.index()];
        value.meet(range).unwrap_or(range)
    }

    fn impossible(&mut self, part: usize) {
        self.impossible[part] = true;
    }
}

/// The term, simple throughout. `env` holds where the term is evaluated *if* it is
/// evaluated, so right operands of `and` and `or` are judged by less than is known
/// there: sound, and the walk sees them apart.
pub(crate) fn simplified(term: Term, env: &Env) -> Term {
    folded(term, env).term
}

/// A simple term, and what is known of it. Terms may be deep, so that is found once
/// for each, from its operands.
struct Folded {
    term: Term,
    value: Interval,
    fails: bool,
}

/// The recursion is bounded by the depth of terms.
fn folded(term: Term, env: &Env) -> Folded {
    let inner = |term: Box<Term>| folded(*term, env);
    let settled = |term: Term, value: Interval, fails: bool| {
        let term = if value.is_point() && !fails { Term::Const(value.lo) } else { term };
        Folded { term, value, fails }
    };
    match term {
        Term::Const(_) | Term::Slot(_) | Term::Temp(_) => {
            let value = env.eval(&term);
            settled(term, value, false)
        }
        Term::Element { first, count, index } => {
            let index = inner(index);
            let value = env.element(first, count, index.value);
            let term = match index.term {
                Term::Const(index) if (0..i64::from(count)).contains(&index) => {
                    Term::Slot(SlotId(first.0 + index as u32))
                }
                index => Term::Element { first, count, index: Box::new(index) },
            };
            settled(term, value, index.fails)
        }
        Term::Unary(op, operand) => {
            let Folded { term, value, fails } = inner(operand);
            settled(Term::Unary(op, Box::new(term)), interval::unary(op, value), fails)
        }
        Term::Binary(op, left, right) => {
            let (left, right) = (inner(left), inner(right));
            let value = interval::binary(op, left.value, right.value);
            let fails = left.fails || right.fails;
            if op == Binary::And && (fails || !value.is_point()) {
                return conjunction(left, right, value);
            }
            settled(Term::binary(op, left.term, right.term), value, fails)
        }
        Term::Choose(condition, then, otherwise) => {
            let (condition, then, otherwise) = (inner(condition), inner(then), inner(otherwise));
            let decided = truth(condition.value);
            let value = match decided {
                Some(true) => then.value,
                Some(false) => otherwise.value,
                None => then.value.hull(otherwise.value),
            };
            match decided {
                Some(true) if !condition.fails => then,
                Some(false) if !condition.fails => otherwise,
                _ => {
                    let fails = condition.fails || then.fails || otherwise.fails;
                    let [condition, then, otherwise] =
                        [condition, then, otherwise].map(|one| Box::new(one.term));
                    settled(Term::Choose(condition, then, otherwise), value, fails)
                }
            }
        }
        Term::Wrap(range, operand) => match inner(operand) {
            operand if range.includes(operand.value) => operand,
            Folded { term, fails, .. } => settled(Term::Wrap(range, Box::new(term)), range, fails),
        },
        Term::Check(range, operand, site) => match inner(operand) {
            operand if range.includes(operand.value) => operand,
            Folded { term, value, .. } => {
                let value = value.meet(range).unwrap_or(range);
                settled(Term::Check(range, Box::new(term), site), value, true)
            }
        },
        Term::NonZero(operand, site) => match inner(operand) {
            operand if !operand.value.contains(0) => operand,
            Folded { term, value, .. } => {
                settled(Term::NonZero(Box::new(term), site), interval::non_zero(value), true)
            }
        },
    }
}

/// A conjunction whose value is not known, or may fail.
fn conjunction(left: Folded, right: Folded, value: Interval) -> Folded {
    match right.term {
        _ if truth(left.value) == Some(true) && !left.fails => truth_value(right),
        Term::Const(c) if c != 0 => truth_value(left),
        term => {
            let fails = left.fails || right.fails;
            Folded { term: Term::binary(Binary::And, left.term, term), value, fails }
        }
    }
}

/// The same as 0 or 1.
fn truth_value(Folded { term, value, fails }: Folded) -> Folded {
    if Interval::TRUTH.includes(value) {
        return Folded { term, value, fails };
    }
    let value = interval::binary(Binary::Ne, value, Interval::point(0));
    Folded { term: Term::binary(Binary::Ne, term, Term::Const(0)), value, fails }
}

/// Resolves branches whose condition is known, and static elements.
fn prune(commands: &mut Vec<Command>) {
    let mut kept = Vec::with_capacity(commands.len());
    for command in commands.drain(..) {
        match command {
            Command::If(Term::Const(c), mut then, mut otherwise) => {
                let block = if c != 0 { &mut then } else { &mut otherwise };
                prune(block);
                kept.append(block);
            }
            Command::If(condition, mut then, mut otherwise) => {
                prune(&mut then);
                prune(&mut otherwise);
                kept.push(Command::If(condition, then, otherwise));
            }
            Command::While(Term::Const(0), ..) => {}
            Command::While(condition, mut body, site) => {
                prune(&mut body);
                kept.push(Command::While(condition, body, site));
            }
            Command::Require(Term::Const(c), _) if c != 0 => {}
            Command::SetElement { first, count, index: Term::Const(index), value }
                if (0..i64::from(count)).contains(&index) =>
            {
                kept.push(Command::Set(SlotId(first.0 + index as u32), value));
            }
            other => kept.push(other),
        }
    }
    *commands = kept;
}

/// Removes parts and renumbers the rest.
pub(super) fn drop_parts(system: &mut System, dropped: &[bool]) {
    let mut next = 0;
    let numbers: Vec<Option<PartId>> = dropped
        .iter()
        .map(|dropped| {
            (!dropped).then(|| {
                next += 1;
                PartId(next - 1)
            })
        })
        .collect();
    let mut index = 0;
    system.parts.retain(|_| {
        index += 1;
        !dropped[index - 1]
    });
    if let Some(timing) = &mut system.timing {
        let mut kept = dropped.iter().map(|dropped| !dropped);
        timing.parts.retain(|_| kept.next().unwrap_or(true));
        let mut kept = dropped.iter().map(|dropped| !dropped);
        timing.priorities.retain(|_| kept.next().unwrap_or(true));
    }
    let renumber = |parts: &mut Vec<PartId>| {
        *parts = parts.iter().filter_map(|part| numbers[part.index()]).collect();
    };
    for channel in &mut system.rendezvous {
        renumber(&mut channel.senders);
        renumber(&mut channel.receivers);
    }
    system.joints.retain(|joint| joint.leader.is_none_or(|l| numbers[l.index()].is_some()));
    for joint in &mut system.joints {
        joint.leader = joint.leader.and_then(|leader| numbers[leader.index()]);
        joint.members.iter_mut().for_each(|member| renumber(&mut member.parts));
    }
}
