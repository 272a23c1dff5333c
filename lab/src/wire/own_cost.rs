//! What the wire itself costs a packet: pings over a network that the model makes perfect.
use core::time::Duration;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokkyu_link::sim::path::{DirectionProfile, Profile};

use super::error::WireError;
use super::monotonic::monotonic_now;
use super::report::Lateness;
use super::tap_wire::{End, Wire, WireSettings};

/// Pings sent by [`measure_own_cost`].
pub const PINGS: u32 = 1_000;

/// Far enough apart that the relay rests in between: the cost on an idle wire.
const PING_GAP: Duration = Duration::from_millis(1);
const ECHO_PORT: u16 = 7;
const REPLY_WITHIN: Duration = Duration::from_secs(1);

/// The wire's own cost on an idle machine; all else it adds is the model's doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnCost {
    /// Round trip of a small UDP packet between two programs: relay twice, kernel four times, four wake-ups.
    pub round_trip: Lateness,
    /// The relay's part of it: from the end of its read to the end of its write.
    pub relay: Lateness,
}

/// Measures the wire's own cost with [`PINGS`] pings, which takes about a second.
///
/// # Errors
/// No wire; or a ping without an answer.
pub fn measure_own_cost(settings: WireSettings) -> Result<OwnCost, WireError> {
    let perfect = Profile {
        name: "perfect".to_owned(),
        up: DirectionProfile::default(),
        down: DirectionProfile::default(),
    };
    let wire = Wire::with_settings(&perfect, 0, settings)?;
    let listener = bind(&wire, End::Operator, ECHO_PORT)?;
    let done = Arc::new(AtomicBool::new(false));
    let echo_until = Arc::clone(&done);
    let echo = wire.start_in(End::Operator, move || echo(&listener, &echo_until))?;
    let socket = bind(&wire, End::Vehicle, 0)?;
    let round_trip = wire.run_in(End::Vehicle, move || ping(&socket))?;
    done.store(true, Ordering::Relaxed);
    // The echo ends by itself within its read timeout; if it panicked the pings have failed too.
    let _ = echo.join();
    let round_trip = round_trip.map_err(|source| WireError::system("ping over the idle wire", source))?;
    Ok(OwnCost { round_trip, relay: wire.stop()?.lateness })
}

fn bind(wire: &Wire, end: End, port: u16) -> Result<UdpSocket, WireError> {
    let open = move || {
        let socket = UdpSocket::bind((end.address(), port))?;
        socket.set_read_timeout(Some(REPLY_WITHIN))?;
        Ok(socket)
    };
    wire.run_in(end, open)?.map_err(|source: io::Error| WireError::system("UDP socket on the wire", source))
}

fn echo(socket: &UdpSocket, done: &AtomicBool) {
    let mut buffer = [0; 64];
    while !done.load(Ordering::Relaxed) {
        // A timeout is the occasion to look at `done`; an answer that cannot be sent shows at the pinger.
        if let Ok((length, sender)) = socket.recv_from(&mut buffer) {
            let _ = socket.send_to(&buffer[..length], sender);
        }
    }
}

fn ping(socket: &UdpSocket) -> io::Result<Lateness> {
    let echo = SocketAddr::from((End::Operator.address(), ECHO_PORT));
    let mut histogram = Lateness::histogram();
    let mut buffer = [0; 64];
    for number in 0..PINGS {
        let sent = monotonic_now();
        socket.send_to(&number.to_le_bytes(), echo)?;
        let length = socket.recv(&mut buffer)?;
        if buffer[..length] != number.to_le_bytes() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the answer to another ping"));
        }
        histogram.saturating_record(monotonic_now().since(sent).as_nanos() as u64);
        std::thread::sleep(PING_GAP);
    }
    Ok(Lateness::of(&histogram))
}
