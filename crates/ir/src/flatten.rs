//! From a network to a system: variables become slots, edges become parts.
//!
//! - An array of records becomes one stretch of slots a field, so that what is
//!   indexed together lies together and has one range.
//! - A buffered channel becomes a length and `capacity` slots a field, kept
//!   shifted to the front with zeroes behind, so that equal contents are equal
//!   states; its actions become guards and effects of a part that moves alone.
//! - An action whose channel is a value becomes one part for every channel it
//!   may denote, guarded by the value.
//! - `else` becomes a guard: none of the edges before can be taken.
//! - A startable process gets a location *absent*; starting it sets its
//!   parameters and location, ending resets its variables.
//! - A clock gets a number instead of a slot; what guards, invariants, effects
//!   and conditions say of clocks goes into [`System::timing`], and what remains
//!   of them is what must hold of the discrete part (`flatten/clocks.rs`,
//!   `flatten/resets.rs`).

mod action;
mod cases;
mod channels;
mod clocks;
mod lower;
mod resets;
mod synchronise;

use std::collections::BTreeSet;

use crate::diagnostic::Diagnostic;
use crate::network::{
    Atomic, Binary, Commitment, Composition, EdgeRef, EffectOrder, Expr, LocationId, Network,
    Process, ProcessId, Target, Type, Urgency, VariableId,
};
use crate::network::{ChannelKind, Lifetime, Statement, StatementKind, Storage};
use crate::source::Span;
use crate::system::{
    Command, Component, ComponentId, Condition, FaultKind, Interval, SiteId, Slot, SlotId, System,
    Term,
};
use crate::timing::{Clock, Constraint, Timing};
use crate::wellformed::{Feature, refuse};

/// A condition for a search to look for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Holds where it is not zero.
    pub expr: Expr,
    /// Whether a state in which it cannot be evaluated (a bad index, a
    /// division by zero) counts as found: so for the negation of an assertion,
    /// not for a goal.
    pub holds_on_failure: bool,
    /// Whether a step that fails by an assertion within an effect counts as
    /// reaching such a state ([`System::trap`]). Without, that is a fault as
    /// others are.
    pub assertions: bool,
}

impl Wanted {
    /// A goal.
    pub fn goal(expr: Expr) -> Wanted {
        Wanted { expr, holds_on_failure: false, assertions: false }
    }
}

/// What a system can express without [`System::timing`].
pub const SUPPORTED: &[Feature] = &[
    Feature::Broadcast,
    Feature::Vectors,
    Feature::Startable,
    Feature::ChannelValues,
    Feature::ProcessValues,
    Feature::Loops,
    Feature::Choices,
    // How likely a step is does not change what the steps are.
    Feature::Probabilities,
    Feature::Rates,
    Feature::SortedSends,
    Feature::SelectiveReceives,
    Feature::Peeks,
    Feature::Scratch,
    Feature::Synchronous,
    Feature::Atomic,
    Feature::Else,
    Feature::Timeout,
    Feature::EndLocations,
];

/// What a system can express with it besides. A network that uses more is
/// refused.
pub const TIMED: &[Feature] = &[
    Feature::Clocks,
    Feature::Invariants,
    Feature::Stopwatches,
    Feature::UrgentLocations,
    Feature::UrgentChannels,
    Feature::Priorities,
];

/// Flattens a network, with `conditions` for the search to look for. Fails
/// where the network uses what no system can express yet, and where it says of
/// clocks what is no conjunction of bounds.
pub fn flatten(network: &Network, conditions: &[Wanted]) -> Result<System, Vec<Diagnostic>> {
    let _phase = homing_budget::phase("flattening the model");
    let refused = refuse(network, &[SUPPORTED, TIMED].concat());
    if !refused.is_empty() {
        return Err(refused);
    }
    let mut flattener = Flattener::new(network);
    flattener.slots();
    flattener.trap(conditions);
    flattener.assigned_clocks();
    flattener.parts();
    flattener.synchronise();
    flattener.conditions(conditions);
    flattener.timing(conditions);
    flattener.refuse_late_commitment();
    if flattener.system.has_atomic_parts() {
        let site = flattener.site(FaultKind::Endless, Span::default());
        flattener.system.endless = Some(site);
    }
    match flattener.problems.is_empty() {
        true => Ok(flattener.system),
        false => Err(flattener.problems),
    }
}

/// A scalar path through a variable's type: the fields taken, and the lengths
/// of the arrays on the way.
#[derive(Clone, Debug)]
struct Leaf {
    fields: Vec<u32>,
    lengths: Vec<u32>,
    ty: Type,
    /// The slot of its first place; of clocks, the number of the first.
    first: SlotId,
}

impl Leaf {
    fn is_clock(&self) -> bool {
        self.ty == Type::Clock
    }

    fn count(&self) -> u32 {
        self.lengths.iter().product()
    }
}

/// The slots of a buffered channel.
#[derive(Clone, Debug)]
struct Buffer {
    length: SlotId,
    capacity: u32,
    /// For each part of a message, the slot of its first place.
    fields: Vec<SlotId>,
}

struct Flattener<'a> {
    network: &'a Network,
    system: System,
    /// The component of each process; observers have none.
    components: Vec<Option<ComponentId>>,
    leaves: Vec<Vec<Leaf>>,
    /// For each process and location, the numbers of the edges that leave it.
    leaving: Vec<Vec<Vec<u32>>>,
    /// The variables that are reset behind every step.
    scratch: Vec<VariableId>,
    buffers: Vec<Option<Buffer>>,
    temps: u32,
    timing: Timing,
    /// The first clocks of leaves whose clocks are assigned through
    /// [`Timing::pending`] slots.
    dynamic: BTreeSet<u32>,
    /// What is known of slots whatever happens: their ranges, and the values of
    /// those that never change.
    known: Vec<Interval>,
    /// What the guard at hand has said of clocks so far.
    so_far: Vec<Constraint>,
    /// The clocks that the effect at hand sets to numbers.
    resets: Vec<(u32, i64)>,
    problems: Vec<Diagnostic>,
}

/// For each location of a process, the numbers of the edges that leave it.
fn leaving(process: &Process) -> Vec<Vec<u32>> {
    let mut leaving = vec![Vec::new(); process.locations.len()];
    for (number, edge) in process.edges.iter().enumerate() {
        leaving[edge.from.index()].push(number as u32);
    }
    leaving
}

fn scratch(network: &Network) -> Vec<VariableId> {
    let all = network.variables.iter().enumerate();
    let scratch = all.filter(|(_, variable)| variable.storage == Storage::Scratch);
    scratch.map(|(number, _)| VariableId(number as u32)).collect()
}

impl<'a> Flattener<'a> {
    fn new(network: &'a Network) -> Flattener<'a> {
        let system = System {
            synchronous: network.composition == Composition::Synchronous,
            sender_first: network.effect_order == EffectOrder::SenderFirst,
            any_committed: network.commitment == Commitment::Any,
            ..System::default()
        };
        Flattener {
            network,
            system,
            components: vec![None; network.processes.len()],
            leaves: vec![Vec::new(); network.variables.len()],
            leaving: network.processes.iter().map(leaving).collect(),
            scratch: scratch(network),
            buffers: vec![None; network.channels.len()],
            temps: 0,
            timing: Timing::default(),
            dynamic: BTreeSet::new(),
            known: Vec::new(),
            so_far: Vec::new(),
            resets: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Globals and buffers first, then process by process its location and its
    /// variables: what changes together lies together.
    fn slots(&mut self) {
        self.variables_of(None);
        for (index, channel) in self.network.channels.iter().enumerate() {
            if let ChannelKind::Buffered(capacity) = channel.kind {
                self.buffers[index] = Some(self.buffer(index, capacity));
            }
        }
        for (process, _) in self.network.system_processes() {
            self.component(process);
            self.variables_of(Some(process));
        }
    }

    fn component(&mut self, id: ProcessId) {
        let process = &self.network.processes[id.index()];
        let component = ComponentId(self.system.components.len() as u32);
        let absent = process.locations.len() as i64;
        let (initial, hi, absent) = match process.lifetime {
            Lifetime::Permanent if !can_end(process) => {
                (i64::from(process.initial.0), absent - 1, None)
            }
            Lifetime::Permanent => (i64::from(process.initial.0), absent, Some(absent)),
            Lifetime::Startable(_) => (absent, absent, Some(absent)),
        };
        let location =
            self.slot(process.name.clone(), Some(component), Interval::new(0, hi), initial);
        let is_committed = |l: &crate::network::Location| l.urgency == Urgency::Committed;
        let mut committed: Vec<bool> = process.locations.iter().map(is_committed).collect();
        committed.resize(hi as usize + 1, false);
        let mut end: Vec<bool> = process.locations.iter().map(|location| location.end).collect();
        end.resize(committed.len(), true);
        let blocked = self.blocked_sites(process, committed.len());
        let made = Component { process: id, location, committed, absent, end, blocked };
        self.system.components.push(made);
        self.components[id.index()] = Some(component);
    }

    /// The slot for failed assertions, where they are wanted and there are any.
    fn trap(&mut self, conditions: &[Wanted]) {
        let edges = self.network.system_processes().flat_map(|(_, process)| &process.edges);
        let mut branches = edges.flat_map(|edge| &edge.branches);
        if conditions.iter().any(|wanted| wanted.assertions)
            && branches.any(|branch| asserts(&branch.effect))
        {
            let name = "failed assertion".to_string();
            self.system.trap = Some(self.slot(name, None, Interval::TRUTH, 0));
        }
    }

    /// A site for every location that is reached with control held in a way
    /// that makes being blocked a failure.
    fn blocked_sites(&mut self, process: &Process, values: usize) -> Vec<Option<SiteId>> {
        let mut sites = vec![None; values];
        let holding = process.edges.iter().filter(|edge| edge.atomic == Atomic::Deterministic);
        for branch in holding.flat_map(|edge| &edge.branches) {
            let Target::Location(location) = branch.target else { continue };
            if sites[location.index()].is_none() {
                let first = process.edges.iter().find(|edge| edge.from == location);
                let span = first.map_or(process.locations[location.index()].span, |edge| edge.span);
                sites[location.index()] = Some(self.site(FaultKind::Blocked, span));
            }
        }
        sites
    }

    fn variables_of(&mut self, owner: Option<ProcessId>) {
        for index in 0..self.network.variables.len() {
            let variable = &self.network.variables[index];
            let observer = owner.is_none() && variable.owner.is_some_and(|p| self.is_observer(p));
            if variable.owner == owner || observer {
                self.variable(VariableId(index as u32));
            }
        }
    }

    fn is_observer(&self, process: ProcessId) -> bool {
        self.network.processes[process.index()].role == crate::network::Role::Observer
    }

    fn variable(&mut self, id: VariableId) {
        let network = self.network;
        let variable = &network.variables[id.index()];
        let component = variable.owner.and_then(|process| self.components[process.index()]);
        let prefix = match variable.owner {
            Some(process) => {
                format!("{}.{}", network.processes[process.index()].name, variable.name)
            }
            None => variable.name.clone(),
        };
        let mut leaves = Vec::new();
        collect_leaves(network, &variable.ty, &mut Vec::new(), &mut Vec::new(), &mut leaves);
        for leaf in &mut leaves {
            leaf.first = match leaf.is_clock() {
                true => SlotId(self.timing.clocks.len() as u32 + 1),
                false => SlotId(self.system.slots.len() as u32),
            };
            let range = self.range(&leaf.ty);
            for place in 0..leaf.count() {
                homing_budget::checkpoint();
                let name = leaf_name(network, &variable.ty, &prefix, leaf, place);
                if leaf.is_clock() {
                    self.timing.clocks.push(Clock { name, initial: 0 });
                } else {
                    self.slot(name, component, range, 0);
                }
            }
        }
        let mut values = variable.initial.iter().copied();
        let mut indices = Vec::new();
        initialise(network, &variable.ty, &mut Vec::new(), &mut indices, &mut |fields, indices| {
            let leaf = leaves.iter().find(|leaf| leaf.fields == fields);
            if let Some(leaf) = leaf {
                let place = leaf.first.index() + flat_index(&leaf.lengths, indices);
                let default = self.default_value(&leaf.ty);
                let initial = values.next().unwrap_or(default);
                match leaf.is_clock() {
                    true => self.timing.clocks[place - 1].initial = initial,
                    false => self.system.slots[place].initial = initial,
                }
            }
        });
        self.leaves[id.index()] = leaves;
    }

    /// What a scalar holds that nobody initialised.
    fn default_value(&self, ty: &Type) -> i64 {
        match ty {
            Type::Process => -1,
            _ => 0,
        }
    }

    fn buffer(&mut self, channel: usize, capacity: u32) -> Buffer {
        let network = self.network;
        let channel = &network.channels[channel];
        let range = Interval::new(0, i64::from(capacity));
        let length = self.slot(format!("len({})", channel.name), None, range, 0);
        let fields = channel.message.iter().enumerate().map(|(field, ty)| {
            let first = SlotId(self.system.slots.len() as u32);
            // An empty place holds zero, whatever the type.
            let range = self.range(ty).hull(Interval::point(0));
            for place in 0..capacity {
                self.slot(format!("{}[{place}].{field}", channel.name), None, range, 0);
            }
            first
        });
        Buffer { length, capacity, fields: fields.collect() }
    }

    fn slot(
        &mut self,
        name: String,
        owner: Option<ComponentId>,
        range: Interval,
        initial: i64,
    ) -> SlotId {
        self.system.slots.push(Slot { name, owner, range, initial });
        SlotId(self.system.slots.len() as u32 - 1)
    }

    fn range(&self, ty: &Type) -> Interval {
        match self.network.scalar(ty) {
            Some(int) => Interval::new(int.lo, int.hi),
            None => Interval::WORD32,
        }
    }

    fn parts(&mut self) {
        let network = self.network;
        for (id, process) in network.system_processes() {
            for edge in 0..process.edges.len() {
                for branch in 0..process.edges[edge].branches.len() {
                    homing_budget::checkpoint();
                    let edge = EdgeRef { process: id, edge: edge as u32, branch: branch as u32 };
                    self.edge_parts(edge);
                }
            }
        }
    }

    /// The location slot's value after the branch.
    fn target(&self, process: ProcessId, target: Target) -> i64 {
        match target {
            Target::Location(LocationId(location)) => i64::from(location),
            Target::End => self.network.processes[process.index()].locations.len() as i64,
        }
    }

    /// Resets the variables of a process that ends.
    fn reset_variables(&self, process: ProcessId, storage: Storage) -> Vec<Command> {
        let variables = self.network.variables.iter().zip(&self.leaves);
        let own = variables.filter(|(v, _)| v.owner == Some(process) && v.storage == storage);
        own.flat_map(|(_, leaves)| self.reset_leaves(leaves)).collect()
    }

    fn reset_leaves(&self, leaves: &[Leaf]) -> Vec<Command> {
        let leaves = leaves.iter().filter(|leaf| !leaf.is_clock());
        let slots = leaves.flat_map(|leaf| leaf.first.0..leaf.first.0 + leaf.count());
        let initial = |slot: u32| Term::Const(self.system.slots[slot as usize].initial);
        slots.map(|slot| Command::Set(SlotId(slot), initial(slot))).collect()
    }

    fn conditions(&mut self, conditions: &[Wanted]) {
        for condition in conditions {
            let Wanted { expr, holds_on_failure, assertions } = condition;
            let mut term = self.necessary(expr, true);
            if let Some(trap) = self.system.trap.filter(|_| *assertions) {
                term = Term::binary(Binary::Or, Term::is(trap, 1), term);
            }
            let (holds_on_failure, span) = (*holds_on_failure, expr.span);
            self.system.conditions.push(Condition { term, holds_on_failure, span });
        }
    }

    fn site(&mut self, kind: FaultKind, span: Span) -> SiteId {
        self.system.sites.push(crate::system::Site { kind, span });
        self.timing.sites.push(self.so_far.clone());
        SiteId(self.system.sites.len() as u32 - 1)
    }
}

/// Whether there is an assertion within the statements.
pub fn asserts(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Assert(_) => true,
        StatementKind::If(_, yes, no) => asserts(yes) || asserts(no),
        StatementKind::While(_, body) => asserts(body),
        _ => false,
    })
}

fn can_end(process: &Process) -> bool {
    let mut branches = process.edges.iter().flat_map(|edge| &edge.branches);
    branches.any(|branch| branch.target == Target::End)
}

fn collect_leaves(
    network: &Network,
    ty: &Type,
    fields: &mut Vec<u32>,
    lengths: &mut Vec<u32>,
    leaves: &mut Vec<Leaf>,
) {
    match ty {
        Type::Array(element, length) => {
            lengths.push(*length);
            collect_leaves(network, element, fields, lengths, leaves);
            lengths.pop();
        }
        Type::Record(record) => {
            for (field, (_, ty)) in network.records[record.index()].fields.iter().enumerate() {
                fields.push(field as u32);
                collect_leaves(network, ty, fields, lengths, leaves);
                fields.pop();
            }
        }
        scalar => leaves.push(Leaf {
            fields: fields.clone(),
            lengths: lengths.clone(),
            ty: scalar.clone(),
            first: SlotId(0),
        }),
    }
}

/// Visits every scalar in declaration order, with its fields and indices.
fn initialise(
    network: &Network,
    ty: &Type,
    fields: &mut Vec<u32>,
    indices: &mut Vec<u32>,
    visit: &mut dyn FnMut(&[u32], &[u32]),
) {
    match ty {
        Type::Array(element, length) => {
            for index in 0..*length {
                indices.push(index);
                initialise(network, element, fields, indices, visit);
                indices.pop();
            }
        }
        Type::Record(record) => {
            for (field, (_, ty)) in network.records[record.index()].fields.iter().enumerate() {
                fields.push(field as u32);
                initialise(network, ty, fields, indices, visit);
                fields.pop();
            }
        }
        _ => visit(fields, indices),
    }
}

fn flat_index(lengths: &[u32], indices: &[u32]) -> usize {
    let places = lengths.iter().zip(indices);
    places.fold(0, |flat, (length, index)| flat * *length as usize + *index as usize)
}

fn leaf_name(network: &Network, ty: &Type, prefix: &str, leaf: &Leaf, place: u32) -> String {
    let mut name = prefix.to_string();
    let mut remaining = leaf.count();
    let mut rest = place;
    let (mut lengths, mut fields) = (leaf.lengths.iter(), leaf.fields.iter());
    let mut ty = ty;
    loop {
        match ty {
            Type::Array(element, _) => {
                let Some(length) = lengths.next() else { return name };
                remaining /= length;
                name.push_str(&format!("[{}]", rest / remaining));
                rest %= remaining;
                ty = element;
            }
            Type::Record(record) => {
                let Some(field) = fields.next() else { return name };
                let (field, inner) = &network.records[record.index()].fields[*field as usize];
                name.push_str(&format!(".{field}"));
                ty = inner;
            }
            _ => return name,
        }
    }
}

#[cfg(test)]
mod tests;
