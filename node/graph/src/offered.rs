//! A service of ours.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::command::Kind;
use crate::host::{Done, Handler};

/// A service of ours.
pub(crate) struct Offered {
    pub(crate) kind: Kind,
    pub(crate) longest: usize,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) is_registered: bool,
    pub(crate) done: Vec<Done<()>>,
}
