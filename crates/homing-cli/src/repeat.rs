//! The command that repeats this run, as a shell would take it.

use std::ffi::OsString;

/// The command line of this process.
pub fn command() -> String {
    written(std::env::args_os().skip(1))
}

fn written(arguments: impl Iterator<Item = OsString>) -> String {
    let quoted = arguments.map(|argument| quote(&argument.to_string_lossy()));
    std::iter::once("homing".to_string()).chain(quoted).collect::<Vec<_>>().join(" ")
}

fn quote(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=:,+@%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_string();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_what_was_meant() {
        let arguments = ["check", "a b.dve", "--goal", "x > 'y'", "", "--time=5s"];
        let text = written(arguments.into_iter().map(OsString::from));
        assert_eq!(text, r"homing check 'a b.dve' --goal 'x > '\''y'\''' '' --time=5s");
    }
}
