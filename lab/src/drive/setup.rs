//! The files a real run is started from: keys made for it alone, one declaration, and a site file for each end.
//!
//! The two programs get nothing they would not get on a robot: what stands in these files, and flags that anybody can
//! type. So a run can be repeated by hand from its folder.

use std::fs;
use std::path::Path;

use tokkyu_link::carrier::SecretKey;
use tokkyu_link::carrier::keys::public_path;

use crate::wire::End;

use super::case::{COMMAND, CaseSpec, PICTURE_BYTES, Pictures, camera_flow};
use super::error::DriveError;
use super::network::Addresses;
use super::paths::{CaseFolder, name_of};

/// Highest `SCHED_FIFO` priority the programs may take: the default of a site.
const MAX_FIFO: u8 = 50;
/// The paper's picture.
const DUMMY_FLOW: &str = "size: 374 kB, source: {dummy: 374 kB}";

/// Private keys of a run, removed on drop: what is kept of a run may be given away.
pub(super) struct PrivateKeys<'a>(&'a CaseFolder);

impl Drop for PrivateKeys<'_> {
    fn drop(&mut self) {
        for end in [End::Vehicle, End::Operator] {
            // Not there if the run failed before it was made.
            let _ = fs::remove_file(self.0.key(end));
        }
    }
}

/// Writes all files of a run with the declaration `robot`. Its private keys are there as long as what is given back.
pub(super) fn write<'a>(
    folder: &'a CaseFolder,
    addresses: Addresses,
    robot: &str,
) -> Result<PrivateKeys<'a>, DriveError> {
    let keys = PrivateKeys(folder);
    let of_keys = folder.keys();
    fs::create_dir_all(&of_keys).map_err(|source| DriveError::Folder { path: of_keys, source })?;
    for end in [End::Vehicle, End::Operator] {
        SecretKey::create(&folder.key(end), &format!("{} of a lab run", name_of(end)))?;
        put(&folder.site(end), &site(folder, end, addresses))?;
    }
    put(&folder.robot(), robot)?;
    Ok(keys)
}

fn put(path: &Path, text: &str) -> Result<(), DriveError> {
    fs::write(path, text).map_err(|source| DriveError::Folder { path: path.to_path_buf(), source })
}

/// The declaration of a case.
pub(super) fn robot(spec: &CaseSpec) -> String {
    let mut text = "robot: lab-vehicle\nflows:\n".to_owned();
    for number in 1..=spec.images {
        text += &format!(
            "  {}: {{type: sensor_msgs/msg/Image, rate: 10 Hz, class: realtime, {}, {}}}\n",
            camera_flow(number),
            spec.quality.yaml(),
            pictures(&spec.pictures)
        );
    }
    if spec.commands {
        text += &format!(
            "  {COMMAND}: {{type: ackermann_msgs/msg/AckermannDrive, rate: 50 Hz, size: 64 B, class: control, \
             lifespan: 150 ms, deadline: 100 ms, toward: vehicle}}\n"
        );
    }
    text
}

fn pictures(pictures: &Pictures) -> String {
    match pictures {
        Pictures::Dummy => DUMMY_FLOW.to_owned(),
        // A video takes the place of the declared source (`tokkyu vehicle --video`).
        Pictures::Test { mjpeg } | Pictures::Video { mjpeg, .. } => {
            let encoding = if *mjpeg { "mjpeg" } else { "raw" };
            format!("size: {PICTURE_BYTES} B, source: {{test: picture}}, encoding: {encoding}")
        }
    }
}

fn site(folder: &CaseFolder, end: End, addresses: Addresses) -> String {
    let peer_key = public_path(&folder.key(end.peer()));
    let place = match end {
        End::Vehicle => format!("operator: {}", addresses.operator),
        End::Operator => format!("listen: {}", addresses.listen),
    };
    format!(
        "site: lab-{}\nlink:\n  {place}\n  identity: {}\n  trust: [{}]\npriorities: {{max_fifo: {MAX_FIFO}}}\n",
        name_of(end),
        within(folder, &folder.key(end)),
        within(folder, &peer_key)
    )
}

/// Paths in a site file count from its folder, so the folder can be moved.
fn within(folder: &CaseFolder, path: &Path) -> String {
    path.strip_prefix(folder.path()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::quality::Quality;
    use tokkyu_contract::yaml;
    use tokkyu_link::carrier::TrustStore;
    use tokkyu_link::sim::path::Profile;

    fn spec(quality: Quality, pictures: Pictures) -> CaseSpec {
        CaseSpec {
            profile: Profile::named("lan").unwrap(),
            quality,
            images: 4,
            pictures,
            beside: Vec::new(),
            commands: true,
            peer: None,
            samples: 5,
            warm_up: 0,
            seed: 1,
            run: 0,
        }
    }

    #[test]
    fn every_case_is_a_declaration_that_reads_back_with_its_qos() {
        let film = Pictures::Video { source: "street".into(), mjpeg: true };
        for pictures in [Pictures::Dummy, Pictures::Test { mjpeg: false }, film] {
            for quality in Quality::ALL {
                let text = robot(&spec(quality, pictures.clone()));
                let robot = yaml::robot::parse("robot.yaml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
                assert_eq!(robot.flows.len(), 5);
                for flow in &robot.flows[..4] {
                    assert_eq!(flow.qos, quality.qos(), "{text}");
                }
                assert_eq!(
                    robot.flows[4].qos,
                    tokkyu_contract::Qos {
                        deadline: robot.flows[4].qos.deadline,
                        ..spec(quality, pictures.clone()).workload().command_qos
                    }
                );
            }
        }
    }

    #[test]
    fn without_commands_there_are_cameras_alone() {
        let text = robot(&CaseSpec { commands: false, ..spec(Quality::Link, Pictures::Dummy) });
        let robot = yaml::robot::parse("robot.yaml", &text).unwrap();
        assert_eq!(robot.flows.len(), 4);
        assert!(!text.contains(COMMAND));
    }

    #[test]
    fn each_end_trusts_the_other_and_nobody_else() {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(&dir.path().join("run")).unwrap();
        let addresses = Addresses {
            listen: "10.77.0.2:7447".parse().unwrap(),
            operator: "10.77.0.2:7447".parse().unwrap(),
        };
        let keys = write(&folder, addresses, &robot(&spec(Quality::Link, Pictures::Dummy))).unwrap();
        for end in [End::Vehicle, End::Operator] {
            let site = yaml::site::load(&folder.site(end)).unwrap();
            let own = SecretKey::load(&site.link.identity.unwrap()).unwrap().public();
            let trusted = TrustStore::load(&site.link.trust[0]).unwrap();
            let peer = SecretKey::load(&folder.key(end.peer())).unwrap().public();
            assert!(trusted.contains(&peer) && !trusted.contains(&own));
        }
        let vehicle = yaml::site::load(&folder.site(End::Vehicle)).unwrap();
        assert_eq!(vehicle.link.operator, Some(addresses.operator));
        drop(keys);
        for end in [End::Vehicle, End::Operator] {
            assert!(!folder.key(end).exists(), "a private key outlives its run");
            assert!(public_path(&folder.key(end)).exists());
        }
    }
}
