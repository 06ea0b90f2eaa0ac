//! Searches over states that stand for many at once, with the covering store:
//! every strategy finds what there is, and what is called shortest or cheapest
//! is that. The truth comes from the points that the states stand for.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::collections::BTreeMap;
use std::ops::Range;

use homing_core::catalogue::Capability;
use homing_core::hash::hash_words;
use homing_core::{
    Batch, Cost, CostAlgebra, Cover, Crew, DEAD_END, Edge, Expander, HeuristicFactory, Limits,
    Price, Pricing, Progress, Space, StepCosts, StopReason, Watch, Word,
};
use homing_search::alternating::{Aimed, Offer, Shares, alternate};
use homing_search::turns::Log;
use homing_search::{Finding, Guide, Outcome, STRATEGIES, Statistics, Task};
use homing_store::{Making, StoreConfig};
use proptest::prelude::*;
use support::prices::Algebra;
use support::{admissible, call, go, goal, unclaimed};

const PLACES: Word = 6;
const MOST: Word = 15;

type Interval = (Word, Word);

/// A step for the numbers within the guard: the number grows by any of `by`, or
/// becomes any of these.
#[derive(Clone, Copy, Debug)]
struct Transition {
    from: Word,
    to: Word,
    guard: Interval,
    sets: bool,
    by: Interval,
    price: Price,
}

impl Transition {
    fn after(&self, (low, high): Interval) -> Option<Interval> {
        let (low, high) = (low.max(self.guard.0), high.min(self.guard.1));
        let start = if self.sets { (0, 0) } else { (low, high) };
        let after = ((start.0 + self.by.0).min(MOST), (start.1 + self.by.1).min(MOST));
        (low <= high).then_some(after)
    }
}

/// A state is a place and an interval: [place, low, high]. It starts at [0, 0, 0].
struct Intervals {
    transitions: Vec<Transition>,
    goal: (Word, Interval),
}

impl Intervals {
    fn random(seed: u64) -> Intervals {
        let draw = |i: u64, j: u64, below: u64| hash_words(&[seed, i, j]) % below;
        let interval = |i, j, wide| {
            let low = draw(i, j, MOST);
            (low, (low + draw(i, j + 1, wide)).min(MOST))
        };
        let transition = |i| Transition {
            from: draw(i, 0, PLACES),
            to: draw(i, 1, PLACES),
            guard: if draw(i, 2, 3) == 0 { (0, MOST) } else { interval(i, 3, 8) },
            sets: draw(i, 5, 4) == 0,
            by: (draw(i, 6, 2), 1 + draw(i, 7, 4)),
            price: draw(i, 8, 4),
        };
        let count = 4 + draw(0, 9, 14);
        let goal = (draw(1, 10, PLACES), interval(1, 11, 2));
        Intervals { transitions: (0..count).map(transition).collect(), goal }
    }

    fn steps(&self, place: Word) -> impl Iterator<Item = (u32, &Transition)> {
        let labelled = (0..).zip(&self.transitions);
        labelled.filter(move |(_, transition)| transition.from == place)
    }

    fn is_goal(&self, place: Word, (low, high): Interval) -> bool {
        place == self.goal.0 && low <= self.goal.1.1 && self.goal.1.0 <= high
    }

    /// The least cost of every point that can be reached (Bellman, Ford), where
    /// a step costs what `price` says.
    fn points(
        &self,
        algebra: Algebra,
        price: fn(&Transition) -> Price,
    ) -> BTreeMap<[Word; 2], Price> {
        let mut known = BTreeMap::from([([0, 0], 0)]);
        loop {
            let before = known.clone();
            for ([place, number], cost) in &before {
                for (_, transition) in self.steps(*place) {
                    let Some((low, high)) = transition.after((*number, *number)) else { continue };
                    let cost = algebra.combine(*cost, price(transition));
                    for next in low..=high {
                        let least = known.entry([transition.to, next]).or_insert(cost);
                        *least = cost.min(*least);
                    }
                }
            }
            if known == before {
                return known;
            }
        }
    }

    fn least(&self, algebra: Algebra, price: fn(&Transition) -> Price) -> Option<Price> {
        let points = self.points(algebra, price).into_iter();
        let goals = points.filter(|([place, number], _)| self.is_goal(*place, (*number, *number)));
        goals.map(|(_, cost)| cost).min()
    }

    /// The steps that it takes at least from each place to the goal's, whatever
    /// the numbers.
    fn distances(&self) -> Vec<Cost> {
        let mut distances = vec![DEAD_END; PLACES as usize];
        distances[self.goal.0 as usize] = 0;
        for _ in 0..PLACES {
            for transition in &self.transitions {
                let through = distances[transition.to as usize].saturating_add(1);
                let known = &mut distances[transition.from as usize];
                *known = through.min(*known);
            }
        }
        distances
    }

    /// The cost of a path that was found, whose steps are taken again.
    fn replay(&self, found: &Finding, algebra: Algebra, price: fn(&Transition) -> Price) -> Price {
        let (mut place, mut interval, mut cost) = (0, (0, 0), 0);
        for (state, edge) in found.path.steps() {
            assert_eq!(state, [place, interval.0, interval.1]);
            let transition = self.transitions[edge.label as usize];
            assert_eq!(transition.from, place);
            interval = transition.after(interval).expect("the step is possible");
            place = transition.to;
            cost = algebra.combine(cost, price(&transition));
        }
        assert!(self.is_goal(place, interval));
        cost
    }
}

impl Space for Intervals {
    fn width(&self) -> usize {
        3
    }

    fn cover(&self) -> Option<&dyn Cover> {
        Some(self)
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Expanding(self))
    }
}

impl Cover for Intervals {
    fn words(&self) -> Range<usize> {
        1..3
    }

    fn covers(&self, large: &[Word], small: &[Word]) -> bool {
        large[1] <= small[1] && small[2] <= large[2]
    }
}

struct Expanding<'a>(&'a Intervals);

impl Expander for Expanding<'_> {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&[0, 0, 0], Edge::default());
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        for (label, transition) in self.0.steps(state[0]) {
            if let Some((low, high)) = transition.after((state[1], state[2])) {
                out.push(&[transition.to, low, high], Edge { label, choice: 0 });
            }
        }
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        u64::from(self.0.is_goal(state[0], (state[1], state[2])))
    }
}

/// What the transitions cost.
struct Prices<'a>(&'a Intervals, Algebra);

impl Pricing for Prices<'_> {
    fn algebra(&self) -> &dyn CostAlgebra {
        &self.1
    }

    fn meter(&self) -> Box<dyn StepCosts + '_> {
        Box::new(Reading(self.0))
    }
}

struct Reading<'a>(&'a Intervals);

impl StepCosts for Reading<'_> {
    fn leaving(&mut self, _: &[Word]) {}

    fn step(&mut self, edge: Edge) -> Price {
        self.0.transitions[edge.label as usize].price
    }
}

const ESTIMATES: [&str; 3] = ["none", "distances", "lies"];

fn estimate<'a>(space: &'a Intervals, name: &str) -> Option<Box<dyn HeuristicFactory + 'a>> {
    let distances = space.distances();
    match name {
        "none" => None,
        "distances" => admissible(move |place| distances[place as usize]),
        _ => unclaimed(|place| (hash_words(&[place, space.goal.0]) % 20) as u32),
    }
}

fn search(
    strategy: &str,
    store: &str,
    name: &str,
    space: &Intervals,
    pricing: Option<&dyn Pricing>,
    limits: &Limits,
) -> Outcome {
    search_with(Crew::default(), strategy, store, name, space, pricing, limits)
}

fn search_with(
    crew: Crew,
    strategy: &str,
    store: &str,
    name: &str,
    space: &Intervals,
    pricing: Option<&dyn Pricing>,
    limits: &Limits,
) -> Outcome {
    let task = Task { conditions: 1, pricing, ..Task::explore(space) };
    let config = StoreConfig { width: 3, memory: None, states: None, cover: space.cover() };
    let mut stores = Making::new(config, call(store)).unwrap();
    let mut watch = Watch::new(limits.clone()).with_crew(crew);
    go(strategy, &task, &mut stores, estimate(space, name), &mut watch)
}

/// What is claimed holds.
fn expect_sound(outcome: &Outcome, found: Option<Price>, least: Option<Price>, about: &str) {
    if let (true, Some(found)) = (outcome.optimal, found) {
        assert_eq!(Some(found), least, "{about}: not the best");
    }
    if let Some(least) = least {
        assert!(outcome.at_least <= least, "{about}: at least {}, not {least}", outcome.at_least);
        assert!(found.is_some() || outcome.stopped.is_some(), "{about}: missed");
    }
    if found.is_none() && outcome.stopped.is_none() {
        assert_eq!(least, None, "{about}");
    }
}

fn steps(_: &Transition) -> Price {
    1
}

fn prices(transition: &Transition) -> Price {
    transition.price
}

/// A strategy that takes no longer than the others where there is nothing to find.
fn short(strategy: &str) -> &str {
    match strategy {
        "monte-carlo-walk" => "monte-carlo-walk(walks=20, restarts=2)",
        other => other,
    }
}

/// Strategies that are the planner's are run elsewhere.
fn strategies()
-> impl Iterator<Item = &'static homing_core::catalogue::Row<homing_search::strategy::StrategyBuilder>>
{
    STRATEGIES.iter().filter(|row| !["auto", "refining"].contains(&row.name))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn differential_every_strategy(seed: u64) {
        let space = Intervals::random(seed);
        let least = space.least(Algebra::Sum, steps);
        for row in strategies() {
            for name in ESTIMATES {
                let about = format!("seed {seed}: {} with {name}", row.name);
                let outcome = search(short(row.name), "covering", name, &space, None, &Limits::default());
                let found = goal(&outcome).map(|found| space.replay(found, Algebra::Sum, steps));
                expect_sound(&outcome, found, least, &about);
                if row.gives(Capability::Complete) {
                    prop_assert_eq!(found.is_some(), least.is_some(), "{}", &about);
                }
                let best = row.gives(Capability::Shortest)
                    || row.gives(Capability::Optimal) && name != "lies";
                if best && name != "lies" && row.gives(Capability::Complete) {
                    prop_assert_eq!(found, least, "{}", &about);
                }
            }
        }
    }

    /// States that may cover each other are in one shard, and nothing is lost between
    /// shards, or where they take over.
    #[test]
    fn differential_with_threads(seed: u64, bound in 0..10u64, limit in 0..3u32, after in 0..20u64) {
        let space = Intervals::random(seed);
        let least = space.least(Algebra::Sum, steps);
        let limits = match limit {
            0 => Limits::default(),
            1 => Limits { depth: Some(bound as u32), ..Limits::default() },
            _ => Limits { bound: Some(bound), ..Limits::default() },
        };
        let within = least.filter(|least| limit == 0 || *least <= bound);
        for (strategy, name) in [
            ("breadth", "none"), ("dijkstra", "none"), ("astar", "distances"), ("greedy", "lies"),
            ("weighted", "lies"),
        ] {
            let about = format!("seed {seed}: {strategy} with {name}, bound {bound}, after {after}");
            let run = |threads| {
                let crew = Crew { threads, after, alone: 0 };
                search_with(crew, strategy, "covering", name, &space, None, &limits)
            };
            let outcome = run(2);
            let found = goal(&outcome).map(|found| space.replay(found, Algebra::Sum, steps));
            expect_sound(&outcome, found, least, &about);
            prop_assert_eq!(found.is_some(), within.is_some(), "{}", &about);
            if name != "lies" {
                prop_assert_eq!(found, within, "{}", &about);
            }
            let alike = run(8);
            prop_assert_eq!(alike.stopped, outcome.stopped, "{}", &about);
            // Where something is found, others may be in the midst of their part of the round.
            if found.is_none() {
                prop_assert_eq!(outcome.statistics, Statistics {
                    progress: Progress { bytes: outcome.statistics.progress.bytes, ..alike.statistics.progress },
                    ..alike.statistics
                }, "{}", &about);
            }
            let one = search(strategy, "covering", name, &space, None, &limits);
            prop_assert_eq!(one.stopped, outcome.stopped, "{}", &about);
            if strategy == "breadth" {
                let trace = |outcome: &Outcome| format!("{:?}", goal(outcome));
                prop_assert_eq!(trace(&one), trace(&outcome), "{}", &about);
            }
        }
    }

    #[test]
    fn differential_under_a_bound(seed: u64, bound in 0..10u64, depth: bool) {
        let space = Intervals::random(seed);
        let least = space.least(Algebra::Sum, steps);
        let limits = match depth {
            true => Limits { depth: Some(bound as u32), ..Limits::default() },
            false => Limits { bound: Some(bound), ..Limits::default() },
        };
        let within = least.filter(|least| *least <= bound);
        for row in strategies() {
            for name in ESTIMATES {
                let about = format!("seed {seed}: {} with {name}, bound {bound}", row.name);
                let outcome = search(short(row.name), "covering", name, &space, None, &limits);
                let found = goal(&outcome).map(|found| space.replay(found, Algebra::Sum, steps));
                expect_sound(&outcome, found, least, &about);
                prop_assert!(found.is_none_or(|found| found <= bound), "{}", &about);
                // Only what says that it left nothing out within the bound is
                // taken at its word.
                if found.is_none() && outcome.stopped != Some(StopReason::Pruned) && !depth {
                    prop_assert_eq!(within, None, "{}", &about);
                }
                if depth && ["breadth", "dijkstra", "astar", "depth", "greedy"].contains(&row.name) && name == "none" {
                    prop_assert_eq!(found.is_some(), within.is_some(), "{}", &about);
                }
            }
        }
    }

    #[test]
    fn differential_costs(seed: u64, greatest: bool, depth in prop::option::of(0..8u32)) {
        let space = Intervals::random(seed);
        let algebra = if greatest { Algebra::Greatest } else { Algebra::Sum };
        let least = space.least(algebra, prices);
        let limits = Limits { depth, ..Limits::default() };
        for row in strategies().filter(|row| row.gives(Capability::Costs)) {
            let about = format!("seed {seed}: {} {algebra:?} {depth:?}", row.name);
            let pricing = Prices(&space, algebra);
            let outcome = search(row.name, "covering", "none", &space, Some(&pricing), &limits);
            let found = goal(&outcome).map(|found| space.replay(found, algebra, prices));
            if depth.is_none() {
                expect_sound(&outcome, found, least, &about);
            }
            if let (true, Some(found), None) = (outcome.optimal, found, depth) {
                prop_assert_eq!(Some(found), least, "{}", &about);
            }
        }
    }

    #[test]
    fn differential_alternation(seed: u64, probe in 0..20u64, slice in 1..20u64, share in 1..200u64) {
        let space = Intervals::random(seed);
        let least = space.least(Algebra::Sum, steps);
        let task = Task { conditions: 1, ..Task::explore(&space) };
        let config = StoreConfig { width: 3, memory: None, states: None, cover: space.cover() };
        let mut store = homing_store::build(&config, &call("covering")).unwrap();
        let guide = Guide { heuristic: estimate(&space, "distances"), ..Guide::default() };
        let mut direct = |at, _| Offer::Made(Aimed { guide: &guide, at, kind: 0, newest: false });
        let shares = Shares {
            probe,
            share,
            head: 10,
            slice: (slice, 2 * slice),
            sample: 3,
            first: 10,
        };
        let (log, watch) = (&mut Log::default(), &mut Watch::unlimited());
        let outcome = alternate(&task, &mut *store, shares, &mut direct, log, watch);
        let found = goal(&outcome).map(|found| space.replay(found, Algebra::Sum, steps));
        prop_assert_eq!(found.is_some(), least.is_some());
        expect_sound(&outcome, found, least, &format!("seed {seed}"));
    }

    /// Covering stores no more than equality does; where it does not matter how
    /// long ways are, nothing that another covers is left.
    #[test]
    fn exploring_leaves_an_antichain(seed: u64) {
        let space = Intervals::random(seed);
        let explore = |store: &str, strategy: &str| {
            let config = StoreConfig { width: 3, memory: None, states: None, cover: space.cover() };
            let mut stores = Making::new(config, call(store)).unwrap();
            let task = Task::explore(&space);
            let outcome = go(strategy, &task, &mut stores, None, &mut Watch::unlimited());
            (outcome.statistics.progress.stored, stores)
        };
        let (all, _) = explore("exact", "breadth");
        for strategy in ["breadth", "depth", "greedy"] {
            let (kept, stores) = explore("covering", strategy);
            prop_assert!(kept <= all);
            let store = stores.last().unwrap();
            let mut live: Vec<[Word; 3]> = Vec::new();
            for id in 0.. {
                if live.len() as u64 == kept {
                    break;
                }
                let mut state = [0; 3];
                store.load(homing_core::Id(id), &mut state);
                if !store.is_dropped(homing_core::Id(id)) {
                    live.push(state);
                }
            }
            let covered = |small: &[Word; 3]| {
                live.iter().any(|large| {
                    large != small && large[0] == small[0] && space.covers(large, small)
                })
            };
            prop_assert!(!live.iter().any(covered));
            // Together they stand for every point that can be reached.
            for [place, number] in space.points(Algebra::Sum, steps).keys() {
                let holds = |state: &[Word; 3]| {
                    state[0] == *place && (state[1]..=state[2]).contains(number)
                };
                prop_assert!(live.iter().any(holds), "{place} {number}");
            }
        }
    }
}
