//! What each thread is told of its last call.

use alloc::ffi::CString;

#[derive(Default)]
pub(crate) struct Own {
    /// Why it failed.
    pub(crate) last_error: CString,
    /// The master refused, and was reached.
    pub(crate) was_refused: bool,
}

/// Does something with what is the calling thread's own.
#[cfg(unix)]
pub(crate) fn own<T>(act: impl FnOnce(&mut Own) -> T) -> T {
    std::thread_local! {
        static OWN: core::cell::RefCell<Own> = core::cell::RefCell::default();
    }
    OWN.with_borrow_mut(act)
}

/// The same where threads are tasks, whose numbers are used again: there are as many entries as tasks have called.
#[cfg(not(unix))]
pub(crate) fn own<T>(act: impl FnOnce(&mut Own) -> T) -> T {
    use alloc::collections::BTreeMap;
    use tokkyu_node::port::port;
    use tokkyu_node::sync::Mutex;

    static OWN: Mutex<BTreeMap<u64, Own>> = Mutex::new(BTreeMap::new());
    act(OWN.lock().entry(port().number()).or_default())
}
