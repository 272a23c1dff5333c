//! ROS 1 message and service definitions (SPEC, section 3): read from `.msg` and `.srv` files, checked, with their md5sums and texts.
//!
//! Runs where nodes are built, never in a node.
//!
//! ```
//! use tokkyu_msg::{Name, Types};
//!
//! let mut types = Types::new();
//! types.add(Name::parse("std_msgs/String")?, "string data")?;
//! assert_eq!(types.md5(&Name::parse("std_msgs/String")?)?, "992ce8a1687cec8c8bd883ec73ca41d1");
//! # Ok::<(), tokkyu_msg::Error>(())
//! ```

pub mod cpp;
mod definition;
mod error;
mod most_used;
mod parse;
pub mod rust;
mod types;
mod wanted;

pub use definition::{Array, Base, Builtin, Constant, Definition, Field, Name, Service, Type};
pub use error::{Error, Place, Problem};
pub use most_used::usual;
pub use parse::{parse_message, parse_service};
pub use types::Types;
pub use wanted::Wanted;
