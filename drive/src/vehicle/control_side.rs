//! What the main thread keeps of the commands: the gate as it was told last, the threads around it, and who is shown it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;

use tokkyu_contract::MonoTime;

use super::gate_view::GateView;
use super::given::Given;
use super::latch::Latch;
use super::onlooker::{MotorsStatus, Onlooker};
use crate::program::{GateTeller, Recent, StopFlag};
use crate::safety::report::GateReport;
use crate::safety::{Cause, Gate, Need, SeatView, State};

/// What the main thread keeps of the commands.
pub(super) struct ControlSide {
    pub(super) flow: String,
    /// What the motors have to say at the start.
    pub(super) notice: Option<String>,
    /// Who shows the gate to others.
    pub(super) onlooker: Option<Box<dyn Onlooker>>,
    pub(super) gate: GateView,
    pub(super) ages: Recent,
    pub(super) teller: GateTeller,
    pub(super) payload_bytes: u64,
    /// The emergency stop, kept for the next program.
    pub(super) latch: Latch,
    /// Pictures do not reach the driver: the gate stops the vehicle.
    pub(super) blind: Arc<AtomicBool>,
    /// What the motors were given last.
    pub(super) given: Arc<Given>,
    pub(super) has_second_brake: bool,
    /// The watchdog says that they do not answer.
    pub(super) is_silent: bool,
    pub(super) halt: StopFlag,
    pub(super) thread: Option<JoinHandle<Gate>>,
    /// The watchdog's end, and its thread.
    pub(super) unwatched: StopFlag,
    pub(super) watchdog: Option<JoinHandle<()>>,
    /// The gate as its thread left it.
    pub(super) left: Option<Gate>,
}

impl ControlSide {
    /// The gate, and what the vehicle waits for whatever the gate says.
    pub(super) fn view(&self) -> GateView {
        match self.is_silent {
            true => GateView { need: Need::Motors, ..self.gate },
            false => self.gate,
        }
    }

    /// What there is to say of the motors at the start.
    pub(super) fn beforehand(&self) -> Option<String> {
        let one_way = "the motors have no second brake (Motors::second_brake): when they do not answer nothing else brakes";
        self.notice.clone().or_else(|| (!self.has_second_brake).then(|| one_way.to_owned()))
    }

    /// Lets others see the gate; what the user has to know.
    pub(super) fn show(&mut self, now: MonoTime, seat: SeatView) -> Option<String> {
        let (report, cause) = (self.report(now, seat), self.gate.cause);
        self.onlooker.as_mut()?.on_gate(now, &report, cause)
    }

    pub(super) fn show_end(&mut self, now: MonoTime, seat: SeatView) {
        if self.gate.state == State::Driving {
            // The thread died, or its motors hold it: nobody said how it ended.
            (self.gate.state, self.gate.need) = (State::Stopping, Need::Motors);
            self.gate.cause = Some(Cause::Ended);
        }
        let (report, cause) = (self.report(now, seat), self.gate.cause);
        self.onlooker.iter_mut().for_each(|onlooker| onlooker.on_end(now, &report, cause));
    }

    /// The gate's own state: that of the motors may be older for a moment, and a change is shown once.
    fn report(&self, now: MonoTime, seat: SeatView) -> GateReport {
        let view = self.view();
        GateReport { state: view.state, ..view.report(now, &self.given, &self.ages, seat) }
    }

    pub(super) fn motors(&self) -> Option<MotorsStatus> {
        self.onlooker.as_ref().map(|onlooker| onlooker.status())
    }

    pub(super) fn motors_in_words(&self) -> String {
        match (self.is_silent, self.has_second_brake) {
            (true, true) => "THE MOTORS DO NOT ANSWER: the second brake is pulled".to_owned(),
            (true, false) => {
                "THE MOTORS DO NOT ANSWER, and have no second brake: stop the vehicle by its own switch"
                    .to_owned()
            }
            (false, _) => "the motors answer again".to_owned(),
        }
    }
}
