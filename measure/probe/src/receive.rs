//! `receive`: a series as it arrives (PRB-22).

use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::time::Duration;

use crate::clock::Ns;
use crate::datagram::{Datagram, Kind, Seen};
use crate::error::{ProbeError, failed};
use crate::figures::Figures;
use crate::line::{Interval, Line, Ready, Received, say};
use crate::realtime::{self, Wanted};
use crate::series::{Edges, keep, worst};
use crate::stamp::{Receiver, Source};

/// What is to be received.
#[derive(Clone, Debug)]
pub struct Job {
    pub at: SocketAddr,
    pub session: u64,
    pub series: Edges,
    pub period_ns: Ns,
    pub patience: Duration,
    pub source: Source,
    pub wanted: Wanted,
    pub raw: Option<PathBuf>,
}

/// When one came; 0: it did not.
#[derive(Clone, Copy, Default)]
struct Came {
    stamp_ns: Ns,
    kernel_ns: Ns,
    user_ns: Ns,
}

pub fn run(job: &Job) -> Result<(), ProbeError> {
    let socket = UdpSocket::bind(job.at).map_err(failed(job.at.to_string()))?;
    let at = socket.local_addr().map_err(failed("socket"))?;
    socket.set_read_timeout(Some(job.patience)).map_err(failed("patience"))?;
    let mut receiver = Receiver::new(socket, job.source)?;
    let mut samples = vec![Came::default(); job.series.count as usize];
    let mut told = Received { count: job.series.count, ..Received::default() };
    let held = realtime::enter(job.wanted)?;
    say(&Line::Ready(Ready { reached: held.reached.clone(), stamps: job.source, at: Some(at) }))
        .map_err(failed("output"))?;
    collect(job, &mut receiver, &mut samples, &mut told)?;
    drop(held);
    told.stepped = receiver.stepped();
    finish(job, &samples, &mut told);
    let rows = samples
        .iter()
        .enumerate()
        .map(|(sequence, came)| format!("{sequence},{},{},{}", came.stamp_ns, came.kernel_ns, came.user_ns));
    keep(job.raw.as_deref(), "sequence,stamp_ns,kernel_ns,user_ns", rows)?;
    say(&Line::Received(told)).map_err(failed("output"))
}

fn collect(
    job: &Job,
    receiver: &mut Receiver,
    samples: &mut [Came],
    told: &mut Received,
) -> Result<(), ProbeError> {
    let mut payload = [0; 2_048];
    let mut seen = Seen::new(job.series.count);
    let (mut left, mut highest) = (job.series.count, 0);
    while left > 0 {
        let Some(arrival) = receiver.receive(&mut payload)? else { break };
        let datagram = Datagram::read(&payload[..arrival.bytes]);
        let of_run = datagram.filter(|datagram| {
            datagram.session == job.session
                && datagram.kind == Kind::Periodic
                && datagram.sequence < job.series.count
        });
        let Some(Datagram { sequence, .. }) = of_run else {
            told.strange += 1;
            continue;
        };
        if !seen.insert(sequence) {
            told.repeated += 1;
            continue;
        }
        told.reordered += u32::from(sequence < highest);
        highest = highest.max(sequence);
        samples[sequence as usize] =
            Came { stamp_ns: arrival.stamp_ns, kernel_ns: arrival.kernel_ns, user_ns: arrival.user_ns };
        left -= 1;
    }
    told.lost = left;
    Ok(())
}

/// Figures of the samples that count.
fn finish(job: &Job, samples: &[Came], told: &mut Received) {
    let pairs = (1..).zip(samples.windows(2));
    let intervals: Vec<Interval> = pairs
        .filter(|(sequence, pair)| job.series.inside(*sequence) && pair.iter().all(|came| came.stamp_ns != 0))
        .map(|(sequence, pair)| Interval { sequence, interval_ns: pair[1].stamp_ns - pair[0].stamp_ns })
        .collect();
    let off = |interval: &Interval| (interval.interval_ns - job.period_ns).abs();
    told.interval = Figures::of(intervals.iter().map(|interval| interval.interval_ns));
    told.jitter = Figures::of(intervals.iter().map(off));
    told.worst = worst(intervals.iter().copied(), off);
    if job.source != Source::User {
        told.up = Figures::of(
            samples.iter().filter(|came| came.user_ns != 0).map(|came| came.user_ns - came.kernel_ns),
        );
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn job(count: u32) -> Job {
        Job {
            at: (Ipv4Addr::LOCALHOST, 0).into(),
            session: 7,
            series: Edges { count, edge: 1 },
            period_ns: 10,
            patience: Duration::ZERO,
            source: Source::Hardware,
            wanted: Wanted::default(),
            raw: None,
        }
    }

    /// A lost one takes both of its intervals with it, and is not taken for a long one.
    #[test]
    fn an_interval_needs_both_of_its_ends() {
        let came = |stamp_ns| Came { stamp_ns, kernel_ns: 0, user_ns: 0 };
        let samples = [came(100), came(112), came(120), came(0), came(140), came(155), came(900)];
        let mut told = Received::default();
        finish(&job(7), &samples, &mut told);
        assert_eq!((told.interval.n, told.interval.min_ns, told.interval.max_ns), (3, 8, 15));
        assert_eq!(told.jitter.max_ns, 5);
        assert_eq!(told.worst[0], Interval { sequence: 5, interval_ns: 15 });
    }
}
