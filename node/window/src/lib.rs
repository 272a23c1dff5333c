//! A topic over memory that is given to it, between two sides of which neither trusts the other: another process, another operating system
//! (../SPEC.md, NODE-25). Without hardware, and without a heap but for what is taken as bytes (feature `alloc`).
//!
//! ```
//! use core::sync::atomic::AtomicU32;
//! use tokkyu_window::{WindowForm, WindowReader, WindowWriter};
//!
//! let form = WindowForm::new(4, 64)?;
//! let memory: Vec<AtomicU32> = (0..form.words()).map(|_| AtomicU32::new(0)).collect();
//! let mut writer = WindowWriter::new(&memory, form)?;
//! let mut reader = WindowReader::new(&memory, form)?;
//! writer.publish(&[7; 3]).expect("it is short enough");
//! let view = reader.look().expect("a message");
//! assert_eq!(view.len(), 3);
//! assert!(reader.is_whole(&view));
//! # Ok::<(), tokkyu_window::WindowError>(())
//! ```

#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod window;

pub use window::{
    TooLong, WindowError, WindowForm, WindowLoan, WindowReader, WindowSample, WindowView, WindowWriter,
};
