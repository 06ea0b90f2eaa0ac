//! Where in a state's words each variable lies.
//!
//! Bits that belong to nobody are zero. What has up to 64 bits lies within a word; wider
//! words and the elements of arrays go limb by limb.

use homing_core::Word;
use homing_ir::relation::{Array, Bits, Constant, Domain, Relation, Value, VariableId};

use super::code::{Code, SYMBOLS, scalar};
use super::limbs;

/// One limb of a variable.
#[derive(Debug)]
struct Field {
    variable: VariableId,
    /// Which of the variable's registers.
    limb: usize,
    word: usize,
    shift: u32,
    bits: u32,
    meaning: Meaning,
}

#[derive(Debug)]
enum Meaning {
    Raw,
    /// A number from here on.
    From(i64),
    /// One of these.
    One(Vec<u64>),
}

/// The layout of states.
#[derive(Debug, Default)]
pub struct Packing {
    fields: Vec<Field>,
    /// The words of a state.
    pub words: usize,
    /// The bits that are used.
    pub bits: u64,
    used: u32,
}

impl Packing {
    /// The layout of these variables, in this order.
    pub fn new(relation: &Relation, variables: &[VariableId]) -> Packing {
        let mut packing = Packing::default();
        for id in variables {
            match &relation.variable(*id).domain {
                Domain::Bool => packing.add(*id, 0, 1, Meaning::Raw),
                Domain::Range(low, high) => {
                    let most = high.wrapping_sub(*low) as u64;
                    packing.add(*id, 0, 64 - most.leading_zeros(), Meaning::From(*low));
                }
                Domain::Enumeration(values) => {
                    let most = values.len().saturating_sub(1) as u64;
                    let all = values.iter().map(|one| scalar(*one)).collect();
                    packing.add(*id, 0, 64 - most.leading_zeros(), Meaning::One(all));
                }
                Domain::Word { width, .. } => packing.add_word(*id, 0, *width),
                Domain::Array { index, element } => {
                    let size = limbs::count(*element);
                    for at in 0..1usize.checked_shl(*index).unwrap_or(0) {
                        packing.add_word(*id, at * size, *element);
                    }
                }
            }
        }
        packing
    }

    fn add_word(&mut self, id: VariableId, first: usize, width: u32) {
        for limb in 0..limbs::count(width) {
            let bits = (width - 64 * limb as u32).min(64);
            self.add(id, first + limb, bits, Meaning::Raw);
        }
    }

    fn add(&mut self, variable: VariableId, limb: usize, bits: u32, meaning: Meaning) {
        if self.words == 0 || self.used + bits > 64 {
            self.words += 1;
            self.used = 0;
        }
        let (word, shift) = (self.words - 1, self.used);
        self.fields.push(Field { variable, limb, word, shift, bits, meaning });
        self.used += bits;
        self.bits += u64::from(bits);
    }

    /// Packs the registers of a plan.
    pub fn pack(&self, code: &Code, next: bool, registers: &[u64], words: &mut [Word]) {
        words.fill(0);
        for field in self.fields.iter().filter(|field| field.bits > 0) {
            let register = registers[code.variable((field.variable, next)).at + field.limb];
            let packed = match &field.meaning {
                Meaning::Raw => register,
                Meaning::From(low) => register.wrapping_sub(*low as u64),
                Meaning::One(all) => {
                    all.iter().position(|one| *one == register).unwrap_or(0) as u64
                }
            };
            words[field.word] |= packed << field.shift;
        }
    }

    fn unpacked(&self, field: &Field, words: &[Word]) -> u64 {
        let mask = match field.bits {
            0 => 0,
            bits => u64::MAX >> (64 - bits),
        };
        let packed =
            words.get(field.word).map_or(0, |word| word.checked_shr(field.shift).unwrap_or(0))
                & mask;
        match &field.meaning {
            Meaning::Raw => packed,
            Meaning::From(low) => packed.wrapping_add(*low as u64),
            Meaning::One(all) => all.get(packed as usize).copied().unwrap_or(0),
        }
    }

    /// Unpacks into the registers of a plan.
    pub fn unpack(&self, code: &Code, next: bool, words: &[Word], registers: &mut [u64]) {
        for field in &self.fields {
            let place = code.variable((field.variable, next));
            registers[place.at + field.limb] = self.unpacked(field, words);
        }
    }
}

/// The value that registers stand for.
pub fn value(domain: &Domain, registers: &[u64]) -> Value {
    match domain {
        Domain::Bool => Value::Bool(registers[0] == 1),
        Domain::Range(..) => Value::Scalar(Constant::Int(registers[0] as i64)),
        Domain::Enumeration(values) => {
            let found = values.iter().find(|one| scalar(**one) == registers[0]);
            Value::Scalar(found.copied().unwrap_or(Constant::Int(registers[0] as i64)))
        }
        Domain::Word { width, .. } => Value::Word(Bits::from_limbs(registers, *width)),
        Domain::Array { index, element } => {
            let mut array = Array::of(*index, Bits::zero(*element));
            for (at, limbs) in registers.chunks_exact(limbs::count(*element)).enumerate() {
                array.set(&Bits::of(at as u64, *index), Bits::from_limbs(limbs, *element));
            }
            Value::Array(array)
        }
    }
}

/// Whether the numbers of a relation leave room for its symbols.
pub fn fits(relation: &Relation) -> bool {
    let least = i64::MIN + SYMBOLS;
    relation.variables.iter().all(|one| match &one.domain {
        Domain::Range(low, _) => *low >= least,
        Domain::Enumeration(values) => {
            values.iter().all(|value| !matches!(value, Constant::Int(n) if *n < least))
        }
        _ => true,
    })
}
