//! How many random networks a test draws, and which.
//!
//! The same ones in every run, so that a change passes or fails for a reason.
//! `HOMING_FRESH=n` draws `n` times as many new ones instead; the seed is
//! printed where such a test fails, and `HOMING_SEED` draws by it again.

use std::hash::{BuildHasher, RandomState};

use proptest::test_runner::{Config, RngSeed};

/// The seed of ordinary runs.
const SEED: u64 = 0;

/// The configuration of every test that draws networks: `cases` of them, or
/// what the environment asks for.
///
/// ```text
/// TestRunner::new(config(200)).run(&networks(knobs), |network| …)
/// ```
pub fn config(cases: u32) -> Config {
    let (fresh, seed) = (number("HOMING_FRESH"), number("HOMING_SEED"));
    let (config, drawn) = configure(cases, fresh, seed, || RandomState::new().hash_one(0));
    if let (Some(times), None) = (fresh, seed) {
        // Shown where the test fails.
        eprintln!("HOMING_FRESH={times} HOMING_SEED={drawn} draws the same networks again");
    }
    config
}

/// A configuration and its seed: as asked for, else fresh, else always the same.
fn configure(
    cases: u32,
    fresh: Option<u64>,
    seed: Option<u64>,
    draw: impl FnOnce() -> u64,
) -> (Config, u64) {
    let seed = seed.unwrap_or_else(|| fresh.map_or(SEED, |_| draw()));
    let times = fresh.unwrap_or(1).clamp(1, u64::from(u32::MAX)) as u32;
    let cases = cases.saturating_mul(times);
    (Config { cases, rng_seed: RngSeed::Fixed(seed), ..Config::default() }, seed)
}

/// What a variable of the environment holds, if it is set. A number that
/// cannot be read must not pass for none.
fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let number = text.parse();
    assert!(number.is_ok(), "{variable}={text} is not a number");
    number.ok()
}

#[cfg(test)]
mod tests {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::random::{Knobs, networks};

    fn drawn(config: Config) -> Vec<String> {
        let mut runner = TestRunner::new(config);
        let networks = networks(Knobs::default());
        (0..5).map(|_| format!("{:?}", networks.new_tree(&mut runner).unwrap().current())).collect()
    }

    #[test]
    fn the_same_networks_unless_asked_for_others() {
        let of = |fresh, seed| configure(10, fresh, seed, || 77);
        let (usual, _) = of(None, None);
        assert_eq!(usual.cases, 10);
        assert_eq!(drawn(usual.clone()), drawn(of(None, None).0));
        let (fresh, seed) = of(Some(3), None);
        assert_eq!((fresh.cases, seed), (30, 77));
        assert_ne!(drawn(usual), drawn(fresh.clone()));
        let (again, _) = of(None, Some(77));
        assert_eq!(again.cases, 10);
        assert_eq!(drawn(fresh), drawn(again));
    }
}
