//! Brings together the parts that move together.
//!
//! Parts are sorted once by the channel or the label they offer, so that a thousand
//! processes that broadcast on channels of their own cost what they write down, not
//! every part for each of their pairs.

use std::collections::BTreeMap;

use super::Flattener;
use crate::network::{ChannelId, ChannelKind, LabelId, Participant};
use crate::system::{ComponentId, Joint, Member, Part, PartId, PartRole, Rendezvous};

/// Parts by what they offer, in the order of their numbers.
struct Offers {
    /// Those that send, by channel.
    senders: Vec<Vec<PartId>>,
    /// Those that receive, by channel.
    receivers: Vec<Vec<PartId>>,
    labels: BTreeMap<(ComponentId, LabelId), Vec<PartId>>,
}

impl Offers {
    fn new(parts: &[Part], channels: usize) -> Offers {
        let none = vec![Vec::new(); channels];
        let mut offers = Offers { senders: none.clone(), receivers: none, labels: BTreeMap::new() };
        for (number, part) in parts.iter().enumerate() {
            let id = PartId(number as u32);
            match part.role {
                PartRole::Alone => {}
                PartRole::Send(channel, _) => offers.senders[channel.index()].push(id),
                PartRole::Receive(channel, _) => offers.receivers[channel.index()].push(id),
                PartRole::Label(label) => {
                    offers.labels.entry((part.component, label)).or_default().push(id);
                }
            }
        }
        offers
    }
}

impl Flattener<'_> {
    /// Pairs senders with receivers, broadcasters with all who listen, and labels by
    /// the vectors that name them.
    pub(super) fn synchronise(&mut self) {
        if self.system.synchronous {
            let members = self.everybody();
            self.system.joints.push(Joint { leader: None, members });
            return;
        }
        let network = self.network;
        let mut offers = Offers::new(&self.system.parts, network.channels.len());
        for (index, channel) in network.channels.iter().enumerate() {
            let senders = std::mem::take(&mut offers.senders[index]);
            let receivers = std::mem::take(&mut offers.receivers[index]);
            match channel.kind {
                ChannelKind::Rendezvous => {
                    let channel = ChannelId(index as u32);
                    self.system.rendezvous.push(Rendezvous { channel, senders, receivers });
                }
                ChannelKind::Broadcast => self.broadcasts(&senders, &receivers),
                ChannelKind::Buffered(_) => {}
            }
        }
        for vector in &network.vectors {
            let members = vector.participants.iter();
            let members = members.filter_map(|one| self.vector_member(one, &offers)).collect();
            self.system.joints.push(Joint { leader: None, members });
        }
    }

    /// A joint a sender: with everybody else who listens.
    fn broadcasts(&mut self, senders: &[PartId], receivers: &[PartId]) {
        let mut listeners: BTreeMap<ComponentId, Vec<PartId>> = BTreeMap::new();
        for part in receivers {
            listeners.entry(self.system.part(*part).component).or_default().push(*part);
        }
        for leader in senders {
            let sender = self.system.part(*leader).component;
            let others = listeners.iter().filter(|(component, _)| **component != sender);
            let member = |(component, parts): (&ComponentId, &Vec<PartId>)| Member {
                component: *component,
                parts: parts.clone(),
                optional: true,
            };
            let members = others.map(member).collect();
            self.system.joints.push(Joint { leader: Some(*leader), members });
        }
    }

    /// Every component, with all its parts.
    fn everybody(&self) -> Vec<Member> {
        let components = (0..self.system.components.len() as u32).map(ComponentId);
        let alone = |component| Member { component, parts: Vec::new(), optional: false };
        let mut members: Vec<Member> = components.map(alone).collect();
        for (number, part) in self.system.parts.iter().enumerate() {
            members[part.component.index()].parts.push(PartId(number as u32));
        }
        members
    }

    fn vector_member(&self, participant: &Participant, offers: &Offers) -> Option<Member> {
        let Participant { process, label, optional } = *participant;
        let component = self.components[process.index()]?;
        let parts = offers.labels.get(&(component, label)).cloned().unwrap_or_default();
        Some(Member { component, parts, optional })
    }
}
