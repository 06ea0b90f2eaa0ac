//! Constant expressions are worth the same whoever works them out: every language before
//! the model runs, and the interpreter while it does.
//!
//! An expression is drawn once and written in every language, as the initial value of a
//! variable; `#if` is asked whether it has the value it should have. Where languages differ
//! is said here: what they have no operator for, and whether a division by zero counts that
//! another operand makes irrelevant.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use homing_ir::interp::Interpreter;
use homing_ir::network::{Arithmetic, Binary, Expr, ExprKind, Unary};
use homing_ir::random::config;
use homing_ir::{Network, Span};
use homing_lang::{Settings, by_extension};
use proptest::prelude::*;

/// Values at which something ends: a type, a sign, the amount of a shift.
const VALUES: [i64; 17] = [
    i32::MIN as i64,
    i32::MIN as i64 + 1,
    -65536,
    -32768,
    -33,
    -2,
    -1,
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    255,
    65536,
    i32::MAX as i64,
];

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

fn expressions(unary: &'static [Unary], binary: Vec<Binary>) -> impl Strategy<Value = Expr> {
    let leaf =
        prop::sample::select(&VALUES[..]).prop_map(|value| Expr::int(value, Span::default()));
    leaf.prop_recursive(4, 20, 2, move |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            1 => (prop::sample::select(unary), boxed.clone())
                .prop_map(|(op, operand)| expr(ExprKind::Unary(op, operand))),
            4 => (prop::sample::select(binary.clone()), boxed.clone(), boxed)
                .prop_map(|(op, left, right)| expr(ExprKind::Binary(op, left, right))),
        ]
    })
}

/// The operators that all languages have.
fn common() -> Vec<Binary> {
    use Binary::{
        Add, And, BitAnd, BitOr, BitXor, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Shl, Shr, Sub,
    };
    vec![Add, Sub, Mul, Div, Rem, Shl, Shr, BitAnd, BitOr, BitXor, Eq, Ne, Lt, Le, Gt, Ge, And, Or]
}

/// An expression as written, every operand in parentheses.
fn written(expr: &Expr) -> String {
    match &expr.kind {
        // No language reads a number without its sign that is larger than the greatest.
        ExprKind::Int(value) if *value == i64::from(i32::MIN) => "(-2147483647 - 1)".to_string(),
        ExprKind::Int(value) => format!("({value})"),
        ExprKind::Unary(op, operand) => {
            let sign = match op {
                Unary::Neg => "-",
                Unary::Not => "!",
                Unary::BitNot => "~",
            };
            format!("({sign} {})", written(operand))
        }
        ExprKind::Binary(op, left, right) => {
            format!("({} {} {})", written(left), sign(*op), written(right))
        }
        other => unreachable!("{other:?} is not drawn"),
    }
}

fn sign(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::BitAnd => "&",
        Binary::BitOr => "|",
        Binary::BitXor => "^",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::And => "&&",
        Binary::Or => "||",
        Binary::Imply => "imply",
    }
}

/// What the first variable of a model holds at first; nothing where the model is refused.
fn initial(extension: &str, text: &str) -> Option<i64> {
    let language = by_extension(extension).expect("it is a language");
    let parsed = (language.parse)("constants", text, &Settings::default());
    parsed.usable().then(|| parsed.network.variables[0].initial[0])
}

/// What the interpreter makes of an expression; nothing where that fails.
fn evaluated(network: &Network, expr: &Expr) -> Option<i64> {
    let interpreter = Interpreter::new(network).expect("a supported network");
    interpreter.eval(&interpreter.initial(), expr).ok()
}

fn empty_network() -> Network {
    let language = by_extension("dve").expect("it is a language");
    let text = "process P { state s; init s; } system async;";
    (language.parse)("empty", text, &Settings::default()).network
}

/// Whether every part of an expression has a value: Promela's constants are worked out
/// whole.
fn all_defined(network: &Network, expr: &Expr) -> bool {
    let within = match &expr.kind {
        ExprKind::Unary(_, operand) => all_defined(network, operand),
        ExprKind::Binary(_, left, right) => {
            all_defined(network, left) && all_defined(network, right)
        }
        _ => true,
    };
    within && evaluated(network, expr).is_some()
}

/// Variables of DVE hold 16 bits: a value is asked for in pieces.
fn in_dve(text: &str) -> Option<i64> {
    let piece = |term: String| {
        initial("dve", &format!("int x = {term}; process P {{ state s; init s; }} system async;"))
    };
    let low = piece(format!("({text} & 32767)"))?;
    let middle = piece(format!("(({text} >> 15) & 32767)"))?;
    let high = piece(format!("({text} >> 30)"))?;
    Some(high << 30 | middle << 15 | low)
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn dve(expr in expressions(
        &[Unary::Neg, Unary::Not, Unary::BitNot],
        [common(), vec![Binary::Imply]].concat(),
    )) {
        prop_assert_eq!(in_dve(&written(&expr)), evaluated(&empty_network(), &expr));
    }

    #[test]
    fn promela(expr in expressions(&[Unary::Neg, Unary::Not, Unary::BitNot], common())) {
        let network = empty_network();
        let text = format!("int x = {};\nactive proctype P() {{ skip }}\n", written(&expr));
        let expected = evaluated(&network, &expr).filter(|_| all_defined(&network, &expr));
        prop_assert_eq!(initial("pml", &text), expected);
    }

    #[test]
    fn uppaal(expr in expressions(
        &[Unary::Neg, Unary::Not],
        [common(), vec![Binary::Imply]].concat(),
    )) {
        let process = "process P() { state s; init s; } Q = P(); system Q;";
        let text = format!("int[-2147483647 - 1, 2147483647] x = {}; {process}", written(&expr));
        prop_assert_eq!(initial("xta", &text), evaluated(&empty_network(), &expr));
    }

    /// `#if` counts in 64 bits: where these are enough, and shifts shift, it agrees.
    #[test]
    fn conditions_of_the_preprocessor(
        expr in expressions(&[Unary::Neg, Unary::Not, Unary::BitNot], common()),
    ) {
        let network = Network { arithmetic: Arithmetic::Checked64, ..empty_network() };
        if let Some(expected) = evaluated(&network, &expr) {
            let expected = written(&Expr::int(expected, Span::default()));
            let text = format!(
                "#if {} == {expected}\nint x = 1;\n#else\nint x = 0;\n#endif\n\
                 active proctype P() {{ skip }}\n",
                written(&expr),
            );
            prop_assert_eq!(initial("pml", &text), Some(1));
        }
    }
}
