//! Arguments, variables, the terminal, signals.

use std::io::{IsTerminal, Write};
use std::sync::Arc;

use tokkyu_callbacks::Level;
use tokkyu_callbacks::port::{Declaration, Environment};

use super::Posix;
use super::clock::wall_now;
use super::flows::Flows;
use super::signals;

impl Environment for Posix {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn arguments(&self) -> Vec<String> {
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect()
    }

    fn process_number(&self) -> i32 {
        std::process::id() as i32
    }

    fn unlikely_number(&self) -> u64 {
        wall_now().as_nanos() ^ u64::from(std::process::id()) << 40
    }

    fn declaration(&self) -> Result<Option<Arc<dyn Declaration>>, String> {
        let Some(path) = std::env::var_os("TOKKYU_ROBOT") else { return Ok(None) };
        Ok(Some(Arc::new(Flows::load(path)?)))
    }

    /// What is no warning on standard output, the rest on standard error. Coloured on a terminal.
    fn print(&self, level: Level, line: &str) {
        // A terminal that is gone is nobody's fault.
        let _ = if level <= Level::Info {
            let mut out = std::io::stdout();
            let line = ended(level, line, out.is_terminal());
            out.write_all(line.as_bytes()).and_then(|()| out.flush())
        } else {
            let mut out = std::io::stderr();
            let line = ended(level, line, out.is_terminal());
            out.write_all(line.as_bytes())
        };
    }

    fn on_interrupt(&self, end: Box<dyn Fn() + Send>) -> Result<(), String> {
        signals::on_interrupt(end).map_err(|error| error.to_string())
    }
}

fn ended(level: Level, line: &str, is_terminal: bool) -> String {
    let colour = match level {
        _ if !is_terminal => return format!("{line}\n"),
        Level::Debug => "\x1b[32m",
        Level::Info => "\x1b[0m",
        Level::Warn => "\x1b[33m",
        Level::Error | Level::Fatal => "\x1b[31m",
    };
    format!("{colour}{line}\x1b[0m\n")
}
