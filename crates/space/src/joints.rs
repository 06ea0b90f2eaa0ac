//! Joints, put together from single parts: broadcasts, vectors, synchronous
//! steps.
//!
//! ```text
//! expand(joint):
//!   for each member: ready := those of its parts that can move
//!     none, and the member must move: there is no step
//!   for each choice of one ready part a member: run all effects, emit
//! ```
//! Where a part's guard speaks of clocks, a member that may stay away has one more
//! choice, to do so; see [`crate::participants`]. Where one committed participant
//! is enough, choices without any are left out. Both count in the numbering of
//! choices, so that a number means the same whoever counts. Where there are very many,
//! those that clocks forbid are left out as soon as that is seen (`zones::cutting`).

use std::cmp::Ordering::{Equal, Less};

use homing_core::{Batch, Edge, Fault, Word};
use homing_ir::system::{ComponentId, Joint, Member, PartId};
use homing_jit::{Outcome, Phase, Ready};

use crate::CompiledSpace;
use crate::participants::Participants;
use crate::zones::dbm::Dbm;

/// What says early which choices are impossible. A choice is made level by level, that of
/// the leader being 0; what is said of a level holds behind what was said last of the
/// levels before it.
pub(crate) trait Cut {
    /// The most choices of a joint that are all looked at.
    fn most(&self) -> usize;
    /// Choices are made in this state, for these values of clocks.
    fn begin(&mut self, state: &[Word], zone: &Dbm);
    /// Whether this part may move, if there is one at all.
    fn moves(&mut self, level: usize, part: Option<PartId>) -> bool;
    /// Whether all of these may be unable to.
    fn refrains(&mut self, level: usize, parts: &[PartId]) -> bool;
}

/// What decides about who may move in a state, besides guards.
#[derive(Clone, Copy)]
pub(crate) struct When {
    /// Only those at committed locations; or also others, together with them
    /// ([`System::any_committed`](homing_ir::System::any_committed)).
    pub(crate) committed: bool,
    /// Also the parts that move only where no others do.
    pub(crate) timeout: bool,
}

/// Puts joints together from single parts. Owns its scratch memory.
pub(crate) struct JointExpansion<'a> {
    space: &'a CompiledSpace,
    /// Where to note who takes part, if that is wanted.
    pub(crate) participants: Option<Participants>,
    /// What leaves out choices, where there are many.
    pub(crate) cut: Option<Box<dyn Cut + 'a>>,
    message: Vec<i64>,
    /// The parts that can move, member after member.
    ready: Vec<PartId>,
    members: Vec<Choosing>,
    parts: Vec<PartId>,
    refraining: Vec<PartId>,
    leader: Option<PartId>,
    target: Vec<Word>,
}

/// What is done with a choice: its number, its parts, and those that refrain.
type Visit<'v> = dyn FnMut(u32, &[PartId], &[PartId]) + 'v;

/// A member that can move.
#[derive(Clone, Copy)]
struct Choosing {
    /// Where its parts lie in `ready`.
    start: usize,
    end: usize,
    /// Which of them moves; `end` where it stays away.
    chosen: usize,
    /// Whether it may stay away although its parts are ready: it need not move,
    /// and clocks may forbid it to.
    may_refrain: bool,
    /// Whether there is no step without it.
    must_move: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gathered {
    Blocked,
    Ready,
    Failed { part: PartId, site: u32 },
}

impl<'a> JointExpansion<'a> {
    pub(crate) fn new(space: &'a CompiledSpace) -> JointExpansion<'a> {
        JointExpansion {
            space,
            participants: None,
            cut: None,
            message: vec![0; space.message],
            ready: Vec::new(),
            members: Vec::new(),
            parts: Vec::new(),
            refraining: Vec::new(),
            leader: None,
            target: vec![0; space.layout().words],
        }
    }

    pub(crate) fn expand(
        &mut self,
        joint: &Joint,
        label: u32,
        state: &[Word],
        when: When,
        out: &mut Batch,
    ) {
        match self.gather(joint, state, when) {
            Gathered::Blocked => {}
            Gathered::Failed { part, site } => {
                let fault = Fault { edge: Edge { label, choice: 0 }, site };
                self.fail(part, fault, out);
            }
            Gathered::Ready => self.combine(label, state, when, out),
        }
    }

    /// Finds the parts that can move: of each member at least one, unless it
    /// is optional.
    pub(crate) fn gather(&mut self, joint: &Joint, state: &[Word], when: When) -> Gathered {
        self.ready.clear();
        self.members.clear();
        self.leader = joint.leader;
        if let Some(leader) = joint.leader {
            if !self.present(leader, state, when) || !self.in_time(leader, when) {
                return Gathered::Blocked;
            }
            match self.space.code.ready(leader, state, &mut self.message) {
                Ready::No => return Gathered::Blocked,
                Ready::Failed(site) if self.space.roster.is_guard(site) => {
                    return Gathered::Failed { part: leader, site };
                }
                _ if !self.is_led(joint, state, when) => return Gathered::Blocked,
                Ready::Failed(site) => return Gathered::Failed { part: leader, site },
                Ready::Yes => {}
            }
        } else if !self.is_led(joint, state, when) {
            return Gathered::Blocked;
        }
        if !joint.members.iter().all(|member| self.can_take_part(member, state, when)) {
            return Gathered::Blocked;
        }
        for member in &joint.members {
            let start = self.ready.len();
            for part in &member.parts {
                if !self.present(*part, state, when) || !self.in_time(*part, when) {
                    continue;
                }
                match self.space.code.ready(*part, state, &mut self.message) {
                    Ready::No => {}
                    Ready::Failed(site) => return Gathered::Failed { part: *part, site },
                    Ready::Yes => self.ready.push(*part),
                }
            }
            let must_move = !member.optional && !self.is_absent(member, state);
            let end = self.ready.len();
            if end > start {
                let may_refrain = member.optional && self.all_timed(start);
                self.members.push(Choosing { start, end, chosen: start, may_refrain, must_move });
            } else if must_move {
                return Gathered::Blocked;
            }
        }
        let alone = self.leader.is_none() && self.members.is_empty();
        if alone { Gathered::Blocked } else { Gathered::Ready }
    }

    /// Whether somebody who might take part is committed, if that matters. The
    /// guard of a leader is looked at before that, all others are not.
    fn is_led(&self, joint: &Joint, state: &[Word], when: When) -> bool {
        let system = self.space.system();
        if !when.committed {
            return true;
        }
        let members = joint.members.iter().flat_map(|member| &member.parts);
        let mut parts = joint.leader.iter().chain(members);
        let leads = |part: PartId| system.is_committed(system.part(part));
        parts.any(|part| leads(*part) && self.present(*part, state, when))
    }

    /// Whether clocks decide about all the parts found last.
    fn all_timed(&self, start: usize) -> bool {
        let Some(timing) = &self.space.system().timing else { return false };
        self.ready[start..].iter().all(|part| !timing.parts[part.index()].guard.is_empty())
    }

    /// Whether a member that must move is where it might.
    fn can_take_part(&self, member: &Member, state: &[Word], when: When) -> bool {
        member.optional
            || self.is_absent(member, state)
            || member.parts.iter().any(|part| self.present(*part, state, when))
    }

    /// Whether a process is not running: a synchronous system steps without it.
    fn is_absent(&self, member: &Member, state: &[Word]) -> bool {
        let system = self.space.system();
        system.synchronous
            && system.component(member.component).absent
                == Some(self.location(member.component, state))
    }

    fn location(&self, component: ComponentId, state: &[Word]) -> i64 {
        let slot = self.space.system().component(component).location;
        self.space.layout().fields[slot.index()].get(state)
    }

    /// Whether the part's component is at its location, and free to move.
    fn present(&self, part: PartId, state: &[Word], when: When) -> bool {
        let system = self.space.system();
        let part = system.part(part);
        self.location(part.component, state) == part.from
            && (!when.committed || system.any_committed || system.is_committed(part))
    }

    /// Whether a part need not wait until nothing else moves.
    fn in_time(&self, part: PartId, when: When) -> bool {
        when.timeout || !self.space.system().part(part).timeout
    }

    /// Calls `visit` with the parts of one choice, the leader first; of a joint that
    /// fails, with those known to take part.
    pub(crate) fn chosen(
        &mut self,
        joint: &Joint,
        state: &[Word],
        wanted: u32,
        mut visit: impl FnMut(PartId),
    ) {
        let mut when = When { committed: self.space.any_committed(state), timeout: false };
        let mut gathered = self.gather(joint, state, when);
        if gathered == Gathered::Blocked && self.space.timeouts {
            when.timeout = true;
            gathered = self.gather(joint, state, when);
        }
        match gathered {
            Gathered::Blocked => {}
            Gathered::Ready => self.each(when, &mut |choice, parts, _| {
                if choice == wanted {
                    parts.iter().for_each(|part| visit(*part));
                }
            }),
            Gathered::Failed { part, .. } => {
                let leader = joint.leader.filter(|leader| *leader != part);
                leader.into_iter().chain([part]).for_each(visit);
            }
        }
    }

    /// Calls `visit` with every choice of one part a member, the last varying
    /// fastest, the leader first, and with the parts that must not be able to
    /// move.
    pub(crate) fn each(&mut self, when: When, visit: &mut Visit) {
        if let Some(mut cut) = self.cut.take_if(|cut| is_crowded(&self.members, cut.most())) {
            self.each_possible(&mut *cut, when, visit);
            self.cut = Some(cut);
            return;
        }
        for choice in 0.. {
            self.choose();
            if !self.parts.is_empty() && self.is_allowed(when) {
                visit(choice, &self.parts, &self.refraining);
            }
            if !self.advance() {
                return;
            }
        }
    }

    /// The same of the choices that are possible, which are counted alone.
    fn each_possible(&mut self, cut: &mut dyn Cut, when: When, visit: &mut Visit) {
        let (mut choice, mut at) = (0, 0);
        let mut goes_on = cut.moves(0, self.leader);
        while goes_on {
            homing_budget::checkpoint();
            let Some(member) = self.members.get(at).copied() else {
                self.choose();
                if !self.parts.is_empty() && self.is_allowed(when) {
                    visit(choice, &self.parts, &self.refraining);
                }
                choice += 1;
                goes_on = self.back(&mut at);
                continue;
            };
            let possible = match member.chosen.cmp(&member.end) {
                Less => cut.moves(at + 1, Some(self.ready[member.chosen])),
                Equal if member.may_refrain => {
                    cut.refrains(at + 1, &self.ready[member.start..member.end])
                }
                _ => {
                    self.members[at].chosen = member.start;
                    goes_on = self.back(&mut at);
                    continue;
                }
            };
            match possible {
                true => at += 1,
                false => self.members[at].chosen += 1,
            }
        }
    }

    /// Goes on to the next choice of the member before; none where there is no such.
    fn back(&mut self, at: &mut usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        *at = before;
        self.members[before].chosen += 1;
        true
    }

    fn choose(&mut self) {
        self.parts.clear();
        self.refraining.clear();
        self.parts.extend(self.leader);
        for member in &self.members {
            if member.chosen < member.end {
                self.parts.push(self.ready[member.chosen]);
            } else {
                self.refraining.extend_from_slice(&self.ready[member.start..member.end]);
            }
        }
    }

    /// Whether commitment allows the chosen parts to move.
    fn is_allowed(&self, when: When) -> bool {
        let system = self.space.system();
        !when.committed || self.parts.iter().any(|part| system.is_committed(system.part(*part)))
    }

    /// Goes on to the next choice, like an odometer.
    fn advance(&mut self) -> bool {
        for member in self.members.iter_mut().rev() {
            member.chosen += 1;
            if member.chosen < member.end + usize::from(member.may_refrain) {
                return true;
            }
            member.chosen = member.start;
        }
        false
    }

    fn combine(&mut self, label: u32, state: &[Word], when: When, out: &mut Batch) {
        let (space, message) = (self.space, std::mem::take(&mut self.message));
        let mut target = std::mem::take(&mut self.target);
        let mut who = self.participants.take();
        let last = usize::from(self.leader.is_some() && !space.system().sender_first);
        self.each(when, &mut |choice, parts, refraining| {
            let edge = Edge { label, choice };
            let (leader, others) = parts.split_at(last);
            let order = others.iter().chain(leader).copied();
            target.copy_from_slice(state);
            match take(space, state, &message, order.clone(), &mut target) {
                Outcome::Done => {
                    out.push(&target, edge);
                    if let Some(who) = &mut who {
                        who.step(order, refraining);
                    }
                }
                Outcome::Failed(site) => {
                    out.fail(Fault { edge, site });
                    if let Some(who) = &mut who {
                        who.fault(parts);
                    }
                }
            }
        });
        self.participants = who;
        self.message = message;
        self.target = target;
    }

    /// The guard of `part` fails. Those asked before it must be able to move: the
    /// leader, and one part of every member that has to.
    fn fail(&mut self, part: PartId, fault: Fault, out: &mut Batch) {
        let Some(mut who) = self.participants.take() else { return out.fail(fault) };
        self.leader = self.leader.filter(|leader| *leader != part);
        self.members.retain(|member| member.must_move);
        loop {
            self.choose();
            out.fail(fault);
            who.fault(&self.parts);
            if !self.advance() {
                break;
            }
        }
        self.participants = Some(who);
    }
}

/// Whether there are too many choices to look at all.
fn is_crowded(members: &[Choosing], most: usize) -> bool {
    let choices = |one: &Choosing| one.end - one.start + usize::from(one.may_refrain);
    let mut all: usize = 1;
    members.iter().any(|one| one.may_refrain)
        && members.iter().any(|one| {
            all = all.saturating_mul(choices(one));
            all > most
        })
}

/// Runs all phases of all parts on `target`.
fn take(
    space: &CompiledSpace,
    state: &[Word],
    message: &[i64],
    parts: impl Iterator<Item = PartId> + Clone,
    target: &mut [Word],
) -> Outcome {
    for phase in Phase::ALL {
        for part in parts.clone() {
            let outcome = space.code.apply(part, phase, state, message, target);
            if outcome != Outcome::Done {
                return outcome;
            }
        }
    }
    Outcome::Done
}
