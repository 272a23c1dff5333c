//! Driving by the keyboard of a terminal, with a dead-man.
//!
//! Pure state fed with key events; no waiting, constant time. SPEC.md DRV-8.
//! The dead-man is any of the driving keys, and the enable key. Invariants: without key events it is let go within
//! [`FIRST_HOLD`], whatever was pressed; and so it is when nobody looked at the terminal for a while, who would have heard
//! of a release.
//!
//! A terminal usually says only that a key was pressed, and says it again while it is held (after about half a
//! second, then some 30 times a second). So a key counts as held until its next repetition is overdue. Terminals with
//! the "kitty" protocol also say when a key is let go; then that counts at once, and the overdue rule watches all keys
//! together, because only the key pressed last repeats. It stays in force there, because on a remote terminal the
//! release may be what the network lost.
//!
//! ```text
//!          press              repetition within FIRST_HOLD
//!  free ─────────▶ pressed ─────────────────────────────────▶ repeating ──┐ repetition within REPEAT_HOLD
//!   ▲                 │ overdue, released, focus lost             │   ▲────┘
//!   └─────────────────┴───────────────────────────────────────────┘
//! ```

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokkyu_contract::MonoTime;

use super::{ControlError, ControlSource, Controls, Equipment, Fittings, READ_WITHIN};

/// How long a pressed key counts as held while its first repetition is awaited (keyboards wait 250 to 660 ms).
pub const FIRST_HOLD: Duration = Duration::from_millis(700);
/// How long a repeating key counts as held after a repetition (slowest common rate: 10 a second).
pub const REPEAT_HOLD: Duration = Duration::from_millis(150);
/// Time from straight to full lock while a steering key is held.
pub const FULL_LOCK: Duration = Duration::from_millis(500);
/// Time from full lock back to straight once it is let go.
pub const STRAIGHTEN: Duration = Duration::from_millis(250);

/// One line of help for the screen.
pub const HELP: &str = "x emergency stop  e enable  ↑/w drive  ↓/s brake  ←/a →/d steer  r release  q quit  g gear  h horn  l lights  t ask for the seat  y give it  F take it";

/// The keys where nobody drives by them.
pub const QUIT_HELP: &str = "q quit";

/// Whether `event` asks the program to end, whoever drives.
pub fn asks_to_quit(event: &Event) -> bool {
    Keyboard::new(0.0, false).on_event(MonoTime::ZERO, event) == Asked::Quit
}

/// What a key event asked of the program beside driving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nothing; driving goes on.
    Nothing,
    /// To end the program. In raw mode Ctrl-C arrives here and not as a signal.
    Quit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Drive,
    Brake,
    Left,
    Right,
    Enable,
    Horn,
    Gear,
    Lights,
    EmergencyStop,
    Release,
    Quit,
}

/// The keys that may be held are the first eight.
const HELD_KEYS: usize = 8;
/// Those that are a dead-man, the first five of them.
const DEAD_MAN_KEYS: usize = 5;

impl Key {
    fn of(event: &KeyEvent) -> Option<Key> {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        match event.code {
            KeyCode::Char('c') if control => Some(Key::Quit),
            KeyCode::Up | KeyCode::Char('w' | 'W') => Some(Key::Drive),
            KeyCode::Down | KeyCode::Char('s' | 'S' | ' ') => Some(Key::Brake),
            KeyCode::Left | KeyCode::Char('a' | 'A') => Some(Key::Left),
            KeyCode::Right | KeyCode::Char('d' | 'D') => Some(Key::Right),
            KeyCode::Char('e' | 'E') | KeyCode::Enter => Some(Key::Enable),
            KeyCode::Char('h' | 'H') => Some(Key::Horn),
            KeyCode::Char('g' | 'G') => Some(Key::Gear),
            KeyCode::Char('l' | 'L') => Some(Key::Lights),
            KeyCode::Char('x' | 'X') | KeyCode::Esc => Some(Key::EmergencyStop),
            KeyCode::Char('r' | 'R') => Some(Key::Release),
            KeyCode::Char('q' | 'Q') => Some(Key::Quit),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hold {
    #[default]
    Free,
    Pressed {
        at: MonoTime,
    },
    Repeating {
        last: MonoTime,
    },
}

/// The state of the driving keys; see the module.
pub struct Keyboard {
    holds: [Hold; HELD_KEYS],
    /// True where the terminal tells when a key is let go.
    releases: bool,
    throttle: f32,
    steering: f32,
    fittings: Fittings,
    asked_at: Option<MonoTime>,
    /// When somebody last looked whether the terminal told something.
    looked_at: Option<MonoTime>,
    /// Latched here as well as at the vehicle, so that a lost command does not lose the emergency stop.
    stopped: bool,
    release_until: Option<MonoTime>,
}

impl Keyboard {
    /// No key pressed. `throttle`, 0 to 1, is what the drive key gives; `releases` is true where the terminal tells
    /// when a key is let go.
    pub fn new(throttle: f32, releases: bool) -> Keyboard {
        Keyboard {
            holds: [Hold::Free; HELD_KEYS],
            releases,
            throttle,
            steering: 0.0,
            fittings: Fittings::default(),
            asked_at: None,
            looked_at: None,
            stopped: false,
            release_until: None,
        }
    }

    /// The emergency stop was asked for, and not released since.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Somebody looked at `now` whether the terminal told something; what it told comes by [`Keyboard::on_event`].
    pub fn on_look(&mut self, now: MonoTime) {
        self.looked_at = Some(now);
    }

    /// The terminal told something at `now`.
    pub fn on_event(&mut self, now: MonoTime, event: &Event) -> Asked {
        match event {
            Event::Key(key) => self.on_key(now, key),
            Event::FocusLost => {
                self.holds = [Hold::Free; HELD_KEYS];
                Asked::Nothing
            }
            _ => Asked::Nothing,
        }
    }

    fn on_key(&mut self, now: MonoTime, event: &KeyEvent) -> Asked {
        let Some(key) = Key::of(event) else { return Asked::Nothing };
        let released = event.kind == KeyEventKind::Release;
        match key {
            Key::Quit if !released => return Asked::Quit,
            Key::EmergencyStop => {
                self.stopped = true;
                self.release_until = None;
            }
            Key::Release if !released => {
                self.stopped = false;
                self.holds = [Hold::Free; HELD_KEYS];
                self.release_until = Some(now + FIRST_HOLD);
            }
            Key::Release | Key::Quit => {}
            _ => self.on_held_key(now, key, event.kind),
        }
        Asked::Nothing
    }

    fn on_held_key(&mut self, now: MonoTime, key: Key, kind: KeyEventKind) {
        self.let_overdue_go(now);
        if kind == KeyEventKind::Repeat && !self.held(key) {
            return; // Held from before something that let it go: no press.
        }
        // Whoever drives again has finished releasing.
        if (key as usize) < DEAD_MAN_KEYS {
            self.release_until = None;
        }
        let hold = self.holds[key as usize];
        if hold == Hold::Free && kind != KeyEventKind::Release {
            self.on_press(key);
        }
        self.holds[key as usize] = match hold {
            _ if kind == KeyEventKind::Release => Hold::Free,
            Hold::Free => Hold::Pressed { at: now },
            Hold::Pressed { .. } | Hold::Repeating { .. } => Hold::Repeating { last: now },
        };
    }

    /// A key was free and is pressed, which its repetitions are not.
    fn on_press(&mut self, key: Key) {
        match key {
            Key::Gear => self.fittings.gear = -self.fittings.gear,
            Key::Lights => self.fittings.equipment = self.fittings.equipment.toggled(Equipment::LOW_BEAM),
            _ => {}
        }
    }

    fn let_overdue_go(&mut self, now: MonoTime) {
        let last = self.holds.iter().filter_map(|hold| hold.last()).max();
        for hold in &mut self.holds {
            let overdue = match *hold {
                Hold::Free => false,
                // Only the key pressed last repeats, and each is let go by its own event: watch them together.
                _ if self.releases => last.is_none_or(|last| now.since(last) > FIRST_HOLD),
                Hold::Pressed { at } => now.since(at) > FIRST_HOLD,
                Hold::Repeating { last } => now.since(last) > REPEAT_HOLD,
            };
            if overdue {
                *hold = Hold::Free;
            }
        }
    }

    fn held(&self, key: Key) -> bool {
        self.holds[key as usize] != Hold::Free
    }

    /// Moves the steering towards where the keys point; a wheel that jumps cannot be driven.
    fn steer(&mut self, passed: Duration) {
        let towards = match (self.held(Key::Left), self.held(Key::Right)) {
            (true, false) => 1.0,
            (false, true) => -1.0,
            _ => 0.0,
        };
        let time = if towards == 0.0 { STRAIGHTEN } else { FULL_LOCK };
        let most = passed.as_secs_f32() / time.as_secs_f32();
        self.steering += (towards - self.steering).clamp(-most, most);
    }
}

impl Hold {
    fn last(&self) -> Option<MonoTime> {
        match *self {
            Hold::Free => None,
            Hold::Pressed { at: last } | Hold::Repeating { last } => Some(last),
        }
    }
}

impl ControlSource for Keyboard {
    fn controls(&mut self, now: MonoTime) -> Result<Controls, ControlError> {
        let read_age = self.looked_at.map_or(Duration::MAX, |at| now.since(at));
        if read_age >= READ_WITHIN {
            self.holds = [Hold::Free; HELD_KEYS];
        }
        self.let_overdue_go(now);
        let passed = self.asked_at.map_or(Duration::ZERO, |before| now.since(before));
        self.asked_at = Some(now);
        self.steer(passed);
        Ok(self.pressed(now).with_fittings(self.fittings()).with_read_age(read_age))
    }
}

impl Keyboard {
    fn pressed(&self, now: MonoTime) -> Controls {
        if self.stopped {
            return Controls::emergency();
        }
        if self.release_until.is_some_and(|until| now < until) {
            return Controls::release();
        }
        if self.holds[..DEAD_MAN_KEYS].iter().all(|hold| *hold == Hold::Free) {
            return Controls::released(0.0, self.steering);
        }
        let brake = if self.held(Key::Brake) { 1.0 } else { 0.0 };
        let throttle = if self.held(Key::Drive) && !self.held(Key::Brake) { self.throttle } else { 0.0 };
        Controls::clamped(throttle, brake, self.steering).with_enable(self.held(Key::Enable))
    }

    fn fittings(&self) -> Fittings {
        let horn = if self.held(Key::Horn) { Equipment::HORN } else { Equipment::default() };
        Fittings { equipment: self.fittings.equipment.and(horn), ..self.fittings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn key(code: KeyCode, kind: KeyEventKind) -> Event {
        Event::Key(KeyEvent::new_with_kind(code, KeyModifiers::NONE, kind))
    }

    fn press(keyboard: &mut Keyboard, ms: u64, code: KeyCode) {
        assert_eq!(keyboard.on_event(at(ms), &key(code, KeyEventKind::Press)), Asked::Nothing);
    }

    /// The controls of a keyboard that is looked at.
    fn controls(keyboard: &mut Keyboard, ms: u64) -> Controls {
        keyboard.on_look(at(ms));
        keyboard.controls(at(ms)).unwrap()
    }

    fn throttle(keyboard: &mut Keyboard, ms: u64) -> f32 {
        controls(keyboard, ms).throttle()
    }

    #[test]
    fn a_held_key_drives_and_a_key_let_go_stops_driving_by_itself() {
        let mut keyboard = Keyboard::new(0.5, false);
        press(&mut keyboard, 0, KeyCode::Up);
        assert_eq!(throttle(&mut keyboard, 10), 0.5);
        for ms in (500..2_000).step_by(33) {
            press(&mut keyboard, ms, KeyCode::Up);
            assert_eq!(throttle(&mut keyboard, ms + 32), 0.5);
        }
        assert_eq!(throttle(&mut keyboard, 2_200), 0.0, "the repetition is overdue");
    }

    #[test]
    fn a_single_tap_ends_after_the_keyboards_first_delay() {
        let mut keyboard = Keyboard::new(1.0, false);
        press(&mut keyboard, 0, KeyCode::Char('w'));
        assert_eq!(throttle(&mut keyboard, 700), 1.0);
        assert_eq!(throttle(&mut keyboard, 701), 0.0);
    }

    #[test]
    fn where_the_terminal_tells_a_release_it_counts_at_once() {
        let mut keyboard = Keyboard::new(1.0, true);
        press(&mut keyboard, 0, KeyCode::Up);
        keyboard.on_event(at(50), &key(KeyCode::Up, KeyEventKind::Release));
        assert_eq!(throttle(&mut keyboard, 50), 0.0);
    }

    #[test]
    fn with_releases_two_keys_are_held_together_while_only_the_last_repeats() {
        let mut keyboard = Keyboard::new(1.0, true);
        press(&mut keyboard, 0, KeyCode::Up);
        press(&mut keyboard, 100, KeyCode::Left);
        for ms in (600..3_000).step_by(33) {
            keyboard.on_event(at(ms), &key(KeyCode::Left, KeyEventKind::Repeat));
        }
        let controls = controls(&mut keyboard, 3_000);
        assert_eq!(controls.throttle(), 1.0);
        assert_eq!(throttle(&mut keyboard, 3_700), 0.0, "a terminal that went silent is a dead man");
    }

    #[test]
    fn losing_the_focus_lets_go_of_everything() {
        let mut keyboard = Keyboard::new(1.0, true);
        press(&mut keyboard, 0, KeyCode::Up);
        keyboard.on_event(at(1), &Event::FocusLost);
        assert_eq!(throttle(&mut keyboard, 1), 0.0);
    }

    #[test]
    fn braking_wins_over_driving() {
        let mut keyboard = Keyboard::new(1.0, false);
        press(&mut keyboard, 0, KeyCode::Up);
        press(&mut keyboard, 0, KeyCode::Char(' '));
        assert_eq!(controls(&mut keyboard, 1), Controls::new(0.0, 1.0, 0.0).unwrap());
    }

    #[test]
    fn steering_moves_over_time_and_straightens_when_let_go() {
        let mut keyboard = Keyboard::new(1.0, true);
        controls(&mut keyboard, 0);
        press(&mut keyboard, 0, KeyCode::Left);
        assert_eq!(controls(&mut keyboard, 250).steering(), 0.5);
        assert_eq!(controls(&mut keyboard, 600).steering(), 1.0);
        keyboard.on_event(at(600), &key(KeyCode::Left, KeyEventKind::Release));
        assert_eq!(controls(&mut keyboard, 725).steering(), 0.5);
        assert_eq!(controls(&mut keyboard, 5_000).steering(), 0.0);
    }

    #[test]
    fn an_emergency_stop_stays_until_it_is_released_and_the_release_drives_nothing() {
        let mut keyboard = Keyboard::new(1.0, false);
        press(&mut keyboard, 0, KeyCode::Up);
        press(&mut keyboard, 1, KeyCode::Char('x'));
        assert_eq!(controls(&mut keyboard, 9_000), Controls::emergency());
        press(&mut keyboard, 9_100, KeyCode::Up);
        assert_eq!(controls(&mut keyboard, 9_101), Controls::emergency());
        press(&mut keyboard, 9_200, KeyCode::Char('r'));
        press(&mut keyboard, 9_200, KeyCode::Char('h'));
        assert!(controls(&mut keyboard, 9_201).reset(), "a horn does not end it");
        assert_eq!(controls(&mut keyboard, 9_901), Controls::NEUTRAL);
    }

    #[test]
    fn without_a_driving_key_the_controls_are_not_enabled() {
        let mut keyboard = Keyboard::new(1.0, true);
        assert!(!controls(&mut keyboard, 0).dead_man());
        press(&mut keyboard, 0, KeyCode::Left);
        assert!(controls(&mut keyboard, 500).dead_man());
        keyboard.on_event(at(501), &key(KeyCode::Left, KeyEventKind::Release));
        let released = controls(&mut keyboard, 502);
        assert!(!released.dead_man() && released.steering() > 0.9, "{released:?}");
    }

    #[test]
    fn the_enable_key_is_a_dead_man_and_presses_enable() {
        let mut keyboard = Keyboard::new(1.0, true);
        press(&mut keyboard, 0, KeyCode::Char('e'));
        assert_eq!(controls(&mut keyboard, 1), Controls::clamped(0.0, 0.0, 0.0).with_enable(true));
        keyboard.on_event(at(20), &key(KeyCode::Char('e'), KeyEventKind::Release));
        assert_eq!(controls(&mut keyboard, 21), Controls::NEUTRAL);
    }

    #[test]
    fn keys_that_nobody_looks_at_are_let_go() {
        let mut keyboard = Keyboard::new(1.0, true);
        keyboard.on_look(at(0));
        press(&mut keyboard, 0, KeyCode::Up);
        let read = keyboard.controls(at(149)).unwrap();
        assert_eq!((read.throttle(), read.read_age()), (1.0, Duration::from_millis(149)));
        let unread = keyboard.controls(at(150)).unwrap();
        assert_eq!((unread.throttle(), unread.dead_man()), (0.0, false));
        assert_eq!(throttle(&mut keyboard, 160), 0.0, "looked at again, and not pressed anew");
    }

    #[test]
    fn gear_and_lamps_change_with_a_press_and_not_with_its_repetitions() {
        let mut keyboard = Keyboard::new(1.0, false);
        let reverse = |keyboard: &mut Keyboard, ms| controls(keyboard, ms).fittings().gear == -1;
        for ms in [0, 500, 530, 560] {
            press(&mut keyboard, ms, KeyCode::Char('g'));
            assert!(reverse(&mut keyboard, ms));
        }
        press(&mut keyboard, 2_000, KeyCode::Char('g'));
        press(&mut keyboard, 2_000, KeyCode::Char('l'));
        press(&mut keyboard, 2_000, KeyCode::Char('h'));
        let equipment = Equipment::LOW_BEAM.and(Equipment::HORN);
        let expected = Fittings { gear: 1, equipment, mode: 0 };
        assert_eq!(controls(&mut keyboard, 2_001), Controls::NEUTRAL.with_fittings(expected));
        assert!(!controls(&mut keyboard, 3_000).fittings().equipment.has(Equipment::HORN));
    }

    #[test]
    fn the_repetition_of_a_key_held_since_before_the_release_of_a_stop_is_no_press() {
        let mut keyboard = Keyboard::new(1.0, true);
        press(&mut keyboard, 0, KeyCode::Up);
        press(&mut keyboard, 10, KeyCode::Char('x'));
        press(&mut keyboard, 20, KeyCode::Char('r'));
        keyboard.on_event(at(800), &key(KeyCode::Up, KeyEventKind::Repeat));
        assert_eq!(controls(&mut keyboard, 801), Controls::NEUTRAL);
        press(&mut keyboard, 900, KeyCode::Up);
        assert_eq!(throttle(&mut keyboard, 901), 1.0);
    }

    #[test]
    fn ctrl_c_quits_because_raw_mode_makes_it_a_key() {
        let mut keyboard = Keyboard::new(1.0, false);
        let event = Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert_eq!(keyboard.on_event(at(0), &event), Asked::Quit);
        assert_eq!(keyboard.on_event(at(0), &key(KeyCode::Char('q'), KeyEventKind::Press)), Asked::Quit);
    }
}
