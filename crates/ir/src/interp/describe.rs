//! States for people to read.

use std::ops::Range;

use super::{Interpreter, State};
use crate::network::{ChannelId, Storage, Type};

/// A difference between two states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What changed: a process, a variable (`P.x` where it belongs to a
    /// process), a part of one (`a[3]`, `r.field`), a channel.
    pub name: String,
    /// Its value before; for a process, the name of its location.
    pub from: String,
    /// Its value after.
    pub to: String,
}

impl Interpreter<'_> {
    /// The differences between two states in the same unit of time, processes
    /// first; none where the states are equal.
    pub fn changes(&self, before: &State, after: &State) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut note = |name: &str, from: String, to: String| {
            changes.push(Change { name: name.to_owned(), from, to });
        };
        for (i, process) in self.network.processes.iter().enumerate() {
            if before.locations[i] != after.locations[i] {
                note(&process.name, self.location_name(before, i), self.location_name(after, i));
            }
        }
        // Names are made only where something changed: runs may be long.
        let differs = |at: Range<usize>| before.values[at.clone()] != after.values[at];
        self.each_scalar(&differs, &mut |name, ty, index| {
            let (from, to) = (before.values[index], after.values[index]);
            if from != to {
                note(name, self.show_at(before, ty, from), self.show_at(after, ty, to));
            }
        });
        for (i, channel) in self.network.channels.iter().enumerate() {
            if before.buffers[i] != after.buffers[i] {
                note(&channel.name, self.show_buffer(before, i), self.show_buffer(after, i));
            }
        }
        changes
    }

    /// All parts of a state by name, with their values: processes, variables,
    /// buffered channels.
    pub fn describe(&self, state: &State) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (id, process) in self.network.system_processes() {
            all.push((process.name.clone(), self.location_name(state, id.index())));
        }
        self.each_scalar(&|_| true, &mut |name, ty, index| {
            all.push((name.to_owned(), self.show_at(state, ty, state.values[index])));
        });
        for (i, channel) in self.network.channels.iter().enumerate() {
            if matches!(channel.kind, crate::network::ChannelKind::Buffered(_)) {
                all.push((channel.name.clone(), self.show_buffer(state, i)));
            }
        }
        all
    }

    fn location_name(&self, state: &State, process: usize) -> String {
        match state.locations[process] {
            Some(location) => {
                self.network.processes[process].locations[location.index()].name.clone()
            }
            None => "absent".to_owned(),
        }
    }

    /// Calls `visit` with name, type and position of every scalar of the
    /// state's variables, of those whose place in the state is `wanted`.
    pub(super) fn each_scalar(
        &self,
        wanted: &dyn Fn(Range<usize>) -> bool,
        visit: &mut dyn FnMut(&str, &Type, usize),
    ) {
        for (variable, region) in self.network.variables.iter().zip(&self.regions) {
            let place = region.start..region.start + region.scalars;
            if region.storage == Storage::State && wanted(place) {
                let owner = variable.owner.map(|owner| &self.network.processes[owner.index()].name);
                let name = match owner {
                    Some(owner) => format!("{owner}.{}", variable.name),
                    None => variable.name.clone(),
                };
                self.scalars_of(&name, &variable.ty, region.start, visit);
            }
        }
    }

    /// The recursion over types is bounded by
    /// [`MAX_DEPTH`](crate::wellformed::MAX_DEPTH).
    fn scalars_of(
        &self,
        name: &str,
        ty: &Type,
        start: usize,
        visit: &mut dyn FnMut(&str, &Type, usize),
    ) {
        match ty {
            Type::Array(element, length) => {
                let size = self.network.scalars(element);
                for i in 0..*length as usize {
                    self.scalars_of(&format!("{name}[{i}]"), element, start + i * size, visit);
                }
            }
            Type::Record(id) => {
                let mut start = start;
                for (field, ty) in &self.network.records[id.index()].fields {
                    self.scalars_of(&format!("{name}.{field}"), ty, start, visit);
                    start += self.network.scalars(ty);
                }
            }
            _ => visit(name, ty, start),
        }
    }

    fn show_at(&self, state: &State, ty: &Type, value: i64) -> String {
        match ty {
            Type::Clock => ratio(value, state.unit),
            _ => self.show(ty, value),
        }
    }

    pub(super) fn show(&self, ty: &Type, value: i64) -> String {
        let network = self.network;
        let position = usize::try_from(value).ok();
        let name = match ty {
            Type::Bool => return (value != 0).to_string(),
            Type::Enum(id) => position.and_then(|i| network.enumerations[id.index()].values.get(i)),
            Type::Channel => {
                let channel = ChannelId::of_value(value);
                channel.and_then(|id| network.channels.get(id.index())).map(|found| &found.name)
            }
            Type::Process => {
                position.and_then(|i| network.processes.get(i)).map(|process| &process.name)
            }
            _ => None,
        };
        match (name, ty) {
            (Some(name), _) => name.clone(),
            (None, Type::Process) => "none".to_owned(),
            (None, Type::Channel) if value == 0 => "none".to_owned(),
            (None, _) => value.to_string(),
        }
    }

    /// A message for people to read, part by part.
    pub fn describe_message(&self, channel: ChannelId, message: &[i64]) -> Vec<String> {
        let types = &self.network.channels[channel.index()].message;
        types.iter().zip(message).map(|(ty, value)| self.show(ty, *value)).collect()
    }

    fn show_buffer(&self, state: &State, channel: usize) -> String {
        let id = ChannelId(channel as u32);
        let messages = state.buffers[channel].iter().map(|message| {
            let parts = self.describe_message(id, message);
            match parts.as_slice() {
                [one] => one.clone(),
                _ => format!("({})", parts.join(", ")),
            }
        });
        format!("[{}]", messages.collect::<Vec<_>>().join(", "))
    }
}

/// A fraction for people to read, in lowest terms.
pub fn ratio(numerator: i64, denominator: i64) -> String {
    let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let divisor = i128::from(a.max(1));
    let (above, below) = (i128::from(numerator) / divisor, i128::from(denominator) / divisor);
    if below == 1 { above.to_string() } else { format!("{above}/{below}") }
}
