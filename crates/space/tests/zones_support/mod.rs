//! Small random timed networks, and what is true of them by their regions.
//!
//! Alur, Dill, "A theory of timed automata" (1994): of values of clocks only
//! their whole parts up to the greatest constant matter, the order of their
//! fractions, and which fractions are zero. A region is represented by one state
//! of the interpreter, so that nothing here knows what guards mean.

#![allow(clippy::unwrap_used)]
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use homing_core::random::Random;
use homing_ir::Network;
use homing_ir::builder::*;
use homing_ir::interp::{Interpreter, State};
use homing_ir::network::{
    Binary, ChannelKind, Commitment, EffectOrder, Expr, ExprKind, IntType, Overflow, ProcessId,
    Type, VariableId,
};

/// The greatest constant.
pub const GREATEST: i64 = 3;

/// What networks may have besides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kinds {
    pub clocks: u64,
    pub diagonals: bool,
    pub copies: bool,
    pub priorities: bool,
    pub broadcast: bool,
    pub urgency: bool,
    /// What all numbers for clocks are multiplied with; 0 stands for 1.
    pub scale: i64,
}

impl Kinds {
    /// A number for clocks.
    fn time(self, value: Expr) -> Expr {
        match (self.scale, value.kind) {
            (0, kind) => expr(kind),
            (scale, ExprKind::Int(value)) => int(value * scale),
            (scale, kind) => binary(Binary::Mul, int(scale), expr(kind)),
        }
    }
}

/// A network and conditions to look for.
pub struct Sample {
    pub network: Network,
    pub goals: Vec<Expr>,
    pub kinds: Kinds,
}

struct Drawing<'r> {
    random: &'r mut Random,
    builder: Builder,
    kinds: Kinds,
    clocks: Vec<VariableId>,
    number: VariableId,
}

impl Drawing<'_> {
    fn chance(&mut self, one_in: u64) -> bool {
        self.random.below(one_in) == 0
    }

    fn clock(&mut self) -> VariableId {
        self.clocks[self.random.below(self.clocks.len() as u64) as usize]
    }

    fn constant(&mut self) -> Expr {
        let value = match self.random.below(4) {
            0 => read(self.number),
            _ => int(self.random.below(GREATEST as u64) as i64),
        };
        self.kinds.time(value)
    }

    fn atom(&mut self) -> Expr {
        let left = read(self.clock());
        if self.kinds.diagonals && self.clocks.len() > 1 && self.chance(3) {
            let bound = self.kinds.time(int(self.random.below(3) as i64 - 1));
            let other = read(self.clock());
            return binary(self.comparison(), sub(left, other), bound);
        }
        let constant = self.constant();
        binary(self.comparison(), left, constant)
    }

    fn comparison(&mut self) -> Binary {
        [Binary::Le, Binary::Lt, Binary::Ge, Binary::Gt, Binary::Eq][self.random.below(5) as usize]
    }

    fn guard(&mut self, clocks: bool) -> Expr {
        let mut guard = int(1);
        if clocks {
            for _ in 0..self.random.below(3) {
                guard = and(guard, self.atom());
            }
        }
        if self.chance(4) {
            let value = int(self.random.below(3) as i64);
            guard = and(guard, eq(read(self.number), value));
        }
        guard
    }

    fn effect(&mut self, mut edge: EdgeBuilder) -> EdgeBuilder {
        for clock in self.clocks.clone() {
            if self.chance(2) {
                let kinds = self.kinds;
                let value = match self.random.below(6) {
                    0 => kinds.time(int(self.random.below(GREATEST as u64) as i64)),
                    1 if self.kinds.copies => read(self.clock()),
                    2 if self.kinds.copies && !self.kinds.diagonals => {
                        add(read(self.clock()), kinds.time(int(1)))
                    }
                    3 if self.kinds.copies => kinds.time(read(self.number)),
                    _ => int(0),
                };
                edge = edge.set(clock, value);
            }
        }
        if self.chance(3) {
            edge = edge.set(self.number, int(self.random.below(3) as i64));
        }
        edge
    }
}

/// A random network.
pub fn sample(seed: u64, kinds: Kinds) -> Sample {
    let mut random = Random::new(seed);
    let mut b = Builder::default();
    let clocks = (0..1 + random.below(kinds.clocks)).map(|i| b.clock(&format!("x{i}"))).collect();
    let range = IntType { lo: 0, hi: 2, overflow: Overflow::Error };
    let number = b.variable("v", Type::Int(range), &[0]);
    let meet = b.channel("meet", ChannelKind::Rendezvous, &[]);
    let urgent = b.channel("urgent", ChannelKind::Rendezvous, &[]);
    b.network.channels[urgent.index()].urgent = kinds.urgency;
    let all = b.channel("all", ChannelKind::Broadcast, &[]);
    b.network.effect_order = EffectOrder::SenderFirst;
    if random.below(2) == 0 {
        b.network.commitment = Commitment::Any;
    }
    let mut d = Drawing { random: &mut random, builder: b, kinds, clocks, number };
    let count = 1 + d.random.below(if kinds.broadcast { 3 } else { 2 });
    let mut goals = Vec::new();
    for index in 0..count {
        let places = 2 + d.random.below(2) as u32;
        let names: Vec<String> = (0..places).map(|l| format!("l{l}")).collect();
        let names: Vec<&str> = names.iter().map(|name| &name[..]).collect();
        let p = d.builder.process(&format!("P{index}"), &names);
        if d.kinds.priorities && d.chance(2) {
            d.builder.network.processes[p.index()].priority = d.random.below(3) as i32;
        }
        for location in 0..places {
            place_of(&mut d, p, location);
            goals.push(at(p, location));
            let atom = d.atom();
            goals.push(and(at(p, location), atom));
        }
        for _ in 0..2 + d.random.below(4) {
            let (from, to) = (d.random.below(places.into()), d.random.below(places.into()));
            let kind = d.random.below(8);
            let guard = d.guard(!((2..=3).contains(&kind) && d.kinds.urgency));
            let mut e = edge(from as u32, to as u32).when(guard);
            e = d.effect(e);
            e = match kind {
                0 => e.send(channel(meet), &[]),
                1 => e.receive(channel(meet), &[]),
                2 if d.kinds.urgency => e.send(channel(urgent), &[]),
                3 if d.kinds.urgency => e.receive(channel(urgent), &[]),
                4 if d.kinds.broadcast => e.send(channel(all), &[]),
                5 | 6 if d.kinds.broadcast => e.receive(channel(all), &[]),
                _ => e,
            };
            if d.kinds.priorities && d.chance(3) {
                e = e.priority(d.random.below(3) as i32);
            }
            d.builder.add(p, e);
        }
    }
    goals.push(eq(read(number), int(2)));
    goals.push(expr(ExprKind::Deadlock));
    let atom = d.atom();
    goals.push(and(expr(ExprKind::Deadlock), atom));
    let atom = d.atom();
    goals.push(and(not(expr(ExprKind::Deadlock)), atom));
    Sample { network: d.builder.network, goals, kinds }
}

fn place_of(d: &mut Drawing, p: ProcessId, location: u32) {
    if d.chance(3) {
        let (clock, constant) = (d.clock(), 1 + d.random.below(GREATEST as u64 - 1) as i64);
        let bound = if d.chance(2) { le } else { lt };
        let invariant = bound(read(clock), d.kinds.time(int(constant)));
        d.builder.invariant(p, location, invariant);
    } else if d.chance(10) {
        let invariant = d.atom();
        d.builder.invariant(p, location, invariant);
    }
    if d.kinds.urgency && d.chance(8) {
        d.builder.urgent(p, location);
    } else if d.kinds.urgency && d.chance(10) {
        d.builder.commit(p, location);
    }
}

/// What is reachable, and in how many steps at least.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Truth {
    /// By goal.
    pub goals: Vec<Option<u32>>,
    /// A deadlock.
    pub deadlock: Option<u32>,
    /// A step that fails; counted as the steps before it.
    pub fault: Option<u32>,
}

impl Truth {
    pub fn note(&mut self, goal: usize, steps: u32) {
        self.goals[goal].get_or_insert(steps);
    }
}

/// The truth by regions; none where there are too many.
pub fn truth(sample: &Sample, limit: usize) -> Option<Truth> {
    let interpreter = Interpreter::new(&sample.network).unwrap();
    let regions = Regions::new(&interpreter, sample.kinds);
    let mut truth = Truth { goals: vec![None; sample.goals.len()], ..Truth::default() };
    let mut queue = VecDeque::from([(regions.first(), 0)]);
    let mut seen = BTreeMap::from([(regions.first(), 0)]);
    let mut done = BTreeSet::new();
    while let Some((state, steps)) = queue.pop_front() {
        if !done.insert(state.clone()) {
            continue;
        }
        if done.len() > limit {
            return None;
        }
        for (index, goal) in sample.goals.iter().enumerate() {
            if matches!(interpreter.eval(&state, goal), Ok(value) if value != 0) {
                truth.note(index, steps);
            }
        }
        if interpreter.is_deadlock(&state) {
            truth.deadlock.get_or_insert(steps);
        }
        let mut add = |next: State, steps: u32, first: bool| {
            let known = seen.entry(next.clone()).or_insert(u32::MAX);
            if steps < *known {
                *known = steps;
                if first { queue.push_front((next, steps)) } else { queue.push_back((next, steps)) }
            }
        };
        if let Some(later) = regions.later(&state) {
            add(later, steps, true);
        }
        for (_, result) in interpreter.steps(&state) {
            match result {
                Ok(next) => add(regions.representative(next), steps + 1, false),
                Err(_) => {
                    truth.fault.get_or_insert(steps);
                }
            }
        }
    }
    Some(truth)
}

struct Regions<'a> {
    interpreter: &'a Interpreter<'a>,
    unit: i64,
    differences: bool,
}

impl<'a> Regions<'a> {
    fn new(interpreter: &'a Interpreter<'a>, kinds: Kinds) -> Regions<'a> {
        let clocks = interpreter.clocks().len() as i64;
        Regions { interpreter, unit: 2 * (clocks + 1), differences: kinds.diagonals }
    }

    fn first(&self) -> State {
        let initial = self.interpreter.initial();
        self.representative(self.interpreter.refined(&initial, self.unit).unwrap())
    }

    /// Whether a clock is beyond all constants.
    fn is_beyond(&self, value: i64) -> bool {
        !self.differences && value > (GREATEST + 1) * self.unit
    }

    /// The representative of the state's region.
    fn representative(&self, mut state: State) -> State {
        let (clocks, unit) = (self.interpreter.clocks(), self.unit);
        if self.differences {
            self.shift(&mut state);
        }
        let fraction = |value: i64| value % unit;
        let fractions: BTreeSet<i64> = clocks
            .iter()
            .map(|clock| state.values[*clock])
            .filter(|value| !self.is_beyond(*value) && fraction(*value) != 0)
            .map(fraction)
            .collect();
        for clock in clocks {
            let value = &mut state.values[*clock];
            if self.is_beyond(*value) {
                *value = (GREATEST + 2) * unit;
            } else if fraction(*value) != 0 {
                let rank = fractions.iter().position(|f| *f == fraction(*value)).unwrap() as i64;
                *value = *value - fraction(*value) + 2 * (rank + 1);
            }
        }
        state
    }

    /// Where clocks are far beyond all constants, or far from each other, takes
    /// off whole units that no comparison sees.
    fn shift(&self, state: &mut State) {
        let mut clocks = self.interpreter.clocks().to_vec();
        clocks.sort_by_key(|clock| state.values[*clock]);
        let gap = (GREATEST + 6) * self.unit;
        let mut below = 0;
        for index in 0..clocks.len() {
            let excess = state.values[clocks[index]] - below - gap;
            if excess > 0 {
                let whole = (excess + self.unit - 1) / self.unit * self.unit;
                clocks[index..].iter().for_each(|clock| state.values[*clock] -= whole);
            }
            below = state.values[clocks[index]];
        }
    }

    /// The next region that time leads to, if it may pass so far.
    fn later(&self, state: &State) -> Option<State> {
        let values = self.interpreter.clocks().iter().map(|clock| state.values[*clock]);
        let fractions: Vec<i64> =
            values.filter(|value| !self.is_beyond(*value)).map(|value| value % self.unit).collect();
        let most = fractions.iter().max()?;
        // Fractions are two parts of a unit apart: one part passes no other.
        let delay = if fractions.contains(&0) { 1 } else { self.unit - most };
        let later = self.interpreter.delay(state, delay).ok()?;
        Some(self.representative(later))
    }
}
