//! From literals to terms.

use std::collections::HashMap;

use homing_budget::checkpoint;
use homing_ir::relation::{
    Binary, Definition, Domain, Goal, Kind, Relation, Specification, TermId, Unary, VariableId,
};
use homing_ir::{Diagnostic, Span};

use super::circuit::{Circuit, Gate, Latch, Literal};
use super::cursor::Read;

/// The relation of a circuit.
pub fn relation(circuit: &Circuit) -> Read<Relation> {
    let mut builder = Builder { circuit, relation: Relation::default(), known: HashMap::new() };
    builder.variables();
    for (position, latch) in circuit.latches.iter().enumerate() {
        builder.latch(position, latch)?;
    }
    for literal in &circuit.constraints {
        let term = builder.literal(*literal)?;
        builder.relation.invariants.push(term);
    }
    for literal in &circuit.fairness {
        let term = builder.literal(*literal)?;
        builder.relation.justice.push(term);
    }
    builder.specifications()?;
    Ok(builder.relation)
}

struct Builder<'c> {
    circuit: &'c Circuit,
    relation: Relation,
    /// The terms of variables that are not negated.
    known: HashMap<u32, TermId>,
}

impl Builder<'_> {
    fn name(&self, kind: u8, position: usize) -> String {
        let named = self.circuit.names.get(&(kind, position as u32));
        named.cloned().unwrap_or_else(|| format!("{}{position}", char::from(kind)))
    }

    fn variables(&mut self) {
        let inputs = self.circuit.inputs.iter().enumerate();
        for (i, literal) in inputs {
            self.declare(b'i', i, Kind::Input, *literal);
        }
        for (i, latch) in self.circuit.latches.iter().enumerate() {
            self.declare(b'l', i, Kind::State, latch.literal);
        }
    }

    fn declare(&mut self, letter: u8, position: usize, kind: Kind, literal: Literal) {
        let name = self.name(letter, position);
        let id = self.relation.declare(name, kind, Domain::Bool, literal.span);
        self.relation.variables[id.0 as usize].number = position as u32;
        let term = self.relation.read(id, literal.span);
        self.known.insert(literal.number / 2, term);
    }

    fn latch(&mut self, position: usize, latch: &Latch) -> Read<()> {
        let variable = VariableId((self.circuit.inputs.len() + position) as u32);
        let value = self.literal(latch.next)?;
        let span = latch.next.span;
        self.relation.next.push(Definition { variable, value, span });
        if let Some(reset) = latch.reset {
            let value = self.relation.terms.bool(reset, span);
            self.relation.initially.push(Definition { variable, value, span });
        }
        Ok(())
    }

    fn specifications(&mut self) -> Read<()> {
        let circuit = self.circuit;
        let old = circuit.bad.is_empty() && circuit.justice.is_empty();
        for (i, literal) in circuit.outputs.iter().enumerate() {
            let term = self.literal(*literal)?;
            match old {
                true => self.bad(b'o', i, *literal)?,
                false => self.relation.named.push((self.name(b'o', i), term)),
            }
        }
        for (i, literal) in circuit.bad.iter().enumerate() {
            self.bad(b'b', i, *literal)?;
        }
        for (i, (literals, span)) in circuit.justice.iter().enumerate() {
            let terms: Read<Vec<TermId>> = literals.iter().map(|one| self.literal(*one)).collect();
            let (name, goal) = (self.name(b'j', i), Goal::Justice(terms?));
            self.relation.specifications.push(Specification { name, goal, span: *span });
        }
        Ok(())
    }

    fn bad(&mut self, letter: u8, position: usize, literal: Literal) -> Read<()> {
        let term = self.literal(Literal { number: literal.number ^ 1, ..literal })?;
        let (name, goal) = (self.name(letter, position), Goal::Invariant(term));
        self.relation.specifications.push(Specification { name, goal, span: literal.span });
        Ok(())
    }

    /// The term of a literal, and of all gates it depends on.
    fn literal(&mut self, literal: Literal) -> Read<TermId> {
        let mut open: HashMap<u32, Span> = HashMap::new();
        let mut left = vec![literal];
        while let Some(one) = left.last().copied() {
            checkpoint();
            let variable = one.number / 2;
            if variable == 0 || self.known.contains_key(&variable) {
                left.pop();
                continue;
            }
            let Some((Gate::And(a, b), span)) = self.circuit.gates.get(&variable).copied() else {
                let message = format!("the literal {} is not defined", one.number);
                return Err(Box::new(Diagnostic::error(message, one.span)));
            };
            let before = left.len();
            for part in [a, b] {
                let number = part.number / 2;
                if number != 0 && !self.known.contains_key(&number) {
                    left.push(part);
                }
            }
            if left.len() > before {
                if open.insert(variable, span).is_some() {
                    let message = format!("the gate {} depends on itself", 2 * variable);
                    return Err(Box::new(Diagnostic::error(message, span)));
                }
                continue;
            }
            let (a, b) = (self.signed(a), self.signed(b));
            let made = self.relation.terms.binary(Binary::And, a, b, span);
            let term = made.map_err(|error| Box::new(Diagnostic::error(error.0, span)))?;
            self.known.insert(variable, term);
            left.pop();
        }
        Ok(self.signed(literal))
    }

    /// The term of a literal whose variable is known.
    fn signed(&mut self, literal: Literal) -> TermId {
        let terms = &mut self.relation.terms;
        let term = match self.known.get(&(literal.number / 2)) {
            Some(term) => *term,
            None => terms.bool(false, literal.span),
        };
        match literal.number % 2 {
            0 => term,
            _ => terms.unary(Unary::Not, term, literal.span).unwrap_or(term),
        }
    }
}
