//! Compared with Fourier and Motzkin's elimination, which is short and slow.

use super::*;

/// SplitMix64: the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % bound
    }
}

/// `Σ factor·x ≤ bound`, or `<`, all variables not negative.
type Row = (Vec<i64>, i64, bool);

fn solved(variables: usize, rows: &[Row]) -> Option<(Vec<i64>, i64)> {
    let mut simplex = Simplex::new(variables);
    for (factors, bound, strict) in rows {
        simplex.at_most(&factors.iter().copied().enumerate().collect(), *bound, *strict);
    }
    simplex.solve(variables)
}

fn satisfies(rows: &[Row], (values, unit): &(Vec<i64>, i64)) -> bool {
    values.iter().all(|value| *value >= 0)
        && rows.iter().all(|(factors, bound, strict)| {
            let sum: i64 = factors.iter().zip(values).map(|(factor, value)| factor * value).sum();
            if *strict { sum < bound * unit } else { sum <= bound * unit }
        })
}

/// Whether there is a solution: variables are eliminated one after the other.
fn feasible(variables: usize, rows: &[Row]) -> bool {
    let negative = |at: usize| {
        let factors = (0..variables).map(|i| -i64::from(i == at)).collect();
        (factors, 0, false)
    };
    let mut rows: Vec<Row> = rows.iter().cloned().chain((0..variables).map(negative)).collect();
    for at in 0..variables {
        let (above, rest): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.0[at] > 0);
        let (below, mut kept): (Vec<Row>, Vec<Row>) =
            rest.into_iter().partition(|row| row.0[at] < 0);
        for (high, most, strict) in &above {
            for (low, least, also) in &below {
                let (a, b) = (-low[at], high[at]);
                let factors = high.iter().zip(low).map(|(high, low)| a * high + b * low).collect();
                kept.push((factors, a * most + b * least, *strict || *also));
            }
        }
        rows = kept;
    }
    rows.iter().all(|(_, bound, strict)| if *strict { 0 < *bound } else { 0 <= *bound })
}

#[test]
fn a_strict_bound_leaves_room() {
    // 1 < x < 2, x + y ≤ 2, 2y ≥ 1
    let rows = [
        (vec![-1, 0], -1, true),
        (vec![1, 0], 2, true),
        (vec![1, 1], 2, false),
        (vec![0, -2], -1, false),
    ];
    let found = solved(2, &rows).unwrap();
    assert!(satisfies(&rows, &found), "{found:?}");
}

#[test]
fn a_contradiction_of_strict_bounds_is_found() {
    let rows = [(vec![1, -1], 0, true), (vec![-1, 1], 0, false)];
    assert_eq!(solved(2, &rows), None);
    let rows = [(vec![0, 0], 0, true)];
    assert_eq!(solved(2, &rows), None);
}

#[test]
fn half_of_a_unit_is_found() {
    // x + y = 1, x = y: no whole numbers do.
    let rows = [
        (vec![1, 1], 1, false),
        (vec![-1, -1], -1, false),
        (vec![1, -1], 0, false),
        (vec![-1, 1], 0, false),
    ];
    assert_eq!(solved(2, &rows), Some((vec![1, 1], 2)));
}

#[test]
fn simplex_agrees_with_elimination() {
    let mut random = Dice(7);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..4000 {
        let variables = 1 + random.below(4) as usize;
        let rows: Vec<Row> = (0..1 + random.below(7))
            .map(|_| {
                let factors = (0..variables).map(|_| random.below(5) as i64 - 2).collect();
                (factors, random.below(9) as i64 - 4, random.below(2) == 0)
            })
            .collect();
        match solved(variables, &rows) {
            Some(found) => {
                assert!(satisfies(&rows, &found), "{rows:?}: {found:?}");
                yes += 1;
            }
            None => {
                assert!(!feasible(variables, &rows), "{rows:?} has a solution");
                no += 1;
            }
        }
    }
    assert!(yes > 500 && no > 500, "{yes} with a solution, {no} without");
}
