//! Builds the programs of peers that are not there, where there is a source tree to build them from.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::peers::Peer;
use super::program::Program;

/// A source tree with the peers' programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    root: PathBuf,
}

const OF_RIVALS: &str = "bench/local/build";
const OF_OURS: &str = "bench/local/tokkyu/build";
/// The first build takes some minutes on two cores.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// The tree that one of these files or folders is in.
pub fn find_sources<'a>(places: impl IntoIterator<Item = &'a Path>) -> Option<Sources> {
    let mut roots = places.into_iter().flat_map(Path::ancestors);
    roots.find(|root| root.join(OF_RIVALS).is_file()).map(|root| Sources { root: root.to_path_buf() })
}

/// Builds the programs of `missing` into `folder`, as far as they can be; why one is not is said on standard error. Installs nothing.
///
/// # Errors
/// A build cannot be started.
pub fn build(sources: &Sources, folder: &Path, missing: &[Peer], stop: &dyn Fn() -> bool) -> io::Result<()> {
    let (ours, rivals): (Vec<&Peer>, Vec<&Peer>) = missing.iter().partition(|peer| peer.is_ours());
    for (script, peers) in [(OF_RIVALS, rivals), (OF_OURS, ours)] {
        let script = sources.root.join(script);
        if peers.is_empty() || !script.is_file() || stop() {
            continue;
        }
        let mut command = Command::new(&script);
        command.arg(folder).args(peers.iter().map(|peer| peer.build_name()));
        // The builds speak on standard error; standard output is the lab's.
        command.stdout(io::stderr());
        // What could not be built is missing still, and is told so with its package.
        Program::start(command)?.wait(PATIENCE, stop)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// A tree whose builds write down what they were told.
    fn tree() -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir_all(tree.path().join("bench/local/tokkyu")).unwrap();
        for script in [OF_RIVALS, OF_OURS] {
            let path = tree.path().join(script);
            fs::write(&path, "#!/bin/sh\necho \"$@\" >\"$0.told\"\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        tree
    }

    #[test]
    fn the_tree_is_found_above_the_program() {
        let tree = tree();
        let found = find_sources([Path::new("/no/such/place"), &tree.path().join("target/release/tokkyu")]);
        assert_eq!(found, Some(Sources { root: tree.path().to_path_buf() }));
        assert_eq!(find_sources([Path::new("/no/such/place")]), None);
    }

    #[test]
    fn each_part_of_the_tree_builds_its_own_peers_alone() {
        let tree = tree();
        let sources = find_sources([tree.path()]).unwrap();
        let told = |script: &str| fs::read_to_string(tree.path().join(format!("{script}.told")));
        let peers = ["iceoryx2", "tokkyu-thread", "fastdds"].map(|name| Peer::named(name).unwrap());
        build(&sources, Path::new("/f"), &[peers[0], peers[2]], &|| false).unwrap();
        assert_eq!(told(OF_RIVALS).unwrap(), "/f iceoryx2 fastdds\n");
        assert!(told(OF_OURS).is_err(), "nothing of ours was missing");
        build(&sources, Path::new("/f"), &peers[1..2], &|| false).unwrap();
        assert_eq!(told(OF_OURS).unwrap(), "/f thread\n");
    }
}
