//! `tokkyu bridge`: ROS 2 topics over the link.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use tokkyu_drive::program::{DriveError, ExitCode, StopFlag};
use tokkyu_link::runtime::{Link, LinkConfig};
use tokkyu_ros2::bridge::{self, BridgeError, BridgeOptions};
use tokkyu_ros2::names::Namespace;

use super::bridge_end::{End, Given, Tell, Teller, code_of};
use super::ends::LinkFlags;
use super::words;
use crate::exit::{CODES, Done, Failure};

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

fn namespace(word: &str) -> Result<Namespace, String> {
    Namespace::new(word).ok_or_else(|| "write it like rover7 or fleet/rover7".to_owned())
}

impl Bridge {
    pub fn run(self, stop: &StopFlag) -> Done {
        let (robot, site) = (self.link.robot()?, self.link.site()?);
        let given = Given { operator: self.operator, bind: self.bind, listen: self.listen };
        let (role, bind) = self.end.place(&given, &site)?;
        let overrides = self.link.overrides();
        let config = LinkConfig::at_site(role, bind, &site, &overrides).map_err(DriveError::from)?;
        let link = Link::start(config).map_err(DriveError::from)?;
        let options = BridgeOptions {
            end: self.end.toward(),
            robot,
            site,
            priority: overrides.priority,
            domain: self.domain,
            interfaces: self.interface,
            namespace: self.namespace,
            linger: self.linger,
        };
        let mut teller = Teller::new(self.status, stop, self.duration);
        teller.line(&format!("{} on {}", self.end.in_words(), link.local_address()));
        bridge::run(options, link, &mut teller)?;
        Ok(if stop.is_set() { ExitCode::Interrupted } else { ExitCode::Ok })
    }
}

impl From<BridgeError> for Failure {
    fn from(error: BridgeError) -> Failure {
        use BridgeError as E;
        let code = match error {
            E::Flow(_) | E::Domain(_) | E::Interface { .. } => ExitCode::Usage,
            E::Interfaces(_) | E::Dds(_) | E::Source(_) => ExitCode::NotPossible,
            E::Session(ref error) => code_of(error),
        };
        Failure::new(code, error)
    }
}
