//! Instances of modules, and what names mean in them.
//!
//! A module sees its parameters, its own declarations and all symbols, nothing else. A
//! parameter stands for an expression of the instance that gave it.

use std::collections::HashMap;

use homing_ir::relation::{Kind, Relation, SymbolId, TermId};
use homing_ir::{Diagnostic, Span};

use super::syntax::{
    Declaration, Define, ElementValue, Expr, Module, Node, NodeId, Text, Type, Values,
};
use super::values::Value;
use crate::names::nearest;
use crate::reading::{Parse, Reported};
use crate::reports::Reports;

/// How deep instances may be nested.
const MOST_NESTING: usize = 200;
/// How many instances, macros and variables there may be.
const MOST: usize = 1 << 20;

/// A model on its way from a tree to a relation.
pub struct Model<'t> {
    pub text: &'t Text<'t>,
    pub relation: Relation,
    pub reports: Reports,
    pub instances: Vec<Instance>,
    pub variables: Vec<Variable<'t>>,
    pub bodies: Vec<Body>,
    /// Symbols by name.
    pub symbols: HashMap<String, SymbolId>,
    /// Instances that are processes; the main module is the last of them.
    pub processes: Vec<usize>,
    /// The condition that is never true.
    pub never: TermId,
    /// How much may still be spent on finding out what cannot happen.
    pub patience: u64,
    /// What conditions are reasons for, and where that is written.
    pub reasons: HashMap<TermId, (String, Span)>,
    /// Whether all that has no value was shown not to happen.
    pub is_sure: bool,
    /// What terms read, by their numbers, as far as anybody asked.
    pub reads: Vec<Reads>,
    /// Terms at this moment, and what they are at the next.
    pub later: HashMap<TermId, TermId>,
    modules: HashMap<&'t str, usize>,
    /// Macros with dots in their names, and the instances they stand in.
    afar: Vec<(usize, &'t Define)>,
}

/// An instance of a module.
pub struct Instance {
    /// What stands before its names; empty for the main module.
    pub prefix: String,
    /// The number of its module, behind it those of modules that it takes in with `ISA`.
    pub modules: Vec<usize>,
    /// The process its assignments belong to, by its number.
    pub process: usize,
    names: HashMap<String, (Meaning, Span)>,
    nesting: usize,
}

/// What a term reads.
#[derive(Clone, Copy, Default)]
pub struct Reads {
    /// Values of this moment.
    pub current: bool,
    /// Values of the next.
    pub next: bool,
    /// Inputs.
    pub inputs: bool,
}

/// What a name means in an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Instance(usize),
    Entity(Entity),
}

/// What has a value that must be found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Entity {
    /// By its number among variables.
    Variable(usize),
    /// By its number among macros and parameters.
    Body(usize),
}

/// How far the value of an entity is.
pub enum State {
    New,
    /// It is needed for its own value, if it is met again.
    Open,
    Done(Value),
    /// It has none, which was reported.
    Failed,
}

/// A variable as it was declared.
pub struct Variable<'t> {
    pub name: String,
    pub instance: usize,
    pub declaration: &'t Declaration<'t>,
    pub state: State,
}

/// A macro, or a parameter.
pub struct Body {
    pub name: String,
    pub span: Span,
    pub value: Expr,
    /// The instance in which the expression is read.
    pub context: usize,
    pub is_parameter: bool,
    pub state: State,
}

/// What a node of an expression stands for, as far as names tell.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    Instance(usize),
    Entity(Entity),
    /// The beginning of a name that was declared with dots or brackets.
    Part(usize, String),
    Symbol(SymbolId),
    Other,
}

impl<'t> Model<'t> {
    /// A model without instances.
    pub fn new(text: &'t Text<'t>, reports: Reports) -> Model<'t> {
        let mut relation = Relation::default();
        let never = relation.terms.bool(false, Span::default());
        let mut model = Model {
            text,
            relation,
            reports,
            instances: Vec::new(),
            variables: Vec::new(),
            bodies: Vec::new(),
            symbols: HashMap::new(),
            processes: Vec::new(),
            never,
            patience: super::possible::PATIENCE,
            reasons: HashMap::new(),
            is_sure: true,
            reads: Vec::new(),
            later: HashMap::new(),
            modules: HashMap::new(),
            afar: Vec::new(),
        };
        for (number, module) in text.modules.iter().enumerate() {
            if let Some(first) = model.modules.insert(module.name.text, number) {
                let message = format!("the module `{}` is declared twice", module.name.text);
                let first = text.modules[first].name.span;
                let error = Diagnostic::error(message, module.name.span);
                model.reports.add(error.related(first, "declared here first"));
            }
        }
        model
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &'t Node<'t> {
        &self.text.nodes[id.0 as usize].node
    }

    /// Where a node is written.
    pub fn span(&self, id: NodeId) -> Span {
        self.text.nodes[id.0 as usize].span
    }

    /// Reports an error.
    pub fn fail<T>(&mut self, error: Diagnostic) -> Parse<T> {
        self.reports.add(error);
        Err(Reported)
    }

    /// Says what it is where a condition holds.
    pub fn reason(&mut self, condition: TermId, what: impl Into<String>, span: Span) {
        self.reasons.insert(condition, (what.into(), span));
    }

    /// Makes all instances, from the main module on.
    pub fn instantiate(&mut self) -> Parse<()> {
        let Some(main) = self.modules.get("main").copied() else {
            let span = self.text.modules.first().map_or(Span::default(), |one| one.name.span);
            return self.fail(Diagnostic::error("there is no module `main`", span));
        };
        if let Some(parameter) = self.text.modules[main].parameters.first() {
            let message = "the module `main` has no parameters";
            return self.fail(Diagnostic::error(message, parameter.span));
        }
        let root = self.instance(String::new(), main, 0, 0)?;
        self.fill(root, &[], 0)?;
        self.declare_afar()?;
        let last = self.processes.len();
        self.processes.push(root);
        // Until now, the number of the main process was not known.
        self.renumber(root, last);
        Ok(())
    }

    fn renumber(&mut self, root: usize, last: usize) {
        for one in &mut self.instances {
            if one.process == usize::MAX {
                one.process = last;
            }
        }
        debug_assert_eq!(self.instances[root].process, last);
    }

    fn instance(
        &mut self,
        prefix: String,
        module: usize,
        process: usize,
        nesting: usize,
    ) -> Parse<usize> {
        let process = if nesting == 0 { usize::MAX } else { process };
        let modules = self.with_taken_in(module)?;
        let names = HashMap::new();
        self.instances.push(Instance { prefix, modules, process, names, nesting });
        Ok(self.instances.len() - 1)
    }

    /// A module and those that it takes in with `ISA`, each once.
    fn with_taken_in(&mut self, module: usize) -> Parse<Vec<usize>> {
        let mut modules = vec![module];
        let mut at = 0;
        while let Some(module) = modules.get(at).copied() {
            at += 1;
            for name in &self.text.modules[module].taken_in {
                let Some(found) = self.modules.get(name.text).copied() else {
                    return self.unknown_module(name.text, name.span);
                };
                if !self.text.modules[found].parameters.is_empty() {
                    let message =
                        format!("`{}` has parameters, which `ISA` cannot give", name.text);
                    return self.fail(Diagnostic::error(message, name.span));
                }
                if !modules.contains(&found) {
                    modules.push(found);
                }
            }
        }
        Ok(modules)
    }

    /// The number of the module that an instance is of.
    pub fn module_of(&self, instance: usize) -> &'t Module<'t> {
        &self.text.modules[self.instances[instance].modules[0]]
    }

    /// Gives an instance its names. Recursion is as deep as instances may be nested.
    fn fill(&mut self, number: usize, arguments: &[Expr], giver: usize) -> Parse<()> {
        homing_budget::checkpoint();
        let parameters = &self.module_of(number).parameters;
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.body(number, parameter.text, parameter.span, *argument, Some(giver))?;
        }
        for module in self.instances[number].modules.clone() {
            self.declarations(number, &self.text.modules[module])?;
        }
        Ok(())
    }

    fn declarations(&mut self, number: usize, module: &'t Module<'t>) -> Parse<()> {
        for name in &module.constants {
            self.symbol(name);
        }
        for one in &module.defines {
            match one.name.contains('.') {
                true => self.afar.push((number, one)),
                false => self.body(number, &one.name, one.span, one.value, None)?,
            }
        }
        for one in &module.variables {
            match &one.ty {
                Type::Values(_, values) => self.variable(number, one, values)?,
                Type::Instance { process, module, arguments } => {
                    let found = self.modules.get(module.text).copied();
                    let Some(found) = found else {
                        return self.unknown_module(module.text, module.span);
                    };
                    self.part(number, one, found, *process, arguments)?;
                }
            }
        }
        Ok(())
    }

    /// Macros that instances declare in others: `p.x := e` is the macro `x` of the instance `p`,
    /// read where it is written.
    fn declare_afar(&mut self) -> Parse<()> {
        for (context, one) in std::mem::take(&mut self.afar) {
            let (mut instance, mut name) = (context, &one.name[..]);
            while let Some((first, rest)) = name.split_once('.')
                && let Target::Instance(part) = self.within(instance, first.to_string())
            {
                (instance, name) = (part, rest);
            }
            let number = self.bodies.len();
            self.body(instance, name, one.span, one.value, None)?;
            self.bodies[number].context = context;
        }
        Ok(())
    }

    fn unknown_module<T>(&mut self, name: &str, span: Span) -> Parse<T> {
        let message = match name {
            // Other tools have these types.
            "integer" | "real" | "clock" => format!("there is no type `{name}`: models are finite"),
            _ => format!("there is no module `{name}`"),
        };
        let error = Diagnostic::error(message, span);
        let near = nearest(name, self.modules.keys().copied()).map(str::to_string);
        self.fail(match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        })
    }

    /// An instance within an instance.
    fn part(
        &mut self,
        number: usize,
        one: &'t Declaration<'t>,
        module: usize,
        process: bool,
        arguments: &'t [Expr],
    ) -> Parse<()> {
        let Instance { process: of, nesting, .. } = self.instances[number];
        let wanted = self.text.modules[module].parameters.len();
        let name = self.text.modules[module].name.text;
        if wanted != arguments.len() {
            let message = format!("`{name}` has {}, not {}", counted(wanted), arguments.len());
            return self.fail(Diagnostic::error(message, one.span));
        }
        if nesting == MOST_NESTING {
            let message = format!("instances are nested too deeply, in `{name}`");
            let error = Diagnostic::error(message, one.span);
            return self.fail(error.help("does a module contain itself?"));
        }
        self.affordable(one.span)?;
        let prefix = format!("{}{}.", self.instances[number].prefix, one.name);
        let part = self.instance(prefix, module, of, nesting + 1)?;
        self.declare(number, &one.name, Meaning::Instance(part), one.span)?;
        if process {
            self.instances[part].process = self.processes.len();
            self.processes.push(part);
        }
        self.fill(part, arguments, number)
    }

    fn affordable(&mut self, span: Span) -> Parse<()> {
        if self.instances.len() + self.bodies.len() + self.variables.len() < MOST {
            return Ok(());
        }
        let message = format!("there are more than {MOST} instances, macros and variables");
        self.fail(Diagnostic::error(message, span))
    }

    fn variable(
        &mut self,
        instance: usize,
        declaration: &'t Declaration<'t>,
        values: &'t Values,
    ) -> Parse<()> {
        self.affordable(declaration.span)?;
        if let Values::Enumeration(elements) = values {
            for element in elements {
                if let ElementValue::Symbol(name) = &element.value {
                    self.symbol(name);
                }
            }
        }
        let name = format!("{}{}", self.instances[instance].prefix, declaration.name);
        let meaning = Meaning::Entity(Entity::Variable(self.variables.len()));
        self.declare(instance, &declaration.name, meaning, declaration.span)?;
        self.variables.push(Variable { name, instance, declaration, state: State::New });
        Ok(())
    }

    fn body(
        &mut self,
        instance: usize,
        name: &str,
        span: Span,
        value: Expr,
        giver: Option<usize>,
    ) -> Parse<()> {
        self.affordable(span)?;
        self.declare(instance, name, Meaning::Entity(Entity::Body(self.bodies.len())), span)?;
        let name = format!("{}{name}", self.instances[instance].prefix);
        let (context, is_parameter) = (giver.unwrap_or(instance), giver.is_some());
        self.bodies.push(Body { name, span, value, context, is_parameter, state: State::New });
        Ok(())
    }

    /// A macro whose value is known.
    pub fn known(&mut self, instance: usize, name: &str, value: Value, span: Span) -> Parse<()> {
        let number = self.bodies.len();
        let nothing = Expr { first: 0, root: NodeId(0) };
        self.body(instance, name, span, nothing, None)?;
        self.bodies[number].state = State::Done(value);
        Ok(())
    }

    fn declare(&mut self, instance: usize, name: &str, meaning: Meaning, span: Span) -> Parse<()> {
        let before = self.instances[instance].names.insert(name.to_string(), (meaning, span));
        match before {
            None => Ok(()),
            Some((_, first)) => {
                let error = Diagnostic::error(format!("`{name}` is declared twice"), span);
                self.fail(error.related(first, "declared here first"))
            }
        }
    }

    /// The number of a symbol, new or not.
    pub fn symbol(&mut self, name: &str) -> SymbolId {
        if let Some(id) = self.symbols.get(name) {
            return *id;
        }
        let id = SymbolId(self.relation.symbols.len() as u32);
        self.relation.symbols.push(name.to_string());
        self.symbols.insert(name.to_string(), id);
        id
    }

    /// What a name means in an instance.
    pub fn meaning(&self, instance: usize, name: &str) -> Option<Meaning> {
        self.instances[instance].names.get(name).map(|(meaning, _)| *meaning)
    }

    /// What names are known in an instance, nearest to one that is not.
    pub fn near(&self, instance: usize, name: &str) -> Option<&str> {
        // Names in any order: the nearest one is the least of those as near.
        let names = self.instances[instance].names.keys().map(String::as_str);
        nearest(name, names.chain(self.symbols.keys().map(String::as_str)))
    }

    /// What a name stands for in an instance, where nothing stands before it.
    fn named(&self, instance: usize, name: &str) -> Target {
        match (self.meaning(instance, name), self.symbols.get(name)) {
            (Some(Meaning::Entity(entity)), _) => self.through(entity),
            (_, Some(symbol)) => Target::Symbol(*symbol),
            (Some(Meaning::Instance(part)), None) => Target::Instance(part),
            (None, None) => Target::Part(instance, name.to_string()),
        }
    }

    fn within(&self, instance: usize, name: String) -> Target {
        match self.meaning(instance, &name) {
            Some(Meaning::Entity(entity)) => self.through(entity),
            Some(Meaning::Instance(part)) => Target::Instance(part),
            None => Target::Part(instance, name),
        }
    }

    /// The instance that a parameter stands for, if it does. Recursion is as deep as instances
    /// are nested.
    pub fn through(&self, entity: Entity) -> Target {
        if let Entity::Body(number) = entity
            && self.bodies[number].is_parameter
        {
            let Body { value, context, .. } = &self.bodies[number];
            let is_path = matches!(
                self.node(value.root),
                Node::Name(_) | Node::SelfName | Node::Dot(..) | Node::Index(..)
            );
            if is_path && let Some(Target::Instance(part)) = self.targets(*value, *context).pop() {
                return Target::Instance(part);
            }
        }
        Target::Entity(entity)
    }

    /// What the nodes of an expression stand for in an instance, in order.
    pub fn targets(&self, expr: Expr, instance: usize) -> Vec<Target> {
        let mut targets: Vec<Target> = Vec::new();
        for id in expr.first..=expr.root.0 {
            let at = |id: &NodeId| &targets[(id.0 - expr.first) as usize];
            let target = match &self.text.nodes[id as usize].node {
                Node::Name(name) => self.named(instance, name),
                Node::SelfName => Target::Instance(instance),
                Node::Dot(base, name) => match at(base) {
                    Target::Instance(part) => self.within(*part, name.to_string()),
                    Target::Part(part, text) => self.within(*part, format!("{text}.{name}")),
                    Target::Symbol(_) => self.dotted(*base, instance, name),
                    _ => Target::Other,
                },
                Node::Index(base, index) => match (at(base), self.text.literal(*index)) {
                    (Target::Part(part, text), Some(index)) => {
                        self.within(*part, format!("{text}[{index}]"))
                    }
                    _ => Target::Other,
                },
                _ => Target::Other,
            };
            targets.push(target);
        }
        targets
    }

    /// `a.b`, where `a` alone is a symbol: the name of an instance, too, or the beginning of a
    /// longer symbol.
    pub fn dotted(&self, base: NodeId, instance: usize, name: &str) -> Target {
        match (self.node(base), name) {
            (Node::Name(first), name) => match self.meaning(instance, first) {
                Some(Meaning::Instance(part)) => self.within(part, name.to_string()),
                _ => self.named(instance, &format!("{first}.{name}")),
            },
            _ => Target::Other,
        }
    }

    /// The name of an input that terms read, if they do.
    pub fn input_in<const N: usize>(&mut self, terms: [TermId; N]) -> Option<&str> {
        if !terms.iter().any(|term| self.reads(*term).inputs) {
            return None;
        }
        let support = self.relation.terms.support(terms);
        let mut read = support.current.iter().map(|id| self.relation.variable(*id));
        read.find(|variable| variable.kind == Kind::Input).map(|variable| &*variable.name)
    }
}

fn counted(parameters: usize) -> String {
    match parameters {
        0 => "no parameters".into(),
        1 => "one parameter".into(),
        more => format!("{more} parameters"),
    }
}
