//! Atomics and shared cells: the processor's, or the model checker's, which tries every order in which threads may meet.

#[cfg(loom)]
mod model {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::atomic::{AtomicU32, Ordering, fence};
}

#[cfg(not(loom))]
mod machine {
    #[cfg(not(races))]
    pub(crate) use core::sync::atomic::fence;
    pub(crate) use core::sync::atomic::{AtomicU32, Ordering};

    /// The standard's cell with the model's face: who looks inside is seen.
    pub(crate) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) fn new(value: T) -> UnsafeCell<T> {
            UnsafeCell(core::cell::UnsafeCell::new(value))
        }

        pub(crate) fn with<R>(&self, look: impl FnOnce(*const T) -> R) -> R {
            look(self.0.get())
        }

        pub(crate) fn with_mut<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
            change(self.0.get())
        }
    }
}

/// Between a write and the look at what the other side writes. Where both sides have it, one of them at least sees the other.
#[cfg(not(races))]
pub(crate) fn write_before_look() {
    fence(Ordering::SeqCst);
}

/// ThreadSanitizer knows no fences: the same by a word that both sides change.
#[cfg(races)]
pub(crate) fn write_before_look() {
    static BOTH: AtomicU32 = AtomicU32::new(0);
    BOTH.fetch_add(1, Ordering::AcqRel);
}

#[cfg(not(loom))]
pub(crate) use machine::*;
#[cfg(loom)]
pub(crate) use model::*;
