//! `tokkyu completions`: what a shell needs to complete commands and options.

use clap::{Args, Command};
use clap_complete::{Shell, generate};
use tokkyu_drive::program::ExitCode;

use crate::exit::Done;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  tokkyu completions bash | sudo tee /usr/share/bash-completion/completions/tokkyu > /dev/null
  tokkyu completions zsh > ~/.zfunc/_tokkyu
  tokkyu completions fish > ~/.config/fish/completions/tokkyu.fish";

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// The shell
    #[arg(value_parser = ["bash", "zsh", "fish"])]
    shell: String,
}

impl Completions {
    /// `command`: the whole command line.
    pub fn run(&self, mut command: Command) -> Done {
        let shell = match self.shell.as_str() {
            "bash" => Shell::Bash,
            "zsh" => Shell::Zsh,
            _ => Shell::Fish,
        };
        let mut script = Vec::new();
        generate(shell, &mut command, "tokkyu", &mut script);
        output::print(&String::from_utf8_lossy(&script))?;
        Ok(ExitCode::Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_has_a_script_with_the_commands_in_it() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut command = Command::new("tokkyu").subcommand(Command::new("drive"));
            let mut script = Vec::new();
            generate(shell, &mut command, "tokkyu", &mut script);
            assert!(String::from_utf8_lossy(&script).contains("drive"), "{shell}");
        }
    }
}
