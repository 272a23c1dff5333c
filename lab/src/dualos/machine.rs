//! A machine that QEMU stands for, from its start to its end, and what others did on this one meanwhile.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::Signal;
use nix::sys::time::TimeValLike;

use super::cell::{Cell, PROCESSORS};
use super::parts::{Parts, PartsError};
use crate::board::Archive;
use crate::orphan::ends_with_its_starter;

const QEMU: &str = "qemu-system-aarch64";
const MEMORY: &str = "1G";
/// Beside the folder's others: what Linux says, and what the RTOS does.
pub(super) const CONSOLE: &str = "console.log";
const RTOS: &str = "rtos.log";
/// A start takes some ten seconds, longer on a slow machine.
const PATIENCE: Duration = Duration::from_secs(600);
const LOOK: Duration = Duration::from_millis(50);
/// `/proc/stat` counts hundredths of a second.
const HZ: f64 = 100.0;
/// Of a processor, what others may use of this machine while its time is measured.
const OTHERS_MOST: f64 = 0.3;

/// How it ended.
pub(super) enum End {
    /// It was switched off; a word why its figures are not to be believed, if they are not.
    Off(Option<String>),
    /// Somebody wanted it to end.
    Stopped,
}

/// Starts it, and waits until it is off.
pub(super) fn run(
    parts: &Parts,
    cell: &Cell,
    folder: &Path,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<End, PartsError> {
    let refused = |source| PartsError::Folder { path: folder.to_path_buf(), source };
    let initrd = folder.join("initrd.cpio");
    write_initrd(parts, cell, &initrd)?.map_err(refused)?;
    let before = Times::now();
    let child = start(parts, cell, folder, &initrd)?;
    let end = wait(child, stop).map_err(refused)?;
    let _ = fs::remove_file(&initrd);
    Ok(match end {
        None => End::Stopped,
        Some(status) => End::Off(fault(cell, status, &before)),
    })
}

fn fault(cell: &Cell, status: Option<ExitStatus>, before: &Times) -> Option<String> {
    let others = before.others_until(&Times::now());
    match status {
        None => Some(format!("it did not end within {} s", PATIENCE.as_secs())),
        Some(status) if !status.success() => Some(format!("{QEMU}: {status}")),
        Some(_) if !cell.is_counted() && others > OTHERS_MOST => Some(format!(
            "others used {others:.2} processors of this machine meanwhile, and its time is what was measured; at most {OTHERS_MOST}"
        )),
        Some(_) => None,
    }
}

fn write_initrd(parts: &Parts, cell: &Cell, to: &Path) -> Result<io::Result<()>, PartsError> {
    let files = parts.files(cell.kind)?;
    let write = || {
        let mut archive = Archive::new(io::BufWriter::new(File::create(to)?));
        files.iter().try_for_each(|(path, content)| archive.file(path, content))?;
        archive.finish().map(drop)
    };
    Ok(write())
}

fn start(parts: &Parts, cell: &Cell, folder: &Path, initrd: &Path) -> Result<Child, PartsError> {
    let path = |path: &Path| path.display().to_string();
    let words = File::create(folder.join(CONSOLE))
        .map_err(|source| PartsError::Folder { path: folder.to_path_buf(), source })?;
    let mut command = Command::new(QEMU);
    command
        .args(["-M", "virt,secure=on,gic-version=3", "-display", "none", "-monitor", "none", "-no-reboot"])
        .args(["-smp", &PROCESSORS.to_string(), "-m", MEMORY, "-serial", "stdio"])
        .args(["-serial", &format!("file:{}", path(&folder.join(RTOS)))])
        .args([
            "-bios",
            &path(&parts.monitor),
            "-kernel",
            &path(parts.kernel_of(cell.kind).0),
            "-initrd",
            &path(initrd),
        ])
        .args(["-append", &cell.words()])
        .args([
            "-fw_cfg",
            &format!("name=opt/org.tokkyu/rtos,file={}", path(&parts.rtos).replace(',', ",,")),
        ]);
    match cell.is_counted() {
        true => {
            command.args(["-cpu", "cortex-a53,cntfrq=1000000000", "-icount", "shift=0,sleep=off"]);
        }
        false => {
            command.args(["-cpu", "cortex-a53", "-accel", "tcg,thread=multi"]);
        }
    }
    command.stdin(Stdio::null()).stdout(words).stderr(Stdio::null());
    // It does not always hear a milder one while it counts instructions.
    ends_with_its_starter(&mut command, Signal::SIGKILL).spawn().map_err(PartsError::Qemu)
}

/// Nothing: it was to stop. No status: it took too long. It is gone either way.
fn wait(mut child: Child, stop: &(dyn Fn() -> bool + Sync)) -> io::Result<Option<Option<ExitStatus>>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(Some(status)));
        }
        let (stops, is_late) = (stop(), begun.elapsed() > PATIENCE);
        if stops || is_late {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(if stops { None } else { Some(None) });
        }
        thread::sleep(LOOK);
    }
}

/// Processors' seconds: of this machine, and of this program and the programs it has waited for.
struct Times {
    at: Instant,
    machine_s: f64,
    own_s: f64,
}

impl Times {
    fn now() -> Times {
        let of = |who| {
            let seconds = |usage: nix::sys::resource::Usage| {
                (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
            };
            getrusage(who).map_or(0.0, seconds)
        };
        let own_s = of(UsageWho::RUSAGE_SELF) + of(UsageWho::RUSAGE_CHILDREN);
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        Times { at: Instant::now(), machine_s: busy_s(&stat), own_s }
    }

    /// How many processors others used.
    fn others_until(&self, then: &Times) -> f64 {
        let others_s = (then.machine_s - self.machine_s) - (then.own_s - self.own_s);
        others_s / then.at.duration_since(self.at).as_secs_f64().max(0.001)
    }
}

/// Of `/proc/stat`'s first line, all but idle and waiting for devices; guests' time is in user time already.
fn busy_s(stat: &str) -> f64 {
    let line = stat.lines().next().unwrap_or_default();
    let fields: Vec<f64> =
        line.split_ascii_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    let busy =
        fields.iter().take(8).enumerate().filter(|(at, _)| !matches!(at, 3 | 4)).map(|(_, ticks)| ticks);
    busy.sum::<f64>() / HZ
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_idle_is_not_busy() {
        assert_eq!(busy_s("cpu  100 20 30 9999 8888 1 2 3 50 0\ncpu0 1\n"), 1.56);
        assert_eq!(busy_s(""), 0.0);
    }
}
