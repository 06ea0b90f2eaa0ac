use super::*;
use crate::style::Palette;
use homing_witness::outcome::{Move, StepOutcome, Value};

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

/// What is written in a picture, and where: left, top, right, bottom.
fn texts(picture: &roxmltree::Document) -> Vec<(String, [f64; 4])> {
    let all = picture.descendants().filter(|node| node.tag_name().name() == "text");
    all.map(|node| {
        let number = |name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
        let text = node.text().unwrap().to_string();
        let letter = if node.attribute("font-weight") == Some("bold") { 8.0 } else { 7.0 };
        let (x, y, wide) = (number("x"), number("y"), text.chars().count() as f64 * letter);
        let left = match node.attribute("text-anchor").unwrap() {
            "start" => x,
            "middle" => x - wide / 2.0,
            _ => x - wide,
        };
        (text, [left, y - 10.0, left + wide, y + 3.0])
    })
    .collect()
}

#[test]
fn nothing_written_in_a_chart_covers_anything_else() {
    let row = |step: usize, event: Event| Row { step, event };
    let label = || "a_channel_with_a_long_name!first,second,third,fourth,fifth".to_string();
    let sends = |who, message| Event::Sends { who, label: label(), message };
    let receives = |who, message, sent| Event::Receives { who, label: label(), message, sent };
    let chart = Chart {
        columns: vec!["A_process_with_quite_a_long_name[0]".into(), "B".into(), "C".into()],
        rows: vec![
            row(1, sends(0, 1)),
            row(2, receives(2, 1, 0)),
            row(3, sends(2, 2)),
            row(4, Event::Passes { from: 0, to: vec![1, 2], label: label() }),
            row(5, Event::Prints { who: 2, text: label() }),
            row(6, receives(2, 2, 2)),
            row(7, sends(2, 3)),
        ],
        repeats: Some(5),
        end: Some("and so on for ever: ".repeat(12)),
    };
    let drawn = svg(&chart);
    let picture = roxmltree::Document::parse(&drawn).unwrap();
    let frame = picture.root_element().attribute("viewBox").unwrap();
    let width: f64 = frame.split(' ').nth(2).unwrap().parse().unwrap();
    let written = texts(&picture);
    assert_eq!(written.len(), 3 + 7 + 7 + 2, "{drawn}");
    for (i, (text, a)) in written.iter().enumerate() {
        assert!(a[0] >= 0.0 && a[2] <= width, "{text} is cut: {drawn}");
        for (other, b) in &written[..i] {
            let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
            assert!(apart, "{text} covers {other}: {drawn}");
        }
    }
}
