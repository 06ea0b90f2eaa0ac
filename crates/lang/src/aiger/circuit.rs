//! A file as it is written: literals, before anybody asks what they mean.

use std::collections::HashMap;

use homing_budget::checkpoint;
use homing_ir::{Diagnostic, Span};

use super::cursor::{Cursor, Read};

/// A literal and where it is written.
#[derive(Clone, Copy, Debug)]
pub struct Literal {
    /// Twice the variable, plus one where it is negated.
    pub number: u32,
    /// Where it is written.
    pub span: Span,
}

/// What a variable is.
#[derive(Clone, Copy, Debug)]
pub enum Gate {
    /// An input.
    Input,
    /// A latch.
    Latch,
    /// True where both are.
    And(Literal, Literal),
}

/// A latch.
#[derive(Clone, Copy, Debug)]
pub struct Latch {
    /// The latch itself.
    pub literal: Literal,
    /// Its next value.
    pub next: Literal,
    /// Its first value; none where it may have any.
    pub reset: Option<bool>,
}

/// A file.
#[derive(Debug, Default)]
pub struct Circuit {
    /// The inputs.
    pub inputs: Vec<Literal>,
    /// The latches.
    pub latches: Vec<Latch>,
    /// The outputs.
    pub outputs: Vec<Literal>,
    /// What must not become true.
    pub bad: Vec<Literal>,
    /// What is always true.
    pub constraints: Vec<Literal>,
    /// What must not be true again and again, all of a list.
    pub justice: Vec<(Vec<Literal>, Span)>,
    /// What is true again and again.
    pub fairness: Vec<Literal>,
    /// What variables are.
    pub gates: HashMap<u32, (Gate, Span)>,
    /// The number of variables that the header allows.
    pub most: u32,
    /// Symbols: by kind and position.
    pub names: HashMap<(u8, u32), String>,
}

/// More inputs than this are taken for a mistake of the header, which in binary files is all
/// there is of inputs.
const MOST_INPUTS: u32 = 10_000_000;

struct Header {
    binary: bool,
    counts: [u32; 9],
}

impl Circuit {
    /// Reads a file.
    pub fn read(cursor: &mut Cursor) -> Read<Circuit> {
        let header = header(cursor)?;
        let [most, inputs, latches, outputs, ands, bad, constraints, justice, fairness] =
            header.counts;
        let mut circuit = Circuit { most, ..Circuit::default() };
        for position in 0..inputs {
            checkpoint();
            let literal = match header.binary {
                true => Literal { number: 2 * (position + 1), span: cursor.span() },
                false => circuit.alone(cursor)?,
            };
            circuit.define(literal, Gate::Input)?;
            circuit.inputs.push(literal);
        }
        for position in 0..latches {
            checkpoint();
            let latch = circuit.latch(cursor, header.binary.then_some(inputs + position + 1))?;
            circuit.define(latch.literal, Gate::Latch)?;
            circuit.latches.push(latch);
        }
        circuit.outputs = circuit.literals(cursor, outputs)?;
        circuit.bad = circuit.literals(cursor, bad)?;
        circuit.constraints = circuit.literals(cursor, constraints)?;
        let mut lengths = Vec::new();
        for _ in 0..justice {
            lengths.push((cursor.number("the length of a justice property")?, cursor.span()));
            cursor.end_of_line()?;
        }
        for (length, span) in lengths {
            if length as usize > cursor.len() {
                return cursor.error("the justice property is longer than the file");
            }
            circuit.justice.push((circuit.literals(cursor, length)?, span));
        }
        circuit.fairness = circuit.literals(cursor, fairness)?;
        for position in 0..ands {
            checkpoint();
            circuit.and(cursor, header.binary.then_some(inputs + latches + position + 1))?;
        }
        circuit.symbols(cursor)?;
        Ok(circuit)
    }

    fn literal(&self, cursor: &mut Cursor) -> Read<Literal> {
        let number = cursor.number("a literal")?;
        match number / 2 <= self.most {
            true => Ok(Literal { number, span: cursor.span() }),
            false => cursor.error(format!(
                "the literal {number} is larger than the header allows: {} variables",
                self.most
            )),
        }
    }

    fn alone(&self, cursor: &mut Cursor) -> Read<Literal> {
        let literal = self.literal(cursor)?;
        cursor.end_of_line()?;
        Ok(literal)
    }

    fn literals(&self, cursor: &mut Cursor, count: u32) -> Read<Vec<Literal>> {
        (0..count).map(|_| self.alone(cursor)).collect()
    }

    fn latch(&self, cursor: &mut Cursor, variable: Option<u32>) -> Read<Latch> {
        let literal = match variable {
            Some(variable) => Literal { number: 2 * variable, span: cursor.span() },
            None => {
                let literal = self.literal(cursor)?;
                cursor.expect_blank()?;
                literal
            }
        };
        let next = self.literal(cursor)?;
        let mut reset = Some(false);
        if cursor.blank() {
            let value = self.literal(cursor)?;
            reset = match value.number {
                0 | 1 => Some(value.number == 1),
                number if number == literal.number => None,
                _ => return cursor.error("a latch begins with 0, 1 or itself"),
            };
        }
        cursor.end_of_line()?;
        let span = if variable.is_some() { next.span } else { literal.span };
        Ok(Latch { literal: Literal { span, ..literal }, next, reset })
    }

    fn and(&mut self, cursor: &mut Cursor, variable: Option<u32>) -> Read<()> {
        let Some(variable) = variable else {
            let literal = self.literal(cursor)?;
            cursor.expect_blank()?;
            let a = self.literal(cursor)?;
            cursor.expect_blank()?;
            let b = self.alone(cursor)?;
            return self.define(literal, Gate::And(a, b));
        };
        let number = 2 * variable;
        let first = difference(cursor)?;
        let Some(a) = number.checked_sub(first).filter(|_| first > 0) else {
            return cursor.error("a gate must come after what it reads");
        };
        let a = Literal { number: a, span: cursor.span() };
        let second = difference(cursor)?;
        let Some(b) = a.number.checked_sub(second) else {
            return cursor.error("the second difference is too large");
        };
        let b = Literal { number: b, span: cursor.span() };
        self.define(Literal { number, span: a.span.to(b.span) }, Gate::And(a, b))
    }

    fn define(&mut self, literal: Literal, gate: Gate) -> Read<()> {
        let wrong = |message: &str| Err(Box::new(Diagnostic::error(message, literal.span)));
        if literal.number < 2 || literal.number % 2 == 1 {
            return wrong("a literal that is defined must be even, and not 0");
        }
        if literal.number / 2 > self.most {
            return wrong("there are more variables than the header allows");
        }
        match self.gates.insert(literal.number / 2, (gate, literal.span)) {
            None => Ok(()),
            Some((_, before)) => {
                let message = format!("the literal {} is defined twice", literal.number);
                let error = Diagnostic::error(message, literal.span);
                Err(Box::new(error.related(before, "first defined here")))
            }
        }
    }

    fn symbols(&mut self, cursor: &mut Cursor) -> Read<()> {
        loop {
            checkpoint();
            cursor.begin();
            let kind = match cursor.bump() {
                None => return Ok(()),
                Some(b'c') if matches!(cursor.peek(), None | Some(b'\n' | b'\r')) => return Ok(()),
                Some(kind @ (b'i' | b'l' | b'o' | b'b' | b'c' | b'j' | b'f')) => kind,
                Some(b'\n') => continue,
                Some(_) => return cursor.error("expected a symbol, comments or the end"),
            };
            let position = cursor.number("the position of what is named")?;
            let count = match kind {
                b'i' => self.inputs.len(),
                b'l' => self.latches.len(),
                b'o' => self.outputs.len(),
                b'b' => self.bad.len(),
                b'c' => self.constraints.len(),
                b'j' => self.justice.len(),
                _ => self.fairness.len(),
            };
            if position as usize >= count {
                return cursor.error("there is nothing at this position to be named");
            }
            cursor.expect_blank()?;
            self.names.insert((kind, position), cursor.line());
        }
    }
}

/// A number in groups of seven bits, the least first.
fn difference(cursor: &mut Cursor) -> Read<u32> {
    cursor.begin();
    let mut number = 0u32;
    for place in 0..5 {
        let Some(byte) = cursor.bump() else {
            return cursor.error("the file ends within the gates");
        };
        let bits = u32::from(byte & 127);
        if place == 4 && bits > 15 {
            break;
        }
        number |= bits << (7 * place);
        if byte < 128 {
            return Ok(number);
        }
    }
    cursor.error("the difference is too large")
}

fn header(cursor: &mut Cursor) -> Read<Header> {
    cursor.begin();
    let word: Vec<u8> = (0..3).map_while(|_| cursor.bump()).collect();
    let binary = match &word[..] {
        b"aag" => false,
        b"aig" => true,
        _ => return cursor.error("a file begins with `aag` or `aig`"),
    };
    let mut counts = [0; 9];
    for (i, count) in counts.iter_mut().enumerate() {
        if i >= 5 && cursor.peek() != Some(b' ') {
            break;
        }
        cursor.expect_blank()?;
        *count = cursor.number("a number of the header")?;
    }
    let [most, inputs, latches, _, ands, ..] = counts;
    let defined = u64::from(inputs) + u64::from(latches) + u64::from(ands);
    if defined > u64::from(most) || (binary && defined != u64::from(most)) {
        return cursor.error(format!(
            "the header lies: {inputs} inputs, {latches} latches and {ands} gates are not {most} \
             variables"
        ));
    }
    // Everything but binary inputs takes two bytes at least.
    let lines: u64 = counts[2..].iter().map(|count| u64::from(*count)).sum();
    let lines = lines + if binary { 0 } else { u64::from(inputs) };
    if lines > cursor.len() as u64 {
        return cursor.error("the header lies: it promises more than the file has");
    }
    if inputs > MOST_INPUTS {
        return cursor.error(format!("there are more than {MOST_INPUTS} inputs"));
    }
    cursor.end_of_line()?;
    Ok(Header { binary, counts })
}
