//! iceoryx2 as a peer of the local experiment: `tokkyu-local-iceoryx2`.
//!
//! Follows bench/local/SPEC.md (LOCAL-n), as the programs in C++ beside it do. Two processes: the first publishes, the
//! second, made by `fork` before iceoryx2 is called, waits for the event and takes the sample.
//!
//! ```text
//! arguments ─▶ board ─▶ fork ─▶ ports ─▶ matched ─▶ tick, fill, stamp, publish … ─▶ end of the child ─▶ records
//!                         └───▶ ports ─▶ wait, take, stamp, check …
//! ```

#[path = "../../apart.rs"]
mod apart;
mod arguments;
mod board;
mod child;
mod machine;
mod payload;
mod ports;
mod results;

use std::fmt::{self, Display};
use std::process::ExitCode;
use std::{io, process, thread, time};

use apart::Apart;
use arguments::Arguments;
use board::{Board, LOST_AFTER_NS};
use child::Child;
use clap::Parser;
use machine::{Woken, now_ns, wait_until};
use ports::{Place, Receiver, Sender};
use results::RecordsFile;

/// Discovery of two ends on one machine takes less than a second where it works (LOCAL-21).
const MEETING_NS: u64 = 15_000_000_000;
const LOOK_EVERY_NS: u64 = 5_000_000;

/// Why a run could not be made: one line for standard error, with the remedy.
#[derive(Debug)]
pub struct Failure(pub String);

impl Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// How a run ended before its last sample.
enum Early {
    Interrupted,
    Failed(Failure),
}

impl From<Failure> for Early {
    fn from(failure: Failure) -> Early {
        Early::Failed(failure)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("tokkyu-local-iceoryx2: {failure}");
            ExitCode::from(1)
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    machine::prepare_signals().map_err(|error| Failure(format!("signals: {error}")))?;
    let records = RecordsFile::new(&arguments.records).map_err(|error| {
        Failure(format!(
            "--records {}: {error} (give a file that is not there yet)",
            arguments.records.display()
        ))
    })?;
    let board =
        Board::new(arguments).map_err(|error| Failure(format!("no memory: {error} (lower --samples)")))?;
    ask_scheduling(arguments)?;
    let place = Place::new(process::id());
    let measured = measure(arguments, &board, &place);
    place.remove_rests();
    let code = match measured {
        Ok(()) => 0,
        Err(Early::Interrupted) => 130,
        Err(Early::Failed(failure)) => return Err(failure),
    };
    records
        .write(&board, arguments)
        .map_err(|error| Failure(format!("--records could not be written: {error}")))?;
    println!("{}", results::summary(&board, arguments));
    Ok(ExitCode::from(code))
}

fn ask_scheduling(arguments: &Arguments) -> Result<(), Failure> {
    machine::ask_scheduling(arguments.priority).map_err(|error| {
        let priority = arguments.priority;
        Failure(format!(
            "--priority {priority}: SCHED_FIFO: {error} (run as root, raise RLIMIT_RTPRIO, or give 0)"
        ))
    })
}

fn apart_failed(error: io::Error) -> Failure {
    Failure(format!("processors of the run's threads: {error}"))
}

/// The sender goes before the receiver does, which is to find nothing of it left.
fn measure(arguments: &Arguments, board: &Board, place: &Place) -> Result<(), Early> {
    let mut child = Child::start(|| receive(arguments, board, place))
        .map_err(|error| Failure(format!("a second process could not be made: {error}")))?;
    let published = publish(arguments, board, place);
    if !child.end() && !matches!(published, Err(Early::Failed(_))) {
        return Err(Failure("the receiving process did not end in order".into()).into());
    }
    published
}

/// The second process.
fn receive(arguments: &Arguments, board: &Board, place: &Place) -> Result<(), Failure> {
    ask_scheduling(arguments)?;
    let receiver = Receiver::new(place)?;
    while !receiver.is_matched()? {
        if machine::is_told_to_end() {
            return Ok(());
        }
        thread::sleep(time::Duration::from_nanos(LOOK_EVERY_NS));
    }
    machine::let_end_signal_in().map_err(|error| Failure(format!("signals: {error}")))?;
    let _apart = Apart::receiving().map_err(apart_failed)?;
    board.tell_receiver_is_ready();
    receiver.receive(board)
}

fn publish(arguments: &Arguments, board: &Board, place: &Place) -> Result<(), Early> {
    let sender = Sender::new(place, arguments.bytes as usize)?;
    meet(&sender, board)?;
    let _apart = Apart::publishing().map_err(apart_failed)?;
    let period_ns = arguments.period_us * 1_000;
    let mut tick_ns = now_ns() + period_ns;
    wait(tick_ns)?;
    for number in 0..arguments.all_samples() {
        let taken_before = board.taken();
        sender.publish(number, board)?;
        // A tick is left out while the sample is on its way: no queue ever holds two.
        loop {
            tick_ns = tick_after(tick_ns, period_ns, now_ns());
            wait(tick_ns)?;
            if board.taken() != taken_before || now_ns() >= board.sent_ns(number) + LOST_AFTER_NS {
                break;
            }
        }
    }
    Ok(())
}

fn meet(sender: &Sender, board: &Board) -> Result<(), Early> {
    let give_up_ns = now_ns() + MEETING_NS;
    while !board.is_receiver_ready() || !sender.is_matched()? {
        if now_ns() > give_up_ns {
            return Err(Failure(
                "the two ends have not met in 15 s (are /tmp and /dev/shm writable?)".into(),
            )
            .into());
        }
        wait(now_ns() + LOOK_EVERY_NS)?;
    }
    Ok(())
}

/// The first process's only way to wait.
fn wait(when_ns: u64) -> Result<(), Early> {
    match wait_until(when_ns) {
        Woken::TimeIsUp => Ok(()),
        Woken::Interrupted => Err(Early::Interrupted),
        Woken::ChildEnded => Err(Failure("the receiving process ended before the run did".into()).into()),
    }
}

/// Ticks are multiples of the period after the first one. One that is over already is left out.
fn tick_after(tick_ns: u64, period_ns: u64, now_ns: u64) -> u64 {
    tick_ns + (now_ns.saturating_sub(tick_ns) / period_ns + 1) * period_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_tick_is_a_multiple_of_the_period_and_still_to_come() {
        assert_eq!(tick_after(1_000, 100, 990), 1_100);
        assert_eq!(tick_after(1_000, 100, 1_000), 1_100);
        assert_eq!(tick_after(1_000, 100, 1_100), 1_200);
        assert_eq!(tick_after(1_000, 100, 1_350), 1_400);
    }
}
