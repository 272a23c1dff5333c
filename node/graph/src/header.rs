//! Headers of connections, written into memory of their own size.

use alloc::vec;
use alloc::vec::Vec;

use tokkyu_ros1::tcpros::{HeaderWriter, MAX_HEADER};

/// A header of these fields. One that does not fit (a definition of more than 64 KiB) is left out.
pub(crate) fn header(fields: &[(&str, &str)]) -> Vec<u8> {
    let all: usize = fields.iter().map(|(name, value)| 5 + name.len() + value.len()).sum();
    let mut memory = vec![0; 4 + all.min(MAX_HEADER)];
    let Ok(mut writer) = HeaderWriter::new(&mut memory) else { return Vec::new() };
    for (name, value) in fields {
        let _ = writer.field(name, value);
    }
    let len = writer.finish().len();
    memory.truncate(len);
    memory
}
