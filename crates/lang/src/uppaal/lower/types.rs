//! Types: what is written becomes sizes and ranges.

use std::rc::Rc;

use homing_ir::Span;
use homing_ir::network::{Record, RecordId, Type as NetworkType};

use super::Lowering;
use super::scalars::Set;
use super::scope::{ScopeId, Symbol};
use super::unchecked::Unchecked;
use crate::uppaal::syntax::{self, ExprKind, Size, TypeKind};

/// `int` without a range.
pub const INT: (i64, i64) = (-32768, 32767);

/// How many scalars a variable may have.
const MOST_SCALARS: u64 = 1 << 20;

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub enum Ty {
    Int {
        lo: i64,
        hi: i64,
    },
    Bool,
    /// A scalar set: numbers from 0 on.
    Scalar {
        size: u32,
        set: Set,
    },
    Clock,
    Channel {
        broadcast: bool,
        urgent: bool,
    },
    Array(Rc<Ty>, Indices),
    Struct(Rc<Struct>),
    /// What is not checked; also arrays of such, and structs with such.
    Unchecked(Unchecked),
    Void,
}

/// What an array is indexed by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indices {
    /// The first index.
    pub lo: i64,
    pub count: u32,
    /// The scalar set they are of, if they are.
    pub set: Option<Set>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Struct {
    pub id: RecordId,
    pub fields: Vec<(String, Ty)>,
}

impl Ty {
    /// The values of a type that a `forall`, a `select` or a parameter runs over.
    pub fn values(&self) -> Option<(i64, i64)> {
        match self {
            Ty::Int { lo, hi } => Some((*lo, *hi)),
            Ty::Bool => Some((0, 1)),
            Ty::Scalar { size, .. } => Some((0, i64::from(*size) - 1)),
            _ => None,
        }
    }

    /// How many scalars a value is made of.
    pub fn scalars(&self) -> u64 {
        match self {
            Ty::Array(element, indices) => {
                element.scalars().saturating_mul(u64::from(indices.count))
            }
            Ty::Struct(of) => {
                of.fields.iter().fold(0, |sum, (_, ty)| ty.scalars().saturating_add(sum))
            }
            Ty::Void | Ty::Unchecked(_) => 0,
            _ => 1,
        }
    }

    /// Constants and values on their way have 32 bits, where variables of type `int`
    /// have 16.
    pub fn widened(self) -> Ty {
        match self {
            Ty::Int { lo, hi } if (lo, hi) == INT => {
                Ty::Int { lo: i64::from(i32::MIN), hi: i64::from(i32::MAX) }
            }
            Ty::Array(element, indices) => {
                Ty::Array(Rc::new(element.as_ref().clone().widened()), indices)
            }
            other => other,
        }
    }

    /// The type without its dimensions.
    pub fn base(&self) -> &Ty {
        let mut ty = self;
        while let Ty::Array(element, _) = ty {
            ty = element;
        }
        ty
    }

    /// Whether it is an array or a struct.
    pub fn is_aggregate(&self) -> bool {
        matches!(self, Ty::Array(..) | Ty::Struct(_))
    }

    /// How many parts a value has at the first level.
    pub fn parts(&self) -> usize {
        match self {
            Ty::Array(_, indices) => indices.count as usize,
            Ty::Struct(of) => of.fields.len(),
            _ => 0,
        }
    }

    /// The type of a part.
    pub fn part(&self, at: usize) -> Option<&Ty> {
        match self {
            Ty::Array(element, _) => Some(element),
            Ty::Struct(of) => of.fields.get(at).map(|(_, ty)| ty),
            _ => None,
        }
    }

    /// What its scalars start with, where nothing is said: 0, or the least value
    /// where 0 is none.
    pub fn defaults(&self, out: &mut Vec<i64>) {
        match self {
            Ty::Array(element, indices) => {
                let start = out.len();
                element.defaults(out);
                let one = out[start..].to_vec();
                (1..indices.count).for_each(|_| out.extend_from_slice(&one));
                if indices.count == 0 {
                    out.truncate(start);
                }
            }
            Ty::Struct(of) => of.fields.iter().for_each(|(_, ty)| ty.defaults(out)),
            Ty::Int { lo, hi } => out.push(if *lo > 0 || *hi < 0 { *lo } else { 0 }),
            Ty::Void | Ty::Unchecked(_) => {}
            _ => out.push(0),
        }
    }

    /// Whether a value of the type `other` can be stored in it.
    pub fn fits(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Array(a, of), Ty::Array(b, like)) => {
                of.count == like.count && of.set == like.set && a.fits(b)
            }
            (Ty::Scalar { set: a, .. }, Ty::Scalar { set: b, .. }) => a == b,
            (Ty::Scalar { .. }, _) | (_, Ty::Scalar { .. }) => false,
            (Ty::Struct(a), Ty::Struct(b)) => {
                a.fields.len() == b.fields.len()
                    && a.fields.iter().zip(&b.fields).all(|((_, a), (_, b))| a.fits(b))
            }
            (a, b) => !a.is_aggregate() && !b.is_aggregate(),
        }
    }

    /// The type of the network.
    pub fn network(&self) -> NetworkType {
        match self {
            Ty::Int { lo, hi } => NetworkType::checked(*lo, *hi),
            Ty::Bool => NetworkType::Bool,
            Ty::Scalar { size, .. } => NetworkType::checked(0, i64::from(*size) - 1),
            Ty::Clock => NetworkType::Clock,
            Ty::Channel { .. } => NetworkType::Channel,
            Ty::Array(element, indices) => {
                NetworkType::Array(Box::new(element.network()), indices.count)
            }
            Ty::Struct(of) => NetworkType::Record(of.id),
            // Nothing is ever declared so.
            Ty::Void | Ty::Unchecked(_) => NetworkType::Bool,
        }
    }
}

impl<'a> Lowering<'a> {
    /// The type of a declaration: what is written before the name, and the sizes
    /// behind it.
    pub(super) fn declared_type(
        &mut self,
        ty: &syntax::Type,
        sizes: &[Size],
        scope: ScopeId,
    ) -> Option<Ty> {
        let mut found = self.ty(ty, scope)?;
        if matches!(found, Ty::Unchecked(_)) {
            return Some(found);
        }
        for size in sizes.iter().rev() {
            let indices = self.indices(size, scope)?;
            found = Ty::Array(Rc::new(found), indices);
        }
        if found.scalars() > MOST_SCALARS {
            return self.fail("an array of more than a million elements", ty.span);
        }
        Some(found)
    }

    /// A type that something has values of.
    pub(super) fn ty(&mut self, ty: &syntax::Type, scope: ScopeId) -> Option<Ty> {
        if let Some(why) = self.unchecked_type(ty, scope) {
            return Some(Ty::Unchecked(why));
        }
        Some(match &ty.kind {
            TypeKind::Int(None) => Ty::Int { lo: INT.0, hi: INT.1 },
            TypeKind::Int(Some(bounds)) => {
                let (lo, hi) = (self.limit(&bounds.0, scope)?, self.limit(&bounds.1, scope)?);
                if lo > hi {
                    return self.fail(format!("the range from {lo} to {hi} is empty"), ty.span);
                }
                Ty::Int { lo, hi }
            }
            TypeKind::Bool => Ty::Bool,
            TypeKind::Scalar(size) => {
                let count = self.number(size, scope)?;
                match u32::try_from(count) {
                    Ok(size @ 1..) => Ty::Scalar { size, set: ty.span },
                    _ => return self.fail(format!("a scalar set of {count} values"), ty.span),
                }
            }
            TypeKind::Clock => Ty::Clock,
            TypeKind::Channel => Ty::Channel { broadcast: ty.broadcast, urgent: ty.urgent },
            TypeKind::Other(_) => Ty::Unchecked(Unchecked::Text),
            TypeKind::Void => Ty::Void,
            TypeKind::Named(name) => match self.scopes.find(scope, &name.text) {
                Some(Symbol::Type(Ty::Channel { broadcast, urgent })) => Ty::Channel {
                    broadcast: *broadcast || ty.broadcast,
                    urgent: *urgent || ty.urgent,
                },
                Some(Symbol::Type(found)) => found.clone(),
                Some(_) => {
                    return self.fail(format!("`{}` is not a type", name.text), name.span);
                }
                None => return self.unknown("the type", name, scope),
            },
            TypeKind::Struct(fields) => self.record(fields, ty.span, scope)?,
        })
    }

    /// A bound of a range. One beyond 32 bits is the greatest number there is.
    fn limit(&mut self, bound: &syntax::Expr, scope: ScopeId) -> Option<i64> {
        match bound.kind {
            ExprKind::Int(value) if value > i64::from(i32::MAX) => {
                let message = format!("{value} has more than 32 bits: read as {}", i32::MAX);
                self.warn(message, bound.span);
                Some(i64::from(i32::MAX))
            }
            _ => self.number(bound, scope),
        }
    }

    fn record(&mut self, fields: &[syntax::Field], span: Span, scope: ScopeId) -> Option<Ty> {
        let mut found: Vec<(String, Ty)> = Vec::new();
        for field in fields {
            let ty = self.declared_type(&field.ty, &field.sizes, scope)?;
            if matches!(ty.base(), Ty::Channel { .. } | Ty::Void) {
                return self.fail("a struct has no channels", field.name.span);
            }
            if let Ty::Unchecked(_) = ty {
                return Some(ty);
            }
            if found.iter().any(|(name, _)| *name == field.name.text) {
                let message = format!("the field `{}` is there twice", field.name.text);
                return self.fail(message, field.name.span);
            }
            found.push((field.name.text.clone(), ty));
        }
        if found.is_empty() {
            return self.fail("a struct without fields", span);
        }
        let id = RecordId(self.network.records.len() as u32);
        let network = found.iter().map(|(name, ty)| (name.clone(), ty.network())).collect();
        self.network.records.push(Record { name: format!("struct{}", id.0), fields: network });
        Some(Ty::Struct(Rc::new(Struct { id, fields: found })))
    }

    fn indices(&mut self, size: &Size, scope: ScopeId) -> Option<Indices> {
        let by_type = match size {
            Size::Type(ty) => match &ty.kind {
                // A constant, which the parser cannot tell from a type.
                TypeKind::Named(name) if !self.is_type(&name.text, scope) => {
                    let kind = ExprKind::Name(name.text.clone());
                    let size = syntax::Expr { kind, span: name.span };
                    return self.counted(&size, scope);
                }
                _ => Some((self.ty(ty, scope)?, ty.span)),
            },
            Size::Number(expr) => match &expr.kind {
                ExprKind::Name(name) => match self.scopes.find(scope, name) {
                    Some(Symbol::Type(ty)) => Some((ty.clone(), expr.span)),
                    _ => None,
                },
                _ => None,
            },
        };
        match (by_type, size) {
            (Some((ty, span)), _) => match ty.values() {
                Some((lo, hi)) if hi - lo < MOST_SCALARS as i64 => {
                    let set = match ty {
                        Ty::Scalar { set, .. } => Some(set),
                        _ => None,
                    };
                    Some(Indices { lo, count: (hi - lo + 1) as u32, set })
                }
                _ => self.fail("this type cannot index an array", span),
            },
            (None, Size::Number(expr)) => self.counted(expr, scope),
            (None, Size::Type(_)) => None,
        }
    }

    fn is_type(&self, name: &str, scope: ScopeId) -> bool {
        matches!(self.scopes.find(scope, name), None | Some(Symbol::Type(_)))
    }

    fn counted(&mut self, size: &syntax::Expr, scope: ScopeId) -> Option<Indices> {
        let count = self.number(size, scope)?;
        match u32::try_from(count) {
            Ok(count @ 1..) if u64::from(count) <= MOST_SCALARS => {
                Some(Indices { lo: 0, count, set: None })
            }
            _ => self.fail(format!("an array of {count} elements"), size.span),
        }
    }
}
