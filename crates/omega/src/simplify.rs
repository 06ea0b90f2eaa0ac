//! Simpler formulas with the same meaning, and which formula implies which.
//!
//! Somenzi and Bloem, "Efficient Büchi automata from LTL formulae" (2000);
//! Etessami and Holzmann, "Optimizing Büchi automata" (2000); the reductions of
//! Babiak, Křetínský, Řehák and Strejček, "LTL to Büchi automata translation: fast
//! and more deterministic" (2012). With f ≤ g for "f implies g, as far as the
//! formulas show", e eventual, u universal, s both:
//!
//! ```text
//! f ∧ g = f where f ≤ g              f ∧ g = false where f ≤ ¬g
//! X f ∧ X g = X (f ∧ g)              f ∧ (g ∨ h) = f ∧ h where f ≤ ¬g
//! f U h ∧ g U h = (f ∧ g) U h        f R g ∧ f R h = f R (g ∧ h)
//! f ∧ (g R h) = f ∧ h where f ≤ g    f ∧ (g U h) = f ∧ h where f ≤ ¬g
//! F u ∧ F v = F (u ∧ v)
//! X s = s                            X (f ∧ s) = X f ∧ s
//! f U g = g where f ≤ g, or g = e    f U g = F g where ¬f ≤ g
//! f U (g U h) = g U h where f ≤ g    f U (g U h) = f U h where g ≤ f
//! (f U g) U g = f U g                F X f = X F f,  X f U X g = X (f U g)
//! f U (g ∨ e) = f U g ∨ e            f U (g ∧ s) = f U g ∧ s
//! F (f ∨ g) = F f ∨ F g, but not between booleans
//! F G (f ∨ u) = F G f ∨ F u
//! ```
//! and their mirror images. Where the rules would be applied too often, the rest
//! of the formula is left as it is.

use crate::formulas::{FALSE, Formulas, Id, Node, TRUE};

/// Operands of longer conjunctions are not compared.
const MOST_COMPARED: usize = 60;

impl Formulas {
    /// Whether rules may still be applied, where that is this much work.
    fn may(&mut self, work: usize) -> bool {
        self.fuel = self.fuel.saturating_sub(work as u32);
        self.fuel > 0
    }

    /// `f ∧ g ∧ …`
    pub fn and(&mut self, all: Vec<Id>) -> Id {
        let mut parts = all;
        loop {
            parts = match self.flat(parts) {
                Some(parts) => parts,
                None => return FALSE,
            };
            let count = parts.len();
            if !(2..=MOST_COMPARED).contains(&count) || !self.may(count * count) {
                break;
            }
            match self.and_rule(&parts) {
                Rule::Same => break,
                Rule::Contradiction => return FALSE,
                Rule::Without(i) => {
                    parts.remove(i);
                }
                Rule::Instead(old, new) => {
                    parts.retain(|part| !old.contains(part));
                    parts.push(new);
                }
            }
        }
        match parts[..] {
            [] => TRUE,
            [one] => one,
            _ => self.intern(Node::And(parts.into())),
        }
    }

    /// The operands of a conjunction in order, each once; none where one is
    /// false.
    fn flat(&self, all: Vec<Id>) -> Option<Vec<Id>> {
        let mut flat = Vec::with_capacity(all.len());
        for part in all {
            match self.node(part) {
                Node::Constant(false) => return None,
                Node::Constant(true) => {}
                Node::And(parts) => flat.extend_from_slice(parts),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        Some(flat)
    }

    /// The first rule for a conjunction that applies.
    fn and_rule(&mut self, parts: &[Id]) -> Rule {
        for (i, f) in parts.iter().enumerate() {
            homing_budget::checkpoint();
            for (j, g) in parts.iter().enumerate() {
                if i == j {
                    continue;
                }
                if self.implies(*f, *g) {
                    return Rule::Without(j);
                }
                if i < j {
                    let not = self.not(*g);
                    if self.implies(*f, not) {
                        return Rule::Contradiction;
                    }
                    if let Some(joined) = self.joined(*f, *g) {
                        return Rule::Instead(vec![*f, *g], joined);
                    }
                }
                if let Some(rest) = self.given(*f, *g) {
                    return Rule::Instead(vec![*g], rest);
                }
            }
        }
        Rule::Same
    }

    /// One formula for a conjunction of two.
    fn joined(&mut self, f: Id, g: Id) -> Option<Id> {
        match (self.node(f).clone(), self.node(g).clone()) {
            (Node::Next(f), Node::Next(g)) => {
                let both = self.and(vec![f, g]);
                Some(self.next(both))
            }
            (Node::Until(TRUE, u), Node::Until(TRUE, v))
                if self.facts(u).universal && self.facts(v).universal =>
            {
                let both = self.and(vec![u, v]);
                Some(self.until(TRUE, both))
            }
            (Node::Until(f, h), Node::Until(g, i)) if h == i => {
                let both = self.and(vec![f, g]);
                Some(self.until(both, h))
            }
            (Node::Release(f, g), Node::Release(i, h)) if f == i => {
                // Only what `release` would not take apart again.
                let whole = |id| self.facts(id).boolean || !self.facts(id).universal;
                let booleans = self.facts(g).boolean && self.facts(h).boolean;
                if booleans || f != FALSE && whole(g) && whole(h) {
                    let both = self.and(vec![g, h]);
                    return Some(self.release(f, both));
                }
                None
            }
            _ => None,
        }
    }

    /// What is left of `g` where `f` holds, if that is simpler.
    fn given(&mut self, f: Id, g: Id) -> Option<Id> {
        match self.node(g).clone() {
            Node::Release(g, h) if g != FALSE && self.implies(f, g) => Some(h),
            Node::Until(g, h) if g != TRUE => {
                let not = self.not(g);
                self.implies(f, not).then_some(h)
            }
            Node::Or(parts) => {
                let left: Vec<Id> = parts
                    .iter()
                    .copied()
                    .filter(|part| {
                        let not = self.not(*part);
                        !self.implies(f, not)
                    })
                    .collect();
                (left.len() < parts.len()).then(|| self.or(left))
            }
            _ => None,
        }
    }

    /// `X f`
    pub fn next(&mut self, f: Id) -> Id {
        if self.facts(f).suspendable() {
            return f;
        }
        let (parts, conjunction) = match self.node(f) {
            Node::And(parts) => (parts.clone(), true),
            Node::Or(parts) => (parts.clone(), false),
            _ => return self.intern(Node::Next(f)),
        };
        let (out, rest): (Vec<Id>, Vec<Id>) =
            parts.iter().partition(|part| self.facts(**part).suspendable());
        if out.is_empty() || !self.may(1) {
            return self.intern(Node::Next(f));
        }
        let rest = if conjunction { self.and(rest) } else { self.or(rest) };
        let rest = self.next(rest);
        let all = out.into_iter().chain([rest]).collect();
        if conjunction { self.and(all) } else { self.or(all) }
    }

    /// `f U g`
    pub fn until(&mut self, f: Id, g: Id) -> Id {
        if f == FALSE || self.facts(g).eventual {
            return g;
        }
        if !self.may(1) {
            return self.intern(Node::Until(f, g));
        }
        if self.implies(f, g) {
            return g;
        }
        let not = self.not(f);
        if f != TRUE && self.implies(not, g) {
            return self.until(TRUE, g);
        }
        if matches!(self.node(f), Node::Until(_, h) if *h == g) {
            return f;
        }
        match self.node(g).clone() {
            Node::Next(h) if matches!(self.node(f), Node::Next(_)) => {
                let Node::Next(before) = *self.node(f) else { return g };
                let until = self.until(before, h);
                self.next(until)
            }
            Node::Until(h, _) if self.implies(f, h) => g,
            Node::Until(h, i) if self.implies(h, f) => self.until(f, i),
            Node::Next(h) if f == TRUE => {
                let later = self.until(TRUE, h);
                self.next(later)
            }
            Node::Or(parts) => self.until_either(f, g, &parts),
            Node::And(parts) => self.until_both(f, g, &parts),
            Node::Release(FALSE, h) if f == TRUE => self.at_last(g, h),
            _ => self.intern(Node::Until(f, g)),
        }
    }

    /// `f U (g ∨ …)`: what is eventual comes out; under `F`, everything, but
    /// booleans together.
    fn until_either(&mut self, f: Id, g: Id, parts: &[Id]) -> Id {
        let (mut out, mut rest): (Vec<Id>, Vec<Id>) =
            parts.iter().partition(|part| self.facts(**part).eventual);
        if f == TRUE {
            let (booleans, others): (Vec<Id>, Vec<Id>) =
                rest.iter().partition(|part| self.facts(**part).boolean);
            if !others.is_empty() && others.len() + usize::from(!booleans.is_empty()) > 1 {
                let later: Vec<Id> = others.into_iter().map(|h| self.until(TRUE, h)).collect();
                out.extend(later);
                rest = booleans;
            }
        }
        if out.is_empty() {
            return self.intern(Node::Until(f, g));
        }
        let rest = self.or(rest);
        let rest = self.until(f, rest);
        out.push(rest);
        self.or(out)
    }

    /// `f U (g ∧ s)`
    fn until_both(&mut self, f: Id, g: Id, parts: &[Id]) -> Id {
        let (mut out, rest): (Vec<Id>, Vec<Id>) =
            parts.iter().partition(|part| self.facts(**part).suspendable());
        if out.is_empty() {
            return self.intern(Node::Until(f, g));
        }
        let rest = self.and(rest);
        let rest = self.until(f, rest);
        out.push(rest);
        self.and(out)
    }

    /// `F G h`, `g` being `G h`.
    fn at_last(&mut self, g: Id, h: Id) -> Id {
        let Node::Or(parts) = self.node(h).clone() else {
            return self.intern(Node::Until(TRUE, g));
        };
        let (out, rest): (Vec<Id>, Vec<Id>) =
            parts.iter().partition(|part| self.facts(**part).universal);
        if out.is_empty() {
            return self.intern(Node::Until(TRUE, g));
        }
        let mut all: Vec<Id> = out.into_iter().map(|u| self.until(TRUE, u)).collect();
        let rest = self.or(rest);
        let rest = self.release(FALSE, rest);
        all.push(self.until(TRUE, rest));
        self.or(all)
    }

    /// Whether the formulas show that `f` implies `g`. Sound, not complete.
    pub fn implies(&mut self, f: Id, g: Id) -> bool {
        if f == g || f == FALSE || g == TRUE {
            return true;
        }
        if f == TRUE || g == FALSE || self.questions == 0 {
            return false;
        }
        if let Some(known) = self.implied.get(&(f, g)) {
            return *known;
        }
        self.questions -= 1;
        let answer = self.shows(f, g);
        self.implied.insert((f, g), answer);
        answer
    }

    fn shows(&mut self, f: Id, g: Id) -> bool {
        let (left, right) = (self.node(f).clone(), self.node(g).clone());
        match (&left, &right) {
            (Node::Or(parts), _) => return parts.iter().all(|part| self.implies(*part, g)),
            (_, Node::And(parts)) => return parts.iter().all(|part| self.implies(f, *part)),
            _ => {}
        }
        let (universal, eventual) = (self.facts(f).universal, self.facts(g).eventual);
        let by_left = match &left {
            Node::And(parts) => parts.iter().any(|part| self.implies(*part, g)),
            Node::Next(h) => eventual && self.implies(*h, g),
            Node::Until(h, i) => (eventual || self.implies(*h, g)) && self.implies(*i, g),
            Node::Release(_, i) => self.implies(*i, g),
            _ => false,
        };
        if by_left {
            return true;
        }
        let by_right = match &right {
            Node::Or(parts) => parts.iter().any(|part| self.implies(f, *part)),
            Node::Next(h) => universal && self.implies(f, *h),
            Node::Until(_, i) => self.implies(f, *i),
            Node::Release(h, i) => (universal || self.implies(f, *h)) && self.implies(f, *i),
            _ => false,
        };
        by_right
            || match (&left, &right) {
                (Node::Next(f), Node::Next(g)) => self.implies(*f, *g),
                (Node::Until(a, b), Node::Until(c, d))
                | (Node::Release(a, b), Node::Release(c, d)) => {
                    self.implies(*a, *c) && self.implies(*b, *d)
                }
                (Node::Until(a, b), Node::Release(c, d)) => {
                    self.implies(*b, *c) && self.implies(*b, *d) && self.implies(*a, *d)
                }
                _ => false,
            }
    }
}

/// What becomes of a conjunction.
enum Rule {
    Same,
    Contradiction,
    /// Without the operand at a position.
    Without(usize),
    /// Without some operands, and one more.
    Instead(Vec<Id>, Id),
}
