//! What names mean, and where.

use std::collections::BTreeMap;

use homing_ir::Span;

use super::types::Ty;
use super::value::Thing;
use crate::uppaal::syntax::{self, Function, Template};

/// The number of a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScopeId(usize);

/// The scope of the model.
pub const GLOBAL: ScopeId = ScopeId(0);

/// `P(int[0,3] i) = T(i, 5);`
#[derive(Clone, Copy, Debug)]
pub struct Partial<'a> {
    pub parameters: &'a [syntax::Parameter],
    pub template: &'a syntax::Name,
    pub arguments: &'a [syntax::Expr],
    pub span: Span,
}

/// What a name means.
#[derive(Clone, Debug)]
pub enum Symbol<'a> {
    Type(Ty),
    Thing(Thing),
    /// A function, the scope it was declared in, and how many names there were.
    Function(&'a Function, ScopeId, u64),
    Template(&'a Template),
    Partial(Partial<'a>),
}

#[derive(Debug, Default)]
struct Scope<'a> {
    parent: Option<ScopeId>,
    /// What is declared around it later is not seen from here.
    until: Option<u64>,
    /// By name: its meaning, its place, and how many names there were before.
    names: BTreeMap<String, (Symbol<'a>, Span, u64)>,
}

/// All scopes: that of the model, of every process, and of what is being read.
#[derive(Debug)]
pub struct Scopes<'a> {
    all: Vec<Scope<'a>>,
    /// How many names were declared.
    declared: u64,
}

impl<'a> Scopes<'a> {
    pub fn new() -> Scopes<'a> {
        Scopes { all: vec![Scope::default()], declared: 0 }
    }

    /// A scope within `parent`.
    pub fn inside(&mut self, parent: ScopeId) -> ScopeId {
        self.all.push(Scope { parent: Some(parent), ..Scope::default() });
        ScopeId(self.all.len() - 1)
    }

    /// A scope within `parent` that sees what was declared when there were `until`
    /// names: the body of a function.
    pub fn inside_until(&mut self, parent: ScopeId, until: u64) -> ScopeId {
        let scope = self.inside(parent);
        self.all[scope.0].until = Some(until);
        scope
    }

    /// How many names were declared.
    pub fn declared(&self) -> u64 {
        self.declared
    }

    /// Forgets `scope` and all that are younger.
    pub fn leave(&mut self, scope: ScopeId) {
        self.all.truncate(scope.0);
    }

    /// Gives a name a meaning; where it had one in this scope, tells where.
    pub fn declare(
        &mut self,
        scope: ScopeId,
        name: &syntax::Name,
        symbol: Symbol<'a>,
    ) -> Result<(), Span> {
        self.declared += 1;
        let names = &mut self.all[scope.0].names;
        match names.insert(name.text.clone(), (symbol, name.span, self.declared)) {
            Some((_, earlier, _)) => Err(earlier),
            None => Ok(()),
        }
    }

    /// Gives a name that means something in this scope another meaning.
    pub fn replace(&mut self, scope: ScopeId, name: &str, symbol: Symbol<'a>) {
        if let Some((known, ..)) = self.all[scope.0].names.get_mut(name) {
            *known = symbol;
        }
    }

    /// What a name means in a scope, itself or around it.
    pub fn find(&self, scope: ScopeId, name: &str) -> Option<&Symbol<'a>> {
        let (mut at, mut until) = (Some(scope), u64::MAX);
        while let Some(scope) = at {
            let here = &self.all[scope.0];
            match here.names.get(name) {
                Some((symbol, _, order)) if *order <= until => return Some(symbol),
                _ => {}
            }
            until = until.min(here.until.unwrap_or(u64::MAX));
            at = here.parent;
        }
        None
    }

    /// What a name means in this very scope.
    pub fn own(&self, scope: ScopeId, name: &str) -> Option<&Symbol<'a>> {
        self.all[scope.0].names.get(name).map(|(symbol, ..)| symbol)
    }

    /// All names that mean something in a scope.
    pub fn names(&self, scope: ScopeId) -> Vec<&str> {
        let mut found = Vec::new();
        let mut at = Some(scope);
        while let Some(scope) = at {
            let here = &self.all[scope.0];
            found.extend(here.names.keys().map(String::as_str));
            at = here.parent;
        }
        found
    }
}
