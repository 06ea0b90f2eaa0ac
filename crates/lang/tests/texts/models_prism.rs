//! The project's own models in PRISM's language mean what their first lines say, and texts
//! that are meant to do harm do none.

use std::fs;

use crate::support::expectations::Subject;
use crate::support::{explored, mean_what_they_say, models, render_all};
use homing_ir::Network;
use homing_ir::network::ExprKind;
use homing_lang::{Parsed, Settings, prism};

fn parse(name: &str, text: &str) -> Parsed {
    prism::parse(name, text, &Settings::default())
}

fn with(constants: &[&str], text: &str) -> Parsed {
    let constants: Vec<String> = constants.iter().map(|one| (*one).to_string()).collect();
    let settings = Settings { constants: &constants, ..Settings::default() };
    prism::parse("model.prism", text, &settings)
}

fn said(parsed: &Parsed) -> String {
    render_all(&parsed.network.sources, &parsed.diagnostics)
}

fn observe(network: &mut Network, subject: &Subject) -> String {
    explored(network, subject, prism::expression)
}

#[test]
fn models_mean_what_they_say() {
    mean_what_they_say("prism", parse, observe);
}

/// Cut anywhere, a model is still read without harm.
#[test]
fn every_beginning_of_a_model_is_read() {
    for path in models("prism").into_iter().chain(models("prism/bad")) {
        let text = fs::read_to_string(&path).unwrap();
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let _ = parse("cut.prism", &text[..end]);
        }
    }
}

#[test]
fn constants_are_given() {
    let text = "mdp const int N; const double p; const bool b;\n\
                module M x : [0..N]; [] x<N & b -> p : (x'=x+1) + 1-p : true; endmodule\n\
                label \"full\" = x=N;";
    let mut parsed = with(&["N=2,b=true", "p=1/3"], text);
    assert!(parsed.usable(), "{}", said(&parsed));
    assert_eq!(observe(&mut parsed.network, &Subject::States), "3");
    let goal = Subject::Goal("\"full\" & N=2".to_string());
    assert_eq!(observe(&mut parsed.network, &goal), "violated, length 2");
    let open = with(&["b=true,p=0.5"], text);
    assert!(said(&open).contains("the constant `N` has no value"), "{}", said(&open));
    assert!(said(&open).contains("--const N=…"), "{}", said(&open));
    for (given, expected) in [
        ("Nn=3", "there is no constant `Nn`"),
        ("N=1:3", "a constant can have one value only"),
        ("N=0.5", "the constant `N` is a whole number"),
        ("N=", "expected an expression, found the end of the text"),
        ("N=1,N=2", "the constant `N` is given twice"),
    ] {
        let parsed = with(&[given], text);
        assert!(said(&parsed).contains(expected), "{given}: {}", said(&parsed));
    }
}

/// The weights of a command, as what is above and below.
fn weights(text: &str) -> Vec<(i64, i64)> {
    let parsed = parse("weights.prism", text);
    assert!(parsed.usable(), "{}", said(&parsed));
    let edge = &parsed.network.processes[0].edges[0];
    let weights = edge.branches.iter().map(|branch| match branch.weight.as_ref().unwrap().kind {
        ExprKind::Int(value) => (value, 1),
        ExprKind::Ratio(above, below) => (above, below),
        _ => panic!("no number"),
    });
    weights.collect()
}

#[test]
fn weights_are_exact() {
    let text = "dtmc const double p = 0.1; module M x : [0..2];\n\
                [] true -> p+0.2 : (x'=0) + 1/3 : (x'=1) + 11/30 : (x'=2); endmodule";
    assert_eq!(weights(text), [(3, 10), (1, 3), (11, 30)]);
    let text = "dtmc module M x : [0..2];\n\
                [] true -> pow(2, -2) : (x'=0) + log(8, 2)/4 : (x'=1); endmodule";
    assert_eq!(weights(text), [(1, 4), (3, 4)]);
}

#[test]
fn deep_nesting_is_refused() {
    let model = |guard: &str| format!("mdp module M x : [0..1]; [] {guard} -> true; endmodule");
    for (open, inner, close) in
        [("(", "x=0", ")"), ("!", "true", ""), ("-", "x", ""), ("floor(", "x", ")")]
    {
        let guard = format!("{}{inner}{}", open.repeat(100_000), close.repeat(100_000));
        assert!(!parse("deep.prism", &model(&guard)).usable());
    }
    let wide = format!("x=0{}", " & x=0".repeat(10_000));
    assert!(parse("wide.prism", &model(&wide)).usable());
    let chosen = format!("{}x=0{}", "x=0 ? x=0 : ".repeat(100_000), "");
    assert!(!parse("deep.prism", &model(&chosen)).usable());
    let system =
        format!("{} system {}M{} endsystem", model("true"), "(".repeat(9999), ")".repeat(9999));
    assert!(!parse("deep.prism", &system).usable());
}

/// Formulas that double again and again, over constants and over the state.
#[test]
fn formulas_that_explode_are_refused() {
    for (first, usable) in [("x", false), ("1", false), ("0", true)] {
        let mut text = format!("mdp formula f0 = {first};");
        for number in 1..50 {
            text += &format!("formula f{number} = f{0} + f{0};", number - 1);
        }
        text += "module M x : [0..1]; [] f49=0 -> true; endmodule";
        assert_eq!(parse("many.prism", &text).usable(), usable, "{first}");
    }
}

#[test]
fn the_example_elects_somebody_in_any_round() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/leader.prism");
    let mut parsed = with(&["MOST=4"], &fs::read_to_string(path).unwrap());
    assert!(parsed.usable(), "{}", said(&parsed));
    assert_eq!(observe(&mut parsed.network, &Subject::Deadlock), "holds");
    assert_eq!(observe(&mut parsed.network, &Subject::Error), "holds");
    for (goal, expected) in [
        ("\"elected\" & rounds=0", "violated, length 4"),
        ("\"elected\" & rounds=3", "violated, length 16"),
        ("\"elected\" & \"dispute\"", "holds"),
    ] {
        let goal = Subject::Goal(goal.to_string());
        assert_eq!(observe(&mut parsed.network, &goal), expected, "{goal:?}");
    }
}
