//! The catalogue: what parts there are, by name, with what they promise.
//!
//! A part is one file and one [`Row`] in the table of its crate; the façade
//! concatenates the tables. Capabilities are data, so that a combination that
//! would be unsound or meaningless is refused with a sentence before the
//! search starts.

use crate::expression::Call;

/// What a part is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Decides the order in which states are expanded.
    Strategy,
    /// Remembers the states already seen.
    Store,
    /// Estimates the distance to the goal.
    Estimate,
    /// Prefers some transitions to others.
    Preference,
    /// Reads models.
    Language,
    /// Is asked of a model.
    Question,
    /// Answers questions.
    Engine,
    /// Decides which sets of states are expanded, for the symbolic engine.
    Symbolic,
    /// Finds out by a solver for satisfiability, for the engine `sat`.
    Satisfiability,
}

impl Kind {
    /// The name users read.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Strategy => "strategy",
            Kind::Store => "store",
            Kind::Estimate => "estimate",
            Kind::Preference => "preference",
            Kind::Language => "language",
            Kind::Question => "question",
            Kind::Engine => "engine",
            Kind::Symbolic => "symbolic search",
            Kind::Satisfiability => "check by satisfiability",
        }
    }
}

/// Something a part promises, or needs from the part it is combined with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Capability {
    /// Every reachable state is visited if memory and time last.
    Complete,
    /// The first trace found is a shortest one.
    Shortest,
    /// Two different states are never taken for one.
    Exact,
    /// Stored states can be read back.
    KeepsStates,
    /// Stored states are numbered, so that columns can be attached.
    NumbersStates,
    /// Several threads fill the store at the same time.
    Shared,
    /// Guided by an estimate.
    Directed,
    /// With an admissible estimate, the first trace found is a best one.
    Optimal,
    /// May leave states out: finding nothing means nothing.
    Lossy,
    /// Keeps far fewer states than it visits.
    MemoryBounded,
    /// Takes steps of any cost, and any cost algebra.
    Costs,
    /// Never above the true distance.
    Admissible,
    /// Never falls by more than the cost of a step.
    Consistent,
    /// Made for states without a step, not for goals.
    Deadlock,
    /// Can leave a transition out of the simplified problem it solves.
    LeavesOut,
    /// Finds runs without an end that an automaton accepts.
    Lassos,
    /// Finds those among them on which what is requested again and again is granted
    /// again and again: strong fairness.
    Pairs,
    /// Takes only the successors that partial-order reduction asks for.
    Reduces,
    /// Names the transitions that start the solution of its simplified problem.
    Helpful,
}

impl Capability {
    /// Whether it is a store that gives it.
    pub fn is_of_stores(self) -> bool {
        matches!(
            self,
            Capability::Exact
                | Capability::KeepsStates
                | Capability::NumbersStates
                | Capability::Shared
        )
    }

    /// The name users read.
    pub fn name(self) -> &'static str {
        match self {
            Capability::Complete => "complete",
            Capability::Shortest => "shortest",
            Capability::Exact => "exact",
            Capability::KeepsStates => "keeps-states",
            Capability::NumbersStates => "numbers-states",
            Capability::Shared => "shared-by-threads",
            Capability::Directed => "directed",
            Capability::Optimal => "optimal",
            Capability::Lossy => "lossy",
            Capability::MemoryBounded => "memory-bounded",
            Capability::Costs => "costs",
            Capability::Admissible => "admissible",
            Capability::Consistent => "consistent",
            Capability::Deadlock => "deadlock",
            Capability::LeavesOut => "leaves-out",
            Capability::Lassos => "lassos",
            Capability::Pairs => "pairs",
            Capability::Reduces => "reduces",
            Capability::Helpful => "helpful",
        }
    }
}

/// A parameter of a part, as in `bitstate(bits=30)`.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// Its value where none is given, as text; empty where one must be given.
    pub default: &'static str,
}

impl Parameter {
    /// The number that a call gives for it, or its default.
    pub fn number(&self, call: &Call) -> Result<u64, String> {
        match (call.named(self.name), self.default.parse()) {
            (None, Err(_)) => Err(format!("`{}` of `{}` must be given", self.name, call.name)),
            (_, default) => call.number(self.name, default.unwrap_or(0)),
        }
    }

    /// The same of a number that must be at least `least`.
    pub fn at_least(&self, call: &Call, least: u64) -> Result<u64, String> {
        match self.number(call)? {
            n if n >= least => Ok(n),
            n => Err(format!("`{}` of `{}` is at least {least}, not {n}", self.name, call.name)),
        }
    }
}

/// What the planner needs a strategy for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Job {
    /// To lead to a state from the first step on: what is made at once.
    Begin,
    /// To lead to a state among zones, where a step is dear.
    BeginTimed,
    /// To lead to a state without a step, with or without clocks.
    BeginDeadlock,
    /// To find a state, however long the way.
    FindState,
    /// To find a state without a step.
    FindDeadlock,
    /// To find a state among zones, where a step is dear.
    FindTimedState,
    /// To find one without a step there.
    FindTimedDeadlock,
    /// To prove by the estimate of the initial state that there is no way to a state.
    Refute,
    /// To find a shortest way to a state, and prove that it is one.
    Shortest,
    /// The same, to a state without a step.
    ShortestDeadlock,
    /// To find a shorter way between two states of a run.
    Connect,
    /// To lead a walk to a state.
    Walk,
    /// To lead a walk to a state without a step.
    WalkToDeadlock,
}

/// Something that the planner takes a part for.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// For what.
    pub job: Job,
    /// What comes first among those for the same: the least.
    pub rank: u32,
    /// The strategy, as an expression that has the part in it.
    pub strategy: &'static str,
}

impl Use {
    /// A use of this rank.
    pub const fn new(job: Job, rank: u32, strategy: &'static str) -> Use {
        Use { job, rank, strategy }
    }
}

/// The strategies that the parts of a table offer for a job, the first one first.
pub fn strategies_for<B>(rows: &[Row<B>], job: Job) -> Vec<&'static str> {
    let uses = rows.iter().flat_map(|row| row.uses).filter(|offered| offered.job == job);
    let mut uses: Vec<&Use> = uses.collect();
    uses.sort_by_key(|offered| offered.rank);
    uses.into_iter().map(|offered| offered.strategy).collect()
}

/// One part, described.
#[derive(Clone, Copy, Debug)]
pub struct Row<Build: 'static> {
    /// The name in strategy expressions and on the command line.
    pub name: &'static str,
    /// What it is for.
    pub kind: Kind,
    /// One sentence.
    pub about: &'static str,
    /// Where it was published; empty for folklore.
    pub cite: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// What it needs from the parts it is combined with.
    pub needs: &'static [Capability],
    /// What it promises.
    pub gives: &'static [Capability],
    /// What the planner takes it for.
    pub uses: &'static [Use],
    /// Makes it.
    pub build: Build,
}

impl<Build> Row<Build> {
    /// Whether the part promises `capability`.
    pub fn gives(&self, capability: Capability) -> bool {
        self.gives.contains(&capability)
    }

    /// The row without its builder, for listings.
    pub fn describe(&self) -> Row<()> {
        Row {
            name: self.name,
            kind: self.kind,
            about: self.about,
            cite: self.cite,
            parameters: self.parameters,
            needs: self.needs,
            gives: self.gives,
            uses: self.uses,
            build: (),
        }
    }
}

/// The row of this name, or a sentence that names the nearest one.
pub fn find<'a, B>(rows: &'a [Row<B>], kind: Kind, name: &str) -> Result<&'a Row<B>, String> {
    rows.iter().find(|row| row.name == name).ok_or_else(|| {
        let known: Vec<&str> = rows.iter().map(|row| row.name).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are: {}", known.join(", ")),
        };
        format!("there is no {} `{name}`; {hint}", kind.name())
    })
}

/// The candidate nearest to `name` by edit distance, if it is near enough to
/// be what was meant: at most a third of the letters differ.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = name.chars().count().max(3) / 3;
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, by rows.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_typing_errors_only() {
        assert_eq!(nearest("greddy", ["breadth", "greedy"]), Some("greedy"));
        assert_eq!(nearest("zzz", ["breadth", "greedy"]), None);
    }
}
