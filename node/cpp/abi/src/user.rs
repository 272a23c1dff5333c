//! What a program wants to have back in its callbacks.

use core::ffi::c_void;

/// The program's pointer. It is freed when nothing here can call with it any more.
pub(crate) struct User {
    pointer: *mut c_void,
    free: Option<unsafe extern "C" fn(*mut c_void)>,
}

// SAFETY: the header says that callbacks come from threads of the node and of its queues; the program gives what is fit for that.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

impl User {
    pub(crate) fn new(pointer: *mut c_void, free: Option<unsafe extern "C" fn(*mut c_void)>) -> User {
        User { pointer, free }
    }

    pub(crate) fn get(&self) -> *mut c_void {
        self.pointer
    }
}

impl Drop for User {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the program gave both together.
            unsafe { free(self.pointer) };
        }
    }
}
