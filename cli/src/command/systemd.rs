//! Units for systemd that set a network device up whenever it comes.

use std::env;
use std::path::{Path, PathBuf};

use tokkyu_drive::program::ExitCode;

use crate::exit::Failure;

/// A unit that goes with a network device. The commands are the words behind `tokkyu`.
pub struct Unit<'a> {
    /// What it does, for people.
    pub description: String,
    /// Network device.
    pub device: &'a str,
    /// When the device is there.
    pub start: Vec<String>,
    /// When it is reloaded, if it can be.
    pub reload: Option<Vec<String>>,
    /// When it is stopped.
    pub stop: Vec<String>,
}

impl Unit<'_> {
    /// The unit's text (systemd.unit(5), systemd.service(5)).
    ///
    /// # Errors
    /// Where this program is cannot be found.
    pub fn text(&self) -> Result<String, Failure> {
        let program = env::current_exe().map_err(|error| Failure::new(ExitCode::Failed, error))?;
        Ok(self.text_for(&program.display().to_string()))
    }

    fn text_for(&self, program: &str) -> String {
        let command = |words: &Vec<String>| {
            let words = std::iter::once(program).chain(words.iter().map(String::as_str));
            words.map(quoted).collect::<Vec<_>>().join(" ")
        };
        let reload = self.reload.as_ref().map(|words| format!("ExecReload={}\n", command(words)));
        // The device's own unit comes with the device, and goes with it.
        let device_unit = format!("sys-subsystem-net-devices-{}.device", escaped(self.device));
        format!(
            "\
[Unit]
Description={}
BindsTo={device_unit}
After={device_unit}

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={}
{}ExecStop={}

[Install]
WantedBy={device_unit}
",
            self.description.replace('%', "%%"),
            command(&self.start),
            reload.unwrap_or_default(),
            command(&self.stop),
        )
    }
}

/// A path that holds whatever folder systemd runs a unit in.
///
/// # Errors
/// There is no such file.
pub fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|error| {
        Failure::usage(format_args!("{}: {error}; give a file that is there", path.display()))
    })
}

/// A word of a command line (systemd.service(5)): `%` and `$` begin something there.
fn quoted(word: &str) -> String {
    let word = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    let is_plain =
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-,=$%".contains(c));
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

    #[test]
    fn a_unit_sets_its_device_up_and_takes_it_back() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut unit = Unit {
            description: "100 % of wwan0-1".to_owned(),
            device: "wwan0-1",
            start: words("lbe tune --dev wwan0-1"),
            reload: None,
            stop: words("lbe revert --dev wwan0-1"),
        };
        let text = unit.text_for("/opt/my tools/tokkyu");
        assert!(text.contains(
            "Description=100 %% of wwan0-1\nBindsTo=sys-subsystem-net-devices-wwan0\\x2d1.device\n"
        ));
        assert!(
            text.contains("ExecStart=\"/opt/my tools/tokkyu\" lbe tune --dev wwan0-1\nExecStop="),
            "{text}"
        );
        unit.reload = Some(words("verify"));
        assert!(unit.text_for("tokkyu").contains("\nExecReload=tokkyu verify\nExecStop=tokkyu lbe revert"));
    }
}
