//! ITRON's priorities, -31 to -1, as the interrupt controller's (RTA-20, RTA-62).

use core::sync::atomic::AtomicU8;
use core::sync::atomic::Ordering::Relaxed;

use crate::secure::SECURE;

/// The controller has five bits of a priority.
const SHIFT: u32 = 3;
/// Below 0x78, which is the monitor's own; the first is the call's of one processor to another.
const RANKS: u8 = 14;

/// Of each of ITRON's priorities, by its distance from the most urgent: how many more urgent ones the system has, and one more.
static RANK: [AtomicU8; 31] = [const { AtomicU8::new(0) }; 31];

fn place(itron: i32) -> usize {
    (31 + itron).clamp(0, 30) as usize
}

/// Before anybody asks: those that the system uses. `None`: there are too many different ones beside Linux.
pub(crate) fn set_up(used: impl Iterator<Item = i32>) -> Option<()> {
    if !SECURE {
        return Some(());
    }
    let used = used.fold(0_u32, |bits, itron| bits | 1 << place(itron));
    for (place, rank) in RANK.iter().enumerate() {
        let before = (used & ((1 << place) - 1)).count_ones();
        rank.store((before + 1) as u8, Relaxed);
    }
    (used.count_ones() <= u32::from(RANKS)).then_some(())
}

/// The controller's for one of ITRON's; as a mask, it keeps out what has that priority or a lower one.
pub(crate) fn of(itron: i32) -> u8 {
    let place = place(itron);
    if SECURE { RANK[place].load(Relaxed) << SHIFT } else { (place as u8) << SHIFT }
}
