//! What trees are made of texts, and what is said of wrong ones.

use std::io;
use std::path::Path;

use homing_ir::Sources;

use super::{Outcome, outcome, print};
use crate::Settings;
use crate::promela::read::{read, read_expression};
use crate::reports::Reports;

/// The text as it is read: one line, macros and inlines expanded.
fn normal(text: &str) -> String {
    let outcome = outcome("test.pml", text);
    let errors: Vec<String> = outcome.errors().iter().map(|error| outcome.show(error)).collect();
    assert!(errors.is_empty(), "{text}\n{errors:?}");
    print::program(&outcome.program).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn check_body(text: &str, expected: &str) {
    assert_eq!(normal(&format!("init {{ {text} }}")), format!("init {{ {expected} }}"), "{text}");
}

fn check_goal(text: &str, expected: &str) {
    let (mut sources, mut reports) = (Sources::default(), Reports::default());
    let expr = read_expression(text, "<goal>", &mut sources, &mut reports);
    assert_eq!(expr.map(|expr| print::expr(&expr)).as_deref(), Some(expected), "{text}");
}

/// The first error of a text: line, message, and labels of related places.
fn check_error(text: &str, expected: &str) -> Outcome {
    let outcome = outcome("test.pml", text);
    let shown = outcome.errors().first().map(|error| {
        let line = outcome.sources.position(error.span).line;
        let related = error.related.iter().map(|(_, label)| format!(" / {label}"));
        format!("{line}: {}{}", error.message, related.collect::<String>())
    });
    assert_eq!(shown.as_deref(), Some(expected), "{text}");
    outcome
}

#[test]
fn operators_bind_as_in_spin() {
    check_goal(
        "a | b ^ c & d == e < f << g + h * -i",
        "(a | (b ^ (c & (d == (e < (f << (g + (h * (-i)))))))))",
    );
    check_goal("a && b || c && d", "((a && b) || (c && d))");
    check_goal("a - b - c", "((a - b) - c)");
    check_goal("!a == ~b", "((!a) == (~b))");
    check_goal("(a -> b : (c -> d : e))", "(a -> b : (c -> d : e))");
    check_goal(
        "P:x > 1 && P[2]:y[1] == 0 && P[1]@l",
        "(((P:x > 1) && (P[2]:y[1] == 0)) && P[1]@l)",
    );
    check_goal("c?[x, 1] && q[1].d??[eval(y)]", "(c?[x, 1] && q[1].d??[eval(y)])");
    check_goal("'a' + '\\n' + true", "((97 + 10) + 1)");
    check_goal("len(c) == 1 && nempty(d[1])", "((len(c) == 1) && nempty(d[1]))");
}

#[test]
fn formulas() {
    let check = |text: &str, expected: &str| {
        assert_eq!(normal(&format!("ltl p {{ {text} }}")), format!("ltl p {{ {expected} }}"));
    };
    check("[] (a -> <> b)", "([] (a -> (<> b)))");
    check("[]<>a <-> X b", "(([] (<> a)) <-> (X b))");
    check("a U b V c W d", "(((a U b) V c) W d)");
    check("a -> b -> c", "((a -> b) -> c)");
    check("always a implies eventually b", "(([] a) -> (<> b))");
    check("a /\\ b \\/ c", "((a && b) || c)");
    check("a && b U c == 1", "(a && (b U (c == 1)))");
    // Elsewhere these are names.
    check_body("X = U + always", "X = (U + always)");
}

#[test]
fn lines_end_statements() {
    check_body("x = 1\ny = 2", "x = 1; y = 2");
    check_body("x\n-1", "x; (-1)");
    check_body("c\n!x", "c; (!x)");
    check_body("x = (1\n- 2)", "x = (1 - 2)");
    check_body("x = 1 +\n2", "x = (1 + 2)");
    check_body("x\n-> y", "x; y");
    check_body("do :: x\n:: y -> break\nod\nx", "do :: x :: y; break od; x");
    check_body("for (i : 0 .. 1)\n{ x }\ny", "for (i : 0 .. 1) { x }; y");
    check_body("{ x }\nunless { y }", "{ x } unless { y }");
    check_body("{ x } y", "{ x }; y");
    check_body("if :: else x fi", "if :: else; x fi");
    check_body("timeout\nx", "timeout; x");
    check_body("skip /* over\n lines */ x", "1; x");
    check_body("L:\nx; ; y ;", "L: x; y");
}

#[test]
fn statements() {
    check_body(
        "c!1,2; c!!m(1,2); c?x,y; c??m(x); c?<-1,_>; c??<eval(x)>",
        "c!1, 2; c!!m, 1, 2; c?x, y; c??m, x; c?<-1, _>; c??<eval(x)>",
    );
    check_body("x++; y[1].z--", "x = (x + 1); y[1].z = (y[1].z - 1)");
    check_body("L: M: x; E: ", "L: M: x; E: 1");
    check_body("L: { x } unless { y }", "L: { x } unless { y }");
    check_body("for (i in a) { x }; select (j : 0..n)", "for (i in a) { x }; select (j : 0 .. n)");
    check_body(
        "assert x == 1; goto L; run P(1, 2) priority 3",
        "assert((x == 1)); goto L; run P(1, 2) priority 3",
    );
    check_body("c?[1] && x; a[1] == 2", "(c?[1] && x); (a[1] == 2)");
    check_body(
        "byte x = 1; mtype:m y; unsigned z : 3 = 2; chan c[2] = [1] of { byte, mtype:m }",
        "byte x = 1; mtype:m y; unsigned z : 3 = 2; chan c[2] = [1] of { byte, mtype:m }",
    );
    check_body("xr c, d[1]; in = 1", "xr c, d[1]; in = 1");
}

#[test]
fn inlines_are_put_in() {
    let with = |inlines: &str, body: &str, expected: &str| {
        let text = format!("{inlines}\ninit {{ {body} }}");
        assert_eq!(normal(&text), format!("init {{ {expected} }}"), "{text}");
    };
    with("inline f(a, b) { a = b; a.b }", "f(x[1], y + 1)", "{ x[1] = (y + 1); (x[1].y + 1) }");
    with("inline f(a) { a = 1 }\ninline g(b) { f(b); a = 2 }", "g(a) x", "{ { a = 1 }; a = 2 }; x");
    with("inline f(a) { return a + 1 }", "x = f(2); y", "{ x = (2 + 1) }; y");
    with("inline f(a, b) { b = a }", "f((p -> q : r), x)", "{ x = (p -> q : r) }");
}

#[test]
fn calls_are_numbered() {
    use crate::promela::syntax::{Statement, StatementKind, Step, Unit};
    let text = "inline g() { L: goto L }\ninline f() { x; g() }\ninit { f(); y; g() }";
    let outcome = outcome("test.pml", &text.replace("{ L:", "{ x; L:"));
    fn collect(steps: &[Step], list: &mut Vec<u32>) {
        for step in steps {
            let Step::Statement(Statement { kind, call, .. }) = step else { continue };
            list.push(*call);
            if let StatementKind::Inline { body, .. } = kind {
                collect(&body.steps, list);
            }
        }
    }
    let mut list = Vec::new();
    for unit in &outcome.program.units {
        if let Unit::Proctype(process) = unit {
            collect(&process.body.steps, &mut list);
        }
    }
    assert_eq!(list, [0, 1, 1, 2, 2, 0, 0, 3, 3]);
}

#[test]
fn macros() {
    let check = |text: &str, expected: &str| assert_eq!(normal(text), expected, "{text}");
    check("#define N 3\nbyte a[N];", "byte a[3];");
    check("#define F(a, b) a = b\nbyte F(x, 1);", "byte x = 1;");
    check("#define F(a,...) byte a, __VA_ARGS__\nF(x, y, z);", "byte x, y, z;");
    check("#define G(a, b...) byte a, ## b\nG(x);", "byte x;");
    check("#define C(a, b) a ## b\nbyte C(x, 1), C(y, );", "byte x1, y;");
    check("#define S(a) #a\ninit { printf(S(x  + \"y\")) }", "init { printf(\"x + \\\"y\\\"\") }");
    check(
        "#if defined(A) || !defined B && 1 + 1 == 2\nbyte x;\n#elif 1\nbyte y;\n#else\nbyte z;\n#endif",
        "byte x;",
    );
    check("#ifdef A\n#else\n#ifndef A\nbyte x;\n#endif\n#endif", "byte x;");
    check("#define A 1\n#undef A\n#ifdef A\nerror\n#endif\nbyte x;", "byte x;");
    check("byte x[__LINE__];\n\nbyte y[__LINE__];", "byte x[1]; byte y[3];");
    check("#define NEG -1\nbyte x = 3-NEG;", "byte x = (3 - (-1));");
    check("#define f(x) x + g\n#define g(x) x\nbyte y = f(1)(2);", "byte y = (1 + 2);");
}

#[test]
fn settings_and_includes() {
    let files = |path: &Path| match path.to_str() {
        Some("models/a.h") => Ok("#include \"b.h\"\nbyte a = M;".to_string()),
        Some("models/b.h") => {
            Ok("#ifndef B\n#define B\nbyte b;\n#include \"a.h\"\n#endif\n".to_string())
        }
        Some("inc/c.h") => Ok("byte c;".to_string()),
        Some("models/loop.h") => Ok("#include \"loop.h\"\n#include \"loop.h\"\n".to_string()),
        _ => Err(io::ErrorKind::NotFound.into()),
    };
    let run = |text: &str| {
        let (mut sources, mut reports) = (Sources::default(), Reports::default());
        let (defines, includes) = (["M=7".to_string(), "D".to_string()], ["inc".to_string()]);
        let settings = Settings {
            defines: &defines,
            includes: &includes,
            read: &files,
            ..Settings::default()
        };
        let program = read("models/m.pml", text, &settings, &mut sources, &mut reports);
        let said: Vec<String> = reports
            .finish()
            .into_iter()
            .map(|one| format!("{} {}", one.message, one.help.unwrap_or_default()))
            .collect();
        (print::program(&program).replace('\n', " "), said.join("\n"))
    };
    let read = |text: &str| run(text).0;
    assert_eq!(
        read("#include \"a.h\"\n#include <c.h>\nbyte x = D;"),
        "byte b; byte a = 7; byte a = 7; byte c; byte x = 1; "
    );
    assert_eq!(
        run("byte x;\n#include \"no.h\"\n").1,
        "the included file `no.h` does not exist looked in `models`, `inc`"
    );
    assert_eq!(run("#include \"loop.h\"").1, "`models/loop.h` includes itself without end ");
}

#[test]
fn errors_of_the_preprocessor() {
    check_error("#if 1\nbyte x;", "1: `#if` is not closed");
    check_error("byte x;\n#endif", "2: `#endif` without `#if`");
    check_error("#if 0\n#else\n#elif 1\n#endif", "3: `#elif` behind `#else` / `#else` is here");
    check_error("#error no way\n", "1: #error no way");
    check_error(
        "#define F(a) a\nbyte F(1, 2);",
        "2: the macro `F` takes 1 arguments, found 2 / defined here",
    );
    check_error(
        "#define F(a) a\nbyte F(x;",
        "2: the arguments of the macro `F` are not closed / defined here",
    );
    check_error("#define F(a, a) a", "1: the parameters of the macro `F` are wrong");
    check_error("#frobnicate", "1: unknown directive `#frobnicate`");
    check_error("#if 1 / 0\n#endif", "1: division by zero");
    let nested = "#define IN 1 +\n#define OUT IN )\nbyte x;\nbyte y = OUT;";
    check_error(
        nested,
        "4: expected an expression, found `)` / in the expansion of `OUT`, defined here",
    );
    let hidden = outcome("test.pml", "#define N 3\nbyte i;\ninit { select (i : 0..N) }");
    assert!(hidden.diagnostics[0].message.contains("is not expanded in `0..N`"));
    // To the preprocessor, `E-1` and `e+1` end a number.
    let sign = "byte SIZE = 3, i;\ninit { for (i : 0..SIZE-1) { skip }; select (i : 0..SIZE+1) }";
    assert!(outcome("test.pml", sign).diagnostics.is_empty());
}

#[test]
fn errors_of_the_parser() {
    check_error("init { x = 1", "1: expected `}`, found the end of the text / opened here");
    check_error("init { }", "1: a sequence must have at least one statement");
    check_error(
        "proctype P()",
        "1: expected `{` and the body of a process, found the end of the text",
    );
    check_error("init { break }", "1: `break` outside of a loop");
    check_error(
        "init { if :: else :: x :: else fi }",
        "1: there are two `else` / the other is here",
    );
    check_error(
        "init { atomic { L: x } }",
        "1: the label `L` cannot stand at the start of a block",
    );
    check_error("init { L: x unless { y } }", "1: the label `L` cannot stand before `unless`");
    check_error("init { L: byte x }", "1: a label cannot stand before a declaration");
    check_error("init { x = 4294967296 }", "1: the number is too large");
    check_error("init { x = 0x10 }", "1: `0x10` is neither a number nor a name");
    check_error("init {\nc_code { now.x = 'a b'; \\ }; x }", "2: embedded C is not supported");
    check_error("init { f(1) }", "1: there is no inline `f` above");
    check_error(
        "inline f(a) { a }\ninit { f() }",
        "2: the inline `f` takes 1 arguments, found 0 / declared here",
    );
    check_error(
        "inline f(a) { a = }\ninit { f(x) }",
        "1: expected an expression, found `}` / in the expansion of `f`, defined here",
    );
    check_error("inline f() { return 1 }\ninit { f() }", "1: the result of the inline is not used");
    check_error(
        "chan c = [1] of { unsigned : 3 }",
        "1: messages have no fields of type `unsigned`",
    );
    // Reading goes on behind errors.
    let several =
        outcome("test.pml", "init { x = ; y = ; if :: z = fi }\nproctype P( { x }\nbyte = 3;");
    let lines = several.errors().into_iter().map(|e| several.sources.position(e.span).line);
    assert_eq!(lines.collect::<Vec<_>>(), [1, 1, 1, 2, 3]);
}
