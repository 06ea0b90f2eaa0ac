//! Questions to the ground form: states, constraints, and the contract itself.

use homing_core::Word;

use super::{Constraint, Effect, Ground, Operator, Value, Values};

impl Ground {
    /// The values of all variables in a packed state.
    pub fn state(&self, packed: &[Word], out: &mut Vec<Value>) {
        out.clear();
        out.extend(self.variables.iter().map(|variable| variable.get(packed)));
    }

    /// The values of all variables at first.
    pub fn initial(&self) -> Vec<Value> {
        self.variables.iter().map(|variable| variable.initial).collect()
    }

    /// Whether some conjunction of the goal holds.
    pub fn goal_holds(&self, state: &[Value]) -> bool {
        self.goals.iter().any(|goal| holds_all(goal, state))
    }

    /// Whether the operator may lead from one state to the other.
    pub fn allows(&self, operator: &Operator, from: &[Value], to: &[Value]) -> bool {
        if !operator.applies(from) {
            return false;
        }
        let mut stays = vec![true; from.len()];
        let mut allowed = vec![false; from.len()];
        let active = operator.effects.iter().filter(|e| holds_all(&e.conditions, from));
        for Effect { var, values, may, .. } in active {
            let var = *var as usize;
            stays[var] &= may;
            allowed[var] |= values.contains(to[var]);
        }
        let same = |var: usize| stays[var] && from[var] == to[var];
        (0..from.len()).all(|var| allowed[var] || same(var))
    }
}

impl Operator {
    /// Whether `pre` holds.
    pub fn applies(&self, state: &[Value]) -> bool {
        holds_all(&self.pre, state)
    }
}

impl Constraint {
    /// Whether the variable has one of the values.
    pub fn holds(&self, state: &[Value]) -> bool {
        self.values.contains(state[self.var as usize])
    }
}

/// Whether all constraints hold.
pub fn holds_all(constraints: &[Constraint], state: &[Value]) -> bool {
    constraints.iter().all(|constraint| constraint.holds(state))
}

impl Values {
    /// Whether all of these are among `other`.
    pub fn within(&self, other: &Values) -> bool {
        let other = other.words.iter().copied().chain(std::iter::repeat(0));
        self.words.iter().zip(other).all(|(these, those)| these & !those == 0)
    }

    /// What is in these and not in `other`.
    pub fn without(&self, other: &Values) -> Values {
        self.iter().filter(|value| !other.contains(*value)).collect()
    }
}
