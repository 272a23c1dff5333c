//! The gate as ROS's tools show it: one status of `/diagnostics`. SPEC.md DRV-119.
//!
//! Pure.

use std::time::Duration;

use tokkyu_bridge::motors::{Diagnosis, Level};

use crate::safety::report::GateReport;
use crate::safety::{Cause, Need, State};
use crate::vehicle::onlooker::MotorsStatus;

/// How `gate` is, which stopped last for `cause`, of the vehicle called `robot`.
pub(super) fn diagnosis(
    robot: &str,
    gate: &GateReport,
    cause: Option<Cause>,
    motors: &MotorsStatus,
) -> Diagnosis {
    let state = gate.state.as_str();
    let message = match gate.need {
        Need::Nothing => state.to_owned(),
        need => format!("{state}; {}", need.as_str()),
    };
    let values = [
        ("state", state.to_owned()),
        ("waits_for", gate.need.as_str().to_owned()),
        ("driver", gate.seat.driver.1.as_str().to_owned()),
        ("last_stop", cause.map_or("", Cause::as_str).to_owned()),
        ("safe_stops", gate.safe_stops.to_string()),
        ("most_mps", gate.cap.most_mps.map_or_else(String::new, |mps| format!("{mps:.2}"))),
        ("latency_ms", ms(gate.cap.latency)),
        ("pictures_age_ms", ms(gate.cap.pictures)),
        ("command_age_ms", ms(gate.last)),
        ("command_age_p50_ms", ms(gate.p50)),
        ("command_age_p99_ms", ms(gate.p99)),
        ("motors_given_ms", ms(gate.given)),
        ("speed_mps", motors.speed_mps.map_or_else(String::new, |mps| format!("{mps:.2}"))),
        ("subscribers", motors.subscribers.map_or_else(String::new, |count| count.to_string())),
        ("untaken", motors.untaken.to_string()),
        ("trouble", motors.trouble.clone().unwrap_or_default()),
    ];
    Diagnosis {
        level: level(gate),
        name: "tokkyu: gate".to_owned(),
        message,
        hardware: robot.to_owned(),
        values: values.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
    }
}

fn level(gate: &GateReport) -> Level {
    match (gate.need, gate.state) {
        (Need::Motors, _) => Level::Error,
        (_, State::Stopping | State::Emergency) => Level::Warn,
        _ if gate.cap.most_mps.is_some() => Level::Warn,
        _ => Level::Ok,
    }
}

/// Empty for what is not known.
fn ms(span: Option<Duration>) -> String {
    span.map_or_else(String::new, |span| format!("{:.1}", span.as_secs_f64() * 1e3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety::{Cap, SeatView};

    fn driving() -> GateReport {
        GateReport {
            state: State::Driving,
            need: Need::Nothing,
            given: Some(Duration::from_millis(12)),
            safe_stops: 2,
            last: Some(Duration::from_micros(25_400)),
            p50: None,
            p99: None,
            cap: Cap::default(),
            seat: SeatView::of_first("operator"),
        }
    }

    fn value(diagnosis: &Diagnosis, key: &str) -> String {
        let found = diagnosis.values.iter().find(|(name, _)| name == key);
        found.unwrap_or_else(|| panic!("no {key}")).1.clone()
    }

    #[test]
    fn state_cause_cap_and_ages_are_told_and_what_is_not_known_is_empty() {
        let cap = Cap { most_mps: Some(2.5), latency: Some(Duration::from_millis(240)), ..Cap::default() };
        let gate = GateReport { cap, ..driving() };
        let told = diagnosis("rover", &gate, Some(Cause::Lost), &MotorsStatus::default());
        assert_eq!(
            (told.level, told.message.as_str(), told.hardware.as_str()),
            (Level::Warn, "driving", "rover")
        );
        let values = ["state", "last_stop", "most_mps", "latency_ms", "command_age_ms", "command_age_p99_ms"];
        let expected = ["driving", "commands ceased", "2.50", "240.0", "25.4", ""];
        assert_eq!(values.map(|key| value(&told, key)), expected);
    }

    #[test]
    fn it_is_well_as_a_driver_would_say() {
        let level = |gate: GateReport| diagnosis("r", &gate, None, &MotorsStatus::default()).level;
        assert_eq!(level(driving()), Level::Ok);
        assert_eq!(
            level(GateReport { state: State::Locked, need: Need::FreshCommand, ..driving() }),
            Level::Ok
        );
        assert_eq!(
            level(GateReport { state: State::Emergency, need: Need::Reset, ..driving() }),
            Level::Warn
        );
        let silent = diagnosis(
            "r",
            &GateReport { state: State::Stopping, need: Need::Motors, ..driving() },
            None,
            &MotorsStatus::default(),
        );
        assert_eq!(
            (silent.level, silent.message.as_str()),
            (Level::Error, "STOPPING; THE MOTORS DO NOT ANSWER")
        );
    }
}
