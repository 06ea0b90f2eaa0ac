//! Guessing which name was meant.
//!
//! `core::catalogue` guesses names of parts the same way; the two crates do
//! not know each other, so these few lines exist twice.

/// The candidate nearest to `name` by edit distance, if it is near enough to
/// be what was meant: at most a third of the letters differ.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    let most = letters.max(3) / 3;
    candidates
        .into_iter()
        .filter(|candidate| candidate.chars().count().abs_diff(letters) <= most)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, row by row.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_typing_errors_only() {
        let known = ["counter", "x", "lock"];
        let check = |name: &str, expected| assert_eq!(nearest(name, known), expected, "{name}");
        check("conter", Some("counter"));
        check("lokc", None);
        check("lick", Some("lock"));
        check("y", Some("x"));
        check("philosopher", None);
    }
}
