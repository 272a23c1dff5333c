//! The RTOS's file, as the monitor's boot part gets it: any bytes are loaded into the RTOS's memory alone, or give a line.

use tokkyu_monitor_boot::Image;
use tokkyu_monitor_core::RTOS_MEMORY;

/// Takes one input.
pub fn run(bytes: &[u8]) {
    match Image::read(bytes) {
        Ok(image) => {
            assert!(RTOS_MEMORY.holds(image.entry(), 4) && image.entry().is_multiple_of(4));
            for part in image.parts() {
                assert!(part.bytes.len() as u64 <= part.memory.bytes);
                assert!(RTOS_MEMORY.holds(part.memory.base, part.memory.bytes));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
