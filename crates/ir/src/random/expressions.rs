//! Sketches of expressions and places, read as expressions about a network.

use super::Knobs;
use super::sketch::{ExprSketch, IndexSketch, PlaceSketch};
use crate::builder::{at, binary, expr, int, length, poll};
use crate::network::{
    Access, Binary, ChannelId, Expr, ExprKind, Failure, IntType, Network, Overflow, Place,
    ProcessId, ReceiveOrder, Role, Storage, Type, Unary, VariableId,
};
use crate::source::Span;

/// What an expression may refer to.
pub(super) struct Scope<'n> {
    pub network: &'n Network,
    pub knobs: &'n Knobs,
    /// On whose behalf it is evaluated.
    pub process: Option<ProcessId>,
}

const UNARY: [Unary; 3] = [Unary::Neg, Unary::Not, Unary::BitNot];

/// Comparisons stand at 10 to 15, where sketches of conditions expect them.
const BINARY: [Binary; 23] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::Shl,
    Binary::Shr,
    Binary::BitAnd,
    Binary::BitOr,
    Binary::BitXor,
    Binary::Eq,
    Binary::Ne,
    Binary::Lt,
    Binary::Le,
    Binary::Gt,
    Binary::Ge,
    Binary::And,
    Binary::Or,
    Binary::Imply,
    // Twice, because they do what models do most.
    Binary::Add,
    Binary::Sub,
    // From here on without care for zero.
    Binary::Div,
    Binary::Rem,
];

const CARELESS: u8 = 21;

/// The element that a sketch's number picks.
pub(super) fn pick<T: Copy>(from: &[T], number: u8) -> Option<T> {
    let position = usize::from(number).checked_rem(from.len())?;
    Some(from[position])
}

impl Scope<'_> {
    /// The numbers a place may be: variables of the system that are neither
    /// channels nor processes.
    fn variables(&self, written: bool) -> Vec<VariableId> {
        let all = self.network.variables.iter().enumerate();
        let fits = all.filter(|(_, variable)| {
            let owner = variable.owner.map(|owner| self.network.processes[owner.index()].role);
            let number = !matches!(variable.ty, Type::Channel | Type::Process);
            let own = variable.owner.is_none() || variable.owner == self.process;
            let writable = own && variable.storage != Storage::Constant;
            owner != Some(Role::Observer) && number && (!written || writable)
        });
        fits.map(|(i, _)| VariableId(i as u32)).collect()
    }

    pub fn expression(&self, sketch: &ExprSketch) -> Expr {
        match sketch {
            ExprSketch::Number(value) => int(*value),
            ExprSketch::Read(place) => match self.place(place, false) {
                Some((place, _)) => expr(ExprKind::Read(place)),
                None => int(i64::from(place.variable)),
            },
            ExprSketch::At(process, location) => self.position(*process, *location),
            ExprSketch::Length(channel) => self.length(*channel),
            ExprSketch::Poll { channel, parts, any, dynamic }
                if self.knobs.polls && self.may_look(*channel) =>
            {
                let dynamic = *dynamic && self.fails(*channel);
                let Some((channel, types)) = self.channel(*channel, dynamic) else {
                    return int(0);
                };
                let part =
                    |part: &Option<Box<ExprSketch>>| part.as_ref().map(|p| self.expression(p));
                let message: Vec<Option<Expr>> =
                    parts.iter().zip(&types).map(|(wanted, _)| part(wanted)).collect();
                let order = if *any { ReceiveOrder::Any } else { ReceiveOrder::First };
                poll(channel, &message, order)
            }
            ExprSketch::Poll { channel, .. } => self.length(*channel),
            ExprSketch::Unary(op, operand) => {
                let op = UNARY[usize::from(*op) % UNARY.len()];
                crate::builder::unary(op, self.expression(operand))
            }
            ExprSketch::Binary(op, left, right) => self.binary(*op, left, right),
            ExprSketch::Choose(parts) => {
                let [condition, yes, no] = parts.as_ref();
                self.choose(self.expression(condition), self.expression(yes), self.expression(no))
            }
        }
    }

    fn length(&self, number: u8) -> Expr {
        let channels: Vec<u32> = (0..self.network.channels.len() as u32).collect();
        pick(&channels, number).map_or(int(0), |channel| length(ChannelId(channel)))
    }

    fn binary(&self, op: u8, left: &ExprSketch, right: &ExprSketch) -> Expr {
        let careful = op < CARELESS || !self.knobs.faults;
        let op = BINARY[usize::from(op) % BINARY.len()];
        let (left, mut right) = (self.expression(left), self.expression(right));
        if op == Binary::Rem && !careful && matches!(right.kind, ExprKind::Int(_)) {
            // A remainder that hardly ever fails makes room for what always does.
            return self.choose(left, expr(ExprKind::Fail(Failure::AsksOfItself)), right);
        }
        let divides = matches!(op, Binary::Div | Binary::Rem);
        if divides && careful {
            right = self.choose(right.clone(), right, int(1));
        }
        binary(op, left, right)
    }

    fn choose(&self, condition: Expr, yes: Expr, no: Expr) -> Expr {
        expr(ExprKind::Choose(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    fn position(&self, process: u8, location: u8) -> Expr {
        let processes: Vec<ProcessId> = self.network.system_processes().map(|(id, _)| id).collect();
        let Some(process) = pick(&processes, process) else {
            return int(0);
        };
        let locations = self.network.processes[process.index()].locations.len();
        at(process, u32::from(location) % locations.max(1) as u32)
    }

    /// The place that a sketch means, with its type; `None` where there is no
    /// variable to choose.
    pub fn place(&self, sketch: &PlaceSketch, written: bool) -> Option<(Place, IntType)> {
        let variable = pick(&self.variables(written), sketch.variable)?;
        let mut ty = &self.network.variables[variable.index()].ty;
        let mut path = Vec::new();
        let mut indices = sketch.indices.iter().cycle();
        loop {
            ty = match ty {
                Type::Array(element, length) => {
                    path.push(Access::Index(self.index(indices.next()?, *length)));
                    element
                }
                Type::Record(id) => {
                    let fields = &self.network.records[id.index()].fields;
                    let field = usize::from(sketch.field) % fields.len();
                    path.push(Access::Field(field as u32));
                    &fields[field].1
                }
                _ => break,
            };
        }
        Some((Place { variable, path, span: Span::default() }, self.network.scalar(ty)?))
    }

    fn index(&self, sketch: &IndexSketch, length: u32) -> Expr {
        match sketch {
            IndexSketch::Constant(index) => int(i64::from(u32::from(*index) % length)),
            IndexSketch::Careless(index) if self.knobs.faults => self.expression(index),
            IndexSketch::Careful(index) | IndexSketch::Careless(index) => {
                self.within(self.expression(index), 0, i64::from(length) - 1)
            }
        }
    }

    /// The value where it lies within the bounds, else the lower bound.
    fn within(&self, value: Expr, lo: i64, hi: i64) -> Expr {
        let above = binary(Binary::Ge, value.clone(), int(lo));
        let below = binary(Binary::Le, value.clone(), int(hi));
        self.choose(binary(Binary::And, above, below), value, int(lo))
    }

    /// A value to be stored in a scalar of this type.
    pub fn value(&self, sketch: &ExprSketch, ty: IntType, careful: bool) -> Expr {
        self.fitted(self.expression(sketch), ty, careful)
    }

    /// A value to be stored in a scalar of this type, made to fit if it is
    /// checked and that was asked for.
    pub fn fitted(&self, value: Expr, ty: IntType, careful: bool) -> Expr {
        let checked = ty.overflow == Overflow::Error;
        if checked && (careful || !self.knobs.faults) {
            self.within(value, ty.lo, ty.hi)
        } else {
            value
        }
    }
}
