//! The gate between the link and the motors: lets fresh commands through, stops the vehicle when they cease.
//!
//! Runs on the vehicle in the thread that receives commands; pure, constant time, no clock inside (`now` comes in).
//! SPEC.md DRV-10 to DRV-17, DRV-86 to DRV-89, DRV-91 to DRV-97, DRV-104 to DRV-108, DRV-121 to DRV-129, DRV-133, DRV-134.
//!
//! ```text
//!   commands of all ends ──▶ seat.rs: who drives?
//!      │ the driver's
//!      ▼       gate.rs: what happens, and what comes of it
//!   command ──▶ intake.rs: fresh, in order? ──▶ ready.rs: neutral, enabled? ──┐
//!                                                                            ▼
//!   tick, new session, blind, link closed ─────────────────────▶ state.rs: the one table
//!                                                                            │
//!   speed ──▶ motion.rs: does it stand? ──▶ stop.rs: how hard, how long ◀────┤
//!                                                                            ▼
//!   motors ◀──────────────────────────── output.rs: no jumps, brake before throttle
//!                                                     ▲
//!   pictures, commands ──▶ latency.rs: how old? ──▶ degraded.rs: how fast at most?
//! ```
//! Invariants:
//!
//! * the motors get throttle only in `Driving`, and only from the newest fresh command, whose dead-man is held and was
//!   read lately;
//! * whatever stopped the vehicle, nothing moves it again but neutral controls and a press of the enable button after it;
//! * an emergency stop counts at any age and out of order (late is better than never), but not from before the last
//!   accepted reset, so that a packet which wandered about cannot stop the vehicle again;
//! * `Emergency` ends by a fresh reset alone, not by time, not by a new session.
//!
//! From the driver letting go of everything by losing the link to the first braking it is at most lifespan + deadline + the
//! error of the clock estimate, which is at most another lifespan.

mod degraded;
mod gate;
mod intake;
pub(crate) mod latency;
mod log;
mod motion;
mod need;
mod output;
mod ready;
pub mod report;
mod seat;
mod seat_view;
mod state;
mod stop;

pub use crate::control::Age;
pub use degraded::{Cap, Degraded};
pub use gate::{Gate, Reaction, Settings};
pub use intake::{DEFAULT_DEADLINE, DEFAULT_LIFESPAN, Limits, Refusal};
pub use log::{Counts, Entry, Log, What};
pub use motion::{SPEED_WORTH, STANDS_BELOW_MPS, STANDS_FOR};
pub use need::Need;
pub use output::Slew;
pub use ready::NEUTRAL_FOR;
pub use seat::{How, Seat, SeatChange, Seating, Verdict};
pub use seat_view::{EndName, SeatView};
pub use state::{Change, State};
pub use stop::{Cause, Profile, Stops};

#[cfg(test)]
mod tests;
