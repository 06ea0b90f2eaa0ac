//! Guessing which name was meant.
//!
//! `core::catalogue` guesses names of parts the same way; the two crates do
//! not know each other, so these few lines exist twice.

/// The candidate nearest to `name` by edit distance, if it is near enough to
/// be what was meant: at most a third of the letters differ, never all.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().collect();
    let most = (name.len() / 3).max(1).min(name.len().saturating_sub(1));
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(&name, candidate, most), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters must be inserted, removed, replaced or swapped with their
/// neighbour, row by row; something above `most` where it is more than that.
fn edit_distance(a: &[char], b: &str, most: usize) -> usize {
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > most {
        return most + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_typing_errors_only() {
        let known = ["counter", "x", "lock"];
        let check = |name: &str, expected| assert_eq!(nearest(name, known), expected, "{name}");
        check("conter", Some("counter"));
        check("lokc", Some("lock"));
        check("lick", Some("lock"));
        check("lcko", None);
        check("y", None);
        check("philosopher", None);
    }
}
