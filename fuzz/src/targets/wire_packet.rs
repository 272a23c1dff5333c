//! A packet of the link (link/SPEC.md §3): what is read is written again as the same bytes.

use tokkyu_link::wire::{Frame, Header, Malformed, Reader};

/// Reads the whole packet and writes what was read.
fn written_again(packet: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut reader = Reader::new(packet);
    let mut out = Vec::with_capacity(packet.len());
    Header::read(&mut reader)?.write(&mut out);
    while !reader.is_empty() {
        Frame::read(&mut reader)?.write(&mut out);
    }
    Ok(out)
}

/// Takes one input.
pub fn run(packet: &[u8]) {
    if let Ok(again) = written_again(packet) {
        assert_eq!(again, packet);
    }
}
