//! Notice of new samples: which sources have some, and whether somebody must be woken (NODE-16).

use crate::near::Near;
use crate::sync::{AtomicU32, Ordering};

/// Sources that one bell tells apart.
pub const SOURCES: u32 = 31;

/// Set while the listener sleeps or is about to.
const IDLE: u32 = 1 << SOURCES;

/// Who is told that a link has a sample. Called in the publisher's thread, inside `publish`: it must not wait, and must not publish. It may
/// take what its own reader has.
pub trait Doorbell: Send + Sync {
    /// Source `source` (0 to 30) has something.
    fn ring(&self, source: u32);

    /// What `ring` looks at and writes (NODE-24). Called in the publisher's thread, as `ring` is.
    fn add_to(&self, _near: &mut Near) {}
}

/// A word that publishers write and one listener reads.
///
/// ```text
///            ring: a bit                 answer: bits
///   BUSY 0 ──────────────► BUSY bits ──────────────► BUSY 0
///    │ ▲                                               ▲
///    │ rest         ring: a bit, wake    answer        │
///    └──────► IDLE ──────────────► BUSY bits ──────────┘
/// ```
pub struct Bell {
    word: AtomicU32,
}

impl Default for Bell {
    fn default() -> Self {
        Bell::new()
    }
}

impl Bell {
    /// What the word is while the listener sleeps: a futex waits for it to change.
    pub const RESTING: u32 = IDLE;

    /// A busy listener with nothing to do.
    #[cfg_attr(loom, allow(clippy::missing_const_for_fn))]
    pub fn new() -> Bell {
        Bell { word: AtomicU32::new(0) }
    }

    /// Tells that source `source` has something. True: the listener sleeps, and this caller, no other, must wake it.
    pub fn ring_at(&self, source: u32) -> bool {
        debug_assert!(source < SOURCES, "a bell has {SOURCES} sources");
        let before = self.word.fetch_or(1 << source, Ordering::AcqRel);
        // Two may have seen the listener asleep. Who takes the mark away wakes it.
        before & IDLE != 0 && self.word.fetch_and(!IDLE, Ordering::AcqRel) & IDLE != 0
    }

    /// The sources that rang since the last answer, a bit each. The listener is busy from now on.
    pub fn answer(&self) -> u32 {
        self.word.swap(0, Ordering::AcqRel) & !IDLE
    }

    /// The listener wants to sleep. False: something rang since the last answer, and it must not.
    pub fn rest(&self) -> bool {
        self.word.compare_exchange(0, IDLE, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Whether the listener sleeps, or would had it got so far: false once somebody rang.
    pub fn is_resting(&self) -> bool {
        self.word.load(Ordering::Acquire) == IDLE
    }

    /// What ringing writes (NODE-24).
    pub fn add_to(&self, near: &mut Near) {
        near.add_to_write(&self.word);
    }

    /// The word itself, for a futex.
    #[cfg(not(loom))]
    pub fn word(&self) -> &AtomicU32 {
        &self.word
    }
}

/// For who looks at the bell by itself and never sleeps.
impl Doorbell for Bell {
    fn ring(&self, source: u32) {
        self.ring_at(source);
    }

    fn add_to(&self, near: &mut Near) {
        Bell::add_to(self, near);
    }
}
