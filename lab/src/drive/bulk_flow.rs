//! One bulk TCP flow from the vehicle's namespace to the operator's: as much as the path gives, for a span of time.
//!
//! Two threads, one at each end, at ordinary priority. What bounds their time: the schedule's end, or a stop before it;
//! no system call waits longer than [`LOOK_EVERY`] but the connection's ([`CONNECT_WITHIN`]). Invariants: bytes count in
//! the slot in which they were read, and nowhere if that was outside the interval; both sockets are reset when they are
//! closed, so that none lingers in a namespace whose network is gone and keeps it there (WIRE-2).
//!
//! ```text
//!  connect ──────► send_from ─────► measure_from ═════ bytes count ═════ until
//!  (handshake)     (slow start)                                          both sockets reset
//! ```

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

use nix::sys::socket::{setsockopt, sockopt};
use tokkyu_contract::MonoTime;
use tokkyu_measure::competition::{slot_of, slots_of};

use crate::wire::{End, Wire, monotonic_now};

use super::algorithm::Algorithm;
use super::error::DriveError;

/// Between two looks whether the flow is to end.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A lost SYN is sent again after 1 s, then 2 s.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// What is handed to the kernel, and taken from it, at a time.
const BLOCK_BYTES: usize = 128 * 1024;

/// When a flow does what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Schedule {
    /// The first byte is sent.
    pub(super) send_from: MonoTime,
    /// Bytes count from here on.
    pub(super) measure_from: MonoTime,
    /// The end of both.
    pub(super) until: MonoTime,
}

/// A flow under way.
pub(super) struct BulkFlow {
    algorithm: Algorithm,
    sender: Option<JoinHandle<io::Result<()>>>,
    receiver: JoinHandle<(Meter, io::Result<()>)>,
}

/// What a flow carried.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    pub(super) algorithm: Algorithm,
    /// Bytes in each slot of the interval.
    pub(super) slots: Vec<u64>,
    /// Why it ended before its time, if it did.
    pub(super) failure: Option<String>,
}

impl BulkFlow {
    /// Starts a flow to `port`; it connects at once and sends by its schedule. `stop` ends it before.
    pub(super) fn start(
        wire: &Wire,
        algorithm: &Algorithm,
        port: u16,
        schedule: Schedule,
        stop: &Arc<AtomicBool>,
    ) -> Result<BulkFlow, DriveError> {
        let address = SocketAddr::from((End::Operator.address(), port));
        let listener = wire.run_in(End::Operator, move || TcpListener::bind(address))?;
        let listener =
            listener.map_err(|source| DriveError::Flow { algorithm: algorithm.clone(), source })?;
        let life = Life { schedule, stop: Arc::clone(stop) };
        let receiving = life.clone();
        let receiver = wire.start_in(End::Operator, move || receive(&listener, &receiving))?;
        let flow = BulkFlow { algorithm: algorithm.clone(), sender: None, receiver };
        let algorithm = algorithm.clone();
        match wire.start_in(End::Vehicle, move || send(address, &algorithm, &life)) {
            Ok(sender) => Ok(BulkFlow { sender: Some(sender), ..flow }),
            Err(error) => {
                stop.store(true, Ordering::Relaxed);
                flow.join();
                Err(error.into())
            }
        }
    }

    /// Waits for both ends, which are over or told to stop.
    pub(super) fn join(self) -> Carried {
        let gone = || io::Error::other("its thread has ended; its message is on stderr");
        let sent = self.sender.map_or(Ok(()), |sender| sender.join().unwrap_or_else(|_| Err(gone())));
        let (meter, received) = self.receiver.join().unwrap_or_else(|_| (Meter::default(), Err(gone())));
        // When one end fails the other sees a closed connection: the cause is told, not the effect.
        let failure = sent.and(received).err().map(|error| error.to_string());
        Carried { algorithm: self.algorithm, slots: meter.slots, failure }
    }
}

/// How long an end goes on.
#[derive(Clone)]
struct Life {
    schedule: Schedule,
    stop: Arc<AtomicBool>,
}

impl Life {
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || monotonic_now() >= self.schedule.until
    }

    /// Waits for `at` or the end, whichever comes first.
    fn wait_until(&self, at: MonoTime) {
        while !self.is_over() && monotonic_now() < at {
            sleep(at.since(monotonic_now()).min(LOOK_EVERY));
        }
    }

    /// A step of a flow that is over may fail as it likes: the other end may have gone first.
    fn go_on(&self, step: io::Result<usize>) -> io::Result<Option<usize>> {
        match step {
            _ if self.is_over() => Ok(None),
            Ok(0) => Err(io::Error::new(ErrorKind::UnexpectedEof, "the connection was closed")),
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_pause(&error) => Ok(Some(0)),
            Err(error) => Err(error),
        }
    }
}

/// Nothing to do for the moment.
fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn send(address: SocketAddr, algorithm: &Algorithm, life: &Life) -> io::Result<()> {
    let mut stream = TcpStream::connect_timeout(&address, CONNECT_WITHIN)?;
    algorithm.apply(&stream)?;
    bound(&stream)?;
    life.wait_until(life.schedule.send_from);
    algorithm.confirm(&stream)?;
    let block = vec![0; BLOCK_BYTES];
    while life.go_on(stream.write(&block))?.is_some() {}
    Ok(())
}

fn receive(listener: &TcpListener, life: &Life) -> (Meter, io::Result<()>) {
    let mut meter = Meter::new(life.schedule);
    let result = count(listener, life, &mut meter);
    (meter, result)
}

fn count(listener: &TcpListener, life: &Life, meter: &mut Meter) -> io::Result<()> {
    let Some(mut stream) = accept(listener, life)? else { return Ok(()) };
    bound(&stream)?;
    let mut block = vec![0; BLOCK_BYTES];
    while let Some(bytes) = life.go_on(stream.read(&mut block))? {
        meter.add(monotonic_now(), bytes as u64);
    }
    Ok(())
}

fn accept(listener: &TcpListener, life: &Life) -> io::Result<Option<TcpStream>> {
    listener.set_nonblocking(true)?;
    while !life.is_over() {
        match listener.accept() {
            Ok((stream, _)) => return Ok(Some(stream)),
            Err(error) if is_pause(&error) => sleep(LOOK_EVERY),
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// No call waits longer than [`LOOK_EVERY`], and closing resets the connection.
fn bound(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(LOOK_EVERY))?;
    stream.set_write_timeout(Some(LOOK_EVERY))?;
    Ok(setsockopt(stream, sockopt::Linger, &libc::linger { l_onoff: 1, l_linger: 0 })?)
}

/// Bytes in each slot of the interval.
#[derive(Debug, Default)]
struct Meter {
    from: MonoTime,
    slots: Vec<u64>,
}

impl Meter {
    fn new(schedule: Schedule) -> Meter {
        let span = schedule.until.since(schedule.measure_from);
        Meter { from: schedule.measure_from, slots: vec![0; slots_of(span)] }
    }

    /// Bytes that were read at `at`. Before and after the interval they are nobody's.
    fn add(&mut self, at: MonoTime, bytes: u64) {
        if at < self.from {
            return;
        }
        if let Some(slot) = self.slots.get_mut(slot_of(at.since(self.from))) {
            *slot += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(millis: [u64; 3]) -> Schedule {
        let [send_from, measure_from, until] = millis.map(MonoTime::from_millis);
        Schedule { send_from, measure_from, until }
    }

    #[test]
    fn bytes_count_in_the_slot_they_were_read_in_and_only_within_the_interval() {
        let mut meter = Meter::new(schedule([1_000, 2_000, 2_250]));
        for (millis, bytes) in [(1_999, 1), (2_000, 2), (2_099, 4), (2_100, 8), (2_249, 16), (2_300, 32)] {
            meter.add(MonoTime::from_millis(millis), bytes);
        }
        assert_eq!(meter.slots, [6, 8, 16]);
    }

    fn life(until: MonoTime, stopped: bool) -> Life {
        let schedule = Schedule { send_from: MonoTime::ZERO, measure_from: MonoTime::ZERO, until };
        Life { schedule, stop: Arc::new(AtomicBool::new(stopped)) }
    }

    #[test]
    fn a_broken_connection_is_a_failure_before_the_end_and_none_after_it() {
        let broken = || Err(io::Error::from(ErrorKind::ConnectionReset));
        let running = life(MonoTime::MAX, false);
        assert_eq!(running.go_on(broken()).unwrap_err().kind(), ErrorKind::ConnectionReset);
        assert_eq!(running.go_on(Ok(0)).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert_eq!(running.go_on(Err(ErrorKind::WouldBlock.into())).unwrap(), Some(0), "a pause");
        assert_eq!(running.go_on(Ok(7)).unwrap(), Some(7));
        for over in [life(MonoTime::ZERO, false), life(MonoTime::MAX, true)] {
            assert_eq!(over.go_on(broken()).unwrap(), None);
            over.wait_until(MonoTime::MAX);
        }
    }
}
