//! Runs that never leave a condition, in the zones of random timed networks,
//! compared with their regions: `E[] p`, and `p --> q`.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use homing_core::{Batch, Space, Store, Watch, Word};
use homing_ir::builder::*;
use homing_ir::flatten::Wanted;
use homing_ir::interp::{Interpreter, State, Staying};
use homing_ir::network::{Expr, Type};
use homing_ir::passes::Passes;
use homing_ir::random::regions::Regions;
use homing_ir::random::{TimedKnobs, config, timed_networks_with_goals};
use homing_ir::{Network, Step, Trace};
use homing_search::Path;
use homing_search::leads_to::{LeadsTo, Response};
use homing_search::persistence::Persistence;
use homing_space::CompiledSpace;
use homing_space::zones::ZoneSpace;
use homing_space::zones::within::WithinSpace;
use homing_store::StoreConfig;
use proptest::prelude::*;

/// The regions after which a network is given up.
const LIMIT: usize = 3000;

fn store<'a>(space: &'a dyn Space, name: &str) -> Box<dyn Store + 'a> {
    let config =
        StoreConfig { width: space.width(), memory: None, states: None, cover: space.cover() };
    let call = homing_core::expression::parse(name).unwrap().as_call().unwrap().clone();
    homing_store::build(&config, &call).unwrap()
}

/// What the zones say of `E[] holds` and of `first --> not holds`; none where
/// what must hold is no conjunction.
fn found(network: &Network, holds: &Expr, first: &Expr, name: &str) -> Option<(bool, bool)> {
    let wanted = [Wanted::goal(holds.clone()), Wanted::goal(first.clone())];
    let passes = Passes { slice: false, ..Passes::ALL };
    let discrete = CompiledSpace::new(network, &wanted, passes).unwrap();
    let zones = ZoneSpace::new(&discrete, WithinSpace::OPTIONS).unwrap();
    let within = WithinSpace::new(&zones, 0).ok()?;
    let watch = &mut Watch::unlimited();
    let mut black = store(&within, name);
    let lasso = Persistence::new(&within, &mut *black).from_start(watch).unwrap();
    let persists = lasso.is_some();
    if let Some(lasso) = lasso {
        let staying = Staying { holds, on_failure: false, from: 0, first: None, ends: false };
        let response = Response { stem: Path::default(), lasso };
        assert!(is_executable(network, &zones, &response, staying), "{response:?}");
    }
    let mut starts = within.starts(1).ok()?;
    let (mut black, mut all) = (store(&within, name), store(&zones, name));
    let mut leads_to = LeadsTo {
        space: &zones,
        store: &mut *all,
        starts: &mut |state: &[Word], out: &mut Batch| starts.add(state, out),
        persistence: Persistence::new(&within, &mut *black),
        statistics: Default::default(),
    };
    let response = leads_to.search(watch).unwrap();
    if let Some(response) = &response {
        let (from, first) = (response.stem.len(), Some(first));
        let staying = Staying { holds, on_failure: false, from, first, ends: false };
        assert!(is_executable(network, &zones, response, staying), "{response:?}");
    }
    within.refused().is_none().then_some((persists, response.is_some()))
}

/// Whether the interpreter finds times for a run: three rounds of a loop, or the
/// way to a state in which it waits for very long, or in which nothing happens.
fn is_executable(network: &Network, zones: &ZoneSpace, run: &Response, staying: Staying) -> bool {
    let interpreter = Interpreter::new(network).unwrap();
    let along = |path: &Path| -> Vec<Step> {
        path.steps().map(|(state, edge)| zones.step(state, edge)).collect()
    };
    let (stem, rest) = (along(&run.stem), along(&run.lasso.path));
    let once = [&stem[..], &rest].concat();
    if let Some(back) = run.lasso.back {
        let rounds = [&once[..], &rest[back..], &rest[back..]].concat();
        return interpreter.schedule_staying(&Trace::new(rounds), &staying).is_some();
    }
    let idle = interpreter.schedule_staying(&Trace::new(once.clone()), &staying);
    let idles = idle.is_some_and(|(trace, _)| {
        let end = interpreter.replay(&trace).unwrap().pop().unwrap();
        let later = interpreter.delay(&end, end.unit << 32);
        later.is_ok_and(|later| interpreter.eval(&later, staying.holds) == Ok(1))
    });
    let ends = Staying { ends: true, ..staying };
    let blocked = interpreter.broken_invariant(&interpreter.initial()) != Ok(None);
    idles || blocked || interpreter.schedule_staying(&Trace::new(once), &ends).is_some()
}

/// What regions say; none where there are too many.
fn truth(network: &Network, holds: &Expr, first: &Expr) -> Option<(bool, bool)> {
    let interpreter = Interpreter::new(network).unwrap();
    let goals = [holds.clone(), first.clone()];
    let regions = Regions::explore(&interpreter, &goals, LIMIT);
    if !regions.complete {
        return None;
    }
    let is = |expr: &Expr, state: &State| interpreter.eval(state, expr).is_ok_and(|v| v != 0);
    let staying = regions.staying(&interpreter, |state| is(holds, state));
    let mut states = regions.states.iter().zip(&staying);
    let response = states.any(|(state, stays)| *stays && is(first, state));
    Some((staying[0], response))
}

fn agree(network: &Network, goals: &[Expr]) -> Result<Option<(bool, bool)>, TestCaseError> {
    let (holds, first) = (&goals[0], &goals[1]);
    let Some(expected) = truth(network, holds, first) else { return Ok(None) };
    for name in ["covering", "exact"] {
        let Some(found) = found(network, holds, first, name) else { return Ok(None) };
        prop_assert_eq!(found, expected, "{}: {:?}", name, goals);
    }
    Ok(Some(expected))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..config(400) })]

    #[test]
    fn zones_and_regions_agree(
        (network, goals) in timed_networks_with_goals(TimedKnobs { copies: false, ..TimedKnobs::everything() }, 2)
    ) {
        agree(&network, &goals)?;
    }

    #[test]
    fn what_never_happens_is_never_left(
        (network, goals) in timed_networks_with_goals(TimedKnobs::default(), 2)
    ) {
        let goals = [not(goals[0].clone()), goals[1].clone()];
        agree(&network, &goals)?;
    }
}

/// All answers occur among the networks compared.
#[test]
fn networks_differ() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    let networks = timed_networks_with_goals(TimedKnobs::default(), 2);
    let mut counts = [0; 4];
    for _ in 0..300 {
        let (network, goals) = networks.new_tree(&mut runner).unwrap().current();
        let goals = [not(goals[0].clone()), goals[1].clone()];
        if let Some((persists, response)) = agree(&network, &goals).unwrap() {
            counts[usize::from(persists) + 2 * usize::from(response)] += 1;
        }
    }
    println!("{counts:?}");
    assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
}

/// One process with a clock, in two locations; `holds` is that it stays in the
/// first.
struct Example {
    builder: Builder,
    process: homing_ir::network::ProcessId,
    clock: homing_ir::network::VariableId,
}

fn example() -> Example {
    let mut builder = Builder::default();
    let clock = builder.variable("x", Type::Clock, &[]);
    let process = builder.process("P", &["here", "there"]);
    Example { builder, process, clock }
}

impl Example {
    fn stays(&self) -> bool {
        self.holds(at(self.process, 0))
    }

    fn holds(&self, holds: Expr) -> bool {
        let network = &self.builder.network;
        let first = int(1);
        let expected = truth(network, &holds, &first).unwrap();
        for name in ["covering", "exact"] {
            assert_eq!(found(network, &holds, &first, name), Some(expected), "{name}");
        }
        expected.0
    }
}

#[test]
fn time_may_pass_for_ever() {
    let mut e = example();
    e.builder.add(e.process, edge(0, 1));
    assert!(e.stays());
    assert!(!e.holds(and(at(e.process, 0), le(read(e.clock), int(3)))));
    assert!(!e.holds(at(e.process, 1)));
}

#[test]
fn invariants_make_it_leave() {
    let mut e = example();
    e.builder.invariant(e.process, 0, le(read(e.clock), int(2)));
    e.builder.add(e.process, edge(0, 1));
    // At two, it may leave, and must.
    assert!(!e.stays());
}

#[test]
fn a_time_lock_is_an_end() {
    let mut e = example();
    e.builder.invariant(e.process, 0, le(read(e.clock), int(2)));
    e.builder.add(e.process, edge(0, 1).when(le(read(e.clock), int(1))));
    assert!(e.stays());
    // Within the condition time goes on, and out of it.
    assert!(!e.holds(and(at(e.process, 0), lt(read(e.clock), int(2)))));
    assert!(e.holds(and(at(e.process, 0), le(read(e.clock), int(2)))));
}

#[test]
fn a_zeno_loop_is_a_run() {
    let mut e = example();
    e.builder.invariant(e.process, 0, le(read(e.clock), int(2)));
    e.builder.add(e.process, edge(0, 0).when(lt(read(e.clock), int(1))));
    e.builder.add(e.process, edge(0, 1));
    assert!(e.stays());
    assert!(e.holds(lt(read(e.clock), int(1))));
}

#[test]
fn urgent_locations_are_left() {
    let mut e = example();
    e.builder.urgent(e.process, 0);
    e.builder.add(e.process, edge(0, 1));
    assert!(!e.stays());
    assert!(e.holds(int(1)));
    let mut stuck = example();
    stuck.builder.urgent(stuck.process, 0);
    stuck.builder.add(stuck.process, edge(0, 1).when(gt(read(stuck.clock), int(0))));
    assert!(stuck.stays());
}

/// Each round leaves less of the second clock: a zone that lies in one on the
/// stack is no loop.
#[test]
fn a_loop_that_shrinks_ends() {
    let mut e = example();
    let y = e.builder.variable("y", Type::Clock, &[]);
    e.builder.invariant(e.process, 0, and(le(read(e.clock), int(1)), le(read(y), int(3))));
    let round = and(ge(read(e.clock), int(1)), le(read(y), int(3)));
    e.builder.add(e.process, edge(0, 0).when(round).set(e.clock, int(0)));
    e.builder.add(e.process, edge(0, 1));
    assert!(!e.stays());
}
