//! The agent: first process of a virtual board, and the programs that an experiment runs there.
//!
//! As process 1 it mounts what a system has, carries out the plan and switches the machine off. Called by name it is one of
//! the programs: `agent serve`, `agent flood`, and more. One static program, as the board has nothing but it, `ip` and `tc`.
//!
//! Exit of a program: 0 good, 1 failed, 2 usage.
mod background;
mod execute;
mod flood;
mod http;
mod init;
mod measure;
mod wire;

use std::process::ExitCode;

use tokkyu_lbe::{Flow, FlowTable};

const USAGE: &str = "agent serve ADDRESS:PORT
agent flood tcp|udp ADDRESS:PORT FLOWS [congestion=NAME] [priority=N] [dscp=N]
agent frames
agent unload MODULE
agent read FILE
agent flow add|remove FLOW
agent flow list|flush
agent lbe run DEVICE PROGRAM [ARGUMENT...]
agent lbe tune|untune DEVICE
agent lbe verify module|htb
agent lbe status|send";

fn main() -> ExitCode {
    if std::process::id() == 1 {
        init::run();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        ["serve", address] => http::serve(address),
        ["flood", kind, address, flows, options @ ..] => flood::run(kind, address, flows, options),
        ["frames"] => wire::print(),
        ["read", file] => read(file),
        ["flow", words @ ..] => flow(words),
        ["lbe", words @ ..] => background::run(words),
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
