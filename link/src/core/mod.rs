//! The link without a clock and without a socket (SPEC §1 to §7).
//!
//! [`Session`] wires small nouns together and decides nothing itself: [`outbox`] and [`sample`] (with [`kept`],
//! [`load`] and [`outstanding`]) what is on its way out, [`scheduler`] who is next, [`sent`] the log that knows what arrived, [`loss`],
//! [`rtt`], [`rate`] (with [`mark`], [`arrivals`], [`probe`] and [`contest`]), [`pacer`], [`window`] and `packet_size`, put together in `path`, what a path is
//! like, [`parity`] and [`fec`] how much redundancy and how, [`received`], [`inbox`] (with [`sequences`]) and [`order`] the
//! other direction, [`memory`] what may be held, [`clock`] the peer's time, [`grant`] what the application may send,
//! [`limits`] what it may announce, `home` which of several paths a flow's samples go on.

pub mod arrivals;
mod black_hole;
pub mod clock;
pub mod contest;
pub mod event;
pub mod fec;
pub mod grant;
mod home;
pub mod inbox;
pub mod kept;
pub mod limits;
pub mod load;
pub mod loss;
pub mod mark;
pub mod memory;
pub mod order;
pub mod outbox;
pub mod outstanding;
pub mod pacer;
mod packet_size;
pub mod parity;
mod path;
pub mod probe;
pub mod rate;
pub mod received;
pub mod rtt;
pub mod sample;
pub mod scheduler;
pub mod sent;
pub mod sequences;
mod session;
pub mod window;

pub use event::{Delivered, Endpoint, Event, Way};
pub use limits::EndpointError;
pub use outbox::PublishError;
pub use path::{PathConfig, PathId};
pub use session::{PathStats, Publication, Session, SessionConfig, Stats, Subscription};
