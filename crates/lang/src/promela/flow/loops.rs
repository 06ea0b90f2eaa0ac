//! Loops that count: `for` and `select`.

use homing_ir::network::Binary as Op;
use homing_ir::{Diagnostic, Span};

use super::super::syntax::{
    Argument, ChannelQuestion, Declaration, Declarator, Expr, ExprKind, Name, Part, Reference,
    Sequence, StatementKind, TypeName, Visibility,
};
use super::{Body, Chain, NodeId, binary, read};

impl Body<'_> {
    /// `for` and `select`: a loop with a counter; `select` may end at any time.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn for_loop(
        &mut self,
        index: &Reference,
        from: &Expr,
        to: &Expr,
        body: Option<&Sequence>,
        number: usize,
        span: Span,
        chain: Chain,
    ) -> NodeId {
        let start = StatementKind::Assign(index.clone(), from.clone());
        self.piece(start, span, chain);
        let op = if body.is_some() { Op::Le } else { Op::Lt };
        let goes_on = binary(op, read(index), to.clone());
        self.counting(index, goes_on, &[], body, number, span, chain)
    }

    #[allow(clippy::too_many_arguments)]
    fn counting(
        &mut self,
        index: &Reference,
        goes_on: Expr,
        first: &[StatementKind],
        body: Option<&Sequence>,
        number: usize,
        span: Span,
        chain: Chain,
    ) -> NodeId {
        let round = self.open();
        self.at_start = false;
        self.piece(StatementKind::Expression(goes_on), span, round);
        for kind in first {
            self.plain(kind.clone(), span, round);
        }
        if let Some(body) = body {
            let outer = self.scope;
            self.scope = self.scopes.enter(outer);
            self.steps(body, round);
            self.scope = outer;
        }
        let one = Expr { kind: ExprKind::Number(1), span: index.span };
        let next = binary(Op::Add, read(index), one);
        self.piece(StatementKind::Assign(index.clone(), next), span, round);
        self.close(round);
        let done = self.open();
        if body.is_some() {
            self.piece(StatementKind::Else, span, done);
        }
        let leave = self.leave(number, span);
        self.append(leave, done);
        self.close(done);
        self.choice(vec![done, round], Some(number), span, chain)
    }

    /// `for (x in a)`: over an array's indices, or over a channel's messages,
    /// each received and sent again.
    pub(super) fn for_in(
        &mut self,
        index: &Reference,
        of: &Reference,
        body: &Sequence,
        span: Span,
        chain: Chain,
    ) -> Option<NodeId> {
        let number = self.enter_loop();
        let zero = Expr { kind: ExprKind::Number(0), span };
        if self.is_record(index) {
            let name = Name { text: format!("_for_{}", self.nodes.len()), span };
            let declaration = Declaration {
                visibility: Visibility::Plain,
                ty: TypeName::Short,
                variables: Vec::new(),
                span,
            };
            let counter = Reference { parts: vec![Part { name: name.clone(), index: None }], span };
            let variable = Declarator { name, width: None, size: None, initial: None };
            self.declare(&Declaration { variables: vec![variable], ..declaration }, true);
            self.piece(StatementKind::Assign(counter.clone(), zero), span, chain);
            let length = ExprKind::Channel(ChannelQuestion::Length, of.clone());
            let goes_on = binary(Op::Lt, read(&counter), Expr { kind: length, span });
            let rotate = [
                StatementKind::Receive {
                    channel: of.clone(),
                    message: vec![Argument::Reference(index.clone())],
                    any: false,
                    keep: false,
                },
                StatementKind::Send {
                    channel: of.clone(),
                    message: vec![read(index)],
                    sorted: false,
                },
            ];
            return Some(self.counting(
                &counter,
                goes_on,
                &rotate,
                Some(body),
                number,
                span,
                chain,
            ));
        }
        let Some(size) = self.scopes.array_size(self.scope, of, &self.locals) else {
            self.loops.pop();
            let message = "`for … in` needs an array, or a channel and a record for its messages";
            self.reports.add(Diagnostic::error(message, of.span));
            return None;
        };
        let last = binary(Op::Sub, size, Expr { kind: ExprKind::Number(1), span });
        Some(self.for_loop(index, &zero, &last, Some(body), number, span, chain))
    }

    fn is_record(&self, reference: &Reference) -> bool {
        reference.parts.len() == 1
            && self.scopes.is_record(self.scope, &reference.parts[0].name.text, &self.locals)
    }
}
