//! A topic over memory that is given to it, between two sides of which neither trusts the other: another process, another operating system
//! (SPEC, NODE-25).
//!
//! ```text
//!  memory   magic │ slots │ bytes of a slot │ written │ bell │ …64 bytes │ slot 0 │ slot 1 │ …        words of 32 bits
//!  slot     stamp │ length │ message │ …to a multiple of 64 bytes
//!  stamp    of sample n in slot n modulo slots: 2n + 1 while it is written, 2n + 2 afterwards
//! ```
//!
//! Who writes reads nothing there: a reader cannot reach it. Who reads takes nothing for granted: what it finds is a whole message of the form
//! that both agreed on, or a loss that is counted, whatever the other side does, and each take has a bounded number of steps. What the other side
//! says in a message is for the program to judge. Readers write nothing, so there may be any number of them, with memory that they
//! may only read. Orders of memory: H.-J. Boehm, Can seqlocks get along with programming language memory models?, MSPC 2012.

use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::fence;

const MAGIC: u32 = u32::from_le_bytes(*b"TKW1");
const WORDS_OF_HEADER: usize = 16;
const WRITTEN: usize = 3;
const BELL: usize = 4;
/// Of a slot, before its message.
const WORDS_OF_SLOT: usize = 2;
const MOST_SLOTS: u32 = 1 << 14;
const MOST_BYTES: u32 = 64 << 20;

/// The form of a window, on which both sides agreed before: neither asks the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowForm {
    slots: u32,
    slot_bytes: u32,
}

/// Why there is no window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowError {
    /// Slots are a power of two from 2 to 16 384, and have 1 byte to 64 MiB.
    Form,
    /// The memory is shorter than that: so many words of 32 bits are wanted.
    Short(usize),
    /// What is there is of another form, or nobody has made it yet.
    Foreign,
}

impl fmt::Display for WindowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WindowError::Form => f.write_str("slots are a power of two from 2 to 16384, of 1 byte to 64 MiB"),
            WindowError::Short(words) => write!(f, "the memory is shorter than its {words} words"),
            WindowError::Foreign => f.write_str("the memory has another form, or nobody writes there yet"),
        }
    }
}

impl core::error::Error for WindowError {}

impl WindowForm {
    /// So many samples, of so many bytes at most.
    ///
    /// # Errors
    ///
    /// [`WindowError::Form`]
    pub const fn new(slots: u32, slot_bytes: u32) -> Result<WindowForm, WindowError> {
        if slots < 2
            || slots > MOST_SLOTS
            || !slots.is_power_of_two()
            || slot_bytes == 0
            || slot_bytes > MOST_BYTES
        {
            return Err(WindowError::Form);
        }
        Ok(WindowForm { slots, slot_bytes })
    }

    /// Words of 32 bits that a window of this form takes.
    pub const fn words(&self) -> usize {
        WORDS_OF_HEADER + self.slots as usize * self.stride()
    }

    const fn stride(&self) -> usize {
        (WORDS_OF_SLOT + self.slot_bytes.div_ceil(4) as usize).next_multiple_of(16)
    }

    /// Of the slot of a sample.
    fn place(&self, number: u32) -> usize {
        WORDS_OF_HEADER + (number & (self.slots - 1)) as usize * self.stride()
    }

    fn fits(&self, memory: &[AtomicU32]) -> Result<(), WindowError> {
        if memory.len() < self.words() { Err(WindowError::Short(self.words())) } else { Ok(()) }
    }
}

/// Numbers wrap: those of two samples in one slot differ by less than 2³¹ as long as a take is not overtaken so often.
const fn stamp(number: u32) -> u32 {
    number.wrapping_mul(2).wrapping_add(2)
}

/// The side that publishes. There is one.
pub struct WindowWriter<'m> {
    memory: &'m [AtomicU32],
    form: WindowForm,
    number: u32,
}

/// A message is longer than a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// Bytes that a slot has.
    pub most: u32,
}

impl<'m> WindowWriter<'m> {
    /// Makes a window of the memory. Readers that have another one there notice ([`WindowReader::restarts`]).
    ///
    /// # Errors
    ///
    /// [`WindowError::Short`]
    pub fn new(memory: &'m [AtomicU32], form: WindowForm) -> Result<Self, WindowError> {
        form.fits(memory)?;
        memory[..form.words()].iter().for_each(|word| word.store(0, Relaxed));
        memory[1].store(form.slots, Relaxed);
        memory[2].store(form.slot_bytes, Relaxed);
        memory[0].store(MAGIC, Release);
        Ok(WindowWriter { memory, form, number: 0 })
    }

    /// Publishes a message; the oldest in its slot goes. Answers its number. Takes as many steps as it has words.
    ///
    /// # Errors
    ///
    /// [`TooLong`]: nothing was published.
    pub fn publish(&mut self, message: &[u8]) -> Result<u32, TooLong> {
        if message.len() > self.form.slot_bytes as usize {
            return Err(TooLong { most: self.form.slot_bytes });
        }
        let number = self.number;
        let slot = &self.memory[self.form.place(number)..][..self.form.stride()];
        slot[0].store(stamp(number).wrapping_sub(1), Relaxed);
        // Who sees a word of this message sees that stamp, and throws it away.
        fence(Release);
        slot[1].store(message.len() as u32, Relaxed);
        for (word, bytes) in slot[WORDS_OF_SLOT..].iter().zip(message.chunks(4)) {
            let mut four = [0; 4];
            four[..bytes.len()].copy_from_slice(bytes);
            word.store(u32::from_le_bytes(four), Relaxed);
        }
        slot[0].store(stamp(number), Release);
        self.number = number.wrapping_add(1);
        self.memory[WRITTEN].store(self.number, Release);
        // Also a number of the window's own: it is not read.
        self.memory[BELL].store(self.number, Release);
        Ok(number)
    }

    /// The word that changes with each message, for a system's way to wake who sleeps at it: a futex, an interrupt.
    pub fn bell(&self) -> &'m AtomicU32 {
        &self.memory[BELL]
    }
}

/// A side that reads.
pub struct WindowReader<'m> {
    memory: &'m [AtomicU32],
    form: WindowForm,
    next: u32,
    lost: u64,
    broken: u64,
    restarts: u64,
}

/// A message that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowSample {
    /// Its number.
    pub number: u32,
    /// So many before it were lost since the one taken last.
    pub lost: u64,
}

enum Read {
    Whole,
    Overwritten,
    Broken,
}

impl<'m> WindowReader<'m> {
    /// Joins: it gets what is published from now on.
    ///
    /// # Errors
    ///
    /// [`WindowError::Short`], [`WindowError::Foreign`].
    pub fn new(memory: &'m [AtomicU32], form: WindowForm) -> Result<Self, WindowError> {
        form.fits(memory)?;
        let said = [0, 1, 2].map(|at| memory[at].load(Acquire));
        if said != [MAGIC, form.slots, form.slot_bytes] {
            return Err(WindowError::Foreign);
        }
        let next = memory[WRITTEN].load(Acquire);
        Ok(WindowReader { memory, form, next, lost: 0, broken: 0, restarts: 0 })
    }

    /// Takes the oldest message that is still there into `message`, which has the form's bytes at most afterwards. None: there is none now.
    pub fn take(&mut self, message: &mut Vec<u8>) -> Option<WindowSample> {
        let written = self.memory[WRITTEN].load(Acquire);
        let ahead = written.wrapping_sub(self.next);
        if ahead as i32 <= 0 {
            self.restarts += u64::from(ahead != 0);
            self.next = written;
            return None;
        }
        let mut lost = u64::from(ahead.saturating_sub(self.form.slots));
        self.next = self.next.wrapping_add(lost as u32);
        let mut taken = None;
        // Of those that were there when it looked, and no more: who writes meanwhile does not keep it here.
        for _ in 0..self.form.slots.min(ahead) {
            let number = self.next;
            self.next = number.wrapping_add(1);
            match self.read(number, message) {
                Read::Whole => {
                    taken = Some(WindowSample { number, lost });
                    break;
                }
                Read::Overwritten => lost += 1,
                Read::Broken => {
                    lost += 1;
                    self.broken += 1;
                }
            }
        }
        self.lost = self.lost.saturating_add(lost);
        taken
    }

    fn read(&self, number: u32, message: &mut Vec<u8>) -> Read {
        let slot = &self.memory[self.form.place(number)..][..self.form.stride()];
        message.clear();
        if slot[0].load(Acquire) != stamp(number) {
            return Read::Overwritten;
        }
        let len = slot[1].load(Relaxed);
        if len <= self.form.slot_bytes {
            let words = slot[WORDS_OF_SLOT..].iter().take(len.div_ceil(4) as usize);
            message.extend(words.flat_map(|word| word.load(Relaxed).to_le_bytes()));
            message.truncate(len as usize);
        }
        // What was read came before this look: it is of that stamp, or the stamp is another by now.
        fence(Acquire);
        match slot[0].load(Relaxed) == stamp(number) {
            false => Read::Overwritten,
            true if len > self.form.slot_bytes => Read::Broken,
            true => Read::Whole,
        }
    }

    /// Messages that were lost, those that were broken included.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Messages that said to be longer than any may be: the other side does not keep to the form.
    pub fn broken(&self) -> u64 {
        self.broken
    }

    /// How often numbers went back: the other side began anew, or does not keep to them.
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// The word that changes with each message. Sleep at it after a take that found none, with the value of before that take.
    pub fn bell(&self) -> &'m AtomicU32 {
        &self.memory[BELL]
    }
}

impl fmt::Debug for WindowReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WindowReader { form, next, lost, broken, restarts, .. } = self;
        write!(f, "{form:?}, next {next}, {lost} lost, {broken} of them broken, {restarts} restarts")
    }
}

impl fmt::Debug for WindowWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, next {}", self.form, self.number)
    }
}
