//! Why a program of the fleet cannot begin or go on; each with its remedy and its exit code (FLT-50).

use std::path::PathBuf;

use tokkyu_drive::program::{DriveError, ExitCode};

use crate::protocol::call::Refusal;

/// Why a program of the fleet ended.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// Nobody said where a router is.
    #[error("no router to go to: give fleet: {{routers: [tls/HOST:7448]}} in site.yaml")]
    NoRouters,
    /// A `tls/` address without certificates.
    #[error(
        "{address} needs certificates: give fleet: {{tls: {{ca: ..., certificate: ..., key: ...}}}} in site.yaml"
    )]
    NoCertificates {
        /// The address.
        address: String,
    },
    /// Unencrypted beyond this machine.
    #[error(
        "{address} is not encrypted and can be reached from outside: use tls/, or tcp/ on 127.0.0.1 alone"
    )]
    Open {
        /// The address.
        address: String,
    },
    /// A list of who may what, and nothing that proves who is who.
    #[error("fleet: {{access: ...}} goes by certificates: give a tls/ address to --listen")]
    AccessWithoutTls,
    /// A certificate's or key's file cannot be used.
    #[error("{path}: {why}; it is named in fleet: {{tls: ...}} of site.yaml", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// No router answers.
    #[error(
        "no router answers at {addresses}: {why}; is one running there (tokkyu fleet router), and do both sides have certificates of one authority?"
    )]
    NoRouter {
        /// All that were tried.
        addresses: String,
        /// What Zenoh said.
        why: String,
    },
    /// The router cannot listen.
    #[error("cannot listen at {addresses}: {why}; is the port in use, are the certificates good?")]
    Listen {
        /// Where.
        addresses: String,
        /// What Zenoh said.
        why: String,
    },
    /// Zenoh refused something.
    #[error("the fleet's network: {what}: {why}")]
    Zenoh {
        /// What was tried.
        what: &'static str,
        /// What Zenoh said.
        why: String,
    },
    /// The robot's or site's name cannot be one in the fleet.
    #[error(
        "\"{name}\" cannot be a name in the fleet: use letters, digits, _, - and ., a letter or digit first"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// No such vehicle is present.
    #[error("no vehicle called {robot} is present; there are: {others} (tokkyu fleet list)")]
    Unknown {
        /// The name asked for.
        robot: String,
        /// Those that are.
        others: String,
    },
    /// Two vehicles have one name.
    #[error("{count} vehicles are called {robot}; give each a name of its own (robot: in robot.yaml)")]
    Twice {
        /// The name.
        robot: String,
        /// How many.
        count: usize,
    },
    /// The vehicle said nothing of itself that can be read.
    #[error("{robot} is present but tells no state that can be read: {why}")]
    NoState {
        /// The name.
        robot: String,
        /// Why not.
        why: String,
    },
    /// The vehicle refused.
    #[error("{robot} does not come: {}", refusal_words(*refusal, words))]
    Refused {
        /// The name.
        robot: String,
        /// Why.
        refusal: Refusal,
        /// The vehicle's words.
        words: String,
    },
    /// The vehicle did not answer the call.
    #[error("{robot} did not answer the call: {why}; is it still there (tokkyu fleet list)?")]
    NoAnswer {
        /// The name.
        robot: String,
        /// What was heard instead.
        why: String,
    },
    /// It accepted, and no session came.
    #[error(
        "{robot} accepted the call and did not come within {seconds} s: can it reach {address}, does a firewall let UDP through?"
    )]
    NotCome {
        /// The name.
        robot: String,
        /// Where it should have come.
        address: String,
        /// How long was waited.
        seconds: u64,
    },
    /// The address to be told is not one that can be dialled.
    #[error("a vehicle cannot dial {address}: give --address with the address it reaches this machine at")]
    Address {
        /// Where the link listens.
        address: String,
    },
    /// The drive ended by itself.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// A thread cannot be started.
    #[error("no thread can be started: {0}; are too many processes running?")]
    Thread(std::io::Error),
    /// Told to stop before anything began.
    #[error("interrupted before the vehicle was called")]
    Interrupted,
}

fn refusal_words(refusal: Refusal, words: &str) -> String {
    let why = match refusal {
        Refusal::Busy => "it is busy",
        Refusal::Untrusted => "our link key is not in its trust list (tokkyu keys trust, on the vehicle)",
        Refusal::Unreadable => "it could not read the call",
        Refusal::Failed => "its program cannot start",
        Refusal::Other => "for a reason this program does not know",
    };
    match words {
        "" => why.to_owned(),
        words => format!("{why}: {}", tokkyu_drive::text::printable(words, 300)),
    }
}

impl FleetError {
    /// The program's exit code.
    pub fn exit_code(&self) -> ExitCode {
        use FleetError as E;
        match self {
            E::NoRouters
            | E::NoCertificates { .. }
            | E::Open { .. }
            | E::AccessWithoutTls
            | E::File { .. }
            | E::Name { .. }
            | E::Address { .. } => ExitCode::Usage,
            E::NoRouter { .. } | E::Zenoh { .. } | E::Unknown { .. } | E::Twice { .. } => ExitCode::Failed,
            E::NoState { .. } | E::NoAnswer { .. } | E::NotCome { .. } => ExitCode::Failed,
            E::Listen { .. } | E::Thread(_) => ExitCode::NotPossible,
            E::Refused { .. } => ExitCode::Refused,
            E::Drive(error) => error.exit_code(),
            E::Interrupted => ExitCode::Interrupted,
        }
    }

    /// Zenoh refused to do `what`.
    pub(crate) fn zenoh(what: &'static str) -> impl Fn(zenoh::Error) -> FleetError {
        move |error| FleetError::Zenoh { what, why: error.to_string() }
    }
}
