//! Sketches of networks: trees of small numbers, and how they are drawn.

use proptest::collection::vec;
use proptest::prelude::*;

use super::Knobs;

#[derive(Clone, Debug)]
pub(super) enum ExprSketch {
    Number(i64),
    Read(PlaceSketch),
    At(u8, u8),
    Length(u8),
    Poll { channel: u8, parts: [Option<Box<ExprSketch>>; 2], any: bool, dynamic: bool },
    Unary(u8, Box<ExprSketch>),
    Binary(u8, Box<ExprSketch>, Box<ExprSketch>),
    Choose(Box<[ExprSketch; 3]>),
}

#[derive(Clone, Debug)]
pub(super) struct PlaceSketch {
    pub variable: u8,
    pub field: u8,
    pub indices: [IndexSketch; 2],
}

/// An index: always within bounds, made to be, or left to luck.
#[derive(Clone, Debug)]
pub(super) enum IndexSketch {
    Constant(u8),
    Careful(Box<ExprSketch>),
    Careless(Box<ExprSketch>),
}

#[derive(Clone, Debug)]
pub(super) enum StatementSketch {
    Assign(PlaceSketch, ExprSketch),
    /// The value made to fit by a comparison, so that checked types last longer.
    AssignWithin(PlaceSketch, ExprSketch),
    /// The value that is there, and this more; it may leave its type or not.
    Advance(PlaceSketch, i64, bool),
    If(ExprSketch, Vec<StatementSketch>, Vec<StatementSketch>),
    /// Counts a variable up, with an assignment to another in every round.
    Count(u8, u8, ExprSketch),
    Assert(ExprSketch),
    Start(ExprSketch, bool),
    SetChannel(u8),
    Clear(u8),
}

#[derive(Clone, Debug)]
pub(super) enum GuardSketch {
    Always,
    When(ExprSketch),
    /// All edges before it count but so many; and a condition.
    Otherwise(u8, Option<ExprSketch>),
    Timeout(Option<ExprSketch>),
}

#[derive(Clone, Debug)]
pub(super) enum ActionSketch {
    None,
    Send { channel: u8, parts: [ExprSketch; 2], sorted: bool, dynamic: bool },
    Receive { channel: u8, parts: [PatternSketch; 2], any: bool, keep: bool, dynamic: bool },
    Label(u8),
}

#[derive(Clone, Debug)]
pub(super) enum PatternSketch {
    Store(PlaceSketch),
    Match(ExprSketch),
    Ignore,
    Except(ExprSketch, Box<PatternSketch>),
}

#[derive(Clone, Debug)]
pub(super) struct BranchSketch {
    /// Branches lead one location further, those with an offset elsewhere.
    pub to: u8,
    pub ends: bool,
    pub effect: Vec<StatementSketch>,
}

#[derive(Clone, Debug)]
pub(super) struct EdgeSketch {
    /// Edges leave one location after the other, those with an offset others.
    pub from: u8,
    pub guard: GuardSketch,
    pub action: ActionSketch,
    pub priority: u8,
    /// Control is given up up to 4.
    pub atomic: u8,
    pub branches: Vec<BranchSketch>,
}

#[derive(Clone, Debug)]
pub(super) struct LocationSketch {
    pub committed: bool,
    pub end: bool,
    pub assertion: Option<ExprSketch>,
}

#[derive(Clone, Debug)]
pub(super) struct ProcessSketch {
    pub locations: Vec<LocationSketch>,
    pub edges: Vec<EdgeSketch>,
    pub priority: u8,
}

#[derive(Clone, Debug)]
pub(super) struct VariableSketch {
    pub shape: u8,
    pub lo: i64,
    pub values: i64,
    pub checked: bool,
    pub storage: u8,
    pub owner: u8,
    pub initial: u8,
}

#[derive(Clone, Debug)]
pub(super) struct ChannelSketch {
    pub kind: u8,
    pub parts: u8,
    pub checked: bool,
}

#[derive(Clone, Debug)]
pub(super) struct NetworkSketch {
    pub variables: Vec<VariableSketch>,
    pub channels: Vec<ChannelSketch>,
    pub processes: Vec<ProcessSketch>,
    /// Of each vector, for every process whether it takes part, and its label.
    pub vectors: Vec<Vec<(bool, u8)>>,
    pub slots: u8,
    pub sender_first: bool,
    pub synchronous: bool,
    pub checked_arithmetic: bool,
    pub observer: bool,
    /// Which of the features allowed it uses, as a bit set.
    pub features: u32,
}

pub(super) fn network(knobs: &Knobs) -> impl Strategy<Value = NetworkSketch> + use<> {
    let at_most = |most: usize, least: usize| least..most.max(least) + 1;
    let processes = prop_oneof![
        1 => vec(process(knobs), 1),
        6 => vec(process(knobs), knobs.processes.min(2)..knobs.processes.max(1) + 1),
    ];
    let variables = vec(variable(), at_most(knobs.variables, 1));
    let channels = vec(channel(), at_most(knobs.channels, 0));
    let vectors = vec(vec((prop::bool::weighted(0.6), 0..2u8), knobs.processes), 0..3);
    let rarely = || prop::bool::weighted(0.15);
    let flags = (any::<bool>(), rarely(), any::<bool>(), rarely(), any::<u32>());
    (variables, channels, processes, vectors, 0..3u8, flags).prop_map(
        |(variables, channels, processes, vectors, slots, flags)| {
            let (sender_first, synchronous, checked_arithmetic, observer, features) = flags;
            NetworkSketch {
                variables,
                channels,
                processes,
                vectors,
                slots,
                sender_first,
                synchronous,
                checked_arithmetic,
                observer,
                features,
            }
        },
    )
}

fn variable() -> impl Strategy<Value = VariableSketch> {
    (0..9u8, -3..=0i64, 2..=6i64, prop::bool::weighted(0.3), 0..8u8, 0..8u8, 0..8u8).prop_map(
        |(shape, lo, values, checked, storage, owner, initial)| VariableSketch {
            shape,
            lo,
            values,
            checked,
            storage,
            owner,
            initial,
        },
    )
}

fn channel() -> impl Strategy<Value = ChannelSketch> {
    let fields = (0..5u8, 0..3u8, prop::bool::weighted(0.1));
    fields.prop_map(|(kind, parts, checked)| ChannelSketch { kind, parts, checked })
}

fn process(knobs: &Knobs) -> impl Strategy<Value = ProcessSketch> + use<> {
    let locations = prop_oneof![
        1 => vec(location(), 1),
        4 => vec(location(), knobs.locations.clamp(1, 2)..knobs.locations.max(1) + 1),
    ];
    let edges = vec(edge(knobs.depth), knobs.edges.div_ceil(2)..knobs.edges.max(1) + 1);
    (locations, edges, 0..8u8).prop_map(|(locations, edges, priority)| ProcessSketch {
        locations,
        edges,
        priority,
    })
}

fn location() -> impl Strategy<Value = LocationSketch> {
    let assertion = prop::option::weighted(0.1, condition(2));
    (prop::bool::weighted(0.04), prop::bool::weighted(0.4), assertion)
        .prop_map(|(committed, end, assertion)| LocationSketch { committed, end, assertion })
}

fn edge(depth: u32) -> impl Strategy<Value = EdgeSketch> {
    let branches = prop_oneof![5 => vec(branch(depth), 1), 1 => vec(branch(depth), 2)];
    let offset = prop_oneof![3 => Just(0u8), 1 => 1..3u8];
    (offset, guard(depth), action(depth), 0..8u8, 0..8u8, branches).prop_map(
        |(from, guard, action, priority, atomic, branches)| EdgeSketch {
            from,
            guard,
            action,
            priority,
            atomic,
            branches,
        },
    )
}

fn branch(depth: u32) -> impl Strategy<Value = BranchSketch> {
    let offset = prop_oneof![3 => Just(0u8), 2 => 1..3u8];
    let effect = prop_oneof![1 => Just(Vec::new()), 5 => vec(statement(depth), 1..4)];
    (offset, prop::bool::weighted(0.2), effect).prop_map(|(to, ends, effect)| BranchSketch {
        to,
        ends,
        effect,
    })
}

fn guard(depth: u32) -> impl Strategy<Value = GuardSketch> {
    let besides = || prop::option::weighted(0.4, condition(depth));
    let less = prop_oneof![2 => Just(0u8), 1 => 1..4u8];
    prop_oneof![
        8 => Just(GuardSketch::Always),
        6 => condition(depth).prop_map(GuardSketch::When),
        1 => expression(depth).prop_map(GuardSketch::When),
        2 => (less, besides()).prop_map(|(less, when)| GuardSketch::Otherwise(less, when)),
        1 => besides().prop_map(GuardSketch::Timeout),
    ]
}

fn action(depth: u32) -> impl Strategy<Value = ActionSketch> {
    let rarely = || prop::bool::weighted(0.2);
    let parts = [expression(depth), expression(depth)];
    let send = (0..4u8, parts, rarely(), rarely()).prop_map(|(channel, parts, sorted, dynamic)| {
        ActionSketch::Send { channel, parts, sorted, dynamic }
    });
    let parts = [pattern(), pattern()];
    let receive = (0..4u8, parts, rarely(), rarely(), rarely()).prop_map(
        |(channel, parts, any, keep, dynamic)| ActionSketch::Receive {
            channel,
            parts,
            any,
            keep,
            dynamic,
        },
    );
    prop_oneof![
        10 => Just(ActionSketch::None),
        4 => send,
        5 => receive,
        2 => (0..2u8).prop_map(ActionSketch::Label),
    ]
}

fn pattern() -> BoxedStrategy<PatternSketch> {
    let plain = prop_oneof![
        5 => place().prop_map(PatternSketch::Store),
        2 => expression(1).prop_map(PatternSketch::Match),
        1 => Just(PatternSketch::Ignore),
    ]
    .boxed();
    let except = (expression(1), plain.clone())
        .prop_map(|(value, besides)| PatternSketch::Except(value, Box::new(besides)));
    prop_oneof![15 => plain, 1 => except].boxed()
}

fn statement(depth: u32) -> impl Strategy<Value = StatementSketch> {
    let simple = prop_oneof![
        12 => (place(), -2..4i64, prop::bool::weighted(0.8))
            .prop_map(|(place, delta, careful)| StatementSketch::Advance(place, delta, careful)),
        2 => (place(), expression(depth)).prop_map(|(place, value)| StatementSketch::Assign(place, value)),
        3 => (place(), expression(depth)).prop_map(|(place, value)| StatementSketch::AssignWithin(place, value)),
        1 => (0..8u8, 0..8u8, expression(1)).prop_map(|(i, x, value)| StatementSketch::Count(i, x, value)),
        1 => condition(depth).prop_map(StatementSketch::Assert),
        1 => (expression(1), any::<bool>()).prop_map(|(n, keep)| StatementSketch::Start(n, keep)),
        1 => (0..4u8).prop_map(StatementSketch::SetChannel),
        1 => (0..4u8).prop_map(StatementSketch::Clear),
    ];
    simple.prop_recursive(2, 6, 2, move |inner| {
        (condition(depth), vec(inner.clone(), 0..3), vec(inner, 0..2))
            .prop_map(|(condition, yes, no)| StatementSketch::If(condition, yes, no))
    })
}

/// A comparison of something that changes with something else, mostly.
pub(super) fn condition(depth: u32) -> BoxedStrategy<ExprSketch> {
    let compare = (10..16u8, place(), leaf()).prop_map(|(op, place, other)| {
        ExprSketch::Binary(op, Box::new(ExprSketch::Read(place)), Box::new(other))
    });
    let located =
        (0..8u8, 0..3u8).prop_map(|(process, location)| ExprSketch::At(process, location));
    prop_oneof![6 => compare, 2 => located, 2 => expression(depth)].boxed()
}

fn number() -> impl Strategy<Value = ExprSketch> {
    prop_oneof![
        20 => -4..7i64,
        1 => Just(i64::from(i32::MAX)),
        1 => Just(i64::from(i32::MIN)),
    ]
    .prop_map(ExprSketch::Number)
}

fn leaf() -> BoxedStrategy<ExprSketch> {
    prop_oneof![
        4 => number(),
        6 => place().prop_map(ExprSketch::Read),
        1 => (0..8u8, 0..3u8).prop_map(|(process, location)| ExprSketch::At(process, location)),
        1 => (0..4u8).prop_map(ExprSketch::Length),
        1 => poll(),
    ]
    .boxed()
}

fn poll() -> impl Strategy<Value = ExprSketch> {
    let value = prop_oneof![2 => number(), 1 => place().prop_map(ExprSketch::Read)];
    let part = prop::option::of(value.prop_map(Box::new)).boxed();
    let rarely = prop::bool::weighted(0.2);
    (0..4u8, [part.clone(), part], any::<bool>(), rarely).prop_map(
        |(channel, parts, any, dynamic)| ExprSketch::Poll { channel, parts, any, dynamic },
    )
}

/// A place whose indices are constants, or another place's value.
fn place() -> BoxedStrategy<PlaceSketch> {
    let constant = || (0..4u8).prop_map(IndexSketch::Constant).boxed();
    let plain = (0..8u8, 0..2u8, [constant(), constant()])
        .prop_map(|(variable, field, indices)| PlaceSketch { variable, field, indices });
    let read = plain.clone().prop_map(|place| Box::new(ExprSketch::Read(place)));
    let index = prop_oneof![
        4 => constant(),
        8 => read.clone().prop_map(IndexSketch::Careful),
        1 => read.prop_map(IndexSketch::Careless),
    ]
    .boxed();
    let dynamic = (0..8u8, 0..2u8, [index.clone(), index])
        .prop_map(|(variable, field, indices)| PlaceSketch { variable, field, indices });
    prop_oneof![1 => plain, 1 => dynamic].boxed()
}

fn expression(depth: u32) -> BoxedStrategy<ExprSketch> {
    leaf()
        .prop_recursive(depth, 1 << depth.min(6), 3, |inner| {
            let one = inner.clone().prop_map(Box::new);
            // The last two divide without looking at the divisor.
            let operator = prop_oneof![30 => 0..21u8, 1 => 21..23u8];
            let indexed = (place(), one.clone(), prop::bool::weighted(0.9)).prop_map(|(place, index, careful)| {
                let index = if careful { IndexSketch::Careful(index) } else { IndexSketch::Careless(index) };
                let [_, second] = place.indices;
                ExprSketch::Read(PlaceSketch { indices: [index, second], ..place })
            });
            prop_oneof![
                1 => (0..3u8, one.clone()).prop_map(|(op, operand)| ExprSketch::Unary(op, operand)),
                6 => (operator, one.clone(), one).prop_map(|(op, left, right)| ExprSketch::Binary(op, left, right)),
                1 => [inner.clone(), inner.clone(), inner].prop_map(|parts| ExprSketch::Choose(Box::new(parts))),
                1 => indexed,
            ]
        })
        .boxed()
}
