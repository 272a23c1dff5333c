//! An event flag: what it holds and who waits. Its calls are in `calls/eventflag.rs`.

use crate::cell::Word;
use crate::error::{Error, Result};
use crate::lock::{Lock, RANK_OF_OBJECTS};
use crate::task::Task;
use crate::waiting::{Place, WaitQueue};

/// What is declared of an event flag.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventFlagConfig {
    /// The pattern that it begins with.
    pub initial: u32,
    /// `TA_WMUL`: several tasks may wait.
    pub many_may_wait: bool,
    /// `TA_CLR`: all bits are cleared when a task is released.
    pub clear: bool,
    /// `TA_TPRI`
    pub by_priority: bool,
}

/// When a wait for bits is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagMode {
    /// `TWF_ANDW`: all are set.
    All,
    /// `TWF_ORW`: one of them is.
    Any,
}

/// An event flag: 32 bits to wait for.
#[derive(Debug)]
pub struct EventFlag {
    pub(crate) config: EventFlagConfig,
    pub(crate) lock: Lock,
    pub(crate) pattern: Word,
    pub(crate) queue: WaitQueue,
}

/// What `ref_flg` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventFlagStatus {
    /// `wtskid`
    pub waiting: Option<i32>,
    /// `flgptn`
    pub pattern: u32,
}

impl EventFlag {
    /// Before the system starts.
    pub const fn new(config: EventFlagConfig) -> EventFlag {
        EventFlag {
            config,
            lock: Lock::new(RANK_OF_OBJECTS),
            pattern: Word::new(config.initial),
            queue: WaitQueue::new(config.by_priority),
        }
    }

    pub(crate) fn reset(&self) {
        self.pattern.set(self.config.initial);
        self.queue.clear();
    }

    pub(crate) fn place(&'static self) -> Place {
        Place::new(&self.lock, &self.queue)
    }

    /// Its state, of a system that stands still.
    pub fn status(&self) -> EventFlagStatus {
        EventFlagStatus { waiting: self.queue.first().map(Task::id), pattern: self.pattern.get() }
    }

    /// Who waits, for which bits and how, in order, of a system that stands still.
    pub fn waiting(&self) -> impl Iterator<Item = (&'static Task, u32, FlagMode)> {
        self.queue.iter().map(|task| (task, task.waits.data.get() as u32, mode_of(task)))
    }

    /// What is answered at once: `E_TMOUT` if the wait is not over.
    pub(crate) fn ask(&self, bits: u32, mode: FlagMode) -> Result<u32> {
        if !self.config.many_may_wait && self.queue.first().is_some() {
            return Err(Error::IllegalUse);
        }
        self.matches(bits, mode).ok_or(Error::Timeout)
    }

    /// The pattern that releases who waits so, if it does.
    pub(crate) fn matches(&self, bits: u32, mode: FlagMode) -> Option<u32> {
        let pattern = self.pattern.get();
        let holds = match mode {
            FlagMode::All => pattern & bits == bits,
            FlagMode::Any => pattern & bits != 0,
        };
        if !holds {
            return None;
        }
        if self.config.clear {
            self.pattern.set(0);
        }
        Some(pattern)
    }
}

pub(crate) fn mode_of(task: &Task) -> FlagMode {
    if task.waits.more.get() == 0 { FlagMode::All } else { FlagMode::Any }
}
