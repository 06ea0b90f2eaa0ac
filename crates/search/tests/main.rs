//! All tests of the crate in one program: what they share is compiled and linked once.

mod anytime;
mod bounded;
mod breadth;
mod cndfs;
mod costs;
mod covering;
mod depth;
mod directed;
mod emptiness;
mod emptiness_reduced;
mod exploring;
mod external;
mod kept;
mod layered;
mod limits;
mod local;
mod orders;
mod persistence;
mod persistence_zones;
mod reduction;
mod support;
mod threads;
