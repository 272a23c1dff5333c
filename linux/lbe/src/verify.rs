//! `verify`: that what is promised happens on this machine (LBE-120), in a network namespace of its own.
//!
//! ```text
//!   background program ─┐
//!   foreground packet  ─┼─► lbe0 (set up as any device) ══ pair ══ lbe1 ─► packet socket: what left, and with what mark
//!   busy processors    ─┘
//! ```
//!
//! The namespace, the pair and the qdisc go with the thread that made them.

use std::ffi::OsString;
use std::io;
use std::net::UdpSocket;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::net::if_::if_nametoindex;
use nix::sched::{CloneFlags, CpuSet, sched_getaffinity, sched_setaffinity, unshare};
use nix::unistd::Pid;
use serde::Serialize;
use tokkyu_contract::units::BitRate;

use crate::qdisc::{BACKGROUND, Band, TrafficControl};
use crate::record::{Owner, Records};
use crate::run::{Job, start};
use crate::tune::{Tuned, Wanted, Way, tune, untune};

const NEAR: &str = "lbe0";
const FAR: &str = "lbe1";
/// Documentation addresses (RFC 5737): nothing else has them.
const NEAR_ADDRESS: &str = "192.0.2.1";
const FAR_ADDRESS: &str = "192.0.2.2";
/// Far more than is sent here.
const RATE: BitRate = BitRate(10_000_000);

/// Ports by which packets are known again. The first of a socket that is not connected is not looked at: its socket is marked
/// too late for it (LBE-91).
const FIRST: u16 = 4000;
const PLAIN: u16 = 4001;
const OWN_WISHES: u16 = 4002;
const FOREGROUND: u16 = 4003;
const HELD: u16 = 4004;

/// DSCP LE as it stands in the TOS byte.
const LE: u8 = 1 << 2;
/// A packet over the pair takes microseconds; a machine that is busy takes longer to look at it.
const PATIENCE: Duration = Duration::from_secs(5);

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What.
    pub what: &'static str,
    /// How it came out.
    pub outcome: CheckOutcome,
    /// What was seen, or why it was not looked at.
    pub seen: String,
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutcome {
    /// As promised.
    Good,
    /// Not so.
    Failed,
    /// Not looked at.
    Skipped,
}

/// Looks at everything. `sender` is a command line whose program calls [`send_packets`]; `way` as in [`Wanted`].
///
/// # Errors
/// The namespace cannot be made: the words say why, with the remedy.
pub fn verify(way: Option<Way>, sender: Vec<OsString>) -> Result<Vec<Check>, String> {
    let looked = thread::spawn(move || {
        unshare(CloneFlags::CLONE_NEWNET)
            .map_err(|error| format!("no network namespace can be made: {error}; run it as root"))?;
        make_pair()?;
        let records = Records::here();
        let checks = look(way, sender, &records);
        records.forget_all();
        Ok(checks)
    });
    looked.join().map_err(|_| "the thread that looks ended early".to_owned())?
}

fn make_pair() -> Result<(), String> {
    let lines = [
        format!(
            "link add {NEAR} address 02:6c:62:65:00:00 type veth peer name {FAR} address 02:6c:62:65:00:01"
        ),
        format!("addr add {NEAR_ADDRESS}/24 dev {NEAR}"),
        format!("link set {NEAR} up"),
        format!("link set {FAR} up"),
        format!("neigh replace {FAR_ADDRESS} lladdr 02:6c:62:65:00:01 dev {NEAR} nud permanent"),
    ];
    lines.iter().try_for_each(|line| ip(line))
}

fn ip(line: &str) -> Result<(), String> {
    let ran = Command::new("ip").args(line.split(' ')).output();
    let output = ran.map_err(|error| format!("ip: {error}; install iproute2"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("ip {line}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// What is needed for each check.
struct Bench<'a> {
    records: &'a Records,
    control: TrafficControl,
    wire: Wire,
    tuned: Tuned,
    before: Option<String>,
}

/// What was looked at, in order.
#[derive(Default)]
struct Checks(Vec<Check>);

impl Checks {
    fn note(&mut self, what: &'static str, seen: Result<String, String>) {
        let outcome = if seen.is_ok() { CheckOutcome::Good } else { CheckOutcome::Failed };
        self.0.push(Check { what, outcome, seen: seen.unwrap_or_else(|why| why) });
    }

    fn skip(&mut self, what: &'static str, why: &str) {
        self.0.push(Check { what, outcome: CheckOutcome::Skipped, seen: why.to_owned() });
    }
}

const IS_SET_UP: &str = "a device is set up";
const HOLDS: &str = "packets are held while all processors compute, and go in time";

fn look(way: Option<Way>, sender: Vec<OsString>, records: &Records) -> Vec<Check> {
    let mut checks = Checks::default();
    match set_up(way, records) {
        Err(error) => checks.note(IS_SET_UP, Err(error)),
        Ok(bench) => {
            checks.note(IS_SET_UP, Ok(format!("{NEAR}, way {}", bench.tuned.way.as_str())));
            let seen = bench.background_program(sender);
            checks.note("a program in the background is, whatever it asks for", seen);
            checks.note("a foreground packet is not", bench.foreground_packet());
            match (bench.tuned.way, busy_everywhere()) {
                (Way::Htb, _) => checks.skip(HOLDS, "the way htb does not look at tasks"),
                (Way::Module, None) => {
                    checks.skip(HOLDS, "some processors are out of reach of this process");
                }
                (Way::Module, Some(busy)) => checks.note(HOLDS, bench.held_packet(&busy)),
            }
            checks.note("everything is as before afterwards", bench.taken_back());
        }
    }
    checks.0
}

fn set_up(way: Option<Way>, records: &Records) -> Result<Bench<'_>, String> {
    let control = TrafficControl::open().map_err(|error| error.to_string())?;
    let kind = |control: &TrafficControl| -> Result<Option<String>, String> {
        Ok(control.root(NEAR).map_err(|error| error.to_string())?.map(|root| root.kind))
    };
    let before = kind(&control)?;
    let wanted = Wanted { way, rate: Some(RATE), ..Wanted::default() };
    let tuned = tune(NEAR, &wanted, Owner::Tune, records).map_err(|error| error.to_string())?;
    let wire = Wire::open().map_err(|error| format!("no packet socket: {error}; run it as root"))?;
    Ok(Bench { records, control, wire, tuned, before })
}

impl Bench<'_> {
    fn band(&self) -> Result<Band, String> {
        let found = self.control.class(NEAR, BACKGROUND).map_err(|error| error.to_string())?;
        found.ok_or_else(|| "the qdisc has no class for the background".to_owned())
    }

    fn background_program(&self, sender: Vec<OsString>) -> Result<String, String> {
        let mut words = sender.into_iter();
        let job = Job {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            user: None,
            devices: Vec::new(),
            wanted: Wanted::default(),
        };
        let before = self.band()?.packets;
        let running = start(&job, &mut |_| {}).map_err(|error| error.to_string())?;
        let ended = running.wait(&|| false, &mut |_| {}).map_err(|error| error.to_string())?;
        if ended.code != 0 {
            return Err(format!("the program that sends ended with {}", ended.code));
        }
        for (port, who) in [(PLAIN, "a socket"), (OWN_WISHES, "a socket with wishes of its own")] {
            match self.wire.mark_of(port)? {
                LE => {}
                other => {
                    return Err(format!(
                        "the packet of {who} left with TOS {other:#04x}, not {LE:#04x} (LE)"
                    ));
                }
            }
        }
        match self.band()?.packets.saturating_sub(before) {
            3 => Ok("its packets in the background band, with DSCP LE".to_owned()),
            other => Err(format!("{other} of 3 packets were in the background band")),
        }
    }

    fn foreground_packet(&self) -> Result<String, String> {
        let before = self.band()?.packets;
        send_with_priority(FOREGROUND, 0).map_err(|error| error.to_string())?;
        match (self.wire.mark_of(FOREGROUND)?, self.band()?.packets - before) {
            (0, 0) => Ok("not in the background band, no mark".to_owned()),
            (mark, packets) => Err(format!("TOS {mark:#04x}, {packets} packets in the background band")),
        }
    }

    /// A packet that a foreground task sends in the background's name is held: the task is no idle one.
    fn held_packet(&self, busy: &[usize]) -> Result<String, String> {
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            for processor in busy {
                scope.spawn(|| compute_on(*processor, &over));
            }
            let seen = self.while_busy();
            over.store(true, Ordering::Relaxed);
            seen
        })
    }

    fn while_busy(&self) -> Result<String, String> {
        let gate = || -> Result<_, String> {
            let root = self.control.root(NEAR).map_err(|error| error.to_string())?;
            root.and_then(|root| root.gate).ok_or_else(|| "the qdisc tells no statistics".to_owned())
        };
        let before = gate()?;
        if before.no_probe {
            return Err("the gate is open for want of a probe of task switches".to_owned());
        }
        let begun = Instant::now();
        send_with_priority(HELD, 1).map_err(|error| error.to_string())?;
        self.wire.mark_of(HELD)?;
        let waited = begun.elapsed();
        let after = gate()?;
        // What let it go, valve, task switch or an idle moment of some processor, is nobody's promise.
        match after.shut > before.shut {
            true => Ok(format!("held, and out after {} ms", waited.as_millis())),
            false => Err(format!("not held: out after {} µs", waited.as_micros())),
        }
    }

    fn taken_back(&self) -> Result<String, String> {
        untune(NEAR, self.records).map_err(|error| error.to_string())?;
        let after = self.control.root(NEAR).map_err(|error| error.to_string())?.map(|root| root.kind);
        let words = |kind: &Option<String>| kind.clone().unwrap_or_else(|| "none".to_owned());
        match after == self.before {
            true => Ok(format!("root qdisc: {}", words(&after))),
            false => Err(format!("root qdisc: {} in place of {}", words(&after), words(&self.before))),
        }
    }
}

/// What [`verify`]'s sender does: two packets of a socket that is not connected, and one of a connected socket that wants
/// another mark and priority then.
///
/// # Errors
/// A socket refuses.
pub fn send_packets() -> io::Result<()> {
    let plain = UdpSocket::bind((NEAR_ADDRESS, 0))?;
    [FIRST, PLAIN].into_iter().try_for_each(|port| send(&plain, port))?;
    let wishes = UdpSocket::bind((NEAR_ADDRESS, 0))?;
    wishes.connect((FAR_ADDRESS, OWN_WISHES))?;
    option(&wishes, libc::SOL_IP, libc::IP_TOS, 0x10)?;
    set_priority(&wishes, 6)?;
    wishes.send(WORDS).map(drop)
}

const WORDS: &[u8] = b"tokkyu lbe verify";

fn send(from: &UdpSocket, port: u16) -> io::Result<()> {
    from.send_to(WORDS, (FAR_ADDRESS, port)).map(drop)
}

fn send_with_priority(port: u16, priority: libc::c_int) -> io::Result<()> {
    let socket = UdpSocket::bind((NEAR_ADDRESS, 0))?;
    set_priority(&socket, priority)?;
    send(&socket, port)
}

fn set_priority(socket: &UdpSocket, priority: libc::c_int) -> io::Result<()> {
    option(socket, libc::SOL_SOCKET, libc::SO_PRIORITY, priority)
}

fn option(socket: &UdpSocket, level: libc::c_int, option: libc::c_int, value: libc::c_int) -> io::Result<()> {
    // SAFETY: `value` is as long as is said, and alive during the call.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            (&raw const value).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Numbers of all processors, if this process may run on all of them.
fn busy_everywhere() -> Option<Vec<usize>> {
    let mine = sched_getaffinity(Pid::from_raw(0)).ok()?;
    let reachable: Vec<usize> =
        (0..CpuSet::count()).filter(|number| mine.is_set(*number) == Ok(true)).collect();
    // SAFETY: a number alone.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    (usize::try_from(online) == Ok(reachable.len())).then_some(reachable)
}

fn compute_on(processor: usize, over: &AtomicBool) {
    let mut only = CpuSet::new();
    if only.set(processor).is_ok() {
        let _ = sched_setaffinity(Pid::from_raw(0), &only);
    }
    let begun = Instant::now();
    while !over.load(Ordering::Relaxed) && begun.elapsed() < PATIENCE {
        std::hint::spin_loop();
    }
}

/// A packet socket on the far end.
struct Wire {
    socket: OwnedFd,
}

impl Wire {
    fn open() -> io::Result<Wire> {
        let protocol = (libc::ETH_P_IP as u16).to_be();
        // SAFETY: numbers alone.
        let fd = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just made this descriptor for us.
        let socket = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: all zero is a valid address of no family.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as libc::c_ushort;
        address.sll_protocol = protocol;
        address.sll_ifindex = if_nametoindex(FAR)?.cast_signed();
        // SAFETY: `address` is a whole sockaddr_ll, as long as is said.
        let bound = unsafe {
            libc::bind(
                socket.as_raw_fd(),
                (&raw const address).cast(),
                size_of::<libc::sockaddr_ll>() as libc::socklen_t,
            )
        };
        if bound != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Wire { socket })
    }

    /// TOS of the next UDP packet to this port; others are passed over.
    fn mark_of(&self, port: u16) -> Result<u8, String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!(
                    "the packet to port {port} did not come within {} s",
                    PATIENCE.as_secs()
                ));
            }
            let packet = self.receive(left).map_err(|error| error.to_string())?;
            if let Some((mark, to)) = mark_and_port(&packet)
                && to == port
            {
                return Ok(mark);
            }
        }
    }

    fn receive(&self, patience: Duration) -> io::Result<Vec<u8>> {
        let mut waiting = libc::pollfd { fd: self.socket.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let milliseconds = libc::c_int::try_from(patience.as_millis() + 1).unwrap_or(libc::c_int::MAX);
        let mut bytes = vec![0; 2048];
        // SAFETY: one pollfd, as is said; and a buffer of the length that is said. Both outlive the calls.
        let received = unsafe {
            libc::poll(&mut waiting, 1, milliseconds);
            libc::recv(self.socket.as_raw_fd(), bytes.as_mut_ptr().cast(), bytes.len(), libc::MSG_DONTWAIT)
        };
        match usize::try_from(received) {
            Ok(length) => {
                bytes.truncate(length);
                Ok(bytes)
            }
            Err(_) => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::WouldBlock => Ok(Vec::new()),
                error => Err(error),
            },
        }
    }
}

/// TOS and destination port of an IPv4 packet with UDP in it.
fn mark_and_port(packet: &[u8]) -> Option<(u8, u16)> {
    let header = usize::from(packet.first()? & 0x0f) * 4;
    let is_udp = packet[0] >> 4 == 4 && i32::from(*packet.get(9)?) == libc::IPPROTO_UDP;
    let port = packet.get(header + 2..header + 4)?;
    is_udp.then(|| (packet[1], u16::from_be_bytes([port[0], port[1]])))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_packet_is_read_or_passed_over(packet: Vec<u8>) {
            let _ = mark_and_port(&packet);
        }
    }
}
