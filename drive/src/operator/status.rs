//! What the operator's program tells while it runs, and at its end.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokkyu_measure::{Environment, Summary};

use crate::control::Controls;
use crate::program::display::Shown;
use crate::program::figures::ms;
use crate::program::{
    CapFigures, ClockPair, CpuFigures, Ending, ExitCode, LedgerFigures, LinkFigures, LinkStatus,
    RealTimeGrant, StreamFigures,
};
use crate::safety::report::GateReport;
use crate::safety::{EndName, SeatView, State};
use crate::save::Saver;
use crate::view::snapshot::{CameraRow, ControlRow, LinkRow, SlowerRow, Snapshot, need_of};

/// The operator's end at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OperatorStatus {
    /// `CLOCK_MONOTONIC` of this machine.
    pub at_ns: u64,
    /// Time since the program began.
    pub elapsed_ms: f64,
    /// Length of the run, where it has a set one.
    pub total_ms: Option<f64>,
    /// The robot's name.
    pub robot: String,
    /// One entry for each camera, in the robot's order.
    pub cameras: Vec<PictureStatus>,
    /// The link.
    pub link: LinkStatus,
    /// The commands, where somebody drives.
    pub control: Option<DriverStatus>,
    /// The vehicle's gate, where the vehicle reported it a moment ago.
    #[serde(default)]
    pub gate: Option<GateHeard>,
    /// Saving of pictures, where asked for.
    pub saved: Option<SavedFigures>,
    /// What there is to say of the seat: who drives, if not this end, and who asks.
    #[serde(default)]
    pub seat: Option<String>,
}

/// The gate as the vehicle reports it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GateHeard {
    /// `locked`, `ready`, `driving`, `STOPPING`, `STOPPED` or `EMERGENCY STOP`.
    pub state: String,
    /// What it waits for before the vehicle may move; empty while it drives.
    #[serde(default)]
    pub waits_for: String,
    /// Safe stops so far.
    pub safe_stops: u64,
    /// Age on arrival at the vehicle of the last command.
    pub last_ms: Option<f64>,
    /// Median age on arrival of the last commands.
    pub p50_ms: Option<f64>,
    /// 99th percentile of the same.
    pub p99_ms: Option<f64>,
    /// How fast the vehicle may be, where its robot declares that.
    #[serde(default)]
    pub cap: Option<CapFigures>,
    /// Who drives.
    #[serde(default)]
    pub seat: Option<SeatHeard>,
}

/// The seat, as the vehicle told it to this end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatHeard {
    /// This end drives.
    pub is_yours: bool,
    /// What this end may: `watch`, `drive` or `force`.
    pub may: String,
    /// Name of the end that drives.
    pub driver: String,
    /// Name of the end that asks for the seat.
    pub asker: Option<String>,
    /// Name of the end that holds the emergency stop without driving: a reset of the driver is void.
    #[serde(default)]
    pub stop_held_by: Option<String>,
}

impl From<SeatView> for SeatHeard {
    fn from(seat: SeatView) -> SeatHeard {
        let name = |(_, name): (usize, EndName)| name.as_str().to_owned();
        SeatHeard {
            is_yours: seat.is_yours(),
            may: seat.may.as_str().to_owned(),
            driver: name(seat.driver),
            asker: seat.asker.map(name),
            stop_held_by: seat.holder.map(name),
        }
    }
}

/// What arrives of one camera.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PictureStatus {
    /// Its flow's name.
    pub flow: String,
    /// What became of its pictures, as far as this end knows.
    pub ledger: LedgerFigures,
    /// Age of the newest picture now; it grows until the next one comes.
    pub age_ms: Option<f64>,
    /// The flow's lifespan.
    pub lifespan_ms: Option<f64>,
    /// The newest picture is older than the lifespan: what is on the screen is no longer what is outside.
    pub is_stale: bool,
    /// Pictures in a second, over the last three seconds.
    pub rate_hz: f64,
    /// Median age on arrival of the last pictures.
    pub p50_ms: Option<f64>,
    /// 99th percentile of the same.
    pub p99_ms: Option<f64>,
    /// Length of the last sample in bytes.
    pub size_bytes: u64,
    /// Pictures whose content was not as sent. Anything but 0 is a fault.
    pub corrupt: u64,
    /// Ages on arrival of the last pictures, oldest first.
    pub ages_ms: Vec<f64>,
}

/// The commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriverControls {
    /// 0 to 1.
    pub throttle: f32,
    /// 0 to 1.
    pub brake: f32,
    /// −1 (right) to 1 (left).
    pub steering: f32,
    /// The dead-man is held.
    #[serde(default)]
    pub dead_man: bool,
    /// The enable button is pressed.
    #[serde(default)]
    pub enable: bool,
    /// −1 reverse, 0 neutral, 1 and more forward.
    #[serde(default)]
    pub gear: i8,
    /// The emergency stop is on.
    pub e_stop: bool,
}

/// The commands and what became of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriverStatus {
    /// The command flow's name.
    pub flow: String,
    /// What became of them; those under way are in `offered` alone.
    pub ledger: LedgerFigures,
    /// What the driver wants now.
    pub controls: Option<DriverControls>,
    /// The keyboard drives.
    #[serde(default)]
    pub by_keyboard: bool,
    /// Why the source cannot say what the driver wants.
    pub trouble: Option<String>,
}

/// Saving of pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFigures {
    /// Pictures handed over.
    pub offered: u64,
    /// Written.
    pub written: u64,
    /// Given up: the disk was too slow, or failed.
    pub dropped: u64,
    /// Not pictures.
    pub refused: u64,
    /// Why saving ended early.
    pub trouble: Option<String>,
}

impl SavedFigures {
    /// Saving as it stands.
    pub(super) fn of(saver: &Saver) -> SavedFigures {
        let counts = saver.saved();
        SavedFigures {
            offered: counts.offered,
            written: counts.written,
            dropped: counts.dropped,
            refused: counts.refused,
            trouble: saver.trouble(),
        }
    }
}

impl From<&Controls> for DriverControls {
    fn from(controls: &Controls) -> DriverControls {
        DriverControls {
            throttle: controls.throttle(),
            brake: controls.brake(),
            steering: controls.steering(),
            dead_man: controls.dead_man(),
            enable: controls.enable(),
            gear: controls.fittings().gear,
            e_stop: controls.e_stop(),
        }
    }
}

impl Shown for OperatorStatus {
    fn snapshot(&self) -> Snapshot {
        Snapshot {
            network: self.robot.clone(),
            elapsed: span(self.elapsed_ms),
            total: self.total_ms.map(span),
            cameras: self.cameras.iter().map(CameraRow::from).collect(),
            link: LinkRow::from(&self.link),
            control: self.control_row(),
            keys_drive: self.control.as_ref().is_some_and(|control| control.by_keyboard),
            notice: self.notice(),
        }
    }
}

impl OperatorStatus {
    /// What the driver wants, and what the vehicle's gate makes of it.
    fn control_row(&self) -> ControlRow {
        let wanted = self.control.as_ref().map(ControlRow::from).unwrap_or_default();
        match &self.gate {
            Some(gate) => ControlRow { controls: wanted.controls, ..ControlRow::from(gate) },
            None => wanted,
        }
    }

    /// What the driver has to know first.
    fn notice(&self) -> Option<String> {
        let disk = self.saved.as_ref().and_then(|saved| saved.trouble.clone());
        let source = self.control.as_ref().and_then(|control| control.trouble.clone());
        let stale = self.cameras.iter().filter(|camera| camera.is_stale).map(|camera| camera.flow.as_str());
        let stale: Vec<&str> = stale.collect();
        let old = (!stale.is_empty()).then(|| format!("OLD PICTURE: {}", stale.join(", ")));
        old.or(source).or_else(|| self.seat.clone()).or(disk)
    }
}

impl From<&PictureStatus> for CameraRow {
    fn from(status: &PictureStatus) -> CameraRow {
        CameraRow {
            name: status.flow.clone(),
            age: status.age_ms.map(span),
            lifespan: status.lifespan_ms.map(span),
            rate_hz: status.rate_hz,
            ledger: status.ledger.into(),
            p50: status.p50_ms.map(span),
            p99: status.p99_ms.map(span),
            size_bytes: status.size_bytes,
            // Told by the vehicle alone.
            quality: None,
            ages: status.ages_ms.iter().copied().map(span).collect(),
        }
    }
}

impl From<GateReport> for GateHeard {
    fn from(report: GateReport) -> GateHeard {
        GateHeard {
            state: report.state.as_str().to_owned(),
            waits_for: report.need.as_str().to_owned(),
            safe_stops: u64::from(report.safe_stops),
            last_ms: report.last.map(ms),
            p50_ms: report.p50.map(ms),
            p99_ms: report.p99.map(ms),
            cap: Some(CapFigures::from(report.cap)).filter(|cap| *cap != CapFigures::default()),
            seat: Some(SeatHeard::from(report.seat)),
        }
    }
}

impl From<&GateHeard> for ControlRow {
    fn from(heard: &GateHeard) -> ControlRow {
        ControlRow {
            p50: heard.p50_ms.map(span),
            p99: heard.p99_ms.map(span),
            last: heard.last_ms.map(span),
            gate: State::ALL.into_iter().find(|state| state.as_str() == heard.state),
            need: need_of(&heard.waits_for),
            safe_stops: heard.safe_stops,
            held_by: heard.seat.as_ref().and_then(|seat| seat.stop_held_by.clone()),
            slower: heard.cap.as_ref().and_then(SlowerRow::of),
            controls: None,
        }
    }
}

impl From<&DriverStatus> for ControlRow {
    fn from(status: &DriverStatus) -> ControlRow {
        let controls = status.controls.map(|c| match c.e_stop {
            true => Controls::emergency(),
            false if c.dead_man => Controls::clamped(c.throttle, c.brake, c.steering),
            false => Controls::released(c.brake, c.steering),
        });
        ControlRow { controls, ..ControlRow::default() }
    }
}

/// A span of a status; what is negative or no number shows as nothing.
fn span(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms / 1e3).unwrap_or_default()
}

/// The run, as written to `--summary FILE` and given back by [`run`](super::run).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OperatorSummary {
    /// `operator`.
    pub program: String,
    /// The robot's name.
    pub robot: String,
    /// How the run ended; `None` after an error.
    pub ending: Option<Ending>,
    /// The error that ended it.
    pub error: Option<String>,
    /// Both clocks at the beginning.
    pub clocks: ClockPair,
    /// `CLOCK_MONOTONIC` of the end.
    pub ended_ns: u64,
    /// Sessions there were.
    pub sessions: u64,
    /// One entry for each camera.
    pub received: Vec<StreamFigures>,
    /// Ages of each camera's pictures on arrival over the whole run, warm-up included.
    pub ages: Vec<StreamAges>,
    /// The command flow, if somebody drove.
    pub sent: Vec<StreamFigures>,
    /// Pictures whose content was not as sent. Anything but 0 is a fault.
    pub corrupt: u64,
    /// Pictures that gave way because a receiving thread was slow.
    pub overrun: u64,
    /// Samples missing in the records because the main thread was far behind.
    pub unrecorded: u64,
    /// Ticks left out because the machine was more than a second behind.
    pub ticks_left_out: u64,
    /// How capture stamps came onto our clock.
    pub capture_clock: CaptureClock,
    /// Saving of pictures, where asked for.
    pub saved: Option<SavedFigures>,
    /// The link at the end.
    pub link: LinkFigures,
    /// Processor time.
    pub cpu: CpuFigures,
    /// What the scheduler granted.
    pub real_time: Vec<RealTimeGrant>,
    /// The machine.
    pub environment: Environment,
}

/// Ages of one stream's samples on arrival.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StreamAges {
    /// Its flow's name.
    pub stream: String,
    /// Figures; shares are of the samples offered as far as this end knows.
    pub figures: Summary,
}

/// How capture stamps came onto our clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureClock {
    /// Both ends share a clock: stamps are exact to the microsecond.
    pub is_shared: bool,
    /// Vehicle's clock − ours at the end, by the link's estimate.
    pub offset_ns: Option<i64>,
    /// Bound of the estimate's error at the end.
    pub error_ns: Option<u64>,
    /// Largest bound of the error of an age recorded; `None` if no age was by a known estimate.
    pub worst_error_ns: Option<u64>,
    /// Pictures whose age had no estimate of the clock yet.
    pub without_estimate: u64,
}

impl CaptureClock {
    /// An age was recorded whose error is at most `error`.
    pub(super) fn on_age_error(&mut self, error: Duration) {
        match u64::try_from(error.as_nanos()) {
            Ok(error_ns) => self.worst_error_ns = self.worst_error_ns.max(Some(error_ns)),
            Err(_) => self.without_estimate += 1,
        }
    }
}

impl OperatorSummary {
    /// The program's exit code for a run that ended like this.
    pub fn exit_code(&self) -> ExitCode {
        self.ending.map_or(ExitCode::Failed, Ending::exit_code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::plain;

    fn camera(flow: &str, age_ms: f64, is_stale: bool) -> PictureStatus {
        PictureStatus { flow: flow.into(), age_ms: Some(age_ms), is_stale, ..PictureStatus::default() }
    }

    #[test]
    fn an_old_picture_is_what_the_driver_is_told_first() {
        let trouble = Some("the disk is full".to_owned());
        let status = OperatorStatus {
            cameras: vec![camera("camera/front", 45.0, false), camera("camera/rear", 900.0, true)],
            saved: Some(SavedFigures { trouble, ..SavedFigures::default() }),
            ..OperatorStatus::default()
        };
        assert_eq!(status.snapshot().notice.as_deref(), Some("OLD PICTURE: camera/rear"));
        let fresh = OperatorStatus { cameras: vec![camera("camera/front", 45.0, false)], ..status };
        assert_eq!(fresh.snapshot().notice.as_deref(), Some("the disk is full"));
        assert!(plain::line(&fresh.snapshot()).contains("camera/front age 45.0 ms"));
    }

    #[test]
    fn a_status_with_impossible_times_is_shown_and_not_fatal() {
        let status = OperatorStatus {
            elapsed_ms: f64::NAN,
            cameras: vec![camera("camera/front", -1.0, false)],
            ..OperatorStatus::default()
        };
        assert_eq!(status.snapshot().cameras[0].age, Some(Duration::ZERO));
    }
}
