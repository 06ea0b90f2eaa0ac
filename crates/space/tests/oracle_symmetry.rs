//! Representatives against all states, on random pools of interchangeable
//! processes: the same verdicts, the same lengths of shortest ways, and just one
//! representative an orbit, by brute force.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use homing_core::{Batch, Space, Word};
use homing_ir::Network;
use homing_ir::builder::{
    Builder, and, assign, at, channel, edge, element, eq, int, or, place, read, store, sub,
};
use homing_ir::flatten::{SUPPORTED, Wanted};
use homing_ir::network::{ChannelKind, Expr, ProcessId, Type, VariableId};
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, config, networks_with_goals};
use homing_ir::symmetry::Symmetry;
use homing_ir::system::System;
use homing_space::reduction::{Asked, Reduced, Reduction};
use homing_space::{CompiledSpace, Symmetric, beginning};
use proptest::prelude::*;

/// States explored before a network is given up as too large.
const LIMIT: usize = 4000;

/// What a breadth-first search sees, with the depths at which it does first.
#[derive(Default, Debug)]
struct Explored {
    /// With the state before.
    states: BTreeMap<Vec<Word>, Option<Vec<Word>>>,
    deadlock: Option<usize>,
    fault: Option<usize>,
    goals: Vec<Option<(usize, Vec<Word>)>>,
}

impl Explored {
    /// All that does not depend on who is who.
    fn summary(&self) -> (Option<usize>, Option<usize>, Vec<Option<usize>>) {
        let goals = self.goals.iter().map(|goal| goal.as_ref().map(|(depth, _)| *depth));
        (self.deadlock, self.fault, goals.collect())
    }

    fn way_to(&self, state: &[Word]) -> Vec<Vec<Word>> {
        let mut way = vec![state.to_vec()];
        while let Some(before) = &self.states[way.last().unwrap()] {
            way.push(before.clone());
        }
        way.reverse();
        way
    }
}

/// Explores all, unless there are too many.
fn explore(space: &dyn Space, goals: usize) -> Option<Explored> {
    let mut seen = Explored { goals: vec![None; goals], ..Explored::default() };
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut layer: Vec<Vec<Word>> = vec![batch.state(0).to_vec()];
    seen.states.insert(layer[0].clone(), None);
    for depth in 0.. {
        let mut next = Vec::new();
        for state in &layer {
            let violated = expander.violated(state);
            for (bit, goal) in seen.goals.iter_mut().enumerate() {
                if violated >> bit & 1 == 1 {
                    goal.get_or_insert((depth, state.clone()));
                }
            }
            batch.clear();
            expander.expand(state, &mut batch);
            if batch.deadlock() {
                seen.deadlock.get_or_insert(depth);
            }
            if !batch.faults().is_empty() {
                seen.fault.get_or_insert(depth);
            }
            for i in 0..batch.len() {
                if !seen.states.contains_key(batch.state(i)) {
                    seen.states.insert(batch.state(i).to_vec(), Some(state.clone()));
                    next.push(batch.state(i).to_vec());
                }
            }
        }
        if seen.states.len() > LIMIT {
            return None;
        }
        if next.is_empty() {
            break;
        }
        layer = next;
    }
    Some(seen)
}

/// The same verdicts and lengths, and ways through representatives that are runs.
/// Answers what is reached with and without, unless there is too much.
fn compared(
    space: &CompiledSpace,
    symmetry: &Symmetry,
) -> Result<Option<(Explored, Explored)>, TestCaseError> {
    let goals = space.system().conditions.len();
    let symmetric = Symmetric::new(space, space.layout(), symmetry);
    let (Some(all), Some(few)) = (explore(space, goals), explore(&symmetric, goals)) else {
        return Ok(None);
    };
    prop_assert_eq!(all.summary(), few.summary());
    prop_assert!(few.states.len() <= all.states.len());
    for (bit, goal) in few.goals.iter().enumerate() {
        let Some((depth, state)) = goal else { continue };
        let way = few.way_to(state);
        let holds = |state: &[Word]| space.conditions(state) >> bit & 1 == 1;
        let run = symmetric.realise(way.iter().map(|state| &state[..]), holds);
        let run = run.expect("every path of representatives is one of a run");
        prop_assert_eq!(run.len(), depth + 1);
    }
    reduced(space, symmetry, &all)?;
    Ok(Some((all, few)))
}

/// Explores what a search does that takes ample sets: of the sets of a state the first
/// that leads to something new, all successors where none does. Says what is reached.
fn explore_ample(space: &dyn Space) -> (bool, bool, u64) {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut queue = vec![batch.state(0).to_vec()];
    let mut seen: BTreeSet<Vec<Word>> = queue.iter().cloned().collect();
    let (mut deadlock, mut fault, mut goals) = (false, false, 0);
    let mut at = 0;
    while let Some(state) = queue.get(at).cloned() {
        at += 1;
        goals |= expander.violated(&state);
        batch.clear();
        expander.expand(&state, &mut batch);
        deadlock |= batch.deadlock();
        fault |= !batch.faults().is_empty();
        let sets = batch.ample().into_iter().chain(batch.further().iter().copied());
        let new = (0..batch.len()).find(|i| !seen.contains(batch.state(*i)));
        let taken = sets.chain([batch.len()]).find(|end| new.is_some_and(|new| new < *end));
        for successor in (0..taken.unwrap_or(batch.len())).map(|i| batch.state(i).to_vec()) {
            if seen.insert(successor.clone()) {
                queue.push(successor);
            }
        }
    }
    (deadlock, fault, goals)
}

/// Representatives of what a reduction leaves reach what is asked for.
fn reduced(
    space: &CompiledSpace,
    symmetry: &Symmetry,
    all: &Explored,
) -> Result<(), TestCaseError> {
    let goals = (0..).zip(&all.goals).filter(|(_, goal)| goal.is_some());
    let goals: u64 = goals.map(|(bit, _): (u64, _)| 1 << bit).sum();
    let expected = (all.deadlock.is_some(), all.fault.is_some(), goals);
    let every = (1 << all.goals.len()) - 1;
    let symmetric = Symmetric::new(space, space.layout(), symmetry);
    for reduction in [Reduction::Static, Reduction::Stubborn, Reduction::Goal] {
        for (conditions, deadlock, fault) in
            [(0, true, false), (every, false, false), (every, true, true)]
        {
            let asked = Asked { conditions, deadlock, fault, lasso: false };
            let Ok(reduced) = Reduced::new(space, reduction, asked) else { continue };
            let both = symmetric.reduced(Arc::new(reduced));
            let about = format!("{reduction:?} for {asked:?}");
            let found = explore_ample(&both);
            prop_assert!(!deadlock || found.0 == expected.0, "{}: deadlock", about);
            prop_assert!(!fault || found.1 == expected.1, "{}: fault", about);
            prop_assert_eq!(found.2 & conditions, expected.2 & conditions, "{}", about);
            if !both.needs_proviso() {
                // Then ways are as long as without.
                let Some(few) = explore(&both, all.goals.len()) else { continue };
                prop_assert!(!deadlock || few.deadlock == all.deadlock, "{}: length", about);
                if conditions != 0 {
                    prop_assert_eq!(few.summary().2, all.summary().2, "{}: lengths", about);
                }
            }
        }
    }
    Ok(())
}

/// The orbits that the states of a pool of `n` are in.
fn orbits(space: &CompiledSpace, states: &Explored, n: usize) -> usize {
    let orders = orders(space.system(), n);
    let states = states.states.keys();
    states.map(|state| least(space, state, n, &orders)).collect::<BTreeSet<_>>().len()
}

/// The orders of the processes of a pool, and where each takes slots to. Slots are
/// told by their names: `flag[1]` and all of `P1` belong to process 1.
fn orders(system: &System, n: usize) -> Vec<(Vec<usize>, Vec<usize>)> {
    let position = |name: String| system.slots.iter().position(|slot| slot.name == name);
    let belongs = |name: &str, i: usize| {
        let own = [format!("flag[{i}]"), format!("boss[{i}]"), format!("len(box{i})")];
        own.iter().any(|own| own == name)
            || name == format!("P{i}")
            || name.starts_with(&format!("P{i}."))
            || name.starts_with(&format!("box{i}["))
    };
    let moved = |slot: usize, order: &[usize]| {
        let name = &system.slots[slot].name;
        let Some(i) = (0..n).find(|i| belongs(name, *i)) else { return slot };
        let digit = char::from(b'0' + i as u8);
        let image = name.replacen(digit, &order[i].to_string(), 1);
        position(image).expect("every process has such a slot")
    };
    let with_moves = |order: Vec<usize>| {
        let moves = (0..system.slots.len()).map(|slot| moved(slot, &order)).collect();
        (order, moves)
    };
    permutations(n).into_iter().map(with_moves).collect()
}

/// The least image of a state.
fn least(
    space: &CompiledSpace,
    state: &[Word],
    n: usize,
    orders: &[(Vec<usize>, Vec<usize>)],
) -> Option<Vec<i64>> {
    let names =
        |name: &str| name == "turn" || name.starts_with("boss[") || name.ends_with(".friend");
    let naming: Vec<bool> = space.system().slots.iter().map(|slot| names(&slot.name)).collect();
    let values: Vec<i64> = space.layout().fields.iter().map(|field| field.get(state)).collect();
    let images = orders.iter().map(|(order, moves)| {
        let mut image = values.clone();
        for (slot, value) in values.iter().enumerate() {
            let named = naming[slot] && (*value as usize) < n;
            image[moves[slot]] = if named { order[*value as usize] as i64 } else { *value };
        }
        image
    });
    images.min()
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for last in 0..n {
        let longer = all.iter().flat_map(|order: &Vec<usize>| {
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, last);
                order
            })
        });
        all = longer.collect();
    }
    all
}

/// An edge of all processes of a pool; the numbers choose what it does.
#[derive(Clone, Debug)]
struct EdgeSketch {
    from: u32,
    to: u32,
    guard: u8,
    effects: Vec<u8>,
    action: u8,
}

const LOCATIONS: u32 = 3;

fn edges(actions: u8) -> impl Strategy<Value = Vec<EdgeSketch>> {
    let effects = prop::collection::vec(0..14u8, 0..3);
    let edge = (0..LOCATIONS, 0..LOCATIONS, 0..12u8, effects, 0..actions);
    let edge = edge.prop_map(|(from, to, guard, effects, action)| EdgeSketch {
        from,
        to,
        guard,
        effects,
        action,
    });
    prop::collection::vec(edge, 1..6)
}

/// The variables of a pool.
struct Pool {
    n: i64,
    turn: VariableId,
    count: VariableId,
    flag: VariableId,
    boss: VariableId,
    /// Whether the processes know who they are.
    going: Option<VariableId>,
}

/// `n` processes with these edges, where values up to `n` name processes, `n`
/// being nobody. Process `odd` takes its first edge to another location.
fn pool(n: usize, sketches: &[EdgeSketch], turn: i64, odd: Option<usize>) -> Network {
    build(n, sketches, turn, odd, None)
}

/// The same, where another process tells each who it is before anything happens, in
/// so many steps.
fn started_pool(n: usize, sketches: &[EdgeSketch], steps: usize) -> Network {
    build(n, sketches, n as i64, None, Some(steps))
}

fn build(
    n: usize,
    sketches: &[EdgeSketch],
    turn: i64,
    odd: Option<usize>,
    started: Option<usize>,
) -> Network {
    let mut b = Builder::default();
    let nobody = n as i64;
    let name = || Type::checked(0, nobody);
    let row = |ty: Type| Type::Array(Box::new(ty), n as u32 + 1);
    let pool = Pool {
        n: nobody,
        turn: b.variable("turn", name(), &[turn]),
        count: b.variable("count", Type::wrapping(0, 2), &[0]),
        flag: b.variable("flag", row(Type::checked(0, 1)), &vec![0; n + 1]),
        boss: b.variable("boss", row(name()), &vec![nobody; n + 1]),
        going: started.map(|_| b.variable("going", Type::checked(0, 1), &[0])),
    };
    let mut names = Vec::new();
    let meet = b.channel("meet", ChannelKind::Rendezvous, &[name()]);
    let all = b.channel("all", ChannelKind::Broadcast, &[]);
    let boxes: Vec<_> = (0..n)
        .map(|i| b.channel(&format!("box{i}"), ChannelKind::Buffered(1), &[Type::checked(0, 1)]))
        .collect();
    for (i, own) in boxes.iter().copied().enumerate() {
        let p = b.process(&format!("P{i}"), &["a", "b", "c"]);
        let x = b.local(p, "x", Type::checked(0, 1), &[0]);
        let friend = b.local(p, "friend", name(), &[nobody]);
        let own_name = started.map(|_| b.local(p, "me", name(), &[nobody]));
        names.extend(own_name);
        let me = || own_name.map_or(int(i as i64), read);
        for (number, sketch) in sketches.iter().enumerate() {
            let strange = odd == Some(i) && number == 0;
            let to = (sketch.to + u32::from(strange)) % LOCATIONS;
            let when = guard(&pool, sketch.guard, (i, me()), x, friend);
            let going = pool.going.map_or(int(1), |going| eq(read(going), int(1)));
            let mut made = edge(sketch.from, to).when(and(going, when));
            made = match sketch.action {
                1 => made.send(channel(meet), &[me()]),
                2 => made.receive(channel(meet), &[store(friend)]),
                3 => made.send(channel(own), &[read(x)]),
                4 => made.receive(channel(own), &[store(x)]),
                7 => made.send(channel(all), &[]),
                8 => made.receive(channel(all), &[]),
                _ => made,
            };
            for effect in &sketch.effects {
                for (target, value) in effects(&pool, *effect, me(), x, friend) {
                    made = made.run(assign(target, value));
                }
            }
            b.add(p, made);
        }
    }
    if let (Some(going), Some(steps)) = (pool.going, started) {
        let places: Vec<String> = (0..=steps + 1).map(|place| format!("l{place}")).collect();
        let places: Vec<&str> = places.iter().map(|place| &place[..]).collect();
        let init = b.process("Init", &places);
        for step in 0..steps {
            b.add(init, edge(step as u32, step as u32 + 1));
        }
        let mut last = edge(steps as u32, steps as u32 + 1).set(going, int(1));
        for (i, own_name) in names.into_iter().enumerate() {
            last = last.set(own_name, int(i as i64));
        }
        b.add(init, last);
    }
    b.network
}

fn guard(
    pool: &Pool,
    number: u8,
    (i, me): (usize, Expr),
    x: VariableId,
    friend: VariableId,
) -> Expr {
    let flag = |index: Expr| element(pool.flag, &[index]);
    let boss = |index: Expr| element(pool.boss, &[index]);
    match number {
        0 => eq(read(pool.turn), me),
        1 => eq(read(pool.turn), int(pool.n)),
        2 => eq(flag(me), int(1)),
        3 => {
            let others = (0..pool.n).filter(|j| *j != i as i64);
            others.map(|j| eq(flag(int(j)), int(0))).reduce(and).unwrap_or(int(1))
        }
        4 => eq(read(x), int(1)),
        5 => eq(read(friend), me),
        6 => eq(flag(read(friend)), int(1)),
        7 => eq(boss(me), read(pool.turn)),
        8 => eq(boss(read(pool.turn)), read(friend)),
        _ => int(1),
    }
}

type Assignment = (homing_ir::network::Place, Expr);

fn effects(
    pool: &Pool,
    number: u8,
    me: Expr,
    x: VariableId,
    friend: VariableId,
) -> Vec<Assignment> {
    let (turn, nobody) = (place(pool.turn, &[]), int(pool.n));
    let flag = |index: Expr| place(pool.flag, &[index]);
    let boss = |index: Expr| place(pool.boss, &[index]);
    match number {
        0 => vec![(turn, me)],
        1 => vec![(turn, nobody)],
        2 => vec![(flag(me), int(1))],
        3 => vec![(flag(me), int(0))],
        4 => vec![(place(x, &[]), sub(int(1), read(x)))],
        5 => vec![(place(friend, &[]), read(pool.turn))],
        6 => vec![(turn, read(friend))],
        7 => vec![(flag(read(friend)), int(1))],
        8 => vec![(boss(me), read(pool.turn))],
        9 => vec![(boss(read(pool.turn)), me)],
        10 => vec![(turn, element(pool.boss, &[read(friend)]))],
        11 => {
            vec![(place(pool.count, &[]), homing_ir::builder::add(read(pool.count), int(1)))]
        }
        12 => (0..pool.n).map(|j| (flag(int(j)), int(0))).collect(),
        _ => vec![(place(friend, &[]), me)],
    }
}

/// Two at the same location, as a condition that all processes are alike to.
fn crowded(n: usize) -> Expr {
    let at = |i: usize| at(ProcessId(i as u32), 2);
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    pairs.map(|(i, j)| and(at(i), at(j))).reduce(or).unwrap_or(int(0))
}

fn space_of(network: &Network, goals: &[Expr], passes: Passes) -> CompiledSpace {
    let wanted: Vec<Wanted> = goals.iter().cloned().map(Wanted::goal).collect();
    CompiledSpace::new(network, &wanted, passes).expect("a supported network")
}

fn passes() -> impl Strategy<Value = Passes> {
    let unsliced = Passes { slice: false, ..Passes::ALL };
    prop_oneof![Just(Passes::NONE), Just(Passes::COUNTING), Just(unsliced), Just(Passes::ALL)]
}

#[test]
fn one_representative_an_orbit() {
    proptest!(config(400), |(sketches in edges(5), n in 2..5usize, first in any::<bool>(),
                             passes in passes())| {
        // Where the first process has its turn at first, the initial state is
        // another for others, but what can happen is not.
        let turn = if first { 0 } else { n as i64 };
        let network = pool(n, &sketches, turn, None);
        let space = space_of(&network, &[crowded(n)], passes);
        let symmetry = Symmetry::of(space.system(), false);
        let members: usize = symmetry.groups.iter().map(|group| group.members.len()).sum();
        // The passes know where a run starts, so they may treat the first process
        // differently.
        if !first || passes == Passes::NONE {
            prop_assert_eq!(members, n, "{:?}", symmetry);
            prop_assert_eq!(symmetry.groups.len(), 1);
        }
        if let Some((all, few)) = compared(&space, &symmetry)? && members == n {
            let expected = orbits(&space, &all, n);
            // A variable that names the first process and that nobody uses need not
            // be renamed.
            prop_assert!(few.states.len() == expected || first && few.states.len() < expected);
        }
    });
}

/// Processes that learn who they are at the beginning are interchangeable from then on.
#[test]
fn started_processes_are_interchangeable() {
    let (all, few) = (Cell::new(0), Cell::new(0));
    proptest!(config(200), |(sketches in edges(5), n in 2..5usize, steps in 0..3usize,
                             passes in passes())| {
        let network = started_pool(n, &sketches, steps);
        let space = space_of(&network, &[crowded(n)], passes);
        let symmetry = Symmetry::after(space.system(), true, &beginning(&space));
        // The passes may find out that nothing happens.
        if passes == Passes::NONE {
            prop_assert_eq!(symmetry.processes(), n, "{:?}", symmetry);
        }
        if let Some((without, with)) = compared(&space, &symmetry)? {
            all.set(all.get() + without.states.len());
            few.set(few.get() + with.states.len());
        }
    });
    assert!(few.get() * 2 < all.get(), "{few:?} of {all:?} states");
}

#[test]
fn the_group_leaves_the_conditions_as_they_are() {
    proptest!(config(200), |(sketches in edges(9), n in 2..5usize, passes in passes())| {
        let network = pool(n, &sketches, n as i64, None);
        let space = space_of(&network, &[at(ProcessId(1), 2), crowded(n)], passes);
        let symmetry = Symmetry::of(space.system(), true);
        // Unless nobody can get there, which the passes see.
        let asked = !matches!(space.system().conditions[0].term, homing_ir::system::Term::Const(_));
        let one = space.system().components.iter().position(|c| c.process == ProcessId(1));
        let grouped = symmetry.groups.iter().any(|group| {
            group.members.iter().any(|member| Some(member.index()) == one)
        });
        prop_assert!(!(asked && grouped), "{:?}", symmetry);
        compared(&space, &symmetry)?;
    });
}

#[test]
fn one_that_differs_is_not_in_the_group() {
    proptest!(config(200), |(sketches in edges(9), odd in 0..3usize)| {
        let network = pool(3, &sketches, 3, Some(odd));
        let space = space_of(&network, &[crowded(3)], Passes::NONE);
        let symmetry = Symmetry::of(space.system(), true);
        for group in &symmetry.groups {
            prop_assert!(group.members.iter().all(|member| member.index() != odd));
        }
        compared(&space, &symmetry)?;
    });
}

/// Where there are too many orders to try them all, a representative is still one
/// of its own orbit.
#[test]
fn representatives_stay_in_the_orbit() {
    let n = 7;
    let seen = Cell::new(0);
    proptest!(config(10), |(sketches in edges(5), walk in prop::collection::vec(any::<u8>(), 20))| {
        let network = pool(n, &sketches, n as i64, None);
        let space = space_of(&network, &[], Passes::NONE);
        let symmetry = Symmetry::of(space.system(), true);
        prop_assert_eq!(symmetry.processes(), n);
        let symmetric = Symmetric::new(&space, space.layout(), &symmetry);
        let mut representatives = symmetric.representatives();
        let orders = orders(space.system(), n);
        let mut expander = space.expander();
        let mut batch = Batch::new(space.width());
        expander.initial(&mut batch);
        for step in walk {
            if batch.is_empty() {
                break;
            }
            let state = batch.state(usize::from(step) % batch.len()).to_vec();
            let mut representative = state.clone();
            representatives.replace(&mut representative);
            let images = [&state, &representative].map(|one| least(&space, one, n, &orders));
            prop_assert_eq!(&images[0], &images[1]);
            seen.set(seen.get() + usize::from(state != representative));
            batch.clear();
            expander.expand(&state, &mut batch);
        }
    });
    assert!(seen.get() > 10, "too few states to compare: {seen:?}");
}

/// Broadcasts among interchangeable processes: who is heard first must not
/// matter.
#[test]
fn joint_steps_are_kept() {
    proptest!(config(200), |(sketches in edges(9), n in 2..4usize, passes in passes())| {
        let network = pool(n, &sketches, n as i64, None);
        let space = space_of(&network, &[crowded(n)], passes);
        let symmetry = Symmetry::of(space.system(), true);
        let members: usize = symmetry.groups.iter().map(|group| group.members.len()).sum();
        if let Some((all, few)) = compared(&space, &symmetry)? && members == n {
            prop_assert_eq!(few.states.len(), orbits(&space, &all, n));
        }
    });
}

/// Random networks in which one process is there several times. Whatever is
/// found to be interchangeable must not change what is found.
#[test]
fn nothing_else_changes() {
    let knobs =
        Knobs { processes: 2, features: SUPPORTED.to_vec(), polls: true, ..Knobs::default() };
    let found = Cell::new(0);
    proptest!(config(400), |((network, goals) in networks_with_goals(knobs, 2),
                             which in any::<prop::sample::Index>(), passes in passes())| {
        let mut network = network;
        let which = ProcessId(which.index(network.processes.len()) as u32);
        // What was its own is for all copies.
        for variable in network.variables.iter_mut().filter(|v| v.owner == Some(which)) {
            variable.owner = None;
        }
        for copy in 0..2 {
            let mut process = network.processes[which.index()].clone();
            process.name = format!("{}copy{copy}", process.name);
            network.processes.push(process);
        }
        let wanted: Vec<Wanted> = goals.iter().cloned().map(Wanted::goal).collect();
        let Ok(space) = CompiledSpace::new(&network, &wanted, passes) else { return Ok(()) };
        for start in [false, true] {
            let symmetry = Symmetry::of(space.system(), start);
            found.set(found.get() + usize::from(!symmetry.is_empty()));
            compared(&space, &symmetry)?;
        }
    });
    assert!(found.get() > 200, "too few have interchangeable processes: {found:?}");
}
