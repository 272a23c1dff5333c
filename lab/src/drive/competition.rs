//! Traffic of others beside a case: one bulk TCP flow for each algorithm asked for, in the images' direction.
//!
//! Role: starts all flows with the case, ends them with it, and puts what they carried beside what the images got. Runs
//! in the lab's thread; a flow has threads of its own ([`bulk_flow`](super::bulk_flow)). Invariant: when a
//! [`Competition`] is gone, however that came about, so are its threads and sockets. Follows LAB-1 to LAB-6.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokkyu_contract::{MonoTime, Outcome as Fate};
use tokkyu_measure::competition::{SLOT, slot_of, slots_of};
use tokkyu_measure::{BesideFlow, ImagesRate, Rate, Record};

use crate::wire::monotonic_now;

use super::bulk_flow::{BulkFlow, Carried, Schedule};
use super::case::{COMMAND, CaseSpec};
use super::error::DriveError;
use super::network::Network;

/// Most flows of a case: each has two threads.
pub const BESIDE_MAX: usize = 16;
/// Port of the first flow at the operator's end; the others follow.
const PORT: u16 = 5_201;
/// Flows send from so long after the cameras' first tick on, at most: with the usual warm-up of 2 s they find their
/// rate in its second half, and with any they are there when the first picture counts.
const AFTER_CAMERAS: Duration = Duration::from_secs(1);

/// Flows under way.
pub(super) struct Competition {
    schedule: Schedule,
    stop: Arc<AtomicBool>,
    flows: Vec<BulkFlow>,
}

/// What all flows of a case carried, and in which time.
#[derive(Clone, Debug)]
pub(super) struct Beside {
    from: MonoTime,
    until: MonoTime,
    flows: Vec<Carried>,
}

impl Competition {
    /// Starts the flows of `spec`, whose cameras begin at `begin`.
    pub(super) fn start(network: &Network, spec: &CaseSpec, begin: MonoTime) -> Result<Self, DriveError> {
        let mut competition =
            Competition { schedule: schedule(spec, begin), stop: Arc::default(), flows: Vec::new() };
        for (algorithm, port) in spec.beside.iter().zip(PORT..) {
            let Competition { schedule, stop, flows } = &mut competition;
            flows.push(BulkFlow::start(network.for_tcp()?, algorithm, port, *schedule, stop)?);
        }
        Ok(competition)
    }

    /// Ends the flows, those that have not ended by themselves.
    pub(super) fn stop(mut self) -> Beside {
        let Schedule { measure_from, until, .. } = self.schedule;
        let until = until.min(monotonic_now()).max(measure_from);
        Beside { from: measure_from, until, flows: self.end() }
    }

    fn end(&mut self) -> Vec<Carried> {
        self.stop.store(true, Ordering::Relaxed);
        self.flows.drain(..).map(BulkFlow::join).collect()
    }
}

impl Drop for Competition {
    /// A thread would outlive the wire.
    fn drop(&mut self) {
        self.end();
    }
}

/// The interval is that of the pictures that count, from the first one's tick.
fn schedule(spec: &CaseSpec, begin: MonoTime) -> Schedule {
    let warm_up = spec.workload().image_period * spec.warm_up;
    Schedule {
        send_from: begin + warm_up.min(AFTER_CAMERAS),
        measure_from: begin + warm_up,
        until: begin + spec.span(),
    }
}

impl Beside {
    fn span(&self) -> Duration {
        self.until.since(self.from)
    }

    /// What each slot of the interval brought of pictures, by their arrival.
    fn picture_slots(&self, records: &[Record], picture_bytes: u64) -> Vec<u64> {
        let mut slots = vec![0; slots_of(self.span())];
        let delivered = records.iter().filter(|r| r.stream != COMMAND && r.outcome == Fate::Delivered);
        let arrivals = delivered.filter_map(|record| record.arrival).filter(|arrival| *arrival >= self.from);
        for arrival in arrivals {
            if let Some(slot) = slots.get_mut(slot_of(arrival.since(self.from))) {
                *slot += picture_bytes;
            }
        }
        slots
    }

    /// Raw data, a line for each slot of each flow.
    fn csv(&self) -> String {
        let mut text = "flow,algorithm,slot_begin_ns,slot_ms,bytes\n".to_owned();
        for (number, flow) in (1..).zip(&self.flows) {
            let begins = (0..).map(|slot| self.from + SLOT * slot);
            for (begin, bytes) in begins.zip(&flow.slots) {
                let nanos = begin.as_nanos();
                let _ = writeln!(text, "{number},{},{nanos},{},{bytes}", flow.algorithm, SLOT.as_millis());
            }
        }
        text
    }
}

/// What the flows and the images got.
pub(super) struct Found {
    pub(super) flows: Vec<BesideFlow>,
    pub(super) images: ImagesRate,
    /// Flows that ended before their time.
    pub(super) faults: Vec<String>,
    /// Raw data, for a file.
    pub(super) csv: String,
}

/// Puts beside each other what the flows and the images got, as far as `records` tell.
pub(super) fn found(spec: &CaseSpec, beside: &Beside, records: &[Record]) -> Found {
    let rate = |slots: &[u64]| Rate::new(slots, beside.span(), spec.path_facts().up_mbit_s);
    let flow = |flow: &Carried| BesideFlow { algorithm: flow.algorithm.to_string(), rate: rate(&flow.slots) };
    let workload = spec.workload();
    let of_a_tick = (workload.images * workload.image_bytes) as u64;
    let offered = Rate::new(&[of_a_tick], workload.image_period, None);
    let fault = |flow: &Carried| {
        let failure = flow.failure.as_ref()?;
        Some(format!("the TCP {} flow beside ended before its time: {failure}", flow.algorithm))
    };
    Found {
        flows: beside.flows.iter().map(flow).collect(),
        images: ImagesRate {
            offered_mbit_s: offered.mbit_s.unwrap_or_default(),
            rate: rate(&beside.picture_slots(records, workload.image_bytes as u64)),
        },
        faults: beside.flows.iter().filter_map(fault).collect(),
        csv: beside.csv(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::case::Pictures;
    use crate::drive::collect::add_beside;
    use crate::drive::outcome::Outcome;
    use crate::drive::paths::CaseFolder;
    use crate::drive::quality::Quality;
    use std::fs;
    use tokkyu_link::sim::path::{DirectionProfile, Profile};
    use tokkyu_measure::DriveCase;

    const BEGIN: MonoTime = MonoTime::from_millis(10_000);

    fn spec(warm_up: u32) -> CaseSpec {
        CaseSpec {
            profile: Profile::named("wan").unwrap(),
            quality: Quality::Link,
            images: 2,
            pictures: Pictures::Dummy,
            beside: vec!["bbr".parse().unwrap()],
            commands: true,
            peer: None,
            samples: 10,
            warm_up,
            seed: 1,
            run: 0,
        }
    }

    fn after(millis: u64) -> MonoTime {
        BEGIN + Duration::from_millis(millis)
    }

    fn beside(failure: Option<&str>) -> Beside {
        let flow = Carried {
            algorithm: "bbr".parse().unwrap(),
            slots: vec![1_250_000; 10],
            failure: failure.map(str::to_owned),
        };
        Beside { from: after(2_000), until: after(3_000), flows: vec![flow] }
    }

    fn picture(stream: &str, arrival: u64, outcome: Fate) -> Record {
        let arrival = Some(after(arrival));
        Record { stream: stream.into(), sequence: 0, capture: BEGIN, arrival, outcome, warm_up: false }
    }

    #[test]
    fn flows_are_under_way_when_the_first_picture_counts_and_end_with_the_cameras() {
        // LAB-3, LAB-4
        let times = |warm_up| {
            let Schedule { send_from, measure_from, until } = schedule(&spec(warm_up), BEGIN);
            [send_from, measure_from, until]
        };
        assert_eq!(times(20), [1_000, 2_000, 3_000].map(after));
        assert_eq!(times(5), [500, 500, 1_500].map(after));
        assert_eq!(times(0), [0, 0, 1_000].map(after));
    }

    #[test]
    fn a_picture_counts_when_it_was_delivered_within_the_interval_and_commands_never() {
        let records = [
            picture("camera/1", 1_999, Fate::Delivered),
            picture("camera/1", 2_000, Fate::Delivered),
            picture("camera/2", 2_150, Fate::Delivered),
            picture("camera/1", 2_160, Fate::Late),
            picture(COMMAND, 2_170, Fate::Delivered),
            picture("camera/2", 3_000, Fate::Delivered),
        ];
        assert_eq!(beside(None).picture_slots(&records, 7)[..3], [7, 7, 0]);
    }

    fn added(spec: &CaseSpec, beside: &Beside) -> (Outcome, String) {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        let mut outcome = Outcome::of(DriveCase::default());
        add_beside(&mut outcome, spec, &folder, beside, &[picture("camera/1", 2_500, Fate::Delivered)]);
        (outcome, fs::read_to_string(folder.beside()).unwrap_or_default())
    }

    #[test]
    fn flows_and_images_are_told_over_the_same_interval_and_the_raw_data_kept() {
        // LAB-5: 12.5 MB in a second of 200 Mbit/s; one picture of 374 kB.
        let (outcome, csv) = added(&spec(20), &beside(None));
        let Rate { mbit_s, share, .. } = outcome.case.beside[0].rate;
        assert_eq!((mbit_s, share), (Some(100.0), Some(0.5)));
        let images = outcome.case.images_rate.unwrap();
        assert_eq!((images.offered_mbit_s, images.rate.mbit_s), (59.84, Some(2.992)));
        assert_eq!(outcome.faults, Vec::<String>::new());
        assert_eq!(csv.lines().count(), 1 + 10);
        assert_eq!(csv.lines().nth(2), Some("1,bbr,12100000000,100,1250000"));
    }

    #[test]
    fn a_flow_that_broke_makes_the_case_doubtful() {
        // LAB-6
        let (outcome, _) = added(&spec(20), &beside(Some("connection refused")));
        assert!(outcome.faults[0].contains("TCP bbr") && outcome.faults[0].contains("refused"));
    }

    #[test]
    fn a_case_alone_on_its_path_is_left_as_it_was() {
        let alone = CaseSpec { beside: vec![], ..spec(20) };
        let (outcome, csv) = added(&alone, &Beside { flows: vec![], ..beside(None) });
        assert_eq!((outcome.case, csv.as_str()), (DriveCase::default(), ""));
    }

    #[test]
    fn a_path_without_one_rate_has_none_to_share() {
        let up = |up: DirectionProfile| {
            let profile = Profile { up, ..Profile::named("wan").unwrap() };
            CaseSpec { profile, ..spec(0) }.path_facts().up_mbit_s
        };
        let wan = Profile::named("wan").unwrap().up;
        let seconds = Duration::from_secs;
        assert_eq!(up(wan.clone()), Some(200.0));
        assert_eq!(up(wan.with_rate_between(seconds(1), seconds(2), 1_000)), None);
        assert_eq!(up(DirectionProfile::default()), None);
    }
}
