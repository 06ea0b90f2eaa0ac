//! Random formulas, the same in every run.

/// The seed of all formulas.
const SEED: u64 = 2026;

/// Formulas with 3 to 12 operators over three propositions, without end.
pub fn formulas() -> impl Iterator<Item = String> {
    let mut draw = Draw(SEED);
    std::iter::repeat_with(move || {
        let operators = 3 + draw.below(10);
        draw.formula(operators)
    })
}

/// SplitMix64.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    /// A formula with this many operators.
    fn formula(&mut self, operators: u64) -> String {
        if operators == 0 {
            return ["p", "q", "r"][self.below(3) as usize].to_string();
        }
        let kind = self.below(9) as usize;
        if let Some(sign) = ["!", "X ", "<> ", "[] "].get(kind) {
            return format!("{sign}({})", self.formula(operators - 1));
        }
        let sign = ["&&", "||", "U", "V", "->"][kind - 4];
        let left = self.below(operators);
        let f = self.formula(left);
        format!("({f}) {sign} ({})", self.formula(operators - 1 - left))
    }
}
