//! The QoS of a topic that crosses: what robot.yaml declares, and for the rest what its writers offer. ROS2-10, ROS2-12.
//!
//! Pure.

use std::fmt;
use std::time::Duration;

use tokkyu_contract::qos::Liveliness;
use tokkyu_contract::units::DurationText;
use tokkyu_contract::yaml::robot::Flow;
use tokkyu_contract::{Durability, History, Qos, Reliability};

/// What `flow` declares, and for what it does not the most that every one of `offers` promises.
pub fn resolve<'q>(flow: &Flow, offers: impl IntoIterator<Item = &'q Qos>) -> Qos {
    let offered = offers.into_iter().copied().reduce(weaker).unwrap_or_default();
    let (given, declared) = (&flow.given, &flow.qos);
    let pick = |is_given| if is_given { declared } else { &offered };
    let reliability = pick(given.reliability).reliability;
    let mut durability = pick(given.durability).durability;
    // Both cannot be (Contradiction::TransientBestEffort): without repair there is nothing to give a late reader.
    if reliability == Reliability::BestEffort && !given.durability {
        durability = Durability::Volatile;
    }
    Qos {
        reliability,
        history: declared.history,
        durability,
        deadline: pick(given.deadline).deadline,
        lifespan: pick(given.lifespan).lifespan,
        liveliness: pick(given.liveliness).liveliness,
        liveliness_lease: pick(given.liveliness_lease).liveliness_lease,
    }
}

/// What both promise.
fn weaker(one: Qos, other: Qos) -> Qos {
    let longer = |one: Option<Duration>, other: Option<Duration>| Some(one?.max(other?));
    let both = |one: bool, other: bool| one && other;
    let reliable = |qos: &Qos| qos.reliability == Reliability::Reliable;
    let local = |qos: &Qos| qos.durability == Durability::TransientLocal;
    let manual = |qos: &Qos| qos.liveliness == Liveliness::ManualByTopic;
    Qos {
        reliability: if both(reliable(&one), reliable(&other)) {
            Reliability::Reliable
        } else {
            Reliability::BestEffort
        },
        durability: if both(local(&one), local(&other)) {
            Durability::TransientLocal
        } else {
            Durability::Volatile
        },
        deadline: longer(one.deadline, other.deadline),
        lifespan: longer(one.lifespan, other.lifespan),
        liveliness: if both(manual(&one), manual(&other)) {
            Liveliness::ManualByTopic
        } else {
            Liveliness::Automatic
        },
        liveliness_lease: longer(one.liveliness_lease, other.liveliness_lease),
        ..one
    }
}

/// Names of the fields that `flow` declares and `other` has otherwise: the two ends' robot.yaml differ.
pub fn contradicted(flow: &Flow, other: &Qos) -> Vec<&'static str> {
    let (given, declared) = (&flow.given, &flow.qos);
    let fields = [
        ("reliability", given.reliability, declared.reliability == other.reliability),
        ("history", given.history, declared.history == other.history),
        ("durability", given.durability, declared.durability == other.durability),
        ("deadline", given.deadline, declared.deadline == other.deadline),
        ("lifespan", given.lifespan, declared.lifespan == other.lifespan),
        ("liveliness", given.liveliness, declared.liveliness == other.liveliness),
        ("liveliness_lease", given.liveliness_lease, declared.liveliness_lease == other.liveliness_lease),
    ];
    fields.into_iter().filter(|(_, is_given, is_same)| *is_given && !is_same).map(|(name, ..)| name).collect()
}

/// A QoS in the words of robot.yaml; what is endless or automatic is left out.
pub struct Words<'q>(pub &'q Qos);

/// What one endpoint asks or promises another, in the words of robot.yaml: without the history, which is each one's own
/// and is not told by discovery.
pub struct Terms<'q>(pub &'q Qos);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.history {
            History::KeepLast { depth } => write!(f, "keep_last {depth} {}", Terms(self.0)),
            History::KeepAll => write!(f, "keep_all {}", Terms(self.0)),
        }
    }
}

impl fmt::Display for Terms<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let qos = self.0;
        write!(f, "{} {}", reliability_word(qos.reliability), durability_word(qos.durability))?;
        let spans = [
            ("deadline", qos.deadline),
            ("lifespan", qos.lifespan),
            ("liveliness_lease", qos.liveliness_lease),
        ];
        for (name, span) in spans {
            if let Some(span) = span {
                write!(f, " {name} {}", DurationText(span))?;
            }
        }
        match qos.liveliness {
            Liveliness::Automatic => Ok(()),
            Liveliness::ManualByTopic => f.write_str(" liveliness manual_by_topic"),
        }
    }
}

fn reliability_word(reliability: Reliability) -> &'static str {
    match reliability {
        Reliability::Reliable => "reliable",
        Reliability::BestEffort => "best_effort",
    }
}

fn durability_word(durability: Durability) -> &'static str {
    match durability {
        Durability::Volatile => "volatile",
        Durability::TransientLocal => "transient_local",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::yaml::robot;

    fn flow(fields: &str) -> Flow {
        let text = format!("robot: r\nflows:\n  a: {{class: realtime{fields}}}\n");
        robot::parse("robot.yaml", &text).unwrap().flows.remove(0)
    }

    const SECOND: Option<Duration> = Some(Duration::from_secs(1));

    #[test]
    fn what_is_not_declared_is_what_all_writers_promise() {
        let camera = Qos { deadline: SECOND, lifespan: SECOND, ..Qos::sensor_data() };
        let map = Qos {
            durability: Durability::TransientLocal,
            deadline: Some(Duration::from_secs(3)),
            ..Qos::default()
        };
        let free = flow("");
        let one = resolve(&free, [&camera]);
        assert_eq!(one, Qos { history: Qos::default().history, ..camera });
        assert_eq!(resolve(&free, [&map]), map);
        let both = resolve(&free, [&camera, &map]);
        assert_eq!((both.reliability, both.durability), (Reliability::BestEffort, Durability::Volatile));
        assert_eq!(
            (both.deadline, both.lifespan),
            (map.deadline, None),
            "the longer of two, endless if one is"
        );
    }

    #[test]
    fn what_is_declared_goes_before_what_the_writers_offer() {
        let strict = flow(", reliability: reliable, depth: 3, lifespan: 1 s");
        let qos = resolve(&strict, [&Qos::sensor_data()]);
        assert_eq!(qos.reliability, Reliability::Reliable);
        assert_eq!((qos.history, qos.lifespan), (History::KeepLast { depth: 3 }, SECOND));
    }

    #[test]
    fn a_best_effort_topic_is_never_transient_local_unless_somebody_says_so() {
        let writer = Qos { durability: Durability::TransientLocal, ..Qos::sensor_data() };
        assert_eq!(resolve(&flow(""), [&writer]).durability, Durability::Volatile);
        assert_eq!(
            resolve(
                &flow(", reliability: best_effort"),
                [&Qos { reliability: Reliability::Reliable, ..writer }]
            )
            .durability,
            Durability::Volatile
        );
    }

    #[test]
    fn fields_in_which_two_declarations_differ_are_named() {
        let qos = Qos { lifespan: SECOND, ..Qos::default() };
        assert_eq!(contradicted(&flow(""), &qos), [""; 0]);
        assert_eq!(contradicted(&flow(", lifespan: 2 s, depth: 10"), &qos), ["lifespan"]);
        assert_eq!(
            contradicted(&flow(", reliability: best_effort, depth: 1"), &qos),
            ["reliability", "history"]
        );
    }

    #[test]
    fn a_qos_is_told_in_the_words_of_robot_yaml() {
        let qos =
            Qos { lifespan: Some(Duration::from_millis(500)), history: History::KeepAll, ..Qos::default() };
        assert_eq!(Words(&qos).to_string(), "keep_all reliable volatile lifespan 500 ms");
    }
}
