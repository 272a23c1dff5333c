//! Time, and waiting for it.

use core::sync::atomic::AtomicU32;

use tokkyu_contract::{MonoTime, WallTime};

/// The system's clocks.
pub trait Clock {
    /// Now, by a clock that is never set.
    fn now(&self) -> MonoTime;

    /// Now, by the clock that people go by. A system that has none counts from its start.
    fn wall_now(&self) -> WallTime;
}

/// Waiting for a time, and for a word to change.
pub trait Sleeper {
    /// Sleeps until that time.
    fn sleep_until(&self, time: MonoTime);

    /// Sleeps while `word` is `is`, until [`Sleeper::wake`] of that word, or until that time. Nothing is lost between the look at the word and falling
    /// asleep, once who changes it wakes afterwards. It may wake for nothing.
    fn wait(&self, word: &AtomicU32, is: u32, until: Option<MonoTime>);

    /// Wakes `most` of those who sleep at that word, the more urgent ones first where the system knows who they are. Never waits.
    fn wake(&self, word: &AtomicU32, most: u32);
}
