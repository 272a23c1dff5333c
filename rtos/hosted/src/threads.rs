//! Contexts in place of those of context.rs for Miri, which cannot follow a stack of our own: threads, of which one runs at a time.

use std::cell::RefCell;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::pause::Pause;

/// A context that does not run. Given up, its thread rests for ever.
pub(crate) struct Context {
    go: Sender<()>,
    paused: Receiver<Pause>,
}

/// A thread's two ends.
struct Ends {
    go: Receiver<()>,
    paused: Sender<Pause>,
}

thread_local! {
    static ENDS: RefCell<Option<Ends>> = const { RefCell::new(None) };
}

struct Body<F>(F);

// SAFETY: all threads of a machine take turns, each told by a channel: what one did is before what the next does.
unsafe impl<F> Send for Body<F> {}

impl Context {
    /// Begins with `body`, which does not return.
    pub(crate) fn new(body: impl FnOnce() + 'static) -> Context {
        let ((go, gone), (told, paused)) = (channel(), channel());
        let body = Body(body);
        thread::spawn(move || {
            // All of it, not what is in it.
            let body = body;
            ENDS.set(Some(Ends { go: gone, paused: told }));
            rest();
            (body.0)();
            pause(Pause::Abandoned);
        });
        Context { go, paused }
    }

    /// Goes on with it until it pauses.
    pub(crate) fn go_on(&mut self) -> Pause {
        self.go.send(()).expect("its thread waits");
        self.paused.recv().expect("its thread pauses")
    }
}

/// Until somebody goes on with it.
fn rest() {
    if ENDS.with_borrow(|ends| ends.as_ref().is_none_or(|ends| ends.go.recv().is_err())) {
        // It was given up.
        loop {
            thread::park();
        }
    }
}

/// Leaves the context that runs, until somebody goes on with it.
pub(crate) fn pause(why: Pause) {
    let told = ENDS.with_borrow(|ends| ends.as_ref().map(|ends| ends.paused.send(why)));
    assert!(told.is_some(), "a call of the kernel outside of its machine's contexts");
    rest();
}
