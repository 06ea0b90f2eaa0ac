//! States of a network, and what can go wrong on the way between them.

use crate::network::{ChannelId, Failure, LocationId, ProcessId, Storage};
use crate::source::Span;

/// The parts of a message, in order.
pub type Message = Vec<i64>;

/// A state of a network. Clocks hold fractions; so that all values are whole
/// numbers, they are written in parts of a unit of time: a clock of value `v` shows
/// `v / unit`. Two states are compared in the same unit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// The scalars of all variables of the state, in the order of their
    /// declaration, each variable flattened.
    pub values: Vec<i64>,
    /// Where each process is; `None` for processes that are not running, and
    /// for observers.
    pub locations: Vec<Option<LocationId>>,
    /// The messages waiting in each channel, the one to be received next
    /// first; always none in channels that are not buffered.
    pub buffers: Vec<Vec<Message>>,
    /// How many parts a unit of time has, for clocks: at least 1.
    pub unit: i64,
}

impl State {
    /// Where a process is, if it is running.
    pub fn location(&self, process: ProcessId) -> Option<LocationId> {
        self.locations[process.index()]
    }

    /// The messages waiting in a channel.
    pub fn buffer(&self, channel: ChannelId) -> &[Message] {
        &self.buffers[channel.index()]
    }
}

/// A run-time error of the model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, thiserror::Error)]
#[error("{kind}")]
pub struct RuntimeError {
    /// What went wrong.
    pub kind: RuntimeErrorKind,
    /// Where in the model.
    pub span: Span,
}

/// What can go wrong in a step of a model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, thiserror::Error)]
pub enum RuntimeErrorKind {
    /// A division by zero, or the remainder of one.
    #[error("division by zero")]
    DivisionByZero,
    /// An index that its array does not have.
    #[error("index {index} is out of bounds for an array of length {length}")]
    IndexOutOfBounds {
        /// The index.
        index: i64,
        /// The length of the array.
        length: u32,
    },
    /// A value that its type does not have.
    #[error("the value {value} is outside {lo}..{hi}")]
    OutOfRange {
        /// The value.
        value: i64,
        /// The least value of the type.
        lo: i64,
        /// The greatest value of the type.
        hi: i64,
    },
    /// No free slot for a process to start in.
    #[error("there is no free slot for another process")]
    NoFreeSlot,
    /// An assertion in an effect that does not hold.
    #[error("assertion failed")]
    AssertionFailed,
    /// A result that does not fit 64 bits, under
    /// [`Arithmetic::Checked64`](crate::network::Arithmetic::Checked64).
    #[error("arithmetic overflow")]
    Overflow,
    /// A loop that did not end within [`LOOP_ROUNDS`](super::LOOP_ROUNDS), or
    /// a process that never gives up control.
    #[error("the loop does not end")]
    EndlessLoop,
    /// A process that must go on, [`Atomic::Deterministic`], and cannot.
    ///
    /// [`Atomic::Deterministic`]: crate::network::Atomic::Deterministic
    #[error("blocked inside an indivisible sequence")]
    Blocked,
    /// A value that is used as a channel and denotes none.
    #[error("{value} is not the number of a channel")]
    NoChannel {
        /// The value.
        value: i64,
    },
    /// A message of another number of parts than those of its channel.
    #[error("a message of {given} parts, where those of the channel have {wanted}")]
    MessageLength {
        /// The parts sent or received.
        given: u32,
        /// The parts of the channel's messages.
        wanted: u32,
    },
    /// A look into a channel in which no messages wait.
    #[error("a look into a channel without a buffer")]
    NoBuffer,
    /// A fraction where a whole number is needed.
    #[error("a fraction where a whole number is needed")]
    Fraction,
    /// An expression that has no value in any state.
    #[error("{0}")]
    NoValue(Failure),
}

impl RuntimeErrorKind {
    pub(super) fn at(self, span: Span) -> RuntimeError {
        RuntimeError { kind: self, span }
    }
}

/// An assertion of a location that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The process that is there.
    pub process: ProcessId,
    /// The location.
    pub location: LocationId,
    /// The assertion.
    pub span: Span,
    /// Why it could not be evaluated; `None` where it is false.
    pub error: Option<RuntimeError>,
}

/// Why a trace cannot be executed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("step {} {problem}", step + 1)]
pub struct ReplayError {
    /// The position of the step in the trace.
    pub step: usize,
    /// What is wrong with it.
    pub problem: ReplayProblem,
}

/// Why a step cannot be executed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayProblem {
    /// The state has no such step.
    #[error("is not enabled")]
    NotEnabled,
    /// The step is a run-time error.
    #[error("is a run-time error: {0}")]
    Fault(RuntimeError),
    /// Time cannot pass as it says.
    #[error("waits, but {0}")]
    Time(Stop),
}

/// Why time cannot pass, or not so long.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    /// The network has no clocks.
    #[error("the model has no clocks")]
    Untimed,
    /// Time does not run backwards.
    #[error("the delay is negative")]
    Negative,
    /// Delays are multiples of no part of a unit.
    #[error("its unit of time is not positive")]
    Unit,
    /// More time than can be counted.
    #[error("the delay is too long")]
    TooLong,
    /// A process is at an urgent or committed location.
    #[error("`{process}` has to leave `{location}` at once")]
    Urgent {
        /// The process.
        process: String,
        /// The location.
        location: String,
    },
    /// A step on an urgent channel is possible.
    #[error("a step on the urgent channel `{0}` is possible")]
    Channel(String),
    /// An invariant does not hold, or not so long.
    #[error("the invariant of `{process}` at `{location}` does not hold so long")]
    Invariant {
        /// The process.
        process: String,
        /// The location.
        location: String,
    },
    /// The evaluation of an invariant fails.
    #[error("an invariant cannot be evaluated: {0}")]
    Fault(RuntimeError),
}

/// Where a variable's scalars are: in the memory for its storage, from
/// `start` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub storage: Storage,
    pub start: usize,
    pub scalars: usize,
}
