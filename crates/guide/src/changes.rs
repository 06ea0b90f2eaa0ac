//! By how much one step can change every slot.
//!
//! Interval reasoning over the commands of each part: an assignment changes
//! its slot by what the assigned term exceeds the slot's value by, `x := x + 1`
//! by just one, `x := 4` by up to the whole range of `x`. Changes of commands
//! that run one after the other add up, so the order in which the parts of a
//! move run does not matter.

use std::collections::BTreeMap;

use homing_ir::interval::{ANY, Env};
use homing_ir::moves::{Move, Moves};
use homing_ir::network::{Binary, Unary};
use homing_ir::system::{
    Command, ComponentId, Interval, Part, PartId, PartRole, SlotId, System, Term,
};

/// What is added to slots; those that are not mentioned stay what they are.
pub(crate) type Delta = BTreeMap<SlotId, Interval>;

/// For every label, what a step of it can add to slots.
pub(crate) struct Changes {
    /// The values of every slot.
    pub ranges: Vec<Interval>,
    /// By label.
    pub by_label: Vec<Delta>,
}

impl Changes {
    pub(crate) fn of(system: &System, moves: &Moves) -> Changes {
        let ranges: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
        let owners = sole_writers(system);
        let parts: Vec<Delta> =
            system.parts.iter().map(|part| part_delta(system, &ranges, &owners, part)).collect();
        let delta = |part: PartId| &parts[part.index()];
        let by_label = moves.list.iter().map(|step| match step {
            Move::Alone(part) => delta(*part).clone(),
            Move::Pair { sender, receiver } => both(delta(*sender), delta(*receiver)),
            Move::Joint(joint) => {
                let joint = &system.joints[*joint as usize];
                let leader = joint.leader.map(|part| delta(part).clone()).unwrap_or_default();
                joint.members.iter().fold(leader, |sum, member| {
                    // A member may stand still, or move with any of its parts.
                    let parts = member.parts.iter().map(|part| delta(*part));
                    both(&sum, &parts.fold(Delta::new(), |known, part| either(&known, part)))
                })
            }
        });
        Changes { by_label: by_label.collect(), ranges }
    }

    /// What a step of `label` can add to the value of `term`, where that can
    /// be evaluated before and after.
    pub(crate) fn of_term(&self, term: &Term, label: usize) -> Interval {
        change(term, &self.by_label[label], &Env::new(&self.ranges))
    }

    /// Whether a step of `label` may write what `term` reads.
    pub(crate) fn touches(&self, term: &Term, label: usize) -> bool {
        reads(term, &self.by_label[label])
    }
}

fn change(term: &Term, delta: &Delta, env: &Env) -> Interval {
    let inner = |term: &Term| change(term, delta, env);
    let known = match term {
        Term::Const(_) => return Interval::point(0),
        Term::Slot(slot) => return delta.get(slot).copied().unwrap_or(Interval::point(0)),
        Term::Binary(Binary::Add, left, right) => Some(plus(inner(left), inner(right))),
        Term::Binary(Binary::Sub, left, right) => Some(minus(inner(left), inner(right))),
        Term::Binary(Binary::Mul, factor, term) | Term::Binary(Binary::Mul, term, factor)
            if matches!(**factor, Term::Const(_)) =>
        {
            Some(times(inner(term), env.eval(factor).lo))
        }
        Term::Unary(Unary::Neg, term) => Some(times(inner(term), -1)),
        Term::Wrap(range, term) if range.includes(env.eval(term)) => Some(inner(term)),
        Term::Check(_, term, _) | Term::NonZero(term, _) => Some(inner(term)),
        _ => None,
    };
    let value = env.eval(term);
    let most = minus(value, value);
    match known {
        Some(known) => known.meet(most).unwrap_or(most),
        None if reads(term, delta) => most,
        None => Interval::point(0),
    }
}

fn reads(term: &Term, delta: &Delta) -> bool {
    let mut reads = false;
    term.walk(&mut |term| {
        reads |= match term {
            Term::Slot(slot) => delta.contains_key(slot),
            Term::Element { first, count, .. } => {
                delta.range(first..&SlotId(first.0 + count)).next().is_some()
            }
            _ => false,
        }
    });
    reads
}

/// For every slot, the component that alone writes it.
fn sole_writers(system: &System) -> Vec<Option<ComponentId>> {
    let mut writers: Vec<Vec<ComponentId>> = vec![Vec::new(); system.slots.len()];
    for part in &system.parts {
        for slot in part.commands().flat_map(written) {
            let writers = &mut writers[slot.index()];
            if !writers.contains(&part.component) {
                writers.push(part.component);
            }
        }
    }
    writers.iter().map(|all| if let [only] = all[..] { Some(only) } else { None }).collect()
}

/// The slots that a command may write.
fn written(command: &Command) -> Vec<SlotId> {
    let mut slots = Vec::new();
    command.walk(&mut |command| match command {
        Command::Set(slot, _) => slots.push(*slot),
        Command::SetElement { first, count, .. } => {
            slots.extend((first.0..first.0 + count).map(SlotId));
        }
        _ => {}
    });
    slots
}

fn part_delta(
    system: &System,
    ranges: &[Interval],
    owners: &[Option<ComponentId>],
    part: &Part,
) -> Delta {
    let mut env = Env::new(ranges);
    env.set_slot(system.component(part.component).location, Interval::point(part.from));
    if !env.assume(&part.guard, true) {
        return Delta::new();
    }
    for (temp, term) in &part.prepare {
        env.set_temp(*temp, env.eval(term));
    }
    // The effects of partners may run before and between this part's own.
    let joined = system.synchronous || !matches!(part.role, PartRole::Alone);
    let keep = |slot: SlotId| !joined || owners[slot.index()] == Some(part.component);
    let mut delta = Delta::new();
    for commands in [&part.stores, &part.effect, &part.cleanup] {
        env.forget_unless(keep);
        block(commands, &mut env, ranges, &mut delta);
    }
    delta
}

fn block(commands: &[Command], env: &mut Env, ranges: &[Interval], delta: &mut Delta) {
    for command in commands {
        run(command, env, ranges, delta);
    }
}

fn run(command: &Command, env: &mut Env, ranges: &[Interval], delta: &mut Delta) {
    match command {
        Command::Set(slot, value) => {
            let new = assigned(env, ranges[slot.index()], value);
            let added = added(&Term::Slot(*slot), env.slot(*slot), value, new, env);
            add(delta, *slot, added, ranges);
            env.set_slot(*slot, new);
        }
        Command::SetElement { first, count, index, value } => {
            let bounds = Interval::new(0, i64::from(*count) - 1);
            let at = env.eval(index).meet(bounds).unwrap_or(bounds);
            let (first, count) = (*first, *count);
            let place = Term::Element { first, count, index: Box::new(index.clone()) };
            let slots = (at.lo..=at.hi).map(|i| SlotId(first.0 + i as u32));
            let changes: Vec<(SlotId, Interval, Interval)> = slots
                .map(|slot| {
                    let new = assigned(env, ranges[slot.index()], value);
                    (slot, new, added(&place, env.slot(slot), value, new, env))
                })
                .collect();
            for (slot, new, added) in changes {
                let stays = if at.is_point() { added } else { added.hull(Interval::point(0)) };
                add(delta, slot, stays, ranges);
                env.set_slot(slot, env.slot(slot).hull(new));
            }
        }
        Command::Let(temp, value) => env.set_temp(*temp, env.eval(value)),
        Command::If(condition, then, otherwise) => {
            branch(condition, then, otherwise, env, ranges, delta);
        }
        Command::While(_, body, _) => repeat(body, env, ranges, delta),
        Command::Require(condition, _) => {
            env.assume(condition, true);
        }
    }
}

/// What a slot holds once `value` is assigned; never anything outside its
/// range.
fn assigned(env: &Env, range: Interval, value: &Term) -> Interval {
    env.eval(value).meet(range).unwrap_or(range)
}

/// What assigning `value`, which is one of `new`, adds to what stands at
/// `place`, which is one of `old`.
fn added(place: &Term, old: Interval, value: &Term, new: Interval, env: &Env) -> Interval {
    let by_range = minus(new, old);
    relative(value, place, env).and_then(|known| known.meet(by_range)).unwrap_or(by_range)
}

/// What `term` exceeds the value at `place` by, where it is that value plus
/// something.
fn relative(term: &Term, place: &Term, env: &Env) -> Option<Interval> {
    if term == place {
        return Some(Interval::point(0));
    }
    match term {
        Term::Binary(Binary::Add, left, right) => match relative(left, place, env) {
            Some(known) => Some(plus(known, env.eval(right))),
            None => Some(plus(env.eval(left), relative(right, place, env)?)),
        },
        Term::Binary(Binary::Sub, left, right) => {
            Some(minus(relative(left, place, env)?, env.eval(right)))
        }
        Term::Wrap(range, term) if range.includes(env.eval(term)) => relative(term, place, env),
        Term::Check(_, term, _) => relative(term, place, env),
        Term::Choose(_, then, otherwise) => {
            Some(relative(then, place, env)?.hull(relative(otherwise, place, env)?))
        }
        _ => None,
    }
}

fn branch(
    condition: &Term,
    then: &[Command],
    otherwise: &[Command],
    env: &mut Env,
    ranges: &[Interval],
    delta: &mut Delta,
) {
    let (mut yes, mut no) = (env.clone(), env.clone());
    let (mut added, mut other) = (delta.clone(), delta.clone());
    let can_hold = yes.assume(condition, true);
    let can_fail = no.assume(condition, false);
    block(then, &mut yes, ranges, &mut added);
    block(otherwise, &mut no, ranges, &mut other);
    (*env, *delta) = match (can_hold, can_fail) {
        (true, false) => (yes, added),
        (false, true) => (no, other),
        _ => {
            yes.join(&no);
            (yes, either(&added, &other))
        }
    };
}

/// What a loop writes may become anything.
fn repeat(body: &[Command], env: &mut Env, ranges: &[Interval], delta: &mut Delta) {
    for command in body {
        for slot in written(command) {
            let range = ranges[slot.index()];
            env.set_slot(slot, range);
            add(delta, slot, minus(range, range), ranges);
        }
        command.walk(&mut |command| {
            if let Command::Let(temp, _) = command {
                env.set_temp(*temp, ANY);
            }
        });
    }
}

fn add(delta: &mut Delta, slot: SlotId, added: Interval, ranges: &[Interval]) {
    let range = ranges[slot.index()];
    let most = minus(range, range);
    let known = delta.entry(slot).or_insert(Interval::point(0));
    *known = plus(*known, added).meet(most).unwrap_or(most);
}

/// One change after the other.
fn both(a: &Delta, b: &Delta) -> Delta {
    let mut sum = a.clone();
    for (slot, change) in b {
        let known = sum.entry(*slot).or_insert(Interval::point(0));
        *known = plus(*known, *change);
    }
    sum
}

/// One change or the other.
fn either(a: &Delta, b: &Delta) -> Delta {
    let still = Interval::point(0);
    let slots = a.keys().chain(b.keys());
    let hull = |slot: &SlotId| {
        let of = |delta: &Delta| delta.get(slot).copied().unwrap_or(still);
        (*slot, of(a).hull(of(b)))
    };
    slots.map(hull).collect()
}

fn plus(a: Interval, b: Interval) -> Interval {
    Interval::new(a.lo.saturating_add(b.lo), a.hi.saturating_add(b.hi))
}

fn minus(a: Interval, b: Interval) -> Interval {
    Interval::new(a.lo.saturating_sub(b.hi), a.hi.saturating_sub(b.lo))
}

fn times(a: Interval, factor: i64) -> Interval {
    let (lo, hi) = (a.lo.saturating_mul(factor), a.hi.saturating_mul(factor));
    Interval::new(lo.min(hi), lo.max(hi))
}
