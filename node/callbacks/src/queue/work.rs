//! What a queue calls: something with callbacks.

use tokkyu_contract::MonoTime;
use tokkyu_topic::Near;

/// What a task says after one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// There was nothing to do.
    Idle,
    /// A callback was called, and there is nothing left to do until its bell rings or its time comes.
    Called,
    /// A callback was called, and there is more.
    More,
}

/// Something with callbacks.
pub(crate) trait Work: Send {
    /// Calls one callback at most.
    fn step(&mut self) -> Step;

    /// When there is something to do without anybody's ringing.
    fn due(&self) -> Option<MonoTime> {
        None
    }

    /// What `step` will look at, most likely: it is asked for when the thread is woken for it.
    fn add_to(&self, _near: &mut Near) {}

    /// Whether `step` would call a callback now.
    fn has_waiting(&mut self) -> bool;

    /// Forgets what waits now, uncalled.
    fn discard(&mut self);
}
