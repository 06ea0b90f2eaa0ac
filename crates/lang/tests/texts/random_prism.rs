//! Random models in PRISM's language: the states that the interpreter reaches in what is
//! read of a text are those that the program reaches which the text was written from.
//!
//! The program here is a structure of its own, executed as the manual of PRISM says and
//! without any of the code that reads texts.

use std::collections::{BTreeSet, VecDeque};

use homing_ir::interp::Interpreter;
use homing_ir::random::config;
use homing_lang::{Settings, prism};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::render_all;

/// Variables: two of each of the first two modules, two of a copy of the first, one global.
const NAMES: [&str; 7] = ["x0", "x1", "y0", "y1", "z0", "z1", "g"];
const HIGHEST: i64 = 2;

type State = [i64; 7];

#[derive(Clone, Debug)]
enum Number {
    Constant(i64),
    Variable(usize),
    Sum(Box<Number>, Box<Number>),
    Difference(Box<Number>, Box<Number>),
    Least(Box<Number>, Box<Number>),
    Greatest(Box<Number>, Box<Number>),
    Modulo(Box<Number>, i64),
    /// Half of it, rounded down or up.
    Half(Box<Number>, bool),
    Choice(Box<Truth>, Box<Number>, Box<Number>),
}

#[derive(Clone, Debug)]
enum Truth {
    Equal(Number, Number),
    Less(Number, Number),
    /// Whether it is greater than a number and a half.
    Beyond(Number, i64),
    Not(Box<Truth>),
    Both(Box<Truth>, Box<Truth>),
    Either(Box<Truth>, Box<Truth>),
    Implies(Box<Truth>, Box<Truth>),
}

/// The probabilities or rates of two outcomes.
#[derive(Clone, Debug)]
enum Chance {
    Half,
    Never,
    /// By the value of a variable: what is nothing for 0, and all for the greatest.
    By(usize),
    /// One divided by one more than a variable, and what is left.
    Inverse(usize),
}

#[derive(Clone, Debug)]
struct Command {
    module: usize,
    action: Option<u8>,
    guard: Truth,
    chance: Option<Chance>,
    outcomes: [Vec<(usize, Number)>; 2],
}

#[derive(Clone, Debug)]
struct Program {
    kind: u8,
    commands: Vec<Command>,
    initial: State,
}

/// A name within a module: of the copy, the first module's stand for its own.
fn seen(module: usize, variable: usize) -> usize {
    match (module, variable) {
        (2, 0 | 1) => variable + 4,
        (2, 4 | 5) => variable - 4,
        _ => variable,
    }
}

impl Number {
    fn value(&self, state: &State, module: usize) -> i64 {
        let of = |number: &Number| number.value(state, module);
        match self {
            Number::Constant(value) => *value,
            Number::Variable(variable) => state[seen(module, *variable)],
            Number::Sum(a, b) => of(a) + of(b),
            Number::Difference(a, b) => of(a) - of(b),
            Number::Least(a, b) => of(a).min(of(b)),
            Number::Greatest(a, b) => of(a).max(of(b)),
            Number::Modulo(a, by) => of(a).rem_euclid(*by),
            Number::Half(a, up) => (of(a) + i64::from(*up)).div_euclid(2),
            Number::Choice(when, a, b) => of(if when.holds(state, module) { a } else { b }),
        }
    }

    fn text(&self) -> String {
        match self {
            Number::Constant(value) => value.to_string(),
            Number::Variable(variable) => NAMES[*variable].to_string(),
            Number::Sum(a, b) => format!("({} + {})", a.text(), b.text()),
            Number::Difference(a, b) => format!("({} - {})", a.text(), b.text()),
            Number::Least(a, b) => format!("min({}, 9, {})", a.text(), b.text()),
            Number::Greatest(a, b) => format!("max({}, {}, -9)", a.text(), b.text()),
            Number::Modulo(a, by) => format!("mod({}, {by})", a.text()),
            Number::Half(a, false) => format!("floor({}/2)", a.text()),
            Number::Half(a, true) => format!("ceil(0.5*{})", a.text()),
            Number::Choice(when, a, b) => {
                format!("({} ? {} : {})", when.text(), a.text(), b.text())
            }
        }
    }
}

impl Truth {
    fn holds(&self, state: &State, module: usize) -> bool {
        let of = |number: &Number| number.value(state, module);
        match self {
            Truth::Equal(a, b) => of(a) == of(b),
            Truth::Less(a, b) => of(a) < of(b),
            Truth::Beyond(a, by) => of(a) > *by,
            Truth::Not(a) => !a.holds(state, module),
            Truth::Both(a, b) => a.holds(state, module) && b.holds(state, module),
            Truth::Either(a, b) => a.holds(state, module) || b.holds(state, module),
            Truth::Implies(a, b) => !a.holds(state, module) || b.holds(state, module),
        }
    }

    fn text(&self) -> String {
        match self {
            Truth::Equal(a, b) => format!("{} = {}", a.text(), b.text()),
            Truth::Less(a, b) => format!("{} < {}", a.text(), b.text()),
            Truth::Beyond(a, by) => format!("{} >= {by}.5", a.text()),
            Truth::Not(a) => format!("!({})", a.text()),
            Truth::Both(a, b) => format!("({}) & ({})", a.text(), b.text()),
            Truth::Either(a, b) => format!("({}) | ({})", a.text(), b.text()),
            Truth::Implies(a, b) => format!("({}) => ({})", a.text(), b.text()),
        }
    }
}

impl Chance {
    /// Which of the two outcomes are possible.
    fn possible(&self, state: &State, module: usize) -> [bool; 2] {
        match self {
            Chance::Half => [true, true],
            Chance::Never => [false, true],
            Chance::By(variable) => {
                let value = state[seen(module, *variable)];
                [value != 0, value != HIGHEST]
            }
            Chance::Inverse(variable) => [true, state[seen(module, *variable)] != 0],
        }
    }

    fn text(&self) -> [String; 2] {
        let two = |a: &str, b: &str| [a.to_string(), b.to_string()];
        match self {
            Chance::Half => two("0.5", "1/2"),
            Chance::Never => two("0.0", "1"),
            Chance::By(variable) => {
                let name = NAMES[*variable];
                [format!("{name}/{HIGHEST}"), format!("1-{name}/{HIGHEST}")]
            }
            Chance::Inverse(variable) => {
                let name = NAMES[*variable];
                [format!("1/({name}+1)"), format!("1-1/({name}+1)")]
            }
        }
    }
}

impl Command {
    /// The outcomes that are possible in a state: what is changed, and to what.
    fn outcomes(&self, state: &State) -> Vec<Vec<(usize, i64)>> {
        if !self.guard.holds(state, self.module) {
            return Vec::new();
        }
        let possible = match &self.chance {
            None => [true, false],
            Some(chance) => chance.possible(state, self.module),
        };
        let values = |outcome: &Vec<(usize, Number)>| {
            let one = |(variable, value): &(usize, Number)| {
                (seen(self.module, *variable), value.value(state, self.module))
            };
            outcome.iter().map(one).collect()
        };
        let both = self.outcomes.iter().zip(possible).filter(|(_, possible)| *possible);
        both.map(|(outcome, _)| values(outcome)).collect()
    }

    fn text(&self) -> String {
        let action = self.action.map_or("", |action| ["a", "b"][usize::from(action)]);
        let update = |outcome: &Vec<(usize, Number)>| {
            let set = |(variable, value): &(usize, Number)| {
                format!("({}'={})", NAMES[*variable], value.text())
            };
            let sets: Vec<String> = outcome.iter().map(set).collect();
            if sets.is_empty() { "true".to_string() } else { sets.join("&") }
        };
        let [first, second] = [update(&self.outcomes[0]), update(&self.outcomes[1])];
        let updates = match &self.chance {
            None => first,
            Some(chance) => {
                let [one, two] = chance.text();
                format!("{one} : {first} + {two} : {second}")
            }
        };
        format!("  [{action}] {} -> {updates};\n", self.guard.text())
    }
}

impl Program {
    /// The commands of a module; those of the copy are the first one's.
    fn commands(&self, module: usize) -> impl Iterator<Item = Command> + '_ {
        let own = self.commands.iter().filter(move |one| one.module == module % 2);
        own.map(move |one| Command { module, ..one.clone() })
    }

    /// What may happen in a state: a new one, or none where a value leaves its bounds.
    fn steps(&self, state: &State) -> Vec<Option<State>> {
        let mut changes: Vec<Vec<(usize, i64)>> = Vec::new();
        for module in 0..3 {
            let alone = self.commands(module).filter(|one| one.action.is_none());
            changes.extend(alone.flat_map(|one| one.outcomes(state)));
        }
        for action in 0..2 {
            let mut together = vec![Vec::new()];
            let mut anybody = false;
            for module in 0..3 {
                let mine: Vec<Command> =
                    self.commands(module).filter(|one| one.action == Some(action)).collect();
                if mine.is_empty() {
                    continue;
                }
                anybody = true;
                let outcomes: Vec<_> = mine.iter().flat_map(|one| one.outcomes(state)).collect();
                let joined = |before: &Vec<(usize, i64)>| {
                    let before = before.clone();
                    outcomes.iter().map(move |one| [&before[..], one].concat()).collect::<Vec<_>>()
                };
                together = together.iter().flat_map(joined).collect();
            }
            changes.extend(together.into_iter().filter(|_| anybody));
        }
        let applied = |changes: Vec<(usize, i64)>| {
            let mut next = *state;
            changes.iter().for_each(|(variable, value)| next[*variable] = *value);
            next.iter().all(|value| (0..=HIGHEST).contains(value)).then_some(next)
        };
        changes.into_iter().map(applied).collect()
    }

    /// All states that are reached, and in which of them a step fails, or none exists.
    fn reached(&self) -> [BTreeSet<State>; 3] {
        let (mut known, mut failing, mut stuck) =
            (BTreeSet::from([self.initial]), BTreeSet::new(), BTreeSet::new());
        let mut open = VecDeque::from([self.initial]);
        while let Some(state) = open.pop_front() {
            let steps = self.steps(&state);
            if steps.is_empty() {
                stuck.insert(state);
            }
            for step in steps {
                match step {
                    None => drop(failing.insert(state)),
                    Some(next) if known.insert(next) => open.push_back(next),
                    Some(_) => {}
                }
            }
        }
        [known, failing, stuck]
    }

    fn text(&self) -> String {
        let kind = ["dtmc", "ctmc", "mdp", ""][usize::from(self.kind)];
        let declared = |variable: usize| {
            format!("{} : [0..{HIGHEST}] init {};\n", NAMES[variable], self.initial[variable])
        };
        let mut text = format!("{kind}\nglobal {}", declared(6));
        for (module, name) in ["first", "second"].into_iter().enumerate() {
            let first = 2 * module;
            text += &format!("module {name}\n  {}  {}", declared(first), declared(first + 1));
            self.commands(module).for_each(|one| text += &one.text());
            text += "endmodule\n";
        }
        text + "module third = first [x0=z0, x1=z1, z0=x0, z1=x1] endmodule\n"
    }
}

fn number() -> impl Strategy<Value = Number> {
    let leaf = prop_oneof![
        1 => (0..=HIGHEST).prop_map(Number::Constant),
        3 => (0..NAMES.len()).prop_map(Number::Variable),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let equal = (inner.clone(), inner.clone()).prop_map(|(a, b)| Box::new(Truth::Equal(a, b)));
        prop_oneof![
            (boxed(), boxed()).prop_map(|(a, b)| Number::Sum(a, b)),
            (boxed(), boxed()).prop_map(|(a, b)| Number::Difference(a, b)),
            (boxed(), boxed()).prop_map(|(a, b)| Number::Least(a, b)),
            (boxed(), boxed()).prop_map(|(a, b)| Number::Greatest(a, b)),
            (boxed(), 2..=3i64).prop_map(|(a, by)| Number::Modulo(a, by)),
            (boxed(), any::<bool>()).prop_map(|(a, up)| Number::Half(a, up)),
            (equal, boxed(), boxed()).prop_map(|(when, a, b)| Number::Choice(when, a, b)),
        ]
    })
}

fn truth() -> impl Strategy<Value = Truth> {
    let leaf = prop_oneof![
        (number(), number()).prop_map(|(a, b)| Truth::Equal(a, b)),
        (number(), number()).prop_map(|(a, b)| Truth::Less(a, b)),
        (number(), 0..HIGHEST).prop_map(|(a, by)| Truth::Beyond(a, by)),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            boxed().prop_map(Truth::Not),
            (boxed(), boxed()).prop_map(|(a, b)| Truth::Both(a, b)),
            (boxed(), boxed()).prop_map(|(a, b)| Truth::Either(a, b)),
            (boxed(), boxed()).prop_map(|(a, b)| Truth::Implies(a, b)),
        ]
    })
}

/// What is assigned: mostly within the bounds, so that runs go on.
fn assigned() -> impl Strategy<Value = Number> {
    (number(), prop::bool::weighted(0.8)).prop_map(|(value, within)| match within {
        true => Number::Modulo(Box::new(value), HIGHEST + 1),
        false => value,
    })
}

fn command() -> impl Strategy<Value = Command> {
    let chance = prop_oneof![
        Just(None),
        Just(Some(Chance::Half)),
        Just(Some(Chance::Never)),
        (0..NAMES.len()).prop_map(|variable| Some(Chance::By(variable))),
        (0..NAMES.len()).prop_map(|variable| Some(Chance::Inverse(variable))),
    ];
    let action = prop_oneof![Just(None), Just(Some(0u8)), Just(Some(1u8))];
    let sets = || prop::array::uniform2(prop::option::weighted(0.7, assigned()));
    let global = prop::option::weighted(0.3, assigned());
    (0..2usize, action, truth(), chance, sets(), sets(), global).prop_map(
        |(module, action, guard, chance, first, second, global)| {
            let set = |values: [Option<Number>; 2]| {
                let each = values.into_iter().enumerate();
                let own = each.filter_map(|(number, value)| Some((2 * module + number, value?)));
                own.collect::<Vec<_>>()
            };
            let mut outcomes = [set(first), set(second)];
            // With an action, two modules might change it in one step.
            if let (None, Some(value)) = (action, global) {
                outcomes[0].push((6, value));
            }
            Command { module, action, guard, chance, outcomes }
        },
    )
}

fn program() -> impl Strategy<Value = Program> {
    let initial = prop::array::uniform7(0..=HIGHEST);
    (0..4u8, vec(command(), 2..7), initial).prop_map(|(kind, commands, mut initial)| {
        // The copy begins as what it copies.
        (initial[4], initial[5]) = (initial[0], initial[1]);
        Program { kind, commands, initial }
    })
}

fn compare(program: &Program) {
    let text = program.text();
    let parsed = prism::parse("random.prism", &text, &Settings::default());
    let said = render_all(&parsed.network.sources, &parsed.diagnostics);
    assert!(parsed.usable(), "{text}\n{said}");
    let interpreter = Interpreter::new(&parsed.network).expect("it can be executed");
    let found = interpreter.explore(100_000);
    assert!(found.complete);
    let state = |number: usize| -> State {
        let named = |name: &&str| {
            let mut of_state = parsed.network.variables.iter();
            let at = of_state.position(|variable| variable.name == *name).expect("it is declared");
            found.states[number].values[at]
        };
        NAMES.each_ref().map(named)
    };
    let reached: BTreeSet<State> = (0..found.states.len()).map(state).collect();
    let failing: BTreeSet<State> = found.faults.iter().map(|fault| state(fault.state)).collect();
    let stuck: BTreeSet<State> = found.deadlocks.iter().map(|number| state(*number)).collect();
    assert_eq!([reached, failing, stuck], program.reached(), "{text}");
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn texts_reach_what_their_programs_reach(program in program()) {
        compare(&program);
    }
}
