//! Which devices the commands of `tokkyu lbe` are about.

use clap::Args;
use tokkyu_lbe::uplinks;

use crate::exit::Failure;

#[derive(Debug, Args)]
pub(super) struct Devices {
    /// Network devices; those of the default routes if not given
    #[arg(long = "dev", value_name = "DEV")]
    named: Vec<String>,
    /// The same, as the first words
    #[arg(value_name = "DEV", hide = true, conflicts_with = "named")]
    first: Vec<String>,
}

impl Devices {
    pub(super) fn find(&self) -> Result<Vec<String>, Failure> {
        let given = [self.named.clone(), self.first.clone()].concat();
        if !given.is_empty() {
            return Ok(given);
        }
        let found = uplinks();
        if found.is_empty() {
            return Err(Failure::usage("there is no default route; name a device with --dev"));
        }
        Ok(found)
    }
}
