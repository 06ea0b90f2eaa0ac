//! Sketches of edges and statements, read as what a process does.

use super::expressions::{Scope, pick};
use super::sketch::{
    ActionSketch, BranchSketch, EdgeSketch, ExprSketch, GuardSketch, PatternSketch, PlaceSketch,
    StatementSketch,
};
use crate::builder::{assign, binary, channel, edge, ending, expr, int, place, read, statement};
use crate::network::{
    Action, Atomic, Binary, Branch, Channel, ChannelId, ChannelKind, Composition, Edge, Expr,
    ExprKind, Guard, IntType, LabelId, Lifetime, LocationId, Overflow, Pattern, Place,
    ReceiveOrder, SendOrder, Statement, StatementKind, Storage, Target, TemplateId, Type,
    VariableId,
};
use crate::wellformed::Feature;

impl Scope<'_> {
    /// The `number`-th edge of the process.
    pub fn edge(&self, number: usize, sketch: &EdgeSketch) -> Edge {
        let locations =
            self.process.map_or(1, |id| self.network.processes[id.index()].locations.len());
        let from = (number + usize::from(sketch.from)) % locations;
        let besides = |when: Option<&ExprSketch>| when.map_or(int(1), |when| self.expression(when));
        let guard = match &sketch.guard {
            GuardSketch::When(condition) => Guard::When(self.expression(condition)),
            // How many edges count is known when all are there.
            GuardSketch::Otherwise(less, when) if self.knobs.has(Feature::Else) => {
                Guard::Otherwise { before: u32::from(*less), when: besides(when.as_ref()) }
            }
            GuardSketch::Timeout(when) if self.knobs.has(Feature::Timeout) => {
                Guard::Timeout(besides(when.as_ref()))
            }
            GuardSketch::Always | GuardSketch::Otherwise(..) | GuardSketch::Timeout(_) => {
                Guard::Always
            }
        };
        let prioritised = self.knobs.has(Feature::Priorities) && sketch.priority == 7;
        let mut built = edge(from as u32, 0).into_edge();
        built.guard = guard;
        built.action = self.action(&sketch.action);
        built.priority = i32::from(prioritised);
        let most = if self.knobs.has(Feature::Choices) { sketch.branches.len() } else { 1 };
        let branches = sketch.branches.iter().take(most);
        built.branches = branches.map(|branch| self.branch(branch, from + 1, locations)).collect();
        built.atomic = self.control(sketch.atomic, &built);
        built
    }

    /// Whether control stays with the process after an edge. Without faults,
    /// only where it can neither go round for ever nor have to go on.
    fn control(&self, sketch: u8, edge: &Edge) -> Atomic {
        let broadcast = |channel: &Expr| match channel.kind {
            ExprKind::Channel(id) => {
                self.network.channels[id.index()].kind == ChannelKind::Broadcast
            }
            _ => false,
        };
        let (allowed, receives) = match &edge.action {
            None => (true, false),
            Some(Action::Label(_)) => (false, false),
            Some(Action::Send { channel, .. }) => (!broadcast(channel), false),
            Some(Action::Receive { channel, .. }) => (!broadcast(channel), true),
        };
        let onwards = edge.branches.iter().all(|branch| match branch.target {
            Target::Location(to) => to > edge.from,
            Target::End => true,
        });
        let harmless = self.knobs.faults || (onwards && !receives);
        let interleaved = self.network.composition == Composition::Interleaved;
        if !(allowed && harmless && interleaved && self.knobs.has(Feature::Atomic)) {
            return Atomic::No;
        }
        match sketch {
            0..=4 => Atomic::No,
            7 if self.knobs.faults => Atomic::Deterministic,
            _ => Atomic::Atomic,
        }
    }

    fn branch(&self, sketch: &BranchSketch, next: usize, locations: usize) -> Branch {
        let to = (next + usize::from(sketch.to)) % locations;
        let startable = self
            .process
            .is_some_and(|id| self.network.processes[id.index()].lifetime != Lifetime::Permanent);
        let target = match sketch.ends && startable {
            true => Target::End,
            false => Target::Location(LocationId(to as u32)),
        };
        let mut branch = ending(0).into_edge().branches.remove(0);
        branch.target = target;
        branch.effect = self.block(&sketch.effect);
        branch
    }

    fn action(&self, sketch: &ActionSketch) -> Option<Action> {
        if self.network.composition == Composition::Synchronous {
            return None;
        }
        match sketch {
            ActionSketch::None => None,
            ActionSketch::Send { channel, parts, sorted, dynamic } => {
                let (channel, types) = self.channel(*channel, *dynamic)?;
                let parts = parts.iter().zip(&types);
                let fitted = parts.filter_map(|(part, ty)| {
                    Some(self.value(part, self.network.scalar(ty)?, true))
                });
                let sorted = *sorted && self.knobs.has(Feature::SortedSends);
                let order = if sorted { SendOrder::Sorted } else { SendOrder::Last };
                Some(Action::Send { channel, message: fitted.collect(), order })
            }
            ActionSketch::Receive { channel: number, parts, any, keep, dynamic } => {
                let keep = *keep && self.knobs.has(Feature::Peeks) && self.may_look(*number);
                let dynamic = *dynamic && (!keep || self.fails(*number));
                let (channel, types) = self.channel(*number, dynamic)?;
                let message =
                    parts.iter().zip(&types).map(|(part, _)| self.pattern(part)).collect();
                let any = *any && self.knobs.has(Feature::SelectiveReceives);
                let order = if any { ReceiveOrder::Any } else { ReceiveOrder::First };
                Some(Action::Receive { channel, message, order, keep })
            }
            ActionSketch::Label(label) => {
                let labels: Vec<u32> = (0..self.network.labels.len() as u32).collect();
                pick(&labels, *label).map(|label| Action::Label(LabelId(label)))
            }
        }
    }

    /// A channel, or the variable that holds one; with the types of messages.
    pub fn channel(&self, number: u8, dynamic: bool) -> Option<(Expr, Vec<Type>)> {
        let channels: Vec<u32> = (0..self.network.channels.len() as u32).collect();
        let id = ChannelId(pick(&channels, number)?);
        let types = self.network.channels[id.index()].message.clone();
        let dynamic = dynamic && (self.fails(number) || self.is_alike(id));
        let value = self.variable_of(&Type::Channel).filter(|_| dynamic);
        Some((value.map_or(channel(id), read), types))
    }

    /// Whether the use of a channel may be a failure: more of them would leave little
    /// else to happen.
    pub fn fails(&self, number: u8) -> bool {
        self.knobs.misuse && number >= 2
    }

    /// Whether messages of a channel have as many parts as those of the first. Where
    /// nothing shall fail, values are such channels only.
    fn is_alike(&self, id: ChannelId) -> bool {
        let parts = |at: usize| self.network.channels[at].message.len();
        parts(id.index()) == parts(0)
    }

    /// Whether to look into a channel is no failure, or failures are wanted.
    pub fn may_look(&self, number: u8) -> bool {
        let channels: Vec<&Channel> = self.network.channels.iter().collect();
        let buffered = |one: &Channel| matches!(one.kind, ChannelKind::Buffered(_));
        self.fails(number) || pick(&channels, number).is_some_and(buffered)
    }

    fn variable_of(&self, ty: &Type) -> Option<VariableId> {
        let found = self.network.variables.iter().position(|variable| variable.ty == *ty);
        found.map(|i| VariableId(i as u32))
    }

    fn pattern(&self, sketch: &PatternSketch) -> Pattern {
        match sketch {
            PatternSketch::Match(value) => Pattern::Match(self.expression(value)),
            PatternSketch::Ignore => Pattern::Ignore,
            PatternSketch::Except(value, besides) => {
                Pattern::Except(self.expression(value), Box::new(self.pattern(besides)))
            }
            PatternSketch::Store(sketch) => match self.place(sketch, true) {
                // A received value may not fit, which is a fault.
                Some((_, ty)) if ty.overflow == Overflow::Error && !self.knobs.faults => {
                    Pattern::Ignore
                }
                Some((place, _)) => Pattern::Store(place),
                None => Pattern::Ignore,
            },
        }
    }

    fn block(&self, block: &[StatementSketch]) -> Vec<Statement> {
        block.iter().flat_map(|sketch| self.statement(sketch)).collect()
    }

    fn statement(&self, sketch: &StatementSketch) -> Vec<Statement> {
        match sketch {
            StatementSketch::Assign(target, value) => self.assignment(target, value, false),
            StatementSketch::AssignWithin(target, value) => self.assignment(target, value, true),
            StatementSketch::Advance(target, delta, careful) => {
                let target = self.place(target, true).into_iter();
                let advance = |(place, ty): (Place, IntType)| {
                    let old = expr(ExprKind::Read(place.clone()));
                    assign(place, self.fitted(binary(Binary::Add, old, int(*delta)), ty, *careful))
                };
                target.map(advance).collect()
            }
            StatementSketch::If(condition, yes, no) => {
                let condition = self.expression(condition);
                vec![statement(StatementKind::If(condition, self.block(yes), self.block(no)))]
            }
            StatementSketch::Count(counter, other, value) => self.count(*counter, *other, value),
            StatementSketch::Assert(condition) if self.knobs.faults => {
                vec![statement(StatementKind::Assert(self.expression(condition)))]
            }
            StatementSketch::Assert(_) => Vec::new(),
            StatementSketch::Start(argument, keep) => self.start(argument, *keep),
            StatementSketch::Clear(number) => {
                let channels: Vec<u32> = (0..self.network.channels.len() as u32).collect();
                let cleared = pick(&channels, *number).filter(|_| self.knobs.polls).into_iter();
                cleared.map(|id| statement(StatementKind::Clear(ChannelId(id)))).collect()
            }
            StatementSketch::SetChannel(number) => {
                let target = self.variable_of(&Type::Channel);
                let value = match self.channel(*number, false).map(|(value, _)| value) {
                    // No channel at all.
                    Some(_) if self.fails(*number) && *number == 3 => Some(int(0)),
                    Some(Expr { kind: ExprKind::Channel(id), .. })
                        if !self.fails(*number) && !self.is_alike(id) =>
                    {
                        None
                    }
                    value => value,
                };
                let pair = target.zip(value).into_iter();
                pair.map(|(target, value)| assign(place(target, &[]), value)).collect()
            }
        }
    }

    fn assignment(
        &self,
        target: &PlaceSketch,
        value: &ExprSketch,
        careful: bool,
    ) -> Vec<Statement> {
        let target = self.place(target, true).into_iter();
        target.map(|(place, ty)| assign(place, self.value(value, ty, careful))).collect()
    }

    /// `i = least; while i < greatest { i = i + 1; x = value }`, which ends
    /// because nothing else changes `i`.
    fn count(&self, counter: u8, other: u8, value: &ExprSketch) -> Vec<Statement> {
        let scalars: Vec<(VariableId, IntType)> = self.counters();
        let Some((i, range)) = pick(&scalars, counter).filter(|_| self.knobs.has(Feature::Loops))
        else {
            return Vec::new();
        };
        let mut body = vec![assign(place(i, &[]), binary(Binary::Add, read(i), int(1)))];
        if let Some((x, ty)) = pick(&scalars, other).filter(|(x, _)| *x != i) {
            body.push(assign(place(x, &[]), self.value(value, ty, true)));
        }
        let start = assign(place(i, &[]), int(range.lo));
        let below = binary(Binary::Lt, read(i), int(range.hi));
        vec![start, statement(StatementKind::While(below, body))]
    }

    fn counters(&self) -> Vec<(VariableId, IntType)> {
        let all = self.network.variables.iter().enumerate();
        let fits = all.filter_map(|(id, variable)| {
            let own = variable.owner.is_none() || variable.owner == self.process;
            match variable.ty {
                Type::Int(range) if own && variable.storage == Storage::State => {
                    Some((VariableId(id as u32), range))
                }
                _ => None,
            }
        });
        fits.collect()
    }

    fn start(&self, argument: &ExprSketch, keep: bool) -> Vec<Statement> {
        let template = TemplateId(0);
        let slots = self.network.processes.iter();
        let startable = slots.filter(|slot| slot.lifetime == Lifetime::Startable(template));
        // A start without a free slot is a fault.
        if startable.count() == 0 || !self.knobs.faults {
            return Vec::new();
        }
        let started =
            self.variable_of(&Type::Process).filter(|_| keep).map(|last| place(last, &[]));
        let arguments = vec![self.expression(argument)];
        vec![statement(StatementKind::Start { template, arguments, started })]
    }
}
