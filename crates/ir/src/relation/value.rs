//! Values.

use std::collections::BTreeMap;

use super::{Bits, SymbolId};

/// A number or a symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Constant {
    /// A number.
    Int(i64),
    /// A symbol.
    Symbol(SymbolId),
}

/// A value of a term or variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// False or true.
    Bool(bool),
    /// A number or a symbol.
    Scalar(Constant),
    /// A word.
    Word(Bits),
    /// An array.
    Array(Array),
}

/// The most bits of an index of a small array.
const SMALL: u32 = 4;

/// An array: what most of its elements are, and the others.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Array {
    index: u32,
    rest: Bits,
    /// None of them equals `rest`.
    others: BTreeMap<Bits, Bits>,
}

impl Array {
    /// The array with this element everywhere. In a small array most elements count as zero,
    /// so that equal small arrays are written alike.
    pub fn of(index: u32, element: Bits) -> Array {
        let (small, zero) = (index <= SMALL, Bits::zero(element.width()));
        if !small || element == zero {
            return Array { index, rest: element, others: BTreeMap::new() };
        }
        let all = (0..1 << index).map(|at| (Bits::of(at, index), element.clone()));
        Array { index, rest: zero, others: all.collect() }
    }

    /// The bits of an index and of an element.
    pub fn sorts(&self) -> (u32, u32) {
        (self.index, self.rest.width())
    }

    /// The element at an index.
    pub fn get(&self, index: &Bits) -> &Bits {
        self.others.get(index).unwrap_or(&self.rest)
    }

    /// Replaces an element.
    pub fn set(&mut self, index: &Bits, element: Bits) {
        match element == self.rest {
            true => self.others.remove(index),
            false => self.others.insert(index.clone(), element),
        };
    }

    /// What most elements are.
    pub fn rest(&self) -> &Bits {
        &self.rest
    }

    /// The others, by index.
    pub fn others(&self) -> impl Iterator<Item = (&Bits, &Bits)> {
        self.others.iter()
    }

    /// Whether two arrays have the same elements, however that is written.
    pub fn same(&self, other: &Array) -> bool {
        let indices = self.others.keys().chain(other.others.keys());
        let alike = indices.into_iter().all(|at| self.get(at) == other.get(at));
        let all = 1usize.checked_shl(self.index);
        let mut named: Vec<&Bits> = self.others.keys().chain(other.others.keys()).collect();
        named.sort_unstable();
        named.dedup();
        alike && (self.rest == other.rest || all == Some(named.len()))
    }
}

impl Value {
    /// Whether two values of one sort are equal.
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Array(a), Value::Array(b)) => a.same(b),
            _ => self == other,
        }
    }
}
