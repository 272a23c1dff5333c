//! What messages that were generated from `.msg` files stand on (SPEC, section 3): ROS 1's wire form, views of it, time.
//!
//! A message is there in three forms: a struct that owns what it has (`Image`), a view that borrows it from the wire form (`ImageView`), and the wire
//! form itself, which crosses processes and networks as it is. Needs no standard library; takes memory only where a struct's own text or array grows.
//!
//! ```
//! use tokkyu_message::{Input, ReadError, Wire};
//!
//! let mut bytes = Vec::new();
//! tokkyu_message::write_to(&vec![1.5_f32, -2.0], &mut bytes);
//! assert_eq!(bytes.len(), 4 + 2 * 4);
//! let mut back: Vec<f32> = Vec::new();
//! back.read_from(&mut Input::new(&bytes))?;
//! assert_eq!(back, [1.5, -2.0]);
//! # Ok::<(), ReadError>(())
//! ```
#![no_std]

extern crate alloc;

mod input;
mod message;
mod number;
mod output;
mod time;
mod view;
mod wire;

pub use input::{Input, ReadError};
pub use message::{Message, Service};
pub use number::Number;
pub use output::Output;
pub use time::{Duration, Time};
pub use view::{List, ListIter, Numbers, View};
pub use wire::{Wire, read_whole, write_to};

/// Names that generated code needs, whatever its own types are called.
#[doc(hidden)]
pub mod generated {
    pub use alloc::string::String;
    pub use alloc::vec::Vec;
}
