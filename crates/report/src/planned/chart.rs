//! The best estimate over work, as a plot.

use std::collections::BTreeMap;

use super::PlannedSearch;
use crate::plot::{Line, Plot};

/// The least estimate of every guide over the work of all searches. A search without a
/// guide has no lines.
pub fn plot(search: &PlannedSearch) -> Plot {
    let mut lines: BTreeMap<u64, Vec<(f64, f64)>> = BTreeMap::new();
    for turn in &search.turns {
        let (Some(number), Some(least)) = (turn.guide, turn.least) else { continue };
        let points = lines.entry(number).or_default();
        // It stays what it was until the turn.
        if let Some((_, before)) = points.last().copied() {
            points.push((turn.began_at as f64, before));
        }
        points.push((turn.ended_at() as f64, f64::from(least)));
    }
    let named = |number: u64| {
        let guide = search.guides.iter().find(|guide| guide.number == Some(number));
        let strategy = guide.map_or("", |guide| &guide.strategy);
        format!("{number}: {strategy}")
    };
    let lines = lines.into_iter().map(|(number, points)| Line::new(named(number), points));
    Plot {
        title: format!("Best estimate for {}", search.properties.join(", ")),
        x: "work of all searches".into(),
        y: "least estimate".into(),
        lines: lines.collect(),
        ..Plot::default()
    }
}
