//! The laws that the algebras claim, and the one that one of them does not.

use proptest::prelude::*;

use super::*;

const SINGLE: [Algebra; 6] = [
    Algebra::Additive { least: 0 },
    Algebra::Additive { least: i64::MIN },
    Algebra::Bottleneck,
    Algebra::MaxMin,
    Algebra::Probability { of: 100 },
    Algebra::Fuzzy { of: 100 },
];

/// Numbers that sums of a few do not overflow with.
fn number(algebra: Algebra) -> BoxedStrategy<i64> {
    match algebra {
        Algebra::Additive { least: 0.. } => (0..1000i64).boxed(),
        Algebra::Probability { .. } | Algebra::Fuzzy { .. } => (0..=100i64).boxed(),
        _ => (-1000..1000i64).boxed(),
    }
}

/// The price of a path: of a few steps, or of none.
fn price(scalar: Scalar) -> BoxedStrategy<Price> {
    let steps = proptest::collection::vec(number(scalar.algebra), 0..4);
    let fold = move |steps: Vec<i64>| {
        steps.iter().fold(scalar.one(), |path, step| scalar.combine(path, scalar.encode(*step)))
    };
    steps.prop_map(fold).boxed()
}

fn any_scalar() -> impl Strategy<Value = Scalar> {
    (prop::sample::select(SINGLE.to_vec()), any::<bool>())
        .prop_map(|(algebra, half)| if half { Scalar::half(algebra) } else { Scalar::new(algebra) })
}

/// An algebra with three prices of it.
fn triple() -> impl Strategy<Value = (Box<dyn CostAlgebra>, [Price; 3])> {
    let single = any_scalar().prop_flat_map(|scalar| {
        let prices = [price(scalar), price(scalar), price(scalar)];
        prices.prop_map(move |prices| (Box::new(scalar) as Box<dyn CostAlgebra>, prices))
    });
    prop_oneof![
        single,
        product()
            .prop_map(|(product, prices)| { (Box::new(product) as Box<dyn CostAlgebra>, prices) })
    ]
}

fn product() -> impl Strategy<Value = (Lexicographic, [Price; 3])> {
    let all = prop::sample::select(SINGLE.to_vec());
    (all.clone(), all).prop_flat_map(|(first, second)| {
        let product = Lexicographic::new(first, second);
        let pair = || {
            let both = (price(product.first), price(product.second));
            both.prop_map(|(first, second)| Lexicographic::join(first, second))
        };
        [pair(), pair(), pair()].prop_map(move |prices| (product, prices))
    })
}

proptest! {
    #[test]
    fn one_is_neutral_and_order_of_steps_does_not_matter((algebra, [a, b, _]) in triple()) {
        prop_assert_eq!(algebra.combine(a, algebra.one()), a);
        prop_assert_eq!(algebra.combine(algebra.one(), a), a);
        prop_assert_eq!(algebra.combine(a, b), algebra.combine(b, a));
    }

    #[test]
    fn steps_may_be_taken_together(scalar in any_scalar(), values in [0..100i64, 0..100, 0..100]) {
        let [a, b, c] = values.map(|value| scalar.encode(value));
        let (left, right) =
            (scalar.combine(scalar.combine(a, b), c), scalar.combine(a, scalar.combine(b, c)));
        match scalar.algebra {
            // Products are rounded.
            Algebra::Probability { .. } => {
                let [p, q] = [left, right].map(|price| scalar.probability(price));
                prop_assert!((p - q).abs() <= 1e-6 * p, "{p} {q}");
            }
            _ => prop_assert_eq!(left, right),
        }
    }

    #[test]
    fn claims_of_isotonicity_are_true((algebra, [a, b, c]) in triple()) {
        let (path, other) = (a.min(b), a.max(b));
        if algebra.is_isotone() {
            prop_assert!(algebra.combine(path, c) <= algebra.combine(other, c), "{algebra:?}");
        }
        if algebra.is_strictly_isotone() && path < other {
            prop_assert!(algebra.combine(path, c) < algebra.combine(other, c), "{algebra:?}");
        }
    }

    #[test]
    fn claims_of_monotonicity_are_true((algebra, [a, b, _]) in triple()) {
        if algebra.is_monotone() {
            prop_assert!(a <= algebra.combine(a, b), "{algebra:?}");
            prop_assert!(algebra.one() <= a);
        }
    }

    #[test]
    fn what_steps_make_worse_is_monotone_whatever_comes_second(
        path in 0..100i64, steps in 1..10i64, a in -100..100i64, b in -100..100i64,
    ) {
        let product =
            Lexicographic::new(Algebra::Additive { least: 1 }, Algebra::Additive { least: -100 });
        let pair = |first, second| {
            Lexicographic::join(product.first.encode(first), product.second.encode(second))
        };
        prop_assert!(product.is_monotone());
        prop_assert!(pair(path, a) < product.combine(pair(path, a), pair(steps, b)));
    }

    #[test]
    fn estimates_ahead_are_no_more_than_what_comes((algebra, [a, ..]) in triple(), rest in 0..50u32) {
        prop_assert!(algebra.ahead(a, 0) <= a || !algebra.is_monotone());
        prop_assert!(a <= algebra.ahead(a, rest));
    }

    #[test]
    fn order_is_that_of_the_numbers(scalar in any_scalar(), a in 0..=100i64, b in 0..=100i64) {
        let better = match scalar.algebra {
            Algebra::Additive { .. } | Algebra::Bottleneck => a.cmp(&b),
            _ => b.cmp(&a),
        };
        prop_assert_eq!(scalar.encode(a).cmp(&scalar.encode(b)), better);
    }

    #[test]
    fn numbers_are_shown_as_they_were_given(a in -1000..1000i64, half: bool) {
        let scale = |algebra| if half { Scalar::half(algebra) } else { Scalar::new(algebra) };
        for algebra in [Algebra::Additive { least: -1000 }, Algebra::Bottleneck, Algebra::MaxMin] {
            prop_assert_eq!(scale(algebra).show(scale(algebra).encode(a)), a.to_string());
        }
    }
}

/// The pair of the survey: (a, c) × (b, d) = (min(a, b), c + d).
#[test]
fn least_and_sum_are_not_isotone_but_sum_and_least_are() {
    let sum = Algebra::Additive { least: 0 };
    let refused = Lexicographic::new(Algebra::MaxMin, sum);
    assert!(!refused.is_isotone());
    let pair = |a, c| Lexicographic::join(refused.first.encode(a), refused.second.encode(c));
    let (better, worse, common) = (pair(4, 2), pair(3, 1), pair(3, 1));
    assert!(better < worse);
    assert_eq!(refused.combine(better, common), pair(3, 3));
    assert_eq!(refused.combine(worse, common), pair(3, 2));
    assert!(refused.combine(better, common) > refused.combine(worse, common));
    assert!(Lexicographic::new(sum, Algebra::MaxMin).is_isotone());
}

#[test]
fn sums_that_do_not_fit_stay_at_the_end_and_say_so() {
    for least in [0, -1] {
        let sum = Scalar::new(Algebra::Additive { least });
        let most = sum.encode(i64::MAX - i64::from(least == 0));
        let over = sum.combine(sum.combine(most, most), most);
        assert!(sum.is_saturated(over) && over == Price::MAX);
        assert_eq!(sum.combine(over, sum.encode(-5)), over);
        assert!(sum.show(over).contains("or beyond"));
    }
    let signed = Scalar::new(Algebra::Additive { least: i64::MIN });
    let under = signed.combine(signed.encode(i64::MIN + 1), signed.encode(-7));
    assert!(signed.is_saturated(under));
    assert_eq!(signed.combine(under, signed.encode(100)), under);
    let half = Lexicographic::new(Algebra::Additive { least: 0 }, Algebra::Additive { least: 0 });
    let large = Lexicographic::join(1, half.second.encode(i64::from(u32::MAX) - 1));
    let over = half.combine(large, large);
    assert_eq!(Lexicographic::split(over), [2, u64::from(u32::MAX)]);
    assert!(half.is_saturated(over) && !half.is_saturated(large));
}

#[test]
fn what_is_possible_stays_possible() {
    for scalar in [Algebra::Probability { of: 1000 }].map(Scalar::new) {
        let step = scalar.encode(1);
        let path = (0..1000).fold(scalar.one(), |path, _| scalar.combine(path, step));
        assert!(scalar.is_saturated(path) && path < scalar.encode(0));
        assert!(!scalar.is_saturated(scalar.encode(0)) && !scalar.is_saturated(step));
    }
}

#[test]
fn probabilities_are_shown_as_decimals() {
    let scalar = Scalar::new(Algebra::Probability { of: 10 });
    let half = scalar.encode(5);
    assert_eq!(scalar.show(half), "0.5");
    assert_eq!(scalar.show(scalar.combine(half, half)), "0.25");
    assert_eq!(
        (scalar.show(scalar.one()), scalar.show(scalar.encode(0))),
        ("1".into(), "0".into())
    );
    let fuzzy = Scalar::new(Algebra::Fuzzy { of: 10 });
    assert_eq!(
        (fuzzy.show(fuzzy.encode(3)), fuzzy.show(fuzzy.one())),
        ("3/10".into(), "10/10".into())
    );
    assert_eq!(Scalar::new(Algebra::Bottleneck).show(0), "none");
}
