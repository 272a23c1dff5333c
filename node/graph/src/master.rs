//! What is said to the master, and what waits to be.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use tokkyu_contract::MonoTime;

use crate::backoff::Backoff;
use crate::command::Call;
use crate::host::{Done, Failure};
use crate::net::ConnId;

/// Between two attempts to reach the master at most.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Of the connection to it.
pub(crate) enum State {
    /// No connection; none is made before that time.
    Away(MonoTime),
    Connecting,
    Idle(ConnId),
    Calling(InFlight),
}

pub(crate) struct InFlight {
    pub(crate) purpose: Purpose,
    /// To say it again if the connection is lost before anything came back.
    pub(crate) body: String,
}

/// What a call is for.
pub(crate) enum Purpose {
    Publisher(String),
    /// And how often the master had named the topic's publishers before.
    Subscriber(String, u32),
    Service(String),
    /// And how often the master had told of it before.
    Param(String, u32),
    Unregister,
    Program {
        waits: bool,
        done: Done<Vec<u8>>,
        since: MonoTime,
    },
}

/// What is said to the master.
pub(crate) struct Master {
    pub(crate) state: State,
    pub(crate) backoff: Backoff,
    /// Said once, until it answers again.
    pub(crate) has_failed: bool,
    /// Whether it has answered on this connection.
    pub(crate) has_answered: bool,
    pub(crate) unregister: VecDeque<String>,
    pub(crate) calls: VecDeque<(Purpose, String)>,
}

impl Master {
    pub(crate) fn new() -> Master {
        Master {
            state: State::Away(MonoTime::ZERO),
            backoff: Backoff::up_to(LONGEST_WAIT),
            has_failed: false,
            has_answered: false,
            unregister: VecDeque::new(),
            calls: VecDeque::new(),
        }
    }

    pub(crate) fn add_call(&mut self, call: Call, now: MonoTime) {
        if let (State::Away(_), false) = (&self.state, call.waits) {
            // Who does not wait wants to know now.
            self.state = State::Away(now);
        }
        let purpose = Purpose::Program { waits: call.waits, done: call.done, since: now };
        self.calls.push_back((purpose, call.body));
    }

    pub(crate) fn add_unregister(&mut self, body: String) {
        self.unregister.push_back(body);
    }

    /// Nobody waits for the program's calls any more.
    pub(crate) fn drop_calls(&mut self) {
        for (purpose, _) in self.calls.drain(..) {
            purpose.fail(Failure::Ending);
        }
        if matches!(self.state, State::Away(_)) {
            self.unregister.clear();
        }
    }

    pub(crate) fn has_nothing_to_do(&self) -> bool {
        self.unregister.is_empty()
            && self.calls.is_empty()
            && matches!(self.state, State::Idle(_) | State::Away(_))
    }

    /// When it is tried again.
    pub(crate) fn retry(&self) -> Option<MonoTime> {
        match self.state {
            State::Away(until) if self.has_failed => Some(until),
            _ => None,
        }
    }
}

impl Purpose {
    pub(crate) fn fail(self, failure: Failure) {
        if let Purpose::Program { done, .. } = self {
            done(Err(failure));
        }
    }
}
