//! Sizes and stretches of time as people write them: `4G`, `512MiB`, `1.5s`.

use std::time::Duration;

/// The least memory that can be a limit, in bytes.
const LEAST: f64 = 1048576.0;

/// Bytes, from `4G`, `512M`, `1GiB`, `1.5GB`, `1000`.
///
/// As in most tools that take such limits, `G`, `GB` and `GiB` all mean 1024³.
pub fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = split(text)?;
    let power = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "ki" | "kib" => 1,
        "m" | "mb" | "mi" | "mib" => 2,
        "g" | "gb" | "gi" | "gib" => 3,
        "t" | "tb" | "ti" | "tib" => 4,
        _ => return Err(format!("`{unit}` is not a unit of size: write K, M, G or T, as in `4G`")),
    };
    let bytes = number * 1024f64.powi(power);
    // Above 2⁵³ neighbouring numbers cannot be told apart; nobody has that much.
    if bytes > 2f64.powi(53) {
        return Err("that is more memory than there is anywhere".into());
    }
    if bytes < LEAST && unit.is_empty() {
        return Err(format!("that is {number} bytes; `{number}G` was probably meant"));
    }
    if bytes < LEAST {
        return Err(format!("`{text}` is too little to start with: give at least 1M"));
    }
    Ok(bytes as usize)
}

/// The same, and `0` for nothing at all.
pub fn size_or_nothing(text: &str) -> Result<usize, String> {
    if text.trim() == "0" { Ok(0) } else { size(text) }
}

/// A stretch of time, from `60s`, `5m`, `1h`, `1.5s`, `200ms`, `60`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text)?;
    let seconds = match unit.to_ascii_lowercase().as_str() {
        "" | "s" | "sec" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => {
            return Err(format!(
                "`{unit}` is not a unit of time: write ms, s, m, h or d, as in `60s`"
            ));
        }
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "that is too long to wait for".into())
}

/// The number and the unit behind it.
fn split(text: &str) -> Result<(f64, &str), String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let number = digits.parse().map_err(|_| format!("`{text}` does not start with a number"))?;
    Ok((number, unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let read = |text| size(text).unwrap();
        assert_eq!(read("4000000"), 4_000_000);
        assert_eq!([read("4G"), read("4GiB"), read("4gb"), read("4Gi")], [4 << 30; 4]);
        assert_eq!([read("512M"), read("0.5 G")], [512 << 20; 2]);
        assert_eq!([read("2048k"), read("2048KiB"), read("2048 KB")], [2 << 20; 3]);
    }

    #[test]
    fn nothing_is_a_size_where_it_may_be() {
        assert_eq!([size_or_nothing("0"), size_or_nothing("2M")], [Ok(0), Ok(2 << 20)]);
        assert!(size("0").is_err() && size_or_nothing("4k").is_err());
    }

    #[test]
    fn bad_sizes() {
        for text in ["", "G", "4X", "-1G", "1.2.3M", "9999999999T", "4iB", "0x10"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!(
            size("4Q").unwrap_err(),
            "`Q` is not a unit of size: write K, M, G or T, as in `4G`"
        );
    }

    #[test]
    fn a_number_without_a_unit_that_is_too_small_is_explained() {
        assert_eq!(size("4").unwrap_err(), "that is 4 bytes; `4G` was probably meant");
        assert!(size("4k").unwrap_err().contains("too little"));
    }

    /// Whatever the text, it is read without a panic: `scripts/fuzz quantities`.
    #[test]
    fn fuzz_quantities() {
        let words =
            &["1", "0", ".", "-", "+", "e", "inf", "nan", "99999999999999999999", "ms", "G", " "];
        let texts = homing_fuzz::Texts { words, frames: &[] };
        bolero::check!().with_iterations(60_000).for_each(|input: &[u8]| {
            let text = texts.text(input);
            assert!(size(&text).is_ok_and(|size| size >= 1 << 20) || size(&text).is_err());
            let _ = duration(&text);
        });
    }

    #[test]
    fn durations() {
        let read = |text| duration(text).unwrap().as_millis();
        let texts = ["60s", "60", "5m", "1h", "1.5s", "200ms", "2 min", "1d"];
        let expected = [60_000, 60_000, 300_000, 3_600_000, 1500, 200, 120_000, 86_400_000];
        assert_eq!(texts.map(read), expected);
    }

    #[test]
    fn bad_durations() {
        for text in ["", "s", "1y", "-3s", "1e400s", "999999999999999999999d"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
