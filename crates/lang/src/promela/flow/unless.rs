//! `unless`: sequences that may be left at any time.

use homing_ir::Span;

use super::super::syntax::{Statement, StatementKind};
use super::{Body, Chain, Group, NodeId, What};

impl Body<'_> {
    pub(super) fn unless(
        &mut self,
        normal: &Statement,
        escape: &Statement,
        span: Span,
        chain: Chain,
    ) -> NodeId {
        // SPIN makes the nodes of blocks as it reads them, and of others when
        // it has read both, the escape's first.
        let is_block = |statement: &Statement| {
            matches!(statement.kind, StatementKind::Block(_) | StatementKind::Inline { .. })
        };
        let block = |body: &mut Body<'_>, statement: &Statement| {
            if let StatementKind::Block(inner) | StatementKind::Inline { body: inner, .. } =
                &statement.kind
            {
                return body.block(inner);
            }
            let chain = body.open();
            body.at_start = false;
            body.statement(statement, chain);
            body.close(chain);
            chain
        };
        let (first, second) = if is_block(normal) {
            let first = block(self, normal);
            (first, block(self, escape))
        } else {
            let second = block(self, escape);
            (block(self, normal), second)
        };
        let node = self.node(What::Unless, span);
        let join = self.node(What::Join, span);
        self.append(join, first);
        self.append(join, second);
        self.nodes[node].options = vec![first, second];
        self.attach_escape(first, second);
        self.append(node, chain);
        self.append(join, chain);
        node
    }

    /// Lets every node of `normal`, however deep, be left for `escape`.
    fn attach_escape(&mut self, normal: Chain, escape: Chain) {
        let ends = self.chains[normal];
        let mut at = ends.first;
        while let Some(node) = at {
            self.escape_from(node, escape);
            if ends.extent == Some(node) {
                break;
            }
            at = self.nodes[node].next;
        }
    }

    fn escape_from(&mut self, node: NodeId, escape: Chain) {
        if self.nodes[node].escapes.contains(&escape) {
            return;
        }
        for inner in self.nodes[node].escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.nodes[node].escapes.insert(0, escape);
        match self.nodes[node].what.clone() {
            What::Unless => self.attach_escape(self.nodes[node].options[0], escape),
            What::Choice => {
                for option in self.nodes[node].options.clone() {
                    self.attach_escape(option, escape);
                }
            }
            // It is left as a whole, or not at all.
            What::Group(Group::Deterministic, _) => {}
            What::Group(_, chain) => self.attach_escape(chain, escape),
            _ => {}
        }
    }
}
