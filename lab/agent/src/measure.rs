//! The foreground: what a user of the machine would do, timed, with what the board did meanwhile.

use std::hint::black_box;
use std::net::UdpSocket;
use std::thread::sleep;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use tokkyu_agent::plan::{Compute, React, Transfer};
use tokkyu_agent::report::{Line, Round};

use crate::{http, wire};

/// The clock of the wire's records too.
fn now_ns() -> Result<u64, String> {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).map_err(|error| format!("clock: {error}"))?;
    Ok(now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64)
}

/// Does something once, and tells how long it took and what the board did meanwhile.
fn timed(name: &str, round: u32, work: impl FnOnce() -> Result<(), String>) -> Result<Round, String> {
    wire::reset()?;
    let begin_ns = now_ns()?;
    work()?;
    let end_ns = now_ns()?;
    let meter = wire::meter()?;
    let (background, foreground) = wire::count(&wire::records()?, begin_ns, end_ns);
    Ok(Round {
        name: name.to_owned(),
        round,
        duration_ns: end_ns - begin_ns,
        looked_ns: end_ns - begin_ns,
        busy_ns: meter.busy_ns,
        switches: meter.switches,
        interrupts: meter.interrupts,
        background,
        foreground,
    })
}

/// Pauses of `ms` to twice `ms`: a request that always met the background at one phase would measure that phase.
struct Pauses {
    ms: u64,
    random: Pcg64Mcg,
}

impl Pauses {
    fn new(ms: u64, seed: u64) -> Self {
        Pauses { ms, random: Pcg64Mcg::seed_from_u64(seed) }
    }

    fn pause(&mut self) {
        let span_us = (self.ms * 1000).max(1);
        sleep(Duration::from_micros(self.ms * 1000 + self.random.next_u64() % span_us));
    }
}

pub fn transfer(transfer: &Transfer, say: fn(&Line)) -> Result<(), String> {
    let mut pauses = Pauses::new(transfer.pause_ms, transfer.seed);
    for round in 0..transfer.repeats {
        pauses.pause();
        let request = || http::request(&transfer.server, transfer.direction, transfer.bytes);
        say(&Line::Round(timed(&transfer.name, round, request)?));
    }
    Ok(())
}

pub fn compute(compute: &Compute, say: fn(&Line)) -> Result<(), String> {
    for round in 0..compute.repeats {
        sleep(Duration::from_millis(compute.pause_ms));
        let work = || {
            for number in 0..compute.rounds {
                black_box(number);
            }
            Ok(())
        };
        say(&Line::Round(timed(&compute.name, round, work)?));
    }
    Ok(())
}

pub fn idle(name: &str, ms: u64, say: fn(&Line)) -> Result<(), String> {
    let work = || {
        sleep(Duration::from_millis(ms));
        Ok(())
    };
    say(&Line::Round(timed(name, 0, work)?));
    Ok(())
}

/// How long a packet may take to the wire; behind a queue of many seconds it is a result, not a failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// One packet of the foreground at a time: from before `send` to its first bit on the wire.
pub fn react(react: &React, say: fn(&Line)) -> Result<(), String> {
    let socket = UdpSocket::bind("0.0.0.0:0").map_err(|error| format!("{}: {error}", react.to))?;
    let mut pauses = Pauses::new(react.pause_ms, react.seed);
    for round in 0..react.packets {
        pauses.pause();
        let (mut begin_ns, mut waited_ns) = (0, 0);
        let measured = timed(&react.name, round, || {
            begin_ns = now_ns()?;
            // Not connected: that nobody listens at the far end is told to nobody.
            socket.send_to(&[0; 100], &react.to).map_err(|error| format!("{}: {error}", react.to))?;
            waited_ns = until_on_the_wire(begin_ns)?;
            Ok(())
        })?;
        say(&Line::Round(Round { duration_ns: waited_ns, ..measured }));
    }
    Ok(())
}

fn until_on_the_wire(begin_ns: u64) -> Result<u64, String> {
    loop {
        sleep(Duration::from_millis(50));
        let left = wire::records()?
            .into_iter()
            .find(|record| !record.is_background() && record.start_ns >= begin_ns);
        if let Some(record) = left {
            return Ok(record.start_ns - begin_ns);
        }
        if now_ns()? - begin_ns > PATIENCE.as_nanos() as u64 {
            return Err(format!("a packet was not on the wire after {} s", PATIENCE.as_secs()));
        }
    }
}
