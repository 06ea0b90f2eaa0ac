//! Values as bits.
//!
//! ```text
//! boolean      one bit
//! range        the number less the least one, in base two
//! enumeration  the position among the values, in base two
//! word         its bits
//! array        its elements, the one with the least index first
//! ```
//! Where bits stand for no value of the domain, a constraint of the circuit forbids them.

use homing_ir::relation::{Array, Bits, Constant, Domain, Value};

use crate::graph::{Graph, Literal};
use crate::numbers::Number;
use crate::words::{constant, resized};

/// The most bits of an array. Beyond it a circuit is not what it should be searched by.
const LARGEST: u64 = 1 << 16;

/// The value of a term, in literals.
#[derive(Clone, Debug)]
pub(crate) enum Signal {
    /// A boolean.
    Bool(Literal),
    /// A number or symbol.
    Scalar(Number),
    /// A word, the least bit first.
    Word(Vec<Literal>),
    /// An array, element by element.
    Array(Vec<Vec<Literal>>),
}

/// A value of a variable that is defined: its bits, and whether it is one of the domain.
#[derive(Clone, Debug)]
pub(crate) struct Encoded {
    pub bits: Vec<Literal>,
    pub inside: Literal,
}

/// The bits that so many values need.
pub(crate) fn bits_for(greatest: u64) -> usize {
    (64 - greatest.leading_zeros()) as usize
}

/// How many bits a variable of the domain has; none where they are too many.
pub(crate) fn bits_of(domain: &Domain) -> Option<usize> {
    match domain {
        Domain::Bool => Some(1),
        Domain::Range(low, high) => Some(bits_for(high.abs_diff(*low))),
        Domain::Enumeration(values) => Some(bits_for(values.len().saturating_sub(1) as u64)),
        Domain::Word { width, .. } => Some(*width as usize),
        Domain::Array { index, element } => {
            let bits = 1u64.checked_shl(*index)?.checked_mul(u64::from(*element))?;
            (bits <= LARGEST).then_some(bits as usize)
        }
    }
}

/// The value that bits stand for; of bits that stand for none, the nearest.
pub(crate) fn decoded(domain: &Domain, bits: &[bool]) -> Value {
    let number = || bits.iter().rev().fold(0u64, |number, bit| number << 1 | u64::from(*bit));
    let word = |bits: &[bool]| Bits::from_fn(bits.len() as u32, |i| bits[i as usize]);
    match domain {
        Domain::Bool => Value::Bool(bits[0]),
        Domain::Range(low, high) => {
            let number = low.wrapping_add(number().min(high.abs_diff(*low)) as i64);
            Value::Scalar(Constant::Int(number))
        }
        Domain::Enumeration(values) => {
            let at = (number() as usize).min(values.len().saturating_sub(1));
            Value::Scalar(values.get(at).copied().unwrap_or(Constant::Int(0)))
        }
        Domain::Word { .. } => Value::Word(word(bits)),
        Domain::Array { index, element } => {
            let mut array = Array::of(*index, Bits::zero(*element));
            for (at, element) in bits.chunks(*element as usize).enumerate() {
                array.set(&Bits::of(at as u64, *index), word(element));
            }
            Value::Array(array)
        }
    }
}

/// The bits that stand for a value of the domain.
pub(crate) fn encoded(domain: &Domain, value: &Value) -> Vec<bool> {
    let number = |number: u64| {
        let width = bits_of(domain).unwrap_or(0);
        (0..width).map(|i| number >> i & 1 == 1).collect()
    };
    let word = |word: &Bits| (0..word.width()).map(|i| word.bit(i)).collect::<Vec<bool>>();
    match (domain, value) {
        (Domain::Range(low, _), Value::Scalar(Constant::Int(n))) => number(n.abs_diff(*low)),
        (Domain::Enumeration(values), Value::Scalar(one)) => {
            number(values.iter().position(|other| other == one).unwrap_or(0) as u64)
        }
        (_, Value::Bool(value)) => vec![*value],
        (_, Value::Word(bits)) => word(bits),
        (Domain::Array { index, .. }, Value::Array(array)) => {
            (0..1u64 << index).flat_map(|at| word(array.get(&Bits::of(at, *index)))).collect()
        }
        _ => Vec::new(),
    }
}

impl Graph {
    /// The value of a variable with these bits.
    pub(crate) fn read(&mut self, domain: &Domain, bits: &[Literal]) -> Signal {
        match domain {
            Domain::Bool => Signal::Bool(bits[0]),
            Domain::Range(low, _) => {
                // One bit more for the sign of the offset, one for that of the sum.
                let width = 2 + bits.len().max(bits_for(low.unsigned_abs()));
                let offset = resized(bits, width, Literal::FALSE);
                let sum = self.add(&offset, &constant((*low).into(), width));
                Signal::Scalar(Number::of(resized(&sum, width.min(64), Literal::FALSE)))
            }
            Domain::Enumeration(values) => {
                let numbers: Vec<Number> =
                    values.iter().map(|one| Number::constant(*one)).collect();
                Signal::Scalar(self.number_at(&numbers, bits))
            }
            Domain::Word { .. } => Signal::Word(bits.to_vec()),
            Domain::Array { element, .. } => {
                Signal::Array(bits.chunks(*element as usize).map(<[Literal]>::to_vec).collect())
            }
        }
    }

    /// The number at a position.
    fn number_at(&mut self, numbers: &[Number], position: &[Literal]) -> Number {
        let mut level = numbers.to_vec();
        for bit in position {
            level = level
                .chunks(2)
                .map(|pair| match pair {
                    [even, odd] => self.choose_number(*bit, odd, even),
                    _ => pair[0].clone(),
                })
                .collect();
        }
        let nothing = || Number::constant(Constant::Int(0));
        level.into_iter().next().unwrap_or_else(nothing)
    }

    /// Whether bits of a variable stand for a value of its domain.
    pub(crate) fn is_inside(&mut self, domain: &Domain, bits: &[Literal]) -> Literal {
        let last = match domain {
            Domain::Range(low, high) if low > high => return Literal::FALSE,
            Domain::Range(low, high) => high.abs_diff(*low),
            Domain::Enumeration(values) if values.is_empty() => return Literal::FALSE,
            Domain::Enumeration(values) => values.len() as u64 - 1,
            _ => return Literal::TRUE,
        };
        let last = constant(last.into(), bits.len());
        !self.less(&last, bits)
    }

    /// A value as the bits of a variable.
    pub(crate) fn encode(&mut self, domain: &Domain, value: &Signal) -> Encoded {
        match (domain, value) {
            (Domain::Range(low, high), Signal::Scalar(number)) => {
                self.encode_number(*low, *high, number)
            }
            (Domain::Enumeration(values), Signal::Scalar(number)) => {
                self.encode_one_of(values, number)
            }
            (_, Signal::Bool(bit)) => Encoded { bits: vec![*bit], inside: Literal::TRUE },
            (_, Signal::Word(word)) => Encoded { bits: word.clone(), inside: Literal::TRUE },
            (_, Signal::Array(elements)) => {
                Encoded { bits: elements.concat(), inside: Literal::TRUE }
            }
            (_, Signal::Scalar(_)) => Encoded { bits: Vec::new(), inside: Literal::FALSE },
        }
    }

    fn encode_number(&mut self, low: i64, high: i64, number: &Number) -> Encoded {
        let (least, most) =
            (Number::constant(Constant::Int(low)), Number::constant(Constant::Int(high)));
        let (below, above) = (self.less_numbers(number, &least), self.less_numbers(&most, number));
        let inside = self.all([!number.symbol, !below, !above]);
        let width = bits_for(high.abs_diff(low));
        let bits = self.subtract(&number.extended(width), &least.extended(width));
        Encoded { bits, inside }
    }

    fn encode_one_of(&mut self, values: &[Constant], number: &Number) -> Encoded {
        let width = bits_for(values.len().saturating_sub(1) as u64);
        let mut encoded = Encoded { bits: vec![Literal::FALSE; width], inside: Literal::FALSE };
        for (position, value) in values.iter().enumerate() {
            let is_it = self.equal_numbers(number, &Number::constant(*value));
            encoded.inside = self.or(encoded.inside, is_it);
            for (i, bit) in encoded.bits.iter_mut().enumerate() {
                if position >> i & 1 == 1 {
                    *bit = self.or(*bit, is_it);
                }
            }
        }
        encoded
    }
}
