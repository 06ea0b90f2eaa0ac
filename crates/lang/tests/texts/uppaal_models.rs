//! The project's own UPPAAL models are read, and those without clocks mean what their
//! first lines say, according to the reference interpreter. (What the others mean is
//! checked with zones, beside the models of all languages.)

use std::fs;

use crate::support::expectations::{Subject, expectations, verdict};
use crate::support::{models, render_all};
use homing_ir::interp::{Exploration, Interpreter};
use homing_ir::network::{Expr, ExprKind, PropertyKind, StatementKind};
use homing_ir::{Network, wellformed};
use homing_lang::{Parsed, Settings, by_extension};

fn read(name: &str, text: &str) -> Parsed {
    (by_extension("xta").unwrap().parse)(name, text, &Settings::default())
}

fn goal(network: &mut Network, text: &str) -> Expr {
    let read = (by_extension("xta").unwrap().expression)(network, text, "<goal>");
    read.unwrap_or_else(|said| panic!("{text}: {}", render_all(&network.sources, &said)))
}

/// The network of a text that is right.
fn network(text: &str) -> Network {
    let parsed = read("model.xta", text);
    assert!(parsed.usable(), "{}", render_all(&parsed.network.sources, &parsed.diagnostics));
    let wrong = wellformed::check(&parsed.network);
    assert!(wrong.is_empty(), "{}", render_all(&parsed.network.sources, &wrong));
    parsed.network
}

fn explore(network: &Network) -> (Interpreter<'_>, Exploration) {
    let interpreter = Interpreter::new(network)
        .unwrap_or_else(|said| panic!("{}", render_all(&network.sources, &said)));
    let found = interpreter.explore(10_000);
    assert!(found.complete);
    (interpreter, found)
}

/// How many steps it takes until a goal holds.
fn distance(network: &mut Network, text: &str) -> Option<u32> {
    let goal = goal(network, text);
    let (interpreter, found) = explore(network);
    found.distance(|state| interpreter.eval(state, &goal).is_ok_and(|value| value != 0))
}

fn observe(network: &mut Network, subject: &Subject) -> String {
    if let Subject::Goal(text) = subject {
        return verdict(distance(network, text));
    }
    let (interpreter, found) = explore(network);
    match subject {
        Subject::States => found.states.len().to_string(),
        Subject::Deadlock => verdict(found.deadlocks.first().map(|state| found.depths[*state])),
        Subject::Error => verdict(found.faults.first().map(|fault| found.depths[fault.state] + 1)),
        _ => verdict(found.distance(|state| !interpreter.violated_assertions(state).is_empty())),
    }
}

#[test]
fn models_mean_what_they_say() {
    let mut wrong = Vec::new();
    for path in models("uppaal") {
        let text = fs::read_to_string(&path).unwrap();
        let parsed = read(&path.display().to_string(), &text);
        let said = render_all(&parsed.network.sources, &parsed.diagnostics);
        assert!(parsed.diagnostics.is_empty(), "{said}");
        let mut network = parsed.network;
        assert!(wellformed::check(&network).is_empty(), "{}", path.display());
        let expectations = expectations(&text);
        assert!(!expectations.is_empty(), "{} expects nothing", path.display());
        for expectation in expectations {
            if let Subject::Goal(text) = &expectation.subject {
                goal(&mut network, text);
            }
            if network.is_timed() || Interpreter::new(&network).is_err() {
                continue;
            }
            let observed = observe(&mut network, &expectation.subject);
            if observed != expectation.expected {
                let (subject, expected) = (expectation.subject, expectation.expected);
                wrong.push(format!("{}: {subject:?}: {observed}, not {expected}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Cut anywhere, a model is still read without harm.
#[test]
fn every_beginning_of_a_model_is_read() {
    for path in models("uppaal") {
        let text = fs::read_to_string(&path).unwrap();
        for end in (0..text.len()).step_by(7).filter(|end| text.is_char_boundary(*end)) {
            read(&path.display().to_string(), &text[..end]);
        }
    }
}

/// The words of a text, blanks among them.
fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
        let end = match part_of_name(first) {
            true => rest.find(|c| !part_of_name(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        found.push(word);
        rest = after;
    }
    found
}

/// Models with a word replaced by another one are read without harm: what comes out is
/// well-formed, or an error says why there is nothing.
#[test]
fn mutilated_models_do_no_harm() {
    let mut seed = 1_u64;
    let mut draw = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut read_well = 0;
    for path in models("uppaal") {
        let text = fs::read_to_string(&path).unwrap();
        let words = words(&text);
        for _ in 0..250 {
            let mut mutilated = words.clone();
            for _ in 0..1 + draw(2) {
                let (at, from) = (draw(words.len()), draw(words.len()));
                mutilated[at] = if draw(4) == 0 { "" } else { words[from] };
            }
            let parsed = read(&path.display().to_string(), &mutilated.concat());
            if parsed.usable() {
                let wrong = wellformed::check(&parsed.network);
                let said = render_all(&parsed.network.sources, &wrong);
                assert!(wrong.is_empty(), "{}\n{said}", mutilated.concat());
                read_well += 1;
            }
        }
    }
    println!("{read_well} mutilated models were right all the same");
    assert!(read_well > 100);
}

/// One process with one edge, that does `update` once, then `done`.
fn once(declarations: &str, update: &str) -> Network {
    network(&format!(
        "{declarations}
         process P() {{ state a, b; init a; trans a -> b {{ assign {update}; }}; }}
         system P;"
    ))
}

/// What an update leads to, according to the interpreter.
#[test]
fn updates_mean_what_they_say() {
    let check = |declarations: &str, update: &str, expected: &str| {
        let mut network = once(declarations, update);
        let goal = format!("P.b && ({expected})");
        let held = distance(&mut network, &goal);
        assert_eq!(held, Some(1), "{declarations} {update} ⊨ {expected}");
    };
    let ints = "int a[4]; int i = 1, j = 2, x;";
    check(ints, "a[i++] = 3", "a[1] == 3 && i == 2");
    check(ints, "a[i] = i++", "a[1] == 1 && i == 2");
    check(ints, "x = j = 5", "x == 5 && j == 5");
    check(ints, "x = i++ + i", "x == 3");
    check(ints, "x = i + i++ * 10", "x == 11 && i == 2");
    check(ints, "x = ++i + --j", "x == 3");
    check(ints, "x = i, i = j, j = x", "i == 2 && j == 1");
    check(ints, "x = (i > 5 && j++ > 0) ? 1 : 7", "x == 7 && j == 2");
    check(ints, "x = i == 1 && j++ == 2", "x == 1 && j == 3");
    check(ints, "x = i == 1 || j++ == 2", "x == 1 && j == 2");
    check(ints, "x = i == 2 ? j++ : i--", "x == 1 && i == 0 && j == 2");
    check(ints, "x += 3, x *= -2, x <<= 1", "x == -12");
    check(ints, "x = -7 / 2 * 10 + -7 % 2", "x == -31");
    check(ints, "x = (5 <? 3) * 10 + (5 >? 3)", "x == 35");
    check("bool b; int x;", "b = 2, x = b + true", "b && x == 2");
    check("bool b = true; int x = 4;", "b = x == 3, x = !b", "!b && x == 1");
    check("int[2,5] lone; int x;", "x = lone", "x == 2");
    let shifted = "typedef int[3,5] at_t; int a[at_t] = { 7, 8, 9 }; const int c[at_t] = { 1, 2, 3 }; int x; at_t k = 4;";
    check(shifted, "a[k + 1] = a[3] + c[k]", "a[5] == 9 && a[4] == 8");
    check(shifted, "x = sum (i : at_t) a[i] * c[i]", "x == 50");
    check(shifted, "k = 3, x = c[k] + c[5]", "x == 4");
    let structs = "typedef struct { int p; int q[2]; } s_t; s_t s = { 1, { 2, 3 } }, t; bool same;";
    check(structs, "t = s, same = t == s, t.q[1] = 9", "same && t.p == 1 && t.q[1] == 9 && t != s");
    check("const int c[2][2] = {{1,2},{3,4}}; int i = 1, x;", "x = c[i][i - 1]", "x == 3");
    let calls = "int x, y = 3;
        int next() { y++; return y; }
        int twice(int n) { return 2 * n; }
        void set(int &to, int by) { to = by; }
        int first(int least) { int i = 0; while (true) { i++; if (i * i > least) return i; } return 0; }
        int odd(int n) { int k, all = 0; for (k = 0; k < n; k++) { if (k % 2 == 0) continue; if (k > 7) break; all += k; } return all; }
        int deep(int n) { if (n > 2) { if (n > 4) return 5; y = 10; } else return 1; return 3; }";
    check(calls, "x = next() + next()", "x == 9 && y == 5");
    check(calls, "x = y + next() * 10", "x == 43");
    check(calls, "x = twice(twice(next()))", "x == 16");
    check(calls, "set(x, twice(y)), set(y, x)", "x == 6 && y == 6");
    check(calls, "x = first(50)", "x == 8");
    check(calls, "x = odd(20)", "x == 16");
    check(calls, "x = deep(1) + 10 * deep(3) + 100 * deep(5)", "x == 531 && y == 10");
    check(calls, "x = first(y + 6)", "x == 4");
}

/// What functions compute where nothing may change, compared with what they compute
/// within an update.
#[test]
fn functions_compute_the_same_everywhere() {
    let declarations = "const int N = 5; int[0,N] n = 3; int a[N] = { 2, 7, 1, 8, 2 }; int x;
        int count(int of) { int i = 0, found; while (i < n) { if (a[i] == of) found++; i++; } return found; }
        bool has(int of) { int i; for (i = 0; i < n; i++) if (a[i] == of) return true; return false; }
        int at(int of) { int i = 0; for (i = 0; i < N; i++) { if (a[i] == of) break; } return i; }
        int skip() { int i = 0, s; for (i = 0; i < n; i++) { if (a[i] > 5) continue; s += a[i]; } return s; }
        int mirror() { int b[N]; int i; for (i = 0; i < N; i++) b[N - 1 - i] = a[i]; return b[n]; }
        int each() { int s; for (i : int[0,N-1]) { if (i == n) return s; s = s * 10 + a[i]; } return s; }
        int nested() { int i, j, s; for (i = 0; i < n; i++) for (j = i; j < N; j++) if (a[j] > a[i]) s++; return s; }";
    let calls = [
        "count(2)", "count(9)", "has(1)", "has(8)", "at(8)", "at(9)", "skip()", "mirror()",
        "each()", "nested()",
    ];
    for call in calls {
        let mut network = once(declarations, &format!("x = {call}"));
        let goal = format!("P.b && x == {call} && x == ({call} + 0)");
        assert_eq!(distance(&mut network, &goal), Some(1), "{call}");
    }
    let mut network = once(declarations, "x = skip() * 100 + mirror() * 10 + nested()");
    assert_eq!(distance(&mut network, "x == 300 + 70 + 5"), Some(1));
}

/// What is wrong is said at its place.
#[test]
fn errors_are_said() {
    let check = |text: &str, at: &str, expected: &str| {
        let parsed = read("model.xta", text);
        let said = render_all(&parsed.network.sources, &parsed.diagnostics);
        let found = parsed.diagnostics.iter().find(|diagnostic| {
            diagnostic.message.contains(expected)
                && parsed.network.sources.text(diagnostic.span).contains(at)
        });
        assert!(found.is_some(), "{text}\nexpected at `{at}`: {expected}\n{said}");
    };
    let beyond =
        "chan a[2]; process P() { state s; init s; trans s -> s { sync a[3]!; }; } system P;";
    check(beyond, "a[3]", "beyond the end of the array of channels");
    let process = |guard: &str, update: &str| {
        format!(
            "clock x, y; int n; const int c = 1; chan k[2]; urgent chan u; bool b;
             int f(int a) {{ return f(a); }}
             void w() {{ n = 1; }}
             process P(const int p) {{ clock z; state a; init a;
                trans a -> a {{ guard {guard}; assign {update}; }}; }}
             Q = P(1); system Q;"
        )
    };
    let guard =
        |guard: &str, at: &str, expected: &str| check(&process(guard, "n = 1"), at, expected);
    let update =
        |update: &str, at: &str, expected: &str| check(&process("true", update), at, expected);
    guard("x < 3 || y > 4", "x < 3 || y > 4", "conjunction");
    guard("x != 3", "x != 3", "conjunction");
    guard("x + y < 3", "x + y < 3", "difference of two");
    guard("x * 2 < 3", "x * 2", "only be compared");
    guard("n++ > 2", "n++", "cannot change");
    guard("w() > 2", "n = 1", "cannot change");
    guard("f(1) == 2", "f(a)", "recursion");
    guard("nn > 2", "nn", "not declared");
    guard("x' == 2", "x' == 2", "only stand in an invariant");
    update("c = 2", "c = 2", "constant");
    update("x = -1", "x = -1", "negative");
    update("n = x", "n = x", "clocks");
    update("x = y - z", "x = y - z", "a clock is assigned");
    update("n[1] = 2", "n[1]", "not an array");
    update("k = 2", "k = 2", "`k` is constant");
    update("n = 2147483648", "2147483648", "32 bits");
    check("process P() { state a; init a; } system R;", "R", "`R` is not declared");
    check("process P(int &i) { state a; init a; } system P;", "P", "needs arguments");
    check(
        "process P(int i) { state a; init a; } Q = P(); system Q;",
        "Q",
        "takes 1 arguments, not 0",
    );
    check("Q = T(1); system Q;", "T", "the template `T` is not declared");
    check("const int n; process P() { state a; init a; } system P;", "n", "no value");
    check("int n = m; process P() { state a; init a; } system P;", "m", "not declared");
    check("int[0,3] n = 4; process P() { state a; init a; } system P;", "4", "not between 0 and 3");
    check("process P() { state a; } system P;", "P", "no initial location");
    check("double d; process P() { state a { d < 2 }; init a; } system P;", "d", "not supported");
    check("int a[0]; process P() { state a; init a; } system P;", "0", "array of 0");
    check("int a[2] = {1}; process P() { state a; init a; } system P;", "{1}", "1 values where 2");
    check(
        "clock x; process P() { state a { x <= -1 }; init a; } system P;",
        "x <= -1",
        "never hold",
    );
    check(
        "process P() { state a; init a; trans a -> a { select i : int[0,99999]; }; } system P;",
        "int[0,99999]",
        "too many",
    );
}

/// Queries become properties; those that cannot be read are some that are not checked
/// where they came with the model, and errors in a file of their own.
#[test]
fn queries_become_properties() {
    let text = "clock x; int n; process P(const int[0,1] i) { state a, b; init a;
        trans a -> b { guard x > 1; assign n = 1; }; } system P;";
    let queries = "E<> P(0).b and x > 2\nA[] not deadlock\nA<> P(1).b\nE[] n == 0\n\
        P(0).a --> P(0).b\nsup{P(0).b}: x, n\ninf: n\nPr[<=10](<> P(0).b)\n";
    let settings = Settings { queries: Some(("model.q", queries)), ..Settings::default() };
    let parsed = (by_extension("xta").unwrap().parse)("model.xta", text, &settings);
    let said = render_all(&parsed.network.sources, &parsed.diagnostics);
    assert!(parsed.usable(), "{said}");
    assert!(parsed.diagnostics.is_empty(), "{said}");
    let kinds: Vec<&PropertyKind> = parsed.network.properties.iter().map(|p| &p.kind).collect();
    use PropertyKind::{Extreme, Inevitable, LeadsTo, Never, Persistent, Reachable, Unchecked};
    let [
        Reachable(_),
        Never(deadlock),
        Inevitable(_),
        Persistent(_),
        LeadsTo(..),
        Extreme { greatest: true, when: Some(_), of },
        Extreme { greatest: false, when: None, .. },
        Unchecked(why),
    ] = kinds[..]
    else {
        panic!("{kinds:?}")
    };
    assert!(matches!(deadlock.kind, ExprKind::Deadlock), "{deadlock:?}");
    assert_eq!(of.len(), 2);
    assert_eq!(why, "`Pr` is not supported");
    assert_eq!(parsed.network.properties[1].name, "A[] not deadlock");
    let settings = Settings { queries: Some(("model.q", "E<> Q.b\n")), ..Settings::default() };
    let parsed = (by_extension("xta").unwrap().parse)("model.xta", text, &settings);
    assert!(!parsed.usable());
}

/// Loops over constants become resets of single clocks.
#[test]
fn clocks_are_reset_one_by_one() {
    let network =
        once("clock x[3]; void all() { int i; for (i = 0; i < 3; i++) x[i] = 0; }", "all()");
    let effect = &network.processes[0].edges[0].branches[0].effect;
    let resets = effect.iter().filter(|statement| match &statement.kind {
        StatementKind::Assign(place, value) => {
            place.path.len() == 1 && matches!(value.kind, ExprKind::Int(0))
        }
        _ => false,
    });
    assert_eq!(resets.count(), 3, "{effect:?}");
}

/// Values of scalar sets can be assigned, compared for equality, run over and used as
/// indices, and nothing else.
#[test]
fn scalar_sets_are_no_numbers() {
    let model = |declared: &str, guard: &str, update: &str| {
        format!(
            "typedef scalar[3] s_t; typedef scalar[3] t_t; s_t s; t_t t; int n; int a[s_t]; \
             int b[3]; s_t row[s_t]; struct {{ s_t one; int two; }} pair; {declared}\n\
             process P(const s_t me) {{ state A; init A; trans A -> A \
             {{ guard {guard}; assign {update}; }}; }}\nsystem P;"
        )
    };
    let right = [
        ("", "s == me && s != row[me]", "s = me, a[s] = 2, row[s] = me, b[0] = a[me]"),
        ("", "forall (i : s_t) a[i] == 0 || i == me", "pair.one = me, n = a[pair.one]"),
        ("s_t f(s_t x) { return x == s ? x : row[x]; }", "f(me) == s", "s = f(s)"),
        ("void g() { for (i : s_t) { a[i] = 0; row[i] = i; } }", "true", "g()"),
        ("bool same(s_t x, s_t y) { return x == y; }", "same(me, s)", "n = sum (i : s_t) a[i]"),
    ];
    for (declared, guard, update) in right {
        network(&model(declared, guard, update));
    }
    let wrong = [
        ("", "s < me", "n = 1", "2:65 error: values of a scalar set can only be assigned"),
        ("", "s == 0", "n = 1", "cannot be compared with a number"),
        ("", "s == t", "n = 1", "different scalar sets"),
        ("", "true", "s = 0", "a number is used where a value of a scalar set is needed"),
        ("", "true", "s = t", "another scalar set"),
        ("", "true", "n = s", "where a number is needed"),
        ("", "true", "s++", "values of a scalar set can only be assigned"),
        ("", "true", "n = me + 1", "values of a scalar set can only be assigned"),
        ("", "true", "n = -me", "where a number is needed"),
        ("", "me", "n = 1", "where a condition is needed"),
        ("", "true", "a[0] = 1", "indexed by a scalar set, not by numbers"),
        ("", "true", "a[t] = 1", "indexed by another scalar set"),
        ("", "true", "b[s] = 1", "where a number is needed"),
        ("s_t z = 1;", "true", "n = 1", "a number is used where"),
        ("int f(int x) { return x; }", "f(me) == 1", "n = 1", "where a number is needed"),
        ("int m[me];", "true", "n = 1", "not declared"),
    ];
    for (declared, guard, update, expected) in wrong {
        let parsed = read("model.xta", &model(declared, guard, update));
        let said = render_all(&parsed.network.sources, &parsed.diagnostics);
        assert!(!parsed.usable(), "{declared} {guard} {update}");
        assert!(said.contains(expected), "{declared} {guard} {update}: {said}");
    }
}

/// Which processes differ only in a value of a scalar set is known of the network.
#[test]
fn processes_over_scalar_sets_are_declared_interchangeable() {
    let text = "typedef scalar[2] s_t; process P(const s_t a, const int[0,1] n, const s_t b) \
                { state A; init A; }\nsystem P;";
    let network = network(text);
    assert_eq!(network.processes.len(), 8);
    let declared = |at: usize| {
        let one = &network.interchangeable[at];
        let names = one.processes.iter().map(|id| network.processes[id.index()].name.as_str());
        (one.set.as_str(), names.collect::<Vec<_>>().join(" "))
    };
    assert_eq!(network.interchangeable.len(), 8);
    assert_eq!(declared(0), ("s_t", "P(0,0,0) P(1,0,0)".into()));
    assert_eq!(declared(3), ("s_t", "P(0,1,1) P(1,1,1)".into()));
    assert_eq!(declared(4), ("s_t", "P(0,0,0) P(0,0,1)".into()));
}

/// A model that counts to 3, with something declared, in the invariant, and updated.
fn counting(declared: &str, invariant: &str, update: &str) -> String {
    format!(
        "int[0,3] n = 0; {declared}\nprocess P() {{ state A {{ {invariant} }}; init A; trans A \
         -> A {{ guard n < 3; assign n = n + 1, {update}; }}; }}\nsystem P;"
    )
}

/// Real numbers, hybrid clocks and clocks at other rates change nothing where nobody looks
/// at them: such models have the states of the same without.
#[test]
fn what_is_not_looked_at_is_read_and_left_out() {
    for (declared, invariant, update) in [
        ("const double half = 1.0/2;", "true", "n = n"),
        ("double d = 2.5;", "true", "d = d * 1.5 + sqrt(d)"),
        ("double d[3];", "true", "d[n] += 0.5"),
        ("typedef struct { int a; double b; } pair_t; pair_t p;", "true", "p.b = 2.5"),
        ("double d; void f() { double e = 1.0; d = e; }", "true", "f()"),
        ("typedef double real; void f(real e) { real d = e; }", "true", "f(2.5)"),
        ("hybrid clock h;", "h' == 2.5 * n", "h = 0.5"),
        ("clock x;", "x' == 0", "x = 0"),
        ("clock x[2];", "forall (i : int[0,1]) x[i]' == n", "x[1] = 2"),
        ("clock x; clock y;", "x' == 0 and y' == x", "y = 1"),
        ("clock x;", "x' == 1", "n = n"),
    ] {
        let mut network = network(&counting(declared, invariant, update));
        if !network.is_timed() {
            assert_eq!(explore(&network).1.states.len(), 4, "{declared}");
        }
        goal(&mut network, "n == 3");
    }
}

/// Whoever looks at them is told, at that place.
#[test]
fn what_is_not_checked_is_refused_where_it_is_looked_at() {
    for (declared, invariant, update, expected) in [
        ("double d;", "d < 2", "n = n", "`double` is not supported"),
        ("double d = 1.0;", "true", "n = d > 0 ? 1 : 2", "`double` is not supported"),
        ("double f() { return 1.0; }", "true", "n = f()", "not supported"),
        ("double d;", "true", "d = n++", "cannot be assigned something that changes others"),
        ("string s;", "true", "n = s", "`string` is not supported"),
        ("hybrid clock h;", "h <= 5", "h = 0", "hybrid clocks are not supported where"),
        ("clock x;", "x' == 2 and x <= 5", "x = 0", "as `x` is"),
        ("clock x; clock y;", "x' == n", "y = x", "as `x` is"),
        ("clock x; clock y;", "x' == y and y <= 5", "x = y", "as `x` is"),
        ("clock x; clock y;", "(n > 1 imply x' == 0) and x <= 5", "y = 0", "as `x` is"),
        ("clock x[2];", "x[n % 2]' == 0 and x[1] <= 5", "n = n", "as `x` is"),
        ("int on = 1; clock x;", "x' == on and x <= 5", "on = n", "as `x` is"),
        ("int on = 2; clock x;", "x' == on and x <= 5", "on = 1", "as `x` is"),
        ("struct { clock x; } s;", "s.x' == 2", "n = n", "as `s` is"),
        ("", "n' == 1", "n = n", "only clocks have rates"),
    ] {
        let parsed = read("model.xta", &counting(declared, invariant, update));
        let said = render_all(&parsed.network.sources, &parsed.diagnostics);
        assert!(!parsed.usable(), "{declared} {invariant} {update}");
        assert!(said.contains(expected), "{declared} {invariant} {update}: {said}");
    }
    let mut network = network(&counting("clock x;", "x' == 0", "x = 0"));
    let language = by_extension("xta").unwrap();
    let said = (language.expression)(&mut network, "x > 2", "<goal>").unwrap_err();
    assert!(said[0].message.contains("was left out"), "{}", said[0].message);
}

/// Clocks whose rate is 0 or 1, and that somebody looks at, are stopwatches.
#[test]
fn clocks_that_stop_are_stopwatches() {
    for (declared, invariant, update, count) in [
        ("clock x;", "x' == 0 and x <= 5", "x = 0", 1),
        ("clock x;", "x' == 1 and x <= 5", "x = 0", 0),
        ("clock x; clock y;", "x' == (n == 1)", "y = x", 1),
        ("clock x[3];", "forall (i : int[0,2]) x[i]' == (n == i ? 1 : 0) && x[i] < 9", "n = n", 3),
        ("struct { clock x; } s;", "s.x' == 0", "n = n", 1),
        ("int on = 1; clock x;", "x' == on && x <= 5", "on = 1 - (n > 1 ? 1 : 0)", 1),
        ("bool runs() { return n > 1; } clock x;", "runs() == x' && x <= 2", "x = 0", 1),
    ] {
        let network = network(&counting(declared, invariant, update));
        let watches = &network.processes[0].locations[0].stopwatches;
        assert_eq!(watches.len(), count, "{declared} {invariant}");
        assert_eq!(network.has_stopwatches(), count > 0);
    }
}

/// Which channels are inputs and outputs changes nothing; in the style of CSP it may.
#[test]
fn directions_of_channels_are_ignored() {
    let text =
        |list: &str| format!("chan a, b; {} IO P {{ {list} }}", counting("", "true", "n = n"));
    let parsed = read("model.xta", &text("a!, b?"));
    assert!(parsed.usable(), "{}", render_all(&parsed.network.sources, &parsed.diagnostics));
    assert_eq!(parsed.diagnostics.len(), 1, "one warning");
    for list in ["a, b", "a!, b", ""] {
        assert!(!read("model.xta", &text(list)).usable(), "{list}");
    }
}

/// A location without a name, or with an empty one, is shown by its id.
#[test]
fn locations_without_names_are_called_by_their_ids() {
    let text = "<nta><template><name>P</name><location id=\"id0\"><name x=\"1\"></name></location>\
                <location id=\"id1\"><name> </name></location><location id=\"id2\"/>\
                <init ref=\"id0\"/></template><system>system P;</system></nta>";
    let parsed = read("model.xml", text);
    assert!(parsed.usable(), "{}", render_all(&parsed.network.sources, &parsed.diagnostics));
    let locations = parsed.network.processes[0].locations.iter();
    let names: Vec<&str> = locations.map(|location| location.name.as_str()).collect();
    assert_eq!(names, ["id0", "id1", "id2"]);
}

/// A function of a thousand assignments, written out for a thousand values and a
/// hundred processes, is refused before it fills the memory.
#[test]
fn models_that_grow_too_large_are_refused() {
    let lines: String = (0..1000).map(|at| format!("a[i % {}] = a[i] + {at}; ", at + 1)).collect();
    let text = format!(
        "int a[1000]; void f(int i) {{ {lines} }}\nprocess P(const int[0,99] id) {{ state A; init \
         A; trans A -> A {{ select i : int[0,999]; assign f(i); }}; }}\nsystem P;"
    );
    let parsed = read("model.xta", &text);
    let said = render_all(&parsed.network.sources, &parsed.diagnostics);
    assert!(said.contains("the model grows too large"), "{said}");
}
