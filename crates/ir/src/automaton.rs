//! Automata on infinite words, as the product with a state space needs them.
//!
//! Generalised Büchi automata with acceptance on transitions: a run of the
//! automaton is accepting if it takes transitions of every set again and again.
//! Büchi automata with accepting states are those with one set, which all
//! transitions that leave an accepting state are in.
//!
//! A letter is the set of atoms that hold in a state of the system. The first
//! letter is that of the initial state.

/// The most atoms, and the most acceptance sets.
pub const MOST: u32 = 64;

/// A generalised Büchi automaton with acceptance on transitions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    /// The number of atoms that its letters are made of; at most [`MOST`].
    pub atoms: u32,
    /// The number of acceptance sets; at most [`MOST`]. Without any, every
    /// infinite run is accepting.
    pub sets: u32,
    /// Where it may start.
    pub initial: Vec<u32>,
    /// By state, the transitions that leave it.
    pub states: Vec<Vec<Transition>>,
}

/// A transition of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Transition {
    /// The letters it reads.
    pub guard: Cube,
    /// The acceptance sets it is in, as a bit set.
    pub marks: u64,
    /// Where it leads.
    pub target: u32,
}

/// A set of letters: those with all of some atoms and none of some others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    /// The atoms that must hold, as a bit set.
    pub all_of: u64,
    /// The atoms that must not.
    pub none_of: u64,
}

impl Cube {
    /// All letters.
    pub const TRUE: Cube = Cube { all_of: 0, none_of: 0 };

    /// Whether the letter is in the set.
    pub fn contains(self, letter: u64) -> bool {
        letter & self.all_of == self.all_of && letter & self.none_of == 0
    }

    /// Whether there is no letter in the set.
    pub fn is_empty(self) -> bool {
        self.all_of & self.none_of != 0
    }
}

impl Automaton {
    /// All acceptance sets, as a bit set.
    pub fn all_sets(&self) -> u64 {
        match self.sets {
            64.. => u64::MAX,
            n => (1 << n) - 1,
        }
    }

    /// The transitions that leave a state and read a letter.
    pub fn open(&self, state: u32, letter: u64) -> impl Iterator<Item = &Transition> {
        let leaving = self.states[state as usize].iter();
        leaving.filter(move |transition| transition.guard.contains(letter))
    }

    /// Whether every run that comes to this state is accepted whatever follows:
    /// it has a transition to itself that reads everything, in all sets.
    pub fn accepts_all(&self, state: u32) -> bool {
        let all = self.all_sets();
        self.states[state as usize].iter().any(|transition| {
            transition.guard == Cube::TRUE
                && transition.target == state
                && transition.marks & all == all
        })
    }
}
