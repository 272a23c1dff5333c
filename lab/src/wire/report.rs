//! What a wire has done, and whether a measurement over it may be believed.
use core::fmt;
use core::time::Duration;

use hdrhistogram::Histogram;
use tokkyu_link::sim::path::Counters;

use super::scheduling::Scheduling;

/// Largest frame of an Ethernet with MTU 1500. A larger one means that some offload let a whole train of packets pass
/// as one, and loss then acted on the train.
pub const LARGEST_VALID_FRAME_BYTES: u64 = 1_514;

/// Everything counted since the wire was put up.
#[derive(Clone, Debug, PartialEq)]
pub struct WireReport {
    /// Vehicle to operator.
    pub up: DirectionReport,
    /// Operator to vehicle.
    pub down: DirectionReport,
    /// How late the relay was in writing what the models had let out.
    pub lateness: Lateness,
    /// Time since the wire was put up.
    pub elapsed: Duration,
    /// Processor time the relay thread has used, kernel work for the receiving stack included.
    pub relay_cpu: Duration,
    /// How the relay thread is scheduled.
    pub scheduling: Scheduling,
    /// Reads put off because all frame buffers were in use.
    pub starved: u64,
    /// Packets the virtual devices dropped by themselves, both ends (always 0 on a [`UdpWire`](super::UdpWire), whose
    /// sockets' drops the kernel does not tell apart).
    pub device_dropped: u64,
}

/// One direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirectionReport {
    /// The model's ledger.
    pub model: Counters,
    /// Frames that are no traffic of the programs under test (neither IPv4 nor ARP): not carried.
    pub ignored: u64,
    /// Frames the model let out but the far end did not take.
    pub failed_writes: u64,
    /// Reads that failed other than by "nothing there".
    pub failed_reads: u64,
}

/// The relay's lateness: time when a frame was in the receiver's hands minus the model's exit time, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// Frames measured.
    pub frames: u64,
    /// Arithmetic mean, within 1 %.
    pub mean_ns: u64,
    /// Half were less late.
    pub p50_ns: u64,
    /// 99 in 100 were less late.
    pub p99_ns: u64,
    /// The latest.
    pub worst_ns: u64,
}

/// Why a measurement over this wire must be thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A device dropped packets that the model knows nothing of.
    DeviceDropped {
        /// How many.
        packets: u64,
    },
    /// A frame larger than Ethernet's.
    LargeFrame {
        /// The largest.
        bytes: u64,
    },
    /// A write or read failed.
    FailedIo {
        /// How often.
        times: u64,
    },
    /// The frame buffers ran out, so frames waited outside the model.
    Starved {
        /// How often.
        times: u64,
    },
}

impl WireReport {
    /// What makes this run invalid; empty if it may be believed. Lateness is not judged here: what is too late
    /// depends on the question asked.
    pub fn flaws(&self) -> Vec<Flaw> {
        let bytes = self.up.model.largest_frame_bytes.max(self.down.model.largest_frame_bytes);
        let io = |direction: &DirectionReport| direction.failed_writes + direction.failed_reads;
        let times = io(&self.up) + io(&self.down);
        let flaws = [
            (self.device_dropped > 0, Flaw::DeviceDropped { packets: self.device_dropped }),
            (bytes > LARGEST_VALID_FRAME_BYTES, Flaw::LargeFrame { bytes }),
            (times > 0, Flaw::FailedIo { times }),
            (self.starved > 0, Flaw::Starved { times: self.starved }),
        ];
        flaws.into_iter().filter_map(|(present, flaw)| present.then_some(flaw)).collect()
    }

    /// Share of one core that the relay has used, 0.0 to 1.0.
    pub fn cpu_share(&self) -> f64 {
        self.relay_cpu.as_secs_f64() / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// Above this a lateness is recorded as this: the histogram's memory is fixed when it is made.
const CEILING_NS: u64 = 10_000_000_000;

impl Lateness {
    /// A histogram for [`Lateness::of`], to be filled by `saturating_record`: 1 ns to 10 s.
    ///
    /// Two digits: the relay reads the percentiles itself when asked, and three would be a scan of 400 kB while
    /// frames wait.
    pub(super) fn histogram() -> Histogram<u64> {
        Histogram::new_with_bounds(1, CEILING_NS, 2).expect("bounds and digits are constants")
    }

    pub(super) fn of(histogram: &Histogram<u64>) -> Self {
        Lateness {
            frames: histogram.len(),
            // NaN of no frames becomes 0, as the percentiles are.
            mean_ns: histogram.mean() as u64,
            p50_ns: histogram.value_at_quantile(0.5),
            p99_ns: histogram.value_at_quantile(0.99),
            worst_ns: histogram.max(),
        }
    }
}

impl fmt::Display for WireReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, direction) in [("up", &self.up), ("down", &self.down)] {
            let Counters { offered, delivered, .. } = direction.model;
            let gone = direction.model.gone();
            writeln!(f, "{name}: offered {offered}, delivered {delivered}, gone {gone}")?;
        }
        let Lateness { mean_ns, p50_ns, p99_ns, worst_ns, .. } = self.lateness;
        writeln!(
            f,
            "relay lateness: mean {mean_ns} ns, p50 {p50_ns} ns, p99 {p99_ns} ns, worst {worst_ns} ns"
        )?;
        writeln!(f, "relay: {:.1} % of a core, {}", self.cpu_share() * 1e2, self.scheduling)?;
        for flaw in self.flaws() {
            writeln!(f, "INVALID: {flaw}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::DeviceDropped { packets } => write!(f, "the virtual devices dropped {packets} packets"),
            Flaw::LargeFrame { bytes } => {
                write!(f, "a frame of {bytes} B, more than {LARGEST_VALID_FRAME_BYTES}: an offload is on")
            }
            Flaw::FailedIo { times } => write!(f, "{times} reads or writes of frames failed"),
            Flaw::Starved { times } => write!(f, "the relay ran out of frame buffers {times} times"),
        }
    }
}

#[cfg(test)]
impl WireReport {
    /// The report of a wire that carried nothing for a second.
    pub(crate) fn of_nothing() -> Self {
        WireReport {
            up: DirectionReport::default(),
            down: DirectionReport::default(),
            lateness: Lateness::default(),
            elapsed: Duration::from_secs(1),
            relay_cpu: Duration::from_millis(250),
            scheduling: Scheduling::Fifo(45),
            starved: 0,
            device_dropped: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_has_a_mean_of_its_own_and_zeros_before_the_first_frame() {
        let mut histogram = Lateness::histogram();
        assert_eq!(Lateness::of(&histogram), Lateness::default());
        [1_000, 1_000, 1_000, 97_000].iter().for_each(|ns| histogram.saturating_record(*ns));
        let Lateness { mean_ns, p50_ns, .. } = Lateness::of(&histogram);
        assert!((24_750..=25_250).contains(&mean_ns), "{mean_ns} ns, not the {p50_ns} ns of the median");
    }

    #[test]
    fn a_clean_run_is_valid_and_any_loss_outside_the_model_is_not() {
        assert_eq!(WireReport::of_nothing().flaws(), []);
        assert_eq!(WireReport::of_nothing().cpu_share(), 0.25);
        let mut dropped = WireReport::of_nothing();
        dropped.device_dropped = 3;
        assert_eq!(dropped.flaws(), [Flaw::DeviceDropped { packets: 3 }]);
        let mut large = WireReport::of_nothing();
        large.down.model.largest_frame_bytes = 1_515;
        large.up.failed_writes = 1;
        large.starved = 2;
        let wanted =
            [Flaw::LargeFrame { bytes: 1_515 }, Flaw::FailedIo { times: 1 }, Flaw::Starved { times: 2 }];
        assert_eq!(large.flaws(), wanted);
        assert!(large.to_string().contains("INVALID"));
    }
}
