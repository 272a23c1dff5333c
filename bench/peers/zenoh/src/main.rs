//! Zenoh as a peer of the drive experiment: `tokkyu-peer-zenoh send` and `receive`.
//!
//! Follows bench/peers/SPEC.md (PEER-n) and nothing else of the project but the format of records. Two processes, one
//! Zenoh session in each, one TCP connection between them: the receiver listens, the sender dials. The main thread
//! waits for the end by the clock; cameras have threads of their own (PEER-10), samples arrive in Zenoh's.
//!
//! ```text
//! send:     camera threads ──put──▶ Zenoh ═TCP═▶ Zenoh ──callback──▶ book        :receive
//!           main: ends by the clock                    main: ends when all came, or by the clock
//! ```

mod arguments;
mod machine;
mod outcome;
mod receive;
mod sample;
mod send;
mod session;

use std::process::ExitCode;

use arguments::{Arguments, Role};
use clap::Parser;
use outcome::End;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Err(error) = arguments.check() {
        eprintln!("tokkyu-peer-zenoh: {error}");
        return ExitCode::from(2);
    }
    // Before Zenoh starts its threads, so that they inherit the scheduling class (PEER-23).
    let grants = machine::prepare(arguments.priority);
    let run = match arguments.role {
        Role::Send => send::run(&arguments, grants),
        Role::Receive => receive::run(&arguments, grants),
    };
    match run {
        // Closing the session would wait for what is unsent, and PEER-20 does not.
        Ok(End::Made) => machine::exit_at_once(0),
        Ok(End::Interrupted) => machine::exit_at_once(130),
        Err(error) => {
            eprintln!("tokkyu-peer-zenoh: {error}");
            machine::exit_at_once(1)
        }
    }
}
