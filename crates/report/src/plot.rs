//! Line plots as SVG: what the manual and the benchmarks show.
//!
//! A few lines over two axes is all that is asked for, so this is written out
//! here rather than taken from a library of plots. The same data always gives
//! the same bytes.

use std::fmt::Write as _;

/// A picture of lines over two axes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plot {
    /// Above the picture.
    pub title: String,
    /// Below the horizontal axis.
    pub x: String,
    /// Beside the vertical axis.
    pub y: String,
    /// How heights are drawn.
    pub scale: Scale,
    /// The lines, in the order of the legend.
    pub lines: Vec<Line>,
}

/// How the heights of a plot are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scale {
    /// As they are, from zero.
    #[default]
    Linear,
    /// By their logarithm, from one; what is less is left out.
    Logarithmic,
}

/// One line of a plot.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Line {
    /// What the legend calls it.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Whether it is there for comparison: grey and dashed.
    pub reference: bool,
}

impl Line {
    /// A line through these points.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Line {
        Line { name: name.into(), points, reference: false }
    }

    /// Drawn grey and dashed.
    pub fn as_reference(mut self) -> Line {
        self.reference = true;
        self
    }
}

/// Colours that those who see few colours tell apart (Okabe and Ito 2008).
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
const REFERENCE: &str = "#888888";

const WIDTH: f64 = 640.0;
/// The frame between the axes.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 624.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 340.0;
/// The first line of the legend, and the distance between its lines.
const LEGEND: f64 = 396.0;
const LEGEND_STEP: f64 = 18.0;
/// Of lines with more points than this, the points are not marked.
const MOST_MARKS: usize = 80;

impl Plot {
    /// The picture.
    pub fn svg(&self) -> String {
        let frame = Frame::around(self);
        let height = LEGEND + LEGEND_STEP * self.lines.len() as f64;
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
             width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">"
        );
        let _ = writeln!(out, "<title>{}</title>", escaped(&self.title));
        let _ = writeln!(out, "<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>");
        self.axes(&frame, &mut out);
        let mut colours = COLOURS.iter().cycle();
        for (i, line) in self.lines.iter().enumerate() {
            let colour = match line.reference {
                true => REFERENCE,
                false => colours.next().unwrap_or(&REFERENCE),
            };
            draw(line, colour, &frame, &mut out);
            legend(line, colour, LEGEND + LEGEND_STEP * i as f64, &mut out);
        }
        out.push_str("</svg>\n");
        out
    }

    fn axes(&self, frame: &Frame, out: &mut String) {
        for tick in frame.x.ticks() {
            let x = frame.across(tick);
            grid(out, (x, TOP), (x, BOTTOM));
            text(out, (x, BOTTOM + 18.0), "middle", &number(tick));
        }
        for tick in frame.y.ticks() {
            let y = frame.up(tick);
            grid(out, (LEFT, y), (RIGHT, y));
            text(out, (LEFT - 8.0, y + 4.0), "end", &number(frame.y.value(tick)));
        }
        let (width, height) = (RIGHT - LEFT, BOTTOM - TOP);
        let _ = writeln!(
            out,
            "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{width}\" height=\"{height}\" fill=\"none\" \
             stroke=\"#444444\"/>"
        );
        let (middle, half) = ((LEFT + RIGHT) / 2.0, (TOP + BOTTOM) / 2.0);
        text(out, (middle, TOP - 14.0), "middle", &self.title);
        text(out, (middle, BOTTOM + 36.0), "middle", &self.x);
        let _ = writeln!(
            out,
            "<text x=\"16\" y=\"{half}\" text-anchor=\"middle\" \
             transform=\"rotate(-90 16 {half})\">{}</text>",
            escaped(&self.y)
        );
    }
}

/// The part of the plane that is shown.
struct Frame {
    x: Axis,
    y: Axis,
}

/// The stretch of an axis that is shown; of a logarithmic one, in logarithms.
struct Axis {
    from: f64,
    to: f64,
    scale: Scale,
}

impl Frame {
    fn around(plot: &Plot) -> Frame {
        let points = || plot.lines.iter().flat_map(|line| &line.points);
        let finite = |values: Vec<f64>| values.into_iter().filter(|value| value.is_finite());
        let xs = finite(points().map(|(x, _)| *x).collect());
        let from = xs.clone().fold(f64::INFINITY, f64::min);
        let to = xs.fold(f64::NEG_INFINITY, f64::max);
        let x = match from <= to {
            true => Axis { from: from.min(0.0), to, scale: Scale::Linear }.rounded(),
            false => Axis { from: 0.0, to: 1.0, scale: Scale::Linear },
        };
        let y = Axis { from: 0.0, to: 0.0, scale: plot.scale };
        let ys = finite(points().filter_map(|(_, height)| y.place(*height)).collect());
        let (low, high) = ys.fold((0.0, 0.0), |(a, b): (f64, f64), y| (a.min(y), b.max(y)));
        Frame { x, y: Axis { from: low, to: high, ..y }.rounded() }
    }

    fn across(&self, x: f64) -> f64 {
        LEFT + (x - self.x.from) / (self.x.to - self.x.from) * (RIGHT - LEFT)
    }

    fn up(&self, y: f64) -> f64 {
        BOTTOM - (y - self.y.from) / (self.y.to - self.y.from) * (BOTTOM - TOP)
    }
}

impl Axis {
    /// Where a value lies on the axis; nowhere where its logarithm would be
    /// negative.
    fn place(&self, value: f64) -> Option<f64> {
        match self.scale {
            Scale::Linear => Some(value),
            Scale::Logarithmic => (value >= 1.0).then(|| value.log10()),
        }
    }

    /// The value at a place.
    fn value(&self, place: f64) -> f64 {
        match self.scale {
            Scale::Linear => place,
            Scale::Logarithmic => 10f64.powf(place),
        }
    }

    /// Up to the next tick, and never empty.
    fn rounded(mut self) -> Axis {
        self.to = self.to.max(self.from + f64::from(u8::from(self.to <= self.from)));
        let step = self.step();
        self.from = (self.from / step).floor() * step;
        self.to = (self.to / step).ceil() * step;
        self
    }

    /// The distance of ticks: 1, 2 or 5 times a power of ten, for about eight.
    fn step(&self) -> f64 {
        let rough = (self.to - self.from) / 8.0;
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|one| one * power);
        let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(10.0 * power);
        match self.scale {
            Scale::Linear => step,
            Scale::Logarithmic => step.max(1.0),
        }
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let step = self.step();
        let first = (self.from / step).round() as i64;
        let last = (self.to / step).round() as i64;
        (first..=last).map(move |i| i as f64 * step)
    }
}

/// Draws a line, and its points where they are few. What lies outside the
/// plane interrupts it.
fn draw(line: &Line, colour: &str, frame: &Frame, out: &mut String) {
    let place = |(x, y): &(f64, f64)| {
        let height = frame.y.place(*y)?;
        (x.is_finite() && height.is_finite()).then(|| (frame.across(*x), frame.up(height)))
    };
    let places: Vec<Option<(f64, f64)>> = line.points.iter().map(place).collect();
    let dashes = if line.reference { " stroke-dasharray=\"6 4\"" } else { "" };
    for stretch in places.split(Option::is_none) {
        let stretch: Vec<(f64, f64)> = stretch.iter().flatten().copied().collect();
        if stretch.len() > 1 {
            let points: Vec<String> =
                stretch.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = writeln!(
                out,
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dashes} \
                 points=\"{}\"/>",
                points.join(" ")
            );
        }
    }
    if !line.reference && line.points.len() <= MOST_MARKS {
        for (x, y) in places.iter().flatten() {
            let _ =
                writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{colour}\"/>");
        }
    }
}

fn legend(line: &Line, colour: &str, y: f64, out: &mut String) {
    let dashes = if line.reference { " stroke-dasharray=\"6 4\"" } else { "" };
    let (from, to) = (LEFT, LEFT + 28.0);
    let _ = writeln!(
        out,
        "<line x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\" stroke=\"{colour}\" \
         stroke-width=\"1.8\"{dashes}/>"
    );
    text(out, (to + 8.0, y + 4.0), "start", &line.name);
}

fn grid(out: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        out,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#e4e4e4\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn text(out: &mut String, at: (f64, f64), anchor: &str, text: &str) {
    let text = escaped(text);
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{text}</text>",
        at.0, at.1
    );
}

/// A tick's value without needless digits.
fn number(value: f64) -> String {
    // Minus zero, and what adding up steps leaves of zero.
    let value = if value.abs() < 1e-9 { 0.0 } else { value };
    if value.abs() >= 1e6 {
        return format!("{value:e}");
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: &[(f64, f64)]) -> Plot {
        let lines = vec![Line::new("a < b & 'c'", points.to_vec())];
        Plot { title: "title".into(), x: "x".into(), y: "y".into(), lines, ..Plot::default() }
    }

    /// The points of the first line drawn.
    fn drawn(svg: &str) -> Vec<(f64, f64)> {
        let Some((_, rest)) = svg.split_once(" points=\"") else { return Vec::new() };
        let (points, _) = rest.split_once('"').unwrap();
        let pair = |point: &str| {
            let (x, y) = point.split_once(',').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        };
        points.split(' ').map(pair).collect()
    }

    #[test]
    fn the_plane_is_filled() {
        let svg = plot(&[(0.0, 0.0), (10.0, 20.0)]).svg();
        assert_eq!(drawn(&svg), [(LEFT, BOTTOM), (RIGHT, TOP)]);
        assert!(svg.contains("a &lt; b &amp; 'c'"), "{svg}");
    }

    #[test]
    fn ticks_are_round_numbers_around_the_data() {
        let axis = Axis { from: 0.0, to: 22.0, scale: Scale::Linear }.rounded();
        assert_eq!(axis.ticks().collect::<Vec<_>>(), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0]);
        let axis = Axis { from: 0.0, to: 0.77, scale: Scale::Linear }.rounded();
        let ticks: Vec<String> = axis.ticks().map(number).collect();
        assert_eq!(ticks, ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8"]);
    }

    #[test]
    fn logarithms_make_equal_steps_of_equal_factors() {
        let mut plot = plot(&[(0.0, 1.0), (1.0, 10.0), (2.0, 100.0)]);
        plot.scale = Scale::Logarithmic;
        let heights: Vec<f64> = drawn(&plot.svg()).into_iter().map(|(_, y)| y).collect();
        assert!((heights[0] - heights[1] - (heights[1] - heights[2])).abs() < 0.2, "{heights:?}");
        assert!(plot.svg().contains(">100<"));
    }

    #[test]
    fn nothing_to_draw_is_an_empty_plane() {
        for points in [&[][..], &[(f64::NAN, 1.0)], &[(0.0, f64::INFINITY)], &[(3.0, 3.0)]] {
            let svg = plot(points).svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{points:?}: {svg}");
            assert!(svg.ends_with("</svg>\n"));
        }
        assert!(!Plot::default().svg().contains("NaN"));
    }

    #[test]
    fn holes_interrupt_a_line() {
        let points = [(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 2.0), (4.0, 1.0)];
        assert_eq!(plot(&points).svg().matches("<polyline").count(), 2);
    }
}
