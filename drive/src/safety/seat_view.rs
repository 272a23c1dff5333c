//! The seat as a report tells it to one end: who drives, who asks, who holds the stop, and what the end may. SPEC.md
//! DRV-18, DRV-127, DRV-140.

use tokkyu_contract::yaml::others::Right;

use crate::control::MOST_ENDS;

/// Bytes of it in a report.
pub(super) const SEAT_BYTES: usize = 53;
const NAME_BYTES: usize = 16;

/// A name of at most 16 letters, digits, `-` and `_`; empty for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndName([u8; NAME_BYTES]);

impl EndName {
    /// `name`, cut to what fits.
    pub fn new(name: &str) -> EndName {
        let mut bytes = [0; NAME_BYTES];
        bytes.iter_mut().zip(name.bytes()).for_each(|(place, byte)| *place = byte);
        EndName(bytes)
    }

    /// The name of those bytes; `None` where they are none.
    fn of(bytes: [u8; NAME_BYTES]) -> Option<EndName> {
        let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(NAME_BYTES);
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_name = bytes[..length].iter().all(is_letter) && bytes[length..].iter().all(|byte| *byte == 0);
        is_name.then_some(EndName(bytes))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        let length = self.0.iter().position(|byte| *byte == 0).unwrap_or(NAME_BYTES);
        // ASCII alone: `new` is given names of a declaration, `of` looks.
        std::str::from_utf8(&self.0[..length]).unwrap_or_default()
    }
}

/// The seat, for one end. Ends count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatView {
    /// The end that is told.
    pub you: usize,
    /// What it may.
    pub may: Right,
    /// Who drives.
    pub driver: (usize, EndName),
    /// Who asks for the seat.
    pub asker: Option<(usize, EndName)>,
    /// Who holds the emergency stop without driving.
    pub holder: Option<(usize, EndName)>,
}

impl SeatView {
    /// The first end drives, and is told so; nobody asks.
    pub fn of_first(name: &str) -> SeatView {
        SeatView { you: 0, may: Right::Force, driver: (0, EndName::new(name)), asker: None, holder: None }
    }

    /// Whether the end that is told drives.
    pub fn is_yours(&self) -> bool {
        self.you == self.driver.0
    }

    pub(super) fn encode(&self) -> [u8; SEAT_BYTES] {
        let mut bytes = [0; SEAT_BYTES];
        let number = |end: usize| u8::try_from(end + 1).unwrap_or_default();
        let may = Right::ALL.iter().position(|right| *right == self.may).unwrap_or_default();
        let of = |one: Option<(usize, EndName)>| one.map_or(0, |(end, _)| number(end));
        bytes[..4].copy_from_slice(&[number(self.you), number(self.driver.0), of(self.asker), may as u8]);
        bytes[4..20].copy_from_slice(&self.driver.1.0);
        bytes[20..36].copy_from_slice(&self.asker.unwrap_or_default().1.0);
        bytes[36] = of(self.holder);
        bytes[37..].copy_from_slice(&self.holder.unwrap_or_default().1.0);
        bytes
    }

    pub(super) fn decode(bytes: &[u8; SEAT_BYTES]) -> Option<SeatView> {
        let end = |number: u8| usize::from(number).checked_sub(1).filter(|end| *end < MOST_ENDS);
        let name = |at: usize| EndName::of(std::array::from_fn(|index| bytes[at + index]));
        let one = |number: u8, name: EndName| match (number, name) {
            (0, none) if none == EndName::default() => Some(None),
            (0, _) => None,
            (number, name) => Some(Some((end(number)?, name))),
        };
        Some(SeatView {
            you: end(bytes[0])?,
            may: *Right::ALL.get(usize::from(bytes[3]))?,
            driver: (end(bytes[1])?, name(4)?),
            asker: one(bytes[2], name(20)?)?,
            holder: one(bytes[36], name(37)?)?,
        })
    }
}
