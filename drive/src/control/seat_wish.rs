//! What an end wants with the seat, as a command carries it. SPEC.md DRV-1, DRV-123 to DRV-125.

/// Most ends that a vehicle serves.
pub const MOST_ENDS: usize = 8;

/// Wishes for the seat, each as long as it is repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatWish {
    /// To have it.
    pub ask: bool,
    /// To take it, whoever has it.
    pub force: bool,
    /// To give it to this end, from 0 to 7.
    pub grant: Option<usize>,
}

impl SeatWish {
    /// The byte of a grant: ends count from 1 there, 0 is none.
    pub(super) fn grant_byte(self) -> u8 {
        self.grant.and_then(|end| u8::try_from(end).ok()).map_or(0, |end| end.saturating_add(1))
    }

    /// The grant of that byte; `None` where no end has it.
    pub(super) fn grant_of(byte: u8) -> Option<Option<usize>> {
        let end = usize::from(byte).checked_sub(1);
        end.is_none_or(|end| end < MOST_ENDS).then_some(end)
    }
}
