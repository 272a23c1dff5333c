//! `tokkyu check`: what a declaration means in each layer.

use std::path::PathBuf;

use clap::Args;
use tokkyu_contract::check::check;
use tokkyu_contract::yaml::{Site, site};
use tokkyu_drive::program::ExitCode;

use super::declaration::Declaration;
use crate::exit::Done;
use crate::output::Json;

/// Read robot.yaml (and site.yaml) and print what each flow gets in each layer, and what will disappoint.
///
/// Warnings do not fail the check. Errors do, all of them at once, each with its line and its remedy.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tokkyu check --robot robot.yaml\n  tokkyu check --robot robot.yaml --site site.yaml --json"
)]
pub struct Check {
    #[command(flatten)]
    declaration: Declaration,
    /// The site's limits; the defaults if not given
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

impl Check {
    pub fn run(&self) -> Done {
        let robot = self.declaration.load()?;
        let site = self.site.as_deref().map_or(Ok(Site::default()), site::load)?;
        let report = check(&robot, &site);
        self.json.show(&report.to_string(), &report.to_json())?;
        Ok(ExitCode::Ok)
    }
}
