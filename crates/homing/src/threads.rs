//! How many threads search.

use std::thread::available_parallelism;

use homing_core::Crew;
use homing_report::style;

use crate::options::Options;
use crate::run::UsageError;

/// The memory that a thread takes for itself, at least: its buffers and an empty shard.
const EACH: usize = 16 << 20;

/// As many as there are cores for this process, but no more than memory allows.
pub fn default_threads(memory: Option<usize>) -> usize {
    let cores = available_parallelism().map_or(1, usize::from);
    cores.min(fit(memory)).max(1)
}

fn fit(memory: Option<usize>) -> usize {
    memory.map_or(usize::MAX, |memory| memory / EACH)
}

/// Who searches, if there may be so many.
pub(crate) fn crew(options: &Options) -> Result<Crew, UsageError> {
    let threads = options.crew.threads;
    if threads == 0 {
        return Err(UsageError::Sentence("a search takes at least one thread".into()));
    }
    if threads > 1 && threads > fit(options.limits.memory) {
        let memory = options.limits.memory.unwrap_or(usize::MAX);
        return Err(UsageError::Sentence(format!(
            "{threads} threads take at least {} of memory, but no more than {} may be used",
            style::bytes((threads * EACH) as u64),
            style::bytes(memory as u64)
        )));
    }
    Ok(options.crew)
}

#[cfg(test)]
mod tests {
    use homing_core::Limits;

    use super::*;

    #[test]
    fn threads_fit_into_memory() {
        assert!(default_threads(None) >= 1);
        assert_eq!(default_threads(Some(1)), 1);
        let options = |threads, memory| Options {
            crew: Crew { threads, ..Crew::default() },
            limits: Limits { memory, ..Limits::default() },
            ..Options::default()
        };
        assert_eq!(crew(&options(1, Some(1))).unwrap().threads, 1);
        assert_eq!(crew(&options(64, None)).unwrap().threads, 64);
        let refused = |options| crew(&options).unwrap_err().to_string();
        assert!(refused(options(0, None)).contains("at least one"));
        let told = refused(options(64, Some(100 << 20)));
        assert!(told.contains("64 threads") && told.contains("104.9 MB"), "{told}");
    }
}
