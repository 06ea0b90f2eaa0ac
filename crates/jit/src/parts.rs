//! Functions of single parts, that joints are put together from at run time, and
//! of conditions.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::FunctionBuilder;
use homing_ir::System;
use homing_ir::layout::Layout;
use homing_ir::system::{Command, Part, PartRole, Term};

use crate::emitter::{Emitter, Working};
use crate::successors::enter;

/// Emits `fn(source, failed) -> i64`: a bit for every condition that holds. Adds to the
/// word at `failed` a bit for every one that cannot be evaluated and does not hold then.
pub(crate) fn conditions(b: &mut FunctionBuilder, system: &System, layout: &Layout) {
    let parameters = enter(b);
    let found = b.declare_var(types::I64);
    let none = b.ins().iconst(types::I64, 0);
    b.def_var(found, none);
    let unused = b.create_block();
    let mut emitter = Emitter::new(b, system, layout, parameters[0], unused);
    // Those behind the bits of a word are there for their values only.
    for (bit, condition) in system.conditions.iter().take(64).enumerate() {
        let [holds, next, failure] = [(); 3].map(|()| emitter.b.create_block());
        emitter.b.append_block_param(failure, types::I64);
        emitter.failure = failure;
        emitter.branch(&condition.term, holds, next);
        emitter.b.switch_to_block(failure);
        if condition.holds_on_failure {
            emitter.b.ins().jump(holds, &[]);
        } else {
            let flags = MemFlagsData::trusted();
            let before = emitter.b.ins().load(types::I64, flags, parameters[1], 0);
            let after = emitter.b.ins().bor_imm_s(before, 1 << bit);
            emitter.b.ins().store(flags, after, parameters[1], 0);
            emitter.b.ins().jump(next, &[]);
        }
        emitter.b.switch_to_block(holds);
        let before = emitter.b.use_var(found);
        let after = emitter.b.ins().bor_imm_s(before, 1 << bit);
        emitter.b.def_var(found, after);
        emitter.b.ins().jump(next, &[]);
        emitter.b.switch_to_block(next);
    }
    let result = emitter.b.use_var(found);
    emitter.b.ins().return_(&[result]);
    emitter.b.switch_to_block(unused);
    emitter.return_constant(0);
}

/// Emits `fn(source, message) -> i64`: 0 where the part cannot move, 1 where
/// it can, 2 + site where finding out fails. A sender writes its message, all
/// others read it.
pub(crate) fn ready(b: &mut FunctionBuilder, system: &System, layout: &Layout, part: &Part) {
    let parameters = enter(b);
    let failure = b.create_block();
    let mut emitter = Emitter::new(b, system, layout, parameters[0], failure);
    let [moves, stays] = [(); 2].map(|()| emitter.b.create_block());
    let location = system.component(part.component).location;
    emitter.branch(&Term::and(Term::is(location, part.from), part.guard.clone()), moves, stays);
    emitter.b.switch_to_block(moves);
    match &part.role {
        PartRole::Send(_, message) => {
            for (index, term) in message.iter().enumerate() {
                let value = emitter.value(term);
                emitter.b.ins().store(
                    MemFlagsData::trusted(),
                    value,
                    parameters[1],
                    (index * 8) as i32,
                );
            }
        }
        PartRole::Receive(_, intakes) => {
            let values = load_message(&mut emitter, parameters[1], intakes.len());
            emitter.take_message(part, &values, stays);
            // The indices of the places stored in: where one fails, this
            // receiver does, whoever else would have joined.
            emitter.prepare(part);
        }
        PartRole::Alone | PartRole::Label(_) => {}
    }
    emitter.return_constant(1);
    emitter.b.switch_to_block(stays);
    emitter.return_constant(0);
    emitter.finish_failure(2);
}

/// The blocks of a part; each runs for all participants before the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Received values are stored.
    Stores,
    /// Effects run.
    Effect,
    /// What lives within one step is restored.
    Cleanup,
}

impl Phase {
    /// All, in order.
    pub const ALL: [Phase; 3] = [Phase::Stores, Phase::Effect, Phase::Cleanup];

    /// The commands of this phase.
    pub fn of(self, part: &Part) -> &[Command] {
        match self {
            Phase::Stores => &part.stores,
            Phase::Effect => &part.effect,
            Phase::Cleanup => &part.cleanup,
        }
    }
}

/// Emits `fn(source, message, state) -> i64`: runs one phase of the part on
/// `state`; 0, or 1 + site where it fails.
pub(crate) fn apply(
    b: &mut FunctionBuilder,
    system: &System,
    layout: &Layout,
    (part, phase): (&Part, Phase),
    wide: bool,
) {
    let parameters = enter(b);
    let failure = b.create_block();
    let mut emitter = Emitter::new(b, system, layout, parameters[0], failure);
    if let PartRole::Receive(_, intakes) = &part.role {
        let values = load_message(&mut emitter, parameters[1], intakes.len());
        for (intake, value) in intakes.iter().zip(values) {
            if let Some(temp) = intake.bound() {
                emitter.temps.insert(temp, value);
            }
        }
    }
    emitter.prepare(part);
    let (flags, target) = (MemFlagsData::trusted(), parameters[2]);
    let place = |word: usize| (word * 8) as i32;
    emitter.working = Some(match wide {
        true => Working::Memory(target),
        false => {
            let load = |word| emitter.b.ins().load(types::I64, flags, target, place(word));
            Working::Values((0..layout.words).map(load).collect())
        }
    });
    emitter.run(phase.of(part));
    if let Some(Working::Values(words)) = emitter.working.take() {
        for (index, word) in words.into_iter().enumerate() {
            emitter.b.ins().store(flags, word, target, place(index));
        }
    }
    emitter.return_constant(0);
    emitter.finish_failure(1);
}

fn load_message(emitter: &mut Emitter, message: Value, parts: usize) -> Vec<Value> {
    let part = |index: usize| (index * 8) as i32;
    (0..parts)
        .map(|index| {
            emitter.b.ins().load(types::I64, MemFlagsData::trusted(), message, part(index))
        })
        .collect()
}
