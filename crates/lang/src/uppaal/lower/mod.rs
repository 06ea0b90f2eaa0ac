//! From the tree to a network.
//!
//! | UPPAAL | network |
//! |---|---|
//! | a template | a process for every instance, everything it names put in |
//! | a constant | its value; a constant of the network only where it is an array that is read at an index that is not known |
//! | a channel | a channel; an array of them is a constant array of channels |
//! | `select` | an edge for every value |
//! | a branch point | branches of an edge, a free choice |
//! | a function in a guard, an invariant or a query | the expression it computes, see `symbolic` |
//! | a function in an update | statements, see `statement` |
//! | `forall`, `exists`, `sum` | written out |
//! | a query | a property |
//! | `x' == e` | a stopwatch, where e is 0 or 1 |
//! | `double`, hybrid clocks, clocks at other rates | nothing, where nobody looks at them, see `unchecked` |
//!
//! An expression is read into a [`Value`](value::Value). What it changes on the way
//! goes into [`Lowering::effect`], where there is one; where there is none (a guard,
//! a query), only variables of a function that is being computed can change.

mod assign;
mod declare;
mod expression;
mod fold;
mod functions;
mod operators;
mod processes;
mod queries;
mod scalars;
mod scope;
mod statement;
mod symbolic;
mod templates;
mod things;
mod types;
mod unchecked;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::network::{
    Arithmetic, ChannelId, Commitment, EffectOrder, Expr, Network, ProcessId, Statement,
    StatementKind, Stopwatch, VariableId, Words,
};
use homing_ir::{Diagnostic, Span};

use self::scope::{GLOBAL, ScopeId, Scopes, Symbol};
use self::types::Ty;
use super::syntax::{self, Document, Name};
use crate::reports::Reports;

/// As UPPAAL says it.
const WORDS: Words = Words {
    deadlock: "deadlock: no step is possible, now or after any delay",
    assertion: "the assertion is false",
    observer: "the observer has come to its end",
    binds: true,
};

/// How many expressions may be read for one guard, update or query, those of
/// functions and of everything written out included.
const MOST_WORK: u32 = 2_000_000;

/// How large all guards, invariants, updates and queries may be together, in nodes of
/// expressions: some hundred megabytes.
const MOST_WRITTEN: usize = 8_000_000;

/// A process of the system.
struct Instance {
    name: String,
    scope: ScopeId,
    process: ProcessId,
}

/// Names of processes on the system line that stand for several, by their arguments.
type Families = BTreeMap<String, usize>;

/// The variables that a declaration in a function became, by type.
type Variants = Vec<(Ty, VariableId)>;

/// A network under construction.
pub(super) struct Lowering<'a> {
    pub network: Network,
    pub reports: Reports,
    scopes: Scopes<'a>,
    /// The process whose text is being read.
    owner: Option<ProcessId>,
    instances: Vec<Instance>,
    families: Families,
    /// Where statements go, within an update.
    effect: Option<Vec<Statement>>,
    /// The variables of functions that are being computed.
    frame: symbolic::Frame,
    /// The functions whose calls are being read, for messages about recursion.
    calls: Vec<Span>,
    /// What surrounds the statement that is being read.
    flags: statement::Flags,
    /// Variables of functions: by owner, place of the declaration and type.
    scratch: BTreeMap<(Option<ProcessId>, Span), Variants>,
    /// How many intermediate results the current update holds.
    temporaries: usize,
    /// Intermediate results, by process.
    saved: BTreeMap<Option<ProcessId>, Vec<VariableId>>,
    /// Priorities of channels that are listed.
    priorities: BTreeMap<ChannelId, i32>,
    /// Whether what is tried may fail without a word.
    quiet: bool,
    work: u32,
    /// How large all is that was written out so far.
    written: usize,
    /// Whether it was said that rates and weights are ignored, real numbers, and the
    /// directions of channels.
    said: [bool; 4],
    /// Clocks that somebody looks at, and where first.
    measured: BTreeMap<VariableId, Span>,
    /// Whether an invariant is being read, where alone rates may stand.
    in_invariant: bool,
    /// The places of the rates that are conjuncts of the invariant that is being read.
    conjuncts: BTreeSet<Span>,
    /// The stopwatches of the location that is being read.
    watches: Vec<Stopwatch>,
    /// Clocks whose rate is a variable that may be something else than 0 and 1 by its
    /// type, the variable, and where.
    doubtful: Vec<(VariableId, VariableId, Span)>,
    /// Clocks whose rate is not 1 everywhere.
    rates: BTreeMap<VariableId, unchecked::Rate>,
    /// Those of them that nobody looks at, and what is said to whoever does.
    unread: BTreeMap<VariableId, unchecked::Unchecked>,
}

/// The network of a document. Its queries come later.
pub(super) fn lower<'a>(
    document: &'a Document,
    network: Network,
    reports: Reports,
) -> Lowering<'a> {
    let network = Network {
        effect_order: EffectOrder::SenderFirst,
        commitment: Commitment::Any,
        arithmetic: Arithmetic::Wrap32,
        words: WORDS,
        ..network
    };
    let mut lowering = Lowering {
        network,
        reports,
        scopes: Scopes::new(),
        owner: None,
        instances: Vec::new(),
        families: Families::new(),
        effect: None,
        frame: symbolic::Frame::default(),
        calls: Vec::new(),
        flags: statement::Flags::default(),
        scratch: BTreeMap::new(),
        temporaries: 0,
        saved: BTreeMap::new(),
        priorities: BTreeMap::new(),
        quiet: false,
        work: 0,
        written: 0,
        said: [false; 4],
        measured: BTreeMap::new(),
        in_invariant: false,
        conjuncts: BTreeSet::new(),
        watches: Vec::new(),
        doubtful: Vec::new(),
        rates: BTreeMap::new(),
        unread: BTreeMap::new(),
    };
    lowering.document(document);
    lowering
}

impl<'a> Lowering<'a> {
    fn document(&mut self, document: &'a Document) {
        for template in &document.templates {
            self.declare(GLOBAL, &template.name, Symbol::Template(template));
        }
        for declaration in &document.declarations {
            self.declaration(declaration, GLOBAL);
        }
        if document.system.is_empty() {
            if !self.reports.failed() {
                let error =
                    Diagnostic::error("no process runs in this model", document.system_span);
                self.reports.add(error.help("name the processes at the end: `system P, Q;`"));
            }
            return;
        }
        for member in &document.system {
            self.member(member);
        }
        self.settle_rates();
    }

    fn declare(&mut self, scope: ScopeId, name: &Name, symbol: Symbol<'a>) {
        if let Err(earlier) = self.scopes.declare(scope, name, symbol) {
            let error = Diagnostic::error(format!("`{}` is declared twice", name.text), name.span);
            self.report(error.related(earlier, "first here"));
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if !self.quiet {
            self.reports.add(diagnostic);
        }
    }

    /// Reports an error.
    fn fail<T>(&mut self, message: impl Into<String>, span: Span) -> Option<T> {
        self.report(Diagnostic::error(message, span));
        None
    }

    fn warn(&mut self, message: impl Into<String>, span: Span) {
        if !self.quiet {
            self.reports.add(Diagnostic::warning(message, span));
        }
    }

    fn unknown<T>(&mut self, what: &str, name: &Name, scope: ScopeId) -> Option<T> {
        let message = format!("{what} `{}` is not declared", name.text);
        let mut error = Diagnostic::error(message, name.span);
        if let Some(near) = crate::names::nearest(&name.text, self.scopes.names(scope)) {
            error = error.help(format!("did you mean `{near}`?"));
        }
        self.report(error);
        None
    }

    /// Counts what is read, which functions and quantifiers can multiply.
    fn spend(&mut self, span: Span) -> Option<()> {
        homing_budget::checkpoint();
        if self.work >= MOST_WORK {
            return self.fail("this grows too large when it is written out", span);
        }
        self.work += 1;
        Some(())
    }

    /// Counts what is kept, which selections and processes multiply.
    fn keep(&mut self, nodes: usize, span: Span) -> Option<()> {
        let before = self.written;
        self.written = before.saturating_add(nodes);
        match self.written {
            0..=MOST_WRITTEN => Some(()),
            // It was said already.
            _ if before > MOST_WRITTEN => None,
            _ => self.fail(
                "the model grows too large when what it selects and its functions are written out \
                 for every process",
                span,
            ),
        }
    }

    /// Starts a guard, an update or a query.
    fn afresh(&mut self) {
        self.work = 0;
        self.temporaries = 0;
    }

    /// Adds a statement to the current update.
    fn emit(&mut self, kind: StatementKind, span: Span) -> Option<()> {
        match &mut self.effect {
            Some(block) => {
                block.push(Statement { kind, span });
                Some(())
            }
            None => self.fail("a guard, an invariant or a query cannot change anything", span),
        }
    }

    /// What `read` adds to the current update, kept apart.
    fn apart<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<(T, Vec<Statement>)> {
        let outer = self.effect.as_mut().map(std::mem::take);
        let found = read(self);
        let inner = match outer {
            Some(outer) => self.effect.replace(outer).unwrap_or_default(),
            None => Vec::new(),
        };
        Some((found?, inner))
    }

    /// What `read` finds where nothing may change.
    fn unchanged<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let outer = self.effect.take();
        let found = read(self);
        self.effect = outer;
        found
    }

    /// What `read` finds with another owner of what it declares.
    fn owned<T>(&mut self, owner: ProcessId, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.owner.replace(owner);
        let found = read(self);
        self.owner = outer;
        found
    }

    /// A goal that a user typed, over the names of queries.
    pub(super) fn goal(&mut self, goal: &syntax::Expr) -> Option<Expr> {
        self.afresh();
        self.formula(goal, GLOBAL)
    }
}
