//! Every formula of the corpus can be read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{beem, corpus, render_all};
use homing_ir::Network;
use homing_ir::network::PropertyKind;
use homing_lang::{Settings, dve, formula, promela};

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut left = vec![folder.to_path_buf()];
    let mut found = Vec::new();
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { left.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

/// Reads formulas, each with the file of its model; says how many were read, and how
/// many have no model.
fn check(formulas: impl Iterator<Item = (PathBuf, String)>) -> (usize, usize) {
    let mut models: BTreeMap<PathBuf, Network> = BTreeMap::new();
    let (mut count, mut without, mut misnamed) = (0, 0, 0);
    for (path, text) in formulas {
        if !path.exists() {
            without += 1;
            continue;
        }
        let model = models
            .entry(path.clone())
            .or_insert_with(|| dve::parse(&path.display().to_string(), &read(&path)).network);
        let mut network = model.clone();
        match formula(&dve::LANGUAGE, &mut network, &text, "<formula>") {
            Ok(_) => count += 1,
            // Formulas about `bopdp` call its states `active` by other names.
            Err(list) if list[0].message.starts_with("process `IOP` has no state") => misnamed += 1,
            Err(list) => {
                let problems = render_all(&network.sources, &list);
                panic!("{}: {text}\n{problems}", path.display());
            }
        }
    }
    assert!(misnamed <= 12, "{misnamed}");
    (count, without)
}

#[test]
fn formulas_in_files() {
    let Some(folder) = corpus("dve/ltl") else { return };
    let all = files(&folder).into_iter().filter(|path| path.extension().unwrap() == "ltl");
    let named = all.map(|path| {
        let folder = path.parent().unwrap();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        (folder.join(format!("{name}.dve")), read(&path))
    });
    let (count, without) = check(named);
    println!("{count} formulas were read, {without} have no model");
    assert!(count > 1000);
}

#[test]
fn formulas_of_the_table() {
    let Some(beem) = beem() else { return };
    let table = read(&beem.join("ltl-props.tsv"));
    let rows = table.lines().skip(1).map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let file = format!("{}.{}.dve", cells[0], cells[1]);
        (beem.join(cells[0]).join(file), cells[3].to_string())
    });
    let (count, without) = check(rows);
    println!("{count} formulas were read, {without} have no model");
    assert!(count > 100);
}

#[test]
fn blocks_of_promela() {
    let Some(folder) = corpus("promela") else { return };
    let (mut blocks, mut read_in, mut foreign) = (0, 0, 0);
    let mut unread = Vec::new();
    for path in files(&folder) {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        if !text.lines().any(|line| line.trim_start().starts_with("ltl")) {
            continue;
        }
        let includes = |path: &Path| fs::read_to_string(path);
        let settings = Settings { read: &includes, ..Settings::default() };
        let parsed = promela::parse(&path.display().to_string(), &text, &settings);
        let formulas = parsed.network.properties.iter();
        let count = formulas.filter(|p| matches!(p.kind, PropertyKind::Temporal(_))).count();
        blocks += count;
        read_in += usize::from(count > 0);
        let unchecked = parsed.diagnostics.iter().filter(|d| d.message.contains("formula"));
        unread.extend(unchecked.map(|d| format!("{}: {}", path.display(), d.message)));
        foreign += usize::from(count == 0 && !parsed.usable());
    }
    println!("{blocks} formulas of {read_in} models; {foreign} files are not Promela");
    assert!(read_in >= 30);
    assert_eq!(unread, Vec::<String>::new());
}
