//! Timed automata in UPPAAL's textual language.

use crate::pen::Pen;

/// The model of a seed, and goals to look for in it.
pub fn program(seed: u64) -> (String, Vec<String>) {
    let mut pen = Pen::new(seed);
    let knobs = Knobs {
        diagonals: pen.one_in(4),
        copies: pen.one_in(4),
        urgency: pen.one_in(2),
        functions: pen.one_in(3),
        scalars: pen.one_in(4),
        broadcast: pen.one_in(2),
        // Not drawn: whatever does not stop clocks is as it was before there were any.
        stopwatches: seed % 5 == 4,
    };
    declarations(&mut pen, knobs);
    let processes = 2 + pen.below(2);
    for number in 0..processes {
        process(&mut pen, number, knobs);
    }
    let mut system: Vec<String> = (0..processes).map(|number| format!("P{number}")).collect();
    if knobs.scalars {
        template(&mut pen, knobs);
        system.push("T".into());
    }
    if knobs.stopwatches {
        // Stopwatches that nothing looks at are left out, and goals look at them.
        pen.line("process W() { state w { x >= 0 && y >= 0 }; init w; }");
        system.push("W".into());
    }
    if pen.one_in(6) {
        pen.line("chan priority c < default;");
    }
    // A process of its own rank goes before the others.
    let separator = if pen.one_in(8) { " < " } else { ", " };
    pen.line(&format!("system {};", system.join(separator)));
    let goals = goals(&mut pen, processes);
    (pen.text, goals)
}

#[derive(Clone, Copy)]
struct Knobs {
    diagonals: bool,
    copies: bool,
    urgency: bool,
    functions: bool,
    scalars: bool,
    broadcast: bool,
    stopwatches: bool,
}

/// What stops clocks.
const RATES: &[&str] =
    &["x' == 0", "y' == 0", "x' == f", "y' == (i == 1)", "y' == (i < 2 ? 1 : 0)"];

fn declarations(pen: &mut Pen, knobs: Knobs) {
    pen.line("clock x, y;");
    pen.line("int[0,2] i;");
    pen.line("int[0,2] a[2] = { 1, 0 };");
    pen.line("bool f;");
    pen.line("chan c;");
    pen.line(if knobs.broadcast { "broadcast chan b;" } else { "chan b;" });
    pen.line(if knobs.urgency { "urgent chan u;" } else { "chan u;" });
    if knobs.functions {
        pen.line("typedef struct { int[0,2] n; bool g; } R;");
        pen.line("R r = { 1, false };");
        pen.line("void step(int k) { int j; for (j = 0; j < k; j++) i = (i + 1) % 3; r.n = i; }");
        pen.line("int least(int k) { if (k > i) return i; return k; }");
        pen.line("bool all() { return forall (j : int[0,1]) a[j] > 0; }");
    }
    if knobs.scalars {
        pen.line("typedef scalar[2] S;");
        pen.line("int[0,1] owned[S];");
    }
}

fn process(pen: &mut Pen, number: usize, knobs: Knobs) {
    pen.open(&format!("process P{number}() {{"));
    if pen.one_in(3) {
        pen.line("int[0,2] l = 1;");
    }
    body(pen, knobs, "i");
    pen.close("}");
}

/// Processes that differ in a scalar only.
fn template(pen: &mut Pen, knobs: Knobs) {
    pen.open("process T(const S id) {");
    body(pen, knobs, "owned[id]");
    pen.close("}");
}

fn body(pen: &mut Pen, knobs: Knobs, own: &str) {
    let count = 2 + pen.below(2);
    let locations: Vec<String> = (0..count)
        .map(|location| {
            let bound = pen.one_in(3).then(|| pen.invariant());
            let stops = knobs.stopwatches && pen.one_in(2);
            let rate = stops.then(|| pen.pick(RATES).to_owned());
            let parts: Vec<String> = bound.into_iter().chain(rate).collect();
            match parts.is_empty() {
                false => format!("s{location} {{ {} }}", parts.join(" && ")),
                true => format!("s{location}"),
            }
        })
        .collect();
    pen.line(&format!("state {};", locations.join(", ")));
    if knobs.urgency && pen.one_in(3) {
        let (word, location) = (pen.pick(&["commit", "urgent"]), pen.below(count));
        pen.line(&format!("{word} s{location};"));
    }
    pen.line("init s0;");
    pen.line("trans");
    let edges = 2 + pen.below(3);
    for number in 0..edges {
        let end = if number + 1 == edges { ";" } else { "," };
        let (from, to, rest) = (pen.below(count), pen.below(count), edge(pen, knobs, own));
        pen.line(&format!("s{from} -> s{to} {{ {rest} }}{end}"));
    }
}

fn edge(pen: &mut Pen, knobs: Knobs, own: &str) -> String {
    let mut parts = Vec::new();
    let selects = pen.one_in(6);
    if selects {
        parts.push("select k : int[0,2];".to_owned());
    }
    let sync = if pen.one_in(2) { pen.pick(&["c!", "c?", "b!", "b?", "u!", "u?"]) } else { "" };
    if !pen.one_in(3) {
        parts.push(format!("guard {};", guard(pen, knobs, sync)));
    }
    if !sync.is_empty() {
        parts.push(format!("sync {sync};"));
    }
    if selects || !pen.one_in(3) {
        let count = 1 + pen.below(2);
        let mut effects: Vec<String> = (0..count).map(|_| effect(pen, knobs, own)).collect();
        if selects {
            effects.push("a[k % 2] = k".into());
        }
        parts.push(format!("assign {};", effects.join(", ")));
    }
    parts.join(" ")
}

/// Edges on urgent channels and receivers of broadcasts may not look at clocks in
/// UPPAAL; here no more than usual.
fn guard(pen: &mut Pen, knobs: Knobs, sync: &str) -> String {
    let plain = sync.starts_with('u') || sync == "b?";
    let mut parts = vec![match pen.below(6) {
        0 => "f".to_owned(),
        1 if knobs.functions => pen.pick(&["all()", "least(2) == 1", "r.g"]).to_owned(),
        2 if knobs.diagonals && !plain => pen.diagonal(),
        3 | 4 if !plain => pen.clock_guard(),
        _ => format!("i == {}", pen.below(3)),
    }];
    if pen.one_in(3) && !plain {
        parts.push(pen.clock_guard());
    }
    parts.join(" && ")
}

fn effect(pen: &mut Pen, knobs: Knobs, own: &str) -> String {
    match pen.below(11) {
        0..=2 => format!("{} = 0", pen.pick(&["x", "y"])),
        3 if knobs.copies => "y = x".into(),
        4 if knobs.copies => format!("x = {}", 1 + pen.below(2)),
        5 => "f = !f".into(),
        // Sometimes out of its range: the step fails.
        6 if pen.one_in(3) => "i++".into(),
        7 if knobs.functions => pen.pick(&["step(1)", "step(2)", "r.g = !r.g"]).to_owned(),
        8 => format!("{own} = 1 - {own} % 2"),
        9 => "a[1] = f ? i : 0".into(),
        _ => format!("i = {}", pen.below(3)),
    }
}

fn goals(pen: &mut Pen, processes: usize) -> Vec<String> {
    let process = pen.below(processes);
    let at = format!("P{process}.s1");
    let value = pen.below(3);
    vec![at.clone(), format!("{at} && i == {value}"), format!("{at} && x > {value}")]
}
