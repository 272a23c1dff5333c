//! Both ends of a measurement of a kernel's Ethernet path (SPEC.md).

mod answer;
mod clock;
pub mod counters;
pub mod datagram;
mod error;
pub mod figures;
pub mod line;
mod load;
mod packet;
pub mod pair;
pub mod program;
mod realtime;
mod receive;
mod request;
mod send;
mod series;
mod socket;
mod stamp;

pub use realtime::{Awake, DMA_LATENCY, Reached};
pub use stamp::Source;
