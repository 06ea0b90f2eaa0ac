//! `D2`–`D32` and `E2`–`E32`: the asynchronous ring for distributed mutual exclusion, with a
//! broken gate and as it should be.
//!
//! Our reconstruction after Reffel, Edelkamp, "Error Detection with Directed Symbolic Model
//! Checking" (FM 1999), section 6, and Martin, "The Design of a Self-Timed Circuit for
//! Distributed Mutual Exclusion" (1985), on which the circuit that the paper cites rests. The
//! paper says: cells of one structure in a ring, a mechanism for mutual exclusion. It prints
//! neither the gates nor the error that was looked for. **Gates and error are ours.**
//!
//! One token goes round. A cell asks its right neighbour for it when its own user or its left
//! neighbour wants it. A gate a step:
//!
//! ```text
//! m1   rises where ur and not m2, g, ua, falls where not ur     the user is served
//! m2   rises where lr and not m1, g, ua, falls where not lr     the left neighbour is
//! rr   rises where m1 or m2, and not t, g, ra                   the request to the right
//!      falls where t and ra
//! t    rises where rr and ra, falls where g                     the token
//! ua   rises where m1 and t and not rr, ra, falls where not ur  the user's acknowledge
//! g    rises where m2 and t and not rr, ra                      the token is given away
//!      falls where not m2
//! la   rises where g and not t, falls where not lr and not g    the left's acknowledge
//! ```
//! `lr` is the left neighbour's `rr`, `ra` the right neighbour's `la`. A user requests (`ur`)
//! where it is not acknowledged and ends its request where it is. The first cell has the
//! token.
//!
//! **The broken gate** of `D`: in every cell `la` does not wait until the token has gone
//! (`not t`). A token that is slow to go may stay for good, and then there are two. Goal: the
//! first user and the one opposite are acknowledged at the same time.
//!
//! # Calibration
//!
//! The paper's breadth-first search takes 23 iterations for six cells, ours 33; its cell may
//! switch several gates in a step, ours only one.

use std::fmt::Write as _;

/// A ring of so many cells, in DVE, and what must not happen in it.
pub fn system(cells: usize, broken: bool) -> (String, String) {
    let (mut wires, mut processes) = (String::new(), String::new());
    for i in 1..=cells {
        let token = if i == 1 { " = 1" } else { "" };
        let _ =
            writeln!(wires, "byte ur{i}, ua{i}, m1_{i}, m2_{i}, rr{i}, t{i}{token}, g{i}, la{i};");
        process(&mut processes, &format!("Cell{i}"), &cell(i, cells, broken));
        process(&mut processes, &format!("User{i}"), &user(i));
    }
    let opposite = 1 + cells / 2;
    let goal = format!("ua1 == 1 && ua{opposite} == 1");
    (format!("{wires}\n{processes}\nsystem async;\n"), goal)
}

/// The wire with this name rises, or falls, where a condition holds.
fn gate(wire: &str, rises: bool, condition: &str) -> String {
    let (before, after) = (u8::from(!rises), u8::from(rises));
    format!("  s -> s {{ guard {condition} && {wire} == {before}; effect {wire} = {after}; }}")
}

fn cell(i: usize, cells: usize, broken: bool) -> Vec<String> {
    let left = if i == 1 { cells } else { i - 1 };
    let right = if i == cells { 1 } else { i + 1 };
    let (lr, ra) = (format!("rr{left}"), format!("la{right}"));
    let (m1, m2) = (format!("m1_{i}"), format!("m2_{i}"));
    let gone = if broken { String::new() } else { format!(" && t{i} == 0") };
    let free = format!("g{i} == 0 && ua{i} == 0");
    let settled = format!("t{i} == 1 && rr{i} == 0 && {ra} == 0");
    vec![
        gate(&m1, true, &format!("ur{i} == 1 && {m2} == 0 && {free}")),
        gate(&m1, false, &format!("ur{i} == 0")),
        gate(&m2, true, &format!("{lr} == 1 && {m1} == 0 && {free}")),
        gate(&m2, false, &format!("{lr} == 0")),
        gate(
            &format!("rr{i}"),
            true,
            &format!("({m1} == 1 || {m2} == 1) && t{i} == 0 && g{i} == 0 && {ra} == 0"),
        ),
        gate(&format!("rr{i}"), false, &format!("t{i} == 1 && {ra} == 1")),
        gate(&format!("t{i}"), true, &format!("rr{i} == 1 && {ra} == 1")),
        gate(&format!("t{i}"), false, &format!("g{i} == 1")),
        gate(&format!("ua{i}"), true, &format!("{m1} == 1 && {settled}")),
        gate(&format!("ua{i}"), false, &format!("ur{i} == 0")),
        gate(&format!("g{i}"), true, &format!("{m2} == 1 && {settled}")),
        gate(&format!("g{i}"), false, &format!("{m2} == 0")),
        gate(&format!("la{i}"), true, &format!("g{i} == 1{gone}")),
        gate(&format!("la{i}"), false, &format!("{lr} == 0 && g{i} == 0")),
    ]
}

fn user(i: usize) -> Vec<String> {
    let (request, acknowledge) = (format!("ur{i}"), format!("ua{i}"));
    vec![
        gate(&request, true, &format!("{acknowledge} == 0")),
        gate(&request, false, &format!("{acknowledge} == 1")),
    ]
}

fn process(text: &mut String, name: &str, gates: &[String]) {
    let gates = gates.join(",\n");
    let _ = writeln!(text, "process {name} {{ state s; init s; trans\n{gates};\n}}");
}
