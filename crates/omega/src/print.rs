//! Formulas as users write them.

use homing_ir::temporal::{Connective, Formula};

/// A formula; `atom` writes atoms.
pub fn formula<A>(formula: &Formula<A>, atom: &dyn Fn(&A) -> String) -> String {
    match formula {
        Formula::Constant(value) => value.to_string(),
        Formula::Atom(one) => atom(one),
        Formula::Not(f) => format!("!{}", operand(f, atom)),
        Formula::Next(f) => format!("X {}", operand(f, atom)),
        Formula::Finally(f) => format!("<> {}", operand(f, atom)),
        Formula::Globally(f) => format!("[] {}", operand(f, atom)),
        Formula::Binary(op, f, g) => {
            let side = |f: &Formula<A>| match f {
                // A row of one operator needs no parentheses.
                Formula::Binary(inner, ..)
                    if inner == op && matches!(op, Connective::And | Connective::Or) =>
                {
                    self::formula(f, atom)
                }
                _ => operand(f, atom),
            };
            format!("{} {} {}", side(f), op.sign(), side(g))
        }
    }
}

fn operand<A>(f: &Formula<A>, atom: &dyn Fn(&A) -> String) -> String {
    match f {
        Formula::Binary(..) => format!("({})", formula(f, atom)),
        _ => formula(f, atom),
    }
}
