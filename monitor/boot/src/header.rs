//! What the resident part says of itself.

/// Where it lies, and with it its header.
pub(crate) const PLACE: usize = 0x0e00_0000;
/// What is set aside for it.
pub(crate) const BYTES_MAX: usize = 0x2_0000;

/// What it says of itself first (tokkyu-monitor's entry.rs). All of them are addresses where it lies.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Header {
    pub(crate) magic: [u8; 8],
    pub(crate) entry: u64,
    pub(crate) text_end: u64,
    pub(crate) rodata_end: u64,
    pub(crate) file_end: u64,
    pub(crate) memory_end: u64,
    pub(crate) tables_begin: u64,
    pub(crate) tables_end: u64,
    pub(crate) handoff: u64,
}
