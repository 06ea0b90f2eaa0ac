//! All tests of the crate in one program: what they share is compiled and linked once.

mod answers;
mod claims;
mod encodings;
mod examples;
mod fast_downward;
mod hardware;
mod limits;
mod liveness;
mod minimise;
mod models;
mod promela_channels;
mod promela_corpus;
mod promela_counts;
mod promela_processes;
mod promela_settled;
mod queries;
mod random;
mod reduction;
mod simulate;
mod stopwatches;
mod support;
mod threads;
mod timed;
mod traces;
mod typed;
mod usage;
