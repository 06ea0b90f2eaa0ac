//! Queries become properties.

use homing_ir::network::{Expr, Property, PropertyKind};
use homing_ir::{Severity, SourceId};

use super::scope::GLOBAL;
use super::value::Value;
use super::{Lowering, fold};
use crate::uppaal::syntax::{self, Query, QueryKind};

impl<'a> Lowering<'a> {
    /// Adds what queries ask. One that cannot be read is an error where the user
    /// named the file of queries; one that came with the model is not checked, and the
    /// model is what it is without.
    pub(crate) fn queries(&mut self, queries: &[Query]) {
        for query in queries {
            self.afresh();
            let kind = match query.span.source == SourceId(0) {
                true => Some(self.query_of_model(query)),
                false => self.query(query),
            };
            let (name, span) = (query.text.clone(), query.span);
            self.network.properties.extend(kind.map(|kind| Property { name, span, kind }));
        }
    }

    /// A query that came with the model, or why it is not checked.
    fn query_of_model(&mut self, query: &Query) -> PropertyKind {
        let model = std::mem::take(&mut self.reports);
        let kind = self.query(query);
        let own = std::mem::replace(&mut self.reports, model).finish();
        let (errors, warnings): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|one| one.severity == Severity::Error);
        warnings.into_iter().for_each(|warning| self.reports.add(warning));
        match (kind, errors.into_iter().next()) {
            (Some(kind), None) => kind,
            (_, Some(error)) => PropertyKind::Unchecked(error.message),
            (None, None) => PropertyKind::Unchecked("it cannot be read".into()),
        }
    }

    fn query(&mut self, query: &Query) -> Option<PropertyKind> {
        Some(match &query.kind {
            QueryKind::Possibly(goal) => PropertyKind::Reachable(self.formula(goal, GLOBAL)?),
            QueryKind::Invariantly(always) => {
                PropertyKind::Never(fold::not(self.formula(always, GLOBAL)?))
            }
            QueryKind::PotentiallyAlways(always) => {
                PropertyKind::Persistent(self.formula(always, GLOBAL)?)
            }
            QueryKind::Eventually(goal) => PropertyKind::Inevitable(self.formula(goal, GLOBAL)?),
            QueryKind::LeadsTo(first, then) => {
                let first = self.formula(first, GLOBAL)?;
                PropertyKind::LeadsTo(first, self.formula(then, GLOBAL)?)
            }
            QueryKind::Extreme { greatest, when, of } => {
                let when = match when {
                    Some(when) => Some(self.formula(when, GLOBAL)?),
                    None => None,
                };
                let mut values = Vec::new();
                for expr in of {
                    values.push(self.measured(expr)?);
                }
                PropertyKind::Extreme { greatest: *greatest, when, of: values }
            }
            QueryKind::Unsupported(why) => PropertyKind::Unchecked(why.clone()),
        })
    }

    /// What `sup` and `inf` ask for: a number or a clock.
    fn measured(&mut self, expr: &syntax::Expr) -> Option<Expr> {
        match self.unchanged(|this| this.expr(expr, GLOBAL))? {
            Value::Number(expr, _) => Some(expr),
            Value::Clocks(mut linear)
                if linear.minus.is_empty()
                    && linear.plus.len() == 1
                    && fold::constant(&linear.offset) == Some(0) =>
            {
                linear.plus.pop()
            }
            Value::Clocks(_) => self.fail("`sup` and `inf` ask for single clocks", expr.span),
            other => {
                let what = other.what();
                self.fail(format!("{what} where a number or a clock is needed"), expr.span)
            }
        }
    }
}
