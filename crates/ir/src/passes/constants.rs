//! Constant folding, by intervals: a term with one possible value becomes that
//! value; checks that cannot fail and reductions that change nothing vanish;
//! parts that can never move are dropped, unless another part's failure needs
//! them ([`witnesses`]).

use super::flow::{self, Visitor};
use super::infeasible;
use crate::interval::{Env, truth};
use crate::network::Binary;
use crate::system::{Command, Interval, Joint, PartId, SlotId, System, Term};

/// Folds constants throughout.
pub(super) fn fold(system: &mut System) {
    let ranges: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
    let impossible = vec![false; system.parts.len()];
    let mut folder = Folder { ranges: &ranges, impossible };
    flow::walk(system, &ranges, &mut folder);
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
        *term = whole.rewrite(&mut |term| simplify(term, env));
    }

    fn assign(&mut self, slot: SlotId, value: Interval) -> Interval {
        let range = self.ranges[slot.index()];
        value.meet(range).unwrap_or(range)
    }

    fn impossible(&mut self, part: usize) {
        self.impossible[part] = true;
    }
}

/// One term whose operands are simple already. `env` holds where the term is
/// evaluated *if* it is evaluated, so right operands of `and` and `or` are
/// judged by less than is known there: sound, and the walk sees them apart.
pub(crate) fn simplify(term: Term, env: &Env) -> Term {
    let value = env.eval(&term);
    if value.is_point() && !term.may_fail() {
        return Term::Const(value.lo);
    }
    match term {
        Term::Wrap(range, inner) if range.includes(env.eval(&inner)) => *inner,
        Term::Check(range, inner, _) if range.includes(env.eval(&inner)) => *inner,
        Term::NonZero(inner, _) if !env.eval(&inner).contains(0) => *inner,
        Term::Element { first, count, index } => match *index {
            Term::Const(index) if (0..i64::from(count)).contains(&index) => {
                Term::Slot(SlotId(first.0 + index as u32))
            }
            index => Term::Element { first, count, index: Box::new(index) },
        },
        Term::Binary(Binary::And, left, right) => match (truth(env.eval(&left)), *right) {
            (Some(true), right) if !left.may_fail() => truth_value(right, env),
            (_, Term::Const(c)) if c != 0 => truth_value(*left, env),
            (_, right) => Term::Binary(Binary::And, left, Box::new(right)),
        },
        Term::Choose(condition, then, otherwise) if !condition.may_fail() => {
            match truth(env.eval(&condition)) {
                Some(true) => *then,
                Some(false) => *otherwise,
                None => Term::Choose(condition, then, otherwise),
            }
        }
        other => other,
    }
}

/// `term` as 0 or 1.
fn truth_value(term: Term, env: &Env) -> Term {
    if Interval::TRUTH.includes(env.eval(&term)) {
        return term;
    }
    Term::binary(Binary::Ne, term, Term::Const(0))
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
