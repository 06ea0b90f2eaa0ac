//! Compiled code behind safe calls, made when first needed, or when often asked for.

use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use homing_core::batch::Cursor;
use homing_core::{Batch, Edge, Word};
use homing_ir::evaluate::NoValue;
use homing_ir::layout::{Field, Layout};
use homing_ir::moves::{Holder, Moves};
use homing_ir::system::{ComponentId, PartId};
use homing_ir::{Prepared, System};

use crate::calls::Calls;
use crate::fused::{FUSED, Path, Trees};
use crate::interpreted::{self, Evaluation};
use crate::machine::{JitError, Machine};
use crate::parts::{self, Phase};
use crate::successors::{self, Moving};
use crate::which::Which;

type ExpandFn = unsafe extern "C" fn(*const Word, *mut Cursor);
type ConditionsFn = unsafe extern "C" fn(*const Word, *mut u64) -> u64;
type ReadyFn = unsafe extern "C" fn(*const Word, *mut i64) -> i64;
type ApplyFn = unsafe extern "C" fn(*const Word, *const i64, *mut Word) -> i64;

/// Systems of up to this many moves are compiled into one function. It saves a
/// call a component and state; the time to compile it grows faster than its
/// size.
const WHOLE: usize = 200;

/// How successors are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Execution {
    /// Term by term at first, and by machine code what is asked for often: most errors are
    /// found before compiling all that leads to them would have paid. Systems with atomic
    /// blocks are compiled when first needed, since there the order of steps would change.
    #[default]
    Gradual,
    /// By machine code, compiled when it is first needed.
    Compiled,
    /// Term by term, for where no machine code may be made. The states, the steps and,
    /// outside atomic blocks, their order are the same.
    Interpreted,
}

/// How large a state or a function may be for some ways of compiling it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The words of a state that a successor is made of in registers, one value each. The
    /// code of a move is as long as its state is wide then, and compilation takes more than
    /// that; making it in memory takes 5 % more instructions a successor of 49 words.
    pub words: usize,
    /// The values of a function; a larger one is evaluated term by term. Cranelift numbers
    /// registers up to 2²¹, and lowering takes several for a value: it panics when it runs
    /// out of them.
    pub values: usize,
    /// How often a function is evaluated term by term before it is compiled
    /// ([`Execution::Gradual`]). Compiling takes roughly so many times as long.
    pub calls: u32,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { words: 32, values: 500_000, calls: 200 }
    }
}

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
    prepared: Arc<Prepared>,
    execution: Execution,
    trees: Trees,
    /// Whether successors are made in memory.
    wide: bool,
    trap: Option<Field>,
    /// The components, as expansion sees them.
    drivers: Vec<Driver>,
    /// For every component its place among them, if it leads any moves.
    driver_of: Vec<Option<usize>>,
    /// The most successors, and the most failures, of one expansion.
    most: usize,
    /// For every component and location the address of its function; null
    /// where it is not compiled yet.
    expand: Vec<AtomicPtr<()>>,
    /// The same for the moves that happen only where no others do.
    timeouts: Vec<AtomicPtr<()>>,
    /// The same for the moves of a component that holds control; empty where
    /// these are the ordinary ones.
    held: Vec<AtomicPtr<()>>,
    /// The same for the moves of which some participant is committed; empty
    /// where all must be.
    committed: Vec<AtomicPtr<()>>,
    /// For every component and location a bit for each kind of moves that could not be
    /// compiled: these are evaluated term by term.
    uncompiled: Vec<AtomicU8>,
    /// How often functions were asked for that are not compiled yet.
    calls: Calls,
    /// The function for all components at once, where the system is small.
    whole: OnceLock<Option<ExpandFn>>,
    conditions: OnceLock<Option<ConditionsFn>>,
    ready: Vec<OnceLock<Option<ReadyFn>>>,
    apply: Vec<[OnceLock<Option<ApplyFn>>; 3]>,
    compiler: Mutex<Compiler>,
}

/// A component: where its location lies, and the place in `expand` of the
/// location whose bits are zero.
#[derive(Clone, Copy)]
struct Driver {
    word: u32,
    shift: u32,
    mask: u64,
    base: usize,
    lo: usize,
    component: ComponentId,
}

impl Driver {
    /// The location in `state`, less the least one.
    #[inline(always)]
    fn bits(&self, state: &[Word]) -> usize {
        (state[self.word as usize] >> self.shift & self.mask) as usize
    }
}

/// What a location without moves has for a function.
unsafe extern "C" fn no_moves(_: *const Word, _: *mut Cursor) {}

struct Compiler {
    /// None where nothing is compiled.
    machine: Option<Machine>,
    spent: Duration,
    /// Why something could not be compiled, if so.
    refused: Option<JitError>,
    /// Why results are not to be trusted, if so.
    error: Option<JitError>,
}

impl Code {
    /// Prepares a system; compiles nothing yet.
    pub fn new(prepared: Arc<Prepared>, execution: Execution) -> Result<Code, JitError> {
        Code::within(prepared, execution, Bounds::default())
    }

    /// The same, with other bounds on what is compiled.
    pub fn within(
        prepared: Arc<Prepared>,
        execution: Execution,
        bounds: Bounds,
    ) -> Result<Code, JitError> {
        let (system, layout, moves) = (prepared.system(), prepared.layout(), prepared.moves());
        let mut places = 0;
        let mut drivers = Vec::new();
        let mut driver_of = vec![None; system.components.len()];
        for (index, component) in system.components.iter().enumerate() {
            let id = ComponentId(index as u32);
            let locations = component.committed.len();
            if (0..locations).any(|location| !moves.at(id, location).is_empty()) {
                let Field { word, shift, bits, lo } = layout.fields[component.location.index()];
                let mask = if bits == 0 { 0 } else { (1 << bits) - 1 };
                let lo = lo as usize;
                driver_of[index] = Some(drivers.len());
                drivers.push(Driver { word, shift, mask, base: places + lo, lo, component: id });
            }
            places += locations;
        }
        let (trees, machine) = match execution {
            Execution::Interpreted => (Trees::none(moves), None),
            _ => (Trees::of(system, moves), Some(Machine::new(bounds.values)?)),
        };
        let gradual = execution == Execution::Gradual && !system.has_atomic_parts();
        let parts = system.parts.len();
        let held = if moves.has_held_only() { places } else { 0 };
        let any = system.any_committed && system.has_commitment();
        let committed = if any { places } else { 0 };
        Ok(Code {
            trap: system.trap.map(|slot| layout.fields[slot.index()]),
            drivers,
            driver_of,
            most: moves.most(|label| trees.most(label)),
            expand: (0..places).map(|_| AtomicPtr::default()).collect(),
            uncompiled: (0..places).map(|_| AtomicU8::default()).collect(),
            calls: Calls::new(if gradual { bounds.calls } else { 0 }, places, parts),
            held: (0..held).map(|_| AtomicPtr::default()).collect(),
            committed: (0..committed).map(|_| AtomicPtr::default()).collect(),
            timeouts: (0..places).map(|_| AtomicPtr::default()).collect(),
            whole: OnceLock::new(),
            conditions: OnceLock::new(),
            ready: (0..parts).map(|_| OnceLock::new()).collect(),
            apply: (0..parts).map(|_| Default::default()).collect(),
            compiler: Mutex::new(Compiler {
                machine,
                spent: Duration::ZERO,
                refused: None,
                error: None,
            }),
            trees,
            execution,
            wide: layout.words > bounds.words,
            prepared,
        })
    }

    /// What it is compiled from.
    pub fn prepared(&self) -> &Arc<Prepared> {
        &self.prepared
    }

    /// The system.
    pub fn system(&self) -> &System {
        self.prepared.system()
    }

    /// Where its slots lie.
    pub fn layout(&self) -> &Layout {
        self.prepared.layout()
    }

    /// Its numbered steps.
    pub fn moves(&self) -> &Moves {
        self.prepared.moves()
    }

    /// Whether terms are evaluated one by one.
    #[inline]
    fn is_interpreted(&self) -> bool {
        self.execution == Execution::Interpreted
    }

    /// Who holds control after the moves of an edge.
    #[inline]
    pub fn holder(&self, edge: Edge) -> Option<Holder> {
        match self.path(edge) {
            Some(path) => path.holder,
            None => self.prepared.moves().holder(edge.label),
        }
    }

    /// The moves of an edge that were compiled as one, where it has several.
    #[inline]
    pub fn path(&self, edge: Edge) -> Option<&Path> {
        (edge.choice & FUSED != 0).then(|| &self.trees.paths[(edge.choice & !FUSED) as usize])
    }

    /// Whether `state` is none: an assertion failed on the way to it.
    #[inline]
    pub fn is_trapped(&self, state: &[Word]) -> bool {
        self.trap.is_some_and(|field| field.get(state) != 0)
    }

    /// The time spent compiling so far.
    pub fn compile_time(&self) -> Duration {
        self.compiler.lock().unwrap_or_else(PoisonError::into_inner).spent
    }

    /// Why something could not be evaluated, if so: then results are not to be trusted.
    pub fn error(&self) -> Option<JitError> {
        self.compiler.lock().unwrap_or_else(PoisonError::into_inner).error.clone()
    }

    /// Why something could not be compiled and was evaluated term by term, if so.
    pub fn refused(&self) -> Option<JitError> {
        self.compiler.lock().unwrap_or_else(PoisonError::into_inner).refused.clone()
    }

    /// Adds to `out` the successors of `state` by all moves but joints, in the
    /// order of their labels. Right only where no component is committed.
    pub fn expand_all(&self, state: &[Word], out: &mut Batch) {
        debug_assert_eq!(state.len(), self.prepared.layout().words);
        debug_assert_eq!(out.width(), self.prepared.layout().words);
        let whole = self.whole.get();
        if whole.is_none() && self.calls.is_cold(|calls| &calls.whole) {
            let (which, drivers) = (Which::Ordinary, &self.drivers);
            return self.interpret_drivers(state, out, which, drivers, |_, _| true);
        }
        let Some(function) =
            whole.unwrap_or_else(|| self.whole.get_or_init(|| self.compile_whole()))
        else {
            return self.expand(state, out, |_, _, _| true);
        };
        let mut cursor = out.reserve(self.most, self.most);
        // SAFETY: the code was compiled for states of this layout; it reads
        // `state` and advances the cursor by at most one state, edge and
        // failure a move, for which there is room, in whole states.
        unsafe {
            function(state.as_ptr(), &mut cursor);
            out.commit(&cursor);
        }
    }

    fn moving(&self) -> Moving<'_> {
        Moving { moves: self.moves(), trees: &self.trees, wide: self.wide }
    }

    /// Compiles all moves into one function, unless they are many.
    fn compile_whole(&self) -> Option<ExpandFn> {
        if self.is_interpreted() || self.prepared.moves().list.len() > WHOLE {
            return None;
        }
        let (system, layout) = (self.system(), self.layout());
        let code = self.compile(2, false, |b| {
            successors::expand_all(b, system, layout, self.moving());
        })?;
        // SAFETY: the code was emitted with this signature.
        Some(unsafe { std::mem::transmute::<*const u8, ExpandFn>(code) })
    }

    /// Adds to `out` the successors of `state` by all moves that one component
    /// after the other leads, for those components that `moving` lets move.
    pub fn expand(
        &self,
        state: &[Word],
        out: &mut Batch,
        moving: impl Fn(&System, ComponentId, usize) -> bool,
    ) {
        self.run_drivers(state, out, Which::Ordinary, &self.drivers, |driver, bits| {
            moving(self.system(), driver.component, bits + driver.lo)
        });
    }

    /// Adds to `out` the successors of `state` by the moves of which some
    /// participant leaves a committed location. For systems where one is enough
    /// ([`System::any_committed`]) and that have such locations.
    pub fn expand_committed(&self, state: &[Word], out: &mut Batch) {
        debug_assert!(!self.committed.is_empty());
        self.run_drivers(state, out, Which::Committed, &self.drivers, |_, _| true);
    }

    /// Adds to `out` the successors of `state` by the moves of one component
    /// that holds control.
    pub fn expand_held(&self, component: ComponentId, state: &[Word], out: &mut Batch) {
        let Some(driver) = self.driver_of[component.index()] else { return };
        let which = if self.held.is_empty() { Which::Ordinary } else { Which::Held };
        self.run_drivers(state, out, which, &self.drivers[driver..=driver], |_, _| true);
    }

    /// Adds to `out` the successors of `state` by the moves that happen only
    /// where no others do.
    pub fn expand_timeouts(
        &self,
        state: &[Word],
        out: &mut Batch,
        moving: impl Fn(&System, ComponentId, usize) -> bool,
    ) {
        self.run_drivers(state, out, Which::Timeout, &self.drivers, |driver, bits| {
            moving(self.system(), driver.component, bits + driver.lo)
        });
    }

    fn run_drivers(
        &self,
        state: &[Word],
        out: &mut Batch,
        which: Which,
        drivers: &[Driver],
        moving: impl Fn(&Driver, usize) -> bool,
    ) {
        debug_assert_eq!(state.len(), self.prepared.layout().words);
        debug_assert_eq!(out.width(), self.prepared.layout().words);
        if self.is_interpreted() {
            return self.interpret_drivers(state, out, which, drivers, moving);
        }
        let functions = self.functions(which);
        // Every move emits one successor or one failure at most.
        let mut cursor = out.reserve(self.most, self.most);
        for driver in drivers {
            let bits = driver.bits(state);
            if !moving(driver, bits) {
                continue;
            }
            let mut code = functions[driver.base + bits].load(Ordering::Acquire);
            if code.is_null() {
                code = self.compile_expand(driver.base + bits, (driver, bits), which);
                if code.is_null() {
                    // SAFETY: as below.
                    unsafe { out.commit(&cursor) };
                    self.interpret_drivers(state, out, which, &[*driver], |_, _| true);
                    cursor = out.reserve(self.most, self.most);
                    continue;
                }
            }
            // SAFETY: the address is that of `no_moves` or of code compiled for
            // states of this layout, with this signature, which lives as long
            // as `self`; it reads `state` and advances the cursor by at most
            // one state, edge and failure a move, for which there is room.
            unsafe {
                let function = std::mem::transmute::<*mut (), ExpandFn>(code);
                function(state.as_ptr(), &mut cursor);
            }
        }
        // SAFETY: see above; the code wrote whole states with their edges.
        unsafe { out.commit(&cursor) };
    }

    fn interpret_drivers(
        &self,
        state: &[Word],
        out: &mut Batch,
        which: Which,
        drivers: &[Driver],
        moving: impl Fn(&Driver, usize) -> bool,
    ) {
        let mut evaluation = Evaluation::new(&self.prepared, state);
        for driver in drivers {
            let bits = driver.bits(state);
            if moving(driver, bits) {
                evaluation.moves_at(driver.component, bits + driver.lo, which, out);
            }
        }
        if evaluation.is_undefined() {
            self.distrust();
        }
    }

    /// A term had no value: what was computed is not to be trusted.
    #[cold]
    fn distrust(&self) {
        let mut compiler = self.compiler.lock().unwrap_or_else(PoisonError::into_inner);
        compiler.error = Some(JitError("a term of the model has no value".into()));
    }

    /// A bit for every condition of the system that holds in `state`. Adds to `failed` a
    /// bit for every one that cannot be evaluated there and does not hold then.
    pub fn conditions(&self, state: &[Word], failed: &mut u64) -> u64 {
        debug_assert_eq!(state.len(), self.prepared.layout().words);
        match self.conditions.get() {
            // SAFETY: the code reads as many words as the layout has, and writes `failed`.
            Some(Some(function)) => unsafe { function(state.as_ptr(), failed) },
            Some(None) => interpreted::conditions(&self.prepared, state, failed),
            None if self.calls.is_cold(|calls| &calls.conditions) => {
                interpreted::conditions(&self.prepared, state, failed)
            }
            None => self.first_conditions(state, failed),
        }
    }

    /// The same where nothing was compiled yet.
    #[cold]
    fn first_conditions(&self, state: &[Word], failed: &mut u64) -> u64 {
        self.conditions.get_or_init(|| {
            if self.is_interpreted() {
                return None;
            }
            let code =
                self.compile(2, true, |b| parts::conditions(b, self.system(), self.layout()))?;
            // SAFETY: the code was emitted with this signature.
            Some(unsafe { std::mem::transmute::<*const u8, ConditionsFn>(code) })
        });
        self.conditions(state, failed)
    }

    /// Whether `part` can move in `state`. A sender writes its message.
    pub fn ready(&self, part: PartId, state: &[Word], message: &mut [i64]) -> Ready {
        debug_assert_eq!(state.len(), self.prepared.layout().words);
        let compile = || {
            let (system, layout) = (self.system(), self.layout());
            let code =
                self.compile(2, true, |b| parts::ready(b, system, layout, system.part(part)))?;
            // SAFETY: the code was emitted with this signature.
            Some(unsafe { std::mem::transmute::<*const u8, ReadyFn>(code) })
        };
        let Some(function) = self.of_part(part, &self.ready[part.index()], compile) else {
            let mut evaluation = Evaluation::new(&self.prepared, state);
            let ready = evaluation.ready(self.system().part(part), message);
            return self.told(ready, Ready::Failed, Ready::No);
        };
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
        if phase.of(self.prepared.system().part(part)).is_empty() {
            return Outcome::Done;
        }
        debug_assert_eq!(state.len(), self.prepared.layout().words);
        debug_assert_eq!(target.len(), self.prepared.layout().words);
        let compile = || {
            let (system, layout) = (self.system(), self.layout());
            let code = self.compile(3, true, |b| {
                parts::apply(b, system, layout, (system.part(part), phase), self.wide);
            })?;
            // SAFETY: the code was emitted with this signature.
            Some(unsafe { std::mem::transmute::<*const u8, ApplyFn>(code) })
        };
        let known = &self.apply[part.index()][phase as usize];
        let Some(function) = self.of_part(part, known, compile) else {
            let mut evaluation = Evaluation::new(&self.prepared, state);
            let done = evaluation.apply(self.system().part(part), phase, message, target);
            return self.told(done.map(|()| Outcome::Done), Outcome::Failed, Outcome::Failed(0));
        };
        debug_assert!(message.len() >= self.message_length(part));
        // SAFETY: the code reads state and message and writes the target.
        match unsafe { function(state.as_ptr(), message.as_ptr(), target.as_mut_ptr()) } {
            0 => Outcome::Done,
            failed => Outcome::Failed((failed - 1) as u32),
        }
    }

    /// A function of a part, compiled if it is worth it; none where its terms are evaluated
    /// one by one.
    #[inline]
    fn of_part<F: Copy>(
        &self,
        part: PartId,
        known: &OnceLock<Option<F>>,
        compile: impl FnOnce() -> Option<F>,
    ) -> Option<F> {
        match known.get() {
            Some(function) => *function,
            None if self.calls.is_cold(|calls| &calls.parts[part.index()]) => None,
            None if self.is_interpreted() => None,
            None => *known.get_or_init(compile),
        }
    }

    /// What came of an evaluation.
    fn told<T>(&self, result: Result<T, NoValue>, failed: fn(u32) -> T, undefined: T) -> T {
        match result {
            Ok(told) => told,
            Err(NoValue::Fails(site)) => failed(site.0),
            Err(NoValue::Undefined) => {
                self.distrust();
                undefined
            }
        }
    }

    fn message_length(&self, part: PartId) -> usize {
        use homing_ir::system::PartRole;
        match &self.system().part(part).role {
            PartRole::Send(_, message) => message.len(),
            PartRole::Receive(_, intakes) => intakes.len(),
            PartRole::Alone | PartRole::Label(_) => 0,
        }
    }

    /// Compiles the moves of one component at one location, once; null where that cannot be
    /// done, or does not pay yet.
    #[cold]
    fn compile_expand(&self, place: usize, at: (&Driver, usize), which: Which) -> *mut () {
        let (driver, bits) = at;
        let (component, location) = (driver.component, bits + driver.lo);
        let kind = 1 << which as u8;
        if self.uncompiled[place].load(Ordering::Acquire) & kind != 0 {
            return std::ptr::null_mut();
        }
        let nothing: ExpandFn = no_moves;
        let code = if self.prepared.moves().at(component, location).is_empty() {
            nothing as *mut ()
        } else if self.calls.is_cold(|calls| &calls.places[place]) {
            return std::ptr::null_mut();
        } else {
            let code = self.compile(2, false, |b| {
                let place = (component, location);
                successors::expand(b, self.system(), self.layout(), self.moving(), place, which);
            });
            let Some(code) = code else {
                self.uncompiled[place].fetch_or(kind, Ordering::Release);
                return std::ptr::null_mut();
            };
            code.cast_mut().cast()
        };
        // Two threads may compile the same; either code will do.
        self.functions(which)[place].store(code, Ordering::Release);
        code
    }

    fn functions(&self, which: Which) -> &[AtomicPtr<()>] {
        match which {
            Which::Ordinary => &self.expand,
            Which::Timeout => &self.timeouts,
            Which::Held => &self.held,
            Which::Committed => &self.committed,
        }
    }

    fn compile(
        &self,
        parameters: usize,
        returns: bool,
        emit: impl FnOnce(&mut cranelift_frontend::FunctionBuilder),
    ) -> Option<*const u8> {
        let _phase = homing_budget::phase("compiling the model");
        let mut compiler = self.compiler.lock().unwrap_or_else(PoisonError::into_inner);
        let start = Instant::now();
        let result = match &mut compiler.machine {
            Some(machine) => machine.compile(parameters, returns, emit),
            None => return None,
        };
        compiler.spent += start.elapsed();
        result.map_err(|error| compiler.refused = Some(error)).ok()
    }
}
