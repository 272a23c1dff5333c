//! `tokkyu man`: the manual pages, made from what `--help` says.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};
use tokkyu_drive::program::ExitCode;

use crate::exit::{Done, Failure};
use crate::output;

/// Write a manual page for each command into a folder.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tokkyu man man1 && man -l man1/tokkyu-lbe-run.1\n  sudo tokkyu man /usr/local/share/man/man1"
)]
pub struct Man {
    /// The folder; made if need be
    dir: PathBuf,
}

impl Man {
    /// Writes the pages of `command`, all of it.
    pub fn run(self, command: Command) -> Done {
        let failed =
            |error| Failure::new(ExitCode::NotWritten, format_args!("{}: {error}", self.dir.display()));
        fs::create_dir_all(&self.dir).map_err(failed)?;
        clap_mangen::generate_to(command, &self.dir).map_err(failed)?;
        output::print(&format!(
            "manual pages in {}: man -l {}/tokkyu.1\n",
            self.dir.display(),
            self.dir.display()
        ))?;
        Ok(ExitCode::Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Arguments;
    use clap::CommandFactory;

    #[test]
    fn each_command_has_a_page_with_its_examples() {
        let folder = tempfile::tempdir().unwrap();
        Man { dir: folder.path().join("man1") }.run(Arguments::command()).unwrap();
        let page = |name: &str| fs::read_to_string(folder.path().join("man1").join(name)).unwrap();
        assert!(page("tokkyu-lbe-run.1").contains("rclone sync"));
        assert!(page("tokkyu-lbe.1").contains("verify"));
        assert!(page("tokkyu.1").contains("tokkyu"));
    }
}
