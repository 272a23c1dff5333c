//! What the vehicle's program tells while it runs, and at its end.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokkyu_contract::MonoTime;
use tokkyu_measure::Environment;

use super::gate_view::GateView;
use super::onlooker::MotorsStatus;
use super::quality::QualityFigures;
use crate::control::Controls;
use crate::program::display::Shown;
use crate::program::figures::ms;
use crate::program::{
    CapFigures, ClockPair, CpuFigures, Ending, ExitCode, Happening, LedgerFigures, LinkFigures, LinkStatus,
    RealTimeGrant, Recent, StreamFigures,
};
use crate::safety::{Gate, State};
use crate::text::printable;
use crate::view::plain;
use crate::view::snapshot::{
    CameraRow, ControlRow, LinkRow, SlowerRow, Snapshot, clock, need_of, rate, size,
};

/// The vehicle at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VehicleStatus {
    /// `CLOCK_MONOTONIC` of this machine.
    pub at_ns: u64,
    /// Time since the program began.
    pub elapsed_ms: f64,
    /// The operator's address.
    pub peer: String,
    /// One entry for each camera, in the robot's order.
    pub cameras: Vec<CameraStatus>,
    /// The link.
    pub link: LinkStatus,
    /// The commands, where the robot takes any.
    pub control: Option<GateStatus>,
    /// Where the gate's output goes; `null`: it is shown only, or motors of the program's own tell nothing of it.
    #[serde(default)]
    pub motors: Option<MotorsStatus>,
    /// Who drives, where the vehicle serves more than one end.
    #[serde(default)]
    pub seat: Option<SeatStatus>,
}

/// Who drives, and who is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatStatus {
    /// Name of the end that drives.
    pub driver: String,
    /// Name of the end that asks for the seat.
    pub asker: Option<String>,
    /// Name of the end that holds the emergency stop without driving: a reset of the driver is void.
    #[serde(default)]
    pub stop_held_by: Option<String>,
    /// All of them, in the site's order.
    pub ends: Vec<EndStatus>,
}

/// An end that the vehicle serves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndStatus {
    /// Its name.
    pub name: String,
    /// `watch`, `drive` or `force`.
    pub may: String,
    /// Its link is up.
    pub is_here: bool,
}

/// One camera.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CameraStatus {
    /// Its flow's name.
    pub flow: String,
    /// What became of its pictures; those under way are in `offered` alone.
    pub ledger: LedgerFigures,
    /// Bit/s the link grants it, `None` before the link knows.
    pub granted_bps: Option<u64>,
    /// JPEG quality of the last picture, where it compresses.
    pub quality: Option<u8>,
    /// Length of the last sample in bytes.
    pub sample_bytes: u64,
    /// The flow's lifespan.
    pub lifespan_ms: Option<f64>,
    /// Why it has no picture now.
    pub trouble: Option<String>,
}

/// The gate and what came to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GateStatus {
    /// The command flow's name.
    pub flow: String,
    /// `locked`, `ready`, `driving`, `STOPPING`, `STOPPED` or `EMERGENCY STOP`.
    pub state: String,
    /// What it waits for before the vehicle may move; empty while it drives.
    #[serde(default)]
    pub waits_for: String,
    /// Safe stops so far.
    pub safe_stops: u64,
    /// What came and what became of it.
    pub commands: CommandCounts,
    /// Age on arrival of the last command.
    pub last_ms: Option<f64>,
    /// Median age on arrival of the last commands.
    pub p50_ms: Option<f64>,
    /// 99th percentile of the same.
    pub p99_ms: Option<f64>,
    /// What the motors get.
    pub output: Output,
    /// How fast the vehicle may be, where that is declared.
    #[serde(default)]
    pub cap: Option<CapFigures>,
}

/// What became of the commands that came, by the gate's log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandCounts {
    /// Let through.
    pub accepted: u64,
    /// Resets let through.
    pub resets: u64,
    /// Emergency stops.
    pub e_stops: u64,
    /// Older than the lifespan.
    pub too_old: u64,
    /// Of an age that is not known well enough.
    #[serde(default)]
    pub age_unknown: u64,
    /// Overtaken, or copies.
    pub out_of_order: u64,
    /// Refused because the emergency stop is latched.
    pub latched: u64,
    /// Refused because the vehicle stood or stopped and was not enabled.
    #[serde(default)]
    pub not_enabled: u64,
    /// Emergency stops of ends that do not drive.
    #[serde(default)]
    pub other_stops: u64,
    /// Other commands of theirs.
    #[serde(default)]
    pub not_seated: u64,
}

/// What the motors get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// 0 to 1.
    pub throttle: f32,
    /// 0 to 1.
    pub brake: f32,
    /// −1 (right) to 1 (left).
    pub steering: f32,
    /// −1 reverse, 0 neutral, 1 and more forward.
    #[serde(default)]
    pub gear: i8,
}

impl From<Controls> for Output {
    fn from(controls: Controls) -> Output {
        Output {
            throttle: controls.throttle(),
            brake: controls.brake(),
            steering: controls.steering(),
            gear: controls.fittings().gear,
        }
    }
}

impl GateStatus {
    /// The status of `flow`'s gate.
    pub(super) fn of(flow: &str, gate: &GateView, ages: &Recent) -> GateStatus {
        let [p50, p99] = ages.percentiles([50, 99]);
        let counts = &gate.counts;
        GateStatus {
            flow: flow.to_owned(),
            state: gate.state.as_str().to_owned(),
            waits_for: gate.need.as_str().to_owned(),
            safe_stops: gate.safe_stops(),
            commands: CommandCounts {
                accepted: counts.accepted,
                resets: counts.resets,
                e_stops: counts.e_stops,
                too_old: counts.too_old,
                age_unknown: counts.age_unknown,
                out_of_order: counts.out_of_order,
                latched: counts.latched,
                not_enabled: counts.not_enabled,
                other_stops: counts.other_stops,
                not_seated: counts.not_seated,
            },
            last_ms: ages.last().map(ms),
            p50_ms: p50.map(ms),
            p99_ms: p99.map(ms),
            output: Output::from(gate.output),
            cap: gate.cap.map(CapFigures::from),
        }
    }
}

impl Shown for VehicleStatus {
    fn snapshot(&self) -> Snapshot {
        let row = |camera: &CameraStatus| CameraRow {
            name: camera.flow.clone(),
            lifespan: camera.lifespan_ms.map(span),
            ledger: camera.ledger.into(),
            size_bytes: camera.sample_bytes,
            quality: camera.quality,
            ..CameraRow::default()
        };
        Snapshot {
            network: self.peer.clone(),
            elapsed: span(self.elapsed_ms),
            total: None,
            cameras: self.cameras.iter().map(row).collect(),
            link: LinkRow::from(&self.link),
            control: self.control_row(),
            keys_drive: false,
            notice: self.cameras.iter().find_map(|camera| camera.trouble.clone()),
        }
    }

    /// The sender's side: what left and what is known to have arrived, instead of ages nobody knows here.
    fn line(&self) -> String {
        let snapshot = self.snapshot();
        let mut parts = vec![format!("{} to {}", clock(snapshot.elapsed), printable(&self.peer, 60))];
        parts.extend(self.cameras.iter().map(CameraStatus::line));
        parts.push(plain::link(&snapshot));
        if self.control.is_some() {
            parts.push(plain::control(&snapshot));
        }
        parts.join(" | ")
    }
}

impl VehicleStatus {
    fn control_row(&self) -> ControlRow {
        let held_by = self.seat.as_ref().and_then(|seat| seat.stop_held_by.clone());
        let control = self.control.as_ref().map(ControlRow::from).unwrap_or_default();
        ControlRow { held_by, ..control }
    }
}

impl CameraStatus {
    fn line(&self) -> String {
        let LedgerFigures { offered, delivered, late, expired, dropped, lost } = self.ledger;
        let granted = self.granted_bps.map_or("–".to_owned(), rate);
        let quality = self.quality.map_or(String::new(), |quality| format!(", quality {quality}"));
        let trouble = self.trouble.as_ref().map_or(String::new(), |why| format!(", {}", printable(why, 300)));
        format!(
            "{} {delivered} of {offered} delivered, late {late} expired {expired} dropped {dropped} lost {lost}, \
             {} of {granted} granted{quality}{trouble}",
            self.flow,
            size(self.sample_bytes)
        )
    }
}

impl From<&GateStatus> for ControlRow {
    fn from(status: &GateStatus) -> ControlRow {
        let Output { throttle, brake, steering, .. } = status.output;
        ControlRow {
            p50: status.p50_ms.map(span),
            p99: status.p99_ms.map(span),
            last: status.last_ms.map(span),
            gate: State::ALL.into_iter().find(|state| state.as_str() == status.state),
            need: need_of(&status.waits_for),
            safe_stops: status.safe_stops,
            held_by: None,
            slower: status.cap.as_ref().and_then(SlowerRow::of),
            controls: Some(Controls::clamped(throttle, brake, steering)),
        }
    }
}

/// A span of a status; what is negative or no number shows as nothing.
fn span(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms / 1e3).unwrap_or_default()
}

/// The run, as written to `--summary FILE` and given back by [`run`](super::run).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VehicleSummary {
    /// `vehicle`.
    pub program: String,
    /// The robot's name.
    pub robot: String,
    /// How the run ended; `None` after an error.
    pub ending: Option<Ending>,
    /// The error that ended it.
    pub error: Option<String>,
    /// Both clocks at the beginning.
    pub clocks: ClockPair,
    /// `CLOCK_MONOTONIC` of the first tick, `None` if it never came.
    pub first_tick_ns: Option<u64>,
    /// `CLOCK_MONOTONIC` of the end.
    pub ended_ns: u64,
    /// Sessions there were.
    pub sessions: u64,
    /// One entry for each camera.
    pub sent: Vec<StreamFigures>,
    /// The command flow, if there is one.
    pub received: Vec<StreamFigures>,
    /// Ticks left out because the machine was more than a second behind.
    pub ticks_left_out: u64,
    /// Samples missing in the records because the main thread was far behind.
    pub unrecorded: u64,
    /// JPEG quality of each camera that compresses.
    #[serde(default)]
    pub qualities: Vec<QualityFigures>,
    /// What cameras had to complain of, and that they were back; the first hundred.
    #[serde(default)]
    pub troubles: Vec<Happening>,
    /// Safe stops before the last picture was taken; later ones are the end of the run.
    #[serde(default)]
    pub safe_stops_on_the_way: u64,
    /// The gate at the end.
    pub gate: Option<GateStatus>,
    /// The gate's latest happenings, oldest first.
    pub gate_log: Vec<GateEntry>,
    /// The link at the end.
    pub link: LinkFigures,
    /// Processor time.
    pub cpu: CpuFigures,
    /// What the scheduler granted.
    pub real_time: Vec<RealTimeGrant>,
    /// The machine.
    pub environment: Environment,
}

impl VehicleSummary {
    /// The program's exit code for a run that ended like this.
    pub fn exit_code(&self) -> ExitCode {
        self.ending.map_or(ExitCode::Failed, Ending::exit_code)
    }
}

/// Equal happenings at the gate in a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateEntry {
    /// The first of them.
    pub first: Happening,
    /// `CLOCK_MONOTONIC` of the last.
    pub last_ns: u64,
    /// How many.
    pub count: u64,
}

impl GateEntry {
    /// The entries of `gate`'s log.
    pub(super) fn of(gate: &Gate) -> Vec<GateEntry> {
        let entry = |entry: &crate::safety::Entry| GateEntry {
            first: Happening::new(entry.first, format!("{:?}", entry.what)),
            last_ns: entry.last.as_nanos(),
            count: entry.count,
        };
        gate.log().entries().map(entry).collect()
    }
}

/// Elapsed milliseconds from `start` to `now`.
pub(super) fn elapsed_ms(start: MonoTime, now: MonoTime) -> f64 {
    ms(now.since(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Line, LinkState};

    fn status() -> VehicleStatus {
        let camera = CameraStatus {
            flow: "camera/front".into(),
            granted_bps: Some(3_000_000),
            sample_bytes: 374_000,
            trouble: Some("/dev/video0: the camera vanished".into()),
            ..CameraStatus::default()
        };
        let link = LinkStatus { state: LinkState::Up(2), granted_bps: 3_000_000, ..LinkStatus::default() };
        let control = GateStatus {
            state: "STOPPING".into(),
            waits_for: "waits for throttle 0 for 0.5 s".into(),
            safe_stops: 1,
            ..GateStatus::default()
        };
        VehicleStatus { cameras: vec![camera], link, control: Some(control), ..VehicleStatus::default() }
    }

    #[test]
    fn a_line_of_json_is_read_back_as_what_was_told() {
        let line = serde_json::to_string(&Line::Status(status())).unwrap();
        assert!(line.starts_with("{\"status\":{") && !line.contains('\n'), "{line}");
        assert_eq!(serde_json::from_str::<Line<VehicleStatus>>(&line).unwrap(), Line::Status(status()));
        let event = r#"{"event":{"at_ns":5,"text":"driving","added_by_a_newer_version":true}}"#;
        let read = serde_json::from_str::<Line<VehicleStatus>>(event).unwrap();
        assert_eq!(read, Line::Event(Happening { at_ns: 5, text: "driving".into() }));
    }

    #[test]
    fn view_and_line_show_the_gate_and_a_camera_in_trouble() {
        let line = status().line();
        assert!(
            line.contains("control STOPPING, waits for throttle 0 for 0.5 s")
                && line.contains("safe stops 1"),
            "{line}"
        );
        let camera = "| camera/front 0 of 0 delivered, late 0 expired 0 dropped 0 lost 0, \
                      374.0 kB of 3.00 Mbit/s granted, /dev/video0: the camera vanished |";
        assert!(line.contains(camera), "{line}");
        assert_eq!(status().snapshot().notice.as_deref(), Some("/dev/video0: the camera vanished"));
    }
}
