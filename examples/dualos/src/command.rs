//! What the driver wants, as Linux has said last: obeyed for 200 ms, and then the robot stands.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU64, fence};

const OBEYED_US: u64 = 200_000;

/// How fast to go.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twist {
    pub(crate) forward_m_s: f32,
    pub(crate) turn_rad_s: f32,
}

/// When it came; 0: none has, or it is being written. One task writes, control reads on other processors.
static CAME_US: AtomicU64 = AtomicU64::new(0);
static SAID: AtomicU64 = AtomicU64::new(0);
pub(crate) static TAKEN: AtomicU64 = AtomicU64::new(0);
/// Not whole, or no numbers.
pub(crate) static REFUSED: AtomicU64 = AtomicU64::new(0);

pub(crate) fn take(twist: Twist, now_us: u64) {
    CAME_US.store(0, Relaxed);
    // Who sees a part of the new one sees that it is being written.
    fence(Release);
    SAID.store(u64::from(twist.forward_m_s.to_bits()) << 32 | u64::from(twist.turn_rad_s.to_bits()), Relaxed);
    CAME_US.store(now_us.max(1), Release);
    TAKEN.fetch_add(1, Relaxed);
}

pub(crate) fn refuse() {
    REFUSED.fetch_add(1, Relaxed);
}

/// What is to be done now: nothing, unless the last command is young.
pub(crate) fn at(now_us: u64) -> Twist {
    let came_us = CAME_US.load(Acquire);
    let said = SAID.load(Relaxed);
    fence(Acquire);
    let is_one = came_us != 0 && CAME_US.load(Relaxed) == came_us;
    if !is_one || now_us.saturating_sub(came_us) > OBEYED_US {
        return Twist::default();
    }
    Twist { forward_m_s: f32::from_bits((said >> 32) as u32), turn_rad_s: f32::from_bits(said as u32) }
}
