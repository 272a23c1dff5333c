//! Words for levels, and places in sources.

use tokkyu_graph::Level;

/// Where in a source something is said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<'p> {
    /// The file.
    pub file: &'p str,
    /// The function, or module.
    pub function: &'p str,
    /// The line, from 1.
    pub line: u32,
}

/// The words of `~get_loggers` and `~set_logger_level`.
pub(crate) fn word(level: Level) -> &'static str {
    match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
        Level::Fatal => "fatal",
    }
}

pub(crate) fn level(word: &str) -> Option<Level> {
    let all = [Level::Debug, Level::Info, Level::Warn, Level::Error, Level::Fatal];
    all.into_iter().find(|level| self::word(*level).eq_ignore_ascii_case(word))
}
