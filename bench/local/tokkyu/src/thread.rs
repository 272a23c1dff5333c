//! `tokkyu-local-thread`: publisher and subscription of one node in one process, two threads.

use std::process::ExitCode;
use std::sync::Arc;

use crate::apart::Apart;
use crate::arguments::Arguments;
use crate::board::Board;
use crate::ends::{self, Receiver, Sender};
use crate::failure::{Early, Failure, apart_failed};
use crate::machine::{self, now_ns};
use crate::results::{self, Description, Output, RecordsFile};
use crate::{master, pacing, payload};

const THREAD: Description = Description {
    peer: "tokkyu-thread",
    copies: 0,
    processes: 1,
    library: "tokkyu",
    version: env!("CARGO_PKG_VERSION"),
};

/// The whole run; its exit code (LOCAL-4).
///
/// # Errors
/// The run could not be made.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let output = Output::take()?;
    machine::begin()?;
    let records = RecordsFile::create(&arguments.records)?;
    let board = Board::new(arguments);
    let board = Arc::new(board.map_err(|error| Failure(format!("no memory: {error} (lower --samples)")))?);
    let master = master_of(arguments)?;
    machine::ask_scheduling(arguments.priority)?;
    let interrupted = match measure(arguments, &master, &board) {
        Ok(()) => false,
        Err(Early::Interrupted) => true,
        Err(Early::Failed(failure)) => return Err(failure),
    };
    records.write(&results::lines(&board, arguments))?;
    output.print(&results::summary(&THREAD, &board, arguments))?;
    Ok(ExitCode::from(if interrupted { 130 } else { 0 }))
}

/// The one that is given, or a small one here. Made before the scheduling class is asked for: it is no part of the path.
///
/// # Errors
/// The system refuses.
pub fn master_of(arguments: &Arguments) -> Result<String, Failure> {
    match &arguments.master_uri {
        Some(uri) => Ok(uri.clone()),
        None => master::start().map_err(|error| Failure(format!("no master in this process: {error}"))),
    }
}

/// The receiver is made first and ends first: then nothing writes to the board.
fn measure(arguments: &Arguments, master: &str, board: &Arc<Board>) -> Result<(), Early> {
    let node = ends::node("tokkyu_local", master)?;
    let told = board.clone();
    let take = move |bytes: &[u8]| {
        let at_ns = now_ns();
        told.arrived(bytes, at_ns);
    };
    let receiver = Receiver::open(node.clone(), take)?;
    let mut sender = Sender::open_for_one(&node, arguments.bytes as usize)?;
    pacing::meet(|| receiver.is_matched() && sender.is_matched())?;
    let _apart = Apart::publishing().map_err(apart_failed)?;
    pacing::publish_all(arguments.all_samples(), arguments.period_us * 1_000, board, |number| {
        publish(&mut sender, board, number)
    })
}

fn publish(sender: &mut Sender, board: &Board, number: u32) -> Result<(), Failure> {
    let bytes = sender.loan()?;
    payload::fill(bytes, number);
    let at_ns = now_ns();
    payload::stamp(bytes, at_ns);
    board.sent(number, at_ns);
    sender.publish()?;
    board.returned(number, now_ns());
    Ok(())
}
