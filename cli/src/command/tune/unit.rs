//! `tokkyu tune unit`: a unit for systemd that tunes at each start of the machine.

use std::env;
use std::path::Path;

use clap::Args;
use tokkyu_drive::program::ExitCode;

use super::wanted::Wanted;
use crate::exit::{Done, Failure};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  tokkyu tune unit --robot /etc/robot/robot.yaml --dev eth0 | sudo tee /etc/systemd/system/tokkyu-tune-eth0.service
  sudo systemctl enable --now tokkyu-tune-eth0
  sudo systemctl reload tokkyu-tune-eth0                       after the link was down";

/// Print a unit for systemd that does what tokkyu tune apply does with the same options, whenever the device comes, and takes it back when
/// the unit is stopped. The plan is made anew each time, from what the host is then.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Unit {
    #[command(flatten)]
    wanted: Wanted,
    /// Network device
    #[arg(long = "dev", value_name = "DEV")]
    device: String,
}

impl Unit {
    pub fn run(self) -> Done {
        // What is asked for is checked now, and not when the machine starts.
        self.wanted.wish()?;
        let absolute = |path: &Path| {
            path.canonicalize().map_err(|error| {
                Failure::usage(format_args!("{}: {error}; give a file that is there", path.display()))
            })
        };
        let program = env::current_exe().map_err(|error| Failure::new(ExitCode::Failed, error))?;
        let program = quoted(&program.display().to_string());
        let arguments = self
            .wanted
            .arguments(absolute)?
            .iter()
            .map(|word| format!(" {}", quoted(word)))
            .collect::<String>();
        output::print(&unit(&program, &arguments, &self.device))?;
        Ok(ExitCode::Ok)
    }
}

fn unit(program: &str, arguments: &str, device: &str) -> String {
    let of_device = quoted(device);
    // systemd.unit(5): the device's own unit comes with the device, and goes with it.
    let device_unit = format!("sys-subsystem-net-devices-{}.device", escaped(device));
    format!(
        "\
[Unit]
Description=Ethernet path of {device}, by tokkyu tune
BindsTo={device_unit}
After={device_unit}

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={program} tune apply --dev {of_device}{arguments}
ExecReload={program} tune verify --dev {of_device} --repair
ExecStop={program} tune revert --dev {of_device}

[Install]
WantedBy={device_unit}
"
    )
}

/// A word of a command line (systemd.service(5)): `%` and `$` begin something there.
fn quoted(word: &str) -> String {
    let word = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-,=$%".contains(c));
    if is_plain { word } else { format!("\"{word}\"") }
}

/// As `systemd-escape` does it.
fn escaped(name: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b':' | b'_' | b'.' => char::from(byte).to_string(),
        other => format!("\\x{other:02x}"),
    };
    name.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_through_as_they_are() {
        assert_eq!(quoted("/etc/robot.yaml"), "/etc/robot.yaml");
        assert_eq!(quoted("/my robot/100 %.yaml"), "\"/my robot/100 %%.yaml\"");
        assert_eq!(quoted("a\"b"), "\"a\\\"b\"");
        assert_eq!(escaped("enp3s0-1"), "enp3s0\\x2d1");
    }
}
