//! Broken models, and what is said of them: beside every `bad/NAME.dve` stands
//! `NAME.expected`. `HOMING_BLESS=1` writes the latter anew.

use std::fs;

use homing_lang::{Parsed, Settings, dve, prism, tck};

use crate::support::{models, render_all};

fn explained(language: &str, parse: impl Fn(&str, &str) -> Parsed) {
    let bless = std::env::var_os("HOMING_BLESS").is_some();
    for path in models(&format!("{language}/bad")) {
        let text = fs::read_to_string(&path).unwrap();
        let parsed = parse(&format!("model.{language}"), &text);
        let said = render_all(&parsed.network.sources, &parsed.diagnostics);
        let expected_path = path.with_extension("expected");
        if bless {
            fs::write(&expected_path, &said).unwrap();
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        assert_eq!(said, expected, "{}", path.display());
        assert!(!said.is_empty(), "{}: nothing is wrong", path.display());
    }
}

#[test]
fn broken_models_of_dve_are_explained() {
    explained("dve", dve::parse);
}

#[test]
fn broken_models_of_tchecker_are_explained() {
    explained("tck", tck::parse);
}

#[test]
fn broken_models_of_prism_are_explained() {
    explained("prism", |name, text| prism::parse(name, text, &Settings::default()));
}
