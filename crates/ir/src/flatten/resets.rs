//! Assignments of clocks.
//!
//! What every run assigns at one place of an effect, a number to a clock, stands
//! in the part ([`TimedPart::resets`](crate::timing::TimedPart)). All else, under
//! conditions, in loops, of elements or values that are not constant, copies of
//! clocks, goes through two slots a clock ([`Pending`]), which the effect sets
//! like any others and whoever applies the assignments clears:
//!
//! ```text
//! x := e        base(x) := 1, offset(x) := e
//! x := y + e    base(x) := y + 1, offset(x) := e                      y not assigned yet
//!               base(x) := base(y), offset(x) := offset(y) + e        else
//! ```
//! A clock with one such assignment has all its assignments that way, so that
//! their order is kept; and so have clocks that are copied.

use super::{Flattener, Leaf, asserts};
use crate::network::{Action, Binary, Expr, ExprKind, Place, Statement, StatementKind};
use crate::source::Span;
use crate::system::{Command, FaultKind, Interval, SlotId, Term};
use crate::timing::{ClockTerm, MOST, Pending};

/// What a clock can be set to.
const VALUES: Interval = Interval { lo: 0, hi: MOST };

impl Flattener<'_> {
    /// Finds the clocks that need [`Pending`] slots, and makes these.
    pub(super) fn assigned_clocks(&mut self) {
        self.know();
        self.timing.pending = vec![None; self.timing.clocks.len()];
        if self.timing.clocks.is_empty() {
            return;
        }
        let network = self.network;
        for (_, process) in network.system_processes() {
            for edge in &process.edges {
                self.no_received_clocks(edge.action.as_ref());
                for branch in &edge.branches {
                    let fixed = self.system.trap.is_none() || !asserts(&branch.effect);
                    self.find_dynamic(&branch.effect, fixed);
                }
            }
        }
        let clocks: Vec<Leaf> =
            self.leaves.iter().flatten().filter(|leaf| leaf.is_clock()).cloned().collect();
        for leaf in &clocks {
            if !self.dynamic.contains(&leaf.first.0) {
                continue;
            }
            self.pending(leaf);
        }
        self.know();
    }

    fn no_received_clocks(&mut self, action: Option<&Action>) {
        let Some(Action::Receive { message, .. }) = action else { return };
        for pattern in message {
            if let Some(place) = pattern.place()
                && self.is_clock(place)
            {
                self.problem("a message cannot be received into a clock", place.span);
            }
        }
    }

    /// Notes the clocks whose assignments are not all numbers at fixed places.
    /// `fixed`: whether these statements are executed whenever the edge is taken.
    fn find_dynamic(&mut self, statements: &[Statement], fixed: bool) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign(place, value) if self.is_clock(place) => {
                    if !(fixed && self.is_static(place, value)) {
                        self.dynamic.insert(self.leaf(place).first.0);
                    }
                    self.find_copied(value);
                }
                StatementKind::If(_, yes, no) => {
                    self.find_dynamic(yes, false);
                    self.find_dynamic(no, false);
                }
                StatementKind::While(_, body) => self.find_dynamic(body, false),
                _ => {}
            }
        }
    }

    fn find_copied(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::Read(place) if self.is_clock(place) => {
                self.dynamic.insert(self.leaf(place).first.0);
            }
            ExprKind::Binary(_, left, right) => {
                self.find_copied(left);
                self.find_copied(right);
            }
            _ => {}
        }
    }

    fn is_static(&mut self, place: &Place, value: &Expr) -> bool {
        if self.is_timed(value) {
            return false;
        }
        // These terms are thrown away, and with them the sites they name.
        let sites = self.system.sites.len();
        let value = self.term(value);
        let value = self.folded(value);
        let place = self.clock(place);
        self.system.sites.truncate(sites);
        self.timing.sites.truncate(sites);
        matches!(value, Term::Const(value) if VALUES.contains(value))
            && matches!(place, ClockTerm::Clock(_))
    }

    /// Makes the slots of an array of clocks, so that it can be indexed.
    fn pending(&mut self, leaf: &Leaf) {
        let (first, count) = (leaf.first.0, leaf.count());
        let bases = Interval::new(0, self.timing.clocks.len() as i64 + 1);
        let mut make = |what: &str, range| {
            let start = SlotId(self.system.slots.len() as u32);
            for clock in first..first + count {
                let name = format!("{what} of {}", self.timing.clocks[clock as usize - 1].name);
                self.slot(name, None, range, 0);
            }
            start
        };
        let (base, offset) = (make("assigned clock", bases), make("assigned value", VALUES));
        for index in 0..count {
            self.timing.pending[(first + index) as usize - 1] =
                Some(Pending { base: SlotId(base.0 + index), offset: SlotId(offset.0 + index) });
        }
    }

    pub(super) fn assign_clock(
        &mut self,
        place: &Place,
        value: &Expr,
        span: Span,
        out: &mut Vec<Command>,
    ) {
        let Some((source, number)) = self.clock_value(value) else { return };
        let target = self.clock(place);
        let Some(target_slots) = self.slots_of(&target) else {
            if let (ClockTerm::Clock(clock), Term::Const(number)) = (target, number) {
                self.resets.push((clock, number));
            }
            return;
        };
        let number = self.clock_number(number, span);
        let (base, offset) = match source {
            None => (Term::Const(1), number),
            Some(clock) => self.copied(&clock, number, span),
        };
        // Both are known before either is set: the clock may be its own source.
        let [base, offset] = [base, offset].map(|value| {
            let temp = self.temp();
            out.push(Command::Let(temp, value));
            Term::Temp(temp)
        });
        out.push(target_slots.0.set(base));
        out.push(target_slots.1.set(offset));
    }

    /// What a copy of a clock is made of: base and offset.
    fn copied(&mut self, clock: &ClockTerm, number: Term, span: Span) -> (Term, Term) {
        let untouched = match clock {
            ClockTerm::Clock(clock) => Term::Const(i64::from(*clock) + 1),
            ClockTerm::Element { first, index, .. } => {
                let number = Term::Const(i64::from(*first) + 1);
                Term::binary(Binary::Add, index.clone(), number)
            }
        };
        let Some((base, offset)) = self.slots_of(clock) else { return (untouched, number) };
        let (base, offset) = (base.read(), offset.read());
        let sum = match &number {
            Term::Const(0) => offset,
            number => {
                let sum = Term::binary(Binary::Add, offset, number.clone());
                self.clock_number(sum, span)
            }
        };
        let choose = |then: Term, otherwise: Term| {
            Term::Choose(Box::new(base.clone()), Box::new(then), Box::new(otherwise))
        };
        (choose(base.clone(), untouched), choose(sum, number))
    }

    /// A number that a clock is set to, or a failure.
    fn clock_number(&mut self, number: Term, span: Span) -> Term {
        match number {
            Term::Const(value) if VALUES.contains(value) => number,
            number => Term::Check(VALUES, Box::new(number), self.site(FaultKind::Range, span)),
        }
    }

    /// The slots through which a clock is assigned, if it is.
    fn slots_of(&self, clock: &ClockTerm) -> Option<(super::lower::Target, super::lower::Target)> {
        use super::lower::Target;
        let (first, count) = match clock {
            ClockTerm::Clock(clock) => (*clock, 1),
            ClockTerm::Element { first, count, .. } => (*first, *count),
        };
        let Pending { base, offset } = self.timing.pending[first as usize - 1]?;
        Some(match clock {
            ClockTerm::Clock(_) => (Target::Slot(base), Target::Slot(offset)),
            ClockTerm::Element { index, .. } => {
                let element = |first| Target::Element { first, count, index: index.clone() };
                (element(base), element(offset))
            }
        })
    }
}
