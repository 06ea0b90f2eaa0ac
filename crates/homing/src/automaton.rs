//! The automaton of a formula, as text: what `homing automaton` prints.

use homing_ir::temporal::Formula;
use homing_ir::{Diagnostic, Sources, Span};
use homing_omega::classify::{self, Strength};
use homing_omega::component::{self, Class};
use homing_omega::degeneralise::state_based;
use homing_omega::{Automaton, dot, hoa, never, print, reduce, translate};

use homing_report::format::Format;

use crate::UsageError;

/// Writes an automaton: with the texts of its atoms, and a title.
pub type WriteAutomaton = fn(&Automaton, &[String], &str) -> String;

/// How automata are written.
pub const AUTOMATON_FORMATS: &[Format<WriteAutomaton>] = &[
    Format {
        name: TEXT,
        about: "for people: what is known of the formula, then state by state",
        write: |automaton, atoms, _| described(automaton, atoms),
    },
    Format { name: "hoa", about: "the exchange format of automata", write: hoa::write },
    Format {
        name: "never",
        about: "a never claim of Promela",
        write: |automaton, atoms, title| never::write(&state_based(automaton), atoms, title),
    },
    Format { name: "dot", about: "a graph for Graphviz", write: dot::write },
];

const TEXT: &str = "text";

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct AutomatonOptions {
    /// How it is written.
    pub format: &'static Format<WriteAutomaton>,
    /// Whether the automaton of the negation is wanted: of the runs that violate
    /// the formula.
    pub negate: bool,
    /// Whether it is to have accepting states, not sets of transitions.
    pub buchi: bool,
}

/// The automaton of a formula whose atoms are texts.
pub fn automaton(text: &str, options: AutomatonOptions) -> Result<String, UsageError> {
    let formula = read(text)?;
    let formula = if options.negate { formula.negated() } else { formula };
    let wrong = |error: homing_omega::Error| UsageError::Sentence(error.to_string());
    let made = translate(&formula).map_err(wrong)?;
    let title = print::formula(&formula, &atom);
    let mut heading = String::new();
    if options.format.name == TEXT {
        let kind = classify::kind(&formula).map_err(wrong)?;
        let named = |atom: &u32| made.atoms[*atom as usize].clone();
        heading = format!("formula     {title}\n");
        heading += &format!("simplified  {}\n", print::formula(&made.formula, &named));
        heading += &format!("kind        {}\n", kinds(kind));
    }
    Ok(heading + &written(made.automaton, &made.atoms, &title, options))
}

/// The automaton of a text in the exchange format, reduced.
pub fn automaton_of_hoa(text: &str, options: AutomatonOptions) -> Result<String, UsageError> {
    if options.negate {
        let message = "an automaton cannot be negated, only a formula can";
        return Err(UsageError::Sentence(message.to_string()));
    }
    let read = hoa::read(text).map_err(|problem| UsageError::Sentence(problem.to_string()))?;
    let reduced = reduce::reduce(&read.automaton);
    Ok(written(reduced, &read.atoms, &read.name.unwrap_or_default(), options))
}

fn atom(text: &String) -> String {
    let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if plain { text.clone() } else { format!("({text})") }
}

/// A formula over stretches of its text.
fn read(text: &str) -> Result<Formula<String>, UsageError> {
    let parsed = homing_lang::ltl::parse(text).map_err(|problem| {
        let mut sources = Sources::default();
        let source = sources.add("<formula>", text);
        let (start, end) = (problem.range.start as u32, problem.range.end as u32);
        let error = Diagnostic::error(problem.message, Span { source, start, end });
        UsageError::Diagnostics { sources, diagnostics: vec![error] }
    })?;
    let named: Result<_, UsageError> =
        parsed.try_map(&mut |range| Ok(text[range.clone()].trim().to_string()));
    named
}

fn written(
    automaton: Automaton,
    atoms: &[String],
    title: &str,
    options: AutomatonOptions,
) -> String {
    let automaton = if options.buchi { state_based(&automaton) } else { automaton };
    (options.format.write)(&automaton, atoms, title)
}

fn kinds(kind: classify::Kind) -> String {
    let class = match kind {
        classify::Kind { safety: true, guarantee: true, .. } => "safety and guarantee",
        classify::Kind { safety: true, .. } => "safety",
        classify::Kind { guarantee: true, .. } => "guarantee",
        classify::Kind { obligation: true, .. } => "obligation",
        _ => "reactivity",
    };
    let stutter = if kind.stutter_invariant { "" } else { "not " };
    format!("{class}, {stutter}stutter-invariant")
}

fn described(automaton: &Automaton, atoms: &[String]) -> String {
    let components = component::of_automaton(automaton);
    let classes = component::classes(automaton, &components);
    let strength = match classify::strength(automaton) {
        Strength::Terminal => "terminal",
        Strength::Weak => "weak",
        Strength::General => "not weak",
    };
    let counted = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let mut text = format!(
        "automaton   {}, {}, {}, {strength}\n",
        counted(automaton.states.len(), "state"),
        counted(reduce::edges(automaton), "transition"),
        counted(automaton.sets as usize, "acceptance set"),
    );
    for state in 0..automaton.states.len() as u32 {
        let class = match classes[components.of[state as usize] as usize] {
            Class::NonAccepting => "not accepting",
            Class::PartiallyAccepting => "partially accepting",
            Class::FullyAccepting => "fully accepting",
        };
        let start = if automaton.initial.contains(&state) { ", initial" } else { "" };
        text += &format!("\nstate {state}: {class}{start}\n");
        for line in dot::lines(automaton, state, atoms) {
            text += &format!("  {line}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use homing_report::format::named;

    use super::*;

    fn options(format: &str) -> AutomatonOptions {
        let format = named(AUTOMATON_FORMATS, format).unwrap();
        AutomatonOptions { format, negate: false, buchi: false }
    }

    fn shown(text: &str, format: &str) -> String {
        automaton(text, options(format)).unwrap()
    }

    #[test]
    fn a_response_formula_in_all_forms() {
        let text = shown("G (a -> F b)", "text");
        assert!(text.starts_with("formula     [] (a -> <> b)\n"), "{text}");
        assert!(text.contains("reactivity, stutter-invariant"), "{text}");
        let hoa = shown("G (a -> F b)", "hoa");
        assert_eq!(automaton_of_hoa(&hoa, options("hoa")).unwrap(), hoa);
        let never = shown("G (a -> F b)", "never");
        assert!(never.starts_with("never {    /* [] (a -> <> b) */\naccept_init:\n"), "{never}");
        assert!(shown("a U b", "dot").contains("rankdir=LR"));
    }

    #[test]
    fn kinds_are_named() {
        for (text, kind) in [
            ("G a", "safety, stutter-invariant"),
            ("F a", "guarantee, stutter-invariant"),
            ("X a", "safety and guarantee, not stutter-invariant"),
            ("G a || F b", "obligation, stutter-invariant"),
            ("G F a", "reactivity, stutter-invariant"),
            ("F (a && X F b)", "guarantee, not stutter-invariant"),
            ("F (a && X (!a && F b))", "guarantee, stutter-invariant"),
        ] {
            let shown = shown(text, "text");
            assert!(shown.contains(&format!("kind        {kind}\n")), "{text}: {shown}");
        }
    }

    #[test]
    fn wrong_formulas_have_a_place() {
        let options = AutomatonOptions { negate: true, buchi: true, ..options("text") };
        match automaton("[] (a", options) {
            Err(UsageError::Diagnostics { diagnostics, .. }) => {
                assert_eq!(diagnostics[0].span.start, 3);
            }
            other => panic!("{other:?}"),
        }
        let many: Vec<String> = (0..65).map(|i| format!("a{i}")).collect();
        let error = automaton(&many.join(" && "), options).unwrap_err();
        assert_eq!(error.to_string(), "the formula has more than 64 different propositions");
    }
}
