//! Linear temporal logic and automata on infinite words.
