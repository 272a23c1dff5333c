//! The RTOS's file (MON-50): an ELF for AArch64 whose parts are to lie in the RTOS's memory.

use core::fmt;

use elf::abi::{EI_NIDENT, EM_AARCH64, PF_X, PT_LOAD};
use elf::endian::LittleEndian;
use elf::file::{Class, ELF64_EHDR_TAILSIZE, FileHeader, parse_ident};
use elf::parse::ParseAt;
use elf::segment::{ProgramHeader, SegmentTable};

use tokkyu_monitor_core::{RTOS_MEMORY, Range};

/// A file that was looked at.
#[derive(Debug)]
pub struct Image<'a> {
    entry: u64,
    headers: SegmentTable<'a, LittleEndian>,
    bytes: &'a [u8],
}

/// A part of it that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// What is written.
    pub bytes: &'a [u8],
    /// Where, and how much memory: what is more than `bytes` is zero.
    pub memory: Range,
}

/// Why a file is of no use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// It is no ELF file for AArch64, little-endian, of 64 bits.
    NotElf,
    /// It has nothing that is loaded.
    Empty,
    /// A part is not all in the file.
    Cut,
    /// A part lies elsewhere.
    Outside(Range),
    /// Its first instruction is in no part that is run.
    Entry(u64),
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::NotElf => {
                f.write_str("the RTOS is no ELF file for AArch64 of 64 bits, little-endian")
            }
            ImageError::Empty => f.write_str("the RTOS's file has nothing that is loaded"),
            ImageError::Cut => f.write_str("the RTOS's file is cut off: a part of it is not there"),
            ImageError::Outside(Range { base, bytes }) => {
                let Range { base: from, bytes: most } = RTOS_MEMORY;
                write!(
                    f,
                    "the RTOS has {bytes} bytes at {base:#x}, outside of its memory at {from:#x}, {most} bytes: \
                     was it built with tokkyu-rtos-aarch64's feature secure?"
                )
            }
            ImageError::Entry(entry) => {
                write!(f, "the RTOS's first instruction, {entry:#x}, is in no part that can be run")
            }
        }
    }
}

/// What a file for AArch64 says of itself.
fn head(bytes: &[u8]) -> Option<FileHeader<LittleEndian>> {
    let (ident, rest) = bytes.split_at_checked(EI_NIDENT)?;
    let ident = parse_ident(ident).ok().filter(|(_, class, ..)| *class == Class::ELF64)?;
    let head = FileHeader::parse_tail(ident, rest.get(..ELF64_EHDR_TAILSIZE)?).ok()?;
    (head.e_machine == EM_AARCH64).then_some(head)
}

/// What it says of its parts. Not by way of `ElfBytes`, which reads sections too: 2 KiB of flash for what nobody looks at (MON-5).
fn headers<'a>(head: &FileHeader<LittleEndian>, bytes: &'a [u8]) -> Option<SegmentTable<'a, LittleEndian>> {
    let size = ProgramHeader::validate_entsize(head.class, head.e_phentsize.into()).ok()?;
    let from = usize::try_from(head.e_phoff).ok()?;
    let table = bytes.get(from..)?.get(..size * usize::from(head.e_phnum))?;
    Some(SegmentTable::new(LittleEndian, head.class, table))
}

fn memory_of(header: &ProgramHeader) -> Range {
    Range { base: header.p_paddr, bytes: header.p_memsz }
}

impl<'a> Image<'a> {
    /// Looks at a file, all of it: whatever [`Image::parts`] gives is in the RTOS's memory.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn read(bytes: &'a [u8]) -> Result<Image<'a>, ImageError> {
        let head = head(bytes).ok_or(ImageError::NotElf)?;
        if head.e_phnum == 0 {
            return Err(ImageError::Empty);
        }
        let headers = headers(&head, bytes).ok_or(ImageError::Cut)?;
        let entry = head.e_entry;
        let image = Image { entry, headers, bytes };
        let mut is_run = false;
        if image.headers().next().is_none() {
            return Err(ImageError::Empty);
        }
        for header in image.headers() {
            let memory = memory_of(&header);
            if !RTOS_MEMORY.holds(memory.base, memory.bytes) {
                return Err(ImageError::Outside(memory));
            }
            if header.p_filesz > header.p_memsz || image.file_of(&header).is_none() {
                return Err(ImageError::Cut);
            }
            is_run |= header.p_flags & PF_X != 0 && memory.holds(entry, 4);
        }
        if is_run && entry.is_multiple_of(4) { Ok(image) } else { Err(ImageError::Entry(entry)) }
    }

    /// Its first instruction.
    pub fn entry(&self) -> u64 {
        self.entry
    }

    fn headers(&self) -> impl Iterator<Item = ProgramHeader> {
        self.headers.iter().filter(|header| header.p_type == PT_LOAD && header.p_memsz > 0)
    }

    fn file_of(&self, header: &ProgramHeader) -> Option<&'a [u8]> {
        let from = usize::try_from(header.p_offset).ok()?;
        self.bytes.get(from..)?.get(..usize::try_from(header.p_filesz).ok()?)
    }

    /// What is loaded.
    pub fn parts(&self) -> impl Iterator<Item = Part<'a>> {
        let part = |header: ProgramHeader| {
            self.file_of(&header).map(|bytes| Part { bytes, memory: memory_of(&header) })
        };
        self.headers().filter_map(part)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::string::ToString;
    use std::vec::Vec;

    use super::*;

    const AT: u64 = RTOS_MEMORY.base;

    /// A file with one part of 8 bytes, which lies at `at` in memory, with so many bytes of memory.
    fn file(at: u64, memory: u64, entry: u64) -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        let halves = |numbers: &[u16]| numbers.iter().flat_map(|of| of.to_le_bytes()).collect::<Vec<u8>>();
        let longs = |numbers: &[u64]| numbers.iter().flat_map(|of| of.to_le_bytes()).collect::<Vec<u8>>();
        bytes.extend(halves(&[2, 183, 1, 0]));
        bytes.extend(longs(&[entry, 64, 0]));
        bytes.extend(halves(&[0, 0, 64, 56, 1, 64, 0, 0]));
        bytes.extend(halves(&[1, 0, 5, 0]));
        bytes.extend(longs(&[120, at, at, 8, memory, 4096]));
        bytes.extend(*b"8 bytes.");
        bytes
    }

    #[test]
    fn a_part_is_where_it_says() {
        let bytes = file(AT, 0x1000, AT + 4);
        let image = Image::read(&bytes).expect("an image");
        assert_eq!(image.entry(), AT + 4);
        let part = Part { bytes: b"8 bytes.", memory: Range { base: AT, bytes: 0x1000 } };
        assert_eq!(image.parts().collect::<Vec<_>>(), [part]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |bytes: &[u8]| Image::read(bytes).expect_err("refused");
        assert_eq!(refused(b"no such file"), ImageError::NotElf);
        let mut other = file(AT, 0x1000, AT);
        other[18] = 62;
        assert_eq!(refused(&other), ImageError::NotElf);
        let outside = Range { base: 0x4010_0000, bytes: 0x1000 };
        assert_eq!(refused(&file(outside.base, outside.bytes, AT)), ImageError::Outside(outside));
        assert!(ImageError::Outside(outside).to_string().contains("feature secure"));
        let long = RTOS_MEMORY.bytes + 1;
        assert_eq!(refused(&file(AT, long, AT)), ImageError::Outside(Range { base: AT, bytes: long }));
        assert_eq!(refused(&file(AT, 0x1000, AT + 0x1000)), ImageError::Entry(AT + 0x1000));
        assert_eq!(refused(&file(AT, 0x1000, AT + 2)), ImageError::Entry(AT + 2));
        assert_eq!(refused(&file(AT, 4, AT)), ImageError::Cut);
        let whole = file(AT, 0x1000, AT);
        assert_eq!(refused(&whole[..whole.len() - 1]), ImageError::Cut);
        assert_eq!(refused(&whole[..119]), ImageError::Cut);
        let mut empty = whole[..64].to_vec();
        empty[54..58].fill(0);
        assert_eq!(refused(&empty), ImageError::Empty);
    }

    proptest! {
        #[test]
        fn nothing_is_loaded_outside(at: u64, memory: u64, entry: u64, cut in 0..130_usize, change: (usize, u8)) {
            let mut bytes = file(at, memory, entry);
            let length = bytes.len();
            bytes[change.0 % length] = change.1;
            bytes.truncate(cut.min(length));
            if let Ok(image) = Image::read(&bytes) {
                prop_assert!(image.parts().all(|part| RTOS_MEMORY.holds(part.memory.base, part.memory.bytes)));
                prop_assert!(image.parts().all(|part| part.bytes.len() as u64 <= part.memory.bytes));
            }
        }
    }
}
