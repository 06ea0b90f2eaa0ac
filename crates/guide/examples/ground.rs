//! Prints how large the ground form of a model is, and how exact:
//! `ground FILE.dve GOAL`.

use std::time::Instant;

use homing_guide::ground::Ground;
use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_space::CompiledSpace;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, goal] = &arguments[..] else { return Err("usage: ground FILE GOAL".into()) };
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let mut parsed = (homing_lang::dve::LANGUAGE.parse)(file, &text);
    let goal = (homing_lang::dve::LANGUAGE.expression)(&mut parsed.network, goal, "goal")
        .map_err(|problems| format!("{problems:?}"))?;
    let space = CompiledSpace::new(&parsed.network, &[Wanted::goal(goal)], Passes::ALL)
        .map_err(|error| format!("{error:?}"))?;
    let started = Instant::now();
    let ground = Ground::of(&space, &space.system().conditions[0].term);
    let took = started.elapsed();
    let started = Instant::now();
    let split = ground.split(64);
    let took_split = started.elapsed();
    let count = |ground: &Ground| {
        let effects = ground.operators.iter().map(|operator| operator.effects.len());
        let exact = ground.operators.iter().filter(|operator| operator.exact).count();
        format!(
            "{} operators ({exact} exact, {} effects)",
            ground.operators.len(),
            effects.sum::<usize>()
        )
    };
    let values: u32 = ground.variables.iter().map(|variable| variable.size()).sum();
    println!(
        "{} variables, {values} values, {} moves, {} in {:.0?}, split {} in {:.0?}, {} goals{}",
        ground.variables.len(),
        space.moves().list.len(),
        count(&ground),
        took,
        count(&split),
        took_split,
        ground.goals.len(),
        if ground.goals_exact { "" } else { " (not exact)" },
    );
    let mut inexact: Vec<u32> =
        ground.operators.iter().filter(|o| !o.exact).map(|o| o.label).collect();
    inexact.dedup();
    println!("  {} labels inexact", inexact.len());
    Ok(())
}
