//! `#define` and `#undef`.

use std::rc::Rc;

use homing_ir::{Diagnostic, Span};

use super::Preprocessor;
use super::macros::{Builtin, Macro, REST};
use super::scan::{Kind, Scanner, Word};

impl Preprocessor<'_> {
    /// Macros that are there from the start, and those of the settings: they
    /// are read before the text.
    pub(super) fn predefine(&mut self) {
        for (name, builtin) in [("__LINE__", Builtin::Line), ("__FILE__", Builtin::File)] {
            let name: Rc<str> = name.into();
            let definition = Macro {
                name: Rc::clone(&name),
                span: Span::default(),
                parameters: None,
                variadic: false,
                body: Vec::new(),
                builtin: Some(builtin),
            };
            self.macros.insert(name, Rc::new(definition));
        }
        let mut text = String::from("#define __STDC__ 1\n");
        for define in self.settings.defines {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            let value = value.lines().next().unwrap_or("");
            text += &format!("#define {name} {value}\n");
        }
        let source = self.sources.add("<command line>", text.as_str());
        self.open(Scanner::new(source, text), "<command line>".into(), None);
    }

    pub(super) fn define(&mut self, rest: &[Word], span: Span) {
        let Some(definition) = self.definition(rest, span) else { return };
        if let Some(before) = self.macros.get(&definition.name).filter(|old| !old.same(&definition))
        {
            let message = format!("the macro `{}` is defined anew", definition.name);
            let mut warning = Diagnostic::warning(message, definition.span);
            if before.builtin.is_none() {
                warning = warning.related(before.span, "first defined here");
            }
            self.reports.add(warning);
        }
        self.macros.insert(Rc::clone(&definition.name), Rc::new(definition));
    }

    fn definition(&mut self, rest: &[Word], span: Span) -> Option<Macro> {
        let name = self.macro_name(rest, "#define", span)?;
        let mut body = &rest[1..];
        let mut parameters = None;
        let mut variadic = false;
        if body.first().is_some_and(|word| word.is("(") && !word.space) {
            let Some((list, rest, behind)) = parameter_list(&body[1..]) else {
                let message = format!("the parameters of the macro `{}` are wrong", name.text);
                let error = Diagnostic::error(message, name.span);
                self.reports.add(error.help("write names with commas between them, then `)`"));
                return None;
            };
            (parameters, variadic, body) = (Some(list), rest, behind);
        }
        let definition = Macro {
            name: Rc::clone(&name.text),
            span: name.span,
            parameters,
            variadic,
            body: body.to_vec(),
            builtin: None,
        };
        self.check_body(&definition).then_some(definition)
    }

    fn macro_name<'w>(
        &mut self,
        rest: &'w [Word],
        directive: &str,
        span: Span,
    ) -> Option<&'w Word> {
        let name = rest.first().filter(|word| word.kind == Kind::Name);
        if name.is_none() {
            let message = format!("`{directive}` needs the name of a macro");
            let place = rest.first().map_or(span, |word| word.span);
            self.reports.add(Diagnostic::error(message, place));
        }
        let name = name?;
        if &*name.text == "defined" {
            let error = Diagnostic::error("`defined` cannot be the name of a macro", name.span);
            self.reports.add(error);
            return None;
        }
        Some(name)
    }

    /// `##` needs two words, `#` a parameter.
    fn check_body(&mut self, definition: &Macro) -> bool {
        let body = &definition.body;
        let ends = [body.first(), body.last()].into_iter().flatten().find(|word| word.is("##"));
        if let Some(word) = ends {
            let error = Diagnostic::error("`##` needs a word on either side", word.span);
            self.reports.add(error);
            return false;
        }
        let Some(parameters) = &definition.parameters else { return true };
        let lone = body.iter().enumerate().find(|(i, word)| {
            let next = body.get(i + 1);
            word.is("#") && !next.is_some_and(|next| parameters.contains(&next.text))
        });
        if let Some((_, word)) = lone {
            let error = Diagnostic::error("`#` needs a parameter of the macro", word.span);
            self.reports.add(error);
        }
        lone.is_none()
    }

    pub(super) fn undefine(&mut self, rest: &[Word], span: Span) {
        if let Some(name) = self.macro_name(rest, "#undef", span) {
            self.macros.remove(&name.text);
        }
    }
}

/// Parameters up to `)`, whether the last takes all that is left, and what
/// stands behind.
fn parameter_list(words: &[Word]) -> Option<(Vec<Rc<str>>, bool, &[Word])> {
    let mut list: Vec<Rc<str>> = Vec::new();
    let mut rest = words;
    if rest.first()?.is(")") {
        return Some((list, false, &rest[1..]));
    }
    loop {
        let mut variadic = false;
        let name: Rc<str> = match rest {
            [dots, ..] if dots.is("...") => {
                (variadic, rest) = (true, &rest[1..]);
                REST.into()
            }
            [name, dots, ..] if name.kind == Kind::Name && dots.is("...") => {
                (variadic, rest) = (true, &rest[2..]);
                Rc::clone(&name.text)
            }
            [name, ..] if name.kind == Kind::Name => {
                rest = &rest[1..];
                Rc::clone(&name.text)
            }
            _ => return None,
        };
        if list.contains(&name) {
            return None;
        }
        list.push(name);
        match rest.first()? {
            word if word.is(")") => return Some((list, variadic, &rest[1..])),
            word if word.is(",") && !variadic => rest = &rest[1..],
            _ => return None,
        }
    }
}
