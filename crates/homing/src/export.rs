//! Searches as tasks for other tools.

use std::collections::BTreeMap;

use homing_guide::ground::sas::{Blame, Names, NotSimple, Task};
use homing_ir::flatten::Wanted;
use homing_ir::moves::Move;
use homing_ir::network::{EdgeRef, LocationId, ProcessId};
use homing_ir::passes::Passes;
use homing_ir::system::{Part, PartId, SlotId, System};
use homing_ir::{Diagnostic, Network, Span};
use homing_space::{CompiledSpace, Execution};
use homing_witness::moves::Moves;

use crate::load::Model;
use crate::options::PassSelection;
use crate::question::{Goal, parse_goal};
use crate::run::{UsageError, refused};

/// The search for a goal as a planning task, as Fast Downward reads it: the
/// very space that [`check`](crate::check) searches. A model that is not in the
/// simple form of planning tasks is refused.
pub fn export_sas(model: &Model, goal: &str, passes: &PassSelection) -> Result<Task, UsageError> {
    let passes = passes.apply(Passes::ALL)?;
    let Goal { expr, sources, .. } = parse_goal(model, goal)?;
    let wanted = Wanted::goal(expr.clone());
    // Nothing of it is executed.
    let interpreted = Execution::Interpreted;
    let space = CompiledSpace::executed(&model.network, &[wanted], passes, interpreted)
        .map_err(|error| refused(model, error))?;
    if space.system().has_atomic_parts() || space.system().has_timeout_parts() {
        return Err(UsageError::Sentence(
            "the model is not in the simple form of planning tasks: \
             it has atomic sequences or timeouts, whose steps are no operators"
                .into(),
        ));
    }
    let network = &model.network;
    let locations = locations(space.system());
    let value = |slot: SlotId, number: i64| location(network, *locations.get(&slot)?, number);
    let step = |label: u32| name(network, space.system(), space.moves().list[label as usize]);
    let names = Names { value: &value, step: &step };
    let term = space.system().conditions[0].term.clone();
    Task::of(space.prepared(), &term, &names).map_err(|NotSimple { blame, why }| {
        let (what, span) = match blame {
            Blame::Step(label) => ("step", place(network, &space, label)),
            Blame::Goal => ("goal", Some(expr.span)),
            Blame::System => ("model", None),
        };
        let message = format!("the {what} is not in the simple form of planning tasks: {why}");
        match span {
            Some(span) => {
                let diagnostics = vec![Diagnostic::error(message, span)];
                UsageError::Diagnostics { sources: sources.clone(), diagnostics }
            }
            None => UsageError::Sentence(message),
        }
    })
}

/// The processes whose locations slots are.
fn locations(system: &System) -> BTreeMap<SlotId, ProcessId> {
    system.components.iter().map(|component| (component.location, component.process)).collect()
}

fn location(network: &Network, process: ProcessId, number: i64) -> Option<String> {
    let id = LocationId(u32::try_from(number).ok()?);
    let location = network.processes[process.index()].locations.get(id.index())?;
    Some(location.name.clone())
}

/// The step in words.
fn name(network: &Network, system: &System, one: Move) -> String {
    let mut moves = Moves::new(network);
    let mut edge = |id: PartId| {
        let part: &Part = system.part(id);
        let one = moves.get(part.edge);
        format!("{}: {} -> {}", one.process, one.from, one.to)
    };
    match one {
        Move::Alone(part) => edge(part),
        Move::Pair { sender, receiver } => format!("{}, {}", edge(sender), edge(receiver)),
        Move::Joint(joint) => {
            let joint = &system.joints[joint as usize];
            let member = |component| {
                let process = system.component(component).process;
                network.processes[process.index()].name.clone()
            };
            let members: Vec<String> =
                joint.members.iter().map(|one| member(one.component)).collect();
            let leader = joint.leader.map(|id| format!("{}, ", edge(id))).unwrap_or_default();
            format!("{leader}together: {}", members.join(" "))
        }
    }
}

/// Where the step is written: its sender's edge, or any of its edges.
fn place(network: &Network, space: &CompiledSpace, label: u32) -> Option<Span> {
    let system = space.system();
    let edge = |id: PartId| -> EdgeRef { system.part(id).edge };
    let edge = match space.moves().list[label as usize] {
        Move::Alone(part) | Move::Pair { sender: part, .. } => Some(edge(part)),
        Move::Joint(joint) => {
            let joint = &system.joints[joint as usize];
            let members = joint.members.iter().flat_map(|member| member.parts.iter().copied());
            joint.leader.into_iter().chain(members).next().map(edge)
        }
    };
    edge.map(|edge| network.edge(edge).span)
}
