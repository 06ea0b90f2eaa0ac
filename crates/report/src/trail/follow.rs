//! From the lines of a trail to a run: the interpreter executes them.
//!
//! ```text
//! follow(state, position):                          -- depth first
//!   all lines taken: the run is found
//!   for every move that is the line at position:    follow(behind it, position + 1 or 2)
//!   if there is none, let what has no line happen:  a move within a `d_step`;
//!     where statements were merged, a move of the line's process alone, or of
//!     the one that holds control; and look again
//! ```
//! Merged statements touch nothing that others see, so it does not matter that
//! they happen later here than in the verifier. Behind the last line, those
//! that are left over happen until something is wrong.

use std::collections::BTreeSet;

use homing_ir::interp::{Interpreter, Possible, State};
use homing_ir::network::{EdgeRef, Target};
use homing_ir::{Step, Trace};

use super::{Line, Lines};
use homing_witness::outcome::one_line;

/// The moves in a row that may have no line.
const MOST_SILENT: usize = 1_000;

/// The states looked at behind the last line.
const MOST_BEHIND: usize = 2_000;

/// A state on the way, and how it was reached.
#[derive(Clone, Debug)]
struct Point {
    state: State,
    /// The lines taken.
    position: usize,
    /// The last move, by its number.
    moved: Option<usize>,
    /// Whether the last move failed: nothing follows it.
    failed: bool,
}

struct Made {
    edges: Vec<EdgeRef>,
    begins: bool,
    before: Option<usize>,
}

struct Follower<'a> {
    interpreter: &'a Interpreter<'a>,
    lines: &'a [Line],
    merged: bool,
    moves: Vec<Made>,
}

/// The run that a trail describes, or the line that does not fit and why.
pub(super) fn follow(
    interpreter: &Interpreter<'_>,
    lines: &Lines,
) -> Result<Trace, (usize, String)> {
    let steps = &lines.steps;
    let mut follower =
        Follower { interpreter, lines: steps, merged: lines.merged, moves: Vec::new() };
    let start = Point { state: interpreter.initial(), position: 0, moved: None, failed: false };
    let mut furthest = start.clone();
    let mut stack = vec![start];
    // Several ways fit a line only where they differ in what follows at once.
    let mut budget = steps.len() * 4 + 10_000;
    while let Some(point) = stack.pop() {
        if point.failed || point.position == steps.len() {
            let end = if point.failed { point } else { follower.settle(point) };
            return Ok(follower.trace(end.moved));
        }
        if point.position > furthest.position {
            furthest = point.clone();
        }
        if budget == 0 {
            break;
        }
        budget -= 1;
        stack.extend(follower.next(&point).into_iter().rev());
    }
    let line = steps[furthest.position];
    Err((line.number, follower.misfit(&furthest.state, line)))
}

impl Follower<'_> {
    fn possible(&self, point: &Point) -> Vec<Possible> {
        let last = point.moved.map_or(&[][..], |at| &self.moves[at].edges);
        self.interpreter.possible(&point.state, last)
    }

    /// What the next line may mean.
    fn next(&mut self, point: &Point) -> Vec<Point> {
        let line = self.lines[point.position];
        let mut level = vec![point.clone()];
        for _ in 0..MOST_SILENT {
            let mut found = Vec::new();
            let mut silent = Vec::new();
            for point in &level {
                for one in self.possible(point) {
                    if let Some(taken) = self.taken(&one, point.position) {
                        found.push(self.make(point, one, taken));
                    } else if self.is_silent(&one, Some(line.process)) && one.outcome.is_ok() {
                        silent.push(self.make(point, one, 0));
                    }
                }
            }
            if !found.is_empty() || silent.is_empty() {
                // A failing statement is the last; where it may be, it is meant.
                found.sort_by_key(|point| !point.failed);
                return found;
            }
            level = silent;
        }
        Vec::new()
    }

    /// How many lines from `position` on are this move.
    fn taken(&self, one: &Possible, position: usize) -> Option<usize> {
        let lines = self.lines.get(position..position + one.edges.len())?;
        let network = self.interpreter.network();
        let same = |(edge, line): (&EdgeRef, &Line)| {
            network.processes[edge.process.index()].code == Some(line.process)
                && network.edge(*edge).code == Some(line.statement)
        };
        let last = position + lines.len() == self.lines.len();
        let fits = one.edges.iter().zip(lines).all(same) && (one.outcome.is_ok() || last);
        fits.then_some(lines.len())
    }

    /// Whether a move may have no line; `of` names the process that may go on
    /// where statements were merged (none: any).
    fn is_silent(&self, one: &Possible, of: Option<u32>) -> bool {
        let [edge] = one.edges[..] else { return false };
        let network = self.interpreter.network();
        let taken = network.edge(edge);
        let code = network.processes[edge.process.index()].code;
        let ends = taken.branches[edge.branch as usize].target == Target::End;
        match taken.code {
            None => true,
            Some(_) => self.merged && !ends && (!one.begins || of.is_none() || code == of),
        }
    }

    fn make(&mut self, point: &Point, one: Possible, lines: usize) -> Point {
        let (state, failed) = match one.outcome {
            Ok(state) => (state, false),
            Err(_) => (point.state.clone(), true),
        };
        self.moves.push(Made { edges: one.edges, begins: one.begins, before: point.moved });
        let (position, moved) = (point.position + lines, Some(self.moves.len() - 1));
        Point { state, position, moved, failed }
    }

    /// Behind the last line: what has no line happens until something is
    /// wrong, or at least until nobody holds control.
    fn settle(&mut self, end: Point) -> Point {
        let mut known = BTreeSet::new();
        let mut rests = None;
        let mut queue = vec![end];
        let mut next = 0;
        while let Some(point) = queue.get(next).cloned() {
            next += 1;
            let moves = self.possible(&point);
            let between = moves.iter().all(|one| one.begins);
            if between && (point.failed || self.interpreter.is_deadlock(&point.state)) {
                return point;
            }
            if between && rests.is_none() {
                rests = Some(point.clone());
            }
            for one in moves {
                // A sequence that has begun is always brought to its end.
                if (!one.begins || self.is_silent(&one, None)) && queue.len() < MOST_BEHIND {
                    let edges = one.edges.clone();
                    let made = self.make(&point, one, 0);
                    if made.failed {
                        return made;
                    }
                    // Who holds control depends on the last edges.
                    if known.insert((made.state.clone(), edges)) {
                        queue.push(made);
                    }
                }
            }
        }
        rests.unwrap_or_else(|| queue.swap_remove(0))
    }

    fn trace(&self, last: Option<usize>) -> Trace {
        let mut made = Vec::new();
        let mut at = last;
        while let Some(index) = at {
            made.push(&self.moves[index]);
            at = self.moves[index].before;
        }
        let mut steps: Vec<Step> = Vec::new();
        for one in made.into_iter().rev() {
            match steps.last_mut() {
                Some(step) if !one.begins => step.then.push(one.edges.clone()),
                _ => steps.push(Step::new(one.edges.clone())),
            }
        }
        Trace::new(steps)
    }

    /// Why a line does not fit.
    fn misfit(&self, state: &State, line: Line) -> String {
        let network = self.interpreter.network();
        let number = line.process;
        let running = network
            .system_processes()
            .find(|(id, process)| process.code == Some(number) && state.location(*id).is_some());
        let Some((id, process)) = running else {
            return format!(
                "there is no process {number} here; was the trail made from another model?"
            );
        };
        let location = state.location(id).map(|at| process.locations[at.index()].span);
        let line_of = |span| network.sources.position(span).line;
        let at = location.map_or(0, line_of);
        let edge = process.edges.iter().find(|edge| edge.code == Some(line.statement));
        let statement = match edge {
            Some(edge) => {
                let text = one_line(network.sources.text(edge.span));
                format!("`{text}` (statement {}, line {})", line.statement, line_of(edge.span))
            }
            None => format!("statement {}, which is none of its own", line.statement),
        };
        format!(
            "process {number} ({}) is at line {at} and cannot execute {statement} here; \
             was the trail made from another model, or with other options?",
            process.name
        )
    }
}
