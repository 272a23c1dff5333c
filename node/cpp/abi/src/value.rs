//! Values: parameters, and what the master says.

use crate::thread;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ffi::c_char;

use tokkyu_node::{MasterError, Param};

use crate::node::tk_node;
use crate::text::{fail, free, give, handle, read};

#[repr(transparent)]
pub struct tk_value(Param);

#[unsafe(no_mangle)]
pub extern "C" fn tk_value_bool(value: bool) -> *mut tk_value {
    handle(Some(tk_value(Param::Bool(value))))
}

#[unsafe(no_mangle)]
pub extern "C" fn tk_value_int(value: i32) -> *mut tk_value {
    handle(Some(tk_value(Param::Int(value))))
}

#[unsafe(no_mangle)]
pub extern "C" fn tk_value_double_bits(bits: u64) -> *mut tk_value {
    handle(Some(tk_value(Param::Double(f64::from_bits(bits)))))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_text(text: *const c_char) -> *mut tk_value {
    // SAFETY: a text.
    handle(Some(tk_value(Param::Text(unsafe { read(text) }))))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_binary(bytes: *const u8, len: usize) -> *mut tk_value {
    // SAFETY: so many bytes.
    let bytes = if len == 0 { &[] } else { unsafe { core::slice::from_raw_parts(bytes, len) } };
    handle(Some(tk_value(Param::Binary(bytes.to_vec()))))
}

#[unsafe(no_mangle)]
pub extern "C" fn tk_value_list() -> *mut tk_value {
    handle(Some(tk_value(Param::List(Vec::new()))))
}

#[unsafe(no_mangle)]
pub extern "C" fn tk_value_map() -> *mut tk_value {
    handle(Some(tk_value(Param::Map(BTreeMap::new()))))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_add(value: *mut tk_value, name: *const c_char, item: *mut tk_value) {
    // SAFETY: handles, the second of which ends here; a text or NULL.
    let (value, name, item) = unsafe { (&mut *value, read(name), Box::from_raw(item)) };
    match &mut value.0 {
        Param::List(items) => items.push(item.0),
        Param::Map(items) => drop(items.insert(name, item.0)),
        _ => {}
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_free(value: *mut tk_value) {
    // SAFETY: a handle.
    unsafe { free(value) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_kind_of(value: *const tk_value) -> i32 {
    // SAFETY: a value.
    match unsafe { &*value }.0 {
        Param::Nil => 0,
        Param::Bool(_) => 1,
        Param::Int(_) => 2,
        Param::Double(_) => 3,
        Param::Text(_) => 4,
        Param::Binary(_) => 5,
        Param::List(_) => 6,
        Param::Map(_) => 7,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_as_bool(value: *const tk_value) -> bool {
    // SAFETY: a value.
    matches!(unsafe { &*value }.0, Param::Bool(true))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_as_int(value: *const tk_value) -> i32 {
    // SAFETY: a value.
    if let Param::Int(value) = unsafe { &*value }.0 { value } else { 0 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_as_double_bits(value: *const tk_value) -> u64 {
    // SAFETY: a value.
    if let Param::Double(value) = unsafe { &*value }.0 { value.to_bits() } else { 0 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_as_text(value: *const tk_value) -> *mut c_char {
    // SAFETY: a value.
    if let Param::Text(text) = &unsafe { &*value }.0 { give(text) } else { core::ptr::null_mut() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_as_binary(value: *const tk_value, len: *mut usize) -> *const u8 {
    // SAFETY: a value, and room for one length.
    unsafe {
        let Param::Binary(bytes) = &(*value).0 else { return core::ptr::null() };
        *len = bytes.len();
        bytes.as_ptr()
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_count(value: *const tk_value) -> usize {
    // SAFETY: a value.
    match &unsafe { &*value }.0 {
        Param::List(items) => items.len(),
        Param::Map(items) => items.len(),
        _ => 0,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_item(value: *const tk_value, index: usize) -> *const tk_value {
    // SAFETY: a value.
    let item = match &unsafe { &*value }.0 {
        Param::List(items) => items.get(index),
        Param::Map(items) => items.values().nth(index),
        _ => None,
    };
    // A handle is its value and nothing else.
    item.map_or(core::ptr::null(), |item| (item as *const Param).cast())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_value_item_name(value: *const tk_value, index: usize) -> *mut c_char {
    // SAFETY: a value.
    let Param::Map(items) = &unsafe { &*value }.0 else { return core::ptr::null_mut() };
    items.keys().nth(index).map_or(core::ptr::null_mut(), |name| give(name))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_master_call(
    node: *const tk_node,
    method: *const c_char,
    arguments: *const tk_value,
    waits: bool,
) -> *mut tk_value {
    // SAFETY: a handle, a text, and a value or NULL.
    let (node, method, arguments) = unsafe { (&(*node).0, read(method), arguments.as_ref()) };
    let none = Vec::new();
    let arguments = match arguments {
        Some(tk_value(Param::List(items))) => items,
        _ => &none,
    };
    answered(node.call_master(&method, waits, arguments))
}

fn answered(answer: Result<Param, MasterError>) -> *mut tk_value {
    match answer {
        Ok(value) => handle(Some(tk_value(value))),
        Err(error) => {
            thread::own(|own| own.was_refused = matches!(error, MasterError::Refused { .. }));
            fail(error);
            core::ptr::null_mut()
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_ask_master(
    uri: *const c_char,
    caller: *const c_char,
    method: *const c_char,
    arguments: *const tk_value,
) -> *mut tk_value {
    // SAFETY: texts, and a value or NULL.
    let ([uri, caller, method], arguments) =
        unsafe { ([uri, caller, method].map(|text| read(text)), arguments.as_ref()) };
    let arguments = match arguments {
        Some(tk_value(Param::List(items))) => &items[..],
        _ => &[],
    };
    answered(tokkyu_node::ask_master(&uri, &caller, &method, arguments))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_param_cached(node: *const tk_node, name: *const c_char) -> *mut tk_value {
    // SAFETY: a handle, and a text.
    let (node, name) = unsafe { (&(*node).0, read(name)) };
    match node.param_cached::<Param>(&name) {
        Ok(Some(value)) => handle(Some(tk_value(value))),
        Ok(None) => {
            thread::own(|own| own.was_refused = true);
            fail(format_args!("parameter {name} is not set"));
            core::ptr::null_mut()
        }
        Err(error) => {
            thread::own(|own| own.was_refused = false);
            fail(error);
            core::ptr::null_mut()
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_param_forget(node: *const tk_node, name: *const c_char) {
    // SAFETY: a handle, and a text or NULL.
    let (node, name) = unsafe { (&(*node).0, (!name.is_null()).then(|| read(name))) };
    // What is no name is not cached either.
    let _ = node.forget_param(name.as_deref());
}

#[unsafe(no_mangle)]
pub extern "C" fn tk_was_refused() -> bool {
    thread::own(|own| own.was_refused)
}
