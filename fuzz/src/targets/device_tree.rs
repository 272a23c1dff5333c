//! A machine's device tree, as the monitor's boot part gets it: any bytes give a tree for Linux that is one, or a line.

use tokkyu_monitor_boot::{Changes, edit, memory_of, processors_of};
use tokkyu_monitor_core::{PROCESSORS_MAX, RANGES_MAX, Range};

/// Takes one input.
pub fn run(bytes: &[u8]) {
    if let Ok(ranges) = memory_of(bytes) {
        assert!((1..=RANGES_MAX).contains(&ranges.len()));
        assert!(ranges.iter().all(|range| range.base.checked_add(range.bytes).is_some()));
    }
    if let Ok(processors) = processors_of(bytes) {
        assert!((1..=PROCESSORS_MAX).contains(&processors));
    }
    let initrd = Some(Range { base: 0x4400_0000, bytes: 0x1234 });
    let shared = Some(Range { base: 0x5fff_0000, bytes: 0x1_0000 });
    match edit(bytes, &Changes { command_line: Some("console=ttyAMA0"), initrd, shared }) {
        Ok(edited) => {
            // Read again it says the same of memory, and it is a tree that can be edited.
            assert_eq!(memory_of(&edited), memory_of(bytes));
            let again = edit(&edited, &Changes { command_line: None, initrd: None, shared });
            assert!(again.is_ok_and(|again| processors_of(&again) == processors_of(bytes)));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
