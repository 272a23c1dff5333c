//! The machine, this build of the program, and the command line, as a result file keeps them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tokkyu_contract::WallTime;
use tokkyu_drive::program::ExitCode;
use tokkyu_lab::drive::{DriveError, file_word};
use tokkyu_measure::environment::rfc3339;
use tokkyu_measure::{Environment, GitState, Given, Sources};

use crate::exit::Failure;

/// Captures the environment at the start of an experiment.
pub fn environment(now: WallTime) -> Environment {
    Sources::default().capture(Given {
        date: Some(now),
        tool_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        git: GitState::from_words(Some(env!("TOKKYU_GIT_REVISION")), Some(env!("TOKKYU_GIT_DIRTY"))),
        ..Given::default()
    })
}

/// The calendar, for names and dates alone.
pub fn wall_now() -> WallTime {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    WallTime::from_nanos(u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX))
}

/// The command line as it was typed, with quotes where a shell would need them. Of the program its name alone: results are
/// shown to others, whose machines have other folders.
pub fn command_line() -> String {
    let mut words = std::env::args_os();
    let program = words.next().map(|path| Path::new(&path).file_name().map(OsString::from).unwrap_or(path));
    program.into_iter().chain(words).map(quoted).collect::<Vec<_>>().join(" ")
}

/// A word as a shell takes it.
pub fn quoted(word: OsString) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_=+:,./@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The program itself, to start its other commands.
///
/// # Errors
/// `/proc` is not mounted, or the file was replaced while it runs.
pub fn own_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        Failure::new(
            ExitCode::NotPossible,
            format_args!("cannot find my own program file: {error}; is /proc mounted?"),
        )
    })
}

/// A folder below `results/` that is named after what is run and when, and that nobody has yet.
pub fn fresh_folder(what: &str, now: WallTime) -> PathBuf {
    // 2026-03-21T09:05:07Z without the colons, which some file systems refuse.
    let date = rfc3339(now).replace(['-', ':'], "");
    let name = format!("{}-{date}", file_word(what));
    let numbered = |number: u32| match number {
        1 => PathBuf::from("results").join(&name),
        _ => PathBuf::from("results").join(format!("{name}-{number}")),
    };
    (1..u32::MAX)
        .map(numbered)
        .find(|path| !path.exists())
        .expect("not four thousand million runs in a second")
}

/// Name of a result in its folder.
pub const RESULT: &str = "result.json";

/// The result file of a folder that holds no result yet.
pub fn free_result(root: &Path) -> Result<PathBuf, Failure> {
    let result = root.join(RESULT);
    match result.exists() {
        true => Err(DriveError::Taken { path: root.to_path_buf() }.into()),
        false => Ok(result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell_again() {
        assert_eq!(quoted("--network=wan-loss5".into()), "--network=wan-loss5");
        assert_eq!(quoted("my film.mp4".into()), "'my film.mp4'");
        assert_eq!(quoted("it's".into()), r"'it'\''s'");
        assert_eq!(quoted("".into()), "''");
    }

    #[test]
    fn a_runs_folder_tells_when_and_over_which_network() {
        let folder = fresh_folder("drive-trace:a/b.up", WallTime::from_nanos(1_774_083_907_000_000_000));
        assert_eq!(folder, PathBuf::from("results/drive-trace-a-b.up-20260321T090507Z"));
    }
}
