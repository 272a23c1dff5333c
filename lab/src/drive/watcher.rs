//! Who looks on while a case is run: told of its programs, and asked whether it shall go on.

use std::time::Duration;

use tokkyu_contract::MonoTime;

use crate::wire::End;

/// Who looks on while a case is run.
pub trait Watcher {
    /// Whether the programs' status lines (JSON) are wanted.
    fn wants_status(&self) -> bool {
        false
    }

    /// The network is up and the programs are about to start. `caveat` must be shown beside every figure.
    fn on_start(&mut self, begin: MonoTime, caveat: Option<&str>) {
        let _ = (begin, caveat);
    }

    /// A program said something on its standard output.
    fn on_status(&mut self, end: End, line: &str) {
        let _ = (end, line);
    }

    /// A program has ended; `failure` tells how and with which last words, if it ended other than well.
    fn on_end(&mut self, end: End, failure: Option<&str>) {
        let _ = (end, failure);
    }

    /// Called over and over while the case runs; waits, for at most `at_most`. False asks for the run to end.
    fn wait(&mut self, at_most: Duration) -> bool {
        std::thread::sleep(at_most);
        true
    }
}
