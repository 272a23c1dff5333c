//! See `tokkyu_local_peers::thread`.

use std::process::ExitCode;

use clap::Parser;
use tokkyu_local_peers::arguments::Arguments;
use tokkyu_local_peers::thread;

/// tokkyu between two threads, in the local experiment; see bench/local/SPEC.md.
#[derive(Debug, Parser)]
#[command(name = "tokkyu-local-thread", version)]
struct Program {
    #[command(flatten)]
    run: Arguments,
}

fn main() -> ExitCode {
    thread::run(&Program::parse().run).unwrap_or_else(|failure| {
        eprintln!("tokkyu-local-thread: {failure}");
        ExitCode::FAILURE
    })
}
