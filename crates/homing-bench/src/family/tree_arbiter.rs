//! `T3`–`T63`: the tree arbiter, in an early version without cross-gating.
//!
//! Our reconstruction after Reffel, Edelkamp, "Error Detection with Directed Symbolic Model
//! Checking" (FM 1999), section 6, and Dill, "Trace Theory for Automatic Hierarchical
//! Verification of Speed-Independent Circuits" (1989), which the paper cites for the design.
//! The paper says: modules of one structure in a pyramid; users that request and are
//! acknowledged; an early version, incorrect, in an interleaving model.
//!
//! A cell has two clients below and a server above, each with a request and an acknowledge
//! wire. Its gates, one a step:
//!
//! ```text
//! g1   rises where r1 and not g1 and not g2, falls where not r1     mutual exclusion
//! g2   the same with 1 and 2 exchanged
//! u    follows g1 or g2                                             the request upwards
//! a1   follows g1 and ack                                           the acknowledge downwards
//! a2   follows g2 and ack
//! ```
//! The server of the root acknowledges at once: `ack` is `u`. A user requests where it is not
//! acknowledged and ends its request where it is. **The error**: `a2` does not wait until `a1`
//! has fallen (the cross-gating), so while one client's acknowledge still stands the other is
//! granted, and the first may request again. Goal: the first user and the last both
//! request and are acknowledged.
//!
//! Trees of `n` cells are as balanced as can be, like heaps, and have `n + 1` users. Wires are
//! declared from the left to the right, so that neighbours stand together.
//!
//! # Calibration
//!
//! The paper's breadth-first search takes 30 iterations for 15 modules and 42 for 17; this
//! one takes 37 and 40. The paper lets several gates of a module switch in one step, and does
//! not say how its gates are divided; ours are slower, but grow as gently.

use std::fmt::Write as _;

/// A tree arbiter with so many cells, in DVE, and its error.
pub fn system(cells: usize) -> (String, String) {
    let mut tree =
        Tree { cells, wires: String::new(), processes: String::new(), users: Vec::new() };
    tree.cell(1, "u1");
    let (first, last) = (&tree.users[0], &tree.users[tree.users.len() - 1]);
    let both =
        |(request, acknowledge): &(String, String)| format!("{request} == 1 && {acknowledge} == 1");
    let goal = format!("{} && {}", both(first), both(last));
    (format!("{}\n{}\nsystem async;\n", tree.wires, tree.processes), goal)
}

struct Tree {
    cells: usize,
    wires: String,
    processes: String,
    /// Their wires, request and acknowledge, from the left to the right.
    users: Vec<(String, String)>,
}

impl Tree {
    /// The wire on which node `i` of the heap requests.
    fn request(&self, i: usize) -> String {
        if i <= self.cells { format!("u{i}") } else { format!("r{i}") }
    }

    /// Node `i` of the heap and all below it. The recursion is as deep as the tree.
    fn cell(&mut self, i: usize, acknowledge: &str) {
        if i > self.cells {
            return self.user(i, acknowledge);
        }
        self.cell(2 * i, &format!("a{i}_1"));
        let _ = writeln!(self.wires, "byte g{i}_1, g{i}_2, u{i}, a{i}_1, a{i}_2;");
        let [left, right] = [2 * i, 2 * i + 1].map(|client| self.request(client));
        let mut gates = Vec::new();
        let mut gate = |guard: String, effect: String| {
            gates.push(format!("  s -> s {{ guard {guard}; effect {effect}; }}"));
        };
        for (this, other, client) in [(1, 2, &left), (2, 1, &right)] {
            let (mine, theirs) = (format!("g{i}_{this}"), format!("g{i}_{other}"));
            let free = format!("{client} == 1 && {mine} == 0 && {theirs} == 0");
            gate(free, format!("{mine} = 1"));
            gate(format!("{client} == 0 && {mine} == 1"), format!("{mine} = 0"));
            let granted = format!("a{i}_{this}");
            let grant = format!("{mine} == 1 && {acknowledge} == 1 && {granted} == 0");
            gate(grant, format!("{granted} = 1"));
            let withdraw = format!("({mine} == 0 || {acknowledge} == 0) && {granted} == 1");
            gate(withdraw, format!("{granted} = 0"));
        }
        gate(format!("(g{i}_1 == 1 || g{i}_2 == 1) && u{i} == 0"), format!("u{i} = 1"));
        gate(format!("g{i}_1 == 0 && g{i}_2 == 0 && u{i} == 1"), format!("u{i} = 0"));
        self.process(&format!("Cell{i}"), &gates);
        self.cell(2 * i + 1, &format!("a{i}_2"));
    }

    fn user(&mut self, i: usize, acknowledge: &str) {
        let request = self.request(i);
        let _ = writeln!(self.wires, "byte {request};");
        let moves = [
            format!(
                "  s -> s {{ guard {request} == 0 && {acknowledge} == 0; effect {request} = 1; }}"
            ),
            format!(
                "  s -> s {{ guard {request} == 1 && {acknowledge} == 1; effect {request} = 0; }}"
            ),
        ];
        self.process(&format!("User{i}"), &moves);
        self.users.push((request, acknowledge.to_string()));
    }

    fn process(&mut self, name: &str, moves: &[String]) {
        let moves = moves.join(",\n");
        let _ = writeln!(self.processes, "process {name} {{ state s; init s; trans\n{moves};\n}}");
    }
}
