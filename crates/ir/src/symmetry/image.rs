//! The image of a text under an exchange, as a sequence of numbers.
//!
//! Two texts with the same sequence mean the same. The image of a term has, in
//! the image of a state, the value that the term has in the state, renamed where
//! it is a name. There is none where that cannot be seen: where an array's
//! elements are exchanged but its index is no name, or a name is bounded in a
//! way that tells the two apart.
//!
//! Operands of operators that commute are sorted, and assignments next to each
//! other put into the lexicographic normal form of those that may change places
//! (Anisimov, Knuth, "Inhomogeneous sorting", 1979), but only where nothing can
//! fail: the first failure decides.

use std::collections::BTreeMap;

use super::Exchange;
use super::matching::element;
use super::sorts::Sorts;
use crate::footprint::term_reads;
use crate::network::Binary;
use crate::system::{Command, Interval, PartId, PartRole, SiteId, SlotId, System, TempId, Term};

/// A text as numbers: prefix notation, lists with their lengths before them.
pub(super) type Text = Vec<i64>;

/// The image of a part; the component and its location are in it, the edge it
/// was made from is not.
pub(super) fn part(
    system: &System,
    sorts: &Sorts,
    exchange: &Exchange,
    id: PartId,
) -> Option<Text> {
    let part = system.part(id);
    let mut image = Image::new(system, sorts, exchange);
    let mut text = vec![
        i64::from(exchange.component(part.component).0),
        part.from,
        i64::from(part.timeout),
        part.atomic as i64,
    ];
    text.extend(image.role(&part.role)?);
    text.extend(image.term(&part.guard, None)?);
    text.push(part.prepare.len() as i64);
    for (temp, term) in &part.prepare {
        text.push(image.temp(*temp));
        text.extend(image.term(term, sorts.of_temp(*temp))?);
    }
    for block in [&part.stores, &part.effect, &part.cleanup] {
        text.extend(image.block(block)?);
    }
    text.extend(image.timed_part(id)?);
    Some(text)
}

/// The image of a condition, by number.
pub(super) fn condition(
    system: &System,
    sorts: &Sorts,
    exchange: &Exchange,
    number: usize,
) -> Option<Text> {
    let mut image = Image::new(system, sorts, exchange);
    let mut text = image.term(&system.conditions[number].term, None)?;
    text.extend(image.timed_condition(number)?);
    Some(text)
}

pub(super) struct Image<'a> {
    pub(super) system: &'a System,
    pub(super) sorts: &'a Sorts,
    pub(super) exchange: &'a Exchange,
    /// Temporaries are numbered as they occur.
    temps: BTreeMap<TempId, i64>,
}

impl<'a> Image<'a> {
    pub(super) fn new(system: &'a System, sorts: &'a Sorts, exchange: &'a Exchange) -> Image<'a> {
        Image { system, sorts, exchange, temps: BTreeMap::new() }
    }

    fn temp(&mut self, temp: TempId) -> i64 {
        let fresh = self.temps.len() as i64;
        *self.temps.entry(temp).or_insert(fresh)
    }

    fn slot(&self, slot: SlotId) -> i64 {
        i64::from(self.exchange.slot(slot).0)
    }

    /// What goes wrong at a site, and what clocks must show to get there.
    fn site(&mut self, site: SiteId) -> Option<Text> {
        let mut text = vec![self.system.sites[site.index()].kind as i64];
        text.extend(self.timed_site(site)?);
        Some(text)
    }

    fn role(&mut self, role: &PartRole) -> Option<Text> {
        let mut text = Text::new();
        match role {
            PartRole::Alone => text.push(0),
            // Which joints it takes part in is asked of these.
            PartRole::Label(_) => text.push(1),
            PartRole::Send(channel, message) => {
                let to = self.exchange.channel(*channel);
                text.extend([2, i64::from(to.0), message.len() as i64]);
                for (position, term) in message.iter().enumerate() {
                    text.extend(self.term(term, self.sorts.of_message(*channel, position))?);
                }
            }
            PartRole::Receive(channel, message) => {
                let to = self.exchange.channel(*channel);
                text.extend([3, i64::from(to.0), message.len() as i64]);
                for (position, intake) in message.iter().enumerate() {
                    let compared = intake.comparisons();
                    text.extend([intake.bound().map_or(-1, |temp| self.temp(temp))]);
                    text.push(compared.len() as i64);
                    for (how, term) in compared {
                        text.push(how as i64);
                        let sort = self.sorts.of_message(*channel, position);
                        text.extend(self.term(term, sort)?);
                    }
                }
            }
        }
        Some(text)
    }

    /// A term whose value is of this sort; none is that of numbers.
    pub(super) fn term(&mut self, term: &Term, sort: Option<u32>) -> Option<Text> {
        let mut text = Text::new();
        match term {
            Term::Const(value) => text.extend([0, self.exchange.value(sort, *value)]),
            Term::Slot(slot) => text.extend([1, self.slot(*slot)]),
            Term::Temp(temp) => text.extend([2, self.temp(*temp)]),
            Term::Element { first, count, index } => match element(*first, index) {
                Some(slot) => text.extend([1, self.slot(slot)]),
                None => {
                    text.push(3);
                    text.extend(self.array(*first, *count, index)?);
                }
            },
            Term::Unary(op, term) => {
                text.extend([4, *op as i64]);
                text.extend(self.term(term, None)?);
            }
            Term::Binary(op, left, right) => return self.binary(*op, term, left, right),
            Term::Choose(condition, yes, no) => {
                text.push(7);
                text.extend(self.term(condition, None)?);
                text.extend(self.term(yes, sort)?);
                text.extend(self.term(no, sort)?);
            }
            Term::Wrap(range, inner) => {
                self.renames_within(*range, sort)?;
                if self.renames(sort) && !lies_in(self.system, inner, *range) {
                    return None;
                }
                text.extend([8, range.lo, range.hi]);
                text.extend(self.term(inner, sort)?);
            }
            Term::Check(range, inner, site) => {
                self.renames_within(*range, sort)?;
                text.extend([9, range.lo, range.hi]);
                text.extend(self.site(*site)?);
                text.extend(self.term(inner, sort)?);
            }
            Term::NonZero(inner, site) => {
                text.push(10);
                text.extend(self.site(*site)?);
                text.extend(self.term(inner, None)?);
            }
        }
        Some(text)
    }

    fn binary(&mut self, op: Binary, whole: &Term, left: &Term, right: &Term) -> Option<Text> {
        let compares = matches!(op, Binary::Eq | Binary::Ne);
        let sort = compares.then(|| self.sorts.of_both(left, right)).flatten();
        let unordered = commutes(self.system, op, whole);
        let mut operands = Vec::new();
        if unordered {
            chain(op, whole, &mut operands);
        } else {
            operands.extend([left, right]);
        }
        let images: Option<Vec<Text>> =
            operands.into_iter().map(|operand| self.term(operand, sort)).collect();
        let mut images = images?;
        if unordered || compares && !may_fail(self.system, whole) {
            images.sort_unstable();
        }
        let mut text = vec![5, op as i64, images.len() as i64];
        images.into_iter().for_each(|image| text.extend(image));
        Some(text)
    }

    /// An array and the index that is not a constant.
    fn array(&mut self, first: SlotId, count: u32, index: &Term) -> Option<Text> {
        let sort = self.sorts.of_index(first, count);
        let start = match self.renames(sort) {
            true => first,
            false => self.exchange.slot(first),
        };
        let fits = (0..count).all(|place| {
            let to = self.exchange.value(sort, i64::from(place));
            let inside = (0..i64::from(count)).contains(&to);
            inside && self.slot(SlotId(first.0 + place)) == i64::from(start.0) + to
        });
        let mut text = vec![i64::from(start.0), i64::from(count)];
        text.extend(self.term(index, sort)?);
        fits.then_some(text)
    }

    pub(super) fn renames(&self, sort: Option<u32>) -> bool {
        sort.is_some_and(|sort| self.exchange.names.contains_key(&sort))
    }

    /// Whether the range holds both names or neither.
    fn renames_within(&self, range: Interval, sort: Option<u32>) -> Option<()> {
        match sort.and_then(|sort| self.exchange.names.get(&sort)) {
            Some((a, b)) => (range.contains(*a) == range.contains(*b)).then_some(()),
            None => Some(()),
        }
    }

    fn block(&mut self, commands: &[Command]) -> Option<Text> {
        let mut text = vec![commands.len() as i64];
        let mut rest = commands;
        while !rest.is_empty() {
            let (run, others) = rest.split_at(assignments(self.system, rest).max(1));
            let images: Option<Vec<Text>> =
                run.iter().map(|command| self.command(command)).collect();
            let images = images?;
            // The lexicographic normal form: always the least that need not wait.
            let mut left: Vec<usize> = (0..run.len()).collect();
            while !left.is_empty() {
                homing_budget::checkpoint();
                let waits =
                    |at: &usize| left[..*at].iter().any(|i| depend(&run[*i], &run[left[*at]]));
                let ready = (0..left.len()).filter(|at| !waits(at));
                let next = ready.min_by_key(|at| &images[left[*at]])?;
                text.extend(&images[left.remove(next)]);
            }
            rest = others;
        }
        Some(text)
    }

    fn command(&mut self, command: &Command) -> Option<Text> {
        let mut text = Text::new();
        match command {
            Command::Set(slot, term) => {
                text.extend([20, self.slot(*slot)]);
                text.extend(self.term(term, self.sorts.of_slot(*slot))?);
            }
            Command::SetElement { first, count, index, value } => {
                let slot = element(*first, index);
                match slot {
                    Some(slot) => text.extend([20, self.slot(slot)]),
                    None => {
                        text.push(21);
                        text.extend(self.array(*first, *count, index)?);
                    }
                }
                text.extend(self.term(value, self.sorts.of_slot(slot.unwrap_or(*first)))?);
            }
            Command::Let(temp, term) => {
                text.extend([22, self.temp(*temp)]);
                text.extend(self.term(term, self.sorts.of_temp(*temp))?);
            }
            Command::If(condition, yes, no) => {
                text.push(23);
                text.extend(self.term(condition, None)?);
                text.extend(self.block(yes)?);
                text.extend(self.block(no)?);
            }
            Command::While(condition, body, site) => {
                text.push(24);
                text.extend(self.site(*site)?);
                text.extend(self.term(condition, None)?);
                text.extend(self.block(body)?);
            }
            Command::Require(condition, site) => {
                text.push(25);
                text.extend(self.site(*site)?);
                text.extend(self.term(condition, None)?);
            }
        }
        Some(text)
    }
}

/// Whether the operands of an operator, applied again and again, may come in any
/// order.
pub(super) fn commutes(system: &System, op: Binary, whole: &Term) -> bool {
    use Binary::{Add, And, BitAnd, BitOr, BitXor, Mul, Or};
    matches!(op, Add | Mul | BitAnd | BitOr | BitXor | And | Or) && !may_fail(system, whole)
}

/// Whether evaluating a term may fail, as far as can be seen without the passes.
pub(super) fn may_fail(system: &System, term: &Term) -> bool {
    let mut fails = false;
    term.walk(&mut |term| {
        fails |= match term {
            Term::Check(range, inner, _) => !lies_in(system, inner, *range),
            Term::NonZero(inner, _) => !matches!(**inner, Term::Const(value) if value != 0),
            _ => false,
        };
    });
    fails
}

fn lies_in(system: &System, term: &Term, range: Interval) -> bool {
    let holds = |slot: SlotId| range.includes(system.slots[slot.index()].range);
    match term {
        Term::Const(value) => range.contains(*value),
        Term::Slot(slot) => holds(*slot),
        Term::Element { first, count, .. } => (first.0..first.0 + count).map(SlotId).all(holds),
        _ => false,
    }
}

/// The operands of an operator applied again and again.
pub(super) fn chain<'t>(op: Binary, term: &'t Term, operands: &mut Vec<&'t Term>) {
    match term {
        Term::Binary(same, left, right) if *same == op => {
            chain(op, left, operands);
            chain(op, right, operands);
        }
        other => operands.push(other),
    }
}

/// How many of the first commands are assignments that cannot fail.
pub(super) fn assignments(system: &System, commands: &[Command]) -> usize {
    let simple =
        |command: &&Command| assignment(command).is_some_and(|(_, term)| !may_fail(system, term));
    commands.iter().take_while(simple).count()
}

fn assignment(command: &Command) -> Option<(SlotId, &Term)> {
    match command {
        Command::Set(slot, term) => Some((*slot, term)),
        Command::SetElement { first, index, value, .. } => Some((element(*first, index)?, value)),
        _ => None,
    }
}

/// Whether two assignments may not change places.
fn depend(one: &Command, other: &Command) -> bool {
    let (Some((slot, term)), Some((written, value))) = (assignment(one), assignment(other)) else {
        return true;
    };
    slot == written || term_reads(term).contains(written) || term_reads(value).contains(slot)
}
