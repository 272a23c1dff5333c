//! `tokkyu fleet`: the fleet's four programs, one file each.

mod list;
mod open;
mod router;
mod serve;

use clap::Subcommand;
use tokkyu_drive::program::StopFlag;
use tokkyu_fleet::FleetError;

use crate::exit::{Done, Failure};

const EXAMPLES: &str = "\
Examples:
  tokkyu fleet router --listen tls/0.0.0.0:7448 --site router.yaml    (on a machine all others reach)
  tokkyu fleet serve --robot robot.yaml --site site.yaml              (on each vehicle)
  tokkyu fleet list --site site.yaml                                  (at an operator)
  tokkyu fleet open rover-7 --robot robot.yaml --site site.yaml --listen 10.1.2.3:7447";

#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum Fleet {
    Router(router::Router),
    Serve(serve::Serve),
    List(list::List),
    Open(open::Open),
}

impl Fleet {
    pub fn run(self, stop: &StopFlag) -> Done {
        match self {
            Fleet::Router(router) => router.run(stop),
            Fleet::Serve(serve) => serve.run(stop),
            Fleet::List(list) => list.run(stop),
            Fleet::Open(open) => open.run(stop),
        }
    }
}

impl From<FleetError> for Failure {
    fn from(error: FleetError) -> Failure {
        Failure::new(error.exit_code(), error)
    }
}
