//! Writing a tree as Promela again: SPIN must make the same of both texts.

use std::fmt::Write;

use homing_ir::network::{Binary as Op, Unary as Op1};

use crate::promela::syntax::*;

/// A whole text; inlines and macros are expanded in it.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for unit in &program.units {
        let text = match unit {
            Unit::Proctype(process) => proctype(process),
            Unit::Claim(claim) => {
                let word = match claim.kind {
                    ClaimKind::Never => "never",
                    ClaimKind::Trace => "trace",
                    ClaimKind::NoTrace => "notrace",
                };
                let name = claim.name.as_ref().map_or("", |name| &name.text);
                format!("{word} {name} {{\n{}}}\n", sequence(&claim.body))
            }
            Unit::Ltl(ltl) => {
                let name = ltl.name.as_ref().map_or("", |name| &name.text);
                format!("ltl {name} {{ {} }}\n", expr(&ltl.formula))
            }
            Unit::Declaration(one) => format!("{};\n", declaration(one)),
            Unit::Record(record) => {
                let fields: Vec<String> = record.fields.iter().map(declaration).collect();
                format!("typedef {} {{ {} }};\n", record.name.text, fields.join("; "))
            }
            Unit::Symbols(symbols) => {
                let subtype = symbols.subtype.as_ref().map(|name| format!(":{}", name.text));
                let names: Vec<&str> = symbols.names.iter().map(|n| n.text.as_str()).collect();
                format!("mtype{} = {{ {} }};\n", subtype.unwrap_or_default(), names.join(", "))
            }
        };
        out += &text;
    }
    out
}

fn proctype(process: &Proctype) -> String {
    let mut out = String::new();
    let priority = process.priority.as_ref().map(|e| format!("priority {} ", expr(e)));
    let priority = priority.unwrap_or_default();
    if process.init {
        return format!("init {priority}{{\n{}}}\n", sequence(&process.body));
    }
    if let Some(active) = &process.active {
        write!(out, "active [{}] ", expr(active)).unwrap();
    }
    let word = if process.deterministic { "D_proctype" } else { "proctype" };
    let parameters: Vec<String> = process.parameters.iter().map(declaration).collect();
    write!(out, "{word} {}({}) {priority}", process.name.text, parameters.join("; ")).unwrap();
    if let Some(provided) = &process.provided {
        write!(out, "provided ({}) ", expr(provided)).unwrap();
    }
    write!(out, "{{\n{}}}\n", sequence(&process.body)).unwrap();
    out
}

fn type_name(ty: &TypeName) -> String {
    match ty {
        TypeName::Bit => "bit".into(),
        TypeName::Bool => "bool".into(),
        TypeName::Byte => "byte".into(),
        TypeName::Pid => "pid".into(),
        TypeName::Short => "short".into(),
        TypeName::Int => "int".into(),
        TypeName::Unsigned => "unsigned".into(),
        TypeName::Mtype(None) => "mtype".into(),
        TypeName::Mtype(Some(name)) => format!("mtype:{}", name.text),
        TypeName::Chan => "chan".into(),
        TypeName::Record(name) => name.text.clone(),
    }
}

fn declaration(declaration: &Declaration) -> String {
    let visibility = match declaration.visibility {
        Visibility::Plain => "",
        Visibility::Hidden => "hidden ",
        Visibility::Show => "show ",
        Visibility::Local => "local ",
    };
    let variables: Vec<String> = declaration.variables.iter().map(declarator).collect();
    format!("{visibility}{} {}", type_name(&declaration.ty), variables.join(", "))
}

fn declarator(one: &Declarator) -> String {
    let mut out = one.name.text.clone();
    if let Some(width) = &one.width {
        write!(out, " : {}", expr(width)).unwrap();
    }
    if let Some(size) = &one.size {
        // SPIN takes a lone name only without parentheses.
        write!(out, "[{}]", expr(size)).unwrap();
    }
    match &one.initial {
        None => {}
        Some(Initial::Value(value)) => write!(out, " = {}", expr(value)).unwrap(),
        Some(Initial::List(list, _)) => write!(out, " = {{ {} }}", exprs(list)).unwrap(),
        Some(Initial::Channel { capacity, message, .. }) => {
            let types: Vec<String> = message.iter().map(|(ty, _)| type_name(ty)).collect();
            write!(out, " = [{}] of {{ {} }}", expr(capacity), types.join(", ")).unwrap();
        }
    }
    out
}

fn sequence(sequence: &Sequence) -> String {
    let mut out = String::new();
    for (i, step) in sequence.steps.iter().enumerate() {
        let text = match step {
            Step::Declaration(one) => declaration(one),
            Step::Exclusive { receive, channels, .. } => {
                let channels: Vec<String> = channels.iter().map(reference).collect();
                format!("{} {}", if *receive { "xr" } else { "xs" }, channels.join(", "))
            }
            Step::Statement(one) => statement(one),
        };
        let end = if i + 1 < sequence.steps.len() { ";\n" } else { "\n" };
        out += &text;
        out += end;
    }
    out
}

fn statement(statement: &Statement) -> String {
    let labels: String = statement.labels.iter().map(|label| format!("{}: ", label.text)).collect();
    format!("{labels}{}", kind(&statement.kind))
}

fn options(options: &[Sequence]) -> String {
    options.iter().map(|option| format!(":: {}", sequence(option))).collect()
}

fn kind(kind: &StatementKind) -> String {
    use StatementKind::*;
    match kind {
        Expression(e) => expr(e),
        Assign(to, value) => format!("{} = {}", reference(to), expr(value)),
        Send { channel, message, sorted } => {
            format!("{}{}{}", reference(channel), if *sorted { "!!" } else { "!" }, exprs(message))
        }
        Receive { channel, message, any, keep } => {
            let message = patterns(message);
            let message = if *keep { format!("<{message}>") } else { message };
            format!("{}{}{message}", reference(channel), if *any { "??" } else { "?" })
        }
        If(list) => format!("if\n{}fi", options(list)),
        Do(list) => format!("do\n{}od", options(list)),
        For { index, from, to, body } => {
            let (index, from, to) = (reference(index), expr(from), expr(to));
            format!("for ({index} : {from} .. {to}) {{\n{}}}", sequence(body))
        }
        ForIn { index, of, body } => {
            format!("for ({} in {}) {{\n{}}}", reference(index), reference(of), sequence(body))
        }
        Select { index, from, to } => {
            format!("select ({} : {} .. {})", reference(index), expr(from), expr(to))
        }
        Break => "break".into(),
        Goto(label) => format!("goto {}", label.text),
        Else => "else".into(),
        Assert(e) => format!("assert({})", expr(e)),
        Print(text, arguments) if arguments.is_empty() => format!("printf(\"{text}\")"),
        Print(text, arguments) => format!("printf(\"{text}\", {})", exprs(arguments)),
        PrintSymbol(e) => format!("printm({})", expr(e)),
        SetPriority(p, e) => format!("set_priority({}, {})", expr(p), expr(e)),
        Atomic(body) => format!("atomic {{\n{}}}", sequence(body)),
        Deterministic(body) => format!("d_step {{\n{}}}", sequence(body)),
        Block(body) | Inline { body, .. } => format!("{{\n{}}}", sequence(body)),
        Unless(main, escape) => format!("{} unless {}", statement(main), statement(escape)),
    }
}

fn patterns(list: &[Argument]) -> String {
    let one = |argument: &Argument| match argument {
        Argument::Reference(name) => reference(name),
        Argument::Constant(value, _) => value.to_string(),
        Argument::Eval(e) => format!("eval({})", expr(e)),
    };
    list.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn reference(reference: &Reference) -> String {
    let part = |part: &Part| match &part.index {
        Some(index) => format!("{}[{}]", part.name.text, expr(index)),
        None => part.name.text.clone(),
    };
    reference.parts.iter().map(part).collect::<Vec<_>>().join(".")
}

fn exprs(list: &[Expr]) -> String {
    list.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn remote(process: &Name, pid: &Option<Box<Expr>>) -> String {
    let pid = pid.as_ref().map(|pid| format!("[{}]", expr(pid))).unwrap_or_default();
    format!("{}{pid}", process.text)
}

/// An expression with all its parentheses.
pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Number(value) => value.to_string(),
        ExprKind::Reference(name) => reference(name),
        ExprKind::Unary(operator, operand) => {
            let sign = match operator {
                Unary::Plain(Op1::Neg) => "-",
                Unary::Plain(Op1::Not) => "!",
                Unary::Plain(Op1::BitNot) => "~",
                Unary::Always => "[] ",
                Unary::Eventually => "<> ",
                Unary::Next => "X ",
            };
            // `a \n -b` would be read as a subtraction only without them.
            format!("({sign}{})", expr(operand))
        }
        ExprKind::Binary(operator, a, b) => {
            format!("({} {} {})", expr(a), sign(*operator), expr(b))
        }
        ExprKind::Conditional(a, b, c) => format!("({} -> {} : {})", expr(a), expr(b), expr(c)),
        ExprKind::Run { name, arguments, priority } => {
            let priority = priority.as_ref().map(|e| format!(" priority {}", expr(e)));
            format!("run {}({}){}", name.text, exprs(arguments), priority.unwrap_or_default())
        }
        ExprKind::Channel(question, channel) => {
            let word = match question {
                ChannelQuestion::Length => "len",
                ChannelQuestion::Empty => "empty",
                ChannelQuestion::NotEmpty => "nempty",
                ChannelQuestion::Full => "full",
                ChannelQuestion::NotFull => "nfull",
            };
            format!("{word}({})", reference(channel))
        }
        ExprKind::Poll { channel, message, any } => {
            format!(
                "{}{}[{}]",
                reference(channel),
                if *any { "??" } else { "?" },
                patterns(message)
            )
        }
        ExprKind::Timeout => "timeout".into(),
        ExprKind::NonProgress => "np_".into(),
        ExprKind::Enabled(p) => format!("enabled({})", expr(p)),
        ExprKind::PcValue(p) => format!("pc_value({})", expr(p)),
        ExprKind::Priority(p) => format!("get_priority({})", expr(p)),
        ExprKind::RemoteLabel { process, pid, label } => {
            format!("{}@{}", remote(process, pid), label.text)
        }
        ExprKind::RemoteVariable { process, pid, variable } => {
            format!("{}:{}", remote(process, pid), reference(variable))
        }
    }
}

fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Plain(Op::Imply) => "->",
        Binary::Plain(op) => op.sign(),
        Binary::Equivalent => "<->",
        Binary::Until => "U",
        Binary::WeakUntil => "W",
        Binary::Release => "V",
    }
}
