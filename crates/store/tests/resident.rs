//! What stores say they take against what the operating system says. A file
//! of its own, because the figure is that of the whole process.

#![allow(clippy::unwrap_used)]

use homing_core::expression::parse;
use homing_core::hash::hash_words;
use homing_core::{Id, Store};
use homing_store::{StoreConfig, build};

/// The resident bytes of this process, where the system tells.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kilobytes| kilobytes << 10)
}

fn filled(name: &str, width: usize, states: u64) -> Box<dyn Store> {
    let call = parse(name).unwrap();
    let config = StoreConfig { width, memory: None, states: None, cover: None };
    let mut store = build(&config, call.as_call().unwrap()).unwrap();
    let mut state = vec![0; width];
    for n in 0..states {
        for (at, word) in state.iter_mut().enumerate() {
            *word = if at == 0 { n >> 12 } else { (n & 0xfff) << at };
        }
        store.visit(&state, hash_words(&state), Id::NONE, 0);
    }
    assert_eq!(store.is_exact(), store.len() as u64 == states);
    store
}

#[test]
fn bytes_are_resident_bytes() {
    if resident().is_none() {
        println!("skipped: the operating system does not tell");
        return;
    }
    for (name, width) in [("exact", 2), ("exact", 7), ("tree", 4), ("bitstate(bits=26)", 3)] {
        let before = resident().unwrap();
        let store = filled(name, width, 3_000_000);
        let taken = resident().unwrap() - before;
        let said = store.bytes();
        let near = said.abs_diff(taken) < taken / 20 + (2 << 20);
        assert!(near, "{name} of {width} words says {said}, takes {taken}");
    }
}
