//! Nodes.

use alloc::ffi::CString;
use core::ffi::{c_char, c_int, c_void};

use tokkyu_node::console::{Said, print};
use tokkyu_node::{Level, Node, Place, Time};

use crate::text::{fail, free, give, handle, ok, read};
use crate::user::User;

pub struct tk_node(pub(crate) Node);

/// `TK_ANONYMOUS`.
const ANONYMOUS: u32 = 1;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_node_new(
    name: *const c_char,
    arguments: *const *const c_char,
    count: usize,
    flags: u32,
) -> *mut tk_node {
    // SAFETY: `arguments` are `count` texts.
    let arguments = (0..count).map(|at| unsafe { read(*arguments.add(at)) });
    // SAFETY: a text.
    let builder = Node::builder(unsafe { read(name) }).arguments(arguments).without_signals();
    let builder = if flags & ANONYMOUS != 0 { builder.anonymous() } else { builder };
    handle(ok(builder.build()).map(tk_node))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_node_free(node: *mut tk_node) {
    // SAFETY: a handle.
    unsafe {
        if let Some(node) = node.as_ref() {
            node.0.shutdown();
        }
        free(node);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_node_shutdown(node: *const tk_node) {
    // SAFETY: a handle.
    unsafe { &*node }.0.shutdown();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_node_is_ok(node: *const tk_node) -> bool {
    // SAFETY: a handle.
    unsafe { &*node }.0.is_ok()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_is_remapping(argument: *const c_char) -> bool {
    // SAFETY: a text.
    tokkyu_node::is_remapping(&unsafe { read(argument) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_node_about(node: *const tk_node, what: c_int) -> *mut c_char {
    // SAFETY: a handle.
    let node = &unsafe { &*node }.0;
    match what {
        0 => give(node.name()),
        1 => give(node.namespace()),
        2 => give(&node.uri()),
        3 => give(&node.master_uri()),
        4 => give(node.host()),
        _ => {
            fail("nodes have no such text");
            core::ptr::null_mut()
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_node_resolve(
    node: *const tk_node,
    name: *const c_char,
    renames: bool,
) -> *mut c_char {
    // SAFETY: a handle, and a text.
    let (node, name) = (&unsafe { &*node }.0, unsafe { read(name) });
    let resolved = if renames { node.resolve(&name) } else { node.resolve_only(&name) };
    ok(resolved).map_or(core::ptr::null_mut(), |name| give(&name))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_node_publishes(node: *const tk_node, topic: *const c_char) -> bool {
    // SAFETY: a handle, and a text.
    unsafe { (*node).0.publishes(&read(topic)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_node_on_simulated_time(
    node: *const tk_node,
    listener: unsafe extern "C" fn(*mut c_void, u64),
    user: *mut c_void,
) {
    let user = User::new(user, None);
    // SAFETY: a handle; the program gave listener and pointer together.
    unsafe { &*node }.0.on_simulated_time(move |nanos| unsafe { listener(user.get(), nanos) });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_node_on_end(
    node: *const tk_node,
    listener: unsafe extern "C" fn(*mut c_void),
    user: *mut c_void,
) {
    let user = User::new(user, None);
    // SAFETY: a handle; the program gave listener and pointer together.
    unsafe { &*node }.0.on_end(move || unsafe { listener(user.get()) });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_node_on_shutdown_call(
    node: *const tk_node,
    listener: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> bool,
    user: *mut c_void,
) {
    let user = User::new(user, None);
    let listener = move |caller: &str, reason: &str| {
        // Texts end with a zero byte: one that has another is told as empty.
        let [caller, reason] = [caller, reason].map(|text| CString::new(text).unwrap_or_default());
        // SAFETY: the program gave listener and pointer together.
        unsafe { listener(user.get(), caller.as_ptr(), reason.as_ptr()) }
    };
    // SAFETY: a handle.
    unsafe { &*node }.0.on_shutdown_call(listener);
}

fn level(level: c_int) -> Level {
    match level {
        0 => Level::Debug,
        1 => Level::Info,
        2 => Level::Warn,
        3 => Level::Error,
        _ => Level::Fatal,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_is_heard(node: *const tk_node, logger: *const c_char, of: c_int) -> bool {
    // SAFETY: a handle, and a text.
    unsafe { (*node).0.is_heard(&read(logger), level(of)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_say(
    node: *const tk_node,
    logger: *const c_char,
    of: c_int,
    file: *const c_char,
    function: *const c_char,
    line: u32,
    text: *const c_char,
) {
    // SAFETY: a handle, and texts.
    let (node, [logger, file, function, text]) =
        unsafe { (&(*node).0, [logger, file, function, text].map(|text| read(text))) };
    let place = Place { file: &file, function: &function, line };
    node.say_at(&logger, level(of), place, format_args!("{text}"));
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_print(
    node: *const c_char,
    logger: *const c_char,
    of: c_int,
    file: *const c_char,
    function: *const c_char,
    line: u32,
    simulated: u64,
    text: *const c_char,
) {
    // SAFETY: texts.
    let [node, logger, file, function, text] =
        [node, logger, file, function, text].map(|text| unsafe { read(text) });
    let simulated = Time::from_nanos(simulated).filter(|_| simulated != 0);
    let place = Place { file: &file, function: &function, line };
    print(&Said { node: &node, logger: &logger, level: level(of), place, simulated, text: &text });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_set_level(node: *const tk_node, logger: *const c_char, of: c_int) {
    // SAFETY: a handle, and a text.
    unsafe { (*node).0.set_level(&read(logger), level(of)) }
}
