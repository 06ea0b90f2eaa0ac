//! Locations and edges of a process.

use std::collections::BTreeMap;

use homing_ir::Span;
use homing_ir::network::{
    Access, Action, Atomic, Binary as Op, Branch, ChannelId, ChannelKind, Edge, Expr, ExprKind,
    Guard, Location, LocationId, Place, ProcessId, ReceiveOrder, SendOrder, Statement,
    StatementKind, Target, Urgency,
};

use super::Lowering;
use super::expression::MOST_VALUES;
use super::fold;
use super::scope::ScopeId;
use super::unchecked::conjuncts;
use super::value::Value;
use crate::uppaal::syntax::{self, Direction, Sync, Template};

/// How many edges a system may have.
const MOST_EDGES: usize = 1_000_000;

/// Where the edges of a template lead.
struct Places<'a> {
    locations: BTreeMap<&'a str, LocationId>,
    branchpoints: BTreeMap<&'a str, Vec<&'a syntax::Edge>>,
}

impl<'a> Lowering<'a> {
    /// The locations and edges of a template, for one process.
    pub(super) fn automaton(&mut self, template: &'a Template, process: ProcessId, scope: ScopeId) {
        let mut places = Places { locations: BTreeMap::new(), branchpoints: BTreeMap::new() };
        for (at, location) in template.locations.iter().enumerate() {
            let id = LocationId(at as u32);
            places.locations.entry(&location.name.text).or_insert(id);
            let made = self.location(location, scope);
            self.network.processes[process.index()].locations.push(made);
        }
        // Files name places by their ids, which win over names.
        for (at, location) in template.locations.iter().enumerate() {
            if !location.id.is_empty() {
                places.locations.insert(&location.id, LocationId(at as u32));
            }
        }
        for name in &template.branchpoints {
            let out = template.edges.iter().filter(|edge| edge.source.text == name.text);
            places.branchpoints.insert(&name.text, out.collect());
        }
        match &template.initial {
            None if template.locations.is_empty() => {
                let name = &template.name;
                self.warn(format!("`{}` has no locations: it does nothing", name.text), name.span);
                let only = Location { name: "idle".into(), span: name.span, ..Location::default() };
                self.network.processes[process.index()].locations.push(only);
            }
            Some(initial) => match places.locations.get(initial.text.as_str()) {
                Some(id) => self.network.processes[process.index()].initial = *id,
                None => self.no_location(initial),
            },
            None => {
                let message = format!("`{}` has no initial location", template.name.text);
                self.fail::<()>(message, template.name.span);
            }
        }
        for edge in &template.edges {
            self.edge(edge, &places, process, scope);
        }
    }

    fn no_location(&mut self, name: &syntax::Name) {
        self.fail::<()>(format!("there is no location `{}`", name.text), name.span);
    }

    fn location(&mut self, location: &'a syntax::Location, scope: ScopeId) -> Location {
        let span = location.name.span;
        self.afresh();
        let invariant = location.invariant.as_ref().and_then(|invariant| {
            self.in_invariant = true;
            self.conjuncts.clear();
            conjuncts(invariant, &mut self.conjuncts);
            let found = self.constraint(invariant, scope);
            self.in_invariant = false;
            let found = found?;
            self.warn_of_negative(&found);
            (fold::constant(&found) != Some(1)).then_some(found)
        });
        if let Some(rate) = &location.rate {
            self.say_once(
                0,
                "exponential rates are ignored: processes may stay as long as invariants allow",
                rate.span,
            );
        }
        Location {
            name: location.name.text.clone(),
            span,
            urgency: match location.urgency {
                syntax::Urgency::None => Urgency::None,
                syntax::Urgency::Urgent => Urgency::Urgent,
                syntax::Urgency::Committed => Urgency::Committed,
            },
            invariant,
            stopwatches: std::mem::take(&mut self.watches),
            ..Location::default()
        }
    }

    /// Says something about the whole model once.
    pub(super) fn say_once(&mut self, which: usize, message: &str, span: Span) {
        if !std::mem::replace(&mut self.said[which], true) {
            self.warn(message, span);
        }
    }

    /// A clock is never below zero.
    fn warn_of_negative(&mut self, invariant: &Expr) {
        let mut open = vec![invariant];
        while let Some(expr) = open.pop() {
            let ExprKind::Binary(op, left, right) = &expr.kind else { continue };
            let never = match (op, &left.kind, fold::constant(right)) {
                (Op::And, ..) => {
                    open.extend([left.as_ref(), right.as_ref()]);
                    false
                }
                (Op::Lt, ExprKind::Read(_), Some(bound)) => bound <= 0,
                (Op::Le | Op::Eq, ExprKind::Read(_), Some(bound)) => bound < 0,
                _ => false,
            };
            let clock = match &left.kind {
                ExprKind::Read(place) => {
                    let ty = fold::type_at(&self.network, place);
                    ty == Some(&homing_ir::network::Type::Clock)
                }
                _ => false,
            };
            if never && clock {
                self.warn("this can never hold: a clock is not negative", expr.span);
            }
        }
    }

    fn edge(
        &mut self,
        edge: &'a syntax::Edge,
        places: &Places<'a>,
        process: ProcessId,
        scope: ScopeId,
    ) -> Option<()> {
        let Some(from) = places.locations.get(edge.source.text.as_str()).copied() else {
            if !places.branchpoints.contains_key(edge.source.text.as_str()) {
                self.no_location(&edge.source);
            }
            return None;
        };
        self.selected_edges(edge, from, places, process, scope)
    }

    /// An edge for every value of what it selects.
    fn selected_edges(
        &mut self,
        edge: &'a syntax::Edge,
        from: LocationId,
        places: &Places<'a>,
        process: ProcessId,
        scope: ScopeId,
    ) -> Option<()> {
        let inner = self.scopes.inside(scope);
        let done = self.select(edge, &edge.select, (from, places, process), 1, inner);
        self.scopes.leave(inner);
        done
    }

    fn select(
        &mut self,
        edge: &'a syntax::Edge,
        rest: &'a [(syntax::Name, syntax::Type)],
        to: (LocationId, &Places<'a>, ProcessId),
        combinations: i64,
        scope: ScopeId,
    ) -> Option<()> {
        let Some(((name, ty), rest)) = rest.split_first() else {
            self.afresh();
            let made = self.one_edge(edge, to, scope)?;
            if let Some(made) = made {
                let both = edge.sync.as_ref().is_some_and(|one| one.direction == Direction::Both);
                let other = both.then(|| turned(&made));
                self.network.processes[to.2.index()]
                    .edges
                    .extend([Some(made), other].into_iter().flatten());
            }
            return Some(());
        };
        let (over, lo, hi) = self.values(ty, scope)?;
        let combinations = combinations.saturating_mul(hi - lo + 1);
        if combinations > MOST_VALUES {
            return self.fail(format!("this selects among {combinations} values"), ty.span);
        }
        if self.network.processes[to.2.index()].edges.len() > MOST_EDGES {
            return self.fail("too many edges", edge.span);
        }
        for value in lo..=hi {
            let inner = self.bound(name, value, &over, scope);
            let done = self.select(edge, rest, to, combinations, inner);
            self.scopes.leave(inner);
            done?;
        }
        Some(())
    }

    /// One edge, or none where its guard is never true.
    fn one_edge(
        &mut self,
        edge: &'a syntax::Edge,
        (from, places, _): (LocationId, &Places<'a>, ProcessId),
        scope: ScopeId,
    ) -> Option<Option<Edge>> {
        let guard = match &edge.guard {
            Some(guard) => {
                let guard = self.constraint(guard, scope)?;
                match fold::constant(&guard) {
                    Some(0) => return Some(None),
                    Some(_) => Guard::Always,
                    None => Guard::When(guard),
                }
            }
            None => Guard::Always,
        };
        let (action, priority) = match &edge.sync {
            Some(sync) => {
                let always = matches!(guard, Guard::Always);
                let (action, priority) = self.action(sync, always, scope)?;
                (Some(action), priority)
            }
            None => (None, 0),
        };
        let effect = self.effect(&edge.update, scope)?;
        let mut branches = Vec::new();
        match places.locations.get(edge.target.text.as_str()) {
            Some(target) => {
                let target = Target::Location(*target);
                branches.push(Branch { weight: None, effect, target });
            }
            None => match places.branchpoints.get(edge.target.text.as_str()) {
                Some(out) => self.branches(edge, out, &effect, places, scope, &mut branches)?,
                None => {
                    self.no_location(&edge.target);
                    return None;
                }
            },
        }
        Some(Some(Edge {
            span: edge.span,
            from,
            guard,
            action,
            rate: None,
            cost: None,
            atomic: Atomic::No,
            priority,
            code: None,
            piece: false,
            branches,
        }))
    }

    /// The branches behind a branch point.
    fn branches(
        &mut self,
        edge: &'a syntax::Edge,
        out: &[&'a syntax::Edge],
        before: &[Statement],
        places: &Places<'a>,
        scope: ScopeId,
        branches: &mut Vec<Branch>,
    ) -> Option<()> {
        for next in out {
            if next.guard.is_some() || next.sync.is_some() {
                return self.fail("a branch has no guard and no synchronisation", next.span);
            }
            self.branch_selects(next, &next.select, before, places, scope, branches)?;
        }
        if branches.is_empty() {
            return self.fail("this branch point leads nowhere", edge.target.span);
        }
        Some(())
    }

    /// A branch for every value of what it selects.
    fn branch_selects(
        &mut self,
        next: &'a syntax::Edge,
        rest: &'a [(syntax::Name, syntax::Type)],
        before: &[Statement],
        places: &Places<'a>,
        scope: ScopeId,
        branches: &mut Vec<Branch>,
    ) -> Option<()> {
        let Some(((name, ty), rest)) = rest.split_first() else {
            return self.one_branch(next, before, places, scope, branches);
        };
        let (over, lo, hi) = self.values(ty, scope)?;
        for value in lo..=hi {
            if branches.len() as i64 > MOST_VALUES {
                return self.fail("this selects among too many values", ty.span);
            }
            let inner = self.bound(name, value, &over, scope);
            let done = self.branch_selects(next, rest, before, places, inner, branches);
            self.scopes.leave(inner);
            done?;
        }
        Some(())
    }

    fn one_branch(
        &mut self,
        next: &'a syntax::Edge,
        before: &[Statement],
        places: &Places<'a>,
        scope: ScopeId,
        branches: &mut Vec<Branch>,
    ) -> Option<()> {
        if let Some(weight) = &next.probability {
            if self.quietly(|this| this.number(weight, scope)) == Some(0) {
                return Some(());
            }
            self.say_once(1, "weights are ignored: every branch may be taken", weight.span);
        }
        let mut effect = before.to_vec();
        // Results held by the first update are not needed any more.
        effect.extend(self.effect(&next.update, scope)?);
        let Some(target) = places.locations.get(next.target.text.as_str()) else {
            self.no_location(&next.target);
            return None;
        };
        let target = Target::Location(*target);
        branches.push(Branch { weight: None, effect, target });
        Some(())
    }

    fn effect(&mut self, updates: &[syntax::Expr], scope: ScopeId) -> Option<Vec<Statement>> {
        let outer = self.effect.replace(Vec::new());
        self.temporaries = 0;
        let done = updates.iter().try_for_each(|update| self.perform(update, scope));
        let made = std::mem::replace(&mut self.effect, outer);
        done?;
        let made = made?;
        if let Some(first) = made.first() {
            self.keep(made.iter().map(size).sum(), first.span)?;
        }
        Some(made)
    }

    /// How an edge synchronises, and the priority of its channel. `always`: the edge
    /// has no guard.
    fn action(&mut self, sync: &Sync, always: bool, scope: ScopeId) -> Option<(Action, i32)> {
        let span = sync.channel.span;
        let value = self.unchanged(|this| this.expr(&sync.channel, scope))?;
        let channel = match value {
            Value::Channel(channel) => channel,
            other => {
                let what = other.what();
                return self.fail(format!("this is {what}, not a channel"), span);
            }
        };
        let priority = match &channel.kind {
            ExprKind::Channel(id) => {
                let kind = &self.network.channels[id.index()].kind;
                if sync.direction == Direction::Both && *kind == ChannelKind::Broadcast {
                    return self.fail("a broadcast needs `!` or `?`", sync.span);
                }
                self.priority_of(*id)
            }
            // What is within the array was resolved.
            ExprKind::Read(place) if always && is_constant(place) => {
                return self.fail("this is beyond the end of the array of channels", span);
            }
            _ => self.priority_of_array(sync, &channel)?,
        };
        let action = match sync.direction {
            // The other direction is an edge of its own.
            Direction::Send | Direction::Both => {
                Action::Send { channel, message: Vec::new(), order: SendOrder::Last }
            }
            Direction::Receive => {
                let (message, order) = (Vec::new(), ReceiveOrder::First);
                Action::Receive { channel, message, order, keep: false }
            }
        };
        Some((action, priority))
    }

    /// The priority that all channels of an array have.
    fn priority_of_array(&mut self, sync: &Sync, channel: &Expr) -> Option<i32> {
        if self.priorities.is_empty() {
            return Some(0);
        }
        let ExprKind::Read(place) = &channel.kind else { return Some(0) };
        let ids = self.network.variables[place.variable.index()].initial.clone();
        let of = |id: &i64| ChannelId::of_value(*id).map_or(0, |id| self.priority_of(id));
        let levels: Vec<i32> = ids.iter().map(of).collect();
        match levels.first() {
            Some(first) if levels.iter().all(|level| level == first) => Some(*first),
            _ => self.fail(
                "channels of different priorities are chosen by an index that is not constant",
                sync.channel.span,
            ),
        }
    }
}

/// How many nodes the expressions of a statement have.
fn size(statement: &Statement) -> usize {
    let of = |expr: &Expr| fold::measure(expr).0;
    let all = |block: &[Statement]| block.iter().map(size).sum::<usize>();
    1 + match &statement.kind {
        StatementKind::Assign(place, value) => {
            of(value) + fold::indices(place).map(of).sum::<usize>()
        }
        StatementKind::If(condition, yes, no) => of(condition) + all(yes) + all(no),
        StatementKind::While(condition, body) => of(condition) + all(body),
        StatementKind::Assert(condition) => of(condition),
        _ => 0,
    }
}

/// Whether all indices of a place are numbers.
fn is_constant(place: &Place) -> bool {
    place.path.iter().all(|access| match access {
        Access::Index(index) => matches!(index.kind, ExprKind::Int(_)),
        Access::Field(_) => true,
    })
}

/// The edge that receives where the other sends. Whoever synchronises without `!` and
/// `?`, as in CSP, may be either of two: each such edge is there twice.
fn turned(edge: &Edge) -> Edge {
    let action = match &edge.action {
        Some(Action::Send { channel, .. }) => Some(Action::Receive {
            channel: channel.clone(),
            message: Vec::new(),
            order: ReceiveOrder::First,
            keep: false,
        }),
        other => other.clone(),
    };
    Edge { action, ..edge.clone() }
}
