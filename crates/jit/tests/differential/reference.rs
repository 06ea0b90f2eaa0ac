//! What the parts of a system mean, told as simply as possible: a state is one integer a
//! slot, a failure is the site it happens at.
//!
//! What a system promises by construction (indices within bounds, divisors that are not
//! zero, values within the ranges of their slots) is asserted rather than assumed.

use std::collections::HashMap;

use homing_ir::System;
use homing_ir::moves::{Move, Moves};
use homing_ir::network::{Binary, Unary};
use homing_ir::system::{
    Command, ComponentId, Intake, Interval, LOOP_FUEL, Part, PartRole, SiteId, SlotId, TempId, Term,
};
use homing_jit::Phase;

/// One integer a slot.
pub type Values = Vec<i64>;

/// Values computed within a step.
pub type Temps = HashMap<TempId, i64>;

/// Which moves are asked for, as [`homing_jit::Code`] tells them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// Those that may happen at any time.
    Ordinary,
    /// Those that happen only where no others do.
    Timeout,
    /// Those of a component that holds control.
    Held,
    /// Those of which some participant leaves a committed location.
    Committed,
}

/// Successors with their labels, and failures with label and site.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expanded {
    pub successors: Vec<(u32, Values)>,
    pub faults: Vec<(u32, u32)>,
}

impl Expanded {
    fn add(&mut self, label: u32, result: Result<Option<Values>, SiteId>) {
        match result {
            Ok(values) => self.successors.extend(values.map(|values| (label, values))),
            Err(site) => self.faults.push((label, site.0)),
        }
    }
}

/// The value of a term.
fn value(term: &Term, values: &[i64], temps: &Temps) -> Result<i64, SiteId> {
    let of = |term: &Term| value(term, values, temps);
    Ok(match term {
        Term::Const(value) => *value,
        Term::Slot(slot) => values[slot.index()],
        Term::Temp(temp) => temps[temp],
        Term::Element { first, count, index } => values[place(*first, *count, of(index)?)],
        Term::Unary(Unary::Neg, term) => of(term)?.wrapping_neg(),
        Term::Unary(Unary::BitNot, term) => !of(term)?,
        Term::Unary(Unary::Not, term) => i64::from(of(term)? == 0),
        Term::Binary(Binary::And, left, right) => i64::from(of(left)? != 0 && of(right)? != 0),
        Term::Binary(Binary::Or, left, right) => i64::from(of(left)? != 0 || of(right)? != 0),
        Term::Binary(Binary::Imply, left, right) => i64::from(of(left)? == 0 || of(right)? != 0),
        Term::Binary(op, left, right) => operate(*op, of(left)?, of(right)?),
        Term::Choose(condition, then, otherwise) => {
            of(if of(condition)? != 0 { then } else { otherwise })?
        }
        Term::Wrap(range, term) => wrap(*range, of(term)?),
        Term::Check(range, term, site) => {
            Some(of(term)?).filter(|value| range.contains(*value)).ok_or(*site)?
        }
        Term::NonZero(term, site) => Some(of(term)?).filter(|value| *value != 0).ok_or(*site)?,
    })
}

fn operate(op: Binary, left: i64, right: i64) -> i64 {
    match op {
        Binary::Add => left.wrapping_add(right),
        Binary::Sub => left.wrapping_sub(right),
        Binary::Mul => left.wrapping_mul(right),
        Binary::Div => left / right,
        Binary::Rem => left % right,
        Binary::Shl => {
            assert!((0..32).contains(&right), "a shift by {right}");
            left << right
        }
        Binary::Shr => {
            assert!((0..32).contains(&right), "a shift by {right}");
            left >> right
        }
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::Eq => i64::from(left == right),
        Binary::Ne => i64::from(left != right),
        Binary::Lt => i64::from(left < right),
        Binary::Le => i64::from(left <= right),
        Binary::Gt => i64::from(left > right),
        Binary::Ge => i64::from(left >= right),
        Binary::And | Binary::Or | Binary::Imply => unreachable!("evaluated lazily"),
    }
}

fn wrap(range: Interval, value: i64) -> i64 {
    let [lo, hi, value] = [range.lo, range.hi, value].map(i128::from);
    (lo + (value - lo).rem_euclid(hi - lo + 1)) as i64
}

fn place(first: SlotId, count: u32, index: i64) -> usize {
    assert!((0..i64::from(count)).contains(&index), "index {index} of {count} slots");
    first.index() + index as usize
}

/// Runs commands on `values`.
fn run(
    system: &System,
    commands: &[Command],
    values: &mut [i64],
    temps: &mut Temps,
) -> Result<(), SiteId> {
    for command in commands {
        match command {
            Command::Set(slot, term) => {
                let value = value(term, values, temps)?;
                set(system, values, slot.index(), value);
            }
            Command::SetElement { first, count, index, value: term } => {
                let stored = value(term, values, temps)?;
                let index = value(index, values, temps)?;
                set(system, values, place(*first, *count, index), stored);
            }
            Command::Let(temp, term) => {
                let value = value(term, values, temps)?;
                temps.insert(*temp, value);
            }
            Command::If(condition, then, otherwise) => {
                let holds = value(condition, values, temps)? != 0;
                run(system, if holds { then } else { otherwise }, values, temps)?;
            }
            Command::While(condition, body, site) => {
                repeat(system, (condition, body, *site), values, temps)?;
            }
            Command::Require(condition, site) => {
                if value(condition, values, temps)? == 0 {
                    return Err(*site);
                }
            }
        }
    }
    Ok(())
}

fn set(system: &System, values: &mut [i64], slot: usize, value: i64) {
    let range = system.slots[slot].range;
    assert!(range.contains(value), "{value} is stored in slot {slot} of {range:?}");
    values[slot] = value;
}

/// A loop. One that comes to the values it had before never ends (Brent's way to see it),
/// which saves most of the rounds.
fn repeat(
    system: &System,
    (condition, body, site): (&Term, &[Command], SiteId),
    values: &mut [i64],
    temps: &mut Temps,
) -> Result<(), SiteId> {
    let mut before = values.to_vec();
    for round in 1..=LOOP_FUEL {
        if value(condition, values, temps)? == 0 {
            return Ok(());
        }
        run(system, body, values, temps)?;
        if before == values {
            return Err(site);
        }
        if round.is_power_of_two() {
            before = values.to_vec();
        }
    }
    if value(condition, values, temps)? == 0 { Ok(()) } else { Err(site) }
}

/// The values that a part computes in the source state.
fn prepare(part: &Part, values: &[i64], temps: &mut Temps) -> Result<(), SiteId> {
    for (temp, term) in &part.prepare {
        let value = value(term, values, temps)?;
        temps.insert(*temp, value);
    }
    Ok(())
}

/// The message that a part sends.
fn message(part: &Part, values: &[i64]) -> Result<Vec<i64>, SiteId> {
    let PartRole::Send(_, terms) = &part.role else { return Ok(Vec::new()) };
    terms.iter().map(|term| value(term, values, &Temps::new())).collect()
}

/// Whether a part takes a message; binds its values.
fn take(part: &Part, message: &[i64], values: &[i64], temps: &mut Temps) -> Result<bool, SiteId> {
    let PartRole::Receive(_, intakes) = &part.role else { return Ok(true) };
    for (intake, received) in intakes.iter().zip(message) {
        if !takes(intake, *received, values, temps)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn takes(
    intake: &Intake,
    received: i64,
    values: &[i64],
    temps: &mut Temps,
) -> Result<bool, SiteId> {
    Ok(match intake {
        Intake::Bind(temp) => {
            temps.insert(*temp, received);
            true
        }
        Intake::Match(term) => value(term, values, temps)? == received,
        Intake::Except(term, besides) => {
            takes(besides, received, values, temps)? && value(term, values, temps)? != received
        }
        Intake::Ignore => true,
    })
}

/// The moves of a system, evaluated.
pub struct Reference<'s> {
    pub system: &'s System,
    pub moves: &'s Moves,
}

impl Reference<'_> {
    /// A bit for every condition that holds, and for every one that cannot be evaluated and
    /// does not hold then.
    pub fn conditions(&self, values: &[i64]) -> (u64, u64) {
        let (mut holding, mut failed) = (0, 0);
        for (index, condition) in self.system.conditions.iter().take(64).enumerate() {
            match value(&condition.term, values, &Temps::new()) {
                Ok(value) => holding |= u64::from(value != 0) << index,
                Err(_) if condition.holds_on_failure => holding |= 1 << index,
                Err(_) => failed |= 1 << index,
            }
        }
        (holding, failed)
    }

    /// Whether a part can move, given the message it is to take: the values it binds, and
    /// the message it takes or sends.
    pub fn ready(
        &self,
        part: &Part,
        received: &[i64],
        values: &[i64],
    ) -> Result<Option<(Temps, Vec<i64>)>, SiteId> {
        let mut temps = Temps::new();
        if !self.is_there(part, values) || value(&part.guard, values, &temps)? == 0 {
            return Ok(None);
        }
        if matches!(part.role, PartRole::Send(..)) {
            return Ok(Some((temps, message(part, values)?)));
        }
        if !take(part, received, values, &mut temps)? {
            return Ok(None);
        }
        if matches!(part.role, PartRole::Receive(..)) {
            prepare(part, values, &mut temps)?;
        }
        Ok(Some((temps, received.to_vec())))
    }

    /// Runs one phase of a part on `next`; what it prepares, it computes in `values`.
    pub fn apply(
        &self,
        part: &Part,
        phase: Phase,
        values: &[i64],
        next: &mut [i64],
        temps: &mut Temps,
    ) -> Result<(), SiteId> {
        if phase.of(part).is_empty() {
            return Ok(());
        }
        prepare(part, values, temps)?;
        run(self.system, phase.of(part), next, temps)
    }

    /// What all components lead, one after the other.
    pub fn expand(&self, values: &[i64], which: Which) -> Expanded {
        let mut out = Expanded::default();
        for component in 0..self.system.components.len() as u32 {
            self.led_by(ComponentId(component), values, which, &mut out);
        }
        out
    }

    /// What one component leads.
    pub fn led_by(&self, component: ComponentId, values: &[i64], which: Which, out: &mut Expanded) {
        let location = values[self.system.component(component).location.index()];
        let labels = self.moves.at(component, location as usize);
        let mut senders = Vec::new();
        for label in labels.clone() {
            match self.moves.list[label as usize] {
                Move::Alone(part) if self.wants(label, which) => {
                    out.add(label, self.alone(self.system.part(part), values));
                }
                Move::Pair { sender, .. } if !senders.contains(&sender) => {
                    senders.push(sender);
                    let own = |label: &u32| matches!(self.moves.list[*label as usize], Move::Pair { sender: s, .. } if s == sender);
                    let labels: Vec<u32> = labels.clone().filter(own).collect();
                    self.send(self.system.part(sender), &labels, values, which, out);
                }
                _ => {}
            }
        }
    }

    fn wants(&self, label: u32, which: Which) -> bool {
        self.moves.is_timeout(label) == (which == Which::Timeout) && self.allows(label, which)
    }

    fn allows(&self, label: u32, which: Which) -> bool {
        match which {
            Which::Held => true,
            Which::Committed => self.moves.is_committed(label),
            Which::Ordinary | Which::Timeout => !self.moves.is_held_only(label),
        }
    }

    fn receiver(&self, label: u32) -> &Part {
        match self.moves.list[label as usize] {
            Move::Pair { receiver, .. } => self.system.part(receiver),
            other => unreachable!("{other:?} has no receiver"),
        }
    }

    fn is_there(&self, part: &Part, values: &[i64]) -> bool {
        values[self.system.component(part.component).location.index()] == part.from
    }

    /// One move of a part that is at its location.
    pub fn alone(&self, part: &Part, values: &[i64]) -> Result<Option<Values>, SiteId> {
        let mut temps = Temps::new();
        if value(&part.guard, values, &temps)? == 0 {
            return Ok(None);
        }
        prepare(part, values, &mut temps)?;
        let mut next = values.to_vec();
        for phase in Phase::ALL {
            run(self.system, phase.of(part), &mut next, &mut temps)?;
        }
        Ok(Some(next))
    }

    /// All pairs of a sender. Where its guard fails, the first receiver that is there
    /// gives the failure its name.
    fn send(
        &self,
        sender: &Part,
        labels: &[u32],
        values: &[i64],
        which: Which,
        out: &mut Expanded,
    ) {
        let wanted = |label: &&u32| self.wants(**label, which);
        if sender.timeout != (which == Which::Timeout) && !labels.iter().any(|label| wanted(&label))
        {
            return;
        }
        match value(&sender.guard, values, &Temps::new()) {
            Err(site) => {
                let mut allowed = labels.iter().filter(|label| self.allows(**label, which));
                let present = allowed.find(|label| self.is_there(self.receiver(**label), values));
                out.faults.extend(present.map(|label| (*label, site.0)));
            }
            Ok(0) => {}
            Ok(_) => {
                for label in labels.iter().filter(wanted) {
                    let receiver = self.receiver(*label);
                    if self.is_there(receiver, values) {
                        out.add(*label, self.pair(sender, receiver, values));
                    }
                }
            }
        }
    }

    fn pair(
        &self,
        sender: &Part,
        receiver: &Part,
        values: &[i64],
    ) -> Result<Option<Values>, SiteId> {
        let mut temps = Temps::new();
        if value(&receiver.guard, values, &temps)? == 0 {
            return Ok(None);
        }
        if !take(receiver, &message(sender, values)?, values, &mut temps)? {
            return Ok(None);
        }
        prepare(sender, values, &mut temps)?;
        prepare(receiver, values, &mut temps)?;
        let mut order = [receiver, sender];
        if self.system.sender_first {
            order.reverse();
        }
        let mut next = values.to_vec();
        for phase in Phase::ALL {
            for part in order {
                run(self.system, phase.of(part), &mut next, &mut temps)?;
            }
        }
        Ok(Some(next))
    }
}
