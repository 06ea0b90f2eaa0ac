//! Assignments outside the range of a variable: in TChecker, the step that would
//! do so does not exist.
//!
//! Where an assignment may leave the range, by interval arithmetic over what the
//! guard of its edge says, it is put under a condition, and where that is false a
//! flag is set. The invariants of all locations that such edges lead to ask that
//! the flag is not set, so that the step does not exist. The flag is false in every
//! state there is.
//!
//! ```text
//! i = e     becomes     if lo <= e && e <= hi then i = e else failed = 1 end
//! ```

use std::collections::BTreeMap;

use homing_ir::Span;
use homing_ir::interval;
use homing_ir::network::{
    Binary, Expr, ExprKind, Place, ProcessId, Statement, StatementKind, Storage, Target, Type,
    Unary, VariableId,
};
use homing_ir::system::Interval;

use super::lower::Lower;
use super::program;
use super::syntax::{self, Model, Name};
use crate::reports::Reports;

/// What is known of variables at some point of an edge.
#[derive(Clone)]
pub struct Known {
    process: ProcessId,
    /// Whether others may have changed variables before, in the same step.
    together: bool,
    ranges: BTreeMap<VariableId, Interval>,
}

impl Known {
    pub fn new(process: ProcessId, together: bool) -> Known {
        Known { process, together, ranges: BTreeMap::new() }
    }

    /// Notes what a guard says of single variables.
    pub fn assume(&mut self, lower: &Lower, guard: &Expr) {
        let ExprKind::Binary(op, left, right) = &guard.kind else { return };
        if *op == Binary::And {
            self.assume(lower, left);
            self.assume(lower, right);
            return;
        }
        match (&left.kind, &right.kind) {
            (ExprKind::Read(place), ExprKind::Int(number)) => {
                self.restrict(lower, place, *op, *number);
            }
            (ExprKind::Int(number), ExprKind::Read(place)) => {
                let turned = match op {
                    Binary::Lt => Binary::Gt,
                    Binary::Le => Binary::Ge,
                    Binary::Gt => Binary::Lt,
                    Binary::Ge => Binary::Le,
                    other => *other,
                };
                self.restrict(lower, place, turned, *number);
            }
            _ => {}
        }
    }

    fn restrict(&mut self, lower: &Lower, place: &Place, op: Binary, number: i64) {
        let foreign = lower
            .writers
            .get(&place.variable)
            .is_some_and(|writers| writers.iter().any(|writer| *writer != self.process));
        if !place.path.is_empty() || (self.together && foreign) {
            return;
        }
        let mut range = self.range(lower, place.variable);
        match op {
            Binary::Lt => range.hi = range.hi.min(number - 1),
            Binary::Le => range.hi = range.hi.min(number),
            Binary::Gt => range.lo = range.lo.max(number + 1),
            Binary::Ge => range.lo = range.lo.max(number),
            Binary::Eq => range = Interval { lo: number, hi: number },
            _ => return,
        }
        // An edge that can never be taken is not worth looking at.
        if range.lo <= range.hi {
            self.ranges.insert(place.variable, range);
        }
    }

    /// What is known where two ways meet.
    pub fn join(&mut self, other: &Known) {
        self.ranges = std::mem::take(&mut self.ranges)
            .into_iter()
            .filter_map(|(variable, mine)| {
                let theirs = other.ranges.get(&variable)?;
                let hull = Interval { lo: mine.lo.min(theirs.lo), hi: mine.hi.max(theirs.hi) };
                Some((variable, hull))
            })
            .collect();
    }

    /// Forgets everything, as before and behind a loop.
    pub fn forget(&mut self) {
        self.ranges.clear();
    }

    fn range(&self, lower: &Lower, variable: VariableId) -> Interval {
        let declared = &lower.network.variables[variable.index()].ty;
        let element = match declared {
            Type::Array(element, _) => element,
            scalar => scalar,
        };
        let declared = lower.network.scalar(element);
        let declared =
            declared.map_or(interval::ANY, |range| Interval { lo: range.lo, hi: range.hi });
        self.ranges.get(&variable).copied().unwrap_or(declared)
    }

    /// The values that an expression may have.
    pub fn interval(&self, lower: &Lower, expr: &Expr) -> Interval {
        let whole = Interval { lo: i64::from(i32::MIN), hi: i64::from(i32::MAX) };
        match &expr.kind {
            ExprKind::Int(value) => Interval { lo: *value, hi: *value },
            ExprKind::Read(place) => self.range(lower, place.variable),
            ExprKind::Unary(op, operand) => interval::unary(*op, self.interval(lower, operand)),
            ExprKind::Binary(op, left, right) => {
                interval::binary(*op, self.interval(lower, left), self.interval(lower, right))
            }
            ExprKind::Choose(_, yes, no) => {
                let (yes, no) = (self.interval(lower, yes), self.interval(lower, no));
                Interval { lo: yes.lo.min(no.lo), hi: yes.hi.max(no.hi) }
            }
            _ => whole,
        }
    }
}

impl<'a> Lower<'a> {
    /// Notes who assigns what.
    pub fn note_writers(&mut self, model: &Model<'a>) {
        // What is wrong is said where the statements are made.
        let mut silent = Reports::default();
        for edge in &model.edges {
            let Some(process) = self.process_named(edge.process.text) else { continue };
            for attribute in edge.attributes.iter().filter(|a| a.key.text == "do") {
                let statements = program::statements(attribute.value, &mut silent);
                self.note_block(process, &statements.unwrap_or_default());
            }
        }
    }

    fn note_block(&mut self, process: ProcessId, block: &[syntax::Statement<'a>]) {
        for statement in block {
            match statement {
                syntax::Statement::Assign { target, .. } => {
                    if let Some(variable) = self.variable_named(target.text) {
                        self.writers.entry(variable).or_default().insert(process);
                    }
                }
                syntax::Statement::If { yes, no, .. } => {
                    self.note_block(process, yes);
                    self.note_block(process, no);
                }
                syntax::Statement::While { block, .. } => self.note_block(process, block),
                syntax::Statement::Nothing | syntax::Statement::Local { .. } => {}
            }
        }
    }

    /// An assignment; of a value outside its type, one that sets the flag.
    pub fn assignment(
        &mut self,
        known: &mut Known,
        place: Place,
        value: Expr,
        span: Span,
    ) -> Statement {
        let mut ty = &self.network.variables[place.variable.index()].ty;
        while let Type::Array(element, _) = ty {
            ty = element;
        }
        let declared = match ty {
            Type::Int(range) => Interval { lo: range.lo, hi: range.hi },
            _ => return Statement { kind: StatementKind::Assign(place, value), span },
        };
        let found = known.interval(self, &value);
        let within = Interval { lo: found.lo.max(declared.lo), hi: found.hi.min(declared.hi) };
        if place.path.is_empty() {
            let kept = if within.lo <= within.hi { within } else { declared };
            known.ranges.insert(place.variable, kept);
        }
        if within.lo == found.lo && within.hi == found.hi {
            return Statement { kind: StatementKind::Assign(place, value), span };
        }
        let flag = Place { variable: self.flag(), path: Vec::new(), span };
        let compare = |op, bound| {
            let sides = (Box::new(value.clone()), Box::new(Expr::int(bound, span)));
            Box::new(Expr::new(ExprKind::Binary(op, sides.0, sides.1), span))
        };
        let (low, high) = (compare(Binary::Ge, declared.lo), compare(Binary::Le, declared.hi));
        let fits = Expr::new(ExprKind::Binary(Binary::And, low, high), span);
        let assign = Statement { kind: StatementKind::Assign(place, value.clone()), span };
        let fail = Statement { kind: StatementKind::Assign(flag, Expr::int(1, span)), span };
        Statement { kind: StatementKind::If(fits, vec![assign], vec![fail]), span }
    }

    fn flag(&mut self) -> VariableId {
        match self.failed {
            Some(flag) => flag,
            None => {
                let name = Name { text: "out of range", span: Span::default() };
                let flag = self.add_variable(name, Type::Bool, Vec::new(), None, Storage::State);
                self.failed = Some(flag);
                flag
            }
        }
    }

    /// Has the locations behind edges that may set the flag ask that it is not.
    pub fn require_success(&mut self) {
        let Some(flag) = self.failed else { return };
        for process in &mut self.network.processes {
            for edge in &process.edges {
                for branch in edge.branches.iter().filter(|branch| sets(&branch.effect, flag)) {
                    let Target::Location(target) = branch.target else { continue };
                    let invariant = &mut process.locations[target.index()].invariant;
                    *invariant = Some(with_success(invariant.take(), flag, edge.span));
                }
            }
        }
    }
}

/// Whether a block may set the flag.
fn sets(block: &[Statement], flag: VariableId) -> bool {
    block.iter().any(|statement| match &statement.kind {
        StatementKind::Assign(place, _) => place.variable == flag,
        StatementKind::If(_, yes, no) => sets(yes, flag) || sets(no, flag),
        StatementKind::While(_, block) => sets(block, flag),
        _ => false,
    })
}

/// An invariant, and that the flag is not set.
fn with_success(invariant: Option<Expr>, flag: VariableId, span: Span) -> Expr {
    let is_success = |expr: &Expr| match &expr.kind {
        ExprKind::Unary(Unary::Not, operand) => {
            matches!(&operand.kind, ExprKind::Read(place) if place.variable == flag)
        }
        _ => false,
    };
    let read = ExprKind::Read(Place { variable: flag, path: Vec::new(), span });
    let kind = ExprKind::Unary(Unary::Not, Box::new(Expr::new(read, span)));
    let success = Expr::new(kind, span);
    match invariant {
        None => success,
        Some(first) => {
            let asked = match &first.kind {
                ExprKind::Binary(Binary::And, _, last) => is_success(last),
                _ => is_success(&first),
            };
            if asked {
                return first;
            }
            let span = first.span;
            let both = (Box::new(first), Box::new(success));
            Expr::new(ExprKind::Binary(Binary::And, both.0, both.1), span)
        }
    }
}
