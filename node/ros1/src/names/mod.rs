//! Names of the graph, and what a node makes of them (NODE-46). The only part that makes strings: a node resolves its names when it is made.
//!
//! ```text
//!  /a ───────────────────────────────┐
//!   a ──► NAMESPACE/a ───────────────┼─► renamed as FROM:=TO say ─► global
//!  ~a ──► NAMESPACE/NODE/a ──────────┘
//! ```

mod error;
mod remap;
mod resolve;

pub use error::{NameError, NameProblem};
pub use remap::{Remappings, is_remapping};
pub use resolve::{Names, anonymous, resolve, validate, validate_node};
