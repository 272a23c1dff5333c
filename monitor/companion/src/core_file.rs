//! The kernel's memory by its own addresses, as `/proc/kcore` has it, and where in memory that is.

use elf::ElfBytes;
use elf::abi::PT_LOAD;
use elf::endian::LittleEndian;
use elf::segment::ProgramHeader;

/// What of the file is needed to know what is where in it.
pub const HEADERS_BYTES: usize = 0x1_0000;

/// Why it is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoreFileError {
    /// It is no ELF file, little-endian, or its headers are longer than [`HEADERS_BYTES`].
    #[error("the kernel's memory is no ELF file whose headers are in its first {HEADERS_BYTES} bytes")]
    NotElf,
}

/// Addresses one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first address.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Where it is in memory, if it is that as a whole.
    pub physical: Option<u64>,
    /// Where it is in the file.
    pub offset: u64,
}

impl Segment {
    /// Whether it has `bytes` from there on.
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        address.checked_sub(self.address).is_some_and(|at| at <= self.bytes && bytes <= self.bytes - at)
    }
}

/// What is where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreFile {
    segments: Vec<Segment>,
}

fn segment_of(header: &ProgramHeader) -> Segment {
    let physical = (header.p_paddr != u64::MAX).then_some(header.p_paddr);
    Segment { address: header.p_vaddr, bytes: header.p_memsz, physical, offset: header.p_offset }
}

impl CoreFile {
    /// From its first [`HEADERS_BYTES`].
    ///
    /// # Errors
    /// [`CoreFileError`].
    pub fn read(headers: &[u8]) -> Result<CoreFile, CoreFileError> {
        let file = ElfBytes::<LittleEndian>::minimal_parse(headers).map_err(|_| CoreFileError::NotElf)?;
        let all = file.segments().ok_or(CoreFileError::NotElf)?;
        Ok(CoreFile {
            segments: all.iter().filter(|of| of.p_type == PT_LOAD).map(|of| segment_of(&of)).collect(),
        })
    }

    #[cfg(test)]
    pub(crate) fn of(segments: Vec<Segment>) -> CoreFile {
        CoreFile { segments }
    }

    /// All of them.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Where `bytes` from an address on are in the file.
    pub fn offset(&self, address: u64, bytes: u64) -> Option<u64> {
        let segment = self.segments.iter().find(|segment| segment.holds(address, bytes))?;
        segment.offset.checked_add(address - segment.address)
    }
}
