//! A place where one thread works at a time and nobody waits for it (NODE-22).

use crate::sync::{AtomicU32, Ordering, UnsafeCell};

const FREE: u32 = 0;
const TAKEN: u32 = 1;
/// Taken, and somebody else has come since.
const CALLED: u32 = 2;

/// Something that several threads work with, one at a time. Who finds it taken goes on: who has it learns that somebody came, and sees to what
/// that one wanted.
///
/// ```text
///          work            somebody else comes
///   FREE ───────► TAKEN ───────────────────────► CALLED ─┐ more come
///    ▲              │                              │ ▲───┘
///    └─ done ───────┴── done, and told so ─────────┘
/// ```
pub struct Desk<T> {
    state: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: `value` is touched by who made the state TAKEN alone, until that one makes it FREE; one thread after the other, as a `T` that is sent from
// one to the next.
unsafe impl<T: Send> Sync for Desk<T> {}

/// What work at a [`Desk`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worked<R> {
    /// What it gave.
    pub result: R,
    /// Somebody came meanwhile and went away again: what that one wanted is still to be done.
    pub was_called: bool,
}

impl<T> Desk<T> {
    /// A free one.
    pub fn new(value: T) -> Desk<T> {
        Desk { state: AtomicU32::new(FREE), value: UnsafeCell::new(value) }
    }

    /// Works with what is there, which must not work at the same desk. Nothing: another thread does, and is told that this one came.
    pub fn work<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<Worked<R>> {
        self.take().then(|| {
            let leaving = Leaving(self);
            // SAFETY: it is taken by this call, until `leaving` goes.
            let result = self.value.with_mut(|value| work(unsafe { &mut *value }));
            Worked { result, was_called: leaving.leave() }
        })
    }

    /// True: it was free and is this thread's. It is tried again only when another thread has come or gone in between.
    fn take(&self) -> bool {
        let mut before = self.state.load(Ordering::Relaxed);
        loop {
            let after = if before == FREE { TAKEN } else { CALLED };
            // Release: what the caller did before is seen by who finds that it was called.
            match self.state.compare_exchange_weak(before, after, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return before == FREE,
                Err(now) => before = now,
            }
        }
    }
}

/// Makes the desk free, also where the work panics.
struct Leaving<'d, T>(&'d Desk<T>);

impl<T> Leaving<'_, T> {
    fn leave(self) -> bool {
        let was_called = self.0.state.swap(FREE, Ordering::AcqRel) == CALLED;
        core::mem::forget(self);
        was_called
    }
}

impl<T> Drop for Leaving<'_, T> {
    fn drop(&mut self) {
        self.0.state.swap(FREE, Ordering::AcqRel);
    }
}
