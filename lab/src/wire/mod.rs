//! The real wire: two network namespaces joined by a user-space relay that treats every frame as a seeded model says.
//!
//! Role: lets real programs, unchanged, talk over a network that a name and a seed fix. The model is
//! [`tokkyu_link::sim::path`], the same that stands under the simulation; here it runs against `CLOCK_MONOTONIC`.
//! `SPEC.md` of this crate numbers what the wire promises (WIRE-1 …); the sources cite it.
//!
//! ```text
//!  namespace "vehicle"                        this process                       namespace "operator"
//!  ┌──────────────────┐   frames   ┌──────────────────────────────┐   frames   ┌───────────────────┐
//!  │ programs ─ wire0 │ ── TAP ──► │ relay thread (SCHED_FIFO):   │ ── TAP ──► │ wire0 ─ programs  │
//!  │ 10.77.0.1        │ ◄───────── │ Path up, Path down           │ ◄───────── │ 10.77.0.2         │
//!  └──────────────────┘            └──────────────────────────────┘            └───────────────────┘
//! ```
//!
//! Nothing has a name outside the process: the namespaces hang on threads, the TAP devices on file descriptors.
//! When the process ends, even by SIGKILL, the kernel removes both, and the children with them.
//!
//! Where namespaces or TAP devices are not permitted, [`UdpWire`] puts the same models between UDP sockets on
//! the loopback device.
mod error;
mod interface;
mod mailbox;
mod monotonic;
mod namespace;
mod own_cost;
mod pool;
mod port;
mod queue_length;
mod relay;
mod report;
mod scheduling;
mod tap;
mod tap_wire;
mod udp_wire;
mod user_namespace;

pub use error::WireError;
pub use monotonic::monotonic_now;
pub use own_cost::{OwnCost, PINGS, measure_own_cost};
pub use relay::QUANTUM;
pub use report::{DirectionReport, Flaw, LARGEST_VALID_FRAME_BYTES, Lateness, WireReport};
pub use scheduling::Scheduling;
pub use tap_wire::{End, Wire, WireSettings};
pub use udp_wire::UdpWire;
pub use user_namespace::enter_user_namespace_if_needed;
