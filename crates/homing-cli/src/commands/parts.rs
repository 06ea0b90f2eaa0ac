//! `homing parts`: the catalogue, from which the manual's reference is made.

use std::io::{self, Write};

use homing::catalogue::{Capability, Kind, Row, nearest};
use homing::report::style::Palette;
use serde_json::{Value, json};

use crate::arguments::Parts;
use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::terminal::{Terminal, print};

type Part = Row<()>;

/// Runs the command.
pub fn run(arguments: &Parts, terminal: &Terminal) -> Result<Exit, Failure> {
    let parts = match &arguments.name {
        Some(name) => named(name)?,
        None => homing::catalogue(),
    };
    Ok(print(|out| match arguments {
        Parts { json: true, .. } => {
            super::json(out, &parts.iter().map(described).collect::<Vec<Value>>())
        }
        Parts { markdown: true, .. } => markdown(out, &parts),
        Parts { name: Some(_), .. } => details(out, &parts, &terminal.layout.palette),
        _ => list(out, &parts, &terminal.layout.palette),
    }))
}

/// The parts of this name; there may be one of every kind.
fn named(name: &str) -> Result<Vec<Part>, Failure> {
    let all = homing::catalogue();
    let hint = match nearest(name, all.iter().map(|part| part.name)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`homing parts` lists them all".into(),
    };
    let found: Vec<Part> = all.into_iter().filter(|part| part.name == name).collect();
    if found.is_empty() {
        return Err(sentence(format_args!("there is no part `{name}`; {hint}")));
    }
    Ok(found)
}

/// The kinds of part, with their heading.
const KINDS: [(Kind, &str); 9] = [
    (Kind::Strategy, "Strategies"),
    (Kind::Store, "Stores"),
    (Kind::Estimate, "Estimates"),
    (Kind::Preference, "Preferences"),
    (Kind::Language, "Languages"),
    (Kind::Question, "Questions"),
    (Kind::Engine, "Engines"),
    (Kind::Symbolic, "Symbolic searches"),
    (Kind::Satisfiability, "Checks by satisfiability"),
];

/// The kinds that have parts, with these.
fn by_kind(parts: &[Part]) -> impl Iterator<Item = (&'static str, Vec<&Part>)> {
    let of = |kind: Kind| parts.iter().filter(move |part| part.kind == kind).collect::<Vec<_>>();
    let all = KINDS.into_iter().map(move |(kind, heading)| (heading, of(kind)));
    all.filter(|(_, parts)| !parts.is_empty())
}

/// One line a part.
fn list(out: &mut dyn Write, parts: &[Part], palette: &Palette) -> io::Result<()> {
    let Palette { strong, faint, .. } = palette;
    let width = parts.iter().map(|part| part.name.len()).max().unwrap_or(0);
    for (heading, parts) in by_kind(parts) {
        writeln!(out, "{strong}{heading}{strong:#}")?;
        for part in parts {
            writeln!(out, "  {:<width$}  {}", part.name, part.about)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{faint}`homing parts NAME` tells more about one of them{faint:#}")
}

/// All there is to say.
fn details(out: &mut dyn Write, parts: &[Part], palette: &Palette) -> io::Result<()> {
    let Palette { strong, .. } = palette;
    for part in parts {
        writeln!(out, "{strong}{}{strong:#} ({})", part.name, part.kind.name())?;
        writeln!(out, "  {}", part.about)?;
        for parameter in part.parameters {
            let default = with_default(parameter.default);
            writeln!(out, "  {}: {}{default}", parameter.name, parameter.about)?;
        }
        for (title, text) in facts(part) {
            writeln!(out, "  {title}: {text}")?;
        }
    }
    Ok(())
}

fn with_default(default: &str) -> String {
    if default.is_empty() { " (must be given)".into() } else { format!(" (default: {default})") }
}

/// What a part promises, what it needs, where it comes from.
fn facts(part: &Part) -> impl Iterator<Item = (&'static str, String)> {
    let names =
        |all: &[Capability]| all.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ");
    let all = [
        ("Promises", names(part.gives)),
        ("Needs", names(part.needs)),
        ("Published in", part.cite.to_string()),
    ];
    all.into_iter().filter(|(_, text)| !text.is_empty())
}

/// The manual's reference.
fn markdown(out: &mut dyn Write, parts: &[Part]) -> io::Result<()> {
    writeln!(out, "# Parts\n")?;
    writeln!(out, "<!-- Made by `homing parts --markdown`; a test compares the two. -->")?;
    for (heading, parts) in by_kind(parts) {
        writeln!(out, "\n## {heading}")?;
        for part in parts {
            chapter(out, part)?;
        }
    }
    Ok(())
}

fn chapter(out: &mut dyn Write, part: &Part) -> io::Result<()> {
    writeln!(out, "\n### `{}`\n\n{}", part.name, part.about)?;
    if !part.parameters.is_empty() {
        writeln!(out, "\n| parameter | meaning | default |\n|---|---|---|")?;
        for parameter in part.parameters {
            writeln!(
                out,
                "| `{}` | {} | {} |",
                parameter.name, parameter.about, parameter.default
            )?;
        }
    }
    for (i, (title, text)) in facts(part).enumerate() {
        let blank = if i == 0 { "\n" } else { "" };
        writeln!(out, "{blank}- {title}: {text}")?;
    }
    Ok(())
}

fn described(part: &Part) -> Value {
    let names = |all: &[Capability]| all.iter().map(|one| one.name()).collect::<Vec<_>>();
    let parameters: Vec<Value> = part
        .parameters
        .iter()
        .map(|one| json!({ "name": one.name, "about": one.about, "default": one.default }))
        .collect();
    json!({
        "name": part.name,
        "kind": part.kind.name(),
        "about": part.about,
        "cite": part.cite,
        "parameters": parameters,
        "needs": names(part.needs),
        "gives": names(part.gives),
    })
}
