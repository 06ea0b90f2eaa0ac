//! What `--json` prints is what `homing schema` says: read by a validator that is stricter
//! than JSON Schema is. A field that no schema names is refused, and so is a schema with
//! a keyword that the validator does not know.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use serde_json::Value;
use support::{DEADLOCK, Folder, LARGE, ROUND, homing};

/// What is wrong with a value, and where.
type Wrong = String;

/// A schema, and what it refers to.
struct Schema {
    root: Value,
}

impl Schema {
    fn of(what: &str) -> Schema {
        let run = if what.is_empty() { homing(&["schema"]) } else { homing(&["schema", what]) };
        assert_eq!(run.code, Some(0), "{what}: {}", run.stderr);
        Schema { root: serde_json::from_str(&run.stdout).unwrap() }
    }

    fn validate(&self, value: &Value) -> Result<(), Wrong> {
        self.fits(&self.root, value, "$")
    }

    fn fits(&self, schema: &Value, value: &Value, at: &str) -> Result<(), Wrong> {
        let rules = match schema {
            Value::Bool(true) => return Ok(()),
            Value::Object(rules) => rules,
            _ => return Err(format!("{at}: no schema: {schema}")),
        };
        for (keyword, rule) in rules {
            self.rule(keyword, rule, value, at)?;
        }
        let names = self.properties(schema);
        if let (Value::Object(fields), false) = (value, names.is_empty()) {
            let unknown = fields.keys().find(|name| !names.contains(name));
            if let Some(unknown) = unknown {
                return Err(format!("{at}: the schema does not name `{unknown}`"));
            }
        }
        Ok(())
    }

    /// The fields that an object of this schema may have.
    fn properties<'s>(&'s self, schema: &'s Value) -> Vec<&'s String> {
        schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name).collect()
    }

    fn rule(&self, keyword: &str, rule: &Value, value: &Value, at: &str) -> Result<(), Wrong> {
        let unless = |fits: bool| match fits {
            true => Ok(()),
            false => Err(format!("{at}: {keyword} {rule}, but it is {value}")),
        };
        match keyword {
            "$schema" | "title" | "description" | "$defs" | "default" => Ok(()),
            "type" => match rule {
                Value::Array(all) => unless(all.iter().any(|one| is_of(one, value))),
                one => unless(is_of(one, value)),
            },
            "format" => unless(is_formatted(rule.as_str().unwrap(), value)),
            "const" => unless(rule == value),
            "minimum" => unless(value.as_f64().is_none_or(|one| one >= rule.as_f64().unwrap())),
            "minItems" => unless(count(value).is_none_or(|some| some >= rule.as_u64().unwrap())),
            "maxItems" => unless(count(value).is_none_or(|some| some <= rule.as_u64().unwrap())),
            "required" => {
                let names = rule.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                let missing = names.into_iter().find(|name| value.get(name).is_none());
                match missing {
                    Some(name) => Err(format!("{at}: `{name}` is missing")),
                    None => Ok(()),
                }
            }
            "properties" => rule.as_object().unwrap().iter().try_for_each(|(name, schema)| {
                let field = value.get(name);
                field.map_or(Ok(()), |field| self.fits(schema, field, &format!("{at}.{name}")))
            }),
            "items" => {
                let all = value.as_array().into_iter().flatten().enumerate();
                all.into_iter().try_for_each(|(i, one)| self.fits(rule, one, &format!("{at}[{i}]")))
            }
            "$ref" => {
                let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                self.fits(self.root.pointer(pointer).unwrap(), value, at)
            }
            "anyOf" | "oneOf" => {
                let tried: Vec<Result<(), Wrong>> =
                    rule.as_array().unwrap().iter().map(|one| self.fits(one, value, at)).collect();
                let fitting = tried.iter().filter(|one| one.is_ok()).count();
                match fitting {
                    0 => Err(format!("{at}: fits none of {keyword}: {tried:?}")),
                    1 => Ok(()),
                    _ if keyword == "anyOf" => Ok(()),
                    more => Err(format!("{at}: fits {more} of oneOf")),
                }
            }
            unknown => Err(format!("{at}: the validator does not know `{unknown}`")),
        }
    }
}

fn count(value: &Value) -> Option<u64> {
    value.as_array().map(|all| all.len() as u64)
}

fn is_of(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("no type: {other}"),
    }
}

/// Formats are of numbers only; a value that may also be absent is null.
fn is_formatted(format: &str, value: &Value) -> bool {
    match format {
        _ if value.is_null() => true,
        "uint" | "uint64" => value.is_u64(),
        "uint32" => value.as_u64().is_some_and(|one| u32::try_from(one).is_ok()),
        "int64" => value.is_i64(),
        "double" => value.is_number(),
        other => panic!("no format: {other}"),
    }
}

/// Runs a command with `--json`; what it prints must fit the schema, and the exit code is
/// the one expected.
fn fits(schema: &str, arguments: &[&str], code: i32) -> Value {
    let run = homing(&[arguments, &["--json"]].concat());
    assert_eq!(run.code, Some(code), "{arguments:?}: {}{}", run.stdout, run.stderr);
    let value: Value = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", run.stdout));
    if let Err(wrong) = Schema::of(schema).validate(&value) {
        panic!("{arguments:?}: {wrong}");
    }
    value
}

/// Two processes with clocks; one of them may wait for ever.
const TIMED: &str = "\
clock x; int n;
process P(const int id) {
  state idle, busy { x <= 5 };
  init idle;
  trans idle -> busy { guard x >= 2; assign x := 0, n := n + id; },
        busy -> idle { guard x >= 1; };
}
P1 = P(1); P2 = P(2);
system P1, P2;
";

const QUERIES: &str = "\
A[] P1.idle
A[] forall (i : int[0, 1]) n < 2 + i
E<> P1.busy and P2.busy
E[] P2.idle
A<> P1.busy
P1.busy --> P2.busy
sup: x
inf: n
";

/// Formulas that are violated by a loop, by a beginning, and one that holds.
const FORMULAS: &str = "\
byte x; chan c = [1] of { byte };
active proctype P() { byte i; for (i : 0 .. 1) { c!i; c?x } do :: x = 1 - x od }
ltl never5 { <> (x == 5) }
ltl small { [] (x < 1) }
ltl holds { [] (x < 2) }
";

#[test]
fn the_validator_refuses_what_no_schema_says() {
    let folder = Folder::new("json-validator");
    let model = folder.file("m.dve", DEADLOCK);
    let good = fits("check", &["check", &model], 1);
    let schema = Schema::of("check");
    let damaged = |change: &dyn Fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        schema.validate(&value)
    };
    assert!(damaged(&|_| {}).is_ok());
    assert!(damaged(&|value| value["extra"] = true.into()).is_err());
    assert!(damaged(&|value| value["results"][0]["extra"] = true.into()).is_err());
    assert!(damaged(&|value| value["results"][0]["verdict"] = "perhaps".into()).is_err());
    assert!(damaged(&|value| value["seed"] = "0".into()).is_err());
    assert!(damaged(&|value| drop(value.as_object_mut().unwrap().remove("model"))).is_err());
    assert!(damaged(&|value| value["statistics"]["stored"] = (-1).into()).is_err());
}

#[test]
fn check_prints_what_its_schema_says() {
    let folder = Folder::new("json-check");
    let deadlock = folder.file("deadlock.dve", DEADLOCK);
    let round = folder.file("round.dve", ROUND);
    let large = folder.file("large.dve", LARGE);
    let formulas = folder.file("formulas.pml", FORMULAS);
    let timed = folder.file("timed.xta", TIMED);
    let queries = folder.file("timed.q", QUERIES);
    fits("check", &["check", &deadlock], 1);
    fits("check", &["check", &deadlock, "--goal", "x == 2", "--strategy", "astar(hamming)"], 1);
    fits("check", &["check", &round], 0);
    fits("check", &["check", &large, "--states", "1000"], 3);
    fits("check", &["check", &round, "--ltl", "<> x == 9", "--fairness", "weak"], 1);
    fits("check", &["check", &round, "--ltl", "[]<> x == 3"], 0);
    let lassos = fits("check", &["check", &formulas], 1);
    let looping = |one: &&Value| one["trace"]["loop"].is_u64();
    assert!(lassos["results"].as_array().unwrap().iter().any(|one| looping(&one)), "{lassos}");
    let answered = fits("check", &["check", &timed, "--queries", &queries], 1);
    assert!(answered["results"].as_array().unwrap().len() >= 8, "{answered}");
}

#[test]
fn other_commands_print_what_their_schemas_say() {
    let folder = Folder::new("json-others");
    let deadlock = folder.file("deadlock.dve", DEADLOCK);
    let large = folder.file("large.dve", LARGE);
    let timed = folder.file("timed.xta", TIMED);
    let formulas = folder.file("formulas.pml", FORMULAS);
    for model in [&deadlock, &timed, &formulas] {
        fits("stats", &["stats", model], 0);
    }
    fits("stats", &["stats", &large, "--states", "1000"], 3);
    let estimate = ["accuracy", &deadlock, "--goal", "x == 2", "--estimate", "hamming"];
    fits("accuracy", &estimate, 0);
    let several = ["compare", &deadlock, "--goal", "x == 2", "--strategies", "breadth; depth"];
    fits("compare", &several, 0);
    let trace = folder.path("trace.json");
    fits("check", &["check", &deadlock, "--strategy", "depth", "--trace", &trace], 1);
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    assert_eq!(Schema::of("trace").validate(&written), Ok(()));
    fits("replay", &["replay", &deadlock, &trace], 0);
    fits("shorten", &["shorten", &deadlock, &trace], 0);
    fits("replay", &["simulate", &deadlock, "--random", "5"], 0);
    let out = folder.path("homing.toml");
    fits("tune", &["tune", &deadlock, "--goal", "x == 2", "--out", &out], 0);
    fits("tune", &["tune", &formulas, &deadlock, "--out", &out, "--work", "1000"], 0);
    for (model, code) in [(&deadlock, 0), (&formulas, 0), (&timed, 3)] {
        fits("explain-plan", &["explain-plan", model], code);
        fits("explain-plan", &["explain-plan", model, "--dry-run"], 0);
    }
    let far = ["--goal", "x[0] == 200 && x[1] == 200", "--expansions", "550"];
    fits("explain-plan", &[&["explain-plan", &*large][..], &far].concat(), 3);
}

/// They printed a sentence and no object.
#[test]
fn what_is_cut_before_a_result_fits_its_schema() {
    let folder = Folder::new("json-cut");
    let deadlock = folder.file("deadlock.dve", DEADLOCK);
    let trace = folder.path("trace.json");
    fits("check", &["check", &deadlock, "--strategy", "depth", "--trace", &trace], 1);
    let at_once = ["--time", "0s"];
    let cut = |schema: &str, arguments: &[&str]| {
        let value = fits(schema, &[arguments, &at_once].concat(), 3);
        assert_eq!(Schema::of("").validate(&value), Ok(()), "{arguments:?}");
        value
    };
    cut("check", &["check", &deadlock]);
    cut("stats", &["stats", &deadlock]);
    let goal = ["--goal", "x == 2"];
    let estimate = [&["accuracy", &*deadlock][..], &goal, &["--estimate", "hamming"]].concat();
    let several = [&["compare", &*deadlock][..], &goal, &["--strategies", "breadth"]].concat();
    for (schema, arguments) in [("accuracy", estimate), ("compare", several)] {
        let value = cut(schema, &arguments);
        assert_eq!(value["verdict"], "unknown", "{value}");
        assert!(value["reason"].as_str().unwrap().contains("time"), "{value}");
        // `replay` and `simulate` have no limit to ask for; they print the same.
        assert_eq!(Schema::of("replay").validate(&value), Ok(()));
    }
    let out = folder.path("homing.toml");
    cut("tune", &["tune", &deadlock, "--out", &out]);
    assert!(!std::path::Path::new(&out).exists());
    cut("explain-plan", &["explain-plan", &deadlock]);
    // There is something to tell: the trace that was given.
    let given = cut("shorten", &["shorten", &deadlock, &trace]);
    assert!(given["reason"].as_str().unwrap().contains("time"), "{given}");
}

#[test]
fn parts_are_objects_of_the_same_fields() {
    let run = homing(&["parts", "--json"]);
    let parts: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
    assert!(parts.len() > 50);
    for part in &parts {
        let fields: Vec<&String> = part.as_object().unwrap().keys().collect();
        assert_eq!(fields.len(), 7, "{part}");
        assert!(part["name"].is_string() && part["parameters"].is_array(), "{part}");
    }
}

/// A wrong command line is told on standard error; nothing on standard output could be
/// taken for an answer.
#[test]
fn errors_print_no_json() {
    let folder = Folder::new("json-errors");
    let broken = folder.file("broken.dve", "byte x");
    let missing = folder.path("missing.dve");
    for model in [&broken, &missing] {
        let run = homing(&["check", model, "--json"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.stderr);
        assert!(run.stderr.contains(model.as_str()), "{}", run.stderr);
    }
}
