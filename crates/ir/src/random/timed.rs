//! Random timed networks: small, with small constants, for comparison with
//! [`regions`](super::regions).

use proptest::collection::vec;
use proptest::prelude::*;

use crate::builder::{
    Builder, EdgeBuilder, add, and, at, binary, channel, edge, eq, ge, gt, int, le, lt, not, or,
    read, sub,
};
use crate::network::{
    Binary, ChannelId, ChannelKind, Commitment, EffectOrder, Expr, ExprKind, LabelId, Network,
    ProcessId, Type, Urgency, VariableId,
};

/// What random timed networks may contain.
#[derive(Clone, Debug)]
pub struct TimedKnobs {
    /// The most processes.
    pub processes: usize,
    /// The most locations of a process.
    pub locations: usize,
    /// The most edges of a process.
    pub edges: usize,
    /// The most clocks.
    pub clocks: usize,
    /// The greatest constant.
    pub greatest: i64,
    /// Comparisons of clocks with each other.
    pub diagonals: bool,
    /// Invariants.
    pub invariants: bool,
    /// Urgent and committed locations.
    pub urgent_locations: bool,
    /// Urgent channels.
    pub urgent_channels: bool,
    /// Clocks set to other numbers than zero.
    pub values: bool,
    /// Clocks set to clocks.
    pub copies: bool,
    /// Broadcast channels.
    pub broadcast: bool,
    /// Synchronisation by labels, with optional participants.
    pub vectors: bool,
    /// An integer, that clocks are compared with too.
    pub integers: bool,
    /// Edges that come before others.
    pub priorities: bool,
}

impl Default for TimedKnobs {
    /// Everything but comparisons of clocks with each other and priorities.
    fn default() -> TimedKnobs {
        TimedKnobs { diagonals: false, priorities: false, ..TimedKnobs::everything() }
    }
}

impl TimedKnobs {
    /// Small networks with everything.
    pub fn everything() -> TimedKnobs {
        TimedKnobs {
            processes: 3,
            locations: 3,
            edges: 6,
            clocks: 3,
            greatest: 3,
            diagonals: true,
            invariants: true,
            urgent_locations: true,
            urgent_channels: true,
            values: true,
            copies: true,
            broadcast: true,
            vectors: true,
            integers: true,
            priorities: true,
        }
    }

    /// Clocks, guards, resets to zero, invariants and rendezvous.
    pub fn plain() -> TimedKnobs {
        TimedKnobs {
            diagonals: false,
            urgent_locations: false,
            urgent_channels: false,
            values: false,
            copies: false,
            broadcast: false,
            vectors: false,
            integers: false,
            priorities: false,
            ..TimedKnobs::everything()
        }
    }
}

/// Random well-formed timed networks.
pub fn timed_networks(knobs: TimedKnobs) -> impl Strategy<Value = Network> {
    network_sketch(&knobs).prop_map(move |sketch| build(&sketch, &knobs))
}

/// Random well-formed timed networks, each with a number of goals over locations,
/// clocks and the integer.
pub fn timed_networks_with_goals(
    knobs: TimedKnobs,
    goals: usize,
) -> impl Strategy<Value = (Network, Vec<Expr>)> {
    (network_sketch(&knobs), vec(goal_sketch(), goals)).prop_map(move |(sketch, goals)| {
        let network = build(&sketch, &knobs);
        let goals = goals.iter().map(|goal| goal_of(&network, &knobs, goal)).collect();
        (network, goals)
    })
}

/// `x ≺ c`, or `x − y ≺ c`, or `x ≺ n`.
#[derive(Clone, Debug)]
struct Bound {
    clock: u8,
    other: u8,
    /// Whether it compares clocks with each other, where that may be.
    diagonal: bool,
    op: u8,
    constant: u8,
    /// Whether the integer stands for the constant.
    variable: bool,
}

#[derive(Clone, Debug)]
struct EdgeSketch {
    from: u8,
    to: u8,
    bounds: Vec<Bound>,
    when: Option<u8>,
    /// Clock, kind, number, other clock.
    resets: Vec<(u8, u8, u8, u8)>,
    /// What becomes of the integer.
    change: u8,
    sync: u8,
    priority: u8,
}

#[derive(Clone, Debug)]
struct LocationSketch {
    urgency: u8,
    invariant: Option<Bound>,
    /// Asked only at one value of the integer.
    unless: Option<u8>,
}

#[derive(Clone, Debug)]
struct NetworkSketch {
    clocks: u8,
    processes: Vec<(Vec<LocationSketch>, Vec<EdgeSketch>)>,
    broadcast: [bool; 2],
    urgent: [bool; 2],
    any: bool,
    sender_first: bool,
    /// Of every process, whether it takes part, and is free to.
    vector: Vec<(bool, bool)>,
}

fn bound() -> impl Strategy<Value = Bound> + Clone {
    let rarely = || prop::bool::weighted(0.25);
    let op = prop_oneof![3 => 0..4u8, 1 => Just(4u8)];
    let constant = prop_oneof![1 => Just(0u8), 6 => 1..4u8];
    (0..3u8, 0..3u8, rarely(), op, constant, rarely()).prop_map(
        |(clock, other, diagonal, op, constant, variable)| Bound {
            clock,
            other,
            diagonal,
            op,
            constant,
            variable,
        },
    )
}

fn edge_sketch() -> impl Strategy<Value = EdgeSketch> + Clone {
    let resets = vec((0..3u8, 0..8u8, 0..4u8, 0..3u8), 0..3);
    let when = prop::option::weighted(0.15, 0..3u8);
    let offset = || prop_oneof![3 => Just(0u8), 1 => 1..3u8];
    let bounds =
        prop_oneof![1 => vec(bound(), 0..1), 2 => vec(bound(), 1..2), 1 => vec(bound(), 2..3)];
    let sync = prop_oneof![1 => 0..7u8, 1 => Just(7u8)];
    (offset(), offset(), bounds, when, resets, 0..8u8, sync, 0..8u8).prop_map(
        |(from, to, bounds, when, resets, change, sync, priority)| EdgeSketch {
            from,
            to,
            bounds,
            when,
            resets,
            change,
            sync,
            priority,
        },
    )
}

fn location_sketch() -> impl Strategy<Value = LocationSketch> + Clone {
    let invariant = prop::option::weighted(0.35, bound());
    (0..16u8, invariant, prop::option::weighted(0.15, 0..4u8))
        .prop_map(|(urgency, invariant, unless)| LocationSketch { urgency, invariant, unless })
}

fn network_sketch(knobs: &TimedKnobs) -> impl Strategy<Value = NetworkSketch> + use<> {
    let some = |most: usize| prop_oneof![1 => 1..2usize, 6 => most.min(2)..most + 1];
    let locations = some(knobs.locations).prop_flat_map(|count| vec(location_sketch(), count));
    let edges = vec(edge_sketch(), knobs.edges.div_ceil(2)..knobs.edges + 1);
    let process = (locations, edges);
    let processes = some(knobs.processes).prop_flat_map(move |count| vec(process.clone(), count));
    let rarely = || prop::bool::weighted(0.3);
    let flags = ([rarely(), rarely()], [rarely(), rarely()], any::<bool>(), any::<bool>());
    let vector = vec((any::<bool>(), any::<bool>()), 3);
    (1..knobs.clocks.max(1) as u8 + 1, processes, flags, vector).prop_map(
        |(clocks, processes, (broadcast, urgent, any, sender_first), vector)| NetworkSketch {
            clocks,
            processes,
            broadcast,
            urgent,
            any,
            sender_first,
            vector,
        },
    )
}

/// What the parts of a network are known by while it is made.
struct Parts<'k> {
    knobs: &'k TimedKnobs,
    clocks: Vec<VariableId>,
    integer: Option<VariableId>,
}

impl Parts<'_> {
    fn of<'k>(network: &Network, knobs: &'k TimedKnobs) -> Parts<'k> {
        let all = network.variables.iter().enumerate();
        let clocks = all.filter(|(_, variable)| variable.ty == Type::Clock);
        let clocks: Vec<VariableId> = clocks.map(|(i, _)| VariableId(i as u32)).collect();
        let integer = network.variables.len() > clocks.len();
        let integer = integer.then_some(VariableId(clocks.len() as u32));
        Parts { knobs, clocks, integer }
    }

    fn clock(&self, number: u8) -> Expr {
        read(self.clocks[usize::from(number) % self.clocks.len()])
    }

    /// What a bound bounds, and by what.
    fn sides(&self, bound: &Bound) -> (Expr, Expr) {
        let other = usize::from(bound.other) % self.clocks.len();
        let differ = other != usize::from(bound.clock) % self.clocks.len();
        let diagonal = bound.diagonal && differ && self.knobs.diagonals;
        let clock = self.clock(bound.clock);
        let left = if diagonal { sub(clock, self.clock(bound.other)) } else { clock };
        let constant = i64::from(bound.constant) % (self.knobs.greatest + 1);
        let right = match self.integer.filter(|_| bound.variable) {
            Some(integer) => read(integer),
            None => int(constant),
        };
        (left, right)
    }

    fn bound(&self, bound: &Bound) -> Expr {
        let (left, right) = self.sides(bound);
        match bound.op {
            0 => lt(left, right),
            1 => le(left, right),
            2 => gt(left, right),
            3 => ge(left, right),
            _ => eq(left, right),
        }
    }

    /// A bound that holds at the beginning.
    fn invariant(&self, bound: &Bound) -> Expr {
        let (left, right) = self.sides(bound);
        match bound.op {
            0 => lt(left, add(right, int(1))),
            _ => le(left, right),
        }
    }
}

fn build(sketch: &NetworkSketch, knobs: &TimedKnobs) -> Network {
    let mut b = Builder::default();
    for i in 0..sketch.clocks {
        b.clock(&format!("x{i}"));
    }
    if knobs.integers {
        b.variable("n", Type::wrapping(0, knobs.greatest), &[0]);
    }
    for (i, broadcast) in sketch.broadcast.iter().enumerate() {
        let broadcast = *broadcast && knobs.broadcast;
        let kind = if broadcast { ChannelKind::Broadcast } else { ChannelKind::Rendezvous };
        let id = b.channel(&format!("c{i}"), kind, &[]);
        b.network.channels[id.index()].urgent = sketch.urgent[i] && knobs.urgent_channels;
    }
    let label = b.label("l");
    b.network.commitment = if sketch.any { Commitment::Any } else { Commitment::All };
    if sketch.sender_first {
        b.network.effect_order = EffectOrder::SenderFirst;
    }
    for (i, (locations, edges)) in sketch.processes.iter().enumerate() {
        let names: Vec<String> = (0..locations.len()).map(|i| format!("l{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let process = b.process(&format!("P{i}"), &names);
        let parts = Parts::of(&b.network, knobs);
        for (number, location) in locations.iter().enumerate() {
            let built = b.location(process, number as u32);
            built.urgency = match location.urgency {
                0 if knobs.urgent_locations => Urgency::Committed,
                1 | 2 if knobs.urgent_locations => Urgency::Urgent,
                _ => Urgency::None,
            };
            built.invariant = location.invariant.as_ref().filter(|_| knobs.invariants).map(|one| {
                let bound = parts.invariant(one);
                match parts.integer.zip(location.unless) {
                    Some((integer, value)) => {
                        or(not(eq(read(integer), int(i64::from(value)))), bound)
                    }
                    None => bound,
                }
            });
        }
        for (number, sketch) in edges.iter().enumerate() {
            let edge = build_edge(&b.network, &parts, sketch, number, locations.len(), label);
            b.add(process, edge);
        }
    }
    let members: Vec<(ProcessId, bool)> = (0..sketch.processes.len() as u32)
        .zip(&sketch.vector)
        .filter(|(_, (member, _))| *member && knobs.vectors)
        .map(|(id, (_, optional))| (ProcessId(id), *optional))
        .collect();
    let those = |wanted: bool| -> Vec<(ProcessId, LabelId)> {
        let all = members.iter().filter(|(_, optional)| *optional == wanted);
        all.map(|(id, _)| (*id, label)).collect()
    };
    if !members.is_empty() {
        b.vector_with(&those(false), &those(true));
    }
    b.network
}

fn build_edge(
    network: &Network,
    parts: &Parts,
    sketch: &EdgeSketch,
    number: usize,
    locations: usize,
    label: LabelId,
) -> EdgeBuilder {
    let knobs = parts.knobs;
    let from = (number + usize::from(sketch.from)) % locations;
    let to = (from + 1 + usize::from(sketch.to)) % locations;
    let mut built = edge(from as u32, to as u32);
    let used = match sketch.sync {
        0 | 1 => Some((ChannelId(0), true)),
        2 | 3 => Some((ChannelId(0), false)),
        4 => Some((ChannelId(1), true)),
        5 => Some((ChannelId(1), false)),
        _ => None,
    };
    if let Some((id, sends)) = used {
        built = match sends {
            true => built.send(channel(id), &[]),
            false => built.receive(channel(id), &[]),
        };
    } else if sketch.sync == 6 && knobs.vectors {
        built = built.label(label);
    }
    let urgent = used.is_some_and(|(id, _)| network.channels[id.index()].urgent);
    let bounds = sketch.bounds.iter().filter(|_| !urgent).map(|one| parts.bound(one));
    let when = parts.integer.zip(sketch.when);
    let when = when.map(|(integer, value)| eq(read(integer), int(i64::from(value))));
    if let Some(guard) = bounds.chain(when).reduce(and) {
        built = built.when(guard);
    }
    if knobs.priorities && sketch.priority == 0 {
        built = built.priority(1);
    }
    for &(clock, kind, value, other) in &sketch.resets {
        let target = parts.clocks[usize::from(clock) % parts.clocks.len()];
        let value = i64::from(value) % (knobs.greatest + 1);
        built = built.set(
            target,
            match kind {
                0 if knobs.values => int(value),
                1 if knobs.copies => parts.clock(other),
                2 if knobs.copies => add(parts.clock(other), int(value)),
                3 if knobs.values => parts.integer.map_or(int(0), read),
                _ => int(0),
            },
        );
    }
    match (parts.integer, sketch.change) {
        (Some(integer), 0 | 1) => built.set(integer, add(read(integer), int(1))),
        (Some(integer), 2) => built.set(integer, int(0)),
        _ => built,
    }
}

/// A location, bounds, and how they are joined.
type GoalSketch = (u8, u8, Vec<Bound>, u8);

fn goal_sketch() -> impl Strategy<Value = GoalSketch> {
    (0..3u8, 0..3u8, vec(bound(), 0..3), 0..8u8)
}

fn goal_of(network: &Network, knobs: &TimedKnobs, sketch: &GoalSketch) -> Expr {
    let parts = Parts::of(network, knobs);
    let (process, location, bounds, joint) = sketch;
    let process = usize::from(*process) % network.processes.len();
    let location = usize::from(*location) % network.processes[process].locations.len();
    let here = at(ProcessId(process as u32), location as u32);
    let bounds = bounds.iter().map(|one| parts.bound(one));
    match joint {
        0 => bounds.reduce(or).map_or(here.clone(), |bounds| and(here.clone(), not(bounds))),
        1 => bounds.reduce(and).map_or(here.clone(), |bounds| or(here.clone(), bounds)),
        2 => binary(Binary::And, here, Expr::new(ExprKind::Deadlock, crate::Span::default())),
        _ => bounds.fold(here, and),
    }
}
