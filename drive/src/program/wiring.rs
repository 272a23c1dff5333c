//! From the contract to the link: publications, subscriptions, real-time threads.

use std::time::Duration;

use tokkyu_contract::yaml::robot::{Flow, Robot, Toward};
use tokkyu_contract::{Class, Rate};
use tokkyu_link::carrier::realtime::{self, RealTime};
use tokkyu_link::core::{Publication, Subscription};

use super::{DriveError, RealTimeGrant, gate_flow};
use crate::control::COMMAND_BYTES;

/// Pictures in a second of a camera whose flow names no rate.
const CAMERA_PERIOD: Duration = Duration::from_millis(100);
/// Commands in a second of a flow that names no rate: 50.
const COMMAND_PERIOD: Duration = Duration::from_millis(20);

/// Gives the calling thread what its class asks for; says what came of it.
pub(crate) fn make_real_time(thread: &str, fifo_priority: Option<u8>) -> Vec<RealTimeGrant> {
    let wanted = RealTime { fifo_priority, lock_memory: false, cores: Vec::new() };
    RealTimeGrant::of(thread, &realtime::apply(&wanted))
}

/// The flows that carry pictures to the operator, in the robot's order.
pub(crate) fn camera_flows(robot: &Robot) -> impl Iterator<Item = &Flow> {
    robot.flows.iter().filter(|flow| flow.toward == Toward::Operator && flow.source.is_some())
}

/// The flow that carries commands to the vehicle, if there is one.
pub(crate) fn command_flow(robot: &Robot) -> Result<Option<&Flow>, DriveError> {
    gate_flow::check(robot)?;
    let drives = |flow: &&Flow| {
        flow.toward == Toward::Vehicle
            && flow.class == Class::Control
            && flow.matching.is_none()
            && !flow.is_pattern()
    };
    let mut flows = robot.flows.iter().filter(drives);
    let first = flows.next();
    if let (Some(first), Some(second)) = (first, flows.next()) {
        let (first, second) = (first.name.clone(), second.name.clone());
        return Err(DriveError::TwoCommandFlows { first, second });
    }
    if let Some(flow) = first.filter(|flow| flow.size.is_some_and(|size| size.0 < COMMAND_BYTES as u64)) {
        let what = format!("a command has {COMMAND_BYTES} bytes, more than the flow's size");
        return Err(DriveError::Flow { flow: flow.name.clone(), what, remedy: "write size: 64 B" });
    }
    Ok(first)
}

/// Words for each flow that neither program carries, with the remedy. Flows of other programs (`match`) and patterns, which
/// are the bridge's, are none of ours.
pub(crate) fn not_carried(robot: &Robot) -> Vec<String> {
    let words = |flow: &Flow| {
        let why = match (flow.toward, flow.source.is_some(), flow.class) {
            (Toward::Operator, true, _) | (Toward::Vehicle, _, Class::Control) => return None,
            (Toward::Operator, false, _) => {
                "it has no source; add source: {v4l2: /dev/video0} or another to it"
            }
            (Toward::Vehicle, ..) => {
                "of the flows toward the vehicle only the one of class control is; give it to another program"
            }
        };
        Some(format!("flow {} is not carried: {why} (robot.yaml)", flow.name))
    };
    let named = |flow: &&Flow| flow.matching.is_none() && !flow.is_pattern();
    robot.flows.iter().filter(named).filter_map(words).collect()
}

/// Time between two samples of `flow`.
pub(crate) fn period(flow: &Flow) -> Duration {
    let usual = if flow.toward == Toward::Vehicle { COMMAND_PERIOD } else { CAMERA_PERIOD };
    flow.rate.map_or(usual, Rate::period)
}

/// The cameras whose pictures say how old what the driver sees is (DRV-105), each with its place among all: all of them,
/// or those that the declaration names.
pub(crate) fn cameras_that_count(robot: &Robot) -> Vec<(usize, &Flow)> {
    let named = robot.vehicle.degraded.as_ref().map(|degraded| &degraded.cameras);
    let counts = |flow: &Flow| named.is_none_or(|names| names.contains(&flow.name));
    camera_flows(robot).enumerate().filter(|(_, flow)| counts(flow)).collect()
}

/// `flow` as its publisher announces it; `bytes` is the length of its longest sample, 0 where that is not known.
pub(crate) fn publication(flow: &Flow, bytes: usize) -> Publication {
    Publication {
        topic: flow.name.clone(),
        type_name: flow.type_name.clone().unwrap_or_default(),
        class: flow.class,
        qos: flow.qos,
        period: Some(period(flow)),
        size_bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
    }
}

/// `flow` as its subscriber asks for it.
pub(crate) fn subscription(flow: &Flow) -> Subscription {
    Subscription {
        topic: flow.name.clone(),
        type_name: flow.type_name.clone().unwrap_or_default(),
        qos: flow.qos,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::yaml::robot;

    fn robot(flows: &str) -> Robot {
        robot::parse("robot.yaml", &format!("robot: r\nflows:\n{flows}")).unwrap()
    }

    #[test]
    fn one_flow_drives_and_two_are_refused_by_name() {
        let one = robot("  a: {class: control, toward: vehicle}\n  b: {class: realtime, toward: vehicle}\n");
        assert_eq!(command_flow(&one).unwrap().map(|flow| flow.name.as_str()), Some("a"));
        let two = robot("  a: {class: control, toward: vehicle}\n  b: {class: control, toward: vehicle}\n");
        let error = command_flow(&two).unwrap_err();
        assert!(error.to_string().starts_with("flows a and b are both of class control"), "{error}");
        let small = robot("  a: {class: control, toward: vehicle, size: 8 B}\n");
        assert!(matches!(command_flow(&small), Err(DriveError::Flow { .. })));
        let reserved = command_flow(&robot("  tokkyu/gate: {class: realtime}\n")).unwrap_err().to_string();
        assert!(reserved.contains("tokkyu/gate") && reserved.contains("another name"), "{reserved}");
    }

    #[test]
    fn every_flow_that_is_not_carried_is_named_with_the_remedy_and_no_other() {
        let robot = robot(
            "  a: {class: realtime}\n  b: {class: realtime, source: {test: picture}}\n  \
             c: {class: control, toward: vehicle}\n  d: {class: background, toward: vehicle}\n  \
             e: {class: background, match: {dst_port: 443}}\n",
        );
        let words = not_carried(&robot);
        assert_eq!(words.len(), 2, "{words:?}");
        assert!(
            words[0].starts_with("flow a is not carried") && words[0].contains("add source:"),
            "{words:?}"
        );
        assert!(
            words[1].starts_with("flow d is not carried") && words[1].contains("class control"),
            "{words:?}"
        );
    }
}
