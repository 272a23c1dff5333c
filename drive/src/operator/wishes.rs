//! What this end wants with the seat: keys and flags make wishes, the vehicle's reports end them. SPEC.md DRV-123 to
//! DRV-125, DRV-130, DRV-140.
//!
//! Pure but for the lock around it, which the thread that sends commands and the main thread share.

use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEventKind};
use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::others::Right;

use crate::control::SeatWish;
use crate::safety::SeatView;

/// A press is sent for so long, so that lost commands do not lose it.
const PRESS: Duration = Duration::from_secs(1);

/// What a program wants with the seat without being told by keys (`--seat`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatRequest {
    /// Asks until it has it.
    Ask,
    /// Takes it, again and again until it has it.
    Force,
}

impl FromStr for SeatRequest {
    type Err = String;

    fn from_str(word: &str) -> Result<SeatRequest, String> {
        match word {
            "ask" => Ok(SeatRequest::Ask),
            "force" => Ok(SeatRequest::Force),
            other => Err(format!("\"{other}\" is nothing to do with the seat: use ask or force")),
        }
    }
}

/// What an end sends commands with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum HandsKind {
    /// It sends none.
    #[default]
    None,
    /// The keyboard.
    Keyboard,
    /// A gamepad, or what has no keys.
    Other,
}

impl HandsKind {
    /// For an end whose emergency stop stands in the way of the driver's reset.
    const fn hold_in_words(self) -> &'static str {
        match self {
            HandsKind::Keyboard => "this end holds the emergency stop: r lets go of it",
            HandsKind::None | HandsKind::Other => {
                "this end holds the emergency stop: its reset lets go of it"
            }
        }
    }

    const fn stop_in_words(self) -> &'static str {
        match self {
            HandsKind::None => "this end cannot stop the vehicle: it sends no commands (--control)",
            HandsKind::Keyboard => "x stops the vehicle all the same",
            HandsKind::Other => "its emergency stop stops the vehicle all the same",
        }
    }
}

/// The wishes of one end.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    asks: bool,
    forces_until: Option<MonoTime>,
    grant: Option<(usize, MonoTime)>,
    /// What this end sends commands with.
    hands: HandsKind,
    /// Force, pressed anew until the seat is ours.
    insists: bool,
    seen: Option<SeatView>,
}

impl Wishes {
    pub(super) fn new(request: Option<SeatRequest>, hands: HandsKind) -> Wishes {
        Wishes {
            hands,
            asks: request == Some(SeatRequest::Ask),
            insists: request == Some(SeatRequest::Force),
            ..Wishes::default()
        }
    }

    /// The vehicle's newest report, `None` for none that is young enough. Gives what there is to say of it.
    pub(super) fn on_report(&mut self, now: MonoTime, seen: Option<SeatView>) -> Option<String> {
        let before = self.seen;
        self.seen = seen.or(before);
        let seen = seen?;
        if !seen.is_yours() {
            self.grant = None;
        }
        if seen.is_yours() {
            (self.asks, self.forces_until, self.insists) = (false, None, false);
        } else if self.insists
            && seen.may == Right::Force
            && self.forces_until.is_none_or(|until| now >= until + PRESS)
        {
            // Let go for as long as it was pressed: it counts as it begins.
            self.forces_until = Some(now + PRESS);
        }
        (before != Some(seen)).then(|| in_words(before, seen)).flatten()
    }

    /// A key was pressed that has to do with the seat. Gives what there is to say of it.
    pub(super) fn on_key(&mut self, now: MonoTime, event: &Event) -> Option<String> {
        let Event::Key(key) = event else { return None };
        let KeyCode::Char(letter @ ('t' | 'y' | 'F')) = key.code else { return None };
        if key.kind != KeyEventKind::Press {
            return None;
        }
        if self.hands == HandsKind::None {
            return Some(
                "this end sends no commands (--control): it cannot do anything about the seat".to_owned(),
            );
        }
        let Some(seen) = self.seen else { return Some("the vehicle has not told who drives".to_owned()) };
        Some(match (letter, seen.is_yours(), seen.may, seen.asker) {
            ('y', true, _, Some((end, name))) => {
                self.grant = Some((end, now + PRESS));
                format!("the seat is given to {}", name.as_str())
            }
            ('y', true, _, None) => "nobody asks for the seat".to_owned(),
            ('y', false, ..) => format!("{} drives, and gives the seat", seen.driver.1.as_str()),
            (_, true, ..) => "you drive".to_owned(),
            (_, false, Right::Watch, _) => "this end may watch, and stop the vehicle".to_owned(),
            ('F', false, Right::Force, _) => {
                self.forces_until = Some(now + PRESS);
                "taking the seat".to_owned()
            }
            ('F', false, ..) => "this end may not take the seat: t asks for it".to_owned(),
            _ => {
                self.asks = !self.asks;
                if self.asks { "asking for the seat" } else { "not asking for the seat any more" }.to_owned()
            }
        })
    }

    /// What the command of `now` carries.
    fn wish(&self, now: MonoTime) -> SeatWish {
        SeatWish {
            ask: self.asks,
            force: self.forces_until.is_some_and(|until| now < until),
            grant: self.grant.filter(|(_, until)| now < *until).map(|(end, _)| end),
        }
    }

    /// What the driver has to know of the seat all the time.
    pub(super) fn notice(&self) -> Option<String> {
        let seen = self.seen?;
        if seen.holder.is_some_and(|(end, _)| end == seen.you) {
            return Some(self.hands.hold_in_words().to_owned());
        }
        match (seen.is_yours(), seen.asker) {
            (true, Some((_, asker))) => Some(format!("{} asks for the seat: y gives it", asker.as_str())),
            (true, None) => None,
            (false, _) if self.asks => Some(format!("asking {} for the seat", seen.driver.1.as_str())),
            (false, _) => Some(format!("{} drives; {}", seen.driver.1.as_str(), self.hands.stop_in_words())),
        }
    }
}

fn in_words(before: Option<SeatView>, seen: SeatView) -> Option<String> {
    let driver = |view: SeatView| view.driver.0;
    if before.map(driver) != Some(seen.driver.0) {
        // One that drives from the start is told nothing new.
        return match (before, seen.is_yours()) {
            (None, true) => None,
            (_, true) => Some("YOU DRIVE: you have the seat".to_owned()),
            (_, false) => Some(format!("{} drives", seen.driver.1.as_str())),
        };
    }
    match (before.and_then(|view| view.asker), seen.asker) {
        (old, Some(asker)) if old != Some(asker) => Some(format!("{} asks for the seat", asker.1.as_str())),
        (Some(old), None) => Some(format!("{} asks for the seat no more", old.1.as_str())),
        _ => None,
    }
}

/// The same for several threads.
#[derive(Clone, Debug)]
pub(super) struct SharedWishes(Arc<Mutex<Wishes>>);

impl SharedWishes {
    pub(super) fn new(request: Option<SeatRequest>, hands: HandsKind) -> SharedWishes {
        SharedWishes(Arc::new(Mutex::new(Wishes::new(request, hands))))
    }

    /// A thread that panicked with the lock held was in a pure function of a few fields, each valid by itself.
    pub(super) fn lock(&self) -> MutexGuard<'_, Wishes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the command of `now` carries.
    pub(super) fn wish(&self, now: MonoTime) -> SeatWish {
        self.lock().wish(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety::EndName;
    use crossterm::event::{KeyEvent, KeyModifiers};

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn at_keyboard() -> Wishes {
        Wishes::new(None, HandsKind::Keyboard)
    }

    fn view(you: usize, may: Right, driver: usize, asker: Option<usize>) -> SeatView {
        let names = ["operator", "boss", "screen"].map(EndName::new);
        SeatView {
            you,
            may,
            driver: (driver, names[driver]),
            asker: asker.map(|end| (end, names[end])),
            holder: None,
        }
    }

    fn press(wishes: &mut Wishes, ms: u64, letter: char) -> String {
        let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE);
        wishes.on_key(at(ms), &Event::Key(key)).expect("a key of the seat")
    }

    #[test]
    fn who_asks_does_so_until_it_has_the_seat_or_presses_again() {
        let mut wishes = at_keyboard();
        wishes.on_report(at(0), Some(view(1, Right::Drive, 0, None)));
        assert_eq!(press(&mut wishes, 10, 't'), "asking for the seat");
        assert!(wishes.wish(at(9_000)).ask);
        press(&mut wishes, 9_000, 't');
        assert!(!wishes.wish(at(9_000)).ask);
        press(&mut wishes, 9_100, 't');
        let told = wishes.on_report(at(9_200), Some(view(1, Right::Drive, 1, None)));
        assert_eq!(
            (told.as_deref(), wishes.wish(at(9_300)).ask),
            (Some("YOU DRIVE: you have the seat"), false)
        );
    }

    #[test]
    fn a_driver_gives_the_seat_to_who_asked_when_the_key_was_pressed() {
        let mut wishes = at_keyboard();
        wishes.on_report(at(0), Some(view(0, Right::Drive, 0, Some(2))));
        assert_eq!(wishes.notice().as_deref(), Some("screen asks for the seat: y gives it"));
        press(&mut wishes, 10, 'y');
        wishes.on_report(at(20), Some(view(0, Right::Drive, 0, Some(1))));
        assert_eq!([30, 1_010].map(|ms| wishes.wish(at(ms)).grant), [Some(2), None]);
    }

    #[test]
    fn keys_say_why_they_do_nothing() {
        let mut wishes = at_keyboard();
        assert_eq!(press(&mut wishes, 0, 't'), "the vehicle has not told who drives");
        wishes.on_report(at(0), Some(view(2, Right::Watch, 0, None)));
        assert_eq!(press(&mut wishes, 0, 't'), "this end may watch, and stop the vehicle");
        wishes.on_report(at(0), Some(view(1, Right::Drive, 0, None)));
        assert_eq!(press(&mut wishes, 0, 'F'), "this end may not take the seat: t asks for it");
        assert_eq!(press(&mut wishes, 0, 'y'), "operator drives, and gives the seat");
        assert_eq!(wishes.wish(at(1)), SeatWish::default());
        assert_eq!(wishes.notice().as_deref(), Some("operator drives; x stops the vehicle all the same"));
    }

    #[test]
    fn an_end_that_holds_the_stop_is_told_that_it_does_and_the_driver_is_not() {
        let mut wishes = at_keyboard();
        let holder = Some((2, EndName::new("screen")));
        wishes.on_report(at(0), Some(SeatView { holder, ..view(2, Right::Watch, 0, None) }));
        assert_eq!(wishes.notice().as_deref(), Some("this end holds the emergency stop: r lets go of it"));
        wishes.on_report(at(0), Some(SeatView { holder, ..view(0, Right::Drive, 0, None) }));
        assert_eq!(wishes.notice(), None, "it is in the gate's line");
    }

    #[test]
    fn an_end_without_commands_does_not_say_that_it_can_stop_anything() {
        let mut wishes = Wishes::new(None, HandsKind::None);
        wishes.on_report(at(0), Some(view(1, Right::Force, 0, None)));
        assert!(press(&mut wishes, 0, 'F').contains("sends no commands"));
        assert!(wishes.notice().unwrap().contains("cannot stop the vehicle"));
    }

    #[test]
    fn a_grant_ends_with_the_seat() {
        let mut wishes = at_keyboard();
        wishes.on_report(at(0), Some(view(0, Right::Drive, 0, Some(2))));
        press(&mut wishes, 10, 'y');
        wishes.on_report(at(20), Some(view(0, Right::Drive, 2, None)));
        assert_eq!(wishes.wish(at(30)).grant, None);
    }

    #[test]
    fn a_program_that_insists_lets_go_between_its_presses() {
        let mut wishes = Wishes::new(Some(SeatRequest::Force), HandsKind::Other);
        let forces: Vec<bool> = (0..6)
            .map(|half| {
                wishes.on_report(at(500 * half), Some(view(1, Right::Force, 0, None)));
                wishes.wish(at(500 * half)).force
            })
            .collect();
        assert_eq!(forces, [true, true, false, false, true, true]);
        wishes.on_report(at(3_000), Some(view(1, Right::Force, 1, None)));
        wishes.on_report(at(9_000), Some(view(1, Right::Force, 0, None)));
        assert!(!wishes.wish(at(9_000)).force, "once");
    }
}
