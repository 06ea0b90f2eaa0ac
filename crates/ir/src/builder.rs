//! Networks written by hand, for tests.
//!
//! ```text
//! let mut b = Builder::default();
//! let x = b.variable("x", Type::wrapping(0, 3), &[0]);
//! let p = b.process("P", &["idle", "busy"]);
//! b.add(p, edge(0, 1).when(lt(read(x), int(3))).set(x, add(read(x), int(1))));
//! ```

use crate::network::{
    Access, Action, Atomic, Binary, Branch, Channel, ChannelId, ChannelKind, Edge, Expr, ExprKind,
    Guard, LabelId, Lifetime, Location, LocationId, Network, Participant, Pattern, Place, Process,
    ProcessId, ReceiveOrder, Role, SendOrder, Statement, StatementKind, Storage, SyncVector,
    Target, TemplateId, Type, Unary, Urgency, Variable, VariableId,
};
use crate::source::Span;

const SPAN: Span = Span { source: crate::source::SourceId(0), start: 0, end: 0 };

/// A network under construction.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    /// What there is so far.
    pub network: Network,
}

impl Builder {
    /// Adds a global variable of the state.
    pub fn variable(&mut self, name: &str, ty: Type, initial: &[i64]) -> VariableId {
        self.declare(name, ty, initial, None, Storage::State)
    }

    /// Adds a variable of the state that belongs to a process.
    pub fn local(&mut self, owner: ProcessId, name: &str, ty: Type, initial: &[i64]) -> VariableId {
        self.declare(name, ty, initial, Some(owner), Storage::State)
    }

    /// Adds a variable.
    pub fn declare(
        &mut self,
        name: &str,
        ty: Type,
        initial: &[i64],
        owner: Option<ProcessId>,
        storage: Storage,
    ) -> VariableId {
        let initial = initial.to_vec();
        self.network.variables.push(Variable {
            name: name.into(),
            span: SPAN,
            owner,
            ty,
            initial,
            storage,
        });
        VariableId(self.network.variables.len() as u32 - 1)
    }

    /// Adds a clock that starts at zero.
    pub fn clock(&mut self, name: &str) -> VariableId {
        self.variable(name, Type::Clock, &[])
    }

    /// Adds a channel.
    pub fn channel(&mut self, name: &str, kind: ChannelKind, message: &[Type]) -> ChannelId {
        let message = message.to_vec();
        self.network.channels.push(Channel {
            name: name.into(),
            span: SPAN,
            kind,
            message,
            urgent: false,
            owner: None,
        });
        ChannelId(self.network.channels.len() as u32 - 1)
    }

    /// Adds a process with these locations, which starts at the first.
    pub fn process(&mut self, name: &str, locations: &[&str]) -> ProcessId {
        let location = |name: &&str| Location { name: (*name).into(), ..Location::default() };
        self.network.processes.push(Process {
            name: name.into(),
            span: SPAN,
            locations: locations.iter().map(location).collect(),
            initial: LocationId(0),
            edges: Vec::new(),
            lifetime: Lifetime::Permanent,
            parameters: Vec::new(),
            role: Role::System,
            priority: 0,
            code: None,
        });
        ProcessId(self.network.processes.len() as u32 - 1)
    }

    /// Adds a slot of a startable type of process.
    pub fn slot(&mut self, name: &str, locations: &[&str], template: u32) -> ProcessId {
        let id = self.process(name, locations);
        self.network.processes[id.index()].lifetime = Lifetime::Startable(TemplateId(template));
        id
    }

    /// Adds an edge to a process.
    pub fn add(&mut self, process: ProcessId, edge: EdgeBuilder) {
        self.network.processes[process.index()].edges.push(edge.edge);
    }

    /// Adds an action label.
    pub fn label(&mut self, name: &str) -> LabelId {
        self.network.labels.push(name.into());
        LabelId(self.network.labels.len() as u32 - 1)
    }

    /// Adds a multi-way synchronisation that all of these take part in.
    pub fn vector(&mut self, participants: &[(ProcessId, LabelId)]) {
        let all = participants.iter();
        let all = all.map(|&(process, label)| Participant { process, label, optional: false });
        self.network.vectors.push(SyncVector { span: SPAN, participants: all.collect() });
    }

    /// Adds a multi-way synchronisation of these, the last ones of whom take part
    /// where they can.
    pub fn vector_with(
        &mut self,
        participants: &[(ProcessId, LabelId)],
        optional: &[(ProcessId, LabelId)],
    ) {
        self.vector(&[participants, optional].concat());
        if let Some(vector) = self.network.vectors.last_mut() {
            for participant in vector.participants.iter_mut().skip(participants.len()) {
                participant.optional = true;
            }
        }
    }

    /// Gives a location an invariant.
    pub fn invariant(&mut self, process: ProcessId, location: u32, condition: Expr) {
        self.location(process, location).invariant = Some(condition);
    }

    /// Makes a location urgent.
    pub fn urgent(&mut self, process: ProcessId, location: u32) {
        self.location(process, location).urgency = Urgency::Urgent;
    }

    /// A location, to be changed.
    pub fn location(&mut self, process: ProcessId, location: u32) -> &mut Location {
        &mut self.network.processes[process.index()].locations[location as usize]
    }

    /// Makes locations of a process end locations.
    pub fn end(&mut self, process: ProcessId, locations: &[u32]) {
        for location in locations {
            self.location(process, *location).end = true;
        }
    }

    /// Makes a location committed.
    pub fn commit(&mut self, process: ProcessId, location: u32) {
        self.location(process, location).urgency = Urgency::Committed;
    }
}

/// An edge under construction.
#[derive(Clone, Debug)]
pub struct EdgeBuilder {
    edge: Edge,
}

/// An edge from a location to another.
pub fn edge(from: u32, to: u32) -> EdgeBuilder {
    outcome(from, Target::Location(LocationId(to)))
}

/// An edge on which the process ends.
pub fn ending(from: u32) -> EdgeBuilder {
    outcome(from, Target::End)
}

fn outcome(from: u32, target: Target) -> EdgeBuilder {
    let edge = Edge {
        span: SPAN,
        from: LocationId(from),
        guard: Guard::Always,
        action: None,
        rate: None,
        cost: None,
        atomic: Atomic::No,
        priority: 0,
        code: None,
        piece: false,
        branches: vec![Branch { weight: None, effect: Vec::new(), target }],
    };
    EdgeBuilder { edge }
}

impl EdgeBuilder {
    /// The edge.
    pub fn into_edge(self) -> Edge {
        self.edge
    }

    /// Gives it a condition.
    pub fn when(self, condition: Expr) -> EdgeBuilder {
        self.guard(Guard::When(condition))
    }

    /// Gives it a guard of any kind.
    pub fn guard(mut self, guard: Guard) -> EdgeBuilder {
        self.edge.guard = guard;
        self
    }

    /// Lets it be taken where the condition holds and none of the first
    /// `before` edges of its location can be.
    pub fn otherwise(self, before: u32, when: Expr) -> EdgeBuilder {
        self.guard(Guard::Otherwise { before, when })
    }

    /// Lets it be taken where the condition holds and nothing else can happen.
    pub fn timeout(self, when: Expr) -> EdgeBuilder {
        self.guard(Guard::Timeout(when))
    }

    /// Says whether control stays with the process.
    pub fn holding(mut self, atomic: Atomic) -> EdgeBuilder {
        self.edge.atomic = atomic;
        self
    }

    /// Gives it a priority.
    pub fn priority(mut self, priority: i32) -> EdgeBuilder {
        self.edge.priority = priority;
        self
    }

    /// Gives it an action of any kind.
    pub fn action(mut self, action: Action) -> EdgeBuilder {
        self.edge.action = Some(action);
        self
    }

    /// Lets it send.
    pub fn send(self, channel: Expr, message: &[Expr]) -> EdgeBuilder {
        self.action(Action::Send { channel, message: message.to_vec(), order: SendOrder::Last })
    }

    /// Lets it send to a sorted buffer.
    pub fn send_sorted(self, channel: Expr, message: &[Expr]) -> EdgeBuilder {
        self.action(Action::Send { channel, message: message.to_vec(), order: SendOrder::Sorted })
    }

    /// Lets it receive.
    pub fn receive(self, channel: Expr, message: &[Pattern]) -> EdgeBuilder {
        self.receive_as(channel, message, ReceiveOrder::First, false)
    }

    /// Lets it receive from a buffer in some way.
    pub fn receive_as(
        self,
        channel: Expr,
        message: &[Pattern],
        order: ReceiveOrder,
        keep: bool,
    ) -> EdgeBuilder {
        self.action(Action::Receive { channel, message: message.to_vec(), order, keep })
    }

    /// Lets it take part in vectors.
    pub fn label(self, label: LabelId) -> EdgeBuilder {
        self.action(Action::Label(label))
    }

    /// Adds an assignment to the effect of the last branch.
    pub fn set(self, variable: VariableId, value: Expr) -> EdgeBuilder {
        self.run(assign(place(variable, &[]), value))
    }

    /// Adds a statement to the effect of the last branch.
    pub fn run(mut self, statement: Statement) -> EdgeBuilder {
        if let Some(branch) = self.edge.branches.last_mut() {
            branch.effect.push(statement);
        }
        self
    }

    /// Adds another branch.
    pub fn or(mut self, to: u32) -> EdgeBuilder {
        let target = Target::Location(LocationId(to));
        self.edge.branches.push(Branch { weight: None, effect: Vec::new(), target });
        self
    }
}

/// A statement.
pub fn statement(kind: StatementKind) -> Statement {
    Statement { kind, span: SPAN }
}

/// An assignment.
pub fn assign(place: Place, value: Expr) -> Statement {
    statement(StatementKind::Assign(place, value))
}

/// The place of a variable, or of an element.
pub fn place(variable: VariableId, indices: &[Expr]) -> Place {
    let path = indices.iter().cloned().map(Access::Index).collect();
    Place { variable, path, span: SPAN }
}

/// An expression of some kind.
pub fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, SPAN)
}

/// A number.
pub fn int(value: i64) -> Expr {
    expr(ExprKind::Int(value))
}

/// The value of a variable.
pub fn read(variable: VariableId) -> Expr {
    expr(ExprKind::Read(place(variable, &[])))
}

/// The value of an element.
pub fn element(variable: VariableId, indices: &[Expr]) -> Expr {
    expr(ExprKind::Read(place(variable, indices)))
}

/// A channel.
pub fn channel(id: ChannelId) -> Expr {
    expr(ExprKind::Channel(id))
}

/// The messages waiting in a channel.
pub fn length(of: ChannelId) -> Expr {
    expr(ExprKind::Length(Box::new(channel(of))))
}

/// Whether a message with these values waits in a channel.
pub fn poll(of: Expr, message: &[Option<Expr>], order: ReceiveOrder) -> Expr {
    expr(ExprKind::Poll { channel: Box::new(of), message: message.to_vec(), order })
}

/// Whether a process is at a location.
pub fn at(process: ProcessId, location: u32) -> Expr {
    expr(ExprKind::At(process, LocationId(location)))
}

/// An operator applied to one operand.
pub fn unary(op: Unary, operand: Expr) -> Expr {
    expr(ExprKind::Unary(op, Box::new(operand)))
}

/// An operator applied to two operands.
pub fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

/// `left + right`.
pub fn add(left: Expr, right: Expr) -> Expr {
    binary(Binary::Add, left, right)
}

/// `left / right`.
pub fn div(left: Expr, right: Expr) -> Expr {
    binary(Binary::Div, left, right)
}

/// `left == right`.
pub fn eq(left: Expr, right: Expr) -> Expr {
    binary(Binary::Eq, left, right)
}

/// `left < right`.
pub fn lt(left: Expr, right: Expr) -> Expr {
    binary(Binary::Lt, left, right)
}

/// `left - right`.
pub fn sub(left: Expr, right: Expr) -> Expr {
    binary(Binary::Sub, left, right)
}

/// `left <= right`.
pub fn le(left: Expr, right: Expr) -> Expr {
    binary(Binary::Le, left, right)
}

/// `left >= right`.
pub fn ge(left: Expr, right: Expr) -> Expr {
    binary(Binary::Ge, left, right)
}

/// `left > right`.
pub fn gt(left: Expr, right: Expr) -> Expr {
    binary(Binary::Gt, left, right)
}

/// `left && right`.
pub fn and(left: Expr, right: Expr) -> Expr {
    binary(Binary::And, left, right)
}

/// `left || right`.
pub fn or(left: Expr, right: Expr) -> Expr {
    binary(Binary::Or, left, right)
}

/// `!operand`.
pub fn not(operand: Expr) -> Expr {
    unary(Unary::Not, operand)
}

/// Stores a part of a message in a variable.
pub fn store(variable: VariableId) -> Pattern {
    Pattern::Store(place(variable, &[]))
}

/// Requires a part of a message to have a value.
pub fn matching(value: Expr) -> Pattern {
    Pattern::Match(value)
}
