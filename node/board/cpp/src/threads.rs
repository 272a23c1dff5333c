//! `pthread_t`: threads are tasks that the image has spare. Without one that is free, making a thread fails (`EAGAIN`).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::ptr::null_mut;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicUsize};

use alloc::sync::Arc;
use tokkyu_callbacks::port::{Task, port};
use tokkyu_callbacks::sync::Mutex;

use crate::mutex::own;
use crate::{destructors, keys};

const ESRCH: i32 = 3;
const EAGAIN: i32 = 11;
/// Threads' names begin behind all numbers of tasks, which the tasks have that C++ did not start.
const FIRST: usize = 1 << 16;

struct Thread {
    task: Box<dyn Task>,
    answer: Arc<AtomicPtr<u8>>,
}

static NEXT: AtomicUsize = AtomicUsize::new(FIRST);
static THREADS: Mutex<BTreeMap<usize, Thread>> = Mutex::new(BTreeMap::new());
/// The names of tasks that run threads.
static NAMES: Mutex<BTreeMap<u32, usize>> = Mutex::new(BTreeMap::new());

/// What a thread is given. It is nobody else's.
struct Argument(*mut u8);

// SAFETY: whoever makes the thread gives it what is fit for that.
unsafe impl Send for Argument {}

impl Argument {
    fn take(self) -> *mut u8 {
        self.0
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    name: *mut usize,
    _: *const u8,
    run: unsafe extern "C" fn(*mut u8) -> *mut u8,
    argument: *mut u8,
) -> i32 {
    let this = NEXT.fetch_add(1, Relaxed);
    let answer = Arc::new(AtomicPtr::new(null_mut()));
    let (argument, given) = (Argument(argument), answer.clone());
    let job = Box::new(move |_| {
        NAMES.lock().insert(own(), this);
        // SAFETY: whoever made the thread gave both together.
        given.store(unsafe { run(argument.take()) }, Release);
        destructors::end_of_thread();
        keys::end_of_thread();
        NAMES.lock().remove(&own());
    });
    // Before it can look for itself.
    // SAFETY: room for one.
    unsafe { name.write(this) };
    match port().spawn("thread", None, job) {
        Ok(task) => {
            THREADS.lock().insert(this, Thread { task, answer });
            0
        }
        Err(_) => EAGAIN,
    }
}

#[unsafe(no_mangle)]
extern "C" fn pthread_self() -> usize {
    NAMES.lock().get(&own()).copied().unwrap_or(own() as usize)
}

#[unsafe(no_mangle)]
extern "C" fn pthread_equal(one: usize, other: usize) -> i32 {
    i32::from(one == other)
}

#[unsafe(no_mangle)]
extern "C" fn pthread_detach(name: usize) -> i32 {
    if THREADS.lock().remove(&name).is_some() { 0 } else { ESRCH }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_join(name: usize, answer: *mut *mut u8) -> i32 {
    let Some(thread) = THREADS.lock().remove(&name) else { return ESRCH };
    thread.task.join();
    if !answer.is_null() {
        // SAFETY: room for one.
        unsafe { answer.write(thread.answer.load(Acquire)) };
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn sched_yield() -> i32 {
    let now = port().now();
    port().sleep_until(now);
    0
}
