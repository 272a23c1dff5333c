//! Readers of `robot.yaml` and `site.yaml`.
//!
//! Run once, at start-up, in an ordinary thread; they may allocate. What bounds their time and memory: a file of at
//! most [`MAX_FILE_BYTES`], nested at most [`MAX_DEPTH`] deep, no aliases (so nothing is ever expanded), and at most
//! [`MAX_ERRORS`] errors. Nothing panics, whatever the text.
//!
//! The text passes three steps: `tree` turns it into nodes that know where they stand, `fields` reads nodes as typed
//! values, and [`robot`] and [`site`] know which fields there are. All three write what they find wrong into one
//! `Log`, so a file's errors are reported together. Specification: SPEC.md, CON-1 to CON-19, CON-37 to CON-39.

pub mod budget;
mod camera;
pub mod degraded;
mod error;
mod fields;
mod file;
pub mod fleet;
mod flow;
mod name;
pub mod others;
pub mod output;
pub mod paths;
mod qos;
pub mod robot;
pub mod site;
mod tree;
pub mod vehicle;

pub use error::{Error, Errors, MAX_ERRORS, Position};
pub use file::MAX_FILE_BYTES;
pub use name::is_label;
pub use robot::Robot;
pub use site::Site;
pub use tree::MAX_DEPTH;
