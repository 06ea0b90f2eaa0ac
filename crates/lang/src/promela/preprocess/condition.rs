//! The arithmetic of `#if`: integers of 64 bits, with and without sign, as in C.

use super::scan::{Kind, Word};

/// How deep an expression may be nested.
const MOST_NESTING: usize = 200;

/// A value and whether it is without sign.
#[derive(Clone, Copy, Debug)]
struct Value {
    bits: i64,
    unsigned: bool,
}

/// The value of an expression whose macros are expanded and whose `defined`
/// are numbers; or what is wrong with it.
pub fn evaluate(words: &[Word]) -> Result<bool, String> {
    let mut reader = Reader { words, at: 0, nesting: 0 };
    if words.is_empty() {
        return Err("`#if` without an expression".to_string());
    }
    let value = reader.conditional(true)?;
    match reader.words.get(reader.at) {
        Some(word) => Err(format!("`{}` is not expected in the expression", word.text)),
        None => Ok(value.bits != 0),
    }
}

struct Reader<'a> {
    words: &'a [Word],
    at: usize,
    nesting: usize,
}

type Read = Result<Value, String>;

fn signed(bits: i64) -> Value {
    Value { bits, unsigned: false }
}

/// The level of an operator; all are left-associative.
fn level(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

impl<'a> Reader<'a> {
    /// The punctuation reached.
    fn sign(&self) -> Option<&'a str> {
        let word = self.words.get(self.at)?;
        (word.kind == Kind::Punctuation).then_some(&*word.text)
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.sign() == Some(sign);
        self.at += usize::from(found);
        found
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Read) -> Read {
        if self.nesting == MOST_NESTING {
            return Err("the expression is nested too deeply".to_string());
        }
        self.nesting += 1;
        let value = read(self);
        self.nesting -= 1;
        value
    }

    /// `live` is whether the value matters: where it does not, a division by
    /// zero is none.
    fn conditional(&mut self, live: bool) -> Read {
        self.nested(|reader| {
            let condition = reader.binary(1, live)?;
            if !reader.take("?") {
                return Ok(condition);
            }
            let yes = reader.conditional(live && condition.bits != 0)?;
            if !reader.take(":") {
                return Err("`?` without `:`".to_string());
            }
            let no = reader.conditional(live && condition.bits == 0)?;
            let chosen = if condition.bits != 0 { yes } else { no };
            Ok(Value { unsigned: yes.unsigned || no.unsigned, ..chosen })
        })
    }

    fn binary(&mut self, least: u8, live: bool) -> Read {
        self.nested(|reader| {
            let mut left = reader.unary(live)?;
            while let Some((operator, binds)) =
                reader.sign().and_then(|sign| Some((sign, level(sign)?))).filter(|o| o.1 >= least)
            {
                reader.at += 1;
                let matters = match operator {
                    "||" => live && left.bits == 0,
                    "&&" => live && left.bits != 0,
                    _ => live,
                };
                let right = reader.binary(binds + 1, matters)?;
                left = apply(operator, left, right, matters)?;
            }
            Ok(left)
        })
    }

    fn unary(&mut self, live: bool) -> Read {
        self.nested(|reader| {
            let operator = reader.sign().filter(|sign| ["-", "+", "!", "~"].contains(sign));
            let Some(operator) = operator else { return reader.primary(live) };
            reader.at += 1;
            let operand = reader.unary(live)?;
            Ok(match operator {
                "-" => Value { bits: operand.bits.wrapping_neg(), ..operand },
                "~" => Value { bits: !operand.bits, ..operand },
                "!" => signed(i64::from(operand.bits == 0)),
                _ => operand,
            })
        })
    }

    fn primary(&mut self, live: bool) -> Read {
        let Some(word) = self.words.get(self.at) else {
            return Err("the expression ends too early".to_string());
        };
        self.at += 1;
        match word.kind {
            Kind::Number => number(&word.text),
            Kind::Character => character(&word.text),
            // A name that is no macro counts as 0.
            Kind::Name => Ok(signed(0)),
            Kind::Punctuation if &*word.text == "(" => {
                let inner = self.conditional(live)?;
                if self.take(")") { Ok(inner) } else { Err("`)` is missing".to_string()) }
            }
            _ => Err(format!("`{}` is not expected in the expression", word.text)),
        }
    }
}

fn apply(operator: &str, left: Value, right: Value, live: bool) -> Read {
    let (a, b) = (left.bits, right.bits);
    let unsigned = left.unsigned || right.unsigned;
    let (ua, ub) = (a as u64, b as u64);
    let truth = |truth: bool| signed(i64::from(truth));
    let less = |a: i64, b: i64| if unsigned { (a as u64) < (b as u64) } else { a < b };
    let number = |bits: i64| Value { bits, unsigned };
    if matches!(operator, "/" | "%") && b == 0 {
        return if live { Err("division by zero".to_string()) } else { Ok(number(0)) };
    }
    Ok(match operator {
        "||" => truth(a != 0 || b != 0),
        "&&" => truth(a != 0 && b != 0),
        "|" => number(a | b),
        "^" => number(a ^ b),
        "&" => number(a & b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(less(a, b)),
        ">" => truth(less(b, a)),
        "<=" => truth(!less(b, a)),
        ">=" => truth(!less(a, b)),
        "<<" | ">>" => shift(left, right, operator == "<<"),
        "+" => number(a.wrapping_add(b)),
        "-" => number(a.wrapping_sub(b)),
        "*" => number(a.wrapping_mul(b)),
        "/" if unsigned => number((ua / ub) as i64),
        "/" => number(a.wrapping_div(b)),
        _ if unsigned => number((ua % ub) as i64),
        _ => number(a.wrapping_rem(b)),
    })
}

/// Shifting by a negative number shifts the other way.
fn shift(left: Value, right: Value, to_left: bool) -> Value {
    let backwards = right.bits < 0 && !right.unsigned;
    let by = right.bits.unsigned_abs();
    let by = if backwards { by } else { right.bits as u64 };
    let bits = match (to_left != backwards, u32::try_from(by).ok().filter(|by| *by < 64)) {
        (true, Some(by)) => left.bits << by,
        (true, None) => 0,
        (false, by) if left.unsigned => by.map_or(0, |by| ((left.bits as u64) >> by) as i64),
        (false, by) => left.bits >> by.unwrap_or(63),
    };
    Value { bits, ..left }
}

fn number(text: &str) -> Read {
    let lower = text.to_ascii_lowercase();
    let body = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[body.len()..];
    let (digits, radix) = match body.as_bytes() {
        [b'0', b'x', ..] => (&body[2..], 16),
        [b'0', b'b', ..] => (&body[2..], 2),
        [b'0', _, ..] => (&body[1..], 8),
        _ => (body, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) || suffix.len() > 3 {
        return Err(format!("`{text}` is not a whole number"));
    }
    let Ok(bits) = u64::from_str_radix(digits, radix) else {
        return Err(format!("`{text}` is too large"));
    };
    let unsigned = suffix.contains('u') || i64::try_from(bits).is_err();
    Ok(Value { bits: bits as i64, unsigned })
}

fn character(text: &str) -> Read {
    let inner = text.trim_start_matches('\'');
    let inner = inner.strip_suffix('\'').unwrap_or(inner);
    let mut letters = inner.chars();
    let value = match (letters.next(), letters.next(), letters.next()) {
        (Some(letter), None, _) if letter != '\\' => letter as i64,
        (Some('\\'), Some(letter), None) => match letter {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'f' => 12,
            '0' => 0,
            other => other as i64,
        },
        _ => return Err(format!("{text} is not one character")),
    };
    Ok(signed(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promela::preprocess::scan::Scanner;
    use homing_ir::SourceId;

    fn check(text: &str, expected: Result<bool, &str>) {
        let words = Scanner::new(SourceId::default(), text).line().unwrap_or_default();
        let value = evaluate(&words);
        assert_eq!(value.as_ref().copied().map_err(|error| error.as_str()), expected, "{text}");
    }

    #[test]
    fn arithmetic() {
        for yes in [
            "1 + 2 * 3 == 7",
            "(1 || 1/0) && !(0 && 1/0)",
            "1 ? 2 : 3/0",
            "0 ? 1 : 0 ? 0 : 5",
            "-1 < 0 && -1 > 0u",
            "0x10 == 16 && 010 == 8 && 0b11 == 3",
            "'a' == 97 && '\\n' == 10",
            "1 << 3 == 8 && -8 >> 1 == -4 && 8 << -1 == 4",
            "~0 == -1 && 7 % 4 == 3 && (6 & 3) == 2 && (6 ^ 3) == 5 && (6 | 1) == 7",
            "unknown == 0",
            "18446744073709551615 == -1",
            "10 - 3 - 2 == 5",
        ] {
            check(yes, Ok(true));
        }
        check("0", Ok(false));
        check("2 < 1", Ok(false));
    }

    #[test]
    fn errors() {
        check("", Err("`#if` without an expression"));
        check("1 /0", Err("division by zero"));
        check("(1", Err("`)` is missing"));
        check("1 2", Err("`2` is not expected in the expression"));
        check("1 +", Err("the expression ends too early"));
        check("3x", Err("`3x` is not a whole number"));
        check("1 ? 2", Err("`?` without `:`"));
        check("\"a\"", Err("`\"a\"` is not expected in the expression"));
        check("99999999999999999999", Err("`99999999999999999999` is too large"));
        check(&"(".repeat(100_000), Err("the expression is nested too deeply"));
        check(&"- ".repeat(100_000), Err("the expression is nested too deeply"));
    }
}
