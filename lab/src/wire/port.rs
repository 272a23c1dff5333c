//! Where frames enter and leave the relay.
use std::io;
use std::os::fd::BorrowedFd;

/// One end of the wire as the relay sees it. No call blocks.
pub(super) trait Port: Send {
    /// Bytes of Ethernet, IP and UDP header that a frame has on the modelled wire but not in the buffer.
    const ABSENT_HEADER_BYTES: usize;

    /// Readable when a frame waits.
    fn fd(&self) -> BorrowedFd<'_>;

    /// Fills `buffer` with the next frame and returns its length, or `None` if none waits.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>>;

    /// Gives the program at this end a frame.
    fn send(&mut self, frame: &[u8]) -> io::Result<()>;

    /// Whether the frame is traffic of the programs under test, and not the kernel talking to itself.
    fn counts(frame: &[u8]) -> bool;
}

/// `WouldBlock` is no failure but "none waits".
pub(super) fn none_if_would_block(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(length) => Ok(Some(length)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}
