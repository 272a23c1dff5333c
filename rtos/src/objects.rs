//! All objects of a system, and how they are found by their numbers.

use crate::dataqueue::DataQueue;
use crate::error::{Error, Result};
use crate::eventflag::EventFlag;
use crate::memorypool::MemoryPool;
use crate::mutex::Mutex;
use crate::notification::{Alarm, Cyclic};
use crate::priorityqueue::PriorityQueue;
use crate::processor::Processor;
use crate::semaphore::Semaphore;
use crate::spinlock::SpinLock;
use crate::task::{Task, Wait};
use crate::waiting::Place;

/// The objects of a system, each found by its number: the first of a list is number 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Objects {
    /// 1 to 8 of them.
    pub processors: &'static [Processor],
    /// Tasks.
    pub tasks: &'static [Task],
    /// Semaphores.
    pub semaphores: &'static [Semaphore],
    /// Event flags.
    pub event_flags: &'static [EventFlag],
    /// Data queues.
    pub data_queues: &'static [DataQueue],
    /// Priority data queues.
    pub priority_queues: &'static [PriorityQueue],
    /// Fixed-size memory pools.
    pub memory_pools: &'static [MemoryPool],
    /// Mutexes.
    pub mutexes: &'static [Mutex],
    /// Spin locks.
    pub spin_locks: &'static [SpinLock],
    /// Cyclic notifications.
    pub cyclics: &'static [Cyclic],
    /// Alarm notifications.
    pub alarms: &'static [Alarm],
    /// `DEF_OVR`: there is an overrun handler. A system without one does not count what its tasks use.
    pub overrun: bool,
    /// Processors may have budgets (RTK-66). In a system where none may, what its tasks use of them is not looked at.
    pub budgets: bool,
}

/// The object of a number, from 1.
#[inline(always)]
pub(crate) fn of_number<T>(all: &'static [T], id: i32) -> Result<&'static T> {
    all.get((id as usize).wrapping_sub(1)).ok_or(Error::Id)
}

impl Objects {
    /// None at all.
    pub const NONE: Objects = Objects {
        processors: &[],
        tasks: &[],
        semaphores: &[],
        event_flags: &[],
        data_queues: &[],
        priority_queues: &[],
        memory_pools: &[],
        mutexes: &[],
        spin_locks: &[],
        cyclics: &[],
        alarms: &[],
        overrun: false,
        budgets: false,
    };

    /// Everything as it is before the system starts.
    pub(crate) fn reset(&self, now_us: u64) {
        for (index, processor) in self.processors.iter().enumerate() {
            processor.reset(index as u8, now_us);
        }
        (1..).zip(self.tasks).for_each(|(number, task)| task.reset(number, self.processors));
        self.semaphores.iter().for_each(Semaphore::reset);
        self.event_flags.iter().for_each(EventFlag::reset);
        self.data_queues.iter().for_each(DataQueue::reset);
        self.priority_queues.iter().for_each(PriorityQueue::reset);
        self.memory_pools.iter().for_each(MemoryPool::reset);
        (1..).zip(self.mutexes).for_each(|(number, mutex)| mutex.reset(number));
        self.spin_locks.iter().for_each(SpinLock::reset);
        (1..).zip(self.cyclics).for_each(|(number, cyclic)| cyclic.reset(number));
        (1..).zip(self.alarms).for_each(|(number, alarm)| alarm.reset(number));
    }

    /// The place at which a wait is; none for those that wait for time or a wake-up alone.
    pub(crate) fn place(&self, wait: Wait) -> Option<Place> {
        fn at<T>(all: &'static [T], number: u16) -> Option<&'static T> {
            of_number(all, i32::from(number)).ok()
        }
        match wait {
            Wait::Sleep | Wait::Delay => None,
            Wait::Semaphore(number) => at(self.semaphores, number).map(Semaphore::place),
            Wait::EventFlag(number) => at(self.event_flags, number).map(EventFlag::place),
            Wait::SendDataQueue(number) => at(self.data_queues, number).map(DataQueue::to_send),
            Wait::ReceiveDataQueue(number) => at(self.data_queues, number).map(DataQueue::to_receive),
            Wait::SendPriorityQueue(number) => at(self.priority_queues, number).map(PriorityQueue::to_send),
            Wait::ReceivePriorityQueue(number) => {
                at(self.priority_queues, number).map(PriorityQueue::to_receive)
            }
            Wait::MemoryPool(number) => at(self.memory_pools, number).map(MemoryPool::place),
            Wait::Mutex(number) => at(self.mutexes, number).map(Mutex::place),
        }
    }
}
