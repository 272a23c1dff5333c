//! What the vehicle's and the operator's program share.
//!
//! Runs in a program's main thread unless a module says otherwise. The threads that send and receive do as little as
//! they can and report over bounded queues; the books, the disk and the terminal belong to the main thread, which may
//! be late without a sample being late.
//!
//! ```text
//!   capture, driver ──Offered──┐                         ┌──▶ records (disk)
//!                              ├──▶ main thread: books ──┼──▶ display (terminal, pipe)
//!   receivers ───────Arrived───┤                         └──▶ summary (disk, at the end)
//!   link ────────────Event─────┘
//! ```

mod captured;
mod choices;
mod desk;
pub mod display;
mod ending;
pub mod error;
pub mod exit;
pub mod figures;
mod fit;
mod gate_flow;
mod news;
mod options;
pub(crate) mod orphan;
mod outlet;
mod received;
mod recent;
mod records;
mod sent;
pub mod status;
pub mod stop;
pub(crate) mod summary;
pub(crate) mod threads;
mod ticks;
mod watch;
pub(crate) mod wiring;

pub use choices::{Driver, StatusMode, UnknownStatusMode, Video};
pub use display::{Display, Quiet};
pub use ending::Ending;
pub use error::DriveError;
pub use exit::ExitCode;
pub use figures::{CapFigures, LedgerFigures, LinkFigures, RealTimeGrant};
pub use options::EndOptions;
pub use status::{Happening, Line, LinkState, LinkStatus, PathStatus, Ready};
pub use stop::StopFlag;
pub use summary::{ClockPair, CpuFigures, StreamFigures};

pub(crate) use captured::captured;
pub(crate) use desk::Desk;
pub(crate) use fit::{Distance, Fit};
pub(crate) use gate_flow::{GateEar, GateTeller};
pub(crate) use news::{endpoint_name, news_of, news_of_handshakes};
pub(crate) use outlet::{Copy, Mail, Offered, Outlet, Session, offer_together};
pub(crate) use received::{Arrived, ReceivedBooks};
pub(crate) use recent::Recent;
pub(crate) use records::RecordsFile;
pub(crate) use sent::SentBook;
pub(crate) use status::LinkMeter;
pub(crate) use summary::stream_figures;
pub(crate) use ticks::{Alarm, Ticks};
pub(crate) use watch::LinkWatch;

/// Samples at the start of each stream that are reported apart (DRV-72).
pub const WARM_UP_SAMPLES: u32 = 20;
