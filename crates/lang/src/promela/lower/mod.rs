//! From the tree to a network.
//!
//! | Promela | network |
//! |---|---|
//! | a process type | a process for every number (`_pid`) it may get: processes die in reverse order of birth, so a number is a place on a stack and means one process at a time |
//! | `run` | starts the process whose number is `_nr_pr`, a variable of the network; the set of (number, type) pairs grows on demand, see [`super::grow`] |
//! | the closing brace | an edge that is open where no later process is there |
//! | a channel | a channel; those declared in a process belong to each process |
//! | a `chan` variable nobody assigns | the channel itself |
//! | `assert(e)` | an edge that does nothing, and one that fails where `e` is false: SPIN goes on behind a violated assertion |
//! | `timeout` in what is waited for, `enabled` beside it | two edges: one with `timeout` false, one that waits for everything else with `timeout` true |
//! | a priority | a number or a variable of the process, and a part of every guard, see `priority` |
//! | a `never` claim | an observer, see `claim` |
//! | a `trace` | a process without edges that sends and receives move, see `trace` |
//! | `d_step` | a sequence that keeps control, each of its states with the first possible way only |

mod channels;
mod claim;
mod declare;
mod escape;
mod exclusive;
mod expression;
mod formula;
mod priority;
mod processes;
mod question;
mod statement;
mod trace;
mod valuation;
mod visit;

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::network::{
    Arithmetic, ChannelId, EffectOrder, EnumId, Expr, ExprKind, Network, ProcessId, Property,
    PropertyKind, RecordId, TemplateId, VariableId, Words,
};
use homing_ir::{Diagnostic, Span};

use super::flow::{Body, Flow};
use super::scope::{Local, ScopeId, Scopes};
use super::syntax::{self, Name, Proctype, Program, Unit};
use crate::reports::Reports;

/// The greatest number of processes at a time, as in SPIN.
pub(super) const MOST_PROCESSES: u32 = 255;

/// As SPIN says it.
const WORDS: Words = Words {
    deadlock: "invalid end state",
    assertion: "assertion violated",
    observer: "end state in claim reached",
    binds: false,
};

/// A process type by its position, at a number.
pub(super) type Birth = (u32, usize);

/// What the lowering is told beyond the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes {
    /// The processes that may be started.
    pub births: BTreeSet<Birth>,
    /// Whether a message sent to a full channel is lost.
    pub lossy: bool,
}

/// What became of a declared variable.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// A variable of the network.
    Variable(VariableId),
    /// A channel that the name always means.
    Channel(ChannelId),
    /// An array of channels that the name always means: a constant variable.
    Channels(VariableId),
    /// A declaration that was wrong.
    Lost,
}

/// A process type.
pub(super) struct Type<'a> {
    pub ast: &'a Proctype,
    pub flow: Flow,
    pub locals: Vec<Local>,
    /// Where its numbers of states are in the locations of its processes.
    pub locations: BTreeMap<u32, u32>,
}

/// A process type at a number.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub pid: u32,
    pub ty: usize,
    pub process: ProcessId,
    pub locals: Vec<Storage>,
    /// Channels it declares: emptied when it ends.
    pub channels: Vec<ChannelId>,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// Whose it is, by the position of its instance.
    pub instance: Option<usize>,
    pub scope: ScopeId,
    pub order: u32,
    /// What `timeout` means here.
    pub timeout: Option<bool>,
}

/// A network under construction.
pub(super) struct Lowering<'a> {
    pub network: Network,
    pub reports: Reports,
    pub scopes: Scopes,
    pub globals: Vec<Storage>,
    pub records: BTreeMap<String, RecordId>,
    /// Symbolic names and their numbers, and the enumeration of each subtype.
    pub symbols: BTreeMap<String, (i64, EnumId)>,
    pub enumerations: BTreeMap<String, EnumId>,
    pub types: Vec<Type<'a>>,
    pub instances: Vec<Instance>,
    /// Names of variables that are assigned to or received into somewhere.
    pub assigned: BTreeSet<String>,
    pub wishes: &'a Wishes,
    /// `_nr_pr`.
    pub count: Option<VariableId>,
    /// `_last`, where it is used.
    pub last: Option<VariableId>,
    pub uses_last: bool,
    /// Whether `timeout` is used.
    pub uses_timeout: bool,
    /// Labels that are asked for from outside.
    pub remote: BTreeSet<(String, String)>,
    priorities: priority::Priorities,
    /// Whether it is being found out what a process can do.
    asking: bool,
    /// A `trace` or `notrace`: its text, then the automaton.
    tracing: Option<trace::Tracing<'a>>,
    trace: Option<trace::Trace>,
    /// `never` claims.
    claims: Vec<claim::Claimed<'a>>,
    /// `ltl` blocks.
    formulas: Vec<&'a syntax::Ltl>,
}

/// The network of a program, and what its process types are called, for
/// [`super::grow`].
pub(super) fn lower(
    program: &Program,
    network: Network,
    reports: Reports,
    wishes: &Wishes,
) -> (Network, Reports) {
    let mut lowering = Lowering {
        network: Network {
            effect_order: EffectOrder::SenderFirst,
            arithmetic: Arithmetic::Wrap32,
            statements: true,
            words: WORDS,
            ..network
        },
        reports,
        scopes: Scopes::default(),
        globals: Vec::new(),
        records: BTreeMap::new(),
        symbols: BTreeMap::new(),
        enumerations: BTreeMap::new(),
        types: Vec::new(),
        instances: Vec::new(),
        assigned: declare::assigned_names(program),
        wishes,
        count: None,
        last: None,
        uses_last: visit::uses(program, "_last"),
        uses_timeout: visit::uses_timeout(program),
        remote: visit::remote_labels(program),
        priorities: priority::Priorities::of(program),
        asking: false,
        tracing: None,
        trace: None,
        claims: Vec::new(),
        formulas: Vec::new(),
    };
    lowering.units(program);
    lowering.processes();
    lowering.exclusive();
    lowering.claims();
    lowering.formulas();
    (lowering.network, lowering.reports)
}

impl<'a> Lowering<'a> {
    fn units(&mut self, program: &'a Program) {
        let mut first_id = 0;
        for unit in &program.units {
            match unit {
                Unit::Proctype(proctype) => {
                    first_id = self.proctype(proctype, first_id);
                }
                Unit::Claim(claim) => first_id = self.claim(claim, first_id),
                // Formulas may name what is declared behind them.
                Unit::Ltl(ltl) => self.formulas.push(ltl),
                Unit::Declaration(declaration) => self.global(declaration),
                Unit::Record(record) => self.record(record),
                Unit::Symbols(symbols) => self.symbols(symbols),
            }
        }
        if self.types.is_empty() && !self.reports.failed() {
            let span = Span::default();
            let error = Diagnostic::error("there is no process in this model", span);
            self.reports.add(error.help("write `active proctype P() { … }` or `init { … }`"));
        }
    }

    /// A claim watches processes, so it waits for them; its statements have
    /// numbers too.
    fn claim(&mut self, ast: &'a syntax::Claim, first_id: u32) -> u32 {
        let mut reports = Reports::default();
        let (body, nobody) = ((&[][..], &ast.body), BTreeSet::new());
        let (flow, locals) = Body::flow(body, &nobody, &mut self.scopes, &mut reports, first_id);
        let next = first_id + flow.nodes.len() as u32;
        if ast.kind == syntax::ClaimKind::Never {
            self.claims.push(claim::Claimed { ast, flow, reports, locals });
        } else if self.tracing.replace(trace::Tracing { ast, flow, reports }).is_some() {
            self.fail("there is more than one `trace` or `notrace`", ast.span);
        }
        next
    }

    /// Keeps what cannot be checked as a property that says so.
    pub(super) fn unchecked(&mut self, name: &str, span: Span, why: String) {
        let kind = PropertyKind::Unchecked(why);
        self.network.properties.push(Property { name: name.to_string(), span, kind });
    }

    fn proctype(&mut self, proctype: &'a Proctype, first_id: u32) -> u32 {
        if let Some(other) = self.types.iter().find(|ty| ty.ast.name.text == proctype.name.text) {
            let message = format!("the process type `{}` is there twice", proctype.name.text);
            let error = Diagnostic::error(message, proctype.name.span);
            self.reports.add(error.related(other.ast.name.span, "first here"));
        }
        let name = &proctype.name.text;
        let labels = self.remote.iter().filter(|(process, _)| process == name);
        let asked = labels.map(|(_, label)| label.clone()).collect();
        let text = (&proctype.parameters[..], &proctype.body);
        let (flow, locals) =
            Body::flow(text, &asked, &mut self.scopes, &mut self.reports, first_id);
        let next = first_id + flow.nodes.len() as u32;
        let numbers = flow.states.keys().enumerate();
        let locations = numbers.map(|(at, number)| (*number, at as u32)).collect();
        self.types.push(Type { ast: proctype, flow, locals, locations });
        next
    }

    /// The template of a process type at a number; number 255 stands for
    /// processes that cannot be started yet.
    pub(super) fn template(ty: usize, pid: u32) -> TemplateId {
        TemplateId(ty as u32 * (MOST_PROCESSES + 1) + pid)
    }

    pub(super) fn fail(&mut self, message: impl Into<String>, span: Span) {
        self.reports.add(Diagnostic::error(message, span));
    }

    pub(super) fn unknown(&mut self, name: &Name, what: &str, scope: ScopeId) {
        let message = format!("{what} `{}` is not declared", name.text);
        let mut error = Diagnostic::error(message, name.span);
        let symbols = self.symbols.keys().map(String::as_str);
        let known = self.scopes.names(scope).chain(symbols);
        error = match crate::names::nearest(&name.text, known) {
            Some(near) if near == name.text => error.help("it is declared later in the text"),
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        };
        self.reports.add(error);
    }
}

pub(super) fn int(value: i64, span: Span) -> Expr {
    Expr::int(value, span)
}

pub(super) fn truth(expr: &Expr) -> Option<bool> {
    match expr.kind {
        ExprKind::Int(value) => Some(value != 0),
        _ => None,
    }
}
