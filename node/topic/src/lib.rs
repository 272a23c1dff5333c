//! Topics between the threads, or tasks, of one device (SPEC, section 2).
//!
//! ```text
//!                    ┌ slots: counted memory ┐
//!  Publisher ─ loan ─┤                       ├─ Sample ─ Reader
//!      │             └───────────▲───────────┘             ▲
//!      └─ publish ─► ring of cells (slot, sequence) ─ take ┘      one ring for each reader
//!      └─ notice  ─► Doorbell ─ wakes ─► the reader's thread      on the edge from idle to busy
//! ```
//!
//! Runs in the publisher's thread and in each reader's; never blocks, calls nothing but the reader's [`Doorbell`]. Memory is taken when a
//! [`Channel`] is made and never after. Shared are atomics of 32 bits alone, so that it is lock-free on 32-bit parts.
//!
//! ```
//! use std::sync::Arc;
//! use tokkyu_topic::{Bell, Channel, Limits, Terms};
//!
//! let (mut publisher, channel) = Channel::new(Limits::for_links(1, 4), || [0_u8; 64])?;
//! let mut reader = channel.join(Terms::keep_last(4), Arc::new(Bell::new()), 0)?;
//! let mut loan = publisher.loan()?;
//! loan[0] = 7;
//! publisher.publish(loan).map_err(|refused| refused.why)?;
//! assert_eq!(reader.take()?.expect("a sample")[0], 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]

extern crate alloc;

mod bell;
mod channel;
mod choice;
mod desk;
mod limits;
mod lines;
mod link;
mod near;
mod publisher;
mod reader;
mod ring;
mod slots;
mod sync;

pub use bell::{Bell, Doorbell, SOURCES};
pub use channel::{Channel, JoinError};
#[cfg(loom)]
pub use choice::Choice;
pub use desk::{Desk, Worked};
pub use limits::{Exceeded, Limits, MAX_DEPTH, MAX_SLOTS, Terms};
pub use link::LinkId;
pub use near::Near;
pub use publisher::{Loan, LoanError, Publisher, Refused, Why};
pub use reader::{Reader, Sample, SampleHere, TakeError};
pub use tokkyu_window::{
    TooLong, WindowError, WindowForm, WindowLoan, WindowReader, WindowSample, WindowView, WindowWriter,
};
