//! Circuits of random relations against the reference interpreter.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use homing_gates::{Circuit, Condition, value};
use homing_ir::Span;
use homing_ir::random::config;
use homing_ir::relation::{
    Binary, Constant, Definition, Domain, Evaluation, Interpreter, Kind, Relation, Sort, SymbolId,
    TermId, Unary, Value, VariableId, random,
};
use proptest::prelude::*;

/// Numbers drawn from a seed, to pick values by.
struct Picks(u64);

impl Picks {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    fn bits(&mut self, count: usize) -> Vec<bool> {
        (0..count).map(|_| self.next() & 1 == 1).collect()
    }

    fn valuation(&mut self, relation: &Relation) -> Vec<Value> {
        let all = relation.variables.iter();
        all.map(|one| one.domain.value(self.next() % one.domain.size().unwrap_or(1))).collect()
    }
}

/// What a condition says under an evaluation: a truth value, or that there is none.
fn said(nodes: &[bool], condition: Condition) -> Option<bool> {
    assert!(!value(nodes, condition.fails) || !value(nodes, condition.holds));
    (!value(nodes, condition.fails)).then(|| value(nodes, condition.holds))
}

/// All boolean terms that read nothing of the next moment.
fn conditions(relation: &Relation) -> Vec<TermId> {
    let all = (0..relation.terms.len() as u32).map(TermId);
    all.filter(|id| {
        relation.terms.sort(*id) == Sort::Bool && relation.terms.support([*id]).next.is_empty()
    })
    .collect()
}

/// Whether the bits of every variable stand for a value of its domain.
fn decodes(relation: &Relation, circuit: &Circuit, nodes: &[bool]) -> bool {
    relation.numbered().all(|(id, one)| {
        let bits = circuit.bits(id).iter().rev();
        let number = bits.fold(0u64, |number, bit| number << 1 | u64::from(value(nodes, *bit)));
        match one.domain {
            Domain::Range(..) | Domain::Enumeration(_) => Some(number) < one.domain.size(),
            _ => true,
        }
    })
}

fn terms_are_the_same(relation: &Relation, seed: u64) -> Result<(), TestCaseError> {
    let terms = conditions(relation);
    let circuit = Circuit::new(relation, &terms).expect("small");
    let mut picks = Picks(seed);
    for _ in 0..20 {
        let drawn = picks.valuation(relation);
        let (latches, mut inputs) = circuit.leaves_of(relation, &drawn);
        for (input, leaf) in inputs.iter_mut().zip(&circuit.inputs) {
            let is_choice = relation.numbered().all(|(id, _)| !circuit.bits(id).contains(leaf));
            *input ^= is_choice && picks.next() % 2 == 1;
        }
        let nodes = circuit.evaluate(&latches, &inputs);
        let values = circuit.valuation(relation, &nodes);
        if relation.always.is_empty() {
            prop_assert_eq!(&values, &drawn);
        }
        if !decodes(relation, &circuit, &nodes) {
            prop_assert!(!value(&nodes, circuit.admitted.holds));
            continue;
        }
        for (term, condition) in terms.iter().zip(&circuit.asked) {
            let expected = Evaluation::new(relation, &values, &[]).holds(*term);
            prop_assert_eq!(said(&nodes, *condition), expected.ok(), "{:?}", term);
        }
        let expected = relation.is_initial(&values);
        prop_assert_eq!(said(&nodes, circuit.initial), expected.ok());
        match (said(&nodes, circuit.admitted), relation.admits(&values)) {
            // Of a choice one alternative may fail, or be outside, where another is not.
            (Some(_), Err(_)) | (Some(false), Ok(true)) if !relation.always.is_empty() => {}
            (said, expected) => prop_assert_eq!(said, expected.ok()),
        }
    }
    Ok(())
}

/// Steps of the circuit are steps of the relation, and the other way round.
fn steps_are_the_same(relation: &Relation, seed: u64) -> Result<(), TestCaseError> {
    let Ok(interpreter) = Interpreter::new(relation) else { return Ok(()) };
    let circuit = Circuit::new(relation, &[]).expect("small");
    prop_assume!(circuit.inputs.len() <= 9);
    let mut picks = Picks(seed);
    for _ in 0..4 {
        let latches = picks.bits(circuit.latches.len());
        let mut found: BTreeMap<Vec<Value>, BTreeSet<Vec<Value>>> = BTreeMap::new();
        let mut fails = false;
        for nodes in moments(&circuit, &latches) {
            fails |= value(&nodes, circuit.admitted.fails);
            if !decodes(relation, &circuit, &nodes) {
                prop_assert!(!value(&nodes, circuit.admitted.holds));
                continue;
            }
            let values = circuit.valuation(relation, &nodes);
            let successors = found.entry(without_inputs(relation, &values)).or_default();
            if !value(&nodes, circuit.admitted.holds) {
                continue;
            }
            fails |= value(&nodes, circuit.step.fails);
            if !value(&nodes, circuit.step.holds) {
                continue;
            }
            let next: Vec<bool> =
                circuit.latches.iter().map(|latch| value(&nodes, latch.next)).collect();
            for next in moments(&circuit, &next) {
                fails |= value(&next, circuit.admitted.fails);
                if value(&next, circuit.admitted.holds) {
                    let next = circuit.valuation(relation, &next);
                    prop_assert_eq!(relation.is_step(&values, &next), Ok(true));
                    successors.insert(without_inputs(relation, &next));
                }
            }
        }
        for (state, successors) in found {
            match interpreter.successors(&state) {
                Ok(expected) if !fails => {
                    prop_assert_eq!(successors, expected.into_keys().collect());
                }
                // With variables that are functions it is not clear whose failure it is.
                Ok(_) => prop_assert!(!relation.always.is_empty()),
                Err(_) => prop_assert!(fails),
            }
        }
    }
    Ok(())
}

/// The nodes of a circuit in a state, under all inputs.
fn moments<'c>(
    circuit: &'c Circuit,
    latches: &'c [bool],
) -> impl Iterator<Item = Vec<bool>> + use<'c> {
    let count = circuit.inputs.len();
    all(count).map(|inputs| circuit.evaluate(latches, &inputs))
}

/// All lists of so many truth values.
fn all(count: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1u32 << count).map(move |number| (0..count).map(|i| number >> i & 1 == 1).collect())
}

fn without_inputs(relation: &Relation, values: &[Value]) -> Vec<Value> {
    let mut values = values.to_vec();
    let remembered = relation.remembered();
    for (id, one) in relation.numbered().filter(|(id, _)| !remembered.contains(id)) {
        values[id.0 as usize] = one.domain.value(0);
    }
    values
}

/// Random relations, one in two with a variable that is always what a term says.
fn relations() -> impl Strategy<Value = Relation> {
    (random::relation(), any::<u64>()).prop_map(|(mut relation, seed)| {
        let mut picks = Picks(seed);
        let all = (0..relation.terms.len() as u32).map(TermId);
        let fitting: Vec<(VariableId, TermId)> = relation
            .numbered()
            .flat_map(|(id, one)| all.clone().map(move |term| (id, one.domain.sort(), term)))
            .filter(|(id, sort, term)| {
                let support = relation.terms.support([*term]);
                relation.terms.sort(*term) == *sort
                    && support.next.is_empty()
                    && !support.current.contains(id)
            })
            .map(|(id, _, term)| (id, term))
            .collect();
        if let (1, false) = (picks.next() % 2, fitting.is_empty()) {
            let (variable, value) = fitting[picks.next() as usize % fitting.len()];
            let span = Span::default();
            let mut value = value;
            if picks.next() % 2 == 1 {
                relation.next.retain(|one| one.variable != variable);
                relation.initially.retain(|one| one.variable != variable);
            }
            if let Domain::Range(low, high) = relation.variable(variable).domain {
                let range = relation.terms.range(low, high + 1, span);
                value = relation.terms.union(value, range, span).expect("numbers");
            }
            relation.always.push(Definition { variable, value, span });
        }
        relation
    })
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn oracle_terms(relation in relations(), seed in any::<u64>()) {
        terms_are_the_same(&relation, seed)?;
    }

    #[test]
    fn oracle_steps(relation in relations(), seed in any::<u64>()) {
        steps_are_the_same(&relation, seed)?;
    }
}

/// A relation with variables of these domains, and the terms that read them.
fn of(domains: impl IntoIterator<Item = Domain>) -> (Relation, Vec<TermId>) {
    let mut relation =
        Relation { symbols: vec!["red".into(), "green".into()], ..Relation::default() };
    let span = Span::default();
    let read = domains.into_iter().enumerate().map(|(i, domain)| {
        let id = relation.declare(format!("v{i}"), Kind::State, domain, span);
        relation.read(id, span)
    });
    let read = read.collect();
    (relation, read)
}

/// Terms that are equalities with a variable that may have any value: so that every bit of a
/// result is looked at.
fn compare_operators(
    domains: Vec<Domain>,
    make: impl Fn(&mut Relation, &[TermId]) -> Vec<TermId>,
    rounds: usize,
) {
    let (mut relation, read) = of(domains);
    let results = make(&mut relation, &read);
    let span = Span::default();
    let mut asked = Vec::new();
    for result in results {
        match relation.terms.sort(result) {
            Sort::Bool => asked.push(result),
            Sort::Word(width) => {
                // One question a bit.
                for bit in 0..width {
                    let one = relation.terms.extract(result, bit, bit, span).expect("a word");
                    asked.push(relation.terms.unary(Unary::ToBool, one, span).expect("a bit"));
                }
            }
            _ => {
                for number in [-9, -3, -1, 0, 1, 2, 5, 8, i64::MAX, i64::MIN] {
                    let one = relation.terms.scalar(Constant::Int(number), span);
                    for op in [Binary::Equal, Binary::Less] {
                        asked.push(relation.terms.binary(op, result, one, span).expect("numbers"));
                    }
                }
            }
        }
    }
    let circuit = Circuit::new(&relation, &asked).expect("small");
    let mut picks = Picks(1);
    for _ in 0..rounds {
        let values = picks.valuation(&relation);
        let (latches, inputs) = circuit.leaves_of(&relation, &values);
        let nodes = circuit.evaluate(&latches, &inputs);
        for (term, condition) in asked.iter().zip(&circuit.asked) {
            let expected = Evaluation::new(&relation, &values, &[]).holds(*term).ok();
            assert_eq!(
                said(&nodes, *condition),
                expected,
                "{:?} {values:?}",
                relation.terms.term(*term)
            );
        }
    }
}

#[test]
fn every_operator_on_words() {
    use Binary::*;
    let span = Span::default();
    for (width, by) in [(1, 1), (3, 3), (4, 2), (5, 7), (8, 8), (13, 4)] {
        let word = |width| Domain::Word { width, signed: false };
        compare_operators(
            vec![word(width), word(width), word(by)],
            |relation, read| {
                let alike = [
                    And,
                    Or,
                    Xor,
                    Equal,
                    Less,
                    SignedLess,
                    Add,
                    Subtract,
                    Multiply,
                    Divide,
                    Remainder,
                    SignedDivide,
                    SignedRemainder,
                    SignedModulo,
                ];
                let shifts =
                    [ShiftLeft, ShiftRight, ShiftRightSigned, RotateLeft, RotateRight, Concat];
                let alike = alike.map(|op| (op, read[1]));
                let shifts = shifts.map(|op| (op, read[2]));
                let terms = &mut relation.terms;
                let mut made: Vec<TermId> = alike
                    .into_iter()
                    .chain(shifts)
                    .map(|(op, b)| terms.binary(op, read[0], b, span).expect("words"))
                    .collect();
                for op in [
                    Unary::Complement,
                    Unary::Negate,
                    Unary::Parity,
                    Unary::Signed,
                    Unary::Unsigned,
                ] {
                    made.push(terms.unary(op, read[0], span).expect("a word"));
                }
                for signed in [false, true] {
                    made.push(terms.extend(read[0], 3, signed, span).expect("a word"));
                }
                made
            },
            600,
        );
    }
}

#[test]
fn numbers_that_overflow_and_symbols_fail_as_they_should() {
    let span = Span::default();
    let ranges = [
        (Domain::Range(i64::MIN, i64::MIN + 2), Domain::Range(-1, 1)),
        (Domain::Range(i64::MAX - 1, i64::MAX), Domain::Range(-2, 2)),
        (Domain::Range(-9, 5), Domain::Range(-3, 4)),
        (Domain::Range(i64::MIN, i64::MAX), Domain::Range(i64::MIN, i64::MAX)),
        (
            Domain::Enumeration(vec![
                Constant::Int(-5),
                Constant::Symbol(SymbolId(1)),
                Constant::Int(i64::MAX),
            ]),
            Domain::Enumeration(vec![Constant::Symbol(SymbolId(1)), Constant::Int(1)]),
        ),
    ];
    for (a, b) in ranges {
        compare_operators(
            vec![a, b],
            |relation, read| {
                use Binary::*;
                let all = [Equal, Less, Add, Subtract, Multiply, Divide, Remainder];
                let mut made: Vec<TermId> = all
                    .map(|op| relation.terms.binary(op, read[0], read[1], span).expect("numbers"))
                    .into();
                made.push(relation.terms.unary(Unary::Negate, read[0], span).expect("a number"));
                made
            },
            300,
        );
    }
}

#[test]
fn words_that_are_no_numbers_fail() {
    let span = Span::default();
    for width in [62, 63, 64, 65, 70] {
        compare_operators(
            vec![Domain::Word { width, signed: true }],
            |relation, read| {
                let mut made = Vec::new();
                // Few bits, so that some words fit.
                let few = relation.terms.extract(read[0], 1, 0, span).expect("a word");
                let wide = relation.terms.extend(few, width - 2, true, span).expect("a word");
                for word in [read[0], few, wide] {
                    for op in [Unary::Signed, Unary::Unsigned] {
                        made.push(relation.terms.unary(op, word, span).expect("a word"));
                    }
                }
                made
            },
            100,
        );
    }
}

#[test]
fn arrays_are_read_and_written() {
    let span = Span::default();
    let array = Domain::Array { index: 3, element: 2 };
    let word = |width| Domain::Word { width, signed: false };
    compare_operators(
        vec![array.clone(), array, word(3), word(2), word(3)],
        |relation, read| {
            let terms = &mut relation.terms;
            let written = terms.write(read[0], read[2], read[3], span).expect("fits");
            let equal = terms.binary(Binary::Equal, written, read[1], span).expect("arrays");
            let everywhere = terms.everywhere(read[3], 3, span).expect("a word");
            let same = terms.binary(Binary::Equal, everywhere, read[0], span).expect("arrays");
            let element = terms.binary(Binary::Read, written, read[4], span).expect("fits");
            vec![equal, same, element]
        },
        300,
    );
}

#[test]
fn what_is_too_large_is_named() {
    let (relation, _) = of([Domain::Array { index: 32, element: 8 }]);
    let refused = Circuit::new(&relation, &[]).expect_err("too large");
    assert_eq!(refused.to_string(), "`v0` is too large to be taken bit by bit");
}

/// An input that is read at the next moment, definitions in a circle, two definitions of one
/// variable, a constant one of a variable that an input changes.
#[test]
fn what_is_not_functional_becomes_so() {
    let span = Span::default();
    let mut relation = Relation::default();
    let [a, b, i] = [("a", Kind::State), ("b", Kind::State), ("i", Kind::Input)]
        .map(|(name, kind)| relation.declare(name, kind, Domain::Bool, span));
    let read = [a, b, i].map(|one| relation.read(one, span));
    let next = [a, b, i].map(|one| relation.read_next(one, span));
    relation.next.push(Definition { variable: a, value: next[1], span });
    relation.next.push(Definition { variable: b, value: next[0], span });
    relation.next.push(Definition { variable: b, value: read[2], span });
    let same = relation.terms.binary(Binary::Equal, next[2], next[0], span).expect("booleans");
    relation.transitions.push(same);
    let circuit = Circuit::new(&relation, &[]).expect("small");
    let mut found = BTreeSet::new();
    for latches in all(circuit.latches.len()) {
        for inputs in all(circuit.inputs.len()) {
            let nodes = circuit.evaluate(&latches, &inputs);
            if value(&nodes, circuit.step.holds) {
                let next: Vec<bool> =
                    circuit.latches.iter().map(|one| value(&nodes, one.next)).collect();
                let after = circuit.evaluate(&next, &inputs);
                let pair = [&nodes, &after].map(|nodes| circuit.valuation(&relation, nodes));
                found.insert(pair);
            }
        }
    }
    let booleans = |n: u32| (0..3).map(|i| Value::Bool(n >> i & 1 == 1)).collect::<Vec<_>>();
    let expected = (0..8).flat_map(|one| (0..8).map(move |other| [booleans(one), booleans(other)]));
    let expected = expected.filter(|[one, other]| relation.is_step(one, other) == Ok(true));
    assert_eq!(found, expected.collect());
}
