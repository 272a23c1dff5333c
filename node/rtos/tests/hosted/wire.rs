//! A wire from a system to itself, that can be cut.

use std::cell::Cell;
use std::collections::VecDeque;

use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;

use crate::world::{PORT, world};

thread_local! {
    static IS_CUT: Cell<bool> = const { Cell::new(false) };
}

/// Nothing goes through from now on, or everything does.
pub fn cut(is_cut: bool) {
    IS_CUT.set(is_cut);
}

/// Frames on their way.
#[derive(Default)]
pub struct Wire(VecDeque<Vec<u8>>);

pub struct Received(Vec<u8>);

pub struct Sending<'w>(&'w mut VecDeque<Vec<u8>>);

impl RxToken for Received {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

impl TxToken for Sending<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, bytes: usize, fill: F) -> R {
        let mut frame = vec![0; bytes];
        let answer = fill(&mut frame);
        if !IS_CUT.get() {
            self.0.push_back(frame);
            // What a device's interrupt would do.
            world().stack.get().into_iter().for_each(|stack| stack.kick(&PORT));
        }
        answer
    }
}

impl Device for Wire {
    type RxToken<'w> = Received;
    type TxToken<'w> = Sending<'w>;

    fn receive(&mut self, _: Instant) -> Option<(Received, Sending<'_>)> {
        let frame = self.0.pop_front()?;
        Some((Received(frame), Sending(&mut self.0)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Sending<'_>> {
        Some(Sending(&mut self.0))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = 1514;
        capabilities
    }
}
