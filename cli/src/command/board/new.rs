//! `tokkyu board new`: a project of one's own.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use tokkyu_drive::program::ExitCode;

use crate::exit::{Done, Failure};
use crate::output;

/// Make a small project: a node that talks, in Rust, as a program of Linux and with one that listens, in C++, as an image for a board.
///
/// It stands on this tree of tokkyu by its path.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tokkyu board new rover\n  tokkyu board run rover")]
pub struct New {
    /// The project's name: the folder is made here
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,
    /// The folder to make it in
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    at: PathBuf,
}

/// Each file, and what it begins as.
const FILES: [(&str, &str); 8] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.in")),
    ("build.rs", include_str!("template/build.rs.in")),
    ("robot.yaml", include_str!("template/robot.yaml.in")),
    (".gitignore", "/target\n"),
    ("src/listener.cpp", include_str!("template/src/listener.cpp.in")),
    ("src/lib.rs", include_str!("template/src/lib.rs.in")),
    ("src/bin/board.rs", include_str!("template/src/bin/board.rs.in")),
    ("src/bin/talker.rs", include_str!("template/src/bin/talker.rs.in")),
];

/// This tree, when it was built.
const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn name(word: &str) -> Result<String, String> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    match word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(is_letter) {
        true => Ok(word.to_owned()),
        false => Err("is no name of a package: small letters, digits and _, a letter first".to_owned()),
    }
}

impl New {
    pub fn run(&self) -> Done {
        let folder = self.at.join(&self.name);
        let tree = fs::canonicalize(TREE).ok().filter(|tree| tree.join("node/board").is_dir());
        let Some(tree) = tree else {
            return Err(Failure::new(
                ExitCode::NotPossible,
                format_args!("{TREE}: tokkyu's sources are not there any more"),
            ));
        };
        if folder.exists() {
            return Err(Failure::usage(format_args!("{}: is there already", folder.display())));
        }
        for (path, text) in FILES {
            let text = text.replace("@NAME@", &self.name).replace("@TREE@", &tree.display().to_string());
            write(&folder.join(path), &text)?;
        }
        output::say(&format!("{}: run it with tokkyu board run {}", folder.display(), folder.display()));
        Ok(ExitCode::Ok)
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    made.map_err(|error| Failure::new(ExitCode::NotWritten, format_args!("{}: {error}", path.display())))
}
