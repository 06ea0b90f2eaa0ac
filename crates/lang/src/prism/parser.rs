//! Reading models.

use homing_ir::Diagnostic;

use super::cursor::Cursor;
use super::syntax::{
    Body, Command, Constant, Expr, Kind, Model, Module, Name, Named, Reward, System, Type, Update,
    Variable,
};
use super::token::Token;
use crate::names::nearest;
use crate::reading::Parse;
use crate::walking::Walking;

/// Words that begin an item of a model, and so end one that was not understood.
const BEGINNINGS: [Token; 9] = [
    Token::Module,
    Token::Formula,
    Token::Label,
    Token::Const,
    Token::Global,
    Token::Rewards,
    Token::Init,
    Token::System,
    Token::End,
];

/// The words that begin an item, for those who mistype one.
const WORDS: [&str; 13] = [
    "module", "formula", "label", "const", "global", "rewards", "init", "system", "dtmc", "ctmc",
    "mdp", "rate", "prob",
];

impl<'t> Cursor<'t> {
    /// A model; what is not understood is reported and passed over.
    pub fn model(&mut self) -> Model<'t> {
        let mut model = Model::default();
        while self.token() != Token::End {
            homing_budget::checkpoint();
            let before = self.span();
            if self.item(&mut model).is_err() {
                if self.span() == before {
                    self.advance();
                }
                let behind = [Token::EndModule, Token::EndRewards, Token::EndInit];
                self.recover(&behind, &BEGINNINGS);
            }
        }
        model
    }

    fn item(&mut self, model: &mut Model<'t>) -> Parse<()> {
        match self.token() {
            Token::Dtmc => self.kind(model, Kind::Dtmc),
            Token::Ctmc => self.kind(model, Kind::Ctmc),
            Token::Mdp => self.kind(model, Kind::Mdp),
            Token::Foreign => self.foreign(),
            Token::Const | Token::Rate | Token::Prob => self.constant(model),
            Token::Formula => self.formula(model),
            Token::Label => self.label(model),
            Token::Global => self.global(model),
            Token::Module => self.module(model),
            Token::Init => self.initial(model),
            Token::System => self.system(model),
            Token::Rewards => self.rewards(model),
            Token::Observables => self.refuse(
                "observables are not supported",
                "they say what a \
                 player sees of a state; homing reads models in which all is seen",
            ),
            _ => self.no_item(),
        }
    }

    fn kind(&mut self, model: &mut Model<'t>, kind: Kind) -> Parse<()> {
        let span = self.span();
        self.advance();
        match model.kind {
            Some((_, before)) => {
                let error = Diagnostic::error("the kind of the model is said twice", span);
                self.reports.add(error.related(before, "said here before"));
            }
            None => model.kind = Some((kind, span)),
        }
        Ok(())
    }

    fn foreign(&mut self) -> Parse<()> {
        let (word, span) = (self.text(), self.span());
        let what = match word {
            "pta" | "popta" => "their clocks are not read yet",
            "pomdp" => "not all of a state is seen in them",
            "smg" | "csg" | "tsg" | "stpg" => "several players choose in them",
            "idtmc" | "imdp" => "their probabilities are intervals",
            _ => "it is no kind of model that PRISM's language is read for",
        };
        let message = format!("models of the kind `{word}` are not supported: {what}");
        self.advance();
        // The rest is read nevertheless, but what follows from this is not worth saying.
        self.fail(Diagnostic::error(message, span).help("dtmc, ctmc and mdp are read"))
    }

    fn refuse<T>(&mut self, message: &str, help: &str) -> Parse<T> {
        let error = Diagnostic::error(message, self.span()).help(help);
        self.advance();
        self.fail(error)
    }

    fn no_item(&mut self) -> Parse<()> {
        let (word, span) = (self.text(), self.span());
        let near = nearest(word, WORDS).filter(|_| self.token() == Token::Name);
        match near {
            Some(near) => {
                let message = format!("`{word}` begins nothing that a model may have");
                self.fail(Diagnostic::error(message, span).help(format!("did you mean `{near}`?")))
            }
            None => self.fail_expecting("`module` or another item of a model"),
        }
    }

    /// `const int N = 3;`, `const double p;`, `rate r = 1;`
    fn constant(&mut self, model: &mut Model<'t>) -> Parse<()> {
        let rate = self.take(Token::Rate) || self.take(Token::Prob);
        if !rate {
            self.advance();
        }
        let ty = match self.token() {
            Token::Int => Some(Type::Int),
            Token::Bool => Some(Type::Bool),
            Token::Double | Token::Rate | Token::Prob => Some(Type::Double),
            _ => None,
        };
        if ty.is_some() {
            self.advance();
        }
        let name = self.name("the name of a constant")?;
        let value = if self.take(Token::Equal) { Some(self.expression()?) } else { None };
        self.expect(Token::Semicolon)?;
        let ty = ty.unwrap_or(if rate { Type::Double } else { Type::Int });
        model.constants.push(Constant { name, ty, value });
        Ok(())
    }

    fn formula(&mut self, model: &mut Model<'t>) -> Parse<()> {
        self.advance();
        let name = self.name("the name of a formula")?;
        self.expect(Token::Equal)?;
        let value = self.expression()?;
        self.expect(Token::Semicolon)?;
        model.formulas.push(Named { name, value });
        Ok(())
    }

    fn label(&mut self, model: &mut Model<'t>) -> Parse<()> {
        self.advance();
        let name = self.quoted()?;
        self.expect(Token::Equal)?;
        let value = self.expression()?;
        self.expect(Token::Semicolon)?;
        model.labels.push(Named { name, value });
        Ok(())
    }

    fn global(&mut self, model: &mut Model<'t>) -> Parse<()> {
        self.advance();
        let variable = self.variable()?;
        model.globals.push(variable);
        Ok(())
    }

    /// `x : [0..3] init 1;`
    fn variable(&mut self) -> Parse<Variable<'t>> {
        let name = self.name("the name of a variable")?;
        self.expect(Token::Colon)?;
        let (mut bounds, mut bool) = (None, false);
        match self.token() {
            Token::Bool => {
                bool = true;
                self.advance();
            }
            Token::Int => self.advance(),
            Token::Clock => {
                return self.refuse(
                    "clocks are not supported in this language yet",
                    "models of the kinds \
                 dtmc, ctmc and mdp have none",
                );
            }
            Token::Double => {
                return self.refuse(
                    "variables that hold fractions are not supported",
                    "a variable is `bool`, `int`, or an integer within bounds: `[0..3]`",
                );
            }
            _ => {
                self.expect(Token::LeftBracket)?;
                let low = self.expression()?;
                self.expect(Token::Range)?;
                bounds = Some((low, self.expression()?));
                self.expect(Token::RightBracket)?;
            }
        }
        let initial = if self.take(Token::Init) { Some(self.expression()?) } else { None };
        self.expect(Token::Semicolon)?;
        Ok(Variable { name, bounds, bool, initial })
    }

    fn module(&mut self, model: &mut Model<'t>) -> Parse<()> {
        self.advance();
        let name = self.name("the name of a module")?;
        let body = if self.take(Token::Equal) {
            let of = self.name("the name of a module")?;
            self.expect(Token::LeftBracket)?;
            let pairs = self.pairs(Token::Equal, Token::RightBracket)?;
            Body::Renamed { of, pairs }
        } else {
            self.body()
        };
        model.modules.push(Module { name, body });
        self.expect(Token::EndModule)?;
        Ok(())
    }

    /// Names with other names, up to `close`.
    fn pairs(&mut self, sign: Token, close: Token) -> Parse<Vec<(Name<'t>, Name<'t>)>> {
        let mut pairs = Vec::new();
        while self.token() != close {
            let first = self.name("a name")?;
            self.expect(sign)?;
            pairs.push((first, self.name("a name")?));
            if !self.take(Token::Comma) {
                break;
            }
        }
        self.expect(close)?;
        Ok(pairs)
    }

    /// What stands in a module; an error in an item does not end it.
    fn body(&mut self) -> Body<'t> {
        let (mut variables, mut commands) = (Vec::new(), Vec::new());
        loop {
            homing_budget::checkpoint();
            let read = match self.token() {
                Token::EndModule => break,
                token if BEGINNINGS.contains(&token) => break,
                Token::Name => self.variable().map(|variable| variables.push(variable)),
                Token::LeftBracket => self.command().map(|command| commands.push(command)),
                Token::Invariant => self.refuse(
                    "invariants are not supported in this language yet",
                    "they belong to models \
                         with clocks",
                ),
                _ => self.fail_expecting("a variable, a command or `endmodule`"),
            };
            if read.is_err() {
                self.recover(&[Token::Semicolon], &[&BEGINNINGS[..], &[Token::EndModule]].concat());
            }
        }
        Body::Own { variables, commands }
    }

    fn command(&mut self) -> Parse<Command<'t>> {
        let start = self.expect(Token::LeftBracket)?;
        let named = self.token() == Token::Name;
        let action = if named { Some(self.name("an action")?) } else { None };
        self.expect(Token::RightBracket)?;
        let guard = self.expression()?;
        self.expect(Token::Arrow)?;
        let mut updates = vec![self.update()?];
        while self.take(Token::Plus) {
            updates.push(self.update()?);
        }
        let span = self.since(start);
        self.expect(Token::Semicolon)?;
        Ok(Command { span, action, guard, updates })
    }

    fn update(&mut self) -> Parse<Update<'t>> {
        let start = self.span();
        if self.token() == Token::LeftBracket {
            return self.refuse(
                "probabilities that are intervals are not supported",
                "write one number in front of the `:`",
            );
        }
        let quantity = if self.at_assignments() { None } else { Some(self.expression()?) };
        if quantity.is_some() {
            self.expect(Token::Colon)?;
        }
        let mut assignments = Vec::new();
        if !self.take(Token::True) {
            assignments.push(self.assignment()?);
            while self.take(Token::And) {
                if !self.take(Token::True) {
                    assignments.push(self.assignment()?);
                }
            }
        }
        Ok(Update { span: self.since(start), quantity, assignments })
    }

    /// Whether what changes comes here, and no probability.
    fn at_assignments(&self) -> bool {
        match self.token() {
            Token::LeftParenthesis => self.later(1) == Token::Name && self.later(2) == Token::Prime,
            Token::True => {
                matches!(self.later(1), Token::Semicolon | Token::Plus | Token::And | Token::End)
            }
            _ => false,
        }
    }

    fn assignment(&mut self) -> Parse<(Name<'t>, Expr<'t>)> {
        self.expect(Token::LeftParenthesis)?;
        let name = self.name("the name of a variable")?;
        self.expect(Token::Prime)?;
        self.expect(Token::Equal)?;
        let value = self.expression()?;
        self.expect(Token::RightParenthesis)?;
        Ok((name, value))
    }

    fn initial(&mut self, model: &mut Model<'t>) -> Parse<()> {
        let start = self.span();
        self.advance();
        let condition = self.expression()?;
        self.expect(Token::EndInit)?;
        match &model.initial {
            Some(before) => {
                let error = Diagnostic::error("the initial states are said twice", start);
                self.reports.add(error.related(before.span, "said here before"));
            }
            None => model.initial = Some(condition),
        }
        Ok(())
    }

    fn rewards(&mut self, model: &mut Model<'t>) -> Parse<()> {
        self.advance();
        if self.token() == Token::Quoted {
            self.advance();
        }
        while self.token() != Token::EndRewards {
            homing_budget::checkpoint();
            if self.take(Token::LeftBracket) {
                self.take(Token::Name);
                self.expect(Token::RightBracket)?;
            }
            let when = self.expression()?;
            self.expect(Token::Colon)?;
            let value = self.expression()?;
            self.expect(Token::Semicolon)?;
            model.rewards.push(Reward { when, value });
        }
        self.advance();
        Ok(())
    }

    fn system(&mut self, model: &mut Model<'t>) -> Parse<()> {
        let start = self.span();
        self.advance();
        let named = self.token() == Token::Quoted;
        let name = if named { Some(self.quoted()?) } else { None };
        let system = self.composed()?;
        self.expect(Token::EndSystem)?;
        match (name, &model.system) {
            (Some(name), _) => model.subsystems.push((name, system)),
            (None, None) => model.system = Some(system),
            (None, Some(_)) => {
                self.reports.add(Diagnostic::error("the system is said twice", start));
            }
        }
        Ok(())
    }

    /// `A || B`, `A ||| B`, `A |[a, b]| B`; no operator binds more tightly than another.
    fn composed(&mut self) -> Parse<System<'t>> {
        self.nested(|this| {
            let mut left = this.hidden()?;
            // Every operator makes the tree one level deeper.
            for _ in 0..100 {
                left = match this.token() {
                    Token::Parallel => {
                        this.advance();
                        System::Parallel(Box::new(left), Box::new(this.hidden()?))
                    }
                    Token::Interleaved => {
                        this.advance();
                        System::Interleaved(Box::new(left), Box::new(this.hidden()?))
                    }
                    Token::SynchronisedOpen => {
                        this.advance();
                        let on = this.names(Token::SynchronisedClose)?;
                        System::On(Box::new(left), on, Box::new(this.hidden()?))
                    }
                    _ => return Ok(left),
                };
            }
            this.too_deep(this.span())
        })
    }

    /// `A / {a, b}` and `A {a <- b}`.
    fn hidden(&mut self) -> Parse<System<'t>> {
        let mut inner = self.single()?;
        for _ in 0..100 {
            inner = if self.take(Token::Slash) {
                self.expect(Token::LeftBrace)?;
                System::Hiding(Box::new(inner), self.names(Token::RightBrace)?)
            } else if self.take(Token::LeftBrace) {
                let pairs = self.pairs(Token::LeftArrow, Token::RightBrace)?;
                System::Renaming(Box::new(inner), pairs)
            } else {
                return Ok(inner);
            };
        }
        self.too_deep(self.span())
    }

    fn single(&mut self) -> Parse<System<'t>> {
        match self.token() {
            Token::LeftParenthesis => {
                self.advance();
                let inner = self.composed()?;
                self.expect(Token::RightParenthesis)?;
                Ok(inner)
            }
            Token::Quoted => Ok(System::Reference(self.quoted()?)),
            _ => Ok(System::Module(self.name("the name of a module")?)),
        }
    }

    fn names(&mut self, close: Token) -> Parse<Vec<Name<'t>>> {
        let mut names = Vec::new();
        while self.token() != close {
            names.push(self.name("the name of an action")?);
            if !self.take(Token::Comma) {
                break;
            }
        }
        self.expect(close)?;
        Ok(names)
    }

    /// `N=4,K=2`
    pub fn settings(&mut self) -> Vec<(Name<'t>, Expr<'t>)> {
        let mut settings = Vec::new();
        while self.token() != Token::End {
            match self.setting() {
                Ok(setting) => settings.push(setting),
                Err(_) => self.recover(&[Token::Comma], &[]),
            }
        }
        settings
    }

    fn setting(&mut self) -> Parse<(Name<'t>, Expr<'t>)> {
        let name = self.name("the name of a constant")?;
        self.expect(Token::Equal)?;
        let value = self.expression()?;
        if self.token() == Token::Colon {
            return self.refuse(
                "a constant can have one value only",
                "run the command once for each value",
            );
        }
        if self.token() != Token::End {
            self.expect(Token::Comma)?;
        }
        Ok((name, value))
    }
}
