//! Rules about the pages readers look for first.

use std::fs;

use crate::project::root;

#[test]
fn the_pages_are_there() {
    const PAGES: &[&str] = &[
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ];
    for page in PAGES {
        assert!(root().join(page).is_file(), "{page} is missing");
    }
}

/// Lines in the fenced blocks before the first heading of the second order.
fn first_commands(text: &str) -> Vec<&str> {
    let mut inside = false;
    let mut commands = Vec::new();
    for line in text.lines().take_while(|line| !line.starts_with("## ")) {
        if line.starts_with("```") {
            inside = !inside;
        } else if inside && !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            commands.push(line.trim());
        }
    }
    commands
}

#[test]
fn the_readme_starts_with_two_commands() {
    let text = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let commands = first_commands(&text);
    assert_eq!(commands.len(), 2, "commands at the top of the README: {commands:?}");
    assert!(commands[0].contains("homing"), "the first runs homing: {commands:?}");
    assert_eq!(commands[1], "scripts/test", "the second runs all tests");
}

#[test]
fn commands_are_found_in_fenced_blocks_only() {
    let text = "# a\n```sh\n# remark\none x\n```\nprose\n```\ntwo\n```\n## b\n```\nthree\n```\n";
    assert_eq!(first_commands(text), ["one x", "two"]);
}
