//! Operations on zones against sets of points on a grid.
//!
//! A zone of two clocks that is not empty holds a point at multiples of a
//! third, which tell zones apart; what is said of such a point with the help of
//! another is decided by others at multiples of a ninth, for the same reason.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use homing_space::zones::dbm::{Bound, Dbm, INFINITY, at_most, less_than};
use homing_space::zones::extrapolation::{Constants, NEVER, extra, extra_plus, within};
use homing_space::zones::federation::{Federation, Subtraction};
use homing_space::zones::packed::Packing;
use homing_space::zones::subsumption::simulates;
use proptest::prelude::*;

const UNIT: i64 = 9;
const MOST: i64 = 9;

/// All points of the grid.
fn grid(clocks: usize) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for _ in 0..clocks {
        points = points
            .iter()
            .flat_map(|point| (0..=MOST * UNIT).map(|v| [&point[..], &[v]].concat()))
            .collect();
    }
    points
}

/// The points at thirds.
fn thirds(clocks: usize) -> impl Iterator<Item = Vec<i64>> {
    grid(clocks).into_iter().filter(|point| point.iter().all(|v| v % 3 == 0))
}

/// A finite bound on a difference, as it was chosen.
type Chosen = (usize, usize, i32, bool);

fn bound((_, _, constant, strict): Chosen) -> Bound {
    if strict { less_than(constant) } else { at_most(constant) }
}

fn satisfies(point: &[i64], (i, j, constant, strict): Chosen) -> bool {
    let value = |i: usize| if i == 0 { 0 } else { point[i - 1] };
    let (difference, limit) = (value(i) - value(j), i64::from(constant) * UNIT);
    if strict { difference < limit } else { difference <= limit }
}

fn chosen(clocks: usize) -> impl Strategy<Value = Chosen> {
    (0..=clocks, 0..=clocks, -4..=4i32, any::<bool>())
}

/// The zone of some bounds, perhaps none.
fn zone(clocks: usize, bounds: &[Chosen]) -> Option<Dbm> {
    let mut zone = Dbm::universe(clocks);
    bounds.iter().all(|b| zone.constrain(b.0, b.1, bound(*b))).then_some(zone)
}

fn a_zone(clocks: usize) -> impl Strategy<Value = Dbm> {
    let bounds = prop::collection::vec(chosen(clocks), 0..6);
    bounds.prop_filter_map("empty", move |bounds| zone(clocks, &bounds))
}

fn is_closed(zone: &Dbm) -> bool {
    let mut closed = zone.clone();
    closed.close() && closed == *zone
}

fn sized<S: Strategy>(of: impl Fn(usize) -> S) -> impl Strategy<Value = (usize, S::Value)> {
    (1..=2usize).prop_flat_map(move |n| of(n).prop_map(move |value| (n, value)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn bounds_cut_what_does_not_satisfy_them(
        (n, bounds) in (1..=2usize).prop_flat_map(|n| {
            prop::collection::vec(chosen(n), 0..6).prop_map(move |b| (n, b))
        })
    ) {
        let made = zone(n, &bounds);
        if let Some(made) = &made {
            prop_assert!(is_closed(made));
        }
        let mut any = false;
        for point in thirds(n) {
            let expected = bounds.iter().all(|b| satisfies(&point, *b));
            any |= expected;
            let held = made.as_ref().is_some_and(|zone| zone.contains(&point, UNIT));
            prop_assert_eq!(expected, held, "{:?}", point);
        }
        prop_assert!(made.is_some() || !any);
    }

    #[test]
    fn time_and_resets((n, zone) in sized(a_zone), clock in 1..=2usize, value in 0..3i32) {
        let clock = clock.min(n);
        let points: Vec<Vec<i64>> =
            grid(n).into_iter().filter(|point| zone.contains(point, UNIT)).collect();
        let mut up = zone.clone();
        up.up();
        let mut down = zone.clone();
        down.down();
        let mut reset = zone.clone();
        reset.reset(clock, value);
        let mut free = zone.clone();
        free.free(clock);
        for changed in [&up, &down, &reset, &free] {
            prop_assert!(is_closed(changed));
        }
        // What needs points beyond the grid is not known: keep away from its edge.
        for point in thirds(n).filter(|point| point.iter().all(|v| *v < 5 * UNIT)) {
            let earlier = |d: i64| point.iter().map(|v| v - d).collect::<Vec<_>>();
            let reachable = (0..=MOST * UNIT)
                .any(|d| earlier(d).iter().all(|v| *v >= 0) && zone.contains(&earlier(d), UNIT));
            prop_assert_eq!(up.contains(&point, UNIT), reachable);
            let leads = (0..=MOST * UNIT).any(|d| zone.contains(&earlier(-d), UNIT));
            prop_assert_eq!(down.contains(&point, UNIT), leads);
            let same = |other: &Vec<i64>| (0..n).all(|i| i + 1 == clock || other[i] == point[i]);
            let has = points.iter().any(same);
            let there = point[clock - 1] == i64::from(value) * UNIT;
            prop_assert_eq!(reset.contains(&point, UNIT), has && there);
            prop_assert_eq!(free.contains(&point, UNIT), has);
        }
    }

    #[test]
    fn time_within_upper_bounds((n, zone) in sized(a_zone), limits in prop::collection::vec(
        (1..=2u32, 0..5i32, any::<bool>()), 0..3))
    {
        let upper: Vec<(u32, Bound)> = limits
            .iter()
            .map(|(clock, c, strict)| {
                ((*clock).min(n as u32), if *strict { less_than(*c) } else { at_most(*c) })
            })
            .collect();
        let mut start = zone;
        let holds = upper.iter().all(|(clock, bound)| start.constrain(*clock as usize, 0, *bound));
        prop_assume!(holds);
        let (mut expected, mut fast) = (start.clone(), start);
        expected.up();
        for (clock, bound) in &upper {
            prop_assert!(expected.constrain(*clock as usize, 0, *bound));
        }
        fast.up_within(&upper);
        prop_assert_eq!(expected, fast);
    }

    #[test]
    fn assignments_and_what_leads_to_them(
        (source, target) in (a_zone(2), a_zone(2)),
        values in prop::collection::vec((0..=2u32, 0..3i32), 2)
    ) {
        let values = [vec![(0, 0)], values].concat();
        let after = |point: &[i64]| -> Vec<i64> {
            let value = |(base, offset): &(u32, i32)| {
                let base = if *base == 0 { 0 } else { point[*base as usize - 1] };
                base + i64::from(*offset) * UNIT
            };
            values[1..].iter().map(value).collect()
        };
        let mut image = Dbm::zero(2);
        image.assign(&source, &values);
        prop_assert!(is_closed(&image));
        let mut preimage = Dbm::zero(2);
        let any = preimage.unassign(&target, &values);
        let images: Vec<Vec<i64>> =
            grid(2).iter().filter(|p| source.contains(p, UNIT)).map(|p| after(p)).collect();
        for point in thirds(2) {
            let leads = target.contains(&after(&point), UNIT);
            prop_assert_eq!(any && preimage.contains(&point, UNIT), leads);
            // Images from beyond the grid are not known.
            if point.iter().all(|v| *v <= 4 * UNIT) && images.contains(&point) {
                prop_assert!(image.contains(&point, UNIT));
            }
        }
        for point in &images {
            prop_assert!(image.contains(point, UNIT));
        }
    }

    #[test]
    fn subtraction_leaves_the_others((n, (a, b)) in sized(|n| (a_zone(n), a_zone(n)))) {
        let mut rest = Federation::new();
        rest.push(&a);
        rest.subtract(&b, &mut Federation::new(), &mut Subtraction::new(n));
        prop_assert!(rest.zones().iter().all(is_closed));
        for point in thirds(n) {
            let holding = rest.zones().iter().filter(|z| z.contains(&point, UNIT)).count();
            let expected = a.contains(&point, UNIT) && !b.contains(&point, UNIT);
            prop_assert_eq!(holding, usize::from(expected));
        }
        prop_assert_eq!(rest.is_empty(), b.includes(&a));
    }

    #[test]
    fn inclusion_is_that_of_points((n, (a, b)) in sized(|n| (a_zone(n), a_zone(n)))) {
        let packing = Packing::new(n, 20);
        let [mut packed_a, mut packed_b] = [(); 2].map(|()| vec![0; packing.words()]);
        packing.pack(&a, &mut packed_a);
        packing.pack(&b, &mut packed_b);
        let mut back = Dbm::universe(n);
        packing.unpack(&packed_a, &mut back);
        prop_assert_eq!(&back, &a);
        prop_assert_eq!(packing.includes(&packed_a, &packed_b), a.includes(&b));
        for i in 0..=n {
            for j in (0..=n).filter(|j| *j != i) {
                prop_assert_eq!(packing.bound(&packed_a, i, j), a.at(i, j));
            }
        }
        let points = thirds(n).all(|p| !b.contains(&p, UNIT) || a.contains(&p, UNIT));
        // Unbounded zones differ only beyond the grid where they do at all.
        prop_assert_eq!(points, a.includes(&b));
    }

    /// What extrapolation adds is simulated by what was there: v ≼LU v′ if for
    /// every clock v′(x) = v(x), or L(x) < v′(x) < v(x), or U(x) < v(x) < v′(x).
    #[test]
    fn extrapolated_zones_are_simulated(
        (n, (a, b)) in sized(|n| (a_zone(n), a_zone(n))),
        lower in prop::collection::vec(-1..4i32, 2),
        upper in prop::collection::vec(-1..4i32, 2)
    ) {
        let by_clock = |constants: &[i32]| {
            let never = |c: &i32| if *c < 0 { NEVER } else { *c };
            std::iter::once(0).chain(constants[..n].iter().map(never)).collect::<Vec<_>>()
        };
        let constants = Constants { lower: by_clock(&lower), upper: by_clock(&upper) };
        let mut once = a.clone();
        extra(&mut once, &constants);
        let mut plus = a.clone();
        extra_plus(&mut plus, &constants);
        for wide in [&once, &plus] {
            prop_assert!(is_closed(wide) && wide.includes(&a));
        }
        prop_assert!(plus.includes(&once));
        let below = |clock: usize, v: i64, other: i64| {
            let (l, u) = (i64::from(lower[clock]) * UNIT, i64::from(upper[clock]) * UNIT);
            v == other || l < other && other < v || u < v && v < other
        };
        let points: Vec<Vec<i64>> =
            grid(n).into_iter().filter(|point| a.contains(point, UNIT)).collect();
        let simulated = |point: &[i64]| {
            points.iter().any(|other| (0..n).all(|x| below(x, point[x], other[x])))
        };
        let packing = Packing::new(n, 40);
        let [mut packed_a, mut packed_b] = [(); 2].map(|()| vec![0; packing.words()]);
        packing.pack(&a, &mut packed_a);
        let mut all = true;
        // What is simulated by points beyond the grid only is not seen: keep
        // away from its edge.
        let mut b = b;
        if !(1..=n).all(|clock| b.constrain(clock, 0, at_most(6))) {
            return Ok(());
        }
        packing.pack(&b, &mut packed_b);
        for point in thirds(n).filter(|point| point.iter().all(|v| *v <= 6 * UNIT)) {
            if plus.contains(&point, UNIT) {
                prop_assert!(simulated(&point), "{:?}", point);
            }
            all &= !b.contains(&point, UNIT) || simulated(&point);
        }
        prop_assert_eq!(simulates(&packing, &packed_a, &packed_b, &constants.lower, &constants.upper), all);
    }
}

#[test]
fn zones_that_grow_are_loosened() {
    let mut zone = Dbm::zero(2);
    zone.reset(1, 1000);
    zone.reset(2, 1200);
    within(&mut zone, 500);
    assert_eq!(zone.at(1, 2), at_most(-200));
    assert_eq!((zone.at(1, 0), zone.at(0, 1)), (INFINITY, -500));
}

#[test]
fn zones_of_no_clocks_take_no_words() {
    let packing = Packing::new(0, 1);
    let mut zone = Dbm::zero(0);
    packing.pack(&zone.clone(), &mut []);
    packing.unpack(&[], &mut zone);
    assert_eq!(packing.words(), 0);
    assert!(packing.includes(&[], &[]) && zone.contains(&[], 1));
}
