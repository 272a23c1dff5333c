//! A priority data queue: what it holds and who waits. Its calls are in `calls/priorityqueue.rs`.

use crate::cell::{Half, Size};
use crate::error::{Error, Result};
use crate::lock::{Lock, RANK_OF_OBJECTS};
use crate::task::Task;
use crate::waiting::{Place, WaitQueue};

/// Number of priorities of data (`TMAX_DPRI`).
pub const DATA_PRIORITIES: usize = 16;
const NONE: u16 = u16::MAX;

/// Room for one word with its priority.
#[derive(Debug)]
pub struct PriorityCell {
    data: Size,
    priority: Half,
    next: Half,
}

impl PriorityCell {
    /// Empty.
    pub const fn new() -> PriorityCell {
        PriorityCell { data: Size::new(0), priority: Half::new(0), next: Half::new(NONE) }
    }
}

impl Default for PriorityCell {
    fn default() -> Self {
        Self::new()
    }
}

/// A queue of words by their priority, those of one priority in turn.
///
/// It knows the last cell of each priority, so that nobody looks for a place.
#[derive(Debug)]
pub struct PriorityQueue {
    pub(crate) cells: &'static [PriorityCell],
    priorities: u16,
    pub(crate) lock: Lock,
    pub(crate) head: Half,
    pub(crate) free: Half,
    pub(crate) count: Half,
    levels: Half,
    last: [Half; DATA_PRIORITIES],
    pub(crate) senders: WaitQueue,
    pub(crate) receivers: WaitQueue,
}

/// What `ref_pdq` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriorityQueueStatus {
    /// `stskid`
    pub sending: Option<i32>,
    /// `rtskid`
    pub receiving: Option<i32>,
    /// `spdqcnt`
    pub count: u32,
}

impl PriorityQueue {
    /// Of so many words with priorities from 1 to `priorities`, at most [`DATA_PRIORITIES`].
    pub const fn new(cells: &'static [PriorityCell], priorities: u16, by_priority: bool) -> PriorityQueue {
        PriorityQueue {
            cells,
            priorities,
            lock: Lock::new(RANK_OF_OBJECTS),
            head: Half::new(NONE),
            free: Half::new(NONE),
            count: Half::new(0),
            levels: Half::new(0),
            last: [const { Half::new(NONE) }; DATA_PRIORITIES],
            senders: WaitQueue::new(by_priority),
            receivers: WaitQueue::new(false),
        }
    }

    pub(crate) fn reset(&self) {
        self.empty();
        self.senders.clear();
        self.receivers.clear();
    }

    pub(crate) fn empty(&self) {
        let count = self.cells.len() as u16;
        for (number, cell) in (1..).zip(self.cells) {
            cell.next.set(if number < count { number } else { NONE });
        }
        self.free.set(if count == 0 { NONE } else { 0 });
        self.head.set(NONE);
        self.count.set(0);
        self.levels.set(0);
    }

    pub(crate) fn cell(&self, index: u16) -> Option<&'static PriorityCell> {
        self.cells.get(usize::from(index))
    }

    pub(crate) fn to_send(&'static self) -> Place {
        Place::new(&self.lock, &self.senders)
    }

    pub(crate) fn to_receive(&'static self) -> Place {
        Place::new(&self.lock, &self.receivers)
    }

    /// Its state, of a system that stands still.
    pub fn status(&self) -> PriorityQueueStatus {
        PriorityQueueStatus {
            sending: self.senders.first().map(Task::id),
            receiving: self.receivers.first().map(Task::id),
            count: u32::from(self.count.get()),
        }
    }

    /// What is in it, with priorities, in order, of a system that stands still.
    pub fn content(&self) -> impl Iterator<Item = (usize, i32)> {
        let cells = core::iter::successors(self.cell(self.head.get()), |cell| self.cell(cell.next.get()));
        cells.map(|cell| (cell.data.get(), i32::from(cell.priority.get()) + 1))
    }

    /// Who waits to send, what, and its priority, of a system that stands still.
    pub fn sending(&self) -> impl Iterator<Item = (&'static Task, usize, i32)> {
        self.senders.iter().map(|task| (task, task.waits.data.get(), task.waits.more.get() as i32 + 1))
    }

    /// Who waits to receive, of a system that stands still.
    pub fn receiving(&self) -> impl Iterator<Item = &'static Task> {
        self.receivers.iter()
    }

    /// `None` where there is no room.
    pub(crate) fn put(&self, data: usize, priority: u16) -> Option<()> {
        let level = usize::from(priority) % DATA_PRIORITIES;
        let index = self.free.get();
        let cell = self.cell(index)?;
        self.free.set(cell.next.get());
        cell.data.set(data);
        cell.priority.set(priority);
        let urgent = u32::from(self.levels.get()) & ((2 << level) - 1);
        let before = match urgent {
            0 => None,
            urgent => self.cell(self.last[urgent.ilog2() as usize % DATA_PRIORITIES].get()),
        };
        match before {
            Some(before) => {
                cell.next.set(before.next.get());
                before.next.set(index);
            }
            None => {
                cell.next.set(self.head.get());
                self.head.set(index);
            }
        }
        self.last[level].set(index);
        self.levels.set(self.levels.get() | 1 << level);
        self.count.set(self.count.get() + 1);
        Some(())
    }

    pub(crate) fn take(&self) -> Option<(usize, u16)> {
        let index = self.head.get();
        let cell = self.cell(index)?;
        let level = usize::from(cell.priority.get()) % DATA_PRIORITIES;
        if self.last[level].get() == index {
            self.levels.set(self.levels.get() & !(1 << level));
        }
        self.head.set(cell.next.get());
        cell.next.set(self.free.get());
        self.free.set(index);
        self.count.set(self.count.get() - 1);
        Some((cell.data.get(), cell.priority.get()))
    }

    pub(crate) fn level_of(&self, priority: i32) -> Result<u16> {
        let in_range = priority >= 1 && priority <= i32::from(self.priorities).min(DATA_PRIORITIES as i32);
        if in_range { Ok(priority as u16 - 1) } else { Err(Error::Parameter) }
    }
}
