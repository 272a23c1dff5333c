//! A topic over memory that is given to it, between two sides of which neither trusts the other: another process, another operating system
//! (SPEC, NODE-25).
//!
//! ```text
//!  memory   magic │ slots │ bytes of a slot │ written │ bell │ turn │ …64 bytes │ slot 0 │ slot 1 │ …        words of 32 bits
//!  slot     stamp │ length │ message │ …to a multiple of 64 bytes
//!  stamp    of sample n in slot n modulo slots: 2n + 1 while it is written, 2n + 2 afterwards
//! ```
//!
//! Who writes reads nothing there, but the turn of the window before when it makes one: a reader cannot reach it. Who reads takes nothing for granted: what it finds is a whole message of the form
//! that both agreed on, or a loss that is counted, whatever the other side does, and each take has a bounded number of steps. What the other side
//! says in a message is for the program to judge. Readers write nothing, so there may be any number of them, with memory that they
//! may only read. Orders of memory: H.-J. Boehm, Can seqlocks get along with programming language memory models?, MSPC 2012.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::fence;

const MAGIC: u32 = u32::from_le_bytes(*b"TKW1");
const WORDS_OF_HEADER: usize = 16;
const WRITTEN: usize = 3;
const BELL: usize = 4;
const TURN: usize = 5;
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

    /// So many samples at a time.
    pub const fn slots(&self) -> u32 {
        self.slots
    }

    /// Of so many bytes at most.
    pub const fn slot_bytes(&self) -> u32 {
        self.slot_bytes
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
        let turn = memory[TURN].load(Relaxed).wrapping_add(1);
        let others = memory[..form.words()].iter().enumerate().filter(|(at, _)| *at != TURN);
        others.for_each(|(_, word)| word.store(0, Relaxed));
        memory[1].store(form.slots, Relaxed);
        memory[2].store(form.slot_bytes, Relaxed);
        memory[0].store(MAGIC, Release);
        // Last: who sees it sees nothing of the one before.
        memory[TURN].store(turn, Release);
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
        let loan = self.loan();
        loan.put(message);
        loan.publish(message.len() as u32)
    }

    /// The slot of the next message, to write that where readers find it; the oldest in there goes, also if this one is never published.
    pub fn loan(&mut self) -> WindowLoan<'_, 'm> {
        let memory: &'m [AtomicU32] = self.memory;
        let slot = &memory[self.form.place(self.number)..][..self.form.stride()];
        slot[0].store(stamp(self.number).wrapping_sub(1), Relaxed);
        // Who sees a word of this message sees that stamp, and throws it away.
        fence(Release);
        WindowLoan { writer: self, slot }
    }

    /// The word that changes with each message, for a system's way to wake who sleeps at it: a futex, an interrupt.
    pub fn bell(&self) -> &'m AtomicU32 {
        &self.memory[BELL]
    }
}

/// A slot in which a message is written. Nobody sees it before [`publish`](WindowLoan::publish).
#[must_use]
pub struct WindowLoan<'w, 'm> {
    writer: &'w mut WindowWriter<'m>,
    slot: &'m [AtomicU32],
}

impl<'m> WindowLoan<'_, 'm> {
    /// The message, in words of 32 bits, little-endian; as many as the form's bytes take. Each is written whole, in any order.
    pub fn words(&self) -> &'m [AtomicU32] {
        &self.slot[WORDS_OF_SLOT..][..self.writer.form.slot_bytes.div_ceil(4) as usize]
    }

    /// Writes bytes from its beginning on; those beyond its end are left out.
    pub fn put(&self, bytes: &[u8]) {
        for (word, bytes) in self.words().iter().zip(bytes.chunks(4)) {
            let mut four = [0; 4];
            four[..bytes.len()].copy_from_slice(bytes);
            word.store(u32::from_le_bytes(four), Relaxed);
        }
    }

    /// Publishes what was written: so many bytes. Takes the same few steps whatever their number. Answers the message's number.
    ///
    /// # Errors
    ///
    /// [`TooLong`]: nothing was published.
    pub fn publish(self, len: u32) -> Result<u32, TooLong> {
        let WindowLoan { writer, slot } = self;
        let (form, number) = (writer.form, writer.number);
        if len > form.slot_bytes {
            return Err(TooLong { most: form.slot_bytes });
        }
        slot[1].store(len, Relaxed);
        slot[0].store(stamp(number), Release);
        writer.number = number.wrapping_add(1);
        writer.memory[WRITTEN].store(writer.number, Release);
        // Also a number of the window's own: it is not read.
        writer.memory[BELL].store(writer.number, Release);
        Ok(number)
    }
}

/// A side that reads.
pub struct WindowReader<'m> {
    memory: &'m [AtomicU32],
    form: WindowForm,
    next: u32,
    /// Of the window that it reads.
    turn: u32,
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

/// A message where its writer has put it. It may be written over while it is looked at: [`WindowReader::is_whole`] says so afterwards.
#[derive(Clone, Copy)]
pub struct WindowView<'m> {
    /// Its number, and what was lost before it.
    pub sample: WindowSample,
    slot: &'m [AtomicU32],
    len: u32,
}

impl<'m> WindowView<'m> {
    /// Its bytes, in words of 32 bits, little-endian; the last one may have some more.
    pub fn words(&self) -> &'m [AtomicU32] {
        &self.slot[WORDS_OF_SLOT..][..self.len.div_ceil(4) as usize]
    }

    /// How many bytes it has: as the form allows.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// As bytes, as many as there is room for.
    pub fn copy_into(&self, bytes: &mut [u8]) {
        for (bytes, word) in bytes.chunks_mut(4).zip(self.words()) {
            bytes.copy_from_slice(&word.load(Relaxed).to_le_bytes()[..bytes.len()]);
        }
    }

    /// As bytes, in place of what is there.
    #[cfg(feature = "alloc")]
    pub fn copy_to(&self, message: &mut Vec<u8>) {
        message.clear();
        message.extend(self.words().iter().flat_map(|word| word.load(Relaxed).to_le_bytes()));
        message.truncate(self.len());
    }

    /// Whether it is still the message that was found. What was read came before this look: it is of that stamp, or the stamp is another by now.
    fn is_there(&self) -> bool {
        fence(Acquire);
        self.slot[0].load(Relaxed) == stamp(self.sample.number)
    }
}

impl fmt::Debug for WindowView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {} bytes", self.sample, self.len)
    }
}

enum Missing {
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
        let [turn, next] = [TURN, WRITTEN].map(|at| memory[at].load(Acquire));
        Ok(WindowReader { memory, form, next, turn, lost: 0, broken: 0, restarts: 0 })
    }

    /// Takes the oldest message that is still there into `message`, which has the form's bytes at most afterwards. None: there is none now.
    #[cfg(feature = "alloc")]
    pub fn take(&mut self, message: &mut Vec<u8>) -> Option<WindowSample> {
        self.find(|view| {
            view.copy_to(message);
            view.is_there()
        })
        .map(|view| view.sample)
    }

    /// The oldest message that is still there, to be looked at in its place. None: there is none now. After it was looked at,
    /// [`is_whole`](WindowReader::is_whole) says whether that was one message.
    pub fn look(&mut self) -> Option<WindowView<'m>> {
        self.find(|_| true)
    }

    /// Whether what was read of a message was all of it, and of it alone; otherwise it was written over meanwhile, and counts as lost.
    pub fn is_whole(&mut self, view: &WindowView<'m>) -> bool {
        let is_there = view.is_there();
        self.lost = self.lost.saturating_add(u64::from(!is_there));
        is_there
    }

    /// The oldest that is there, and that `is_taken`.
    fn find(&mut self, mut is_taken: impl FnMut(&WindowView<'m>) -> bool) -> Option<WindowView<'m>> {
        // In this order: what is of another turn is not without it.
        let [mut written, turn] = [WRITTEN, TURN].map(|at| self.memory[at].load(Acquire));
        if turn != self.turn {
            self.turn = turn;
            self.restarts += 1;
            written = self.memory[WRITTEN].load(Acquire);
            self.next = self.oldest(written);
        }
        if (written.wrapping_sub(self.next) as i32) < 0 {
            // A window never has fewer: it is being made anew, or was, of a turn that somebody has written over meanwhile.
            self.next = self.oldest(written);
        }
        let ahead = written.wrapping_sub(self.next);
        if ahead == 0 {
            return None;
        }
        let mut lost = u64::from(ahead.saturating_sub(self.form.slots));
        self.next = self.next.wrapping_add(lost as u32);
        let mut taken = None;
        // Of those that were there when it looked, and no more: who writes meanwhile does not keep it here.
        for _ in 0..self.form.slots.min(ahead) {
            let number = self.next;
            self.next = number.wrapping_add(1);
            match self.view(WindowSample { number, lost }) {
                Ok(view) if is_taken(&view) => {
                    taken = Some(view);
                    break;
                }
                Ok(_) | Err(Missing::Overwritten) => lost += 1,
                Err(Missing::Broken) => {
                    lost += 1;
                    self.broken += 1;
                }
            }
        }
        self.lost = self.lost.saturating_add(lost);
        taken
    }

    fn view(&self, sample: WindowSample) -> Result<WindowView<'m>, Missing> {
        let memory: &'m [AtomicU32] = self.memory;
        let slot = &memory[self.form.place(sample.number)..][..self.form.stride()];
        if slot[0].load(Acquire) != stamp(sample.number) {
            return Err(Missing::Overwritten);
        }
        let view = WindowView { sample, slot, len: slot[1].load(Relaxed) };
        match view.is_there() {
            false => Err(Missing::Overwritten),
            true if view.len > self.form.slot_bytes => Err(Missing::Broken),
            true => Ok(view),
        }
    }

    /// Goes on with the oldest message that is still there: what was published before it joined too.
    pub fn go_back(&mut self) {
        self.next = self.oldest(self.memory[WRITTEN].load(Acquire));
    }

    /// Of so many messages that were written.
    fn oldest(&self, written: u32) -> u32 {
        written - written.min(self.form.slots)
    }

    /// Messages that were lost, those that were broken included.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Messages that said to be longer than any may be: the other side does not keep to the form.
    pub fn broken(&self) -> u64 {
        self.broken
    }

    /// How often the other side made another window. What it has published since then is read.
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
