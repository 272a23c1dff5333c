//! When samples are sent (LOCAL-12, LOCAL-21).

use crate::board::{Board, LOST_AFTER_NS};
use crate::failure::{Early, Failure};
use crate::machine::{Woken, now_ns, wait_until};

/// Two ends on one machine meet in less than a second where it works (LOCAL-21).
const MEETING_NS: u64 = 15_000_000_000;
const LOOK_EVERY_NS: u64 = 5_000_000;

/// Waits until both ends are joined.
///
/// # Errors
/// They are not in 15 s, or the run was interrupted.
pub fn meet(is_matched: impl Fn() -> bool) -> Result<(), Early> {
    let give_up_ns = now_ns() + MEETING_NS;
    while !is_matched() {
        if now_ns() > give_up_ns {
            return Err(
                Failure("the two ends have not met in 15 s (is the loopback interface up?)".into()).into()
            );
        }
        wait(now_ns() + LOOK_EVERY_NS)?;
    }
    Ok(())
}

/// The main thread's only way to wait.
///
/// # Errors
/// The run was interrupted.
pub fn wait(when_ns: u64) -> Result<(), Early> {
    match wait_until(when_ns) {
        Woken::TimeIsUp => Ok(()),
        Woken::Interrupted => Err(Early::Interrupted),
    }
}

/// Ticks are multiples of the period after the first one. One that is over already is left out.
pub fn tick_after(tick_ns: u64, period_ns: u64, now_ns: u64) -> u64 {
    tick_ns + (now_ns.saturating_sub(tick_ns) / period_ns + 1) * period_ns
}

/// Calls `publish` with each number in turn, at ticks. A tick is left out while the sample before is on its way.
///
/// # Errors
/// What `publish` says, or the run was interrupted.
pub fn publish_all(
    samples: u32,
    period_ns: u64,
    board: &Board,
    mut publish: impl FnMut(u32) -> Result<(), Failure>,
) -> Result<(), Early> {
    let mut tick_ns = now_ns() + period_ns;
    wait(tick_ns)?;
    for number in 0..samples {
        let taken_before = board.taken();
        publish(number)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::tests::arguments;

    #[test]
    fn the_next_tick_is_a_multiple_of_the_period_and_still_to_come() {
        assert_eq!(tick_after(1_000, 100, 990), 1_100);
        assert_eq!(tick_after(1_000, 100, 1_000), 1_100);
        assert_eq!(tick_after(1_000, 100, 1_100), 1_200);
        assert_eq!(tick_after(1_000, 100, 1_350), 1_400);
    }

    #[test]
    fn no_sample_is_sent_while_the_one_before_is_on_its_way() {
        let board = Board::new(&arguments("--bytes", "64").unwrap()).unwrap();
        // Another thread takes each sample, some ticks after it was sent.
        let (told, hear) = std::sync::mpsc::channel();
        let late = std::thread::scope(|scope| {
            let taker = scope.spawn(|| {
                let mut late = 0;
                for number in hear {
                    let tick_ns = board.sent_ns(number) + 1_000_000;
                    assert_eq!(wait_until(tick_ns), Woken::TimeIsUp);
                    late += u32::from(board.sent_ns((number + 1) % 5) > board.sent_ns(number));
                    board.arrived(&[], tick_ns);
                }
                late
            });
            publish_all(5, 100_000, &board, |number| {
                board.sent(number, now_ns());
                told.send(number).map_err(|error| Failure(error.to_string()))
            })
            .unwrap();
            drop(told);
            taker.join().unwrap()
        });
        assert_eq!((late, board.taken()), (0, 5));
    }
}
