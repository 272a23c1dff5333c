//! Contexts: stacks that can be left and come back to.

use std::cell::{Cell, RefCell};

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::pause::Pause;

const STACK_BYTES: usize = 256 << 10;

/// A stack that is used again: to make one takes longer than most contexts live.
struct Used(Option<DefaultStack>);

// SAFETY: it is the stack that it holds, which it holds until it is dropped.
unsafe impl Stack for Used {
    fn base(&self) -> StackPointer {
        self.0.as_ref().map(Stack::base).expect("held until dropped")
    }

    fn limit(&self) -> StackPointer {
        self.0.as_ref().map(Stack::limit).expect("held until dropped")
    }
}

impl Drop for Used {
    fn drop(&mut self) {
        // At a thread's end there may be nothing left to keep it in.
        let _ = FREE.try_with(|free| free.borrow_mut().extend(self.0.take()));
    }
}

/// A context that does not run.
pub(crate) struct Context {
    stack: Coroutine<(), Pause, (), Used>,
}

impl Drop for Context {
    fn drop(&mut self) {
        if !self.stack.done() {
            // SAFETY: the kernel's calls own nothing on the stack, and programs have promised not to (`Programs`).
            unsafe { self.stack.force_reset() };
        }
    }
}

thread_local! {
    static FREE: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
    /// How the context that runs in this thread leaves. A program in it must not keep this over a pause.
    static LEAVE: Cell<*const Yielder<(), Pause>> = const { Cell::new(std::ptr::null()) };
}

impl Context {
    /// Begins with `body`, which does not return.
    pub(crate) fn new(body: impl FnOnce() + 'static) -> Context {
        let free = FREE.with_borrow_mut(Vec::pop);
        let stack = free.unwrap_or_else(|| DefaultStack::new(STACK_BYTES).expect("memory for a stack"));
        let stack = Coroutine::with_stack(Used(Some(stack)), move |leave: &Yielder<(), Pause>, ()| {
            LEAVE.set(leave);
            body();
        });
        Context { stack }
    }

    /// Goes on with it until it pauses.
    pub(crate) fn go_on(&mut self) -> Pause {
        match self.stack.resume(()) {
            CoroutineResult::Yield(pause) => pause,
            CoroutineResult::Return(()) => Pause::Abandoned,
        }
    }
}

/// Leaves the context that runs, until somebody goes on with it.
pub(crate) fn pause(why: Pause) {
    let leave = LEAVE.get();
    assert!(!leave.is_null(), "a call of the kernel outside of its machine's contexts");
    // SAFETY: `leave` is of the context that runs: each sets it when it begins and, below, when it comes back, and it lives on that
    // context's stack as long as the context does. It is used on that stack alone.
    unsafe { (*leave).suspend(why) };
    LEAVE.set(leave);
}
