//! Where the peers' programs are, and which of those asked for are not there.
//!
//! Peers are optional: one that is absent is skipped and listed with what brings it (PEER-31, LAB-9).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tokkyu_measure::Skipped;

use super::known::{Peer, PeerRun, Variant};

/// Names the folder of the peers' programs; `bench/peers/build` puts them there too.
pub const ENVIRONMENT: &str = "TOKKYU_PEERS";

/// The folder of the peers' programs: the one that is given, or `peers` beside the folder that `own_program` is in.
pub fn peers_folder(given: Option<PathBuf>, own_program: &Path) -> PathBuf {
    let beside = || own_program.parent().and_then(Path::parent).unwrap_or(Path::new("")).join("peers");
    given.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(beside)
}

/// Each of the `peers` that is in `folder` with each variant, and those that are not.
pub fn find_peers(folder: &Path, peers: &[Peer], variants: &[Variant]) -> (Vec<PeerRun>, Vec<Skipped>) {
    let (mut found, mut skipped) = (Vec::new(), Vec::new());
    for peer in peers.iter().copied() {
        // Absolute: a program is started with another folder's namespace thread, and its path stands in messages.
        let program = std::path::absolute(folder.join(peer.program())).unwrap_or(folder.join(peer.program()));
        match why_not(&program) {
            None => found.extend(variants.iter().map(|variant| PeerRun {
                peer,
                variant: *variant,
                program: program.clone(),
            })),
            Some(because) => skipped.push(Skipped {
                peer: peer.as_str().to_owned(),
                because,
                package: peer.package().to_owned(),
            }),
        }
    }
    (found, skipped)
}

fn why_not(program: &Path) -> Option<String> {
    let shown = program.display();
    match fs::metadata(program) {
        Err(_) => Some(format!("no program {shown}")),
        Ok(file) if !file.is_file() => Some(format!("{shown} is no file")),
        Ok(file) if file.permissions().mode() & 0o111 == 0 => Some(format!("{shown} may not be executed")),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, name: &str, mode: u32) {
        fs::write(folder.join(name), "").unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn who_is_there_runs_with_every_variant_and_who_is_not_is_skipped_with_its_package() {
        // LAB-9
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "tokkyu-peer-tcp", 0o755);
        put(dir.path(), "tokkyu-peer-zenoh", 0o644);
        let asked = [Peer::Zenoh, Peer::SrtLive, Peer::TcpBbr];
        let (found, skipped) = find_peers(dir.path(), &asked, &[Variant::Default, Variant::Tuned]);
        let words: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(words, ["tcp-bbr default", "tcp-bbr tuned"]);
        assert!(found[0].program.is_absolute() && found[0].program.ends_with("tokkyu-peer-tcp"));
        let told: Vec<String> = skipped.iter().map(ToString::to_string).collect();
        assert!(told[0].starts_with("zenoh: ") && told[0].contains("may not be executed"), "{told:?}");
        assert!(
            told[1].starts_with("srt-live: no program ") && told[1].contains("libsrt-openssl-dev"),
            "{told:?}"
        );
        assert_eq!(told.len(), 2);
    }

    #[test]
    fn without_a_word_the_programs_are_beside_the_folder_of_our_own() {
        let own = Path::new("/src/target/release/tokkyu");
        assert_eq!(peers_folder(None, own), Path::new("/src/target/peers"));
        assert_eq!(peers_folder(Some("".into()), own), Path::new("/src/target/peers"), "an empty variable");
        assert_eq!(peers_folder(Some("/opt/p".into()), own), Path::new("/opt/p"));
    }
}
