//! The machine a measurement ran on, as far as it explains the figures.
//!
//! Runs in the tool before and after a run; reads a few small files of `/proc` and `/sys`, nothing else, and no clock:
//! the date comes in. Invariant: what cannot be read is absent (`null`), never guessed. Follows SPEC.md MEA-30 to
//! MEA-32.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tokkyu_contract::WallTime;

/// Environment of a run, as it stands in a result file. Every field may be absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// Start of the run, RFC 3339 in UTC, to the second.
    pub date: Option<String>,
    /// Version of the tool that measured.
    pub tool_version: Option<String>,
    /// Revision of the source the tool was built from.
    pub git_revision: Option<String>,
    /// True if that source had changes of its own.
    pub git_dirty: Option<bool>,
    /// Kernel, as `uname` tells it.
    pub kernel: Kernel,
    /// Processor, as `/proc/cpuinfo` tells it.
    pub cpu: Cpu,
    /// Load averages over 1, 5 and 15 minutes when the run began.
    pub load_before: Option<[f64; 3]>,
    /// The same when it ended.
    pub load_after: Option<[f64; 3]>,
    /// `net.core.rmem_max`: largest receive buffer of a socket, in bytes.
    pub rmem_max_bytes: Option<u64>,
    /// `net.core.wmem_max`: largest send buffer of a socket, in bytes.
    pub wmem_max_bytes: Option<u64>,
    /// Whether the measuring threads were granted `SCHED_FIFO`.
    pub sched_fifo: Option<bool>,
    /// Whether `mlockall` was granted.
    pub mlockall: Option<bool>,
}

/// The running kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kernel {
    /// `uname -r`.
    pub release: Option<String>,
    /// `uname -v`; names the preemption model.
    pub version: Option<String>,
    /// `uname -m`.
    pub machine: Option<String>,
}

/// The processor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cpu {
    /// Model name of the first processor.
    pub model: Option<String>,
    /// Logical processors that are on line.
    pub count: Option<u32>,
    /// Frequency governors in use, comma between them where processors differ.
    pub governor: Option<String>,
    /// Whether the kernel knows itself to be a guest; absent where the processor does not tell.
    pub hypervisor: Option<bool>,
}

/// What the caller knows and `/proc` does not.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Start of the run.
    pub date: Option<WallTime>,
    /// Version of the tool.
    pub tool_version: Option<String>,
    /// Source revision and whether it had changes; see [`GitState::of_build`].
    pub git: Option<GitState>,
    /// Whether `SCHED_FIFO` was granted.
    pub sched_fifo: Option<bool>,
    /// Whether `mlockall` was granted.
    pub mlockall: Option<bool>,
}

/// Revision of a source tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitState {
    /// Commit.
    pub revision: String,
    /// Whether the tree differed from it; `None` if unknown.
    pub dirty: Option<bool>,
}

impl GitState {
    /// What `TOKKYU_GIT_REVISION` and `TOKKYU_GIT_DIRTY` (`0` or `1`) were when this crate was built; `None` if unset.
    pub fn of_build() -> Option<Self> {
        Self::from_words(option_env!("TOKKYU_GIT_REVISION"), option_env!("TOKKYU_GIT_DIRTY"))
    }

    /// The same from words found elsewhere. An empty revision is none.
    pub fn from_words(revision: Option<&str>, dirty: Option<&str>) -> Option<Self> {
        let revision = revision.map(str::trim).filter(|word| !word.is_empty())?.to_owned();
        let dirty = match dirty.map(str::trim) {
            Some("0") => Some(false),
            Some("1") => Some(true),
            _ => None,
        };
        Some(GitState { revision, dirty })
    }
}

/// Where the kernel's files are.
#[derive(Clone, Debug)]
pub struct Sources {
    /// `/proc`.
    pub proc: PathBuf,
    /// `/sys`.
    pub sys: PathBuf,
}

impl Default for Sources {
    fn default() -> Self {
        Sources { proc: "/proc".into(), sys: "/sys".into() }
    }
}

impl Sources {
    /// Captures the environment at the start of a run.
    pub fn capture(&self, given: Given) -> Environment {
        let (git_revision, git_dirty) = match given.git {
            Some(git) => (Some(git.revision), git.dirty),
            None => (None, None),
        };
        Environment {
            date: given.date.map(rfc3339),
            tool_version: given.tool_version,
            git_revision,
            git_dirty,
            kernel: self.kernel(),
            cpu: self.cpu(),
            load_before: self.load(),
            load_after: None,
            rmem_max_bytes: number(&self.proc.join("sys/net/core/rmem_max")),
            wmem_max_bytes: number(&self.proc.join("sys/net/core/wmem_max")),
            sched_fifo: given.sched_fifo,
            mlockall: given.mlockall,
        }
    }

    /// Adds what is only known at the end of the run.
    pub fn complete(&self, environment: &mut Environment) {
        environment.load_after = self.load();
    }

    /// Load average over one minute, now.
    pub fn load_average(&self) -> Option<f64> {
        self.load().map(|[over_1_min, ..]| over_1_min)
    }

    fn kernel(&self) -> Kernel {
        let of = |name: &str| word(&self.proc.join("sys/kernel").join(name));
        Kernel { release: of("osrelease"), version: of("version"), machine: of("arch") }
    }

    fn cpu(&self) -> Cpu {
        let cpuinfo = fs::read_to_string(self.proc.join("cpuinfo")).unwrap_or_default();
        let count = values_of(&cpuinfo, "processor").count() as u32;
        Cpu {
            model: values_of(&cpuinfo, "model name").next().map(str::to_owned),
            count: (count > 0).then_some(count),
            governor: self.governor(),
            hypervisor: values_of(&cpuinfo, "flags")
                .next()
                .map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor")),
        }
    }

    fn governor(&self) -> Option<String> {
        let cpus = fs::read_dir(self.sys.join("devices/system/cpu")).ok()?;
        let governors: BTreeSet<String> =
            cpus.flatten().filter_map(|cpu| word(&cpu.path().join("cpufreq/scaling_governor"))).collect();
        (!governors.is_empty()).then(|| governors.into_iter().collect::<Vec<_>>().join(","))
    }

    fn load(&self) -> Option<[f64; 3]> {
        let text = fs::read_to_string(self.proc.join("loadavg")).ok()?;
        let mut averages = text.split_whitespace().map(str::parse::<f64>);
        let mut next = || averages.next()?.ok().filter(|load| load.is_finite());
        Some([next()?, next()?, next()?])
    }
}

/// Content of a one-line file.
fn word(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn number(path: &Path) -> Option<u64> {
    word(path)?.parse().ok()
}

/// Values of all lines `key : value`.
fn values_of<'a>(cpuinfo: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    cpuinfo.lines().filter_map(move |line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

/// Calendar date and time of day in UTC, e.g. `2026-03-21T09:05:07Z`.
pub fn rfc3339(at: WallTime) -> String {
    let seconds = at.as_nanos() / 1_000_000_000;
    let (year, month, day) = calendar_day(seconds / 86_400);
    let of_day = seconds % 86_400;
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day that lie `days` after 1970-01-01. Counts years one by one: 64 bits of nanoseconds end in 2554.
fn calendar_day(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources_with(files: &[(&str, &str)]) -> (tempfile::TempDir, Sources) {
        let dir = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let sources = Sources { proc: dir.path().join("proc"), sys: dir.path().join("sys") };
        (dir, sources)
    }

    #[test]
    fn a_pc_is_captured_from_its_proc_and_sys() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Intel(R) Core(TM) i5-7200U CPU @ 2.50GHz\n\
            flags\t\t: fpu vme hypervisor lahf_lm\n\nprocessor\t: 1\nmodel name\t: other\nflags\t\t: fpu\n";
        let (_dir, sources) = sources_with(&[
            ("proc/cpuinfo", cpuinfo),
            ("proc/loadavg", "0.14 0.04 0.01 1/123 4567\n"),
            ("proc/sys/kernel/osrelease", "6.12.0-rt\n"),
            ("proc/sys/kernel/version", "#1 SMP PREEMPT_RT Mon Jan 1\n"),
            ("proc/sys/kernel/arch", "x86_64\n"),
            ("proc/sys/net/core/rmem_max", "212992\n"),
            ("proc/sys/net/core/wmem_max", "425984\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"),
        ]);
        let found = sources.capture(Given { sched_fifo: Some(false), ..Given::default() });
        assert_eq!(found.cpu.model.as_deref(), Some("Intel(R) Core(TM) i5-7200U CPU @ 2.50GHz"));
        assert_eq!(found.cpu.count, Some(2));
        assert_eq!(found.cpu.hypervisor, Some(true));
        assert_eq!(found.cpu.governor.as_deref(), Some("performance,powersave"));
        assert_eq!(found.kernel.release.as_deref(), Some("6.12.0-rt"));
        assert_eq!(found.load_before, Some([0.14, 0.04, 0.01]));
        assert_eq!(found.rmem_max_bytes, Some(212_992));
        assert_eq!(found.wmem_max_bytes, Some(425_984));
        assert_eq!((found.sched_fifo, found.mlockall), (Some(false), None));
    }

    #[test]
    fn the_load_at_the_end_is_read_at_the_end() {
        let (dir, sources) = sources_with(&[("proc/loadavg", "0.10 0.04 0.01 1/123 4567\n")]);
        let mut environment = sources.capture(Given::default());
        assert_eq!(environment.load_after, None);
        fs::write(dir.path().join("proc/loadavg"), "1.90 0.50 0.20 3/123 4567\n").unwrap();
        sources.complete(&mut environment);
        assert_eq!(environment.load_before, Some([0.10, 0.04, 0.01]));
        assert_eq!(environment.load_after, Some([1.90, 0.50, 0.20]));
    }

    #[test]
    fn what_is_missing_or_unreadable_is_null_and_not_guessed() {
        let (_dir, sources) = sources_with(&[
            ("proc/loadavg", "nan 1 2"),
            ("proc/sys/net/core/rmem_max", "many"),
            ("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n"),
        ]);
        let found = sources.capture(Given::default());
        let expected =
            Environment { cpu: Cpu { count: Some(1), ..Cpu::default() }, ..Environment::default() };
        assert_eq!(found, expected);
        let json = serde_json::to_value(&found).unwrap();
        assert!(json["load_before"].is_null() && json["cpu"]["hypervisor"].is_null());
        assert_eq!(serde_json::from_value::<Environment>(json).unwrap(), found);
    }

    #[test]
    fn a_date_is_written_as_people_write_it() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(WallTime::from_nanos(seconds * 1_000_000_000)), text);
        }
        assert_eq!(rfc3339(WallTime::MAX), "2554-07-21T23:34:33Z");
    }

    #[test]
    fn an_unset_revision_is_unknown_and_not_clean() {
        assert_eq!(GitState::from_words(None, Some("0")), None);
        assert_eq!(GitState::from_words(Some(""), None), None);
        let state = GitState::from_words(Some("1a2b3c4\n"), Some("maybe")).unwrap();
        assert_eq!(state, GitState { revision: "1a2b3c4".into(), dirty: None });
    }
}
