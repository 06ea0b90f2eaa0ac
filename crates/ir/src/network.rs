//! Networks of processes: what a front end makes of a model text.
//!
//! The data here covers every language homing is to read; ARCHITECTURE.md has
//! the table that maps each construct of each language onto it. An engine
//! that cannot execute a construct refuses the network with the construct's
//! span ([`Network::features`](crate::wellformed)); nothing is ignored silently.
//!
//! # What a network means
//!
//! A state gives every [`Storage::State`] variable a value, every process a
//! location (or *absent*, for processes not running), every buffered channel a
//! sequence of messages. In a *timed* network, one with clocks, time may pass in
//! a state: all clocks grow alike. It may not where a process is at an urgent or
//! committed location, or where a step on an urgent channel is possible, and not
//! beyond what the invariants of the current locations allow. A step must lead to
//! a state in which they hold. So must the initial state be; one in which they do
//! not has no steps. A step of an interleaved network is one of
//! - an edge without action, or with an action on a buffered channel, taken by
//!   one process;
//! - a rendezvous: a `Send` and a `Receive` on the same channel by two
//!   different processes;
//! - a broadcast: a `Send`, and of every other process that has an enabled
//!   matching `Receive`, exactly one of these;
//! - a vector: of every participant of a [`SyncVector`], one edge with the
//!   label named there.
//!
//! Guards, messages sent, patterns matched and the indices of places received
//! into are evaluated in the source state. Then received values are stored,
//! then effects run one after the other, each seeing the earlier ones, in the
//! order [`Network::effect_order`] says. A step whose guard or effect fails
//! (a bad index, a division by zero, a value out of range) is a run-time error.
//!
//! So is the misuse of a channel, of whoever tries it:
//! - any use of a value that denotes no channel;
//! - a message of another number of parts than the channel's messages have: to send
//!   it where there is room for it, to receive one of which the parts that both have
//!   match. To look at the first parts of a message only is no failure;
//! - to look into a channel that is not buffered, or at a message that stays there.

mod expression;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::expression::{Access, Binary, Expr, ExprKind, Failure, Place, Unary};
use crate::ids::ids;
use crate::relation::Relation;
use crate::source::{Sources, Span};
use crate::temporal::Formula;

ids!(
    /// A [`Variable`] of a network.
    VariableId,
    /// A [`Channel`] of a network.
    ChannelId,
    /// A [`Process`] of a network.
    ProcessId,
    /// A [`Location`] of a process.
    LocationId,
    /// A [`Record`] type of a network.
    RecordId,
    /// An [`Enumeration`] of a network.
    EnumId,
    /// An action label of a network, for [`SyncVector`]s.
    LabelId,
    /// A group of [`Process`]es that are the slots of one startable type.
    TemplateId
);

/// A network of processes.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The model's name.
    pub name: String,
    /// The texts it was made from.
    pub sources: Sources,
    /// Record types.
    pub records: Vec<Record>,
    /// Enumerations.
    pub enumerations: Vec<Enumeration>,
    /// Variables of all scopes.
    pub variables: Vec<Variable>,
    /// Channels.
    pub channels: Vec<Channel>,
    /// Names of action labels.
    pub labels: Vec<String>,
    /// Processes; of a startable type, one for every slot.
    pub processes: Vec<Process>,
    /// Multi-way synchronisations.
    pub vectors: Vec<SyncVector>,
    /// Properties written in the model.
    pub properties: Vec<Property>,
    /// How processes move together.
    pub composition: Composition,
    /// The order of effects in a rendezvous or broadcast.
    pub effect_order: EffectOrder,
    /// Who may move while a process is at a committed location.
    pub commitment: Commitment,
    /// How expressions are evaluated.
    pub arithmetic: Arithmetic,
    /// Whether edges are the statements of a program: then people know them by
    /// their text rather than by the locations around them.
    pub statements: bool,
    /// What users of the language call a violation.
    pub words: Words,
    /// Processes that are declared to be interchangeable. Nothing relies on it.
    pub interchangeable: Vec<Interchangeable>,
    /// A synchronous model, in place of processes and channels.
    pub relation: Option<Arc<Relation>>,
}

/// Processes that differ only in a value of a set whose values are all alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interchangeable {
    /// The name of the set.
    pub set: String,
    /// One process a value.
    pub processes: Vec<ProcessId>,
}

/// What users of a language call what is wrong at the end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Words {
    /// A state without steps in which some process may not rest.
    pub deadlock: &'static str,
    /// An assertion that is false.
    pub assertion: &'static str,
    /// An observer that has come to its end.
    pub observer: &'static str,
    /// Whether conditions may have names in them that stand for several values
    /// (`forall`): then their text does not say which value is meant.
    pub binds: bool,
}

impl Default for Words {
    fn default() -> Words {
        Words {
            deadlock: "deadlock: no process can move",
            assertion: "the assertion is false",
            observer: "the observer has come to its end",
            binds: false,
        }
    }
}

/// How processes move together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Composition {
    /// One step at a time, alone or synchronised.
    #[default]
    Interleaved,
    /// Every process takes one edge in every step, effects in process order.
    Synchronous,
}

/// The order of effects in a rendezvous or broadcast.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EffectOrder {
    /// Receivers in process order, then the sender (DVE).
    #[default]
    ReceiverFirst,
    /// The sender, then receivers in process order (UPPAAL).
    SenderFirst,
}

/// Who may move while a process is at a committed location.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Commitment {
    /// Steps all of whose participants are at committed locations (DVE).
    #[default]
    All,
    /// Steps one of whose participants, at least, is (UPPAAL, TChecker).
    Any,
}

/// How expressions are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arithmetic {
    /// Every result is reduced to 32 bits, two's complement; shift amounts
    /// are taken modulo 32.
    #[default]
    Wrap32,
    /// Every result must fit 64 bits; one that does not is a run-time error.
    Checked64,
}

/// The type of a variable, an array element, a field or part of a message.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// False (0) or true (1).
    Bool,
    /// A bounded integer.
    Int(IntType),
    /// A value of an enumeration, by its number.
    Enum(EnumId),
    /// A record.
    Record(RecordId),
    /// An array; of arrays, for more dimensions.
    Array(Box<Type>, u32),
    /// A channel, as a value: [`ChannelId::value`], and 0 until one is assigned. Any
    /// other number can be held too; it denotes no channel.
    Channel,
    /// A process, as a value: its [`ProcessId`] number, or -1.
    Process,
    /// A clock: a real number that grows with time, all at the same rate, but for
    /// those that stand still ([`Stopwatch`]). It starts at its initial value and is assigned whole numbers that are not
    /// negative, or another clock plus such a number. It is read only in
    /// comparisons of a clock, or of the difference of two clocks, with an
    /// expression without clocks, and in such assignments.
    Clock,
}

/// A bounded integer type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntType {
    /// The least value.
    pub lo: i64,
    /// The greatest value.
    pub hi: i64,
    /// What assigning a value outside does.
    pub overflow: Overflow,
}

/// What assigning a value outside a type's range does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Overflow {
    /// The value is reduced modulo the number of values of the type.
    Wrap,
    /// It is a run-time error.
    Error,
}

/// A record type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Names and types of its fields.
    pub fields: Vec<(String, Type)>,
}

/// An enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumeration {
    /// Its name.
    pub name: String,
    /// The names of its values, in the order of their numbers.
    pub values: Vec<String>,
    /// What becomes of other numbers.
    pub overflow: Overflow,
}

/// A variable, global or of one process.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, as written.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The process it is local to.
    pub owner: Option<ProcessId>,
    /// Its type.
    pub ty: Type,
    /// Initial values of its scalars, flattened in order; missing ones are 0.
    /// Fitted to the type already.
    pub initial: Vec<i64>,
    /// Whether it is part of the state.
    pub storage: Storage,
}

/// Whether a variable is part of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// It is.
    #[default]
    State,
    /// It never changes.
    Constant,
    /// It lives within one move only, and is initialised in every move
    /// (Promela's `hidden`, UPPAAL's `meta` and local variables of functions).
    Scratch,
}

/// A channel.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// How messages pass.
    pub kind: ChannelKind,
    /// The types of a message's parts.
    pub message: Vec<Type>,
    /// Whether time may not pass while a synchronisation on it is enabled.
    pub urgent: bool,
    /// Whose it is: while that process is not running, values that denote the channel
    /// denote none.
    pub owner: Option<ProcessId>,
}

/// How messages pass a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelKind {
    /// Sender and one receiver move together.
    Rendezvous,
    /// The sender moves together with every process that can receive.
    Broadcast,
    /// Messages wait in a queue of at most this many.
    Buffered(u32),
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Where it starts.
    pub initial: LocationId,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// Whether it is there from the start.
    pub lifetime: Lifetime,
    /// Variables that arguments are stored in when it is started.
    pub parameters: Vec<VariableId>,
    /// Whether it is part of the system or watches it.
    pub role: Role,
    /// Steps of processes of higher priority come first.
    pub priority: i32,
    /// The number that the language's own tool calls it by, where it has one.
    pub code: Option<u32>,
}

/// Whether a process is there from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lifetime {
    /// It is.
    #[default]
    Permanent,
    /// It is absent until a [`StatementKind::Start`] of its template takes
    /// this slot; after its end the slot can be taken again.
    Startable(TemplateId),
}

/// Whether a process is part of the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// It is.
    #[default]
    System,
    /// It is a property: an automaton that reads every state of the system
    /// (DVE's property process, Promela's `never`). Not part of the state
    /// space unless that property is checked.
    Observer,
}

/// A location of a process.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Whether the process must leave at once.
    pub urgency: Urgency,
    /// Must hold while the process is here; time stops where it would not.
    pub invariant: Option<Expr>,
    /// The clocks that stand still while the process is here, each where its
    /// condition is zero. A clock runs where nobody stops it.
    pub stopwatches: Vec<Stopwatch>,
    /// Must hold whenever the process is here; a violation where it does not.
    pub assertions: Vec<Expr>,
    /// Whether it is an accepting state of an automaton.
    pub accepting: bool,
    /// Whether the process may rest here for ever without that being a
    /// deadlock. A state without steps is a deadlock unless every process
    /// that is running is at such a location, or none is running.
    pub end: bool,
    /// Whether being here counts as progress.
    pub progress: bool,
    /// The rate of leaving, in stochastic timed models.
    pub rate: Option<Expr>,
    /// What staying costs a unit of time.
    pub cost_rate: Option<Expr>,
}

/// A clock that runs only where a condition holds.
#[derive(Clone, Debug)]
pub struct Stopwatch {
    /// The clock: its indices are numbers.
    pub clock: Place,
    /// Where it is zero, or cannot be evaluated, the clock stands still. It does not
    /// read clocks.
    pub runs: Expr,
}

/// Whether a process must leave a location at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Urgency {
    /// It may stay.
    #[default]
    None,
    /// No time passes while it is here.
    Urgent,
    /// And while any process is in such a location, only steps of processes in
    /// such locations exist: see [`Commitment`].
    Committed,
}

/// An edge of a process.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it is written.
    pub span: Span,
    /// The location it leaves.
    pub from: LocationId,
    /// When it may be taken.
    pub guard: Guard,
    /// How it takes part in communication.
    pub action: Option<Action>,
    /// The rate in a continuous-time Markov model: a quantity, within which
    /// division is exact and fractions may stand. It is not zero in a state in
    /// which the edge can be taken.
    pub rate: Option<Expr>,
    /// What taking it costs.
    pub cost: Option<Expr>,
    /// Whether control stays with the process afterwards.
    pub atomic: Atomic,
    /// Steps by edges of higher priority come first.
    pub priority: i32,
    /// The number that the language's own tool calls it by, where it has one:
    /// its traces consist of such numbers.
    pub code: Option<u32>,
    /// Whether it is only a part of what its text says, a step of a loop: then it
    /// is told in the words of [`Network::edge_written`].
    pub piece: bool,
    /// Where it leads: one branch, or several by weight.
    pub branches: Vec<Branch>,
}

/// When an edge may be taken.
#[derive(Clone, Debug, Default)]
pub enum Guard {
    /// Always.
    #[default]
    Always,
    /// When the expression is not zero.
    When(Expr),
    /// When the expression is not zero and none of the first edges of this
    /// location can be taken by the process alone: its guard holds (`Timeout`
    /// guards do not), and it has no action, or one on a buffered channel with
    /// room or with a message that matches; rendezvous, broadcasts and labels
    /// never count. Promela's `else`, where all edges before it count, and what
    /// a `unless` may interrupt, where its escapes come first.
    Otherwise {
        /// How many of the location's edges count, in the order of
        /// [`Process::edges`]; they come before this one.
        before: u32,
        /// What must hold besides.
        when: Expr,
    },
    /// When no step of the network without such a guard can be taken, and the
    /// expression is not zero.
    Timeout(Expr),
}

/// Whether control stays with a process after an edge. What happens until
/// control is given up is one step: the states in between are not states of
/// the network, no condition is looked at in them, but run-time errors and
/// assertions within effects count. After a rendezvous it is the receiver's
/// edge that says whether the receiver holds control; the sender does not. A
/// process that ends gives control up. The process that holds control moves
/// alone or as the sender of a rendezvous, never by a `timeout`; priorities and
/// commitment do not matter while control is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Atomic {
    /// Any process may move next.
    #[default]
    No,
    /// Only this process may move next, unless it is blocked: then any may.
    Atomic,
    /// Only this process may move next, by the first of its moves; being
    /// blocked is a run-time error.
    Deterministic,
}

/// One outcome of an edge.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Its weight among the branches, a [quantity](Edge::rate); `None` where the
    /// branches are a free choice or there is only one. It is not zero in a state
    /// in which the edge can be taken: what has no chance is no branch.
    pub weight: Option<Expr>,
    /// What changes.
    pub effect: Vec<Statement>,
    /// Where the process goes.
    pub target: Target,
}

/// Where a process goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// To a location.
    Location(LocationId),
    /// Nowhere: it ends, and its slot becomes free.
    End,
}

/// How an edge takes part in communication.
#[derive(Clone, Debug)]
pub enum Action {
    /// Sends a message.
    Send {
        /// The channel, as a value.
        channel: Expr,
        /// The parts of the message.
        message: Vec<Expr>,
        /// Where in a buffer it goes.
        order: SendOrder,
    },
    /// Receives a message.
    Receive {
        /// The channel, as a value.
        channel: Expr,
        /// What each part of the message must match, or where it goes.
        message: Vec<Pattern>,
        /// Which message of a buffer.
        order: ReceiveOrder,
        /// Whether the message stays in the buffer.
        keep: bool,
    },
    /// Takes part in the vectors that name this label.
    Label(LabelId),
}

/// Where in a buffer a message goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SendOrder {
    /// Behind the last.
    #[default]
    Last,
    /// Before the first one that is greater.
    Sorted,
}

/// Which message of a buffer is received.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReceiveOrder {
    /// The first, if it matches.
    #[default]
    First,
    /// The first that matches.
    Any,
}

/// What a part of a received message must match, or where it goes.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Stored here.
    Store(Place),
    /// Must equal this value.
    Match(Expr),
    /// Anything.
    Ignore,
    /// Must not equal this value; besides, what the pattern says.
    Except(Expr, Box<Pattern>),
}

impl Pattern {
    /// Where the part goes, if anywhere.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Pattern::Store(place) => Some(place),
            Pattern::Except(_, besides) => besides.place(),
            Pattern::Match(_) | Pattern::Ignore => None,
        }
    }

    /// What the part is compared with, and how: [`Binary::Eq`] or [`Binary::Ne`].
    pub fn comparisons(&self) -> Vec<(Binary, &Expr)> {
        match self {
            Pattern::Match(value) => vec![(Binary::Eq, value)],
            Pattern::Except(not, rest) => [rest.comparisons(), vec![(Binary::Ne, not)]].concat(),
            Pattern::Store(_) | Pattern::Ignore => Vec::new(),
        }
    }
}

/// A multi-way synchronisation.
#[derive(Clone, Debug)]
pub struct SyncVector {
    /// Where it is written.
    pub span: Span,
    /// Who takes part.
    pub participants: Vec<Participant>,
}

/// A process that takes part in a [`SyncVector`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Participant {
    /// Who.
    pub process: ProcessId,
    /// With which label.
    pub label: LabelId,
    /// Whether the vector can be taken without it where none of its edges with
    /// the label can be taken; where one can, it moves.
    pub optional: bool,
}

/// A statement of an effect.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it is written.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// Assigns a value.
    Assign(Place, Expr),
    /// Runs the first block where the expression is true, else the second.
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// Runs the block as long as the expression is true.
    While(Expr, Vec<Statement>),
    /// A violation where the expression is false.
    Assert(Expr),
    /// Empties a buffer.
    Clear(ChannelId),
    /// Puts a process that has no edges and is always running at a location.
    Put(ProcessId, LocationId),
    /// Changes nothing; shown in traces. The text is a format as C's `printf`
    /// has it.
    Print(String, Vec<Expr>),
    /// Starts a process of the template in its first free slot; no free slot
    /// is a run-time error.
    Start {
        /// The type of process.
        template: TemplateId,
        /// The values of its parameters.
        arguments: Vec<Expr>,
        /// Where the process started is stored, as a value.
        started: Option<Place>,
    },
}

/// A property written in a model.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Where it is written.
    pub span: Span,
    /// What it says.
    pub kind: PropertyKind,
}

/// What a property says.
#[derive(Clone, Debug)]
pub enum PropertyKind {
    /// No reachable state satisfies the expression: reaching one is the
    /// violation. `A[] p` is never not p.
    Never(Expr),
    /// Some reachable state satisfies the expression: reaching one shows that
    /// the property holds (`E<> p`).
    Reachable(Expr),
    /// On some maximal run the expression holds in every state (`E[] p`). Runs
    /// that end in a deadlock, that idle for ever, and those on which time does
    /// not diverge count.
    Persistent(Expr),
    /// Every maximal run reaches a state that satisfies the expression
    /// (`A<> p`), which is that not p is not persistent.
    Inevitable(Expr),
    /// From every reachable state that satisfies the first expression, the
    /// second is inevitable (`p --> q`).
    LeadsTo(Expr, Expr),
    /// The greatest or least value that expressions, or clocks, take in states
    /// that satisfy a condition (`sup`, `inf`). Asks for a value; it is neither
    /// true nor false.
    Extreme {
        /// Whether the greatest is asked for.
        greatest: bool,
        /// In which states; in all where there is none.
        when: Option<Expr>,
        /// Of what.
        of: Vec<Expr>,
    },
    /// Every run satisfies the formula.
    Temporal(Box<Formula<Expr>>),
    /// No run of the system is accepted by this observer: none brings it to
    /// its end ([`Target::End`], or a location marked as an end), none passes
    /// accepting locations for ever. It takes an edge before every step of the
    /// system; a run on which it has none is not accepted. Where the system
    /// has no more steps, the observer goes on alone.
    Observer(ProcessId),
    /// Something is asked that cannot be checked, and why. Whoever checks the model
    /// says so: what is not checked does not hold.
    Unchecked(String),
}

/// An edge of a network, and which of its branches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct EdgeRef {
    /// The process.
    pub process: ProcessId,
    /// The position in [`Process::edges`].
    pub edge: u32,
    /// The position in [`Edge::branches`].
    pub branch: u32,
}

impl Type {
    /// An integer type that wraps.
    pub fn wrapping(lo: i64, hi: i64) -> Type {
        Type::Int(IntType { lo, hi, overflow: Overflow::Wrap })
    }

    /// An integer type that makes leaving its range an error.
    pub fn checked(lo: i64, hi: i64) -> Type {
        Type::Int(IntType { lo, hi, overflow: Overflow::Error })
    }
}

impl ChannelId {
    /// The channel as a value of [`Type::Channel`].
    pub fn value(self) -> i64 {
        i64::from(self.0) + 1
    }

    /// The channel that a value would denote, were there so many.
    pub fn of_value(value: i64) -> Option<ChannelId> {
        u32::try_from(value.checked_sub(1)?).ok().map(ChannelId)
    }
}

impl Network {
    /// The range of the scalar type `ty`: the values it may have, and what an
    /// assignment outside does. `None` for records and arrays.
    pub fn scalar(&self, ty: &Type) -> Option<IntType> {
        let wrap = |hi: i64| IntType { lo: 0, hi, overflow: Overflow::Wrap };
        match ty {
            Type::Bool => Some(wrap(1)),
            Type::Int(int) => Some(*int),
            Type::Enum(id) => {
                let Enumeration { values, overflow, .. } = &self.enumerations[id.index()];
                Some(IntType { lo: 0, hi: values.len() as i64 - 1, overflow: *overflow })
            }
            // At least a byte.
            Type::Channel => {
                Some(wrap((self.channels.len().max(255) + 1).next_power_of_two() as i64 - 1))
            }
            Type::Process => {
                let hi = self.processes.len() as i64 - 1;
                Some(IntType { lo: -1, hi, overflow: Overflow::Error })
            }
            Type::Clock => {
                Some(IntType { lo: 0, hi: i64::from(i32::MAX), overflow: Overflow::Error })
            }
            Type::Record(_) | Type::Array(..) => None,
        }
    }

    /// How many scalars a value of the type `ty` is made of.
    pub fn scalars(&self, ty: &Type) -> usize {
        match ty {
            Type::Array(element, length) => self.scalars(element) * *length as usize,
            Type::Record(id) => {
                self.records[id.index()].fields.iter().map(|(_, field)| self.scalars(field)).sum()
            }
            _ => 1,
        }
    }

    /// The processes that are part of the system.
    pub fn system_processes(&self) -> impl Iterator<Item = (ProcessId, &Process)> {
        let all = self.processes.iter().enumerate();
        all.filter(|(_, p)| p.role == Role::System).map(|(i, p)| (ProcessId(i as u32), p))
    }

    /// Whether there are clocks that stand still at times.
    pub fn has_stopwatches(&self) -> bool {
        let mut locations = self.system_processes().flat_map(|(_, process)| &process.locations);
        locations.any(|location| !location.stopwatches.is_empty())
    }

    /// Whether time passes in it.
    pub fn is_timed(&self) -> bool {
        fn holds_clocks(network: &Network, ty: &Type) -> bool {
            match ty {
                Type::Clock => true,
                Type::Array(element, _) => holds_clocks(network, element),
                Type::Record(id) => {
                    let fields = &network.records[id.index()].fields;
                    fields.iter().any(|(_, field)| holds_clocks(network, field))
                }
                _ => false,
            }
        }
        self.variables.iter().any(|variable| holds_clocks(self, &variable.ty))
    }

    /// The edge that `edge` names.
    pub fn edge(&self, edge: EdgeRef) -> &Edge {
        &self.processes[edge.process.index()].edges[edge.edge as usize]
    }
}
