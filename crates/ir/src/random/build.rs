//! Sketches of networks, read as networks.

use super::Knobs;
use super::expressions::{Scope, pick};
use super::sketch::{ExprSketch, NetworkSketch, ProcessSketch, VariableSketch};
use crate::builder::{Builder, edge, int};
use crate::network::{
    Arithmetic, ChannelKind, Composition, EffectOrder, EnumId, Enumeration, Expr, Guard, LabelId,
    Network, Overflow, ProcessId, Record, RecordId, Role, Storage, Type, Urgency,
};
use crate::wellformed::Feature;

/// The network that a sketch means.
pub(super) fn network(sketch: &NetworkSketch, knobs: &Knobs) -> Network {
    let knobs = &chosen(sketch, knobs);
    let mut b = Builder::default();
    b.network.name = "random".into();
    if sketch.sender_first {
        b.network.effect_order = EffectOrder::SenderFirst;
    }
    if sketch.synchronous && knobs.has(Feature::Synchronous) {
        b.network.composition = Composition::Synchronous;
    }
    if sketch.checked_arithmetic && knobs.has(Feature::CheckedArithmetic) && knobs.faults {
        b.network.arithmetic = Arithmetic::Checked64;
    }
    types(&mut b);
    channels(&mut b, sketch, knobs);
    let processes = processes(&mut b, sketch, knobs);
    for (i, variable) in sketch.variables.iter().enumerate() {
        declare(&mut b, i, variable, &processes, knobs);
    }
    if knobs.has(Feature::ChannelValues) && !sketch.channels.is_empty() {
        b.variable("to", Type::Channel, &[1]);
    }
    if knobs.has(Feature::ProcessValues) {
        b.variable("last", Type::Process, &[]);
    }
    vectors(&mut b, sketch, &processes, knobs);
    for (id, process) in processes {
        behaviour(&mut b, id, process, knobs);
    }
    b.network
}

/// The knobs with only the features that the sketch chooses.
fn chosen(sketch: &NetworkSketch, knobs: &Knobs) -> Knobs {
    let numbered = Feature::ALL.iter().enumerate();
    let chosen =
        numbered.filter(|(i, feature)| sketch.features >> i & 1 == 1 && knobs.has(**feature));
    Knobs { features: chosen.map(|(_, feature)| *feature).collect(), ..knobs.clone() }
}

/// The condition on states that a sketch means.
pub(super) fn condition(network: &Network, knobs: &Knobs, sketch: &ExprSketch) -> Expr {
    Scope { network, knobs, process: None }.expression(sketch)
}

fn types(b: &mut Builder) {
    let values = ["red", "green", "blue"].map(str::to_owned).to_vec();
    b.network.enumerations.push(Enumeration {
        name: "Colour".into(),
        values,
        overflow: Overflow::Error,
    });
    let flags = Type::Array(Box::new(Type::Bool), 2);
    let fields = vec![("count".into(), Type::wrapping(-1, 1)), ("flags".into(), flags)];
    b.network.records.push(Record { name: "Pair".into(), fields });
}

fn channels(b: &mut Builder, sketch: &NetworkSketch, knobs: &Knobs) {
    for (i, sketch) in sketch.channels.iter().enumerate() {
        let kind = match sketch.kind {
            2 => ChannelKind::Buffered(1),
            3 => ChannelKind::Buffered(2),
            4 if knobs.has(Feature::Broadcast) => ChannelKind::Broadcast,
            _ => ChannelKind::Rendezvous,
        };
        let part = match sketch.checked && knobs.faults {
            true => Type::checked(-1, 3),
            false => Type::wrapping(0, 2),
        };
        b.channel(&format!("c{i}"), kind, &vec![part; usize::from(sketch.parts)]);
    }
}

/// Declares the processes; the last sketch also serves for all startable ones.
fn processes<'s>(
    b: &mut Builder,
    sketch: &'s NetworkSketch,
    knobs: &Knobs,
) -> Vec<(ProcessId, &'s ProcessSketch)> {
    if sketch.observer {
        observer(b);
    }
    let mut processes = Vec::new();
    for (i, process) in sketch.processes.iter().enumerate() {
        let id = b.process(&format!("P{i}"), &location_names(process));
        processes.push((id, process));
    }
    let slots = if knobs.has(Feature::Startable) { sketch.slots } else { 0 };
    for (i, process) in (0..slots).zip(sketch.processes.last().into_iter().cycle()) {
        let id = b.slot(&format!("S{i}"), &location_names(process), 0);
        let n = b.local(id, "n", Type::wrapping(0, 2), &[1]);
        b.network.processes[id.index()].parameters = vec![n];
        processes.push((id, process));
    }
    let prioritised = knobs.has(Feature::Priorities);
    for (id, process) in processes.iter().filter(|_| prioritised) {
        b.network.processes[id.index()].priority = i32::from(process.priority == 7);
    }
    processes
}

fn location_names(process: &ProcessSketch) -> Vec<&'static str> {
    (0..process.locations.len())
        .map(|i| ["a", "b", "c"].get(i).copied().unwrap_or("more"))
        .collect()
}

/// A process that watches and must not matter to the state space.
fn observer(b: &mut Builder) {
    let observer = b.process("O", &["a"]);
    b.network.processes[observer.index()].role = Role::Observer;
    let seen = b.local(observer, "seen", Type::wrapping(0, 3), &[1]);
    b.add(observer, edge(0, 0).set(seen, int(2)));
}

fn declare(
    b: &mut Builder,
    number: usize,
    sketch: &VariableSketch,
    processes: &[(ProcessId, &ProcessSketch)],
    knobs: &Knobs,
) {
    // What is not initialised is 0, which must fit.
    let hi = (sketch.lo + sketch.values - 1).max(0);
    let integer = || match sketch.checked && knobs.faults {
        true => Type::checked(sketch.lo, hi),
        false => Type::wrapping(sketch.lo, hi),
    };
    let array = |element, length| Type::Array(Box::new(element), length);
    let ty = match sketch.shape {
        0 => Type::Bool,
        1 => Type::Enum(EnumId(0)),
        2 => array(integer(), 3),
        3 => array(Type::Bool, 2),
        4 => array(array(Type::wrapping(-1, 0), 2), 2),
        5 => Type::Record(RecordId(0)),
        6 => array(Type::Record(RecordId(0)), 2),
        _ => integer(),
    };
    let storage = match sketch.storage {
        0 => Storage::Constant,
        1 if knobs.has(Feature::Scratch) => Storage::Scratch,
        _ => Storage::State,
    };
    let first = match b.network.scalar(&ty) {
        Some(range) => range.lo + i64::from(sketch.initial) % (range.hi - range.lo + 1),
        None => 0,
    };
    let owners: Vec<ProcessId> = processes.iter().map(|(id, _)| *id).collect();
    let owner = if sketch.owner.is_multiple_of(2) { pick(&owners, sketch.owner / 2) } else { None };
    b.declare(&format!("x{number}"), ty, &[first], owner, storage);
}

fn vectors(
    b: &mut Builder,
    sketch: &NetworkSketch,
    processes: &[(ProcessId, &ProcessSketch)],
    knobs: &Knobs,
) {
    if !knobs.has(Feature::Vectors) || b.network.composition == Composition::Synchronous {
        return;
    }
    let labels = ["l", "m"].map(|name| b.label(name));
    for vector in &sketch.vectors {
        let members = processes.iter().zip(vector).filter(|(_, (takes_part, _))| *takes_part);
        let participants: Vec<(ProcessId, LabelId)> =
            members.map(|((id, _), (_, label))| (*id, labels[usize::from(*label) % 2])).collect();
        let known = b.network.vectors.iter().any(|other| {
            let others = other.participants.iter().map(|one| (one.process, one.label));
            others.eq(participants.iter().copied())
        });
        if !participants.is_empty() && !known {
            b.vector(&participants);
        }
    }
}

fn behaviour(b: &mut Builder, id: ProcessId, sketch: &ProcessSketch, knobs: &Knobs) {
    let network = b.network.clone();
    let scope = Scope { network: &network, knobs, process: Some(id) };
    let process = &mut b.network.processes[id.index()];
    for (location, sketch) in process.locations.iter_mut().zip(&sketch.locations) {
        if sketch.committed && network.composition == Composition::Interleaved {
            location.urgency = Urgency::Committed;
        }
        location.end = sketch.end && knobs.has(Feature::EndLocations);
        location.assertions =
            sketch.assertion.iter().map(|sketch| scope.expression(sketch)).collect();
    }
    process.edges = sketch.edges.iter().enumerate().map(|(i, edge)| scope.edge(i, edge)).collect();
    for number in 0..process.edges.len() {
        let from = process.edges[number].from;
        let earlier =
            process.edges[..number].iter().filter(|edge| edge.from == from).count() as u32;
        if let Guard::Otherwise { before, .. } = &mut process.edges[number].guard {
            *before = earlier - *before % (earlier + 1);
        }
    }
}
