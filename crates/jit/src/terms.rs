//! Terms and conditions.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use homing_ir::network::{Binary, Unary};
use homing_ir::system::{Interval, Term};

use crate::emitter::Emitter;

/// Up to this many nodes a condition is evaluated whole rather than branched
/// around: a mispredicted branch costs more.
const CHEAP: usize = 12;

impl Emitter<'_, '_> {
    /// The value of a term, as 64 bits.
    pub(crate) fn value(&mut self, term: &Term) -> Value {
        match term {
            Term::Const(value) => self.constant(*value),
            Term::Slot(slot) => self.read(*slot),
            Term::Temp(temp) => match self.temps.get(temp) {
                Some(value) => *value,
                None => self.constant(0),
            },
            Term::Element { first, index, .. } => {
                let index = self.value(index);
                self.read_element(*first, index)
            }
            Term::Unary(Unary::Neg, term) => {
                let value = self.value(term);
                self.b.ins().ineg(value)
            }
            Term::Unary(Unary::BitNot, term) => {
                let value = self.value(term);
                self.b.ins().bnot(value)
            }
            Term::Binary(op, left, right) if !is_condition(term) => {
                let (left, right) = (self.value(left), self.value(right));
                self.operate(*op, left, right)
            }
            Term::Unary(Unary::Not, _) | Term::Binary(..) => self.truth_value(term),
            Term::Choose(condition, then, otherwise) => self.choose(condition, then, otherwise),
            Term::Wrap(range, term) => {
                let value = self.value(term);
                self.wrap(*range, value)
            }
            Term::Check(range, term, site) => {
                let value = self.value(term);
                let above = self.add_constant(value, range.lo.wrapping_neg());
                let size = range.hi.wrapping_sub(range.lo);
                let within = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThanOrEqual, above, size);
                self.require(within, *site);
                value
            }
            Term::NonZero(term, site) => {
                let value = self.value(term);
                let holds = self.b.ins().icmp_imm_s(IntCC::NotEqual, value, 0);
                self.require(holds, *site);
                value
            }
        }
    }

    fn operate(&mut self, op: Binary, left: Value, right: Value) -> Value {
        let ins = self.b.ins();
        match op {
            Binary::Add => ins.iadd(left, right),
            Binary::Sub => ins.isub(left, right),
            Binary::Mul => ins.imul(left, right),
            Binary::Div => ins.sdiv(left, right),
            Binary::Rem => ins.srem(left, right),
            Binary::Shl => ins.ishl(left, right),
            Binary::Shr => ins.sshr(left, right),
            Binary::BitAnd => ins.band(left, right),
            Binary::BitOr => ins.bor(left, right),
            // Conditions do not come here.
            _ => ins.bxor(left, right),
        }
    }

    /// Reduces a value modulo the size of `range`.
    fn wrap(&mut self, range: Interval, value: Value) -> Value {
        if range.is_point() {
            return self.constant(range.lo);
        }
        let size = range.size();
        if size.is_power_of_two() {
            let bits = i64::from(size.trailing_zeros());
            if range.lo == 0 {
                return self.b.ins().band_imm_s(value, range.hi);
            }
            if range.lo == -(1 << (bits - 1)) {
                let high = self.b.ins().ishl_imm_s(value, 64 - bits);
                return self.b.ins().sshr_imm_s(high, 64 - bits);
            }
        }
        let size = self.constant(size as i64);
        let above = self.add_constant(value, -range.lo);
        let remainder = self.b.ins().srem(above, size);
        let lifted = self.b.ins().iadd(remainder, size);
        let negative = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, remainder, 0);
        let positive = self.b.ins().select(negative, lifted, remainder);
        self.add_constant(positive, range.lo)
    }

    fn choose(&mut self, condition: &Term, then: &Term, otherwise: &Term) -> Value {
        let [yes, no, join] = [(); 3].map(|()| self.b.create_block());
        self.b.append_block_param(join, types::I64);
        self.branch(condition, yes, no);
        for (block, term) in [(yes, then), (no, otherwise)] {
            self.b.switch_to_block(block);
            let value = self.value(term);
            self.b.ins().jump(join, &[value.into()]);
        }
        self.b.switch_to_block(join);
        self.b.block_params(join)[0]
    }

    /// A condition as 0 or 1.
    fn truth_value(&mut self, term: &Term) -> Value {
        if is_plain(term) {
            let flag = self.flag(term);
            return self.b.ins().uextend(types::I64, flag);
        }
        let [yes, no, join] = [(); 3].map(|()| self.b.create_block());
        self.b.append_block_param(join, types::I64);
        self.branch(term, yes, no);
        for (block, value) in [(yes, 1), (no, 0)] {
            self.b.switch_to_block(block);
            let value = self.constant(value);
            self.b.ins().jump(join, &[value.into()]);
        }
        self.b.switch_to_block(join);
        self.b.block_params(join)[0]
    }

    /// Goes to `yes` where the term is not zero, else to `no`. Leaves the
    /// current block finished.
    pub(crate) fn branch(&mut self, term: &Term, yes: Block, no: Block) {
        if is_plain(term) {
            let flag = self.flag(term);
            self.b.ins().brif(flag, yes, &[], no, &[]);
            return;
        }
        match term {
            Term::Unary(Unary::Not, term) => self.branch(term, no, yes),
            Term::Binary(Binary::And, left, right) => {
                let both = self.b.create_block();
                self.branch(left, both, no);
                self.b.switch_to_block(both);
                self.branch(right, yes, no);
            }
            Term::Binary(Binary::Or, left, right) => {
                let neither = self.b.create_block();
                self.branch(left, yes, neither);
                self.b.switch_to_block(neither);
                self.branch(right, yes, no);
            }
            Term::Binary(Binary::Imply, left, right) => {
                let premise = self.b.create_block();
                self.branch(left, premise, yes);
                self.b.switch_to_block(premise);
                self.branch(right, yes, no);
            }
            term => {
                let flag = self.flag(term);
                self.b.ins().brif(flag, yes, &[], no, &[]);
            }
        }
    }

    /// A condition as a byte of 0 or 1, both operands of `and` and `or`
    /// evaluated.
    fn flag(&mut self, term: &Term) -> Value {
        match term {
            Term::Unary(Unary::Not, term) => {
                let flag = self.flag(term);
                self.b.ins().bxor_imm_s(flag, 1)
            }
            Term::Binary(Binary::And, left, right) => {
                let (left, right) = (self.flag(left), self.flag(right));
                self.b.ins().band(left, right)
            }
            Term::Binary(Binary::Or, left, right) => {
                let (left, right) = (self.flag(left), self.flag(right));
                self.b.ins().bor(left, right)
            }
            Term::Binary(Binary::Imply, left, right) => {
                let (left, right) = (self.flag(left), self.flag(right));
                let left = self.b.ins().bxor_imm_s(left, 1);
                self.b.ins().bor(left, right)
            }
            Term::Binary(op, left, right) if comparison(*op).is_some() => {
                self.comparison_flag(*op, left, right)
            }
            term => {
                let value = self.value(term);
                self.b.ins().icmp_imm_s(IntCC::NotEqual, value, 0)
            }
        }
    }

    fn comparison_flag(&mut self, op: Binary, left: &Term, right: &Term) -> Value {
        let code = comparison(op).unwrap_or(IntCC::Equal);
        // A slot compared with a constant: its bits will do, unless one of them would be
        // taken for a sign.
        if let (Term::Slot(slot), Term::Const(value)) = (left, right) {
            let field = self.field(*slot);
            let value = value.checked_sub(field.lo);
            if let (1..64, Some(value)) = (field.bits, value) {
                let raw = self.raw(field);
                return self.b.ins().icmp_imm_s(code, raw, value);
            }
        }
        let (left, right) = (self.value(left), self.value(right));
        self.compare(code, left, right)
    }
}

fn comparison(op: Binary) -> Option<IntCC> {
    Some(match op {
        Binary::Eq => IntCC::Equal,
        Binary::Ne => IntCC::NotEqual,
        Binary::Lt => IntCC::SignedLessThan,
        Binary::Le => IntCC::SignedLessThanOrEqual,
        Binary::Gt => IntCC::SignedGreaterThan,
        Binary::Ge => IntCC::SignedGreaterThanOrEqual,
        _ => return None,
    })
}

fn is_condition(term: &Term) -> bool {
    match term {
        Term::Binary(Binary::And | Binary::Or | Binary::Imply, ..) | Term::Unary(Unary::Not, _) => {
            true
        }
        Term::Binary(op, ..) => comparison(*op).is_some(),
        _ => false,
    }
}

/// Whether all of a condition may be evaluated at once: it is small, and
/// nothing in it relies on another part having been true before. An index in
/// bounds, a divisor that is not zero may be so only behind a condition.
fn is_plain(term: &Term) -> bool {
    let mut nodes = 0;
    let mut plain = true;
    let mut connectives = 0;
    term.walk(&mut |term| {
        nodes += 1;
        connectives +=
            usize::from(matches!(term, Term::Binary(Binary::And | Binary::Or | Binary::Imply, ..)));
        plain &= !matches!(
            term,
            Term::Element { .. }
                | Term::Binary(Binary::Div | Binary::Rem, ..)
                | Term::Choose(..)
                | Term::Check(..)
                | Term::NonZero(..)
        );
    });
    connectives == 0 && is_condition(term) && plain || plain && nodes <= CHEAP
}
