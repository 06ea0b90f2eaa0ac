//! Timed automata in TChecker's language.

use crate::pen::Pen;

/// The model of a seed, and goals to look for in it.
pub fn program(seed: u64) -> (String, Vec<String>) {
    let mut pen = Pen::new(seed);
    let knobs = Knobs {
        diagonals: pen.one_in(4),
        copies: pen.one_in(4),
        urgency: pen.one_in(2),
        syncs: !pen.one_in(3),
    };
    pen.line("system:random");
    pen.line("clock:1:x");
    pen.line("clock:1:y");
    pen.line("int:1:0:2:0:i");
    pen.line("int:2:0:2:1:a");
    for event in ["tau", "a", "b"] {
        pen.line(&format!("event:{event}"));
    }
    let processes = 2 + pen.below(2);
    for number in 0..processes {
        process(&mut pen, number, knobs);
    }
    if knobs.syncs {
        syncs(&mut pen, processes);
    }
    let goals = goals(&mut pen, processes);
    (pen.text, goals)
}

#[derive(Clone, Copy)]
struct Knobs {
    diagonals: bool,
    copies: bool,
    urgency: bool,
    syncs: bool,
}

fn process(pen: &mut Pen, number: usize, knobs: Knobs) {
    let name = format!("P{number}");
    pen.line(&format!("process:{name}"));
    let locations = 2 + pen.below(2);
    for location in 0..locations {
        let mut attributes = Vec::new();
        if location == 0 {
            attributes.push("initial:".to_owned());
        } else if knobs.urgency && pen.one_in(4) {
            attributes.push(pen.pick(&["committed:", "urgent:"]).to_owned());
        }
        if pen.one_in(3) {
            attributes.push(format!("invariant: {}", pen.invariant()));
        }
        pen.line(&format!("location:{name}:l{location}{{{}}}", attributes.join(" : ")));
    }
    for _ in 0..2 + pen.below(3) {
        let (from, to) = (pen.below(locations), pen.below(locations));
        let event = pen.pick(&["tau", "a", "b"]);
        let attributes = attributes(pen, knobs);
        pen.line(&format!("edge:{name}:l{from}:l{to}:{event}{{{attributes}}}"));
    }
}

fn attributes(pen: &mut Pen, knobs: Knobs) -> String {
    let mut parts = Vec::new();
    if !pen.one_in(3) {
        parts.push(format!("provided: {}", guard(pen, knobs)));
    }
    if !pen.one_in(3) {
        let count = 1 + pen.below(2);
        let statements: Vec<String> = (0..count).map(|_| statement(pen, knobs)).collect();
        parts.push(format!("do: {}", statements.join("; ")));
    }
    parts.join(" : ")
}

fn guard(pen: &mut Pen, knobs: Knobs) -> String {
    let mut parts = vec![match pen.below(3) {
        0 => format!("i == {}", pen.below(3)),
        1 if knobs.diagonals => pen.diagonal(),
        _ => pen.clock_guard(),
    }];
    if pen.one_in(3) {
        parts.push(pen.clock_guard());
    }
    parts.join(" && ")
}

fn statement(pen: &mut Pen, knobs: Knobs) -> String {
    match pen.below(9) {
        0..=2 => format!("{} = 0", pen.pick(&["x", "y"])),
        3 if knobs.copies => "y = x".into(),
        4 if knobs.copies => format!("x = {}", 1 + pen.below(2)),
        5 => "i = (i + 1) % 3".into(),
        // Sometimes out of its range: the step fails.
        6 => "i = i + a[i % 2]".into(),
        7 => format!("if i == {} then a[1] = 0 else a[0] = i end", pen.below(3)),
        _ => format!("i = {}", pen.below(3)),
    }
}

fn syncs(pen: &mut Pen, processes: usize) {
    let weak = pen.pick(&["", "?"]);
    pen.line("sync:P0@a:P1@a");
    if processes > 2 {
        pen.line(&format!("sync:P0@b:P1@b{weak}:P2@b?"));
    } else {
        pen.line("sync:P0@b:P1@b?");
    }
}

fn goals(pen: &mut Pen, processes: usize) -> Vec<String> {
    let process = pen.below(processes);
    let at = format!("P{process}.l1");
    let value = pen.below(3);
    vec![at.clone(), format!("{at} && i == {value}"), format!("{at} && x > {value}")]
}
