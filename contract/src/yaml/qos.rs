//! The QoS fields of a flow, in ROS 2's words. What is not given has ROS 2's default.

use super::error::Log;
use super::fields::{Field, Fields};
use crate::qos::{Contradiction, Durability, History, Liveliness, Qos, Reliability};
use crate::units::{Quantity, parse_duration};

/// The fields this module reads.
pub(super) const FIELDS: [&str; 8] = [
    "reliability",
    "history",
    "depth",
    "durability",
    "deadline",
    "lifespan",
    "liveliness",
    "liveliness_lease",
];

/// Which QoS fields a flow declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenQos {
    /// `reliability`.
    pub reliability: bool,
    /// `history` or `depth`.
    pub history: bool,
    /// `durability`.
    pub durability: bool,
    /// `deadline`.
    pub deadline: bool,
    /// `lifespan`.
    pub lifespan: bool,
    /// `liveliness`.
    pub liveliness: bool,
    /// `liveliness_lease`.
    pub liveliness_lease: bool,
}

/// Which of the fields `flow` has.
pub(super) fn given(flow: &Fields<'_>) -> GivenQos {
    let has = |name| flow.get(name).is_some();
    GivenQos {
        reliability: has("reliability"),
        history: has("history") || has("depth"),
        durability: has("durability"),
        deadline: has("deadline"),
        lifespan: has("lifespan"),
        liveliness: has("liveliness"),
        liveliness_lease: has("liveliness_lease"),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum HistoryKind {
    KeepLast,
    KeepAll,
}

/// Reads a flow's QoS and reports what no endpoint could keep (CON-12, CON-13).
pub(super) fn read(flow: &Fields<'_>, log: &mut Log<'_>) -> Qos {
    let default = Qos::default();
    let mut duration = |name| -> Option<std::time::Duration> {
        flow.get(name)?.quantity(log, Quantity::Duration, parse_duration)
    };
    let (deadline, lifespan) = (duration("deadline"), duration("lifespan"));
    let liveliness_lease = duration("liveliness_lease");
    let reliabilities = [("reliable", Reliability::Reliable), ("best_effort", Reliability::BestEffort)];
    let durabilities = [("volatile", Durability::Volatile), ("transient_local", Durability::TransientLocal)];
    let livelinesses = [("automatic", Liveliness::Automatic), ("manual_by_topic", Liveliness::ManualByTopic)];
    let qos = Qos {
        reliability: word(flow.get("reliability"), log, &reliabilities).unwrap_or(default.reliability),
        history: history(flow, log).unwrap_or(default.history),
        durability: word(flow.get("durability"), log, &durabilities).unwrap_or(default.durability),
        deadline,
        lifespan,
        liveliness: word(flow.get("liveliness"), log, &livelinesses).unwrap_or(default.liveliness),
        liveliness_lease,
    };
    report_contradictions(qos, flow, log);
    qos
}

fn word<T: Copy>(field: Option<Field<'_>>, log: &mut Log<'_>, words: &[(&str, T)]) -> Option<T> {
    field?.word(log, words)
}

/// `history` and `depth` make one policy; a depth alone means `keep_last`.
fn history(flow: &Fields<'_>, log: &mut Log<'_>) -> Option<History> {
    let kinds = [("keep_last", HistoryKind::KeepLast), ("keep_all", HistoryKind::KeepAll)];
    let kind = word(flow.get("history"), log, &kinds);
    if kind == Some(HistoryKind::KeepAll) {
        if flow.get("depth").is_some() {
            let what = "history: keep_all has no depth";
            flow.wrong(log, "depth", what, "remove depth or write history: keep_last");
        }
        return Some(History::KeepAll);
    }
    let depth = flow.get("depth")?.integer(log, 0..=u64::from(u32::MAX))?;
    Some(History::KeepLast { depth: u32::try_from(depth).unwrap_or(u32::MAX) })
}

/// [`Qos::contradiction`] names one at a time: each is reported, then healed in a copy, until none is left.
fn report_contradictions(mut qos: Qos, flow: &Fields<'_>, log: &mut Log<'_>) {
    while let Some(found) = qos.contradiction() {
        let field = match found {
            Contradiction::DepthZero => {
                qos.history = History::KeepAll;
                "depth"
            }
            Contradiction::ZeroLifespan => {
                qos.lifespan = None;
                "lifespan"
            }
            Contradiction::ZeroDeadline => {
                qos.deadline = None;
                "deadline"
            }
            Contradiction::ZeroLease => {
                qos.liveliness_lease = None;
                "liveliness_lease"
            }
            Contradiction::TransientBestEffort => {
                qos.durability = Durability::Volatile;
                "durability"
            }
        };
        let text = found.to_string();
        let alternatives = (text.as_str(), "write reliability: reliable or durability: volatile");
        let (what, remedy) = text.split_once("; ").unwrap_or(alternatives);
        if let Some(field) = flow.get(field) {
            field.wrong(log, what, remedy);
        }
    }
}
