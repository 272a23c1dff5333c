//! Where scripts of the project have put what they build.

use std::path::{Path, PathBuf};

/// The folder that an environment variable names, else one of this name in the nearest folder above the program's own that has one, as cargo
/// places it; `target/NAME` if none has.
pub fn built_folder(variable: &str, name: &str) -> PathBuf {
    let above = || {
        let program = std::env::current_exe().unwrap_or_default();
        let built = program.ancestors().find(|folder| folder.join(name).is_dir());
        built.unwrap_or(Path::new("target")).join(name)
    };
    std::env::var_os(variable).map_or_else(above, PathBuf::from)
}
