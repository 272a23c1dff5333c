//! The board's serial console: findings of the agent among what the kernel says.

use std::fs::File;
use std::io::{BufRead, Write};
use std::sync::mpsc::Sender;

use super::Line;
use tokkyu_agent::report::MARK;

/// A line that is longer is no line of ours; it is cut.
const LINE_BYTES: u64 = 1 << 20;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Of the agent.
    Line(Line),
    /// Of anybody else.
    Text(String),
}

/// Reads until the end, copies all of it to `log`, and tells it line by line. Ends early when nobody listens.
pub(super) fn read(mut input: impl BufRead, mut log: Option<File>, to: &Sender<Heard>) {
    loop {
        let mut bytes = Vec::new();
        let limited = std::io::Read::take(&mut input, LINE_BYTES).read_until(b'\n', &mut bytes);
        if !matches!(limited, Ok(1..)) {
            return;
        }
        // The log is for people; that it is not whole is no reason to lose the findings.
        let _ = log.as_mut().map(|log| log.write_all(&bytes));
        if to.send(parse(&String::from_utf8_lossy(&bytes))).is_err() {
            return;
        }
    }
}

/// The kernel may have begun a line of its own when the agent wrote: what counts is the mark.
pub(super) fn parse(line: &str) -> Heard {
    let line = line.trim_end();
    let found = line.split_once(MARK).and_then(|(_, json)| serde_json::from_str(json).ok());
    found.map_or_else(|| Heard::Text(line.to_owned()), Heard::Line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_told_from_the_kernels_words() {
        assert_eq!(parse("[    0.1] @tokkyu \"done\"\r\n"), Heard::Line(Line::Done));
        assert_eq!(parse("[    0.1] Booting\r\n"), Heard::Text("[    0.1] Booting".to_owned()));
    }

    #[test]
    fn half_a_finding_is_text() {
        assert_eq!(parse("@tokkyu {\"failed\":{\"st"), Heard::Text("@tokkyu {\"failed\":{\"st".to_owned()));
    }
}
