//! `tokkyu bridge`: ROS 2 topics over the link.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use tokkyu_contract::yaml::Site;
use tokkyu_contract::yaml::robot::Toward;
use tokkyu_drive::program::{DriveError, ExitCode, StopFlag};
use tokkyu_drive::text::printable;
use tokkyu_link::runtime::{Link, LinkConfig, Role};
use tokkyu_ros2::bridge::{self, BridgeError, BridgeOptions, Status, Watcher};
use tokkyu_ros2::names::Namespace;

use super::ends::LinkFlags;
use super::words;
use crate::exit::{CODES, Done, Failure};
use crate::output::{print, say};

/// Longest line that is told: names of types and services come from anybody in the domain.
const LINE_MAX: usize = 4096;

const EXAMPLES: &str = "\
Examples:
  tokkyu bridge vehicle  --robot robot.yaml --site site.yaml                (on the robot, beside its nodes)
  tokkyu bridge operator --robot robot.yaml --site site.yaml                (at the operator, beside RViz)
  tokkyu bridge operator --namespace rover7 --domain 5                      (topics appear as /rover7/... in domain 5)
  tokkyu bridge vehicle  --interface eth0 --status json";

/// Carries the ROS 2 topics that robot.yaml names over the link; they appear at the other end as ordinary topics.
///
/// No node changes. A flow's name is a topic's without the leading slash, or a pattern: camera/* or status/**. What a flow
/// does not declare (type, reliability, durability, deadline, lifespan) is taken from the topic's own writers. A topic is
/// read and sent only while somebody reads it at the other end, unless it is transient local. What cannot cross is told
/// with the reason and the remedy.
///
/// Without --interface DDS meets the nodes of this host and no others. Services and actions are not carried.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Bridge {
    /// Which end of the link this is
    end: End,
    #[command(flatten)]
    link: LinkFlags,
    /// Where the operator's bridge listens (vehicle)
    #[arg(long, value_name = "ADDR:PORT")]
    operator: Option<SocketAddr>,
    /// Local address to send from, such as that of one of two modems (vehicle)
    #[arg(long, value_name = "ADDR:PORT")]
    bind: Option<SocketAddr>,
    /// Where to listen (operator)
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<SocketAddr>,
    /// DDS domain, 0 to 232; ROS_DOMAIN_ID or 0 if not given
    #[arg(long, env = "ROS_DOMAIN_ID", default_value_t = 0)]
    domain: u32,
    /// Network interface DDS may use; may be given more than once
    #[arg(long, value_name = "NAME")]
    interface: Vec<String>,
    /// Stands before the names of all topics at this end
    #[arg(long, value_name = "NS", default_value = "", value_parser = namespace)]
    namespace: Namespace,
    /// How long the other bridge may be away before its topics are taken down
    #[arg(long, value_name = "SPAN", default_value = "10 s", value_parser = words::span)]
    linger: Duration,
    /// End after this time, such as "10 min"
    #[arg(long, value_name = "SPAN", value_parser = words::span)]
    duration: Option<Duration>,
    /// What to tell: lines in plain words, those and figures as JSON, or errors alone
    #[arg(long, value_name = "HOW", default_value = "plain")]
    status: Tell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum End {
    /// Beside the robot's nodes
    Vehicle,
    /// Beside the operator's
    Operator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Tell {
    /// A line for each thing that happens, on standard error
    Plain,
    /// The same, and a JSON object a second on standard output
    Json,
    /// Nothing but why it ended
    None,
}

fn namespace(word: &str) -> Result<Namespace, String> {
    Namespace::new(word).ok_or_else(|| "write it like rover7 or fleet/rover7".to_owned())
}

impl Bridge {
    pub fn run(self, stop: &StopFlag) -> Done {
        let (robot, site) = (self.link.robot()?, self.link.site()?);
        let (role, bind) = self.place(&site)?;
        let overrides = self.link.overrides();
        let config = LinkConfig::at_site(role, bind, &site, &overrides).map_err(DriveError::from)?;
        let link = Link::start(config).map_err(DriveError::from)?;
        let options = BridgeOptions {
            end: match self.end {
                End::Vehicle => Toward::Vehicle,
                End::Operator => Toward::Operator,
            },
            robot,
            site,
            priority: overrides.priority,
            domain: self.domain,
            interfaces: self.interface,
            namespace: self.namespace,
            linger: self.linger,
        };
        let until = self.duration.and_then(|span| Instant::now().checked_add(span));
        let mut teller = Teller { tell: self.status, stop: stop.clone(), until };
        teller.on_line(&format!("{} on {}", words_for(self.end), link.local_address()));
        bridge::run(options, link, &mut teller)?;
        Ok(if stop.is_set() { ExitCode::Interrupted } else { ExitCode::Ok })
    }

    fn place(&self, site: &Site) -> Result<(Role, SocketAddr), Failure> {
        match self.end {
            End::Operator => Ok((Role::Operator, self.listen.unwrap_or(site.link.listen))),
            End::Vehicle => {
                let operator = self.operator.or(site.link.operator).ok_or(DriveError::NoOperator)?;
                let any = match operator {
                    SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
                    SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
                };
                Ok((Role::Vehicle { operator }, self.bind.unwrap_or(SocketAddr::new(any, 0))))
            }
        }
    }
}

fn words_for(end: End) -> &'static str {
    match end {
        End::Vehicle => "vehicle's bridge",
        End::Operator => "operator's bridge",
    }
}

struct Teller {
    tell: Tell,
    stop: StopFlag,
    until: Option<Instant>,
}

impl Watcher for Teller {
    fn on_line(&mut self, line: &str) {
        if self.tell != Tell::None {
            say(&printable(line, LINE_MAX));
        }
    }

    fn on_status(&mut self, status: &Status) {
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

impl From<BridgeError> for Failure {
    fn from(error: BridgeError) -> Failure {
        use BridgeError as E;
        let code = match error {
            E::NoMessage { .. }
            | E::Reserved { .. }
            | E::NothingToDo { .. }
            | E::Domain(_)
            | E::Interface { .. } => ExitCode::Usage,
            E::Endpoint(_) => ExitCode::Usage,
            E::Interfaces(_) | E::Dds(_) | E::Source(_) => ExitCode::NotPossible,
            E::Refused(_) => ExitCode::Refused,
            E::Failed(_) => ExitCode::Failed,
        };
        Failure::new(code, error)
    }
}
