//! See `tokkyu_local_peers::overload`.

use std::process::ExitCode;

use clap::{Parser, value_parser};
use tokkyu_local_peers::arguments::Arguments;
use tokkyu_local_peers::overload;

/// tokkyu between two threads, the reading one too slow: how long publishing takes; see README.md beside the sources.
#[derive(Debug, Parser)]
#[command(name = "tokkyu-local-overload", version)]
struct Program {
    #[command(flatten)]
    run: Arguments,
    /// So many times the period the subscriber takes for a sample
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u32).range(1..=1_000))]
    slower: u32,
}

fn main() -> ExitCode {
    let program = Program::parse();
    overload::run(&program.run, program.slower).unwrap_or_else(|failure| {
        eprintln!("tokkyu-local-overload: {failure}");
        ExitCode::FAILURE
    })
}
