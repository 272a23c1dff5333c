//! One publisher of a subscription: its samples, one after the other, whichever way they come.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_graph::{Object, Origin, Payload};
use tokkyu_topic::{Near, Reader, SampleHere};

use crate::port::{Borrower, Receipt};

pub(crate) struct Link {
    pub(crate) origin: Arc<Origin>,
    pub(crate) way: Way,
    /// The publisher has gone; what waits is still to be read.
    pub(crate) is_gone: bool,
}

/// How the samples come.
pub(crate) enum Way {
    /// Slots of this process: of a publisher here, or of what comes over TCPROS.
    Slots(Reader<Payload>),
    Shared(Borrowing),
}

/// Shared memory.
pub(crate) struct Borrowing {
    borrower: Box<dyn Borrower>,
    /// Where the publisher looks what was taken, if the subscription is reliable.
    receipt: Option<Box<dyn Receipt>>,
    /// The number of the sample that comes next; nothing: none has come yet.
    next: Option<u32>,
}

/// A sample that was taken; the link waits until it is given back.
pub(crate) enum Taken<'l> {
    Slot(SampleHere<'l, Payload>),
    Shared(Borrowed<'l>),
}

/// A sample of another program, given back when this is dropped.
pub(crate) struct Borrowed<'l> {
    borrower: &'l mut (dyn Borrower + 'static),
    sequence: u32,
    missed: u32,
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        self.borrower.give_back();
    }
}

impl Link {
    pub(crate) fn of_slots(origin: Arc<Origin>, reader: Reader<Payload>) -> Link {
        Link { origin, way: Way::Slots(reader), is_gone: false }
    }

    pub(crate) fn of_process(
        origin: Arc<Origin>,
        borrower: Box<dyn Borrower>,
        receipt: Option<Box<dyn Receipt>>,
    ) -> Link {
        Link { origin, way: Way::Shared(Borrowing { borrower, receipt, next: None }), is_gone: false }
    }

    /// What is looked at when a sample is taken.
    pub(crate) fn add_to(&self, near: &mut Near) {
        near.add_to_write(self);
        if let Way::Slots(reader) = &self.way {
            reader.add_to(near);
        }
    }

    pub(crate) fn has_waiting(&self) -> bool {
        self.waiting() > 0
    }

    /// Samples that wait; of a process, whether there are some.
    pub(crate) fn waiting(&self) -> u32 {
        match &self.way {
            Way::Slots(reader) => reader.waiting(),
            Way::Shared(borrowing) => borrowing.borrower.has_waiting().into(),
        }
    }

    /// Whether nothing will come any more, right after `take` has found nothing. What a process had in a queue may have gone with it.
    pub(crate) fn is_over(&self) -> bool {
        let is_drained = matches!(self.way, Way::Shared(..)) || !self.has_waiting();
        self.is_gone && is_drained
    }
}

impl Way {
    /// The oldest sample that waits. Never more than one is held.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Result<Option<Taken<'_>>, String> {
        match self {
            Way::Slots(reader) => Ok(reader.take_here().ok().flatten().map(Taken::Slot)),
            Way::Shared(borrowing) => borrowing.take(),
        }
    }
}

impl Borrowing {
    fn take(&mut self) -> Result<Option<Taken<'_>>, String> {
        let Some(sequence) = self.borrower.take()? else { return Ok(None) };
        let missed = self.next.map_or(0, |next| sequence.wrapping_sub(next));
        self.next = Some(sequence.wrapping_add(1));
        self.receipt.iter().for_each(|receipt| receipt.say(sequence));
        Ok(Some(Taken::Shared(Borrowed { borrower: &mut *self.borrower, sequence, missed })))
    }
}

impl Taken<'_> {
    pub(crate) fn sequence(&self) -> u32 {
        match self {
            Taken::Slot(sample) => sample.sequence(),
            Taken::Shared(borrowed) => borrowed.sequence,
        }
    }

    pub(crate) fn missed(&self) -> u32 {
        match self {
            Taken::Slot(sample) => sample.missed(),
            Taken::Shared(borrowed) => borrowed.missed,
        }
    }

    pub(crate) fn object(&self) -> Option<&Arc<dyn Object>> {
        if let Taken::Slot(sample) = self { sample.object() } else { None }
    }

    /// The wire form; of an object it is made in `scratch`.
    pub(crate) fn wire<'s>(&'s self, scratch: &'s mut Vec<u8>) -> &'s [u8] {
        match self {
            Taken::Slot(sample) => sample.wire(scratch).unwrap_or_default(),
            Taken::Shared(borrowed) => borrowed.borrower.bytes(),
        }
    }
}
