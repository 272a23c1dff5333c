//! The death of the link's thread: a panic in it, whatever its reason, becomes a [`LinkDied`] that everybody is told
//! (LNK-76). [`Fault`] brings it about on purpose.
//!
//! Runs at the end of the link's thread, when the carrier, the session and the application's requests are gone already.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};

/// The link's thread ended before it was told to. Nothing is sent or received any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the link's thread died: {what}; this is a fault of tokkyu, please report it")]
pub struct LinkDied {
    /// What the thread panicked with, and where.
    pub what: String,
}

/// Makes the thread of a link panic, so that every program that holds a link can be tried on it. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct Fault(Arc<AtomicBool>);

impl Fault {
    /// The thread panics at its next turn, a quarter of a second from now at the latest.
    pub fn strike(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// A turn of the thread.
    pub(super) fn on_turn(&self) {
        assert!(!self.0.load(Ordering::Relaxed), "struck by a fault that was asked for");
    }
}

thread_local! {
    /// This thread's panics are told by us.
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    /// Where the last of them was: only the hook learns it.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `thread` to its end; a panic in it becomes an error. What it holds is dropped either way.
pub(super) fn watched<T>(thread: impl FnOnce() -> T) -> Result<T, LinkDied> {
    note_places();
    IS_WATCHED.set(true);
    // What outlives the thread is behind locks that are whole whatever happens.
    let ended = catch_unwind(AssertUnwindSafe(thread));
    IS_WATCHED.set(false);
    ended.map_err(|cause| {
        let place = PLACE.take().unwrap_or_else(|| "an unknown place".to_owned());
        LinkDied { what: format!("{} at {place}", panic_message(cause.as_ref())) }
    })
}

/// Adds ours to the hooks of the process, once; the one that was there goes on telling of every panic.
fn note_places() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if IS_WATCHED.get() {
                PLACE.set(info.location().map(ToString::to_string));
            }
            before(info);
        }));
    });
}

/// What a thread panicked with, as its `join` gives it.
pub fn panic_message(cause: &(dyn Any + Send)) -> &str {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_with_its_message_and_its_place() {
        let (rate, line) = (7, line!() + 1);
        let died = watched(|| panic!("no such rate: {rate}")).expect_err("it panics");
        assert!(died.what.starts_with("no such rate: 7 at "), "{died}");
        assert!(died.what.contains(&format!("death.rs:{line}:")), "{died}");
        assert_eq!(watched(|| 5), Ok(5));
    }
}
