//! Finds where an unchanged kernel counts what keeps a task from being preempted (../SPEC.md, MON-71), from what the kernel tells any
//! program of root's: `/proc/kallsyms`, `/sys/kernel/btf/vmlinux`, `/proc/kcore`.
//!
//! Where to look: `symbols.rs` has addresses, `btf.rs` places in structures, `core_file.rs` memory and where it is, `find.rs` puts them together.
//! `stat.rs` has what the kernel counts for each processor, from `/proc/stat` (MON-102).

#![forbid(unsafe_code)]

mod btf;
mod core_file;
mod find;
mod stat;
mod symbols;

pub use btf::{Btf, BtfError};
pub use core_file::{CoreFile, CoreFileError, HEADERS_BYTES, Segment};
pub use find::{FindError, Kernel, find};
pub use stat::{StatError, Ticks, ticks_of};
pub use symbols::{Symbols, SymbolsError};
