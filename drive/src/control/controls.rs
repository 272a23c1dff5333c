//! What a driver wants, and what motors get: three axes, four buttons, and the rest of a vehicle's fittings.
//!
//! Pure values. Invariant: the axes are in range, and without the dead-man held there is no throttle.

use std::time::Duration;

use super::error::CommandError;

/// Buttons that nobody has read for so long count as let go, whatever the device or the command says (DRV-8, DRV-86).
pub const READ_WITHIN: Duration = Duration::from_millis(150);

/// What the driver wants, each value in its range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Controls {
    pub(super) axes: Axes,
    pub(super) buttons: Buttons,
    pub(super) read_age_ms: u16,
    pub(super) fittings: Fittings,
}

/// See [`Controls::throttle`], [`Controls::brake`] and [`Controls::steering`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Axes {
    pub(super) throttle: f32,
    pub(super) brake: f32,
    pub(super) steering: f32,
}

/// True for each button that is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Buttons {
    pub(super) e_stop: bool,
    pub(super) reset: bool,
    pub(super) dead_man: bool,
    pub(super) enable: bool,
}

/// What is neither driving nor stopping. The gate keeps back changes of gear under throttle or on the move (DRV-96), and
/// lets the rest through as it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fittings {
    /// −1 reverse, 0 neutral, 1 and more forward; SAE J1939 counts gears so.
    pub gear: i8,
    /// Lamps and horn.
    pub equipment: Equipment,
    /// Of the robot's own meaning: a speed range, a tool, a way of steering.
    pub mode: u8,
}

impl Default for Fittings {
    /// Forward, everything off, mode 0.
    fn default() -> Fittings {
        Fittings { gear: 1, equipment: Equipment::default(), mode: 0 }
    }
}

/// Lamps and horn, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Equipment(u16);

impl Equipment {
    /// Position lamps.
    pub const POSITION: Equipment = Equipment(1);
    /// Low beam.
    pub const LOW_BEAM: Equipment = Equipment(1 << 1);
    /// High beam.
    pub const HIGH_BEAM: Equipment = Equipment(1 << 2);
    /// Direction indicator to the left; with the right one they are the hazard lights.
    pub const LEFT: Equipment = Equipment(1 << 3);
    /// Direction indicator to the right.
    pub const RIGHT: Equipment = Equipment(1 << 4);
    /// Beacon.
    pub const BEACON: Equipment = Equipment(1 << 5);
    /// Work lamps.
    pub const WORK: Equipment = Equipment(1 << 6);
    /// Horn.
    pub const HORN: Equipment = Equipment(1 << 7);
    /// Everything that there is.
    const KNOWN: u16 = 0xff;

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Equipment) -> Equipment {
        Equipment(self.0 | other.0)
    }

    /// This without `other`.
    #[must_use]
    pub const fn without(self, other: Equipment) -> Equipment {
        Equipment(self.0 & !other.0)
    }

    /// This with all of `other` off where it was on, else on.
    #[must_use]
    pub const fn toggled(self, other: Equipment) -> Equipment {
        if self.has(other) { self.without(other) } else { self.and(other) }
    }

    /// Whether all of `other` is on.
    pub const fn has(self, other: Equipment) -> bool {
        self.0 & other.0 == other.0
    }

    /// The bits on the wire.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The same from bits; `None` where one is not known here.
    pub const fn from_bits(bits: u16) -> Option<Equipment> {
        if bits & !Equipment::KNOWN == 0 { Some(Equipment(bits)) } else { None }
    }
}

impl Controls {
    /// Nothing pressed, also not the dead-man: the gate stops the vehicle (DRV-86).
    pub const NEUTRAL: Controls = Controls {
        axes: Axes { throttle: 0.0, brake: 0.0, steering: 0.0 },
        buttons: Buttons { e_stop: false, reset: false, dead_man: false, enable: false },
        read_age_ms: 0,
        fittings: Fittings { gear: 1, equipment: Equipment(0), mode: 0 },
    };

    /// Controls under a held dead-man, with `throttle` and `brake` 0 to 1 and `steering` −1 (full right) to 1 (full
    /// left; ROS REP 103: counter-clockwise is positive).
    ///
    /// # Errors
    /// [`CommandError::Range`] for a value outside its range or not a number.
    pub fn new(throttle: f32, brake: f32, steering: f32) -> Result<Controls, CommandError> {
        let throttle = in_range("throttle", throttle, 0.0)?;
        let brake = in_range("brake", brake, 0.0)?;
        let steering = in_range("steering", steering, -1.0)?;
        Ok(Controls::held(Axes { throttle, brake, steering }))
    }

    /// The same from values that may lie a little outside, such as an axis that was calibrated badly: cut to the
    /// range, and 0 for what is not a number.
    pub fn clamped(throttle: f32, brake: f32, steering: f32) -> Controls {
        let cut = |value: f32, lowest: f32| if value.is_nan() { 0.0 } else { value.clamp(lowest, 1.0) };
        Controls::held(Axes {
            throttle: cut(throttle, 0.0),
            brake: cut(brake, 0.0),
            steering: cut(steering, -1.0),
        })
    }

    const fn held(axes: Axes) -> Controls {
        let buttons = Buttons { dead_man: true, ..Controls::NEUTRAL.buttons };
        Controls { axes, buttons, ..Controls::NEUTRAL }
    }

    /// The same without the dead-man: no throttle, whatever was asked. The brake is what the driver gives; the gate
    /// gives no less (DRV-86).
    pub fn released(brake: f32, steering: f32) -> Controls {
        Controls { buttons: Buttons::default(), ..Controls::clamped(0.0, brake, steering) }
    }

    /// The emergency stop: full brake, and it latches at the vehicle (DRV-13).
    pub const fn emergency() -> Controls {
        let axes = Axes { brake: 1.0, ..Controls::NEUTRAL.axes };
        let buttons = Buttons { e_stop: true, ..Controls::NEUTRAL.buttons };
        Controls { axes, buttons, ..Controls::NEUTRAL }
    }

    /// The command that releases a latched emergency stop: neutral, and marked as meant so (DRV-14).
    pub const fn release() -> Controls {
        let buttons = Buttons { reset: true, ..Controls::NEUTRAL.buttons };
        Controls { buttons, ..Controls::NEUTRAL }
    }

    /// The same with the enable button pressed, or not.
    #[must_use]
    pub const fn with_enable(mut self, is_pressed: bool) -> Controls {
        self.buttons.enable = is_pressed;
        self
    }

    /// The same with the buttons read so long ago.
    #[must_use]
    pub fn with_read_age(mut self, age: Duration) -> Controls {
        self.read_age_ms = u16::try_from(age.as_millis()).unwrap_or(u16::MAX);
        self
    }

    /// The same with these fittings.
    #[must_use]
    pub const fn with_fittings(mut self, fittings: Fittings) -> Controls {
        self.fittings = fittings;
        self
    }

    /// 0 (none) to 1 (full).
    pub const fn throttle(&self) -> f32 {
        self.axes.throttle
    }

    /// 0 (none) to 1 (full).
    pub const fn brake(&self) -> f32 {
        self.axes.brake
    }

    /// −1 (full right) to 1 (full left).
    pub const fn steering(&self) -> f32 {
        self.axes.steering
    }

    /// True while the dead-man is held; without it there is no throttle.
    pub const fn dead_man(&self) -> bool {
        self.buttons.dead_man
    }

    /// True while the enable button is pressed.
    pub const fn enable(&self) -> bool {
        self.buttons.enable
    }

    /// From the reading of the buttons to the time of issue, in whole milliseconds; 65.535 s stands for longer.
    pub const fn read_age(&self) -> Duration {
        Duration::from_millis(self.read_age_ms as u64)
    }

    /// True for an emergency stop.
    pub const fn e_stop(&self) -> bool {
        self.buttons.e_stop
    }

    /// True for the release of an emergency stop; such controls are neutral in everything that moves.
    pub const fn reset(&self) -> bool {
        self.buttons.reset
    }

    /// Gear, lamps, horn, mode.
    pub const fn fittings(&self) -> Fittings {
        self.fittings
    }

    /// Whether everything that moves is at rest and no button is pressed but the reset.
    pub(super) fn is_plain_reset(&self) -> bool {
        self.axes == Axes::default() && self.buttons == Controls::release().buttons
    }
}

fn in_range(field: &'static str, value: f32, lowest: f32) -> Result<f32, CommandError> {
    // A comparison with NaN is false, so this refuses it too.
    if (lowest..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(CommandError::Range { field, value, lowest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamping_gives_controls_in_range_from_anything() {
        let controls = Controls::clamped(f32::NAN, 7.0, f32::NEG_INFINITY);
        assert_eq!(controls, Controls::new(0.0, 1.0, -1.0).unwrap());
    }

    #[test]
    fn a_reading_longer_ago_than_can_be_told_counts_as_the_longest() {
        let aged = |age| Controls::NEUTRAL.with_read_age(age).read_age();
        assert_eq!(aged(Duration::from_micros(149_999)), Duration::from_millis(149));
        assert_eq!(aged(Duration::MAX), Duration::from_millis(u16::MAX.into()));
    }
}
