//! Misuse of channels in Promela programs: a run-time error where `pan -c0`, made by
//! `spin -a -o1 -o2 -o3`, reports one. All of these were once taken for statements that
//! wait.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use homing::report::outcome::Verdict;
use homing::{Hooks, Options};

fn verdict(text: &str, property: &str) -> Verdict {
    let model = homing::parse("model.pml", text).expect("it is read");
    let options = Options { properties: vec![property.into()], ..Options::default() };
    let checked = homing::check(&model, &options, Hooks::default()).expect("it can be checked");
    checked.outcome.results[0].verdict
}

fn fails(text: &str) {
    assert_eq!(verdict(text, "errors"), Verdict::Violated, "{text}");
}

fn is_fine(text: &str) {
    assert_eq!(verdict(text, "errors"), Verdict::Holds, "{text}");
}

const SENDS: [&str; 2] = ["c!1", "c!!1"];
const RECEIVES: [&str; 3] = ["c?x", "c??x", "c?1"];
const LOOKS: [&str; 8] =
    ["c?<x>", "c?[1]", "c??[1]", "len(c) > 0", "full(c)", "empty(c)", "nfull(c)", "nempty(c)"];

/// A process that tries a statement, beside another channel.
fn tried(statement: &str, others: &str) -> String {
    format!(
        "chan c; byte x; {others}\n\
         active proctype P() {{ end: if :: {statement} :: x == 5 fi }}"
    )
}

#[test]
fn every_use_of_a_variable_without_channel_fails() {
    for statement in SENDS.iter().chain(&RECEIVES).chain(&LOOKS) {
        fails(&tried(statement, "chan d = [1] of { byte };"));
        fails(&tried(statement, "chan d = [1] of { byte }; chan e = [0] of { byte };"));
    }
}

/// In programs without buffers, SPIN does not look at the channel of a receiver.
#[test]
fn who_receives_from_no_channel_waits_where_all_channels_are_rendezvous_channels() {
    for statement in SENDS.iter().chain(&LOOKS) {
        fails(&tried(statement, "chan d = [0] of { byte };"));
    }
    for statement in RECEIVES {
        is_fine(&tried(statement, "chan d = [0] of { byte };"));
        is_fine(&tried(&format!("atomic {{ {statement} }}"), "chan d = [0] of { byte };"));
    }
}

/// But it looks at how many messages are there, where a `d_step` begins by receiving.
#[test]
fn a_d_step_that_receives_from_no_channel_fails() {
    for statement in RECEIVES {
        for rest in ["", "; x = 1", "; x = 1; c?x"] {
            let text =
                tried(&format!("d_step {{ {statement}{rest} }}"), "chan d = [0] of { byte };");
            fails(&text);
            is_fine(&text.replace("end: if", "c = d; end: if"));
        }
    }
}

#[test]
fn the_use_of_a_variable_that_holds_a_channel_does_not_fail() {
    for statement in SENDS.iter().chain(&RECEIVES).chain(&LOOKS) {
        let text = tried(statement, "chan d = [1] of { byte };");
        is_fine(&text.replace("end: if", "c = d; end: if"));
    }
}

#[test]
fn a_variable_without_channel_fails_only_where_it_is_looked_at() {
    let text = |body: &str| {
        format!("chan c; byte x; chan d = [1] of {{ byte }}; active proctype P() {{ {body} }}")
    };
    fails(&text("if :: len(c) > 0 :: else fi"));
    fails(&text("{ x = 1; x = 2 } unless { c?1 }"));
    fails(&text("timeout -> c!1"));
    fails(&text("atomic { x = 1; c!1 }"));
    fails(&text("d_step { x = 1; x = len(c) }"));
    is_fine(&text("if :: x == 1 -> c!1 :: else fi; x == 0 || len(c) > 0"));
    is_fine(&text("{ c!1 } unless { x == 0 }"));
    is_fine(&text("x == 1; c!1").replace("P()", "P() provided (x == 1)"));
}

/// A number that is received into a `chan` variable may be none.
#[test]
fn a_number_that_is_no_channel_fails() {
    fails("chan q = [1] of { byte }; chan c; active proctype P() { q!200; q?c; c!1 }");
    is_fine("chan q = [1] of { byte }; chan c; active proctype P() { q!1; q?c; c!1 }");
}

/// The channels of a process are gone with it.
#[test]
fn the_channel_of_a_process_that_has_ended_fails() {
    let text = "chan back = [1] of { chan };\n\
                proctype Q() { chan own = [1] of { byte }; back!own; WAIT }\n\
                init { chan c; run Q(); END; back?c; c!1 }";
    let gone = text.replace("WAIT", "skip").replace("END", "_nr_pr == 1");
    fails(&gone);
    // The step fails, and does nothing else.
    assert_ne!(
        verdict(&gone.replace("c!1", "c!1; assert(false)"), "assertions"),
        Verdict::Violated
    );
    is_fine(&text.replace("WAIT", "false").replace("END", "skip"));
}

/// Missing parts were once sent as zeroes.
#[test]
fn messages_of_another_length_fail() {
    let text = |size: &str, body: &str| {
        format!("chan c = [{size}] of {{ byte, byte }}; byte x; active proctype P() {{ {body} }}")
    };
    fails(&text("1", "c!1"));
    fails(&text("0", "c!1"));
    fails(&text("1", "c!1,2; c?x"));
    is_fine(&text("1", "c!1,2; c?<x>; c?[1]; c?<1>; assert(x == 1)"));
    is_fine(&text("1", "c!1,2; c!1"));
    let met = |receive: &str| format!("{} active proctype Q() {{ {receive} }}", text("0", "c!1,2"));
    fails(&met("c?x"));
    fails(&met("c?1"));
    is_fine(&met("c?2"));
}

#[test]
fn messages_of_another_length_fail_on_channels_in_variables() {
    let text = |body: &str| {
        format!(
            "chan c = [1] of {{ byte, byte }}; chan d = [1] of {{ byte }}; chan e; byte x, y;\n\
             active proctype P() {{ e = d; {body} }}"
        )
    };
    fails(&text("e!1,2"));
    is_fine(&text("d!1; e!1,2"));
    fails(&text("d!1; e?x,y"));
    is_fine(&text("d!1; e?2,y"));
}

#[test]
fn looking_into_a_rendezvous_channel_fails() {
    let text = |body: &str| {
        format!(
            "chan c = [0] of {{ byte }}; byte x; active proctype P() {{ {body} }}\n\
             active proctype Q() {{ c!1 }}"
        )
    };
    fails(&text("c?<x>"));
    fails(&text("if :: c?[1] :: x == 0 fi"));
    is_fine(&text("if :: x == 1 && c?[1] :: x == 0 fi"));
    is_fine(&text("if :: full(c) :: empty(c) fi; len(c) == 0"));
}

/// As `pan` has it; they were taken for full.
#[test]
fn rendezvous_channels_are_never_full() {
    let text = "chan c = [0] of { byte }; chan d = [0] of { byte }; byte x;\n\
                proctype P(chan e) {\n\
                    assert(!full(c) && nfull(c) && empty(c) && !full(e) && nfull(e));\n\
                    if :: full(e) -> assert(false) :: nfull(e) fi }\n\
                active proctype Q() { c!1 } active proctype R() { c?x }\n\
                init { run P(c); run P(d) }";
    assert_eq!(verdict(text, "assertions"), Verdict::Holds);
    is_fine(text);
}

/// An escape that is always possible comes first; before a receive from no channel it was
/// not looked at.
#[test]
fn what_is_escaped_from_does_not_fail() {
    for statement in ["v?x", "v!1", "v??x"] {
        for others in ["", "chan r = [0] of { byte };"] {
            is_fine(&format!(
                "byte x; chan h = [1] of {{ byte }}; chan v; {others}\n\
                 active proctype P() {{ {{ {statement} }} unless {{ x == 0 }} }}"
            ));
        }
    }
}

/// While a rendezvous is made, SPIN's `_last` is who sends: it was taken for who moved
/// before.
#[test]
fn who_was_last_is_not_asked_for_in_a_rendezvous() {
    let text = |size: u32| {
        format!(
            "chan r = [{size}] of {{ byte }}; active proctype P() {{ r!1 }}\n\
             active proctype Q() {{ end: r?eval(_last) }}"
        )
    };
    let error = homing::parse("model.pml", &text(0)).expect_err("it is refused");
    assert!(format!("{error:?}").contains("is not supported"), "{error:?}");
    is_fine(&text(1));
    let provided = "chan r = [0] of { byte };\n\
                    active proctype P() provided (_last == 1) { { r?1 } unless { r?_ } }\n\
                    active [2] proctype Q() { r!2 }";
    assert!(homing::parse("model.pml", provided).is_err());
    assert!(
        homing::parse("model.pml", &provided.replace("r?1", "r!1").replace("r?_", "skip")).is_ok()
    );
}

/// Without any channel at all, `pan` asks for the length of one that is not there. It was
/// taken for a wait, as where all channels are rendezvous channels.
#[test]
fn a_receive_fails_where_there_are_no_channels_at_all() {
    for receive in ["v?1", "v?x", "v?eval(x)", "v?<x>"] {
        fails(&format!("byte x; chan v; active proctype P() {{ {receive} }}"));
    }
    let waits = "byte x; chan v; chan r = [0] of { byte }; active proctype P() { v?1 }";
    assert_eq!(verdict(waits, "errors"), Verdict::Holds);
}

/// Names are bytes: they wrap.
#[test]
fn symbolic_names_wrap() {
    let text = "mtype = { a, b }; mtype m = b; active proctype P() {\n\
                m = m + 300; assert(m == 45); m = m - 46; assert(m == 255) }";
    assert_eq!(verdict(text, "assertions"), Verdict::Holds);
    is_fine(text);
}

/// What a claim or formula asks cannot be answered where it looks at no channel: `pan`
/// reports an error. It was taken for false, and the property for one that holds.
#[test]
fn claims_that_look_at_no_channel_do_not_hold() {
    let text = |claim: &str| {
        format!(
            "chan v; chan q = [1] of {{ byte }}; byte g;\n\
             active proctype P() {{ g = 1; v = q; g = 2 }} {claim}"
        )
    };
    let never =
        |condition: &str| text(&format!("never {{ do :: {condition} -> break :: else od }}"));
    let ltl = |formula: &str| text(&format!("ltl p {{ [] ({formula}) }}"));
    assert_eq!(verdict(&never("len(v) > 0"), "never"), Verdict::Unknown);
    assert_eq!(verdict(&never("g == 2 && len(v) > 0"), "never"), Verdict::Holds);
    assert_eq!(verdict(&ltl("!(len(v) > 1)"), "p"), Verdict::Unknown);
    assert_eq!(verdict(&ltl("g == 2 -> len(v) < 1"), "p"), Verdict::Holds);
    assert_ne!(verdict(&ltl("len(v) < 1"), "p"), Verdict::Holds);
}
