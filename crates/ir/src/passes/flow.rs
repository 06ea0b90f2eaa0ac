//! Walks over every part in the order of execution, knowing at each term what
//! guards and earlier assignments imply. Range inference and constant folding
//! are two uses of this one walk. Slots through which clocks are assigned are
//! cleared between steps by whoever applies the assignments: they hold zero, as at
//! first, or what effects set them to.

use crate::footprint::Users;
use crate::interval::{ANY, Env};
use std::collections::BTreeMap;

use crate::network::{Binary, ChannelId};
use crate::system::{Command, ComponentId, Intake, Interval, Part, PartRole, SlotId, System, Term};
use crate::timing::Constraint;

/// For each channel, the values that can arrive.
type ChannelRanges = BTreeMap<ChannelId, Vec<Interval>>;

/// What a walk does on its way.
pub(super) trait Visitor {
    /// A term, in an environment that holds where it is evaluated.
    fn term(&mut self, term: &mut Term, env: &Env);
    /// An assignment: the values the term may have as far as is known. Answers
    /// what the slot holds then; a value outside its range is never assigned.
    fn assign(&mut self, slot: SlotId, value: Interval) -> Interval;
    /// A part that can never move, nor fail.
    fn impossible(&mut self, part: usize);
}

/// Walks over all parts and conditions of `system`, whose slots are known to
/// lie in `ranges`, and to be written by `writers` only.
pub(super) fn walk(
    system: &mut System,
    ranges: &[Interval],
    writers: &Writers,
    visitor: &mut dyn Visitor,
) {
    let messages = message_ranges(system, ranges);
    let synchronous = system.synchronous;
    let mut parts = std::mem::take(&mut system.parts);
    let mut timing = system.timing.take();
    for (index, part) in parts.iter_mut().enumerate() {
        homing_budget::checkpoint();
        let mut env = Env::new(ranges);
        env.set_slot(
            system.components[part.component.index()].location,
            Interval::point(part.from),
        );
        visit_term(&mut part.guard, &env, visitor);
        let possible = env.assume(&part.guard, true) && bind(part, &messages, &mut env);
        if !possible {
            // A guard that is never true may still fail.
            if !part.guard.may_fail() {
                visitor.impossible(index);
            }
            continue;
        }
        if let Some(timing) = &mut timing {
            let guard = &mut timing.parts[index].guard;
            constraints(guard, &env, visitor);
            if guard.iter().any(Constraint::is_contradiction) && !part.guard.may_fail() {
                visitor.impossible(index);
            }
        }
        visit_source(part, &mut env, visitor);
        // Partners' effects may run before and between this part's own.
        let joined = synchronous || !matches!(part.role, PartRole::Alone);
        if joined {
            env.forget_unless(|slot| writers.only(slot, part.component));
        }
        for commands in [&mut part.stores, &mut part.effect, &mut part.cleanup] {
            block(commands, &mut env, visitor);
            if joined {
                env.forget_unless(|slot| writers.only(slot, part.component));
            }
        }
    }
    system.parts = parts;
    system.timing = timing;
    visit_timing(system, ranges, visitor);
    for condition in &mut system.conditions {
        visit_term(&mut condition.term, &Env::new(ranges), visitor);
    }
}

/// What is said of clocks elsewhere than in guards.
fn visit_timing(system: &mut System, ranges: &[Interval], visitor: &mut dyn Visitor) {
    let Some(timing) = &mut system.timing else { return };
    for (component, places) in system.components.iter().zip(&mut timing.invariants) {
        for (location, invariant) in places.iter_mut().enumerate() {
            let mut env = Env::new(ranges);
            let here = Interval::point(location as i64);
            if ranges[component.location.index()].includes(here) {
                env.set_slot(component.location, here);
            }
            constraints(invariant, &env, visitor);
        }
    }
    let env = Env::new(ranges);
    timing.sites.iter_mut().for_each(|site| constraints(site, &env, visitor));
    for case in timing.conditions.iter_mut().flat_map(|condition| &mut condition.cases) {
        visit_term(&mut case.term, &env, visitor);
        constraints(&mut case.clocks, &env, visitor);
    }
}

fn constraints(constraints: &mut [Constraint], env: &Env, visitor: &mut dyn Visitor) {
    for constraint in constraints {
        constraint.map_terms(&mut |mut term| {
            visit_term(&mut term, env, visitor);
            term
        });
    }
}

/// The values that can arrive over each channel: nothing where nobody sends.
fn message_ranges(system: &System, ranges: &[Interval]) -> ChannelRanges {
    let mut arriving = ChannelRanges::default();
    for part in &system.parts {
        let PartRole::Send(channel, message) = &part.role else { continue };
        let mut env = Env::new(ranges);
        env.set_slot(system.component(part.component).location, Interval::point(part.from));
        if env.assume(&part.guard, true) {
            let values: Vec<Interval> = message.iter().map(|term| env.eval(term)).collect();
            let known = arriving.entry(*channel).or_insert_with(|| values.clone());
            for (known, value) in known.iter_mut().zip(values) {
                *known = known.hull(value);
            }
        }
    }
    arriving
}

/// Gives a receiver's temporaries the values that can arrive.
fn bind(part: &Part, messages: &ChannelRanges, env: &mut Env) -> bool {
    let PartRole::Receive(channel, intakes) = &part.role else { return true };
    let Some(values) = messages.get(channel) else { return false };
    for (intake, value) in intakes.iter().zip(values) {
        if let Some(temp) = intake.bound() {
            env.set_temp(temp, *value);
        }
    }
    true
}

fn visit_source(part: &mut Part, env: &mut Env, visitor: &mut dyn Visitor) {
    match &mut part.role {
        PartRole::Send(_, message) => {
            message.iter_mut().for_each(|term| visit_term(term, env, visitor));
        }
        PartRole::Receive(_, intakes) => {
            let compared = intakes.iter_mut().flat_map(Intake::terms_mut);
            compared.for_each(|term| visit_term(term, env, visitor));
        }
        PartRole::Alone | PartRole::Label(_) => {}
    }
    for (temp, term) in &mut part.prepare {
        visit_term(term, env, visitor);
        env.set_temp(*temp, env.eval(term));
    }
}

/// Visits a condition's right operands knowing that the left ones decided
/// nothing, then the term itself.
fn visit_term(term: &mut Term, env: &Env, visitor: &mut dyn Visitor) {
    let decides = match term {
        Term::Binary(Binary::And | Binary::Imply, ..) => Some(true),
        Term::Binary(Binary::Or, ..) => Some(false),
        _ => None,
    };
    if let (Some(holds), Term::Binary(_, left, right)) = (decides, &mut *term) {
        visit_term(left, env, visitor);
        let mut inner = env.clone();
        if inner.assume(left, holds) {
            visit_term(right, &inner, visitor);
        }
    }
    visitor.term(term, env);
}

fn block(commands: &mut [Command], env: &mut Env, visitor: &mut dyn Visitor) {
    for command in commands {
        self::command(command, env, visitor);
    }
}

fn command(command: &mut Command, env: &mut Env, visitor: &mut dyn Visitor) {
    match command {
        Command::Set(slot, value) => {
            visit_term(value, env, visitor);
            let value = visitor.assign(*slot, env.eval(value));
            env.set_slot(*slot, value);
        }
        Command::SetElement { first, count, index, value } => {
            visit_term(index, env, visitor);
            visit_term(value, env, visitor);
            let bounds = Interval::new(0, i64::from(*count) - 1);
            let index = env.eval(index).meet(bounds).unwrap_or(bounds);
            let value = env.eval(value);
            for i in index.lo..=index.hi {
                let slot = SlotId(first.0 + i as u32);
                let value = visitor.assign(slot, value);
                env.set_slot(slot, env.slot(slot).hull(value));
            }
        }
        Command::Let(temp, value) => {
            visit_term(value, env, visitor);
            env.set_temp(*temp, env.eval(value));
        }
        Command::If(condition, then, otherwise) => {
            visit_term(condition, env, visitor);
            branch(condition, then, otherwise, env, visitor);
        }
        Command::While(condition, body, _) => {
            forget_written(body, env);
            visit_term(condition, env, visitor);
            let mut inside = env.clone();
            if inside.assume(condition, true) {
                block(body, &mut inside, visitor);
            }
            env.assume(condition, false);
        }
        Command::Require(condition, _) => {
            visit_term(condition, env, visitor);
            env.assume(condition, true);
        }
    }
}

fn branch(
    condition: &Term,
    then: &mut [Command],
    otherwise: &mut [Command],
    env: &mut Env,
    visitor: &mut dyn Visitor,
) {
    let (mut yes, mut no) = (env.clone(), env.clone());
    let can_hold = yes.assume(condition, true);
    let can_fail = no.assume(condition, false);
    if can_hold {
        block(then, &mut yes, visitor);
    }
    if can_fail {
        block(otherwise, &mut no, visitor);
    }
    match (can_hold, can_fail) {
        (true, true) => {
            yes.join(&no);
            *env = yes;
        }
        (true, false) => *env = yes,
        (false, _) => *env = no,
    }
}

/// Forgets what a loop's body may change.
fn forget_written(body: &[Command], env: &mut Env) {
    let mut slots = Vec::new();
    let mut temps = Vec::new();
    for command in body {
        command.walk(&mut |command| match command {
            Command::Set(slot, _) => slots.push((*slot, 1)),
            Command::SetElement { first, count, .. } => slots.push((*first, *count)),
            Command::Let(temp, _) => temps.push(*temp),
            _ => {}
        });
    }
    let written = |slot: SlotId| slots.iter().any(|(f, n)| f.0 <= slot.0 && slot.0 < f.0 + n);
    env.forget_unless(|slot| !written(slot));
    temps.into_iter().for_each(|temp| env.set_temp(temp, ANY));
}

/// Who writes each slot.
pub(super) struct Writers(Vec<Users>);

impl Writers {
    pub(super) fn of(system: &System) -> Writers {
        let mut writers = vec![Users::Nobody; system.slots.len()];
        for part in &system.parts {
            let mut note = |first: SlotId, count: u32| {
                let slots = first.index()..first.index() + count as usize;
                writers[slots].iter_mut().for_each(|users| users.note(part.component));
            };
            for command in part.commands() {
                command.walk(&mut |command| match command {
                    Command::Set(slot, _) => note(*slot, 1),
                    Command::SetElement { first, count, .. } => note(*first, *count),
                    _ => {}
                });
            }
        }
        Writers(writers)
    }

    /// Whether nobody else writes a slot.
    fn only(&self, slot: SlotId, component: ComponentId) -> bool {
        let users = self.0[slot.index()];
        users == Users::Nobody || users == Users::One(component)
    }
}
