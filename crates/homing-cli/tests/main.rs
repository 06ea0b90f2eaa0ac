//! All tests of the crate in one program: what they share is compiled and linked once.

mod checkpoint;
mod command;
mod compare;
mod disk;
mod json;
mod planning;
mod promela;
mod queries;
mod simulate;
mod support;
mod temporal;
mod timed;
mod traces;
mod words;
mod work;
