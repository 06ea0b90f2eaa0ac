//! Strategy expressions: the one notation in which parts are named and
//! combined, as in `astar(goal-count())` or `bitstate(bits=30)`.
//!
//! ```text
//! expression = name [ "(" [ argument { "," argument } ] ")" ] | number | "[" list "]" | string
//! argument   = [ name "=" ] expression
//! ```

use std::fmt;

/// A parsed strategy expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// `name(arguments)`; a bare name is a call without arguments.
    Call(Call),
    /// A whole number.
    Number(u64),
    /// `[a, b]`.
    List(Vec<Expression>),
    /// `'text'`.
    Text(String),
}

/// A part by name, with its arguments.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// The part's name.
    pub name: String,
    /// Its arguments, named or not, in order.
    pub arguments: Vec<(Option<String>, Expression)>,
}

/// What is wrong with an expression, and at which byte of it.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{message} (at character {})", at + 1)]
pub struct ExpressionError {
    /// The sentence.
    pub message: String,
    /// The byte in the expression's text.
    pub at: usize,
}

/// Parses a strategy expression.
pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let expression = parser.expression()?;
    match parser.peek() {
        None => Ok(expression),
        Some(c) => parser.error(format!("unexpected `{c}` after the end of the expression")),
    }
}

/// Parses strategy expressions with `;` between them, as in `breadth; depth`;
/// one may also stand behind the last.
pub fn parse_several(text: &str) -> Result<Vec<Expression>, ExpressionError> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let mut all = Vec::new();
    while parser.peek().is_some() {
        all.push(parser.expression()?);
        match parser.peek() {
            None => {}
            Some(';') => parser.at += 1,
            Some(c) => return parser.error(format!("expected `;` before `{c}`")),
        }
    }
    Ok(all)
}

impl Expression {
    /// The expression as a call, or a sentence.
    pub fn as_call(&self) -> Result<&Call, String> {
        match self {
            Expression::Call(call) => Ok(call),
            other => Err(format!("`{other}` is not the name of a part")),
        }
    }
}

impl Call {
    /// The number given for the parameter `name`, or `default`.
    pub fn number(&self, name: &str, default: u64) -> Result<u64, String> {
        match self.named(name) {
            None => Ok(default),
            Some(Expression::Number(n)) => Ok(*n),
            Some(other) => {
                Err(format!("`{name}` of `{}` is a number, `{other}` is not one", self.name))
            }
        }
    }

    /// Which of `choices` the parameter `name` has; the first where none is given.
    pub fn choice<'c>(&self, name: &str, choices: &[&'c str]) -> Result<&'c str, String> {
        let Some(given) = self.named(name) else {
            return Ok(choices.first().copied().unwrap_or_default());
        };
        let text = given.to_string();
        choices.iter().copied().find(|choice| *choice == text).ok_or_else(|| {
            let all = choices.join("`, `");
            format!("`{name}` of `{}` is one of `{all}`, not `{text}`", self.name)
        })
    }

    /// The argument given for the parameter `name`.
    pub fn named(&self, name: &str) -> Option<&Expression> {
        self.arguments.iter().find(|(n, _)| n.as_deref() == Some(name)).map(|(_, e)| e)
    }

    /// The arguments given without a name.
    pub fn unnamed(&self) -> impl Iterator<Item = &Expression> {
        self.arguments.iter().filter(|(n, _)| n.is_none()).map(|(_, e)| e)
    }

    /// Refuses named arguments that the part does not have, or that are given
    /// twice.
    pub fn allow(&self, names: &[&str]) -> Result<(), String> {
        let given: Vec<&str> = self.arguments.iter().filter_map(|(n, _)| n.as_deref()).collect();
        for (i, name) in given.iter().enumerate() {
            if !names.contains(name) {
                return Err(format!("`{}` has no parameter `{name}`", self.name));
            }
            if given[..i].contains(name) {
                return Err(format!("`{name}` of `{}` is given twice", self.name));
            }
        }
        Ok(())
    }

    /// Refuses all arguments but these, each given by its name.
    pub fn allow_named(&self, names: &[&str]) -> Result<(), String> {
        self.allow(names)?;
        match (self.unnamed().next(), names) {
            (None, _) => Ok(()),
            (Some(value), names) => Err(self.unexpected(value, names)),
        }
    }

    /// What is wrong with an argument that must have a name, and what was probably
    /// meant.
    fn unexpected(&self, value: &Expression, names: &[&str]) -> String {
        let name = &self.name;
        let takes = match names {
            [] => format!("`{name}` takes no arguments"),
            [only] => format!("`{name}` has one parameter, `{only}`, which is given by its name"),
            all => {
                let all = all.join("`, `");
                format!("the parameters of `{name}` are given by their names: `{all}`")
            }
        };
        match (value, names) {
            (Expression::Call(part), _) => format!(
                "{takes}; if `{part}` is meant as an estimate, choose a part that takes one, \
                 such as `astar({part})`"
            ),
            (_, [first, ..]) => format!("{takes}, as in `{name}({first}={value})`"),
            _ => takes,
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Call(call) => call.fmt(f),
            Expression::Number(n) => n.fmt(f),
            Expression::Text(text) => write!(f, "'{text}'"),
            Expression::List(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.arguments.is_empty() {
            return Ok(());
        }
        let arguments: Vec<String> = self
            .arguments
            .iter()
            .map(|(name, value)| match name {
                Some(name) => format!("{name}={value}"),
                None => value.to_string(),
            })
            .collect();
        write!(f, "({})", arguments.join(", "))
    }
}

/// Nesting beyond this is refused rather than risking the stack.
const MAX_DEPTH: usize = 64;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn expression(&mut self) -> Result<Expression, ExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error("nested too deeply".into());
        }
        let expression = match self.peek() {
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if c.is_alphabetic() => self.call(),
            Some('[') => self.items('[', ']', Parser::expression).map(Expression::List),
            Some('\'') => self.quoted(),
            Some(c) => self.error(format!("expected the name of a part, found `{c}`")),
            None => self.error("expected the name of a part, found nothing".into()),
        };
        self.depth -= 1;
        expression
    }

    fn call(&mut self) -> Result<Expression, ExpressionError> {
        let name = self.name();
        let arguments = match self.peek() {
            Some('(') => self.items('(', ')', Parser::argument)?,
            _ => Vec::new(),
        };
        Ok(Expression::Call(Call { name, arguments }))
    }

    fn argument(&mut self) -> Result<(Option<String>, Expression), ExpressionError> {
        self.peek();
        let start = self.at;
        let name = self.name();
        if !name.is_empty() && self.peek() == Some('=') {
            self.at += 1;
            return Ok((Some(name), self.expression()?));
        }
        self.at = start;
        Ok((None, self.expression()?))
    }

    fn items<T>(
        &mut self,
        open: char,
        close: char,
        item: fn(&mut Self) -> Result<T, ExpressionError>,
    ) -> Result<Vec<T>, ExpressionError> {
        debug_assert_eq!(self.peek(), Some(open));
        self.at += 1;
        let mut items = Vec::new();
        loop {
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(items);
            }
            items.push(item(self)?);
            match self.peek() {
                Some(',') => self.at += 1,
                Some(c) if c == close => {}
                _ => return self.error(format!("expected `,` or `{close}`")),
            }
        }
    }

    fn number(&mut self) -> Result<Expression, ExpressionError> {
        let digits = self.take_while(|c| c.is_ascii_digit());
        match digits.parse() {
            Ok(number) => Ok(Expression::Number(number)),
            Err(_) => self.error(format!("`{digits}` is too large")),
        }
    }

    fn quoted(&mut self) -> Result<Expression, ExpressionError> {
        self.at += 1;
        let text = self.take_while(|c| c != '\'');
        if !self.text[self.at..].starts_with('\'') {
            return self.error("the text is not closed with `'`".into());
        }
        self.at += 1;
        Ok(Expression::Text(text))
    }

    fn name(&mut self) -> String {
        self.take_while(|c| c.is_alphanumeric() || c == '-' || c == '_')
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> String {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_string()
    }

    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn error<T>(&self, message: String) -> Result<T, ExpressionError> {
        Err(ExpressionError { message, at: self.at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_it_parsed() {
        for text in ["breadth", "astar(goal-count)", "a(x=3, [b, c(1)], 'x > 3')"] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn several_are_separated_outside_texts_only() {
        let several = |text: &str| {
            let all = parse_several(text).map_err(|error| error.at)?;
            Ok(all.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let all = several("breadth; a([b, c], 'x; y') ;depth;");
        assert_eq!(all.unwrap(), ["breadth", "a([b, c], 'x; y')", "depth"]);
        assert_eq!(several("  "), Ok(vec![]));
        assert_eq!([several("a;; b"), several("a b"), several("a(b; c)")], [2, 2, 3].map(Err));
    }

    #[test]
    fn arguments_are_not_ignored() {
        let call = |text: &str| parse(text).unwrap().as_call().unwrap().clone();
        assert!(call("a(x=1)").allow_named(&["x"]).is_ok());
        assert!(call("a(1)").allow(&["x"]).is_ok());
        for wrong in ["a(1)", "a(y=1)", "a(x=1, x=2)", "a(x=1, 2)"] {
            assert!(call(wrong).allow_named(&["x"]).is_err(), "{wrong}");
        }
        let said = |text: &str, names: &[&str]| call(text).allow_named(names).unwrap_err();
        assert_eq!(said("a(1)", &[]), "`a` takes no arguments");
        assert_eq!(
            said("a(1)", &["x"]),
            "`a` has one parameter, `x`, which is given by its name, as in `a(x=1)`"
        );
        assert_eq!(
            said("perimeter(hamming)", &["depth", "most"]),
            "the parameters of `perimeter` are given by their names: `depth`, `most`; if \
             `hamming` is meant as an estimate, choose a part that takes one, such as \
             `astar(hamming)`"
        );
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(parse("astar(").unwrap_err().at, 6);
        assert_eq!(parse("a b").unwrap_err().at, 2);
        assert!(parse("").is_err());
        assert!(parse("'abc").is_err());
        assert!(parse(&"[".repeat(1000)).is_err());
        assert!(parse("99999999999999999999").is_err());
    }
}
