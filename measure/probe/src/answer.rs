//! `answer`: the far end of round trips (PRB-24).

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use nix::sys::socket::{MsgFlags, sendto};
use std::os::fd::AsRawFd;

use crate::clock::now;
use crate::datagram::{Datagram, Kind};
use crate::error::{ProbeError, failed};
use crate::figures::Figures;
use crate::line::{Answered, Line, Ready, say};
use crate::realtime::{self, Wanted};
use crate::socket::set_priority;
use crate::stamp::{Arrival, Receiver, Source};

/// Residences that are kept; of more the first count.
const KEPT: usize = 1_000_000;

/// Who is to be answered.
#[derive(Clone, Debug)]
pub struct Job {
    pub at: SocketAddr,
    pub session: u64,
    pub patience: Duration,
    pub skb_priority: Option<i32>,
    pub wanted: Wanted,
}

pub fn run(job: &Job) -> Result<(), ProbeError> {
    let socket = UdpSocket::bind(job.at).map_err(failed(job.at.to_string()))?;
    let at = socket.local_addr().map_err(failed("socket"))?;
    socket.set_read_timeout(Some(job.patience)).map_err(failed("patience"))?;
    set_priority(&socket, job.skb_priority)?;
    let mut receiver = Receiver::new(socket, Source::Kernel)?;
    let mut residences = Vec::with_capacity(KEPT);
    let held = realtime::enter(job.wanted)?;
    say(&Line::Ready(Ready { reached: held.reached.clone(), stamps: Source::Kernel, at: Some(at) }))
        .map_err(failed("output"))?;
    let mut told = Answered::default();
    let mut payload = [0; 2_048];
    while let Some(arrival) = receiver.receive(&mut payload)? {
        answer(job, &receiver, &mut payload[..arrival.bytes], &arrival, &mut told, &mut residences);
    }
    drop(held);
    told.stepped = receiver.stepped();
    told.residence = Figures::of(residences.iter().copied());
    say(&Line::Answered(told)).map_err(failed("output"))
}

fn answer(
    job: &Job,
    receiver: &Receiver,
    payload: &mut [u8],
    arrival: &Arrival,
    told: &mut Answered,
    residences: &mut Vec<i64>,
) {
    let request = Datagram::read(payload)
        .filter(|request| request.session == job.session && request.kind == Kind::Request);
    let Some(request) = request else {
        told.strange += 1;
        return;
    };
    let residence = now() - arrival.kernel_ns;
    Datagram { kind: Kind::Answer, residence_ns: residence.max(0) as u64, ..request }.write(payload);
    if residences.len() < KEPT {
        residences.push(residence);
    }
    match sendto(receiver.socket().as_raw_fd(), payload, &arrival.from, MsgFlags::empty()) {
        Ok(_) => told.count += 1,
        Err(_) => told.refused += 1,
    }
}
