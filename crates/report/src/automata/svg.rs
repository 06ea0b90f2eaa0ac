//! Automata as SVG. The same model always gives the same bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

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

/// The height of a band in which what is drawn is looked up.
const BAND: f64 = 64.0;
/// How many half lines a label may be away from its arrow, counted both ways.
const MOST_AWAY: usize = 120;
/// Where along its arrow a label may be.
const ALONG: [f64; 7] = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74];

/// The processes of a model as a picture, one below the other. Initial
/// locations have a double border, urgent ones a dashed and committed ones a
/// thick border.
pub fn svg(network: &Network) -> String {
    let mut picture = Picture {
        body: String::new(),
        left: 0.0,
        right: 0.0,
        height: MARGIN,
        taken: Taken::default(),
    };
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

    fn area(&self) -> Area {
        let (x, y) = self.middle;
        Area {
            left: x - self.width / 2.0,
            top: y - self.height / 2.0,
            right: x + self.width / 2.0,
            bottom: y + self.height / 2.0,
        }
    }
}

/// A rectangle that is not empty.
#[derive(Clone, Copy, Debug)]
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    /// What lines of text take that begin at a point.
    fn of_text(at: Point, lines: &[String]) -> Area {
        let height = lines.len() as f64 * LINE;
        let top = at.1 - LINE + 3.0;
        Area { left: at.0, top, right: at.0 + width(lines), bottom: top + height }
    }

    fn overlaps(&self, other: &Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// What is drawn where, in bands of a picture, so that few must be looked at.
#[derive(Default)]
struct Taken {
    bands: BTreeMap<i64, Vec<Area>>,
}

impl Taken {
    fn bands(area: &Area) -> RangeInclusive<i64> {
        let band = |y: f64| (y / BAND).floor() as i64;
        band(area.top)..=band(area.bottom)
    }

    fn add(&mut self, area: Area) {
        for band in Taken::bands(&area) {
            self.bands.entry(band).or_default().push(area);
        }
    }

    fn is_free(&self, area: &Area) -> bool {
        let mut near = self.bands.range(Taken::bands(area)).flat_map(|(_, all)| all);
        !near.any(|other| other.overlaps(area))
    }
}

/// A point of a curve from its first point to its last, bent towards the second.
fn curve([start, control, end]: [Point; 3], t: f64) -> Point {
    let (a, b, c) = ((1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t);
    (a * start.0 + b * control.0 + c * end.0, a * start.1 + b * control.1 + c * end.1)
}

/// How wide lines are.
fn width<'a>(lines: impl IntoIterator<Item = &'a String>) -> f64 {
    let longest = lines.into_iter().map(|line| line.chars().count()).max().unwrap_or(0);
    longest as f64 * LETTER
}

/// A label that has no place yet: where it may be, the best first.
struct Label<'a> {
    lines: &'a [String],
    places: Vec<Point>,
}

struct Picture {
    body: String,
    /// How far to the left and right something is drawn.
    left: f64,
    right: f64,
    /// Where the next drawing begins.
    height: f64,
    /// Where something is written, or a node.
    taken: Taken,
}

impl Picture {
    fn automaton(&mut self, automaton: &Automaton) {
        let title = automaton.title();
        let top = self.height;
        self.taken.add(Area::of_text((MARGIN, top), std::slice::from_ref(&title)));
        self.text((MARGIN, top), "start", "bold", &title);
        let shapes = self.place(automaton);
        shapes.iter().for_each(|shape| self.taken.add(shape.area()));
        let labels = self.arrows(automaton, &shapes);
        for (at, node) in automaton.nodes.iter().enumerate() {
            self.node(node, shapes[at], at == automaton.initial);
        }
        labels.iter().for_each(|label| self.label(label, top));
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

    /// Draws the arrows; their labels come last, where nothing else is.
    fn arrows<'a>(&mut self, automaton: &'a Automaton, shapes: &[Shape]) -> Vec<Label<'a>> {
        // How many lines were drawn between two nodes, whichever the direction.
        let mut drawn: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut labels = Vec::new();
        for arrow in &automaton.arrows {
            let pair = (arrow.from.min(arrow.to), arrow.from.max(arrow.to));
            let count = drawn.entry(pair).or_default();
            let number = *count;
            *count += 1;
            let (from, to) = (shapes[arrow.from], shapes[arrow.to]);
            let places = match arrow.from == arrow.to {
                true => self.loop_at(from, number),
                false => self.line(from, to, number, arrow.from > arrow.to),
            };
            labels.push(Label { lines: &arrow.lines, places });
        }
        labels
    }

    /// A line, bent where it is not the first between its nodes or goes far. Its
    /// label goes beside a point of it, best its middle.
    fn line(&mut self, from: Shape, to: Shape, number: usize, turned: bool) -> Vec<Point> {
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
        ALONG.map(|t| curve([start, control, end], t)).to_vec()
    }

    /// A loop to the right of a node, the next one around it.
    fn loop_at(&mut self, shape: Shape, number: usize) -> Vec<Point> {
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
        vec![(x + out * 0.75, y)]
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

    /// Writes a label where nothing else is: to the right or left of a point of
    /// its arrow, or as little above or below as may be.
    fn label(&mut self, label: &Label, top: f64) {
        if label.lines.is_empty() {
            return;
        }
        let at = self.room_for(label, top);
        let area = Area::of_text(at, label.lines);
        self.taken.add(area);
        self.left = self.left.min(area.left - 4.0);
        self.right = self.right.max(area.right);
        self.height = self.height.max(area.bottom + MARGIN);
        for (number, line) in label.lines.iter().enumerate() {
            self.text((at.0, at.1 + number as f64 * LINE), "start", "normal", line);
        }
    }

    fn room_for(&self, label: &Label, top: f64) -> Point {
        let up = (label.lines.len() as f64 - 1.0) * LINE / 2.0 - 4.0;
        let left = width(label.lines) + 4.0;
        for away in 0..MOST_AWAY {
            // 0, 1, -1, 2, -2, … half lines away.
            let side = if away % 2 == 0 { -0.5 } else { 0.5 };
            let shift = (away as f64 / 2.0).ceil() * side * LINE;
            for &(x, y) in &label.places {
                for x in [x + 4.0, x - left] {
                    let at = (x, y - up + shift);
                    let area = Area::of_text(at, label.lines);
                    if area.top > top && self.taken.is_free(&area) {
                        return at;
                    }
                }
            }
        }
        // Below everything there is room.
        let x = label.places.first().map_or(MARGIN, |place| place.0);
        (x, self.height + LINE)
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
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" font-weight=\"{weight}\" \
             stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
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
