//! Robot nodes for C: the functions of `include/tokkyu/node.h`, which says what each does.
//!
//! A handle is a box whose address the program has. Nothing here is more than a translation: what nodes do is in `tokkyu-node`.
//!
//! # Safety
//!
//! Of all functions: pointers are what the header says, handles were made here and are not free yet, texts end with a zero byte.
#![allow(clippy::missing_safety_doc)] // said once, above
#![allow(missing_docs)] // the header has them
#![allow(non_camel_case_types)] // as C writes them
#![no_std]

extern crate alloc;
#[cfg(unix)]
extern crate std;

mod node;
mod object;
mod publisher;
mod queue;
mod service;
mod subscription;
mod text;
mod thread;
mod timer;
mod user;
mod value;

pub use node::*;
pub use object::*;
pub use publisher::*;
pub use queue::*;
pub use service::*;
pub use subscription::*;
pub use text::{tk_last_error, tk_text_free};
pub use timer::*;
pub use value::*;
