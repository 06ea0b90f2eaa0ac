//! Random numbers that are the same on every machine.

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): small, fast, and the same on
/// every machine.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence that starts from `seed`.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The seed of what is still to come.
    pub fn seed(&self) -> u64 {
        self.state
    }

    /// The next number, each as likely as any other.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`; zero where that is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(bound)) >> 64) as u64
    }

    /// Puts `items` into random order (Fisher, Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the published generator for seed 1234567.
    #[test]
    fn is_the_published_sequence() {
        let mut random = Random::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(expected.map(|_| random.number()), expected);
    }

    #[test]
    fn stays_below_its_bound() {
        let mut random = Random::new(7);
        let mut seen = [0; 5];
        (0..1000).for_each(|_| seen[random.below(5) as usize] += 1);
        assert!(seen.iter().all(|count| (150..250).contains(count)), "{seen:?}");
        assert_eq!(random.below(0), 0);
    }
}
