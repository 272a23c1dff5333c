//! Timers.

use core::ffi::c_void;
use core::time::Duration;

use tokkyu_node::{Timer, TimerEvent};

use crate::node::tk_node;
use crate::queue::{tk_queue, with_queue};
use crate::text::{free, handle};
use crate::user::User;

#[repr(C)]
pub struct tk_timer_event {
    pub last_expected: u64,
    pub last_real: u64,
    pub current_expected: u64,
    pub current_real: u64,
    pub last_duration: u64,
}

#[repr(C)]
pub struct tk_timer_options {
    pub period: u64,
    pub is_once: bool,
    pub is_steady: bool,
    pub callback: unsafe extern "C" fn(*mut c_void, *const tk_timer_event),
    pub user: *mut c_void,
    pub free_user: Option<unsafe extern "C" fn(*mut c_void)>,
}

pub struct tk_timer(Timer);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_timer_new(
    node: *const tk_node,
    queue: *const tk_queue,
    options: *const tk_timer_options,
) -> *mut tk_timer {
    // SAFETY: handles, and a record.
    let (node, given) = unsafe { (with_queue(node, queue), &*options) };
    let (user, callback) = (User::new(given.user, given.free_user), given.callback);
    let callback = move |event: &TimerEvent| {
        let event = tk_timer_event {
            last_expected: event.last_expected.as_nanos(),
            last_real: event.last_real.as_nanos(),
            current_expected: event.current_expected.as_nanos(),
            current_real: event.current_real.as_nanos(),
            last_duration: u64::try_from(event.last_duration.as_nanos()).unwrap_or(u64::MAX),
        };
        // SAFETY: the program gave function and pointer together.
        unsafe { callback(user.get(), &raw const event) };
    };
    let period = Duration::from_nanos(given.period);
    handle(Some(tk_timer(node.any_timer(given.is_steady, given.is_once, period, callback))))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_timer_set_period(timer: *const tk_timer, period: u64, is_from_now: bool) {
    // SAFETY: a handle.
    unsafe { &*timer }.0.set_period(Duration::from_nanos(period), is_from_now);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_timer_has_waiting(timer: *const tk_timer) -> bool {
    // SAFETY: a handle.
    unsafe { &*timer }.0.has_waiting()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_timer_free(timer: *mut tk_timer) {
    // SAFETY: a handle.
    unsafe { free(timer) }
}
