//! A model written in Rust: the eight-puzzle, solved by A* with the Manhattan distance.
//!
//!     cargo run --release --example tiles -- 8 6 7 2 5 4 3 0 1 --strategy 'astar(own)'
//!
//! The nine numbers are the tiles row by row, 0 for the gap; without, a board that takes 27
//! steps.
#![allow(clippy::print_stdout)]

use homing::Limits;
use homing::typed::{Claims, Cost, TypedModel, Word, search};

/// The tiles row by row, 0 for the gap.
type Board = [u8; 9];

struct Puzzle {
    start: Board,
}

const SOLVED: Board = [0, 1, 2, 3, 4, 5, 6, 7, 8];

impl TypedModel for Puzzle {
    type State = Board;

    fn width(&self) -> usize {
        1
    }

    fn pack(&self, state: &Board, words: &mut [Word]) {
        words[0] = state.iter().fold(0, |word, tile| word << 4 | Word::from(*tile));
    }

    fn unpack(&self, words: &[Word]) -> Board {
        std::array::from_fn(|at| (words[0] >> (4 * (8 - at)) & 15) as u8)
    }

    fn initial(&self) -> Board {
        self.start
    }

    /// A step is named by the tile that slides.
    fn steps(&self, state: &Board, step: &mut dyn FnMut(u32, Board)) {
        let gap = state.iter().position(|tile| *tile == 0).unwrap_or(0);
        let (row, column) = (gap / 3, gap % 3);
        let up = (row > 0).then(|| gap - 3);
        let down = (row < 2).then(|| gap + 3);
        let left = (column > 0).then(|| gap - 1);
        let right = (column < 2).then(|| gap + 1);
        for tile in [up, down, left, right].into_iter().flatten() {
            let mut next = *state;
            next.swap(gap, tile);
            step(state[tile].into(), next);
        }
    }

    fn is_goal(&self, state: &Board) -> bool {
        *state == SOLVED
    }

    /// How far every tile is from its place: no step brings more than one nearer, by one.
    fn estimate(&self, state: &Board) -> Cost {
        let away = |(at, tile): (usize, &u8)| {
            let place = usize::from(*tile);
            (at / 3).abs_diff(place / 3) + (at % 3).abs_diff(place % 3)
        };
        let tiles = state.iter().enumerate().filter(|(_, tile)| **tile != 0);
        tiles.map(away).sum::<usize>() as Cost
    }

    fn claims(&self) -> Claims {
        Claims { admissible: true, consistent: true }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut strategy = String::from("astar(own)");
    let mut start = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--strategy" => strategy = arguments.next().ok_or("--strategy needs a name")?,
            tile => start.push(tile.parse::<u8>()?),
        }
    }
    let start: Board = match start.is_empty() {
        true => [8, 6, 7, 2, 5, 4, 3, 0, 1],
        false => start.try_into().map_err(|_| "there are nine places")?,
    };
    let mut sorted = start;
    sorted.sort_unstable();
    if sorted != SOLVED {
        return Err("every tile from 0 to 8 stands on one place".into());
    }
    let answer = search(&Puzzle { start }, &strategy, None, &Limits::default())?;
    let progress = answer.statistics.progress;
    match (&answer.run, &answer.unfinished) {
        (Some(run), _) => {
            let tiles: Vec<String> = run.iter().map(|(tile, _)| tile.to_string()).collect();
            let shortest = if answer.optimal { " (shortest)" } else { "" };
            println!("solved in {} steps{shortest}: {}", run.len(), tiles.join(" "));
        }
        (None, Some(why)) => println!("not known: {why}"),
        (None, None) => println!("it cannot be solved: all states were searched"),
    }
    println!("{} states stored, {} expanded", progress.stored, progress.expanded);
    Ok(())
}
