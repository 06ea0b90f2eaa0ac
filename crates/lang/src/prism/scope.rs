//! What names stand for, and what constants and formulas are worth.
//!
//! A formula is put in the place of its name, with the names that a renamed module has in
//! the place of those it was written with: that is how PRISM renames.

use std::collections::BTreeMap;

use homing_ir::network::{ExprKind as Built, VariableId};
use homing_ir::{Diagnostic, Span};

use super::number::{Number, Real};
use super::syntax::{Constant, Expr, Model, Name, Named, Type};
use super::value::{Value, Whole};
use crate::names::nearest;
use crate::reading::{Parse, Reported};
use crate::reports::Reports;

/// How deep expressions may be, those of formulas within others included.
const MOST_DEPTH: usize = 200;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Constant(usize),
    Formula(usize),
    Variable(VariableId),
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub bool: bool,
    pub low: i64,
    pub high: i64,
}

/// Names that stand for others: of a module that is another one renamed, the
/// renaming nearest to the written module first.
pub type Renaming<'t> = Vec<BTreeMap<&'t str, &'t str>>;

#[derive(Clone, Debug)]
enum Progress<T> {
    Waiting,
    Busy,
    Done(T),
}

/// The names of a model.
pub struct Scope<'m, 't> {
    names: BTreeMap<&'t str, (Meaning, Span)>,
    constants: Vec<&'m Constant<'t>>,
    given: BTreeMap<&'t str, &'m Expr<'t>>,
    values: Vec<Progress<Parse<Number>>>,
    formulas: Vec<&'m Named<'t>>,
    /// Those of the renaming in use.
    expanded: Vec<Progress<Value>>,
    labels: BTreeMap<&'t str, (&'m Expr<'t>, Span, bool)>,
    /// By the numbers of the variables; unknown until their bounds are.
    pub variables: Vec<Option<Known>>,
    renaming: Renaming<'t>,
    /// The initial state, where a property is read.
    pub initial: Option<Vec<i64>>,
    depth: usize,
    quiet: bool,
    /// Whether a constant without a value is no error, because nothing rests on it.
    idle: bool,
    pub reports: Reports,
}

impl<'m, 't> Scope<'m, 't> {
    pub fn new(model: &'m Model<'t>, reports: Reports) -> Scope<'m, 't> {
        let mut scope = Scope {
            names: BTreeMap::new(),
            constants: model.constants.iter().collect(),
            given: BTreeMap::new(),
            values: vec![Progress::Waiting; model.constants.len()],
            formulas: model.formulas.iter().collect(),
            expanded: vec![Progress::Waiting; model.formulas.len()],
            labels: BTreeMap::new(),
            variables: Vec::new(),
            renaming: Vec::new(),
            initial: None,
            depth: 0,
            quiet: false,
            idle: false,
            reports,
        };
        for (number, constant) in model.constants.iter().enumerate() {
            scope.declare(constant.name, Meaning::Constant(number));
        }
        for (number, formula) in model.formulas.iter().enumerate() {
            scope.declare(formula.name, Meaning::Formula(number));
        }
        model.labels.iter().for_each(|label| scope.label_declared(label));
        scope
    }

    /// Adds a name, unless it has a meaning already.
    pub fn declare(&mut self, name: Name<'t>, meaning: Meaning) {
        match self.names.get(name.text) {
            Some((_, before)) => {
                let message = format!("the name `{}` is declared twice", name.text);
                let error = Diagnostic::error(message, name.span);
                self.report(error.related(*before, "declared here before"));
            }
            None => {
                self.names.insert(name.text, (meaning, name.span));
            }
        }
    }

    fn label_declared(&mut self, label: &'m Named<'t>) {
        let Name { text, span } = label.name;
        if let Some((_, before, _)) = self.labels.insert(text, (&label.value, span, false)) {
            let error =
                Diagnostic::error(format!("the label `\"{text}\"` is declared twice"), span);
            self.report(error.related(before, "declared here before"));
        }
    }

    /// Takes values that were given with `--const`.
    pub fn settle(&mut self, settings: &'m [(Name<'t>, Expr<'t>)]) {
        for (name, value) in settings {
            let declared = self.constants.iter().find(|one| one.name.text == name.text);
            match declared {
                None => self.no_constant(*name),
                Some(Constant { name: declared, value: Some(_), .. }) => {
                    let message = format!("the constant `{}` has a value in the model", name.text);
                    let error = Diagnostic::error(message, name.span);
                    self.report(error.related(declared.span, "declared here"));
                }
                Some(_) if self.given.insert(name.text, value).is_some() => {
                    let message = format!("the constant `{}` is given twice", name.text);
                    self.report(Diagnostic::error(message, name.span));
                }
                Some(_) => {}
            }
        }
    }

    fn no_constant(&mut self, name: Name<'t>) {
        let error = Diagnostic::error(format!("there is no constant `{}`", name.text), name.span);
        let open = self.constants.iter().filter(|one| one.value.is_none());
        let near = nearest(name.text, open.map(|one| one.name.text));
        self.report(match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        });
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        if !self.quiet {
            self.reports.add(diagnostic);
        }
    }

    pub fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Reported)
    }

    /// Tries something of which nothing is said if it fails.
    pub fn quietly<T>(&mut self, attempt: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.quiet, true);
        let result = attempt(self);
        self.quiet = before;
        result
    }

    /// From here on, names are those of a module that is renamed so.
    pub fn rename(&mut self, renaming: Renaming<'t>) {
        self.renaming = renaming;
        self.expanded.iter_mut().for_each(|one| *one = Progress::Waiting);
    }

    /// What a name is called where it stands.
    pub fn renamed(&self, name: &'t str) -> &'t str {
        self.renaming.iter().fold(name, |name, pairs| pairs.get(name).copied().unwrap_or(name))
    }

    /// What a name stands for.
    pub fn meaning(&mut self, name: Name<'t>, what: &str) -> Parse<Meaning> {
        let text = self.renamed(name.text);
        if let Some((meaning, _)) = self.names.get(text) {
            return Ok(*meaning);
        }
        let error = Diagnostic::error(format!("there is no {what} `{text}`"), name.span);
        let near = nearest(text, self.names.keys().copied());
        let error = match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        };
        self.fail(error)
    }

    /// Something one level deeper.
    pub fn deeper<T>(&mut self, span: Span, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == MOST_DEPTH {
            let error = Diagnostic::error("the expression is nested too deeply", span);
            let help = format!("at most {MOST_DEPTH} levels can be read, formulas included");
            return self.fail(error.help(help));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// The value of a name within an expression.
    pub fn named(&mut self, name: Name<'t>) -> Parse<Value> {
        match self.meaning(name, "constant, formula or variable")? {
            Meaning::Constant(number) => self.constant(number, name.span).map(Value::Known),
            Meaning::Formula(number) => self.formula(number, name.span),
            Meaning::Variable(id) => match self.variables.get(id.index()) {
                Some(Some(known)) => Ok(Value::Whole(Whole::read(id, *known, name.span))),
                _ => self.unknown(name.span),
            },
        }
    }

    fn unknown<T>(&mut self, span: Span) -> Parse<T> {
        let error = Diagnostic::error("this is not known before the model runs", span);
        self.fail(error.help("bounds and initial values are made of constants"))
    }

    fn constant(&mut self, number: usize, used: Span) -> Parse<Number> {
        match self.values[number] {
            Progress::Done(value) => return value,
            Progress::Busy => return self.circular(self.constants[number].name),
            Progress::Waiting => {}
        }
        self.values[number] = Progress::Busy;
        let renaming = std::mem::take(&mut self.renaming);
        let value = self.constant_value(self.constants[number], used);
        self.renaming = renaming;
        // What failed without a word is tried again by whoever asks aloud.
        self.values[number] = match value {
            Err(_) if self.quiet || self.idle => Progress::Waiting,
            _ => Progress::Done(value),
        };
        value
    }

    fn constant_value(&mut self, constant: &'m Constant<'t>, used: Span) -> Parse<Number> {
        let Name { text, span } = constant.name;
        let Some(expr) = constant.value.as_ref().or_else(|| self.given.get(text).copied()) else {
            if self.idle {
                return Err(Reported);
            }
            let error = Diagnostic::error(format!("the constant `{text}` has no value"), used)
                .related(span, "declared here, without one")
                .help(format!("give it one: `--const {text}=…`"));
            return self.fail(error);
        };
        let value = self.known(expr)?;
        match (constant.ty, value) {
            (Type::Bool, Number::Bool(_)) | (Type::Int, Number::Int(_)) => Ok(value),
            (Type::Double, Number::Int(value)) => Ok(Number::Real(Real::whole(value))),
            (Type::Double, Number::Real(_)) => Ok(value),
            (ty, _) => {
                let wanted = match ty {
                    Type::Bool => "a truth value",
                    Type::Int => "a whole number",
                    Type::Double => "a number",
                };
                let message = format!("the constant `{text}` is {wanted}, and this is none");
                let error = Diagnostic::error(message, expr.span);
                self.fail(error.related(span, "declared here"))
            }
        }
    }

    /// The value of an expression that is made of constants.
    pub fn known(&mut self, expr: &'m Expr<'t>) -> Parse<Number> {
        match self.value(expr)? {
            Value::Known(number) => Ok(number),
            Value::Whole(_) | Value::Fraction(..) => self.unknown(expr.span),
        }
    }

    /// The value of an expression that is a known whole number.
    pub fn known_int(&mut self, expr: &'m Expr<'t>) -> Parse<i64> {
        match self.known(expr)? {
            Number::Int(value) => Ok(value),
            Number::Bool(_) | Number::Real(_) => {
                self.fail(Diagnostic::error("a whole number is needed here", expr.span))
            }
        }
    }

    fn circular<T>(&mut self, name: Name<'t>) -> Parse<T> {
        let message = format!("`{}` is defined by itself", name.text);
        self.fail(Diagnostic::error(message, name.span))
    }

    fn formula(&mut self, number: usize, used: Span) -> Parse<Value> {
        match &self.expanded[number] {
            Progress::Done(value) => return Ok(value.clone()),
            Progress::Busy => return self.circular(self.formulas[number].name),
            Progress::Waiting => {}
        }
        self.expanded[number] = Progress::Busy;
        let expr = &self.formulas[number].value;
        let value = self.deeper(used, |this| this.value(expr));
        self.expanded[number] = match &value {
            Ok(value) => Progress::Done(value.clone()),
            Err(_) => Progress::Waiting,
        };
        value
    }

    /// The expression that a name is put in the place of.
    pub fn definition(&mut self, name: &'t str) -> Option<&'m Expr<'t>> {
        match self.names.get(self.renamed(name)) {
            Some((Meaning::Formula(number), _)) => Some(&self.formulas[*number].value),
            _ => None,
        }
    }

    /// What a label says; two of them are known in every model.
    pub fn label(&mut self, name: &'t str, span: Span) -> Parse<Value> {
        if let Some((expr, declared, busy)) = self.labels.get_mut(name) {
            let (expr, declared) = (*expr, *declared);
            if std::mem::replace(busy, true) {
                return self.circular(Name { text: name, span: declared });
            }
            let value = self.deeper(span, |this| this.value(expr));
            if let Some((_, _, busy)) = self.labels.get_mut(name) {
                *busy = false;
            }
            return value;
        }
        match (name, self.initial.clone()) {
            ("deadlock", Some(_)) => Ok(Value::Whole(Whole::truth(Built::Deadlock, span))),
            ("init", Some(initial)) => self.initially(&initial, span),
            ("deadlock" | "init", None) => {
                let message = format!("the label `\"{name}\"` can be used in goals only");
                self.fail(Diagnostic::error(message, span))
            }
            _ => {
                let message = format!("there is no label `\"{name}\"`");
                let error = Diagnostic::error(message, span);
                let near = nearest(name, self.labels.keys().copied());
                let error = match near {
                    Some(near) => error.help(format!("did you mean `\"{near}\"`?")),
                    None => error,
                };
                self.fail(error)
            }
        }
    }

    /// Whether the state is the initial one.
    fn initially(&mut self, initial: &[i64], span: Span) -> Parse<Value> {
        let known: Vec<Option<Known>> = self.variables.clone();
        let each = known.iter().zip(initial).enumerate().filter_map(|(number, (known, value))| {
            let read = Whole::read(VariableId(number as u32), (*known)?, span);
            Some(Whole::equal(read, Whole::number(*value, span), span))
        });
        let all = homing_ir::balanced(each.collect(), |a, b| Whole::both(a, b, span));
        Ok(all.map_or(Value::Known(Number::Bool(true)), Value::Whole))
    }

    /// Reads all constants, formulas and labels, for what is wrong with those that nothing uses.
    pub fn check_all(&mut self) {
        self.idle = true;
        for number in 0..self.constants.len() {
            let span = self.constants[number].name.span;
            let _ = self.constant(number, span);
        }
        for number in 0..self.formulas.len() {
            let span = self.formulas[number].name.span;
            let _ = self.formula(number, span);
        }
        let labels: Vec<&'m Expr<'t>> = self.labels.values().map(|(expr, ..)| *expr).collect();
        for expr in labels {
            let _ = self.condition(expr);
        }
        self.idle = false;
    }

    /// Checks something that nothing rests on yet.
    pub fn idly(&mut self, check: impl FnOnce(&mut Self)) {
        self.idle = true;
        check(self);
        self.idle = false;
    }
}
