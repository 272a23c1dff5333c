//! The operator's program: pictures from the vehicle, commands to it, records of both.
//!
//! [`run`] is `tokkyu operator`. Its main thread keeps books, reads keys and tells the status; it is never in the way
//! of a sample.
//!
//! ```text
//!   (vehicle) ──▶ link ──▶ picture threads ──▶ saver (disk)     main thread: books, records, keys, status, end
//!   (vehicle) ◀── link ◀── driver thread                          ▲ reports of all threads, events of the link
//! ```
//!
//! ```text
//!   Listening ──every camera's last picture was seen──▶ Settling ──the vehicle left, or waited enough──▶ end
//!      └────── time over, told to stop or to quit, vehicle left after its pictures: at once ────────────▶┘
//! ```
//!
//! After an emergency stop the end waits until the vehicle tells that it stopped, at most a second; see `estop.rs`.
//!
//! An operator never ends because of a refused handshake: whoever can reach its port could end it.

mod driver;
mod estop;
mod finish;
mod options;
mod pictures;
mod run;
mod sight;
mod start;
mod status;
mod wishes;

pub use options::OperatorOptions;
pub use status::{
    CaptureClock, DriverControls, DriverStatus, GateHeard, OperatorStatus, OperatorSummary, PictureStatus,
    SavedFigures, SeatHeard, StreamAges,
};
pub use wishes::SeatRequest;

use crate::program::{Display, DriveError, StopFlag, display};

/// Runs the operator's program until its run is complete, the driver quits, or `stop` is set; at most about a second
/// longer, and as long as [`save::PATIENCE`](crate::save::PATIENCE) where pictures are saved.
///
/// # Errors
/// Everything that keeps it from beginning, and what ends it early; see [`DriveError::exit_code`]. Records and summary
/// are written all the same.
pub fn run(options: OperatorOptions, stop: &StopFlag) -> Result<OperatorSummary, DriveError> {
    let mut display = display::open(options.end.status)?;
    run_with(options, &mut *display, stop)
}

/// The same with a display of one's own.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    options: OperatorOptions,
    display: &mut dyn Display<OperatorStatus>,
    stop: &StopFlag,
) -> Result<OperatorSummary, DriveError> {
    run::Operator::start(options, display, stop)?.run()
}
