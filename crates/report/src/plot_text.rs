//! Line plots as text, for terminals: a cell is marked by the number of the line in it.

use std::fmt::Write as _;

use crate::plot::Plot;

/// The cells of a chart.
const WIDTH: usize = 60;
const HEIGHT: usize = 10;

/// The plot in characters; nothing where there is nothing to draw. A line is marked by its
/// position among the lines, from 1, the first one on top.
pub fn chart(plot: &Plot) -> String {
    let finite = |(x, y): &&(f64, f64)| x.is_finite() && y.is_finite();
    let points = || plot.lines.iter().flat_map(|line| line.points.iter().filter(finite));
    let (right, top) =
        points().fold((0.0, 0.0), |(right, top): (f64, f64), (x, y)| (right.max(*x), top.max(*y)));
    if points().next().is_none() {
        return String::new();
    }
    let place = |value: f64, most: f64, cells: usize| match most > 0.0 {
        true => ((value / most) * (cells - 1) as f64).round() as usize,
        false => 0,
    };
    let mut cells = vec![[' '; WIDTH]; HEIGHT];
    for (number, line) in plot.lines.iter().enumerate().rev() {
        let mark = char::from_digit(number as u32 + 1, 36).unwrap_or('*');
        let places: Vec<(usize, usize)> = line
            .points
            .iter()
            .filter(finite)
            .map(|(x, y)| (place(*x, right, WIDTH), place(*y, top, HEIGHT)))
            .collect();
        for pair in places.windows(2) {
            between(pair[0], pair[1], |x, y| cells[HEIGHT - 1 - y][x] = mark);
        }
        places.iter().for_each(|(x, y)| cells[HEIGHT - 1 - y][*x] = mark);
    }
    drawn(plot, &cells, right, top)
}

/// The cells of a line that is level but for its end.
fn between((x, y): (usize, usize), (to, end): (usize, usize), mut mark: impl FnMut(usize, usize)) {
    (x..=to.max(x)).for_each(|x| mark(x, y));
    (y.min(end)..=y.max(end)).for_each(|y| mark(to, y));
}

fn drawn(plot: &Plot, cells: &[[char; WIDTH]], right: f64, top: f64) -> String {
    let mut out = String::new();
    let labels = |row: usize| match row {
        0 => format!("{top}"),
        row if row + 1 == HEIGHT => "0".into(),
        _ => String::new(),
    };
    let margin = labels(0).len();
    let _ = writeln!(out, "{}", plot.y);
    for (row, cells) in cells.iter().enumerate() {
        let text: String = cells.iter().collect();
        let _ = writeln!(out, "{:>margin$} |{}", labels(row), text.trim_end());
    }
    let _ = writeln!(out, "{:>margin$} +{}", "", "-".repeat(WIDTH));
    let below = format!("{right}");
    let space = WIDTH.saturating_sub(below.len() + 1);
    let _ = writeln!(out, "{:>margin$}  0{:>space$}{below}", "", format!("{}  ", plot.x));
    for line in &plot.lines {
        let _ = writeln!(out, "{:>margin$}  {}", "", line.name);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Line;

    fn plot(lines: &[&[(f64, f64)]]) -> Plot {
        let lines = lines.iter().map(|points| Line::new("name", points.to_vec())).collect();
        Plot { x: "across".into(), y: "up".into(), lines, ..Plot::default() }
    }

    #[test]
    fn a_line_falls_from_the_top_to_the_right() {
        let text = chart(&plot(&[&[(0.0, 18.0), (50.0, 18.0), (100.0, 0.0)]]));
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows[0], "up");
        assert!(rows[1].starts_with("18 |111") && rows[1].ends_with('1'), "{text}");
        assert_eq!(rows[10].find('1'), rows[1].rfind('1'), "{text}");
        assert!(rows[12].trim_start().starts_with("0 ") && rows[12].ends_with("across  100"));
        assert!(rows.iter().all(|row| row.len() <= WIDTH + 6), "{text}");
    }

    #[test]
    fn the_first_line_is_on_top_and_nothing_is_no_chart() {
        let same: &[(f64, f64)] = &[(0.0, 1.0), (1.0, 1.0)];
        let text = chart(&plot(&[same, same]));
        assert!(text.contains("111") && !text.contains('2'), "{text}");
        assert_eq!(chart(&plot(&[&[], &[(f64::NAN, 1.0)]])), "");
        assert!(chart(&plot(&[&[(0.0, 0.0)]])).contains('1'));
    }
}
