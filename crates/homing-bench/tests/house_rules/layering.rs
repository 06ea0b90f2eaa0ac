//! Which crate may use which: the crate table of ARCHITECTURE.md as data.

use std::collections::BTreeMap;
use std::fs;

use toml::{Table, Value};

use crate::project::{expect_none, root};

/// A crate of ours and those of ours it may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("budget", &[]),
    ("core", &["budget"]),
    ("ir", &["budget"]),
    ("omega", &["budget", "ir"]),
    ("lang", &["budget", "ir"]),
    ("store", &["budget", "core"]),
    ("external", &["budget", "core"]),
    ("jit", &["budget", "core", "ir"]),
    ("space", &["budget", "core", "ir", "jit"]),
    ("search", &["core", "ir", "external"]),
    ("gates", &["budget", "ir"]),
    ("sat", &["budget", "ir", "gates"]),
    ("symbolic", &["budget", "ir", "gates"]),
    ("guide", &["budget", "core", "ir", "symbolic"]),
    ("quant", &["budget", "core", "ir", "space", "search"]),
    ("witness", &["budget", "ir"]),
    ("report", &["budget", "ir", "witness"]),
    (
        "homing",
        &[
            "budget", "core", "ir", "omega", "lang", "store", "external", "jit", "space", "search",
            "guide", "gates", "sat", "symbolic", "quant", "witness", "report",
        ],
    ),
    ("homing-cli", &["homing"]),
    ("fuzz", &[]),
    // Benchmarks run the command from outside, so that what is measured is
    // what is shipped; they read what it prints, and draw. Only the soak, which
    // measures nothing, asks the library.
    ("homing-bench", &["homing", "report"]),
];

/// What tests may use besides: enough to read a model, explore and store it.
/// Never the façade, which would turn a crate's tests into tests of the whole.
const ALLOWED_IN_TESTS: &[(&str, &[&str])] = &[
    ("core", &["fuzz"]),
    ("ir", &["lang"]),
    ("omega", &["lang", "fuzz"]),
    ("lang", &["fuzz"]),
    ("store", &["ir", "lang", "jit", "space"]),
    ("jit", &["lang"]),
    ("space", &["lang", "store", "search"]),
    ("search", &["lang", "space", "store"]),
    ("guide", &["lang", "store", "space", "search"]),
    ("symbolic", &["core", "lang", "omega", "space", "search", "store"]),
    ("quant", &["lang", "store"]),
    ("witness", &["lang"]),
    ("report", &["lang", "fuzz"]),
    ("homing-cli", &["core", "ir", "lang", "report", "fuzz"]),
];

/// Manifests by the folder of their crate.
fn manifests() -> BTreeMap<String, Table> {
    let folders = fs::read_dir(root().join("crates")).expect("there are crates");
    let manifests: BTreeMap<_, _> = folders
        .map(|entry| entry.expect("an entry can be read"))
        .filter_map(|entry| {
            let text = fs::read_to_string(entry.path().join("Cargo.toml")).ok()?;
            let manifest = text.parse().expect("a manifest is TOML");
            Some((entry.file_name().to_string_lossy().into_owned(), manifest))
        })
        .collect();
    assert!(manifests.len() > 5, "the manifests were not found");
    manifests
}

/// The crate's folder for the name of one of our packages.
fn ours(package: &str) -> Option<&str> {
    let known = |name: &str| ALLOWED.iter().any(|(folder, _)| *folder == name);
    match package.strip_prefix("homing-") {
        Some(_) if known(package) => Some(package),
        Some(short) => Some(short),
        None => (package == "homing").then_some(package),
    }
}

/// The tables of dependencies of one kind, those of single platforms included.
fn dependencies<'a>(manifest: &'a Table, kind: &str) -> Vec<&'a Table> {
    let of = |table: &'a Table| table.get(kind).and_then(Value::as_table);
    let targets = manifest.get("target").and_then(Value::as_table);
    let of_targets = targets.into_iter().flat_map(Table::values);
    let of_targets = of_targets.filter_map(Value::as_table).filter_map(of);
    of(manifest).into_iter().chain(of_targets).collect()
}

fn row<'a>(table: &'a [(&str, &[&str])], folder: &str) -> Option<&'a [&'a str]> {
    let found = table.iter().find(|(name, _)| *name == folder);
    found.map(|(_, uses)| *uses)
}

#[test]
fn crates_use_only_what_they_may() {
    let mut findings = Vec::new();
    for (folder, manifest) in manifests() {
        let Some(allowed) = row(ALLOWED, &folder) else {
            findings.push(format!("crate {folder} is not in the table of crates"));
            continue;
        };
        let in_tests = [allowed, row(ALLOWED_IN_TESTS, &folder).unwrap_or(&[])].concat();
        // The façade and the program that tests the project may use all of it.
        let tests_use_all = matches!(folder.as_str(), "homing" | "homing-bench");
        let kinds = [
            ("dependencies", allowed, false),
            ("build-dependencies", allowed, false),
            ("dev-dependencies", in_tests.as_slice(), tests_use_all),
        ];
        for (kind, allowed, any) in kinds {
            for used in dependencies(&manifest, kind).into_iter().flat_map(Table::keys) {
                if ours(used).is_some_and(|used| !any && !allowed.contains(&used)) {
                    findings.push(format!("crate {folder} may not have {used} in {kind}"));
                }
            }
        }
    }
    expect_none("arrows between crates that are not in the table", &findings);
}

#[test]
fn the_table_of_crates_has_no_cycle() {
    for (place, (folder, uses)) in ALLOWED.iter().enumerate() {
        for used in *uses {
            let earlier = ALLOWED[..place].iter().any(|(name, _)| name == used);
            assert!(earlier, "{folder} uses {used}, which does not stand above it");
        }
    }
}

#[test]
fn package_names_follow_their_folders() {
    for (folder, manifest) in manifests() {
        let name = manifest["package"]["name"].as_str().unwrap_or_default();
        assert_eq!(ours(name), Some(folder.as_str()), "package {name}");
    }
}

#[test]
fn versions_stand_in_the_workspace_only() {
    let mut findings = Vec::new();
    for (folder, manifest) in manifests() {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (name, value) in dependencies(&manifest, kind).into_iter().flatten() {
                let inherited = value.get("workspace").and_then(Value::as_bool);
                if inherited != Some(true) {
                    findings.push(format!("crate {folder}: {name} in {kind}"));
                }
            }
        }
    }
    expect_none("dependencies not taken from the workspace", &findings);
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    for (folder, manifest) in manifests() {
        let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
        assert_eq!(lints.and_then(Value::as_bool), Some(true), "crate {folder}");
    }
}

#[test]
fn the_workspace_asks_for_what_the_rules_rest_on() {
    let text = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace has a manifest");
    let manifest: Table = text.parse().expect("a manifest is TOML");
    let lints = &manifest["workspace"]["lints"];
    let on = |group: &str, lint: &str| {
        let level = lints[group].get(lint).and_then(Value::as_str);
        assert!(matches!(level, Some("warn" | "deny" | "forbid")), "{group}::{lint}");
    };
    on("rust", "missing_docs");
    on("rust", "unsafe_code");
    on("clippy", "unwrap_used");
    on("clippy", "expect_used");
}
