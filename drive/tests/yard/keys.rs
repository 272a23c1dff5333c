//! Operators at a keyboard.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use crossterm::event::{Event, KeyCode};
use tokkyu_contract::MonoTime;
use tokkyu_drive::operator::{self, OperatorOptions, OperatorStatus};
use tokkyu_drive::program::{Display, Driver, Happening, Ready, StopFlag};

use super::{Ear, Running, ear};

/// An operator's display whose driver presses keys when told to.
struct Keys {
    ear: Ear<OperatorStatus>,
    pressed: Receiver<char>,
}

impl Display<OperatorStatus> for Keys {
    fn on_ready(&mut self, ready: &Ready) {
        self.ear.on_ready(ready);
    }

    fn on_status(&mut self, now: MonoTime, status: &OperatorStatus) {
        self.ear.on_status(now, status);
    }

    fn on_event(&mut self, now: MonoTime, event: &Happening) {
        self.ear.on_event(now, event);
    }

    fn keyboard(&self) -> Option<bool> {
        Some(false)
    }

    fn keys(&mut self, wait: Duration, on_key: &mut dyn FnMut(&Event)) -> bool {
        let first = self.pressed.recv_timeout(wait);
        for key in first.into_iter().chain(self.pressed.try_iter()) {
            on_key(&Event::Key(KeyCode::Char(key).into()));
        }
        true
    }
}

/// An operator at the keyboard, and its keys.
pub fn start_at_keyboard(options: OperatorOptions) -> (Running, Sender<char>) {
    let (ear, local, heard) = ear();
    let ((keys, pressed), stop) = (channel(), StopFlag::new());
    let for_thread = stop.clone();
    let options = OperatorOptions { control: Some(Driver::Keyboard), ..options };
    let mut display = Keys { ear, pressed };
    let thread = thread::spawn(move || operator::run_with(options, &mut display, &for_thread));
    let local = local.recv_timeout(Duration::from_secs(10)).expect("the operator listens");
    (Running { local, heard, stop, thread }, keys)
}
