//! Words that are operators, and how tightly they bind.
//!
//! | binds | operators |
//! |---|---|
//! | 1 | `->`, from the right |
//! | 2 | `<->` |
//! | 3 | `?:`, from the right |
//! | 4 | `\|` `xor` `xnor` |
//! | 5 | `&` |
//! | 6 | `U` `V` `S` `T` |
//! | 7 | temporal operators of one operand |
//! | 8 | `=` `!=` `<` `<=` `>` `>=` |
//! | 9, 10 | `in`, `union` |
//! | 11 | `..`, between numbers |
//! | 12, 13, 14, 15 | `<<` `>>`, `+` `-`, `*` `/` `mod`, `::` |
//! | 16 | `!` and `-` |
//! | 17 | `.` and `[]` |

use super::syntax::{Function, Infix, Temporal};
use super::token::Token;

/// Everything binds at least as tightly.
pub const LOOSEST: u8 = 1;
/// What a bound of a range is made of.
pub const SHIFT: u8 = 12;
/// Names with what stands behind them.
pub const TIGHTEST: u8 = 17;

/// `?:`.
pub const CHOICE: u8 = 3;
/// Temporal operators of one operand.
pub const TEMPORAL: u8 = 7;
/// `..`.
pub const RANGE: u8 = 11;
/// `!` and `-`.
pub const PREFIX: u8 = 16;

/// What is written as a function is.
pub fn function(token: Token) -> Option<Function> {
    Some(match token {
        Token::Next => Function::Next,
        Token::Bool => Function::Bool,
        Token::Word1 => Function::Word1,
        Token::Signed => Function::Signed,
        Token::Unsigned => Function::Unsigned,
        Token::Extend => Function::Extend,
        Token::Resize => Function::Resize,
        Token::Sizeof => Function::Sizeof,
        Token::Toint => Function::Toint,
        Token::Count => Function::Count,
        Token::Uwconst => Function::Uwconst,
        Token::Swconst => Function::Swconst,
        Token::Read => Function::Read,
        Token::Write => Function::Write,
        Token::ConstArray => Function::ConstArray,
        Token::Abs => Function::Abs,
        Token::Min => Function::Min,
        Token::Max => Function::Max,
        _ => return None,
    })
}

/// A temporal operator of one operand.
pub fn temporal(token: Token) -> Option<Temporal> {
    Some(match token {
        Token::ExistsNext => Temporal::ExistsNext,
        Token::AllNext => Temporal::AllNext,
        Token::ExistsFinally | Token::ExistsBoundedFinally => Temporal::ExistsFinally,
        Token::AllFinally | Token::AllBoundedFinally => Temporal::AllFinally,
        Token::ExistsGlobally | Token::ExistsBoundedGlobally => Temporal::ExistsGlobally,
        Token::AllGlobally | Token::AllBoundedGlobally => Temporal::AllGlobally,
        Token::LtlNext => Temporal::Next,
        Token::Finally => Temporal::Finally,
        Token::Globally => Temporal::Globally,
        Token::Previous => Temporal::Previous,
        Token::WeakPrevious => Temporal::WeakPrevious,
        Token::Once => Temporal::Once,
        Token::Historically => Temporal::Historically,
        _ => return None,
    })
}

/// An operator between two operands, and how tightly it binds.
pub fn infix(token: Token) -> Option<(Infix, u8)> {
    Some(match token {
        Token::Arrow => (Infix::Implies, LOOSEST),
        Token::DoubleArrow => (Infix::Iff, 2),
        Token::Bar => (Infix::Or, 4),
        Token::Xor => (Infix::Xor, 4),
        Token::Xnor => (Infix::Xnor, 4),
        Token::Ampersand => (Infix::And, 5),
        Token::Until => (Infix::Until, 6),
        Token::Releases => (Infix::Releases, 6),
        Token::Since => (Infix::Since, 6),
        Token::Triggered => (Infix::Triggered, 6),
        Token::Equal => (Infix::Equal, 8),
        Token::NotEqual => (Infix::NotEqual, 8),
        Token::Less => (Infix::Less, 8),
        Token::LessEqual => (Infix::LessEqual, 8),
        Token::Greater => (Infix::Greater, 8),
        Token::GreaterEqual => (Infix::GreaterEqual, 8),
        Token::Member => (Infix::In, 9),
        Token::Union => (Infix::Union, 10),
        Token::ShiftLeft => (Infix::ShiftLeft, SHIFT),
        Token::ShiftRight => (Infix::ShiftRight, SHIFT),
        Token::Plus => (Infix::Plus, 13),
        Token::Minus => (Infix::Minus, 13),
        Token::Times => (Infix::Times, 14),
        Token::Slash => (Infix::Divide, 14),
        Token::Mod => (Infix::Mod, 14),
        Token::Concat => (Infix::Concat, 15),
        _ => return None,
    })
}
