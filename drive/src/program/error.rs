//! Why a program cannot begin, or ended before it was told to; each with its remedy and its exit code. DRV-76.

use std::io;

use tokkyu_link::carrier::{CarrierError, CloseReason, KeyError};
use tokkyu_link::core::EndpointError;
use tokkyu_link::runtime::site::SiteError;
use tokkyu_link::runtime::{LinkDied, LinkError};
use tokkyu_measure::{RecordError, StorageError};

use super::ExitCode;
use crate::camera::CameraError;
use crate::camera::street::StreetError;
use crate::control::ControlError;
use crate::save::SaveError;

/// Why a program ended.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The robot has no flow this program has anything to do with.
    #[error(
        "robot {robot:?} has no flow with a source and none toward the vehicle; add source: to a camera's flow in robot.yaml"
    )]
    NothingToDo {
        /// The robot's name.
        robot: String,
    },
    /// More than one flow that would drive.
    #[error(
        "flows {first} and {second} are both of class control toward the vehicle; one vehicle takes commands from one flow"
    )]
    TwoCommandFlows {
        /// One of them.
        first: String,
        /// Another.
        second: String,
    },
    /// A flow's declaration contradicts what it is to carry.
    #[error("flow {flow}: {what}; {remedy}")]
    Flow {
        /// The flow's name.
        flow: String,
        /// What is wrong.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// An end that the vehicle serves could be taken for another.
    #[error("link.others of site.yaml: {end} {what}")]
    End {
        /// Its name.
        end: String,
        /// What is wrong, and the remedy.
        what: String,
    },
    /// Nobody said where the operator is.
    #[error("no operator to dial: give --operator ADDRESS:PORT or link: {{operator: ...}} in site.yaml")]
    NoOperator,
    /// The site does not say enough for a link.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// The link cannot be started.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The robot has more flows, or longer names, than a link takes.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The link's thread does nothing any more.
    #[error("the link's thread hangs; this is a fault of tokkyu, please report it")]
    LinkGone,
    /// The link's thread died, and told why.
    #[error(transparent)]
    LinkDied(#[from] LinkDied),
    /// A thread of the program died.
    #[error("the thread {name} died: {why}; this is a fault of tokkyu, please report it")]
    ThreadDied {
        /// The thread's name.
        name: String,
        /// What it panicked with.
        why: String,
    },
    /// The motors hold the thread that gives them their controls.
    #[error(
        "the motors do not answer: they have held the thread that calls them for longer than a second; look at the vehicle, or stop it by its own switch"
    )]
    MotorsHang,
    /// The program ended after an emergency stop of which the vehicle told nothing.
    #[error(
        "the vehicle did not confirm the emergency stop: it brakes after its deadline, but nothing is latched there; look at it, or stop it by its own switch"
    )]
    StopNotConfirmed,
    /// The peer will not have us, or we will not have it, and waiting changes nothing.
    #[error("{0}")]
    Refused(CloseReason),
    /// A camera's source cannot be opened.
    #[error("flow {flow}: {source}")]
    Camera {
        /// The camera's flow.
        flow: String,
        /// Why not.
        source: CameraError,
    },
    /// The film that all cameras are to show cannot be.
    #[error("--video {0}")]
    Film(CameraError),
    /// The street scene cannot be had.
    #[error(transparent)]
    Street(#[from] StreetError),
    /// The source of commands cannot be opened.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The keyboard drives only from a terminal.
    #[error(
        "the keyboard drives from a terminal alone: run with --status view in a terminal, or give --control pattern, gamepad or FILE"
    )]
    NoKeyboard,
    /// The terminal cannot be set up.
    #[error("the terminal cannot be used: {0}; use --status plain")]
    Terminal(io::Error),
    /// A thread cannot be started.
    #[error("no thread can be started: {0}; are too many processes running?")]
    Thread(io::Error),
    /// Pictures cannot be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// Saving ended early.
    #[error("not every picture was saved: {0}")]
    NotSaved(String),
    /// Records cannot be written.
    #[error(transparent)]
    Records(#[from] RecordError),
    /// The summary cannot be written.
    #[error(transparent)]
    Summary(#[from] StorageError),
}

impl DriveError {
    /// Whether something of ours died: the next run may meet the same.
    pub fn is_fault(&self) -> bool {
        matches!(self, DriveError::LinkGone | DriveError::LinkDied(_) | DriveError::ThreadDied { .. })
    }

    /// The program's exit code.
    pub fn exit_code(&self) -> ExitCode {
        use DriveError as E;
        match self {
            E::NothingToDo { .. }
            | E::TwoCommandFlows { .. }
            | E::Flow { .. }
            | E::End { .. }
            | E::Endpoint(_)
            | E::NoOperator
            | E::NoKeyboard => ExitCode::Usage,
            E::Site(SiteError::Key(error)) => of_key(error),
            E::Site(SiteError::NoIdentity | SiteError::NobodyTrusted | SiteError::PathGoesNowhere { .. }) => {
                ExitCode::Usage
            }
            E::Site(SiteError::NotTrusted { .. }) => ExitCode::Refused,
            E::Link(error) => of_link(error),
            E::Refused(_) => ExitCode::Refused,
            E::Camera { source, .. } | E::Film(source) => of_camera(source),
            E::Street(StreetError::Stopped) => ExitCode::Interrupted,
            E::Control(ControlError::NoGamepad) | E::Street(_) | E::Terminal(_) | E::Thread(_) => {
                ExitCode::NotPossible
            }
            E::Control(_) => ExitCode::Usage,
            E::LinkGone | E::LinkDied(_) | E::ThreadDied { .. } | E::MotorsHang | E::StopNotConfirmed => {
                ExitCode::Failed
            }
            E::Save(_) | E::NotSaved(_) | E::Records(_) | E::Summary(_) => ExitCode::NotWritten,
        }
    }
}

fn of_key(error: &KeyError) -> ExitCode {
    match error {
        KeyError::NoRandom | KeyError::Write { .. } => ExitCode::NotPossible,
        _ => ExitCode::Usage,
    }
}

fn of_link(error: &LinkError) -> ExitCode {
    match error {
        LinkError::Carrier(CarrierError::Key(key)) => of_key(key),
        LinkError::Carrier(CarrierError::IpMtu { .. } | CarrierError::Family { .. }) => ExitCode::Usage,
        LinkError::Carrier(_) | LinkError::System(_) => ExitCode::NotPossible,
    }
}

fn of_camera(error: &CameraError) -> ExitCode {
    match error {
        CameraError::NotFound { .. }
        | CameraError::NoPictures { .. }
        | CameraError::MixedPictures { .. }
        | CameraError::BrokenPictures { .. }
        | CameraError::NoVideo { .. }
        | CameraError::Setting { .. } => ExitCode::Usage,
        _ => ExitCode::NotPossible,
    }
}
