//! Models, folders and runs of the command, for its tests.
#![allow(dead_code, clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs into a deadlock after three steps.
pub const DEADLOCK: &str = "\
byte x;
process P {
  state a;
  init a;
  trans a -> a { guard x < 3; effect x = x + 1; };
}
system async;
";

/// Goes round for ever; asserts nothing.
pub const ROUND: &str = "\
byte x;
process P {
  state a;
  init a;
  trans a -> a { effect x = (x + 1) % 4; };
}
system async;
";

/// More states than any limit below.
pub const LARGE: &str = "\
byte x[5];
process P {
  state a;
  init a;
  trans
    a -> a { effect x[0] = x[0] + 1; },
    a -> a { effect x[1] = x[1] + 1; },
    a -> a { effect x[2] = x[2] + 1; },
    a -> a { effect x[3] = x[3] + 1; },
    a -> a { effect x[4] = x[4] + 1; };
}
system async;
";

/// Four counters, each up to `most`; they stop when all are there.
pub fn counters(most: usize) -> String {
    let step =
        |i: usize| format!("a -> a {{ guard x[{i}] < {most}; effect x[{i}] = x[{i}] + 1; }}");
    let steps: Vec<String> = (0..4).map(step).collect();
    format!(
        "byte x[4];\nprocess P {{\nstate a;\ninit a;\ntrans\n{};\n}}\nsystem async;\n",
        steps.join(",\n")
    )
}

/// A folder of files that disappears with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("homing-command-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.0.join(name), content).unwrap();
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_homing"));
    command.args(arguments).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub fn homing(arguments: &[&str]) -> Run {
    command(arguments).output().unwrap().into()
}

/// Asserts that the run was refused: exit 2, nothing on standard output, and
/// all of `words` on standard error.
pub fn refused(arguments: &[&str], words: &[&str]) {
    let run = homing(arguments);
    assert_eq!(run.code, Some(2), "{arguments:?}: {}{}", run.stdout, run.stderr);
    assert_eq!(run.stdout, "", "{arguments:?}");
    for word in words {
        assert!(
            run.stderr.contains(word),
            "no `{word}` in the answer to {arguments:?}: {}",
            run.stderr
        );
    }
    assert!(
        !run.stderr.contains("panicked") && !run.stderr.contains("homing itself failed"),
        "{}",
        run.stderr
    );
}
