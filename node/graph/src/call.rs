//! Calls of XML-RPC, as they are written and read.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tokkyu_ros1::xmlrpc::{Value, WriteError, Writer};

/// A call whose arguments are texts.
pub(crate) fn call(method: &str, arguments: &[&str]) -> String {
    let mut body = String::new();
    let written = Writer::call(&mut body, method, |params| {
        arguments.iter().try_for_each(|argument| params.string(argument))
    });
    // Names are checked where they come in, so that each character can be written.
    debug_assert!(matches!(written, Ok(()) | Err(WriteError::Character(_))), "{written:?}");
    body
}

/// The texts of an array; what is none is left out.
pub(crate) fn texts(items: tokkyu_ros1::xmlrpc::Items<'_>) -> Vec<String> {
    items.filter_map(|item| if let Value::Str(text) = item { Some(text.to_string()) } else { None }).collect()
}
