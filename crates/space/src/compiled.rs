//! The compiled space: packed states, compiled moves, or moves that are interpreted where
//! no machine code may be made ([`Execution`]).
//!
//! Moves of one or two components are compiled whole. Joints (broadcasts,
//! vectors, synchronous steps) would be exponentially many; for them single
//! parts are compiled and put together in [`crate::joints`], state by state. Moves
//! after which control stays with a component are followed up in [`crate::atomic`].
//!
//! Of a timed system this is the discrete part: the steps that there would be if
//! all clocks had the values they are asked for. [`CompiledExpander::expand_with`]
//! says besides who takes part in each, for those who know about clocks.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use homing_core::{Batch, Edge, Expander, Fault, Space, Word};
use homing_ir::flatten::Wanted;
use homing_ir::moves::{Move, Moves};
use homing_ir::passes::Passes;
use homing_ir::system::{Command, ComponentId, FaultKind, Joint, Part, PartId, Term};
use homing_ir::trace::Step;
use homing_ir::{Diagnostic, Network, Prepared, System};
use homing_jit::{Code, Execution, FUSED, JitError};

use crate::atomic::{Inside, labels};
use crate::joints::{Cut, JointExpansion, When};
use crate::participants::{Participants, Roster};

/// A space of packed states with compiled successors.
pub struct CompiledSpace {
    pub(crate) code: Code,
    /// The longest message of a joint.
    pub(crate) message: usize,
    /// Who takes part in moves that are no joints.
    pub(crate) roster: Roster,
    /// Whether some parts move only where no others do.
    pub(crate) timeouts: bool,
    /// Whether control may stay with a component.
    atomic: bool,
    /// The first step that could not start a process, and whom to tell.
    unstarted: Mutex<Option<(Vec<Word>, Edge)>>,
    alarm: OnceLock<Arc<AtomicBool>>,
    unevaluated: AtomicU64,
}

/// Why a network has no compiled space.
#[derive(Clone, Debug)]
pub enum SpaceError {
    /// It uses what no system can express.
    Refused(Vec<Diagnostic>),
    /// There is no machine code for it.
    Jit(JitError),
}

/// Whether a step in which a part moves might fail by it.
pub(crate) fn part_may_fail(part: &Part) -> bool {
    part.source_terms().into_iter().any(Term::may_fail) || part.commands().any(Command::may_fail)
}

impl CompiledSpace {
    /// The space of a network, with conditions for the search to look for,
    /// after the passes.
    pub fn new(
        network: &Network,
        conditions: &[Wanted],
        passes: Passes,
    ) -> Result<CompiledSpace, SpaceError> {
        CompiledSpace::executed(network, conditions, passes, Execution::Compiled)
    }

    /// The same, executed as it is said.
    pub fn executed(
        network: &Network,
        conditions: &[Wanted],
        passes: Passes,
        execution: Execution,
    ) -> Result<CompiledSpace, SpaceError> {
        let prepared = Prepared::of(network, conditions, passes).map_err(SpaceError::Refused)?;
        CompiledSpace::of(prepared, execution).map_err(SpaceError::Jit)
    }

    /// The space of a system that is ready.
    fn of(prepared: Arc<Prepared>, execution: Execution) -> Result<CompiledSpace, JitError> {
        let system = prepared.system();
        let length = |part: &homing_ir::system::Part| match &part.role {
            homing_ir::system::PartRole::Send(_, message) => message.len(),
            homing_ir::system::PartRole::Receive(_, intakes) => intakes.len(),
            _ => 0,
        };
        let message = system.parts.iter().map(length).max().unwrap_or(0);
        let (timeouts, atomic) = (system.has_timeout_parts(), system.has_atomic_parts());
        let code = Code::new(prepared, execution)?;
        let roster = Roster::of(code.system(), code.moves());
        let (unstarted, alarm) = (Mutex::new(None), OnceLock::new());
        let unevaluated = AtomicU64::new(0);
        Ok(CompiledSpace { code, message, roster, timeouts, atomic, unstarted, alarm, unevaluated })
    }

    /// The system with its layout and moves, as others share it.
    pub fn prepared(&self) -> &Arc<Prepared> {
        self.code.prepared()
    }

    /// The system.
    pub fn system(&self) -> &System {
        self.code.system()
    }

    /// Where its slots lie in packed states.
    pub fn layout(&self) -> &homing_ir::layout::Layout {
        self.code.layout()
    }

    /// Its numbered steps.
    pub fn moves(&self) -> &Moves {
        self.code.moves()
    }

    /// Whether some step might fail.
    pub fn may_fail(&self) -> bool {
        self.system().parts.iter().any(part_may_fail)
    }

    /// A bit for every condition of the system that holds in `state`.
    pub fn conditions(&self, state: &[Word]) -> u64 {
        let mut failed = 0;
        let holding = self.code.conditions(self.own(state), &mut failed);
        if failed != 0 {
            self.note_unevaluated(failed);
        }
        holding
    }

    /// The conditions that could not be evaluated in some state that was looked at (a bad
    /// index, a division by zero) and did not count as holding there: whoever says that
    /// one holds nowhere says too much.
    pub fn unevaluated(&self) -> u64 {
        self.unevaluated.load(Ordering::Relaxed)
    }

    /// Whether there might be such a state, as far as can be seen without looking.
    pub fn may_be_unevaluated(&self, condition: usize) -> bool {
        let timing = self.system().timing.as_ref();
        let cases = timing.and_then(|timing| timing.conditions.get(condition));
        let mut cases = cases.into_iter().flat_map(|condition| &condition.cases);
        let condition = &self.system().conditions[condition];
        !condition.holds_on_failure
            && (condition.term.may_fail() || cases.any(|case| case.term.may_fail()))
    }

    pub(crate) fn note_unevaluated(&self, conditions: u64) {
        self.unevaluated.fetch_or(conditions, Ordering::Relaxed);
    }

    /// This space's own words of a state; what a space around it adds lies
    /// behind them.
    fn own<'s>(&self, state: &'s [Word]) -> &'s [Word] {
        &state[..self.layout().words]
    }

    /// Raises `alarm` as soon as a process cannot be started for lack of a slot.
    pub fn on_unstarted(&self, alarm: &Arc<AtomicBool>) {
        self.alarm.get_or_init(|| Arc::clone(alarm));
    }

    /// The first step met that could not start a process for lack of a slot.
    pub fn unstarted(&self) -> Option<Step> {
        let found = self.unstarted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        found.map(|(state, edge)| self.step(&state, edge))
    }

    fn note_unstarted(&self, state: &[Word], faults: &[Fault]) {
        let sites = &self.system().sites;
        let slotless = |fault: &&Fault| sites[fault.site as usize].kind == FaultKind::NoFreeSlot;
        let Some(fault) = faults.iter().find(slotless) else { return };
        let mut found = self.unstarted.lock().unwrap_or_else(PoisonError::into_inner);
        found.get_or_insert_with(|| (state.to_vec(), fault.edge));
        if let Some(alarm) = self.alarm.get() {
            alarm.store(true, Ordering::Relaxed);
        }
    }

    /// The time spent compiling so far.
    pub fn compile_time(&self) -> Duration {
        self.code.compile_time()
    }

    /// Which execution parts have that could not be compiled, and why, if there are any.
    pub fn interpreted(&self) -> Option<String> {
        let why = self.code.refused()?;
        Some(format!("{why}: that is evaluated term by term, which takes longer"))
    }

    /// Why something could not be evaluated on the way, if so.
    pub fn error(&self) -> Option<JitError> {
        self.code.error()
    }

    /// The edges of the network taken from `state` by `edge`.
    pub fn step(&self, state: &[Word], edge: Edge) -> Step {
        self.step_within(state, edge, None)
    }

    /// The same where choices of joints may have been left out.
    pub(crate) fn step_within<'a>(
        &'a self,
        state: &[Word],
        edge: Edge,
        cut: Option<Box<dyn Cut + 'a>>,
    ) -> Step {
        let state = self.own(state);
        match self.moves().list[edge.label as usize] {
            Move::Joint(joint) => {
                let joint = &self.system().joints[joint as usize];
                let parts = self.joint_parts(joint, state, edge.choice, cut);
                Step::new(parts.iter().map(|part| self.system().part(*part).edge).collect())
            }
            _ if self.moves().holder(edge.label).is_some() && edge.choice != 0 => {
                self.long_step(state, edge)
            }
            _ => self.moves().step(self.system(), edge.label),
        }
    }

    /// Whether control is held on the way, in a step that must be explored again to be
    /// known.
    pub(crate) fn is_long(&self, edge: Edge) -> bool {
        self.moves().holder(edge.label).is_some() && edge.choice != 0 && edge.choice & FUSED == 0
    }

    /// The parts that take part in a step from `state` by `edge`, in the order
    /// of their effects; of a joint that fails, those known to. For systems with
    /// [`System::timing`].
    pub fn participants(&self, state: &[Word], edge: Edge, out: &mut Vec<PartId>) {
        out.clear();
        match self.moves().list[edge.label as usize] {
            Move::Joint(joint) => {
                let joint = &self.system().joints[joint as usize];
                out.extend(self.joint_parts(joint, self.own(state), edge.choice, None));
                if joint.leader.is_some() && !self.system().sender_first {
                    out.rotate_left(1);
                }
            }
            _ => out.extend_from_slice(self.roster.moving(edge.label)),
        }
    }

    /// The parts that a joint chooses, the leader first.
    fn joint_parts<'a>(
        &'a self,
        joint: &Joint,
        state: &[Word],
        wanted: u32,
        cut: Option<Box<dyn Cut + 'a>>,
    ) -> Vec<PartId> {
        let mut found = Vec::new();
        let mut expansion = JointExpansion::new(self);
        expansion.cut = cut;
        expansion.chosen(joint, state, wanted, |part| found.push(part));
        found
    }

    /// A step in which control is held, move by move.
    fn long_step(&self, state: &[Word], edge: Edge) -> Step {
        let mut successors = Batch::new(self.layout().words);
        let mut expander = self.compiled_expander();
        expander.moves(state, &mut successors);
        let labels = match edge.choice & FUSED {
            0 => expander.inside.trail(&mut successors, edge),
            _ => labels(&self.code, &edge).to_vec(),
        };
        let mut moves =
            labels.into_iter().map(|label| self.moves().step(self.system(), label).edges);
        Step { delay: 0, edges: moves.next().unwrap_or_default(), then: moves.collect() }
    }

    /// A generator of successors that can say who takes part.
    pub fn compiled_expander(&self) -> CompiledExpander<'_> {
        CompiledExpander {
            space: self,
            joints: JointExpansion::new(self),
            commitment: self.system().has_commitment(),
            joined: !self.system().joints.is_empty(),
            inside: Inside::new(&self.code),
        }
    }

    /// Whether some component that is running is not where it may rest.
    fn is_unfinished(&self, state: &[Word]) -> bool {
        let fields = &self.layout().fields;
        let mut components = self.system().components.iter();
        components.any(|c| !c.end[fields[c.location.index()].get(state) as usize])
    }

    pub(crate) fn any_committed(&self, state: &[Word]) -> bool {
        let fields = &self.layout().fields;
        self.system().components.iter().any(|component| {
            component.committed[fields[component.location.index()].get(state) as usize]
        })
    }
}

impl Space for CompiledSpace {
    fn width(&self) -> usize {
        self.layout().words
    }

    fn labels(&self) -> u32 {
        self.moves().list.len() as u32
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(self.compiled_expander())
    }
}

/// Generates the successors of a compiled space.
pub struct CompiledExpander<'a> {
    space: &'a CompiledSpace,
    joints: JointExpansion<'a>,
    commitment: bool,
    /// Whether there are joints at all.
    joined: bool,
    inside: Inside<'a>,
}

impl<'a> CompiledExpander<'a> {
    /// What leaves choices of joints out from now on.
    pub(crate) fn cut(&mut self) -> &mut Option<Box<dyn Cut + 'a>> {
        &mut self.joints.cut
    }

    /// Adds the successors of `state` to `out`, which is empty, and who takes part
    /// in each to `who`. For systems with [`System::timing`].
    pub fn expand_with(&mut self, state: &[Word], out: &mut Batch, who: &mut Participants) {
        who.clear();
        self.joints.participants = Some(std::mem::take(who));
        self.expand(state, out);
        *who = self.joints.participants.take().unwrap_or_default();
    }

    /// The sum over who takes part in the step from `state` by `edge`, in bits: of a move
    /// by its label, of a joint by its parts. Control is held as in the state that was
    /// [explored](CompiledExpander::look_inside) last.
    pub(crate) fn movers(
        &mut self,
        state: &[Word],
        edge: Edge,
        of_label: impl Fn(u32) -> u64,
        of_part: impl Fn(PartId) -> u64,
    ) -> u64 {
        let (space, state) = (self.space, self.space.own(state));
        let mut movers = 0;
        let mut add = |edge: &Edge| {
            let labels = labels(&space.code, edge).iter();
            movers |= labels.fold(0, |all, label| all | of_label(*label));
        };
        match space.moves().list[edge.label as usize] {
            Move::Joint(joint) => {
                let joint = &space.system().joints[joint as usize];
                self.joints.chosen(joint, state, edge.choice, |part| movers |= of_part(part));
            }
            _ if space.is_long(edge) => {
                // At least the move that it begins with.
                add(&Edge { choice: 0, ..edge });
                self.inside.moves_of(edge.choice).for_each(|edge| add(&edge));
            }
            _ => add(&edge),
        }
        movers
    }

    /// Explores the steps of `state` in which control is held.
    pub(crate) fn look_inside(&mut self, state: &[Word], scratch: &mut Batch) {
        scratch.clear();
        self.moves(self.space.own(state), scratch);
        self.inside.look(scratch);
    }

    /// Adds the moves of `state` to `out`, also those after which control is
    /// held.
    fn moves(&mut self, state: &[Word], out: &mut Batch) {
        let before = (out.len(), out.faults().len());
        let code = &self.space.code;
        let committed = self.commitment && self.space.any_committed(state);
        if committed && code.system().any_committed {
            code.expand_committed(state, out);
        } else if committed {
            code.expand(state, out, is_committed);
        } else {
            code.expand_all(state, out);
        }
        if self.joined {
            self.joints(state, When { committed, timeout: false }, out);
        }
        if self.space.timeouts && (out.len(), out.faults().len()) == before {
            let may = |system: &System, component: ComponentId, location: usize| {
                !committed || is_committed(system, component, location)
            };
            code.expand_timeouts(state, out, may);
            if self.joined {
                self.joints(state, When { committed, timeout: true }, out);
            }
        }
    }

    fn joints(&mut self, state: &[Word], when: When, out: &mut Batch) {
        let code = &self.space.code;
        let first = (code.moves().list.len() - code.system().joints.len()) as u32;
        if let Some(participants) = &mut self.joints.participants {
            participants.joints_from(out.len(), out.faults().len());
        }
        for (index, joint) in code.system().joints.iter().enumerate() {
            self.joints.expand(joint, first + index as u32, state, when, out);
        }
    }
}

fn is_committed(system: &System, component: ComponentId, location: usize) -> bool {
    system.component(component).committed[location]
}

impl Expander for CompiledExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        let initial = self.space.layout().pack(&self.space.system().initial());
        out.push(&initial, Edge::default());
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let state = self.space.own(state);
        if self.space.code.is_trapped(state) {
            return out.set_deadlock(false);
        }
        let (states, faults) = (out.len(), out.faults().len());
        self.moves(state, out);
        if self.space.atomic {
            self.inside.follow(states, faults, out);
        }
        let stuck = (out.len(), out.faults().len()) == (states, faults);
        if out.faults().len() > faults {
            self.space.note_unstarted(state, &out.faults()[faults..]);
        }
        out.set_deadlock(stuck && self.space.is_unfinished(state));
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.space.conditions(state)
    }
}
