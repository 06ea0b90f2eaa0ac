//! `next`: what terms are one moment later.

use std::collections::HashMap;

use homing_ir::relation::{Kind, SortError, Term, TermId};
use homing_ir::{Diagnostic, Span};

use super::instances::{Model, Reads};
use super::values::Typed;
use crate::reading::Parse;

impl Model<'_> {
    /// What a term is at the next moment.
    pub fn next(&mut self, of: Typed, span: Span) -> Parse<Typed> {
        if self.reads(of.term).next || self.reads(of.fails).next {
            return self.fail(Diagnostic::error("`next` stands within `next`", span));
        }
        if let Some(name) = self.input_in([of.term, of.fails]) {
            let message = format!("the next value of the input `{name}` is not known");
            return self.fail(Diagnostic::error(message, span));
        }
        let term = self.moved(of.term, true, span)?;
        let fails = self.moved(of.fails, true, span)?;
        if of.fails == self.never {
            return Ok(Typed { term, ..of });
        }
        for id in self.relation.terms.cone([of.fails]) {
            if let Some((what, place)) = self.reasons.get(&id).cloned()
                && let Some(later) = self.later.get(&id).copied()
            {
                self.reasons.entry(later).or_insert((what, place));
            }
        }
        Ok(Typed { term, fails, ..of })
    }

    /// What a term reads: looked at once for each of its parts.
    pub fn reads(&mut self, term: TermId) -> Reads {
        for number in self.reads.len()..=term.0 as usize {
            let id = TermId(number as u32);
            let mut reads = match self.relation.terms.term(id) {
                Term::Variable(variable) => Reads {
                    current: true,
                    inputs: self.relation.variable(variable).kind == Kind::Input,
                    next: false,
                },
                Term::Next(_) => Reads { next: true, ..Reads::default() },
                _ => Reads::default(),
            };
            for part in self.relation.terms.parts(id) {
                let part = self.reads[part.0 as usize];
                reads.current |= part.current;
                reads.next |= part.next;
                reads.inputs |= part.inputs;
            }
            self.reads.push(reads);
        }
        self.reads[term.0 as usize]
    }

    /// A term of this moment as one of the next, or the other way round.
    pub fn moved(&mut self, root: TermId, forwards: bool, span: Span) -> Parse<TermId> {
        if let Some(known) = self.later.get(&root).filter(|_| forwards) {
            return Ok(*known);
        }
        let mut known = match forwards {
            true => std::mem::take(&mut self.later),
            false => HashMap::new(),
        };
        let mut wrong = None;
        for id in self.relation.terms.cone([root]) {
            homing_budget::checkpoint();
            if known.contains_key(&id) {
                continue;
            }
            match self.moved_one(id, &known) {
                Ok(moved) => {
                    known.insert(id, moved);
                }
                Err(SortError(message)) => wrong = wrong.or(Some(message)),
            }
        }
        let moved = known.get(&root).copied();
        if forwards {
            self.later = known;
        }
        match (moved, wrong) {
            (Some(moved), None) => Ok(moved),
            (_, message) => self.fail(Diagnostic::error(message.unwrap_or_default(), span)),
        }
    }

    fn moved_one(
        &mut self,
        id: TermId,
        known: &HashMap<TermId, TermId>,
    ) -> Result<TermId, SortError> {
        let relation = &mut self.relation;
        let span = relation.terms.span(id);
        let of = |part: TermId| known.get(&part).copied().unwrap_or(part);
        Ok(match relation.terms.term(id) {
            Term::Bool(_) | Term::Scalar(_) | Term::Word(_) | Term::Range(..) => id,
            Term::Variable(variable) => relation.read_next(variable, span),
            Term::Next(variable) => relation.read(variable, span),
            Term::Unary(op, a) => relation.terms.unary(op, of(a), span)?,
            Term::Binary(op, a, b) => relation.terms.binary(op, of(a), of(b), span)?,
            Term::Choose(c, a, b) => relation.terms.choose(of(c), of(a), of(b), span)?,
            Term::Extract(a, high, low) => relation.terms.extract(of(a), high, low, span)?,
            Term::Extend(a, width, signed) => {
                let from = match relation.terms.sort(a) {
                    homing_ir::relation::Sort::Word(from) => from,
                    _ => width,
                };
                relation.terms.extend(of(a), width - from, signed, span)?
            }
            Term::Write(a, at, value) => relation.terms.write(of(a), of(at), of(value), span)?,
            Term::Everywhere(value, index) => relation.terms.everywhere(of(value), index, span)?,
            Term::Union(a, b) => relation.terms.union(of(a), of(b), span)?,
        })
    }
}
