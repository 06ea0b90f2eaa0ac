//! Systems of components that stay where they are: a state is what its slots hold.

use homing_ir::System;
use homing_ir::network::{Atomic, ChannelId, EdgeRef, ProcessId};
use homing_ir::system::{
    Command, Component, ComponentId, Intake, Interval, Part, PartId, PartRole, Rendezvous, Slot,
    SlotId, Term,
};

/// The whole numbers of 64 bits.
pub const FULL: Interval = Interval::new(i64::MIN, i64::MAX);

/// Where values change their number of bits, their sign, or their type.
pub const BOUNDARIES: [i64; 32] = [
    i64::MIN,
    i64::MIN + 1,
    -(1 << 32) - 1,
    -(1 << 32),
    i32::MIN as i64 - 1,
    i32::MIN as i64,
    i32::MIN as i64 + 1,
    -32769,
    -32768,
    -129,
    -128,
    -3,
    -2,
    -1,
    0,
    1,
    2,
    7,
    31,
    32,
    127,
    128,
    255,
    256,
    32767,
    65535,
    65536,
    i32::MAX as i64,
    i32::MAX as i64 + 1,
    u32::MAX as i64,
    1 << 32,
    i64::MAX,
];

/// The integer types of our languages, and some that none has.
pub const TYPES: [Interval; 20] = [
    Interval::TRUTH,
    Interval::new(0, 255),
    Interval::new(-128, 127),
    Interval::new(-32768, 32767),
    Interval::new(0, 65535),
    Interval::WORD32,
    Interval::new(0, u32::MAX as i64),
    Interval::new(0, 7),
    Interval::new(0, 6),
    Interval::new(1, 8),
    Interval::new(-1, 6),
    Interval::new(-4, 3),
    Interval::new(-3, 3),
    Interval::new(100, 1000),
    Interval::new(-1000, -100),
    Interval::new(0, 0),
    Interval::new(5, 5),
    Interval::new(-5, -5),
    Interval::new(-(1 << 32), (1 << 32) - 1),
    Interval::new(-(1 << 33), 1 << 34),
];

/// A system with these slots behind that of the location, which is slot 0, and a part for
/// every guard and effect.
pub fn system(ranges: &[Interval], parts: Vec<(Term, Vec<Command>)>) -> System {
    let slot = |range: Interval| Slot {
        name: String::new(),
        owner: None,
        range,
        initial: if range.contains(0) { 0 } else { range.lo },
    };
    let component = Component {
        process: ProcessId(0),
        location: SlotId(0),
        committed: vec![false],
        absent: None,
        end: vec![true],
        blocked: vec![None],
    };
    let part = |(index, (guard, effect)): (usize, (Term, Vec<Command>))| Part {
        edge: EdgeRef { process: ProcessId(0), edge: index as u32, branch: 0 },
        component: ComponentId(0),
        from: 0,
        guard,
        timeout: false,
        atomic: Atomic::No,
        role: PartRole::Alone,
        end: None,
        prepare: Vec::new(),
        stores: Vec::new(),
        effect,
        cleanup: Vec::new(),
    };
    System {
        slots: std::iter::once(Interval::point(0))
            .chain(ranges.iter().copied())
            .map(slot)
            .collect(),
        components: vec![component],
        parts: parts.into_iter().enumerate().map(part).collect(),
        ..System::default()
    }
}

/// The first two parts of a system made a pair: the first sends, and the second, now of a
/// component of its own, receives.
pub fn paired(mut system: System, message: Vec<Term>, intakes: Vec<Intake>) -> System {
    let channel = ChannelId(0);
    let location = SlotId(system.slots.len() as u32);
    system.slots.push(system.slots[0].clone());
    system.components.push(Component { location, ..system.components[0].clone() });
    system.parts[0].role = PartRole::Send(channel, message);
    system.parts[1].role = PartRole::Receive(channel, intakes);
    system.parts[1].component = ComponentId(1);
    let (senders, receivers) = (vec![PartId(0)], vec![PartId(1)]);
    system.rendezvous.push(Rendezvous { channel, senders, receivers });
    system
}
