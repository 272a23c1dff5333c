//! The experiment on background traffic: what a foreground feels of an upload beside it, under one scheme or another.

mod background;
mod cell;
mod findings;
mod scheme;
mod stage;
mod study;

pub use background::Background;
pub use cell::{Cell, FAST, Link, SLOW, Work};
pub use findings::cases;
pub use scheme::{Scheme, UnknownScheme};
pub use stage::{Boards, Found};
pub use study::Study;
