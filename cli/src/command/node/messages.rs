//! `tokkyu node messages`: code for messages and services, from their definitions.

use std::path::PathBuf;

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_msg::{Wanted, cpp, rust};

use crate::exit::{Done, Failure};
use crate::output;

/// Make C++ headers or Rust of .msg and .srv files.
///
/// Definitions are looked for in --from, then in ROS_PACKAGE_PATH, /opt/ros/noetic/share and /usr/share, as PACKAGE/msg/NAME.msg and
/// PACKAGE/srv/NAME.srv. What a type uses is made too.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tokkyu node messages --cpp include sensor_msgs/Image std_srvs/SetBool\n  tokkyu node messages --rust src/messages.rs --from my_robot/share my_msgs/Wheels"
)]
pub struct Messages {
    /// Types, PACKAGE/NAME: messages, or services where there is no message of that name
    #[arg(required = true, value_name = "PACKAGE/NAME")]
    types: Vec<String>,
    /// Write a header for each into PACKAGE/NAME.h below this folder
    #[arg(long, value_name = "FOLDER", required_unless_present = "rust")]
    cpp: Option<PathBuf>,
    /// Write one Rust file
    #[arg(long, value_name = "FILE")]
    rust: Option<PathBuf>,
    /// Folders to look in first
    #[arg(long, value_name = "FOLDER")]
    from: Vec<PathBuf>,
}

impl Messages {
    pub fn run(&self) -> Done {
        let mut wanted = Wanted::from_environment_after(self.from.iter().cloned());
        for name in &self.types {
            wanted.message_or_service(name).map_err(Failure::usage)?;
        }
        if let Some(folder) = &self.cpp {
            let paths = cpp::generate(&wanted, folder).map_err(|error| Failure::new(code(&error), error))?;
            output::say(&format!("{} headers in {}", paths.len(), folder.display()));
        }
        if let Some(file) = &self.rust {
            let text = rust::generate(&wanted).map_err(Failure::usage)?;
            std::fs::write(file, text).map_err(|error| {
                Failure::new(ExitCode::NotWritten, format!("{}: {error}", file.display()))
            })?;
            output::say(&format!("{} written", file.display()));
        }
        Ok(ExitCode::Ok)
    }
}

fn code(error: &cpp::Error) -> ExitCode {
    match error {
        cpp::Error::Definition(_) => ExitCode::Usage,
        cpp::Error::Write { .. } => ExitCode::NotWritten,
    }
}
