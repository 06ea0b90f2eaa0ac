//! What trees become of texts, and what is said about wrong ones.

use homing_ir::Sources;

use super::{EVERYTHING, EVERYTHING_XML, outcome, outcome_with, print};
use crate::reports::Reports;

fn expression(text: &str) -> String {
    let (mut sources, mut reports) = (Sources::default(), Reports::default());
    let expr = crate::uppaal::goal("<goal>", text, &mut sources, &mut reports);
    let said: Vec<String> = reports.finish().into_iter().map(|found| found.message).collect();
    match expr {
        Some(expr) if said.is_empty() => print::expr(&expr),
        _ => format!("{said:?}"),
    }
}

#[test]
fn operators_bind() {
    let check = |text: &str, expected: &str| assert_eq!(expression(text), expected, "{text}");
    check("a or b and c imply d", "((a Or (b And c)) Imply d)");
    check("a imply b || c", "((a Imply b) Or c)");
    check("not a == b", "((Not a) Eq b)");
    check("-a ** 2 * b", "(((Minus a) Power 2) Mul b)");
    check("a + b << 1 <? c < d == e", "(((((a Add b) Shl 1) Min c) Lt d) Eq e)");
    check("a & b == c | d ^ e", "((a BitAnd (b Eq c)) BitOr (d BitXor e))");
    check("a - b - c", "((a Sub b) Sub c)");
    check("a ? b : c ? d : e", "(a ? b : (c ? d : e))");
    check("a = b += c ? 1 : 2", "(a = (b Add= (c ? 1 : 2)))");
    check("a := b[i++].c(1, x')", "(a = b[(i++)].c(1, x'))");
    check("--a[1] - b--", "((--a[1]) Sub (b--))");
    check("forall (i : id_t) a[i] and b", "(Forall i : id_t (a[i] And b))");
    check("a and exists (i : int[0, 3]) b or c", "(a And (Exists i : int[0, 3] (b Or c)))");
    check("sum (i : id_t) a[i] > sum", "(Sum i : id_t (a[i] Gt sum))");
    check("a xor b or c", "(((Not a) Ne (Not b)) Or c)");
    check("P(1, 2).loc && !deadlock", "(P(1, 2).loc And (Not deadlock))");
    check("1.5e3 + .5", "(real Add real)");
    check("spawn P(1)", "<`spawn`>");
    check("a--> 0", "((a--) Gt 0)");
}

#[test]
fn wrong_expressions_are_reported() {
    let check = |text: &str, said: &str| assert_eq!(expression(text), format!("[{said:?}]"));
    check("a +", "expected an expression, found the end of the text");
    check("a b", "expected the end of the text, found `b`");
    check("(a", "expected `)`, found the end of the text");
    check("3x", "`3x` is neither a number nor a name");
    check("§", "unknown character \"§\"");
    check("a[", "expected an expression, found the end of the text");
    check("99999999999999999999", "the number is too large");
    check("a /* b", "a comment is not closed");
}

#[test]
fn everything_is_read() {
    let found = outcome("everything.xta", EVERYTHING);
    let printed = print::document(found.right());
    let expected = include_str!("everything.txt");
    assert_eq!(printed.trim(), expected.trim(), "\n{printed}");
}

#[test]
fn everything_of_xml_is_read() {
    let found = outcome("everything.xml", EVERYTHING_XML);
    assert_eq!(found.said(), Vec::<String>::new());
    let document = found.document.unwrap();
    let printed = print::document(&document);
    let expected = "\
clock x
const int N = 2
chan go
chan many[N]
int a = (1 BitAnd 3)
bool b = ((1 Lt 2) And true)
P() = Train(0, a)
Q() = Train(1, a)
process Train(const int id, int &shared)
clock c
None Safe while ((c Le 20) And (x' Eq 1)) rate (1 Div 5)
Urgent id1
Committed Crossing
branch id3
init id0
id0 -> id1 select i : int[0, 1] guard ((c Ge 3) And (shared Lt i)) sync many[i] Send \
do (c = 0) do (shared = (i Add 1))
id1 -> id3 uncontrollable
id3 -> id2 weight 3
system P@0 Q@0
possibly (P.Safe And Q.Crossing) | E<> P.Safe and Q.Crossing
unsupported it cannot be read: expected an expression, found `==` | === heading ===
unsupported `Pr` is not supported | Pr[<=10](<> P.Safe)";
    assert_eq!(printed, expected, "\n{printed}");
}

/// What UPPAAL 3 wrote differently.
#[test]
fn old_texts_are_read() {
    let text = "const N 5, M N; const T[2] {1, -2}; const K M;
        int[0,5] i := 0; urgent chan c;
        process P(int a, b; const n; clock x) {
            state A{x<2, a==1}, continue; init A; urgent A;
            trans A -> continue { guard x<n, i==0; sync c!; assign x:=0, i:=i+1; };
        }
        process Q { state S; init S; trans S -> S { }; }
        p := P(i, i, 3, x); system p, Q;";
    let found = outcome("old.ta", text);
    let expected = "\
const int N = 5
const int M = N
const int T[2] = {1, (Minus 2)}
const int K = M
int[0, 5] i = 0
urgent chan c
p() = P(i, i, 3, x)
process P(int &a, int &b, const int n, clock &x)
Urgent A while ((x Lt 2) And (a Eq 1))
None continue
init A
A -> continue guard ((x Lt n) And (i Eq 0)) sync c Send do (x = 0) do (i = (i Add 1))
process Q()
None S
init S
S -> S
system p@0 Q@0";
    let printed = print::document(found.right());
    assert_eq!(printed, expected, "\n{printed}");
}

#[test]
fn names_of_types_are_known_where_they_are_declared() {
    let text = "typedef int[0,1] T; int a[T], b[U]; const T c;
        void f() { typedef bool V; int d[V]; }
        process P() { typedef bool W; int e[W]; state S; init S; }
        int g[V], h[W]; system P;";
    let found = outcome("types.xta", text);
    let printed = print::document(found.right());
    for line in ["int a[<T>]", "int b[U]", "const T c", "int d[<V>] }", "int e[<W>]", "int g[V]"] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
}

fn queries(text: &str) -> Vec<String> {
    let found = outcome_with("none.xta", "", Some(("some.q", text)));
    found.right().queries.iter().map(print::query).collect()
}

#[test]
fn files_of_queries_are_read() {
    let text = "//This file was generated from UPPAAL
/*

*/
//NO_QUERY

/*
No crash.
*/
A[] not (a and \\
   b)
A[]!c
/* one */ /* two */
E<>(x > 1
  and y)
p --> q
p.x-- >1 --> q--
E[] p /* inside */ and q
A<> p
sup{p}: x, y
inf: x
bounds{p}: x
A<> p
  or q
/* last, of nothing */
";
    let expected = [
        "invariantly (Not (a And b)) | A[] not (a and b)",
        "invariantly (Not c) | A[]!c",
        "possibly ((x Gt 1) And y) | E<>(x > 1 and y)",
        "p leads to q | p --> q",
        "((p.x--) Gt 1) leads to (q--) | p.x-- >1 --> q--",
        "potentially always (p And q) | E[] p and q",
        "eventually p | A<> p",
        "greatest x, y when p | sup{p}: x, y",
        "least x when always | inf: x",
        "least x when p | inf{p}: x",
        "greatest x when p | sup{p}: x",
        "eventually (p Or q) | A<> p or q",
    ];
    assert_eq!(queries(text), expected);
    assert_eq!(queries("// nothing\n/* at all */"), Vec::<String>::new());
}

#[test]
fn queries_that_are_not_supported_are_named() {
    let check = |text: &str, name: &str| {
        assert_eq!(queries(text), [format!("unsupported `{name}` is not supported | {text}")]);
    };
    check("Pr[<=100](<> P.x) >= 0.9", "Pr");
    check("E[<=100; 10](max: x)", "E[…]");
    check("simulate 1 [<=300] { x, y }", "simulate");
    check("simulate[<=10; 3] {x}", "simulate");
    check("control: A[] not P.bad", "control");
    check("{ x, P.y } control: A<> P.won", "control");
    check("E<> control: A<> P.won", "control");
    check("strategy S = control: A<> P.won", "strategy");
    check("saveStrategy(\"file\", S)", "saveStrategy");
    check("minE(cost) [<=10]: <> P.won", "minE");
    check("A[] x < 5 under S", "under");
    check("A[p U q]", "A[… U …]");
    // Names are names where nothing else is meant.
    assert_eq!(
        queries("E<> Pr.control and control"),
        ["possibly (Pr.control And control) | E<> Pr.control and control"]
    );
    assert_eq!(queries("E.x --> A.y"), ["E.x leads to A.y | E.x --> A.y"]);
}

/// Each line of `expected` is said, and nothing else.
fn check_said(name: &str, text: &str, expected: &[&str]) {
    assert_eq!(outcome(name, text).said(), expected, "{text}");
}

#[test]
fn several_errors_are_reported() {
    check_said(
        "bad.xta",
        "int x = ;\nint y;\nprocess P() {\n  state A, ;\n  init A;\n  trans A -> B { guard x <; },\n    \
         A B,\n  A -> A { sync c!! ; };\n}\nint[0 z;\nsystem P Q;\n",
        &[
            "1:9: expected an expression, found `;` at `;`",
            "4:12: expected the name of a location, found `;` at `;`",
            "6:27: expected an expression, found `;` at `;`",
            "7:7: expected `->`, found `B` at `B`",
            "8:19: expected `;`, found `!` at `!`",
            "10:7: expected `,`, found `z` at `z`",
            "11:10: expected `;`, found `Q` at `Q`",
        ],
    );
}

#[test]
fn queries_of_a_file_must_be_right() {
    let found = outcome_with("none.xta", "", Some(("bad.q", "E<> a\nE<> b c\nA[]\nx\n")));
    assert_eq!(
        found.said(),
        [
            "2:7: expected the end of the text, found `c` at `c`",
            "3:4: expected an expression, found the end of the text at ``",
            "4:2: expected `-->`, or a query that begins with `E<>` or `A[]`, \
             found the end of the text at ``",
        ]
    );
    assert_eq!(found.document.unwrap().queries.len(), 1);
}

#[test]
fn xml_is_checked() {
    let check = |text: &str, expected: &[&str]| check_said("bad.xml", text, expected);
    check(
        "<nta>\n  <declaration>int x;</declaration\n</nta>",
        &["3:1: the XML is broken: expected '>' not '<' at `<`"],
    );
    check(
        "<nta>\n<template>",
        &["1:1: the XML is broken: the root node was opened but never closed at `<`"],
    );
    check(
        "<other/>",
        &["1:1: this is no model of UPPAAL: its root is `<other>`, not `<nta>` at `<other/>`"],
    );
    check(
        "<nta><template><name>T 1</name><location/><transition><source ref='a'/></transition>\
         </template><template/></nta>",
        &[
            "1:22: `T 1` is no name at `T 1` (in the name of a template)",
            "1:32: `<location>` without `id` at `<location/>`",
            "1:43: an edge without a `<target>` at `<transition>`",
            "1:96: a template without a name at `<template/>`",
        ],
    );
}

fn without_place(line: &str) -> String {
    line.split_once(": ").map_or(line, |(_, rest)| rest).to_string()
}

#[test]
fn errors_name_the_element_they_are_in() {
    let text = "<nta><declaration>int &amp;x;</declaration><template><name>T</name>\
        <parameter>int</parameter><declaration>clock c</declaration>\
        <location id='a'><name>A</name><label kind='invariant'>c &lt;=</label></location>\
        <location id='b'><label kind='invariant'>c c</label></location>\
        <transition><source ref='a'/><target ref='b'/>\
        <label kind='guard'>x &amp;&amp;&amp; y</label>\
        <label kind='select'>i</label>\
        <label kind='synchronisation'>c!d</label>\
        <label kind='assignment'>x &lt; &bad;</label>\
        </transition></template><system>system T</system></nta>";
    let found = outcome("bad.xml", text);
    let said: Vec<String> = found.said().iter().map(|line| without_place(line)).collect();
    // An entity that is not declared is an error of the XML.
    assert_eq!(said, ["the XML is broken: unknown entity reference 'bad' at `&`"]);
    let found = outcome("bad.xml", &text.replace("&bad;", "&gt;"));
    let said: Vec<String> = found.said().iter().map(|line| without_place(line)).collect();
    assert_eq!(
        said,
        [
            "expected the name of a variable or a function, found `&` at `&amp;` \
             (in the global declarations)",
            "expected the name of a parameter, found the end of the text at `` \
             (in the parameters of template `T`)",
            "expected `;`, found the end of the text at `` (in the declarations of template `T`)",
            "expected an expression, found the end of the text at `` \
             (in the invariant of location `A` of template `T`)",
            "expected the end of the text, found `c` at `c` \
             (in the invariant of a location of template `T`)",
            "expected an expression, found `&` at `&amp;` \
             (in the guard of an edge from `A` to `b` of template `T`)",
            "expected `:`, found the end of the text at `` \
             (in the selection of an edge from `A` to `b` of template `T`)",
            "expected the end of the text, found `d` at `d` \
             (in the synchronisation of an edge from `A` to `b` of template `T`)",
            "expected an expression, found `>` at `&gt;` \
             (in the update of an edge from `A` to `b` of template `T`)",
            "expected `;`, found the end of the text at `` (in the system)",
        ]
    );
}

#[test]
fn other_texts_are_told_apart() {
    check_said("a.xml", "zero \0 byte", &["1:1: this is not a text: it contains zero bytes at ``"]);
    // The ending does not decide, what is written does.
    assert!(outcome("a.xml", "process P() { state S; init S; } system P;").errors().is_empty());
    assert!(outcome("a.xta", "<nta><system>system P;</system></nta>").errors().is_empty());
}
