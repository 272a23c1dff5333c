//! `tokkyu lbe add` and `remove`: what is background beside programs that were started so.

use std::path::PathBuf;

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_lbe::{Flow, Records, add_flow, add_group, remove_flow, remove_group};

use crate::exit::{Done, Failure};
use crate::output;

const ADD: &str = "\
Examples:
  sudo tokkyu lbe add 203.0.113.7:443                         packets to and from there
  sudo tokkyu lbe add '*:873'                                 rsync, with anybody
  sudo tokkyu lbe add '[2001:db8::7]:443,5000'                from our port 5000 alone
  sudo tokkyu lbe add --cgroup system.slice/rclone.service    a service, or a container's group, as it runs";

const REMOVE: &str = "\
Examples:
  sudo tokkyu lbe remove 203.0.113.7:443
  sudo tokkyu lbe remove --cgroup system.slice/rclone.service";

/// Make a flow, or all programs of a control group, background.
///
/// A group's connections count from now on; sockets of programs that set no mark of their own get DSCP LE when they connect.
#[derive(Debug, Args)]
#[command(after_help = ADD)]
pub struct Add {
    #[command(flatten)]
    what: What,
}

/// Make it foreground again.
#[derive(Debug, Args)]
#[command(after_help = REMOVE)]
pub struct Remove {
    #[command(flatten)]
    what: What,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct What {
    // Not a comment that is documentation: there brackets are a link.
    #[arg(
        value_name = "FLOW",
        help = "The other end and our port: ADDRESS, ADDRESS:PORT, [IPV6]:PORT or *:PORT, and ,PORT behind it for ours"
    )]
    flows: Vec<Flow>,
    /// A control group (version 2), its folder or its path below the mount
    #[arg(long, value_name = "PATH")]
    cgroup: Vec<PathBuf>,
}

impl Add {
    pub fn run(self) -> Done {
        let records = Records::here();
        let _turn = records.lock()?;
        self.what.each(
            |flow| Ok(add_flow(flow, &records)?),
            |path| Ok(add_group(path, &records).map(drop)?),
            "is background",
        )
    }
}

impl Remove {
    pub fn run(self) -> Done {
        let records = Records::here();
        let _turn = records.lock()?;
        self.what.each(
            |flow| Ok(remove_flow(flow, &records)?),
            |path| Ok(remove_group(path)?),
            "is foreground again",
        )
    }
}

impl What {
    fn each(
        self,
        flow: impl Fn(Flow) -> Result<(), Failure>,
        group: impl Fn(&std::path::Path) -> Result<(), Failure>,
        now: &str,
    ) -> Done {
        for named in self.flows {
            flow(named)?;
            output::print(&format!("{named} {now}\n"))?;
        }
        for path in self.cgroup {
            group(&path)?;
            output::print(&format!("{} {now}\n", path.display()))?;
        }
        Ok(ExitCode::Ok)
    }
}
