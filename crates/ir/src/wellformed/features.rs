//! The constructs that an engine may not support.

use crate::diagnostic::Diagnostic;
use crate::network::{
    Action, Arithmetic, Atomic, Channel, ChannelKind, Composition, Edge, Expr, ExprKind, Guard,
    Lifetime, Location, Network, ReceiveOrder, SendOrder, Statement, StatementKind, Storage,
    Target, Type, Urgency,
};
use crate::source::Span;

macro_rules! features {
    ($($(#[$doc:meta])* $feature:ident = $name:literal),* $(,)?) => {
        /// A construct beyond the plain core: processes with edges, guards and
        /// assignments on integers, arrays and records, rendezvous and first-in
        /// first-out buffers on constant channels, committed locations,
        /// assertions.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Feature {
            $($(#[$doc])* $feature),*
        }

        impl Feature {
            /// All of them.
            pub const ALL: &'static [Feature] = &[$(Feature::$feature),*];

            /// The name users read, in the plural.
            pub fn name(self) -> &'static str {
                match self {
                    $(Feature::$feature => $name),*
                }
            }
        }
    };
}

features!(
    /// Variables that advance with time.
    Clocks = "clocks",
    /// Conditions on staying at a location.
    Invariants = "location invariants",
    /// Clocks that stand still at some locations.
    Stopwatches = "clocks that stop",
    /// Branches with weights.
    Probabilities = "probabilistic branches",
    /// Rates of continuous-time Markov models.
    Rates = "rates",
    /// Costs of steps and of staying.
    Costs = "costs",
    /// Control that stays with a process.
    Atomic = "atomic sequences",
    /// `else` guards.
    Else = "`else` guards",
    /// `timeout` guards.
    Timeout = "`timeout` guards",
    /// Priorities of processes or edges.
    Priorities = "priorities",
    /// Locations where no time passes; listed only beside clocks.
    UrgentLocations = "urgent locations",
    /// Channels on which synchronisation is not delayed; listed only beside clocks.
    UrgentChannels = "urgent channels",
    /// Channels with many receivers at once.
    Broadcast = "broadcast channels",
    /// Multi-way synchronisation by labels.
    Vectors = "multi-way synchronisation",
    /// Processes that start or end at run time.
    Startable = "processes that start or end at run time",
    /// Channels in variables, or chosen at run time.
    ChannelValues = "channels as values",
    /// Processes in variables.
    ProcessValues = "processes as values",
    /// `while` within a step.
    Loops = "loops within a step",
    /// Edges with several outcomes, freely chosen.
    Choices = "edges with several outcomes",
    /// Sending to a sorted buffer.
    SortedSends = "sorted sends",
    /// Receiving the first message that matches.
    SelectiveReceives = "receives of any matching message",
    /// Receiving without removing the message.
    Peeks = "receives that leave the message",
    /// Variables that live within one step.
    Scratch = "variables outside the state",
    /// All processes move at once.
    Synchronous = "synchronous composition",
    /// Results that do not fit 64 bits are errors.
    CheckedArithmetic = "checked arithmetic",
    /// Locations where a process may rest without that being a deadlock.
    EndLocations = "end locations",
    /// A relation in place of processes.
    Relation = "models of hardware, which have no processes,",
);

/// The features that the system processes of `network` use, each with the
/// place of its first use, in the order of [`Feature::ALL`].
pub fn features(network: &Network) -> Vec<(Feature, Span)> {
    let mut finder = Finder { network, found: Vec::new() };
    finder.globals();
    for (_, process) in network.system_processes() {
        finder.note(process.priority != 0, Feature::Priorities, process.span);
        let starts = process.lifetime != Lifetime::Permanent;
        finder.note(starts, Feature::Startable, process.span);
        process.locations.iter().for_each(|location| finder.location(location));
        process.edges.iter().for_each(|edge| finder.edge(edge));
    }
    let clocks = finder.found.iter().any(|(feature, _)| *feature == Feature::Clocks);
    let timed = |feature| matches!(feature, Feature::UrgentLocations | Feature::UrgentChannels);
    finder.found.retain(|(feature, _)| clocks || !timed(*feature));
    finder.found.sort_by_key(|(feature, _)| *feature);
    finder.found
}

/// An error for every feature of `network` that is not among `supported`.
pub fn refuse(network: &Network, supported: &[Feature]) -> Vec<Diagnostic> {
    let missing = features(network).into_iter().filter(|(feature, _)| !supported.contains(feature));
    missing
        .map(|(feature, span)| {
            Diagnostic::error(format!("{} are not supported here", feature.name()), span)
                .label("first used here")
        })
        .collect()
}

struct Finder<'a> {
    network: &'a Network,
    found: Vec<(Feature, Span)>,
}

impl Finder<'_> {
    fn note(&mut self, used: bool, feature: Feature, span: Span) {
        if used && self.found.iter().all(|(known, _)| *known != feature) {
            self.found.push((feature, span));
        }
    }

    fn globals(&mut self) {
        let network = self.network;
        let nowhere = Span::default();
        if let Some(relation) = &network.relation {
            let first = relation.variables.first().map_or(nowhere, |one| one.span);
            self.note(true, Feature::Relation, first);
        }
        self.note(network.composition == Composition::Synchronous, Feature::Synchronous, nowhere);
        self.note(network.arithmetic == Arithmetic::Checked64, Feature::CheckedArithmetic, nowhere);
        for variable in &network.variables {
            self.note(variable.storage == Storage::Scratch, Feature::Scratch, variable.span);
            self.value_type(&variable.ty, variable.span);
        }
        network.channels.iter().for_each(|channel| self.channel(channel));
        if let Some(vector) = network.vectors.first() {
            self.note(true, Feature::Vectors, vector.span);
        }
    }

    fn channel(&mut self, channel: &Channel) {
        self.note(channel.kind == ChannelKind::Broadcast, Feature::Broadcast, channel.span);
        self.note(channel.urgent, Feature::UrgentChannels, channel.span);
        channel.message.iter().for_each(|ty| self.value_type(ty, channel.span));
    }

    fn value_type(&mut self, ty: &Type, span: Span) {
        let mut ty = ty;
        while let Type::Array(element, _) = ty {
            ty = element;
        }
        match ty {
            Type::Clock => self.note(true, Feature::Clocks, span),
            Type::Channel => self.note(true, Feature::ChannelValues, span),
            Type::Process => self.note(true, Feature::ProcessValues, span),
            Type::Record(id) => {
                let fields = &self.network.records[id.index()].fields;
                fields.iter().for_each(|(_, field)| self.value_type(field, span));
            }
            _ => {}
        }
    }

    fn location(&mut self, location: &Location) {
        let span = location.span;
        self.note(location.invariant.is_some(), Feature::Invariants, span);
        self.note(!location.stopwatches.is_empty(), Feature::Stopwatches, span);
        self.note(location.rate.is_some(), Feature::Rates, span);
        self.note(location.cost_rate.is_some(), Feature::Costs, span);
        self.note(location.urgency == Urgency::Urgent, Feature::UrgentLocations, span);
        self.note(location.end, Feature::EndLocations, span);
    }

    fn edge(&mut self, edge: &Edge) {
        let span = edge.span;
        self.note(matches!(edge.guard, Guard::Otherwise { .. }), Feature::Else, span);
        self.note(matches!(edge.guard, Guard::Timeout(_)), Feature::Timeout, span);
        self.note(edge.rate.is_some(), Feature::Rates, span);
        self.note(edge.cost.is_some(), Feature::Costs, span);
        self.note(edge.atomic != Atomic::No, Feature::Atomic, span);
        self.note(edge.priority != 0, Feature::Priorities, span);
        let weighted = edge.branches.iter().any(|branch| branch.weight.is_some());
        self.note(weighted, Feature::Probabilities, span);
        self.note(!weighted && edge.branches.len() > 1, Feature::Choices, span);
        self.action(edge);
        for branch in &edge.branches {
            self.note(branch.target == Target::End, Feature::Startable, span);
            self.block(&branch.effect);
        }
    }

    fn action(&mut self, edge: &Edge) {
        let span = edge.span;
        match &edge.action {
            Some(Action::Send { channel, order, .. }) => {
                self.constant(channel, span);
                self.note(*order == SendOrder::Sorted, Feature::SortedSends, span);
            }
            Some(Action::Receive { channel, order, keep, .. }) => {
                self.constant(channel, span);
                self.note(*order == ReceiveOrder::Any, Feature::SelectiveReceives, span);
                self.note(*keep, Feature::Peeks, span);
            }
            Some(Action::Label(_)) => self.note(true, Feature::Vectors, span),
            None => {}
        }
    }

    fn constant(&mut self, channel: &Expr, span: Span) {
        self.note(!matches!(channel.kind, ExprKind::Channel(_)), Feature::ChannelValues, span);
    }

    fn block(&mut self, block: &[Statement]) {
        for statement in block {
            match &statement.kind {
                StatementKind::If(_, yes, no) => {
                    self.block(yes);
                    self.block(no);
                }
                StatementKind::While(_, block) => {
                    self.note(true, Feature::Loops, statement.span);
                    self.block(block);
                }
                StatementKind::Start { .. } => self.note(true, Feature::Startable, statement.span),
                StatementKind::Assign(..)
                | StatementKind::Assert(_)
                | StatementKind::Clear(_)
                | StatementKind::Put(..)
                | StatementKind::Print(..) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_a_name_of_its_own() {
        let mut names: Vec<&str> = Feature::ALL.iter().map(|feature| feature.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Feature::ALL.len());
    }

    #[test]
    fn the_empty_network_is_plain() {
        assert!(features(&Network::default()).is_empty());
        assert!(refuse(&Network::default(), &[]).is_empty());
    }

    #[test]
    fn urgency_matters_only_with_clocks() {
        let mut network = Network::default();
        let channel = Channel {
            name: "c".into(),
            span: Span::default(),
            kind: ChannelKind::Rendezvous,
            message: Vec::new(),
            urgent: true,
            owner: None,
        };
        network.channels.push(channel);
        assert!(features(&network).is_empty());
        network.channels[0].message.push(Type::Clock);
        let names: Vec<Feature> =
            features(&network).into_iter().map(|(feature, _)| feature).collect();
        assert_eq!(names, [Feature::Clocks, Feature::UrgentChannels]);
        assert_eq!(refuse(&network, &[Feature::Clocks]).len(), 1);
    }
}
