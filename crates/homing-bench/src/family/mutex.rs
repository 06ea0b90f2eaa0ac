//! `M1`–`M4`, `N1`–`N4`: real-time mutual exclusion by polling, with a cycle that
//! takes too long.
//!
//! Our reconstruction of the protocol of H. Dierks, *Comparing model checking and
//! logical reasoning for real-time systems*, Formal Aspects of Computing 16 (2004),
//! as Wehrle, Kupferschmid, SPIN 2010, and Dräger, Finkbeiner, Podelski, STTT 2009,
//! use it.
//!
//! Two sides want to be `inside`, never both. A controller grants the wish in turns.
//! All three are programs of programmable logic controllers, which do the same for
//! ever: *poll* the inputs, think, *finish* by writing the outputs. A cycle takes
//! more than no time and at most 1000 units. Nobody tells anybody anything: a side
//! sees a grant, and the controller sees that a side is safe, when it polls next.
//!
//! ```text
//! side     outside —granted and wished, safe := 0→      inside
//!          inside  —not wished, safe := 1→              outside
//! control  before_i —the other side was seen safe for 2000 units, grant_i := 1→  grants_i
//!          grants_i —side i seen inside, or not for 2000 units, grant_i := 0→    before_j
//! ```
//!
//! Who withdraws a grant waits until the side must have polled it: two cycles. The
//! fault is that a cycle of side 2 may take 1001 units.
//!
//! A cycle is a counter `stage` and a clock beside the location of the program:
//!
//! ```text
//! stage 0 —cycle > 0, inputs copied→   1 —what was polled—→   0, cycle := 0
//!                                      1 —too early—→   2 —→   0, cycle := 0
//! ```
//!
//! # What was known, and what was chosen
//!
//! The models of the papers are not to be had. What they looked like is seen from
//! models that others wrote after a later paper on the same tool (`R00`–`R11` of the
//! corpus), which differ in whether the wishes of side 1 and of side 2 are inputs of
//! their own, each with an automaton that changes it at will, or left open: four
//! models, as M1 to M4 are. The generator of these models has a second mode with three
//! more clocks, which we take to be N1 to N4: a program polls only where its inputs
//! have not changed at the same moment, and before its cycle is full.
//!
//! # Calibration
//!
//! | | M1 | M2 | M3 | M4 | N1 | N2 | N3 | N4 |
//! |---|---|---|---|---|---|---|---|---|
//! | shortest error, SPIN 2010, Table 3 | 47 | 50 | 50 | 53 | 49 | 52 | 52 | – |
//! | ours | 47 | 50 | 50 | 53 | 49 | 52 | 52 | 55 |
//! | explored there, breadth-first | 192773 | 680288 | 740278 | 2.6e6 | 361564 | 2.2e6 | 2.4e6 | – |
//! | ours, TChecker with inclusion of zones | 73388 | 236863 | 258099 | | | | | |
//! | ours, homing with aLU subsumption | 5449 | 18960 | 19579 | 66550 | 5741 | 19776 | 20552 | 69292 |
//!
//! For N4 the second paper's A* finds an error of 55 steps. M2 has the wish of side 1
//! as an input and M3 that of side 2, because M3 is the larger one in the papers too.

use super::timed::{Process, System, Test, Update, copy, is, set, test};

/// The longest cycle of a program.
const CYCLE: i64 = 1000;

/// The longest cycle of side 2; `CYCLE` would be right.
const SLOW: i64 = 1001;

/// How long the controller waits for a side to have polled.
const DELAY: i64 = 2000;

/// What distinguishes the models of the family.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Whether programs poll only what has settled (N) or anything (M).
    pub settled: bool,
    /// Whether the wishes of side 1 and of side 2 are inputs.
    pub wishes: [bool; 2],
}

/// The protocol with its fault.
pub fn system(variant: Variant) -> System {
    let mut system = System::default();
    for i in [1, 2] {
        side(&mut system, variant, i);
    }
    control(&mut system, variant);
    for i in [1, 2].into_iter().filter(|i| variant.wishes[i - 1]) {
        system.at_will(&format!("wish{i}"));
    }
    system.goal = [1, 2].map(|i| (format!("Side{i}"), "inside".to_string())).to_vec();
    system
}

/// The clock that is set back when an input of this program changes.
fn settled(program: &str) -> String {
    format!("{program}_settled")
}

/// The cycle of a program.
struct Cycle {
    stage: String,
    clock: String,
    most: i64,
    settled: Option<String>,
}

impl Cycle {
    fn new(system: &mut System, variant: Variant, program: &str, most: i64) -> Cycle {
        let settled = variant.settled.then(|| settled(program));
        let (stage, clock) = (format!("{program}_stage"), format!("{program}_cycle"));
        system.integer(&stage, 2);
        system.clock(&clock);
        settled.iter().for_each(|settled| system.clock(settled));
        Cycle { stage, clock, most, settled }
    }

    /// The program's process: a place to start, which is left at once for the
    /// first of the others.
    fn process(&self, name: &str, places: &[&str], start: Vec<Update>) -> Process {
        let mut process = Process::new(name);
        process.location("start", Some(test(&self.clock, "<=", 0)));
        for place in places {
            process.location(place, Some(test(&self.clock, "<=", self.most)));
        }
        process.edge("start", places[0], vec![], start);
        process
    }

    /// Copies the inputs: pairs of the program's own name and the other's.
    fn poll(&self, process: &mut Process, at: &str, inputs: &[(String, String)]) {
        let mut guard = vec![is(&self.stage, 0), test(&self.clock, ">", 0)];
        let copies = inputs.iter().map(|(own, output)| copy(own, output));
        let mut updates: Vec<Update> = copies.chain([set(&self.stage, 1)]).collect();
        if let Some(settled) = &self.settled {
            guard.extend([test(settled, ">", 0), test(&self.clock, "<", CYCLE)]);
            updates.push(set(settled, 0));
        }
        process.edge(at, at, guard, updates);
    }

    /// Ends the cycle from this stage.
    fn finish(
        &self,
        process: &mut Process,
        (from, to): (&str, &str),
        stage: i64,
        when: Vec<Test>,
        then: Vec<Update>,
    ) {
        let guard = [vec![is(&self.stage, stage)], when].concat();
        let mut updates = vec![set(&self.stage, 0), set(&self.clock, 0)];
        updates.extend(self.settled.iter().map(|settled| set(settled, 0)));
        updates.extend(then);
        process.edge(from, to, guard, updates);
    }
}

/// The updates by which these programs' inputs are known to have changed.
fn unsettle(variant: Variant, programs: &[&str]) -> Vec<Update> {
    let programs = programs.iter().filter(|_| variant.settled);
    programs.map(|program| set(&settled(program), 0)).collect()
}

fn side(system: &mut System, variant: Variant, i: usize) {
    let name = format!("Side{i}");
    let [safe, granted, wish, wished] =
        ["safe", "granted", "wish", "wished"].map(|kind| format!("{kind}{i}"));
    let cycle = Cycle::new(system, variant, &name, if i == 2 { SLOW } else { CYCLE });
    system.integer(&safe, 1);
    system.integer(&granted, 1);
    let mut inputs = vec![(granted.clone(), format!("grant{i}"))];
    let asked = variant.wishes[i - 1];
    if asked {
        system.integer(&wish, 1);
        system.integer(&wished, 1);
        inputs.push((wished.clone(), wish));
    }
    let mut side = cycle.process(&name, &["outside", "inside"], vec![set(&safe, 1)]);
    for at in ["outside", "inside"] {
        cycle.poll(&mut side, at, &inputs);
    }
    // Where the wish is left open, the side does what it would with either.
    let wishes = |value: i64| if asked { vec![is(&wished, value)] } else { vec![] };
    let both = |grant: i64, wish: i64| [vec![is(&granted, grant)], wishes(wish)].concat();
    let tell = |value: i64| [vec![set(&safe, value)], unsettle(variant, &["Control"])].concat();
    cycle.finish(&mut side, ("outside", "inside"), 1, both(1, 1), tell(0));
    cycle.finish(&mut side, ("outside", "outside"), 1, both(1, 0), vec![]);
    cycle.finish(&mut side, ("outside", "outside"), 1, vec![is(&granted, 0)], vec![]);
    cycle.finish(&mut side, ("inside", "outside"), 1, wishes(0), tell(1));
    cycle.finish(&mut side, ("inside", "inside"), 1, wishes(1), vec![]);
    system.processes.push(side);
}

fn control(system: &mut System, variant: Variant) {
    let cycle = Cycle::new(system, variant, "Control", CYCLE);
    let here = "Control_here";
    system.clock(here);
    for i in [1, 2] {
        system.integer(&format!("grant{i}"), 1);
        system.integer(&format!("seen{i}"), 1);
    }
    let inputs = [1, 2].map(|i| (format!("seen{i}"), format!("safe{i}")));
    let places = ["before1", "grants1", "before2", "grants2"];
    let mut control = cycle.process("Control", &places, vec![]);
    for (i, other) in [(1, 2), (2, 1)] {
        let [before, grants, next] =
            [format!("before{i}"), format!("grants{i}"), format!("before{other}")];
        let [seen, seen_other] = [i, other].map(|side| format!("seen{side}"));
        let late = |seen: &str| vec![is(seen, 1), test(here, ">=", DELAY)];
        let tell = |value: i64| {
            let change = vec![set(&format!("grant{i}"), value), set(here, 0)];
            [change, unsettle(variant, &["Side1", "Side2"])].concat()
        };
        for (at, seen) in [(&before, &seen_other), (&grants, &seen)] {
            cycle.poll(&mut control, at, &inputs);
            let early = vec![is(&cycle.stage, 1), is(seen, 1), test(here, "<", DELAY)];
            control.edge(at, at, early, vec![set(&cycle.stage, 2)]);
            cycle.finish(&mut control, (at, at), 2, vec![], vec![]);
        }
        cycle.finish(&mut control, (&before, &before), 1, vec![is(&seen_other, 0)], vec![]);
        cycle.finish(&mut control, (&before, &grants), 1, late(&seen_other), tell(1));
        cycle.finish(&mut control, (&grants, &next), 1, vec![is(&seen, 0)], tell(0));
        cycle.finish(&mut control, (&grants, &next), 1, late(&seen), tell(0));
    }
    system.processes.push(control);
}
