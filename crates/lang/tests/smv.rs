//! SMV: what texts mean, by the reference interpreter of relations; what is said of texts that
//! are none; the corpus; any text at all.

#![allow(clippy::expect_used, reason = "what a test expects must be there")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use homing_fuzz::Texts;
use homing_ir::relation::{Ctl, Evaluation, Goal, Interpreter, Relation, TermId, Value};
use homing_ir::temporal::Formula;
use homing_lang::{Parsed, smv};

#[path = "../../../tests/support/corpus.rs"]
mod corpus;

/// The first message, with its line and column.
fn message(parsed: &Parsed) -> String {
    let Some(first) = parsed.diagnostics.first() else { return "read".into() };
    let place = parsed.network.sources.position(first.span);
    format!("{}:{}: {}", place.line, place.column, first.message)
}

fn read(text: &str) -> Parsed {
    let parsed = smv::parse("model.smv", text);
    assert_eq!(message(&parsed), "read", "{text}");
    parsed
}

type State = Vec<Value>;

/// All reachable states with their moments and successors.
struct Graph<'r> {
    relation: &'r Relation,
    initial: BTreeSet<State>,
    successors: BTreeMap<State, BTreeSet<State>>,
    moments: BTreeMap<State, Vec<State>>,
}

impl Graph<'_> {
    fn new(relation: &Relation) -> Graph<'_> {
        let interpreter = Interpreter::new(relation).expect("an order");
        let initial = interpreter.initial().expect("no failure");
        let (mut successors, mut moments) = (BTreeMap::new(), BTreeMap::new());
        let mut left: Vec<State> = initial.iter().cloned().collect();
        while let Some(state) = left.pop() {
            if successors.contains_key(&state) {
                continue;
            }
            let next = interpreter.successors(&state).expect("no failure");
            moments.insert(state.clone(), interpreter.moments(&state).expect("no failure"));
            left.extend(next.keys().cloned());
            successors.insert(state, next.into_keys().collect());
        }
        Graph { relation, initial, successors, moments }
    }

    fn holds(&self, term: TermId, moment: &State) -> bool {
        Evaluation::new(self.relation, moment, &[]).holds(term).expect("no failure")
    }

    /// The states in which a formula holds, by its fixed points.
    fn states(&self, formula: &Ctl) -> BTreeSet<State> {
        let all = || self.successors.keys();
        let exists = |states: &BTreeSet<State>| -> BTreeSet<State> {
            let some = |state: &&State| self.successors[*state].iter().any(|s| states.contains(s));
            all().filter(some).cloned().collect()
        };
        let forall = |states: &BTreeSet<State>| -> BTreeSet<State> {
            let every = |state: &&State| self.successors[*state].iter().all(|s| states.contains(s));
            all().filter(every).cloned().collect()
        };
        let until = |f: &Ctl, g: &Ctl, step: &dyn Fn(&BTreeSet<State>) -> BTreeSet<State>| {
            let (f, mut found) = (self.states(f), self.states(g));
            loop {
                let more: BTreeSet<State> = step(&found).intersection(&f).cloned().collect();
                let before = found.len();
                found.extend(more);
                if found.len() == before {
                    return found;
                }
            }
        };
        let always = |f: &Ctl, step: &dyn Fn(&BTreeSet<State>) -> BTreeSet<State>| {
            let mut found = self.states(f);
            loop {
                let kept: BTreeSet<State> = step(&found).intersection(&found).cloned().collect();
                if kept.len() == found.len() {
                    return found;
                }
                found = kept;
            }
        };
        match formula {
            Ctl::Atom(term) => all().filter(|state| self.holds(*term, state)).cloned().collect(),
            Ctl::Not(f) => {
                let f = self.states(f);
                all().filter(|state| !f.contains(*state)).cloned().collect()
            }
            Ctl::And(f, g) => self.states(f).intersection(&self.states(g)).cloned().collect(),
            Ctl::Or(f, g) => self.states(f).union(&self.states(g)).cloned().collect(),
            Ctl::ExistsNext(f) => exists(&self.states(f)),
            Ctl::AllNext(f) => forall(&self.states(f)),
            Ctl::ExistsUntil(f, g) => until(f, g, &exists),
            Ctl::AllUntil(f, g) => until(f, g, &forall),
            Ctl::ExistsAlways(f) => always(f, &exists),
            Ctl::AllAlways(f) => always(f, &forall),
        }
    }

    fn verdict(&self, goal: &Goal) -> bool {
        match goal {
            Goal::Invariant(term) => {
                self.moments.values().flatten().all(|moment| self.holds(*term, moment))
            }
            Goal::Ctl(formula) => self.initial.is_subset(&self.states(formula)),
            other => panic!("no verdict on {other:?}"),
        }
    }
}

/// The verdicts on all specifications of a text, as `T` and `F`.
fn verdicts(text: &str) -> String {
    let parsed = read(text);
    let relation = parsed.network.relation.expect("a relation");
    let graph = Graph::new(&relation);
    let verdict = |goal| if graph.verdict(goal) { 'T' } else { 'F' };
    relation.specifications.iter().map(|one| verdict(&one.goal)).collect()
}

/// Whether an expression is true of all values of some variables.
fn check(declarations: &str, expected: &str, expressions: &[&str]) {
    let specifications: String =
        expressions.iter().map(|one| format!("INVARSPEC {one};\n")).collect();
    let text = format!("MODULE main\n{declarations}\n{specifications}");
    assert_eq!(verdicts(&text), expected, "{text}");
}

#[test]
fn operators_are_those_of_nusmv() {
    check(
        "VAR b : boolean;",
        "TTTTTTT",
        &[
            "-7 / 5 = -1 & -7 mod 5 = -2 & 7 mod -5 = 2",
            "!FALSE = TRUE",
            "2 + 3 * 4 = 14 & 10 - 4 - 3 = 3",
            "count(TRUE, b | !b, FALSE) = 2",
            "(b ? 1 : 2) in {1, 2} & toint(b) in 0..1",
            "FALSE -> FALSE -> FALSE",
            "abs(-3) = 3 & min(2, 5) = 2 & max(2, 5) = 5 & !bool(0) & bool(7)",
        ],
    );
    check(
        "VAR w : unsigned word[4]; s : signed word[4];",
        "TTTTTTTTTTFF",
        &[
            "(w << 4) = 0ud4_0 & (0ub4_1010 >> 1) = 0ub4_0101",
            "(0sb4_1000 >> 3) = -0sd4_1",
            "resize(0sb4_1011, 2) = 0sb2_11 & resize(0sb4_1001, 2) = 0sb2_11",
            "resize(0sb4_1001, 6) = 0sb6_111001 & extend(0ub2_11, 2) = 0ub4_0011",
            "-0sd4_7 / 0sd4_5 = -0sd4_1 & -0sd4_7 mod 0sd4_5 = -0sd4_2",
            "toint(w) < 16 & bool(0ub1_1) & word1(TRUE) = 0ub1_1 & sizeof(w) = 4",
            "uwconst(3, 4) = 0ud4_3 & swconst(-3, 4) = -0sd4_3 & toint(swconst(-3, 4)) = -3",
            "(w -> w) = !0ud4_0 & (w xor w) = 0ud4_0 & (w xnor w) = 0uh4_f",
            "0ub2_10 :: 0ub1_1 = 0ud3_5 & (0ub4_1100)[3:2] = 0ub2_11",
            "signed(unsigned(s)) = s & (s >= 0sd4_0 <-> unsigned(s) < 0ud4_8)",
            "w + 0ud4_1 > w",
            "s < 0sd4_0",
        ],
    );
}

#[test]
fn operators_bind_as_in_nusmv() {
    check(
        "VAR b : boolean; w : word[2]; x : 0..3;",
        "TTTTTT",
        &[
            // `!` binds before `=`, `in` before `=`, `union` before `in`.
            "!b = FALSE <-> b",
            "x in {0, 1} union {2, 3} = TRUE",
            "b | TRUE & FALSE <-> b",
            "TRUE ? TRUE : FALSE -> FALSE -> TRUE",
            "w :: 0ub1_1 >> 1 = 0ub1_0 :: w",
            "(b ? x : 0) <= (b ? x : 0) + 1",
        ],
    );
}

#[test]
fn sets_are_asked_with_in() {
    check(
        "VAR x : 1..3; s : {a, 1, 2}; DEFINE d := {1, 2};",
        "TTFFTT",
        &[
            "{1, 2} in {1, 2, 3}",
            "x in 1..3",
            "x in d",
            "{1, 4} in 1..3",
            "s in {a, 1} union 2",
            "s in 1..2 | s = a",
        ],
    );
}

#[test]
fn arrays_are_indexed() {
    let declarations =
        "VAR a : array 0..2 of 0..3; i : 0..2; m : array 0..1 of array 0..1 of boolean;
        DEFINE t := [3, 2, 1]; u := [[1, 2], [3, 4]];
        ASSIGN a[0] := 1; a[1] := 2; init(m) := [[TRUE, FALSE], [FALSE, TRUE]]; next(m) := m;";
    check(
        declarations,
        "TTTT",
        &[
            "t[i] = 3 - i",
            "u[1][0] = 3 & u[i < 2 ? i : 0][0] in {1, 3}",
            "a[i] = 1 | i != 0",
            "m[i < 2 ? i : 0][i < 2 ? i : 0] & m = next(m)",
        ],
    );
}

#[test]
fn modules_see_what_they_are_given() {
    let text = "MODULE main
        VAR left : cell(right.x, self); right : cell(left.x, self); flag : boolean;
        DEFINE left.note := flag;
        ASSIGN init(flag) := TRUE; next(flag) := flag;
        INVARSPEC NAME follows := left.x -> TRUE
        INVARSPEC left.seen & left.note & right.other = left.x
        INVARSPEC given IN right
        MODULE cell(other, whole)
        VAR x : boolean;
        DEFINE seen := whole.flag; given := other = whole.left.x;
        INVARSPEC NAME own := x = x";
    assert_eq!(verdicts(text), "TTTTT");
    let names: Vec<String> = {
        let relation = read(text).network.relation.expect("a relation");
        relation.specifications.iter().map(|one| one.name.clone()).collect()
    };
    assert_eq!(names, ["follows", "invar2", "invar3", "left.own", "right.own"]);
}

#[test]
fn a_process_runs_alone() {
    // Whoever runs flips its own; the other keeps it; the main process changes nothing.
    let text = "MODULE main
        VAR p : process flip(a); q : process flip(b); a : boolean; b : boolean;
        INIT !a & !b
        INVARSPEC next(a) = a | next(b) = b
        INVARSPEC p.running -> next(a) != a
        INVARSPEC running -> next(a) = a & next(b) = b
        INVARSPEC !(a & b)
        MODULE flip(x) ASSIGN next(x) := !x; FAIRNESS running";
    assert_eq!(verdicts(text), "TTTF");
    let relation = read(text).network.relation.expect("a relation");
    assert_eq!(
        (relation.justice.len(), relation.variables[0].name.as_str()),
        (2, "_process_selector_")
    );
}

#[test]
fn formulas_of_trees_mean_what_nusmv_says() {
    // A counter to 3 that may wait; at 3 it stays. The verdicts are those of NuSMV 2.6.
    let text = "MODULE main VAR x : 0..3; wait : boolean;
        TRANS next(x) = (wait ? x : x < 3 ? x + 1 : 3)
        INIT x = 0
        SPEC EF x = 3
        SPEC AF x = 3
        SPEC AG (x = 2 -> EX x = 3)
        SPEC E [x < 2 U x = 2]
        SPEC A [x < 3 U x = 3]
        SPEC EBF 3..4 x = 3
        SPEC ABF 0..3 x = 3
        SPEC EBG 0..3 x = 0
        SPEC ABG 0..1 x < 2
        SPEC E [x < 3 BU 2..3 x = 3]
        SPEC A [x < 3 BU 0..9 x > 0]
        SPEC EG x = 0 & !AG x = 0
        SPEC !EX x = 2 xor AX x < 2
        SPEC AG x = 0 <-> EX x = 5";
    assert_eq!(verdicts(text), "TFFTFTFFTFFFFT");
}

#[test]
fn formulas_of_runs_are_those_of_others() {
    let text = "MODULE main VAR p : boolean; q : boolean;
        LTLSPEC G (p -> F q)
        LTLSPEC p U q & X p V q
        LTLSPEC F [1,2] p
        LTLSPEC G next(p)
        LTLSPEC G (next(p) = p)
        LTLSPEC G (p -> O X q)
        LTLSPEC (p S F q)
        PSLSPEC always {p;q} |-> next[2] q ;
        COMPUTE MIN [p, q]
        LTLSPEC TRUE";
    let relation = read(text).network.relation.expect("a relation");
    let shown = |goal: &Goal| match goal {
        Goal::Ltl(formula) => format!("{formula:?}").replace("Atom(TermId", "(").replace("Box", ""),
        other => format!("{other:?}"),
    };
    let goals: Vec<String> = relation.specifications.iter().map(|one| shown(&one.goal)).collect();
    for (at, expected) in [
        (0, "Globally(Binary(Implies, "),
        (1, "Binary(And, Binary(Until, "),
        (1, "Binary(Release, Next("),
        (2, "Next(Binary(Or, "),
        (3, "Globally(Next("),
        (4, "Unsupported(\"`next` stands beside"),
        (5, "Unsupported(\"the past operator `O` over formulas of the future"),
        (6, "Unsupported(\"the past operator `S` over formulas of the future"),
        (7, "Unsupported(\"properties in PSL"),
        (8, "Distance { shortest: true"),
        (9, "Constant(true)"),
    ] {
        assert!(goals[at].contains(expected), "{}", goals[at]);
    }
}

#[test]
fn texts_that_are_wrong_are_refused() {
    for (body, expected) in [
        (
            "VAR x : 0..4; ASSIGN next(x) := x + 1;",
            "2:27: `next(x)` is assigned a value that it cannot have",
        ),
        (
            "VAR x : 0..4; ASSIGN next(x) := case x = 1 : 2; esac;",
            "2:33: no condition of this `case` holds",
        ),
        ("VAR x : 0..4; INVARSPEC 4 / x > 0", "2:25: the divisor is zero"),
        ("VAR x : 0..4; INVARSPEC x != 0 -> 4 / x > 0", "read"),
        (
            "VAR a : array 0..2 of boolean; i : 0..3; INVARSPEC a[i]",
            "2:52: an index is out of bounds",
        ),
        ("VAR a : array 0..2 of boolean; i : 0..3; INVARSPEC i < 3 & a[i]", "read"),
        ("VAR a : array 0..2 of boolean; INVARSPEC a[3]", "2:42: there is no element 3"),
        ("VAR w : word[4]; n : 0..5; INVARSPEC w << n = w", "a word is shifted by more bits"),
        ("VAR x : boolean; ASSIGN next(x) := 1;", "`x` is a boolean, and assigned a number"),
        ("VAR x : boolean; SPEC x = 1", "2:23: `=` stands between a boolean and a number"),
        ("VAR x : 0..3; SPEC x = {1, 2}", "2:20: `=` compares values, not sets"),
        (
            "VAR w : word[4]; SPEC w = 0ud5_1",
            "an unsigned word of 4 bits and an unsigned word of 5",
        ),
        ("VAR x : boolean; ASSIGN next(x) := next(next(x));", "2:36: `next` stands within `next`"),
        ("VAR x : boolean; DEFINE d := next(x); INIT d", "`next` cannot stand here"),
        ("VAR x : boolean; SPEC AG next(x)", "`next` cannot stand here"),
        ("IVAR i : boolean; TRANS next(i)", "2:25: the next value of the input `i` is not known"),
        ("IVAR i : boolean; INIT i", "2:24: the input `i` cannot stand here"),
        ("IVAR i : boolean; SPEC AG i", "speaks of the input `i`, not of states"),
        ("IVAR i : boolean; ASSIGN init(i) := TRUE;", "`i` is an input, which cannot be assigned"),
        ("FROZENVAR f : boolean; ASSIGN next(f) := f;", "`f` never changes"),
        ("DEFINE a := b; b := c; c := a;", "2:8: `a` is defined by itself: `a`, `b`, `c`, `a`"),
        ("VAR x : boolean; y : boolean; ASSIGN x := y; y := x;", "depends on itself: `"),
        ("VAR x : boolean; ASSIGN next(x) := !next(x);", "`next(x)` depends on itself"),
        (
            "VAR x : boolean; ASSIGN next(x) := x; next(x) := !x;",
            "2:44: `next(x)` is assigned twice",
        ),
        (
            "VAR x : boolean; ASSIGN x := TRUE; init(x) := TRUE;",
            "`x` is assigned, and `init(x)`, too",
        ),
        ("VAR x : boolean; x : boolean;", "2:18: `x` is declared twice"),
        ("VAR x : boolean; y : {x, z}; SPEC x", "`x` is declared here, and a value"),
        ("VAR x : 3..1;", "2:9: the range 3..1 is empty"),
        ("VAR x : word[0];", "2:14: a word cannot have 0 bits"),
        ("VAR x : integer;", "there is no type `integer`: models are finite"),
        ("VAR x : array 0..1 of clock;", "expected `..`"),
        ("VAR x : m;", "there is no module `m`"),
        ("VAR x : main;", "instances are nested too deeply"),
        ("VAR conter : 0..3; SPEC counter = 1", "`counter` is not declared in `main`"),
        ("VAR x : 0..3; SPEC x-1 = 1", "`x-1` is not declared"),
        ("VAR x : boolean; SPEC AG (x = AX x)", "`=` stands between a boolean and a formula"),
        (
            "VAR x : boolean; LTLSPEC G AG x",
            "a formula of computation trees stands within one of runs",
        ),
        ("VAR x : boolean; DEFINE d := AG x; SPEC d", "stands in specifications only"),
        ("VAR x : boolean; INVARSPEC AG x", "expected a boolean, found a formula of computation"),
        (
            "VAR x : boolean; SPEC NAME a := x; SPEC NAME a := x;",
            "two specifications are called `a`",
        ),
        ("SPEC EBF 3..1 TRUE", "there is no number of steps from 3 to 1"),
        ("SPEC 1.5 = 1.5", "real numbers cannot be read"),
        ("FUN f : boolean -> boolean;", "NuSMV has no functions"),
        ("VAR x boolean;", "2:7: expected `:`, found `boolean`"),
        ("VAR x : boolean SPEC x", "2:17: expected `;`, found `SPEC`"),
        ("SPEC case TRUE : TRUE; ", "expected an expression, found the end of the text"),
        ("/-- never closed", "2:1: a comment is not closed"),
        ("#include <x>", "2:1: a line for a preprocessor"),
        ("# 12 \"x.smv\"\nSPEC TRUE", "read"),
        ("§", "unknown character"),
    ] {
        let parsed = smv::parse("model.smv", &format!("MODULE main\n{body}"));
        let found = message(&parsed);
        assert!(found.contains(expected), "{body:?}: {found}");
    }
    assert_eq!(message(&smv::parse("m", "MODULE a\n")), "1:8: there is no module `main`");
    assert_eq!(message(&smv::parse("m", "")), "1:1: there is no module `main`");
}

#[test]
fn what_cannot_happen_is_found_out_in_large_ranges() {
    for body in [
        "VAR x : 0..1000000; ASSIGN next(x) := x < 1000000 ? x + 1 : 0;",
        "VAR x : 0..1000000; y : 0..1000000; ASSIGN next(x) := x + y <= 1000000 ? x + y : x;",
        "VAR w : word[32]; v : word[32]; x : 0..9; ASSIGN next(x) := case w > v : 1; w <= v : 2; esac;",
        // What is missing in one branch is what is missing in the other.
        "VAR a : boolean; b : boolean; x : 0..9; ASSIGN next(x) :=
            case b : case a : 1; !a : 2; esac; TRUE : case a : 3; !a : 4; esac; esac;",
        "VAR a : {p, q, r}; b : {p, q, r}; x : 0..9; ASSIGN next(x) :=
            case a = b : 1; a = p : 2; a = q & b in {p, r} : 3; a = r & b != r : 4; esac;",
    ] {
        let parsed = smv::parse("model.smv", &format!("MODULE main\n{body}"));
        // Sums of two numbers compared as a whole are beyond sets and ends of numbers.
        let expected = if body.contains("x + y") { "too hard to tell" } else { "read" };
        assert!(message(&parsed).contains(expected), "{body}: {}", message(&parsed));
        assert!(parsed.usable());
    }
}

#[test]
fn deep_texts_need_no_deep_stack() {
    let deep = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(100_000), close.repeat(100_000))
    };
    for expression in [
        deep("(", "x", ")"),
        deep("!", "x", ""),
        deep("x & (", "x", ")"),
        deep("x ? x : ", "x", ""),
        deep("case x : ", "x", "; TRUE : x; esac"),
        deep("x -> ", "x", ""),
    ] {
        let text = format!("MODULE main VAR x : boolean; INVARSPEC {expression}");
        assert!(smv::parse("model.smv", &text).usable());
    }
    let formula = format!("MODULE main VAR x : boolean; SPEC {}", deep("AX (", "x", ")"));
    let relation = read(&formula).network.relation.expect("a relation");
    assert!(matches!(relation.specifications[0].goal, Goal::Unsupported(_)));
    let macros: String = (0..50_000).map(|i| format!("d{i} := !d{} & x;\n", i + 1)).collect();
    let text = format!("MODULE main VAR x : boolean; DEFINE {macros} d50000 := x; SPEC d0 = x");
    assert!(smv::parse("model.smv", &text).usable());
    let arrays = format!("MODULE main VAR x : {} boolean;", "array 0..0 of ".repeat(10_000));
    assert!(message(&smv::parse("model.smv", &arrays)).contains("at most 50 dimensions"));
}

#[test]
fn words_may_be_wide() {
    let text = "MODULE main VAR w : word[10000]; ASSIGN init(w) := !uwconst(0, 10000);
        next(w) := w * w; INVARSPEC w[0:0] = 0ub1_1";
    let relation = read(text).network.relation.expect("a relation");
    let interpreter = Interpreter::new(&relation).expect("an order");
    assert_eq!(interpreter.initial().expect("no failure").len(), 1);
}

/// What NuSMV makes of the files of the corpus, and what we make of them.
#[test]
fn corpus_files_are_read_as_nusmv_reads_them() {
    let Some(folder) = corpus::corpus("smv") else { return };
    let table = fs::read_to_string(folder.join("nusmv-results.tsv")).expect("a table");
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let path = folder.parent().expect("a folder").join(fields[0]);
        let text = fs::read_to_string(&path).expect("a text");
        let parsed = smv::parse(fields[0], &text);
        assert_eq!(parsed.usable(), fields[1] != "err", "{}: {}", fields[0], message(&parsed));
    }
}

const TEXTS: Texts = Texts {
    words: &[
        "MODULE ",
        "main",
        "m",
        "(",
        ")",
        "VAR ",
        "IVAR ",
        "FROZENVAR ",
        "DEFINE ",
        "ASSIGN ",
        "INIT ",
        "TRANS ",
        "INVAR ",
        "FAIRNESS ",
        "COMPASSION ",
        "INVARSPEC ",
        "SPEC ",
        "LTLSPEC ",
        "PSLSPEC ",
        "COMPUTE ",
        "MIN ",
        "NAME ",
        " IN ",
        "ISA ",
        "CONSTANTS ",
        "process ",
        "array ",
        " of ",
        "boolean",
        "word",
        "signed ",
        "unsigned ",
        "self",
        "next",
        "init",
        "case ",
        " esac",
        "TRUE",
        "FALSE",
        "x",
        "y",
        "z",
        "p",
        "0",
        "1",
        "2",
        "-",
        "0ud2_1",
        "0sb3_101",
        "AG ",
        "EX ",
        "A ",
        "E ",
        " U ",
        " V ",
        "G ",
        "F ",
        "X ",
        "O ",
        "EBF ",
        " BU ",
        "0..1",
        "..",
        ":",
        ":=",
        ";",
        ",",
        ".",
        "[",
        "]",
        "{",
        "}",
        "=",
        "!=",
        "<",
        "<=",
        "+",
        "*",
        "/",
        " mod ",
        "::",
        "&",
        "|",
        "!",
        "->",
        "<->",
        " xor ",
        " in ",
        " union ",
        "?",
        "<<",
        ">>",
        "bool",
        "toint",
        "resize",
        "extend",
        "count",
        "uwconst",
        "sizeof",
        "word1",
        "-- \n",
        "/--",
        "# 1\n",
        "§",
    ],
    frames: &[
        ("", ""),
        ("MODULE main ", ""),
        (
            "MODULE main VAR x : 0..2; y : boolean; z : word[2]; p : m(x); ",
            " MODULE m(q) VAR a : boolean;",
        ),
        ("MODULE main VAR x : 0..2; y : boolean; z : {s, t, 1}; INVARSPEC ", ""),
        ("MODULE main VAR x : array 0..1 of boolean; y : boolean; ASSIGN next(y) := ", ";"),
        ("MODULE main VAR x : boolean; y : boolean; SPEC ", ""),
        (
            "MODULE main VAR x : process m; y : boolean; LTLSPEC ",
            " MODULE m VAR a : boolean; ASSIGN next(a) := !a;",
        ),
    ],
};

#[test]
fn fuzz_smv() {
    bolero::check!().with_iterations(20_000).for_each(|input: &[u8]| {
        let text = TEXTS.text(input);
        let parsed = smv::parse("model.smv", &text);
        for diagnostic in &parsed.diagnostics {
            let _ = parsed.network.sources.position(diagnostic.span);
        }
        assert!(!parsed.diagnostics.is_empty() || parsed.network.relation.is_some());
    });
}

/// A formula of the past over `p` and `q`, with what it says of each moment of a word, by its
/// definition.
fn past(word: &[(bool, bool)], roll: &mut impl FnMut(usize) -> usize, depth: usize) -> Said {
    let all = |f: &dyn Fn(usize) -> bool| (0..word.len()).map(f).collect::<Vec<bool>>();
    if depth == 0 {
        return match roll(2) {
            0 => ("p".into(), all(&|at| word[at].0)),
            _ => ("q".into(), all(&|at| word[at].1)),
        };
    }
    let (f, a) = past(word, roll, depth - 1);
    let (low, high) = (roll(3), roll(3));
    let (low, high) = (low.min(high), low.max(high));
    let within = |at: usize| (low..=high).filter(move |back| *back <= at);
    match roll(12) {
        0 => (format!("Y ({f})"), all(&|at| at > 0 && a[at - 1])),
        1 => (format!("Z ({f})"), all(&|at| at == 0 || a[at - 1])),
        2 => (format!("O ({f})"), all(&|at| a[..=at].contains(&true))),
        3 => (format!("H ({f})"), all(&|at| !a[..=at].contains(&false))),
        4 => (format!("O [{low},{high}] ({f})"), all(&|at| within(at).any(|back| a[at - back]))),
        5 => (format!("H [{low},{high}] ({f})"), all(&|at| within(at).all(|back| a[at - back]))),
        6 => (format!("!({f})"), all(&|at| !a[at])),
        kind => {
            let (g, b) = past(word, roll, depth - 1);
            let since = |f: &[bool], g: &[bool], at: usize| {
                (0..=at).any(|begin| g[begin] && !f[begin + 1..=at].contains(&false))
            };
            let not = |of: &[bool]| of.iter().map(|one| !one).collect::<Vec<bool>>();
            let (no_a, no_b) = (not(&a), not(&b));
            match kind {
                7 => (format!("({f}) S ({g})"), all(&|at| since(&a, &b, at))),
                8 => (format!("({f}) T ({g})"), all(&|at| !since(&no_a, &no_b, at))),
                9 => (format!("({f}) -> ({g})"), all(&|at| !a[at] || b[at])),
                10 => (format!("({f}) <-> ({g})"), all(&|at| a[at] == b[at])),
                _ => (format!("({f}) & ({g})"), all(&|at| a[at] && b[at])),
            }
        }
    }
}

type Said = (String, Vec<bool>);

/// What hidden variables remember makes formulas of the past what they are by definition.
#[test]
fn formulas_of_the_past_say_what_they_are_defined_to() {
    let mut random = 11u64;
    let mut roll = move |sides: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % sides
    };
    for _ in 0..150 {
        let word: Vec<(bool, bool)> = (0..7).map(|_| (roll(2) == 0, roll(2) == 0)).collect();
        let (formula, said) = past(&word, &mut roll, 3);
        let text = format!("MODULE main\nVAR p : boolean; q : boolean;\nLTLSPEC G ({formula})");
        let relation = read(&text).network.relation.expect("a relation");
        let Goal::Ltl(formula) = &relation.specifications[0].goal else { panic!("{text}") };
        let Formula::Globally(condition) = formula else { panic!("{text}: {formula:?}") };
        let mut moment: State = relation.variables.iter().map(|one| one.domain.value(0)).collect();
        for (at, (p, q)) in word.iter().enumerate() {
            let before = moment.clone();
            let definitions = if at == 0 { &relation.initially } else { &relation.next };
            for one in definitions {
                let value = Evaluation::new(&relation, &before, &[]).value(one.value);
                moment[one.variable.0 as usize] = value.expect("no failure");
            }
            (moment[0], moment[1]) = (Value::Bool(*p), Value::Bool(*q));
            let holds = condition.holds_on(1, 0, &mut |term, _| {
                Evaluation::new(&relation, &moment, &[]).holds(*term).expect("no failure")
            });
            assert_eq!(holds, said[at], "{text} at {at} of {word:?}");
        }
    }
}
