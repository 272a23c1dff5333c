//! Tasks: what is declared of them, and what the kernel knows of them while it runs.

use crate::cell::{Byte, Half, Link, Long, Size, Word};
use crate::error::{Error, Result};
use crate::processor::Processor;
use crate::wheel::{Event, Owner};

/// Number of priorities (`TMAX_TPRI`), a power of two.
pub const PRIORITIES: usize = 16;

/// What is declared of a task.
#[derive(Clone, Copy, Debug)]
pub struct TaskConfig {
    /// From 1, the highest, to [`PRIORITIES`].
    pub priority: u8,
    /// Number of the processor it begins on, from 1.
    pub processor: u8,
    /// A bit for each processor it may be moved to, the first processor's the lowest.
    pub may_move_to: u8,
    /// `TA_ACT`: it is activated when the system starts.
    pub active: bool,
    /// What `get_inf` tells it.
    pub exinf: usize,
}

/// State bits. Dormant is none of them, running the ready task that its processor names.
pub(crate) mod state {
    pub(crate) const DORMANT: u8 = 0;
    /// Not dormant, whatever else.
    pub(crate) const ALIVE: u8 = 1;
    pub(crate) const WAITING: u8 = 2;
    pub(crate) const SUSPENDED: u8 = 4;
}

/// What a task says of being ended by `ras_ter`, as bits (SPEC.md RTK-18).
pub(crate) mod termination {
    pub(crate) const DISABLED: u8 = 1;
    /// Somebody has asked meanwhile: only with the other.
    pub(crate) const REQUESTED: u8 = 2;
}

/// What a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// `TTW_SLP`
    Sleep,
    /// `TTW_DLY`
    Delay,
    /// `TTW_SEM` and the semaphore's number.
    Semaphore(u16),
    /// `TTW_FLG`
    EventFlag(u16),
    /// `TTW_SDTQ`
    SendDataQueue(u16),
    /// `TTW_RDTQ`
    ReceiveDataQueue(u16),
    /// `TTW_SPDQ`
    SendPriorityQueue(u16),
    /// `TTW_RPDQ`
    ReceivePriorityQueue(u16),
    /// `TTW_MPF`
    MemoryPool(u16),
    /// `TTW_MTX`
    Mutex(u16),
}

impl Wait {
    const fn packed(self) -> u32 {
        let (kind, number) = match self {
            Wait::Sleep => (1, 0),
            Wait::Delay => (2, 0),
            Wait::Semaphore(number) => (3, number),
            Wait::EventFlag(number) => (4, number),
            Wait::SendDataQueue(number) => (5, number),
            Wait::ReceiveDataQueue(number) => (6, number),
            Wait::SendPriorityQueue(number) => (7, number),
            Wait::ReceivePriorityQueue(number) => (8, number),
            Wait::MemoryPool(number) => (9, number),
            Wait::Mutex(number) => (10, number),
        };
        kind << 16 | number as u32
    }

    const fn unpacked(word: u32) -> Option<Wait> {
        let number = word as u16;
        Some(match word >> 16 {
            1 => Wait::Sleep,
            2 => Wait::Delay,
            3 => Wait::Semaphore(number),
            4 => Wait::EventFlag(number),
            5 => Wait::SendDataQueue(number),
            6 => Wait::ReceiveDataQueue(number),
            7 => Wait::SendPriorityQueue(number),
            8 => Wait::ReceivePriorityQueue(number),
            9 => Wait::MemoryPool(number),
            10 => Wait::Mutex(number),
            _ => return None,
        })
    }
}

#[cold]
fn nowhere() -> ! {
    panic!("a task before its system is prepared, or declared for a processor that is not there")
}

/// A context that does not run: for the port, which may keep three words of it here, in this order.
#[repr(C)]
#[derive(Debug)]
pub struct Saved {
    stack: Size,
    code: Size,
    top: Size,
}

impl Saved {
    /// Nothing.
    pub const fn new() -> Saved {
        Saved { stack: Size::new(0), code: Size::new(0), top: Size::new(0) }
    }

    /// Where its stack begins, once and for all.
    pub fn set_top(&self, top: usize) {
        self.top.set(top);
    }

    /// Where its stack begins.
    #[inline(always)]
    pub fn top(&self) -> usize {
        self.top.get()
    }

    /// It will begin with an empty stack, at `code`.
    #[inline(always)]
    pub fn begin_at(&self, code: usize) {
        self.stack.set(self.top.get());
        self.code.set(code);
    }
}

impl Default for Saved {
    fn default() -> Self {
        Self::new()
    }
}

/// A task.
///
/// Guarded by the lock of the processor it is assigned to, save `next` and `prev` of a task that waits for an object: by
/// that object's lock; and what it waits with: written before it waits, and by who wakes it.
#[derive(Debug)]
pub struct Task {
    config: TaskConfig,
    pub(crate) number: Half,
    pub(crate) state: Byte,
    /// From 0, the highest.
    pub(crate) priority: Byte,
    /// The same without what follows from mutexes.
    pub(crate) base: Byte,
    /// The mutex that it took last, of those that it has; 0: it has none.
    pub(crate) held: Half,
    /// The processor it is assigned to. Changes with both processors' locks held.
    assigned: Link<Processor>,
    pub(crate) next: Link<Task>,
    pub(crate) prev: Link<Task>,
    pub(crate) activation: Activation,
    pub(crate) wakeups: Byte,
    /// Bits of [`termination`]. The first is changed by the task itself alone, while it runs.
    pub(crate) termination: Byte,
    pub(crate) waits: Waits,
    /// The end of its wait.
    pub(crate) event: Event,
    pub(crate) budget: Budget,
    saved: Saved,
}

/// The processor time after which the overrun handler is called (SPEC.md RTK-60).
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) started: Byte,
    /// Of a task that does not run; for one that does its processor knows when it will be over.
    pub(crate) left_us: Long,
}

/// An activation that is queued.
#[derive(Debug)]
pub(crate) struct Activation {
    pub(crate) queued: Byte,
    /// Where to, as an index; [`ANYWHERE`] if it did not say.
    pub(crate) processor: Byte,
}

/// A queued activation that named no processor.
pub(crate) const ANYWHERE: u8 = u8::MAX;

/// What a task waits for and with, and what came of it.
#[derive(Debug)]
pub(crate) struct Waits {
    for_what: Word,
    /// 0, or an error's number.
    outcome: Byte,
    /// What it sends or receives, a flag's pattern, a block's address.
    pub(crate) data: Size,
    /// The data's priority, a flag's mode.
    pub(crate) more: Word,
}

impl Task {
    /// Before the system starts.
    pub const fn new(config: TaskConfig) -> Task {
        Task {
            config,
            number: Half::new(0),
            state: Byte::new(state::DORMANT),
            priority: Byte::new(0),
            base: Byte::new(0),
            held: Half::new(0),
            assigned: Link::none(),
            next: Link::none(),
            prev: Link::none(),
            activation: Activation { queued: Byte::new(0), processor: Byte::new(ANYWHERE) },
            wakeups: Byte::new(0),
            termination: Byte::new(0),
            waits: Waits {
                for_what: Word::new(0),
                outcome: Byte::new(0),
                data: Size::new(0),
                more: Word::new(0),
            },
            event: Event::new(),
            budget: Budget { started: Byte::new(0), left_us: Long::new(0) },
            saved: Saved::new(),
        }
    }

    pub(crate) fn reset(&self, number: u16, processors: &'static [Processor]) {
        self.number.set(number);
        self.state.set(state::DORMANT);
        self.priority.set(self.config.priority - 1);
        self.base.set(self.config.priority - 1);
        self.held.set(0);
        self.assigned.set(processors.get(usize::from(self.config.processor).wrapping_sub(1)));
        self.activation.queued.set(0);
        self.activation.processor.set(ANYWHERE);
        self.wakeups.set(0);
        self.termination.set(0);
        self.budget.started.set(0);
        self.event.belongs_to(Owner::Task(number));
    }

    /// What was declared of it.
    pub fn config(&self) -> &TaskConfig {
        &self.config
    }

    /// Its number, from 1.
    pub fn id(&self) -> i32 {
        i32::from(self.number.get())
    }

    /// What the port keeps of its context.
    #[inline(always)]
    pub fn saved(&self) -> &Saved {
        &self.saved
    }

    /// The processor it is assigned to.
    #[inline(always)]
    pub(crate) fn at(&self) -> &'static Processor {
        match self.assigned.get() {
            Some(processor) => processor,
            None => nowhere(),
        }
    }

    #[inline(always)]
    pub(crate) fn is_at(&self, processor: &Processor) -> bool {
        self.assigned.is(processor)
    }

    pub(crate) fn assign(&self, to: &'static Processor) {
        self.assigned.set(Some(to));
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.state.get() & state::WAITING != 0
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.state.get() == state::ALIVE
    }

    pub(crate) fn is_dormant(&self) -> bool {
        self.state.get() == state::DORMANT
    }

    /// What it waits for.
    pub(crate) fn wait(&self) -> Option<Wait> {
        if self.is_waiting() { Wait::unpacked(self.waits.for_what.get()) } else { None }
    }

    pub(crate) fn set_wait(&self, wait: Wait) {
        self.waits.for_what.set(wait.packed());
    }

    pub(crate) fn set_outcome(&self, outcome: Result) {
        self.waits.outcome.set(outcome.map_or_else(|error| error as i8 as u8, |()| 0));
    }

    pub(crate) fn outcome(&self) -> Result {
        match Error::of(self.waits.outcome.get() as i8) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Whether it may be moved to the processor of this index.
    pub(crate) fn may_move_to(&self, processor: usize) -> bool {
        u32::from(self.config.may_move_to) >> (processor & 31) & 1 != 0
    }
}
