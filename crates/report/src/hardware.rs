//! Runs of models of hardware as files that others read.
//!
//! | format | for |
//! |---|---|
//! | AIGER witness | `aigsim`: result, property, first state, inputs, a dot |
//! | BTOR2 witness | `btorsim`: frames of states (`#`) and inputs (`@`) |
//! | trace | people who know NuSMV: what changes from state to state |
//! | VCD | viewers of waves (IEEE 1364, value change dump) |
//!
//! What is written was confirmed; nothing is computed here.

use std::fmt::Write;

use homing_ir::relation::{
    Dialect, Domain, Goal, Kind, Relation, Run, Value, Variable, VariableId,
};

/// Writes a run into a file whose name ends so: `vcd`, `txt` for a trace; else the witness of
/// the model's own language.
pub fn written(relation: &Relation, specification: usize, run: &Run, ending: &str) -> String {
    let mut out = String::new();
    // Writing into a string does not fail.
    let _ = match (ending, relation.dialect) {
        ("vcd", _) => vcd(relation, run, &mut out),
        ("txt", _) | (_, Dialect::Smv) => trace(relation, specification, run, &mut out),
        (_, Dialect::Aiger) => aiger(relation, specification, run, &mut out),
        (_, Dialect::Btor2) => btor2(relation, specification, run, &mut out),
    };
    out
}

/// Variables with their places, by a property.
fn those<'r>(
    relation: &'r Relation,
    wanted: impl Fn(&Variable) -> bool + 'r,
) -> impl Iterator<Item = (usize, &'r Variable)> {
    relation.variables.iter().enumerate().filter(move |(_, one)| wanted(one))
}

/// The letter of a kind of property, and its place among those.
fn property(relation: &Relation, number: usize) -> (char, usize) {
    let is_bad = |goal: &Goal| matches!(goal, Goal::Invariant(_));
    let own = &relation.specifications[number].goal;
    let before = &relation.specifications[..number];
    let count = before.iter().filter(|one| is_bad(&one.goal) == is_bad(own)).count();
    (if is_bad(own) { 'b' } else { 'j' }, count)
}

/// The moments of a run; where it goes back, with the moment it goes back to again.
fn all_moments(run: &Run) -> impl Iterator<Item = &Vec<Value>> {
    run.moments.iter().chain(run.back.map(|back| &run.moments[back]))
}

fn bit(value: &Value) -> char {
    if *value == Value::Bool(true) { '1' } else { '0' }
}

fn aiger(relation: &Relation, number: usize, run: &Run, out: &mut String) -> std::fmt::Result {
    let (letter, place) = property(relation, number);
    writeln!(out, "1\n{letter}{place}")?;
    let bits = |moment: &[Value], wanted: fn(&Variable) -> bool| -> String {
        those(relation, wanted).map(|(at, _)| bit(&moment[at])).collect()
    };
    writeln!(out, "{}", bits(&run.moments[0], |one| one.is_latch))?;
    for moment in all_moments(run) {
        writeln!(out, "{}", bits(moment, |one| !one.is_latch))?;
    }
    writeln!(out, ".")
}

fn btor2(relation: &Relation, number: usize, run: &Run, out: &mut String) -> std::fmt::Result {
    let (letter, place) = property(relation, number);
    writeln!(out, "sat\n{letter}{place}")?;
    for (frame, moment) in all_moments(run).enumerate() {
        for (latch, sign) in [(true, '#'), (false, '@')] {
            let mut lines = String::new();
            for (at, one) in those(relation, |one| one.is_latch == latch) {
                // A state is told at the beginning, and where nothing says what it is.
                if !latch || frame == 0 || one.kind == Kind::Input {
                    assigned(&mut lines, one, &moment[at], sign, frame)?;
                }
            }
            if !latch || !lines.is_empty() || frame == 0 {
                writeln!(out, "{sign}{frame}")?;
            }
            out.push_str(&lines);
        }
    }
    writeln!(out, ".")
}

fn assigned(
    out: &mut String,
    variable: &Variable,
    value: &Value,
    sign: char,
    frame: usize,
) -> std::fmt::Result {
    let (number, name) = (variable.number, &variable.name);
    match value {
        Value::Word(bits) => writeln!(out, "{number} {bits} {name}{sign}{frame}"),
        Value::Array(array) => array.others().try_for_each(|(index, element)| {
            writeln!(out, "{number} [{index}] {element} {name}{sign}{frame}")
        }),
        other => writeln!(out, "{number} {} {name}{sign}{frame}", bit(other)),
    }
}

fn trace(relation: &Relation, number: usize, run: &Run, out: &mut String) -> std::fmt::Result {
    let name = &relation.specifications[number].name;
    writeln!(out, "-- specification {name} is false")?;
    writeln!(out, "-- as demonstrated by the following execution sequence")?;
    writeln!(out, "Trace Description: Counterexample \nTrace Type: Counterexample ")?;
    let mut before: Option<&Vec<Value>> = None;
    for (step, moment) in all_moments(run).enumerate() {
        if run.back == Some(step) {
            writeln!(out, "  -- Loop starts here")?;
        }
        let changed = |at: usize| before.is_none_or(|before| !before[at].same(&moment[at]));
        for (title, input) in [("State", false), ("Input", true)] {
            let shown = those(relation, |one| (one.kind == Kind::Input) == input && !one.hidden);
            let lines: Vec<String> = shown
                .filter(|(at, _)| changed(*at))
                .map(|(at, one)| {
                    let value = relation.written(VariableId(at as u32), &moment[at]);
                    format!("    {} = {value}\n", one.name)
                })
                .collect();
            if !input || !lines.is_empty() {
                // Inputs are those of the step to the next state.
                let number = step + 1 + usize::from(input);
                writeln!(out, "  -> {title}: 1.{number} <-")?;
                out.push_str(&lines.concat());
            }
        }
        before = Some(moment);
    }
    Ok(())
}

fn vcd(relation: &Relation, run: &Run, out: &mut String) -> std::fmt::Result {
    let seen: Vec<(usize, &Variable)> =
        those(relation, |one| !one.hidden && !matches!(one.domain, Domain::Array { .. })).collect();
    writeln!(out, "$timescale 1 ns $end\n$scope module top $end")?;
    for (at, one) in &seen {
        let name = one.name.replace(char::is_whitespace, "_");
        match one.domain {
            Domain::Bool => writeln!(out, "$var wire 1 {} {name} $end", code(*at))?,
            Domain::Word { width, .. } => {
                writeln!(out, "$var wire {width} {} {name} $end", code(*at))?;
            }
            _ => writeln!(out, "$var string 1 {} {name} $end", code(*at))?,
        }
    }
    writeln!(out, "$upscope $end\n$enddefinitions $end")?;
    let mut before: Option<&Vec<Value>> = None;
    for (time, moment) in all_moments(run).enumerate() {
        writeln!(out, "#{time}")?;
        for (at, _) in &seen {
            if before.is_some_and(|before| before[*at].same(&moment[*at])) {
                continue;
            }
            match &moment[*at] {
                Value::Bool(_) => writeln!(out, "{}{}", bit(&moment[*at]), code(*at))?,
                Value::Word(bits) => writeln!(out, "b{bits} {}", code(*at))?,
                other => {
                    let text = relation.written(VariableId(*at as u32), other);
                    writeln!(out, "s{text} {}", code(*at))?;
                }
            }
        }
        before = Some(moment);
    }
    writeln!(out, "#{}", all_moments(run).count())
}

/// The identifier of a variable, of printable characters.
fn code(mut number: usize) -> String {
    let mut code = String::new();
    loop {
        code.push(char::from(b'!' + (number % 94) as u8));
        number /= 94;
        if number == 0 {
            return code;
        }
    }
}
