//! Directives: which parts of a file are read.

use homing_ir::{Diagnostic, Span};

use super::scan::{Kind, Word};
use super::{File, Preprocessor, condition};

/// An open `#if`.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// Where it is.
    span: Span,
    /// Whether what is around it is read.
    outer: bool,
    /// Whether the part reached is read.
    live: bool,
    /// Whether a part was read already.
    taken: bool,
    /// The `#else`.
    otherwise: Option<Span>,
}

impl File {
    /// Whether the part reached is left out.
    pub(super) fn skipping(&self) -> bool {
        self.conditions.last().is_some_and(|condition| !condition.live)
    }
}

impl Preprocessor<'_> {
    /// A line that begins with `#`.
    pub(super) fn directive(&mut self, line: Vec<Word>) {
        let hash = line[0].span;
        let Some(name) = line.get(1) else { return };
        let span = hash.to(name.span);
        let skipping = self.files.last().is_some_and(File::skipping);
        let rest = &line[2..];
        match &*name.text {
            "if" | "ifdef" | "ifndef" => {
                let value = !skipping && self.condition(&name.text, rest, span);
                self.begin(span, !skipping, value);
            }
            "elif" => self.elif(rest, span),
            "else" => self.otherwise(span),
            "endif" => self.endif(span),
            _ if skipping => {}
            "define" => self.define(rest, span),
            "undef" => self.undefine(rest, span),
            "include" => self.include(rest, span),
            "error" | "warning" => self.message(name, rest, span),
            "line" | "pragma" | "ident" | "sccs" => {}
            _ if name.kind == Kind::Number => {}
            other => {
                let message = format!("unknown directive `#{other}`");
                self.reports.add(Diagnostic::error(message, span));
            }
        }
    }

    /// `#error` and `#warning`.
    fn message(&mut self, name: &Word, rest: &[Word], span: Span) {
        let place = rest.last().map_or(span, |last| span.to(last.span));
        let text = match (rest.first(), rest.last(), self.files.last()) {
            (Some(first), Some(last), Some(file)) => {
                file.scanner.text(first.span.start, last.span.end).to_string()
            }
            _ => String::new(),
        };
        let message = format!("#{} {text}", name.text);
        self.reports.add(match &*name.text {
            "error" => Diagnostic::error(message.trim_end(), place),
            _ => Diagnostic::warning(message.trim_end(), place),
        });
    }

    fn begin(&mut self, span: Span, outer: bool, value: bool) {
        let condition = Condition { span, outer, live: value, taken: value, otherwise: None };
        self.conditions().push(condition);
    }

    fn conditions(&mut self) -> &mut Vec<Condition> {
        // There is an open file whenever a directive is read.
        let last = self.files.len() - 1;
        &mut self.files[last].conditions
    }

    fn elif(&mut self, rest: &[Word], span: Span) {
        let Some(open) = self.conditions().pop() else { return self.unopened("elif", span) };
        self.check_order("elif", &open, span);
        let value = open.outer && !open.taken && self.condition("if", rest, span);
        self.conditions().push(Condition { live: value, taken: open.taken || value, ..open });
    }

    fn otherwise(&mut self, span: Span) {
        let Some(open) = self.conditions().pop() else { return self.unopened("else", span) };
        self.check_order("else", &open, span);
        let live = open.outer && !open.taken;
        self.conditions().push(Condition { live, taken: true, otherwise: Some(span), ..open });
    }

    fn endif(&mut self, span: Span) {
        if self.conditions().pop().is_none() {
            self.unopened("endif", span);
        }
    }

    fn unopened(&mut self, name: &str, span: Span) {
        self.reports.add(Diagnostic::error(format!("`#{name}` without `#if`"), span));
    }

    fn check_order(&mut self, name: &str, open: &Condition, span: Span) {
        if let Some(before) = open.otherwise {
            let error = Diagnostic::error(format!("`#{name}` behind `#else`"), span);
            self.reports.add(error.related(before, "`#else` is here"));
        }
    }

    /// Closes the innermost file.
    pub(super) fn close_file(&mut self) {
        let Some(file) = self.files.pop() else { return };
        for open in file.conditions.iter().rev() {
            let error = Diagnostic::error("`#if` is not closed", open.span);
            self.reports.add(error.help("write `#endif` where it ends"));
        }
    }

    /// Whether the condition of a directive holds; not where it is wrong.
    fn condition(&mut self, directive: &str, rest: &[Word], span: Span) -> bool {
        if directive == "if" {
            return self.arithmetic(rest, span);
        }
        match rest {
            [name, ..] if name.kind == Kind::Name => {
                self.macros.contains_key(&name.text) == (directive == "ifdef")
            }
            _ => {
                let message = format!("`#{directive}` needs the name of a macro");
                self.reports.add(Diagnostic::error(message, span));
                false
            }
        }
    }

    fn arithmetic(&mut self, rest: &[Word], span: Span) -> bool {
        let place = rest.last().map_or(span, |last| span.to(last.span));
        let value = self.resolve_defined(rest).and_then(|words| {
            let words = self.expand(words);
            // A macro may make `defined`, too.
            let words = self.resolve_defined(&words)?;
            condition::evaluate(&words)
        });
        value.unwrap_or_else(|message| {
            if !self.stopped {
                self.reports.add(Diagnostic::error(message, place));
            }
            false
        })
    }

    /// Puts numbers for `defined X` and `defined(X)`.
    fn resolve_defined(&self, words: &[Word]) -> Result<Vec<Word>, String> {
        let mut resolved = Vec::with_capacity(words.len());
        let mut i = 0;
        while let Some(word) = words.get(i) {
            i += 1;
            if word.kind != Kind::Name || &*word.text != "defined" {
                resolved.push(word.clone());
                continue;
            }
            let name = match &words[i..] {
                [open, name, close, ..] if open.is("(") && close.is(")") => {
                    i += 3;
                    name
                }
                [name, ..] if !name.is("(") => {
                    i += 1;
                    name
                }
                _ => return Err("`defined` needs the name of a macro".to_string()),
            };
            if name.kind != Kind::Name {
                return Err("`defined` needs the name of a macro".to_string());
            }
            let text = if self.macros.contains_key(&name.text) { "1" } else { "0" };
            resolved.push(Word { kind: Kind::Number, text: text.into(), ..word.clone() });
        }
        Ok(resolved)
    }
}
