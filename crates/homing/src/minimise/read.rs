//! Reading what to minimise.

use homing_core::algebra::Algebra;
use homing_core::catalogue::nearest;
use homing_core::expression::{self, Call, Expression};
use homing_ir::network::{Expr, ProcessId};

use super::{Clause, Factor, What};
use crate::load::Model;
use crate::run::UsageError;

/// The costs there are.
const NAMES: [&str; 7] = ["steps", "switches", "sum", "highest", "lowest", "probability", "fuzzy"];

/// What certainty is, where nothing is said: percentages.
const OF: u64 = 100;

/// Reads the costs to minimise, the first first.
pub(super) fn factors(model: &Model, text: &str) -> Result<Vec<Factor>, UsageError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(sentence(format!("nothing to minimise; there are: {}", NAMES.join(", "))));
    }
    let (name, rest) = leading_name(text);
    let called = rest.starts_with('(') && !name.is_empty();
    let alone = rest.is_empty() || rest.starts_with(',');
    if NAMES.contains(&name) && (called || alone) || called && rest[1..].trim().starts_with('\'') {
        return list(model, text);
    }
    let sum = Factor {
        name: "sum",
        text: format!("sum('{text}')"),
        what: What::Prices(clauses(model, text).map_err(|error| {
            match nearest(name, NAMES).filter(|_| alone) {
                Some(near) => unknown(name, Some(near)),
                None => error,
            }
        })?),
        algebra: Algebra::Additive { least: i64::MIN },
    };
    Ok(vec![sum])
}

/// The name that a text starts with, and what follows.
fn leading_name(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    (name, rest.trim_start())
}

fn list(model: &Model, text: &str) -> Result<Vec<Factor>, UsageError> {
    // The notation of strategies has lists; its brackets are left out here.
    let listed = expression::parse(&format!("[{text}]")).map_err(|error| {
        let at = error.at.saturating_sub(1);
        sentence(format!("minimise `{text}`: {}", expression::ExpressionError { at, ..error }))
    })?;
    let Expression::List(items) = listed else { return Ok(Vec::new()) };
    items.iter().map(|item| factor(model, item)).collect()
}

fn factor(model: &Model, item: &Expression) -> Result<Factor, UsageError> {
    let Expression::Call(call) = item else {
        return Err(unknown(&item.to_string(), None));
    };
    let Some(name) = NAMES.into_iter().find(|name| *name == call.name) else {
        return Err(unknown(&call.name, nearest(&call.name, NAMES)));
    };
    let fractions = matches!(name, "probability" | "fuzzy");
    let priced = !matches!(name, "steps" | "switches");
    match (priced, fractions) {
        (false, _) => call.allow_named(&[]),
        (true, false) => call.allow(&[]),
        (true, true) => call.allow(&["of"]),
    }
    .map_err(sentence)?;
    let of = if fractions { whole(call)? } else { 0 };
    let what = match name {
        "steps" => What::Steps,
        "switches" => What::Switches,
        _ => What::Prices(clauses(model, price(call)?)?),
    };
    let algebra = match name {
        "steps" => Algebra::Additive { least: 1 },
        "switches" => Algebra::Additive { least: 0 },
        "highest" => Algebra::Bottleneck,
        "lowest" => Algebra::MaxMin,
        "probability" => Algebra::Probability { of },
        "fuzzy" => Algebra::Fuzzy { of },
        // Until the ranges of variables say more.
        _ => Algebra::Additive { least: i64::MIN },
    };
    Ok(Factor { name, text: item.to_string(), what, algebra })
}

fn unknown(name: &str, near: Option<&str>) -> UsageError {
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", NAMES.join(", ")),
    };
    sentence(format!("there is no cost `{name}` to minimise; {hint}"))
}

/// The text of the price.
fn price(call: &Call) -> Result<&str, UsageError> {
    let given: Vec<&Expression> = call.unnamed().collect();
    match given[..] {
        [Expression::Text(text)] => Ok(text),
        _ => Err(sentence(format!(
            "`{0}` takes what a step costs as a text: write `{0}('…')`",
            call.name
        ))),
    }
}

/// N of `of=N`.
fn whole(call: &Call) -> Result<u32, UsageError> {
    let of = call.number("of", OF).map_err(sentence)?;
    u32::try_from(of).ok().filter(|of| *of > 0).ok_or_else(|| {
        sentence(format!("`of` of `{}` is from 1 to {}, not {of}", call.name, u32::MAX))
    })
}

/// The prices of processes, and of all others.
fn clauses(model: &Model, text: &str) -> Result<Vec<Clause>, UsageError> {
    let mut found: Vec<Clause> = Vec::new();
    let texts = text.strip_suffix(';').unwrap_or(text);
    for text in texts.split(';') {
        if found.last().is_some_and(|last| last.process.is_none()) {
            return Err(sentence(format!(
                "the price of all other steps comes last, but `{}` follows it",
                text.trim()
            )));
        }
        let (name, rest) = leading_name(text.trim_start());
        let (process, price) = match rest.strip_prefix(':') {
            Some(price) if !name.is_empty() => (Some(self::process(model, name)?), price),
            _ => (None, text),
        };
        found.push(Clause { process, expr: parse(model, price.trim())? });
    }
    Ok(found)
}

fn process(model: &Model, name: &str) -> Result<ProcessId, UsageError> {
    let mut all = model.network.system_processes();
    let found = all.find(|(_, process)| process.name == name).map(|(id, _)| id);
    found.ok_or_else(|| {
        let names = model.network.system_processes().map(|(_, process)| process.name.as_str());
        let names: Vec<&str> = names.collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has: {}", names.join(", ")),
        };
        sentence(format!("the model has no process `{name}`; {hint}"))
    })
}

fn parse(model: &Model, text: &str) -> Result<Expr, UsageError> {
    let mut network = model.network.clone();
    let parsed = (model.language.expression)(&mut network, text, "<minimise>");
    parsed.map_err(|diagnostics| UsageError::Diagnostics { sources: network.sources, diagnostics })
}

fn sentence(text: String) -> UsageError {
    UsageError::Sentence(text)
}

#[cfg(test)]
mod tests {
    use homing_fuzz::Texts;

    use super::*;

    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "steps", "switches", "sum", "highest", "lowest", "probability", "fuzzy", "(", ")", "'",
        "\"", ",", ";", ":", "P", "Q", "x", "y", "[", "]", "0", "1", "-1", "99999999999999999999",
        "of=", "+", "*", "?", "==", ".", " ", "§", "\0",
    ];

    const TEXTS: Texts = Texts { words: WORDS, frames: &[("sum('", "')"), ("P: ", "; 1")] };

    /// Whatever the text, it is read without a panic: `scripts/fuzz minimise`.
    #[test]
    fn fuzz_minimise() {
        let text = "byte x, y[2]; process P { state a; init a; trans a -> a { effect x = 1; }; } \
                    process Q { state a; init a; } system async;";
        let model = crate::parse("fuzz.dve", text).unwrap();
        bolero::check!().with_iterations(30_000).for_each(|input: &[u8]| {
            if let Err(error) = factors(&model, &TEXTS.text(input)) {
                assert!(!error.to_string().is_empty());
            }
        });
    }
}
