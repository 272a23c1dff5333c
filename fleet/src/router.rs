//! `tokkyu fleet router`: a Zenoh router with the fleet's settings (FLT-42). `zenohd` with the same configuration does as
//! well.

use std::thread;
use std::time::Duration;

use tokkyu_contract::yaml::fleet::{FleetSite, RouterAddress};
use tokkyu_drive::program::StopFlag;
use zenoh::Wait;

use crate::error::FleetError;
use crate::network;

const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What a router is told.
#[derive(Clone, Debug)]
pub struct RouterOptions {
    /// Where it listens.
    pub listen: Vec<RouterAddress>,
    /// Other routers it goes to.
    pub connect: Vec<RouterAddress>,
    /// Certificates and the list of who may what.
    pub site: FleetSite,
}

/// Runs until `stop` is set; `ready` is called once it listens.
///
/// # Errors
/// It cannot listen, or would be open to anybody.
pub fn run(options: &RouterOptions, ready: impl FnOnce(), stop: &StopFlag) -> Result<(), FleetError> {
    let session = network::route(&options.listen, &options.connect, &options.site)?;
    ready();
    while !stop.is_set() {
        thread::sleep(LOOK_EVERY);
    }
    session.close().wait().map_err(FleetError::zenoh("closing the router"))
}
