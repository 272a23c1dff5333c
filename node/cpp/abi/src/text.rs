//! Texts in and out, and what the last call failed with.

use crate::thread;
use alloc::boxed::Box;
use alloc::ffi::CString;
use alloc::string::String;
use alloc::string::ToString;
use core::ffi::{CStr, c_char};
use core::fmt::Display;

/// A text as C has it. One with a zero byte in it ends there.
fn to_c(text: &str) -> CString {
    let until_zero = text.split('\0').next().unwrap_or_default();
    CString::new(until_zero).unwrap_or_default()
}

/// Remembers an error for [`tk_last_error`].
pub(crate) fn fail(error: impl Display) {
    let words = to_c(&error.to_string());
    thread::own(|own| own.last_error = words);
}

/// The value, or nothing with the error remembered.
pub(crate) fn ok<T>(result: Result<T, impl Display>) -> Option<T> {
    result.map_err(fail).ok()
}

#[unsafe(no_mangle)]
pub extern "C" fn tk_last_error() -> *const c_char {
    thread::own(|own| own.last_error.as_ptr())
}

/// A text that C frees.
pub(crate) fn give(text: &str) -> *mut c_char {
    to_c(text).into_raw()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: given out by `give`.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// A text of C's. NULL is an empty one; what is not UTF-8 is replaced.
pub(crate) unsafe fn read(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: it ends with a zero byte.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A handle for C, or NULL.
pub(crate) fn handle<T>(value: Option<T>) -> *mut T {
    value.map_or(core::ptr::null_mut(), |value| Box::into_raw(Box::new(value)))
}

/// Ends a handle.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: made by `handle`, and this is its only end.
        drop(unsafe { Box::from_raw(handle) });
    }
}
