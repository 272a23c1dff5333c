//! The device, as smoltcp wants it.

use core::cell::RefCell;
use core::fmt;

use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;
use virtio_drivers::device::net::VirtIONetRaw;
use virtio_drivers::transport::mmio::MmioTransport;

use crate::buffers::{BYTES, Buffer, Buffers};
use crate::machine::{Machine, Slots};

/// Frames that the device may have at once in each direction.
const FRAMES: usize = 16;
/// Of an Ethernet frame without its check sequence (IEEE 802.3).
const FRAME_BYTES: usize = 1514;

type Raw = VirtIONetRaw<Machine, MmioTransport<'static>, FRAMES>;

/// A network device.
pub struct Network {
    inner: RefCell<Inner>,
    line: u32,
}

struct Inner {
    raw: Raw,
    receiving: Buffers,
    sending: Buffers,
}

// SAFETY: what it has in memory is its own, and its registers are the same for all processors; one at a time uses it.
unsafe impl Send for Network {}

/// There is no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// In no slot is such a device.
    None,
    /// The device does not do what it should.
    Device(virtio_drivers::Error),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::None => f.write_str("the machine has no virtio network device"),
            NetworkError::Device(error) => write!(f, "the network device: {error}"),
        }
    }
}

impl Network {
    /// The first one of the machine. Takes all of its memory here.
    ///
    /// # Errors
    ///
    /// [`NetworkError`].
    ///
    /// # Safety
    ///
    /// The slots are there, mapped as devices, and nobody else uses them; every address is what it is translated to.
    pub unsafe fn find(slots: &Slots) -> Result<Network, NetworkError> {
        // SAFETY: as this one's.
        let (line, transport) = unsafe { slots.find_network() }.ok_or(NetworkError::None)?;
        let raw = Raw::new(transport).map_err(NetworkError::Device)?;
        let (receiving, sending) = (Buffers::new(FRAMES, FRAMES), Buffers::new(FRAMES, FRAMES));
        let mut inner = Inner { raw, receiving, sending };
        while let Some(buffer) = inner.receiving.take_free() {
            inner.wait_for_frame(buffer).map_err(NetworkError::Device)?;
        }
        Ok(Network { inner: RefCell::new(inner), line })
    }

    /// Its interrupt line.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Its hardware address.
    pub fn hardware(&self) -> [u8; 6] {
        self.inner.borrow().raw.mac_address()
    }
}

impl Inner {
    /// The device may fill it.
    fn wait_for_frame(&mut self, mut buffer: Buffer) -> virtio_drivers::Result {
        // SAFETY: it is kept unseen until the device has given it back.
        let number = unsafe { self.raw.receive_begin(&mut buffer[..]) }?;
        self.receiving.give(number, buffer);
        Ok(())
    }

    /// A frame that has come, and where it is in its buffer.
    fn take_frame(&mut self) -> Option<(Buffer, usize, usize)> {
        let number = self.raw.poll_receive()?;
        let mut buffer = self.receiving.take(number)?;
        // SAFETY: it was given to the device by that number.
        match unsafe { self.raw.receive_complete(number, &mut buffer[..]) } {
            Ok((header, bytes)) if header + bytes <= BYTES => Some((buffer, header, bytes)),
            // Longer than the buffer, or nothing: the device's fault, and no frame.
            _ => {
                let _ = self.wait_for_frame(buffer);
                None
            }
        }
    }

    /// What has gone out is free.
    fn reclaim(&mut self) {
        while let Some(number) = self.raw.poll_transmit() {
            let Some(buffer) = self.sending.take(number) else { return };
            // SAFETY: it was given to the device by that number.
            if unsafe { self.raw.transmit_complete(number, &buffer[..]) }.is_err() {
                return;
            }
            self.sending.put_free(buffer);
        }
    }

    fn send(&mut self, buffer: Buffer, bytes: usize) {
        // SAFETY: it is kept unseen until the device has given it back.
        match unsafe { self.raw.transmit_begin(&buffer[..bytes]) } {
            Ok(number) => self.sending.give(number, buffer),
            // There are as many places as buffers. A frame that is lost is sent again.
            Err(_) => self.sending.put_free(buffer),
        }
    }
}

/// A frame that has come.
pub struct Received<'n> {
    of: &'n RefCell<Inner>,
    frame: Option<(Buffer, usize, usize)>,
}

/// Room for a frame to send.
pub struct Sending<'n> {
    of: &'n RefCell<Inner>,
}

impl RxToken for Received<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(mut self, read: F) -> R {
        match &self.frame {
            Some((buffer, header, bytes)) => {
                let answer = read(&buffer[*header..header + bytes]);
                self.give_back();
                answer
            }
            None => read(&[]),
        }
    }
}

impl Received<'_> {
    fn give_back(&mut self) {
        if let Some((buffer, ..)) = self.frame.take() {
            // The queue has the place that it had.
            let _ = self.of.borrow_mut().wait_for_frame(buffer);
        }
    }
}

impl Drop for Received<'_> {
    fn drop(&mut self) {
        self.give_back();
    }
}

impl TxToken for Sending<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, bytes: usize, fill: F) -> R {
        let buffer = self.of.borrow_mut().sending.take_free();
        let Some(mut buffer) = buffer else { return fill(&mut [0; FRAME_BYTES][..bytes]) };
        let header = self.of.borrow().raw.fill_buffer_header(&mut buffer[..]).unwrap_or(0);
        let answer = fill(&mut buffer[header..header + bytes]);
        self.of.borrow_mut().send(buffer, header + bytes);
        answer
    }
}

impl Device for Network {
    type RxToken<'n> = Received<'n>;
    type TxToken<'n> = Sending<'n>;

    fn receive(&mut self, _: Instant) -> Option<(Received<'_>, Sending<'_>)> {
        let mut inner = self.inner.borrow_mut();
        inner.reclaim();
        // An answer may be due at once.
        if !inner.sending.has_free() {
            return None;
        }
        let frame = inner.take_frame()?;
        drop(inner);
        Some((Received { of: &self.inner, frame: Some(frame) }, Sending { of: &self.inner }))
    }

    fn transmit(&mut self, _: Instant) -> Option<Sending<'_>> {
        let mut inner = self.inner.borrow_mut();
        inner.reclaim();
        let has_free = inner.sending.has_free();
        drop(inner);
        has_free.then_some(Sending { of: &self.inner })
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = FRAME_BYTES;
        capabilities.max_burst_size = Some(FRAMES);
        capabilities
    }
}
