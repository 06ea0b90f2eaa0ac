//! Fast Downward on exported models, where it is installed: its shortest plans
//! and its `hmax` against ours.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../../../tests/support/expectations.rs"]
mod expectations;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expectations::{Subject, expectations, models};
use homing::ir::flatten::Wanted;
use homing::ir::passes::Passes;
use homing::{Model, PassSelection};
use homing_core::DEAD_END;
use homing_core::expression::Call;
use homing_guide::Goal;
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

fn search(program: &Path, folder: &Path, task: &str, search: &str) -> Log {
    let file = folder.join("task.sas");
    fs::write(&file, task).unwrap();
    let mut command = Command::new(program);
    command.args(["--search", search, "--internal-plan-file", "plan"]);
    command.current_dir(folder).stdin(File::open(file).unwrap()).stderr(Stdio::inherit());
    let log = Log(String::from_utf8(command.output().unwrap().stdout).unwrap());
    assert!(log.0.contains("Evaluated") || log.0.contains("unsolvable"), "{}", log.0);
    log
}

fn relaxed_layers(model: &Model, goal: &str) -> Option<u32> {
    let mut network = model.network.clone();
    let expr = (model.language.expression)(&mut network, goal, "goal").unwrap();
    let wanted = [Wanted::goal(expr)];
    let space = CompiledSpace::new(&model.network, &wanted, Passes::ALL).unwrap();
    let notices = Default::default();
    let goal = Goal::condition(space.prepared(), &space, 0, &notices);
    let call = Call { name: "relaxed-layers".into(), arguments: Vec::new() };
    let layers = homing_guide::build(&goal, &call).unwrap();
    let estimate =
        layers.instance().estimate(&space.layout().pack(&space.system().initial()), None);
    (estimate != DEAD_END).then_some(estimate)
}

/// Compares both tools on a goal of known length; whether it can be exported.
fn compare(program: &Path, folder: &Path, model: &Model, goal: &str, length: Option<u32>) -> bool {
    let Ok(task) = homing::export_sas(model, goal, &PassSelection::default()) else { return false };
    let more = u32::from(task.goal_step);
    let text = task.to_string();
    if text.len() > LARGEST {
        return false;
    }
    let plan = search(program, folder, &text, "astar(blind())").number("Plan length:");
    assert_eq!(plan, length.map(|length| length + more), "{goal}\n{text}");
    let h_max = search(program, folder, &text, "astar(hmax(),max_time=1)");
    let h_max = h_max.number("Initial heuristic value for hmax:");
    let layers = relaxed_layers(model, goal);
    assert_eq!(h_max, layers.map(|layers| layers + more), "{goal}\n{text}");
    true
}

#[test]
fn differential_fast_downward() {
    let Some(program) = downward() else {
        println!("skipped: Fast Downward is not installed; see scripts/setup");
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fast-downward");
    fs::create_dir_all(&folder).unwrap();
    let (mut compared, mut left_out) = (0, 0);
    for path in models("dve") {
        let model = homing::load(&path).unwrap();
        for expectation in expectations(&fs::read_to_string(&path).unwrap()) {
            let Subject::Goal(goal) = &expectation.subject else { continue };
            match compare(&program, &folder, &model, goal, expectation.length()) {
                true => compared += 1,
                false => left_out += 1,
            }
        }
    }
    println!("{compared} goals compared, {left_out} not exported");
    assert!(compared > 10, "{compared} goals compared, {left_out} not exported");
}

/// BEEM's goals, where the whole space is explored at once.
#[test]
fn differential_fast_downward_beem() {
    let corpus = std::env::var_os("HOMING_CORPUS").map(PathBuf::from);
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let beem = corpus.unwrap_or_else(|| project.join("../shared/corpus")).join("dve/beem");
    let (Some(program), Ok(goals)) = (downward(), fs::read_to_string(beem.join("reach-goals.tsv")))
    else {
        println!("skipped: no Fast Downward, or no corpus of models");
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fast-downward-beem");
    fs::create_dir_all(&folder).unwrap();
    let mut compared = 0;
    for line in goals.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let explored: u64 = cells.get(8).and_then(|cell| cell.parse().ok()).unwrap_or(u64::MAX);
        if explored > 10_000 {
            continue;
        }
        let path = beem.join(cells[0]).join(format!("{}.{}.dve", cells[0], cells[1]));
        let Ok(model) = homing::load(&path) else { continue };
        compared +=
            usize::from(compare(&program, &folder, &model, cells[3], cells[7].parse().ok()));
    }
    println!("{compared} goals compared");
    assert!(compared > 10, "{compared}");
}
