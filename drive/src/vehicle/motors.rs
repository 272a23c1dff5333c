//! Where the gate's output goes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use tokkyu_contract::MonoTime;
use tokkyu_link::carrier::clock;

use super::onlooker::Onlooker;
use crate::control::Controls;

/// The vehicle's drive train. Called from the thread that receives commands, at its real-time priority: after each
/// command, after each change of the gate, and at least every 50 ms. Must not wait.
pub trait Motors: Send {
    /// What the motors get from `now` on. Outside driving these controls have no dead-man held (DRV-112).
    ///
    /// # Errors
    /// They did not take it: it counts as not given, and what they do meanwhile nobody knows, and nothing enables the vehicle
    /// before they do (DRV-121).
    fn set(&mut self, now: MonoTime, controls: &Controls) -> Result<(), Untaken>;

    /// The speed they measure, m/s, either way; `None` for those that measure none, whose stops last as long as the declared
    /// speed needs. Must not wait.
    fn speed_mps(&mut self) -> Option<f32> {
        None
    }

    /// Whether throttle is to them a part of the top speed, which they hold by themselves: then the gate scales it where the
    /// latency bounds the speed, and does not wait for a measured one to be too much (DRV-107). Asked for once. Else it is a
    /// force, as of an engine.
    fn throttle_is_speed(&self) -> bool {
        false
    }

    /// The vehicle may go at most so fast from now on, m/s; `None`: as fast as it can. Told before each [`Motors::set`]; the
    /// controls respect it as far as controls can. Must not wait.
    fn bound(&mut self, most_mps: Option<f32>) {
        let _ = most_mps;
    }

    /// Another way to the brakes than [`Motors::set`], asked for once, before the first call: it is used when these motors hold
    /// the thread that calls them, or that thread has died. Nothing if not written, and told at the start.
    fn second_brake(&mut self) -> Option<Box<dyn Brake>> {
        None
    }

    /// Who shows the gate to others beside the operator, asked for once, before the first call; nothing if not written.
    fn onlooker(&mut self) -> Option<Box<dyn Onlooker>> {
        None
    }

    /// What the user has to know of them before the drive, told at the start; nothing if not written.
    fn notice(&self) -> Option<String> {
        None
    }
}

/// The motors did not take what they were given; see [`Motors::set`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untaken {
    /// Not this time: while they drive, a reason to stop when it lasts for longer than the deadline.
    Refused,
    /// What takes it is not what took the last: a reason to stop at once, as who just began was not enabled.
    Changed,
}

impl Motors for Box<dyn Motors> {
    fn set(&mut self, now: MonoTime, controls: &Controls) -> Result<(), Untaken> {
        (**self).set(now, controls)
    }

    fn speed_mps(&mut self) -> Option<f32> {
        (**self).speed_mps()
    }

    fn throttle_is_speed(&self) -> bool {
        (**self).throttle_is_speed()
    }

    fn bound(&mut self, most_mps: Option<f32>) {
        (**self).bound(most_mps);
    }

    fn second_brake(&mut self) -> Option<Box<dyn Brake>> {
        (**self).second_brake()
    }

    fn onlooker(&mut self) -> Option<Box<dyn Onlooker>> {
        (**self).onlooker()
    }

    fn notice(&self) -> Option<String> {
        (**self).notice()
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
    fn set(&mut self, _: MonoTime, _: &Controls) -> Result<(), Untaken> {
        Ok(())
    }

    fn notice(&self) -> Option<String> {
        let what = "no motors attached: the gate's output is shown only";
        let remedy = "vehicle.output in robot.yaml gives it to ROS, tokkyu_drive::vehicle::run_with to motors of yours";
        Some(format!("{what}; {remedy}"))
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
    fn set(&mut self, now: MonoTime, controls: &Controls) -> Result<(), Untaken> {
        self.steering = controls.steering();
        self.motors.set(now, controls)
    }

    fn speed_mps(&mut self) -> Option<f32> {
        self.motors.speed_mps()
    }

    fn throttle_is_speed(&self) -> bool {
        self.motors.throttle_is_speed()
    }

    fn bound(&mut self, most_mps: Option<f32>) {
        self.motors.bound(most_mps);
    }

    fn second_brake(&mut self) -> Option<Box<dyn Brake>> {
        self.motors.second_brake()
    }

    fn onlooker(&mut self) -> Option<Box<dyn Onlooker>> {
        self.motors.onlooker()
    }

    fn notice(&self) -> Option<String> {
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
        fn set(&mut self, _: MonoTime, controls: &Controls) -> Result<(), Untaken> {
            self.0.send(*controls).unwrap();
            assert!(controls.throttle() < 1.0, "smoke");
            Ok(())
        }
    }

    #[test]
    fn motors_whose_thread_dies_brake_with_the_wheels_where_they_were() {
        let (sender, set) = channel();
        let mut motors = Held::of(Weak(sender));
        let thread = thread::spawn(move || {
            for throttle in [0.5, 1.0] {
                let _ = motors.set(MonoTime::ZERO, &Controls::new(throttle, 0.0, 0.25).unwrap());
            }
        });
        assert!(thread.join().is_err());
        assert_eq!(set.iter().last(), Some(Controls::released(1.0, 0.25)));
    }

    /// They hold a speed, and keep the bound.
    struct Steady(Sender<Option<f32>>);

    impl Motors for Steady {
        fn set(&mut self, _: MonoTime, _: &Controls) -> Result<(), Untaken> {
            Err(Untaken::Changed)
        }

        fn throttle_is_speed(&self) -> bool {
            true
        }

        fn bound(&mut self, most_mps: Option<f32>) {
            self.0.send(most_mps).unwrap();
        }
    }

    #[test]
    fn motors_in_a_box_say_and_are_told_the_same_as_without() {
        let (sender, bounds) = channel();
        let boxed: Box<dyn Motors> = Box::new(Steady(sender));
        let mut motors = Held::of(boxed);
        motors.bound(Some(2.5));
        assert!(motors.throttle_is_speed());
        assert_eq!(motors.set(MonoTime::ZERO, &Controls::NEUTRAL), Err(Untaken::Changed));
        drop(motors);
        assert_eq!(bounds.iter().collect::<Vec<_>>(), [Some(2.5)]);
    }
}
