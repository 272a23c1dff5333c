//! What every message and service says of itself.

use core::fmt::Debug;

use crate::view::View;
use crate::wire::Wire;

/// A message type.
pub trait Message: Wire + Clone + Debug + PartialEq + Send + Sync + 'static {
    /// `PACKAGE/NAME`.
    const DATATYPE: &'static str;
    /// 32 hexadecimal digits; two ends with the same have the same fields (NODE-32).
    const MD5SUM: &'static str;
    /// The whole text, that of the types which it uses after it (NODE-33).
    const DEFINITION: &'static str;

    /// The message as it is read without a copy.
    type View<'a>: View<'a>;
}

/// A service type.
pub trait Service: 'static {
    /// What is asked.
    type Request: Message;
    /// What is answered.
    type Response: Message;
    /// `PACKAGE/NAME`.
    const DATATYPE: &'static str;
    /// Of both halves together (NODE-32).
    const MD5SUM: &'static str;
}
