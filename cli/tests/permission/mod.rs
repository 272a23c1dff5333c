//! Whether the emulated wire can be had here, for tests that run real programs over it.

use tokkyu_lab::wire::{Wire, WireError};
use tokkyu_link::sim::path::Profile;

/// True if there is a wire; else says that the test is skipped, and why.
///
/// # Panics
/// The wire fails though it is permitted.
pub fn wire_is_permitted() -> bool {
    match Wire::new(&Profile::named("lan").expect("known"), 1) {
        Ok(_) => true,
        Err(error @ WireError::NotPermitted { .. }) => {
            eprintln!("skipped: {error}");
            false
        }
        Err(error) => panic!("{error}"),
    }
}
