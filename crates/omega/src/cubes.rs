//! Sets of letters as unions of cubes.

use homing_ir::automaton::Cube;

/// Whether every letter of `inner` is in `outer`.
pub(crate) fn within(inner: Cube, outer: Cube) -> bool {
    inner.all_of & outer.all_of == outer.all_of && inner.none_of & outer.none_of == outer.none_of
}

/// The letters in both; empty where no letter is.
pub(crate) fn both(a: Cube, b: Cube) -> Cube {
    Cube { all_of: a.all_of | b.all_of, none_of: a.none_of | b.none_of }
}

/// After so many cases, cubes count as not covered.
const MOST_CASES: u32 = 2_000;
/// More cubes than this are not joined.
const MOST_JOINED: usize = 200;

/// Whether every letter of `cube` is in one of `cubes`. Where this is hard to find
/// out, the answer is no.
pub(crate) fn covered(cube: Cube, cubes: &[Cube]) -> bool {
    by_cases(cube, cubes, &mut MOST_CASES.clone())
}

/// By cases on an atom that one of them mentions.
fn by_cases(cube: Cube, cubes: &[Cube], cases: &mut u32) -> bool {
    *cases = cases.saturating_sub(1);
    if *cases == 0 {
        return cube.is_empty();
    }
    let mut relevant = cubes.iter().copied().filter(|other| !both(cube, *other).is_empty());
    let Some(first) = relevant.next() else { return cube.is_empty() };
    if within(cube, first) {
        return true;
    }
    let relevant: Vec<Cube> = std::iter::once(first).chain(relevant).collect();
    if relevant.iter().any(|other| within(cube, *other)) {
        return true;
    }
    if relevant.len() == 1 {
        return false;
    }
    let asked = (first.all_of | first.none_of) & !(cube.all_of | cube.none_of);
    let atom = asked & asked.wrapping_neg();
    by_cases(Cube { all_of: cube.all_of | atom, ..cube }, &relevant, cases)
        && by_cases(Cube { none_of: cube.none_of | atom, ..cube }, &relevant, cases)
}

/// Fewer cubes with the same letters: those in others go, neighbours are joined,
/// and those that the others cover together go.
pub(crate) fn simplify(cubes: &mut Vec<Cube>) {
    cubes.retain(|cube| !cube.is_empty());
    cubes.sort_unstable();
    cubes.dedup();
    if cubes.len() > MOST_JOINED {
        return;
    }
    while join_once(cubes) {}
    let mut i = 0;
    while i < cubes.len() && cubes.len() > 1 {
        let cube = cubes.remove(i);
        if !covered(cube, cubes) {
            cubes.insert(i, cube);
            i += 1;
        }
    }
}

/// Joins two cubes, or widens one by its neighbour: `a ∧ b ∨ ¬a` is `b ∨ ¬a`.
fn join_once(cubes: &mut Vec<Cube>) -> bool {
    for i in 0..cubes.len() {
        homing_budget::checkpoint();
        for j in 0..cubes.len() {
            if i == j {
                continue;
            }
            if within(cubes[i], cubes[j]) {
                cubes.remove(i);
                return true;
            }
            if let Some(wider) = widened(cubes[i], cubes[j]) {
                cubes[i] = wider;
                return true;
            }
        }
    }
    false
}

/// `a` without an atom, where the letters that come in are in `b`.
fn widened(a: Cube, b: Cube) -> Option<Cube> {
    let opposed = (a.all_of & b.none_of) | (a.none_of & b.all_of);
    if opposed.count_ones() != 1 {
        return None;
    }
    let wider = Cube { all_of: a.all_of & !opposed, none_of: a.none_of & !opposed };
    let flipped = Cube {
        all_of: wider.all_of | (a.none_of & opposed),
        none_of: wider.none_of | (a.all_of & opposed),
    };
    within(flipped, b).then_some(wider)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(all_of: u64, none_of: u64) -> Cube {
        Cube { all_of, none_of }
    }

    #[test]
    fn simplified_cubes_have_the_same_letters() {
        let mut seed = 1u64;
        let mut draw = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed >> 40
        };
        for _ in 0..2000 {
            let mut cubes: Vec<Cube> = (0..draw() % 6)
                .map(|_| {
                    let all_of = draw() & draw() & 15;
                    cube(all_of, draw() & draw() & 15 & !all_of)
                })
                .collect();
            let before = cubes.clone();
            simplify(&mut cubes);
            assert!(cubes.len() <= before.len());
            for letter in 0..16 {
                let held = before.iter().any(|cube| cube.contains(letter));
                assert_eq!(held, cubes.iter().any(|cube| cube.contains(letter)));
                let single = cube(letter, !letter & 15);
                assert_eq!(held, covered(single, &before));
            }
            let everything = (0..16).all(|letter| before.iter().any(|c| c.contains(letter)));
            assert_eq!(everything, covered(Cube::TRUE, &before));
        }
    }
}
