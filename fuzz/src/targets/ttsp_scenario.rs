//! Scenarios of the test suite for kernels (lab/SPEC.md LAB-110): any text is a plan, is excluded, or is an error with words.

use tokkyu_ttsp::compile::compile;

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(error) = compile(text) {
        assert!(!error.is_empty(), "LAB-112");
    }
}
