//! Packets out: one batch at a time, from the core's datagrams to one system call.
//!
//! QUIC's own queue is first in, first out and cannot be taken back, so at most one batch is ever in it; everything
//! that has to give way to something more urgent is still in the core. A batch holds datagrams of one class and one
//! size: the kernel cuts it into equal packets (GSO) and puts one mark on all of them. What QUIC itself has to say
//! rides along with the batch's class, or as [`Class::Control`] on its own.

use std::mem;
use std::net::IpAddr;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use quinn_proto::{SendDatagramError, Transmit};
use tokkyu_contract::{Class, MonoTime};

use super::association::Phase;
use super::{QuicTransport, SendRefused};
use crate::carrier::socket::{Parcel, Posted};

/// Datagrams in a batch: a quarter of a millisecond at a gigabit, what the core paces in one go.
const BATCH: usize = 40;
/// Most bytes the kernel takes in one call: an IP packet's length has 16 bits, headers included.
const BATCH_BYTES: usize = 65_000;

/// What is on its way to the socket.
pub(super) struct Outbox {
    /// Most datagrams in a batch of full packets.
    limit: usize,
    batch: Option<Batch>,
    /// What the full socket did not take. It is encrypted and numbered: it must go out as it is, before anything else.
    pub(super) blocked: Option<Parcel>,
    /// A buffer to be used again.
    spare: Vec<u8>,
    /// Where the datagrams of a batch stand, one behind the other.
    arena: BytesMut,
}

#[derive(Clone, Copy, Debug)]
struct Batch {
    class: Class,
    size: usize,
    count: usize,
}

impl Outbox {
    pub(super) fn new(udp_payload: u16) -> Outbox {
        let limit = BATCH.min(BATCH_BYTES / usize::from(udp_payload));
        Outbox {
            limit,
            batch: None,
            blocked: None,
            spare: Vec::with_capacity(BATCH_BYTES),
            arena: BytesMut::with_capacity(BATCH_BYTES),
        }
    }

    /// Memory that is used again once the batch is on its way.
    fn copy(&mut self, datagram: &[u8]) -> Bytes {
        self.arena.extend_from_slice(datagram);
        self.arena.split().freeze()
    }

    pub(super) fn is_blocked(&self) -> bool {
        self.blocked.is_some()
    }

    /// Forgets the batch, whose connection is gone.
    pub(super) fn forget_batch(&mut self) {
        self.batch = None;
    }

    pub(super) fn buffer(&mut self) -> Vec<u8> {
        let mut buffer = mem::take(&mut self.spare);
        buffer.clear();
        buffer
    }

    pub(super) fn give_back(&mut self, buffer: Vec<u8>) {
        self.spare = buffer;
    }

    fn fits(&self, class: Class, size: usize) -> bool {
        self.batch.is_none_or(|batch| batch.class == class && batch.size == size && batch.count < self.limit)
    }

    fn is_full(&self) -> bool {
        self.batch.is_some_and(|batch| batch.count >= self.limit)
    }

    /// Counts a datagram in. Only while the socket is full do two classes meet in a batch: the more urgent one's mark
    /// serves both.
    fn add(&mut self, class: Class, size: usize) {
        let batch = self.batch.get_or_insert(Batch { class, size, count: 0 });
        batch.class = batch.class.min(class);
        batch.size = size;
        batch.count += 1;
    }
}

impl QuicTransport {
    pub(super) fn queue(&mut self, now: MonoTime, class: Class, datagram: &[u8]) -> Result<(), SendRefused> {
        let Some(session) = &self.session else { return Err(SendRefused::NotUp) };
        let (bytes, max) = (datagram.len(), session.max_datagram);
        if bytes == 0 || bytes > max {
            return Err(SendRefused::Size { bytes, max });
        }
        if !self.outbox.fits(class, bytes) {
            self.transmit(now);
        }
        if self.outbox.is_full() {
            return Err(SendRefused::Blocked);
        }
        let datagram = self.outbox.copy(datagram);
        let association = self.session_association().ok_or(SendRefused::NotUp)?;
        let queued = association.connection.datagrams().send(datagram, false);
        queued.map_err(|refused| match refused {
            SendDatagramError::Blocked(_) => SendRefused::Blocked,
            SendDatagramError::TooLarge => SendRefused::Size { bytes, max },
            SendDatagramError::UnsupportedByPeer | SendDatagramError::Disabled => SendRefused::NotUp,
        })?;
        self.outbox.add(class, bytes);
        if self.outbox.is_full() {
            self.transmit(now);
        }
        Ok(())
    }

    /// Sends everything there is to send, until the socket is full.
    pub(super) fn transmit(&mut self, now: MonoTime) {
        if let Some(parcel) = self.outbox.blocked.take()
            && self.post(parcel) == Posted::Blocked
        {
            return;
        }
        let instant = self.clock.instant(now);
        for index in 0..self.associations.len() {
            if self.transmit_one(instant, index) == Posted::Blocked {
                return;
            }
        }
        self.outbox.batch = None;
    }

    fn transmit_one(&mut self, now: Instant, index: usize) -> Posted {
        loop {
            let mut bytes = self.outbox.buffer();
            let association = &mut self.associations[index];
            let is_session = association.phase == Phase::Session;
            let Some(transmit) = association.connection.poll_transmit(now, self.outbox.limit, &mut bytes)
            else {
                self.outbox.give_back(bytes);
                return Posted::Done;
            };
            let batch = self.outbox.batch.filter(|_| is_session);
            let class = batch.map_or(Class::Control, |batch| batch.class);
            if self.post(parcel(&transmit, class, bytes)) == Posted::Blocked {
                return Posted::Blocked;
            }
        }
    }

    /// Sends one packet that belongs to no connection. It is not worth a retry: a full socket drops it.
    pub(super) fn answer(&mut self, transmit: &Transmit, bytes: Vec<u8>) {
        let parcel = parcel(transmit, Class::Control, bytes);
        if !self.outbox.is_blocked() {
            self.socket.post(&parcel);
        }
        self.outbox.give_back(parcel.bytes);
    }

    fn post(&mut self, parcel: Parcel) -> Posted {
        let posted = self.socket.post(&parcel);
        match posted {
            Posted::Done => self.outbox.give_back(parcel.bytes),
            Posted::Blocked => self.outbox.blocked = Some(parcel),
        }
        posted
    }
}

fn parcel(transmit: &Transmit, class: Class, mut bytes: Vec<u8>) -> Parcel {
    bytes.truncate(transmit.size);
    Parcel {
        to: transmit.destination,
        from: transmit.src_ip.filter(|ip: &IpAddr| !ip.is_unspecified()),
        ecn: transmit.ecn.map_or(0, |ecn| ecn as u8),
        class,
        bytes,
        segment: transmit.segment_size,
    }
}
