//! A TCP congestion control by its name, and whether this machine has it.
//!
//! The kernel is the judge: it is asked by setting the algorithm on a socket in a namespace, where the flows will run.
//! A list of names would not do, as `tcp_available_congestion_control` leaves out modules that are not loaded yet, which
//! the kernel loads for root when they are asked for.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::str::FromStr;

use nix::errno::Errno;
use nix::sys::socket::sockopt::TcpCongestion;
use nix::sys::socket::{getsockopt, setsockopt};

/// `TCP_CA_NAME_MAX` of the kernel, with the zero at the end.
const NAME_MAX_BYTES: usize = 16;

/// Name of a congestion control, e.g. `cubic`. That the kernel has it is another question: [`check_algorithms`](super::check_algorithms).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Algorithm(String);

/// The word can be no algorithm's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a TCP congestion control: use names such as cubic, bbr, reno, comma between them")]
pub struct NoAlgorithm;

impl Algorithm {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Lets `socket` use this algorithm.
    pub(super) fn apply(&self, socket: &impl AsFd) -> Result<(), Errno> {
        setsockopt(socket, TcpCongestion, &OsString::from(&self.0))
    }

    /// Whether `socket` really uses this algorithm; the error names the one it does use.
    pub(super) fn confirm(&self, socket: &impl AsFd) -> io::Result<()> {
        let used = getsockopt(socket, TcpCongestion)?;
        // The kernel fills its 16 bytes up with zeros.
        let used = used.to_string_lossy().trim_end_matches('\0').to_owned();
        match used == self.0 {
            true => Ok(()),
            false => Err(io::Error::other(format!("the kernel uses {used}"))),
        }
    }
}

impl FromStr for Algorithm {
    type Err = NoAlgorithm;

    fn from_str(word: &str) -> Result<Self, NoAlgorithm> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        let is_name = !word.is_empty() && word.len() < NAME_MAX_BYTES && word.bytes().all(plain);
        is_name.then(|| Algorithm(word.to_owned())).ok_or(NoAlgorithm)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// All names in one word of a sentence: `cubic + bbr`.
pub fn algorithm_names(algorithms: &[Algorithm]) -> String {
    algorithms.iter().map(Algorithm::as_str).collect::<Vec<_>>().join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

    #[test]
    fn a_name_is_what_the_kernel_could_call_an_algorithm() {
        for name in ["cubic", "bbr", "reno", "bbr2_x", "highspeed", "a23456789012345"] {
            assert_eq!(name.parse::<Algorithm>().map(|a| a.to_string()), Ok(name.to_owned()));
        }
        for wrong in ["", "Cubic", "cubic bbr", "a234567890123456", "../reno", "bbr\n"] {
            assert_eq!(wrong.parse::<Algorithm>(), Err(NoAlgorithm), "{wrong:?}");
        }
    }

    #[test]
    fn a_socket_that_uses_another_algorithm_is_told() {
        let stream = || socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None).unwrap();
        let (reno, stream) = ("reno".parse::<Algorithm>().unwrap(), stream());
        reno.apply(&stream).expect("every kernel has reno and lets everybody use it");
        reno.confirm(&stream).unwrap();
        let other = "bbr".parse::<Algorithm>().unwrap().confirm(&stream).unwrap_err();
        assert!(other.to_string().contains("uses reno"), "{other}");
    }
}
