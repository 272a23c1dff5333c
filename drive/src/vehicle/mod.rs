//! The vehicle's program: cameras to the operator, commands to the motors, records of both.
//!
//! [`run`] is `tokkyu vehicle`. Its main thread keeps books and tells the status; it is never in the way of a sample.
//!
//! ```text
//!   capture threads ──▶ link ──▶ (operator)         main thread: books, records, status, ends the run
//!   commands thread ◀── link ◀── (operator)            ▲ reports of all threads, events of the link
//!        └─▶ gate ─▶ motors ◀─ watchdog thread: whether they answer, and the second brake
//! ```
//!
//! ```text
//!   Waiting ──first tick known──▶ Driving ──all pictures taken──▶ Settling ──all settled, or waited enough──▶ end
//!      └────────────── told to stop, refused, link gone: settling at once ───▶┘
//! ```

mod camera_side;
mod cameras;
mod capture;
mod commands;
mod control_side;
mod ends;
mod finish;
mod first_tick;
mod gate_view;
mod gate_words;
mod given;
mod latch;
mod motors;
mod onlooker;
mod options;
mod others;
mod precedence;
mod quality;
mod run;
mod start;
mod status;
mod topics;
mod wanted;
mod watchdog;

pub use cameras::{Film, film};
pub use latch::state_folder;
pub use motors::{Brake, Motors, NoMotors, Untaken};
pub use onlooker::{MotorsStatus, MotorsTopic, Onlooker};
pub use options::VehicleOptions;
pub use quality::QualityFigures;
pub use status::{
    CameraStatus, CommandCounts, EndStatus, GateEntry, GateStatus, Output, SeatStatus, VehicleStatus,
    VehicleSummary,
};
pub use topics::{ToldSpeed, TopicMotors, TopicsOpened};
pub use wanted::wanted;

use crate::program::{Display, DriveError, StopFlag, display};

/// Runs the vehicle's program until its run is complete or `stop` is set, at most about three seconds longer.
///
/// # Errors
/// Everything that keeps it from beginning, and what ends it early; see [`DriveError::exit_code`]. Records and summary
/// are written all the same.
pub fn run(options: VehicleOptions, stop: &StopFlag) -> Result<VehicleSummary, DriveError> {
    let mut display = display::open(options.end.status)?;
    run_with(options, &mut *display, NoMotors, stop)
}

/// The same with a display and motors of one's own.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    options: VehicleOptions,
    display: &mut dyn Display<VehicleStatus>,
    motors: impl Motors + 'static,
    stop: &StopFlag,
) -> Result<VehicleSummary, DriveError> {
    run::Vehicle::start(options, display, motors, stop)?.run()
}
