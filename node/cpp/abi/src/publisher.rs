//! Publishers and loans.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::ffi::{c_char, c_void};

use tokkyu_node::{Kind, Loan, PublisherOptions, raw};

use crate::node::tk_node;
use crate::object::{Foreign, tk_object_ops};
use crate::text::{free, give, handle, ok, read};
use crate::user::User;

#[repr(C)]
pub struct tk_kind {
    pub datatype: *const c_char,
    pub md5sum: *const c_char,
    pub definition: *const c_char,
}

impl tk_kind {
    pub(crate) unsafe fn read(&self) -> Kind {
        // SAFETY: texts.
        let [datatype, md5sum, definition] =
            [self.datatype, self.md5sum, self.definition].map(|text| unsafe { read(text) });
        Kind { datatype, md5sum, definition }
    }
}

#[repr(C)]
pub struct tk_publisher_options {
    pub depth: u32,
    pub is_latched: bool,
    pub slot_bytes: u32,
    pub on_change: Option<unsafe extern "C" fn(*mut c_void, *const c_char, bool)>,
    pub user: *mut c_void,
    pub free_user: Option<unsafe extern "C" fn(*mut c_void)>,
}

pub struct tk_publisher(raw::Publisher);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_advertise(
    node: *const tk_node,
    topic: *const c_char,
    kind: *const tk_kind,
    options: *const tk_publisher_options,
) -> *mut tk_publisher {
    // SAFETY: a handle, a text, and two records.
    let (node, topic, kind, given) = unsafe { (&(*node).0, read(topic), (*kind).read(), &*options) };
    let user = User::new(given.user, given.free_user);
    let mut options = PublisherOptions::with_depth(given.depth);
    options.is_latched = given.is_latched;
    options.slot_bytes = given.slot_bytes as usize;
    if let Some(on_change) = given.on_change {
        options.on_change = Some(Box::new(move |callerid, is_new| {
            let callerid = alloc::ffi::CString::new(callerid).unwrap_or_default();
            // SAFETY: the program gave function and pointer together.
            unsafe { on_change(user.get(), callerid.as_ptr(), is_new) };
        }));
    }
    handle(ok(node.advertise_raw(&topic, kind, options)).map(tk_publisher))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_publisher_free(publisher: *mut tk_publisher) {
    // SAFETY: a handle.
    unsafe { free(publisher) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_publish_object(
    publisher: *const tk_publisher,
    object: *mut c_void,
    ops: *const tk_object_ops,
) -> bool {
    let object = Arc::new(Foreign { object, ops });
    // SAFETY: a handle.
    ok(unsafe { &*publisher }.0.publish(object)).is_some()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_publisher_subscribers(publisher: *const tk_publisher) -> u32 {
    // SAFETY: a handle.
    unsafe { &*publisher }.0.subscribers()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_publisher_is_latched(publisher: *const tk_publisher) -> bool {
    // SAFETY: a handle.
    unsafe { &*publisher }.0.is_latched()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_publisher_topic(publisher: *const tk_publisher) -> *mut c_char {
    // SAFETY: a handle.
    give(unsafe { &*publisher }.0.topic())
}

pub struct tk_loan(Loan);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_loan_new(
    publisher: *const tk_publisher,
    len: usize,
    bytes: *mut *mut u8,
) -> *mut tk_loan {
    // SAFETY: a handle.
    let mut loan = ok(unsafe { &*publisher }.0.loan(len)).map(tk_loan);
    if let Some(loan) = &mut loan {
        // The bytes are the slot's, not the box's: they stay where they are.
        // SAFETY: room for one pointer.
        unsafe { *bytes = loan.0.as_mut_ptr() };
    }
    handle(loan)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_loan_publish(loan: *mut tk_loan) -> bool {
    // SAFETY: a handle, whose end this is.
    let loan = unsafe { Box::from_raw(loan) };
    ok(loan.0.publish()).is_some()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_loan_free(loan: *mut tk_loan) {
    // SAFETY: a handle.
    unsafe { free(loan) }
}
