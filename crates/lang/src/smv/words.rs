//! Constant words as they are written: `0ud8_200`, `0b_1010`, `0sh4_f`.

use homing_ir::relation::{Bits, MAX_WIDTH};

use crate::reading::shortened;

/// The bits of a constant, and whether it is signed.
///
/// ```text
/// 0 [u | s] (b | o | d | h) [width] _ digits
/// ```
/// Without a width it is as wide as its digits are; that says nothing in base ten.
pub fn constant(text: &str) -> Result<(Bits, bool), String> {
    let rest = text.strip_prefix('0').unwrap_or(text);
    let (signed, rest) = match rest.as_bytes().first() {
        Some(b's') => (true, &rest[1..]),
        Some(b'u') => (false, &rest[1..]),
        _ => (false, rest),
    };
    let (letter, rest) = rest.split_at(1.min(rest.len()));
    let (base, each) = match letter {
        "b" | "B" => (2, Some(1)),
        "o" | "O" => (8, Some(3)),
        "h" | "H" => (16, Some(4)),
        _ => (10, None),
    };
    let (width, digits) = rest.split_once('_').unwrap_or(("", rest));
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    let width = match (width, each) {
        ("", Some(each)) => u32::try_from(digits.len() as u64 * each).ok(),
        ("", None) => return Err(format!("the word `{}` needs a width", shortened(text))),
        (width, _) => width.parse::<u32>().ok(),
    };
    let width = width.filter(|width| *width > 0 && *width <= MAX_WIDTH);
    let Some(width) = width else {
        return Err(format!("the word `{}` has a width from 1 to {MAX_WIDTH}", shortened(text)));
    };
    if digits.chars().any(|digit| digit.to_digit(base).is_none()) {
        return Err(format!("`{}` has digits that are none of base {base}", shortened(text)));
    }
    match Bits::parse(&digits, base, width) {
        // The greatest magnitude of a signed word is that of its least value.
        Some(bits) if !(signed && base == 10 && bits.sign() && !is_least(&bits)) => {
            Ok((bits, signed))
        }
        _ => Err(format!("the word `{}` does not fit into {width} bits", shortened(text))),
    }
}

fn is_least(bits: &Bits) -> bool {
    (0..bits.width() - 1).all(|bit| !bits.bit(bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_read() {
        for (text, expected) in [
            ("0ud8_200", Ok(("11001000", false))),
            ("0b_0110", Ok(("0110", false))),
            ("0sb4_1011", Ok(("1011", true))),
            ("0h_f", Ok(("1111", false))),
            ("0uo_7", Ok(("111", false))),
            ("0uh8_1_0", Ok(("00010000", false))),
            ("0sd4_8", Ok(("1000", true))),
            ("0sd4_9", Err("the word `0sd4_9` does not fit into 4 bits")),
            ("0ud4_16", Err("the word `0ud4_16` does not fit into 4 bits")),
            ("0d_5", Err("the word `0d_5` needs a width")),
            ("0ub2_12", Err("`0ub2_12` has digits that are none of base 2")),
            ("0ud0_0", Err("the word `0ud0_0` has a width from 1 to 1048576")),
        ] {
            let found = constant(text).map(|(bits, signed)| (bits.to_string(), signed));
            let expected = expected.map(|(bits, signed)| (bits.to_string(), signed));
            assert_eq!(found, expected.map_err(str::to_string), "{text}");
        }
    }
}
