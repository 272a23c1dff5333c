//! The task that drives the stack, and what wakes it.

use core::sync::atomic::Ordering::{AcqRel, Acquire};

use smoltcp::phy::Device;
use tokkyu_callbacks::port::{Clock, Sleeper};

use super::stack::Stack;
use crate::system::{Rtos, System};

impl<D: Device + Send> Stack<D> {
    /// There is something for the driver. From everywhere, also from a handler of the device's interrupt.
    pub fn kick<S: System<Device = D>>(&self, port: &Rtos<S>) {
        if self.kicked.swap(1, AcqRel) == 0 {
            port.wake(&self.kicked, 1);
        }
    }

    /// The driver's task: never ends.
    pub fn drive<S: System<Device = D>>(&self, port: &Rtos<S>) -> ! {
        loop {
            self.kicked.swap(0, AcqRel);
            let until = self.turn(port.now());
            if self.kicked.load(Acquire) == 0 {
                port.wait(&self.kicked, 0, until);
            }
        }
    }
}
