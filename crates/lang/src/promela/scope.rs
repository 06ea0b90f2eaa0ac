//! Names and what they stand for.
//!
//! A name must be declared before it is used, and a declaration in braces is
//! known within these only; so a look-up needs the scope and the place in the
//! text. The storage of a variable is its process's, whatever its scope.

use std::collections::BTreeMap;

use homing_ir::Span;

use super::syntax::{
    Declaration, Declarator, Expr, Initial, Name, RecordType, Reference, TypeName, Visibility,
};

/// A scope of a [`Scopes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ScopeId(u32);

impl ScopeId {
    /// That of the whole text.
    pub const GLOBAL: ScopeId = ScopeId(0);
}

/// A declared variable.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub name: Name,
    pub ty: TypeName,
    pub visibility: Visibility,
    pub width: Option<Expr>,
    pub size: Option<Expr>,
    pub initial: Option<Initial>,
    /// Whether its initial value is given when the process starts, rather than
    /// where the declaration stands.
    pub at_start: bool,
}

impl Local {
    pub(super) fn new(declaration: &Declaration, variable: &Declarator, at_start: bool) -> Local {
        Local {
            name: variable.name.clone(),
            ty: declaration.ty.clone(),
            visibility: declaration.visibility,
            width: variable.width.clone(),
            size: variable.size.clone(),
            initial: variable.initial.clone(),
            at_start,
        }
    }
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    /// A global, by its position.
    Global(usize),
    /// A variable of the process type, by its position.
    Local(usize),
}

#[derive(Clone, Debug, Default)]
struct Scope {
    around: Option<ScopeId>,
    names: BTreeMap<String, Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    index: usize,
    order: u32,
    span: Span,
}

/// All scopes of a text.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    list: Vec<Scope>,
    order: u32,
    /// The record types so far.
    pub records: Vec<RecordType>,
    /// The global variables so far.
    pub globals: Vec<Local>,
}

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes { list: vec![Scope::default()], order: 0, records: Vec::new(), globals: Vec::new() }
    }
}

impl Scopes {
    /// A new scope within another.
    pub(super) fn enter(&mut self, around: ScopeId) -> ScopeId {
        self.list.push(Scope { around: Some(around), names: BTreeMap::new() });
        ScopeId(self.list.len() as u32 - 1)
    }

    /// The number of declarations so far.
    pub(super) fn order(&self) -> u32 {
        self.order
    }

    /// Declares a name; answers where it was declared before in this scope.
    pub(super) fn declare(
        &mut self,
        scope: ScopeId,
        name: &Name,
        index: usize,
    ) -> Result<(), Span> {
        self.order += 1;
        let entry = Entry { index, order: self.order, span: name.span };
        match self.list[scope.0 as usize].names.insert(name.text.clone(), entry) {
            Some(before) => Err(before.span),
            None => Ok(()),
        }
    }

    /// The scopes around a scope, innermost first.
    pub(super) fn around(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(self.list[scope.0 as usize].around, |scope| {
            self.list[scope.0 as usize].around
        })
    }

    /// What a name stands for in a scope, at the place in the text where
    /// `order` declarations were made.
    pub(super) fn find(&self, scope: ScopeId, name: &str, order: u32) -> Option<Symbol> {
        let scopes = std::iter::once(scope).chain(self.around(scope));
        for scope in scopes {
            if let Some(entry) = self.list[scope.0 as usize].names.get(name)
                && entry.order <= order
            {
                return Some(match scope {
                    ScopeId::GLOBAL => Symbol::Global(entry.index),
                    _ => Symbol::Local(entry.index),
                });
            }
        }
        None
    }

    /// All names that can be used in a scope.
    pub(super) fn names(&self, scope: ScopeId) -> impl Iterator<Item = &str> {
        let scopes = std::iter::once(scope).chain(self.around(scope));
        scopes.flat_map(|scope| self.list[scope.0 as usize].names.keys().map(String::as_str))
    }

    fn declared<'s>(&'s self, symbol: Symbol, locals: &'s [Local]) -> &'s Local {
        match symbol {
            Symbol::Global(index) => &self.globals[index],
            Symbol::Local(index) => &locals[index],
        }
    }

    /// The size of the array that a reference names as a whole.
    pub(super) fn array_size(
        &self,
        scope: ScopeId,
        reference: &Reference,
        locals: &[Local],
    ) -> Option<Expr> {
        let symbol = self.find(scope, &reference.parts[0].name.text, self.order)?;
        let declared = self.declared(symbol, locals);
        let (mut ty, mut size) = (&declared.ty, &declared.size);
        for part in &reference.parts[1..] {
            let TypeName::Record(name) = ty else { return None };
            let record = self.records.iter().find(|record| record.name.text == name.text)?;
            let mut fields = record.fields.iter();
            let found = fields.find_map(|declaration| {
                let mut variables = declaration.variables.iter();
                let found = variables.find(|field| field.name.text == part.name.text)?;
                Some((&declaration.ty, &found.size))
            });
            (ty, size) = found?;
        }
        size.clone()
    }

    /// Whether a name is a record.
    pub(super) fn is_record(&self, scope: ScopeId, name: &str, locals: &[Local]) -> bool {
        let symbol = self.find(scope, name, self.order);
        symbol.is_some_and(|s| matches!(self.declared(s, locals).ty, TypeName::Record(_)))
    }
}
