//! What both ends know of each sample, in memory that their processes share.
//!
//! It tells the sender that a sample has arrived, without a call to the kernel and so without a wake-up that would
//! disturb the next one. Records are kept here until the run is over. It has no name in the file system.

use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::{io, slice};

use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous};

use crate::arguments::Arguments;
use crate::payload;

/// A sample that took longer than this is lost (LOCAL-12).
pub const LOST_AFTER_NS: u64 = 1_000_000_000;

#[repr(C)]
struct Times {
    sent_ns: AtomicU64,
    received_ns: AtomicU64,
    returned_ns: AtomicU64,
}

#[repr(C)]
struct Head {
    taken: AtomicU32,
    wrong: AtomicU32,
    /// The number after the last right one: what is below it comes twice or out of order.
    next: AtomicU32,
    receiver_is_ready: AtomicBool,
}

/// Copied into the second process by `fork`; the memory behind it is one. It stays until the process ends.
pub struct Board {
    head: &'static Head,
    times: &'static [Times],
    bytes: usize,
}

impl Board {
    /// Make it before the second process.
    ///
    /// # Errors
    /// No memory for so many samples.
    pub fn new(arguments: &Arguments) -> io::Result<Board> {
        let samples = arguments.all_samples() as usize;
        let length = size_of::<Head>() + samples * size_of::<Times>();
        let memory = map_shared(length)?.cast::<Head>();
        // SAFETY: the mapping is as long as both together, page aligned, zeroed, which is a valid value of every
        // field, and never unmapped. All fields are atomics, so other references to them do no harm.
        let (head, times) = unsafe {
            let times = memory.add(1).cast::<Times>();
            (memory.as_ref(), slice::from_raw_parts(times.as_ptr(), samples))
        };
        Ok(Board { head, times, bytes: arguments.bytes as usize })
    }

    /// Sender: between the stamp and publishing.
    pub fn sent(&self, number: u32, at_ns: u64) {
        self.times[number as usize].sent_ns.store(at_ns, Ordering::Relaxed);
    }

    /// Sender: as soon as the call that publishes has returned.
    pub fn returned(&self, number: u32, at_ns: u64) {
        self.times[number as usize].returned_ns.store(at_ns, Ordering::Relaxed);
    }

    /// Receiver. `at_ns` was read as soon as the sample was there; the check comes after it.
    pub fn arrived(&self, bytes: &[u8], at_ns: u64) {
        if let Some(number) = self.number_if_right(bytes) {
            self.times[number as usize].received_ns.store(at_ns, Ordering::Relaxed);
            self.head.next.store(number + 1, Ordering::Relaxed);
        } else {
            self.head.wrong.fetch_add(1, Ordering::Relaxed);
        }
        self.head.taken.fetch_add(1, Ordering::Release);
    }

    fn number_if_right(&self, bytes: &[u8]) -> Option<u32> {
        let found = payload::read(bytes).filter(|_| bytes.len() == self.bytes)?;
        let times = self.times.get(found.number as usize)?;
        let is_next = found.number >= self.head.next.load(Ordering::Relaxed);
        let is_stamped = found.sent_ns != 0 && found.sent_ns == times.sent_ns.load(Ordering::Relaxed);
        (is_next && is_stamped && found.number_at_end == found.number).then_some(found.number)
    }

    /// Samples that came in all, right or wrong.
    pub fn taken(&self) -> u32 {
        self.head.taken.load(Ordering::Acquire)
    }

    pub fn wrong(&self) -> u32 {
        self.head.wrong.load(Ordering::Acquire)
    }

    /// The receiver is joined to the sender.
    pub fn tell_receiver_is_ready(&self) {
        self.head.receiver_is_ready.store(true, Ordering::Release);
    }

    pub fn is_receiver_ready(&self) -> bool {
        self.head.receiver_is_ready.load(Ordering::Acquire)
    }

    /// 0: the call has not returned.
    pub fn returned_ns(&self, number: u32) -> u64 {
        self.times[number as usize].returned_ns.load(Ordering::Relaxed)
    }

    /// 0: not sent.
    pub fn sent_ns(&self, number: u32) -> u64 {
        self.times[number as usize].sent_ns.load(Ordering::Relaxed)
    }

    /// 0: not arrived, or later than `LOST_AFTER_NS`.
    pub fn received_ns(&self, number: u32) -> u64 {
        let times = &self.times[number as usize];
        let at_ns = times.received_ns.load(Ordering::Relaxed);
        if at_ns > times.sent_ns.load(Ordering::Relaxed) + LOST_AFTER_NS { 0 } else { at_ns }
    }
}

/// Populated: no page is touched for the first time in a run.
fn map_shared(length: usize) -> io::Result<NonNull<libc::c_void>> {
    let length = NonZeroUsize::new(length).ok_or(io::ErrorKind::InvalidInput)?;
    let flags = MapFlags::MAP_SHARED | MapFlags::MAP_POPULATE;
    // SAFETY: a new anonymous mapping at an address of the kernel's choice touches no memory that is there already.
    Ok(unsafe { mmap_anonymous(None, length, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, flags)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::tests::arguments;

    /// A sample as the sender makes it, with its stamp told to the board.
    fn sample(board: &Board, number: u32, sent_ns: u64) -> [u8; 64] {
        let mut bytes = [0; 64];
        payload::fill(&mut bytes, number);
        payload::stamp(&mut bytes, sent_ns);
        board.sent(number, sent_ns);
        bytes
    }

    fn board() -> Board {
        Board::new(&arguments("--bytes", "64").unwrap()).unwrap()
    }

    #[test]
    fn a_right_sample_is_recorded_with_both_times() {
        let board = board();
        let bytes = sample(&board, 3, 100);
        board.arrived(&bytes, 150);
        assert_eq!((board.sent_ns(3), board.received_ns(3)), (100, 150));
        assert_eq!((board.taken(), board.wrong()), (1, 0));
        assert_eq!((board.sent_ns(2), board.received_ns(2)), (0, 0));
    }

    #[test]
    fn a_sample_that_is_late_counts_as_lost() {
        let board = board();
        let bytes = sample(&board, 0, 100);
        board.arrived(&bytes, 101 + LOST_AFTER_NS);
        assert_eq!((board.received_ns(0), board.wrong()), (0, 0));
    }

    #[test]
    fn what_is_twice_out_of_order_damaged_or_unstamped_is_wrong() {
        let board = board();
        let (early, late) = (sample(&board, 1, 10), sample(&board, 2, 20));
        board.arrived(&late, 30);
        let mut damaged = sample(&board, 3, 40);
        damaged[60] ^= 1;
        let mut unstamped = sample(&board, 4, 50);
        payload::stamp(&mut unstamped, 49);
        let unknown = {
            let mut bytes = [0; 64];
            payload::fill(&mut bytes, 7);
            bytes
        };
        for bytes in [&early[..], &late, &damaged, &unstamped, &unknown, &late[..63], &[]] {
            let before = board.wrong();
            board.arrived(bytes, 60);
            assert_eq!(board.wrong(), before + 1, "{bytes:?}");
        }
        assert_eq!(board.received_ns(2), 30);
        assert_eq!(board.received_ns(1), 0);
    }
}
