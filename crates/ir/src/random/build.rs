//! Sketches of networks, read as networks.

use super::Knobs;
use super::expressions::{Scope, pick};
use super::sketch::{
    ActionSketch, BranchSketch, EdgeSketch, ExprSketch, GuardSketch, NetworkSketch, PatternSketch,
    PlaceSketch, ProcessSketch, StatementSketch, VariableSketch,
};
use crate::builder::{
    Builder, assign, binary, channel, edge, ending, expr, int, place, read, statement,
};
use crate::network::{
    Action, Arithmetic, Binary, Branch, ChannelId, ChannelKind, Composition, Edge, EffectOrder,
    EnumId, Enumeration, Expr, ExprKind, Guard, IntType, LabelId, Lifetime, LocationId, Network,
    Overflow, Pattern, Place, ProcessId, ReceiveOrder, Record, RecordId, Role, SendOrder,
    Statement, StatementKind, Storage, Target, TemplateId, Type, Urgency, VariableId,
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
        b.variable("to", Type::Channel, &[0]);
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
    Knobs {
        features: chosen.map(|(_, feature)| *feature).collect(),
        ..knobs.clone()
    }
}

/// The condition on states that a sketch means.
pub(super) fn condition(network: &Network, knobs: &Knobs, sketch: &ExprSketch) -> Expr {
    Scope {
        network,
        knobs,
        process: None,
    }
    .expression(sketch)
}

fn types(b: &mut Builder) {
    let values = ["red", "green", "blue"].map(str::to_owned).to_vec();
    b.network.enumerations.push(Enumeration {
        name: "Colour".into(),
        values,
    });
    let flags = Type::Array(Box::new(Type::Bool), 2);
    let fields = vec![
        ("count".into(), Type::wrapping(-1, 1)),
        ("flags".into(), flags),
    ];
    b.network.records.push(Record {
        name: "Pair".into(),
        fields,
    });
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
        b.channel(
            &format!("c{i}"),
            kind,
            &vec![part; usize::from(sketch.parts)],
        );
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
    let slots = if knobs.has(Feature::Startable) {
        sketch.slots
    } else {
        0
    };
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
    let owner = if sketch.owner % 2 == 0 {
        pick(&owners, sketch.owner / 2)
    } else {
        None
    };
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
        let members = processes
            .iter()
            .zip(vector)
            .filter(|(_, (takes_part, _))| *takes_part);
        let participants: Vec<(ProcessId, LabelId)> = members
            .map(|((id, _), (_, label))| (*id, labels[usize::from(*label) % 2]))
            .collect();
        let known = b
            .network
            .vectors
            .iter()
            .any(|other| other.participants == participants);
        if !participants.is_empty() && !known {
            b.vector(&participants);
        }
    }
}

fn behaviour(b: &mut Builder, id: ProcessId, sketch: &ProcessSketch, knobs: &Knobs) {
    let network = b.network.clone();
    let scope = Scope {
        network: &network,
        knobs,
        process: Some(id),
    };
    let process = &mut b.network.processes[id.index()];
    for (location, sketch) in process.locations.iter_mut().zip(&sketch.locations) {
        if sketch.committed && network.composition == Composition::Interleaved {
            location.urgency = Urgency::Committed;
        }
        location.assertions = sketch
            .assertion
            .iter()
            .map(|sketch| scope.expression(sketch))
            .collect();
    }
    process.edges = sketch
        .edges
        .iter()
        .enumerate()
        .map(|(i, edge)| scope.edge(i, edge))
        .collect();
}

impl Scope<'_> {
    fn edge(&self, number: usize, sketch: &EdgeSketch) -> Edge {
        let locations = self
            .process
            .map_or(1, |id| self.network.processes[id.index()].locations.len());
        let from = (number + usize::from(sketch.from)) % locations;
        let guard = match &sketch.guard {
            GuardSketch::When(condition) => Guard::When(self.expression(condition)),
            GuardSketch::Else if self.knobs.has(Feature::Else) => Guard::Else,
            GuardSketch::Timeout if self.knobs.has(Feature::Timeout) => Guard::Timeout,
            GuardSketch::Always | GuardSketch::Else | GuardSketch::Timeout => Guard::Always,
        };
        let prioritised = self.knobs.has(Feature::Priorities) && sketch.priority == 7;
        let mut built = edge(from as u32, 0).into_edge();
        built.guard = guard;
        built.action = self.action(&sketch.action);
        built.priority = i32::from(prioritised);
        let most = if self.knobs.has(Feature::Choices) {
            sketch.branches.len()
        } else {
            1
        };
        let branches = sketch.branches.iter().take(most);
        built.branches = branches
            .map(|branch| self.branch(branch, from + 1, locations))
            .collect();
        built
    }

    fn branch(&self, sketch: &BranchSketch, next: usize, locations: usize) -> Branch {
        let to = (next + usize::from(sketch.to)) % locations;
        let startable = self
            .process
            .is_some_and(|id| self.network.processes[id.index()].lifetime != Lifetime::Permanent);
        let target = match sketch.ends && startable {
            true => Target::End,
            false => Target::Location(LocationId(to as u32)),
        };
        let mut branch = ending(0).into_edge().branches.remove(0);
        branch.target = target;
        branch.effect = self.block(&sketch.effect);
        branch
    }

    fn action(&self, sketch: &ActionSketch) -> Option<Action> {
        if self.network.composition == Composition::Synchronous {
            return None;
        }
        match sketch {
            ActionSketch::None => None,
            ActionSketch::Send {
                channel,
                parts,
                sorted,
                dynamic,
            } => {
                let (channel, types) = self.channel(*channel, *dynamic)?;
                let parts = parts.iter().zip(&types);
                let fitted = parts.filter_map(|(part, ty)| {
                    Some(self.value(part, self.network.scalar(ty)?, true))
                });
                let sorted = *sorted && self.knobs.has(Feature::SortedSends);
                let order = if sorted {
                    SendOrder::Sorted
                } else {
                    SendOrder::Last
                };
                Some(Action::Send {
                    channel,
                    message: fitted.collect(),
                    order,
                })
            }
            ActionSketch::Receive {
                channel,
                parts,
                any,
                keep,
                dynamic,
            } => {
                let (channel, types) = self.channel(*channel, *dynamic)?;
                let message = parts
                    .iter()
                    .zip(&types)
                    .map(|(part, _)| self.pattern(part))
                    .collect();
                let any = *any && self.knobs.has(Feature::SelectiveReceives);
                let order = if any {
                    ReceiveOrder::Any
                } else {
                    ReceiveOrder::First
                };
                let keep = *keep && self.knobs.has(Feature::Peeks);
                Some(Action::Receive {
                    channel,
                    message,
                    order,
                    keep,
                })
            }
            ActionSketch::Label(label) => {
                let labels: Vec<u32> = (0..self.network.labels.len() as u32).collect();
                pick(&labels, *label).map(|label| Action::Label(LabelId(label)))
            }
        }
    }

    /// A channel, or the variable that holds one; with the types of messages.
    fn channel(&self, number: u8, dynamic: bool) -> Option<(Expr, Vec<Type>)> {
        let channels: Vec<u32> = (0..self.network.channels.len() as u32).collect();
        let id = ChannelId(pick(&channels, number)?);
        let types = self.network.channels[id.index()].message.clone();
        let value = self.variable_of(&Type::Channel).filter(|_| dynamic);
        Some((value.map_or(channel(id), read), types))
    }

    fn variable_of(&self, ty: &Type) -> Option<VariableId> {
        let found = self
            .network
            .variables
            .iter()
            .position(|variable| variable.ty == *ty);
        found.map(|i| VariableId(i as u32))
    }

    fn pattern(&self, sketch: &PatternSketch) -> Pattern {
        match sketch {
            PatternSketch::Match(value) => Pattern::Match(self.expression(value)),
            PatternSketch::Ignore => Pattern::Ignore,
            PatternSketch::Store(sketch) => match self.place(sketch, true) {
                // A received value may not fit, which is a fault.
                Some((_, ty)) if ty.overflow == Overflow::Error && !self.knobs.faults => {
                    Pattern::Ignore
                }
                Some((place, _)) => Pattern::Store(place),
                None => Pattern::Ignore,
            },
        }
    }

    fn block(&self, block: &[StatementSketch]) -> Vec<Statement> {
        block
            .iter()
            .flat_map(|sketch| self.statement(sketch))
            .collect()
    }

    fn statement(&self, sketch: &StatementSketch) -> Vec<Statement> {
        match sketch {
            StatementSketch::Assign(target, value) => self.assignment(target, value, false),
            StatementSketch::AssignWithin(target, value) => self.assignment(target, value, true),
            StatementSketch::Advance(target, delta, careful) => {
                let target = self.place(target, true).into_iter();
                let advance = |(place, ty): (Place, IntType)| {
                    let old = expr(ExprKind::Read(place.clone()));
                    assign(
                        place,
                        self.fitted(binary(Binary::Add, old, int(*delta)), ty, *careful),
                    )
                };
                target.map(advance).collect()
            }
            StatementSketch::If(condition, yes, no) => {
                let condition = self.expression(condition);
                vec![statement(StatementKind::If(
                    condition,
                    self.block(yes),
                    self.block(no),
                ))]
            }
            StatementSketch::Count(counter, other, value) => self.count(*counter, *other, value),
            StatementSketch::Assert(condition) if self.knobs.faults => {
                vec![statement(StatementKind::Assert(self.expression(condition)))]
            }
            StatementSketch::Assert(_) => Vec::new(),
            StatementSketch::Start(argument, keep) => self.start(argument, *keep),
            StatementSketch::SetChannel(number) => {
                let target = self.variable_of(&Type::Channel);
                let value = self.channel(*number, false);
                let pair = target.zip(value).into_iter();
                pair.map(|(target, (value, _))| assign(place(target, &[]), value))
                    .collect()
            }
        }
    }

    fn assignment(
        &self,
        target: &PlaceSketch,
        value: &ExprSketch,
        careful: bool,
    ) -> Vec<Statement> {
        let target = self.place(target, true).into_iter();
        target
            .map(|(place, ty)| assign(place, self.value(value, ty, careful)))
            .collect()
    }

    /// `i = least; while i < greatest { i = i + 1; x = value }`, which ends
    /// because nothing else changes `i`.
    fn count(&self, counter: u8, other: u8, value: &ExprSketch) -> Vec<Statement> {
        let scalars: Vec<(VariableId, IntType)> = self.counters();
        let Some((i, range)) = pick(&scalars, counter).filter(|_| self.knobs.has(Feature::Loops))
        else {
            return Vec::new();
        };
        let mut body = vec![assign(place(i, &[]), binary(Binary::Add, read(i), int(1)))];
        if let Some((x, ty)) = pick(&scalars, other).filter(|(x, _)| *x != i) {
            body.push(assign(place(x, &[]), self.value(value, ty, true)));
        }
        let start = assign(place(i, &[]), int(range.lo));
        let below = binary(Binary::Lt, read(i), int(range.hi));
        vec![start, statement(StatementKind::While(below, body))]
    }

    fn counters(&self) -> Vec<(VariableId, IntType)> {
        let all = self.network.variables.iter().enumerate();
        let fits = all.filter_map(|(id, variable)| {
            let own = variable.owner.is_none() || variable.owner == self.process;
            match variable.ty {
                Type::Int(range) if own && variable.storage == Storage::State => {
                    Some((VariableId(id as u32), range))
                }
                _ => None,
            }
        });
        fits.collect()
    }

    fn start(&self, argument: &ExprSketch, keep: bool) -> Vec<Statement> {
        let template = TemplateId(0);
        let slots = self.network.processes.iter();
        let startable = slots.filter(|slot| slot.lifetime == Lifetime::Startable(template));
        // A start without a free slot is a fault.
        if startable.count() == 0 || !self.knobs.faults {
            return Vec::new();
        }
        let started = self
            .variable_of(&Type::Process)
            .filter(|_| keep)
            .map(|last| place(last, &[]));
        let arguments = vec![self.expression(argument)];
        vec![statement(StatementKind::Start {
            template,
            arguments,
            started,
        })]
    }
}
