//! The two averages the tables use.

/// The median; of two middle values the mean. Nothing for an empty list.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        count if count % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// The geometric mean, the right one for ratios. Nothing for an empty list.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    Some((logarithms / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_and_even_lists() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn geometric_mean_of_reciprocals_is_one() {
        assert_eq!(geometric_mean(&[]), None);
        let mean = geometric_mean(&[4.0, 0.25]).unwrap();
        assert!((mean - 1.0).abs() < 1e-12);
    }
}
