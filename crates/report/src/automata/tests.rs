use homing_ir::network::LocationId;
use homing_ir::random::{Knobs, networks};
use proptest::prelude::*;

use super::*;
use homing_ir::counter::counter;

/// A train whose text is XML: an invariant, an urgent and a committed location,
/// an edge of each, and a loop.
fn train() -> Network {
    let text = "<nta>Safe x &lt;= 20 c! x = 0, y =\n 1 x &gt;= 3 &amp;&amp; y</nta>";
    let mut network = counter(3);
    network.sources = Sources::default();
    let source = network.sources.add("train.xml", text);
    let at = |part: &str| {
        let start = text.find(part).unwrap() as u32;
        Span { source, start, end: start + part.len() as u32 }
    };
    let read = |part: &str| Expr::int(1, at(part));
    let process = &mut network.processes[0];
    process.name = "Train(0)".into();
    let names = ["Safe", "Near", "Cross"];
    process.locations = names
        .iter()
        .map(|name| Location { name: name.to_string(), ..Location::default() })
        .collect();
    process.locations[0].invariant = Some(read("x &lt;= 20"));
    process.locations[1].urgency = Urgency::Urgent;
    process.locations[2].urgency = Urgency::Committed;
    let plain = process.edges[0].clone();
    let edge = |from: u32, to: Target, guard: Guard, action: Option<Action>, effect: Span| {
        let mut edge = Edge { from: LocationId(from), guard, action, ..plain.clone() };
        edge.branches[0].target = to;
        edge.branches[0].effect[0].span = effect;
        edge
    };
    let nothing = Span { source, start: 0, end: 0 };
    let to = |location: u32| Target::Location(LocationId(location));
    let send = Action::Send { channel: read("c"), message: Vec::new(), order: Default::default() };
    let long = at("x = 0, y =\n 1");
    process.edges = vec![
        edge(0, to(1), Guard::When(read("x &gt;= 3 &amp;&amp; y")), Some(send), long),
        edge(1, to(2), Guard::Always, None, nothing),
        edge(2, to(0), Guard::Always, None, nothing),
        edge(0, to(0), Guard::Always, None, long),
        edge(0, to(0), Guard::Always, None, long),
        edge(2, Target::End, Guard::Always, None, nothing),
    ];
    let mut other = process.clone();
    other.name = "Train(1)".into();
    network.processes.push(other);
    network
}

#[test]
fn dot_shows_what_is_written() {
    let expected = r##"digraph "counter" {
  node [shape=ellipse, fontsize=11];
  edge [fontsize=10];
  subgraph cluster_0 {
    label="Train(0), Train(1)";
    p0_0 [label="Safe\nx <= 20", peripheries=2];
    p0_1 [label="Near", style=dashed];
    p0_2 [label="Cross", style=bold];
    p0_3 [label="(end)", style=filled, fillcolor="#eeeeee"];
    p0_0 -> p0_1 [label="x >= 3 && y\nc!\nx = 0, y = 1"];
    p0_1 -> p0_2 [label=""];
    p0_2 -> p0_0 [label=""];
    p0_0 -> p0_0 [label="x = 0, y = 1"];
    p0_2 -> p0_3 [label=""];
  }
}
"##;
    let mut network = train();
    network.name = "counter".into();
    assert_eq!(dot(&network), expected);
}

#[test]
fn statements_are_their_text() {
    let mut network = counter(3);
    network.statements = true;
    let drawn = dot(&network);
    assert!(
        drawn.contains("p0_0 -> p0_0 [label=\"count -> count { guard x < most; effect"),
        "{drawn}"
    );
}

#[test]
fn svg_shows_what_is_written() {
    let drawn = svg(&train());
    let picture = roxmltree::Document::parse(&drawn).unwrap();
    let texts: Vec<&str> = picture
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
        .filter_map(|node| node.text())
        .collect();
    assert_eq!(
        texts,
        [
            "Train(0), Train(1)",
            "Safe",
            "x <= 20",
            "Near",
            "Cross",
            "(end)",
            "x >= 3 && y",
            "c!",
            "x = 0, y = 1",
            "x = 0, y = 1",
        ]
    );
}

#[test]
fn layers_are_distances() {
    let one = &automata(&train())[0];
    assert_eq!(layout::layers(one), [vec![0], vec![1], vec![2], vec![3]]);
}

/// Whether two rectangles of a picture have a point in common.
fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3]
}

/// What is written beside arrows, a rectangle a line.
fn labels(picture: &roxmltree::Document) -> Vec<[f64; 4]> {
    let beside = |node: &roxmltree::Node| {
        node.attribute("text-anchor") == Some("start")
            && node.attribute("font-weight") == Some("normal")
    };
    let all = picture.descendants().filter(beside);
    all.map(|node| {
        let number = |name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
        let wide = node.text().unwrap_or("").chars().count() as f64 * 6.4;
        [number("x"), number("y") - 9.9, wide, 12.8]
    })
    .collect()
}

/// No label is hidden by a location or by another label.
fn is_readable(drawn: &str) -> bool {
    let picture = roxmltree::Document::parse(drawn).unwrap();
    let labels = labels(&picture);
    let nodes: Vec<[f64; 4]> = nodes(&picture);
    let free = |(i, label): (usize, &[f64; 4])| {
        !nodes.iter().chain(&labels[..i]).any(|other| overlap(label, other))
    };
    labels.iter().enumerate().all(free)
}

fn nodes(picture: &roxmltree::Document) -> Vec<[f64; 4]> {
    let all = picture.descendants().filter(|node| node.attribute("rx") == Some("12"));
    all.map(|node| {
        let number = |name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
        [number("x"), number("y"), number("width"), number("height")]
    })
    .collect()
}

/// Two locations with ten edges there and ten back, and a location with ten loops.
#[test]
fn labels_of_many_edges_do_not_cover_each_other() {
    let mut network = train();
    let edge = network.processes[0].edges[0].clone();
    for (from, to) in [(0, 1), (1, 0), (2, 2)].repeat(10) {
        let mut other = edge.clone();
        other.from = LocationId(from);
        other.branches[0].target = Target::Location(LocationId(to));
        // The same line twice would be left out.
        other.action = None;
        other.branches[0].effect[0].span.end -= network.processes[0].edges.len() as u32 % 11;
        network.processes[0].edges.push(other);
    }
    let drawn = svg(&network);
    assert!(drawn.matches("x &gt;= 3").count() > 15, "{drawn}");
    assert!(is_readable(&drawn), "{drawn}");
}

proptest! {
    #![proptest_config(homing_ir::random::config(100))]

    /// Pictures of random models are well formed, all of a picture is within
    /// its frame, and neither locations nor labels cover each other.
    #[test]
    fn random_models_are_drawn(network in networks(Knobs::everything())) {
        let drawn = svg(&network);
        let picture = roxmltree::Document::parse(&drawn).unwrap();
        let frame: Vec<f64> = picture
            .root_element()
            .attribute("viewBox")
            .unwrap()
            .split(' ')
            .map(|number| number.parse().unwrap())
            .collect();
        let mut boxes: Vec<[f64; 4]> = Vec::new();
        for one in nodes(&picture) {
            prop_assert!(one[0] >= frame[0] && one[1] >= 0.0);
            prop_assert!(one[0] + one[2] <= frame[0] + frame[2]);
            prop_assert!(one[1] + one[3] <= frame[3]);
            prop_assert!(boxes.iter().all(|other| !overlap(&one, other)));
            boxes.push(one);
        }
        prop_assert!(is_readable(&drawn), "{}", drawn);
        let kinds = automata(&network);
        prop_assert_eq!(boxes.len(), kinds.iter().map(|one| one.nodes.len()).sum::<usize>());
        let drawn = dot(&network);
        prop_assert_eq!(drawn.matches('{').count(), drawn.matches('}').count());
        let arrows: usize = kinds.iter().map(|one| one.arrows.len()).sum();
        prop_assert_eq!(drawn.matches(" -> p").count(), arrows);
    }
}
