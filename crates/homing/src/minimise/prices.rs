//! What the steps of a compiled space cost.

use std::sync::atomic::{AtomicBool, Ordering};

use homing_core::algebra::Algebra;
use homing_core::{Cost, CostAlgebra, DEAD_END, Edge, Price, Pricing, StepCosts, Word};
use homing_ir::evaluate::{evaluate, may_fail};
use homing_ir::interval::Env;
use homing_ir::moves::Move;
use homing_ir::network::ProcessId;
use homing_ir::system::{Interval, Member, Term};
use homing_search::Path;
use homing_space::CompiledSpace;

use super::{Factor, Minimise, What, takes_part};

/// The values a term may have, what counts as zero included.
pub(super) fn range(term: &Term, env: &Env) -> Interval {
    let range = env.eval(term);
    match may_fail(term, env) {
        // What cannot be evaluated counts as zero; what may wrap around can be
        // anything.
        true if range.lo == i64::MIN || range.hi == i64::MAX => homing_ir::interval::ANY,
        true => range.hull(Interval::point(0)),
        false => range,
    }
}

/// Which price the steps with a label have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tariff {
    /// None.
    Free,
    /// That of the clause at this place.
    Clause(usize),
    /// It depends on who takes part in the step.
    ByStep,
}

/// What the steps of a space cost.
pub(crate) struct Prices<'a> {
    minimise: &'a Minimise,
    space: &'a CompiledSpace,
    /// The conditions that have the values of each factor's clauses begin here.
    first: Vec<usize>,
    /// For every factor and label.
    tariffs: Vec<Vec<Tariff>>,
    /// For every label, who moves.
    movers: Vec<u32>,
    /// Whether some price could not be evaluated.
    failed: AtomicBool,
}

impl<'a> Prices<'a> {
    pub(super) fn new(minimise: &'a Minimise, space: &'a CompiledSpace, first: usize) -> Self {
        let moves = &space.moves().list;
        let mut next = first;
        let first = minimise.factors.iter().map(|factor| {
            let first = next;
            next += factor.clauses().len();
            first
        });
        let first = first.collect();
        let tariff = |factor| moves.iter().map(|step| tariff(space, factor, *step)).collect();
        Prices {
            minimise,
            space,
            first,
            tariffs: minimise.factors.iter().map(tariff).collect(),
            movers: moves.iter().map(|step| mover(space, *step).0).collect(),
            failed: AtomicBool::new(false),
        }
    }

    /// What is minimised.
    pub(crate) fn minimise(&self) -> &'a Minimise {
        self.minimise
    }

    /// For estimates: what a step with each label costs at least; `None` where
    /// that is one.
    pub(crate) fn costs(&self) -> Option<Vec<Cost>> {
        let ranges: Vec<Interval> =
            self.space.system().slots.iter().map(|slot| slot.range).collect();
        let env = Env::new(&ranges);
        let factor = &self.minimise.factors[0];
        let clauses: Vec<i64> = (0..factor.clauses().len())
            .map(|clause| range(self.term(0, clause), &env).lo)
            .collect();
        let least = |tariff: &Tariff| match tariff {
            Tariff::Free => 0,
            Tariff::Clause(clause) => clauses[*clause],
            Tariff::ByStep => clauses.iter().copied().min().unwrap_or(0).min(0),
        };
        let cost = |tariff| least(tariff).clamp(0, i64::from(DEAD_END - 1)) as Cost;
        match (&factor.what, factor.algebra) {
            (What::Steps, _) => None,
            (What::Prices(_), Algebra::Additive { .. }) => {
                Some(self.tariffs[0].iter().map(cost).collect())
            }
            // Nothing is known of what is still to pay.
            _ => Some(vec![0; self.movers.len()]),
        }
    }

    /// For every label who moves, where states must be told apart by that.
    pub(crate) fn movers(&self) -> Option<&[u32]> {
        let switches = |factor: &Factor| matches!(factor.what, What::Switches);
        self.minimise.factors.iter().any(switches).then_some(&self.movers)
    }

    /// What a path costs.
    pub(super) fn along(&self, path: &Path) -> Price {
        let algebra = self.algebra();
        let mut meter = self.meter();
        path.steps().fold(algebra.one(), |cost, (state, edge)| {
            meter.leaving(state);
            algebra.combine(cost, meter.step(edge))
        })
    }

    /// What the user should know after the search.
    pub(crate) fn notices(&self) -> Option<String> {
        let text = self.minimise.text();
        let failed = self.failed.load(Ordering::Relaxed);
        failed
            .then(|| format!("`{text}` cannot be evaluated in some states, and counts as 0 there"))
    }

    /// The term of a clause of a factor.
    fn term(&self, factor: usize, clause: usize) -> &'a Term {
        &self.space.system().conditions[self.first[factor] + clause].term
    }
}

/// Who moves in a step: of a synchronisation, who sends or leads, and where
/// nobody does, the first of all.
fn mover(space: &CompiledSpace, step: Move) -> ProcessId {
    let system = space.system();
    let part = match step {
        Move::Alone(part) | Move::Pair { sender: part, .. } => Some(part),
        Move::Joint(joint) => {
            let joint = &system.joints[joint as usize];
            let mut members = joint.members.iter().filter(|member| !member.optional);
            joint.leader.or_else(|| members.find_map(|member| member.parts.first().copied()))
        }
    };
    part.map_or(ProcessId(0), |part| system.part(part).edge.process)
}

/// Which of the factor's prices a step has.
fn tariff(space: &CompiledSpace, factor: &Factor, step: Move) -> Tariff {
    let system = space.system();
    let process = |part| system.part(part).edge.process;
    let all: Vec<ProcessId> = step.parts(system).into_iter().map(process).collect();
    let surely: Vec<ProcessId> = match step {
        Move::Joint(joint) => {
            let joint = &system.joints[joint as usize];
            // Of processes that all step together, some may not be running.
            let needed = |member: &&Member| !member.optional && !system.synchronous;
            let members = joint.members.iter().filter(needed);
            let members = members.filter_map(|member| member.parts.first().copied());
            joint.leader.into_iter().chain(members).map(process).collect()
        }
        Move::Alone(_) | Move::Pair { .. } => all.clone(),
    };
    let clause = factor.clause(|process| all.contains(&process));
    match clause == factor.clause(|process| surely.contains(&process)) {
        false => Tariff::ByStep,
        true => clause.map_or(Tariff::Free, Tariff::Clause),
    }
}

impl Pricing for Prices<'_> {
    fn algebra(&self) -> &dyn CostAlgebra {
        &*self.minimise.algebra
    }

    fn meter(&self) -> Box<dyn StepCosts + '_> {
        let values = self.minimise.factors.iter().map(|factor| vec![None; factor.clauses().len()]);
        Box::new(PriceMeter { prices: self, state: Vec::new(), values: values.collect() })
    }
}

struct PriceMeter<'a> {
    prices: &'a Prices<'a>,
    /// The state announced last.
    state: Vec<Word>,
    /// The values of clauses in that state, as far as they were asked for.
    values: Vec<Vec<Option<i64>>>,
}

impl PriceMeter<'_> {
    fn clause(&mut self, factor: usize, edge: Edge) -> Option<usize> {
        let Prices { minimise, space, tariffs, .. } = self.prices;
        match tariffs[factor][edge.label as usize] {
            Tariff::Free => None,
            Tariff::Clause(clause) => Some(clause),
            Tariff::ByStep => {
                let step = space.step(&self.state[..space.layout().words], edge);
                minimise.factors[factor].clause(|process| takes_part(&step, process))
            }
        }
    }

    fn value(&mut self, factor: usize, clause: usize) -> i64 {
        if let Some(known) = self.values[factor][clause] {
            return known;
        }
        let prices = self.prices;
        let fields = &prices.space.layout().fields;
        let value = evaluate(prices.term(factor, clause), fields, &self.state);
        if value.is_none() {
            prices.failed.store(true, Ordering::Relaxed);
        }
        *self.values[factor][clause].insert(value.unwrap_or(0))
    }

    /// Whether another process moves than the last.
    fn is_switch(&self, edge: Edge) -> bool {
        // Zero at first, then one more than who moved.
        let last = self.state.get(self.prices.space.layout().words).copied().unwrap_or(0);
        last != 0 && last != Word::from(self.prices.movers[edge.label as usize]) + 1
    }
}

impl StepCosts for PriceMeter<'_> {
    fn leaving(&mut self, state: &[Word]) {
        self.state.clear();
        self.state.extend_from_slice(state);
        self.values.iter_mut().for_each(|values| values.fill(None));
    }

    fn step(&mut self, edge: Edge) -> Price {
        let minimise = self.prices.minimise;
        minimise.price(|place, factor| match factor.what {
            What::Steps => Some(1),
            What::Switches => Some(i64::from(self.is_switch(edge))),
            What::Prices(_) => {
                let clause = self.clause(place, edge)?;
                Some(self.value(place, clause))
            }
        })
    }
}
