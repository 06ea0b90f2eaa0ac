//! Commands of several parts: each measures one thing and writes its table, and then the
//! page is made anew from all tables there are.

use std::process::ExitCode;

use anyhow::Result;

/// Measures one part; answers how many answers are wrong.
pub type Measure<O> = fn(&O) -> Result<usize>;

/// Runs the parts that are wanted, all where none is named, and then `page`. Exit code 1
/// where an answer is wrong.
pub fn run<P: PartialEq, O>(
    options: &O,
    wanted: &[P],
    parts: &[(P, Measure<O>)],
    page: impl FnOnce() -> Result<()>,
) -> Result<ExitCode> {
    let mut wrong = 0;
    for (part, measure) in parts {
        if wanted.is_empty() || wanted.contains(part) {
            wrong += measure(options)?;
        }
    }
    page()?;
    Ok(ExitCode::from(u8::from(wrong > 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_not_named_do_not_run() {
        let parts: [(char, Measure<usize>); 2] = [('a', |_| Ok(0)), ('b', |wrong| Ok(*wrong))];
        let ran = |wanted: &[char], wrong| run(&wrong, wanted, &parts, || Ok(())).unwrap();
        assert_eq!(ran(&['a'], 1), ExitCode::SUCCESS);
        assert_eq!(ran(&['b'], 1), ExitCode::from(1));
        assert_eq!(ran(&[], 1), ExitCode::from(1));
        assert_eq!(ran(&[], 0), ExitCode::SUCCESS);
    }
}
