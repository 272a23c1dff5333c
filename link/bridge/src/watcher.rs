//! Who looks on while a bridge runs, and what is told.

use serde::Serialize;

/// What is told once a second; `S` and `T` are the figures of a topic at its source and at its target.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status<S, T> {
    /// Whether a session is up.
    pub is_up: bool,
    /// Round trip of the link, smoothed.
    pub rtt_ms: f64,
    /// Share of packets lost on the way to the peer.
    pub loss: f64,
    /// Topics that go to the other end.
    pub sources: Vec<S>,
    /// Topics that come from it.
    pub targets: Vec<T>,
    /// What keeps topics from crossing now, in words.
    pub reports: Vec<String>,
    /// Messages of the other bridge that were not understood.
    pub messages_refused: u64,
}

/// Who looks on while a bridge runs whose status is `S`.
pub trait Watcher<S> {
    /// Something happened, in a line of plain words.
    fn on_line(&mut self, line: &str);

    /// Once a second.
    fn on_status(&mut self, status: &S) {
        let _ = status;
    }

    /// Asked often: true ends the bridge.
    fn is_over(&self) -> bool;
}
