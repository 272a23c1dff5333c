//! A cyclic or alarm notification. Its calls are in `calls/notification.rs`.

use crate::cell::{Byte, Half};
use crate::wheel::{Event, Owner};

/// On which processor a notification runs.
#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    /// From 1.
    pub processor: u8,
    /// A bit for each processor it may run on, the first processor's the lowest.
    pub may_move_to: u8,
}

impl Assignment {
    pub(crate) fn allows(self, processor: usize) -> bool {
        u32::from(self.may_move_to) >> (processor & 31) & 1 != 0
    }
}

/// What is declared of a cyclic notification.
#[derive(Clone, Copy, Debug)]
pub struct CyclicConfig {
    /// Where.
    pub assignment: Assignment,
    /// Microseconds from one to the next, from 1.
    pub period_us: u32,
    /// Microseconds to the first.
    pub phase_us: u32,
    /// `TA_STA`: it is started with the system.
    pub started: bool,
}

/// A timed notification. Guarded by the lock of the processor that it is assigned to.
#[derive(Debug)]
pub(crate) struct Timed {
    number: Half,
    pub(crate) processor: Byte,
    pub(crate) event: Event,
}

impl Timed {
    const fn new() -> Timed {
        Timed { number: Half::new(0), processor: Byte::new(0), event: Event::new() }
    }
}

/// Calls its handler again and again.
#[derive(Debug)]
pub struct Cyclic {
    pub(crate) config: CyclicConfig,
    pub(crate) timed: Timed,
}

/// Calls its handler once.
#[derive(Debug)]
pub struct Alarm {
    pub(crate) assignment: Assignment,
    pub(crate) timed: Timed,
}

/// What `ref_cyc` and `ref_alm` tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotificationStatus {
    /// `lefttim`: microseconds to the next; none if it is stopped.
    pub left_us: Option<u64>,
    /// `prcid`: where, from 1.
    pub processor: i32,
}

impl Cyclic {
    /// Before the system starts.
    pub const fn new(config: CyclicConfig) -> Cyclic {
        Cyclic { config, timed: Timed::new() }
    }

    /// What was declared of it.
    pub fn config(&self) -> &CyclicConfig {
        &self.config
    }

    pub(crate) fn reset(&self, number: u16) {
        self.timed.number.set(number);
        self.timed.processor.set(self.config.assignment.processor - 1);
        self.timed.event.belongs_to(Owner::Cyclic(number));
    }

    /// Its state at a time, of a system that stands still.
    pub fn status(&self, now_us: u64) -> NotificationStatus {
        self.timed.status(now_us)
    }
}

impl Alarm {
    /// Before the system starts.
    pub const fn new(assignment: Assignment) -> Alarm {
        Alarm { assignment, timed: Timed::new() }
    }

    pub(crate) fn reset(&self, number: u16) {
        self.timed.number.set(number);
        self.timed.processor.set(self.assignment.processor - 1);
        self.timed.event.belongs_to(Owner::Alarm(number));
    }

    /// Its state at a time, of a system that stands still.
    pub fn status(&self, now_us: u64) -> NotificationStatus {
        self.timed.status(now_us)
    }
}

impl Timed {
    pub(crate) fn status(&self, now_us: u64) -> NotificationStatus {
        let left = self.event.at_us().saturating_sub(now_us);
        NotificationStatus {
            left_us: self.event.is_set().then_some(left),
            processor: i32::from(self.processor.get()) + 1,
        }
    }
}
