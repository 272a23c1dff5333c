//! The gate's changes in words, as events tell them.
//!
//! Pure.

use super::gate_view::GateView;
use crate::safety::{Cap, Cause, Change, Need, State};

/// Words for a change of `flow`'s gate, which is `gate` now.
pub(super) fn change_in_words(change: Change, gate: &GateView, flow: &str) -> String {
    match change.to {
        State::Stopping => format!("STOPPING: {}", cause_in_words(gate, flow)),
        State::Stopped => "STOPPED: held by the brakes until the driver enables".to_owned(),
        State::Emergency => "EMERGENCY STOP".to_owned(),
        State::Driving => format!("driving (was: {})", change.from.as_str()),
        State::Ready => "ready: the driver's controls are neutral".to_owned(),
        State::Locked if change.from == State::Emergency => {
            "locked: the emergency stop was released; held by the brakes until the driver enables".to_owned()
        }
        State::Locked => "locked: held by the brakes until the driver enables".to_owned(),
    }
}

/// Words for the speed that `gate` allows.
pub(super) fn cap_in_words(gate: &GateView) -> String {
    let Some(Cap { most_mps: Some(most), latency: Some(latency), .. }) = gate.cap else {
        return "as fast as the vehicle can again".to_owned();
    };
    let (kmh, ms) = (most * 3.6, latency.as_millis());
    format!("SLOWER: at most {kmh:.1} km/h, for it takes {ms} ms from picture to reaction")
}

fn cause_in_words(gate: &GateView, flow: &str) -> String {
    match (gate.cause, gate.need) {
        (Some(Cause::Released), _) => "the dead-man was let go".to_owned(),
        (Some(Cause::Blind), _) => "pictures do not reach the driver".to_owned(),
        (Some(Cause::SeatTaken), _) => "another end has the seat".to_owned(),
        (Some(Cause::Anew), _) => "the operator's program began anew".to_owned(),
        (Some(Cause::Ended), _) => "the vehicle's program ends".to_owned(),
        (Some(Cause::Motors), _) => "the motors did not take their controls in time".to_owned(),
        (_, Need::YoungerCommand | Need::Clock) => {
            format!("no fresh command on {flow} within its deadline; {}", gate.need.as_str())
        }
        _ => format!("no fresh command on {flow} within its deadline"),
    }
}
