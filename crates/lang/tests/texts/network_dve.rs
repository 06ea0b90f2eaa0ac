//! What texts become: the trees of expressions, and the parts of networks.

use crate::support::render_all;
use homing_ir::network::{
    Access, Action, ChannelKind, Composition, EffectOrder, Expr, ExprKind, Guard, Network, Pattern,
    Place, PropertyKind, Role, StatementKind, Storage, Target, Type, Urgency,
};
use homing_lang::dve;

fn network(text: &str) -> Network {
    let parsed = dve::parse("models/small.dve", text);
    assert!(parsed.usable(), "{}", render_all(&parsed.network.sources, &parsed.diagnostics));
    parsed.network
}

const MODEL: &str = "
    const byte K = 7; const int T[2] = {1, 2};
    byte x, y, z, a[3];
    process P { byte v, w[2]; state s, t; init s; }
    process Q(key i) { state s; init s; }
    process Q(2);
    system async;";

/// An expression with all its parentheses.
fn show(network: &Network, expr: &Expr) -> String {
    let show = |expr: &Expr| show(network, expr);
    match &expr.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Read(place) => show_place(network, place),
        ExprKind::At(process, location) => {
            let process = &network.processes[process.index()];
            format!("{}.{}", process.name, process.locations[location.index()].name)
        }
        ExprKind::Unary(operator, operand) => format!("{operator:?}({})", show(operand)),
        ExprKind::Binary(operator, left, right) => {
            format!("({} {operator:?} {})", show(left), show(right))
        }
        other => panic!("unexpected {other:?}"),
    }
}

fn show_place(network: &Network, place: &Place) -> String {
    let name = &network.variables[place.variable.index()].name;
    match place.path.first() {
        Some(Access::Index(index)) => format!("{name}[{}]", show(network, index)),
        _ => name.clone(),
    }
}

/// Checks how an expression is read, or what is said first of one that cannot
/// be read.
fn check(text: &str, expected: &str) {
    let mut network = network(MODEL);
    let found = match dve::expression(&mut network, text, "<goal>") {
        Ok(expr) => {
            assert_eq!(network.sources.text(expr.span), text.trim());
            show(&network, &expr)
        }
        Err(said) => render_all(&network.sources, &said[..1]).lines().next().unwrap().to_string(),
    };
    assert_eq!(found, expected, "{text}");
}

#[test]
fn operators_bind_as_documented() {
    check("x + y * z", "(x Add (y Mul z))");
    check("x - y - z", "((x Sub y) Sub z)");
    check("x or y and z", "((x Or y) And z)");
    check("x and y or z", "((x And y) Or z)");
    check("x imply y imply z", "((x Imply y) Imply z)");
    check("x || y imply z && x", "((x Or y) Imply (z And x))");
    check("not x == 4", "(Not(x) Eq 4)");
    check("!x && ~y", "(Not(x) And BitNot(y))");
    check("- x + y", "(Neg(x) Add y)");
    check("- - x", "Neg(Neg(x))");
    check("x & y == z", "(x BitAnd (y Eq z))");
    check("x | y ^ z", "((x BitOr y) BitXor z)");
    check("x < y == z >= x", "((x Lt y) Eq (z Ge x))");
    check("x << 1 + y", "(x Shl (1 Add y))");
    check("x % y / z", "((x Rem y) Div z)");
    check("x != y <= z", "(x Ne (y Le z))");
    check("(x + y) * z", "((x Add y) Mul z)");
    check("x >> y > z", "((x Shr y) Gt z)");
}

#[test]
fn long_runs_become_balanced_trees() {
    check("x + y + z + x", "((x Add y) Add (z Add x))");
    check("x and y and z", "((x And y) And z)");
    check("x + y - z", "((x Add y) Sub z)");
}

#[test]
fn names_are_found() {
    check("K + T[1]", "(7 Add T[1])");
    check("a[x + 1]", "a[(x Add 1)]");
    check("a", "a[0]");
    check("true != false", "(1 Ne 0)");
    check("P.t + P.s", "(P.t Add P.s)");
    check("P->v + P->w[K]", "(v Add w[7])");
    check("P->x", "x");
    check("Q(2).s && Q(1 + 1)->i == 2", "(Q(2).s And (2 Eq 2))");
}

#[test]
fn goals_that_cannot_be_read_are_explained() {
    check("", "1:1 error: expected an expression, found the end of the text");
    check("x +", "1:4 error: expected an expression, found the end of the text");
    check("x y", "1:3 error: expected an operator or the end, found `y`");
    check("x = 1", "1:3 error: expected an operator or the end, found `=`");
    check("(x", "1:3 error: expected `)`, found the end of the text");
    check("v == 1", "1:1 error: unknown variable `v`");
    check("P.u", "1:3 error: process `P` has no state `u`");
    check("P->u", "1:4 error: unknown variable `u`");
    check("R.s", "1:1 error: unknown process `R`");
    check("Q.s", "1:1 error: `Q` has parameters");
    check("x[0]", "1:1 error: `x` is not an array");
    check("4294967296", "1:1 error: the number is too large");
    check("\u{0}", "1:1 error: this is not a text: it contains zero bytes");
}

#[test]
fn the_network_has_the_semantics_of_the_language() {
    let network = network(MODEL);
    assert_eq!(network.name, "small");
    assert_eq!(network.composition, Composition::Interleaved);
    assert_eq!(network.effect_order, EffectOrder::ReceiverFirst);
    let names: Vec<&str> = network.processes.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["P", "Q(2)"]);
}

#[test]
fn constants_are_no_part_of_the_state() {
    let network = network(MODEL);
    let state = network.variables.iter().filter(|variable| variable.storage == Storage::State);
    let names: Vec<&str> = state.map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "z", "a", "v", "w"]);
    assert_eq!(network.variables[1].initial, [1, 2]);
}

#[test]
fn transitions_become_edges() {
    let text = "
        byte x; bool b; channel c, e; channel {byte, bool} d[2];
        process P {
            state s, t;
            init s; commit t;
            trans
              s -> t { guard x == 1, b; sync d!{x, x}; effect b = x, x = 2; },
              -> s { sync e!; },
              t => { s:1, t:3 };
        }
        process Q {
            byte got[2];
            state s;
            init s;
            trans s -> s { sync c?{got[x], x}; };
        }
        system async;";
    let network = network(text);
    let [first, second, third] = network.processes[0].edges.as_slice() else {
        panic!("three edges")
    };
    let Guard::When(guard) = &first.guard else { panic!("a guard") };
    assert_eq!(show(&network, guard), "((x Eq 1) And b)");
    assert!(network.sources.text(first.span).starts_with("s -> t { guard"));
    assert!(network.sources.text(first.span).ends_with("x = 2; }"));
    let Some(Action::Send { message, .. }) = &first.action else { panic!("a message") };
    let message: Vec<String> = message.iter().map(|part| show(&network, part)).collect();
    assert_eq!(message, ["x", "(x Ne 0)"]);
    let StatementKind::Assign(_, value) = &first.branches[0].effect[0].kind else { panic!() };
    assert_eq!(show(&network, value), "(x Ne 0)");
    assert_eq!(second.from, first.from);
    assert!(network.sources.text(second.span).starts_with("-> s"));
    assert_eq!(third.branches.len(), 2);
    assert_ne!(third.branches[0].target, Target::Location(third.from));
    assert_eq!(network.processes[0].locations[1].urgency, Urgency::Committed);
    let Some(Action::Receive { message, .. }) = &network.processes[1].edges[0].action else {
        panic!("a message")
    };
    let Pattern::Store(place) = &message[0] else { panic!("a place") };
    assert_eq!(show_place(&network, place), "got[x]");
}

#[test]
fn channels_take_their_shape_from_declaration_or_use() {
    let network = network(
        "channel u, never; channel {byte, bool} t[0]; channel b[3];
         process P { byte x; bool y; state s; init s;
             trans s -> s { sync u!{1, 2}; }, s -> s { sync t!{1, 2}; }, s -> s { sync b!x; }; }
         process Q { byte x; bool y; state s; init s;
             trans s -> s { sync u?{x, x}; }, s -> s { sync t?{x, y}; }, s -> s { sync b?x; }; }
         system async;",
    );
    let int = |lo: i64, hi: i64| Type::wrapping(lo, hi);
    let wide = int(i32::MIN.into(), i32::MAX.into());
    let expected = [
        (ChannelKind::Rendezvous, vec![wide.clone(), wide]),
        (ChannelKind::Rendezvous, vec![]),
        (ChannelKind::Rendezvous, vec![int(0, 255), Type::Bool]),
        (ChannelKind::Buffered(3), vec![int(-32768, 32767)]),
    ];
    for (channel, (kind, message)) in network.channels.iter().zip(expected) {
        assert_eq!((channel.kind, &channel.message), (kind, &message), "{}", channel.name);
    }
}

#[test]
fn local_channels_can_be_reached_from_outside() {
    let network = network(
        "process P { channel c; state s; init s; trans s -> s { sync c!; }; }
         process Q { state s; init s; trans s -> s { sync P->c?; }; }
         system async;",
    );
    assert_eq!(network.channels[0].name, "P->c");
}

#[test]
fn properties_watch() {
    let network = network(
        "process P { state s; init s; trans s -> s {}; }
         property Two { state q; init q; accept buchi q; trans q -> q { guard P.s; }; }
         process One { state q; init q; accept q; trans q -> q { guard One.q; }; }
         system async property One;",
    );
    let roles: Vec<Role> = network.processes.iter().map(|process| process.role).collect();
    assert_eq!(roles, [Role::System, Role::Observer, Role::Observer]);
    assert_eq!(network.properties.len(), 2);
    assert_eq!(network.properties[1].name, "One");
    assert!(matches!(network.properties[1].kind, PropertyKind::Observer(id) if id.index() == 2));
    assert!(network.processes[1].locations[0].accepting);
}
