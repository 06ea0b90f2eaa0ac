//! Tests of the way from a text to its tree.

mod corpus;
mod fuzz;
mod hostile;
mod print;
mod spin;
mod trees;

use std::path::Path;
use std::{fs, io};

use homing_ir::{Diagnostic, Severity, Sources};

use super::read::read;
use super::syntax::Program;
use crate::Settings;
use crate::reports::Reports;

/// A text, its tree, and what is said of it.
struct Outcome {
    program: Program,
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
}

fn from_disk(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

/// Reads a text with includes from the disk.
fn outcome(name: &str, text: &str) -> Outcome {
    let (mut sources, mut reports) = (Sources::default(), Reports::default());
    let settings = Settings { read: &from_disk, ..Settings::default() };
    let program = read(name, text, &settings, &mut sources, &mut reports);
    Outcome { program, sources, diagnostics: reports.finish() }
}

impl Outcome {
    fn errors(&self) -> Vec<&Diagnostic> {
        let errors = self.diagnostics.iter();
        errors.filter(|diagnostic| diagnostic.severity == Severity::Error).collect()
    }

    /// `file:line: message` of a diagnostic.
    fn show(&self, diagnostic: &Diagnostic) -> String {
        let name = &self.sources.get(diagnostic.span.source).name;
        let position = self.sources.position(diagnostic.span);
        format!("{name}:{}:{}: {}", position.line, position.column, diagnostic.message)
    }
}

/// A model that has a bit of everything.
const EVERYTHING: &str = r#"
#define N 3
#define LESS(a, b) (a < b)
#ifdef N
mtype = { ping, pong }; mtype:colour = { red, green };
#else
this is not read
#endif
typedef Pair { byte first; short second[2] };
hidden int g = N; unsigned u : 4 = 7; bool flags[N] = { 1, 0, 1 };
chan c = [N] of { mtype, byte }; chan d[2] = [1] of { Pair };
Pair pair; local byte b; show bit t;

inline swap(a, z) { int tmp = a; a = z; z = tmp }
inline twice(v) { swap(v, g); return v + v }

proctype Other(byte z; chan q) priority 2 { xs q; done: run Worker(); z = enabled(0) + pc_value(1); set_priority(_pid, 2) }

active [2] proctype Worker() provided (g > 0) {
	byte x, y = 2; mtype:colour paint = red;
start:
	do
	:: c?ping(x) -> y = x
	:: c??eval(pong), _; c?<ping, x>
	:: atomic { LESS(x, y) -> x++ ; y-- }
	:: d_step { x = 0; y = (x > 1 -> 2 : 3) }
	:: c?[ping, 3] && len(c) < N || !(x == y) -> goto start
	:: timeout -> break
	od
	if :: x > 1 :: else -> { skip } unless { g == 0 } fi
	for (x : 0 .. N) { y = y + x }
	for (x in flags) { flags[x] = !flags[x] }
	select (x : 1 .. 4);
	swap(x, y)
	x = twice(y)
	pair.second[1] = 'a' | x << 2 & ~y;
	c!!ping, x; d[0]!pair; assert(pair.first != -1 || full(c));
	printf("x is %d\n", x); printm(paint)
	if :: Other[1]@done && Other:z > 0 :: nempty(c) fi
}

init { run Other(1, c) priority 3 }
never { do :: np_ :: g > 3 -> break od }
notrace { do :: c!ping, _ od }
ltl p { [] (g > 0 -> <> flags[1]) && (t U u == 1) }
"#;
