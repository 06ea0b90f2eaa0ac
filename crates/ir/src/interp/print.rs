//! What a model prints: formats as C's `printf` has them, as far as Promela
//! uses them.

use super::Interpreter;
use super::evaluate::View;
use crate::network::{Access, EnumId, Expr, ExprKind, Place, Type};

impl Interpreter<'_> {
    /// The text of a format: `%d %u %c %x %o` print a number, `%e` and `%s` its
    /// name; flags and widths are skipped; `\\n` and `\\t` are a line's end and a
    /// tabulator, any other character behind a backslash is itself. A value that
    /// is missing or cannot be evaluated prints as `?`.
    pub(super) fn formatted(&self, view: View, format: &str, values: &[Expr]) -> String {
        let mut text = String::new();
        let mut values = values.iter();
        let mut rest = format.chars();
        while let Some(next) = rest.next() {
            match next {
                '\\' => text.extend(rest.next().map(escaped)),
                '%' => {
                    let skipped = |c: &char| c.is_ascii_digit() || matches!(c, '-' | '.' | 'l');
                    match rest.find(|c| !skipped(c)) {
                        Some('%') => text.push('%'),
                        Some(kind) => match values.next() {
                            Some(value) => text.push_str(&self.printed(view, kind, value)),
                            None => text.push('?'),
                        },
                        None => {}
                    }
                }
                other => text.push(other),
            }
        }
        text
    }

    fn printed(&self, view: View, kind: char, expr: &Expr) -> String {
        let Ok(value) = self.evaluate(view, expr) else {
            return "?".into();
        };
        // As C does: 32 bits.
        let unsigned = value as u32;
        match kind {
            'u' => unsigned.to_string(),
            'x' => format!("{unsigned:x}"),
            'o' => format!("{unsigned:o}"),
            'c' => char::from(value as u8).to_string(),
            'e' | 's' => self.symbol(expr, value),
            _ => value.to_string(),
        }
    }

    /// The name of a value: by the type of the variable it is read from; a
    /// constant is one of the first enumeration.
    fn symbol(&self, expr: &Expr, value: i64) -> String {
        match &expr.kind {
            ExprKind::Read(place) => match self.type_at(place) {
                Some(Type::Bool) | None => value.to_string(),
                Some(ty) => self.show(ty, value),
            },
            ExprKind::Channel(_) => self.show(&Type::Channel, value),
            _ if self.network.enumerations.is_empty() => value.to_string(),
            _ => self.show(&Type::Enum(EnumId(0)), value),
        }
    }

    fn type_at(&self, place: &Place) -> Option<&Type> {
        let variable = &self.network.variables[place.variable.index()];
        place.path.iter().try_fold(&variable.ty, |ty, access| match (ty, access) {
            (Type::Array(element, _), Access::Index(_)) => Some(element.as_ref()),
            (Type::Record(id), Access::Field(field)) => {
                Some(&self.network.records[id.index()].fields[*field as usize].1)
            }
            _ => None,
        })
    }
}

fn escaped(letter: char) -> char {
    match letter {
        'n' => '\n',
        't' => '\t',
        other => other,
    }
}
