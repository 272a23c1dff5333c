//! `--robot FILE`, of the commands that only read a declaration.

use std::path::{Path, PathBuf};

use clap::Args;
use tokkyu_contract::yaml::{Robot, robot};

use crate::exit::Failure;

/// Which file declares the robot's flows.
#[derive(Clone, Debug, Args)]
pub struct Declaration {
    /// The robot's flows [default: robot.yaml]
    #[arg(long, value_name = "FILE")]
    robot: Option<PathBuf>,
    /// The same, as the first word
    #[arg(value_name = "FILE", hide = true, conflicts_with = "robot")]
    first: Option<PathBuf>,
}

impl Declaration {
    /// What it declares.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn load(&self) -> Result<Robot, Failure> {
        let path = self.robot.as_deref().or(self.first.as_deref()).unwrap_or(Path::new("robot.yaml"));
        Ok(robot::load(path)?)
    }
}
