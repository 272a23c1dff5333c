//! `tokkyu board top` of a machine with two systems, RTOS and Linux.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Deserializer, Value};

/// Tables, of two seconds each, until Linux has come up and has told something: a machine that is busy takes long.
const TABLES: usize = 150;
const PROCESSORS: usize = 2;

/// What is needed, or why it cannot be tried here.
fn parts() -> Result<PathBuf, String> {
    let folder = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    let (Some(monitor), Some(linux)) = (folder("TOKKYU_MONITOR"), folder("TOKKYU_MONITOR_LINUX")) else {
        return Err(
            "TOKKYU_MONITOR and TOKKYU_MONITOR_LINUX are to name what monitor/build and monitor/fetch made"
                .to_owned(),
        );
    };
    let found = |file: PathBuf| match file.is_file() {
        true => Ok(file),
        false => Err(format!("no {}; monitor/build and monitor/fetch make it", file.display())),
    };
    found(monitor.join("monitor.bin"))?;
    found(linux.join("initrd"))?;
    let runs = Command::new("qemu-system-aarch64").arg("--version").output().is_ok();
    if runs {
        found(monitor.join("dualos.elf"))
    } else {
        Err("no qemu-system-aarch64; apt-get install qemu-system-arm".to_owned())
    }
}

/// Ends with the test, however that does.
struct Tokkyu(Child);

impl Drop for Tokkyu {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(image: &Path) -> Tokkyu {
    let mut tokkyu = Command::new(env!("CARGO_BIN_EXE_tokkyu"));
    tokkyu.args(["board", "top", "--quiet", "--processors", &PROCESSORS.to_string(), "--image"]).arg(image);
    Tokkyu(tokkyu.arg("--json=-").stdout(Stdio::piped()).spawn().expect("tokkyu runs"))
}

/// The process that it has started.
fn child_of(parent: u32) -> Option<u32> {
    let processes = fs::read_dir("/proc").ok()?.filter_map(Result::ok);
    let is_child = |number: &u32| {
        let status = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
        status.lines().any(|line| line == format!("PPid:\t{parent}"))
    };
    processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(is_child)
}

/// Of a table, for each processor; nothing: one is not known.
fn all<'t>(table: &'t Value, field: &'t str) -> Option<Vec<f64>> {
    table["processors"].as_array()?.iter().map(|row| row[field].as_f64()).collect()
}

/// The shares of each processor together.
fn sums(table: &Value) -> Option<Vec<f64>> {
    let shares = ["rtos_percent", "user_percent", "system_percent", "idle_percent"];
    let shares: Vec<Vec<f64>> = shares.into_iter().map(|share| all(table, share)).collect::<Option<_>>()?;
    assert!(shares.iter().flatten().all(|share| (0.0..=100.0).contains(share)), "{table}");
    Some((0..PROCESSORS).map(|processor| shares.iter().map(|share| share[processor]).sum()).collect())
}

#[test]
fn two_systems_are_shown_and_nothing_is_left_of_them() {
    let image = match parts() {
        Ok(image) => image,
        Err(reason) => return eprintln!("skipped: {reason}"),
    };
    let mut tokkyu = start(&image);
    let output = tokkyu.0.stdout.take().expect("it is piped");
    let (mut grown, mut whole) = (0, 0);
    for table in Deserializer::from_reader(output).into_iter::<Value>().take(TABLES) {
        let table = table.expect("JSON");
        let counts = all(&table, "activations");
        grown += usize::from(counts.is_some_and(|counts| counts.iter().all(|count| *count > 0.0)));
        if let Some(sums) = sums(&table) {
            assert_eq!(sums.len(), PROCESSORS);
            assert!(sums.iter().all(|sum| (sum - 100.0).abs() < 0.01), "{table}");
            whole += 1;
        }
        if whole >= 2 && grown >= 2 {
            break;
        }
    }
    let qemu = child_of(tokkyu.0.id());
    kill(Pid::from_raw(tokkyu.0.id().cast_signed()), Signal::SIGINT).expect("it runs");
    let ended = tokkyu.0.wait().expect("it ends");
    assert!(
        whole >= 2 && grown >= 2,
        "{whole} tables with all shares, {grown} in which both RTOS's tasks ran"
    );
    assert_eq!(ended.code(), Some(130));
    let qemu = qemu.expect("it has started a machine");
    assert!(!Path::new(&format!("/proc/{qemu}")).exists(), "process {qemu} is left");
}
