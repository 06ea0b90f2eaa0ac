//! Steps of many parts: broadcasts, vectors, synchronous steps.
//!
//! Who can move is found as `homing_space` finds it, in the same order, so that a guard that
//! fails is met here exactly where it is met there:
//!
//! ```text
//! ready(joint):
//!   the leader: at its location, guard, message
//!   committed components: some part of the joint must be at a committed location
//!   every member that must move is at a location of one of its parts
//!   member by member, part by part: those whose guards hold and that take the message
//!   a member that must move and has none: no step
//! for each choice of one ready part a member: a transition
//! ```
//! Choices are made one member after the other, so that what can never be combined is
//! dropped early.

use homing_budget::checkpoint;
use homing_ir::system::{Joint, Member, PartId, PartRole};

use super::moves::{Ready, Transition};
use super::terms::Frame;
use super::{Encoded, Encoding, Trouble};
use crate::bits::Bits;
use crate::diagram::{Made, Set};

/// The most choices of a joint that are encoded.
const CHOICES: usize = 20_000;

/// A joint being put together.
struct Choosing<'j> {
    joint: &'j Joint,
    label: u32,
    message: Vec<Bits>,
    found: Vec<Transition>,
}

impl Encoding<'_> {
    /// All ways of a joint.
    pub(super) fn joint(
        &self,
        label: u32,
        number: u32,
        found: &mut Vec<Transition>,
    ) -> Encoded<()> {
        let joint = &self.system.joints[number as usize];
        let parts = || joint.members.iter().flat_map(|member| member.parts.iter().copied());
        let first = joint.leader.or_else(|| parts().next());
        let timeouts = joint.leader.into_iter().chain(parts());
        if timeouts.into_iter().any(|part| self.system.part(part).timeout) {
            let why = "steps of many processes that wait until nothing else moves have no encoding";
            return Err(Trouble::Refused(
                why.into(),
                first.map(|part| self.system.part(part).edge),
            ));
        }
        let blame = |why| match first {
            Some(part) => self.blame(why, part),
            None => why,
        };
        let mut choosing = Choosing { joint, label, message: Vec::new(), found: Vec::new() };
        let ready = self.gather(&mut choosing);
        ready.and_then(|ready| self.choices(&mut choosing, ready)).map_err(blame)?;
        found.append(&mut choosing.found);
        Ok(())
    }

    /// Where the joint can happen, and where finding out fails.
    fn gather(&self, choosing: &mut Choosing) -> Encoded<Ready> {
        let d = &self.diagrams;
        let here = match self.system.trap {
            Some(trap) => self.is(trap, 0)?,
            None => d.constant(true),
        };
        let mut ready = Ready { frame: Frame::default(), here, fails: d.constant(false) };
        let led = self.led(choosing.joint)?;
        if let Some(leader) = choosing.joint.leader {
            let part = self.system.part(leader);
            ready.here = self.takes_part(leader)?;
            self.guard(part, &mut ready)?;
            ready.here = d.and(&ready.here, &led)?;
            choosing.message = self.message(part, &mut ready)?;
        } else {
            ready.here = d.and(&ready.here, &led)?;
        }
        for member in &choosing.joint.members {
            let there = self.some(member.parts.iter().map(|part| self.takes_part(*part)))?;
            let may = d.or(&there, &self.need_not(member)?)?;
            ready.here = d.and(&ready.here, &may)?;
        }
        for member in &choosing.joint.members {
            let mut able = d.constant(false);
            for part in &member.parts {
                let (can, fails) = self.can(*part, &choosing.message)?;
                let fails = d.and(&ready.here, &fails)?;
                ready.fails = d.or(&ready.fails, &fails)?;
                ready.here = d.minus(&ready.here, &fails)?;
                able = d.or(&able, &can)?;
            }
            let able = d.or(&able, &self.need_not(member)?)?;
            ready.here = d.and(&ready.here, &able)?;
        }
        Ok(ready)
    }

    fn some(&self, sets: impl Iterator<Item = Made<Set>>) -> Made<Set> {
        let mut any = self.diagrams.constant(false);
        for set in sets {
            any = self.diagrams.or(&any, &set?)?;
        }
        Ok(any)
    }

    /// Where a part is at its location and commitment lets it move.
    fn takes_part(&self, part: PartId) -> Made<Set> {
        let part = self.system.part(part);
        let present = self.present(part)?;
        if self.system.any_committed || self.system.is_committed(part) {
            return Ok(present);
        }
        self.diagrams.minus(&present, &self.committed()?)
    }

    /// Where commitment lets a joint happen: somebody in it is committed, if anybody is.
    fn led(&self, joint: &Joint) -> Made<Set> {
        let members = joint.members.iter().flat_map(|member| member.parts.iter().copied());
        let parts = joint.leader.into_iter().chain(members);
        let leading = parts.filter(|part| self.system.is_committed(self.system.part(*part)));
        let led = self.some(leading.map(|part| self.takes_part(part)))?;
        self.diagrams.or(&led, &self.diagrams.not(&self.committed()?))
    }

    /// Where commitment lets these parts move together, if one that is committed is enough.
    fn led_by(&self, parts: &[PartId]) -> Made<Set> {
        let mut parts = parts.iter().map(|part| self.system.part(*part));
        match !self.system.any_committed || parts.any(|part| self.system.is_committed(part)) {
            true => Ok(self.diagrams.constant(true)),
            false => Ok(self.diagrams.not(&self.committed()?)),
        }
    }

    /// Where a joint may happen without a member.
    fn need_not(&self, member: &Member) -> Made<Set> {
        let component = self.system.component(member.component);
        match component.absent {
            _ if member.optional => Ok(self.diagrams.constant(true)),
            Some(absent) if self.system.synchronous => self.is(component.location, absent),
            _ => Ok(self.diagrams.constant(false)),
        }
    }

    /// Where a part can move, and where finding out fails.
    fn can(&self, id: PartId, message: &[Bits]) -> Encoded<(Set, Set)> {
        let ready = self.ready(id, message)?;
        Ok((ready.here, ready.fails))
    }

    fn ready(&self, id: PartId, message: &[Bits]) -> Encoded<Ready> {
        let part = self.system.part(id);
        let (frame, here) = (Frame::default(), self.takes_part(id)?);
        let mut ready = Ready { frame, here, fails: self.diagrams.constant(false) };
        self.guard(part, &mut ready)?;
        self.take(part, message, &mut ready)?;
        if matches!(part.role, PartRole::Receive(..)) {
            self.prepare(part, &mut ready)?;
        }
        Ok(ready)
    }

    /// One transition for every choice of ready parts, and one for the failures.
    fn choices(&self, choosing: &mut Choosing, ready: Ready) -> Encoded<()> {
        let d = &self.diagrams;
        let mut open = vec![(ready.here.clone(), Frame::default(), Vec::<PartId>::new())];
        for member in &choosing.joint.members {
            open = self.with_member(choosing, member, open)?;
        }
        let mut fails = ready.fails;
        for (here, frame, mut parts) in open {
            if parts.is_empty() && choosing.joint.leader.is_none() {
                continue;
            }
            match choosing.joint.leader {
                Some(leader) if self.system.sender_first => parts.insert(0, leader),
                Some(leader) => parts.push(leader),
                None => {}
            }
            let failed = std::mem::replace(&mut fails, d.constant(false));
            let here = d.and(&here, &self.led_by(&parts)?)?;
            let mut ready = Ready { frame, here, fails: failed };
            for part in parts.iter().map(|part| self.system.part(*part)) {
                if !matches!(part.role, PartRole::Receive(..)) {
                    self.prepare(part, &mut ready)?;
                }
            }
            choosing.found.extend(self.transition(choosing.label, &parts, ready)?);
        }
        if !fails.is_empty() {
            let ready = Ready { frame: Frame::default(), here: d.constant(false), fails };
            choosing.found.extend(self.transition(choosing.label, &[], ready)?);
        }
        Ok(())
    }

    /// The choices made so far, each with one part of a member, or without it where it has
    /// none that is ready.
    fn with_member(
        &self,
        choosing: &Choosing,
        member: &Member,
        open: Vec<(Set, Frame, Vec<PartId>)>,
    ) -> Encoded<Vec<(Set, Frame, Vec<PartId>)>> {
        let d = &self.diagrams;
        let parts =
            member.parts.iter().map(|part| Ok((*part, self.ready(*part, &choosing.message)?)));
        let parts: Vec<(PartId, Ready)> = parts.collect::<Encoded<_>>()?;
        let able = self.some(parts.iter().map(|(_, ready)| Ok(ready.here.clone())))?;
        let mut next = Vec::new();
        for (here, frame, chosen) in open {
            checkpoint();
            for (part, ready) in &parts {
                let both = d.and(&here, &ready.here)?;
                if !both.is_empty() {
                    let mut frame = frame.clone();
                    frame.computed.extend(ready.frame.computed.iter().cloned());
                    next.push((both, frame, [&chosen[..], &[*part]].concat()));
                }
            }
            let without = d.minus(&here, &able)?;
            if !without.is_empty() {
                next.push((without, frame, chosen));
            }
            if next.len() > CHOICES {
                let why = format!("more than {CHOICES} combinations of parts may move in one step");
                return Err(Trouble::Refused(why, None));
            }
        }
        Ok(next)
    }
}
