//! Whether this machine has a TCP congestion control.

use std::fs;
use std::io;

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use tokkyu_link::sim::path::Profile;

use crate::wire::{End, Wire};

use super::algorithm::Algorithm;
use super::error::DriveError;

/// Where the kernel lists what it has at the moment.
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Asks the kernel for every algorithm, on a wire made for this alone: nothing is begun that could not be ended well.
///
/// # Errors
/// [`DriveError::Algorithm`] for the first one that this machine does not have, [`DriveError::Wire`] where there is no
/// wire: the relay of UDP packets carries no TCP.
pub fn check_algorithms(algorithms: &[Algorithm], profile: &Profile) -> Result<(), DriveError> {
    if algorithms.is_empty() {
        return Ok(());
    }
    let wire = Wire::new(profile, 0)?;
    for algorithm in algorithms {
        let asked = algorithm.clone();
        let answer = wire.run_in(End::Vehicle, move || {
            let socket = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
            asked.apply(&socket)
        })?;
        answer.map_err(|errno| refused(algorithm, errno))?;
    }
    Ok(())
}

fn refused(algorithm: &Algorithm, errno: Errno) -> DriveError {
    let available = fs::read_to_string(AVAILABLE).unwrap_or_default();
    let available = available.split_whitespace().collect::<Vec<_>>().join(", ");
    DriveError::Algorithm { algorithm: algorithm.clone(), available, source: io::Error::from(errno) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::WireError;

    #[test]
    fn an_algorithm_the_kernel_lacks_is_refused_with_those_it_has() {
        let profile = Profile::named("lan").unwrap();
        let ask = |name: &str| check_algorithms(&[name.parse().unwrap()], &profile);
        match ask("reno") {
            Ok(()) => {}
            Err(DriveError::Wire(error @ WireError::NotPermitted { .. })) => {
                eprintln!("skipped: {error}");
                return;
            }
            Err(error) => panic!("every kernel has reno: {error}"),
        }
        let told = ask("nosuchthing").unwrap_err().to_string();
        assert!(
            told.contains("nosuchthing") && told.contains("this kernel has") && told.contains("reno"),
            "{told}"
        );
        assert!(told.contains("modprobe tcp_nosuchthing"), "{told}");
    }

    #[test]
    fn without_flows_nothing_is_asked() {
        let out_of_range = Profile {
            up: tokkyu_link::sim::path::DirectionProfile { duplicate_share: 2.0, ..Default::default() },
            ..Profile::named("lan").unwrap()
        };
        check_algorithms(&[], &out_of_range).expect("no wire is put up");
    }
}
