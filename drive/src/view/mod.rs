//! The operator's live view: what arrives, how old it is, and what the link and the safe stop say.
//!
//! Runs at the operator in the program's main thread. [`View::show`] draws one [`Snapshot`]; drawing is a pure
//! function of it ([`draw`] for a terminal, [`plain`] for a pipe or a log file). [`View::keys`] waits at most as long
//! as it is told. Invariant: however the program ends, the terminal is given back as it was.

pub mod draw;
pub mod plain;
pub mod snapshot;
mod terminal;

use std::io::{self, IsTerminal, Write};
use std::thread;
use std::time::Duration;

use crossterm::event::Event;
use tokkyu_contract::MonoTime;

pub use snapshot::{CameraRow, ControlRow, LinkRow, Snapshot};
use terminal::Screen;

/// Time between two lines where the output is not a terminal.
pub const LINE_EVERY: Duration = Duration::from_secs(1);

enum Face {
    Screen(Screen),
    Lines { next_at: MonoTime },
}

/// The live view; see the module.
pub struct View {
    face: Face,
}

impl View {
    /// A full-screen view where standard output and input are a terminal, else one line a second.
    ///
    /// # Errors
    /// When the terminal cannot be set up.
    pub fn open() -> io::Result<View> {
        if io::stdout().is_terminal() && io::stdin().is_terminal() {
            Ok(View { face: Face::Screen(Screen::open()?) })
        } else {
            Ok(View::lines())
        }
    }

    /// One line a second, whatever standard output is.
    pub fn lines() -> View {
        View { face: Face::Lines { next_at: MonoTime::ZERO } }
    }

    /// True where the terminal tells when a key is let go (for [`Keyboard::new`](crate::control::keyboard::Keyboard::new)).
    pub fn tells_releases(&self) -> bool {
        matches!(&self.face, Face::Screen(screen) if screen.tells_releases())
    }

    /// Shows `snapshot` at `now`.
    ///
    /// # Errors
    /// When the output is gone, such as a pipe whose reader ended.
    pub fn show(&mut self, now: MonoTime, snapshot: &Snapshot) -> io::Result<()> {
        match &mut self.face {
            Face::Screen(screen) => screen.draw(snapshot),
            Face::Lines { next_at } if now >= *next_at => {
                *next_at = now + LINE_EVERY;
                let mut output = io::stdout().lock();
                writeln!(output, "{}", plain::line(snapshot))?;
                output.flush()
            }
            Face::Lines { .. } => Ok(()),
        }
    }

    /// Waits at most `wait` for something from the terminal, then gives what is there to `on_event`, at most 64
    /// events. Without a screen it only waits, so that a program's loop is the same with both.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn keys(&mut self, wait: Duration, on_event: &mut dyn FnMut(&Event)) -> io::Result<()> {
        match &self.face {
            Face::Screen(_) => terminal::read_events(wait, on_event),
            Face::Lines { .. } => {
                thread::sleep(wait);
                Ok(())
            }
        }
    }
}
