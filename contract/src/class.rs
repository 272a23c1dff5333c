//! Classes of flows and the one table that every layer reads its priorities from.
//!
//! An engineer names the class; what the class means on a task, a Linux thread, an skb, a queue band, a packet or an
//! interrupt stands here and nowhere else. `tokkyu check` prints this table.

use core::fmt;
use core::str::FromStr;

/// What a flow is worth compared with the others, highest first.
///
/// The order of the variants is the order of precedence: `Class::Control < Class::Background` sorts the most urgent
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Commands that move the robot, and the session's own signalling.
    Control,
    /// Sensor streams an operator drives by: worth something only while fresh.
    Realtime,
    /// Everything that is neither urgent nor in nobody's hurry.
    BestEffort,
    /// Lower than best effort (RFC 8622): takes only what nobody else wants.
    Background,
}

/// A Linux scheduling class with its priority where it has one (`sched(7)`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinuxSched {
    /// `SCHED_FIFO` with its static priority, 1 (lowest) to 99.
    Fifo(u8),
    /// `SCHED_OTHER`.
    Other,
    /// `SCHED_IDLE`.
    Idle,
}

/// One row of the priority table: what a class means in each layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priorities {
    /// Task priority on the RTOS, 1 highest (ITRON convention, µITRON 4.0 specification §2.1).
    pub itron_task: u8,
    /// Scheduling class of the threads that serve the flow on Linux.
    pub linux: LinuxSched,
    /// `SO_PRIORITY` of the flow's socket, `skb->priority` in the kernel's queues (0 to 6 without privilege).
    pub skb_priority: u8,
    /// Queue band, 0 served first.
    pub band: u8,
    /// Differentiated services code point (RFC 2474) of the flow's packets.
    pub dscp: u8,
    /// GIC interrupt priority, lower value is more urgent (GICv3, non-secure view uses the upper half).
    pub gic: u8,
}

impl Class {
    /// All classes, highest first.
    pub const ALL: [Class; 4] = [Class::Control, Class::Realtime, Class::BestEffort, Class::Background];

    /// The word used in `robot.yaml`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Class::Control => "control",
            Class::Realtime => "realtime",
            Class::BestEffort => "best_effort",
            Class::Background => "background",
        }
    }

    /// What this class means in each layer.
    ///
    /// DSCP: CS5 for control (RFC 4594 signalling), AF41 for interactive video (RFC 4594 §4.3), CS0, and LE
    /// (RFC 8622 §2). Control stays below EF because networks police EF to a few kbit/s.
    pub const fn priorities(self) -> Priorities {
        match self {
            Class::Control => Priorities {
                itron_task: 4,
                linux: LinuxSched::Fifo(40),
                skb_priority: 6,
                band: 0,
                dscp: 40,
                gic: 0xa0,
            },
            Class::Realtime => Priorities {
                itron_task: 8,
                linux: LinuxSched::Fifo(30),
                // The kernel's own map (`pfifo_fast`, `prio`) puts 5 below best effort.
                skb_priority: 4,
                band: 1,
                dscp: 34,
                gic: 0xb0,
            },
            Class::BestEffort => Priorities {
                itron_task: 12,
                linux: LinuxSched::Other,
                skb_priority: 0,
                band: 2,
                dscp: 0,
                gic: 0xc0,
            },
            Class::Background => Priorities {
                itron_task: 16,
                linux: LinuxSched::Idle,
                skb_priority: 1,
                band: 3,
                dscp: 1,
                gic: 0xd0,
            },
        }
    }

    /// Wire code of the class: its position in [`Class::ALL`].
    pub const fn code(self) -> u8 {
        match self {
            Class::Control => 0,
            Class::Realtime => 1,
            Class::BestEffort => 2,
            Class::Background => 3,
        }
    }

    /// The class with wire code `code`, if there is one.
    pub const fn from_code(code: u8) -> Option<Class> {
        match code {
            0 => Some(Class::Control),
            1 => Some(Class::Realtime),
            2 => Some(Class::BestEffort),
            3 => Some(Class::Background),
            _ => None,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for LinuxSched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinuxSched::Fifo(p) => write!(f, "SCHED_FIFO {p}"),
            LinuxSched::Other => f.pad("SCHED_OTHER"),
            LinuxSched::Idle => f.pad("SCHED_IDLE"),
        }
    }
}

/// The word is not the name of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownClass;

impl fmt::Display for UnknownClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a class: use control, realtime, best_effort or background")
    }
}

impl core::error::Error for UnknownClass {}

impl FromStr for Class {
    type Err = UnknownClass;

    fn from_str(word: &str) -> Result<Self, UnknownClass> {
        Class::ALL.into_iter().find(|class| class.as_str() == word).ok_or(UnknownClass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_class_is_never_worse_off_in_any_layer() {
        for pair in Class::ALL.windows(2) {
            let (high, low) = (pair[0].priorities(), pair[1].priorities());
            assert!(high.itron_task < low.itron_task, "{pair:?}");
            assert!(high.band < low.band, "{pair:?}");
            assert!(high.gic < low.gic, "{pair:?}");
        }
    }

    /// `sch_default_prio2band` of Linux's net/sched/sch_generic.c: where nobody has set up queues, `pfifo_fast` has the packets of
    /// `skb->priority` 0 to 7 in these of its three bands, 0 served first.
    const KERNELS_BANDS: [u8; 8] = [1, 2, 2, 2, 1, 2, 0, 0];

    #[test]
    fn no_class_waits_behind_a_lower_one_in_the_kernels_own_queue_and_none_is_taken_for_another() {
        let skb = Class::ALL.map(|class| class.priorities().skb_priority);
        let bands = skb.map(|priority| KERNELS_BANDS[usize::from(priority)]);
        assert!(bands.is_sorted(), "{bands:?}");
        assert!(
            bands[0] < bands[2] && bands[2] < bands[3],
            "control before, background behind all: {bands:?}"
        );
        assert!(skb.iter().all(|one| skb.iter().filter(|other| one == *other).count() == 1 && *one <= 6));
    }

    #[test]
    fn every_class_survives_its_word_and_its_code() {
        for class in Class::ALL {
            assert_eq!(class.as_str().parse(), Ok(class));
            assert_eq!(Class::from_code(class.code()), Some(class));
        }
        assert_eq!("urgent".parse::<Class>(), Err(UnknownClass));
        assert_eq!(Class::from_code(4), None);
    }

    #[test]
    fn background_is_marked_lower_effort_as_rfc_8622_says() {
        assert_eq!(Class::Background.priorities().dscp, 0b000001);
        assert_eq!(Class::BestEffort.priorities().dscp, 0);
    }
}
