//! Configuration files of systems in C (rtos/c/SPEC.md RTC-10 to RTC-14), for build scripts:
//!
//! ```no_run
//! tokkyu_rtos_configure::system("src/app.cfg").source("src/app.c").build();
//! ```
//!
//! The image's program is then `include!(concat!(env!("OUT_DIR"), "/system.rs"));`.
//!
//! ```text
//!  text ── statements ──► Statement ── declare ──► System ──┬─ rust ──► system.rs
//!          (statement.rs)              (system.rs)          └─ header ─► kernel_cfg.h
//! ```

mod build;
mod error;
mod header;
mod rust;
mod statement;
mod system;

pub use build::{Build, system};
pub use error::{Error, Problem};
pub use header::header;
pub use rust::rust;
pub use system::System;

/// Reads a configuration.
///
/// # Errors
/// What is wrong, and where.
pub fn read(file: &str, text: &str) -> Result<System, Error> {
    let problem = |(line, problem)| Error { file: file.to_owned(), line, problem };
    let statements = statement::read(text).map_err(problem)?;
    System::declare(&statements).map_err(problem)
}
