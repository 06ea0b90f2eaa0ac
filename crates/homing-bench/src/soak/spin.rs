//! SPIN's answers: how many states, and what is wrong with the program.
//!
//! The same questions as [`crate::pan`] asks of large models, but made for tens of
//! programs a second: nothing is preprocessed, `tcc` compiles where it is
//! installed, and all files stay in one folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result};

/// What SPIN says of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Theirs {
    /// It was searched to its end.
    Searched(Answers),
    /// SPIN or the C compiler does not take it.
    Refused(String),
    /// `pan` did not come to an end within its limits.
    Cut(&'static str),
}

/// The answers of a complete search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answers {
    /// Not known where a step fails: nothing lies behind it.
    pub states: Option<u64>,
    pub invalid_end_state: Option<bool>,
    pub assertion_violated: Option<bool>,
    /// A step fails at run time.
    pub fails: bool,
    /// Whether the claim is violated, where there is one.
    pub claim_violated: Option<bool>,
}

/// Where verifiers are made, one after another.
pub struct Workshop {
    folder: PathBuf,
    compiler: &'static str,
}

/// Steps on `pan`'s stack; programs are small.
const DEPTH: &str = "-m20000";

impl Workshop {
    /// A folder for this process; `None` where SPIN or a C compiler is missing.
    pub fn open() -> Result<Option<Workshop>> {
        let installed = |program: &str| Command::new(program).arg("-v").output().is_ok();
        let compiler = ["tcc", "gcc"].into_iter().find(|compiler| installed(compiler));
        let Some(compiler) = compiler.filter(|_| installed("spin")) else { return Ok(None) };
        // In memory where there is such a folder: a verifier lives for a moment.
        let memory = Path::new("/dev/shm");
        let above = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = above.join(format!("homing-soak-{}", std::process::id()));
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Some(Workshop { folder, compiler }))
    }

    /// SPIN's answers about a program.
    pub fn ask(&self, text: &str) -> Result<Theirs> {
        fs::write(self.folder.join("model.pml"), text)?;
        let made = self.run("spin", &["-a", "-Pcat", "-o1", "-o2", "-o3", "model.pml"])?;
        let said = String::from_utf8_lossy(&made.stdout);
        let wrong = said.lines().find(|line| line.contains("rror"));
        if !made.status.success() || wrong.is_some() {
            return Ok(Theirs::Refused(wrong.unwrap_or("spin fails").into()));
        }
        if !self.compile(text, &["-DSAFETY", "-DNOCLAIM"])? {
            return Ok(Theirs::Refused("the C compiler refuses pan.c".into()));
        }
        let answers = match self.safety()? {
            Ok(answers) => answers,
            Err(cut) => return Ok(Theirs::Cut(cut)),
        };
        if !text.contains("never {") && !text.contains("ltl p {") {
            return Ok(Theirs::Searched(answers));
        }
        self.claim(text, answers)
    }

    fn safety(&self) -> Result<Result<Answers, &'static str>> {
        let all = self.pan(&["-E", "-A", "-c0"])?;
        let (ends, asserts) = (self.pan(&["-A"])?, self.pan(&["-E"])?);
        if let Some(cut) = [&all, &ends, &asserts].iter().find_map(|said| cut_short(said)) {
            return Ok(Err(cut));
        }
        // What a `trace` says is an assertion here; SPIN goes on behind it, but not where
        // there are two ways to follow an event.
        let (traced, twice) = ("event_trace error", "non-determinism in event-trace");
        let of_trace = |line: &str| line.contains(traced) || line.contains(twice);
        // One that says nothing has failed otherwise.
        let only_traced = reported(&all).next().is_some() && reported(&all).all(of_trace);
        let fails = errors(&all) != Some(0) && !only_traced;
        let found = |said: &str, signs: &[&str]| match errors(said) {
            Some(0) => Some(false),
            _ => {
                let is_sign = |line: &str| signs.iter().any(|sign| line.contains(sign));
                reported(said).any(is_sign).then_some(true)
            }
        };
        let end_states: &[&str] = &["invalid end state"];
        let assertions = &["assertion violated", traced, twice];
        Ok(Ok(Answers {
            states: states(&all).filter(|_| !fails && !all.contains(twice)),
            invalid_end_state: found(&ends, end_states),
            assertion_violated: found(&asserts, assertions),
            fails,
            claim_violated: None,
        }))
    }

    fn claim(&self, text: &str, answers: Answers) -> Result<Theirs> {
        // Without compression `pan` finds no cycles.
        if text.contains("priority") {
            return Ok(Theirs::Searched(answers));
        }
        if !self.compile(text, &[])? {
            return Ok(Theirs::Refused("the C compiler refuses pan.c".into()));
        }
        // Formulas of safety are violated by an assertion in their claim. Where those
        // of the program may be false too, only cycles and ends of claims are certain.
        let sure = answers.assertion_violated == Some(false);
        let said = self.pan(if sure { &["-E", "-a"] } else { &["-E", "-A", "-a"] })?;
        if let Some(cut) = cut_short(&said) {
            return Ok(Theirs::Cut(cut));
        }
        let signs = ["claim violated", "acceptance cycle", "end state in claim reached"];
        let claim_violated = match errors(&said) {
            Some(0) => sure.then_some(false),
            _ if sure && said.contains("assertion violated") => Some(true),
            _ => signs.iter().any(|sign| said.contains(sign)).then_some(true),
        };
        Ok(Theirs::Searched(Answers { claim_violated, ..answers }))
    }

    fn compile(&self, text: &str, flags: &[&str]) -> Result<bool> {
        let fixed = ["-w", "-DNOREDUCE", "-DMEMLIM=400", "-o", "pan", "pan.c"];
        // Beside a priority, what `pan` takes for padding are variables of few bits.
        let whole: &[&str] = if text.contains("priority") { &["-DNOCOMP"] } else { &[] };
        let made = self.run(self.compiler, &[flags, whole, &fixed].concat())?;
        Ok(made.status.success())
    }

    /// Runs the verifier for a few seconds at most; answers what it said.
    fn pan(&self, options: &[&str]) -> Result<String> {
        let arguments = [&["5", "./pan", DEPTH, "-w14"], options].concat();
        let output = self.run("timeout", &arguments)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<Output> {
        Command::new(program)
            .args(arguments)
            .current_dir(&self.folder)
            .output()
            .with_context(|| format!("cannot run {program}"))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // A folder left behind harms nobody.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn cut_short(said: &str) -> Option<&'static str> {
    if errors(said).is_none() {
        return Some("pan stops without a report");
    }
    let signs = ["max search depth too small", "out of memory"];
    signs.into_iter().find(|sign| said.contains(sign))
}

fn errors(said: &str) -> Option<u64> {
    let (_, rest) = said.split_once("errors: ")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// The errors that `pan` reports, a line each.
fn reported(said: &str) -> impl Iterator<Item = &str> {
    let number = |line: &&str| {
        let rest = line.strip_prefix("pan:").unwrap_or_default();
        rest.starts_with(|letter: char| letter.is_ascii_digit())
    };
    said.lines().filter(number)
}

fn states(said: &str) -> Option<u64> {
    let line = said.lines().find_map(|line| line.trim().strip_suffix("states, stored"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let Some(workshop) = Workshop::open().unwrap() else {
            println!("skipped: SPIN or a C compiler is not installed");
            return;
        };
        let said = workshop.ask("byte x;\nactive proctype P() { x = 1; assert(x == 0) }\n");
        let answers = Answers {
            states: Some(4),
            invalid_end_state: Some(false),
            assertion_violated: Some(true),
            fails: false,
            claim_violated: None,
        };
        assert_eq!(said.unwrap(), Theirs::Searched(answers.clone()));
        let claim = "byte x;\nactive proctype P() { x = 1; assert(x == 0) }\n\
                     never {\ndo :: x == 1 -> break :: else od\n}\n";
        let answers = Answers { claim_violated: Some(true), ..answers };
        assert_eq!(workshop.ask(claim).unwrap(), Theirs::Searched(answers));
        let formula = "byte x;\nactive proctype P() { x = 1 }\nltl p { (x == 1) }\n";
        let Theirs::Searched(answers) = workshop.ask(formula).unwrap() else { panic!("searched") };
        assert_eq!(answers.claim_violated, Some(true));
        let refused = workshop.ask("active proctype P() { z = 1 }");
        assert!(matches!(refused.unwrap(), Theirs::Refused(_)));
    }
}
