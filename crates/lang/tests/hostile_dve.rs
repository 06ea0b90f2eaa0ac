//! Texts that are meant to do harm: each is answered, none breaks anything.

use homing_ir::Severity;
use homing_lang::dve;

/// Reads a text and checks that the first error says `expected`, or that there
/// is none where `expected` is empty.
fn check(text: &str, expected: &str) {
    let parsed = dve::parse("hostile.dve", text);
    let mut errors = parsed.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let first = errors.next().map_or("", |error| error.message.as_str());
    assert!(first.contains(expected), "{first:?} is not {expected:?}");
    assert_eq!(first.is_empty(), expected.is_empty(), "{first:?}");
    assert!(parsed.diagnostics.len() <= 202);
    // What is said can be placed.
    for diagnostic in &parsed.diagnostics {
        parsed.network.sources.position(diagnostic.span);
    }
}

/// A model with one transition that has this guard.
fn guarded(guard: &str) -> String {
    format!(
        "byte x, a[2]; process P {{ state s; init s; trans s -> s {{ guard {guard}; }}; }} system async;"
    )
}

const MANY: usize = 1_000_000;

#[test]
fn nothing() {
    check("", "the text is empty");
    check(" \n\t// nothing\n/* at all */", "the text is empty");
    check("\u{feff}", "the text is empty");
}

#[test]
fn no_text() {
    check("\0\0\0", "zero bytes");
    check("process \u{0} P", "zero bytes");
    check("\u{1}\u{2}\u{fffd}\u{fffd}", "unknown character");
}

#[test]
fn deep_nesting() {
    let too_deep = "nested too deeply";
    check(&guarded(&"(".repeat(MANY)), too_deep);
    check(&guarded(&format!("{}1{}", "(".repeat(MANY), ")".repeat(MANY))), too_deep);
    check(&guarded(&"-".repeat(MANY)), too_deep);
    check(&guarded(&format!("{}1", "not ".repeat(MANY))), too_deep);
    check(&guarded(&"a[".repeat(MANY)), too_deep);
    check(&guarded(&format!("{}x", "P(".repeat(MANY))), too_deep);
    check(&guarded(&format!("1{}", " imply (1".repeat(MANY))), too_deep);
    check(&"{".repeat(MANY), "expected");
    check(&"process P {".repeat(MANY), "expected");
    check(&"for (i : 0 .. 1) {".repeat(MANY), "nested too deeply");
}

#[test]
fn moderate_nesting_is_read() {
    check(&guarded(&format!("{}1{}", "(".repeat(150), ")".repeat(150))), "");
    check(&guarded(&format!("{}x", "not ".repeat(150))), "");
}

#[test]
fn long_chains() {
    // Associative operators make shallow trees of any number of operands.
    for operator in ["+", "*", "and", "or", "&", "|", "^"] {
        check(&guarded(&format!("x{}", format!(" {operator} x").repeat(100_000))), "");
    }
    for operator in ["-", "/", "%", "<<", "==", "imply"] {
        check(&guarded(&format!("x{}", format!(" {operator} x").repeat(400))), "");
        check(
            &guarded(&format!("x{}", format!(" {operator} x").repeat(MANY))),
            "nested too deeply",
        );
    }
}

#[test]
fn large_garbage() {
    for piece in ["}", "process ", "guard x;", "§", "1", "a ", "->", "byte x = ;", "x,", "/*/"] {
        let parsed = dve::parse("garbage.dve", &piece.repeat(10_000_000 / piece.len()));
        assert!(!parsed.usable(), "{piece}");
        assert!(parsed.diagnostics.len() <= 202, "{piece}");
    }
}
