//! Texts that are meant to do harm: each is answered, none breaks anything.

use super::outcome;

/// Reads a text and checks that the first error says `expected`, or that there
/// is none where `expected` is empty.
fn check(text: &str, expected: &str) {
    let outcome = outcome("hostile.pml", text);
    let errors = outcome.errors();
    let first = errors.first().map_or("", |error| error.message.as_str());
    let start: String = text.chars().take(80).collect();
    assert!(first.contains(expected), "{first:?} is not {expected:?}: {start}");
    assert_eq!(first.is_empty(), expected.is_empty(), "{first:?}: {start}");
    assert!(outcome.diagnostics.len() <= 202);
    for diagnostic in &outcome.diagnostics {
        outcome.sources.position(diagnostic.span);
    }
}

fn body(text: &str) -> String {
    format!("byte x, a[2]; chan c = [1] of {{ byte }}; init {{ {text} }}")
}

const MANY: usize = 100_000;

#[test]
fn no_text() {
    check("", "");
    check("\0\0", "zero bytes");
    check("\u{1}\u{fffd}", "unknown character");
    check("byte x; /* open", "a comment is not closed");
    check("byte x; init { printf(\"open); }", "a quote is not closed");
}

#[test]
fn deep_nesting() {
    let too_deep = "nested too deeply";
    for (open, close) in [("(", ")"), ("- ", ""), ("a[", "]"), ("~", ""), ("len(a[", "])")] {
        check(&body(&open.repeat(MANY)), too_deep);
        check(&body(&format!("{}1{}", open.repeat(MANY), close.repeat(MANY))), too_deep);
    }
    for open in ["{ ", "if :: ", "do :: ", "atomic { ", "for (x : 0 .. 1) { ", "{ x = 1; { "] {
        check(&body(&open.repeat(MANY)), too_deep);
    }
    check(&body(&"c?x(".repeat(MANY)), "expected");
    check(&body(&format!("c?{}", "(".repeat(MANY))), too_deep);
    check(&body(&"L: ".repeat(MANY)), "");
    check(&body(&format!("x = 1 {}", "unless { x = 1 ".repeat(MANY))), too_deep);
    check(&format!("ltl {{ {} x }}", "[] ".repeat(MANY)), too_deep);
    check(&format!("#if {}\n#endif", "(".repeat(MANY)), too_deep);
    check(&"#if 1\n".repeat(MANY), "`#if` is not closed");
}

#[test]
fn moderate_nesting_is_read() {
    check(&body(&format!("{}x{}", "(".repeat(90), ")".repeat(90))), "");
    check(&body(&format!("{}x = 1{}", "{ ".repeat(150), " }".repeat(150))), "");
    check(&body(&format!("{}x = 1{}", "if :: ".repeat(150), " fi".repeat(150))), "");
}

#[test]
fn long_chains() {
    for operator in ["+", "*", "&&", "||", "&", "|", "^"] {
        check(&body(&format!("x{}", format!(" {operator} x").repeat(50_000))), "");
    }
    for operator in ["-", "/", "%", "<<", "==", "<"] {
        check(&body(&format!("x{}", format!(" {operator} x").repeat(300))), "");
        check(&body(&format!("x{}", format!(" {operator} x").repeat(MANY))), "nested too deeply");
    }
    // Chains within brackets add up.
    let minus = " - 1".repeat(300);
    let one = format!("a[x{minus}]{minus}");
    check(&body(&one), "nested too deeply");
    let nested = format!("{}x{}", "a[".repeat(40), format!("{minus}]").repeat(40));
    check(&body(&nested), "nested too deeply");
    check(&body(&"x = 1; ".repeat(100_000)), "");
    check(&body(&"x = 1\n".repeat(100_000)), "");
    check(&"byte x; ".repeat(100_000), "");
}

#[test]
fn macros_that_explode() {
    let double = |depth: usize, last: &str| {
        let lines = (0..depth).map(|i| format!("#define M{i} M{} M{}\n", i + 1, i + 1));
        format!("{}#define M{depth} {last}\nM0\n", lines.collect::<String>())
    };
    check(&double(8, "byte x;"), "");
    check(&double(60, "x"), "macros make more than");
    check(&double(60, ""), "macros make more than");
    let calls = format!("#define F(x) x x\n{}y{}", "F(".repeat(100), ")".repeat(100));
    check(&calls, "macros make more than");
    let deep = format!("#define F(x) x\n{}y{}", "F(".repeat(1_000), ")".repeat(1_000));
    check(&deep, "nested too deeply");
    check(&format!("#define F(x) x\n{}", "F(".repeat(MANY)), "are not closed");
}

#[test]
fn macros_that_use_themselves() {
    check("#define x x\nbyte x;", "");
    check("#define x y\n#define y x\nbyte x;", "");
    check("#define f(a) f(a + 1)\nbyte b[f(1)];", "expected `]`, found `(`");
    check("#define F F(\nbyte x; F", "expected");
}

#[test]
fn inlines_that_explode() {
    let doubling: String =
        (0..31).map(|i| format!("inline f{}() {{ f{i}(); f{i}() }}\n", i + 1)).collect();
    let text = format!("byte x; inline f0() {{ x = 1 }}\n{doubling}init {{ f31() }}");
    check(&text, "calls of inlines make more than");
    check("inline f() { f() }\ninit { f() }", "the inline `f` calls itself");
    check("inline f() { g() }\ninline g() { f() }\ninit { f() }", "the inline `f` calls itself");
    let chain: String = (0..40).map(|i| format!("inline f{}() {{ f{i}() }}\n", i + 1)).collect();
    let text = format!("byte x; inline f0() {{ x = 1 }}\n{chain}init {{ f40() }}");
    check(&text, "nested more than 32 deep");
}

#[test]
fn large_garbage() {
    for piece in [
        "}",
        "proctype ",
        "{ ",
        ":: ",
        "§",
        "1",
        "byte x = ;",
        "x, ",
        "/* ",
        "\"",
        "'",
        "init {",
        "#define x\n",
        "#if\n",
        "#include \"x\"\n",
        "inline f(",
        "fi ",
        "if ",
        "ltl { ",
        "c_code { ",
        "L: ",
        "run ",
        "a\n",
    ] {
        let text = piece.repeat(500_000 / piece.len());
        let outcome = outcome("garbage.pml", &text);
        assert!(outcome.diagnostics.len() <= 202, "{piece}");
        assert_eq!(outcome.errors().is_empty(), piece.starts_with("#def"), "{piece}");
    }
}
