//! Which slots are variables, and the classes of their values.
//!
//! A slot of few values has one class a value. Else every constant that the
//! slot is compared with or assigned, directly or by way of other slots, is a
//! class of its own, and so is every gap between two of them; gaps are split
//! up further while there is room, small ones first, because counters run
//! through them step by step.

use std::collections::BTreeSet;

use homing_ir::layout::Layout;
use homing_ir::network::Binary;
use homing_ir::system::{Command, Intake, Interval, PartRole, SlotId, System, Term};

use super::symbolic::written;
use super::{Var, Variable};

/// Up to this many values each is a class.
const PLAIN: u64 = 256;

/// The most classes of a slot with more values.
const CLASSES: usize = 64;

/// The slots of a system, sorted into variables and constants.
pub(super) struct Domains {
    pub variables: Vec<Variable>,
    /// The variable of every slot.
    pub var_of: Vec<Option<Var>>,
    /// The value of every slot that never changes.
    pub constants: Vec<Option<i64>>,
}

/// Sorts the slots, whose values lie in `ranges` and, where they are `known`,
/// are just these.
pub(super) fn domains(
    system: &System,
    layout: &Layout,
    ranges: &[Interval],
    known: &[Option<Vec<i64>>],
    goal: &Term,
) -> Domains {
    let mut changing: BTreeSet<SlotId> = system.parts.iter().flat_map(written).collect();
    // Slots through which clocks are assigned hold zero between steps.
    for (slot, _) in system.timing.iter().flat_map(|timing| timing.pending_slots()) {
        changing.remove(&slot);
    }
    let bounds = Landmarks::of(system, goal);
    let mut domains = Domains { variables: Vec::new(), var_of: Vec::new(), constants: Vec::new() };
    for (index, slot) in system.slots.iter().enumerate() {
        let (id, range) = (SlotId(index as u32), ranges[index]);
        if !changing.contains(&id) || range.is_point() {
            domains.var_of.push(None);
            domains.constants.push(Some(slot.initial));
            continue;
        }
        let known = known.get(index).and_then(Option::as_ref).map(|known| sparse(known));
        let bounds = if let Some(sparse) = known.filter(|k| 2 * k.len() as u64 <= range.size()) {
            sparse
        } else if range.size() <= PLAIN {
            (range.lo..=range.hi).collect()
        } else {
            classes(range.lo, range.hi, slot.initial, &bounds.of_slot(id))
        };
        let field = layout.fields[index];
        let mut variable = Variable { slot: id, field, bounds, last: range.hi, initial: 0 };
        variable.initial = variable.class(slot.initial);
        domains.var_of.push(Some(domains.variables.len() as Var));
        domains.constants.push(None);
        domains.variables.push(variable);
    }
    domains
}

/// The lower bounds of classes in which each of `numbers` is alone: what lies
/// between two of them is one class.
fn sparse(numbers: &[i64]) -> Vec<i64> {
    let mut bounds = Vec::new();
    for (at, number) in numbers.iter().enumerate() {
        bounds.push(*number);
        if numbers.get(at + 1).is_some_and(|next| *next > number + 1) {
            bounds.push(number + 1);
        }
    }
    bounds
}

/// The lower bounds of classes of `lo..=hi` in which the landmarks are alone.
fn classes(lo: i64, hi: i64, initial: i64, landmarks: &BTreeSet<i64>) -> Vec<i64> {
    let mut alone: Vec<i64> = landmarks.iter().copied().filter(|c| (lo..=hi).contains(c)).collect();
    // A landmark makes up to two classes: itself and the gap behind it.
    let most = CLASSES / 2 - 2;
    if alone.len() > most {
        let all = alone;
        alone = (0..most).map(|i| all[i * all.len() / most]).collect();
    }
    alone.push(initial);
    let mut bounds: BTreeSet<i64> = BTreeSet::from([lo]);
    for landmark in alone {
        bounds.insert(landmark);
        bounds.extend(landmark.checked_add(1).filter(|next| *next <= hi));
    }
    while bounds.len() < CLASSES {
        let Some(middle) = smallest_gap(&bounds, hi, CLASSES - bounds.len()) else { break };
        bounds.extend(middle);
    }
    bounds.into_iter().collect()
}

/// Bounds that split the smallest gap into single values if there is room for
/// that, else the largest in the middle.
fn smallest_gap(bounds: &BTreeSet<i64>, hi: i64, room: usize) -> Option<Vec<i64>> {
    let ends = bounds.iter().skip(1).copied().chain([hi.saturating_add(1)]);
    let gaps = bounds.iter().copied().zip(ends).map(|(start, end)| (end.abs_diff(start), start));
    let wide = gaps.filter(|(size, _)| *size > 1);
    let (size, start) = wide.clone().min()?;
    if size <= room as u64 + 1 {
        return Some((start + 1..start + size as i64).collect());
    }
    let (size, start) = wide.max()?;
    Some(vec![start.wrapping_add((size / 2) as i64)])
}

/// Constants that slots are compared with or assigned, shared by slots that
/// are compared with or assigned each other.
struct Landmarks {
    /// Disjoint sets of slots: the parent of each.
    parent: Vec<usize>,
    constants: Vec<BTreeSet<i64>>,
}

impl Landmarks {
    fn of(system: &System, goal: &Term) -> Landmarks {
        let slots = system.slots.len();
        let mut landmarks =
            Landmarks { parent: (0..slots).collect(), constants: vec![BTreeSet::new(); slots] };
        landmarks.comparisons(goal);
        for part in &system.parts {
            for term in part.source_terms() {
                landmarks.comparisons(term);
            }
            if let PartRole::Receive(_, intakes) = &part.role {
                for (_, term) in intakes.iter().flat_map(Intake::comparisons) {
                    landmarks.relate(&[term], &[]);
                }
            }
            for command in part.commands() {
                command.walk(&mut |command| landmarks.command(command));
            }
        }
        landmarks
    }

    fn of_slot(&self, slot: SlotId) -> BTreeSet<i64> {
        self.constants[self.root(slot.index())].clone()
    }

    fn command(&mut self, command: &Command) {
        command.terms().into_iter().for_each(|term| self.comparisons(term));
        match command {
            Command::Set(slot, term) => self.relate(&[term], &[*slot]),
            Command::SetElement { first, count, value, .. } => {
                let all: Vec<SlotId> = (first.0..first.0 + count).map(SlotId).collect();
                self.relate(&[value], &all);
            }
            _ => {}
        }
    }

    fn comparisons(&mut self, term: &Term) {
        let mut found: Vec<(&Term, &Term)> = Vec::new();
        term.walk(&mut |term| {
            if let Term::Binary(op, left, right) = term
                && matches!(
                    op,
                    Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge
                )
            {
                found.push((left, right));
            }
        });
        for (left, right) in found {
            self.relate(&[left, right], &[]);
        }
    }

    /// Notes that the values of terms and slots have to do with each other.
    fn relate(&mut self, terms: &[&Term], slots: &[SlotId]) {
        let mut slots = slots.to_vec();
        let mut constants = BTreeSet::new();
        for term in terms {
            values(term, &mut slots, &mut constants);
        }
        let Some(first) = slots.first().copied() else { return };
        for slot in &slots[1..] {
            self.join(first.index(), slot.index());
        }
        let root = self.root(first.index());
        self.constants[root].extend(constants);
    }

    fn root(&self, mut slot: usize) -> usize {
        while self.parent[slot] != slot {
            slot = self.parent[slot];
        }
        slot
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            let moved = std::mem::take(&mut self.constants[b]);
            self.constants[a].extend(moved);
            self.parent[b] = a;
        }
    }
}

/// The slots and constants whose values make up a term's: not its indices, nor
/// its conditions.
fn values(term: &Term, slots: &mut Vec<SlotId>, constants: &mut BTreeSet<i64>) {
    match term {
        Term::Const(value) => {
            constants.insert(*value);
        }
        Term::Slot(slot) => slots.push(*slot),
        Term::Temp(_) => {}
        Term::Element { first, count, .. } => {
            slots.extend((first.0..first.0 + count).map(SlotId));
        }
        Term::Choose(_, then, otherwise) => {
            values(then, slots, constants);
            values(otherwise, slots, constants);
        }
        Term::Unary(_, term)
        | Term::Wrap(_, term)
        | Term::Check(_, term, _)
        | Term::NonZero(term, _) => values(term, slots, constants),
        Term::Binary(_, left, right) => {
            values(left, slots, constants);
            values(right, slots, constants);
        }
    }
}
