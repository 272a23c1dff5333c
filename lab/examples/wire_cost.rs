//! What the wire costs on this machine: `cargo run --release -p tokkyu-lab --example wire_cost [seconds]`.
//!
//! Question: does the relay carry 1 Gbit/s in one direction, with how much of a core, and how late is it? Preconditions:
//! real-time priority for the relay, an otherwise idle machine. The run is invalid if the report names a flaw.
use std::net::UdpSocket;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokkyu_lab::wire::{
    End, Lateness, Wire, WireError, WireSettings, enter_user_namespace_if_needed, measure_own_cost,
    monotonic_now,
};
use tokkyu_link::sim::path::Profile;

/// Payload of a full frame: 1472 + 8 + 20 + 14 = 1514 B, 1538 B on the wire.
const PAYLOAD_BYTES: usize = 1_472;
/// 20 frames in 256 µs are 961 Mbit/s on the wire. The link under test sends in such batches, too.
const BATCH: u32 = 20;
const BATCH_EVERY: Duration = Duration::from_micros(256);
const PORT: u16 = 5_000;

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), Box<dyn std::error::Error>> {
    enter_user_namespace_if_needed()?;
    let seconds = std::env::args().nth(1).map_or(Ok(2), |text| text.parse())?;
    let idle = measure_own_cost(WireSettings::default())?;
    print("idle: round trip of a ping", idle.round_trip);
    print("idle: relay", idle.relay);
    blast(Duration::from_secs(seconds))?;
    Ok(())
}

fn print(what: &str, Lateness { frames, p50_ns, p99_ns, worst_ns, .. }: Lateness) {
    println!("{what}: p50 {p50_ns} ns, p99 {p99_ns} ns, worst {worst_ns} ns, n {frames}");
}

fn blast(span: Duration) -> Result<(), WireError> {
    let profile = Profile::named("lan")?;
    let wire = Wire::new(&profile, 1)?;
    println!("{wire}");
    let done = Arc::new(AtomicBool::new(false));
    let receive_until = Arc::clone(&done);
    let receiver = wire.start_in(End::Operator, move || receive(&receive_until))?;
    let before = wire.counters()?;
    let sent = wire.run_in(End::Vehicle, move || send(span))?.map_err(failed)?;
    let after = wire.counters()?;
    std::thread::sleep(Duration::from_millis(100));
    done.store(true, Ordering::Relaxed);
    let received =
        receiver.join().map_err(|_| WireError::ThreadGone { thread: "receiver" })?.map_err(failed)?;
    let elapsed = (after.elapsed - before.elapsed).as_secs_f64();
    let cpu = (after.relay_cpu - before.relay_cpu).as_secs_f64();
    let frames = (after.up.model.delivered - before.up.model.delivered) as f64;
    println!("sent {sent}, received {received}, {:.0} frames/s", frames / elapsed);
    println!("relay: {:.1} % of a core, {:.0} ns a frame", cpu / elapsed * 1e2, cpu / frames * 1e9);
    print!("{}", wire.stop()?);
    Ok(())
}

fn failed(source: std::io::Error) -> WireError {
    WireError::System { what: "UDP on the wire".to_owned(), source }
}

fn send(span: Duration) -> std::io::Result<u64> {
    let socket = UdpSocket::bind((End::Vehicle.address(), 0))?;
    socket.connect((End::Operator.address(), PORT))?;
    let payload = [7; PAYLOAD_BYTES];
    let start = monotonic_now();
    let mut sent = 0;
    let mut next = start;
    while next.since(start) < span {
        for _ in 0..BATCH {
            socket.send(&payload)?;
            sent += 1;
        }
        next += BATCH_EVERY;
        std::thread::sleep(next.since(monotonic_now()));
    }
    Ok(sent)
}

fn receive(done: &AtomicBool) -> std::io::Result<u64> {
    let socket = UdpSocket::bind((End::Operator.address(), PORT))?;
    socket.set_read_timeout(Some(Duration::from_millis(50)))?;
    let mut buffer = [0; 2_048];
    let mut received = 0;
    while !done.load(Ordering::Relaxed) {
        received += u64::from(socket.recv(&mut buffer).is_ok());
    }
    Ok(received)
}
