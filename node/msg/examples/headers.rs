//! Writes C++ headers for the messages that most nodes use, as far as their definitions are there: `headers OUT DEFINITIONS [PACKAGE/NAME...]`.

use std::path::{Path, PathBuf};

use tokkyu_msg::{Wanted, cpp};

const PACKAGES: [&str; 6] =
    ["std_msgs", "geometry_msgs", "sensor_msgs", "std_srvs", "rosgraph_msgs", "roscpp"];

/// The names of a package's definitions below `folder`.
fn names(folder: &Path, package: &str) -> Vec<String> {
    let mut names = Vec::new();
    for kind in ["msg", "srv"] {
        let files = std::fs::read_dir(folder.join(package).join(kind)).into_iter().flatten().flatten();
        let stem = |path: PathBuf| {
            path.extension()
                .is_some_and(|extension| extension == kind)
                .then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))?
        };
        names.extend(files.filter_map(|file| stem(file.path())).map(|stem| format!("{package}/{stem}")));
    }
    names
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, definitions, given @ ..] = &arguments[..] else {
        return Err("usage: headers OUT DEFINITIONS [PACKAGE/NAME...]".into());
    };
    let definitions = PathBuf::from(definitions);
    // What is installed counts more than the few that come with tokkyu: the md5sums are the same.
    let folders = [PathBuf::from("/opt/ros/noetic/share"), PathBuf::from("/usr/share"), definitions.clone()];
    let mut wanted = Wanted::from_environment().and_last_from(definitions);
    let mut all: Vec<String> = folders
        .iter()
        .flat_map(|folder| PACKAGES.iter().flat_map(|package| names(folder, package)))
        .collect();
    all.sort();
    all.dedup();
    for name in all.iter().chain(given) {
        if let Err(error) = wanted.message_or_service(name) {
            // A definition of ROS 2, which has the same packages.
            if given.contains(name) {
                return Err(error.into());
            }
        }
    }
    println!("{} headers", cpp::generate(&wanted, Path::new(out))?.len());
    Ok(())
}
