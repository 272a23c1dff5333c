//! Driving by a gamepad, read from Linux's input devices, with a dead-man.
//!
//! Never waits: the device is opened non-blocking, and each question for controls takes the events that are there.
//! SPEC.md DRV-8. Invariants: without the dead-man button held the controls are not enabled and have no throttle; a
//! trigger that was pulled before the dead-man was pressed gives none either, until it was let go; a device that
//! vanishes makes an error, is looked for again once in [`LOOK_AGAIN`], and then has to have its dead-man pressed anew,
//! as after the release of an emergency stop.
//!
//! Buttons and axes are those of Linux's gamepad specification (Documentation/input/gamepad.rst), which Xbox and
//! PlayStation pads both follow:
//!
//! ```text
//!   right shoulder (BTN_TR)   dead-man, hold to drive      right trigger (ABS_RZ, ABS_GAS)    throttle
//!   east  (BTN_EAST)          emergency stop               left trigger  (ABS_Z, ABS_BRAKE)   brake
//!   start (BTN_START)         release of it                left stick    (ABS_X)              steering
//!   south (BTN_SOUTH)         enable                       west  (BTN_WEST)   forward, reverse
//!   north (BTN_NORTH)         horn                         left shoulder (BTN_TL)             low beam
//! ```

use std::collections::VecDeque;
use std::io;
use std::ops::RangeInclusive;
use std::time::Duration;

use evdev::{AbsoluteAxisCode as Axis, EventSummary, KeyCode};
use tokkyu_contract::MonoTime;

use super::{ControlError, ControlSource, Controls, Equipment, Fittings};
use crate::text::printable;

/// Time between two looks for a gamepad that vanished.
pub const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Part of the stick's way, from the middle, that counts as the middle: worn sticks do not come back quite.
const DEAD_ZONE: f32 = 0.08;
/// Up to here a trigger counts as let go: worn ones do not come back quite, and any brake takes the throttle.
const AT_REST: f32 = 0.05;
/// How long one press of the release button is sent for, so that one lost command does not lose it.
const RELEASE_FOR: Duration = Duration::from_millis(700);

/// What a gamepad tells, in our own words.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PadEvent {
    DeadMan(bool),
    Enable(bool),
    Horn(bool),
    Gear,
    Lights,
    EmergencyStop,
    Release,
    /// 0 to 1.
    Throttle(f32),
    /// 0 to 1.
    Brake(f32),
    /// −1 (right) to 1 (left).
    Steering(f32),
}

/// A device that can be asked for its events without waiting.
trait Pad: Send {
    fn name(&self) -> &str;
    /// Adds what happened since the last call.
    fn read(&mut self, events: &mut VecDeque<PadEvent>) -> io::Result<()>;
}

/// The sticks and buttons, as far as they were told.
#[derive(Default)]
struct PadState {
    dead_man: bool,
    enable: bool,
    fittings: Fittings,
    throttle: f32,
    /// The trigger was at rest since the dead-man was pressed, or when it was: what it gives is meant.
    throttle_counts: bool,
    brake: f32,
    steering: f32,
    /// Latched here as well as at the vehicle, so that a lost command does not lose the emergency stop.
    stopped: bool,
    release_until: Option<MonoTime>,
}

impl PadState {
    fn on_event(&mut self, now: MonoTime, event: PadEvent) {
        match event {
            PadEvent::DeadMan(held) => {
                self.dead_man = held;
                self.throttle_counts = self.throttle <= AT_REST;
            }
            PadEvent::Enable(pressed) => self.enable = pressed,
            PadEvent::Horn(true) => {
                self.fittings.equipment = self.fittings.equipment.and(Equipment::HORN);
            }
            PadEvent::Horn(false) => {
                self.fittings.equipment = self.fittings.equipment.without(Equipment::HORN);
            }
            PadEvent::Gear => self.fittings.gear = -self.fittings.gear,
            PadEvent::Lights => {
                self.fittings.equipment = self.fittings.equipment.toggled(Equipment::LOW_BEAM);
            }
            PadEvent::EmergencyStop => {
                self.stopped = true;
                self.release_until = None;
            }
            PadEvent::Release => {
                self.stopped = false;
                self.release_until = Some(now + RELEASE_FOR);
                // Held from before the stop: nobody means it now.
                self.dead_man = false;
            }
            PadEvent::Throttle(value) => {
                self.throttle = value;
                self.throttle_counts |= value <= AT_REST;
            }
            PadEvent::Brake(value) => self.brake = value,
            PadEvent::Steering(value) => self.steering = value,
        }
    }

    /// Everything is let go; an emergency stop stays.
    fn let_go(&mut self) {
        let equipment = self.fittings.equipment.without(Equipment::HORN);
        let fittings = Fittings { equipment, ..self.fittings };
        *self = PadState { stopped: self.stopped, fittings, ..PadState::default() };
    }

    fn controls(&self, now: MonoTime) -> Controls {
        self.pressed(now).with_fittings(self.fittings)
    }

    fn pressed(&self, now: MonoTime) -> Controls {
        let brake = if self.brake > AT_REST { self.brake } else { 0.0 };
        if self.stopped {
            Controls::emergency()
        } else if self.release_until.is_some_and(|until| now < until) {
            Controls::release()
        } else if self.dead_man {
            let counts = self.throttle_counts && self.throttle > AT_REST;
            let throttle = if counts { self.throttle } else { 0.0 };
            Controls::clamped(throttle, brake, self.steering).with_enable(self.enable)
        } else {
            Controls::released(brake, self.steering)
        }
    }
}

/// Driving by a gamepad; see the module.
pub struct Gamepad {
    pad: Option<Box<dyn Pad>>,
    look: Box<dyn FnMut() -> Option<Box<dyn Pad>> + Send>,
    state: PadState,
    events: VecDeque<PadEvent>,
    /// Name and last words of the pad that vanished.
    gone: Option<(String, String)>,
    look_at: MonoTime,
}

impl Gamepad {
    /// Takes the first gamepad of `/dev/input`.
    ///
    /// # Errors
    /// [`ControlError::NoGamepad`].
    pub fn open() -> Result<Gamepad, ControlError> {
        Gamepad::with(Box::new(|| Device::first().map(|device| Box::new(device) as Box<dyn Pad>)))
    }

    fn with(mut look: Box<dyn FnMut() -> Option<Box<dyn Pad>> + Send>) -> Result<Gamepad, ControlError> {
        let pad = look().ok_or(ControlError::NoGamepad)?;
        let (state, events) = (PadState::default(), VecDeque::new());
        Ok(Gamepad { pad: Some(pad), look, state, events, gone: None, look_at: MonoTime::ZERO })
    }

    /// What the pad calls itself, `None` while it is gone.
    pub fn name(&self) -> Option<&str> {
        self.pad.as_deref().map(Pad::name)
    }

    fn on_vanished(&mut self, now: MonoTime, name: String, error: &io::Error) {
        self.pad = None;
        self.state.let_go();
        self.events.clear();
        self.gone = Some((name, error.to_string()));
        self.look_at = now + LOOK_AGAIN;
    }

    fn look_again(&mut self, now: MonoTime) {
        if self.pad.is_none() && now >= self.look_at {
            self.pad = (self.look)();
            self.look_at = now + LOOK_AGAIN;
        }
    }
}

impl ControlSource for Gamepad {
    /// An emergency stop that was pressed outlives its pad: it is sent in place of the error.
    fn controls(&mut self, now: MonoTime) -> Result<Controls, ControlError> {
        self.look_again(now);
        if let Some(pad) = &mut self.pad {
            match pad.read(&mut self.events) {
                Ok(()) => self.gone = None,
                Err(error) => {
                    let name = pad.name().to_owned();
                    self.on_vanished(now, name, &error);
                }
            }
        }
        for event in self.events.drain(..) {
            self.state.on_event(now, event);
        }
        match &self.gone {
            Some((name, said)) if !self.state.stopped => {
                Err(ControlError::Vanished { name: name.clone(), said: said.clone() })
            }
            _ => Ok(self.state.controls(now)),
        }
    }
}

/// A gamepad of the kernel.
struct Device {
    device: evdev::Device,
    name: String,
    axes: Vec<(Axis, RangeInclusive<i32>)>,
    /// Where the axes are at the beginning: the kernel tells of changes alone, and a trigger may be held already.
    places: Vec<PadEvent>,
}

impl Device {
    /// The first input device that calls itself a gamepad and that we may read.
    fn first() -> Option<Device> {
        evdev::enumerate().find_map(|(_, device)| {
            let keys = device.supported_keys()?;
            // BTN_SOUTH is what the kernel's specification says a gamepad is known by.
            (keys.contains(KeyCode::BTN_SOUTH) && keys.contains(KeyCode::BTN_TR)).then_some(())?;
            Device::new(device).ok()
        })
    }

    fn new(device: evdev::Device) -> io::Result<Device> {
        device.set_nonblocking(true)?;
        let (mut axes, mut places) = (Vec::new(), Vec::new());
        for (axis, info) in device.get_absinfo()? {
            let range = info.minimum()..=info.maximum();
            places.extend(axis_meaning(axis, &range, info.value()));
            axes.push((axis, range));
        }
        let name = printable(device.name().unwrap_or("gamepad"), 60);
        Ok(Device { device, name, axes, places })
    }
}

impl Pad for Device {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&mut self, events: &mut VecDeque<PadEvent>) -> io::Result<()> {
        events.extend(self.places.drain(..));
        let fetched = match self.device.fetch_events() {
            Ok(fetched) => fetched,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error),
        };
        // One read of the kernel's queue, which is bounded; the rest waits for the next question. Where the queue ran
        // over, the crate asks the kernel for the true state and tells the difference as events, so no release is lost.
        events.extend(fetched.filter_map(|event| meaning(event.destructure(), &self.axes)));
        Ok(())
    }
}

/// What one event of the kernel means, `None` for those that mean nothing here.
fn meaning(event: EventSummary, axes: &[(Axis, RangeInclusive<i32>)]) -> Option<PadEvent> {
    match event {
        // 2 is the repetition of a key that is held: no press.
        EventSummary::Key(_, KeyCode::BTN_TR, value @ 0..=1) => Some(PadEvent::DeadMan(value == 1)),
        EventSummary::Key(_, KeyCode::BTN_SOUTH, value @ 0..=1) => Some(PadEvent::Enable(value == 1)),
        EventSummary::Key(_, KeyCode::BTN_NORTH, value @ 0..=1) => Some(PadEvent::Horn(value == 1)),
        EventSummary::Key(_, KeyCode::BTN_WEST, 1) => Some(PadEvent::Gear),
        EventSummary::Key(_, KeyCode::BTN_TL, 1) => Some(PadEvent::Lights),
        EventSummary::Key(_, KeyCode::BTN_EAST, 1) => Some(PadEvent::EmergencyStop),
        EventSummary::Key(_, KeyCode::BTN_START, 1) => Some(PadEvent::Release),
        EventSummary::AbsoluteAxis(_, axis, value) => {
            let (_, range) = axes.iter().find(|(known, _)| *known == axis)?;
            axis_meaning(axis, range, value)
        }
        _ => None,
    }
}

fn axis_meaning(axis: Axis, range: &RangeInclusive<i32>, value: i32) -> Option<PadEvent> {
    let part = part_of(range, value);
    match axis {
        Axis::ABS_RZ | Axis::ABS_GAS => Some(PadEvent::Throttle(part)),
        Axis::ABS_Z | Axis::ABS_BRAKE => Some(PadEvent::Brake(part)),
        Axis::ABS_X => Some(PadEvent::Steering(steering_of(part))),
        _ => None,
    }
}

/// Where `value` lies in `range`: 0 at its start, 1 at its end; 0 for an empty range.
fn part_of(range: &RangeInclusive<i32>, value: i32) -> f32 {
    let (start, end) = (f64::from(*range.start()), f64::from(*range.end()));
    if end <= start {
        return 0.0;
    }
    (((f64::from(value) - start) / (end - start)) as f32).clamp(0.0, 1.0)
}

/// Steering from the stick's place, 0 (left) to 1 (right): the dead zone is 0, and it grows from 0 at its edge.
fn steering_of(part: f32) -> f32 {
    let way = 1.0 - 2.0 * part;
    let beyond = (way.abs() - DEAD_ZONE).max(0.0) / (1.0 - DEAD_ZONE);
    beyond.copysign(way)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// A pad that plays a script: each question takes the next entry.
    struct Script {
        steps: VecDeque<io::Result<Vec<PadEvent>>>,
    }

    impl Pad for Script {
        fn name(&self) -> &str {
            "test pad"
        }

        fn read(&mut self, events: &mut VecDeque<PadEvent>) -> io::Result<()> {
            events.extend(self.steps.pop_front().unwrap_or(Ok(vec![]))?);
            Ok(())
        }
    }

    type Steps = Vec<io::Result<Vec<PadEvent>>>;

    /// A gamepad that is each of `pads` in turn, each time one is looked for.
    fn gamepad(pads: Vec<Option<Steps>>) -> Gamepad {
        let pads = Arc::new(Mutex::new(VecDeque::from(pads)));
        let look = move || {
            let steps = pads.lock().unwrap().pop_front().flatten()?;
            Some(Box::new(Script { steps: steps.into() }) as Box<dyn Pad>)
        };
        Gamepad::with(Box::new(look)).unwrap()
    }

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn unplugged() -> io::Error {
        io::Error::from_raw_os_error(19)
    }

    #[test]
    fn nothing_moves_without_the_dead_man() {
        let mut pad = gamepad(vec![Some(vec![
            Ok(vec![PadEvent::Throttle(0.8), PadEvent::Steering(-0.5)]),
            Ok(vec![PadEvent::Throttle(0.0), PadEvent::DeadMan(true), PadEvent::Throttle(0.8)]),
            Ok(vec![PadEvent::DeadMan(false)]),
        ])]);
        assert_eq!(pad.controls(at(0)).unwrap(), Controls::released(0.0, -0.5));
        assert_eq!(pad.controls(at(20)).unwrap(), Controls::new(0.8, 0.0, -0.5).unwrap());
        assert_eq!(pad.controls(at(40)).unwrap(), Controls::released(0.0, -0.5));
    }

    #[test]
    fn a_trigger_pulled_before_the_dead_man_gives_no_throttle_until_it_was_let_go() {
        let mut pad = gamepad(vec![Some(vec![
            Ok(vec![PadEvent::Throttle(1.0), PadEvent::DeadMan(true)]),
            Ok(vec![PadEvent::Throttle(0.9)]),
            Ok(vec![PadEvent::Throttle(0.04), PadEvent::Throttle(0.5)]),
        ])]);
        assert_eq!(pad.controls(at(0)).unwrap(), Controls::new(0.0, 0.0, 0.0).unwrap());
        assert_eq!(pad.controls(at(20)).unwrap().throttle(), 0.0);
        assert_eq!(pad.controls(at(40)).unwrap().throttle(), 0.5);
    }

    #[test]
    fn a_worn_trigger_is_no_brake_and_the_enable_button_is_told_as_long_as_it_is_pressed() {
        let held = vec![PadEvent::DeadMan(true), PadEvent::Brake(0.04), PadEvent::Enable(true)];
        let mut pad = gamepad(vec![Some(vec![Ok(held), Ok(vec![PadEvent::Enable(false)])])]);
        let still = Controls::new(0.0, 0.0, 0.0).unwrap();
        assert_eq!(pad.controls(at(0)).unwrap(), still.with_enable(true));
        assert_eq!(pad.controls(at(20)).unwrap(), still);
    }

    #[test]
    fn the_brake_is_given_on_when_the_dead_man_is_let_go() {
        let held = vec![PadEvent::DeadMan(true), PadEvent::Brake(0.6), PadEvent::Steering(0.8)];
        let mut pad = gamepad(vec![Some(vec![Ok(held), Ok(vec![PadEvent::DeadMan(false)])])]);
        assert_eq!(pad.controls(at(0)).unwrap(), Controls::new(0.0, 0.6, 0.8).unwrap());
        assert_eq!(pad.controls(at(20)).unwrap(), Controls::released(0.6, 0.8));
    }

    #[test]
    fn the_release_of_an_emergency_stop_clears_what_was_held_from_before_it() {
        let held = vec![PadEvent::DeadMan(true), PadEvent::Throttle(1.0)];
        let mut pad = gamepad(vec![Some(vec![
            Ok(held),
            Ok(vec![PadEvent::EmergencyStop]),
            Ok(vec![PadEvent::Release]),
            Ok(vec![]),
            Ok(vec![PadEvent::DeadMan(false), PadEvent::DeadMan(true)]),
        ])]);
        assert_eq!(pad.controls(at(0)).unwrap().throttle(), 1.0);
        assert_eq!(pad.controls(at(20)).unwrap(), Controls::emergency());
        assert_eq!(pad.controls(at(40)).unwrap(), Controls::release());
        assert_eq!(
            pad.controls(at(760)).unwrap(),
            Controls::NEUTRAL,
            "both are held, and were before the stop"
        );
        assert_eq!(pad.controls(at(780)).unwrap().throttle(), 0.0, "the trigger was not let go");
    }

    #[test]
    fn a_pad_that_vanishes_is_an_error_and_needs_its_dead_man_anew_when_it_is_back() {
        let held = vec![PadEvent::DeadMan(true), PadEvent::Throttle(1.0)];
        let pads = vec![Some(vec![Ok(held), Err(unplugged())]), None, Some(vec![])];
        let mut pad = gamepad(pads);
        assert_eq!(pad.controls(at(0)).unwrap().throttle(), 1.0);
        let error = pad.controls(at(20)).unwrap_err();
        assert!(
            error.to_string().starts_with("the gamepad \"test pad\" vanished (No such device"),
            "{error}"
        );
        assert!(pad.controls(at(1_019)).is_err(), "not looked for yet");
        assert!(pad.controls(at(1_020)).is_err(), "looked for and not there");
        assert_eq!(pad.controls(at(2_020)).unwrap(), Controls::NEUTRAL, "back, but nobody holds it");
    }

    #[test]
    fn an_emergency_stop_outlives_its_pad_and_ends_only_by_its_release() {
        let pads = vec![
            Some(vec![Ok(vec![PadEvent::EmergencyStop]), Err(unplugged())]),
            Some(vec![Ok(vec![]), Ok(vec![PadEvent::Release])]),
        ];
        let mut pad = gamepad(pads);
        assert_eq!(pad.controls(at(0)).unwrap(), Controls::emergency());
        assert_eq!(pad.controls(at(20)).unwrap(), Controls::emergency());
        assert_eq!(pad.controls(at(1_020)).unwrap(), Controls::emergency());
        assert_eq!(pad.controls(at(1_040)).unwrap(), Controls::release());
        assert_eq!(pad.controls(at(3_000)).unwrap(), Controls::NEUTRAL);
    }

    #[test]
    fn no_gamepad_at_all_is_told_at_once() {
        assert!(matches!(Gamepad::with(Box::new(|| None)), Err(ControlError::NoGamepad)));
    }

    #[test]
    fn axes_of_any_range_become_parts_and_a_resting_stick_steers_straight() {
        assert_eq!([0, 128, 255].map(|v| part_of(&(0..=255), v)), [0.0, 128.0 / 255.0, 1.0]);
        assert_eq!([-32_768, 32_767].map(|v| part_of(&(-32_768..=32_767), v)), [0.0, 1.0]);
        assert_eq!(part_of(&(i32::MIN..=i32::MAX), i32::MAX), 1.0);
        assert_eq!(part_of(&(5..=5), 5), 0.0);
        assert_eq!([0.0, 1.0].map(steering_of), [1.0, -1.0], "left is positive");
        assert!([0.47, 0.5, 0.53].map(steering_of).iter().all(|s| *s == 0.0));
    }
}
