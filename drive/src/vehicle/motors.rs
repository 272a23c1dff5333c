//! Where the gate's output goes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use tokkyu_contract::MonoTime;
use tokkyu_link::carrier::clock;

use crate::control::Controls;

/// The vehicle's drive train. Called from the thread that receives commands, at its real-time priority: after each
/// command, after each change of the gate, and at least every 50 ms. Must not wait.
pub trait Motors: Send {
    /// What the motors get from `now` on.
    fn set(&mut self, now: MonoTime, controls: &Controls);

    /// The speed they measure, m/s, either way; `None` for those that measure none, whose stops last as long as the declared
    /// speed needs. Must not wait.
    fn speed_mps(&mut self) -> Option<f32> {
        None
    }

    /// Another way to the brakes than [`Motors::set`], asked for once, before the first call: it is used when these motors hold
    /// the thread that calls them, or that thread has died. Nothing if not written, and told at the start.
    fn second_brake(&mut self) -> Option<Box<dyn Brake>> {
        None
    }

    /// What the user has to know of them before the drive, told at the start; nothing if not written.
    fn notice(&self) -> Option<&'static str> {
        None
    }
}

/// A way to the brakes that needs nothing of what [`Motors::set`] needs: another line, a relay, a program to be killed.
/// Called from a thread of its own at control's priority. Must not wait.
pub trait Brake: Send {
    /// Brakes fully, until it is released.
    fn pull(&mut self);

    /// The motors answer again, and were given the brake: this way lets go. Not called at the program's end.
    fn release(&mut self);
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

/// Motors that brake when their thread dies: a panic must not leave them with the last controls.
pub(super) struct Held<M: Motors> {
    motors: M,
    steering: f32,
}

impl<M: Motors> Held<M> {
    pub(super) fn of(motors: M) -> Held<M> {
        Held { motors, steering: 0.0 }
    }
}

impl<M: Motors> Motors for Held<M> {
    fn set(&mut self, now: MonoTime, controls: &Controls) {
        self.steering = controls.steering();
        self.motors.set(now, controls);
    }

    fn speed_mps(&mut self) -> Option<f32> {
        self.motors.speed_mps()
    }

    fn second_brake(&mut self) -> Option<Box<dyn Brake>> {
        self.motors.second_brake()
    }

    fn notice(&self) -> Option<&'static str> {
        self.motors.notice()
    }
}

impl<M: Motors> Drop for Held<M> {
    /// The wheels stay where they were, as the gate leaves them.
    fn drop(&mut self) {
        if thread::panicking() {
            let (motors, brake) = (&mut self.motors, Controls::released(1.0, self.steering));
            // They may be what died: a second panic would end the process before anybody was told.
            let _ = catch_unwind(AssertUnwindSafe(|| motors.set(clock::now(), &brake)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    /// They die of full throttle.
    struct Weak(Sender<Controls>);

    impl Motors for Weak {
        fn set(&mut self, _: MonoTime, controls: &Controls) {
            self.0.send(*controls).unwrap();
            assert!(controls.throttle() < 1.0, "smoke");
        }
    }

    #[test]
    fn motors_whose_thread_dies_brake_with_the_wheels_where_they_were() {
        let (sender, set) = channel();
        let mut motors = Held::of(Weak(sender));
        let thread = thread::spawn(move || {
            motors.set(MonoTime::ZERO, &Controls::new(0.5, 0.0, 0.0).unwrap());
            motors.set(MonoTime::ZERO, &Controls::new(1.0, 0.0, 0.25).unwrap());
        });
        assert!(thread.join().is_err());
        assert_eq!(set.iter().last(), Some(Controls::released(1.0, 0.25)));
    }
}
