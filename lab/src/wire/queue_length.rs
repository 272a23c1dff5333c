//! Sets a device's queue length by rtnetlink(7).
//!
//! One message by hand: the ioctl for it asks for leave over the whole machine, netlink only for leave over the
//! namespace, which is all that a user namespace gives (WIRE-3).
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};

const HEADER_BYTES: usize = 16;
/// `struct ifinfomsg`: all zero, since the device is named by an attribute.
const NO_INDEX: [u8; 16] = [0; 16];

/// Sets how many packets the device of the calling thread's namespace holds.
pub(super) fn set_queue_length(device: &str, packets: u32) -> io::Result<()> {
    let mut socket = File::from(netlink_socket()?);
    // No address: an unbound netlink socket talks to the kernel.
    socket.write_all(&request(device, packets))?;
    let mut answer = [0; 256];
    let length = socket.read(&mut answer)?;
    acknowledged(&answer[..length])
}

fn netlink_socket() -> io::Result<OwnedFd> {
    // SAFETY: no pointers are passed.
    let fd =
        unsafe { libc::socket(libc::AF_NETLINK, libc::SOCK_RAW | libc::SOCK_CLOEXEC, libc::NETLINK_ROUTE) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made and is owned by nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn request(device: &str, packets: u32) -> Vec<u8> {
    let mut name = device.as_bytes().to_vec();
    name.push(0);
    let body = [
        &NO_INDEX[..],
        &attribute(libc::IFLA_IFNAME, &name),
        &attribute(libc::IFLA_TXQLEN, &packets.to_ne_bytes()),
    ]
    .concat();
    let length = (HEADER_BYTES + body.len()) as u32;
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16;
    // Sequence and sender's port stay 0: one request, one answer.
    let header =
        [&length.to_ne_bytes()[..], &libc::RTM_NEWLINK.to_ne_bytes(), &flags.to_ne_bytes(), &[0; 8]].concat();
    [header, body].concat()
}

/// `struct rtattr` and its value, filled up to a multiple of four.
fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = (4 + value.len()) as u16;
    let mut bytes = [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), value].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// The answer is `struct nlmsgerr`: a negative error number, or 0, after the header.
fn acknowledged(answer: &[u8]) -> io::Result<()> {
    let number = answer.get(HEADER_BYTES..HEADER_BYTES + 4).and_then(|bytes| bytes.try_into().ok());
    match number.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(error) => Err(io::Error::from_raw_os_error(error.saturating_neg())),
        None => Err(io::Error::new(io::ErrorKind::InvalidData, "the kernel's answer is too short")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_is_one_aligned_message_that_says_its_length() {
        let bytes = request("wire0", 16_384);
        assert_eq!(bytes.len() % 4, 0);
        assert_eq!(bytes[..4], (bytes.len() as u32).to_ne_bytes());
        assert!(bytes.ends_with(&16_384u32.to_ne_bytes()));
    }

    #[test]
    fn an_answer_with_an_error_or_cut_short_is_a_failure() {
        let answer = |number: i32| [&[0; 16][..], &number.to_ne_bytes()].concat();
        assert!(acknowledged(&answer(0)).is_ok());
        let refused = acknowledged(&answer(-libc::EPERM)).expect_err("refused");
        assert_eq!(refused.raw_os_error(), Some(libc::EPERM));
        assert!(acknowledged(&[0; 19]).is_err());
    }
}
