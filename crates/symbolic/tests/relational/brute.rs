//! Relations by brute force: every valuation, judged by the definition of a run alone, and
//! plain algorithms on the graph of valuations.

use std::collections::BTreeSet;

use homing_ir::relation::{Ctl, Evaluation, Failure, Kind, Relation, TermId, Value};

/// All valuations of a small relation that are allowed, and their steps.
pub struct Brute<'r> {
    pub relation: &'r Relation,
    pub valuations: Vec<Vec<Value>>,
    /// By valuation, the number of its state.
    pub state: Vec<usize>,
    pub initial: BTreeSet<usize>,
    pub steps: Vec<Vec<usize>>,
    pub reachable: BTreeSet<usize>,
    pub justice: Vec<BTreeSet<usize>>,
    pub compassion: Vec<(BTreeSet<usize>, BTreeSet<usize>)>,
}

/// More valuations are too many.
const LIMIT: usize = 150;

type Members = BTreeSet<usize>;

impl<'r> Brute<'r> {
    /// None where there are too many, or where a term fails somewhere.
    pub fn new(relation: &'r Relation) -> Option<Brute<'r>> {
        let all = every(relation)?;
        let admitted: Result<Vec<bool>, Failure> =
            all.iter().map(|one| relation.admits(one)).collect();
        let admitted = admitted.ok()?;
        let kept = all.into_iter().zip(admitted).filter(|(_, yes)| *yes);
        let valuations: Vec<Vec<Value>> = kept.map(|(one, _)| one).collect();
        let mut known: Vec<Vec<Value>> = Vec::new();
        let mut state = Vec::new();
        for one in &valuations {
            let variables = relation.variables.iter().zip(one);
            let own: Vec<Value> = variables
                .filter(|(variable, _)| variable.kind != Kind::Input)
                .map(|(_, value)| value.clone())
                .collect();
            let number = known.iter().position(|other| *other == own).unwrap_or(known.len());
            if number == known.len() {
                known.push(own);
            }
            state.push(number);
        }
        let (mut initial, mut steps) = (BTreeSet::new(), Vec::new());
        for (number, one) in valuations.iter().enumerate() {
            if relation.is_initial(one).ok()? {
                initial.insert(number);
            }
            let mut next = Vec::new();
            for (other, after) in valuations.iter().enumerate() {
                if relation.is_step(one, after).ok()? {
                    next.push(other);
                }
            }
            steps.push(next);
        }
        let mut brute = Brute {
            relation,
            valuations,
            state,
            initial,
            steps,
            reachable: BTreeSet::new(),
            justice: Vec::new(),
            compassion: Vec::new(),
        };
        brute.reachable = brute.forward(&brute.initial);
        for term in &relation.justice {
            let holds = brute.holds(*term)?;
            brute.justice.push(holds);
        }
        for (asked, granted) in &relation.compassion {
            let pair = (brute.holds(*asked)?, brute.holds(*granted)?);
            brute.compassion.push(pair);
        }
        Some(brute)
    }

    /// Where a term is true; none where it fails.
    pub fn holds(&self, term: TermId) -> Option<Members> {
        let mut members = BTreeSet::new();
        for (number, one) in self.valuations.iter().enumerate() {
            if Evaluation::new(self.relation, one, &[]).holds(term).ok()? {
                members.insert(number);
            }
        }
        Some(members)
    }

    pub fn forward(&self, from: &Members) -> Members {
        let (mut reached, mut left) = (from.clone(), from.iter().copied().collect::<Vec<_>>());
        while let Some(one) = left.pop() {
            left.extend(self.steps[one].iter().copied().filter(|next| reached.insert(*next)));
        }
        reached
    }

    /// Those within a set that can reach a part of it without leaving it.
    fn backward(&self, within: &Members, to: &Members) -> Members {
        let mut reached: Members = to.intersection(within).copied().collect();
        loop {
            let before = within.iter().copied().filter(|one| {
                !reached.contains(one) && self.steps[*one].iter().any(|next| reached.contains(next))
            });
            let new: Vec<usize> = before.collect();
            if new.is_empty() {
                return reached;
            }
            reached.extend(new);
        }
    }

    /// Those on loops within a set that are fair: component by component, without what a
    /// compassion that is not granted forbids.
    pub fn looping(&self, within: &Members) -> Members {
        let mut left = within.clone();
        let mut fair = BTreeSet::new();
        while let Some(first) = left.first().copied() {
            let start = BTreeSet::from([first]);
            let after = self.within(&start, within);
            let component: Members = self.backward(within, &start);
            let component: Members = component.intersection(&after).copied().collect();
            component.iter().for_each(|one| _ = left.remove(one));
            fair.extend(self.fair_part(&component));
        }
        fair
    }

    fn within(&self, from: &Members, within: &Members) -> Members {
        let (mut reached, mut left) = (from.clone(), from.iter().copied().collect::<Vec<_>>());
        while let Some(one) = left.pop() {
            let next = self.steps[one].iter().copied().filter(|next| within.contains(next));
            left.extend(next.filter(|next| reached.insert(*next)));
        }
        reached
    }

    fn fair_part(&self, component: &Members) -> Members {
        let has_step = component
            .iter()
            .any(|one| self.steps[*one].iter().any(|next| component.contains(next)));
        if !has_step || self.justice.iter().any(|one| one.is_disjoint(component)) {
            return BTreeSet::new();
        }
        for (asked, granted) in &self.compassion {
            if granted.is_disjoint(component) && !asked.is_disjoint(component) {
                return self.looping(&component.difference(asked).copied().collect());
            }
        }
        component.clone()
    }

    /// From where a fair run begins that stays within a set.
    pub fn fair(&self, within: &Members) -> Members {
        self.backward(within, &self.looping(within))
    }

    pub fn all(&self) -> Members {
        (0..self.valuations.len()).collect()
    }

    /// All valuations of the states of some.
    pub fn states_of(&self, members: &Members) -> Members {
        let states: BTreeSet<usize> = members.iter().map(|one| self.state[*one]).collect();
        (0..self.valuations.len()).filter(|one| states.contains(&self.state[*one])).collect()
    }

    fn not(&self, members: &Members) -> Members {
        self.all().difference(members).copied().collect()
    }

    fn before(&self, members: &Members) -> Members {
        let fair = self.states_of(&self.fair(&self.all()));
        let to: Members = members.intersection(&fair).copied().collect();
        let before = self.all().into_iter();
        self.states_of(
            &before.filter(|one| self.steps[*one].iter().any(|next| to.contains(next))).collect(),
        )
    }

    fn until(&self, within: &Members, to: &Members) -> Members {
        let fair = self.states_of(&self.fair(&self.all()));
        let mut reached: Members = to.intersection(&fair).copied().collect();
        loop {
            let before: Members = self.before(&reached).intersection(within).copied().collect();
            let more: Members = reached.union(&before).copied().collect();
            if more == reached {
                return reached;
            }
            reached = more;
        }
    }

    /// Where a formula holds; none where a term fails.
    pub fn ctl(&self, formula: &Ctl) -> Option<Members> {
        Some(match formula {
            Ctl::Atom(term) => self.holds(*term)?,
            Ctl::Not(f) => self.not(&self.ctl(f)?),
            Ctl::And(f, g) => self.ctl(f)?.intersection(&self.ctl(g)?).copied().collect(),
            Ctl::Or(f, g) => self.ctl(f)?.union(&self.ctl(g)?).copied().collect(),
            Ctl::ExistsNext(f) => self.before(&self.ctl(f)?),
            Ctl::ExistsUntil(f, g) => self.until(&self.ctl(f)?, &self.ctl(g)?),
            Ctl::ExistsAlways(f) => self.states_of(&self.fair(&self.ctl(f)?)),
            Ctl::AllNext(f) => self.not(&self.before(&self.not(&self.ctl(f)?))),
            Ctl::AllUntil(f, g) => {
                let (no_f, no_g) = (self.not(&self.ctl(f)?), self.not(&self.ctl(g)?));
                let neither = no_f.intersection(&no_g).copied().collect();
                let broken = self.until(&no_g, &neither);
                let never = self.states_of(&self.fair(&no_g));
                self.not(&broken.union(&never).copied().collect())
            }
            Ctl::AllAlways(f) => self.not(&self.until(&self.all(), &self.not(&self.ctl(f)?))),
        })
    }
}

/// All valuations there are, if they are few.
fn every(relation: &Relation) -> Option<Vec<Vec<Value>>> {
    let mut all = vec![Vec::new()];
    for one in &relation.variables {
        let size = one.domain.size().filter(|size| *size <= LIMIT as u64)?;
        let values: Vec<Value> = (0..size).map(|number| one.domain.value(number)).collect();
        all = all
            .iter()
            .flat_map(|begun: &Vec<Value>| {
                values.iter().map(|value| begun.iter().chain([value]).cloned().collect())
            })
            .collect();
        if all.len() > LIMIT {
            return None;
        }
    }
    Some(all)
}
