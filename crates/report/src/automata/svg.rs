//! Automata as SVG. The same model always gives the same bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use homing_ir::Network;
use homing_ir::network::Urgency;

use super::layout::layers;
use super::{Automaton, Node, automata};
use crate::plot::escaped;

/// The width of a letter, about, and the height of a line.
const LETTER: f64 = 6.4;
const LINE: f64 = 13.0;
/// Between drawings, and around them.
const MARGIN: f64 = 40.0;
/// How far lines between the same nodes are apart.
const APART: f64 = 36.0;

/// The processes of a model as a picture, one below the other. Initial
/// locations have a double border, urgent ones a dashed and committed ones a
/// thick border.
pub fn svg(network: &Network) -> String {
    let mut picture = Picture { body: String::new(), left: 0.0, right: 0.0, height: MARGIN };
    for automaton in automata(network) {
        picture.automaton(&automaton);
    }
    let left = (picture.left - MARGIN / 2.0).floor();
    let width = (picture.right - left + MARGIN / 2.0).ceil();
    let height = picture.height.ceil();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left:.0} 0 {width:.0} {height:.0}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect x=\"{left:.0}\" y=\"0\" width=\"{width:.0}\" height=\"{height:.0}\" \
         fill=\"white\"/>\n{}</svg>\n",
        picture.body
    )
}

/// A point.
type Point = (f64, f64);

/// A node's place and size.
#[derive(Clone, Copy)]
struct Shape {
    middle: Point,
    width: f64,
    height: f64,
    /// Its layer, and its number in that.
    rank: usize,
    column: usize,
}

impl Shape {
    /// Where a line from its middle towards `to` leaves it.
    fn border(&self, to: Point) -> Point {
        let (dx, dy) = (to.0 - self.middle.0, to.1 - self.middle.1);
        let across = (self.width / 2.0) / dx.abs().max(1e-9);
        let along = (self.height / 2.0) / dy.abs().max(1e-9);
        let scale = across.min(along).min(1.0);
        (self.middle.0 + dx * scale, self.middle.1 + dy * scale)
    }
}

/// How wide lines are.
fn width<'a>(lines: impl IntoIterator<Item = &'a String>) -> f64 {
    let longest = lines.into_iter().map(|line| line.chars().count()).max().unwrap_or(0);
    longest as f64 * LETTER
}

struct Picture {
    body: String,
    /// How far to the left and right something is drawn.
    left: f64,
    right: f64,
    /// Where the next drawing begins.
    height: f64,
}

impl Picture {
    fn automaton(&mut self, automaton: &Automaton) {
        self.text((MARGIN, self.height), "start", "bold", &automaton.title());
        let shapes = self.place(automaton);
        self.arrows(automaton, &shapes);
        for (at, node) in automaton.nodes.iter().enumerate() {
            self.node(node, shapes[at], at == automaton.initial);
        }
    }

    /// Gives every node a place below what is drawn already.
    fn place(&mut self, automaton: &Automaton) -> Vec<Shape> {
        let sizes: Vec<(f64, f64)> = automaton.nodes.iter().map(size).collect();
        let labels = automaton.arrows.iter().map(|arrow| &arrow.lines);
        let label_width = labels.clone().map(width).fold(0.0, f64::max);
        let label_lines = labels.map(Vec::len).max().unwrap_or(0);
        let column = sizes.iter().map(|size| size.0).fold(0.0, f64::max) + label_width + MARGIN;
        let row = sizes.iter().map(|size| size.1).fold(0.0, f64::max)
            + label_lines as f64 * LINE
            + MARGIN;
        let layers = layers(automaton);
        let widest = layers.iter().map(Vec::len).max().unwrap_or(1).max(1) as f64;
        let none = Shape { middle: (0.0, 0.0), width: 0.0, height: 0.0, rank: 0, column: 0 };
        let mut shapes = vec![none; automaton.nodes.len()];
        for (rank, layer) in layers.iter().enumerate() {
            let left = MARGIN + (widest - layer.len() as f64 + 1.0) * column / 2.0;
            for (at, &node) in layer.iter().enumerate() {
                let middle = (left + at as f64 * column, self.height + (rank as f64 + 0.7) * row);
                let (width, height) = sizes[node];
                shapes[node] = Shape { middle, width, height, rank, column: at };
            }
        }
        self.right = self.right.max(MARGIN + widest * column);
        self.height += (layers.len() as f64 + 0.2) * row + MARGIN;
        shapes
    }

    fn arrows(&mut self, automaton: &Automaton, shapes: &[Shape]) {
        // How many lines were drawn between two nodes, whichever the direction.
        let mut drawn: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for arrow in &automaton.arrows {
            let pair = (arrow.from.min(arrow.to), arrow.from.max(arrow.to));
            let count = drawn.entry(pair).or_default();
            let number = *count;
            *count += 1;
            let (from, to) = (shapes[arrow.from], shapes[arrow.to]);
            match arrow.from == arrow.to {
                true => self.loop_at(from, number, &arrow.lines),
                false => self.line(from, to, number, arrow.from > arrow.to, &arrow.lines),
            }
        }
    }

    /// A line, bent where it is not the first between its nodes or goes far.
    fn line(&mut self, from: Shape, to: Shape, number: usize, turned: bool, lines: &[String]) {
        let (dx, dy) = (to.middle.0 - from.middle.0, to.middle.1 - from.middle.1);
        let length = dx.hypot(dy).max(1.0);
        let far = around(from, to);
        // Lines between the same nodes lie to the left and right in turn; seen
        // from the other end left is right.
        let side = if number % 2 == usize::from(turned) { 1.0 } else { -1.0 };
        let bend = side * (number.div_ceil(2) as f64 * 2.0 * APART + far);
        let middle = ((from.middle.0 + to.middle.0) / 2.0, (from.middle.1 + to.middle.1) / 2.0);
        let control = (middle.0 - dy / length * bend, middle.1 + dx / length * bend);
        let (start, end) = (from.border(control), to.border(control));
        let _ = writeln!(
            self.body,
            "<path d=\"M{:.1} {:.1} Q{:.1} {:.1} {:.1} {:.1}\" fill=\"none\" stroke=\"#444444\"/>",
            start.0, start.1, control.0, control.1, end.0, end.1
        );
        self.head(control, end);
        // The curve's middle.
        let at = (
            (start.0 + 2.0 * control.0 + end.0) / 4.0 + 4.0,
            (start.1 + 2.0 * control.1 + end.1) / 4.0,
        );
        self.label(at, lines);
    }

    /// A loop to the right of a node, the next one around it.
    fn loop_at(&mut self, shape: Shape, number: usize, lines: &[String]) {
        let out = 30.0 + number as f64 * APART;
        let (x, y) = (shape.middle.0 + shape.width / 2.0, shape.middle.1);
        let high = (shape.height / 4.0).min(10.0);
        let _ = writeln!(
            self.body,
            "<path d=\"M{x:.1} {:.1} C{:.1} {:.1} {:.1} {:.1} {x:.1} {:.1}\" fill=\"none\" \
             stroke=\"#444444\"/>",
            y - high,
            x + out,
            y - high - out,
            x + out,
            y + high + out,
            y + high
        );
        self.head((x + out, y + high + out), (x, y + high));
        let down = number as f64 * LINE * (lines.len() as f64 + 0.5);
        self.label((x + out * 0.75 + 4.0, y + down), lines);
    }

    /// The head of an arrow that comes from `from` and ends at `at`.
    fn head(&mut self, from: Point, at: Point) {
        let (dx, dy) = (at.0 - from.0, at.1 - from.1);
        let length = dx.hypot(dy).max(1e-9);
        let (dx, dy) = (dx / length, dy / length);
        let base = (at.0 - 8.0 * dx, at.1 - 8.0 * dy);
        let _ = writeln!(
            self.body,
            "<path d=\"M{:.1} {:.1} L{:.1} {:.1} L{:.1} {:.1} z\"/>",
            at.0,
            at.1,
            base.0 - 3.5 * dy,
            base.1 + 3.5 * dx,
            base.0 + 3.5 * dy,
            base.1 - 3.5 * dx
        );
    }

    fn label(&mut self, at: Point, lines: &[String]) {
        self.left = self.left.min(at.0 - 4.0);
        self.right = self.right.max(at.0 + width(lines));
        let top = at.1 - (lines.len() as f64 - 1.0) * LINE / 2.0 + 4.0;
        for (number, line) in lines.iter().enumerate() {
            self.text((at.0, top + number as f64 * LINE), "start", "normal", line);
        }
    }

    fn node(&mut self, node: &Node, shape: Shape, initial: bool) {
        let (dashes, thick) = match node.urgency {
            Urgency::None => ("", 1.0),
            Urgency::Urgent => (" stroke-dasharray=\"4 3\"", 1.0),
            Urgency::Committed => ("", 3.0),
        };
        let fill = if node.marked { "#eeeeee" } else { "white" };
        self.rectangle(shape, 0.0, &format!("fill=\"{fill}\" stroke-width=\"{thick}\"{dashes}"));
        if initial {
            self.rectangle(shape, 3.0, "fill=\"none\" stroke-width=\"1\"");
        }
        let count = node.lines.len() as f64;
        let top = shape.middle.1 - count * LINE / 2.0 + 4.0;
        self.text((shape.middle.0, top), "middle", "bold", &node.name);
        for (number, line) in node.lines.iter().enumerate() {
            let at = (shape.middle.0, top + (number as f64 + 1.0) * LINE);
            self.text(at, "middle", "normal", line);
        }
    }

    fn rectangle(&mut self, shape: Shape, inner: f64, style: &str) {
        let (x, y) = (
            shape.middle.0 - shape.width / 2.0 + inner,
            shape.middle.1 - shape.height / 2.0 + inner,
        );
        let _ = writeln!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{:.0}\" \
             stroke=\"black\" {style}/>",
            shape.width - 2.0 * inner,
            shape.height - 2.0 * inner,
            12.0 - inner
        );
    }

    fn text(&mut self, at: Point, anchor: &str, weight: &str, text: &str) {
        let _ = writeln!(
            self.body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" font-weight=\"{weight}\">{}</text>",
            at.0,
            at.1,
            escaped(text)
        );
    }
}

/// How far a line must bend to pass by the nodes between two: where it crosses
/// the first of n - 1 layers between, at 1/n of its way, a curve is as far from
/// the straight line as 2 (1/n) (1 - 1/n) of its bend.
fn around(from: Shape, to: Shape) -> f64 {
    let (ranks, size) = match from.rank.abs_diff(to.rank) {
        0 => (from.column.abs_diff(to.column), from.height.max(to.height)),
        ranks => (ranks, from.width.max(to.width)),
    };
    if ranks <= 1 {
        return 0.0;
    }
    let part = 1.0 / ranks as f64;
    (size / 2.0 + 24.0) / (2.0 * part * (1.0 - part))
}

/// The size of a node.
fn size(node: &Node) -> (f64, f64) {
    let name = node.name.chars().count() as f64 * (LETTER + 0.8);
    let wide = name.max(width(&node.lines)) + 24.0;
    (wide.max(56.0), (node.lines.len() as f64 + 1.0) * LINE + 16.0)
}
