//! The agent: first process of a virtual board, and the programs that an experiment runs there.
//!
//! As process 1 it mounts what a system has, carries out the plan and switches the machine off. Called by name it is one of
//! the programs: `agent serve`, `agent flood`, and more. One static program, as the board has nothing but it, `ip` and `tc`.
//!
//! Exit of a program: 0 good, 1 failed, 2 usage.
mod background;
mod datagrams;
mod execute;
mod flood;
mod http;
mod init;
mod keep;
mod leaks;
mod malformed;
mod measure;
mod module;
mod schedule;
mod socket;
mod spin;
mod stream;
mod tuning;
mod wire;

use std::process::ExitCode;
use std::time::Duration;

use tokkyu_lbe::{Flow, FlowTable};

const USAGE: &str = "agent serve ADDRESS:PORT
agent flood tcp|udp ADDRESS:PORT FLOWS [OPTION...]
agent take ADDRESS:PORT
agent give ADDRESS:PORT BYTES SEED [OPTION...]
agent reset ADDRESS:PORT
agent receive ADDRESS:PORT COUNT
agent send ADDRESS:PORT COUNT [OPTION...]
  OPTION: congestion=NAME, priority=N, dscp=N, ecn=N, bytes=N (of a datagram), extended (destination options, IPv6),
           patient (goes on when the device is down)
agent spin [PROCESSOR]
agent frames
agent fields
agent malformed DEVICE RANDOM
agent unload MODULE
agent read FILE
agent put FILE TEXT
agent read-only FOLDER  (where something is mounted)
agent await FILE TEXT
agent flow add|remove FLOW
agent flow list|flush
agent lbe run DEVICE PROGRAM [ARGUMENT...]
agent lbe tune|untune DEVICE
agent lbe verify module|htb
agent lbe status|send
agent tune plan|apply DEVICE [regular|answers] [senders=N] [only=STEP,STEP] [cpu=N]
agent tune status|repair|revert DEVICE
agent schedule THREAD PRIORITY
agent probe ARGUMENT...  (tokkyu-probe)";

/// A minute of looks at a file.
const AWAIT_PAUSE: Duration = Duration::from_millis(10);
const AWAIT_ROUNDS: u32 = 6_000;

fn main() -> ExitCode {
    if std::process::id() == 1 {
        init::run();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["probe", ..] = words.as_slice() {
        return tokkyu_probe::program::run(arguments);
    }
    let ended = match words.as_slice() {
        ["serve", address] => http::serve(address),
        ["flood", kind, address, flows, options @ ..] => flood::run(kind, address, flows, options),
        ["take", address] => stream::take(address),
        ["give", address, bytes, seed, options @ ..] => stream::give(address, bytes, seed, options),
        ["reset", address] => stream::reset(address),
        ["receive", address, count] => datagrams::receive(address, count),
        ["send", address, count, options @ ..] => datagrams::send(address, count, options),
        ["spin", processor @ ..] => spin::run(processor),
        ["malformed", device, random] => malformed::run(device, random),
        ["fields"] => wire::fields(),
        ["frames"] => wire::print(),
        ["read", file] => read(file),
        ["put", file, text] => std::fs::write(file, text).map_err(|error| format!("{file}: {error}")),
        ["read-only", folder] => init::make_read_only(folder),
        ["await", file, text] => wait_for(file, text),
        ["flow", words @ ..] => flow(words),
        ["lbe", words @ ..] => background::run(words),
        ["tune", words @ ..] => tuning::run(words),
        ["schedule", name, priority] => schedule::run(name, priority),
        ["unload", module] => init::unload(module),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("agent: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// A setting or counter of the kernel, as it is.
fn read(file: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    print!("{text}");
    Ok(())
}

/// Until a file of the kernel has this text, which says that somebody has come so far.
fn wait_for(file: &str, text: &str) -> Result<(), String> {
    for _ in 0..AWAIT_ROUNDS {
        let now = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        if now.contains(text) {
            return Ok(());
        }
        std::thread::sleep(AWAIT_PAUSE);
    }
    Err(format!("{file}: still without {text:?} after 60 s"))
}

/// The table of background flows.
fn flow(words: &[&str]) -> Result<(), String> {
    let mut table = FlowTable::open().map_err(|error| error.to_string())?;
    let named = |text: &str| text.parse::<Flow>().map_err(|error| error.to_string());
    let done = match words {
        ["add", text] => table.add(named(text)?),
        ["remove", text] => table.remove(named(text)?),
        ["flush"] => table.flush(),
        ["list"] => table.flows().map(|flows| flows.iter().for_each(|flow| println!("{flow}"))),
        _ => return Err(format!("flow {}: add FLOW, remove FLOW, list or flush", words.join(" "))),
    };
    done.map_err(|error| error.to_string())
}
