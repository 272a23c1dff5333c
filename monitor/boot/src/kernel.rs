//! A kernel's file (MON-10): the header of an arm64 `Image` (Linux, `Documentation/arch/arm64/booting.rst`, section 4).

use core::fmt;

/// Bytes of a file that say what it is.
pub const HEADER_BYTES: usize = 64;
const MAGIC: &[u8] = b"ARM\x64";
const MAGIC_AT: usize = 56;

/// What a kernel needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// From a multiple of 2 MiB to its first byte.
    pub text_offset: u64,
    /// What it needs of memory from there on, more than its file has.
    pub image_bytes: u64,
}

/// Why a file is no kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelError {
    /// There is no file.
    None,
    /// It is compressed, by this.
    Compressed(&'static str),
    /// It has no such header.
    NotImage,
    /// It is from before Linux 3.17, and does not say what it needs.
    NoSize,
    /// It is for processors with the other order of bytes.
    BigEndian,
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelError::None => f.write_str("there is no kernel: QEMU's -kernel names it"),
            KernelError::Compressed(by) => {
                write!(f, "the kernel is compressed ({by}): an arm64 Image as it is in memory is wanted")
            }
            KernelError::NotImage => f.write_str("the kernel is no arm64 Image"),
            KernelError::NoSize => {
                f.write_str("the kernel does not say how much memory it needs: Linux 3.17 and later do")
            }
            KernelError::BigEndian => f.write_str("the kernel is for big-endian processors"),
        }
    }
}

impl Kernel {
    /// Reads the first [`HEADER_BYTES`] of a file, or all that it has.
    ///
    /// # Errors
    /// [`KernelError`].
    pub fn read(header: &[u8]) -> Result<Kernel, KernelError> {
        match header {
            [] => return Err(KernelError::None),
            [0x1f, 0x8b, ..] => return Err(KernelError::Compressed("gzip")),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => return Err(KernelError::Compressed("zstd")),
            [b'M', b'Z', _, _, b'z', b'i', b'm', b'g', ..] => {
                return Err(KernelError::Compressed("EFI zboot"));
            }
            _ => {}
        }
        if header.get(MAGIC_AT..MAGIC_AT + MAGIC.len()) != Some(MAGIC) {
            return Err(KernelError::NotImage);
        }
        let word = |at: usize| {
            let bytes = header.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u64::from_le_bytes).ok_or(KernelError::NotImage)
        };
        let (text_offset, image_bytes, flags) = (word(8)?, word(16)?, word(24)?);
        match (image_bytes, flags & 1) {
            (0, _) => Err(KernelError::NoSize),
            (_, 1) => Err(KernelError::BigEndian),
            _ => Ok(Kernel { text_offset, image_bytes }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header(offset: u64, bytes: u64, flags: u64) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..2].copy_from_slice(b"MZ");
        header[8..16].copy_from_slice(&offset.to_le_bytes());
        header[16..24].copy_from_slice(&bytes.to_le_bytes());
        header[24..32].copy_from_slice(&flags.to_le_bytes());
        header[MAGIC_AT..MAGIC_AT + 4].copy_from_slice(MAGIC);
        header
    }

    #[test]
    fn an_image_says_what_it_needs() {
        let needs = Kernel { text_offset: 0x8_0000, image_bytes: 0x28d_0000 };
        assert_eq!(Kernel::read(&header(0x8_0000, 0x28d_0000, 0xa)), Ok(needs));
    }

    #[test]
    fn what_is_no_image_is_refused_with_the_reason() {
        assert_eq!(Kernel::read(&[]), Err(KernelError::None));
        assert_eq!(Kernel::read(&[0x1f, 0x8b, 8]), Err(KernelError::Compressed("gzip")));
        assert_eq!(Kernel::read(b"MZ\0\0zimg"), Err(KernelError::Compressed("EFI zboot")));
        assert_eq!(Kernel::read(b"\x7fELF"), Err(KernelError::NotImage));
        assert_eq!(Kernel::read(&header(0, 0, 0)), Err(KernelError::NoSize));
        assert_eq!(Kernel::read(&header(0, 1, 1)), Err(KernelError::BigEndian));
        assert_eq!(Kernel::read(&header(0, 1, 0)[..63]), Kernel::read(&header(0, 1, 0)));
        assert_eq!(Kernel::read(&header(0, 1, 0)[..59]), Err(KernelError::NotImage));
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = Kernel::read(&bytes);
        }
    }
}
