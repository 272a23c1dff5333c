//! How the other bridge is reached: ROS2-22, NODE-95.
//!
//! Pure. A session that is over is not the end of the other bridge: its topics stay for the linger time.
//!
//! ```text
//!        on_up          on_down           on_time, after the linger time
//!   New ───────► Up ──────────────► Away ────────────────────────────────► Gone
//!                 ▲                  │                                      │
//!                 └───── on_up ──────┴───────────────── on_up ──────────────┘
//! ```
//!
//! Invariant: it is told once that the other bridge is gone, and again only after it was up.

use std::time::Duration;

use tokkyu_contract::MonoTime;

/// How the other bridge is reached, and for how long it may be away.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    state: State,
    linger: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Never yet.
    New,
    /// A session is up.
    Up,
    /// There was one until then.
    Away { since: MonoTime },
    /// For so long that it counts as gone.
    Gone,
}

impl Standing {
    /// There was no session yet.
    pub fn new(linger: Duration) -> Standing {
        Standing { state: State::New, linger }
    }

    /// A session is up.
    pub fn on_up(&mut self) {
        self.go(State::Up);
    }

    /// A session, or an attempt at one, is over. An attempt that fails does not begin the time anew.
    pub fn on_down(&mut self, now: MonoTime) {
        if self.state == State::Up {
            self.go(State::Away { since: now });
        }
    }

    /// It is `now`; true if the other bridge counts as gone from now on.
    pub fn on_time(&mut self, now: MonoTime) -> bool {
        let State::Away { since } = self.state else { return false };
        let is_gone = now.since(since) >= self.linger;
        if is_gone {
            self.go(State::Gone);
        }
        is_gone
    }

    fn go(&mut self, to: State) {
        self.state = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINGER: Duration = Duration::from_secs(10);

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    /// Up at 0.
    fn up() -> Standing {
        let mut standing = Standing::new(LINGER);
        standing.on_up();
        standing
    }

    #[test]
    fn without_a_session_for_the_linger_time_the_other_bridge_is_gone_once() {
        let mut standing = up();
        assert!(!standing.on_time(at(99_000)), "it is up");
        standing.on_down(at(100_000));
        let gone = [100_000, 109_999, 110_000, 110_001, 999_000].map(|ms| standing.on_time(at(ms)));
        assert_eq!(gone, [false, false, true, false, false]);
    }

    #[test]
    fn a_session_that_comes_back_within_it_finds_everything_as_it_was() {
        let mut standing = up();
        standing.on_down(at(1_000));
        standing.on_up();
        assert!(!standing.on_time(at(60_000)));
        standing.on_down(at(60_000));
        assert_eq!([69_999, 70_000].map(|ms| standing.on_time(at(ms))), [false, true], "counted anew");
    }

    #[test]
    fn attempts_that_fail_meanwhile_do_not_begin_the_time_anew() {
        let mut standing = up();
        standing.on_down(at(0));
        standing.on_down(at(9_000));
        assert!(standing.on_time(at(10_000)));
        standing.on_down(at(11_000));
        assert!(!standing.on_time(at(99_000)), "gone already");
        standing.on_up();
        standing.on_down(at(100_000));
        assert!(standing.on_time(at(110_000)), "it was there again");
    }

    #[test]
    fn one_that_never_was_there_is_not_gone() {
        let mut standing = Standing::new(Duration::ZERO);
        standing.on_down(at(0));
        assert!(!standing.on_time(at(99_000)));
        standing.on_up();
        standing.on_down(at(100_000));
        assert!(standing.on_time(at(100_000)));
    }
}
