//! What a topic may hold, settled when it is made (NODE-73).

use crate::ProcessError;

/// Subscribers in other processes at once.
pub const MAX_SUBSCRIBERS: u32 = 64;
/// Samples that may wait for one subscriber.
pub const MAX_DEPTH: u32 = 1024;
/// Slots of one topic.
pub const MAX_SLOTS: u32 = (1 << 14) - 1;
/// Bytes of one message.
pub const MAX_BYTES: usize = 1 << 30;

/// The size of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Subscribers in other processes at once, 1 to [`MAX_SUBSCRIBERS`].
    pub subscribers: u32,
    /// The deepest queue that a subscriber may ask for, 1 to [`MAX_DEPTH`].
    pub depth: u32,
    /// Samples that one subscriber may hold, at least 1.
    pub held: u32,
    /// Samples that the publisher's own process may have at once, loans and lent ones together, at least 1.
    pub own: u32,
    /// Whether the last sample is kept for who joins later.
    pub latch: bool,
    /// Bytes of a slot in the beginning, 1 to `most_bytes`. A longer message makes new slots, twice as long or more.
    pub slot_bytes: usize,
    /// Bytes of the longest message, 1 to [`MAX_BYTES`].
    pub most_bytes: usize,
}

impl Limits {
    /// For messages of up to `bytes`: 8 subscribers, 8 deep, each holding 4; 8 in the own process; nothing latched.
    pub const fn for_messages(bytes: usize) -> Limits {
        Limits {
            subscribers: 8,
            depth: 8,
            held: 4,
            own: 8,
            latch: false,
            slot_bytes: bytes,
            most_bytes: bytes,
        }
    }

    /// Slots with which a loan never fails, whatever subscribers do.
    ///
    /// What waits, for whomever, are some of the newest `depth` samples; beside them are those that subscribers hold and those of the own process.
    /// The latched one is the newest; once it is not it waits, is held, or has gone.
    pub const fn slots(&self) -> u32 {
        self.depth.saturating_add(self.subscribers.saturating_mul(self.held)).saturating_add(self.own)
    }

    /// Which limit is not within what is possible.
    pub(crate) fn check(&self) -> Result<(), ProcessError> {
        within("subscribers", self.subscribers as usize, 1, MAX_SUBSCRIBERS as usize)?;
        within("depth", self.depth as usize, 1, MAX_DEPTH as usize)?;
        within("held", self.held as usize, 1, MAX_SLOTS as usize)?;
        within("own", self.own as usize, 1, MAX_SLOTS as usize)?;
        within("slots", self.slots() as usize, 1, MAX_SLOTS as usize)?;
        within("most_bytes", self.most_bytes, 1, MAX_BYTES)?;
        within("slot_bytes", self.slot_bytes, 1, self.most_bytes)
    }
}

/// Whether `value` is one of `least` to `most`.
pub(crate) fn within(
    name: &'static str,
    value: usize,
    least: usize,
    most: usize,
) -> Result<(), ProcessError> {
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        Err(ProcessError::Limit { name, value, least, most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NODE-73: 3 MB, 8 deep, 8 subscribers: what there is at most is 144 MB, not 98 slots for queues that all hold different samples.
    #[test]
    fn a_camera_with_eight_subscribers_has_48_slots() {
        let limits = Limits::for_messages(3 << 20);
        limits.check().unwrap();
        assert_eq!(limits.slots(), 8 + 8 * 4 + 8);
        assert_eq!(limits.slots() as usize * limits.slot_bytes, 144 << 20);
    }

    #[test]
    fn what_is_impossible_is_refused_by_its_name() {
        let good = Limits::for_messages(64);
        let wrong = [
            ("subscribers", Limits { subscribers: 0, ..good }),
            ("subscribers", Limits { subscribers: 65, ..good }),
            ("depth", Limits { depth: 0, ..good }),
            ("depth", Limits { depth: 1025, ..good }),
            ("held", Limits { held: 0, ..good }),
            ("own", Limits { own: 0, ..good }),
            ("slots", Limits { subscribers: 64, held: 256, ..good }),
            ("slots", Limits { held: MAX_SLOTS, own: MAX_SLOTS, subscribers: 64, ..good }),
            ("most_bytes", Limits { most_bytes: MAX_BYTES + 1, ..good }),
            ("slot_bytes", Limits { slot_bytes: 0, ..good }),
            ("slot_bytes", Limits { slot_bytes: 65, ..good }),
        ];
        for (wanted, limits) in wrong {
            match limits.check() {
                Err(ProcessError::Limit { name, .. }) => assert_eq!(name, wanted),
                other => panic!("{wanted}: {other:?}"),
            }
        }
    }
}
