//! Compiled code behind safe calls, made when first needed.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use homing_core::batch::Cursor;
use homing_core::{Batch, Word};
use homing_ir::System;
use homing_ir::layout::{Field, Layout};
use homing_ir::moves::Moves;
use homing_ir::system::{ComponentId, PartId};

use crate::machine::{JitError, Machine};
use crate::successors::{self, Phase};

type ExpandFn = unsafe extern "C" fn(*const Word, *mut Cursor);
type ConditionsFn = unsafe extern "C" fn(*const Word) -> u64;
type ReadyFn = unsafe extern "C" fn(*const Word, *mut i64) -> i64;
type ApplyFn = unsafe extern "C" fn(*const Word, *const i64, *mut Word) -> i64;

/// Whether a part of a joint can move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ready {
    /// It cannot.
    No,
    /// It can.
    Yes,
    /// Finding out failed at this site.
    Failed(u32),
}

/// What became of an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It ran.
    Done,
    /// It failed at this site.
    Failed(u32),
}

/// A system with its layout, its moves and the code compiled for it so far.
pub struct Code {
    system: System,
    layout: Layout,
    moves: Moves,
    /// The components, as expansion sees them.
    drivers: Vec<Driver>,
    /// The most successors, and the most failures, of one expansion.
    most: usize,
    expand: Vec<OnceLock<Option<ExpandFn>>>,
    conditions: OnceLock<Option<ConditionsFn>>,
    ready: Vec<OnceLock<Option<ReadyFn>>>,
    apply: Vec<[OnceLock<Option<ApplyFn>>; 3]>,
    compiler: Mutex<Compiler>,
}

/// A component: where its location lies, and the first of its places in
/// `expand`.
#[derive(Clone, Copy)]
struct Driver {
    field: Field,
    base: usize,
    component: ComponentId,
}

struct Compiler {
    machine: Machine,
    spent: Duration,
    error: Option<JitError>,
}

impl Code {
    /// Prepares a system; compiles nothing yet.
    pub fn new(system: System) -> Result<Code, JitError> {
        let layout = Layout::new(&system);
        let moves = Moves::of(&system);
        let mut places = 0;
        let mut drivers = Vec::new();
        for (index, component) in system.components.iter().enumerate() {
            let id = ComponentId(index as u32);
            let locations = component.committed.len();
            if (0..locations).any(|location| !moves.at(id, location).is_empty()) {
                let field = layout.fields[component.location.index()];
                drivers.push(Driver { field, base: places, component: id });
            }
            places += locations;
        }
        let parts = system.parts.len();
        Ok(Code {
            drivers,
            most: moves.most(),
            expand: (0..places).map(|_| OnceLock::new()).collect(),
            conditions: OnceLock::new(),
            ready: (0..parts).map(|_| OnceLock::new()).collect(),
            apply: (0..parts).map(|_| Default::default()).collect(),
            compiler: Mutex::new(Compiler {
                machine: Machine::new()?,
                spent: Duration::ZERO,
                error: None,
            }),
            system,
            layout,
            moves,
        })
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Where its slots lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Its numbered steps.
    pub fn moves(&self) -> &Moves {
        &self.moves
    }

    /// The time spent compiling so far.
    pub fn compile_time(&self) -> Duration {
        self.compiler.lock().unwrap_or_else(PoisonError::into_inner).spent
    }

    /// Why something could not be compiled, if so: then results are not to be
    /// trusted.
    pub fn error(&self) -> Option<JitError> {
        self.compiler.lock().unwrap_or_else(PoisonError::into_inner).error.clone()
    }

    /// Adds to `out` the successors of `state` by all moves that one component
    /// after the other leads, for those components that `moving` lets move.
    pub fn expand(
        &self,
        state: &[Word],
        out: &mut Batch,
        moving: impl Fn(&System, ComponentId, usize) -> bool,
    ) {
        debug_assert_eq!(state.len(), self.layout.words);
        debug_assert_eq!(out.width(), self.layout.words);
        // Every move emits one successor or one failure at most.
        let mut cursor = out.reserve(self.most, self.most);
        for Driver { field, base, component } in &self.drivers {
            let location = field.get(state) as usize;
            if !moving(&self.system, *component, location) {
                continue;
            }
            let place = &self.expand[base + location];
            let function = place.get_or_init(|| self.compile_expand(*component, location));
            if let Some(function) = function {
                // SAFETY: the code was compiled for states of this layout; it
                // reads `state` and advances the cursor by at most one state,
                // edge and failure a move, for which there is room.
                unsafe { function(state.as_ptr(), &mut cursor) };
            }
        }
        // SAFETY: see above; the code wrote whole states with their edges.
        unsafe { out.commit(&cursor) };
    }

    /// A bit for every condition of the system that holds in `state`.
    pub fn conditions(&self, state: &[Word]) -> u64 {
        debug_assert_eq!(state.len(), self.layout.words);
        let function = self.conditions.get_or_init(|| {
            let code =
                self.compile(1, true, |b| successors::conditions(b, &self.system, &self.layout))?;
            // SAFETY: the code was emitted with this signature.
            Some(unsafe { std::mem::transmute::<*const u8, ConditionsFn>(code) })
        });
        match function {
            // SAFETY: the code reads as many words as the layout has.
            Some(function) => unsafe { function(state.as_ptr()) },
            None => 0,
        }
    }

    /// Whether `part` can move in `state`. A sender writes its message.
    pub fn ready(&self, part: PartId, state: &[Word], message: &mut [i64]) -> Ready {
        debug_assert_eq!(state.len(), self.layout.words);
        let function = self.ready[part.index()].get_or_init(|| {
            let (system, layout) = (&self.system, &self.layout);
            let code =
                self.compile(2, true, |b| successors::ready(b, system, layout, system.part(part)))?;
            // SAFETY: the code was emitted with this signature.
            Some(unsafe { std::mem::transmute::<*const u8, ReadyFn>(code) })
        });
        let Some(function) = function else { return Ready::No };
        debug_assert!(message.len() >= self.message_length(part));
        // SAFETY: the code reads the state and at most the part's message.
        match unsafe { function(state.as_ptr(), message.as_mut_ptr()) } {
            0 => Ready::No,
            1 => Ready::Yes,
            failed => Ready::Failed((failed - 2) as u32),
        }
    }

    /// Runs one phase of `part` on `target`, which starts as a copy of `state`
    /// or as what other parts of the same joint made of it.
    pub fn apply(
        &self,
        part: PartId,
        phase: Phase,
        state: &[Word],
        message: &[i64],
        target: &mut [Word],
    ) -> Outcome {
        if phase.of(self.system.part(part)).is_empty() {
            return Outcome::Done;
        }
        debug_assert_eq!(state.len(), self.layout.words);
        debug_assert_eq!(target.len(), self.layout.words);
        let function = self.apply[part.index()][phase as usize].get_or_init(|| {
            let (system, layout) = (&self.system, &self.layout);
            let code = self.compile(3, true, |b| {
                successors::apply(b, system, layout, system.part(part), phase);
            })?;
            // SAFETY: the code was emitted with this signature.
            Some(unsafe { std::mem::transmute::<*const u8, ApplyFn>(code) })
        });
        let Some(function) = function else { return Outcome::Failed(0) };
        debug_assert!(message.len() >= self.message_length(part));
        // SAFETY: the code reads state and message and writes the target.
        match unsafe { function(state.as_ptr(), message.as_ptr(), target.as_mut_ptr()) } {
            0 => Outcome::Done,
            failed => Outcome::Failed((failed - 1) as u32),
        }
    }

    fn message_length(&self, part: PartId) -> usize {
        use homing_ir::system::PartRole;
        match &self.system.part(part).role {
            PartRole::Send(_, message) => message.len(),
            PartRole::Receive(_, intakes) => intakes.len(),
            PartRole::Alone | PartRole::Label(_) => 0,
        }
    }

    fn compile_expand(&self, component: ComponentId, location: usize) -> Option<ExpandFn> {
        if self.moves.at(component, location).is_empty() {
            return None;
        }
        let code = self.compile(2, false, |b| {
            successors::expand(b, &self.system, &self.layout, &self.moves, component, location);
        })?;
        // SAFETY: the code was emitted with this signature.
        Some(unsafe { std::mem::transmute::<*const u8, ExpandFn>(code) })
    }

    fn compile(
        &self,
        parameters: usize,
        returns: bool,
        emit: impl FnOnce(&mut cranelift_frontend::FunctionBuilder),
    ) -> Option<*const u8> {
        let mut compiler = self.compiler.lock().unwrap_or_else(PoisonError::into_inner);
        let start = Instant::now();
        let result = compiler.machine.compile(parameters, returns, emit);
        compiler.spent += start.elapsed();
        result.map_err(|error| compiler.error = Some(error)).ok()
    }
}
