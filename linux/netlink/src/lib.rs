//! Requests to the kernel over netlink, as far as they are used here: one request, and all of its answer.
//!
//! Used by `linux/lbe` and `tune`. What stands around messages is netlink-packet-core's; qdiscs have options that
//! netlink-packet-route does not read (it refuses the whole answer for them), so attributes stay bytes until somebody knows them.
mod attribute;
mod exchange;
pub mod generic;
pub mod link;
pub mod tc;

pub use attribute::{Attribute, of_kind};
pub use exchange::{NetlinkError, exchange, open};
