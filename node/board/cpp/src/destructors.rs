//! Thread-local variables with destructors (Itanium C++ ABI, `__cxa_thread_atexit_impl` as glibc has it): run when the thread ends, the last that was
//! made first.

use alloc::vec::Vec;

use tokkyu_callbacks::sync::Mutex;

use crate::mutex::own;

type Destructor = extern "C" fn(*mut u8);

struct Made {
    task: u32,
    destructor: Destructor,
    object: *mut u8,
}

// SAFETY: the object is of the task's thread, which alone has it destroyed.
unsafe impl Send for Made {}

static ALL: Mutex<Vec<Made>> = Mutex::new(Vec::new());

#[unsafe(no_mangle)]
extern "C" fn __cxa_thread_atexit_impl(destructor: Destructor, object: *mut u8, _program: *mut u8) -> i32 {
    ALL.lock().push(Made { task: own(), destructor, object });
    0
}

/// The calling task's thread ends.
pub(crate) fn end_of_thread() {
    let task = own();
    // With no lock held: a destructor may make another such variable.
    while let Some(made) = take_last(task) {
        (made.destructor)(made.object);
    }
}

fn take_last(task: u32) -> Option<Made> {
    let mut all = ALL.lock();
    let at = all.iter().rposition(|made| made.task == task)?;
    Some(all.remove(at))
}
