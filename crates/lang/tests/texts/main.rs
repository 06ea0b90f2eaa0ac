//! Whole texts, read: the project's own models, broken ones, and those of the corpus.
//!
//! One program for all of them, so that what they share is written and built once.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod bad;
mod corpus_dve;
mod corpus_ltl;
mod corpus_prism;
mod corpus_tck;
mod models_dve;
mod models_prism;
mod models_tck;
mod network_dve;
mod random_prism;
mod support;
mod uppaal_corpus;
mod uppaal_models;
