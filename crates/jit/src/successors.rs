//! The functions of successors: of one component at one location, or of all.
//!
//! ```text
//! expand(component, location):
//!   for each part of the component from the location:
//!     if its guard holds:
//!       alone:  run the effect, emit
//!       sender: for each component that can receive, by its location:
//!                 for each receiving part whose guard and matches hold:
//!                   run both effects, emit
//! ```

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::{FunctionBuilder, Switch, Variable};
use homing_ir::System;
use homing_ir::layout::Layout;
use homing_ir::moves::{Move, Moves};
use homing_ir::network::Binary;
use homing_ir::system::{ComponentId, Part, PartId, PartRole, SlotId, Term};

use crate::emitter::{Emitter, Working};
use crate::fused::{FUSED, Fork, Node, Trees};
use crate::parts::Phase;
use crate::which::Which;

/// Where compiled code writes successors, edges and failures.
struct Output {
    cursor: Value,
    words: Variable,
    edges: Variable,
    faults: Variable,
}

impl Output {
    fn load(b: &mut FunctionBuilder, cursor: Value) -> Output {
        let [words, edges, faults] = [0, 8, 16].map(|offset| {
            let variable = b.declare_var(types::I64);
            let value = b.ins().load(types::I64, MemFlagsData::trusted(), cursor, offset);
            b.def_var(variable, value);
            variable
        });
        Output { cursor, words, edges, faults }
    }

    fn store(&self, b: &mut FunctionBuilder) {
        for (offset, variable) in [(0, self.words), (8, self.edges), (16, self.faults)] {
            let value = b.use_var(variable);
            b.ins().store(MemFlagsData::trusted(), value, self.cursor, offset);
        }
    }
}

/// The moves that are compiled.
#[derive(Clone, Copy)]
pub(crate) struct Moving<'m> {
    pub moves: &'m Moves,
    pub trees: &'m Trees,
    /// Whether states are so wide that successors are made in memory.
    pub wide: bool,
}

/// Emits `fn(source, cursor)`: all moves that `component` leads at `location`.
pub(crate) fn expand(
    b: &mut FunctionBuilder,
    system: &System,
    layout: &Layout,
    moves: Moving,
    (component, location): (ComponentId, usize),
    which: Which,
) {
    let mut expansion = Expansion::begin(b, system, layout, moves, which);
    expansion.moves_at(component, location);
    expansion.end();
}

/// Emits `fn(source, cursor)`: all ordinary moves of all components, whatever
/// their locations. Right only where no component is committed.
pub(crate) fn expand_all(
    b: &mut FunctionBuilder,
    system: &System,
    layout: &Layout,
    moving: Moving,
) {
    let mut expansion = Expansion::begin(b, system, layout, moving, Which::Ordinary);
    let moves = moving.moves;
    for (index, component) in system.components.iter().enumerate() {
        let id = ComponentId(index as u32);
        let moving = |location: &i64| !moves.at(id, *location as usize).is_empty();
        let locations: Vec<i64> = (0..component.committed.len() as i64).filter(moving).collect();
        if locations.is_empty() {
            continue;
        }
        let next = expansion.emitter.b.create_block();
        let blocks = expansion.dispatch(component.location, &locations, next);
        for (location, block) in locations.into_iter().zip(blocks) {
            expansion.emitter.b.switch_to_block(block);
            expansion.moves_at(id, location as usize);
            expansion.emitter.b.ins().jump(next, &[]);
        }
        expansion.emitter.b.switch_to_block(next);
    }
    expansion.end();
}

pub(crate) fn enter(b: &mut FunctionBuilder) -> Vec<Value> {
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    b.block_params(entry).to_vec()
}

struct Expansion<'a, 'b> {
    emitter: Emitter<'a, 'b>,
    output: Output,
    moves: &'a Moves,
    trees: &'a Trees,
    wide: bool,
    which: Which,
}

impl<'a, 'b> Expansion<'a, 'b> {
    fn begin(
        b: &'a mut FunctionBuilder<'b>,
        system: &'a System,
        layout: &'a Layout,
        Moving { moves, trees, wide }: Moving<'a>,
        which: Which,
    ) -> Expansion<'a, 'b> {
        let parameters = enter(b);
        let output = Output::load(b, parameters[1]);
        let failure = b.create_block();
        b.append_block_param(failure, types::I64);
        Expansion {
            emitter: Emitter::new(b, system, layout, parameters[0], failure),
            output,
            moves,
            trees,
            wide,
            which,
        }
    }

    /// Starts an effect; in memory, where its successor will be.
    fn begin_effect(&mut self) {
        let place = self.wide.then(|| self.emitter.b.use_var(self.output.words));
        self.emitter.begin_effect(place);
    }

    fn end(self) {
        let Expansion { emitter, output, .. } = self;
        output.store(emitter.b);
        emitter.b.ins().return_(&[]);
        // Every move brings a failure block of its own; this one is never
        // reached, but must be there and end.
        emitter.b.switch_to_block(emitter.failure);
        emitter.b.ins().return_(&[]);
    }

    /// All moves that a component leads at a location.
    fn moves_at(&mut self, component: ComponentId, location: usize) {
        let (system, moves) = (self.emitter.system, self.moves);
        let labels = moves.at(component, location);
        let mut label = labels.start;
        while label < labels.end {
            match moves.list[label as usize] {
                Move::Alone(part) => {
                    if self.wants(label) {
                        self.alone(system.part(part), label);
                    }
                    label += 1;
                }
                Move::Pair { sender, .. } => {
                    let pairs =
                        (label..labels.end).map_while(|label| match moves.list[label as usize] {
                            Move::Pair { sender: s, receiver } if s == sender => {
                                Some((label, receiver))
                            }
                            _ => None,
                        });
                    let pairs: Vec<(u32, PartId)> = pairs.collect();
                    self.send(system.part(sender), &pairs);
                    label += pairs.len() as u32;
                }
                Move::Joint(_) => label += 1,
            }
        }
    }

    fn alone(&mut self, part: &Part, label: u32) {
        let next = self.emitter.b.create_block();
        let before = self.begin_failing();
        self.guarded(&part.guard, next);
        self.prepare(part);
        self.begin_effect();
        part.commands().for_each(|command| self.emitter.command(command));
        match self.trees.get(label) {
            Some(Node { path, fork: Some(fork) }) => self.fork(label, *path, fork),
            _ => self.emit(edge(label)),
        }
        self.leave(before, edge(label), next);
    }

    /// What follows a move after which control is held, on the working state.
    /// The recursion is as deep as [`crate::fused`] lets trees be.
    fn fork(&mut self, first: u32, path: u32, fork: &Fork) {
        let system = self.emitter.system;
        let (words, place) = (self.emitter.save(), self.output.words);
        let done = self.emitter.b.create_block();
        let surely = |term: &Term| matches!(term, Term::Const(c) if *c != 0);
        let parts =
            fork.ways.iter().filter_map(|(label, node)| match self.moves.list[*label as usize] {
                Move::Alone(part) => Some((system.part(part), node)),
                _ => None,
            });
        let parts: Vec<(&Part, &Node)> = parts.collect();
        let open = !parts.iter().any(|(part, _)| surely(&part.guard));
        let moved = open.then(|| {
            let moved = self.emitter.b.declare_var(types::I64);
            let none = self.emitter.constant(0);
            self.emitter.b.def_var(moved, none);
            moved
        });
        for (part, node) in parts {
            self.emitter.restore(&words, |emitter| emitter.b.use_var(place));
            let next = self.emitter.b.create_block();
            let before = self.begin_failing();
            self.guarded(&part.guard, next);
            if let Some(moved) = moved {
                let one = self.emitter.constant(1);
                self.emitter.b.def_var(moved, one);
            }
            self.prepare(part);
            part.commands().for_each(|command| self.emitter.command(command));
            match &node.fork {
                Some(fork) => self.fork(first, node.path, fork),
                None => self.emit(on_path(first, node.path)),
            }
            let behind = if fork.deterministic { done } else { next };
            self.leave_or(before, on_path(first, node.path), (behind, next), moved);
        }
        if let Some(moved) = moved {
            let stuck = self.emitter.b.create_block();
            let moved = self.emitter.b.use_var(moved);
            self.emitter.b.ins().brif(moved, done, &[], stuck, &[]);
            self.emitter.b.switch_to_block(stuck);
            self.emitter.restore(&words, |emitter| emitter.b.use_var(place));
            match (fork.deterministic, fork.blocked) {
                (true, Some(site)) => {
                    let site = self.emitter.constant(i64::from(site));
                    self.fail(on_path(first, path), site);
                }
                _ => self.emit(on_path(first, path)),
            }
        }
        self.emitter.forget(&words);
        self.emitter.working = None;
        self.emitter.b.ins().jump(done, &[]);
        self.emitter.b.switch_to_block(done);
    }

    fn wants(&self, label: u32) -> bool {
        self.which.wants(self.moves, label)
    }

    /// All pairs of one sender. `receivers` are wanted or not: where the
    /// sender's guard fails, all of them count.
    fn send(&mut self, sender: &Part, receivers: &[(u32, PartId)]) {
        let PartRole::Send(_, message) = &sender.role else { return };
        let system = self.emitter.system;
        let receivers =
            receivers.iter().filter(|(label, _)| self.which.allows(self.moves, *label)).copied();
        let receivers: Vec<(u32, PartId)> = receivers.collect();
        let wanted = receivers.iter().filter(|(label, _)| self.wants(*label)).copied();
        let wanted: Vec<(u32, PartId)> = wanted.collect();
        // A sender that waits for a timeout has no ordinary moves. An ordinary sender whose guard
        // fails has failed before any timeout move is asked for.
        if sender.timeout != (self.which == Which::Timeout) && wanted.is_empty() {
            return;
        }
        let next = self.emitter.b.create_block();
        let before = self.begin_failing();
        self.guarded(&sender.guard, next);
        // A message that cannot fail is evaluated once for all receivers.
        let early = !message.iter().any(Term::may_fail);
        let values: Option<Vec<Value>> =
            early.then(|| message.iter().map(|term| self.emitter.value(term)).collect());
        let mut rest = &wanted[..];
        while let Some((_, first)) = rest.first() {
            let component = system.part(*first).component;
            let same = rest.iter().take_while(|(_, r)| system.part(*r).component == component);
            let (group, others) = rest.split_at(same.count());
            self.receivers_in(component, sender, message, values.as_deref(), group);
            rest = others;
        }
        self.emitter.b.ins().jump(next, &[]);
        let failure = std::mem::replace(&mut self.emitter.failure, before);
        self.sender_fails(failure, &receivers, next);
        self.emitter.b.switch_to_block(next);
    }

    /// What a sender's failing guard leads to: it is a failure if some receiver
    /// is at the location it would receive from.
    fn sender_fails(&mut self, failure: Block, receivers: &[(u32, PartId)], next: Block) {
        self.emitter.b.switch_to_block(failure);
        let site = self.emitter.b.block_params(failure)[0];
        let system = self.emitter.system;
        for (label, receiver) in receivers {
            let [present, absent] = [(); 2].map(|()| self.emitter.b.create_block());
            let receiver = system.part(*receiver);
            let location = system.component(receiver.component).location;
            self.emitter.branch(&Term::is(location, receiver.from), present, absent);
            self.emitter.b.switch_to_block(present);
            self.fail(edge(*label), site);
            self.emitter.b.ins().jump(next, &[]);
            self.emitter.b.switch_to_block(absent);
        }
        self.emitter.b.ins().jump(next, &[]);
    }

    /// All pairs with receivers of one component, by its location.
    fn receivers_in(
        &mut self,
        component: ComponentId,
        sender: &Part,
        message: &[Term],
        values: Option<&[Value]>,
        group: &[(u32, PartId)],
    ) {
        let system = self.emitter.system;
        let done = self.emitter.b.create_block();
        let slot = system.component(component).location;
        let mut locations: Vec<i64> = group.iter().map(|(_, r)| system.part(*r).from).collect();
        locations.dedup();
        let blocks = self.dispatch(slot, &locations, done);
        for (location, block) in locations.iter().zip(blocks) {
            self.emitter.b.switch_to_block(block);
            for (label, receiver) in group {
                let receiver = system.part(*receiver);
                if receiver.from == *location {
                    self.pair(sender, receiver, message, values, *label);
                }
            }
            self.emitter.b.ins().jump(done, &[]);
        }
        self.emitter.b.switch_to_block(done);
    }

    /// Goes to one block a location, or to `otherwise`.
    fn dispatch(&mut self, slot: SlotId, locations: &[i64], otherwise: Block) -> Vec<Block> {
        let blocks: Vec<Block> = locations.iter().map(|_| self.emitter.b.create_block()).collect();
        let value = self.emitter.read(slot);
        let mut switch = Switch::new();
        for (location, block) in locations.iter().zip(&blocks) {
            if !switch.entries().contains_key(&(*location as u128)) {
                switch.set_entry(*location as u128, *block);
            }
        }
        switch.emit(self.emitter.b, value, otherwise);
        blocks
    }

    fn pair(
        &mut self,
        sender: &Part,
        receiver: &Part,
        message: &[Term],
        values: Option<&[Value]>,
        label: u32,
    ) {
        let next = self.emitter.b.create_block();
        let before = self.begin_failing();
        self.guarded(&receiver.guard, next);
        let values = match values {
            Some(values) => values.to_vec(),
            None => message.iter().map(|term| self.emitter.value(term)).collect(),
        };
        self.emitter.take_message(receiver, &values, next);
        self.prepare(sender);
        self.prepare(receiver);
        self.begin_effect();
        let order =
            if self.emitter.system.sender_first { [sender, receiver] } else { [receiver, sender] };
        for block in Phase::ALL {
            order.into_iter().for_each(|part| self.emitter.run(block.of(part)));
        }
        self.emit(edge(label));
        self.leave(before, edge(label), next);
    }

    fn guarded(&mut self, guard: &Term, otherwise: Block) {
        if matches!(guard, Term::Const(c) if *c != 0) {
            return;
        }
        let holds = self.emitter.b.create_block();
        self.emitter.branch(guard, holds, otherwise);
        self.emitter.b.switch_to_block(holds);
    }

    fn prepare(&mut self, part: &Part) {
        self.emitter.prepare(part);
    }

    /// Makes failures go to a block of their own, filled in by [`Self::leave`].
    /// Answers where they went before.
    fn begin_failing(&mut self) -> Block {
        let failure = self.emitter.b.create_block();
        self.emitter.b.append_block_param(failure, types::I64);
        std::mem::replace(&mut self.emitter.failure, failure)
    }

    /// Ends a move: failures are recorded for `edge`, all goes on at `next`.
    fn leave(&mut self, before: Block, edge: i64, next: Block) {
        self.leave_or(before, edge, (next, next), None);
    }

    /// Ends a move: whether it was taken or failed, all goes on at `behind`; code
    /// is emitted at `next` from now on. A failure counts as having `moved`.
    fn leave_or(
        &mut self,
        before: Block,
        edge: i64,
        (behind, next): (Block, Block),
        moved: Option<Variable>,
    ) {
        self.emitter.working = None;
        self.emitter.b.ins().jump(behind, &[]);
        let failure = std::mem::replace(&mut self.emitter.failure, before);
        self.emitter.b.switch_to_block(failure);
        let site = self.emitter.b.block_params(failure)[0];
        self.fail(edge, site);
        if let Some(moved) = moved {
            let one = self.emitter.constant(1);
            self.emitter.b.def_var(moved, one);
        }
        self.emitter.b.ins().jump(behind, &[]);
        self.emitter.b.switch_to_block(next);
    }

    fn fail(&mut self, edge: i64, site: Value) {
        let b = &mut *self.emitter.b;
        let place = b.use_var(self.output.faults);
        let edge = b.ins().iconst(types::I64, edge);
        b.ins().store(MemFlagsData::trusted(), edge, place, 0);
        let site = b.ins().ireduce(types::I32, site);
        b.ins().store(MemFlagsData::trusted(), site, place, 8);
        let place = b.ins().iadd_imm_s(place, size_of::<homing_core::Fault>() as i64);
        b.def_var(self.output.faults, place);
    }

    /// Writes the working state as a successor.
    fn emit(&mut self, edge: i64) {
        let words = match self.emitter.working.take() {
            Some(Working::Values(words)) => words,
            // It is there already.
            Some(Working::Memory(_)) | None => Vec::new(),
        };
        let size = (self.emitter.layout.words * 8) as i64;
        let b = &mut *self.emitter.b;
        let place = b.use_var(self.output.words);
        for (index, word) in words.iter().enumerate() {
            b.ins().store(MemFlagsData::trusted(), *word, place, (index * 8) as i32);
        }
        let place = b.ins().iadd_imm_s(place, size);
        b.def_var(self.output.words, place);
        let place = b.use_var(self.output.edges);
        let edge = b.ins().iconst(types::I64, edge);
        b.ins().store(MemFlagsData::trusted(), edge, place, 0);
        let place = b.ins().iadd_imm_s(place, size_of::<homing_core::Edge>() as i64);
        b.def_var(self.output.edges, place);
    }
}

/// The words of an edge of one move.
fn edge(label: u32) -> i64 {
    i64::from(label)
}

/// The words of an edge that stands for a path through a tree.
fn on_path(first: u32, path: u32) -> i64 {
    (i64::from(FUSED | path) << 32) | i64::from(first)
}

impl Emitter<'_, '_> {
    pub(crate) fn prepare(&mut self, part: &Part) {
        for (temp, term) in &part.prepare {
            let value = self.value(term);
            self.temps.insert(*temp, value);
        }
    }

    /// Binds a message to a receiver; goes to `otherwise` where it does not match.
    pub(crate) fn take_message(&mut self, receiver: &Part, values: &[Value], otherwise: Block) {
        let PartRole::Receive(_, intakes) = &receiver.role else { return };
        for (intake, value) in intakes.iter().zip(values) {
            if let Some(temp) = intake.bound() {
                self.temps.insert(temp, *value);
            }
            for (how, term) in intake.comparisons() {
                let compared = self.value(term);
                let how = if how == Binary::Eq { IntCC::Equal } else { IntCC::NotEqual };
                let fits = self.compare(how, compared, *value);
                let matches = self.b.create_block();
                self.b.ins().brif(fits, matches, &[], otherwise, &[]);
                self.b.switch_to_block(matches);
            }
        }
    }

    pub(crate) fn return_constant(&mut self, value: i64) {
        let value = self.constant(value);
        self.b.ins().return_(&[value]);
    }

    /// Emits the failure block: returns `offset` plus the site.
    pub(crate) fn finish_failure(&mut self, offset: i64) {
        let failure = self.failure;
        let site = self.b.append_block_param(failure, types::I64);
        self.b.switch_to_block(failure);
        let value = self.b.ins().iadd_imm_s(site, offset);
        self.b.ins().return_(&[value]);
    }
}
