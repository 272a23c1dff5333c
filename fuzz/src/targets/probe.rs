//! What a probe reads from the network, and what is read of a probe that ran elsewhere.

use tokkyu_probe::datagram::{Datagram, SMALLEST};
use tokkyu_probe::line::Line;

/// Takes one input.
pub fn run(bytes: &[u8]) {
    match Datagram::read(bytes) {
        Some(datagram) => {
            let mut again = bytes.to_vec();
            datagram.write(&mut again);
            assert_eq!(Datagram::read(&again), Some(datagram));
        }
        None => assert!(bytes.len() < SMALLEST || bytes[12] > 2),
    }
    if let Ok(line) = Line::from_json(&String::from_utf8_lossy(bytes)) {
        assert!(Line::from_json(&line.to_json()).is_ok());
    }
}
