//! The QoS a case of the drive experiment puts on its cameras: one of the paper's four conditions, or the link's own.
//!
//! Pure. Invariant: every condition is volatile, and only [`Quality::Link`] has a lifespan, so that the paper's
//! conditions are what the paper ran.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use tokkyu_contract::units::DurationText;
use tokkyu_contract::{History, Qos, Reliability};

/// The requirement of the paper, as the link takes it: no image older than this is worth sending.
const LINK_LIFESPAN: Duration = Duration::from_millis(500);

/// QoS of the camera flows of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Condition 1: reliable, keep last 10, no lifespan.
    KeepLast10,
    /// Condition 2: reliable, keep last 1, no lifespan.
    KeepLast1,
    /// Condition 3: reliable, keep all, no lifespan.
    KeepAll,
    /// Condition 4: best effort, keep last 1, no lifespan.
    BestEffort,
    /// What this project is for: reliable, keep last 10, and a lifespan of 500 ms.
    Link,
}

impl Quality {
    /// All of them, the paper's first.
    pub const ALL: [Quality; 5] =
        [Quality::KeepLast10, Quality::KeepLast1, Quality::KeepAll, Quality::BestEffort, Quality::Link];

    /// The word on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Quality::KeepLast10 => "1",
            Quality::KeepLast1 => "2",
            Quality::KeepAll => "3",
            Quality::BestEffort => "4",
            Quality::Link => "link",
        }
    }

    /// The paper's condition that a case with this QoS answers. The link's answers the first: the same history, and
    /// a lifespan the paper's middleware had no means to keep.
    pub const fn condition(self) -> u8 {
        match self {
            Quality::KeepLast10 | Quality::Link => 1,
            Quality::KeepLast1 => 2,
            Quality::KeepAll => 3,
            Quality::BestEffort => 4,
        }
    }

    /// The QoS itself.
    pub fn qos(self) -> Qos {
        let (reliability, history) = match self {
            Quality::KeepLast10 | Quality::Link => (Reliability::Reliable, History::KeepLast { depth: 10 }),
            Quality::KeepLast1 => (Reliability::Reliable, History::KeepLast { depth: 1 }),
            Quality::KeepAll => (Reliability::Reliable, History::KeepAll),
            Quality::BestEffort => (Reliability::BestEffort, History::KeepLast { depth: 1 }),
        };
        let lifespan = (self == Quality::Link).then_some(LINK_LIFESPAN);
        Qos { reliability, history, lifespan, ..Qos::default() }
    }

    /// The QoS as fields of a flow in `robot.yaml`.
    pub(super) fn yaml(self) -> String {
        let qos = self.qos();
        let mut fields = vec![match qos.reliability {
            Reliability::Reliable => "reliability: reliable".to_owned(),
            Reliability::BestEffort => "reliability: best_effort".to_owned(),
        }];
        fields.push(match qos.depth() {
            Some(depth) => format!("history: keep_last, depth: {depth}"),
            None => "history: keep_all".to_owned(),
        });
        fields.extend(qos.lifespan.map(|lifespan| format!("lifespan: {}", DurationText(lifespan))));
        fields.join(", ")
    }
}

/// In ROS 2's words, as it stands in a result.
impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let qos = self.qos();
        f.write_str(match qos.reliability {
            Reliability::Reliable => "reliable",
            Reliability::BestEffort => "best_effort",
        })?;
        match qos.depth() {
            Some(depth) => write!(f, " keep_last {depth}")?,
            None => f.write_str(" keep_all")?,
        }
        match qos.lifespan {
            Some(lifespan) => write!(f, " lifespan {}", DurationText(lifespan)),
            None => Ok(()),
        }
    }
}

/// The word is no QoS of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a QoS of this experiment: use 1 to 4 (the paper's conditions) or link")]
pub struct UnknownQuality;

impl FromStr for Quality {
    type Err = UnknownQuality;

    fn from_str(word: &str) -> Result<Self, UnknownQuality> {
        Quality::ALL.into_iter().find(|quality| quality.as_str() == word).ok_or(UnknownQuality)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quality_has_a_word_that_reads_back() {
        for quality in Quality::ALL {
            assert_eq!(quality.as_str().parse(), Ok(quality));
        }
        assert_eq!("5".parse::<Quality>(), Err(UnknownQuality));
    }

    #[test]
    fn only_the_links_own_has_a_lifespan_and_none_contradicts_itself() {
        for quality in Quality::ALL {
            assert_eq!(quality.qos().lifespan.is_some(), quality == Quality::Link, "{quality}");
            assert_eq!(quality.qos().contradiction(), None, "{quality}");
        }
    }

    #[test]
    fn a_quality_is_told_in_the_words_of_ros_2() {
        assert_eq!(Quality::Link.to_string(), "reliable keep_last 10 lifespan 500 ms");
        assert_eq!(Quality::KeepAll.to_string(), "reliable keep_all");
        assert_eq!(Quality::BestEffort.to_string(), "best_effort keep_last 1");
    }
}
