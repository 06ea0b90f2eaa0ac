//! The formulas of the corpus, with what is known of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::corpus::{Corpus, files};
use crate::table::Table;

/// A formula for a model.
#[derive(Clone, Debug)]
pub struct Known {
    /// The model's name and the formula's.
    pub name: String,
    /// The model.
    pub model: PathBuf,
    /// The formula, as it is written.
    pub formula: String,
    /// Whether it holds, where known.
    pub holds: Option<bool>,
}

/// All formulas for BEEM's models: one a file, and those that BEEM itself asks.
pub fn all(corpus: &Corpus) -> Result<Vec<Known>> {
    let mut found = one_a_file(&corpus.ltl_folder())?;
    let folder = corpus.beem_folder();
    for row in Table::read(&folder.join("ltl-props.tsv"))?.rows() {
        let texts = ["model", "instance", "property_id", "formula"].map(|name| row.text(name));
        let [Some(family), Some(instance), Some(id), Some(formula)] = texts else { continue };
        let model = folder.join(family).join(format!("{family}.{instance}.dve"));
        if model.is_file() {
            found.push(Known {
                name: format!("{family}.{instance}, BEEM {id}"),
                model,
                formula: formula.to_owned(),
                holds: row.text("beem_answer").and_then(answer),
            });
        }
    }
    Ok(found)
}

fn answer(text: &str) -> Option<bool> {
    match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// Files below `root`, beside their model: `MODEL_T_NUMBER.ltl` holds, `_F_` not.
fn one_a_file(root: &Path) -> Result<Vec<Known>> {
    let mut found = Vec::new();
    for file in files(root, &["ltl"])? {
        let name = file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (model, holds) = match (name.split_once("_T_"), name.split_once("_F_")) {
            (Some((model, _)), _) => (model, true),
            (None, Some((model, _))) => (model, false),
            (None, None) => continue,
        };
        let model = file.path.with_file_name(format!("{model}.dve"));
        let formula = file.text()?.trim().to_owned();
        found.push(Known { name, model, formula, holds: Some(holds) });
    }
    contradictions(&mut found);
    Ok(found)
}

/// A formula and its negation cannot both hold, yet both are said to in some files:
/// then nothing is known of either.
fn contradictions(formulas: &mut [Known]) {
    // Files are written as `!(f)` and `!(!f)`.
    let inner =
        |known: &Known| known.formula.strip_prefix("!(")?.strip_suffix(')').map(str::to_owned);
    let key = |known: &Known, inner: &str| (known.model.clone(), inner.to_owned());
    let hold: BTreeSet<_> = formulas
        .iter()
        .filter(|known| known.holds == Some(true))
        .filter_map(|known| Some(key(known, &inner(known)?)))
        .collect();
    for known in formulas.iter_mut() {
        let Some(inner) = inner(known) else { continue };
        let mut negations = vec![format!("!{inner}"), format!("!({inner})")];
        if let Some(positive) = inner.strip_prefix('!') {
            let bare = positive.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            negations.extend([positive].into_iter().chain(bare).map(str::to_owned));
        }
        let contradicted = negations.iter().any(|negated| hold.contains(&key(known, negated)));
        if known.holds == Some(true) && contradicted {
            known.holds = None;
        }
    }
}
