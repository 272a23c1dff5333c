//! Services, offered and called.

use alloc::borrow::ToOwned;
use alloc::ffi::CString;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::{c_char, c_void};
use core::time::Duration;

use tokkyu_node::{Kind, Request, ServiceServer, raw};

use crate::node::tk_node;
use crate::publisher::tk_kind;
use crate::queue::{tk_queue, with_queue};
use crate::text::{free, give, handle, ok, read};
use crate::user::User;

/// Nothing until the program has answered.
pub struct tk_answer(Option<Result<Vec<u8>, String>>);

/// `len` bytes from `bytes` on, which may be NULL if there are none.
unsafe fn bytes<'b>(bytes: *const u8, len: usize) -> &'b [u8] {
    // SAFETY: so many there are.
    if len == 0 { &[] } else { unsafe { core::slice::from_raw_parts(bytes, len) } }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_answer_set(answer: *mut tk_answer, is_done: bool, text: *const u8, len: usize) {
    // SAFETY: within its callback; so many bytes.
    let (answer, text) = unsafe { (&mut *answer, bytes(text, len)) };
    answer.0 =
        Some(if is_done { Ok(text.to_vec()) } else { Err(String::from_utf8_lossy(text).into_owned()) });
}

#[repr(C)]
pub struct tk_server_options {
    pub callback: unsafe extern "C" fn(*mut c_void, *const c_char, *const u8, usize, *mut tk_answer),
    pub user: *mut c_void,
    pub free_user: Option<unsafe extern "C" fn(*mut c_void)>,
}

pub struct tk_server(ServiceServer);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_serve(
    node: *const tk_node,
    queue: *const tk_queue,
    service: *const c_char,
    kind: *const tk_kind,
    options: *const tk_server_options,
) -> *mut tk_server {
    // SAFETY: handles, a text, and two records.
    let (node, service, kind, given) =
        unsafe { (with_queue(node, queue), read(service), (*kind).read(), &*options) };
    let (user, callback) = (User::new(given.user, given.free_user), given.callback);
    let answer = move |request: &Request| {
        let mut answer = tk_answer(None);
        let callerid = CString::new(&request.callerid[..]).unwrap_or_default();
        let (bytes, len) = (request.bytes.as_ptr(), request.bytes.len());
        // SAFETY: the program gave function and pointer together.
        unsafe { callback(user.get(), callerid.as_ptr(), bytes, len, &raw mut answer) };
        answer.0.unwrap_or_else(|| Err("the service has not answered".to_owned()))
    };
    handle(ok(node.advertise_service_raw(&service, kind, answer)).map(tk_server))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_server_free(server: *mut tk_server) {
    // SAFETY: a handle.
    unsafe { free(server) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_server_service(server: *const tk_server) -> *mut c_char {
    // SAFETY: a handle.
    give(unsafe { &*server }.0.service())
}

pub struct tk_client(raw::Client);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_client_new(
    node: *const tk_node,
    service: *const c_char,
    kind: *const tk_kind,
    is_persistent: bool,
) -> *mut tk_client {
    // SAFETY: a handle, a text, and a record or NULL.
    let (node, service, kind) = unsafe { (&(*node).0, read(service), kind.as_ref().map(|kind| kind.read())) };
    let any = || Kind { datatype: "*".into(), md5sum: "*".into(), definition: String::new() };
    handle(ok(node.client_raw(&service, kind.unwrap_or_else(any), is_persistent)).map(tk_client))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_client_free(client: *mut tk_client) {
    // SAFETY: a handle.
    unsafe { free(client) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_client_call(
    client: *mut tk_client,
    request: *const u8,
    len: usize,
    take: unsafe extern "C" fn(*mut c_void, *const u8, usize),
    user: *mut c_void,
) -> bool {
    // SAFETY: a handle that one thread has; so many bytes.
    let (client, request) = unsafe { (&mut *client, bytes(request, len)) };
    let Some(answer) = ok(client.0.call(request)) else { return false };
    // SAFETY: the program gave function and pointer together.
    unsafe { take(user, answer.as_ptr(), answer.len()) };
    true
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_client_exists(client: *const tk_client) -> bool {
    // SAFETY: a handle.
    unsafe { &*client }.0.exists()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_client_wait(client: *const tk_client, timeout: i64) -> bool {
    // SAFETY: a handle.
    unsafe { &*client }.0.wait(u64::try_from(timeout).ok().map(Duration::from_nanos))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_client_is_connected(client: *const tk_client) -> bool {
    // SAFETY: a handle.
    unsafe { &*client }.0.is_connected()
}
