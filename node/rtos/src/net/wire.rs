//! A wire from a system to itself, for nodes that have no network to others.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;

/// Frames on their way.
pub struct Wire {
    frames: VecDeque<Vec<u8>>,
    /// Whether a frame goes through; if so it does what a device's interrupt would ([`Stack::kick`](crate::Stack::kick)).
    passes: fn(&[u8]) -> bool,
}

impl Wire {
    /// Nothing is on its way.
    pub const fn new(passes: fn(&[u8]) -> bool) -> Wire {
        Wire { frames: VecDeque::new(), passes }
    }
}

/// A frame that has come.
#[doc(hidden)]
pub struct Received(Vec<u8>);

/// Room for one.
#[doc(hidden)]
pub struct Sending<'w>(&'w mut Wire);

impl RxToken for Received {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

impl TxToken for Sending<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, bytes: usize, fill: F) -> R {
        let mut frame = vec![0; bytes];
        let answer = fill(&mut frame);
        if (self.0.passes)(&frame) {
            self.0.frames.push_back(frame);
        }
        answer
    }
}

impl Device for Wire {
    type RxToken<'w> = Received;
    type TxToken<'w> = Sending<'w>;

    fn receive(&mut self, _: Instant) -> Option<(Received, Sending<'_>)> {
        let frame = self.frames.pop_front()?;
        Some((Received(frame), Sending(self)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Sending<'_>> {
        Some(Sending(self))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = 1514;
        capabilities
    }
}
