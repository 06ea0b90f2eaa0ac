//! Types, sizes of arrays and parameters.

use homing_ir::Span;

use super::Parser;
use crate::reading::Parse;
use crate::uppaal::syntax::*;
use crate::uppaal::token::Token;
use crate::walking::Walking;

impl Parser<'_> {
    /// Whether a type begins here, and not an expression or a statement.
    pub fn at_type(&self) -> bool {
        match self.token() {
            Token::Const
            | Token::Meta
            | Token::Urgent
            | Token::Broadcast
            | Token::Int
            | Token::Bool
            | Token::Clock
            | Token::Chan
            | Token::Scalar
            | Token::Void
            | Token::Struct => true,
            // `T x`, `T & x`: an expression has no two names in a row.
            Token::Name => match self.ahead(1) {
                Token::Name => !self.at_expression_word(1),
                Token::Clock => self.text() == "hybrid",
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the word `ahead` words from here is a name that joins
    /// expressions.
    fn at_expression_word(&self, ahead: usize) -> bool {
        self.lexeme(ahead).text == "xor"
    }

    /// A type.
    pub fn ty(&mut self) -> Parse<Type> {
        self.nested(Parser::prefixed)
    }

    fn prefixed(&mut self) -> Parse<Type> {
        let start = self.span();
        let mut ty = plain(TypeKind::Void, start);
        loop {
            match self.token() {
                Token::Const => ty.constant = true,
                Token::Meta => ty.meta = true,
                Token::Urgent => ty.urgent = true,
                Token::Broadcast => ty.broadcast = true,
                Token::Name if self.text() == "hybrid" && self.ahead(1) == Token::Clock => {
                    ty.hybrid = true;
                }
                _ => break,
            }
            self.advance();
        }
        ty.kind = self.type_kind()?;
        ty.span = self.since(start);
        Ok(ty)
    }

    fn type_kind(&mut self) -> Parse<TypeKind> {
        let token = self.token();
        let kind = match token {
            Token::Int => return self.integer(),
            Token::Scalar => return self.scalar(),
            Token::Struct => return self.structure(),
            Token::Bool => TypeKind::Bool,
            Token::Clock => TypeKind::Clock,
            Token::Chan => TypeKind::Channel,
            Token::Void => TypeKind::Void,
            Token::Name if matches!(self.text(), "double" | "string") => {
                TypeKind::Other(self.text().to_string())
            }
            Token::Name => return Ok(TypeKind::Named(self.name("a type")?)),
            _ => return self.fail_expecting("a type"),
        };
        self.advance();
        Ok(kind)
    }

    fn integer(&mut self) -> Parse<TypeKind> {
        self.advance();
        if !self.take(Token::LeftBracket) {
            return Ok(TypeKind::Int(None));
        }
        let low = self.expression()?;
        self.expect(Token::Comma)?;
        let high = self.expression()?;
        self.expect(Token::RightBracket)?;
        Ok(TypeKind::Int(Some(Box::new((low, high)))))
    }

    fn scalar(&mut self) -> Parse<TypeKind> {
        self.advance();
        self.expect(Token::LeftBracket)?;
        let size = self.expression()?;
        self.expect(Token::RightBracket)?;
        Ok(TypeKind::Scalar(Box::new(size)))
    }

    fn structure(&mut self) -> Parse<TypeKind> {
        self.advance();
        self.expect(Token::LeftBrace)?;
        let mut fields = Vec::new();
        while !self.take(Token::RightBrace) {
            let ty = self.ty()?;
            let list =
                self.list(|parser| Ok((parser.name("the name of a field")?, parser.sizes()?)))?;
            for (name, sizes) in list {
                fields.push(Field { ty: ty.clone(), name, sizes });
            }
            self.expect(Token::Semicolon)?;
        }
        Ok(TypeKind::Struct(fields))
    }

    /// `[3][T]`, or nothing.
    pub fn sizes(&mut self) -> Parse<Vec<Size>> {
        let mut sizes = Vec::new();
        while self.take(Token::LeftBracket) {
            let named = self.token() == Token::Name
                && self.ahead(1) == Token::RightBracket
                && self.known.types.contains(self.text());
            sizes.push(match named || self.at_type() {
                true => Size::Type(self.ty()?),
                false => Size::Number(self.expression()?),
            });
            self.expect(Token::RightBracket)?;
        }
        Ok(sizes)
    }

    /// `( … )` with none or more parameters.
    pub fn parameters(&mut self) -> Parse<Vec<Parameter>> {
        self.expect(Token::LeftParenthesis)?;
        let list = self.parameter_list(Token::RightParenthesis)?;
        self.expect(Token::RightParenthesis)?;
        Ok(list)
    }

    /// Parameters up to `end`. In the old grammar `;` stands between them, a
    /// type may be that of several names, `const n` is a number, and all that
    /// is not constant is passed by reference.
    pub fn parameter_list(&mut self, end: Token) -> Parse<Vec<Parameter>> {
        let mut list: Vec<Parameter> = Vec::new();
        let mut old = false;
        while self.token() != end {
            let shared = list.last().filter(|_| self.at_untyped()).map(|last| last.ty.clone());
            old |= shared.is_some() || self.token() == Token::Const && self.at_old_constant(1);
            let ty = match shared {
                Some(ty) => ty,
                None => self.parameter_type()?,
            };
            let reference = self.take(Token::Ampersand);
            let name = self.name("the name of a parameter")?;
            let sizes = self.sizes()?;
            list.push(Parameter { ty, reference, name, sizes });
            if self.take(Token::Semicolon) {
                old = true;
            } else if !self.take(Token::Comma) {
                break;
            }
        }
        if old {
            let variables = list.iter_mut().filter(|parameter| !parameter.ty.constant);
            variables.for_each(|parameter| parameter.reference = true);
        }
        Ok(list)
    }

    /// Whether a name without a type of its own comes here.
    fn at_untyped(&self) -> bool {
        let ends = [Token::Comma, Token::Semicolon, Token::RightParenthesis, Token::LeftBracket];
        self.token() == Token::Name
            && (ends.contains(&self.ahead(1)) || self.ahead(1) == Token::End)
    }

    /// Whether the name `ahead` words from here, behind `const`, is that of an
    /// old constant and not its type.
    pub fn at_old_constant(&self, ahead: usize) -> bool {
        let name = self.lexeme(ahead);
        name.token == Token::Name
            && !self.known.types.contains(name.text)
            && !matches!(name.text, "double" | "string")
            && !matches!(self.ahead(ahead + 1), Token::Name | Token::Ampersand)
    }

    fn parameter_type(&mut self) -> Parse<Type> {
        if self.token() == Token::Const && self.at_old_constant(1) {
            let span = self.span();
            self.advance();
            return Ok(Type { constant: true, ..plain(TypeKind::Int(None), span) });
        }
        self.ty()
    }
}

/// A type without any prefix.
pub fn plain(kind: TypeKind, span: Span) -> Type {
    Type {
        constant: false,
        meta: false,
        urgent: false,
        broadcast: false,
        hybrid: false,
        kind,
        span,
    }
}
