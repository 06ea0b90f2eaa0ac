//! Searches for runs without an end that are accepted: see
//! [`emptiness`](mod@crate::emptiness).

use std::sync::Arc;

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::Call;

use crate::emptiness::Search;
use crate::strategy::{Algorithm, Context, Plan, Strategy, StrategyBuilder};
use crate::task::Outcome;

const IMPROVE: Parameter = Parameter {
    name: "improve",
    about: "states that may be expanded to make the lasso found shorter",
    default: "as many as it took to find it, and more the longer it is",
};

const WITHIN: Parameter = Parameter {
    name: "within",
    about: "states that may be expanded to find a lasso",
    default: "any number",
};

/// The distance of the inner search, Hamming's first.
const INNER: Parameter = Parameter {
    name: "inner",
    about: "how near a state is to where the inner search started: `hamming`, in bits; or by the processes' own graphs, the farthest (`fsm-max`) or all (`fsm-sum`)",
    default: "hamming",
};

/// That of searches which show what they find as it is, unless told otherwise.
const IMPROVE_NOT: Parameter = Parameter { default: "0", ..IMPROVE };

/// Tarjan's search.
pub const TARJAN: Row<StrategyBuilder> = Row {
    name: "tarjan",
    kind: Kind::Strategy,
    about: "strongly connected components: reports an accepted run when its component is complete",
    cite: "Tarjan 1972",
    parameters: &[IMPROVE_NOT, WITHIN],
    needs: &[Capability::NumbersStates],
    gives: &[Capability::Complete, Capability::Lassos, Capability::Reduces],
    uses: &[],
    build: |call, _| lassos(call, Search::Tarjan, IMPROVE_NOT, None),
};

/// Nested depth-first search as published.
pub const NESTED: Row<StrategyBuilder> = Row {
    name: "nested",
    kind: Kind::Strategy,
    about: "nested depth-first search as published: a second search from every accepting state that is left",
    cite: "Courcoubetis, Vardi, Wolper, Yannakakis 1992",
    parameters: &[IMPROVE_NOT, WITHIN],
    needs: &[Capability::NumbersStates],
    gives: &[Capability::Complete, Capability::Lassos, Capability::Reduces],
    uses: &[],
    build: |call, _| lassos(call, Search::Nested, IMPROVE_NOT, None),
};

/// Nested depth-first search, improved.
pub const NDFS: Row<StrategyBuilder> = Row {
    name: "ndfs",
    kind: Kind::Strategy,
    about: "nested depth-first search, improved: many cycles are seen as soon as they are closed",
    cite: "Schwoon, Esparza 2005; Gaiser, Schwoon 2009",
    parameters: &[IMPROVE, WITHIN],
    needs: &[Capability::NumbersStates],
    gives: &[Capability::Complete, Capability::Lassos, Capability::Reduces],
    uses: &[],
    build: |call, _| lassos(call, Search::Ndfs, IMPROVE, None),
};

/// Couvreur's search.
pub const COUVREUR: Row<StrategyBuilder> = Row {
    name: "couvreur",
    kind: Kind::Strategy,
    about: "components as they grow: an accepted run is seen as soon as cycles through all sets are closed",
    cite: "Couvreur 1999; Gaiser, Schwoon 2009",
    parameters: &[IMPROVE, WITHIN],
    needs: &[Capability::NumbersStates],
    gives: &[Capability::Complete, Capability::Lassos, Capability::Reduces],
    uses: &[],
    build: |call, _| lassos(call, Search::Couvreur, IMPROVE, None),
};

/// Components, refined where pairs ask for it.
pub const STREETT: Row<StrategyBuilder> = Row {
    name: "streett",
    kind: Kind::Strategy,
    about: "components as they grow, refined where what is requested in them is never granted: decides strong fairness",
    cite: "Emerson, Lei 1987; Latvala, Heljanko 2000; Duret-Lutz, Poitrenaud, Couvreur 2009",
    parameters: &[IMPROVE],
    needs: &[Capability::KeepsStates, Capability::NumbersStates],
    gives: &[Capability::Complete, Capability::Lassos, Capability::Pairs, Capability::Reduces],
    uses: &[],
    build: |call, _| lassos(call, Search::Streett, IMPROVE, None),
};

/// Directed nested depth-first search.
pub const DIRECTED_NESTED: Row<StrategyBuilder> = Row {
    name: "directed-nested",
    kind: Kind::Strategy,
    about: "nested depth-first search directed by the components of the property automaton and an estimate, the inner search to where it started",
    cite: "Edelkamp, Lluch Lafuente, Leue 2001",
    parameters: &[
        Parameter {
            name: "estimate",
            about: "the estimate that orders successors in the outer search",
            default: "none",
        },
        INNER,
        IMPROVE,
        WITHIN,
    ],
    needs: &[Capability::NumbersStates],
    gives: &[Capability::Complete, Capability::Lassos, Capability::Reduces],
    uses: &[],
    build: |call, _| {
        let given = call.named("estimate").into_iter().chain(call.unnamed());
        let mut given = given.map(|estimate| estimate.as_call().cloned());
        let estimate = given.next().transpose()?.filter(|estimate| estimate.name != "none");
        if given.next().is_some() {
            return Err(format!("`{}` takes one estimate", call.name));
        }
        lassos(call, Search::DirectedNested, IMPROVE, estimate)
    },
};

/// Nested depth-first search by several threads.
pub const CNDFS: Row<StrategyBuilder> = Row {
    name: "cndfs",
    kind: Kind::Strategy,
    about: "nested depth-first search by several threads, which share what they have coloured (`--threads`)",
    cite: "Evangelista, Laarman, Petrucci, van de Pol 2012",
    parameters: &[IMPROVE, WITHIN],
    needs: &[
        Capability::Exact,
        Capability::KeepsStates,
        Capability::NumbersStates,
        Capability::Shared,
    ],
    gives: &[Capability::Complete, Capability::Lassos],
    uses: &[],
    build: |call, _| lassos(call, Search::Cndfs, IMPROVE, None),
};

/// One way catch them young.
pub const OWCTY: Row<StrategyBuilder> = Row {
    name: "owcty",
    kind: Kind::Strategy,
    about: "one way catch them young: breadth-first, then what is on no accepted run is removed until nothing changes",
    cite: "Fisler, Fraer, Kamhi, Vardi, Yang 2001; Černá, Pelánek 2003",
    parameters: &[IMPROVE, WITHIN],
    needs: &[Capability::KeepsStates, Capability::NumbersStates],
    gives: &[Capability::Complete, Capability::Lassos, Capability::Reduces],
    uses: &[],
    build: |call, _| lassos(call, Search::Owcty, IMPROVE, None),
};

fn lassos(
    call: &Call,
    search: Search,
    improve: Parameter,
    estimate: Option<Call>,
) -> Result<Strategy, String> {
    match search {
        Search::DirectedNested => {
            call.allow(&["estimate", INNER.name, improve.name, WITHIN.name])?;
        }
        _ => call.allow_named(&[improve.name, WITHIN.name])?,
    }
    let effort = match call.named(improve.name) {
        None => improve.default.parse().ok(),
        Some(_) => Some(call.number(improve.name, 0)?),
    };
    let within = call.number(WITHIN.name, u64::MAX)?;
    let inner = call.choice(INNER.name, &["hamming", "fsm-max", "fsm-sum"])?;
    let distance = Some(inner).filter(|inner| *inner != INNER.default);
    Ok(Strategy {
        algorithm: Arc::new(Lassos { search, effort, within, distance }),
        estimate,
        prefer: None,
        plan: Plan::Once,
        call: call.clone(),
    })
}

#[derive(Debug)]
struct Lassos {
    search: Search,
    /// In proportion to the search where none is given.
    effort: Option<u64>,
    within: u64,
    distance: Option<&'static str>,
}

impl Algorithm for Lassos {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        self.search.run(run, self.within, self.effort)
    }

    fn most_sets(&self) -> u32 {
        self.search.most_sets()
    }

    fn distance(&self) -> Option<&'static str> {
        self.distance
    }
}
