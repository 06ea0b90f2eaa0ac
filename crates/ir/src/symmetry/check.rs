//! Whether an exchange is an automorphism.
//!
//! ```text
//! components that are exchanged have the same locations
//! every part has an image among the parts, equally often
//! every rendezvous and every joint has an image among them
//! every condition is its own image
//! what is said of clocks has its image too                       (`clocks`)
//! ```
//! Three things depend on an order that an exchange may change. The effects of a
//! joint run in the order of its members: those that change places must have
//! nothing to do with each other, and must not fail. A component that holds
//! control and takes its first move only must find its image's moves in the same
//! order, so where it would send, nothing is interchangeable.
//!
//! The image of a state must fit into the slots, whose ranges the passes narrow to
//! what they hold from the initial state on. Either the initial state is its own
//! image: then the image of whatever is reached is reached, and fits. Or ranges
//! have to be the same too.

use std::collections::BTreeMap;

use super::Exchange;
use super::image::{self, Text};
use super::sorts::Sorts;
use crate::footprint::{Footprint, footprint};
use crate::network::Atomic;
use crate::system::{
    ComponentId, Interval, Joint, Member, PartId, PartRole, SiteId, SlotId, System,
};

/// Checks exchanges of one system.
pub(super) struct Checker<'a> {
    pub system: &'a System,
    pub sorts: &'a Sorts,
    /// Whether the initial state must be its own image, or else ranges theirs.
    pub start: bool,
    /// Parts with the same text have the same class.
    classes: BTreeMap<Text, u32>,
    class: Vec<u32>,
    /// For every condition, its text.
    conditions: Vec<Option<Text>>,
}

/// A rule by which parts move together, up to the order of members.
type Rule = Vec<Vec<u32>>;

impl<'a> Checker<'a> {
    pub(super) fn new(system: &'a System, sorts: &'a Sorts, start: bool) -> Checker<'a> {
        let nothing = identity();
        let mut classes = BTreeMap::new();
        let mut class = Vec::new();
        for part in parts(system) {
            homing_budget::checkpoint();
            let fresh = classes.len() as u32;
            // The identity has an image of everything.
            let text = image::part(system, sorts, &nothing, part).unwrap_or_default();
            class.push(*classes.entry(text).or_insert(fresh));
        }
        let conditions = 0..system.conditions.len();
        let conditions =
            conditions.map(|one| image::condition(system, sorts, &nothing, one)).collect();
        Checker { system, sorts, start, classes, class, conditions }
    }

    /// Whether the exchange maps the system to itself.
    pub(super) fn is_automorphism(&self, exchange: &Exchange) -> bool {
        self.keeps_slots(exchange)
            && self.keeps_components(exchange)
            // Most that is none fails at a part.
            && self.image(exchange).is_some_and(|image| {
                self.keeps_parts(&image)
                    && self.keeps_rendezvous(exchange, &image)
                    && self.keeps_joints(exchange, &image)
                    && self.keeps_first_moves(exchange, &image)
            })
            && self.keeps_conditions(exchange)
            && self.keeps_timing(exchange)
    }

    fn keeps_slots(&self, exchange: &Exchange) -> bool {
        let slots = &self.system.slots;
        let mut all = slots.iter().enumerate();
        all.all(|(index, slot)| {
            let id = SlotId(index as u32);
            let (to, sort) = (exchange.slot(id), self.sorts.of_slot(id));
            let image = &slots[to.index()];
            let names = sort.and_then(|sort| exchange.names.get(&sort));
            let also = self.sorts.of_slot(to).and_then(|sort| exchange.names.get(&sort));
            let initial = exchange.value(sort, slot.initial);
            let fits = match self.start {
                true => initial == image.initial,
                false => renamed(slot.range, names) == Some(image.range),
            };
            names == also && fits
        })
    }

    fn keeps_components(&self, exchange: &Exchange) -> bool {
        let components = &self.system.components;
        let site = |site: &Option<SiteId>| site.map(|site| self.system.sites[site.index()].kind);
        let mut all = components.iter().enumerate();
        let fits = all.all(|(index, component)| {
            let image = &components[exchange.component(ComponentId(index as u32)).index()];
            exchange.slot(component.location) == image.location
                && component.committed == image.committed
                && component.absent == image.absent
                && component.end == image.end
                && component.blocked.iter().map(site).eq(image.blocked.iter().map(site))
        });
        fits && self.system.trap.is_none_or(|trap| exchange.slot(trap) == trap)
    }

    fn keeps_conditions(&self, exchange: &Exchange) -> bool {
        let mut all = self.conditions.iter().enumerate();
        all.all(|(number, text)| {
            let image = image::condition(self.system, self.sorts, exchange, number);
            image.is_some() && image == *text
        })
    }

    /// For every part, the class of its image.
    fn image(&self, exchange: &Exchange) -> Option<Vec<u32>> {
        let image = parts(self.system).map(|part| {
            let text = image::part(self.system, self.sorts, exchange, part)?;
            self.classes.get(&text).copied()
        });
        image.collect()
    }

    fn keeps_parts(&self, image: &[u32]) -> bool {
        sorted(image.to_vec()) == sorted(self.class.clone())
    }

    fn keeps_rendezvous(&self, exchange: &Exchange, image: &[u32]) -> bool {
        let classes = |parts: &[PartId], class: &[u32]| {
            sorted(parts.iter().map(|part| class[part.index()]).collect())
        };
        let rendezvous = &self.system.rendezvous;
        rendezvous.iter().all(|one| {
            let channel = exchange.channel(one.channel);
            let Some(other) = rendezvous.iter().find(|other| other.channel == channel) else {
                return false;
            };
            classes(&one.senders, image) == classes(&other.senders, &self.class)
                && classes(&one.receivers, image) == classes(&other.receivers, &self.class)
        })
    }

    fn keeps_joints(&self, exchange: &Exchange, image: &[u32]) -> bool {
        let mut left: BTreeMap<Rule, Vec<&Joint>> = BTreeMap::new();
        for joint in &self.system.joints {
            left.entry(rule(joint, &self.class, |c| c)).or_default().push(joint);
        }
        let mut joints = self.system.joints.iter();
        joints.all(|joint| {
            let rule = rule(joint, image, |component| exchange.component(component));
            let Some(other) = left.get_mut(&rule).and_then(Vec::pop) else { return false };
            self.keeps_order(joint, other, exchange)
        })
    }

    /// Whether members whose images come in another order may do so.
    fn keeps_order(&self, joint: &Joint, other: &Joint, exchange: &Exchange) -> bool {
        let place = |member: &Member| {
            let component = exchange.component(member.component);
            other.members.iter().position(|member| member.component == component)
        };
        let mut pairs = joint.members.iter().enumerate().flat_map(|(index, first)| {
            joint.members[index + 1..].iter().map(move |second| (first, second))
        });
        pairs.all(|(first, second)| place(first) < place(second) || self.commute(first, second))
    }

    fn commute(&self, first: &Member, second: &Member) -> bool {
        let fails = |part: &PartId| {
            let part = self.system.part(*part);
            part.source_terms().into_iter().any(|term| image::may_fail(self.system, term))
                || part.commands().any(|command| command.may_fail())
        };
        if first.parts.iter().chain(&second.parts).any(fails) {
            return false;
        }
        let reach = |parts: &[PartId]| -> Vec<Footprint> {
            parts.iter().map(|part| footprint(self.system, *part)).collect()
        };
        let disturbs = |one: &Footprint, other: &Footprint| {
            one.may_write.meets(&other.may_write) || one.may_write.meets(&other.effect_reads)
        };
        let (first, second) = (reach(&first.parts), reach(&second.parts));
        let mut pairs = first.iter().flat_map(|one| second.iter().map(move |other| (one, other)));
        !pairs.any(|(one, other)| disturbs(one, other) || disturbs(other, one))
    }

    /// Where only the first move counts, moves must come in the same order.
    fn keeps_first_moves(&self, exchange: &Exchange, image: &[u32]) -> bool {
        let parts = &self.system.parts;
        let first_only = |component: ComponentId| {
            let mut own = parts.iter().filter(|part| part.component == component);
            own.any(|part| part.atomic == Atomic::Deterministic)
        };
        let of = |component: ComponentId, class: &[u32]| -> Vec<u32> {
            let own = parts.iter().zip(class).filter(|(part, _)| part.component == component);
            own.map(|(_, class)| *class).collect()
        };
        let mut components = (0..self.system.components.len() as u32).map(ComponentId);
        components.all(|component| {
            let mut own = parts.iter().filter(|part| part.component == component);
            !first_only(component)
                || own.all(|part| !matches!(part.role, PartRole::Send(..)))
                    && of(component, image) == of(exchange.component(component), &self.class)
        })
    }
}

fn parts(system: &System) -> impl Iterator<Item = PartId> {
    (0..system.parts.len() as u32).map(PartId)
}

pub(super) fn identity() -> Exchange {
    Exchange::of(ComponentId(0), ComponentId(0))
}

/// The range with two values exchanged, if that is one.
fn renamed(range: Interval, names: Option<&(i64, i64)>) -> Option<Interval> {
    let Some((a, b)) = names else { return Some(range) };
    match range.contains(*a) == range.contains(*b) {
        true => Some(range),
        false if range.is_point() && range.lo == *a => Some(Interval::point(*b)),
        false if range.is_point() => Some(Interval::point(*a)),
        false => None,
    }
}

fn rule(joint: &Joint, class: &[u32], image: impl Fn(ComponentId) -> ComponentId) -> Rule {
    let members = joint.members.iter().map(|member| {
        let parts = sorted(member.parts.iter().map(|part| class[part.index()]).collect());
        [vec![image(member.component).0, u32::from(member.optional)], parts].concat()
    });
    let leader = joint.leader.iter().map(|leader| class[leader.index()]).collect();
    [vec![leader], sorted(members.collect())].concat()
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list
}
