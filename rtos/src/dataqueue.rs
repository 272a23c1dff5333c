//! A data queue: what it holds and who waits. Its calls are in `calls/dataqueue.rs`.

use crate::cell::{Size, Word};
use crate::lock::{Lock, RANK_OF_OBJECTS};
use crate::task::Task;
use crate::waiting::{Place, WaitQueue};

/// Room for one word.
#[derive(Debug)]
pub struct DataCell(Size);

impl DataCell {
    /// Empty.
    pub const fn new() -> DataCell {
        DataCell(Size::new(0))
    }
}

impl Default for DataCell {
    fn default() -> Self {
        Self::new()
    }
}

/// A queue of words. Of a queue without cells a sender waits for its receiver.
#[derive(Debug)]
pub struct DataQueue {
    pub(crate) cells: &'static [DataCell],
    pub(crate) lock: Lock,
    pub(crate) head: Word,
    pub(crate) count: Word,
    pub(crate) senders: WaitQueue,
    pub(crate) receivers: WaitQueue,
}

/// What `ref_dtq` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataQueueStatus {
    /// `stskid`: the first that waits to send.
    pub sending: Option<i32>,
    /// `rtskid`: the first that waits to receive.
    pub receiving: Option<i32>,
    /// `sdtqcnt`
    pub count: u32,
}

impl DataQueue {
    /// Of so many words; senders wait by priority (`TA_TPRI`) or in turn, receivers in turn.
    pub const fn new(cells: &'static [DataCell], by_priority: bool) -> DataQueue {
        DataQueue {
            cells,
            lock: Lock::new(RANK_OF_OBJECTS),
            head: Word::new(0),
            count: Word::new(0),
            senders: WaitQueue::new(by_priority),
            receivers: WaitQueue::new(false),
        }
    }

    pub(crate) fn reset(&self) {
        self.head.set(0);
        self.count.set(0);
        self.senders.clear();
        self.receivers.clear();
    }

    pub(crate) fn to_send(&'static self) -> Place {
        Place::new(&self.lock, &self.senders)
    }

    pub(crate) fn to_receive(&'static self) -> Place {
        Place::new(&self.lock, &self.receivers)
    }

    /// Its state, of a system that stands still.
    pub fn status(&self) -> DataQueueStatus {
        DataQueueStatus {
            sending: self.senders.first().map(Task::id),
            receiving: self.receivers.first().map(Task::id),
            count: self.count.get(),
        }
    }

    /// What is in it, in order, of a system that stands still.
    pub fn content(&self) -> impl Iterator<Item = usize> {
        (0..self.count.get()).filter_map(|place| self.cell(place)).map(|cell| cell.0.get())
    }

    /// Who waits to send, and what, of a system that stands still.
    pub fn sending(&self) -> impl Iterator<Item = (&'static Task, usize)> {
        self.senders.iter().map(|task| (task, task.waits.data.get()))
    }

    /// Who waits to receive, of a system that stands still.
    pub fn receiving(&self) -> impl Iterator<Item = &'static Task> {
        self.receivers.iter()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.count.get() as usize >= self.cells.len()
    }

    /// The cell that is so many behind the first.
    pub(crate) fn cell(&self, place: u32) -> Option<&'static DataCell> {
        let at = (self.head.get() + place) as usize;
        self.cells.get(if at >= self.cells.len() { at - self.cells.len() } else { at })
    }

    pub(crate) fn put(&self, data: usize) {
        if let Some(cell) = self.cell(self.count.get()) {
            cell.0.set(data);
            self.count.set(self.count.get() + 1);
        }
    }

    pub(crate) fn take(&self) -> Option<usize> {
        let count = self.count.get().checked_sub(1)?;
        let data = self.cell(0)?.0.get();
        let next = self.head.get() + 1;
        self.head.set(if next as usize >= self.cells.len() { 0 } else { next });
        self.count.set(count);
        Some(data)
    }
}
