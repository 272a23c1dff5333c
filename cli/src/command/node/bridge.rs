//! `tokkyu node bridge`: ROS 1 topics over the link.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use tokkyu_drive::program::{DriveError, ExitCode, StopFlag};
use tokkyu_link::runtime::{Link, LinkConfig};
use tokkyu_node_bridge::bridge::{self, BridgeError, BridgeOptions};
use tokkyu_node_bridge::names::Namespace;

use crate::command::bridge_end::{End, Given, Tell, Teller, code_of};
use crate::command::ends::LinkFlags;
use crate::command::words;
use crate::exit::{CODES, Done, Failure};

const EXAMPLES: &str = "\
Examples:
  tokkyu node bridge vehicle  --robot robot.yaml --site site.yaml           (on the robot, beside its roscore)
  tokkyu node bridge operator --robot robot.yaml --site site.yaml           (at the operator, beside that one's)
  tokkyu node bridge operator --namespace rover7                            (topics appear as /rover7/...)
  ROS_MASTER_URI=http://10.0.0.5:11311 ROS_IP=10.0.0.9 tokkyu node bridge vehicle --status json";

/// Carries the ROS 1 topics that robot.yaml names over the link; they appear at the other end as ordinary topics.
///
/// No node changes: each end has a master of its own, and the bridge is a node there (ROS_MASTER_URI, ROS_IP, ROS_HOSTNAME as
/// every node). A flow's name is a topic's without the leading slash, or a pattern: camera/* or status/**. Type, md5sum,
/// definition and latching are those of the topic's first publisher. A topic is sent only while somebody subscribes to it at
/// the other end, unless it is latched. What cannot cross is told with the reason and the remedy.
///
/// Services, actions and parameters are not carried.
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
            E::Flow(_) | E::Place(_) => ExitCode::Usage,
            E::Node(_) | E::Thread(_) => ExitCode::NotPossible,
            E::Session(ref error) => code_of(error),
        };
        Failure::new(code, error)
    }
}
