//! One model for the tests of many crates: a process that counts.

use crate::network::{
    Action, Arithmetic, Atomic, Binary, Branch, Composition, Edge, EdgeRef, EffectOrder, Expr,
    ExprKind, Guard, Lifetime, Location, LocationId, Network, Place, Process, ProcessId, Role,
    Statement, StatementKind, Storage, Target, Type, Variable, VariableId,
};
use crate::{Sources, Span, Step, Trace};

const TEXT: &str = "\
byte x;
process Counter {
  state count;
  count -> count { guard x < most; effect x = x + 1; }
}
";

/// One process that counts `x` up to `most`; with `most` at 255 or above it
/// wraps and runs for ever.
pub fn counter(most: i64) -> Network {
    let mut sources = Sources::default();
    let source = sources.add("counter.dve", TEXT);
    let at = TEXT.find("count ->").unwrap_or(0) as u32;
    let span = Span { source, start: at, end: at + 52 };
    let x = || Place { variable: VariableId(0), path: vec![], span };
    let read = || Box::new(Expr::new(ExprKind::Read(x()), span));
    let binary = |operator, right| {
        Expr::new(ExprKind::Binary(operator, read(), Box::new(Expr::int(right, span))), span)
    };
    let effect = StatementKind::Assign(x(), binary(Binary::Add, 1));
    let branch = Branch {
        weight: None,
        effect: vec![Statement { kind: effect, span }],
        target: Target::Location(LocationId(0)),
    };
    let edge = Edge {
        span,
        from: LocationId(0),
        guard: Guard::When(binary(Binary::Lt, most)),
        action: None::<Action>,
        rate: None,
        cost: None,
        atomic: Atomic::No,
        priority: 0,
        code: None,
        piece: false,
        branches: vec![branch],
    };
    let location = Location { name: "count".into(), span, ..Location::default() };
    let process = Process {
        name: "Counter".into(),
        span,
        locations: vec![location],
        initial: LocationId(0),
        edges: vec![edge],
        lifetime: Lifetime::Permanent,
        parameters: vec![],
        role: Role::System,
        priority: 0,
        code: None,
    };
    let variable = Variable {
        name: "x".into(),
        span,
        owner: None,
        ty: Type::wrapping(0, 255),
        initial: vec![0],
        storage: Storage::State,
    };
    Network {
        name: "counter".into(),
        sources,
        variables: vec![variable],
        processes: vec![process],
        composition: Composition::Interleaved,
        effect_order: EffectOrder::ReceiverFirst,
        arithmetic: Arithmetic::Wrap32,
        ..Network::default()
    }
}

/// The goal `x > value` of [`counter`].
pub fn goal_above(value: i64) -> Expr {
    let span = Span::default();
    let x = Place { variable: VariableId(0), path: vec![], span };
    let read = Box::new(Expr::new(ExprKind::Read(x), span));
    Expr::new(ExprKind::Binary(Binary::Gt, read, Box::new(Expr::int(value, span))), span)
}

/// A run that takes the first edge of the first process `steps` times.
pub fn first_edges(steps: usize) -> Trace {
    let edge = EdgeRef { process: ProcessId(0), edge: 0, branch: 0 };
    Trace::new(vec![Step::new(vec![edge]); steps])
}
