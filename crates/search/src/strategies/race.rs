//! The row of races: several strategies at the same time, and the first answer counts. The
//! race is run by whoever knows the model, since every strategy has estimates of its own.

use homing_core::catalogue::{Kind, Parameter, Row};
use homing_core::expression::{Call, Expression, parse_several};

use crate::strategy::{self, Plan, Strategy, StrategyBuilder};

const STRATEGIES: Parameter = Parameter {
    name: "strategies",
    about: "who takes part, with `;` in between, or a list where a text stands in one of them",
    default: "'breadth; depth'",
};

/// More threads than this would be in each other's way.
const MOST: usize = 16;

/// The row.
pub const RACE: Row<StrategyBuilder> = Row {
    name: "race",
    kind: Kind::Strategy,
    about: "different strategies on threads of their own, as in `race('greedy(relaxed-trace); breadth')`: the first answer counts, the others are stopped; promises what all of them promise",
    cite: "",
    parameters: &[STRATEGIES],
    needs: &[],
    gives: &[],
    uses: &[],
    build,
};

fn build(call: &Call, seed: u64) -> Result<Strategy, String> {
    let contestants = contestants(call)?;
    let built: Result<Vec<_>, String> =
        contestants.iter().map(|one| Ok(strategy::build(one, seed)?.0)).collect();
    let built = built?;
    let [first, _, ..] = &built[..] else {
        return Err(
            "a race takes at least two strategies, as in `race('greedy(relaxed-trace); breadth')`"
                .into(),
        );
    };
    if built.len() > MOST {
        return Err(format!("no more than {MOST} strategies take part in a race"));
    }
    for (number, one) in built.iter().enumerate() {
        if let Plan::Race(_) = one.plan {
            return Err(format!("`{}` is a race within a race: name all in one", one.call));
        }
        if built[..number].iter().any(|other| other.call == one.call) {
            return Err(format!("`{}` takes part twice, and would do the same twice", one.call));
        }
    }
    Ok(Strategy {
        algorithm: first.algorithm.clone(),
        estimate: None,
        prefer: None,
        call: written(&built),
        plan: Plan::Race(built.into()),
    })
}

/// Who takes part.
fn contestants(call: &Call) -> Result<Vec<Call>, String> {
    call.allow(&[STRATEGIES.name])?;
    let given: Vec<&Expression> =
        call.named(STRATEGIES.name).into_iter().chain(call.unnamed()).collect();
    let several =
        |text: &str| parse_several(text).map_err(|error| format!("strategies `{text}`: {error}"));
    let all = match given[..] {
        [] => several(STRATEGIES.default.trim_matches('\''))?,
        [Expression::Text(text)] => several(text)?,
        [Expression::List(list)] => list.clone(),
        _ => {
            return Err(
                "`race` takes one text with `;` in it, or one list, as in `race([breadth, depth])`"
                    .into(),
            );
        }
    };
    all.iter().map(|one| one.as_call().cloned()).collect()
}

/// The race in full: as a text, or as a list where that would not be one.
fn written(built: &[Strategy]) -> Call {
    let texts: Vec<String> = built.iter().map(|one| one.call.to_string()).collect();
    let argument = match texts.iter().any(|text| text.contains('\'')) {
        false => Expression::Text(texts.join("; ")),
        true => {
            Expression::List(built.iter().map(|one| Expression::Call(one.call.clone())).collect())
        }
    };
    Call { name: RACE.name.into(), arguments: vec![(None, argument)] }
}

#[cfg(test)]
mod tests {
    use homing_core::catalogue::Capability;
    use homing_core::expression::parse;

    use super::*;

    fn race(text: &str) -> Result<Strategy, String> {
        strategy::build(parse(text).unwrap().as_call().unwrap(), 7).map(|(race, _)| race)
    }

    #[test]
    fn a_race_is_written_so_that_it_can_be_run_again() {
        for (given, written) in [
            ("race", "race('breadth; depth')"),
            ("race('greedy; random-depth')", "race('greedy; random-depth(seed=7)')"),
            ("race([breadth, depth])", "race('breadth; depth')"),
            ("race([greedy(expression('x')), depth])", "race([greedy(expression('x')), depth])"),
        ] {
            let race = race(given).unwrap();
            assert_eq!(race.call.to_string(), written);
            assert_eq!(self::race(written).unwrap().call, race.call);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (wrong, why) in [
            ("race('breadth')", "at least two"),
            ("race('breadth; breadth')", "twice"),
            ("race('breadth; race')", "within a race"),
            ("race('breadth; bredth')", "bredth"),
            ("race('breadth; depth', 'dijkstra; k-best')", "one text"),
            ("race(breadth)", "one text"),
            ("race('breadth; 7')", "not the name of a part"),
            ("race('breadth,')", "expected `;`"),
            ("race(threads=3)", "no parameter"),
        ] {
            let told = race(wrong).err().unwrap_or_default();
            assert!(told.contains(why), "{wrong}: {told}");
        }
    }

    #[test]
    fn it_promises_what_all_promise_and_misses_what_one_misses() {
        let gives = |text: &str, capability| race(text).unwrap().gives(capability);
        assert!(gives("race('breadth; depth')", Capability::Complete));
        assert!(!gives("race('breadth; beam')", Capability::Complete));
        assert!(!gives("race('breadth; depth')", Capability::Shortest));
        assert!(gives("race('breadth; beam')", Capability::Lossy));
        assert!(race("race('breadth; greedy')").unwrap().is_directed());
        assert!(!race("race('breadth; depth')").unwrap().is_directed());
    }
}
