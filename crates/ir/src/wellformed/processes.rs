//! Processes: locations, edges, actions and effects.

use std::collections::BTreeMap;

use super::clocks::{Shape, is_clock, mentions_clock};
use super::{Checker, MAX_DEPTH, Reader};
use crate::network::{
    Access, Action, Atomic, Branch, ChannelKind, Composition, Edge, Expr, ExprKind, Guard,
    Lifetime, Location, LocationId, Pattern, Place, Process, ProcessId, Role, Statement,
    StatementKind, Stopwatch, Storage, Target, TemplateId, Type, Urgency,
};
use crate::source::Span;

impl Checker<'_> {
    pub(super) fn processes(&mut self) {
        for (i, process) in self.network.processes.iter().enumerate() {
            let id = ProcessId(i as u32);
            let reader = match process.role {
                Role::System => Reader::System,
                Role::Observer => Reader::Observer(id),
            };
            self.shape(process, id);
            for location in &process.locations {
                self.location(location, reader);
            }
            let mut earlier: BTreeMap<LocationId, u32> = BTreeMap::new();
            for edge in &process.edges {
                homing_budget::checkpoint();
                self.edge(process, edge, reader);
                let earlier = earlier.entry(edge.from).or_default();
                self.otherwise(edge, *earlier);
                *earlier += 1;
                self.control(edge, reader);
                self.beside_clocks(edge);
            }
        }
    }

    fn shape(&mut self, process: &Process, id: ProcessId) {
        let name = &process.name;
        let starts = process.initial.index() < process.locations.len();
        self.require(
            starts,
            format!("`{name}` starts at a location it does not have"),
            process.span,
        );
        for parameter in &process.parameters {
            let variable = self.network.variables.get(parameter.index());
            let fits = variable.is_some_and(|found| {
                let scalar = self.network.scalar(&found.ty).is_some() && found.ty != Type::Clock;
                found.owner == Some(id) && found.storage == Storage::State && scalar
            });
            self.require(
                fits,
                format!("a parameter of `{name}` is no scalar of its own"),
                process.span,
            );
        }
        if let Lifetime::Startable(template) = process.lifetime {
            let arity = process.parameters.len();
            let alike = self.slots(template).all(|slot| slot.parameters.len() == arity);
            let message = format!("`{name}` has other parameters than processes of its type");
            self.require(alike, message, process.span);
            let message = format!("the observer `{name}` is not there from the start");
            self.require(process.role == Role::System, message, process.span);
        }
    }

    fn location(&mut self, location: &Location, reader: Reader) {
        if let Some(invariant) = &location.invariant {
            self.condition(invariant, reader, Shape::Conjunction);
        }
        for watch in &location.stopwatches {
            self.stopwatch(watch, reader);
        }
        location.assertions.iter().for_each(|assertion| self.expression(assertion, reader));
        for quantity in location.rate.iter().chain(&location.cost_rate) {
            self.quantity(quantity, reader);
        }
        let alone = self.network.composition == Composition::Interleaved;
        let free = alone || location.urgency != Urgency::Committed;
        self.require(free, "a committed location where all processes move at once", location.span);
    }

    fn stopwatch(&mut self, watch: &Stopwatch, reader: Reader) {
        let Stopwatch { clock, runs } = watch;
        self.place(clock, reader, 0);
        self.require(is_clock(self.network, clock), "only clocks can stand still", clock.span);
        let known = clock.path.iter().all(|access| match access {
            Access::Index(index) => matches!(index.kind, ExprKind::Int(_)),
            Access::Field(_) => true,
        });
        self.require(known, "which clock stands still must be known", clock.span);
        self.expression(runs, reader);
        let free = !mentions_clock(self.network, runs);
        self.require(free, "whether a clock runs cannot depend on clocks", runs.span);
    }

    fn edge(&mut self, process: &Process, edge: &Edge, reader: Reader) {
        let known = edge.from.index() < process.locations.len();
        self.require(known, "an edge leaves a location that does not exist", edge.span);
        match &edge.guard {
            Guard::Always => {}
            Guard::When(condition) => self.condition(condition, reader, Shape::Conjunction),
            Guard::Timeout(condition) | Guard::Otherwise { when: condition, .. } => {
                self.expression(condition, reader)
            }
        }
        for quantity in edge.rate.iter().chain(&edge.cost) {
            self.quantity(quantity, reader);
        }
        if let Some(action) = &edge.action {
            self.may_communicate(edge, reader);
            self.action(action, edge.span, reader);
        }
        self.require(!edge.branches.is_empty(), "an edge that leads nowhere", edge.span);
        let weighted = edge.branches.iter().filter(|branch| branch.weight.is_some()).count();
        let alike = weighted == 0 || weighted == edge.branches.len();
        self.require(alike, "some branches of an edge have weights, others not", edge.span);
        for branch in &edge.branches {
            self.branch(process, edge, branch, reader);
        }
    }

    /// An `otherwise` guard looks at edges before its own, of which there are `earlier`.
    fn otherwise(&mut self, edge: &Edge, earlier: u32) {
        if let Guard::Otherwise { before, .. } = edge.guard {
            self.require(
                before <= earlier,
                "a guard looks at edges that do not come before it",
                edge.span,
            );
        }
    }

    /// Control stays with a process that moves alone or in a rendezvous.
    fn control(&mut self, edge: &Edge, reader: Reader) {
        if edge.atomic == Atomic::No {
            return;
        }
        self.require(reader == Reader::System, "an observer holds control", edge.span);
        let alone = self.network.composition == Composition::Interleaved;
        self.require(alone, "a process holds control where all move at once", edge.span);
        let free = match &edge.action {
            None => true,
            Some(Action::Label(_)) => false,
            Some(Action::Send { channel, .. } | Action::Receive { channel, .. }) => {
                !self.is_broadcast(channel)
            }
        };
        self.require(free, "a process holds control after moving with many", edge.span);
    }

    fn is_broadcast(&self, channel: &Expr) -> bool {
        let ExprKind::Channel(id) = channel.kind else {
            return false;
        };
        let declared = self.network.channels.get(id.index());
        declared.is_some_and(|declared| declared.kind == ChannelKind::Broadcast)
    }

    fn may_communicate(&mut self, edge: &Edge, reader: Reader) {
        self.require(reader == Reader::System, "an observer communicates", edge.span);
        let alone = self.network.composition == Composition::Interleaved;
        self.require(alone, "communication where all processes move at once", edge.span);
    }

    fn branch(&mut self, process: &Process, edge: &Edge, branch: &Branch, reader: Reader) {
        if let Some(weight) = &branch.weight {
            self.quantity(weight, reader);
        }
        let arrives = match branch.target {
            Target::Location(location) => location.index() < process.locations.len(),
            Target::End => true,
        };
        self.require(arrives, "an edge leads to a location that does not exist", edge.span);
        self.block(&branch.effect, reader, 0);
    }

    fn action(&mut self, action: &Action, span: Span, reader: Reader) {
        match action {
            Action::Send { channel, message, .. } => {
                self.channel(channel, reader);
                message.iter().for_each(|part| self.expression(part, reader));
            }
            Action::Receive { channel, message, .. } => {
                self.channel(channel, reader);
                message.iter().for_each(|part| self.pattern(part, reader));
            }
            Action::Label(label) => {
                let known = label.index() < self.network.labels.len();
                self.require(known, "a label that does not exist", span);
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern, reader: Reader) {
        match pattern {
            Pattern::Store(place) => self.number_target(place, reader),
            Pattern::Match(expr) => self.expression(expr, reader),
            Pattern::Ignore => {}
            Pattern::Except(expr, besides) => {
                self.expression(expr, reader);
                self.pattern(besides, reader);
            }
        }
    }

    fn block(&mut self, block: &[Statement], reader: Reader, depth: usize) {
        for statement in block {
            homing_budget::checkpoint();
            if depth > MAX_DEPTH {
                return self.error("a statement is nested too deeply", statement.span);
            }
            self.statement(statement, reader, depth);
        }
    }

    fn statement(&mut self, statement: &Statement, reader: Reader, depth: usize) {
        match &statement.kind {
            StatementKind::Assign(place, value) => {
                match self.type_of(place) {
                    Some(Type::Clock) => self.setting(value, reader),
                    _ => self.expression(value, reader),
                }
                self.target(place, reader);
            }
            StatementKind::If(condition, yes, no) => {
                self.expression(condition, reader);
                self.block(yes, reader, depth + 1);
                self.block(no, reader, depth + 1);
            }
            StatementKind::While(condition, block) => {
                self.expression(condition, reader);
                self.block(block, reader, depth + 1);
            }
            StatementKind::Assert(condition) => self.expression(condition, reader),
            StatementKind::Clear(id) => {
                let known = id.index() < self.network.channels.len();
                self.require(known, "a channel that does not exist", statement.span);
            }
            StatementKind::Put(process, location) => {
                self.put(*process, *location, reader, statement.span);
            }
            StatementKind::Print(_, values) => {
                values.iter().for_each(|value| self.expression(value, reader));
            }
            StatementKind::Start { template, arguments, started } => {
                self.require(
                    reader == Reader::System,
                    "an observer starts a process",
                    statement.span,
                );
                arguments.iter().for_each(|argument| self.expression(argument, reader));
                self.start(*template, arguments.len(), statement.span);
                self.started(started.as_ref(), reader);
            }
        }
    }

    fn put(&mut self, process: ProcessId, location: LocationId, reader: Reader, span: Span) {
        self.require(reader == Reader::System, "an observer moves a process", span);
        let known = self.network.processes.get(process.index()).is_some_and(|process| {
            process.role == Role::System
                && process.lifetime == Lifetime::Permanent
                && process.edges.is_empty()
                && location.index() < process.locations.len()
        });
        self.require(known, "a process that cannot be put at this location", span);
    }

    fn start(&mut self, template: TemplateId, arguments: usize, span: Span) {
        // A template without slots can be started, which always fails.
        let slot = self.slots(template).next();
        if let Some(slot) = slot {
            let (name, wanted) = (&slot.name, slot.parameters.len());
            let message = format!("{arguments} arguments where `{name}` has {wanted} parameters");
            self.require(arguments == wanted, message, span);
        }
    }

    fn started(&mut self, place: Option<&Place>, reader: Reader) {
        if let Some(place) = place {
            self.number_target(place, reader);
        }
    }
}
