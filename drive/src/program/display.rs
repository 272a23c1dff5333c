//! Where a running program tells its status: a terminal, a pipe, or nowhere.
//!
//! Runs in the main thread. A pipe whose reader is slow holds the main thread up, which costs no sample; a reader that
//! has gone ends the telling and nothing else: a vehicle does not stop because nobody reads its status.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use crossterm::event::Event;
use serde::Serialize;
use tokkyu_contract::MonoTime;

use super::{DriveError, Happening, Line, Ready, StatusMode};
use crate::text::printable;
use crate::view::snapshot::Snapshot;
use crate::view::{LINE_EVERY, View, plain};

/// An event stays on the screen for this long.
const NOTICE_FOR: Duration = Duration::from_secs(10);
/// Longest event shown.
const EVENT_LETTERS: usize = 500;

/// A status that can be drawn.
pub trait Shown {
    /// What the live view shows of it.
    fn snapshot(&self) -> Snapshot;

    /// The same in one line.
    fn line(&self) -> String {
        plain::line(&self.snapshot())
    }
}

/// Is told what goes on; `S` is the program's status.
pub trait Display<S> {
    /// The program runs.
    fn on_ready(&mut self, ready: &Ready);

    /// The status, every 250 ms.
    fn on_status(&mut self, now: MonoTime, status: &S);

    /// Something happened.
    fn on_event(&mut self, now: MonoTime, event: &Happening);

    /// `Some` where keys can be read; true if they also tell when a key is let go.
    fn keyboard(&self) -> Option<bool> {
        None
    }

    /// Waits at most `wait` for keys and gives them to `on_key`. False, at once, without a keyboard.
    fn keys(&mut self, _wait: Duration, _on_key: &mut dyn FnMut(&Event)) -> bool {
        false
    }
}

/// Opens what `mode` asks for.
///
/// # Errors
/// The terminal cannot be set up.
pub fn open<S: Shown + Serialize>(mode: StatusMode) -> Result<Box<dyn Display<S>>, DriveError> {
    let terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
    Ok(match mode {
        StatusMode::None => Box::new(Quiet),
        StatusMode::Json => Box::new(JsonLines::default()),
        StatusMode::View if terminal => {
            let view = View::open().map_err(DriveError::Terminal)?;
            Box::new(OnScreen { view, notice: None })
        }
        StatusMode::Plain | StatusMode::View => Box::new(PlainLines { next_at: MonoTime::ZERO }),
    })
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl<S> Display<S> for Quiet {
    fn on_ready(&mut self, _: &Ready) {}

    fn on_status(&mut self, _: MonoTime, _: &S) {}

    fn on_event(&mut self, _: MonoTime, _: &Happening) {}
}

/// JSON lines on standard output.
#[derive(Default)]
struct JsonLines {
    is_gone: bool,
}

impl JsonLines {
    fn tell(&mut self, line: &impl Serialize) {
        let text = serde_json::to_string(line).expect("a status has only strings as keys");
        let mut output = io::stdout().lock();
        self.is_gone |= !self.is_gone && writeln!(output, "{text}").and_then(|()| output.flush()).is_err();
    }
}

impl<S: Serialize> Display<S> for JsonLines {
    fn on_ready(&mut self, ready: &Ready) {
        self.tell(&Line::<()>::Ready(ready.clone()));
    }

    fn on_status(&mut self, _: MonoTime, status: &S) {
        self.tell(&Line::Status(status));
    }

    fn on_event(&mut self, _: MonoTime, event: &Happening) {
        self.tell(&Line::<()>::Event(event.clone()));
    }
}

/// Text on standard output.
struct PlainLines {
    next_at: MonoTime,
}

fn say(text: &str) {
    // Without a reader there is nobody to tell that there is none.
    let _ = writeln!(io::stdout().lock(), "{text}");
}

impl<S: Shown> Display<S> for PlainLines {
    fn on_ready(&mut self, ready: &Ready) {
        say(&format!("{} of {} at {}", ready.program, ready.robot, ready.local));
    }

    fn on_status(&mut self, now: MonoTime, status: &S) {
        if now >= self.next_at {
            self.next_at = now + LINE_EVERY;
            say(&status.line());
        }
    }

    fn on_event(&mut self, _: MonoTime, event: &Happening) {
        say(&format!("* {}", printable(&event.text, EVENT_LETTERS)));
    }
}

/// The live view.
struct OnScreen {
    view: View,
    notice: Option<(MonoTime, String)>,
}

impl<S: Shown> Display<S> for OnScreen {
    fn on_ready(&mut self, _: &Ready) {}

    fn on_status(&mut self, now: MonoTime, status: &S) {
        let mut snapshot = status.snapshot();
        let recent = self.notice.as_ref().filter(|(at, _)| now.since(*at) < NOTICE_FOR);
        snapshot.notice = snapshot.notice.or_else(|| recent.map(|(_, text)| text.clone()));
        // A terminal that has gone is followed by a hang-up signal, which ends the program.
        let _ = self.view.show(now, &snapshot);
    }

    fn on_event(&mut self, now: MonoTime, event: &Happening) {
        self.notice = Some((now, event.text.clone()));
    }

    fn keyboard(&self) -> Option<bool> {
        Some(self.view.tells_releases())
    }

    fn keys(&mut self, wait: Duration, on_key: &mut dyn FnMut(&Event)) -> bool {
        self.view.keys(wait, on_key).is_ok()
    }
}
