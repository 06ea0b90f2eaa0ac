//! Reading HOA files.

use std::collections::BTreeMap;

use homing_ir::automaton::{Automaton, Cube, MOST, Transition};

use super::token::{Token, Word, problem, words};
use super::{Hoa, Problem};
use crate::cubes;

/// How deep labels may be nested.
const MOST_NESTING: usize = 200;
/// The most cubes of a label.
const MOST_CUBES: usize = 4_096;
/// The most states, and the most transitions.
const MOST_STATES: u32 = 100_000;
const MOST_TRANSITIONS: usize = 1_000_000;

type Read<T> = Result<T, Problem>;

/// A condition on letters.
#[derive(Clone, Debug)]
enum Label {
    Constant(bool),
    Atom(u32),
    Not(Box<Label>),
    And(Vec<Label>),
    Or(Vec<Label>),
}

/// Reads the first automaton of a text.
pub fn read(text: &str) -> Result<Hoa, Problem> {
    let words = words(text)?;
    let mut reader = Reader {
        text,
        words,
        at: 0,
        depth: 0,
        name: None,
        states: None,
        start: Vec::new(),
        atoms: None,
        aliases: BTreeMap::new(),
        acceptance: None,
        count: 0,
    };
    reader.header()?;
    let automaton = reader.body()?;
    Ok(Hoa { name: reader.name, automaton, atoms: reader.atoms.unwrap_or_default() })
}

/// The acceptance condition: how many sets are declared, and which of them must
/// be met again and again; none where nothing is accepted.
struct Condition {
    declared: u32,
    needed: Option<Vec<u32>>,
}

struct Reader<'a> {
    text: &'a str,
    words: Vec<Word>,
    at: usize,
    depth: usize,
    name: Option<String>,
    states: Option<u32>,
    start: Vec<(u32, usize)>,
    atoms: Option<Vec<String>>,
    aliases: BTreeMap<String, Label>,
    acceptance: Option<Condition>,
    /// Transitions so far.
    count: usize,
}

impl Reader<'_> {
    fn token(&self) -> &Token {
        &self.words[self.at].0
    }

    fn place(&self) -> usize {
        self.words[self.at].1
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.words.len() - 1);
    }

    fn fail<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(problem(self.text, self.place(), message))
    }

    fn take(&mut self, sign: char) -> bool {
        let there = *self.token() == Token::Sign(sign);
        if there {
            self.advance();
        }
        there
    }

    fn require(&mut self, sign: char) -> Read<()> {
        if self.take(sign) { Ok(()) } else { self.fail(format!("`{sign}` is expected here")) }
    }

    fn number(&mut self, what: &str) -> Read<u32> {
        let Token::Number(value) = *self.token() else {
            return self.fail(format!("{what} is expected here"));
        };
        self.advance();
        Ok(value)
    }

    fn text_in_quotes(&mut self) -> Read<String> {
        let Token::Text(content) = self.token().clone() else {
            return self.fail("a text in quotes is expected here");
        };
        self.advance();
        Ok(content)
    }

    fn header(&mut self) -> Read<()> {
        if *self.token() != Token::Header("HOA".to_string()) {
            return self.fail("a file begins with `HOA: v1`");
        }
        self.advance();
        match self.token() {
            Token::Name(version) if version == "v1" => self.advance(),
            _ => return self.fail("only version `v1` is read"),
        }
        loop {
            let place = self.place();
            match self.token().clone() {
                Token::Mark(mark) if mark == "--BODY--" => {
                    self.advance();
                    return Ok(());
                }
                Token::Header(name) => {
                    self.advance();
                    self.item(&name, place)?;
                }
                Token::End => return self.fail("the file ends before `--BODY--`"),
                _ => return self.fail("a header such as `States:` or `--BODY--` is expected here"),
            }
        }
    }

    fn item(&mut self, name: &str, place: usize) -> Read<()> {
        match name {
            "States" => {
                self.states = Some(self.number("the number of states")?);
                if self.states > Some(MOST_STATES) {
                    let message = format!("more than {MOST_STATES} states are not read");
                    return Err(problem(self.text, place, message));
                }
            }
            "Start" => {
                let at = self.place();
                let state = self.number("a state")?;
                self.no_conjunction()?;
                self.start.push((state, at));
            }
            "AP" => self.propositions()?,
            "Alias" => {
                let Token::Alias(alias) = self.token().clone() else {
                    return self.fail("an alias such as `@a` is expected here");
                };
                self.advance();
                let label = self.label()?;
                self.aliases.insert(alias, label);
            }
            "Acceptance" => self.acceptance()?,
            "name" => self.name = Some(self.text_in_quotes()?),
            _ if name.starts_with(|c: char| c.is_uppercase()) => {
                // The format asks for this: such headers may change the meaning.
                let message = format!("the header `{name}:` is not known");
                return Err(problem(self.text, place, message));
            }
            _ => {
                while !matches!(self.token(), Token::Header(_) | Token::Mark(_) | Token::End) {
                    self.advance();
                }
            }
        }
        Ok(())
    }

    fn no_conjunction(&self) -> Read<()> {
        match self.token() {
            Token::Sign('&') => self.fail("alternating automata are not read"),
            _ => Ok(()),
        }
    }

    fn propositions(&mut self) -> Read<()> {
        let place = self.place();
        let count = self.number("the number of propositions")?;
        if count > MOST {
            let message = format!("more than {MOST} propositions are not read");
            return Err(problem(self.text, place, message));
        }
        let mut atoms = Vec::new();
        for _ in 0..count {
            atoms.push(self.text_in_quotes()?);
        }
        self.atoms = Some(atoms);
        Ok(())
    }

    /// `2 Inf(0) & Inf(1)`, `0 t`, `0 f`.
    fn acceptance(&mut self) -> Read<()> {
        let place = self.place();
        let declared = self.number("the number of acceptance sets")?;
        if declared > MOST {
            let message = format!("more than {MOST} acceptance sets are not read");
            return Err(problem(self.text, place, message));
        }
        let mut needed = Some(Vec::new());
        let mut open = 0;
        loop {
            while self.take('(') {
                open += 1;
            }
            match self.token().clone() {
                Token::Name(name) if name == "t" => self.advance(),
                Token::Name(name) if name == "f" => {
                    self.advance();
                    needed = None;
                }
                Token::Name(name) if name == "Inf" => {
                    self.advance();
                    self.require('(')?;
                    let set = self.number("an acceptance set")?;
                    self.require(')')?;
                    if set >= declared {
                        return self.fail(format!("there is no acceptance set {set}"));
                    }
                    needed.iter_mut().for_each(|needed| needed.push(set));
                }
                _ => return self.other_acceptance(),
            }
            while open > 0 && self.take(')') {
                open -= 1;
            }
            if !self.take('&') {
                break;
            }
        }
        if open > 0 || *self.token() == Token::Sign('|') {
            return self.other_acceptance();
        }
        needed.iter_mut().for_each(|needed: &mut Vec<u32>| {
            needed.sort_unstable();
            needed.dedup();
        });
        self.acceptance = Some(Condition { declared, needed });
        Ok(())
    }

    fn other_acceptance<T>(&self) -> Read<T> {
        self.fail("only (generalised) Büchi acceptance is read: `Inf(0) & Inf(1) …`")
    }

    fn label(&mut self) -> Read<Label> {
        let mut parts = vec![self.label_and()?];
        while self.take('|') {
            parts.push(self.label_and()?);
        }
        Ok(Label::Or(parts))
    }

    fn label_and(&mut self) -> Read<Label> {
        let mut parts = vec![self.label_atom()?];
        while self.take('&') {
            parts.push(self.label_atom()?);
        }
        Ok(Label::And(parts))
    }

    fn label_atom(&mut self) -> Read<Label> {
        self.depth += 1;
        if self.depth > MOST_NESTING {
            return self
                .fail(format!("labels are nested too deeply, at most {MOST_NESTING} levels"));
        }
        let label = match self.token().clone() {
            Token::Sign('!') => {
                self.advance();
                Label::Not(Box::new(self.label_atom()?))
            }
            Token::Sign('(') => {
                self.advance();
                let inner = self.label()?;
                self.require(')')?;
                inner
            }
            Token::Name(name) if name == "t" || name == "f" => {
                self.advance();
                Label::Constant(name == "t")
            }
            Token::Number(atom) => {
                let known = self.atoms.as_ref().map_or(0, Vec::len);
                if atom as usize >= known {
                    return self.fail(format!("there is no proposition {atom}"));
                }
                self.advance();
                Label::Atom(atom)
            }
            Token::Alias(name) => {
                let Some(label) = self.aliases.get(&name).cloned() else {
                    return self.fail(format!("the alias `@{name}` is not defined before"));
                };
                self.advance();
                label
            }
            _ => return self.fail("a condition is expected here"),
        };
        self.depth -= 1;
        Ok(label)
    }

    /// `[label]` as cubes.
    fn guard(&mut self) -> Read<Option<Vec<Cube>>> {
        let place = self.place();
        if !self.take('[') {
            return Ok(None);
        }
        let label = self.label()?;
        self.require(']')?;
        let large = || problem(self.text, place, "this condition is too large");
        cubes_of(&label, true).map(Some).ok_or_else(large)
    }

    /// `{0 1}` as marks.
    fn marks(&mut self, declared: u32) -> Read<u64> {
        let mut marks = 0;
        if self.take('{') {
            while !self.take('}') {
                let place = self.place();
                let set = self.number("an acceptance set or `}`")?;
                if set >= declared {
                    let message = format!("there is no acceptance set {set}");
                    return Err(problem(self.text, place, message));
                }
                marks |= 1 << set;
            }
        }
        Ok(marks)
    }

    fn body(&mut self) -> Read<Automaton> {
        let Some(condition) = self.acceptance.take() else {
            return self.fail("the header `Acceptance:` is missing");
        };
        let mut states: Vec<Vec<Transition>> = vec![Vec::new(); self.states.unwrap_or(0) as usize];
        let mut targets: Vec<(u32, usize)> = std::mem::take(&mut self.start);
        let initial: Vec<u32> = targets.iter().map(|(state, _)| *state).collect();
        let mut described = std::collections::BTreeSet::new();
        while let Token::Header(name) = self.token().clone() {
            if name != "State" {
                return self.fail("`State:` or `--END--` is expected here");
            }
            self.advance();
            let place = self.place();
            let (state, leaving) = self.state(condition.declared, &mut targets)?;
            if !described.insert(state) {
                let message = format!("state {state} is described twice");
                return Err(problem(self.text, place, message));
            }
            targets.push((state, place));
            if self.states.is_none() && state < MOST_STATES && state as usize >= states.len() {
                states.resize(state as usize + 1, Vec::new());
            }
            match states.get_mut(state as usize) {
                Some(entry) => *entry = leaving,
                None => {
                    let message = format!("there is no state {state}");
                    return Err(problem(self.text, place, message));
                }
            }
        }
        match self.token() {
            Token::Mark(mark) if mark == "--END--" => {}
            Token::Mark(_) => return self.fail("the automaton was aborted by who wrote it"),
            _ => return self.fail("`State:` or `--END--` is expected here"),
        }
        if let Some((state, place)) = targets.iter().find(|one| one.0 as usize >= states.len()) {
            return Err(problem(self.text, *place, format!("there is no state {state}")));
        }
        let atoms = self.atoms.as_ref().map_or(0, Vec::len) as u32;
        Ok(accepting(Automaton { atoms, sets: 0, initial, states }, &condition))
    }

    /// A state and the transitions that leave it.
    fn state(
        &mut self,
        declared: u32,
        targets: &mut Vec<(u32, usize)>,
    ) -> Read<(u32, Vec<Transition>)> {
        let of_state = self.guard()?;
        let state = self.number("a state")?;
        if let Token::Text(_) = self.token() {
            self.advance();
        }
        let own = self.marks(declared)?;
        let mut leaving = Vec::new();
        // Without labels, the transitions are those of all letters in turn.
        let mut letter = 0u64;
        let mut labelled = false;
        let start = self.place();
        while matches!(self.token(), Token::Sign('[') | Token::Number(_)) {
            let own_guard = self.guard()?;
            let place = self.place();
            let target = self.number("a state")?;
            self.no_conjunction()?;
            let marks = own | self.marks(declared)?;
            targets.push((target, place));
            labelled |= own_guard.is_some();
            let guards = match (own_guard, &of_state) {
                (Some(_), Some(_)) => return self.fail("both the state and its edge have labels"),
                (Some(guards), None) => guards,
                (None, Some(guards)) => guards.clone(),
                (None, None) => self.implicit(&mut letter, place)?,
            };
            self.count += guards.len();
            if self.count > MOST_TRANSITIONS {
                return self.fail(format!("more than {MOST_TRANSITIONS} transitions are not read"));
            }
            leaving.extend(guards.into_iter().map(|guard| Transition { guard, marks, target }));
        }
        let letters = 1u64.checked_shl(self.atoms.as_ref().map_or(0, Vec::len) as u32);
        if letter > 0 && (labelled || Some(letter) != letters) {
            let message = "edges without labels are as many as there are letters, or none";
            return Err(problem(self.text, start, message));
        }
        Ok((state, leaving))
    }

    /// The next letter, as a cube.
    fn implicit(&self, letter: &mut u64, place: usize) -> Read<Vec<Cube>> {
        let atoms = self.atoms.as_ref().map_or(0, Vec::len) as u32;
        let all = 1u64.checked_shl(atoms).map_or(u64::MAX, |bit| bit - 1);
        if *letter > all {
            return Err(problem(self.text, place, "there are more edges than letters"));
        }
        let cube = Cube { all_of: *letter, none_of: all & !*letter };
        *letter += 1;
        Ok(vec![cube])
    }
}

/// The automaton with the sets that its condition needs.
fn accepting(mut automaton: Automaton, condition: &Condition) -> Automaton {
    let Some(needed) = &condition.needed else {
        return Automaton { initial: Vec::new(), states: Vec::new(), ..automaton };
    };
    for one in automaton.states.iter_mut().flatten() {
        let old = one.marks;
        let seen = needed.iter().enumerate().filter(|(_, set)| old >> **set & 1 == 1);
        one.marks = seen.fold(0, |marks, (new, _)| marks | 1 << new);
    }
    Automaton { sets: needed.len() as u32, ..automaton }
}

/// The letters of a label, or of its negation; nothing where there are too many
/// cubes.
fn cubes_of(label: &Label, positive: bool) -> Option<Vec<Cube>> {
    let (parts, conjunction) = match label {
        Label::Constant(value) => {
            return Some(if *value == positive { vec![Cube::TRUE] } else { Vec::new() });
        }
        Label::Atom(atom) => {
            let bit = 1 << atom;
            let (all_of, none_of) = if positive { (bit, 0) } else { (0, bit) };
            return Some(vec![Cube { all_of, none_of }]);
        }
        Label::Not(inner) => return cubes_of(inner, !positive),
        Label::And(parts) => (parts, positive),
        Label::Or(parts) => (parts, !positive),
    };
    let mut all = if conjunction { vec![Cube::TRUE] } else { Vec::new() };
    for part in parts {
        let more = cubes_of(part, positive)?;
        if conjunction {
            let pairs = all.iter().flat_map(|a| more.iter().map(|b| cubes::both(*a, *b)));
            all = pairs.collect();
        } else {
            all.extend(more);
        }
        if all.len() > MOST_CUBES {
            return None;
        }
        if all.len() < 200 {
            cubes::simplify(&mut all);
        }
    }
    Some(all)
}
