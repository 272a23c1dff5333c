//! The relay: one thread that reads frames at both ends, asks the models, and writes what is due.
//!
//! Runs on its own thread, `SCHED_FIFO` if permitted, and owns both models: no lock, no allocation for a frame. It
//! blocks only in ppoll. A pass over both ends takes at most [`READ_BATCH`] reads an end and the writes that are due.
//!
//! ```text
//!             ┌───────────── frames in a flow: sleep to pass + QUANTUM (the bell ends it) ◄──────────────┐
//!             ▼                                                                                          │
//!  requests? ─► pass: read both ends until empty ─► offer to the models ─► write what is due ────────────┤
//!             ▲                                                                                          │
//!             └───── nothing, or frames after a pause: ppoll until a frame comes, one is due, or the bell ◄┘
//! ```
//!
//! Why the quantum: at 1 Gbit/s a frame comes and another is due every 12 µs, and a wake-up costs about as much as
//! moving a frame. While frames flow the relay therefore looks once in a [`QUANTUM`] and moves what has gathered, as a
//! network card with interrupt coalescing does. Frames after a pause are moved at once. A frame is never written
//! before it is due (WIRE-8).
use core::time::Duration;
use std::io;
use std::os::fd::BorrowedFd;
use std::thread::JoinHandle;

use hdrhistogram::Histogram;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use tokkyu_contract::time::MonoTime;
use tokkyu_link::sim::path::{Direction, Due, Fate, Path, Profile};

use super::error::WireError;
use super::mailbox::{Mailbox, Postman, Request, mailbox};
use super::monotonic::{monotonic_now, thread_cpu_time};
use super::pool::{FrameId, Pool};
use super::port::Port;
use super::report::{DirectionReport, Lateness, WireReport};
use super::scheduling::{Scheduling, prepare_this_thread};

/// While frames flow, the least time between two looks at the ends. A frame is then read up to this much after it was
/// sent and written up to this much after it is due. The `wire_cost` example shows what it buys: with no quantum the
/// relay needs half as much processor time again for 1 Gbit/s.
pub const QUANTUM: Duration = Duration::from_micros(25);

/// Frames closer together than this are a flow; a ping and its answer are not.
const FLOW_GAP: Duration = Duration::from_micros(100);

/// Frames read at one end before the other end and the writes get their turn.
const READ_BATCH: usize = 64;

/// The running relay, as its owner holds it.
pub(super) struct RelayHandle {
    postman: Postman,
    thread: Option<JoinHandle<WireReport>>,
    start: MonoTime,
}

/// Starts the relay between `ports[0]` (vehicle) and `ports[1]` (operator).
pub(super) fn start<P: Port + 'static>(
    ports: [P; 2],
    profile: &Profile,
    seed: u64,
    priority: Option<u8>,
) -> Result<RelayHandle, WireError> {
    let (postman, mailbox) = mailbox()?;
    let start = monotonic_now();
    let [vehicle, operator] = ports;
    let sides = [
        Side::new(vehicle, profile.path(Direction::Up, seed, start)),
        Side::new(operator, profile.path(Direction::Down, seed, start)),
    ];
    let pool = Pool::new();
    let lateness = Lateness::histogram();
    let thread = std::thread::Builder::new()
        .name("wire-relay".to_owned())
        .spawn(move || {
            let scheduling = prepare_this_thread(priority);
            Relay { sides, pool, lateness, mailbox, start, scheduling, starved: 0 }.run()
        })
        .map_err(|source| WireError::system("relay thread", source))?;
    Ok(RelayHandle { postman, thread: Some(thread), start })
}

impl RelayHandle {
    pub(super) fn start(&self) -> MonoTime {
        self.start
    }

    pub(super) fn report(&self) -> Result<WireReport, WireError> {
        self.postman.report().ok_or(WireError::ThreadGone { thread: "relay" })
    }

    /// Ends the relay and returns its last report.
    pub(super) fn stop(mut self) -> Result<WireReport, WireError> {
        self.join().unwrap_or(Err(WireError::ThreadGone { thread: "relay" }))
    }

    fn join(&mut self) -> Option<Result<WireReport, WireError>> {
        let thread = self.thread.take()?;
        self.postman.stop();
        Some(thread.join().map_err(|_| WireError::ThreadGone { thread: "relay" }))
    }
}

impl Drop for RelayHandle {
    fn drop(&mut self) {
        // A relay that panicked has said so on stderr already.
        let _ = self.join();
    }
}

/// One end, and the way from it to the other.
struct Side<P> {
    port: P,
    path: Path<FrameId>,
    ignored: u64,
    failed_writes: u64,
    failed_reads: u64,
}

impl<P> Side<P> {
    fn new(port: P, path: Path<FrameId>) -> Self {
        Side { port, path, ignored: 0, failed_writes: 0, failed_reads: 0 }
    }

    fn report(&self, failed_writes: u64) -> DirectionReport {
        let Side { ignored, failed_reads, .. } = *self;
        DirectionReport { model: self.path.counters(), ignored, failed_writes, failed_reads }
    }
}

struct Relay<P> {
    /// Vehicle, operator.
    sides: [Side<P>; 2],
    pool: Pool,
    lateness: Histogram<u64>,
    mailbox: Mailbox,
    start: MonoTime,
    scheduling: Scheduling,
    starved: u64,
}

/// What a pass found to do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Nothing,
    Frames,
    /// More frames than a batch wait at an end.
    MoreWaiting,
}

impl<P: Port> Relay<P> {
    fn run(mut self) -> WireReport {
        let mut last_found = MonoTime::ZERO;
        while self.answer_requests() {
            let woke = monotonic_now();
            let found = self.pass();
            let flowing = woke.since(last_found) < FLOW_GAP;
            match found {
                Found::MoreWaiting => {}
                Found::Frames if flowing => self.rest_until(woke + QUANTUM),
                Found::Frames | Found::Nothing => self.wait_for_work(),
            }
            if found > Found::Nothing {
                last_found = woke;
            }
        }
        self.report()
    }

    /// False: stop.
    fn answer_requests(&self) -> bool {
        while let Some(request) = self.mailbox.next() {
            match request {
                // Who asked may have gone away.
                Request::Report(reply) => drop(reply.send(self.report())),
                Request::Stop => return false,
            }
        }
        true
    }

    fn pass(&mut self) -> Found {
        let read = self.read_end(0).max(self.read_end(1));
        let written = self.write_due(0).max(self.write_due(1));
        read.max(written)
    }

    /// Reads what waits at an end and offers it to the way from there.
    fn read_end(&mut self, end: usize) -> Found {
        let mut found = Found::Nothing;
        for _ in 0..READ_BATCH {
            let Some(id) = self.pool.take() else {
                // Frames wait in the device's queue meanwhile, outside the model: counted, and the run is invalid.
                // "Frames", so that the relay rests and does not spin on a readable end.
                self.starved += 1;
                return Found::Frames;
            };
            match self.sides[end].port.receive(self.pool.buffer(id)) {
                Ok(Some(length)) => self.offer(end, id, length),
                Ok(None) => {
                    self.pool.release(id);
                    return found;
                }
                Err(_) => {
                    // poll(2) calls a failed descriptor ready for ever: rest here, too.
                    self.sides[end].failed_reads += 1;
                    self.pool.release(id);
                    return Found::Frames;
                }
            }
            found = Found::Frames;
        }
        Found::MoreWaiting
    }

    fn offer(&mut self, end: usize, id: FrameId, length: usize) {
        self.pool.set_length(id, length);
        let side = &mut self.sides[end];
        if !P::counts(self.pool.frame(id)) {
            side.ignored += 1;
            return self.pool.release(id);
        }
        match side.path.offer(monotonic_now(), length + P::ABSENT_HEADER_BYTES, id) {
            Fate::Carried { copies } => self.pool.hold(id, copies),
            Fate::Gone => self.pool.release(id),
        }
    }

    /// Writes what the way from `end` has let out by now to the other end.
    fn write_due(&mut self, end: usize) -> Found {
        let now = monotonic_now();
        let mut found = Found::Nothing;
        while let Some(due) = self.sides[end].path.take_due(now) {
            found = Found::Frames;
            let sent = self.write(1 - end, &due);
            self.sides[1 - end].failed_writes += u64::from(sent.is_err());
            self.lateness.saturating_record(monotonic_now().since(due.at).as_nanos() as u64);
            self.pool.release(due.packet);
        }
        found
    }

    fn write(&mut self, end: usize, due: &Due<FrameId>) -> io::Result<()> {
        let id = due.packet;
        let bit = due.corrupt_bit.and_then(|bit| (bit as usize).checked_sub(P::ABSENT_HEADER_BYTES * 8));
        let Some(bit) = bit else {
            return self.sides[end].port.send(self.pool.frame(id));
        };
        self.pool.flip(id, bit);
        let sent = self.sides[end].port.send(self.pool.frame(id));
        // A duplicate shares the buffer and flips the bit itself.
        self.pool.flip(id, bit);
        sent
    }

    fn rest_until(&self, until: MonoTime) {
        self.sleep(&[], until.since(monotonic_now()));
    }

    fn wait_for_work(&self) {
        let next = self.sides.iter().filter_map(|side| side.path.next_due()).min();
        // A model that stands still says "never": look again in an hour.
        let timeout = next.unwrap_or(MonoTime::MAX).since(monotonic_now()).min(Duration::from_secs(3_600));
        self.sleep(&[self.sides[0].port.fd(), self.sides[1].port.fd()], timeout);
    }

    /// Sleeps until `timeout`, the bell, or a frame at one of `ends`.
    fn sleep(&self, ends: &[BorrowedFd<'_>], timeout: Duration) {
        let bell = self.mailbox.fd();
        let fd = |index: usize| PollFd::new(*ends.get(index).unwrap_or(&bell), PollFlags::POLLIN);
        let mut polled = [PollFd::new(bell, PollFlags::POLLIN), fd(0), fd(1)];
        // EINTR is a wake-up like any other: the next pass finds what there is.
        let woken = ppoll(&mut polled[..1 + ends.len()], Some(TimeSpec::from_duration(timeout)), None);
        let rung = polled[0].revents().is_some_and(|events| events.contains(PollFlags::POLLIN));
        if woken.is_ok() && rung {
            self.mailbox.silence();
        }
    }

    fn report(&self) -> WireReport {
        WireReport {
            up: self.sides[0].report(self.sides[1].failed_writes),
            down: self.sides[1].report(self.sides[0].failed_writes),
            lateness: Lateness::of(&self.lateness),
            elapsed: monotonic_now().since(self.start),
            relay_cpu: Duration::from_nanos(thread_cpu_time().as_nanos()),
            scheduling: self.scheduling.clone(),
            starved: self.starved,
            device_dropped: 0,
        }
    }
}
