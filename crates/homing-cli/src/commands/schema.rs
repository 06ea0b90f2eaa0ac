//! `homing schema`: the JSON schemas of what is printed and written.

use homing::report::schema;

use crate::arguments::{Schema, SchemaOf};
use crate::exit::Exit;
use crate::terminal::print;

/// Runs the command.
pub fn run(arguments: &Schema) -> Exit {
    let schema = match arguments.of {
        None => schema::output(),
        Some(SchemaOf::Check) => schema::check(),
        Some(SchemaOf::Stats) => schema::stats(),
        Some(SchemaOf::Replay) => schema::replay(),
        Some(SchemaOf::Accuracy) => schema::accuracy(),
        Some(SchemaOf::Compare) => schema::compare(),
        Some(SchemaOf::Shorten) => schema::shorten(),
        Some(SchemaOf::Tune) => schema::tune(),
        Some(SchemaOf::ExplainPlan) => schema::plan(),
        Some(SchemaOf::Trace) => schema::trace_file(),
    };
    print(|out| {
        serde_json::to_writer_pretty(&mut *out, &schema)?;
        writeln!(out)
    })
}
