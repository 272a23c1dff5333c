//! The thread that sends what the driver wants, and where that comes from.
//!
//! Runs at control's real-time priority and waits for nothing but its ticks. A source that fails sends neutral (DRV-7).

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use crossterm::event::Event;
use tokkyu_contract::MonoTime;
use tokkyu_link::carrier::clock;

use super::sight::Sight;
use super::wishes::{HandsKind, SharedWishes};
use crate::control::gamepad::Gamepad;
use crate::control::keyboard::{Asked, Keyboard};
use crate::control::pattern::Pattern;
use crate::control::recording::{self, Player};
use crate::control::{Command, ControlError, ControlSource, Controls};
use crate::program::wiring::make_real_time;
use crate::program::{
    Alarm, DriveError, Driver, Mail, Offered, Outlet, RealTimeGrant, Session, StopFlag, Ticks,
};

/// What the drive key of the keyboard gives: a walking pace for most vehicles, since a key has no halfway.
const KEY_THROTTLE: f32 = 0.5;

/// What the thread tells the main thread.
#[derive(Debug)]
pub(super) enum Report {
    /// A command was offered.
    Sent(Offered, Controls),
    /// The source cannot say what the driver wants; `None` when it can again.
    Trouble(Option<String>),
    /// Ticks left out because the thread was far behind.
    LeftOut { ticks: u32 },
    /// What the scheduler granted.
    RealTime(Vec<RealTimeGrant>),
}

/// The keyboard, shared between the thread that reads keys and the one that sends commands.
#[derive(Clone)]
pub(super) struct SharedKeyboard(Arc<Mutex<Keyboard>>);

impl SharedKeyboard {
    /// The terminal told something.
    pub(super) fn on_event(&self, now: MonoTime, event: &Event) -> Asked {
        // A thread that panicked with the lock held was in a pure function of a few numbers, each valid by itself.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).on_event(now, event)
    }

    /// Somebody looked whether the terminal told something.
    pub(super) fn on_look(&self, now: MonoTime) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).on_look(now);
    }

    /// The emergency stop was asked for, and perhaps not sent yet.
    pub(super) fn is_stopped(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_stopped()
    }
}

impl ControlSource for SharedKeyboard {
    fn controls(&mut self, now: MonoTime) -> Result<Controls, ControlError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).controls(now)
    }
}

/// Where controls come from, ready to be asked.
pub(super) struct Hands {
    pub(super) source: Box<dyn ControlSource>,
    pub(super) keyboard: Option<SharedKeyboard>,
}

impl Hands {
    /// Opens what `asked` names; `keyboard` is as [`Display::keyboard`](crate::program::Display::keyboard) says. `None`
    /// when nobody drives.
    pub(super) fn open(asked: Option<&Driver>, keyboard: Option<bool>) -> Result<Option<Hands>, DriveError> {
        let hands = |source: Box<dyn ControlSource>| Ok(Some(Hands { source, keyboard: None }));
        match (asked, keyboard) {
            (None, None) => Ok(None),
            (None | Some(Driver::Keyboard), Some(releases)) => Ok(Some(Hands::at_keyboard(releases))),
            (Some(Driver::Keyboard), None) => Err(DriveError::NoKeyboard),
            (Some(Driver::Pattern), _) => hands(Box::new(Pattern::new())),
            (Some(Driver::Gamepad), _) => hands(Box::new(Gamepad::open()?)),
            (Some(Driver::File(path)), _) => hands(Box::new(player(path)?)),
        }
    }

    /// Of which kind they are.
    pub(super) fn kind(&self) -> HandsKind {
        if self.keyboard.is_some() { HandsKind::Keyboard } else { HandsKind::Other }
    }

    fn at_keyboard(releases: bool) -> Hands {
        let keyboard = SharedKeyboard(Arc::new(Mutex::new(Keyboard::new(KEY_THROTTLE, releases))));
        Hands { source: Box::new(keyboard.clone()), keyboard: Some(keyboard) }
    }
}

fn player(path: &Path) -> Result<Player, ControlError> {
    Ok(Player::new(recording::read(path)?, false))
}

/// The thread's belongings.
pub(super) struct Wheel {
    pub(super) source: Box<dyn ControlSource>,
    pub(super) outlet: Outlet,
    pub(super) ticks: Ticks,
    pub(super) session: Session,
    pub(super) sight: Arc<Sight>,
    /// What this end wants with the seat.
    pub(super) wishes: SharedWishes,
    /// No command is due from then on.
    pub(super) until: Option<MonoTime>,
    pub(super) fifo_priority: Option<u8>,
    pub(super) mail: Mail<Report>,
    pub(super) stop: StopFlag,
}

impl Wheel {
    /// Starts the thread.
    pub(super) fn start(self) -> Result<JoinHandle<()>, DriveError> {
        thread::Builder::new().name("driver".into()).spawn(move || self.run()).map_err(DriveError::Thread)
    }

    fn run(mut self) {
        self.mail.post(Report::RealTime(make_real_time("driver", self.fifo_priority)));
        let (mut failing, mut alarm) = (false, Alarm::new());
        let goes_on = |due| self.until.is_none_or(|until| due < until);
        while goes_on(self.ticks.due()) && alarm.sleep_until(self.ticks.due(), &self.stop) {
            let issued = self.ticks.due();
            // Asked at the present moment: a dead-man must not look held because its thread is late.
            let controls = self.source.controls(clock::now());
            self.note(&controls, &mut failing);
            let controls = controls.unwrap_or(Controls::NEUTRAL);
            let sequence = u64::from(self.outlet.number());
            let pictures = self.session.get().and_then(|session| self.sight.age(session, issued));
            let command = Command { controls, sequence, issued, pictures, seat: self.wishes.wish(issued) };
            let offered = self.outlet.offer(issued, Bytes::copy_from_slice(&command.encode()));
            self.mail.post(Report::Sent(offered, controls));
            let ticks = self.ticks.advance(clock::now());
            if ticks > 0 {
                self.mail.post(Report::LeftOut { ticks });
            }
        }
    }

    /// Tells when trouble begins or ends, not again each tick.
    fn note(&self, controls: &Result<Controls, ControlError>, failing: &mut bool) {
        let why = controls.as_ref().err().map(ToString::to_string);
        if why.is_some() != *failing {
            *failing = why.is_some();
            self.mail.post(Report::Trouble(why));
        }
    }
}
