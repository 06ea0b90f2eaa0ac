//! How far every process is from where it may be blocked.
//!
//! Edelkamp, Leue, Lluch Lafuente (2004) estimate the distance to a deadlock by
//! the FSM distance of each process to its *dangerous* states: those in which
//! it may be unable to move by itself. In a deadlock, every process is at one:
//! a location without an outgoing part, or where each has a guard or needs a
//! partner.
//!
//! We deviate where systems have more ways to stop. Where locations may be
//! committed, one process that is blocked at a committed location stops all
//! others, wherever they are. In a synchronous system, one blocked process
//! stops all others, and so does the absence of all. In one with committed
//! locations any process may be blocked anywhere: nothing is known. Where time
//! passes, a part that clocks have to do with may be blocked, too.

use std::collections::BTreeSet;

use homing_core::catalogue::{Capability, Job, Kind, Parameter, Row, Use};
use homing_ir::footprint::footprint;
use homing_ir::interval::{Env, truth};
use homing_ir::moves::Move;
use homing_ir::system::{Interval, PartId, System};

use crate::arguments::adds_up;
use crate::fsm::tables::{Places, Tables};
use crate::{EstimateBuilder, Goal};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "blocked",
    kind: Kind::Estimate,
    about: "for deadlocks: FSM distance of the processes to locations where each may be blocked",
    cite: "Edelkamp, Leue, Lluch Lafuente 2004",
    parameters: &[Parameter {
        name: "combine",
        about: "what becomes of the processes' distances: `max`, which is consistent, or `sum`",
        default: "max",
    }],
    needs: &[],
    gives: &[Capability::Deadlock, Capability::LeavesOut],
    uses: &[
        Use::new(Job::FindDeadlock, 0, "greedy(blocked(combine=sum), newest=1)"),
        Use::new(Job::FindTimedDeadlock, 0, "greedy(blocked(combine=sum), newest=1)"),
        Use::new(Job::ShortestDeadlock, 0, "astar(blocked)"),
    ],
    build: |goal, call| {
        call.allow_named(&["combine"])?;
        goal.is_deadlock("blocked")?;
        let disjuncts = deadlocks(goal);
        Ok(Box::new(Tables::new(goal, disjuncts, adds_up(call)?)))
    },
};

/// Where processes are in deadlocks, for every way in which all may stop.
fn deadlocks(goal: &Goal) -> Vec<Places> {
    let system = goal.space.system();
    let blocking = blocking(system, &goal.space.moves().list);
    let each = || blocking.iter().cloned().enumerate();
    if system.synchronous && system.has_commitment() {
        return vec![Places::new()];
    }
    if system.synchronous {
        let running = each().map(|(index, locations)| {
            let absent = system.components[index].absent.map(|location| location as usize);
            (index, locations.into_iter().filter(|location| Some(*location) != absent).collect())
        });
        let nobody = each().map(|(index, _)| {
            let absent = system.components[index].absent.map(|location| location as usize);
            (index, absent.into_iter().collect())
        });
        return running.map(|place| vec![place]).chain([nobody.collect()]).collect();
    }
    let committed = each().map(|(index, locations)| {
        let committed = &system.components[index].committed;
        (index, locations.into_iter().filter(|location| committed[*location]).collect())
    });
    let committed =
        committed.filter(|(_, locations): &(usize, BTreeSet<usize>)| !locations.is_empty());
    let mut ways: Vec<Places> = committed.map(|place| vec![place]).collect();
    ways.push(each().collect());
    ways
}

/// For every component, the locations where no part of it can surely move by
/// itself.
fn blocking(system: &System, moves: &[Move]) -> Vec<BTreeSet<usize>> {
    let all = |component: &homing_ir::system::Component| (0..component.committed.len()).collect();
    let mut blocking: Vec<BTreeSet<usize>> = system.components.iter().map(all).collect();
    let ranges: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
    for free in moves.iter().flat_map(|step| unaided(system, *step)) {
        if !is_timeless(system, free) {
            continue;
        }
        let part = system.part(free);
        let mut env = Env::new(&ranges);
        let location = system.component(part.component).location;
        env.set_slot(location, Interval::point(part.from));
        if truth(env.eval(&part.guard)) == Some(true) {
            blocking[part.component.index()].remove(&(part.from as usize));
        }
    }
    blocking
}

/// Whether a part can move at any time: clocks say nothing of it, nor does it lead
/// to where an invariant might not hold.
fn is_timeless(system: &System, id: PartId) -> bool {
    let Some(timing) = &system.timing else { return true };
    let part = system.part(id);
    let invariants = &timing.invariants[part.component.index()];
    let location = system.component(part.component).location;
    let bounded = |target: &i64| !invariants[*target as usize].is_empty();
    let all = timing.invariants.iter().flatten().flatten();
    timing.parts[id.index()].guard.is_empty()
        && !part.targets(location).iter().any(bounded)
        && !footprint(system, id).may_write.meets(&timing.reads(system, all))
}

/// The parts of a move that need no other component: those that move alone,
/// those that send to whoever listens, those of a synchronous step, of which
/// any blocks the rest.
fn unaided(system: &System, step: Move) -> Vec<PartId> {
    match step {
        Move::Alone(part) => vec![part],
        Move::Pair { .. } => Vec::new(),
        Move::Joint(joint) => {
            let joint = &system.joints[joint as usize];
            let optional = joint.members.iter().all(|member| member.optional);
            match joint.leader {
                Some(leader) if optional => vec![leader],
                None if system.synchronous => {
                    joint.members.iter().flat_map(|member| member.parts.iter().copied()).collect()
                }
                _ => Vec::new(),
            }
        }
    }
}
