//! `tokkyu`, the one command: reads the command line and hands over. What a command does stands in `command/`.

mod command;
mod exit;
mod live;
mod machine;
mod output;
mod signals;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = command::Arguments::parse();
    // Before any thread is started: a process with threads cannot enter a user namespace.
    arguments.prepare();
    match signals::install().and_then(|stop| arguments.run(&stop)) {
        Ok(code) => code.into(),
        Err(failure) => {
            output::say(&format!("tokkyu: {}", failure.message.trim_end()));
            failure.code.into()
        }
    }
}
