//! What a slot of a topic holds: a message in its wire form, an object that has one (NODE-54), or memory that processes share (NODE-82).

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;

use tokkyu_topic::{Channel, Doorbell, Exceeded, JoinError, Limits, Publisher, Reader, Terms};

/// A message that is shared as it is: who reads it in the same process gets this very object.
pub trait Object: Any + Send + Sync {
    /// Bytes of its wire form.
    fn wire_len(&self) -> usize;

    /// Writes its wire form into `out`, which is [`Object::wire_len`] long.
    fn write(&self, out: &mut [u8]);
}

/// Memory of somebody else's: what it says stays the same as long as somebody has it.
pub type Lent = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The content of a slot.
pub struct Payload {
    /// As long as the longest message so far: it is not cleared for each.
    memory: Vec<u8>,
    form: Form,
}

enum Form {
    /// So many bytes of `memory`.
    Own(usize),
    Object(Arc<dyn Object>),
    Lent(Lent),
}

/// A message is longer than memory there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory {
    /// Its bytes.
    pub bytes: usize,
}

impl fmt::Display for NoMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no memory for a message of {} bytes", self.bytes)
    }
}

impl core::error::Error for NoMemory {}

impl Payload {
    /// Empty, with memory for messages of `bytes`; for longer ones it takes more when they come.
    fn with_capacity(bytes: usize) -> Result<Payload, NoMemory> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(bytes).map_err(|_| NoMemory { bytes })?;
        Ok(Payload { memory, form: Form::Own(0) })
    }

    /// A message of `len` bytes to fill; they are what some former message had.
    ///
    /// # Errors
    ///
    /// [`NoMemory`].
    pub fn bytes_mut(&mut self, len: usize) -> Result<&mut [u8], NoMemory> {
        self.begin(len)?;
        Ok(self.part_mut(0, len))
    }

    /// A message of `len` bytes begins, which come one after the other: [`Payload::part_mut`]. There is room for it, but the system gives memory
    /// only as they come, not for what somebody only says.
    ///
    /// # Errors
    ///
    /// [`NoMemory`].
    pub fn begin(&mut self, len: usize) -> Result<(), NoMemory> {
        if let Some(more) = len.checked_sub(self.memory.len()) {
            self.memory.try_reserve_exact(more).map_err(|_| NoMemory { bytes: len })?;
        }
        self.form = Form::Own(len);
        Ok(())
    }

    /// `count` bytes from `offset` on of the message that began. All before them were asked for already.
    pub fn part_mut(&mut self, offset: usize, count: usize) -> &mut [u8] {
        let end = (offset + count).min(self.own_len());
        if self.memory.len() < end {
            self.memory.resize(end, 0);
        }
        &mut self.memory[offset.min(end)..end]
    }

    /// The bytes that [`Payload::bytes_mut`] gave, once more.
    pub fn filling(&mut self) -> &mut [u8] {
        self.part_mut(0, self.own_len())
    }

    /// Of a message in the slot's own memory.
    fn own_len(&self) -> usize {
        if let Form::Own(len) = self.form { len } else { 0 }
    }

    /// The message is this object.
    pub fn set_object(&mut self, object: Arc<dyn Object>) {
        self.form = Form::Object(object);
    }

    /// The message is what lies there.
    pub fn set_lent(&mut self, lent: Lent) {
        self.form = Form::Lent(lent);
    }

    /// The object, if it is one.
    pub fn object(&self) -> Option<&Arc<dyn Object>> {
        if let Form::Object(object) = &self.form { Some(object) } else { None }
    }

    /// The wire form as it lies in memory; of an object it is empty.
    pub fn bytes(&self) -> &[u8] {
        match &self.form {
            Form::Own(len) => &self.memory[..(*len).min(self.memory.len())],
            Form::Object(_) => &[],
            Form::Lent(lent) => (**lent).as_ref(),
        }
    }

    /// Bytes of the wire form.
    pub fn wire_len(&self) -> usize {
        self.object().map_or_else(|| self.bytes().len(), |object| object.wire_len())
    }

    /// Writes the wire form into `out`, which is [`Payload::wire_len`] long.
    pub fn write(&self, out: &mut [u8]) {
        match self.object() {
            Some(object) => object.write(out),
            None => out.copy_from_slice(self.bytes()),
        }
    }

    /// The wire form; of an object it is made in `scratch`.
    ///
    /// # Errors
    ///
    /// [`NoMemory`].
    pub fn wire<'s>(&'s self, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], NoMemory> {
        let Some(object) = self.object() else { return Ok(self.bytes()) };
        let len = object.wire_len();
        scratch.clear();
        scratch.try_reserve(len).map_err(|_| NoMemory { bytes: len })?;
        scratch.resize(len, 0);
        object.write(scratch);
        Ok(scratch)
    }

    /// Lets go of what is not the slot's own; its memory stays.
    fn clear(&mut self) {
        self.form = Form::Own(0);
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payload")
            .field("len", &self.bytes().len())
            .field("is_object", &self.object().is_some())
            .finish()
    }
}

/// Why a topic has no channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoChannel {
    /// A limit is not possible.
    Exceeded(Exceeded),
    /// Its slots would take more memory than there is.
    NoMemory {
        /// How many.
        slots: u32,
        /// What each was to have.
        bytes: usize,
    },
}

impl From<Exceeded> for NoChannel {
    fn from(exceeded: Exceeded) -> NoChannel {
        NoChannel::Exceeded(exceeded)
    }
}

impl fmt::Display for NoChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoChannel::Exceeded(exceeded) => exceeded.fmt(f),
            NoChannel::NoMemory { slots, bytes } => {
                write!(f, "there is no memory for {slots} messages of {bytes} bytes")
            }
        }
    }
}

impl core::error::Error for NoChannel {}

/// A channel of payloads, each with memory for `bytes` at the beginning. What samples own ends with them (NODE-21).
///
/// # Errors
///
/// [`NoChannel`].
pub fn channel(
    limits: Limits,
    bytes: usize,
) -> Result<(Publisher<Payload>, Arc<Channel<Payload>>), NoChannel> {
    limits.check()?;
    let no_memory = |_| NoChannel::NoMemory { slots: limits.slots, bytes };
    let mut payloads = (0..limits.slots)
        .map(|_| Payload::with_capacity(bytes))
        .collect::<Result<Vec<_>, _>>()
        .map_err(no_memory)?;
    let next = || payloads.pop().expect("one for each slot");
    Ok(Channel::with_clearing(limits, next, Payload::clear)?)
}

/// Joins with as deep a queue as there are slots for.
///
/// # Errors
///
/// [`JoinError`]: there is no place, whatever the depth.
pub fn join(
    channel: &Arc<Channel<Payload>>,
    mut terms: Terms,
    bell: &Arc<dyn Doorbell>,
    source: u32,
) -> Result<Reader<Payload>, JoinError> {
    terms.depth = terms.depth.clamp(1, channel.limits().depth);
    loop {
        match channel.join(terms, bell.clone(), source) {
            Err(JoinError::Slots { .. }) if terms.depth > 1 => terms.depth /= 2,
            other => return other,
        }
    }
}
