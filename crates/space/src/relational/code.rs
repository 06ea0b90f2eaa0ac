//! Terms as straight-line code over registers.
//!
//! Every term of a plan has a place among the registers, and a flag that says that it has no
//! value. All of a plan's terms are computed, whether they are needed or not; a branch that
//! is not taken may fail without harm, since the flag is handed on only from where a value
//! comes from.

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::relation::{
    Binary, Constant, FailureKind, Relation, Sort, Term, TermId, Unary, VariableId,
};

use super::limbs;

/// A term, and whether its variables are read at the next moment.
pub type Key = (TermId, bool);

/// A variable, at this moment or the next.
pub type Slot = (VariableId, bool);

/// Where a value lies: the first register and how many there are, and the flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    pub at: usize,
    pub limbs: usize,
    pub flag: usize,
}

/// The number that stands for a symbol: numbers so far below are not computed with.
pub fn symbol(id: u32) -> u64 {
    (i64::MIN + i64::from(id)) as u64
}

/// The most symbols.
pub const SYMBOLS: i64 = 1 << 32;

/// What stands for a constant.
pub fn scalar(constant: Constant) -> u64 {
    match constant {
        Constant::Int(number) => number as u64,
        Constant::Symbol(id) => symbol(id.0),
    }
}

/// One term to compute.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    term: Term,
    to: Place,
    args: [Place; 3],
    /// The widths of the result and of the first two arguments; of arrays those of elements.
    widths: [u32; 3],
    /// Whether the first argument is a number.
    numbers: bool,
    /// Whether the first argument is a boolean.
    booleans: bool,
    id: TermId,
}

/// Code in levels: each can run when the variables up to a level have values.
#[derive(Debug, Default)]
pub struct Code {
    levels: Vec<Vec<Instruction>>,
    places: BTreeMap<Key, (Place, usize)>,
    variables: BTreeMap<Slot, (Place, usize)>,
    words: Vec<(usize, Vec<u64>)>,
    registers: usize,
    flags: usize,
}

/// Registers, and room to divide in.
#[derive(Clone, Debug)]
pub struct Machine {
    pub registers: Vec<u64>,
    /// Why a term has no value, and which it was.
    pub failed: Vec<Option<(FailureKind, TermId)>>,
    scratch: Vec<u64>,
}

/// A relation is too large to be enumerated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLarge(pub String);

const MOST_REGISTERS: usize = 1 << 22;
const MOST_INDEX: u32 = 12;

impl Code {
    /// The code of some terms; variables get values level by level, those at `levels[v]`
    /// when that level is reached.
    pub fn new(
        relation: &Relation,
        levels: &BTreeMap<Slot, usize>,
        roots: &[Key],
    ) -> Result<Code, TooLarge> {
        let mut code = Code::default();
        let most = levels.values().copied().max().unwrap_or(0);
        code.levels.resize_with(most + 1, Vec::new);
        for ((variable, next), level) in levels {
            let sort = relation.variable(*variable).domain.sort();
            let place = code.place(sort)?;
            code.variables.insert((*variable, *next), (place, *level));
        }
        let mut seen = BTreeSet::new();
        let mut left: Vec<Key> = roots.to_vec();
        while let Some((id, next)) = left.pop() {
            if seen.insert((id, next)) {
                left.extend(relation.terms.parts(id).map(|part| (part, next)));
            }
        }
        for key in seen {
            homing_budget::checkpoint();
            code.add(relation, key)?;
        }
        Ok(code)
    }

    /// Where a term is.
    pub fn term(&self, key: Key) -> Place {
        self.places.get(&key).map_or(Place::default(), |(place, _)| *place)
    }

    /// The level at which a term has a value.
    pub fn level(&self, key: Key) -> usize {
        self.places.get(&key).map_or(0, |(_, level)| *level)
    }

    /// Where a variable is.
    pub fn variable(&self, slot: Slot) -> Place {
        self.variables.get(&slot).map_or(Place::default(), |(place, _)| *place)
    }

    /// Registers for this code.
    pub fn machine(&self) -> Machine {
        let mut registers = vec![0; self.registers];
        for (at, word) in &self.words {
            registers[*at..at + word.len()].copy_from_slice(word);
        }
        let most = self.levels.iter().flatten().map(|one| one.to.limbs).max().unwrap_or(0);
        Machine { registers, failed: vec![None; self.flags], scratch: vec![0; 4 * most] }
    }

    /// Computes what can be at a level.
    pub fn run(&self, level: usize, machine: &mut Machine) {
        self.levels[level].iter().for_each(|one| execute(one, machine));
    }

    fn place(&mut self, sort: Sort) -> Result<Place, TooLarge> {
        let limbs = match sort {
            Sort::Bool | Sort::Scalar => 1,
            Sort::Word(width) => limbs::count(width),
            Sort::Array { index, element } if index <= MOST_INDEX => limbs::count(element) << index,
            Sort::Array { index, .. } => {
                let what = format!("an array indexed by {index} bits");
                return Err(TooLarge(what));
            }
        };
        let place = Place { at: self.registers, limbs, flag: self.flags };
        self.registers += limbs;
        self.flags += 1;
        match self.registers <= MOST_REGISTERS {
            true => Ok(place),
            false => Err(TooLarge("terms of millions of bits".into())),
        }
    }

    fn add(&mut self, relation: &Relation, (id, next): Key) -> Result<(), TooLarge> {
        let terms = &relation.terms;
        let (term, sort) = (terms.term(id), terms.sort(id));
        let known = match term {
            Term::Variable(variable) => Some((variable, next)),
            Term::Next(variable) => Some((variable, true)),
            _ => None,
        };
        if let Some(found) = known.and_then(|slot| self.variables.get(&slot)) {
            self.places.insert((id, next), *found);
            return Ok(());
        }
        if known.is_some() {
            return Err(TooLarge("a term that reads what has no value".into()));
        }
        let to = self.place(sort)?;
        let constant = match term {
            Term::Bool(value) => Some(vec![value.into()]),
            Term::Scalar(value) => Some(vec![scalar(value)]),
            Term::Word(number) => Some(terms.word(number).limbs().to_vec()),
            _ => None,
        };
        if let Some(word) = constant {
            self.words.push((to.at, word));
            self.places.insert((id, next), (to, 0));
            return Ok(());
        }
        let width = |sort| match sort {
            Sort::Word(width) => width,
            Sort::Array { element, .. } => element,
            _ => 1,
        };
        let (mut args, mut widths, mut level) = ([Place::default(); 3], [width(sort), 1, 1], 0);
        for (i, part) in terms.parts(id).enumerate() {
            args[i] = self.term((part, next));
            level = level.max(self.level((part, next)));
            if i < 2 {
                widths[i + 1] = width(terms.sort(part));
            }
        }
        self.places.insert((id, next), (to, level));
        if !matches!(term, Term::Union(..) | Term::Range(..)) {
            let of = terms.parts(id).next().map(|part| terms.sort(part));
            let (numbers, booleans) = (of == Some(Sort::Scalar), of == Some(Sort::Bool));
            self.levels[level].push(Instruction { term, to, args, widths, numbers, booleans, id });
        }
        Ok(())
    }
}

/// Computes a term from what it is made of, which lies before it.
fn execute(one: &Instruction, machine: &mut Machine) {
    let Machine { registers, failed, scratch } = machine;
    let (before, rest) = registers.split_at_mut(one.to.at);
    let out = &mut rest[..one.to.limbs];
    let arg = |i: usize| &before[one.args[i].at..one.args[i].at + one.args[i].limbs];
    let bad = |i: usize| failed[one.args[i].flag];
    let [width, first, second] = one.widths;
    let mut failure = None;
    match one.term {
        Term::Choose(..) => {
            let taken = if arg(0)[0] == 1 { 1 } else { 2 };
            out.copy_from_slice(arg(taken));
            failed[one.to.flag] = bad(0).or(bad(taken));
            return;
        }
        Term::Binary(op @ (Binary::And | Binary::Or), ..) => {
            let decided =
                one.booleans && (arg(0)[0] == 1) == (op == Binary::Or) && bad(0).is_none();
            for (i, limb) in out.iter_mut().enumerate() {
                *limb = match op {
                    Binary::And => arg(0)[i] & arg(1)[i],
                    _ => arg(0)[i] | arg(1)[i],
                };
            }
            if decided {
                out[0] = arg(0)[0];
                failed[one.to.flag] = None;
                return;
            }
        }
        Term::Unary(Unary::Negate, _) if one.numbers => {
            failure = of_numbers(Binary::Subtract, out, 0, arg(0)[0]);
        }
        Term::Unary(op, _) => failure = unary(op, out, arg(0), width, first),
        Term::Binary(op, ..) if one.numbers => {
            failure = of_numbers(op, out, arg(0)[0], arg(1)[0]);
        }
        Term::Binary(op, ..) => {
            failure = binary(op, out, arg(0), arg(1), [width, first, second], scratch);
        }
        Term::Extract(_, _, low) => {
            limbs::moved(out, arg(0), -i64::from(low));
            limbs::cut(out, width);
        }
        Term::Extend(_, _, signed) => {
            limbs::moved(out, arg(0), 0);
            if signed && limbs::sign(arg(0), first) {
                limbs::fill_from(out, first, width);
            }
        }
        Term::Write(..) => {
            out.copy_from_slice(arg(0));
            let at = arg(1)[0] as usize * limbs::count(width);
            out[at..at + arg(2).len()].copy_from_slice(arg(2));
        }
        Term::Everywhere(..) => {
            out.chunks_exact_mut(arg(0).len()).for_each(|element| element.copy_from_slice(arg(0)));
        }
        _ => {}
    }
    let parts = (0..3).filter(|i| one.args[*i].limbs > 0);
    let inherited = parts.filter_map(bad).next();
    failed[one.to.flag] = inherited.or(failure.map(|kind| (kind, one.id)));
}

fn number(limb: u64) -> Result<i64, FailureKind> {
    match limb as i64 {
        number if number >= i64::MIN + SYMBOLS => Ok(number),
        _ => Err(FailureKind::Symbol),
    }
}

/// Stores a number, or says what is wrong.
fn stored(out: &mut [u64], number: Result<i64, FailureKind>) -> Option<FailureKind> {
    match number {
        Ok(number) => {
            out[0] = number as u64;
            None
        }
        Err(kind) => Some(kind),
    }
}

fn unary(op: Unary, out: &mut [u64], a: &[u64], width: u32, first: u32) -> Option<FailureKind> {
    match op {
        Unary::Not => out[0] = 1 - a[0],
        Unary::ToWord | Unary::ToBool | Unary::Count => out[0] = a[0],
        Unary::Complement => {
            out.iter_mut().zip(a).for_each(|(out, a)| *out = !a);
            limbs::cut(out, width);
        }
        Unary::Parity => {
            out[0] = a.iter().map(|limb| u64::from(limb.count_ones())).sum::<u64>() % 2;
        }
        Unary::Negate => {
            out.copy_from_slice(a);
            limbs::negate(out, width);
        }
        Unary::Unsigned => {
            let small = a[1..].iter().all(|limb| *limb == 0) && a[0] <= i64::MAX as u64;
            return stored(out, small.then_some(a[0] as i64).ok_or(FailureKind::Width));
        }
        Unary::Signed => {
            let negative = limbs::sign(a, first);
            let low = match negative && first < 64 {
                true => a[0] | u64::MAX << first,
                false => a[0],
            };
            let mut wide = first <= 64 || (low as i64 >= 0) != negative;
            for (i, limb) in a.iter().enumerate().skip(1) {
                let top = first - 64 * i as u32;
                let all = if top >= 64 { u64::MAX } else { u64::MAX >> (64 - top) };
                wide &= *limb == if negative { all } else { 0 };
            }
            return stored(out, wide.then_some(low as i64).ok_or(FailureKind::Width));
        }
    }
    None
}

fn binary(
    op: Binary,
    out: &mut [u64],
    a: &[u64],
    b: &[u64],
    widths: [u32; 3],
    scratch: &mut [u64],
) -> Option<FailureKind> {
    let [width, first, second] = widths;
    match op {
        Binary::Equal => out[0] = u64::from(a == b),
        Binary::Less => out[0] = u64::from(limbs::less(a, b)),
        Binary::SignedLess => {
            let signs = (limbs::sign(a, first), limbs::sign(b, first));
            out[0] = match signs {
                (true, false) => 1,
                (false, true) => 0,
                _ => u64::from(limbs::less(a, b)),
            };
        }
        Binary::And | Binary::Or => {}
        Binary::Xor => (0..out.len()).for_each(|i| out[i] = a[i] ^ b[i]),
        Binary::Add => limbs::add(out, a, b, false, width),
        Binary::Subtract => limbs::add(out, a, b, true, width),
        Binary::Multiply => limbs::multiply(out, a, b, width),
        Binary::Concat => {
            limbs::moved(out, a, i64::from(second));
            out.iter_mut().zip(b).for_each(|(out, b)| *out |= b);
        }
        Binary::Read => {
            let at = b[0] as usize * out.len();
            out.copy_from_slice(&a[at..at + out.len()]);
        }
        Binary::ShiftLeft
        | Binary::ShiftRight
        | Binary::ShiftRightSigned
        | Binary::RotateLeft
        | Binary::RotateRight => shift(op, out, a, b, width),
        _ => divide(op, out, a, b, width, scratch),
    }
    None
}

fn shift(op: Binary, out: &mut [u64], a: &[u64], b: &[u64], width: u32) {
    let size = u64::from(width);
    if let Binary::RotateLeft | Binary::RotateRight = op {
        let by = limbs::remainder(b, size) as i64;
        let left =
            if op == Binary::RotateLeft { by } else { (i64::from(width) - by) % i64::from(width) };
        for (i, limb) in out.iter_mut().enumerate() {
            let at = 64 * i as i64;
            let low = if left == 0 { 0 } else { limbs::window(a, at + i64::from(width) - left) };
            *limb = limbs::window(a, at - left) | low;
        }
        return limbs::cut(out, width);
    }
    let small = b[1..].iter().all(|limb| *limb == 0) && b[0] < size;
    let by = if small { b[0] as i64 } else { i64::from(width) };
    let fills = op == Binary::ShiftRightSigned && limbs::sign(a, width);
    limbs::moved(out, a, if op == Binary::ShiftLeft { by } else { -by });
    limbs::cut(out, width);
    if fills {
        limbs::fill_from(out, width - by as u32, width);
    }
}

fn divide(op: Binary, out: &mut [u64], a: &[u64], b: &[u64], width: u32, scratch: &mut [u64]) {
    let size = out.len();
    let (left, others) = scratch.split_at_mut(size);
    let (right, others) = others.split_at_mut(size);
    let (rest, others) = others.split_at_mut(size);
    let quotient = &mut others[..size];
    left.copy_from_slice(a);
    right.copy_from_slice(b);
    let signed =
        matches!(op, Binary::SignedDivide | Binary::SignedRemainder | Binary::SignedModulo);
    let (minus_a, minus_b) = (signed && limbs::sign(a, width), signed && limbs::sign(b, width));
    if minus_a {
        limbs::negate(left, width);
    }
    if minus_b {
        limbs::negate(right, width);
    }
    limbs::divide(quotient, rest, left, right, width);
    let is_divide = matches!(op, Binary::Divide | Binary::SignedDivide);
    out.copy_from_slice(if is_divide { quotient } else { rest });
    let negates = if is_divide { minus_a != minus_b } else { minus_a };
    if negates {
        limbs::negate(out, width);
    }
    // The remainder with the sign of the divisor.
    let zero = out.iter().all(|limb| *limb == 0);
    if op == Binary::SignedModulo && minus_a != minus_b && !zero {
        left.copy_from_slice(out);
        limbs::add(out, left, b, false, width);
    }
}

/// Operators on numbers, which may fail.
fn of_numbers(op: Binary, out: &mut [u64], a: u64, b: u64) -> Option<FailureKind> {
    if op == Binary::Equal {
        out[0] = u64::from(a == b);
        return None;
    }
    let (a, b) = match (number(a), number(b)) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(kind), _) | (_, Err(kind)) => return Some(kind),
    };
    let result = match op {
        Binary::Less => Some(i64::from(a < b)),
        Binary::Divide | Binary::Remainder if b == 0 => return Some(FailureKind::Division),
        Binary::Add => a.checked_add(b),
        Binary::Subtract => a.checked_sub(b),
        Binary::Multiply => a.checked_mul(b),
        Binary::Divide => a.checked_div(b),
        _ => a.checked_rem(b),
    };
    let fits = result.filter(|number| *number >= i64::MIN + SYMBOLS);
    stored(out, fits.ok_or(FailureKind::Overflow))
}
