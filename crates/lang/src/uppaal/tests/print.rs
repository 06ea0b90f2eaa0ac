//! Printing trees: expressions with all their parentheses, and all names with
//! their places.

use homing_ir::Span;

use crate::uppaal::syntax::*;

/// An expression with parentheses around all that has an operator.
pub fn expr(e: &Expr) -> String {
    let list = |list: &[Expr]| list.iter().map(expr).collect::<Vec<_>>().join(", ");
    match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Real => "real".to_string(),
        ExprKind::Text => "text".to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Index(base, index) => format!("{}[{}]", expr(base), expr(index)),
        ExprKind::Field(base, name) => format!("{}.{}", expr(base), name.text),
        ExprKind::Call(base, arguments) => format!("{}({})", expr(base), list(arguments)),
        ExprKind::Rate(clock) => format!("{}'", expr(clock)),
        ExprKind::Unary(operator, a) => format!("({operator:?} {})", expr(a)),
        ExprKind::Binary(operator, a, b) => {
            format!("({} {} {})", expr(a), name(*operator), expr(b))
        }
        ExprKind::Choose(a, b, c) => format!("({} ? {} : {})", expr(a), expr(b), expr(c)),
        ExprKind::Assign(None, a, b) => format!("({} = {})", expr(a), expr(b)),
        ExprKind::Assign(Some(by), a, b) => format!("({} {}= {})", expr(a), name(*by), expr(b)),
        ExprKind::Step { increment, before, place } => {
            let sign = if *increment { "++" } else { "--" };
            match before {
                true => format!("({sign}{})", expr(place)),
                false => format!("({}{sign})", expr(place)),
            }
        }
        ExprKind::Quantified(quantifier, name, ty, body) => {
            format!("({quantifier:?} {} : {} {})", name.text, type_text(ty), expr(body))
        }
        ExprKind::Deadlock => "deadlock".to_string(),
        ExprKind::Other(what) => format!("<{what}>"),
    }
}

fn name(operator: Binary) -> String {
    match operator {
        Binary::Plain(operator) => format!("{operator:?}"),
        other => format!("{other:?}"),
    }
}

/// A type, with its prefixes.
pub fn type_text(ty: &Type) -> String {
    let prefixes = [
        (ty.constant, "const "),
        (ty.meta, "meta "),
        (ty.urgent, "urgent "),
        (ty.broadcast, "broadcast "),
        (ty.hybrid, "hybrid "),
    ];
    let mut text: String =
        prefixes.iter().filter(|(given, _)| *given).map(|(_, prefix)| *prefix).collect();
    text += &match &ty.kind {
        TypeKind::Int(None) => "int".to_string(),
        TypeKind::Int(Some(bounds)) => format!("int[{}, {}]", expr(&bounds.0), expr(&bounds.1)),
        TypeKind::Bool => "bool".to_string(),
        TypeKind::Scalar(size) => format!("scalar[{}]", expr(size)),
        TypeKind::Clock => "clock".to_string(),
        TypeKind::Channel => "chan".to_string(),
        TypeKind::Other(name) => name.clone(),
        TypeKind::Void => "void".to_string(),
        TypeKind::Named(name) => name.text.clone(),
        TypeKind::Struct(fields) => {
            let field =
                |f: &Field| format!("{} {}{}", type_text(&f.ty), f.name.text, sizes(&f.sizes));
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("struct {{ {} }}", fields.join("; "))
        }
    };
    text
}

/// Sizes of an array; types in angle brackets.
pub fn sizes(list: &[Size]) -> String {
    let size = |size: &Size| match size {
        Size::Number(e) => format!("[{}]", expr(e)),
        Size::Type(ty) => format!("[<{}>]", type_text(ty)),
    };
    list.iter().map(size).collect()
}

/// Parameters, with commas between them.
pub fn parameters(list: &[Parameter]) -> String {
    let one = |p: &Parameter| {
        let reference = if p.reference { "&" } else { "" };
        format!("{} {reference}{}{}", type_text(&p.ty), p.name.text, sizes(&p.sizes))
    };
    list.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn initial(value: &Initial) -> String {
    match value {
        Initial::Value(e) => expr(e),
        Initial::List(list, _) => {
            let one = |(name, value): &(Option<Name>, Initial)| match name {
                Some(name) => format!("{}: {}", name.text, initial(value)),
                None => initial(value),
            };
            format!("{{{}}}", list.iter().map(one).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A declaration; bodies of functions too.
pub fn declaration(d: &Declaration) -> String {
    match &d.kind {
        DeclarationKind::Variable { ty, name, sizes: list, initial: value } => {
            let value =
                value.as_ref().map_or(String::new(), |value| format!(" = {}", initial(value)));
            format!("{} {}{}{value}", type_text(ty), name.text, sizes(list))
        }
        DeclarationKind::Type { ty, name, sizes: list } => {
            format!("typedef {} {}{}", type_text(ty), name.text, sizes(list))
        }
        DeclarationKind::Function(function) => format!(
            "{} {}({}) {}",
            type_text(&function.result),
            function.name.text,
            parameters(&function.parameters),
            block(&function.body)
        ),
        DeclarationKind::Instance { name, parameters: list, template, arguments } => {
            let arguments: Vec<String> = arguments.iter().map(expr).collect();
            let (list, arguments) = (parameters(list), arguments.join(", "));
            format!("{}({list}) = {}({arguments})", name.text, template.text)
        }
        DeclarationKind::ChannelPriority(levels) => {
            let channel = |channel: &ChannelName| match channel {
                ChannelName::Default => "default".to_string(),
                ChannelName::Channel(e) => expr(e),
            };
            let level =
                |level: &Vec<ChannelName>| level.iter().map(channel).collect::<Vec<_>>().join(", ");
            let levels: Vec<String> = levels.iter().map(level).collect();
            format!("chan priority {}", levels.join(" < "))
        }
        DeclarationKind::Hook { before } => if *before { "before" } else { "after" }.to_string(),
        DeclarationKind::Other(what) => format!("<{what}>"),
        DeclarationKind::Directions => "<directions>".into(),
    }
}

/// A block on one line.
pub fn block(block: &Block) -> String {
    let mut parts: Vec<String> = block.declarations.iter().map(declaration).collect();
    parts.extend(block.statements.iter().map(statement));
    format!("{{ {} }}", parts.join("; "))
}

fn statement(s: &Statement) -> String {
    let optional = |e: &Option<Expr>| e.as_ref().map_or(String::new(), expr);
    match &s.kind {
        StatementKind::Empty => String::new(),
        StatementKind::Expression(e) => expr(e),
        StatementKind::Block(inner) => block(inner),
        StatementKind::If(condition, yes, None) => {
            format!("if {} {}", expr(condition), statement(yes))
        }
        StatementKind::If(condition, yes, Some(no)) => {
            format!("if {} {} else {}", expr(condition), statement(yes), statement(no))
        }
        StatementKind::While(condition, body) => {
            format!("while {} {}", expr(condition), statement(body))
        }
        StatementKind::DoWhile(body, condition) => {
            format!("do {} while {}", statement(body), expr(condition))
        }
        StatementKind::For(a, b, c, body) => {
            format!("for ({}; {}; {}) {}", optional(a), optional(b), optional(c), statement(body))
        }
        StatementKind::Each(name, ty, body) => {
            format!("for ({} : {}) {}", name.text, type_text(ty), statement(body))
        }
        StatementKind::Return(value) => format!("return {}", optional(value)),
        StatementKind::Assert(e) => format!("assert {}", expr(e)),
        StatementKind::Break => "break".to_string(),
        StatementKind::Continue => "continue".to_string(),
    }
}

/// An edge.
pub fn edge(e: &Edge) -> String {
    let mut text = format!("{} -> {}", e.source.text, e.target.text);
    if e.uncontrollable {
        text += " uncontrollable";
    }
    for (name, ty) in &e.select {
        text += &format!(" select {} : {}", name.text, type_text(ty));
    }
    if let Some(guard) = &e.guard {
        text += &format!(" guard {}", expr(guard));
    }
    if let Some(sync) = &e.sync {
        text += &format!(" sync {} {:?}", expr(&sync.channel), sync.direction);
    }
    for update in &e.update {
        text += &format!(" do {}", expr(update));
    }
    if let Some(weight) = &e.probability {
        text += &format!(" weight {}", expr(weight));
    }
    text
}

/// A location.
pub fn location(l: &Location) -> String {
    let mut text = format!("{:?} {}", l.urgency, l.name.text);
    if let Some(invariant) = &l.invariant {
        text += &format!(" while {}", expr(invariant));
    }
    if let Some(rate) = &l.rate {
        text += &format!(" rate {}", expr(rate));
    }
    text
}

/// A query.
pub fn query(q: &Query) -> String {
    let text = &q.text;
    let kind = match &q.kind {
        QueryKind::Possibly(e) => format!("possibly {}", expr(e)),
        QueryKind::Invariantly(e) => format!("invariantly {}", expr(e)),
        QueryKind::PotentiallyAlways(e) => format!("potentially always {}", expr(e)),
        QueryKind::Eventually(e) => format!("eventually {}", expr(e)),
        QueryKind::LeadsTo(a, b) => format!("{} leads to {}", expr(a), expr(b)),
        QueryKind::Extreme { greatest, when, of } => {
            let when = when.as_ref().map_or("always".to_string(), expr);
            let of: Vec<String> = of.iter().map(expr).collect();
            let which = if *greatest { "greatest" } else { "least" };
            format!("{which} {} when {when}", of.join(", "))
        }
        QueryKind::Unsupported(name) => format!("unsupported {name}"),
    };
    format!("{kind} | {text}")
}

/// A whole model.
pub fn document(document: &Document) -> String {
    let mut lines: Vec<String> = document.declarations.iter().map(declaration).collect();
    for template in &document.templates {
        lines.push(format!("process {}({})", template.name.text, parameters(&template.parameters)));
        lines.extend(template.declarations.iter().map(declaration));
        lines.extend(template.locations.iter().map(location));
        lines.extend(template.branchpoints.iter().map(|name| format!("branch {}", name.text)));
        lines.extend(template.initial.iter().map(|name| format!("init {}", name.text)));
        lines.extend(template.edges.iter().map(edge));
    }
    let member = |member: &SystemMember| format!("{}@{}", member.name.text, member.priority);
    lines.push(format!(
        "system {}",
        document.system.iter().map(member).collect::<Vec<_>>().join(" ")
    ));
    lines.extend(document.queries.iter().map(query));
    lines.join("\n")
}

/// Names and numbers of a model with their places: those in expressions, and
/// those that are declared.
pub fn places(document: &Document) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    let each = &mut |e: &Expr| match &e.kind {
        ExprKind::Name(name) => found.push((name.clone(), e.span)),
        ExprKind::Int(value) => found.push((value.to_string(), e.span)),
        ExprKind::Field(_, name) => found.push((name.text.clone(), name.span)),
        _ => {}
    };
    for template in &document.templates {
        for edge in &template.edges {
            let sync = edge.sync.as_ref().map(|sync| &sync.channel);
            edge.guard.iter().chain(sync).chain(&edge.update).for_each(|e| walk(e, each));
        }
        template.locations.iter().filter_map(|l| l.invariant.as_ref()).for_each(|e| walk(e, each));
    }
    for query in &document.queries {
        match &query.kind {
            QueryKind::Possibly(e) | QueryKind::Invariantly(e) => walk(e, each),
            QueryKind::LeadsTo(a, b) => {
                walk(a, each);
                walk(b, each);
            }
            _ => {}
        }
    }
    let declared = document.templates.iter().flat_map(|t| &t.declarations);
    for declaration in document.declarations.iter().chain(declared) {
        if let DeclarationKind::Variable { name, .. } = &declaration.kind {
            found.push((name.text.clone(), name.span));
        }
    }
    found
}

fn walk(e: &Expr, each: &mut dyn FnMut(&Expr)) {
    each(e);
    match &e.kind {
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) => {
            walk(a, each);
            walk(b, each);
        }
        ExprKind::Field(a, _) | ExprKind::Rate(a) | ExprKind::Unary(_, a) => walk(a, each),
        ExprKind::Step { place, .. } => walk(place, each),
        ExprKind::Quantified(_, _, _, body) => walk(body, each),
        ExprKind::Call(a, arguments) => {
            walk(a, each);
            arguments.iter().for_each(|argument| walk(argument, each));
        }
        ExprKind::Choose(a, b, c) => [a, b, c].into_iter().for_each(|part| walk(part, each)),
        _ => {}
    }
}
