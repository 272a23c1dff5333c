//! Starts a board with a plan of your own: `cargo run -p tokkyu-lab --example board -- KERNEL PROCESSORS FOLDER [ARGUMENT...] < plan.json`.
//!
//! For trying something on a kernel before it is an experiment. The plan is a list of steps (`lab/agent/src/plan.rs`); ARGUMENTS are
//! the kernel's. What the board says comes on standard output,
//! the kernel's words on standard error; the folder gets what was kept.
use std::io::stdin;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use tokkyu_lab::board::{Architecture, Board, Clock, Kernel, Plan, boards_folder};

const PATIENCE: Duration = Duration::from_secs(3_600);

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let [kernel, processors, folder, arguments @ ..] = words else {
        return Err("KERNEL PROCESSORS FOLDER [ARGUMENT...]".into());
    };
    let clock = match processors.parse()? {
        1 => Clock::Counted,
        processors => Clock::Together { processors, instruction_ns: 2 },
    };
    let plan: Plan = serde_json::from_reader(stdin())?;
    std::fs::create_dir_all(folder)?;
    let board = Board {
        architecture: Architecture::X86_64,
        kernel: Kernel::find(&boards_folder(), kernel)?,
        clock,
        arguments: arguments.join(" "),
    };
    let say = |line: &_| println!("{}", serde_json::to_string(line).unwrap_or_default());
    let outcome = board.run(&plan, Path::new(folder), PATIENCE, say, &|| false)?;
    outcome.console.iter().for_each(|line| eprintln!("{line}"));
    outcome.fault.map_or(Ok(()), |fault| Err(fault.into()))
}
