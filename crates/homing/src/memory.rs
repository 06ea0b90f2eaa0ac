//! The memory limit where none is given: a share of what the machine, or the
//! container around the process, still has. A search that ends by itself tells
//! what it learned; one that is killed does not.

use std::fs;
use std::path::Path;

/// The default limit in bytes; none where the machine does not tell.
pub fn default_limit() -> Option<usize> {
    let available = available(Path::new("/"))?;
    usize::try_from(available / 5 * 4).ok()
}

/// The bytes still available to this process, by the files under `root`.
fn available(root: &Path) -> Option<u64> {
    machine(root).into_iter().chain(control_groups(root)).min()
}

/// What the kernel says could be had without swapping.
fn machine(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// What is left of the limits of the control groups around the process, of
/// version 2 and of version 1.
fn control_groups(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    text.lines().filter_map(|line| control_group(root, line)).min()
}

/// One line of the kernel's list: `number:controllers:path`.
fn control_group(root: &Path, line: &str) -> Option<u64> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, path) = (fields.next()?, fields.next()?);
    let (mount, limit, usage) = match controllers {
        "" => ("sys/fs/cgroup", "memory.max", "memory.current"),
        _ if controllers.split(',').any(|name| name == "memory") => {
            ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
        }
        _ => return None,
    };
    let mount = root.join(mount);
    let group = mount.join(path.trim_start_matches('/'));
    let around = group.ancestors().take_while(|folder| folder.starts_with(&mount));
    let left = |folder: &Path| Some(number(folder, limit)?.saturating_sub(number(folder, usage)?));
    around.filter_map(left).min()
}

/// The number in a file; none where it says `max`.
fn number(folder: &Path, file: &str) -> Option<u64> {
    fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that looks like a machine.
    fn machine_with(name: &str, files: &[(&str, &str)]) -> Option<u64> {
        let root =
            std::env::temp_dir().join(format!("homing-memory-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = available(&root);
        let _ = fs::remove_dir_all(&root);
        found
    }

    const MEMORY: (&str, &str) = ("proc/meminfo", "MemTotal: 99 kB\nMemAvailable:  1000 kB\n");

    #[test]
    fn the_machine_decides_where_nothing_else_does() {
        assert_eq!(machine_with("plain", &[MEMORY]), Some(1_024_000));
        assert_eq!(machine_with("unknown", &[]), None);
    }

    #[test]
    fn the_tightest_group_decides() {
        let files = [
            MEMORY,
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.current", "100\n"),
            ("sys/fs/cgroup/a/memory.max", "5000\n"),
            ("sys/fs/cgroup/a/memory.current", "2000\n"),
        ];
        assert_eq!(machine_with("two", &files), Some(3000));
    }

    #[test]
    fn version_one_counts_too() {
        let files = [
            MEMORY,
            ("proc/self/cgroup", "7:cpu:/x\n4:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "7000"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "9000"),
        ];
        assert_eq!(machine_with("one", &files), Some(0));
    }
}
