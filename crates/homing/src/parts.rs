//! The catalogue: the tables of all crates, one after the other.

use homing_core::catalogue::{Kind, Row};

use crate::check::{ENGINES, Engine};
use crate::question::QUESTIONS;
use crate::relational::CHECKS;
use crate::symbolic::SYMBOLIC;

/// All parts there are.
pub fn catalogue() -> Vec<Row<()>> {
    let strategies = homing_search::STRATEGIES.iter().map(Row::describe);
    let stores = homing_store::STORES.iter().map(Row::describe);
    let estimates = homing_guide::ESTIMATES.iter().map(Row::describe);
    let preferences = homing_guide::PREFERENCES.iter().map(Row::describe);
    let languages = homing_lang::LANGUAGES.iter().map(|language| Row {
        name: language.name,
        kind: Kind::Language,
        about: language.about,
        cite: language.cite,
        parameters: &[],
        needs: &[],
        gives: &[],
        uses: &[],
        build: (),
    });
    let questions = QUESTIONS.iter().map(Row::describe);
    let engines = ENGINES.iter().map(Engine::describe);
    let symbolic = SYMBOLIC.iter().map(Row::describe);
    let checks = CHECKS.iter().map(Row::describe);
    let last = languages.chain(questions).chain(engines).chain(symbolic).chain(checks);
    strategies.chain(stores).chain(estimates).chain(preferences).chain(last).collect()
}
