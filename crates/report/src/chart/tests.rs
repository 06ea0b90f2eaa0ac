use super::*;
use crate::outcome::{Move, StepOutcome, Value};
use crate::style::Palette;

fn message(channel: &str, value: i64, way: MessageWay, at: usize, who: &str) -> MoveOutcome {
    let sends = way == MessageWay::Sent;
    let message = MessageOutcome {
        channel: channel.into(),
        values: vec![Value::Number(value)],
        way,
        position: Some(at),
        sender: sends.then(|| who.into()),
        receivers: if sends { vec![] } else { vec![who.into()] },
    };
    MoveOutcome { message: Some(Box::new(message)), ..MoveOutcome::default() }
}

fn direct(from: &str, to: &str) -> MoveOutcome {
    let message = MessageOutcome {
        channel: "c".into(),
        values: vec![Value::Number(1), Value::Text("ack".into())],
        way: MessageWay::Direct,
        position: None,
        sender: Some(from.into()),
        receivers: vec![to.into()],
    };
    MoveOutcome { message: Some(Box::new(message)), ..MoveOutcome::default() }
}

fn says(who: &str, text: &str) -> MoveOutcome {
    let taken = Move {
        process: who.into(),
        from: String::new(),
        to: String::new(),
        file: String::new(),
        line: 1,
        column: 1,
        text: String::new(),
        statement: false,
    };
    MoveOutcome {
        moves: vec![Arc::new(taken)],
        printed: Some(text.into()),
        ..MoveOutcome::default()
    }
}

/// Two messages through a sorted buffer: the second overtakes the first.
fn example() -> Chart {
    let moves = vec![
        direct("P", "Q"),
        message("q", 7, MessageWay::Sent, 0, "P"),
        message("q", 3, MessageWay::Sent, 0, "P"),
        says("Q", "<x>; y\n"),
        message("q", 3, MessageWay::Received, 0, "Q"),
        message("q", 7, MessageWay::Received, 0, "Q"),
        direct("Q", "P"),
    ];
    let step = |(i, first)| StepOutcome { step: i + 1, first, ..StepOutcome::default() };
    let steps: Vec<StepOutcome> = moves.into_iter().enumerate().map(step).collect();
    let trace = TraceOutcome {
        length: 7,
        cost: vec![],
        initial: vec![],
        steps,
        cause: None,
        why: None,
        repeats: None,
        time: None,
    };
    chart(&trace)
}

#[test]
fn receives_find_their_sends() {
    let sent = |row: &Row| match row.event {
        Event::Receives { message, sent, .. } => Some((message, sent)),
        _ => None,
    };
    let found: Vec<(usize, usize)> = example().rows.iter().filter_map(sent).collect();
    assert_eq!(found, [(2, 2), (1, 1)]);
}

#[test]
fn a_terminal_shows_columns_and_arrows() {
    let mut out = Vec::new();
    text(&mut out, &example(), &Palette::plain()).unwrap();
    let expected = "
         P              Q
1        |--- c!1,ack ->|
2        o q!7 (1)      |
3        o q!3 (2)      |
4        |              | \"<x>; y\"
5        |              * q?3 (2)
6        |              * q?7 (1)
7        |<-- c!1,ack --|
";
    assert_eq!(format!("\n{}", String::from_utf8(out).unwrap()), expected);
}

#[test]
fn mermaid_has_no_signs_that_mean_something_else() {
    let mut out = Vec::new();
    mermaid(&mut out, &example()).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("    p0->>p1: c!1,ack\n"), "{text}");
    assert!(text.contains("    p0-)p1: q?3 (2)\n"), "{text}");
    assert!(text.contains("Note over p1: #60;x#62;#59; y\n"), "{text}");
}

#[test]
fn pictures_have_a_slanted_arrow_for_every_receive() {
    let picture = svg(&example());
    let slanted = picture.lines().filter(|line| line.contains("#0072b2\" marker-end")).count();
    assert_eq!(slanted, 2, "{picture}");
    assert!(picture.contains("&lt;x&gt;; y"), "{picture}");
}

#[test]
fn a_run_without_messages_says_so() {
    let mut out = Vec::new();
    text(&mut out, &Chart::default(), &Palette::plain()).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "no message is sent in this run\n");
}
