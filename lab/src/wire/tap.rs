//! A TAP device: what the kernel would put on a cable comes out of a file descriptor, frame by frame.
//!
//! Opened without `IFF_VNET_HDR`, so no offload is announced: the kernel cuts segments and fills in checksums before
//! a frame gets here (WIRE-5). Not persistent: the device goes when its descriptor is closed.
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use super::error::WireError;
use super::interface::request_for;
use super::port::{Port, none_if_would_block};
use super::user_namespace::REMEDY;

/// The device's name, the same in both namespaces.
pub(super) const DEVICE: &str = "wire0";

const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];
const ETHERTYPE_ARP: [u8; 2] = [0x08, 0x06];

pub(super) struct Tap(File);

impl Tap {
    /// Makes the device in the calling thread's namespace. The descriptor may be used from anywhere.
    pub(super) fn open() -> Result<Self, WireError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
            .open("/dev/net/tun")
            .map_err(|source| {
                let remedy = "load the module (modprobe tun) and let this user read and write the device, or run as root";
                WireError::of("open /dev/net/tun", remedy, source)
            })?;
        let mut request = request_for(DEVICE);
        request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as i16;
        // SAFETY: TUNSETIFF reads and writes one ifreq, which lives through the call.
        let result = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &mut request) };
        if result != 0 {
            return Err(WireError::of("make a TAP device", REMEDY, io::Error::last_os_error()));
        }
        Ok(Tap(file))
    }
}

impl Port for Tap {
    const ABSENT_HEADER_BYTES: usize = 0;

    fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        none_if_would_block(self.0.read(buffer))
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        // A TAP takes a frame whole or not at all.
        self.0.write(frame).map(|_| ())
    }

    fn counts(frame: &[u8]) -> bool {
        matches!(frame.get(12..14), Some(kind) if kind == ETHERTYPE_IPV4 || kind == ETHERTYPE_ARP)
    }
}

/// What the device of the calling thread's namespace has dropped by itself, in both directions.
///
/// From `/proc/thread-self/net/dev`, which shows the calling thread's namespace (`/sys` shows the one it was mounted
/// in): after the name, eight receive columns and eight transmit columns; the fourth of each is "drop".
pub(super) fn dropped_by_device() -> Result<u64, WireError> {
    let table = "/proc/thread-self/net/dev";
    let text = std::fs::read_to_string(table).map_err(|source| WireError::system(table, source))?;
    drops_of(DEVICE, &text).ok_or_else(|| {
        let source = io::Error::new(io::ErrorKind::InvalidData, "no line of the device with 16 numbers");
        WireError::system(format!("{table}: {DEVICE}"), source)
    })
}

fn drops_of(device: &str, table: &str) -> Option<u64> {
    let line = table.lines().find_map(|line| line.trim_start().strip_prefix(device)?.strip_prefix(':'))?;
    let columns: Vec<u64> = line.split_ascii_whitespace().map_while(|column| column.parse().ok()).collect();
    Some(columns.get(3)? + columns.get(11)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ipv4_and_arp_frames_count() {
        let frame = |kind: [u8; 2]| [&[0; 12][..], &kind[..], &[0; 46]].concat();
        assert!(Tap::counts(&frame(ETHERTYPE_IPV4)) && Tap::counts(&frame(ETHERTYPE_ARP)));
        assert!(!Tap::counts(&frame([0x86, 0xdd])), "IPv6");
        assert!(!Tap::counts(&[0; 13]), "shorter than a header");
    }

    #[test]
    fn drops_are_read_from_the_devices_own_line() {
        let table = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:       1       2    3   99    5     6          7         8        9      10   11   99   13    14      15         16
 wire0:     100       2    0    7    0     0          0         0      300       4    0    5    0     0       0          0
";
        assert_eq!(drops_of("wire0", table), Some(12));
        assert_eq!(drops_of("wire", table), None);
        assert_eq!(drops_of("wire0", " wire0: 1 2 3\n"), None);
    }
}
