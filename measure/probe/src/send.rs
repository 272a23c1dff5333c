//! `send`: a series by the clock (PRB-20, PRB-21).

use std::io::IoSlice;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;

use clap::ValueEnum;
use nix::errno::Errno;
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg, setsockopt, sockopt};

use crate::clock::{Ns, now, sleep_until, tai_ahead};
use crate::datagram::{Datagram, Kind};
use crate::error::{ProbeError, failed};
use crate::figures::Figures;
use crate::line::{Departed, Line, Ready, Sent, say};
use crate::packet::PacketSocket;
use crate::realtime::{self, Wanted};
use crate::series::{Edges, keep, worst};
use crate::socket::{connect, set_priority};
use crate::stamp::{Departures, Source};

/// Time between `ready` and the first sample.
const LEAD_NS: Ns = 20_000_000;

/// How frames get to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// A UDP socket.
    Udp,
    /// A packet socket.
    Packet,
    /// A packet socket, past the queueing discipline.
    Bypass,
}

/// What is to be sent.
#[derive(Clone, Debug)]
pub struct Job {
    pub to: SocketAddr,
    pub session: u64,
    pub series: Edges,
    pub period_ns: Ns,
    pub frame_bytes: usize,
    pub by: By,
    pub skb_priority: Option<i32>,
    /// How long before it is due the kernel gets a frame.
    pub txtime_lead_ns: Option<Ns>,
    pub hardware: bool,
    pub wanted: Wanted,
    pub raw: Option<PathBuf>,
}

/// Times of one frame; 0: unknown.
#[derive(Clone, Copy, Default)]
struct Sample {
    due_ns: Ns,
    woken_ns: Ns,
    returned_ns: Ns,
    driver_ns: Ns,
    port_ns: Ns,
}

pub fn run(job: &Job) -> Result<(), ProbeError> {
    let mut way = Way::open(job)?;
    let mut samples = vec![Sample::default(); job.series.count as usize];
    let mut refused = Vec::with_capacity(8);
    let held = realtime::enter(job.wanted)?;
    let stamps = if job.hardware { Source::Hardware } else { Source::Kernel };
    say(&Line::Ready(Ready { reached: held.reached.clone(), stamps, at: None })).map_err(failed("output"))?;
    send_all(job, &mut way, &mut samples, &mut refused)?;
    drop(held);
    keep(job.raw.as_deref(), "sequence,due_ns,woken_ns,returned_ns,driver_ns,port_ns", rows(&samples))?;
    say(&Line::Sent(told(job, &samples, &refused, way.departures.stepped()))).map_err(failed("output"))
}

fn send_all(
    job: &Job,
    way: &mut Way,
    samples: &mut [Sample],
    refused: &mut Vec<(Errno, u32)>,
) -> Result<(), ProbeError> {
    let lead = job.txtime_lead_ns.unwrap_or(0);
    // A whole period of the clock: two runs that are to be compared begin alike.
    let first = (now() + LEAD_NS + lead) / job.period_ns * job.period_ns + job.period_ns;
    for sequence in 0..job.series.count {
        let due_ns = first + i64::from(sequence) * job.period_ns;
        sleep_until(due_ns - lead).map_err(failed("clock_nanosleep"))?;
        let woken_ns = now();
        let outcome = way.send(sequence, due_ns);
        let returned_ns = now();
        samples[sequence as usize] =
            Sample { due_ns: due_ns - lead, woken_ns, returned_ns, ..Sample::default() };
        if let Err(error) = outcome {
            count(refused, error);
        }
        way.note_departures(samples);
    }
    // The last ones are still on their way.
    sleep_until(now() + LEAD_NS + lead).map_err(failed("clock_nanosleep"))?;
    way.note_departures(samples);
    Ok(())
}

fn count(refused: &mut Vec<(Errno, u32)>, error: Errno) {
    match refused.iter_mut().find(|(known, _)| *known == error) {
        Some((_, times)) => *times += 1,
        None => refused.push((error, 1)),
    }
}

/// The socket, and the frame that is sent through it again and again.
struct Way {
    udp: UdpSocket,
    packet: Option<PacketSocket>,
    departures: Departures,
    session: u64,
    /// Headers, where we write them, and payload.
    frame: Vec<u8>,
    payload_at: usize,
    txtime_tai_ahead: Option<Ns>,
    /// Number of each frame that the kernel took: it counts those alone.
    taken: Vec<u32>,
}

impl Way {
    fn open(job: &Job) -> Result<Way, ProbeError> {
        let (udp, payload) = connect(job.to, job.frame_bytes)?;
        // Nobody's session: makes the neighbour known, and is ignored.
        udp.send(&[0]).map_err(failed(job.to.to_string()))?;
        let packet = match job.by {
            By::Udp => None,
            By::Packet | By::Bypass => {
                sleep_until(now() + LEAD_NS).map_err(failed("clock_nanosleep"))?;
                Some(PacketSocket::like(&udp, payload, job.by == By::Bypass)?)
            }
        };
        let mut frame = packet.as_ref().map_or_else(Vec::new, |packet| packet.headers.to_vec());
        let payload_at = frame.len();
        frame.resize(payload_at + payload, 0);
        let departures = match &packet {
            Some(packet) => set_up(packet.socket(), job)?,
            None => set_up(&udp, job)?,
        };
        let txtime_tai_ahead = job.txtime_lead_ns.map(|_| tai_ahead());
        let taken = Vec::with_capacity(job.series.count as usize);
        Ok(Way { udp, packet, departures, session: job.session, frame, payload_at, txtime_tai_ahead, taken })
    }

    fn send(&mut self, sequence: u32, due_ns: Ns) -> Result<(), Errno> {
        let datagram = Datagram { session: self.session, sequence, kind: Kind::Periodic, residence_ns: 0 };
        datagram.write(&mut self.frame[self.payload_at..]);
        let sent = match (&self.packet, self.txtime_tai_ahead) {
            (packet, Some(ahead)) => {
                let socket =
                    packet.as_ref().map_or(self.udp.as_raw_fd(), |packet| packet.socket().as_raw_fd());
                let at = (due_ns + ahead) as u64;
                sendmsg::<()>(
                    socket,
                    &[IoSlice::new(&self.frame)],
                    &[ControlMessage::TxTime(&at)],
                    MsgFlags::empty(),
                    None,
                )
            }
            (Some(packet), None) => packet.send(&self.frame),
            (None, None) => nix::sys::socket::send(self.udp.as_raw_fd(), &self.frame, MsgFlags::empty()),
        };
        match sent {
            Ok(_) => {
                self.taken.push(sequence);
                Ok(())
            }
            // What an earlier one came back with; this one was not sent.
            Err(error) => Err(error),
        }
    }

    fn note_departures(&mut self, samples: &mut [Sample]) {
        let taken = &self.taken;
        self.departures.drain(|departure| {
            let Some(sequence) = taken.get(departure.id as usize) else { return };
            let sample = &mut samples[*sequence as usize];
            if let Some(driver_ns) = departure.driver_ns {
                sample.driver_ns = driver_ns;
            }
            if let Some(port_ns) = departure.port_ns {
                sample.port_ns = port_ns;
            }
        });
    }
}

fn set_up(socket: &(impl AsRawFd + AsFd), job: &Job) -> Result<Departures, ProbeError> {
    set_priority(socket, job.skb_priority)?;
    if job.txtime_lead_ns.is_some() {
        let wanted = libc::sock_txtime { clockid: libc::CLOCK_TAI, flags: 0 };
        setsockopt(socket, sockopt::TxTime, &wanted).map_err(failed("SO_TXTIME"))?;
    }
    Departures::of(socket, job.hardware)
}

fn rows(samples: &[Sample]) -> impl Iterator<Item = String> {
    samples.iter().enumerate().map(|(sequence, at)| {
        let Sample { due_ns, woken_ns, returned_ns, driver_ns, port_ns } = at;
        format!("{sequence},{due_ns},{woken_ns},{returned_ns},{driver_ns},{port_ns}")
    })
}

/// Figures of the samples that count.
fn told(job: &Job, samples: &[Sample], refused: &[(Errno, u32)], stepped: bool) -> Sent {
    let numbered = (0..).zip(samples).filter(|(sequence, _)| job.series.inside(*sequence));
    let inside: Vec<(u32, Sample)> = numbered.map(|(sequence, sample)| (sequence, *sample)).collect();
    let of = |time: fn(&Sample) -> Ns| Figures::of(inside.iter().map(move |(_, sample)| time(sample)));
    let stamped = inside.iter().filter(|(_, sample)| sample.driver_ns != 0);
    let port_off = inside.windows(2).filter(|pair| pair.iter().all(|(_, sample)| sample.port_ns != 0));
    let departed = inside.iter().map(|(sequence, sample)| departed(*sequence, sample));
    Sent {
        count: job.series.count,
        refused: refused.iter().map(|(error, times)| (error.desc().to_owned(), *times)).collect(),
        wake: of(|sample| sample.woken_ns - sample.due_ns),
        call: of(|sample| sample.returned_ns - sample.woken_ns),
        to_driver: Figures::of(stamped.map(|(_, sample)| sample.driver_ns - sample.woken_ns)),
        port_jitter: Figures::of(
            port_off.map(|pair| (pair[1].1.port_ns - pair[0].1.port_ns - job.period_ns).abs()),
        ),
        stepped,
        worst: worst(departed, |one| one.driver_ns.unwrap_or(one.returned_ns)),
    }
}

fn departed(sequence: u32, sample: &Sample) -> Departed {
    Departed {
        sequence,
        due_ns: sample.due_ns,
        woken_ns: sample.woken_ns - sample.due_ns,
        returned_ns: sample.returned_ns - sample.due_ns,
        driver_ns: (sample.driver_ns != 0).then_some(sample.driver_ns - sample.due_ns),
    }
}
