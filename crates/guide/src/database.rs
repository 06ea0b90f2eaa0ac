//! Abstraction databases: exact distances in projections of the system.
//!
//! Culberson and Schaeffer's pattern databases (1998), brought to model checking
//! by Qian and Nymeyer ("Guided Invariant Model Checking Based on Abstraction
//! and Symbolic Pattern Databases", 2004) and by Edelkamp and Lluch Lafuente
//! ("Abstraction Databases in Theory and Model Checking Practice", 2004). A
//! *pattern* is a set of variables; all others are ignored. What is left is
//! explored completely, and the distance of each of its states to the goal kept
//! in a table.
//!
//! - `database`: a pattern around every variable of the goal. Distances of
//!   patterns that no step changes two of are added up, which stays admissible
//!   (Korf, Felner, "Disjoint Pattern Database Heuristics", 2002); the estimate
//!   is the maximum of such sums.
//! - `russian-doll`: one pattern of the automata nearest the error, after
//!   Kupferschmid, Hoffmann, Larsen, "Fast Directed Model Checking via Russian
//!   Doll Abstraction" (2008). They choose the automata by a relaxed error path,
//!   we by how directly they take part in the steps that change the goal.
//!
//! A goal in disjunctive form has tables for every conjunction, and the minimum
//! is taken, as in [`crate::abstraction`].

mod patterns;
mod projection;

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};

use self::patterns::Causes;
use self::projection::Projection;
use crate::abstraction::processes::{Processes, States};
use crate::abstraction::tables::{Leaf, leaf};
use crate::abstraction::{SPLIT, goals, owners};
use crate::ground::Ground;
use crate::{EstimateBuilder, Goal};

const STATES: Parameter =
    Parameter { name: "states", about: "the most entries of a table", default: "100000" };

pub(crate) const DATABASE: Row<EstimateBuilder> = Row {
    name: "database",
    kind: Kind::Estimate,
    about: "distances in projections onto the variables around each variable of the goal, added \
            up where no step changes two of them",
    cite: "Qian, Nymeyer 2004; Edelkamp, Lluch Lafuente 2004",
    parameters: &[STATES],
    needs: &[],
    gives: &[Capability::Admissible, Capability::Consistent],
    uses: &[],
    build: |goal, call| {
        call.allow_named(&["states"])?;
        let states = STATES.number(call)?;
        Ok(Box::new(Databases::new(goal, "database", states, Choice::AroundGoals)?))
    },
};

pub(crate) const RUSSIAN_DOLL: Row<EstimateBuilder> = Row {
    name: "russian-doll",
    kind: Kind::Estimate,
    about: "the distance in a projection onto the processes nearest the goal",
    cite: "Kupferschmid, Hoffmann, Larsen 2008",
    parameters: &[STATES],
    needs: &[],
    gives: &[Capability::Admissible, Capability::Consistent],
    uses: &[],
    build: |goal, call| {
        call.allow_named(&["states"])?;
        let states = STATES.number(call)?;
        Ok(Box::new(Databases::new(goal, "russian-doll", states, Choice::Nearest)?))
    },
};

/// How patterns are chosen.
#[derive(Clone, Copy)]
enum Choice {
    AroundGoals,
    Nearest,
}

/// The most entries of a table: states are numbered within 32 bits, with room
/// for what is computed on the way.
const MOST_STATES: u64 = 1 << 28;

/// The most patterns of a conjunction.
const MOST_PATTERNS: usize = 16;

/// The tables of every conjunction of the goal.
struct Databases {
    of_goals: Vec<Database>,
}

/// The tables of one conjunction.
struct Database {
    tables: Vec<Table>,
    /// Tables that are added up.
    groups: Vec<Vec<usize>>,
}

struct Table {
    /// Where the variables lie, and what their states are multiplied by.
    digits: Vec<(Leaf, u32)>,
    /// The states of the variables by their values.
    states: Vec<u16>,
    distances: Vec<Cost>,
}

impl Databases {
    fn new(goal: &Goal, name: &str, wanted: u64, choice: Choice) -> Result<Databases, String> {
        if !(2..=MOST_STATES).contains(&wanted) {
            return Err(format!("`states` of `{name}` is from 2 to {MOST_STATES}"));
        }
        let ground = Ground::of_goal(goal, name)?.split(SPLIT);
        let owners = owners(&ground, goal);
        let goals = goals(&ground.goals);
        let tables = match choice {
            Choice::AroundGoals => goals.len() * MOST_PATTERNS.min(ground.variables.len()),
            Choice::Nearest => goals.len(),
        };
        let room = (goal.memory / size_of::<Cost>() / tables.max(1)) as u64;
        let mut limit = wanted.min(room) as u32;
        loop {
            let cost = |label: u32| goal.cost(label);
            let build = || Databases::of(&ground, &goals, &owners, limit, choice, cost);
            if limit < 2 {
                return Err(format!("the tables of `{name}` do not fit the memory"));
            } else if let Some(databases) = build() {
                if u64::from(limit) < wanted {
                    goal.notices.borrow_mut().push(format!(
                        "tables of `{name}` have {limit} entries instead of {wanted}: larger ones \
                         do not fit the memory"
                    ));
                }
                return Ok(databases);
            }
            limit /= 2;
        }
    }

    /// The tables for every conjunction; none where one takes too much.
    fn of(
        ground: &Ground,
        goals: &[Vec<crate::ground::Constraint>],
        owners: &[Option<u32>],
        limit: u32,
        choice: Choice,
        cost: impl Fn(u32) -> Cost + Copy,
    ) -> Option<Databases> {
        let states = States::new(ground);
        let database = |error: &Vec<crate::ground::Constraint>| {
            let processes = Processes::of(ground, &states, error, cost);
            let causes = Causes::new(&processes);
            let patterns = match choice {
                Choice::AroundGoals => causes.around_each_goal(limit, MOST_PATTERNS),
                Choice::Nearest => vec![causes.nearest(limit, owners)],
            };
            let table = |pattern: &Vec<u32>| {
                Some(Table::new(Projection::new(&processes, pattern)?, ground, &states))
            };
            let tables: Option<Vec<Table>> = patterns.iter().map(table).collect();
            let groups = causes.additive(&patterns);
            Some(Database { tables: tables?, groups })
        };
        let of_goals: Option<Vec<Database>> = goals.iter().map(database).collect();
        Some(Databases { of_goals: of_goals? })
    }
}

impl Table {
    fn new(projection: Projection, ground: &Ground, states: &States) -> Table {
        let mut listed = vec![];
        let mut digit = |(var, radix): &(u32, u32)| {
            let var = *var as usize;
            // Its states as they are.
            let last = states.of(var).iter().max().copied().unwrap_or(0);
            let same: Vec<u16> = (0..=last as u16).collect();
            (leaf(&ground.variables[var], states.of(var), &same, &mut listed), *radix)
        };
        let digits = projection.digits.iter().map(&mut digit).collect();
        Table { digits, states: listed, distances: projection.distances }
    }

    fn get(&self, state: &[Word]) -> Cost {
        let digit = |(leaf, radix): &(Leaf, u32)| u32::from(leaf.get(state, &self.states)) * radix;
        let number: u32 = self.digits.iter().map(digit).sum();
        self.distances[number as usize]
    }
}

impl Database {
    /// The estimate of a state. `found` is scratch memory for what the tables say of it.
    fn estimate(&self, state: &[Word], found: &mut Vec<Cost>) -> Cost {
        found.clear();
        for table in &self.tables {
            match table.get(state) {
                DEAD_END => return DEAD_END,
                distance => found.push(distance),
            }
        }
        let sum = |group: &Vec<usize>| {
            let all = group.iter().map(|table| found[*table]);
            all.fold(0, Cost::saturating_add).min(DEAD_END - 1)
        };
        self.groups.iter().map(sum).max().unwrap_or(0)
    }
}

impl HeuristicFactory for Databases {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Finder { databases: self, found: Vec::new() })
    }
}

/// Looks states up.
struct Finder<'a> {
    databases: &'a Databases,
    /// What the tables of a conjunction say of the state at hand.
    found: Vec<Cost>,
}

impl Heuristic for Finder<'_> {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        let Finder { databases, found } = self;
        databases.of_goals.iter().map(|of| of.estimate(state, found)).min().unwrap_or(DEAD_END)
    }

    fn claims(&self) -> Claims {
        Claims { admissible: true, consistent: true }
    }

    fn bytes(&self) -> usize {
        let tables = self.databases.of_goals.iter().flat_map(|of| &of.tables);
        tables.map(|table| table.distances.len() * size_of::<Cost>() + table.states.len() * 2).sum()
    }
}
