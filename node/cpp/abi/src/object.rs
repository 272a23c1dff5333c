//! Messages of the program's language, shared as they are.

use core::ffi::c_void;

use tokkyu_graph::Object;

#[repr(C)]
pub struct tk_object_ops {
    pub type_: *const c_void,
    pub wire_len: unsafe extern "C" fn(*const c_void) -> usize,
    pub write: unsafe extern "C" fn(*const c_void, *mut u8, usize),
    pub release: unsafe extern "C" fn(*mut c_void),
}

/// An object with what can be done with it.
pub(crate) struct Foreign {
    pub(crate) object: *mut c_void,
    pub(crate) ops: *const tk_object_ops,
}

// SAFETY: the header says that an object is read from any thread, and released from any.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

impl Object for Foreign {
    fn wire_len(&self) -> usize {
        // SAFETY: the operations are the object's, and stay as they are.
        unsafe { ((*self.ops).wire_len)(self.object) }
    }

    fn write(&self, out: &mut [u8]) {
        // SAFETY: as above; `out` is as long as `wire_len` said.
        unsafe { ((*self.ops).write)(self.object, out.as_mut_ptr(), out.len()) }
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // SAFETY: as above, and nobody has it any more.
        unsafe { ((*self.ops).release)(self.object) }
    }
}
