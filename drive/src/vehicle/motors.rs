//! Where the gate's output goes.

use tokkyu_contract::MonoTime;

use crate::control::Controls;

/// The vehicle's drive train. Called from the thread that receives commands, at its real-time priority: after each
/// command, after each change of the gate, and at least every 50 ms. Must not wait.
pub trait Motors: Send {
    /// What the motors get from `now` on.
    fn set(&mut self, now: MonoTime, controls: &Controls);

    /// What the user has to know of them before the drive, told at the start; nothing if not written.
    fn notice(&self) -> Option<&'static str> {
        None
    }
}

/// No drive train: the gate's output is only shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMotors;

impl Motors for NoMotors {
    fn set(&mut self, _: MonoTime, _: &Controls) {}

    fn notice(&self) -> Option<&'static str> {
        Some(
            "no motors attached: the gate's output is shown only; tokkyu_drive::vehicle::run_with takes yours",
        )
    }
}
