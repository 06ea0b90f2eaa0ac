//! SPIN's answers: how many states, and what is wrong with the program.
//!
//! The same questions as [`crate::pan`] asks of large models, but made for tens of
//! programs a second: nothing is preprocessed, `tcc` compiles where it is
//! installed, all files of a workshop stay in one folder, and one run of `pan` that
//! goes on after every error answers all questions. A program with a claim is asked
//! for its claim only: what is drawn with a claim is drawn without one too.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result};
use homing::ir::network::{Action, Channel, ChannelKind, Edge, Guard, Network};

use crate::pan;

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

/// The answers of a complete search; nothing where it does not tell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answers {
    /// Not known where a step fails: what lies behind it is no behaviour.
    pub states: Option<u64>,
    pub invalid_end_state: Option<bool>,
    pub assertion_violated: Option<bool>,
    /// The error where a step fails at run time, if one does.
    pub fails: Option<Option<String>>,
    /// Whether the claim is violated, where there is one.
    pub claim_violated: Option<bool>,
}

/// Where verifiers are made, one after another.
pub struct Workshop {
    folder: PathBuf,
    compiler: &'static str,
}

/// Seconds of processor time, steps on the stack and the size of the hash table:
/// programs are small.
const PAN: &str = "ulimit -t 5; exec ./pan -m20000 -w12";

impl Workshop {
    /// The folder of this number for this process; `None` where SPIN or a C compiler is
    /// missing.
    pub fn open(number: usize) -> Result<Option<Workshop>> {
        let installed = |program: &str| Command::new(program).arg("-v").output().is_ok();
        let compiler = ["tcc", "gcc"].into_iter().find(|compiler| installed(compiler));
        let Some(compiler) = compiler.filter(|_| installed("spin")) else { return Ok(None) };
        // In memory where there is such a folder: a verifier lives for a moment.
        let memory = Path::new("/dev/shm");
        let above = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = above.join(format!("homing-soak-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Some(Workshop { folder, compiler }))
    }

    /// SPIN's answers about a program. Of a formula of safety it is told by an assertion
    /// in the claim that it is violated: only where the program's own assertions hold is
    /// it certain whose was false.
    pub fn ask(&self, text: &str, assertions_hold: bool) -> Result<Theirs> {
        fs::write(self.folder.join("model.pml"), text)?;
        let made = self.run("spin", &["-a", "-Pcat", "-o1", "-o2", "-o3", "model.pml"])?;
        let said = String::from_utf8_lossy(&made.stdout);
        // SPIN complains of variables of claims, and does what is asked.
        let excused = |line: &str| line.contains(" defines local ");
        let wrong = said.lines().find(|line| line.contains("rror") && !excused(line));
        if wrong.is_some() || !made.status.success() && !said.lines().any(excused) {
            return Ok(Theirs::Refused(wrong.unwrap_or("spin fails").into()));
        }
        self.mend(text)?;
        let claim = claim_of(text).is_some();
        let whole = pan::whole(text);
        if claim && !whole.is_empty() {
            return Ok(Theirs::Cut("beside priorities `pan` finds no cycles"));
        }
        let kind: &[&str] = if claim { &[] } else { &["-DSAFETY", "-DNOCLAIM"] };
        if !self.compile(&[kind, whole].concat())? {
            return Ok(Theirs::Refused("the C compiler refuses pan.c".into()));
        }
        let said = self.pan(match (claim, assertions_hold) {
            (false, _) => "-c0",
            (true, true) => "-E -a",
            (true, false) => "-E -A -a",
        })?;
        Ok(match cut_short(&said) {
            Some(cut) => Theirs::Cut(cut),
            None if said.contains("acceptance cycle (") && !self.shows_a_cycle()? => {
                Theirs::Cut("pan tells of a cycle where its trail has none")
            }
            None if claim => Theirs::Searched(of_claim(&said, assertions_hold)),
            None => Theirs::Searched(of_states(&said)),
        })
    }

    /// `set_priority` of a process that is not there does nothing, but going back, `pan` takes
    /// something it noted long ago for the priority to restore.
    fn mend(&self, text: &str) -> Result<()> {
        if !text.contains("set_priority(") {
            return Ok(());
        }
        let path = self.folder.join("pan.c");
        let nothing = "\t\treturn 1;\n\t}\n\tif (pr < 1 || pr > 255)";
        let note = "\t\tif (!TstOnly) (trpt+1)->o_priority =\n\t\t\
                    (((P0 *)pptr(BASE))->_priority & 255) | (BASE << 8);\n";
        let mended = fs::read_to_string(&path)?.replace(nothing, &format!("{note}{nothing}"));
        Ok(fs::write(&path, mended)?)
    }

    /// Whether the trail has a cycle that brings the claim back to where it was. Where runs
    /// end, `pan` may take a claim that goes on alone, or cannot move and is tried again with
    /// `timeout`, for one that has come back.
    fn shows_a_cycle(&self) -> Result<bool> {
        let trail = fs::read_to_string(self.folder.join("model.pml.trail"))?;
        let Some((stem, cycle)) = trail.split_once("\n-1:-1:-1\n") else { return Ok(false) };
        let (before, after) = (last_of_claim(stem), last_of_claim(cycle));
        if after.is_none() || before == after {
            return Ok(after.is_some());
        }
        let table = self.pan("-d")?;
        let leads_to = |transition: Option<&str>| transition.and_then(|id| target(&table, id));
        Ok(leads_to(before).is_some() && leads_to(before) == leads_to(after))
    }

    fn compile(&self, flags: &[&str]) -> Result<bool> {
        let fixed = ["-w", "-DNOREDUCE", "-DMEMLIM=400", "-o", "pan", "pan.c"];
        let made = self.run(self.compiler, &[flags, &fixed].concat())?;
        Ok(made.status.success())
    }

    /// Runs the verifier for a few seconds at most; answers what it said.
    fn pan(&self, options: &str) -> Result<String> {
        let output = self.run("sh", &["-c", &format!("{PAN} {options}")])?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<Output> {
        Command::new(program)
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
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

/// A program without its claim or formula, and that.
pub fn claim_of(text: &str) -> Option<(&str, &str)> {
    let at = text.find("never {").or_else(|| text.find("ltl p {"))?;
    Some(text.split_at(at))
}

/// The last transition of the claim in a part of a trail: it is process 0.
fn last_of_claim(trail: &str) -> Option<&str> {
    trail.lines().rev().find_map(|line| line.split_once(':')?.1.strip_prefix("0:"))
}

/// The state that a transition leads to, by the table that `pan -d` prints.
fn target<'t>(table: &'t str, transition: &str) -> Option<&'t str> {
    table.lines().find_map(|line| {
        let (states, told) = line.split_once("[id")?;
        let same = told.split_whitespace().next() == Some(transition);
        same.then(|| states.rsplit("state").next()).flatten().map(str::trim)
    })
}

/// Whether something that is received is compared with what the receiving itself may change:
/// `q?eval(len(q))`, or `timeout`. Going back, `pan` evaluates it once more, and puts that into
/// the channel.
pub fn evaluates_channels(text: &str) -> bool {
    let looks = ["len(", "full(", "empty(", "?[", "timeout", "enabled("];
    text.split("eval(").skip(1).any(|rest| {
        let mut depth = 1;
        let end = rest.find(|char| {
            depth += i32::from(char == '(') - i32::from(char == ')');
            depth == 0
        });
        let inner = &rest[..end.unwrap_or(rest.len())];
        looks.iter().any(|look| inner.contains(look))
    })
}

/// Whether an `else` competes with an option that may offer a rendezvous. SPIN refuses this
/// within one selection and overlooks it where a selection begins an option of another; `pan`
/// then takes the `else` for impossible where somebody accepts the offer.
pub fn offers_beside_else(network: &Network) -> bool {
    let rendezvous = |channel: &Channel| channel.kind == ChannelKind::Rendezvous;
    let offers = |edge: &Edge| matches!(edge.action, Some(Action::Send { .. }));
    network.channels.iter().any(rendezvous)
        && network.processes.iter().any(|process| {
            let beside = |edge: &Edge| {
                matches!(edge.guard, Guard::Otherwise { .. })
                    && process.edges.iter().any(|other| other.from == edge.from && offers(other))
            };
            process.edges.iter().any(beside)
        })
}

/// What a run that went on after every error tells.
fn of_states(said: &str) -> Answers {
    let messages = || said.lines().filter_map(message);
    let is_end = |message: &str| message.starts_with("invalid end state");
    // What a `trace` says is an assertion here; SPIN goes on behind it, but not where there
    // are two ways to follow an event.
    let twice = |message: &str| message.starts_with("non-determinism in event-trace");
    // An index outside an array is told as an assertion too.
    let is_assertion = |message: &str| {
        let own = message.starts_with("assertion violated");
        let traced = message.starts_with("event_trace error") || twice(message);
        own && !message.contains("invalid array index") || traced
    };
    let failure = messages().find(|message| !is_end(message) && !is_assertion(message));
    // A step that fails, or a trace that SPIN cannot follow, may have ended the search.
    let found = |sign: &dyn Fn(&str) -> bool| {
        let found = messages().any(sign);
        (found || failure.is_none() && !messages().any(twice)).then_some(found)
    };
    Answers {
        states: states(said).filter(|_| failure.is_none() && !messages().any(twice)),
        invalid_end_state: found(&is_end),
        assertion_violated: found(&is_assertion),
        fails: match failure {
            None if messages().any(twice) => None,
            failure => Some(failure.map(|message| without_depth(message).to_owned())),
        },
        claim_violated: None,
    }
}

/// What a run with the claim tells: only of the claim.
fn of_claim(said: &str, assertions_hold: bool) -> Answers {
    let signs = ["claim violated", "acceptance cycle", "end state in claim reached"];
    let claim_violated = match errors(said) {
        Some(0) => assertions_hold.then_some(false),
        _ if assertions_hold && said.contains("assertion violated") => {
            (!said.contains("invalid array index")).then_some(true)
        }
        _ => signs.iter().any(|sign| said.contains(sign)).then_some(true),
    };
    Answers { claim_violated, ..Answers::default() }
}

/// The error that a line like `pan:1: invalid end state (at depth 3)` tells.
fn message(line: &str) -> Option<&str> {
    let (number, message) = line.strip_prefix("pan:")?.split_once(": ")?;
    number.parse::<u64>().ok().map(|_| message)
}

fn without_depth(message: &str) -> &str {
    message.split(" (at depth").next().unwrap_or(message)
}

fn cut_short(said: &str) -> Option<&'static str> {
    if errors(said).is_none() {
        return Some("pan stops without a report");
    }
    let signs = ["max search depth too small", "out of memory", "VECTORSZ too small"];
    signs.into_iter().find(|sign| said.contains(sign))
}

fn errors(said: &str) -> Option<u64> {
    let (_, rest) = said.split_once("errors: ")?;
    rest.split_whitespace().next()?.parse().ok()
}

fn states(said: &str) -> Option<u64> {
    let line = said.lines().find_map(|line| line.trim().strip_suffix("states, stored"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str, assertions_hold: bool) -> Option<Theirs> {
        let Some(workshop) = Workshop::open(0).unwrap() else {
            println!("skipped: SPIN or a C compiler is not installed");
            return None;
        };
        Some(workshop.ask(text, assertions_hold).unwrap())
    }

    /// The options of the inner selection begin where the outer one offers: `pan` does not
    /// take the `else` where the offer is accepted.
    #[test]
    fn an_else_beside_an_offer_is_impossible_for_pan() {
        let text = "chan c = [0] of { bit };\nactive proctype P() {\n\
            if :: c!1 :: if :: _pid == 7 :: else fi; assert(false) fi }\n\
            active proctype Q() { c?1 }\n";
        let model = crate::soak::ours::read("offer.pml", text);
        assert!(offers_beside_else(&model.ok().unwrap().network));
        let Some(Theirs::Searched(said)) = asked(text, false) else { return };
        assert_eq!(said.assertion_violated, Some(false));
    }

    #[test]
    fn answers_are_read() {
        let text = "byte x;\nactive proctype P() { x = 1; assert(x == 0) }\n";
        let Some(said) = asked(text, true) else { return };
        let answers = Answers {
            states: Some(4),
            invalid_end_state: Some(false),
            assertion_violated: Some(true),
            fails: Some(None),
            claim_violated: None,
        };
        assert_eq!(said, Theirs::Searched(answers));
        let claim = format!("{text}never {{\ndo :: x == 1 -> break :: else od\n}}\n");
        for (text, hold) in [
            (claim.as_str(), false),
            ("byte x;\nactive proctype P() { x = 1 }\nltl p { (x == 1) }\n", true),
        ] {
            let answers = Answers { claim_violated: Some(true), ..Answers::default() };
            assert_eq!(asked(text, hold), Some(Theirs::Searched(answers)));
        }
        let refused = asked("active proctype P() { z = 1 }", true);
        assert!(matches!(refused, Some(Theirs::Refused(_))));
    }

    /// It has 12 states; `pan` meets one more, with a message that nobody sent.
    #[test]
    fn what_pan_puts_back_wrongly_is_not_compared() {
        let text = "chan q = [2] of { byte };\n\
                    active proctype P() { q?eval(len(q)) }\nproctype W() { q!2 }\n\
                    init { run W(); atomic { _nr_pr < 3 -> run W() } }\n";
        assert!(evaluates_channels(text));
        assert!(!evaluates_channels("q?eval((x + 1)); q!len(q)"));
        if let Some(Theirs::Searched(answers)) = asked(text, true) {
            assert_eq!(answers.states, Some(13), "pan is mended: compare it again");
        }
    }

    /// The claim is stuck where `n` is 1, and is no process that `timeout` could help on.
    #[test]
    fn a_cycle_that_is_none_is_no_answer() {
        let claim = "never {\nbyte n;\nbit o;\nif\n:: true -> n = (n + 1) % 3;\nfi;\n\
                     accept_2:\nif\n:: true -> o = (x == 1); n == 0;\nfi;\n}\n";
        let waits = "byte x;\nactive proctype P1() {\nbyte l = 1;\n}\n\
                     proctype W(byte n; mtype k) {\ndo\n:: timeout ->\nod;\n}\n";
        let Some(said) = asked(&format!("{waits}{claim}"), true) else { return };
        assert_eq!(said, Theirs::Cut("pan tells of a cycle where its trail has none"));
        // Both processes are gone where the claim comes to `accept_2`, and it does not come back.
        let gone = "bool b;\nactive proctype P1() {\nbyte l = 1;\n}\ninit {\nb = 1;\n}\n\
                    never {\nprogress_0:\ndo\n:: (_last == 0) -> goto accept_2\n\
                    :: true -> goto progress_0\nod;\nprogress_1:\nif\n\
                    :: (b == 0) -> goto accept_2\nfi;\naccept_2:\nif\n\
                    :: true -> goto progress_1\n:: (_nr_pr > 2) -> goto progress_0\nfi;\n}\n";
        let said = asked(gone, true);
        assert_eq!(said, Some(Theirs::Cut("pan tells of a cycle where its trail has none")));
        let goes_on = claim.replace("n == 0;", "goto accept_2;");
        let found = Answers { claim_violated: Some(true), ..Answers::default() };
        assert_eq!(asked(&format!("{waits}{goes_on}"), true), Some(Theirs::Searched(found)));
    }

    /// `pan` itself counts 5.
    #[test]
    fn priorities_of_processes_that_are_not_there_change_nothing() {
        let text = "bit b;\nactive proctype P() priority 3 { set_priority(1, 1) }\n\
                    active proctype Q() priority 3 { b == 0 }\n";
        let Some(Theirs::Searched(answers)) = asked(text, true) else { return };
        assert_eq!(answers.states, Some(7));
    }

    /// Processes that start each other without end: `pan` aborts.
    #[test]
    fn a_state_that_is_too_large_for_pan_is_no_answer() {
        let text = "proctype W(int n; int m) { run W(n, m) }\ninit { run W(1, 2) }\n";
        let Some(said) = asked(text, true) else { return };
        assert_eq!(said, Theirs::Cut("VECTORSZ too small"));
    }

    /// `pan -A` does not look at indices: no step seemed to fail.
    #[test]
    fn an_index_outside_an_array_fails() {
        let text = "byte a[2]; byte x = 2;\nactive proctype P() { a[x] = 1; assert(x == 2) }\n";
        let Some(Theirs::Searched(answers)) = asked(text, true) else { return };
        let fails = answers.fails.flatten();
        assert_eq!(fails.as_deref(), Some("assertion violated - invalid array index"));
        assert_eq!(answers.states, None);
    }
}
