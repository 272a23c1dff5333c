//! The messages that most nodes use, as far as their definitions are there.

use std::path::{Path, PathBuf};

use crate::Wanted;

const PACKAGES: [&str; 6] =
    ["std_msgs", "geometry_msgs", "sensor_msgs", "std_srvs", "rosgraph_msgs", "roscpp"];

/// Where ROS and Debian install definitions.
const INSTALLED: [&str; 2] = ["/opt/ros/noetic/share", "/usr/share"];

/// The messages that most nodes use. What is installed counts more than the few of `definitions`, which come with tokkyu: the md5sums are the
/// same. A definition of ROS 2, which has the same packages, is passed over.
pub fn usual(definitions: &Path) -> Wanted {
    let folders = INSTALLED.map(PathBuf::from).into_iter().chain([definitions.to_owned()]);
    let mut all: Vec<String> =
        folders.flat_map(|folder| PACKAGES.iter().flat_map(move |package| names(&folder, package))).collect();
    all.sort();
    all.dedup();
    let mut wanted = Wanted::from_environment().and_last_from(definitions);
    for name in all {
        let _ = wanted.message_or_service(&name);
    }
    wanted
}

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
