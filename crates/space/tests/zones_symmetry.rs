//! Representatives of states with zones against all of them, on random pools of
//! interchangeable processes with clocks: the same verdicts and lengths of shortest
//! ways, whatever zones are extrapolated and compared by, and ways that are runs. And against
//! regions, on random networks in which a process is there several times.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::zones_support;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use homing_core::{Batch, Space, Word};
use homing_ir::Network;
use homing_ir::builder::*;
use homing_ir::flatten::Wanted;
use homing_ir::network::{ChannelKind, Expr, ExprKind, ProcessId, Type, VariableId};
use homing_ir::passes::Passes;
use homing_ir::random::config;
use homing_ir::symmetry::Symmetry;
use homing_space::zones::{Extrapolation, Subsumption, ZoneOptions, ZoneSpace};
use homing_space::{CompiledSpace, Symmetric};
use proptest::prelude::*;
use zones_support::{Kinds, sample, truth};

/// States explored before a network is given up as too large.
const LIMIT: usize = 1500;

/// What a breadth-first search sees.
#[derive(Default)]
struct Explored {
    /// With the position of the state before.
    states: Vec<(Vec<Word>, Option<usize>)>,
    deadlock: Option<(usize, usize)>,
    fault: Option<(usize, usize)>,
    /// By goal, the depth at which it is reached first, and the state.
    goals: Vec<Option<(usize, usize)>>,
}

impl Explored {
    /// All that does not depend on who is who.
    fn summary(&self) -> [Vec<Option<usize>>; 2] {
        let depth = |found: &Option<(usize, usize)>| found.map(|(depth, _)| depth);
        [[&self.deadlock, &self.fault].map(depth).to_vec(), self.goals.iter().map(depth).collect()]
    }

    fn way_to(&self, state: usize) -> Vec<&[Word]> {
        let mut way = Vec::new();
        let mut at = Some(state);
        while let Some(state) = at {
            way.push(&self.states[state].0[..]);
            at = self.states[state].1;
        }
        way.reverse();
        way
    }
}

/// Explores all, unless there are too many; `own` words are the discrete part.
fn explore(space: &dyn Space, goals: usize, own: usize, covering: bool) -> Option<Explored> {
    let mut seen = Explored { goals: vec![None; goals], ..Explored::default() };
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut layer: Vec<(Vec<Word>, Option<usize>)> = vec![(batch.state(0).to_vec(), None)];
    let mut stored: BTreeMap<Vec<Word>, Vec<usize>> = BTreeMap::new();
    for depth in 0.. {
        let mut next = Vec::new();
        for (state, before) in layer {
            let known = stored.entry(state[..own].to_vec()).or_default();
            let covers = |other: &usize| {
                let other = &seen.states[*other].0;
                match (covering, space.cover()) {
                    (true, Some(cover)) => cover.covers(other, &state),
                    _ => *other == state,
                }
            };
            if known.iter().any(covers) {
                continue;
            }
            let at = seen.states.len();
            known.push(at);
            let violated = expander.violated(&state);
            for (bit, goal) in seen.goals.iter_mut().enumerate() {
                if violated >> bit & 1 == 1 {
                    goal.get_or_insert((depth, at));
                }
            }
            batch.clear();
            expander.expand(&state, &mut batch);
            if batch.deadlock() {
                seen.deadlock.get_or_insert((depth, at));
            }
            if !batch.faults().is_empty() {
                seen.fault.get_or_insert((depth, at));
            }
            (0..batch.len()).for_each(|i| next.push((batch.state(i).to_vec(), Some(at))));
            seen.states.push((state, before));
            if seen.states.len() > LIMIT {
                return None;
            }
        }
        if next.is_empty() {
            break;
        }
        layer = next;
    }
    Some(seen)
}

/// Compares what is seen with and without; answers what was, if not too much.
fn compared(
    discrete: &CompiledSpace,
    symmetry: &Symmetry,
    options: ZoneOptions,
    covering: bool,
) -> Result<Option<(Explored, Explored)>, TestCaseError> {
    let Ok(zones) = ZoneSpace::new(discrete, options) else { return Ok(None) };
    let (goals, own) = (discrete.system().conditions.len(), discrete.layout().words);
    let zones = Arc::new(zones);
    let symmetric = Symmetric::timed(Arc::clone(&zones), symmetry);
    let (Some(all), Some(few)) =
        (explore(&*zones, goals, own, covering), explore(&symmetric, goals, own, covering))
    else {
        return Ok(None);
    };
    let deadlocks = zones.options().deadlocks;
    let [mut with, mut without] = [few.summary(), all.summary()];
    if !deadlocks {
        (with[0][0], without[0][0]) = (None, None);
    }
    prop_assert_eq!(with, without, "{:?} {:?}", options, symmetry);
    let mut expander = zones.expander();
    for (bit, goal) in few.goals.iter().enumerate() {
        let Some((depth, state)) = goal else { continue };
        let way = few.way_to(*state);
        let holds = |state: &[Word]| expander.violated(state) >> bit & 1 == 1;
        let run = symmetric.realise(way.into_iter(), holds);
        let run = run.expect("every path of representatives is one of a run");
        prop_assert_eq!(run.len(), depth + 1);
        for (before, after) in run.iter().zip(&run[1..]) {
            let mut batch = Batch::new(zones.width());
            expander.expand(&before.1, &mut batch);
            let is_step = |i| batch.edge(i) == after.0 && batch.state(i) == &after.1[..];
            prop_assert!((0..batch.len()).any(is_step));
        }
    }
    Ok(Some((all, few)))
}

const LOCATIONS: u32 = 3;

/// An edge of all processes of a pool; the numbers choose what it does.
#[derive(Clone, Debug)]
struct EdgeSketch {
    from: u32,
    to: u32,
    guards: Vec<u8>,
    effects: Vec<u8>,
    action: u8,
    priority: bool,
}

/// What a pool is made from.
#[derive(Clone, Debug)]
struct Sketch {
    edges: Vec<EdgeSketch>,
    /// By location.
    invariants: Vec<u8>,
    urgent: Option<u32>,
}

/// What pools may have.
#[derive(Clone, Copy)]
struct Allowed {
    guards: u8,
    effects: u8,
    actions: u8,
    priorities: bool,
}

const PLAIN: Allowed = Allowed { guards: 10, effects: 9, actions: 4, priorities: false };
const ALL: Allowed = Allowed { guards: 12, effects: 10, actions: 8, priorities: true };

fn sketches(allowed: Allowed) -> impl Strategy<Value = Sketch> {
    let guards = prop::collection::vec(0..allowed.guards, 0..3);
    let effects = prop::collection::vec(0..allowed.effects, 0..3);
    let priority =
        if allowed.priorities { prop::bool::weighted(0.2).boxed() } else { Just(false).boxed() };
    let edge = (0..LOCATIONS, 0..LOCATIONS, guards, effects, 0..allowed.actions, priority);
    let edge = edge.prop_map(|(from, to, guards, effects, action, priority)| EdgeSketch {
        from,
        to,
        guards,
        effects,
        action,
        priority,
    });
    let urgent = prop::option::weighted(0.2, 0..LOCATIONS);
    let invariants = prop::collection::vec(0..8u8, LOCATIONS as usize);
    (prop::collection::vec(edge, 1..5), invariants, urgent)
        .prop_map(|(edges, invariants, urgent)| Sketch { edges, invariants, urgent })
}

/// What the processes of a pool share, and what is one's own.
struct Pool {
    n: i64,
    turn: VariableId,
    flag: VariableId,
    all: VariableId,
    clocks: VariableId,
}

/// `n` processes, each with a clock of its own and one of an array.
fn pool(n: usize, sketch: &Sketch, turn: i64) -> (Network, Vec<Expr>) {
    let mut b = Builder::default();
    let nobody = n as i64;
    let row = |ty: Type| Type::Array(Box::new(ty), n as u32 + 1);
    let pool = Pool {
        n: nobody,
        turn: b.variable("turn", Type::checked(0, nobody), &[turn]),
        flag: b.variable("flag", row(Type::checked(0, 1)), &vec![0; n + 1]),
        all: b.clock("all"),
        clocks: b.variable("clocks", row(Type::Clock), &[]),
    };
    let meet = b.channel("meet", ChannelKind::Rendezvous, &[]);
    let hurry = b.channel("hurry", ChannelKind::Rendezvous, &[]);
    b.network.channels[hurry.index()].urgent = true;
    let shout = b.channel("shout", ChannelKind::Broadcast, &[]);
    let mut own = Vec::new();
    for i in 0..n {
        let p = b.process(&format!("P{i}"), &["a", "b", "c"]);
        let x = b.clock(&format!("x{i}"));
        own.push(x);
        let mine = || element(pool.clocks, &[int(i as i64)]);
        for (location, invariant) in (0..LOCATIONS).zip(&sketch.invariants) {
            match invariant {
                0 => b.invariant(p, location, le(read(x), int(2))),
                1 => b.invariant(p, location, lt(mine(), int(2))),
                2 => b.invariant(p, location, le(read(pool.all), int(3))),
                _ => {}
            }
        }
        if let Some(location) = sketch.urgent {
            b.urgent(p, location);
        }
        for sketch in &sketch.edges {
            let hurries = matches!(sketch.action, 4 | 5);
            let guards = sketch.guards.iter().filter(|guard| !hurries || **guard >= 10);
            let guard = guards.map(|guard| guard_of(&pool, *guard, i, x)).fold(int(1), and);
            let mut made = edge(sketch.from, sketch.to).when(guard);
            made = match sketch.action {
                1 => made.send(channel(meet), &[]),
                2 => made.receive(channel(meet), &[]),
                4 => made.send(channel(hurry), &[]),
                5 => made.receive(channel(hurry), &[]),
                6 => made.send(channel(shout), &[]),
                7 => made.receive(channel(shout), &[]),
                _ => made,
            };
            for effect in &sketch.effects {
                let (target, value) = effect_of(&pool, *effect, i, x);
                made = made.run(assign(target, value));
            }
            b.add(p, made.priority(i32::from(sketch.priority)));
        }
    }
    (b.network, goals(&own))
}

fn guard_of(pool: &Pool, number: u8, i: usize, x: VariableId) -> Expr {
    let me = || int(i as i64);
    let clock = |index: Expr| element(pool.clocks, &[index]);
    match number {
        0 => ge(read(x), int(1)),
        1 => le(read(x), int(1)),
        2 => lt(read(x), int(2)),
        3 => ge(read(pool.all), int(1)),
        4 => gt(clock(me()), int(1)),
        5 => le(clock(read(pool.turn)), int(2)),
        6 => eq(read(pool.turn), me()),
        7 => eq(read(pool.turn), int(pool.n)),
        8 => eq(element(pool.flag, &[me()]), int(1)),
        9 => eq(element(pool.flag, &[read(pool.turn)]), int(0)),
        10 => le(sub(read(x), read(pool.all)), int(0)),
        _ => lt(sub(read(x), clock(me())), int(1)),
    }
}

fn effect_of(
    pool: &Pool,
    number: u8,
    i: usize,
    x: VariableId,
) -> (homing_ir::network::Place, Expr) {
    let me = || int(i as i64);
    match number {
        0 | 1 => (place(x, &[]), int(0)),
        2 => (place(pool.all, &[]), int(0)),
        3 => (place(pool.turn, &[]), me()),
        4 => (place(pool.turn, &[]), int(pool.n)),
        5 => (place(pool.clocks, &[me()]), int(0)),
        6 => (place(pool.clocks, &[read(pool.turn)]), int(0)),
        7 => (place(x, &[]), int(1)),
        8 => (place(pool.flag, &[me()]), sub(int(1), element(pool.flag, &[me()]))),
        _ => (place(x, &[]), read(pool.all)),
    }
}

/// What all processes are alike to: two at one place; two there lately; one there
/// whose clock is ahead of another's; a deadlock.
fn goals(own: &[VariableId]) -> Vec<Expr> {
    let at = |i: usize| at(ProcessId(i as u32), 2);
    let some = |pair: &dyn Fn(usize, usize) -> Expr| {
        let pairs = (0..own.len()).flat_map(|i| (0..own.len()).map(move |j| (i, j)));
        pairs.filter(|(i, j)| i != j).map(|(i, j)| pair(i, j)).reduce(or).unwrap()
    };
    let both = |i: usize, j: usize| and(at(i), at(j));
    vec![
        some(&both),
        some(&|i, j| and(both(i, j), and(le(read(own[i]), int(1)), le(read(own[j]), int(1))))),
        some(&|i, j| and(at(i), ge(sub(read(own[i]), read(own[j])), int(2)))),
        expr(ExprKind::Deadlock),
    ]
}

fn options() -> impl Strategy<Value = (ZoneOptions, bool)> {
    use Extrapolation::{Lu, LuPlus, M, MPlus};
    let extrapolation = prop_oneof![Just(M), Just(MPlus), Just(Lu), Just(LuPlus)];
    let subsumption =
        prop_oneof![Just(Subsumption::Inclusion), Just(Subsumption::Am), Just(Subsumption::Alu)];
    let flags = any::<[bool; 5]>();
    (extrapolation, subsumption, flags).prop_map(|(extrapolation, subsumption, flags)| {
        let [local, compare_local, elapsed, deadlocks, covering] = flags;
        let options = ZoneOptions {
            extrapolation,
            local,
            subsumption,
            compare_local,
            elapsed,
            deadlocks,
            ..ZoneOptions::default()
        };
        (options, covering)
    })
}

fn passes() -> impl Strategy<Value = Passes> {
    prop_oneof![Just(Passes::NONE), Just(Passes::COUNTING), Just(Passes::ALL)]
}

fn space_of(network: &Network, goals: &[Expr], passes: Passes) -> CompiledSpace {
    let wanted: Vec<Wanted> = goals.iter().cloned().map(Wanted::goal).collect();
    CompiledSpace::new(network, &wanted, passes).expect("a supported network")
}

#[test]
fn pools_with_clocks() {
    let [seen, all, few] = [(); 3].map(|()| Cell::new(0));
    proptest!(config(300), |(sketch in sketches(PLAIN), n in 2..4usize, first in any::<bool>(),
                             passes in passes(), (options, covering) in options(),
                             asked in 0..4usize)| {
        let turn = if first { 0 } else { n as i64 };
        let (network, goals) = pool(n, &sketch, turn);
        let space = space_of(&network, &goals[..=asked], passes);
        let symmetry = Symmetry::of(space.system(), !first);
        // Who has a clock that only the goals mention is not known.
        if !first && asked == 0 {
            prop_assert_eq!(symmetry.processes(), n, "{:?}", symmetry);
        }
        if let Some((without, with)) = compared(&space, &symmetry, options, covering)? {
            let (without, with) = (without.states.len(), with.states.len());
            seen.set(seen.get() + 1);
            all.set(all.get() + without);
            few.set(few.get() + with);
            // Without comparisons of clocks and deadlocks, no zone is cut in pieces.
            if !covering && !first && asked < 2 && !options.deadlocks {
                prop_assert!(with <= without);
            }
        }
    });
    assert!(seen.get() > 100, "too few are small enough: {seen:?}");
    assert!(few.get() * 3 < all.get() * 2, "{few:?} of {all:?} states");
}

/// Whatever is found to be interchangeable must not change what is found: broadcasts,
/// priorities, urgent channels, copies of clocks.
#[test]
fn pools_with_everything() {
    let found = Cell::new(0);
    proptest!(config(300), |(sketch in sketches(ALL), n in 2..4usize, first in any::<bool>(),
                             passes in passes(), (options, covering) in options(),
                             asked in 0..4usize)| {
        let turn = if first { 0 } else { n as i64 };
        let (network, goals) = pool(n, &sketch, turn);
        let space = space_of(&network, &goals[..=asked], passes);
        let symmetry = Symmetry::of(space.system(), !first);
        found.set(found.get() + usize::from(!symmetry.is_empty()));
        compared(&space, &symmetry, options, covering)?;
    });
    assert!(found.get() > 100, "too few have interchangeable processes: {found:?}");
}

/// Random networks in which one process is there several times, and shares all its
/// clocks with its copies.
#[test]
fn copies_of_a_process() {
    let [found, known] = [(); 2].map(|()| Cell::new(0));
    proptest!(config(200), |(seed in any::<u64>(), which in any::<prop::sample::Index>(),
                             passes in passes(), (options, covering) in options())| {
        let kinds = Kinds {
            clocks: 2,
            diagonals: seed.is_multiple_of(3),
            copies: seed.is_multiple_of(5),
            priorities: seed.is_multiple_of(7),
            broadcast: seed.is_multiple_of(2),
            urgency: seed.is_multiple_of(4),
            scale: 0,
        };
        let mut sample = sample(seed, kinds);
        let processes = &mut sample.network.processes;
        let which = which.index(processes.len());
        for copy in 0..2 {
            let mut process = processes[which].clone();
            process.name = format!("{}copy{copy}", process.name);
            processes.push(process);
        }
        let space = space_of(&sample.network, &sample.goals, passes);
        let symmetry = Symmetry::of(space.system(), seed.is_multiple_of(2));
        found.set(found.get() + usize::from(!symmetry.is_empty()));
        let seen = compared(&space, &symmetry, options, covering)?;
        if let (Some((_, few)), Some(truth)) = (seen, truth(&sample, LIMIT)) {
            let few = few.goals.iter().map(|goal| goal.map(|(depth, _)| depth as u32));
            prop_assert_eq!(few.collect::<Vec<_>>(), truth.goals);
            known.set(known.get() + usize::from(!symmetry.is_empty()));
        }
    });
    assert!(found.get() > 50, "too few have interchangeable processes: {found:?}");
    assert!(known.get() > 10, "too few are small enough: {known:?}");
}
