//! What all emitted code shares: words of the source and the working state,
//! fields of slots, places to go on failure.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    Block, InstBuilder, MemFlagsData, StackSlot, StackSlotData, StackSlotKind, Value, types,
};
use cranelift_frontend::FunctionBuilder;
use homing_ir::System;
use homing_ir::layout::{Field, Layout, Region};
use homing_ir::system::{SiteId, SlotId, TempId};

/// Up to this many words are loaded once, at a function's start.
const WORDS_IN_REGISTERS: usize = 8;

/// The state that an effect is making.
#[derive(Clone, Debug)]
pub(crate) enum Working {
    /// A value a word.
    Values(Vec<Value>),
    /// At this address. Wide states are made there: a value a word would be a parameter a
    /// word wherever two ways meet, and most words are only copied.
    Memory(Value),
}

/// A working state that is kept for later.
pub(crate) enum Saved {
    Values(Vec<Value>),
    Memory(StackSlot),
}

/// Emits one function.
///
/// Guards, messages and matches are evaluated on the source state. An effect
/// works on a copy, [`Emitter::working`].
pub(crate) struct Emitter<'a, 'b> {
    pub(crate) b: &'a mut FunctionBuilder<'b>,
    pub(crate) system: &'a System,
    pub(crate) layout: &'a Layout,
    /// The address of the source state.
    source: Value,
    preloaded: Vec<Value>,
    /// The state that an effect is making.
    pub(crate) working: Option<Working>,
    pub(crate) temps: HashMap<TempId, Value>,
    /// Where to go when a term fails, with the site as argument.
    pub(crate) failure: Block,
    spill: Option<StackSlot>,
    /// Memory for states that are kept, and how much of it is in use.
    kept: Vec<StackSlot>,
    keeping: usize,
}

impl<'a, 'b> Emitter<'a, 'b> {
    pub(crate) fn new(
        b: &'a mut FunctionBuilder<'b>,
        system: &'a System,
        layout: &'a Layout,
        source: Value,
        failure: Block,
    ) -> Emitter<'a, 'b> {
        let mut emitter = Emitter {
            b,
            system,
            layout,
            source,
            preloaded: Vec::new(),
            working: None,
            temps: HashMap::new(),
            failure,
            spill: None,
            kept: Vec::new(),
            keeping: 0,
        };
        if layout.words <= WORDS_IN_REGISTERS {
            emitter.preloaded = (0..layout.words).map(|word| emitter.load_source(word)).collect();
        }
        emitter
    }

    fn load_source(&mut self, word: usize) -> Value {
        self.b.ins().load(types::I64, MemFlagsData::trusted(), self.source, (word * 8) as i32)
    }

    pub(crate) fn constant(&mut self, value: i64) -> Value {
        self.b.ins().iconst(types::I64, value)
    }

    /// A word of the source state.
    pub(crate) fn source_word(&mut self, word: usize) -> Value {
        match self.preloaded.get(word) {
            Some(value) => *value,
            None => self.load_source(word),
        }
    }

    /// A word of the state that terms are evaluated on now.
    pub(crate) fn word(&mut self, word: usize) -> Value {
        match &self.working {
            Some(Working::Values(words)) => words[word],
            Some(Working::Memory(address)) => {
                let (flags, offset) = (MemFlagsData::trusted(), (word * 8) as i32);
                self.b.ins().load(types::I64, flags, *address, offset)
            }
            None => self.source_word(word),
        }
    }

    /// Starts an effect: from now on terms see the working state, which is made in
    /// `memory` if that is given.
    pub(crate) fn begin_effect(&mut self, memory: Option<Value>) {
        self.working = Some(match memory {
            None => {
                let words = (0..self.layout.words).map(|word| self.source_word(word));
                Working::Values(words.collect())
            }
            Some(place) => {
                self.copy_state(self.source, place);
                Working::Memory(place)
            }
        });
    }

    /// Copies a state from one address to another.
    fn copy_state(&mut self, from: Value, to: Value) {
        let [word, done] = [(); 2].map(|()| self.b.create_block());
        let offset = self.b.append_block_param(word, types::I64);
        let zero = self.constant(0);
        self.b.ins().jump(word, &[zero.into()]);
        self.b.switch_to_block(word);
        let flags = MemFlagsData::trusted();
        let [from, to] = [from, to].map(|address| self.b.ins().iadd(address, offset));
        let value = self.b.ins().load(types::I64, flags, from, 0);
        self.b.ins().store(flags, value, to, 0);
        let next = self.b.ins().iadd_imm_s(offset, 8);
        let size = (self.layout.words * 8) as i64;
        let more = self.b.ins().icmp_imm_s(IntCC::NotEqual, next, size);
        self.b.ins().brif(more, word, &[next.into()], done, &[]);
        self.b.switch_to_block(done);
    }

    /// Keeps the working state, until [`Emitter::forget`].
    pub(crate) fn save(&mut self) -> Saved {
        match self.working.clone() {
            Some(Working::Values(words)) => Saved::Values(words),
            Some(Working::Memory(address)) => {
                if self.keeping == self.kept.len() {
                    let slot = self.state_on_stack();
                    self.kept.push(slot);
                }
                let slot = self.kept[self.keeping];
                self.keeping += 1;
                let kept = self.b.ins().stack_addr(types::I64, slot, 0);
                self.copy_state(address, kept);
                Saved::Memory(slot)
            }
            None => Saved::Values(Vec::new()),
        }
    }

    /// The working state is again what was kept; in memory, it is made anew at `place`.
    pub(crate) fn restore(&mut self, saved: &Saved, place: impl FnOnce(&mut Self) -> Value) {
        self.working = Some(match saved {
            Saved::Values(words) => Working::Values(words.clone()),
            Saved::Memory(slot) => {
                let place = place(self);
                let kept = self.b.ins().stack_addr(types::I64, *slot, 0);
                self.copy_state(kept, place);
                Working::Memory(place)
            }
        });
    }

    /// What was kept last is not needed any more.
    pub(crate) fn forget(&mut self, saved: &Saved) {
        self.keeping -= usize::from(matches!(saved, Saved::Memory(_)));
    }

    fn state_on_stack(&mut self) -> StackSlot {
        let size = self.layout.words as u32 * 8;
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3);
        self.b.create_sized_stack_slot(data)
    }

    pub(crate) fn field(&self, slot: SlotId) -> Field {
        self.layout.fields[slot.index()]
    }

    /// The bits of a slot, without the least value added.
    pub(crate) fn raw(&mut self, field: Field) -> Value {
        let word = self.word(field.word as usize);
        let shifted = self.shift_down(word, field.shift);
        if field.shift + field.bits == 64 {
            return shifted;
        }
        self.b.ins().band_imm_s(shifted, field.mask() as i64)
    }

    fn shift_down(&mut self, word: Value, shift: u32) -> Value {
        if shift == 0 { word } else { self.b.ins().ushr_imm_s(word, i64::from(shift)) }
    }

    pub(crate) fn add_constant(&mut self, value: Value, constant: i64) -> Value {
        if constant == 0 { value } else { self.b.ins().iadd_imm_s(value, constant) }
    }

    /// The value of a slot.
    pub(crate) fn read(&mut self, slot: SlotId) -> Value {
        let field = self.field(slot);
        if field.bits == 0 {
            return self.constant(field.lo);
        }
        let raw = self.raw(field);
        self.add_constant(raw, field.lo)
    }

    /// Writes a slot of the working state.
    pub(crate) fn write(&mut self, slot: SlotId, value: Value) {
        let field = self.field(slot);
        if field.bits == 0 {
            return;
        }
        let raw = self.add_constant(value, field.lo.wrapping_neg());
        let raw = if field.shift == 0 {
            raw
        } else {
            self.b.ins().ishl_imm_s(raw, i64::from(field.shift))
        };
        self.merge(field, |emitter, cleared| emitter.b.ins().bor(cleared, raw));
    }

    /// Writes a constant to a slot of the working state.
    pub(crate) fn write_constant(&mut self, slot: SlotId, value: i64) {
        let field = self.field(slot);
        if field.bits == 0 {
            return;
        }
        let raw = (value.wrapping_sub(field.lo) as u64 & field.mask()) << field.shift;
        if raw != 0 {
            self.merge(field, |emitter, cleared| emitter.b.ins().bor_imm_s(cleared, raw as i64));
        } else {
            self.merge(field, |_, cleared| cleared);
        }
    }

    fn merge(&mut self, field: Field, insert: impl FnOnce(&mut Self, Value) -> Value) {
        let word = self.word(field.word as usize);
        let hole = !(field.mask() << field.shift);
        let cleared =
            if hole == 0 { self.constant(0) } else { self.b.ins().band_imm_s(word, hole as i64) };
        let merged = insert(self, cleared);
        self.set_word(field.word as usize, merged);
    }

    pub(crate) fn set_word(&mut self, word: usize, value: Value) {
        match &mut self.working {
            Some(Working::Values(words)) => words[word] = value,
            Some(Working::Memory(address)) => {
                let (flags, offset) = (MemFlagsData::trusted(), (word * 8) as i32);
                self.b.ins().store(flags, value, *address, offset);
            }
            None => {}
        }
    }

    /// The value of the `index`-th slot from `first` on.
    pub(crate) fn read_element(&mut self, first: SlotId, index: Value) -> Value {
        let Some(region) = self.layout.region_of(first).copied() else { return self.constant(0) };
        if region.bits == 0 {
            return self.constant(region.lo);
        }
        let index = self.add_constant(index, i64::from(first.0 - region.first.0));
        let (word, shift) = match region.per_word {
            None => (self.word(region.word as usize), self.shift_within(&region, index)),
            Some(per_word) => {
                let address = self.region_memory(&region);
                let word = self.word_address(address, index, per_word);
                let word = self.b.ins().load(types::I64, MemFlagsData::trusted(), word, 0);
                (word, self.shift_within_many(&region, index, per_word))
            }
        };
        let shifted = self.b.ins().ushr(word, shift);
        let raw = self.b.ins().band_imm_s(shifted, self.layout.fields[first.index()].mask() as i64);
        self.add_constant(raw, region.lo)
    }

    /// Writes the `index`-th slot from `first` on.
    pub(crate) fn write_element(&mut self, first: SlotId, index: Value, value: Value) {
        let Some(region) = self.layout.region_of(first).copied() else { return };
        if region.bits == 0 {
            return;
        }
        let index = self.add_constant(index, i64::from(first.0 - region.first.0));
        let raw = self.add_constant(value, region.lo.wrapping_neg());
        match region.per_word {
            None => {
                let shift = self.shift_within(&region, index);
                let word = self.word(region.word as usize);
                let merged = self.insert(&region, word, raw, shift);
                self.set_word(region.word as usize, merged);
            }
            Some(per_word) => {
                let address = self.region_memory(&region);
                let place = self.word_address(address, index, per_word);
                let word = self.b.ins().load(types::I64, MemFlagsData::trusted(), place, 0);
                let shift = self.shift_within_many(&region, index, per_word);
                let merged = self.insert(&region, word, raw, shift);
                self.b.ins().store(MemFlagsData::trusted(), merged, place, 0);
                if matches!(self.working, Some(Working::Memory(_))) {
                    return;
                }
                for word in region_words(&region) {
                    let offset = (word as i32 - region.word as i32) * 8;
                    let value =
                        self.b.ins().load(types::I64, MemFlagsData::trusted(), address, offset);
                    self.set_word(word, value);
                }
            }
        }
    }

    fn insert(&mut self, region: &Region, word: Value, raw: Value, shift: Value) -> Value {
        let mask = self.layout.fields[region.first.index()].mask();
        let mask = self.constant(mask as i64);
        let mask = self.b.ins().ishl(mask, shift);
        let cleared = self.b.ins().band_not(word, mask);
        let raw = self.b.ins().ishl(raw, shift);
        self.b.ins().bor(cleared, raw)
    }

    fn shift_within(&mut self, region: &Region, index: Value) -> Value {
        let scaled = match region.stride {
            1 => index,
            stride => self.b.ins().imul_imm_s(index, i64::from(stride)),
        };
        self.add_constant(scaled, i64::from(region.shift))
    }

    fn shift_within_many(&mut self, region: &Region, index: Value, per_word: u32) -> Value {
        let within = self.b.ins().band_imm_s(index, i64::from(per_word) - 1);
        self.b.ins().imul_imm_s(within, i64::from(region.stride))
    }

    fn word_address(&mut self, base: Value, index: Value, per_word: u32) -> Value {
        let word = self.b.ins().ushr_imm_s(index, i64::from(per_word.ilog2()));
        let offset = self.b.ins().ishl_imm_s(word, 3);
        self.b.ins().iadd(base, offset)
    }

    /// The address of a region's first word: of the state itself, or of a copy of the
    /// working state's words on the stack.
    fn region_memory(&mut self, region: &Region) -> Value {
        let first = i64::from(region.word) * 8;
        let words = match self.working.clone() {
            None => return self.b.ins().iadd_imm_s(self.source, first),
            Some(Working::Memory(address)) => return self.b.ins().iadd_imm_s(address, first),
            Some(Working::Values(words)) => words,
        };
        let spill = match self.spill {
            Some(spill) => spill,
            None => self.state_on_stack(),
        };
        self.spill = Some(spill);
        let address = self.b.ins().stack_addr(types::I64, spill, (region.word * 8) as i32);
        for word in region_words(region) {
            let offset = (word as i32 - region.word as i32) * 8;
            self.b.ins().store(MemFlagsData::trusted(), words[word], address, offset);
        }
        address
    }

    /// Goes to the failure block unless `holds`.
    pub(crate) fn require(&mut self, holds: Value, site: SiteId) {
        let go_on = self.b.create_block();
        let site = self.constant(i64::from(site.0));
        self.b.ins().brif(holds, go_on, &[], self.failure, &[site.into()]);
        self.b.switch_to_block(go_on);
    }

    pub(crate) fn compare(&mut self, code: IntCC, left: Value, right: Value) -> Value {
        self.b.ins().icmp(code, left, right)
    }
}

fn region_words(region: &Region) -> std::ops::Range<usize> {
    let per_word = region.per_word.unwrap_or(region.count);
    let words = region.count.div_ceil(per_word.max(1));
    region.word as usize..(region.word + words) as usize
}
