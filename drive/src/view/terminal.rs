//! The terminal, taken for the live view and given back.
//!
//! Runs in the program's main thread. Invariant: raw mode, the alternate screen and the key protocol are undone on
//! drop, and by ratatui's panic hook before a panic's message is printed. A signal (SIGINT from outside, SIGTERM) ends
//! the program's loop, which drops the view; inside raw mode Ctrl-C is a key
//! ([`Asked::Quit`](crate::control::keyboard::Asked::Quit)).

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use crossterm::event::{
    self, DisableFocusChange, EnableFocusChange, Event, KeyboardEnhancementFlags,
    PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::{execute, terminal};
use ratatui::DefaultTerminal;

use super::draw::draw;
use super::snapshot::Snapshot;

/// Events taken in one call: a paste or a stuck key must not hold up the loop that drives.
const MOST_EVENTS: usize = 64;

pub(super) struct Screen {
    terminal: DefaultTerminal,
    tells_releases: bool,
}

impl Screen {
    pub(super) fn open() -> io::Result<Screen> {
        let terminal = ratatui::try_init()?;
        // Kitty's keyboard protocol (https://sw.kovidgoyal.net/kitty/keyboard-protocol/): a terminal without it
        // answers the question with no, or not at all, which crossterm bounds by 2 s.
        let tells_releases = terminal::supports_keyboard_enhancement().unwrap_or(false);
        let screen = Screen { terminal, tells_releases };
        let mut output = io::stdout();
        execute!(output, EnableFocusChange)?;
        if tells_releases {
            let flags = KeyboardEnhancementFlags::REPORT_EVENT_TYPES
                | KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
            execute!(output, PushKeyboardEnhancementFlags(flags))?;
        }
        Ok(screen)
    }

    pub(super) fn tells_releases(&self) -> bool {
        self.tells_releases
    }

    pub(super) fn draw(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        self.terminal.draw(|frame| draw(frame, snapshot)).map(|_| ())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = execute!(io::stdout(), DisableFocusChange);
        // While panicking the hook has already given the screen back, and with it the key protocol set there. A second
        // time would take away the shell's own protocol and put the cursor back above the panic's message.
        if thread::panicking() {
            return;
        }
        if self.tells_releases {
            let _ = execute!(io::stdout(), PopKeyboardEnhancementFlags);
        }
        ratatui::restore();
        let _ = io::stdout().flush();
    }
}

pub(super) fn read_events(wait: Duration, on_event: &mut dyn FnMut(&Event)) -> io::Result<()> {
    let mut wait = wait;
    for _ in 0..MOST_EVENTS {
        if !event::poll(wait)? {
            return Ok(());
        }
        on_event(&event::read()?);
        wait = Duration::ZERO;
    }
    Ok(())
}
