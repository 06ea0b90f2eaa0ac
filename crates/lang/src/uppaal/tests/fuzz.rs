//! Fuzzing: whatever the text, it is read without a panic, and what is said of
//! it can be placed. Under `cargo test` this runs briefly on random texts, random
//! queries, and on whole models with changes, which are made networks of.

use homing_fuzz::{Texts, pieces};

use super::{EVERYTHING, EVERYTHING_XML, Outcome, outcome, outcome_with};
use crate::Settings;
use crate::uppaal::LANGUAGE;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "int ", "bool ", "clock ", "chan ", "const ", "urgent ", "broadcast ", "meta ", "hybrid ",
    "typedef ", "struct ", "scalar", "void ", "double ", "T ", "x", "f", "P ", "process ", "state ",
    "commit ", "init ", "trans ", "select ", "guard ", "sync ", "assign ", "probability ",
    "branchpoint ", "system ", "priority ", "default ", "before_update ", "import ", "dynamic ",
    "IO ", "progress ", "gantt ", "query ", "for ", "while ", "do ", "if ", "else ", "return ",
    "break ", "continue ", "switch ", "assert ", "forall ", "exists ", "sum ", "spawn ", "exit ",
    "deadlock ", "and ", "or ", "not ", "imply ", "xor ", "true ", "E", "A", "<>", "[]", "-->",
    "sup", "inf", "bounds", "Pr", "simulate ", "control", "strategy ", "under ", "{", "}", "(",
    ")", "[", "]", ";", ",", ":", ".", "'", "=", ":=", "+=", "<<=", "==", "!=", "<", "<=", ">",
    "<?", ">?", "<<", "->", "-u->", "+", "-", "++", "--", "*", "**", "/", "&", "&&", "|", "^",
    "!", "?", "1", "2.5", "99999999999999999999", "3x", "\"t\"", "\"", "/*", "*/", "//", "\n",
    "\\\n", "§", "\u{feff}", "#", "@",
];

const TEXTS: Texts = Texts {
    words: WORDS,
    frames: &[
        ("int x; typedef int[0,1] T; process P() { state S; init S; trans S -> S { ", ""),
        ("void f() { ", ""),
        ("<nta><declaration>", "</declaration></nta>"),
        ("<nta><template><name>P</name>", "</template><system>system P;</system></nta>"),
    ],
};

/// A small model of which much can be made.
const SMALL: &str = "const int N = 2; typedef int[0, N - 1] id_t; clock x, y; int[0, 5] n;
chan go; broadcast chan all; urgent chan now; int a[N]; struct { int u; bool v; } s;
int twice(int k) { int r = 0; for (i : id_t) { r += a[i]; } while (r > 3) r--; return r + k; }
process P(const id_t id) {
  clock z; state idle, busy { x <= 5 && z <= 3 }, last; commit last; urgent idle; init idle;
  trans idle -> busy { select i : id_t; guard x >= 2 && n < 5; sync go!; assign x = 0, n++; },
    busy -> last { guard forall (i : id_t) a[i] == 0; sync all?; assign a[id] = twice(n); },
    last -> idle { sync go?; assign s.v = exists (i : id_t) a[i] > 0, y = 0; };
}
P1 = P(0); P2 = P(1); system P1, P2;
query { E<> P1.busy and x > 3 ; A[] not deadlock ; P1.busy --> P2.idle ; sup: x, n }
";

fn placed(found: &Outcome) {
    for diagnostic in &found.diagnostics {
        found.sources.text(diagnostic.span);
        let related = diagnostic.related.iter().map(|(span, _)| *span);
        related.chain([diagnostic.span]).for_each(|span| {
            found.sources.position(span);
            assert!(span.start <= span.end);
        });
    }
}

#[test]
fn fuzz_uppaal() {
    bolero::check!()
        .with_iterations(24_000)
        .for_each(|input: &[u8]| placed(&outcome("fuzz.xta", &TEXTS.text(input))));
}

const QUERIES: Texts = Texts {
    words: WORDS,
    frames: &[("A[] ", ""), ("E<> P.S and ", ""), ("sup{", "}: x"), ("/* ", " */ A<> x > 1")],
};

#[test]
fn fuzz_queries() {
    bolero::check!().with_iterations(24_000).for_each(|input: &[u8]| {
        let queries = QUERIES.text(input);
        placed(&outcome_with("fuzz.xta", "system;", Some(("fuzz.q", &queries))));
    });
}

/// Whole models, with changes, all the way to the network.
#[test]
fn fuzz_models() {
    let models = [pieces(SMALL), pieces(EVERYTHING), pieces(EVERYTHING_XML)];
    bolero::check!().with_iterations(1_000).for_each(|input: &[u8]| {
        let Some((first, changes)) = input.split_first() else { return };
        let which = usize::from(*first > 200) + usize::from(*first > 225);
        let text = TEXTS.changed(&models[which], changes);
        let parsed = (LANGUAGE.parse)("fuzz.xta", &text, &Settings::default());
        for diagnostic in &parsed.diagnostics {
            parsed.network.sources.position(diagnostic.span);
        }
    });
}
