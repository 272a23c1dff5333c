//! Interrupt lines, as a system declares them (RTA-23).

/// An interrupt line that the system has.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The controller's number: 16 to 31 are the processor's own, 32 and more all processors'.
    pub number: u32,
    /// Number of the processor that handles it, from 1.
    pub processor: u8,
    /// From -31, the most urgent, to -1.
    pub priority: i32,
    /// Whether it is enabled from the beginning.
    pub enabled: bool,
}
