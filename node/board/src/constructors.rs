//! What C++ makes before any program begins: variables with constructors. An image without C++ has none.

unsafe extern "C" {
    /// Functions, one after the other (`layout.ld`).
    static init_begin: Option<extern "C" fn()>;
    static init_end: Option<extern "C" fn()>;
}

/// Calls them all, in order; by a task, once.
pub(crate) fn call() {
    let (mut at, end) = (&raw const init_begin, &raw const init_end);
    while at < end {
        // SAFETY: between both there are addresses of functions, or none.
        if let Some(constructor) = unsafe { at.read() } {
            constructor();
        }
        // SAFETY: up to the end.
        at = unsafe { at.add(1) };
    }
}
