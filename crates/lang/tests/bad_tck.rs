//! Broken models, and what is said of them: beside every `bad/NAME.tck` stands
//! `NAME.expected`. `HOMING_BLESS=1` writes the latter anew.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use homing_lang::tck;
use support::{models, render_all};

#[test]
fn broken_models_are_explained() {
    let bless = std::env::var_os("HOMING_BLESS").is_some();
    for path in models("tck/bad") {
        let text = fs::read_to_string(&path).unwrap();
        let parsed = tck::parse("model.tck", &text);
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
