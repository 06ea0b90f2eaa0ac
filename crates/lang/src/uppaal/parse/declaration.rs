//! Declarations, and what stands around the system line.

use homing_ir::Diagnostic;

use super::Parser;
use super::types::plain;
use crate::reading::Parse;
use crate::uppaal::query;
use crate::uppaal::syntax::*;
use crate::uppaal::token::Token;
use crate::walking::Walking;

impl Parser<'_> {
    /// A whole `.xta` file, or what stands in the global elements of an XML
    /// file.
    pub fn document(&mut self, document: &mut Document) {
        while self.token() != Token::End {
            if self.item(document).is_err() {
                self.recover();
                // A brace too many ends nothing here.
                self.take(Token::RightBrace);
                // Nor do words of processes begin anything.
                if matches!(self.token(), Token::State | Token::Trans | Token::Init) {
                    self.advance();
                }
            }
        }
    }

    fn item(&mut self, document: &mut Document) -> Parse<()> {
        let braces = self.token() == Token::Name && self.ahead(1) == Token::LeftBrace;
        match self.token() {
            Token::Process => {
                let template = self.process()?;
                document.templates.push(template);
            }
            Token::System => self.system(document)?,
            // Both are for UPPAAL's own search and its drawings.
            Token::Name if braces && matches!(self.text(), "progress" | "gantt") => {
                self.advance();
                self.skip_braces()?;
            }
            Token::Name if braces && self.text() == "query" => self.inner_query(document)?,
            _ => self.declaration(&mut document.declarations)?,
        }
        Ok(())
    }

    /// `query { E<> p }`
    fn inner_query(&mut self, document: &mut Document) -> Parse<()> {
        self.advance();
        let open = self.at + 1;
        self.skip_braces()?;
        let words = self.words.get(open..self.at.saturating_sub(1)).unwrap_or(&[]).to_vec();
        let end = self.words.get(self.at.saturating_sub(1)).map_or(self.end.span, |w| w.span);
        let parser = Parser::of_words(words, end, self.known, self.reports).of_query();
        query::query(parser, &mut document.queries);
        Ok(())
    }

    fn system(&mut self, document: &mut Document) -> Parse<()> {
        let start = self.span();
        self.advance();
        let mut members = vec![SystemMember { name: self.process_name()?, priority: 0 }];
        let mut priority = 0;
        loop {
            if self.take(Token::Less) {
                priority += 1;
            } else if !self.take(Token::Comma) {
                break;
            }
            members.push(SystemMember { name: self.process_name()?, priority });
        }
        self.expect(Token::Semicolon)?;
        let span = self.since(start);
        if !document.system.is_empty() {
            let error = Diagnostic::error("`system` is said twice", span)
                .related(document.system_span, "first said here");
            self.reports.add(error);
            return Ok(());
        }
        (document.system, document.system_span) = (members, span);
        Ok(())
    }

    fn process_name(&mut self) -> Parse<Name> {
        self.name("the name of a process")
    }

    /// Declarations up to the end of the text.
    pub fn declarations(&mut self) -> Vec<Declaration> {
        let mut list = Vec::new();
        while self.token() != Token::End {
            if self.declaration(&mut list).is_err() {
                self.recover();
                if self.token() != Token::End && self.reported == Some(self.span()) {
                    self.advance();
                }
                self.take(Token::RightBrace);
            }
        }
        list
    }

    /// One declaration, of which there may be several in one.
    pub fn declaration(&mut self, list: &mut Vec<Declaration>) -> Parse<()> {
        let start = self.span();
        match self.token() {
            Token::Semicolon => self.advance(),
            Token::Typedef => self.type_names(list)?,
            Token::Const if self.at_old_constants() => self.old_constants(list)?,
            Token::Chan if self.ahead(1) == Token::Name && self.lexeme(1).text == "priority" => {
                let kind = self.channel_priority()?;
                list.push(Declaration { kind, span: self.since(start) });
            }
            Token::Name if self.at_other() => {
                let kind = self.other()?;
                list.push(Declaration { kind, span: self.since(start) });
            }
            _ if self.at_type() => self.variables_or_function(list)?,
            Token::Name => {
                let kind = self.instance()?;
                list.push(Declaration { kind, span: self.since(start) });
            }
            _ => return self.fail_expecting("a declaration"),
        }
        Ok(())
    }

    /// `typedef T a, b[2];`
    fn type_names(&mut self, list: &mut Vec<Declaration>) -> Parse<()> {
        let start = self.span();
        self.advance();
        let ty = self.ty()?;
        let names = self.list(|parser| {
            let name = parser.name("the name of a type")?;
            parser.known.add(&name.text);
            Ok((name, parser.sizes()?))
        })?;
        self.expect(Token::Semicolon)?;
        let span = self.since(start);
        list.extend(names.into_iter().map(|(name, sizes)| {
            let kind = DeclarationKind::Type { ty: ty.clone(), name, sizes };
            Declaration { kind, span }
        }));
        Ok(())
    }

    /// Whether `const N 5` comes here, or `const N M` where `N` is no type.
    fn at_old_constants(&self) -> bool {
        let name = self.lexeme(1);
        if self.at_old_constant(1) {
            return true;
        }
        name.token == Token::Name
            && !self.known.types.contains(name.text)
            && !matches!(name.text, "double" | "string" | "hybrid")
            && self.ahead(2) == Token::Name
            && !matches!(
                self.ahead(3),
                Token::Becomes | Token::LeftBracket | Token::LeftParenthesis
            )
    }

    /// `const N 5, M[2] {1, 2};`
    fn old_constants(&mut self, list: &mut Vec<Declaration>) -> Parse<()> {
        let start = self.span();
        self.advance();
        let ty = Type { constant: true, ..plain(TypeKind::Int(None), start) };
        loop {
            let first = self.span();
            let name = self.name("the name of a constant")?;
            let sizes = self.sizes()?;
            self.take(Token::Becomes);
            // Without a value it is as wrong as in the new grammar.
            let none = matches!(self.token(), Token::Comma | Token::Semicolon);
            let initial = if none { None } else { Some(self.initial()?) };
            let kind = DeclarationKind::Variable { ty: ty.clone(), name, sizes, initial };
            list.push(Declaration { kind, span: self.since(first) });
            if !self.take(Token::Comma) {
                break;
            }
        }
        self.expect(Token::Semicolon)?;
        Ok(())
    }

    fn variables_or_function(&mut self, list: &mut Vec<Declaration>) -> Parse<()> {
        let start = self.span();
        let ty = self.ty()?;
        let name = self.name("the name of a variable or a function")?;
        if self.token() == Token::LeftParenthesis {
            let function = self.function(ty, name)?;
            let span = function.name.span;
            list.push(Declaration { kind: DeclarationKind::Function(function), span });
            return Ok(());
        }
        let kind = self.variable(ty.clone(), name)?;
        list.push(Declaration { kind, span: self.since(start) });
        while self.take(Token::Comma) {
            let first = self.span();
            let name = self.name("the name of a variable")?;
            let kind = self.variable(ty.clone(), name)?;
            list.push(Declaration { kind, span: self.since(first) });
        }
        self.expect(Token::Semicolon)?;
        Ok(())
    }

    fn variable(&mut self, ty: Type, name: Name) -> Parse<DeclarationKind> {
        let sizes = self.sizes()?;
        let initial = if self.take(Token::Becomes) { Some(self.initial()?) } else { None };
        Ok(DeclarationKind::Variable { ty, name, sizes, initial })
    }

    fn initial(&mut self) -> Parse<Initial> {
        if self.token() != Token::LeftBrace {
            return Ok(Initial::Value(self.expression()?));
        }
        self.nested(Parser::initial_list)
    }

    fn initial_list(&mut self) -> Parse<Initial> {
        let start = self.span();
        self.advance();
        let mut list = Vec::new();
        while self.token() != Token::RightBrace {
            let named = self.token() == Token::Name && self.ahead(1) == Token::Colon;
            let name = if named { Some(self.name("the name of a field")?) } else { None };
            if named {
                self.advance();
            }
            list.push((name, self.initial()?));
            if !self.take(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RightBrace)?;
        Ok(Initial::List(list, self.since(start)))
    }

    fn function(&mut self, result: Type, name: Name) -> Parse<Function> {
        let parameters = self.parameters()?;
        let body = self.block()?;
        Ok(Function { result, name, parameters, body })
    }

    /// `P = T(a, b);` or `P(int x) = T(x, 2);`
    fn instance(&mut self) -> Parse<DeclarationKind> {
        if !matches!(self.ahead(1), Token::Becomes | Token::LeftParenthesis) {
            return self.fail_expecting("a declaration");
        }
        let name = self.name("the name of a process")?;
        let given = self.token() == Token::LeftParenthesis;
        let parameters = if given { self.parameters()? } else { Vec::new() };
        self.expect(Token::Becomes)?;
        let template = self.name("the name of a template")?;
        let arguments = self.arguments()?;
        self.expect(Token::Semicolon)?;
        Ok(DeclarationKind::Instance { name, parameters, template, arguments })
    }

    /// `chan priority a < b, c[0] < default;`
    fn channel_priority(&mut self) -> Parse<DeclarationKind> {
        self.advance();
        self.advance();
        let mut levels = vec![vec![self.channel_name()?]];
        loop {
            if self.take(Token::Less) {
                levels.push(vec![self.channel_name()?]);
            } else if self.take(Token::Comma) {
                let channel = self.channel_name()?;
                levels.last_mut().into_iter().for_each(|level| level.push(channel.clone()));
            } else {
                break;
            }
        }
        self.expect(Token::Semicolon)?;
        Ok(DeclarationKind::ChannelPriority(levels))
    }

    fn channel_name(&mut self) -> Parse<ChannelName> {
        if self.at_word("default") {
            self.advance();
            return Ok(ChannelName::Default);
        }
        Ok(ChannelName::Channel(self.place()?))
    }

    /// Whether something begins here that is a name elsewhere.
    fn at_other(&self) -> bool {
        match self.text() {
            "before_update" | "after_update" => self.ahead(1) == Token::LeftBrace,
            "import" => self.ahead(1) == Token::Text,
            "IO" => {
                self.ahead(1) == Token::Name
                    && matches!(self.ahead(2), Token::LeftBrace | Token::LeftParenthesis)
            }
            "dynamic" => self.ahead(1) == Token::Name && self.ahead(2) == Token::LeftParenthesis,
            _ => false,
        }
    }

    fn other(&mut self) -> Parse<DeclarationKind> {
        let word = self.text();
        self.advance();
        match word {
            "import" => self.import(),
            "IO" => self.directions(),
            "dynamic" => {
                self.advance();
                self.parameters()?;
                self.expect(Token::Semicolon)?;
                Ok(DeclarationKind::Other("dynamic templates".to_string()))
            }
            _ => {
                self.expect(Token::LeftBrace)?;
                self.updates()?;
                self.take(Token::Semicolon);
                self.expect(Token::RightBrace)?;
                Ok(DeclarationKind::Hook { before: word == "before_update" })
            }
        }
    }

    /// `IO P { a!, b? }`. In the style of CSP, channels have no direction, and such a
    /// list may say who takes part.
    fn directions(&mut self) -> Parse<DeclarationKind> {
        self.place()?;
        self.expect(Token::LeftBrace)?;
        let mut directed = self.token() != Token::RightBrace;
        while self.token() != Token::RightBrace {
            directed &= self.synchronisation()?.direction != Direction::Both;
            if !self.take(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RightBrace)?;
        Ok(match directed {
            true => DeclarationKind::Directions,
            false => DeclarationKind::Other(
                "I/O declarations of channels without `!` and `?`, which may say who takes part"
                    .to_string(),
            ),
        })
    }

    /// `import "library" { int f(int x); };`
    fn import(&mut self) -> Parse<DeclarationKind> {
        self.expect(Token::Text)?;
        match self.token() {
            Token::LeftBrace => self.skip_braces()?,
            _ => {
                self.ty()?;
                self.name("the name of a function")?;
                self.parameters()?;
            }
        }
        self.expect(Token::Semicolon)?;
        Ok(DeclarationKind::Other("functions of a library".to_string()))
    }
}
