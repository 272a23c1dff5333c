//! Memory that programs of one device share (SPEC, section 7). A system with one program has none.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

use tokkyu_contract::MonoTime;
use tokkyu_graph::Lent;
use tokkyu_topic::Doorbell;

/// What a port without other programs says.
const ALONE: &str = "this system has one program";

/// Shared memory. Where there is none, nothing of it has to be written.
pub trait Lend {
    /// What programs that share memory with this one say too (NODE-80). Nothing: there is one program here.
    ///
    /// # Errors
    ///
    /// Why memory cannot be shared, for people.
    fn device(&self) -> Result<Option<String>, String> {
        Ok(None)
    }

    /// A topic for subscribers in other programs. Nothing: there are none.
    ///
    /// # Errors
    ///
    /// Why there is none, for people.
    fn lender(&self, _limits: LendLimits) -> Result<Option<Arc<dyn Lender>>, String> {
        Ok(None)
    }

    /// Joins the topic that a lender called `name`, with a queue of that depth.
    ///
    /// # Errors
    ///
    /// [`OpenError`].
    fn borrow(&self, _name: &str, _depth: u32) -> Result<Box<dyn Borrower>, OpenError> {
        Err(OpenError::Other(ALONE.to_owned()))
    }

    /// A bell that other programs can ring.
    ///
    /// # Errors
    ///
    /// Why there is none, for people.
    fn shared_bell(&self) -> Result<Box<dyn SharedBell>, String> {
        Err(ALONE.to_owned())
    }

    /// The bell that another program called `name`.
    ///
    /// # Errors
    ///
    /// Why it cannot be rung, for people.
    fn remote_bell(&self, _name: &str) -> Result<Box<dyn RemoteBell>, String> {
        Err(ALONE.to_owned())
    }
}

/// What a topic between programs takes (NODE-73).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LendLimits {
    /// Subscribers in other programs at once.
    pub subscribers: u32,
    /// The deepest queue of a subscriber.
    pub depth: u32,
    /// Samples that one subscriber may hold.
    pub held: u32,
    /// Loans, and samples that readers of the publisher's own program hold, at once.
    pub own: u32,
    /// Whether the last sample is kept for who joins later.
    pub latch: bool,
    /// Bytes of a slot at the beginning; longer messages make longer slots.
    pub slot_bytes: usize,
}

/// A topic cannot be joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// So deep a queue at most.
    Deepest(u32),
    /// Why not, for people.
    Other(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Deepest(most) => write!(f, "the topic has queues of {most} samples at most"),
            OpenError::Other(text) => f.write_str(text),
        }
    }
}

/// There is no slot in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LendError {
    /// All of so many samples of this program are out.
    Own(u32),
    /// There is no memory.
    Memory,
}

/// The publisher's end of a topic between programs.
pub trait Lender: Send + Sync {
    /// What subscribers open it by.
    fn name(&self) -> &str;

    /// `len` bytes in shared memory to fill.
    ///
    /// # Errors
    ///
    /// [`LendError`].
    fn loan(&self, len: usize) -> Result<Box<dyn LendLoan>, LendError>;

    /// Gives what is latched to subscribers that came after it was sent.
    ///
    /// # Errors
    ///
    /// Why not, for people.
    fn greet(&self) -> Result<(), String>;

    /// Takes back what subscribers had that died.
    fn reclaim(&self);
}

/// A slot in shared memory. Dropped, it is free again.
pub trait LendLoan: Send {
    /// What it is filled with.
    fn bytes(&self) -> &[u8];

    /// The same, to fill.
    fn bytes_mut(&mut self) -> &mut [u8];

    /// Gives it to every subscriber's queue, then calls `wake`. What is returned is for readers in this program: the very bytes. Nothing: a queue is
    /// damaged, and others may have got the sample.
    fn send(self: Box<Self>, sequence: u32, wake: &dyn Fn()) -> Option<Lent>;
}

/// A subscriber's end of a topic between programs. It holds one sample at most.
pub trait Borrower: Send {
    /// How deep its queue is.
    fn depth(&self) -> u32;

    /// Takes the oldest sample that waits: its number. The one before is given back.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, for people.
    fn take(&mut self) -> Result<Option<u32>, String>;

    /// The sample that was taken last; empty: it was given back.
    fn bytes(&self) -> &[u8];

    /// Gives back the sample that was taken last.
    fn give_back(&mut self);

    /// Whether a sample waits.
    fn has_waiting(&self) -> bool;
}

/// A bell that other programs know by its name.
pub trait SharedBell: Doorbell {
    /// What they ring it by.
    fn name(&self) -> &str;

    /// The sources that rang since the last answer, a bit each.
    fn answer(&self) -> u32;

    /// Sleeps until somebody rings, or until that time. It may wake for nothing.
    fn sleep(&self, until: Option<MonoTime>);

    /// Where a link of a reliable subscription says what it has taken (NODE-86).
    ///
    /// # Errors
    ///
    /// Why there is no place, for people.
    fn receipt(&self) -> Result<Box<dyn Receipt>, String>;
}

/// One link's place beside a bell, until it is dropped.
pub trait Receipt: Send {
    /// Which one.
    fn number(&self) -> u32;

    /// The sample with that number was taken, and all before it.
    fn say(&self, sequence: u32);
}

/// A bell of another program.
pub trait RemoteBell: Send {
    /// Rings it at that source.
    fn ring(&self, source: u32);

    /// Its reliable link with that word has taken nothing yet, has a queue of that depth, and gets sample `next` first.
    ///
    /// # Errors
    ///
    /// Why there is no such word, for people.
    fn expect_receipts(&mut self, word: u32, depth: u32, next: u32) -> Result<(), String>;

    /// Whether that link has no room for sample `next`. False where no receipts are expected.
    fn is_full(&mut self, next: u32) -> bool;
}
