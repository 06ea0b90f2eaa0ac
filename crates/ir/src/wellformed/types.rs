//! Types: that they lead somewhere, end somewhere, and are not too large.

use super::{Checker, MAX_DEPTH, MAX_SCALARS};
use crate::network::{IntType, Type};
use crate::source::Span;

/// Depth and number of scalars of a type.
#[derive(Clone, Copy, Default)]
struct Size {
    depth: usize,
    scalars: usize,
}

impl Checker<'_> {
    /// Checks all types of the network. A record may only hold records
    /// declared before it, so that types are finite.
    pub(super) fn types(&mut self) {
        let nowhere = Span::default();
        for enumeration in &self.network.enumerations {
            let message = format!("the enumeration `{}` has no values", enumeration.name);
            self.require(!enumeration.values.is_empty(), message, nowhere);
        }
        let mut records = Vec::new();
        for record in &self.network.records {
            let mut size = Size::default();
            for (_, field) in &record.fields {
                let part = self.size_of(field, &records, nowhere);
                size.depth = size.depth.max(part.depth + 1);
                size.scalars = size.scalars.saturating_add(part.scalars);
            }
            self.reasonable(size, nowhere);
            records.push(size);
        }
        self.types_of_variables(&records);
        for channel in &self.network.channels {
            for ty in &channel.message {
                let size = self.size_of(ty, &records, channel.span);
                self.reasonable(size, channel.span);
            }
        }
    }

    fn types_of_variables(&mut self, records: &[Size]) {
        let mut total = 0usize;
        for variable in &self.network.variables {
            let size = self.size_of(&variable.ty, records, variable.span);
            total = total.saturating_add(size.scalars);
            self.reasonable(Size { scalars: total, ..size }, variable.span);
        }
    }

    fn reasonable(&mut self, size: Size, span: Span) {
        self.require(size.depth <= MAX_DEPTH, "a type is nested too deeply", span);
        self.require(size.scalars <= MAX_SCALARS, "there are too many variables", span);
    }

    fn size_of(&mut self, ty: &Type, records: &[Size], span: Span) -> Size {
        let (mut ty, mut depth, mut factor) = (ty, 0, 1usize);
        while let Type::Array(element, length) = ty {
            (ty, depth, factor) = (element, depth + 1, factor.saturating_mul(*length as usize));
        }
        let inner = match ty {
            Type::Record(id) => match records.get(id.index()) {
                Some(size) => *size,
                None => {
                    self.error("a type names a record that is not declared before it", span);
                    Size::default()
                }
            },
            _ => {
                self.scalar_type(ty, span);
                Size { depth: 0, scalars: 1 }
            }
        };
        Size { depth: depth + inner.depth, scalars: factor.saturating_mul(inner.scalars) }
    }

    fn scalar_type(&mut self, ty: &Type, span: Span) {
        match ty {
            Type::Int(int) => {
                self.require(int.lo <= int.hi, "an integer type without values", span)
            }
            Type::Enum(id) => {
                let known = id.index() < self.network.enumerations.len();
                self.require(known, "a type names an enumeration that does not exist", span);
            }
            _ => {}
        }
    }

    /// The scalar types that a value of the sound type `ty` is made of, in
    /// order, each with what it holds where nothing is said.
    pub(super) fn scalar_types(&self, ty: &Type) -> Vec<(IntType, i64)> {
        match ty {
            Type::Array(element, length) => {
                let one = self.scalar_types(element);
                one.iter().copied().cycle().take(one.len() * *length as usize).collect()
            }
            Type::Record(id) => {
                let fields = &self.network.records[id.index()].fields;
                fields.iter().flat_map(|(_, field)| self.scalar_types(field)).collect()
            }
            Type::Process => self.network.scalar(ty).map(|range| (range, -1)).into_iter().collect(),
            _ => self.network.scalar(ty).map(|range| (range, 0)).into_iter().collect(),
        }
    }
}
