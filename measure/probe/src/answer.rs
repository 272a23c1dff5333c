//! `answer`: the far end of round trips (PRB-24).

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use nix::sys::socket::{MsgFlags, sendto};
use std::os::fd::AsRawFd;

use crate::clock::{Ns, now, sleep_until};
use crate::datagram::{Datagram, Kind};
use crate::error::{ProbeError, failed};
use crate::figures::Figures;
use crate::line::{Answered, Line, Ready, say};
use crate::realtime::{self, Wanted};
use crate::socket::set_priority;
use crate::stamp::{Arrival, Departures, Receiver, Source};

/// Answers whose times are kept; of more the first count.
const KEPT: usize = 1_000_000;
/// The driver's stamp of the last answer is still on its way.
const LAST_NS: Ns = 20_000_000;

/// Who is to be answered.
#[derive(Clone, Debug)]
pub struct Job {
    pub at: SocketAddr,
    pub session: u64,
    /// Answers after which it ends.
    pub count: Option<u32>,
    pub patience: Duration,
    pub skb_priority: Option<i32>,
    pub wanted: Wanted,
}

pub fn run(job: &Job) -> Result<(), ProbeError> {
    let socket = UdpSocket::bind(job.at).map_err(failed(job.at.to_string()))?;
    let at = socket.local_addr().map_err(failed("socket"))?;
    socket.set_read_timeout(Some(job.patience)).map_err(failed("patience"))?;
    set_priority(&socket, job.skb_priority)?;
    let mut run = Run::new(job, socket)?;
    let held = realtime::enter(job.wanted)?;
    say(&Line::Ready(Ready { reached: held.reached.clone(), stamps: Source::Kernel, at: Some(at) }))
        .map_err(failed("output"))?;
    let mut payload = [0; 2_048];
    while !run.is_done() {
        let Some(arrival) = run.receiver.receive(&mut payload)? else { break };
        run.answer(&mut payload[..arrival.bytes], &arrival);
        run.note_departures();
    }
    sleep_until(now() + LAST_NS).map_err(failed("clock_nanosleep"))?;
    run.note_departures();
    drop(held);
    run.finish()
}

struct Run<'a> {
    job: &'a Job,
    receiver: Receiver,
    departures: Departures,
    residences: Vec<Ns>,
    /// Send call of each answer that the kernel took: it counts those alone.
    sent_ns: Vec<Ns>,
    to_driver: Vec<Ns>,
    told: Answered,
}

impl<'a> Run<'a> {
    fn new(job: &'a Job, socket: UdpSocket) -> Result<Run<'a>, ProbeError> {
        let receiver = Receiver::new(socket, Source::Kernel)?;
        let departures = Departures::of(receiver.socket(), false)?;
        let [residences, sent_ns, to_driver] = [(); 3].map(|()| Vec::with_capacity(KEPT));
        Ok(Run { job, receiver, departures, residences, sent_ns, to_driver, told: Answered::default() })
    }

    fn is_done(&self) -> bool {
        self.job.count.is_some_and(|count| self.told.count >= count)
    }

    fn answer(&mut self, payload: &mut [u8], arrival: &Arrival) {
        let session = self.job.session;
        let request = Datagram::read(payload)
            .filter(|request| request.session == session && request.kind == Kind::Request);
        let Some(request) = request else {
            self.told.strange += 1;
            return;
        };
        let sent_ns = now();
        let residence = sent_ns - arrival.kernel_ns;
        Datagram { kind: Kind::Answer, residence_ns: residence.max(0) as u64, ..request }.write(payload);
        if sendto(self.receiver.socket().as_raw_fd(), payload, &arrival.from, MsgFlags::empty()).is_err() {
            self.told.refused += 1;
            return;
        }
        self.told.count += 1;
        if self.sent_ns.len() < KEPT {
            self.residences.push(residence);
            self.sent_ns.push(sent_ns);
        }
    }

    fn note_departures(&mut self) {
        let (sent_ns, to_driver) = (&self.sent_ns, &mut self.to_driver);
        self.departures.drain(|departure| {
            let times = sent_ns.get(departure.id as usize).zip(departure.driver_ns);
            to_driver.extend(times.map(|(sent_ns, driver_ns)| driver_ns - sent_ns));
        });
    }

    fn finish(mut self) -> Result<(), ProbeError> {
        self.told.stepped = self.receiver.stepped();
        self.told.residence = Figures::of(self.residences.iter().copied());
        self.told.to_driver = Figures::of(self.to_driver.iter().copied());
        say(&Line::Answered(self.told)).map_err(failed("output"))
    }
}
