//! `request` and `answer`: round trips and their legs (PRB-23 to PRB-25).

use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::time::Duration;

use crate::clock::{Ns, now, sleep_until};
use crate::datagram::{Datagram, Kind, Seen};
use crate::error::{ProbeError, failed};
use crate::figures::Figures;
use crate::line::{Line, Ready, RoundTrip, RoundTrips, say};
use crate::realtime::{self, Wanted};
use crate::series::{Edges, keep, worst};
use crate::socket::{connect, set_priority};
use crate::stamp::{Arrival, Departures, Receiver, Source};

/// What is to be asked.
#[derive(Clone, Debug)]
pub struct Job {
    pub to: SocketAddr,
    pub session: u64,
    pub series: Edges,
    /// Between an answer and the next request.
    pub pause: Pause,
    pub patience: Duration,
    pub frame_bytes: usize,
    pub skb_priority: Option<i32>,
    pub wanted: Wanted,
    pub raw: Option<PathBuf>,
}

/// From `least_ns` on, spread evenly over `spread_ns`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pause {
    pub least_ns: Ns,
    pub spread_ns: Ns,
}

impl Pause {
    /// Multiples of the golden ratio, less their whole part, fall evenly into the unit interval, and none near the one before.
    fn after(self, sequence: u32) -> Ns {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        self.least_ns + ((f64::from(sequence) * GOLDEN).fract() * self.spread_ns as f64) as Ns
    }
}

/// Times of one round trip; 0: unknown.
#[derive(Clone, Copy, Default)]
struct Sample {
    sent_ns: Ns,
    driver_ns: Ns,
    kernel_ns: Ns,
    user_ns: Ns,
    far_ns: Ns,
}

pub fn run(job: &Job) -> Result<(), ProbeError> {
    let (socket, payload) = connect(job.to, job.frame_bytes)?;
    socket.set_read_timeout(Some(job.patience)).map_err(failed("patience"))?;
    set_priority(&socket, job.skb_priority)?;
    let mut run = Run::new(job, socket, payload)?;
    let held = realtime::enter(job.wanted)?;
    say(&Line::Ready(Ready { reached: held.reached.clone(), stamps: Source::Kernel, at: None }))
        .map_err(failed("output"))?;
    run.ask_all()?;
    drop(held);
    run.finish()
}

struct Run<'a> {
    job: &'a Job,
    receiver: Receiver,
    departures: Departures,
    request: Vec<u8>,
    samples: Vec<Sample>,
    /// Number of each request that the kernel took: it counts those alone.
    taken: Vec<u32>,
    answered: Seen,
    told: RoundTrips,
}

impl<'a> Run<'a> {
    fn new(job: &'a Job, socket: UdpSocket, payload: usize) -> Result<Run<'a>, ProbeError> {
        let receiver = Receiver::new(socket, Source::Kernel)?;
        let departures = Departures::of(receiver.socket(), false)?;
        Ok(Run {
            job,
            receiver,
            departures,
            request: vec![0; payload],
            samples: vec![Sample::default(); job.series.count as usize],
            taken: Vec::with_capacity(job.series.count as usize),
            answered: Seen::new(job.series.count),
            told: RoundTrips { count: job.series.count, ..RoundTrips::default() },
        })
    }

    fn ask_all(&mut self) -> Result<(), ProbeError> {
        for sequence in 0..self.job.series.count {
            self.ask(sequence)?;
            let pause_ns = self.job.pause.after(sequence);
            if pause_ns > 0 {
                sleep_until(now() + pause_ns).map_err(failed("clock_nanosleep"))?;
            }
        }
        Ok(())
    }

    fn ask(&mut self, sequence: u32) -> Result<(), ProbeError> {
        let (session, kind) = (self.job.session, Kind::Request);
        Datagram { session, sequence, kind, residence_ns: 0 }.write(&mut self.request);
        let at = sequence as usize;
        self.samples[at].sent_ns = now();
        // Refused by a full queue or an end that is not there: no answer comes, and it counts as lost.
        if self.receiver.socket().send(&self.request).is_ok() {
            self.taken.push(sequence);
        }
        let answer = self.wait_for(sequence)?;
        self.note_departures();
        match answer {
            Some((arrival, residence_ns)) => {
                let sample = &mut self.samples[at];
                sample.kernel_ns = arrival.kernel_ns;
                sample.user_ns = arrival.user_ns;
                sample.far_ns = residence_ns as Ns;
            }
            None => self.told.lost += 1,
        }
        Ok(())
    }

    /// The answer of this number. Others that come meanwhile are late, or nobody's.
    fn wait_for(&mut self, wanted: u32) -> Result<Option<(Arrival, u64)>, ProbeError> {
        let mut payload = [0; 2_048];
        // However much else comes.
        let given_up_ns = now() + self.job.patience.as_nanos() as Ns;
        while let Some(arrival) = self.receiver.receive(&mut payload)? {
            if arrival.user_ns > given_up_ns {
                self.told.strange += 1;
                break;
            }
            let answer = Datagram::read(&payload[..arrival.bytes])
                .filter(|answer| answer.session == self.job.session && answer.kind == Kind::Answer);
            match answer {
                Some(answer) if answer.sequence == wanted && self.answered.insert(wanted) => {
                    return Ok(Some((arrival, answer.residence_ns)));
                }
                Some(answer) if answer.sequence < wanted && self.answered.insert(answer.sequence) => {
                    self.told.lost -= 1;
                    self.told.late += 1;
                }
                _ => self.told.strange += 1,
            }
        }
        Ok(None)
    }

    fn note_departures(&mut self) {
        let (samples, taken) = (&mut self.samples, &self.taken);
        self.departures.drain(|departure| {
            let Some(sequence) = taken.get(departure.id as usize) else { return };
            if let Some(driver_ns) = departure.driver_ns {
                samples[*sequence as usize].driver_ns = driver_ns;
            }
        });
    }

    fn finish(mut self) -> Result<(), ProbeError> {
        let rows = self.samples.iter().enumerate().map(|(sequence, at)| {
            let Sample { sent_ns, driver_ns, kernel_ns, user_ns, far_ns } = at;
            format!("{sequence},{sent_ns},{driver_ns},{kernel_ns},{user_ns},{far_ns}")
        });
        keep(self.job.raw.as_deref(), "sequence,sent_ns,driver_ns,kernel_ns,user_ns,far_ns", rows)?;
        let trips = trips(self.job.series, &self.samples);
        self.told.stepped = self.receiver.stepped();
        tell(&trips, &mut self.told);
        say(&Line::RoundTrips(self.told)).map_err(failed("output"))
    }
}

/// Round trips that count and came to their end.
fn trips(series: Edges, samples: &[Sample]) -> Vec<RoundTrip> {
    let inside =
        (0..).zip(samples).filter(|(sequence, sample)| series.inside(*sequence) && sample.user_ns != 0);
    let trip = |(sequence, sample): (u32, &Sample)| RoundTrip {
        sequence,
        at_ns: sample.sent_ns,
        rtt_ns: sample.user_ns - sample.sent_ns,
        out_ns: (sample.driver_ns != 0).then_some(sample.driver_ns - sample.sent_ns),
        far_ns: sample.far_ns,
        in_ns: sample.user_ns - sample.kernel_ns,
    };
    inside.map(trip).collect()
}

fn tell(trips: &[RoundTrip], told: &mut RoundTrips) {
    let out = trips.iter().filter_map(|trip| Some((trip, trip.out_ns?)));
    told.rtt = Figures::of(trips.iter().map(|trip| trip.rtt_ns));
    told.far = Figures::of(trips.iter().map(|trip| trip.far_ns));
    told.back = Figures::of(trips.iter().map(|trip| trip.in_ns));
    told.out = Figures::of(out.clone().map(|(_, out_ns)| out_ns));
    told.wires = Figures::of(out.map(|(trip, out_ns)| trip.rtt_ns - out_ns - trip.far_ns - trip.in_ns));
    told.worst = worst(trips.iter().copied(), |trip| trip.rtt_ns);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_spread_evenly() {
        let pause = Pause { least_ns: 500, spread_ns: 1_000 };
        let mut all: Vec<Ns> = (0..100).map(|sequence| pause.after(sequence)).collect();
        all.sort_unstable();
        assert!(all[0] >= 500 && all[99] < 1_500);
        assert!(all.windows(2).all(|pair| pair[1] - pair[0] < 25), "{all:?}");
        assert_eq!(Pause { least_ns: 7, spread_ns: 0 }.after(3), 7);
    }

    #[test]
    fn a_round_trip_is_the_sum_of_its_legs() {
        let whole = Sample { sent_ns: 100, driver_ns: 130, kernel_ns: 380, user_ns: 400, far_ns: 50 };
        let samples = [whole, Sample { sent_ns: 500, ..Sample::default() }, Sample { driver_ns: 0, ..whole }];
        let trips = trips(Edges { count: 3, edge: 0 }, &samples);
        let mut told = RoundTrips::default();
        tell(&trips, &mut told);
        assert_eq!((told.rtt.n, told.rtt.max_ns), (2, 300));
        let legs = [&told.out, &told.wires, &told.far, &told.back].map(|leg| leg.max_ns);
        assert_eq!(legs, [30, 200, 50, 20]);
        assert_eq!(told.wires.n, 1, "of one nobody said when it left");
    }
}
