//! Expressions and statements of a network in words.
//!
//! People know a condition by its text. Where its text stands for several
//! conditions (`forall (i : id_t) P(i).safe` is one a value of `i`), or says more
//! than an edge does (a step of a `for`), it is written as it is in the network:
//! values instead of bound names, every variable of a process with its process
//! before it.

use crate::network::{
    Access, Binary, Edge, Expr, ExprKind, Guard, Network, Place, ProcessId, Statement,
    StatementKind, Type, Unary,
};

/// How tightly what is no operator of two operands binds.
const TIGHTEST: u8 = 10;

/// The sign of an operator, and how tightly it binds.
fn sign(op: Binary) -> (&'static str, u8) {
    match op {
        Binary::Imply => ("imply", 0),
        Binary::Or => ("||", 1),
        Binary::And => ("&&", 2),
        Binary::BitOr => ("|", 3),
        Binary::BitXor => ("^", 4),
        Binary::BitAnd => ("&", 5),
        Binary::Eq => ("==", 6),
        Binary::Ne => ("!=", 6),
        Binary::Lt => ("<", 7),
        Binary::Le => ("<=", 7),
        Binary::Gt => (">", 7),
        Binary::Ge => (">=", 7),
        Binary::Shl => ("<<", 8),
        Binary::Shr => (">>", 8),
        Binary::Add => ("+", 9),
        Binary::Sub => ("-", 9),
        Binary::Mul => ("*", 9),
        Binary::Div => ("/", 9),
        Binary::Rem => ("%", 9),
    }
}

impl Binary {
    /// How it is written, in most languages.
    pub fn sign(self) -> &'static str {
        sign(self).0
    }
}

/// Writes expressions as `within` would, which need not name itself.
struct Writer<'n> {
    network: &'n Network,
    within: Option<ProcessId>,
}

impl Network {
    /// An expression in words.
    pub fn written(&self, expr: &Expr) -> String {
        Writer { network: self, within: None }.expr(expr)
    }

    /// What an edge does in words, as its process would say it: its first
    /// assignment, or else its condition.
    pub fn edge_written(&self, process: ProcessId, edge: &Edge) -> String {
        let writer = Writer { network: self, within: Some(process) };
        let mut statements = edge.branches.iter().flat_map(|branch| &branch.effect);
        if let Some(assignment) = statements.find_map(|one| writer.assignment(one)) {
            return assignment;
        }
        match &edge.guard {
            Guard::Always => "skip".into(),
            Guard::When(when) => writer.expr(when),
            Guard::Otherwise { .. } => "else".into(),
            Guard::Timeout(_) => "timeout".into(),
        }
    }
}

impl Writer<'_> {
    fn assignment(&self, statement: &Statement) -> Option<String> {
        match &statement.kind {
            StatementKind::Assign(place, value) => {
                let value = match (&value.kind, self.type_of(place)) {
                    (ExprKind::Int(number), Some(ty)) => self.value(ty, *number),
                    _ => self.expr(value),
                };
                Some(format!("{} = {value}", self.place(place)))
            }
            _ => None,
        }
    }

    /// The recursion over expressions is bounded by
    /// [`MAX_DEPTH`](crate::wellformed::MAX_DEPTH).
    fn expr(&self, expr: &Expr) -> String {
        let list = |all: &[Option<Expr>]| {
            let part = |one: &Option<Expr>| one.as_ref().map_or("_".into(), |one| self.expr(one));
            all.iter().map(part).collect::<Vec<_>>().join(", ")
        };
        match &expr.kind {
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Ratio(above, below) => format!("{above}/{below}"),
            ExprKind::Read(place) => self.place(place),
            ExprKind::At(process, location) => {
                let process = &self.network.processes[process.index()];
                format!("{}.{}", process.name, process.locations[location.index()].name)
            }
            ExprKind::Running(process) => {
                format!("{} is running", self.network.processes[process.index()].name)
            }
            ExprKind::Channel(channel) => self.network.channels[channel.index()].name.clone(),
            ExprKind::Length(channel) => format!("len({})", self.expr(channel)),
            ExprKind::Poll { channel, message, .. } => {
                format!("{}?[{}]", self.expr(channel), list(message))
            }
            ExprKind::Deadlock => "deadlock".into(),
            ExprKind::Fail(_) => "error".into(),
            ExprKind::Unary(op, operand) => {
                let sign = match op {
                    Unary::Neg => "-",
                    Unary::Not => "!",
                    Unary::BitNot => "~",
                };
                format!("{sign}{}", self.within(operand, TIGHTEST))
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Choose(condition, yes, no) => {
                let part = |part| self.within(part, 1);
                format!("{} ? {} : {}", part(condition), part(yes), part(no))
            }
        }
    }

    fn binary(&self, op: Binary, left: &Expr, right: &Expr) -> String {
        let (sign, binds) = sign(op);
        let equality = matches!(op, Binary::Eq | Binary::Ne);
        let ty = |expr: &Expr| match &expr.kind {
            ExprKind::Read(place) if equality => self.type_of(place),
            _ => None,
        };
        let chains = matches!(op, Binary::And | Binary::Or | Binary::Add);
        let tightly = binds + u8::from(!chains);
        // What is compared with a value of a type is one.
        let side = |side: &Expr, other: &Expr| match (&side.kind, ty(other)) {
            (ExprKind::Int(number), Some(ty)) => self.value(ty, *number),
            _ => self.within(side, tightly),
        };
        format!("{} {sign} {}", side(left, right), side(right, left))
    }

    /// An operand, in parentheses where it binds less tightly.
    fn within(&self, operand: &Expr, tightly: u8) -> String {
        let binds = match &operand.kind {
            ExprKind::Binary(op, ..) => sign(*op).1,
            ExprKind::Choose(..) => 0,
            _ => TIGHTEST,
        };
        let text = self.expr(operand);
        if binds < tightly { format!("({text})") } else { text }
    }

    /// A value of a type, by its name where it has one.
    fn value(&self, ty: &Type, number: i64) -> String {
        let named = match ty {
            Type::Bool => return (number != 0).to_string(),
            Type::Enum(id) => {
                let values = &self.network.enumerations[id.index()].values;
                usize::try_from(number).ok().and_then(|at| values.get(at))
            }
            _ => None,
        };
        named.cloned().unwrap_or_else(|| number.to_string())
    }

    fn place(&self, place: &Place) -> String {
        let variable = &self.network.variables[place.variable.index()];
        let mut text = match variable.owner.filter(|owner| Some(*owner) != self.within) {
            Some(owner) => {
                format!("{}.{}", self.network.processes[owner.index()].name, variable.name)
            }
            None => variable.name.clone(),
        };
        let mut ty = Some(&variable.ty);
        for access in &place.path {
            match access {
                Access::Index(index) => text += &format!("[{}]", self.expr(index)),
                Access::Field(field) => {
                    let fields = ty.and_then(|ty| self.fields(ty));
                    let name = fields.and_then(|fields| fields.get(*field as usize));
                    text += &format!(".{}", name.map_or("?", |(name, _)| name));
                }
            }
            ty = ty.and_then(|ty| self.inside(ty, access));
        }
        text
    }

    fn type_of(&self, place: &Place) -> Option<&Type> {
        let whole = &self.network.variables[place.variable.index()].ty;
        place.path.iter().try_fold(whole, |ty, access| self.inside(ty, access))
    }

    fn inside<'t>(&'t self, ty: &'t Type, access: &Access) -> Option<&'t Type> {
        match (ty, access) {
            (Type::Array(element, _), Access::Index(_)) => Some(element),
            (_, Access::Field(field)) => self.fields(ty)?.get(*field as usize).map(|(_, ty)| ty),
            _ => None,
        }
    }

    fn fields(&self, ty: &Type) -> Option<&[(String, Type)]> {
        match ty {
            Type::Record(id) => Some(&self.network.records[id.index()].fields),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, add, and, at, edge, eq, int, lt, not, or, read};
    use crate::network::EdgeRef;

    #[test]
    fn processes_and_values_are_named() {
        let mut b = Builder::default();
        let p = b.process("P(1)", &["idle", "safe"]);
        let own = b.local(p, "x", Type::wrapping(0, 9), &[0]);
        let flag = b.variable("flag", Type::Bool, &[0]);
        let written = |expr: &Expr| b.network.written(expr);
        assert_eq!(written(&at(p, 1)), "P(1).safe");
        assert_eq!(written(&not(at(p, 1))), "!P(1).safe");
        assert_eq!(written(&eq(read(flag), int(1))), "flag == true");
        let both = and(or(read(flag), lt(read(own), int(3))), not(lt(read(own), int(1))));
        assert_eq!(written(&both), "(flag || P(1).x < 3) && !(P(1).x < 1)");
    }

    #[test]
    fn an_edge_says_what_it_does_in_its_process() {
        let mut b = Builder::default();
        let p = b.process("P", &["a"]);
        let x = b.local(p, "x", Type::wrapping(0, 9), &[0]);
        b.add(p, edge(0, 0).when(lt(read(x), int(3))).set(x, add(read(x), int(1))));
        b.add(p, edge(0, 0).when(lt(read(x), int(3))));
        let written = |edge: u32| {
            let edge = b.network.edge(EdgeRef { process: p, edge, branch: 0 });
            b.network.edge_written(p, edge)
        };
        assert_eq!((written(0).as_str(), written(1).as_str()), ("x = x + 1", "x < 3"));
    }
}
