//! `tokkyu fleet router`: the machine that vehicles and operators meet at.

use std::path::PathBuf;

use clap::Args;
use tokkyu_contract::yaml::fleet::RouterAddress;
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_fleet::router::{self, RouterOptions};

use crate::command::ends;
use crate::exit::{CODES, Done};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  tokkyu fleet router                                                 (this machine alone, to try it)
  tokkyu fleet router --listen tls/0.0.0.0:7448 --site router.yaml
  tokkyu fleet router --listen tls/0.0.0.0:7448 --connect tls/hub.example.org:7448 --site router.yaml";

/// A Zenoh router for a fleet.
///
/// Listens on loopback unless told otherwise, and beyond it with certificates alone (fleet: {tls: ...} of the site file):
/// whoever connects must show one of the same authority. With fleet: {access: ...} it goes by the common names in them. Runs
/// until it is told to stop.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Router {
    /// Where to listen; may be given more than once
    #[arg(long, value_name = "tls/HOST:PORT", default_value = "tcp/127.0.0.1:7448")]
    listen: Vec<RouterAddress>,
    /// Another router to go to; may be given more than once
    #[arg(long, value_name = "tls/HOST:PORT")]
    connect: Vec<RouterAddress>,
    /// Certificates, and who may what; the defaults if not given and there is no site.yaml
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
}

impl Router {
    pub fn run(self, stop: &StopFlag) -> Done {
        let site = ends::site(self.site.as_deref())?.fleet;
        let words: Vec<String> = self.listen.iter().map(ToString::to_string).collect();
        let ready = format!("router at {}\n", words.join(", "));
        let options = RouterOptions { listen: self.listen, connect: self.connect, site };
        // A reader of standard output that has gone is no reason to stop.
        router::run(&options, || drop(output::print(&ready)), stop)?;
        Ok(ExitCode::Interrupted)
    }
}
