//! All tests of the crate in one program: what they share is compiled and linked once.

mod dependence;
mod failing_steps;
mod oracle_compiled;
mod oracle_control;
mod oracle_symmetry;
mod reduction;
mod relational;
mod timed_passes;
mod zones_cutting;
mod zones_dbm;
mod zones_oracle;
mod zones_stopwatches;
mod zones_support;
mod zones_symmetry;
