//! Variables: those that the boot loader set.

use alloc::collections::BTreeMap;
use alloc::ffi::CString;
use alloc::string::String;
use core::ffi::{CStr, c_char};
use core::ptr::null;

use tokkyu_callbacks::port::port;
use tokkyu_callbacks::sync::Mutex;

/// Those that were asked for: they stay where they are.
static FOUND: Mutex<BTreeMap<String, CString>> = Mutex::new(BTreeMap::new());

/// `getenv`
#[unsafe(no_mangle)]
unsafe extern "C" fn tokkyu_variable(name: *const c_char) -> *const c_char {
    // SAFETY: a text.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    let mut found = FOUND.lock();
    if !found.contains_key(&name) {
        let Some(value) = port().variable(&name).and_then(|value| CString::new(value).ok()) else {
            return null();
        };
        found.insert(name.clone(), value);
    }
    found.get(&name).map_or(null(), |value| value.as_ptr())
}
