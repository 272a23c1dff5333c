//! Quality of service in ROS 2's words, with ROS 2's rules for a request that meets an offer.
//!
//! Meanings: <https://docs.ros.org/en/rolling/Concepts/Intermediate/About-Quality-of-Service-Settings.html>;
//! request/offered rules: OMG DDS 1.4, §2.2.3. `lifespan` is the longest age of a sample, `deadline` the longest gap
//! between two samples; the papers' "500 ms requirement" is an age.

use core::fmt;
use core::time::Duration;

/// Whether samples are repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reliability {
    /// Lost packets are repaired, as long as the repair can arrive within the lifespan.
    Reliable,
    /// Nothing is sent twice.
    BestEffort,
}

/// Which samples are kept for sending and for a reader that is slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum History {
    /// The last `depth` samples; an older one gives way to a newer. Depth is at least 1.
    KeepLast {
        /// How many samples are kept.
        depth: u32,
    },
    /// All samples, up to the resource limits; then the publisher is refused.
    KeepAll,
}

/// What a reader that joins late gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Durability {
    /// Only what is published from now on.
    Volatile,
    /// The last samples the history keeps, then what is published.
    TransientLocal,
}

/// How the liveliness of a publisher is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Liveliness {
    /// Alive while the peer is.
    Automatic,
    /// Alive while it publishes or asserts.
    ManualByTopic,
}

/// One endpoint's quality of service. `None` in a duration means endless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Qos {
    /// See [`Reliability`].
    pub reliability: Reliability,
    /// See [`History`].
    pub history: History,
    /// See [`Durability`].
    pub durability: Durability,
    /// Longest gap between two samples.
    pub deadline: Option<Duration>,
    /// Longest age of a sample, from its capture stamp (or from publishing where it has none).
    pub lifespan: Option<Duration>,
    /// See [`Liveliness`].
    pub liveliness: Liveliness,
    /// Longest silence before the publisher counts as gone.
    pub liveliness_lease: Option<Duration>,
}

impl Default for Qos {
    /// ROS 2's default profile: reliable, keep last 10, volatile.
    fn default() -> Self {
        Qos {
            reliability: Reliability::Reliable,
            history: History::KeepLast { depth: 10 },
            durability: Durability::Volatile,
            deadline: None,
            lifespan: None,
            liveliness: Liveliness::Automatic,
            liveliness_lease: None,
        }
    }
}

impl Qos {
    /// ROS 2's sensor data profile: best effort, keep last 5, volatile.
    pub fn sensor_data() -> Self {
        Qos {
            reliability: Reliability::BestEffort,
            history: History::KeepLast { depth: 5 },
            ..Qos::default()
        }
    }

    /// History depth, `None` for keep all.
    pub const fn depth(&self) -> Option<u32> {
        match self.history {
            History::KeepLast { depth } => Some(depth),
            History::KeepAll => None,
        }
    }

    /// Whether no sample may be lost: reliable, and all are kept. With `keep_last` the newest are kept, whatever the reliability.
    pub const fn is_lossless(&self) -> bool {
        matches!((self.reliability, self.history), (Reliability::Reliable, History::KeepAll))
    }

    /// What keeps a reader that requests `self` from matching a writer that offers `offered`; empty when they match.
    ///
    /// History and lifespan are local matters and never keep two endpoints apart (DDS 1.4 §2.2.3).
    pub fn mismatches(&self, offered: &Qos) -> Mismatches {
        Mismatches {
            reliability: self.reliability == Reliability::Reliable
                && offered.reliability == Reliability::BestEffort,
            durability: self.durability == Durability::TransientLocal
                && offered.durability == Durability::Volatile,
            deadline: longer(offered.deadline, self.deadline),
            liveliness: self.liveliness == Liveliness::ManualByTopic
                && offered.liveliness == Liveliness::Automatic,
            liveliness_lease: longer(offered.liveliness_lease, self.liveliness_lease),
        }
    }

    /// Why this QoS cannot be, or `None` if it can.
    pub fn contradiction(&self) -> Option<Contradiction> {
        let zero = |span: Option<Duration>| span == Some(Duration::ZERO);
        if self.history == (History::KeepLast { depth: 0 }) {
            Some(Contradiction::DepthZero)
        } else if zero(self.lifespan) {
            Some(Contradiction::ZeroLifespan)
        } else if zero(self.deadline) {
            Some(Contradiction::ZeroDeadline)
        } else if zero(self.liveliness_lease) {
            Some(Contradiction::ZeroLease)
        } else if self.durability == Durability::TransientLocal && self.reliability == Reliability::BestEffort
        {
            Some(Contradiction::TransientBestEffort)
        } else {
            None
        }
    }
}

/// True when `offered` promises less than `requested` asks (`None` is endless).
fn longer(offered: Option<Duration>, requested: Option<Duration>) -> bool {
    match (offered, requested) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(offered), Some(requested)) => offered > requested,
    }
}

/// The policies in which a request asks more than an offer promises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mismatches {
    /// Reliable requested, best effort offered.
    pub reliability: bool,
    /// Transient local requested, volatile offered.
    pub durability: bool,
    /// The offered deadline is longer than the requested one.
    pub deadline: bool,
    /// Manual by topic requested, automatic offered.
    pub liveliness: bool,
    /// The offered lease is longer than the requested one.
    pub liveliness_lease: bool,
}

impl Mismatches {
    /// True when the endpoints match.
    pub const fn is_empty(&self) -> bool {
        !(self.reliability || self.durability || self.deadline || self.liveliness || self.liveliness_lease)
    }
}

impl fmt::Display for Mismatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [
            (self.reliability, "reliability (requested reliable, offered best_effort)"),
            (self.durability, "durability (requested transient_local, offered volatile)"),
            (self.deadline, "deadline (offered is longer than requested)"),
            (self.liveliness, "liveliness (requested manual_by_topic, offered automatic)"),
            (self.liveliness_lease, "liveliness lease (offered is longer than requested)"),
        ];
        let mut first = true;
        for (_, what) in named.iter().filter(|(found, _)| *found) {
            if !first {
                f.write_str(", ")?;
            }
            f.write_str(what)?;
            first = false;
        }
        if first { f.write_str("none") } else { Ok(()) }
    }
}

/// A QoS that no endpoint can keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// `keep_last` with depth 0 keeps nothing.
    DepthZero,
    /// A lifespan of zero expires every sample.
    ZeroLifespan,
    /// A deadline of zero is always missed.
    ZeroDeadline,
    /// A lease of zero makes every publisher gone.
    ZeroLease,
    /// A late joiner's samples cannot be promised without repair.
    TransientBestEffort,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Contradiction::DepthZero => "keep_last with depth 0 keeps nothing; use depth 1 or more",
            Contradiction::ZeroLifespan => "a lifespan of 0 expires every sample; leave it out for no limit",
            Contradiction::ZeroDeadline => "a deadline of 0 is always missed; leave it out for none",
            Contradiction::ZeroLease => "a liveliness lease of 0 is always missed; leave it out for none",
            Contradiction::TransientBestEffort => {
                "transient_local needs reliability: reliable, a late joiner's samples are repaired like any other"
            }
        })
    }
}

impl core::error::Error for Contradiction {}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut Qos)) -> Qos {
        let mut qos = Qos::default();
        change(&mut qos);
        qos
    }

    #[test]
    fn an_offer_that_promises_more_than_asked_matches() {
        let request = Qos::sensor_data();
        let offer = with(|q| {
            q.durability = Durability::TransientLocal;
            q.deadline = Some(Duration::from_millis(50));
        });
        assert!(request.mismatches(&offer).is_empty());
    }

    #[test]
    fn each_policy_that_promises_less_is_named() {
        let ms = Duration::from_millis;
        let request = with(|q| {
            q.durability = Durability::TransientLocal;
            q.deadline = Some(ms(100));
            q.liveliness = Liveliness::ManualByTopic;
            q.liveliness_lease = Some(ms(100));
        });
        let offer = with(|q| {
            q.reliability = Reliability::BestEffort;
            q.deadline = Some(ms(101));
        });
        let found = request.mismatches(&offer);
        assert!(found.reliability && found.durability && found.deadline);
        assert!(found.liveliness && found.liveliness_lease);
        assert!(!found.is_empty());
    }

    #[test]
    fn history_and_lifespan_keep_nobody_apart() {
        let request = with(|q| q.history = History::KeepAll);
        let offer = with(|q| {
            q.history = History::KeepLast { depth: 1 };
            q.lifespan = Some(Duration::from_millis(1));
        });
        assert!(request.mismatches(&offer).is_empty());
    }

    #[test]
    fn a_qos_nobody_can_keep_says_why() {
        assert_eq!(Qos::default().contradiction(), None);
        let none = Some(Duration::ZERO);
        let cases = [
            (with(|q| q.history = History::KeepLast { depth: 0 }), Contradiction::DepthZero),
            (with(|q| q.lifespan = none), Contradiction::ZeroLifespan),
            (with(|q| q.deadline = none), Contradiction::ZeroDeadline),
            (with(|q| q.liveliness_lease = none), Contradiction::ZeroLease),
            (
                with(|q| {
                    q.reliability = Reliability::BestEffort;
                    q.durability = Durability::TransientLocal;
                }),
                Contradiction::TransientBestEffort,
            ),
        ];
        for (qos, why) in cases {
            assert_eq!(qos.contradiction(), Some(why));
        }
    }
}
