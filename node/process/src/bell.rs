//! A wake-up across processes: the bell of `tokkyu-topic` on a word that processes share (NODE-77, NODE-78).
//!
//! ```text
//!            ring: a bit                 answer: bits
//!   BUSY 0 ──────────────► BUSY bits ──────────────► BUSY 0
//!    │ ▲                                               ▲
//!    │ sleep      ring: a bit, wake      answer        │
//!    └──────► IDLE ──────────────► BUSY bits ──────────┘
//! ```
//!
//! One system call takes the mark IDLE away and wakes (FUTEX_WAKE_OP): a publisher that is killed has done both or neither, and if neither, the
//! next one that rings wakes.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use rustix::io::Errno;
use rustix::thread::futex::{self, Flags, WakeOp, WakeOpCmp};
use rustix::time::{ClockId, Timespec, clock_gettime};
use tokkyu_contract::MonoTime;
use tokkyu_topic::{Bell, Doorbell, SOURCES};

use crate::page::{Page, Words};
use crate::receipt::{Receipt, Receipts};
use crate::{ProcessError, unguessable};

/// Set while the listener sleeps or is about to.
const IDLE: u32 = Bell::RESTING;
/// How long a listener sleeps at most without looking at the word, once others know it: one of them may have wiped it, so that nobody wakes anybody.
const LOOK_EVERY_NS: u64 = 1_000_000_000;
/// Shared with other processes.
const SHARED: Flags = Flags::empty();

/// The listener's end: one thread at a time answers and sleeps; all of the process may ring.
pub struct SharedBell {
    page: Arc<Page>,
    receipts: Arc<Receipts>,
    name: String,
    is_told: AtomicBool,
    /// What the word says, where no other process can change it.
    sleeps: AtomicBool,
    overslept: AtomicU32,
}

/// The end of a publisher in another process.
pub struct RemoteBell {
    page: Page,
}

impl SharedBell {
    /// A bell that is not known to anybody yet.
    ///
    /// # Errors
    ///
    /// [`ProcessError::System`]: no System V memory.
    pub fn create() -> Result<SharedBell, ProcessError> {
        let mark = unguessable::random()?;
        let (page, number) = Page::make(mark)?;
        let name = format!("tokkyu-bell-{number}-{mark:032x}");
        let page = Arc::new(page);
        Ok(SharedBell {
            receipts: Receipts::new(page.clone()),
            page,
            name,
            is_told: AtomicBool::new(false),
            sleeps: AtomicBool::new(false),
            overslept: AtomicU32::new(0),
        })
    }

    /// What publishers open it by. To be told to them.
    pub fn name(&self) -> &str {
        self.is_told.store(true, Ordering::Relaxed);
        &self.name
    }

    /// A word for a link of a reliable subscription.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Receipts`]: all are taken.
    pub fn receipt(&self) -> Result<Receipt, ProcessError> {
        self.receipts.take()
    }

    /// The sources that rang since the last answer, a bit each. Another process may have set any of them.
    pub fn answer(&self) -> u32 {
        self.word().swap(0, Ordering::AcqRel) & !IDLE
    }

    /// Whether the listener sleeps, or would had it got so far: false once somebody rang.
    pub fn is_resting(&self) -> bool {
        self.word().load(Ordering::Acquire) == IDLE
    }

    /// How often the listener found on looking that the word had changed and nobody had woken it: another process wrote what it must not.
    pub fn overslept(&self) -> u32 {
        self.overslept.load(Ordering::Relaxed)
    }

    /// Tells that source `source` (0 to 30) has something. True: the listener slept, and this caller has woken it.
    pub fn ring_at(&self, source: u32) -> bool {
        let words = self.page.words();
        let was_idle = set(words, source);
        // Who sleeps without the mark had it wiped away by another process, or was woken by one just now.
        let slept = self.sleeps.swap(false, Ordering::SeqCst);
        if was_idle {
            wake(words)
        } else {
            slept && futex::wake(&words.bell, SHARED, 1).is_ok_and(|woken| woken > 0)
        }
    }

    /// Sleeps until somebody rings, or until that time. It may wake for nothing.
    pub fn sleep(&self, until: Option<MonoTime>) {
        self.sleeps.store(true, Ordering::SeqCst);
        let may_sleep = self.word().compare_exchange(0, IDLE, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        // The mark alone: nobody rang, and nobody wiped it away.
        while may_sleep && self.is_resting() {
            let now = mono_now();
            if until.is_some_and(|until| until <= now) || !self.wait(until, now) {
                break;
            }
        }
        self.sleeps.store(false, Ordering::SeqCst);
    }

    /// False: interrupted.
    fn wait(&self, until: Option<MonoTime>, now: MonoTime) -> bool {
        let look = self.is_told.load(Ordering::Relaxed).then(|| now.offset(LOOK_EVERY_NS as i64));
        let until = match (until, look) {
            (Some(until), Some(look)) => Some(until.min(look)),
            (until, look) => until.or(look),
        };
        let until = until.map(|until| Timespec {
            tv_sec: (until.as_nanos() / 1_000_000_000) as i64,
            tv_nsec: (until.as_nanos() % 1_000_000_000) as i64,
        });
        let woken = futex::wait_bitset(self.word(), SHARED, IDLE, until.as_ref(), NonZeroU32::MAX);
        if woken == Err(Errno::TIMEDOUT) && !self.is_resting() {
            self.overslept.fetch_add(1, Ordering::Relaxed);
        }
        matches!(woken, Ok(()) | Err(Errno::AGAIN | Errno::TIMEDOUT))
    }

    fn word(&self) -> &AtomicU32 {
        &self.page.words().bell
    }
}

impl Doorbell for SharedBell {
    fn ring(&self, source: u32) {
        self.ring_at(source);
    }
}

impl RemoteBell {
    /// The bell that a subscriber's process called `name`.
    ///
    /// # Errors
    ///
    /// [`ProcessError::BellName`]; [`ProcessError::Gone`]: the listener has ended, or is another user's.
    pub fn open(name: &str) -> Result<RemoteBell, ProcessError> {
        let (number, mark) = parse(name).ok_or_else(|| ProcessError::BellName(name.into()))?;
        let page = Page::open(number, mark).ok_or_else(|| ProcessError::Gone(name.into()))?;
        Ok(RemoteBell { page })
    }

    pub(crate) fn page(&self) -> &Page {
        &self.page
    }

    /// Tells that source `source` (0 to 30) has something. True: the listener slept, and this caller has woken it.
    pub fn ring_at(&self, source: u32) -> bool {
        let words = self.page.words();
        set(words, source) && wake(words)
    }
}

impl Doorbell for RemoteBell {
    fn ring(&self, source: u32) {
        self.ring_at(source);
    }
}

/// Sets the bit. True: the listener sleeps.
fn set(words: &Words, source: u32) -> bool {
    debug_assert!(source < SOURCES, "a bell has {SOURCES} sources");
    words.bell.fetch_or((1 << (source % 32)) & !IDLE, Ordering::AcqRel) & IDLE != 0
}

/// Takes the mark away and, if it was still there, wakes the listener. True: it slept.
fn wake(words: &Words) -> bool {
    let (clear, was_set) = (WakeOp::AndNShift, WakeOpCmp::Lt);
    // IDLE is bit 31: with it the word is below 0.
    futex::wake_op(&words.nobody, SHARED, 0, 1, &words.bell, clear, was_set, 31, 0)
        .is_ok_and(|woken| woken > 0)
}

fn parse(name: &str) -> Option<(i32, u128)> {
    let (number, mark) = name.strip_prefix("tokkyu-bell-")?.split_once('-')?;
    let is_mark = mark.len() == 32 && mark.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    if is_mark && is_number {
        Some((number.parse().ok()?, u128::from_str_radix(mark, 16).ok()?))
    } else {
        None
    }
}

fn mono_now() -> MonoTime {
    let now = clock_gettime(ClockId::Monotonic);
    MonoTime::from_nanos(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
}

const _: () = assert!(IDLE == 1 << 31 && SOURCES == 31);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_number_and_32_digits() {
        assert_eq!(parse("tokkyu-bell-7-0000000000000000000000000000002a"), Some((7, 42)));
        let mark = "0000000000000000000000000000002a";
        for wrong in [
            "",
            "tokkyu-bell-",
            "tokkyu-bell-7",
            "tokkyu-bell-7-2a",
            "tokkyu-bell--1-2a",
            &format!("tokkyu-bell--{mark}"),
            &format!("tokkyu-bell-+7-{mark}"),
            &format!("tokkyu-bell-4294967296-{mark}"),
            &format!("tokkyu-bell-7-{mark}0"),
            &format!("tokkyu-bell-7-+{}", &mark[1..]),
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
