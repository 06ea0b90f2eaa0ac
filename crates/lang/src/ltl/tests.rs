use super::*;

/// The formula with all its parentheses.
fn written(text: &str, formula: &Formula<Range<usize>>) -> String {
    let inner = |f: &Formula<Range<usize>>| written(text, f);
    match formula {
        Formula::Constant(value) => value.to_string(),
        Formula::Atom(range) => format!("{{{}}}", &text[range.clone()]),
        Formula::Not(f) => format!("!{}", inner(f)),
        Formula::Next(f) => format!("X{}", inner(f)),
        Formula::Finally(f) => format!("<>{}", inner(f)),
        Formula::Globally(f) => format!("[]{}", inner(f)),
        Formula::Binary(op, f, g) => format!("({} {} {})", inner(f), op.sign(), inner(g)),
    }
}

fn check(text: &str, expected: &str) {
    match parse(text) {
        Ok(formula) => assert_eq!(written(text, &formula), expected, "{text}"),
        Err(problem) => panic!("{text}: {problem:?}"),
    }
}

fn wrong(text: &str, message: &str, at: usize) {
    match parse(text) {
        Ok(formula) => panic!("{text} was read as {}", written(text, &formula)),
        Err(problem) => {
            assert_eq!((problem.message.as_str(), problem.range.start), (message, at), "{text}");
        }
    }
}

#[test]
fn operators_bind_as_documented() {
    check("[] p U q", "([]{p} U {q})");
    check("a U b U c", "({a} U ({b} U {c}))");
    check("a && b || c -> d <-> e", "(((({a} && {b}) || {c}) -> {d}) <-> {e})");
    check("a -> b -> c", "({a} -> ({b} -> {c}))");
    check("!a && b W c", "(!{a} && ({b} W {c}))");
    check("G F p and not X q", "([]<>{p} && !X{q})");
    check("always eventually p implies q release r", "([]<>{p} -> ({q} R {r}))");
    check("p V q /\\ r \\/ ~s", "((({p} R {q}) && {r}) || !{s})");
    check("true U (false | 1)", "(true U (false || true))");
}

#[test]
fn atoms_are_the_longest_stretches() {
    check("[](x + 1 == 3)", "[]{x + 1 == 3}");
    check("(x + 1) == 3 U y", "({(x + 1) == 3} U {y})");
    check("P.CS + Q.CS == 1 && c", "({P.CS + Q.CS == 1} && {c})");
    check("!a==\"K\"", "!{a==\"K\"}");
    check("<>Node_4==\"a U b\"", "<>{Node_4==\"a U b\"}");
    check("<> len(c) > (a && b)", "<>{len(c) > (a && b)}");
    check("G (-1 < x[i && j])", "[]{-1 < x[i && j]}");
    check("(a) && (b)", "({a} && {b})");
    check("((a)) U ((b || c))", "({a} U ({b} || {c}))");
    check("P@label -> p[2]:x != 3", "({P@label} -> {p[2]:x != 3})");
    check("P.X U P.U", "({P.X} U {P.U})");
    check("X == 1", "{X == 1}");
    check("X X==1", "X{X==1}");
    check("Ux U xU", "({Ux} U {xU})");
    check("[] (x & 1) == 0", "[]{(x & 1) == 0}");
    check("G exists (i : id_t) P(i).a && x", "[]{exists (i : id_t) P(i).a && x}");
}

#[test]
fn a_foreign_variable_is_no_implication() {
    let text = "P->x == 1 -> a->b";
    let formula = parse_with(text, &|name| name == "P").unwrap();
    assert_eq!(written(text, &formula), "({P->x == 1} -> ({a} -> {b}))");
}

#[test]
fn errors_have_places() {
    wrong("", "the formula ends where an operand is expected", 0);
    wrong("[] (a && b", "this parenthesis is not closed", 3);
    wrong("a) && b", "no parenthesis is open here", 1);
    wrong("a && || b", "an operand is missing before this", 5);
    wrong("a U", "the formula ends where an operand is expected", 3);
    wrong("a [] b", "an operator is missing before this", 2);
    wrong("(a U b) c", "an operator is missing before this", 8);
    wrong("(a U b) == c", "an operator is missing before this", 8);
    wrong("x + (a U b) == 1", "the temporal operator `U` stands inside an expression", 7);
    wrong("x == && y", "an operand is missing before this", 5);
    wrong("a == \"b", "this quote is not closed", 5);
    wrong("a[1 && b", "this bracket is not closed", 1);
    wrong("()", "an operand is missing before this", 1);
}

#[test]
fn hostile_texts_are_refused() {
    let deep = "the formula is nested too deeply, at most 500 levels are read";
    for text in [
        format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000)),
        format!("{}a", "[]".repeat(10_000)),
        format!("{}a", "a U ".repeat(10_000)),
        format!("{}a", "a -> ".repeat(10_000)),
        format!("{}a", "a <-> ".repeat(10_000)),
    ] {
        assert_eq!(parse(&text).unwrap_err().message, deep);
    }
    assert!(parse(&format!("{}a", "a && ".repeat(100_000))).is_ok());
}
