//! What the bridges of ROS 2 and of ROS 1 topics have in common here: which end they are, where that is, and how they tell what happens.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use serde::Serialize;
use tokkyu_bridge::Watcher;
use tokkyu_bridge::session::SessionError;
use tokkyu_contract::yaml::Site;
use tokkyu_contract::yaml::robot::Toward;
use tokkyu_drive::program::{DriveError, ExitCode, StopFlag};
use tokkyu_drive::text::printable;
use tokkyu_link::runtime::Role;

use crate::exit::Failure;
use crate::output::{print, say};

/// Longest line that is told: names come from anybody among the nodes.
const LINE_MAX: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum End {
    /// Beside the robot's nodes
    Vehicle,
    /// Beside the operator's
    Operator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tell {
    /// A line for each thing that happens, on standard error
    Plain,
    /// The same, and a JSON object a second on standard output
    Json,
    /// Nothing but why it ended
    None,
}

/// Addresses that the command line gives.
pub struct Given {
    pub operator: Option<SocketAddr>,
    pub bind: Option<SocketAddr>,
    pub listen: Option<SocketAddr>,
}

impl End {
    pub fn toward(self) -> Toward {
        match self {
            End::Vehicle => Toward::Vehicle,
            End::Operator => Toward::Operator,
        }
    }

    pub fn in_words(self) -> &'static str {
        match self {
            End::Vehicle => "vehicle's bridge",
            End::Operator => "operator's bridge",
        }
    }

    /// Its part in the link, and the address it has.
    ///
    /// # Errors
    /// A vehicle that nobody told where its operator is.
    pub fn place(self, given: &Given, site: &Site) -> Result<(Role, SocketAddr), Failure> {
        match self {
            End::Operator => Ok((Role::Operator, given.listen.unwrap_or(site.link.listen))),
            End::Vehicle => {
                let operator = given.operator.or(site.link.operator).ok_or(DriveError::NoOperator)?;
                let any = match operator {
                    SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
                    SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
                };
                Ok((Role::Vehicle { operator }, given.bind.unwrap_or(SocketAddr::new(any, 0))))
            }
        }
    }
}

/// Tells what happens, and when it is over.
pub struct Teller {
    tell: Tell,
    stop: StopFlag,
    until: Option<Instant>,
}

impl Teller {
    pub fn new(tell: Tell, stop: &StopFlag, duration: Option<Duration>) -> Teller {
        let until = duration.and_then(|span| Instant::now().checked_add(span));
        Teller { tell, stop: stop.clone(), until }
    }

    pub fn line(&self, line: &str) {
        if self.tell != Tell::None {
            say(&printable(line, LINE_MAX));
        }
    }
}

impl<S: Serialize> Watcher<S> for Teller {
    fn on_line(&mut self, line: &str) {
        self.line(line);
    }

    fn on_status(&mut self, status: &S) {
        if self.tell == Tell::Json
            && let Ok(json) = serde_json::to_string(status)
        {
            // A reader that has gone needs no figures.
            let _ = print(&format!("{json}\n"));
        }
    }

    fn is_over(&self) -> bool {
        self.stop.is_set() || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// What a bridge's program ends with when its session is over.
pub fn code_of(error: &SessionError) -> ExitCode {
    match error {
        SessionError::Endpoint(_) => ExitCode::Usage,
        SessionError::Refused(_) => ExitCode::Refused,
        SessionError::LinkDied(_) | SessionError::Failed(_) => ExitCode::Failed,
    }
}
