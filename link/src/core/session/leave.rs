//! What waits until the peer has seen that endpoints went (LNK-32, LNK-35).

use tokkyu_contract::FlowId;

/// What waits until the peer has seen that endpoints went.
#[derive(Debug, Default)]
pub(super) struct Leave {
    /// Bytes the peer may hold of publications that went, each with the number of the table that tells so (LNK-32).
    pub(super) held: Vec<(u32, usize)>,
    /// The table that tells that the last reader of these flows of the peer went (LNK-35).
    pub(super) to_be_seen: Option<(u32, Vec<FlowId>)>,
}

impl Leave {
    pub(super) fn bytes_at_receiver(&self) -> usize {
        self.held.iter().map(|(_, bytes)| bytes).sum()
    }

    /// The next table waits for one that the peer must see.
    pub(super) fn is_to_be_seen(&self) -> bool {
        self.to_be_seen.is_some()
    }

    /// The peer does not know yet that the last reader of its flow went.
    pub(super) fn is_to_be_seen_unread(&self, flow: FlowId) -> bool {
        self.to_be_seen.as_ref().is_some_and(|(_, unread)| unread.contains(&flow))
    }

    /// The peer has table `sequence`, and with it what older ones told. Gives the flows that it was to see unread.
    pub(super) fn on_seen(&mut self, sequence: u32) -> Option<Vec<FlowId>> {
        let is_told = |by: u32| (sequence.wrapping_sub(by) as i32) >= 0;
        self.held.retain(|(by, _)| !is_told(*by));
        self.to_be_seen.take_if(|(by, _)| is_told(*by)).map(|(_, unread)| unread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_peer_may_hold_is_free_when_a_table_at_least_as_new_is_there() {
        let mut leave =
            Leave { held: vec![(u32::MAX, 10), (0, 20), (1, 40)], to_be_seen: Some((0, vec![FlowId(3)])) };
        assert_eq!(leave.on_seen(u32::MAX), None);
        assert_eq!((leave.bytes_at_receiver(), leave.is_to_be_seen()), (60, true));
        assert_eq!(leave.on_seen(0), Some(vec![FlowId(3)]));
        assert_eq!((leave.bytes_at_receiver(), leave.is_to_be_seen()), (40, false));
        assert_eq!(leave.on_seen(7), None, "told once");
        assert_eq!(leave.bytes_at_receiver(), 0);
    }
}
