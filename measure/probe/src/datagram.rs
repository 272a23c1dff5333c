//! What the ends send each other (PRB-10): numbered datagrams of one session, as large as the frame that is asked for.

/// A payload with nothing but its fields.
pub const SMALLEST: usize = 24;
/// The largest payload of an Ethernet frame, over IPv4.
pub const LARGEST: usize = 1_514 - FRAME_OVER_V4;
const FRAME_OVER_V4: usize = 14 + 20 + 8;
const FRAME_OVER_V6: usize = 14 + 40 + 8;

/// What a datagram is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of a series sent by the clock.
    Periodic,
    /// Asks for an answer.
    Request,
    /// Answers the request of this number.
    Answer,
}

/// The fields of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Drawn by who started both ends: what is of another is not theirs.
    pub session: u64,
    /// From 0.
    pub sequence: u32,
    /// What it is for.
    pub kind: Kind,
    /// Answers: from the kernel's stamp of the request to the send call, ns.
    pub residence_ns: u64,
}

impl Datagram {
    /// Into the first bytes of a payload, which has [`SMALLEST`] at least.
    pub fn write(&self, payload: &mut [u8]) {
        payload[..8].copy_from_slice(&self.session.to_be_bytes());
        payload[8..12].copy_from_slice(&self.sequence.to_be_bytes());
        payload[12..16].copy_from_slice(&[self.kind as u8, 0, 0, 0]);
        payload[16..SMALLEST].copy_from_slice(&self.residence_ns.to_be_bytes());
    }

    /// `None` for what is none (PRB-11).
    pub fn read(payload: &[u8]) -> Option<Datagram> {
        let (session, rest) = payload.split_first_chunk()?;
        let (sequence, rest) = rest.split_first_chunk()?;
        let (kind, rest) = rest.split_first_chunk::<4>()?;
        let (residence, _) = rest.split_first_chunk()?;
        Some(Datagram {
            session: u64::from_be_bytes(*session),
            sequence: u32::from_be_bytes(*sequence),
            kind: Kind::from_code(kind[0])?,
            residence_ns: u64::from_be_bytes(*residence),
        })
    }
}

impl Kind {
    fn from_code(code: u8) -> Option<Kind> {
        [Kind::Periodic, Kind::Request, Kind::Answer].into_iter().find(|kind| *kind as u8 == code)
    }
}

/// The payload that makes a frame of so many bytes.
pub fn payload_of(frame_bytes: usize, six: bool) -> Option<usize> {
    let over = if six { FRAME_OVER_V6 } else { FRAME_OVER_V4 };
    let payload = frame_bytes.checked_sub(over)?;
    (SMALLEST..=LARGEST).contains(&payload).then_some(payload)
}

/// Which of a run's numbers have come.
pub struct Seen {
    words: Vec<u64>,
}

impl Seen {
    /// Of numbers below `count`.
    pub fn new(count: u32) -> Seen {
        Seen { words: vec![0; (count as usize).div_ceil(64)] }
    }

    /// Whether it had not come before. What is beyond the run has.
    pub fn insert(&mut self, sequence: u32) -> bool {
        let bit = 1 << (sequence % 64);
        self.words.get_mut(sequence as usize / 64).is_some_and(|word| {
            let new = *word & bit == 0;
            *word |= bit;
            new
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_papers_frame_has_80_bytes_of_payload() {
        assert_eq!(payload_of(122, false), Some(80));
        assert_eq!(payload_of(122, true), Some(60));
        assert_eq!(payload_of(60, false), None);
        assert_eq!(payload_of(1_515, false), None);
    }

    #[test]
    fn a_number_is_new_once() {
        let mut seen = Seen::new(70);
        assert!(seen.insert(69) && seen.insert(0) && !seen.insert(69));
        assert!(!seen.insert(128));
    }

    proptest! {
        #[test]
        fn a_datagram_comes_back(session: u64, sequence: u32, kind in 0..3u8, residence_ns: u64, more in 0..100usize) {
            let datagram = Datagram { session, sequence, kind: Kind::from_code(kind).unwrap(), residence_ns };
            let mut payload = vec![0; SMALLEST + more];
            datagram.write(&mut payload);
            prop_assert_eq!(Datagram::read(&payload), Some(datagram));
        }

        #[test]
        fn any_bytes_are_read_or_refused(payload: Vec<u8>) {
            let read = Datagram::read(&payload);
            prop_assert!(read.is_none() || payload.len() >= SMALLEST);
        }
    }
}
