//! The preprocessor: what `cpp` does to a text before SPIN reads it.
//!
//! ISO/IEC 9899:1999, 6.10, in the reading of GNU cpp, which is what SPIN
//! calls. Macros are expanded as follows:
//!
//! ```text
//! next():
//!     w := next word of the innermost open expansion, or of the file
//!     if w names a macro that is not painted:
//!         if the macro is being expanded: paint w, return it
//!         if the macro takes arguments and no `(` follows: return w
//!         collect arguments, expand each for itself
//!         open an expansion: the body with arguments put in
//!         go on with next()
//!     return w
//! ```
//!
//! An expansion is closed when a word behind it is asked for. A painted word is
//! never expanded again, so that macros that use themselves come to an end.
//! Every word remembers the place of the outermost macro it comes from (its line
//! is the one SPIN reports) and the chain of expansions, for diagnostics.
//!
//! Deviations: trigraphs, digraphs, `__VA_OPT__`, `__DATE__`, `__TIME__` and
//! what a compiler predefines beyond `__LINE__`, `__FILE__` and `__STDC__` do
//! not exist; `#line` is read and changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use homing_ir::{Diagnostic, SourceId, Sources, Span};

use crate::Settings;
use crate::reports::Reports;
use macros::{Argument, At, Builtin, Macro, substitute};
use scan::{Kind, Scanner, Word};

mod condition;
mod define;
mod directive;
mod include;
mod macros;
pub mod scan;

/// More words than this are taken for an accident, or an attack.
const MOST_WORDS: usize = 4_000_000;
/// How deep uses of macros may be nested in arguments of macros.
const MOST_NESTING: usize = 200;

/// A use of a macro, or of an inline.
#[derive(Clone, Debug)]
pub struct Origin {
    pub name: Rc<str>,
    /// Where it is defined.
    pub definition: Span,
    /// The expansion its name comes from; 0 is none.
    pub parent: u32,
}

/// A text without macros and directives.
#[derive(Clone, Debug, Default)]
pub struct Preprocessed {
    pub words: Vec<Word>,
    /// By number, from 1.
    pub origins: Vec<Origin>,
    /// The end of the text.
    pub end: Span,
}

/// Preprocesses a text that is in `sources` already.
pub fn preprocess(
    source: SourceId,
    settings: &Settings<'_>,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Preprocessed {
    let text: Rc<str> = sources.get(source).text.as_str().into();
    let path = PathBuf::from(&sources.get(source).name);
    let end = Span { source, start: text.len() as u32, end: text.len() as u32 };
    let mut preprocessor = Preprocessor {
        settings,
        sources,
        reports,
        macros: BTreeMap::new(),
        files: Vec::new(),
        texts: BTreeMap::new(),
        contexts: Vec::new(),
        active: BTreeSet::new(),
        origins: Vec::new(),
        spent: 0,
        nesting: 0,
        stopped: false,
    };
    preprocessor.open(Scanner::new(source, text), path, None);
    preprocessor.predefine();
    let mut words = Vec::new();
    while let Some(word) = preprocessor.next() {
        preprocessor.warn_of_hidden_macro(&word);
        words.push(word);
    }
    if preprocessor.stopped {
        // Whatever else there is to say would follow from the text being cut.
        words.clear();
    }
    Preprocessed { words, origins: preprocessor.origins, end }
}

/// The words of a text without directives and macros.
pub fn words_of(source: SourceId, text: &str, reports: &mut Reports) -> Preprocessed {
    let mut scanner = Scanner::new(source, text);
    let mut words = Vec::new();
    while let Some(mut line) = scanner.line() {
        report_unclosed(&mut line, reports);
        words.append(&mut line);
    }
    Preprocessed { words, origins: Vec::new(), end: scanner.place() }
}

/// Removes and reports a comment that is not closed.
fn report_unclosed(line: &mut Vec<Word>, reports: &mut Reports) {
    if let Some(word) = line.pop_if(|word| word.kind == Kind::Unclosed) {
        let span = Span { end: word.span.start + 2, ..word.span };
        let error = Diagnostic::error("a comment is not closed", span).label("opened here");
        reports.add(error.help("write `*/` where it ends"));
    }
}

/// An open file.
struct File {
    scanner: Scanner,
    line: std::vec::IntoIter<Word>,
    conditions: Vec<directive::Condition>,
    path: PathBuf,
    /// The `#include` that opened it.
    opened: Option<Span>,
}

/// An open expansion.
struct Context {
    words: std::vec::IntoIter<Word>,
    /// The macro being expanded.
    name: Option<Rc<str>>,
    /// Whether what is behind it belongs to something else: the end of an
    /// argument or a directive.
    barrier: bool,
}

struct Preprocessor<'a> {
    settings: &'a Settings<'a>,
    sources: &'a mut Sources,
    reports: &'a mut Reports,
    macros: BTreeMap<Rc<str>, Rc<Macro>>,
    files: Vec<File>,
    /// Included files, each read once.
    texts: BTreeMap<PathBuf, (SourceId, Rc<str>)>,
    contexts: Vec<Context>,
    /// Macros that are being expanded.
    active: BTreeSet<Rc<str>>,
    origins: Vec<Origin>,
    /// How many words were looked at.
    spent: usize,
    /// How many arguments within arguments are being expanded.
    nesting: usize,
    /// Whether an error makes reading on senseless.
    stopped: bool,
}

impl Preprocessor<'_> {
    fn open(&mut self, scanner: Scanner, path: PathBuf, opened: Option<Span>) {
        let line = Vec::new().into_iter();
        self.files.push(File { scanner, line, conditions: Vec::new(), path, opened });
    }

    /// Reports an error that ends the reading.
    fn stop(&mut self, error: Diagnostic) {
        if !self.stopped {
            self.reports.add(error);
        }
        self.stopped = true;
    }

    /// The next word, macros expanded.
    fn next(&mut self) -> Option<Word> {
        loop {
            let word = self.raw()?;
            let known = word.kind == Kind::Name && !word.painted;
            let Some(definition) = self.macros.get(&word.text).filter(|_| known) else {
                return Some(word);
            };
            if self.active.contains(&word.text) {
                return Some(Word { painted: true, ..word });
            }
            let definition = Rc::clone(definition);
            if let Some(word) = self.enter(word, &definition) {
                return Some(word);
            }
        }
    }

    /// The next word as it stands.
    fn raw(&mut self) -> Option<Word> {
        loop {
            if self.stopped {
                return None;
            }
            let Some(context) = self.contexts.last_mut() else { return self.file_word() };
            if let Some(word) = context.words.next() {
                self.spend(&word);
                return Some(word);
            }
            if context.barrier {
                return None;
            }
            self.close();
        }
    }

    fn close(&mut self) {
        if let Some(name) = self.contexts.pop().and_then(|context| context.name) {
            self.active.remove(&name);
        }
    }

    fn spend(&mut self, word: &Word) {
        self.spent += 1;
        if self.spent > MOST_WORDS {
            let message = format!("macros make more than {MOST_WORDS} words of the text");
            self.stop(Diagnostic::error(message, word.span).label("not read from here on"));
        }
    }

    /// Expands the use of a macro; gives `word` back where it is none.
    fn enter(&mut self, word: Word, definition: &Rc<Macro>) -> Option<Word> {
        if let Some(builtin) = definition.builtin {
            return Some(self.builtin(word, builtin));
        }
        let origin = self.origins.len() as u32 + 1;
        let mut at = At { place: word.span, line: word.line, origin };
        let mut arguments = Vec::new();
        if definition.parameters.is_some() {
            if !self.at_parenthesis() {
                return Some(word);
            }
            let (mut lists, close) = self.collect(&word, definition, origin)?;
            if word.origin == 0 && close.source == word.span.source {
                at.place = word.span.to(close);
            }
            if !self.fitting(&mut lists, definition, at.place) {
                return Some(Word { painted: true, span: at.place, ..word });
            }
            for far in lists.iter_mut().flatten().filter(|far| far.origin == origin) {
                far.span = at.place;
            }
            self.new_origin(&word, definition);
            arguments = lists.into_iter().map(|written| self.argument(written)).collect();
        } else {
            self.new_origin(&word, definition);
        }
        let mut words = substitute(definition, &arguments, at, self.reports);
        if let Some(first) = words.first_mut() {
            first.space = word.space;
        }
        self.active.insert(Rc::clone(&definition.name));
        let name = Some(Rc::clone(&definition.name));
        self.contexts.push(Context { words: words.into_iter(), name, barrier: false });
        None
    }

    fn new_origin(&mut self, word: &Word, definition: &Macro) {
        let name = Rc::clone(&definition.name);
        self.reports.expanded(word.span, &name, definition.span);
        self.origins.push(Origin { name, definition: definition.span, parent: word.origin });
    }

    fn builtin(&self, word: Word, builtin: Builtin) -> Word {
        match builtin {
            Builtin::Line => {
                Word { kind: Kind::Number, text: word.line.to_string().into(), ..word }
            }
            Builtin::File => {
                let name = &self.sources.get(word.span.source).name;
                let text = format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
                Word { kind: Kind::String, text: text.into(), ..word }
            }
        }
    }

    /// Whether `(` follows, which is passed then.
    fn at_parenthesis(&mut self) -> bool {
        let Some(word) = self.raw() else { return false };
        let found = word.is("(");
        if !found {
            let words = vec![word].into_iter();
            self.contexts.push(Context { words, name: None, barrier: false });
        }
        found
    }

    /// The arguments behind `(`, and where `)` is. Those in lines below the
    /// macro's name get the number of its expansion: they do not stand where
    /// SPIN says they do.
    fn collect(
        &mut self,
        name: &Word,
        definition: &Macro,
        origin: u32,
    ) -> Option<(Vec<Vec<Word>>, Span)> {
        let last = definition.parameters.as_ref().map_or(0, Vec::len);
        let mut lists = vec![Vec::new()];
        let mut depth = 0usize;
        let mut line = name.line;
        loop {
            homing_budget::checkpoint();
            let Some(mut word) = self.raw() else {
                if self.stopped {
                    return None;
                }
                let message = format!("the arguments of the macro `{}` are not closed", name.text);
                let error = Diagnostic::error(message, name.span).label("`)` is missing");
                self.reports.add(error.related(definition.span, "defined here"));
                return None;
            };
            if word.is(")") && depth == 0 {
                return Some((lists, word.span));
            }
            depth = match () {
                () if word.is("(") => depth + 1,
                () if word.is(")") => depth - 1,
                () => depth,
            };
            let rest = definition.variadic && lists.len() == last;
            if word.is(",") && depth == 0 && !rest {
                lists.push(Vec::new());
                continue;
            }
            word.space |= word.line != line;
            line = word.line;
            if word.origin == 0 && word.line != name.line {
                word.origin = origin;
            }
            word.line = name.line;
            if let Some(list) = lists.last_mut() {
                list.push(word);
            }
        }
    }

    /// Whether the number of arguments is right.
    fn fitting(&mut self, lists: &mut Vec<Vec<Word>>, definition: &Macro, place: Span) -> bool {
        let expected = definition.parameters.as_ref().map_or(0, Vec::len);
        if expected == 0 && lists.len() == 1 && lists[0].is_empty() {
            lists.clear();
        }
        if definition.variadic && lists.len() + 1 == expected {
            lists.push(Vec::new());
        }
        if lists.len() == expected {
            return true;
        }
        let (least, some) = match definition.variadic {
            true => (expected.saturating_sub(1), "at least "),
            false => (expected, ""),
        };
        let message = format!(
            "the macro `{}` takes {some}{least} arguments, found {}",
            definition.name,
            lists.len()
        );
        let error = Diagnostic::error(message, place);
        self.reports.add(error.related(definition.span, "defined here"));
        false
    }

    fn argument(&mut self, written: Vec<Word>) -> Argument {
        let plain = |word: &Word| word.kind != Kind::Name || !self.macros.contains_key(&word.text);
        let expanded = match written.iter().all(plain) {
            true => written.clone(),
            false => self.expand(written.clone()),
        };
        Argument { written, expanded }
    }

    /// Expands words for themselves.
    fn expand(&mut self, words: Vec<Word>) -> Vec<Word> {
        if self.nesting == MOST_NESTING {
            let place = words.first().map_or(Span::default(), |word| word.span);
            self.stop(Diagnostic::error("uses of macros are nested too deeply", place));
            return words;
        }
        self.nesting += 1;
        let bottom = self.contexts.len();
        self.contexts.push(Context { words: words.into_iter(), name: None, barrier: true });
        let mut expanded = Vec::new();
        while let Some(word) = self.next() {
            expanded.push(word);
        }
        while self.contexts.len() > bottom {
            self.close();
        }
        self.nesting -= 1;
        expanded
    }

    /// A word of the innermost file, behind directives.
    fn file_word(&mut self) -> Option<Word> {
        while !self.stopped {
            let file = self.files.last_mut()?;
            if let Some(word) = file.line.next() {
                self.spend(&word);
                return Some(word);
            }
            let Some(mut line) = file.scanner.line() else {
                self.close_file();
                continue;
            };
            let skipped = file.skipping();
            report_unclosed(&mut line, self.reports);
            if line.first().is_some_and(|word| word.is("#")) {
                self.directive(line);
            } else if !skipped {
                file.line = line.into_iter();
            }
        }
        None
    }

    /// `0..N` is one word to the preprocessor, `N` in it is never expanded:
    /// nobody expects that.
    fn warn_of_hidden_macro(&mut self, word: &Word) {
        let tail = (word.kind == Kind::Number).then(|| word.text.rsplit_once("..")).flatten();
        let Some((_, name)) = tail.filter(|(_, name)| self.macros.contains_key(*name)) else {
            return;
        };
        let message = format!("the macro `{name}` is not expanded in `{}`", word.text);
        let warning = Diagnostic::warning(message, word.span);
        self.reports.add(warning.help("write a space before and behind `..`"));
    }
}
