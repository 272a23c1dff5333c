//! The `robot.yaml` of a bridged case: the drive's flows, with ROS 2's names and the type that the DDS programs have.
//!
//! Pure. Invariant: class, reliability and lifespan are those of the link's own case, so that what differs is the bridge.

use tokkyu_link::sim::drive::Workload;

use crate::drive::case::{COMMAND, CaseSpec, camera_flow};

/// ROS 2's name of the DDS programs' type (PEER-12).
const TYPE: &str = "tokkyu_msgs/msg/Picture";
/// What CDR adds to the bytes of a sample: its encapsulation header and the sequence's length.
const CDR_BYTES: usize = 8;

/// The declaration of a case.
pub(super) fn robot(spec: &CaseSpec) -> String {
    let Workload { image_bytes, command_bytes, .. } = spec.workload();
    let mut text = "robot: lab-vehicle\nflows:\n".to_owned();
    for number in 1..=spec.images {
        text += &format!(
            "  {}: {{type: {TYPE}, rate: 10 Hz, size: {} B, class: realtime, {}}}\n",
            camera_flow(number),
            image_bytes + CDR_BYTES,
            spec.quality.yaml()
        );
    }
    text += &format!(
        "  {COMMAND}: {{type: {TYPE}, rate: 50 Hz, size: {} B, class: control, reliability: reliable, depth: 1, lifespan: 150 ms, \
         toward: vehicle}}\n",
        command_bytes + CDR_BYTES
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::bridge::plan::tests::plan;
    use crate::drive::setup;
    use tokkyu_contract::{History, Qos, yaml};

    #[test]
    fn a_bridged_case_declares_what_the_links_own_does_but_for_type_and_deadline_and_a_commands_depth() {
        // LAB-18
        let spec = plan().cases().remove(2).spec;
        let parsed =
            |text: &str| yaml::robot::parse("robot.yaml", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (bridged, link) = (parsed(&robot(&spec)), parsed(&setup::robot(&spec)));
        assert_eq!((bridged.flows.len(), link.flows.len()), (5, 5));
        for (ours, own) in bridged.flows.iter().zip(&link.flows) {
            assert_eq!((&ours.name, ours.class, ours.toward), (&own.name, own.class, own.toward));
            let history = if own.name == COMMAND { History::KeepLast { depth: 1 } } else { own.qos.history };
            let qos = Qos { deadline: None, history, ..own.qos };
            assert_eq!((ours.qos, ours.rate), (qos, own.rate), "{}", own.name);
        }
    }
}
