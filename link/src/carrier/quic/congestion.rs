//! The congestion controller that never says no.
//!
//! QUIC's controllers take loss for congestion: at 5 % loss Cubic's window falls to a handful of packets and the first
//! camera image is the last. Pace and rate are decided in the link's core, from its own feedback; RFC 9221 §5.4 leaves
//! datagrams under congestion control, so on networks we share that duty is the core's, not waived.
//!
//! A window above `u32::MAX` also turns the pacer of `quinn-proto` off: that is its own test for "do not pace".

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::congestion::{Controller, ControllerFactory};

/// A terabyte in flight: never reached, and far above the pacer's limit of `u32::MAX`.
const WINDOW_BYTES: u64 = 1 << 40;

/// See the file's header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open;

impl Controller for Open {
    fn on_congestion_event(&mut self, _now: Instant, _sent: Instant, _persistent: bool, _lost_bytes: u64) {}

    fn on_mtu_update(&mut self, _new_mtu: u16) {}

    fn window(&self) -> u64 {
        WINDOW_BYTES
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(*self)
    }

    fn initial_window(&self) -> u64 {
        WINDOW_BYTES
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl ControllerFactory for Open {
    fn build(self: Arc<Self>, _now: Instant, _mtu: u16) -> Box<dyn Controller> {
        Box::new(*self)
    }
}
