//! Words of the command line that both programs understand, as types.
//!
//! Pure; parsed once at the start.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

/// How a program tells what goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatusMode {
    /// Nothing is told.
    #[default]
    None,
    /// One JSON object for each line of standard output; see [`Line`](super::Line).
    Json,
    /// One line of text a second, and one for each event.
    Plain,
    /// Full screen in a terminal, else as `Plain`.
    View,
}

/// The word is not a [`StatusMode`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no way to tell the status: use json, plain, view or none")]
pub struct UnknownStatusMode(String);

impl FromStr for StatusMode {
    type Err = UnknownStatusMode;

    fn from_str(word: &str) -> Result<StatusMode, UnknownStatusMode> {
        match word {
            "none" => Ok(StatusMode::None),
            "json" => Ok(StatusMode::Json),
            "plain" => Ok(StatusMode::Plain),
            "view" => Ok(StatusMode::View),
            other => Err(UnknownStatusMode(other.to_owned())),
        }
    }
}

/// A recording shown by every camera in place of its own source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Video {
    /// The street scene of [`camera::street`](crate::camera::street), fetched when it is not there yet.
    Street,
    /// A video file or a folder of pictures.
    File(PathBuf),
}

impl FromStr for Video {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Video, Infallible> {
        Ok(if word == "street" { Video::Street } else { Video::File(word.into()) })
    }
}

/// Who drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driver {
    /// The built-in drive.
    Pattern,
    /// The keyboard of the terminal; needs [`StatusMode::View`].
    Keyboard,
    /// The first gamepad of the system.
    Gamepad,
    /// A drive file, played once.
    File(PathBuf),
}

impl FromStr for Driver {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Driver, Infallible> {
        Ok(match word {
            "pattern" => Driver::Pattern,
            "keyboard" => Driver::Keyboard,
            "gamepad" => Driver::Gamepad,
            path => Driver::File(path.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_command_line_mean_what_the_readme_says() {
        assert_eq!("json".parse(), Ok(StatusMode::Json));
        let error = "xml".parse::<StatusMode>().unwrap_err();
        assert_eq!(error.to_string(), "\"xml\" is no way to tell the status: use json, plain, view or none");
        assert_eq!("street".parse(), Ok(Video::Street));
        assert_eq!("./street".parse(), Ok(Video::File("./street".into())));
        assert_eq!("pattern".parse(), Ok(Driver::Pattern));
        assert_eq!("drive.csv".parse(), Ok(Driver::File("drive.csv".into())));
    }
}
