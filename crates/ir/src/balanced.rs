//! Many things joined to one, in a tree of little depth.

/// Joins neighbours until one is left, in the same order from left to right: the depth
/// grows with the logarithm of their number. Nothing where there is nothing to join.
///
/// For operators that are associative, also in where they stop evaluating. Expressions are
/// read, checked and dropped by recursion, so a chain of a million operands must not become
/// a tree a million deep.
pub fn balanced<T>(mut all: Vec<T>, mut join: impl FnMut(T, T) -> T) -> Option<T> {
    while all.len() > 1 {
        let mut joined = Vec::with_capacity(all.len().div_ceil(2));
        let mut rest = all.into_iter();
        while let Some(left) = rest.next() {
            joined.push(match rest.next() {
                Some(right) => join(left, right),
                None => left,
            });
        }
        all = joined;
    }
    all.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_kept_and_the_depth_is_small() {
        let join = |(a, m): (String, u32), (b, n): (String, u32)| (a + &b, m.max(n) + 1);
        for count in 0..70u32 {
            let all = (0..count).map(|i| (format!("{i} "), 0)).collect();
            let expected: String = (0..count).map(|i| format!("{i} ")).collect();
            let depth = count.next_power_of_two().trailing_zeros();
            assert_eq!(balanced(all, join), (count > 0).then_some((expected, depth)));
        }
    }
}
