//! What the default does on every model, and whether the paper's best is beaten.

use super::Results;
use super::page::{count, seconds};
use super::published::{AUTO, Column, Printed};
use super::runs::Cell;

/// The columns of [`cells`].
pub const HEADS: [&str; 3] = ["default", "seconds", "best beaten"];

/// The default's run on a model, where it was made.
pub fn default_on<'a>(all: &'a [Results], model: &str) -> Option<&'a Cell> {
    // The papers call the same family C and S.
    let model = model.replacen('C', "S", 1);
    let made = all.iter().filter(|results| results.experiment.key == AUTO.key);
    let mut rows = made.flat_map(|results| &results.rows);
    rows.find(|(name, ..)| *name == model).and_then(|(_, _, cells)| cells.first())
}

/// States and seconds of the default on a model, and who beats the paper's best.
pub fn cells(
    default: Option<&Cell>,
    columns: &[Column],
    printed: &[Printed],
    ours: &[Cell],
) -> [String; 3] {
    let explored = |cell: &Cell| cell.mean(|run| run.explored);
    let shown = |value: Option<f64>, how: fn(f64) -> String| match default {
        Some(_) => value.map_or("–".into(), how),
        None => String::new(),
    };
    [
        shown(default.and_then(explored), count),
        shown(default.and_then(|cell| cell.mean(|run| run.seconds)), seconds),
        beaten(default, columns, printed, ours).unwrap_or_default(),
    ]
}

/// Whether the fewest explored states that the paper printed are more than the default's: `yes`;
/// or than those of one of our configurations: its name; nothing where the paper has no such
/// row. What nobody found in the paper is beaten by whoever finds it.
fn beaten(
    default: Option<&Cell>,
    columns: &[Column],
    printed: &[Printed],
    ours: &[Cell],
) -> Option<String> {
    let mut figures = printed.iter().filter_map(|one| one.explored).peekable();
    figures.peek()?;
    let best = figures.filter_map(|text| text.parse::<f64>().ok()).reduce(f64::min);
    let beats = |cell: &Cell| {
        let found = cell.mean(|run| run.explored).filter(|_| cell.solved());
        found.is_some_and(|explored| best.is_none_or(|best| explored < best))
    };
    if default.is_some_and(beats) {
        return Some("yes".into());
    }
    let mut winners = columns.iter().zip(ours).filter(|(_, cell)| beats(cell));
    Some(winners.next().map_or("no".into(), |(column, _)| format!("by {}", column.name)))
}

#[cfg(test)]
mod tests {
    use super::super::runs::Run;
    use super::*;

    const COLUMNS: &[Column] = &[
        Column { name: "FSM", strategy: "greedy(fsm-sum)", seeds: 1 },
        Column { name: "N = 50", strategy: "greedy(abstraction(states=50))", seeds: 1 },
    ];

    fn found(explored: f64) -> Cell {
        let length = Some(3.0);
        Cell::Made(vec![Run { explored, seconds: 0.5, command: 0.6, length, queues: None }])
    }

    fn printed(figures: [&'static str; 2]) -> Vec<Printed> {
        let one = |explored| Printed { explored: Some(explored), ..Printed::default() };
        figures.map(one).to_vec()
    }

    fn mark(default: &Cell, figures: [&'static str; 2], ours: [Cell; 2]) -> String {
        cells(Some(default), COLUMNS, &printed(figures), &ours)[2].clone()
    }

    #[test]
    fn the_papers_best_is_the_least_it_printed() {
        let none = || [Cell::LeftOut, Cell::LeftOut];
        assert_eq!(mark(&found(99.0), ["1.0e2", "4000"], none()), "yes");
        assert_eq!(mark(&found(100.0), ["1.0e2", "4000"], none()), "no");
        assert_eq!(mark(&found(500.0), ["*", "4000"], none()), "yes");
        assert_eq!(mark(&Cell::LeftOut, ["**", "*"], none()), "no");
        // Where nobody found it, whoever does beats the paper.
        assert_eq!(mark(&found(1e9), ["**", "*"], none()), "yes");
    }

    #[test]
    fn a_configuration_that_beats_it_is_named_where_the_default_does_not() {
        let ours = || [found(300.0), found(50.0)];
        assert_eq!(mark(&found(200.0), ["100", "4000"], ours()), "by N = 50");
        assert_eq!(mark(&found(20.0), ["100", "4000"], ours()), "yes");
        let failed = Run { explored: 5.0, seconds: 1.0, command: 1.0, length: None, queues: None };
        let some = match found(50.0) {
            Cell::Made(runs) => Cell::Made([runs, vec![failed]].concat()),
            other => other,
        };
        // Found in some runs only.
        assert_eq!(mark(&found(200.0), ["100", "4000"], [found(300.0), some]), "no");
    }

    #[test]
    fn a_row_that_the_paper_does_not_have_has_no_mark() {
        let nothing = vec![Printed::default(); 2];
        let ours = [found(1.0), found(2.0)];
        let told = cells(Some(&found(7.0)), COLUMNS, &nothing, &ours);
        assert_eq!(told, ["7", "0.50", ""]);
        assert_eq!(cells(None, COLUMNS, &nothing, &ours), ["", "", ""]);
        assert_eq!(cells(Some(&Cell::LeftOut), COLUMNS, &nothing, &ours), ["–", "–", ""]);
    }

    #[test]
    fn the_line_segment_has_two_names() {
        let rows = vec![("S4", vec![Printed::default()], vec![found(7.0)])];
        let all = [Results { experiment: &AUTO, rows }];
        assert_eq!(default_on(&all, "C4"), Some(&found(7.0)));
        assert_eq!(default_on(&all, "S4"), Some(&found(7.0)));
        assert_eq!(default_on(&all, "S5"), None);
    }
}
