//! companion tell: tells the RTOS where this kernel counts what keeps a task from being preempted (lib.rs, ../SPEC.md, MON-71); companion count:
//! tells who looks at the machine what its processors are used for (count.rs).

mod count;
mod shared;

use std::error::Error;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::process::ExitCode;
use std::time::Duration;

use tokkyu_monitor_companion::{Btf, CoreFile, HEADERS_BYTES, Kernel, Symbols, find};
use tokkyu_monitor_placement::Telling;

use crate::shared::Shared;

const USAGE: &str = "\
Tells the RTOS beside this Linux where the kernel counts what keeps a task from being preempted, so that no lock waits
for the RTOS. Once after each start, as root. What it needs is told when it is not there.

  companion tell     finds it and tells it
  companion find     finds it, says it, and tells it nobody
  companion forget   the RTOS knows nothing any more

Tells `tokkyu board top` what the kernel counts for each processor, as root, beside all else:

  companion count [SECONDS]   each 500 ms, until it is ended, or for so long

Examples:
  companion tell
  companion count &

Exit: 0 done, 1 not, 2 usage.";

/// How many there may be.
fn processors() -> Result<usize, Box<dyn Error>> {
    let path = "/sys/devices/system/cpu/possible";
    let possible = read_text(path)?;
    let last = possible.trim().rsplit(['-', ',']).next().unwrap_or_default();
    let last: usize = last.parse().map_err(|error| format!("{path}: {last:?}: {error}"))?;
    Ok(last + 1)
}

fn named<T>(path: &str, result: std::io::Result<T>) -> Result<T, Box<dyn Error>> {
    result.map_err(|error| format!("{path}: {error}").into())
}

fn read_text(path: &str) -> Result<String, Box<dyn Error>> {
    named(path, fs::read_to_string(path))
}

fn find_here() -> Result<(Symbols, Telling), Box<dyn Error>> {
    let symbols = Symbols::read(&read_text("/proc/kallsyms")?)?;
    let types_path = "/sys/kernel/btf/vmlinux";
    let types = named(types_path, fs::read(types_path))?;
    let core_path = "/proc/kcore";
    let core = named(core_path, File::open(core_path))?;
    let mut headers = Vec::with_capacity(HEADERS_BYTES);
    named(core_path, core.try_clone()?.take(HEADERS_BYTES as u64).read_to_end(&mut headers))?;
    let read = |offset| {
        let mut word = [0; 8];
        core.read_exact_at(&mut word, offset).ok().map(|()| u64::from_le_bytes(word))
    };
    let (btf, core_file) = (Btf::read(&types)?, CoreFile::read(&headers)?);
    let kernel = Kernel { symbols: &symbols, btf: &btf, core_file: &core_file, read: &read };
    let telling = find(&kernel, processors()?)?;
    Ok((symbols, telling))
}

/// What it comes to.
fn say(symbols: &Symbols) {
    println!(
        "{}",
        match (symbols.is_counted, symbols.is_real_time) {
            (true, false) => "tasks are counted: the RTOS sees on which processor Linux holds a spin lock",
            (true, true) =>
                "tasks are counted, but most locks of a real-time kernel are not: the RTOS sees raw spin locks alone",
            (false, _) =>
                "this kernel counts no tasks (CONFIG_PREEMPT_COUNT): the RTOS sees who is idle, and on its own processor who is in user mode",
        }
    );
}

fn run(command: Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Forget => Shared::open()?.forget(),
        Command::Count(at_most) => count::count(&Shared::open()?, at_most)?,
        Command::Tell => {
            let (symbols, telling) = find_here()?;
            Shared::open()?.tell(&telling);
            say(&symbols);
        }
        Command::Find => {
            let (symbols, telling) = find_here()?;
            say(&symbols);
            println!("{telling:#x?}");
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Command {
    Tell,
    Find,
    Forget,
    Count(Option<Duration>),
}

/// Nothing: that is no command.
fn command(arguments: &[&str]) -> Option<Command> {
    Some(match arguments {
        ["tell"] => Command::Tell,
        ["find"] => Command::Find,
        ["forget"] => Command::Forget,
        ["count"] => Command::Count(None),
        ["count", seconds] => Command::Count(Some(Duration::from_secs(seconds.parse().ok()?))),
        _ => return None,
    })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["--help" | "-h"] = arguments[..] {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let Some(command) = command(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("companion: {error}");
            ExitCode::FAILURE
        }
    }
}
