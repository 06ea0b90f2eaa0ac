//! Fast Downward on exported models, where it is installed: its shortest plans
//! and its `hmax`, `add`, `ff` and `lmcut` against ours, of initial states and
//! of states on random walks.
//!
//! `hmax` and `add` must be equal. `ff` and `lmcut` depend on which of several
//! equally good supporters or preconditions is chosen: both tools must keep
//! between the same bounds, and mostly agree.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::expectations;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expectations::{Subject, expectations, models};
use homing::ir::flatten::Wanted;
use homing::ir::passes::Passes;
use homing::{Model, PassSelection};
use homing_core::expression::Call;
use homing_core::random::Random;
use homing_core::{Batch, DEAD_END, Space, Word};
use homing_guide::Goal;
use homing_guide::ground::Ground;
use homing_guide::ground::sas::Task;
use homing_space::CompiledSpace;

/// Tasks whose text is longer are left out: reading them takes too long here.
const LARGEST: usize = 1 << 20;

/// The program: on the `PATH`, or in the Python package `up-fast-downward`.
fn downward() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("downward"));
    let find = "import importlib.util as u; \
                print(u.find_spec('up_fast_downward').submodule_search_locations[0])";
    let package = Command::new("python3").args(["-c", find]).output().ok();
    let package = package.filter(|output| output.status.success()).map(|output| {
        let folder = String::from_utf8(output.stdout).unwrap();
        Path::new(folder.trim()).join("downward/builds/release/bin/downward")
    });
    on_path.chain(package).find(|file| file.is_file())
}

/// What a search says of a task.
struct Log(String);

impl Log {
    fn number(&self, before: &str) -> Option<u32> {
        let rest = self.0.split_once(before)?.1.trim_start();
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }
}

/// The program, and a folder for its files.
struct Tool {
    program: PathBuf,
    folder: PathBuf,
}

impl Tool {
    fn find(folder: &str) -> Option<Tool> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        fs::create_dir_all(&folder).unwrap();
        Some(Tool { program: downward()?, folder })
    }

    fn search(&self, task: &str, search: &str) -> Log {
        let file = self.folder.join("task.sas");
        fs::write(&file, task).unwrap();
        let mut command = Command::new(&self.program);
        command.args(["--search", search, "--internal-plan-file", "plan"]);
        command.current_dir(&self.folder).stdin(File::open(file).unwrap());
        let output = command.stderr(Stdio::inherit()).output().unwrap();
        let log = Log(String::from_utf8(output.stdout).unwrap());
        assert!(log.0.contains("Evaluated") || log.0.contains("unsolvable"), "{}", log.0);
        log
    }
}

/// A goal in a model, ready to be estimated.
fn space(model: &Model, goal: &str) -> CompiledSpace {
    let mut network = model.network.clone();
    let expr = (model.language.expression)(&mut network, goal, "goal").unwrap();
    CompiledSpace::new(&model.network, &[Wanted::goal(expr)], Passes::ALL).unwrap()
}

/// What we estimate of a state; none where it is a dead end.
fn ours(space: &CompiledSpace, name: &str, state: &[Word]) -> Option<u32> {
    let notices = Default::default();
    let goal = Goal::condition(space.prepared(), space, 0, &notices);
    let call = Call { name: name.into(), arguments: Vec::new() };
    let estimate = homing_guide::build(&goal, &call).unwrap();
    let estimate = estimate.instance().estimate(state, None);
    (estimate != DEAD_END).then_some(estimate)
}

/// How many estimates were compared, and how many of those that may differ do
/// not.
#[derive(Default, Debug)]
struct Seen {
    goals: usize,
    left_out: usize,
    walked: usize,
    ff: [usize; 2],
    lmcut: [usize; 2],
}

/// Compares estimates of the initial state of a task, which is `state` of the
/// space. `distance` is the length of its shortest plan.
fn compare_estimates(
    tool: &Tool,
    space: &CompiledSpace,
    (task, state): (&Task, &[Word]),
    distance: Option<u32>,
    seen: &mut Seen,
) {
    let (more, text) = (u32::from(task.goal_step), task.to_string());
    let theirs = |search: &str, name: &str| {
        tool.search(&text, search).number(&format!("Initial heuristic value for {name}:"))
    };
    let ours = |name: &str| ours(space, name, state).map(|estimate| estimate + more);
    let h_max = theirs("astar(hmax(),max_time=0.01)", "hmax");
    assert_eq!(h_max, ours("relaxed-layers"), "{text}");
    let h_add = theirs("eager_greedy([add()],max_time=0.01)", "add");
    assert_eq!(h_add, ours("hadd"), "{text}");
    let h_ff = [theirs("eager_greedy([ff()],max_time=0.01)", "ff"), ours("hff")];
    let conditional = task.operators.iter().any(|o| o.effects.iter().any(|e| !e.0.is_empty()));
    let lmcut = match conditional {
        // Fast Downward refuses conditional effects.
        true => [ours("lmcut"); 2],
        false => [theirs("astar(lmcut(),max_time=0.01)", "lmcut"), ours("lmcut")],
    };
    assert!(h_max <= h_ff[1] && h_ff[1] <= h_add, "{h_max:?}, {h_ff:?}, {h_add:?}: {text}");
    // Fast Downward counts an operator once, whichever of its conditional
    // effects it is needed for: then a trace may cost less than h^max.
    let bound = if conditional { None } else { h_max };
    assert!(bound <= h_ff[0] && h_ff[0] <= h_add, "{bound:?}, {h_ff:?}, {h_add:?}: {text}");
    for value in lmcut {
        assert!(h_max <= value, "{h_max:?}, {value:?}: {text}");
        assert!(distance.is_none() || value <= distance, "{value:?}, {distance:?}: {text}");
    }
    seen.ff[usize::from(h_ff[0] == h_ff[1])] += 1;
    seen.lmcut[usize::from(lmcut[0] == lmcut[1])] += usize::from(!conditional);
}

/// Compares both tools on a goal of known length.
fn compare(tool: &Tool, model: &Model, goal: &str, length: Option<u32>, seen: &mut Seen) {
    let task = homing::export_sas(model, goal, &PassSelection::default());
    let task = task.ok().filter(|task| task.to_string().len() <= LARGEST);
    let Some(mut task) = task else {
        seen.left_out += 1;
        return;
    };
    seen.goals += 1;
    let more = u32::from(task.goal_step);
    let plan =
        |task: &Task| tool.search(&task.to_string(), "astar(blind())").number("Plan length:");
    let distance = plan(&task);
    assert_eq!(distance, length.map(|length| length + more), "{goal}\n{task}");
    let space = space(model, goal);
    let initial = space.layout().pack(&space.system().initial());
    compare_estimates(tool, &space, (&task, &initial), distance, seen);
    // What is searched is what the task was made from, so that its variables
    // are those of the ground form.
    let ground = Ground::of(space.prepared(), &space.system().conditions[0].term);
    if ground.variables.len() + usize::from(task.goal_step) != task.variables.len() {
        return;
    }
    let mut walk = Walk::new(&space, initial);
    for _ in 0..WALKS {
        walk.go();
        for (variable, of) in task.variables.iter_mut().zip(&ground.variables) {
            variable.initial = of.get(&walk.state);
        }
        compare_estimates(tool, &space, (&task, &walk.state), plan(&task), seen);
        seen.walked += 1;
    }
}

/// States compared on a walk.
const WALKS: usize = 1;

/// A random walk.
struct Walk<'a> {
    space: &'a CompiledSpace,
    random: Random,
    state: Vec<Word>,
}

impl<'a> Walk<'a> {
    fn new(space: &'a CompiledSpace, state: Vec<Word>) -> Walk<'a> {
        Walk { space, random: Random::new(17), state }
    }

    /// A few steps on.
    fn go(&mut self) {
        let mut batch = Batch::new(self.space.width());
        for _ in 0..4 {
            batch.clear();
            self.space.expander().expand(&self.state, &mut batch);
            if !batch.is_empty() {
                let next = self.random.below(batch.len() as u64) as usize;
                self.state = batch.state(next).to_vec();
            }
        }
    }
}

#[test]
fn differential_fast_downward() {
    let Some(tool) = Tool::find("fast-downward") else {
        println!("skipped: Fast Downward is not installed; see scripts/setup");
        return;
    };
    let mut seen = Seen::default();
    for path in models("dve") {
        let model = homing::load(&path).unwrap();
        for expectation in expectations(&fs::read_to_string(&path).unwrap()) {
            let Subject::Goal(goal) = &expectation.subject else { continue };
            compare(&tool, &model, goal, expectation.length(), &mut seen);
        }
    }
    seen.check();
}

/// BEEM's goals, where the whole space is explored at once.
#[test]
fn differential_fast_downward_beem() {
    let corpus = std::env::var_os("HOMING_CORPUS").map(PathBuf::from);
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let beem = corpus.unwrap_or_else(|| project.join("../shared/corpus")).join("dve/beem");
    let goals = fs::read_to_string(beem.join("reach-goals.tsv"));
    let (Some(tool), Ok(goals)) = (Tool::find("fast-downward-beem"), goals) else {
        println!("skipped: no Fast Downward, or no corpus of models");
        return;
    };
    let mut seen = Seen::default();
    for line in goals.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let explored: u64 = cells.get(8).and_then(|cell| cell.parse().ok()).unwrap_or(u64::MAX);
        if explored > 10_000 {
            continue;
        }
        let path = beem.join(cells[0]).join(format!("{}.{}.dve", cells[0], cells[1]));
        let Ok(model) = homing::load(&path) else { continue };
        compare(&tool, &model, cells[3], cells[7].parse().ok(), &mut seen);
    }
    seen.check();
}

impl Seen {
    /// Enough was compared, and what may differ mostly does not.
    fn check(&self) {
        println!("{self:?}");
        assert!(self.goals > 10 && self.walked > 10, "{self:?}");
        for [different, equal] in [self.ff, self.lmcut] {
            assert!(equal > different, "{self:?}");
        }
    }
}
