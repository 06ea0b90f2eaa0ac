//! Conditions as disjunctions of conjunctions of constraints on single
//! variables: guards and goals alike.
//!
//! ```text
//! cover(clauses):
//!   repeat: a clause that reads one variable only restricts it, and is gone
//!   no clause left: the restrictions are one conjunction of the answer
//!   else, with the clause and the way that give the fewest branches:
//!     a disjunction: cover with each disjunct in its place
//!     an atom: cover with each group of values of a variable it needs
//! ```
//! Where the answer would be too long, the clause over the largest space of
//! values is dropped: the answer then holds in more states.

use homing_ir::interval::negated;
use homing_ir::network::{Binary, Unary};
use homing_ir::system::{SlotId, Term};

use super::evaluate::{Before, Group, Scope};
use super::{Constraint, Values, Var};

/// One conjunction.
#[derive(Clone, Debug)]
pub(super) struct Conjunction {
    /// In order of the variables.
    pub constraints: Vec<Constraint>,
    /// Whether the condition holds everywhere this does.
    pub exact: bool,
}

/// Covers the conjunction of `conjuncts` by at most about `limit`
/// conjunctions, with about so much `work`.
pub(super) fn cover(
    scope: &mut Scope,
    conjuncts: &[Term],
    limit: usize,
    mut work: usize,
) -> Vec<Conjunction> {
    let normal: Vec<Term> = conjuncts.iter().map(|term| normal(term, true)).collect();
    let mut clauses: Vec<Clause> = Vec::new();
    normal.iter().for_each(|term| flatten(term, &mut clauses));
    let mut dropped = false;
    loop {
        homing_budget::checkpoint();
        work /= 2;
        // With no clause left there is no work, so this ends.
        scope.allow(work);
        let mut cover = Cover { scope, limit, nodes: 0, found: Vec::new(), overflow: false };
        cover.go(clauses.clone(), State { constraints: Vec::new(), exact: !dropped });
        if !cover.overflow {
            return cover.found;
        }
        let largest = (0..clauses.len()).max_by_key(|i| space(scope, &clauses[*i]));
        clauses.remove(largest.unwrap_or(0));
        dropped = true;
    }
}

/// The number of combinations of values that a clause reads, capped.
fn space(scope: &Scope, clause: &Clause) -> u64 {
    let mut reads = Vec::new();
    for term in clause {
        homing_budget::checkpoint();
        scope.reads(term, &mut reads);
    }
    let sizes = reads.iter().filter_map(|slot| scope.var(*slot));
    let sizes = sizes.map(|var| u64::from(scope.reachable[var as usize].len()));
    sizes.fold(1, u64::saturating_mul)
}

/// A disjunction of terms.
type Clause<'t> = Vec<&'t Term>;

/// Adds a term as clauses: conjuncts each, disjuncts together.
fn flatten<'t>(term: &'t Term, out: &mut Vec<Clause<'t>>) {
    match term {
        Term::Binary(Binary::And, left, right) => {
            flatten(left, out);
            flatten(right, out);
        }
        term => out.push(disjuncts(term)),
    }
}

/// The disjuncts of a term.
pub(super) fn disjuncts(term: &Term) -> Vec<&Term> {
    match term {
        Term::Binary(Binary::Or, left, right) => {
            let mut all = disjuncts(left);
            all.extend(disjuncts(right));
            all
        }
        term => vec![term],
    }
}

#[derive(Clone)]
struct State {
    constraints: Vec<Constraint>,
    exact: bool,
}

struct Cover<'s, 'a> {
    scope: &'s mut Scope<'a>,
    limit: usize,
    nodes: usize,
    found: Vec<Conjunction>,
    overflow: bool,
}

/// How to go on where no clause restricts a single variable.
enum Way<'t> {
    /// Each of these clauses in the place of the clause with this number.
    Split(usize, Vec<Clause<'t>>),
    /// Each of these groups of values of a variable.
    Enumerate(SlotId, Var, Vec<Group>),
}

impl Way<'_> {
    fn branches(&self) -> usize {
        match self {
            Way::Split(_, clauses) => clauses.len(),
            Way::Enumerate(_, _, groups) => groups.len(),
        }
    }
}

impl Cover<'_, '_> {
    fn go(&mut self, clauses: Vec<Clause>, state: State) {
        self.nodes += 1;
        if self.overflow || self.nodes > 16 * self.limit + 64 || self.scope.is_exhausted() {
            self.overflow = true;
            return;
        }
        let mut before = Vec::new();
        self.step(clauses, state, &mut before);
        self.scope.restore(before);
    }

    fn step(&mut self, mut clauses: Vec<Clause>, mut state: State, before: &mut Vec<Before>) {
        if !self.propagate(&mut clauses, &mut state, before) {
            return;
        }
        let Some(way) = self.best(&clauses, &state) else {
            self.overflow |= self.found.len() >= self.limit;
            self.found.push(Conjunction { constraints: state.constraints, exact: state.exact });
            return;
        };
        match way {
            Way::Split(at, branches) => {
                let rest = clauses;
                for branch in branches {
                    homing_budget::checkpoint();
                    let mut clauses = rest.clone();
                    clauses.remove(at);
                    match branch[..] {
                        [one] => flatten(one, &mut clauses),
                        _ => clauses.push(branch),
                    }
                    self.go(clauses, state.clone());
                }
            }
            Way::Enumerate(slot, var, groups) => {
                for group in groups {
                    let mut state = state.clone();
                    constrain(&mut state.constraints, self.scope, var, group.values);
                    let before = self.scope.fix(slot, group.sample);
                    self.go(clauses.clone(), state);
                    self.scope.put_back(before);
                }
            }
        }
    }

    /// Takes away the clauses that are decided or read one variable only.
    /// Answers whether all can still hold.
    fn propagate(
        &mut self,
        clauses: &mut Vec<Clause>,
        state: &mut State,
        before: &mut Vec<Before>,
    ) -> bool {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            let mut at = 0;
            while at < clauses.len() {
                homing_budget::checkpoint();
                let Some(keep) = self.clause(&mut clauses[at], state, before, &mut changed) else {
                    return false;
                };
                if !keep {
                    clauses.swap_remove(at);
                } else if let [Term::Binary(Binary::And, ..)] = clauses[at][..] {
                    let term = clauses.swap_remove(at)[0];
                    flatten(term, clauses);
                    changed = true;
                } else {
                    at += 1;
                }
            }
        }
        true
    }

    /// Whether a clause is to be kept; `None` where it cannot hold.
    fn clause(
        &mut self,
        clause: &mut Clause,
        state: &mut State,
        before: &mut Vec<Before>,
        changed: &mut bool,
    ) -> Option<bool> {
        clause.retain(|term| self.scope.truth(term) != Some(false));
        if clause.is_empty() {
            return None;
        }
        if clause.iter().any(|term| self.scope.truth(term) == Some(true)) {
            return Some(false);
        }
        if clause.iter().any(|term| self.scope.eval(term).1.is_none()) {
            // No variable would decide that one, so it may well hold.
            state.exact = false;
            return Some(false);
        }
        let mut reads = Vec::new();
        for term in &*clause {
            self.scope.reads(term, &mut reads);
        }
        match reads[..] {
            [slot] => {
                let Some(var) = self.scope.var(slot) else { return Some(true) };
                let domain = domain(&state.constraints, self.scope, var);
                let (values, sure) = self.satisfying(clause, slot, &domain);
                if values.is_empty() {
                    return None;
                }
                state.exact &= sure;
                if values != domain {
                    before.push(self.scope.restrict(var, &values));
                    constrain(&mut state.constraints, self.scope, var, values);
                    *changed = true;
                }
                Some(false)
            }
            _ => Some(true),
        }
    }

    /// The values of a slot with which a clause may hold, and whether it
    /// surely does with all of them.
    fn satisfying(&mut self, clause: &Clause, slot: SlotId, domain: &Values) -> (Values, bool) {
        let (mut values, mut sure) = (Values::none(), true);
        let Some(var) = self.scope.var(slot) else { return (values, sure) };
        self.scope.work(domain, clause.len());
        for value in domain.iter() {
            homing_budget::checkpoint();
            let class = self.scope.variables[var as usize].interval(value);
            let before = self.scope.fix(slot, class);
            let truths = clause.iter().map(|term| self.scope.truth(term));
            let (mut any, mut certain) = (false, false);
            truths.for_each(|truth| {
                any |= truth != Some(false);
                certain |= truth == Some(true);
            });
            self.scope.put_back(before);
            if any {
                values.insert(value);
                sure &= certain;
            }
        }
        (values, sure)
    }

    /// The way to go on with the fewest branches.
    fn best<'t>(&mut self, clauses: &[Clause<'t>], state: &State) -> Option<Way<'t>> {
        let terms: Vec<&Term> = clauses.iter().flatten().copied().collect();
        let mut ways = Vec::new();
        let mut tried = Vec::new();
        for (at, clause) in clauses.iter().enumerate() {
            homing_budget::checkpoint();
            if clause.len() > 1 {
                ways.push(Way::Split(at, self.split(clause)));
                continue;
            }
            let mut needs = Vec::new();
            for term in clause {
                self.scope.needs(term, &mut needs);
            }
            for slot in needs.into_iter().take(4) {
                let Some(var) = self.scope.var(slot) else { continue };
                if !tried.contains(&slot) {
                    tried.push(slot);
                    let domain = domain(&state.constraints, self.scope, var);
                    ways.push(Way::Enumerate(slot, var, self.scope.groups(slot, &domain, &terms)));
                }
            }
        }
        ways.into_iter().min_by_key(Way::branches)
    }

    /// The disjuncts of a clause, those on the same variable together.
    fn split<'t>(&self, clause: &Clause<'t>) -> Vec<Clause<'t>> {
        let mut parts: Vec<(Option<SlotId>, Clause)> = Vec::new();
        for term in clause {
            let mut reads = Vec::new();
            self.scope.reads(term, &mut reads);
            let only = if let [slot] = reads[..] { Some(slot) } else { None };
            match parts.iter_mut().find(|(slot, _)| only.is_some() && *slot == only) {
                Some((_, part)) => part.push(term),
                None => parts.push((only, vec![term])),
            }
        }
        parts.into_iter().map(|(_, part)| part).collect()
    }
}

/// What a variable may be under some constraints.
pub(super) fn domain(constraints: &[Constraint], scope: &Scope, var: Var) -> Values {
    match constraints.binary_search_by_key(&var, |constraint| constraint.var) {
        Ok(at) => constraints[at].values.clone(),
        Err(_) => scope.reachable[var as usize].clone(),
    }
}

/// Requires a variable to have one of `values`, which are among what it may be.
fn constrain(constraints: &mut Vec<Constraint>, scope: &Scope, var: Var, values: Values) {
    match constraints.binary_search_by_key(&var, |constraint| constraint.var) {
        Ok(at) => constraints[at].values = values,
        Err(_) if values == scope.reachable[var as usize] => {}
        Err(at) => constraints.insert(at, Constraint { var, values }),
    }
}

/// Negation normal form: negations pushed down to atoms, implications made
/// disjunctions, counts of truths made combinations.
pub(super) fn normal(term: &Term, positive: bool) -> Term {
    match term {
        Term::Unary(Unary::Not, inner) => normal(inner, !positive),
        Term::Binary(Binary::And, left, right) => {
            let op = if positive { Binary::And } else { Binary::Or };
            Term::binary(op, normal(left, positive), normal(right, positive))
        }
        Term::Binary(Binary::Or, left, right) => {
            let op = if positive { Binary::Or } else { Binary::And };
            Term::binary(op, normal(left, positive), normal(right, positive))
        }
        Term::Binary(Binary::Imply, left, right) => {
            let op = if positive { Binary::Or } else { Binary::And };
            Term::binary(op, normal(left, !positive), normal(right, positive))
        }
        Term::Binary(op, left, right) => match negated(*op) {
            Some(negated) => {
                let op = if positive { *op } else { negated };
                count(op, left, right)
                    .unwrap_or_else(|| Term::Binary(op, left.clone(), right.clone()))
            }
            None => atom(term, positive),
        },
        _ => atom(term, positive),
    }
}

fn atom(term: &Term, positive: bool) -> Term {
    match term {
        term if positive => term.clone(),
        Term::Const(value) => Term::Const(i64::from(*value == 0)),
        term => Term::Unary(Unary::Not, Box::new(term.clone())),
    }
}

/// The most combinations that a count of truths is written out in.
const COMBINATIONS: usize = 256;

/// `t₁ + … + tₙ op c` for truth values tᵢ, as a disjunction: at least k are
/// true, or at least k are false.
fn count(op: Binary, left: &Term, right: &Term) -> Option<Term> {
    let (Term::Const(bound), Term::Binary(Binary::Add, ..)) = (right, left) else { return None };
    let mut summands = Vec::new();
    if !truths(left, &mut summands) {
        return None;
    }
    let n = summands.len() as i64;
    let (least, positive) = match op {
        Binary::Gt => (bound.checked_add(1)?, true),
        Binary::Ge => (*bound, true),
        Binary::Lt => (n.checked_sub(*bound)?.checked_add(1)?, false),
        Binary::Le => (n.checked_sub(*bound)?, false),
        Binary::Eq => {
            let least = count(Binary::Ge, left, right)?;
            return Some(Term::and(least, count(Binary::Le, left, right)?));
        }
        _ => return None,
    };
    if least <= 0 || least > n {
        return Some(Term::Const(i64::from(least <= 0)));
    }
    let mut ways = Vec::new();
    at_least(&summands, least as usize, &mut Vec::new(), &mut ways);
    if ways.len() > COMBINATIONS {
        return None;
    }
    let all = |way: &Vec<&Term>| way.iter().map(|t| normal(t, positive)).reduce(Term::and);
    ways.iter().filter_map(all).reduce(|a, b| Term::binary(Binary::Or, a, b))
}

/// Collects the summands; answers whether all are truth values.
fn truths<'t>(term: &'t Term, out: &mut Vec<&'t Term>) -> bool {
    match term {
        Term::Binary(Binary::Add, left, right) => truths(left, out) && truths(right, out),
        Term::Wrap(range, inner) if range.lo <= 0 && range.hi >= 64 => truths(inner, out),
        Term::Binary(op, ..) => {
            out.push(term);
            negated(*op).is_some() || matches!(op, Binary::And | Binary::Or | Binary::Imply)
        }
        Term::Unary(Unary::Not, _) => {
            out.push(term);
            true
        }
        _ => false,
    }
}

/// All ways to choose `least` of the terms.
fn at_least<'t>(
    terms: &[&'t Term],
    least: usize,
    chosen: &mut Vec<&'t Term>,
    out: &mut Vec<Vec<&'t Term>>,
) {
    if least == 0 {
        out.push(chosen.clone());
        return;
    }
    for (at, term) in terms.iter().enumerate() {
        if terms.len() - at < least || out.len() > COMBINATIONS {
            return;
        }
        chosen.push(term);
        at_least(&terms[at + 1..], least - 1, chosen, out);
        chosen.pop();
    }
}
