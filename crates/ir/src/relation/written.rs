//! Values as their language writes them.

use super::{Array, Constant, Dialect, Domain, Relation, Value, VariableId};

impl Relation {
    /// The value of a variable, in words.
    pub fn written(&self, variable: VariableId, value: &Value) -> String {
        self.written_in(&self.variable(variable).domain, value)
    }

    /// A value of a domain, in words.
    pub fn written_in(&self, domain: &Domain, value: &Value) -> String {
        let smv = self.dialect == Dialect::Smv;
        match (value, domain) {
            (Value::Bool(value), _) if smv => if *value { "TRUE" } else { "FALSE" }.into(),
            (Value::Bool(value), _) => u8::from(*value).to_string(),
            (Value::Scalar(Constant::Int(number)), _) => number.to_string(),
            (Value::Scalar(Constant::Symbol(id)), _) => {
                self.symbols.get(id.0 as usize).cloned().unwrap_or_default()
            }
            (Value::Word(bits), Domain::Word { signed: true, width }) if smv => {
                match bits.to_i64() {
                    Some(number) if number < 0 => {
                        format!("-0sd{width}_{}", number.unsigned_abs())
                    }
                    _ => format!("0sb{width}_{bits}"),
                }
            }
            (Value::Word(bits), _) if smv => format!("0ud{}_{}", bits.width(), bits.decimal()),
            (Value::Word(bits), _) => bits.to_string(),
            (Value::Array(array), _) => written_array(array),
        }
    }
}

fn written_array(array: &Array) -> String {
    let others = array.others().map(|(at, element)| format!("{}: {element}, ", at.decimal()));
    format!("[{}else: {}]", others.collect::<String>(), array.rest())
}
