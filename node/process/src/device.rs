//! Which processes share memory with this one (NODE-80).

use std::fs;
use std::os::unix::fs::MetadataExt;

use crate::ProcessError;
use crate::folder::group;

/// What lies in memory, and how: processes with another version do not meet.
const LAYOUT: &str = "iceoryx2 0.9.3, tokkyu 2";

/// Equal in two processes exactly if each can open what the other lends: one boot, user, IPC namespace, `/dev/shm`, group, width and version. 32
/// hexadecimal digits, which say nothing of what they are made of.
///
/// # Errors
///
/// [`ProcessError::System`]: no `/proc` or no `/dev/shm`; [`ProcessError::Group`].
pub fn device() -> Result<String, ProcessError> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map_err(ProcessError::system("the boot's number"))?;
    let ipc = fs::read_link("/proc/self/ns/ipc").map_err(ProcessError::system("the IPC namespace"))?;
    let shm = fs::metadata("/dev/shm").map_err(ProcessError::system("/dev/shm"))?;
    let user = rustix::process::geteuid().as_raw();
    let (place, width) = ((shm.dev(), shm.ino()), usize::BITS);
    let all = format!("{boot} {user} {ipc:?} {place:?} {} {width} {LAYOUT}", group()?);
    Ok(format!("{:032x}", digest(all.as_bytes())))
}

/// FNV-1a of 128 bits: the same in programs of all compilers, which the standard library's hashes need not be.
fn digest(bytes: &[u8]) -> u128 {
    let mix = |hash: u128, byte: &u8| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    };
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the FNV reference (draft-eastlake-fnv, appendix).
    #[test]
    fn a_digest_is_that_of_the_reference() {
        assert_eq!(digest(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(digest(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }

    #[test]
    fn a_device_is_the_same_each_time() {
        let one = device().unwrap();
        assert_eq!(one, device().unwrap());
        assert!(one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
    }
}
