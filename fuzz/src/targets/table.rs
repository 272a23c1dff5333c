//! The table of endpoints (link/SPEC.md §4): what is read is written again as the same bytes, within its limits.

use tokkyu_link::wire::Table;

/// Takes one input.
pub fn run(bytes: &[u8]) {
    if let Ok(table) = Table::from_bytes(bytes) {
        assert_eq!(table.to_bytes(), bytes);
        assert!(table.entries.len() <= 2048, "LNK-6");
        assert!(table.entries.iter().all(|entry| (1..=255).contains(&entry.topic.len())), "LNK-30");
    }
}
