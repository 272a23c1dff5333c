//! A kernel for several processors, after the TOPPERS third-generation specification: tasks by priority on each processor, and
//! what they wait for.
//!
//! It runs without a standard library, without a heap and without a lock that all calls take. What it asks of the hardware is a
//! [`Port`]; what it has is declared before it starts, as [`Objects`]. Calls are methods of [`Kernel`] with the specification's names.
//!
//! Where to look: `kernel.rs` has what all calls are made of, `calls/` has them; an object is a file; `ready.rs`,
//! `waiting.rs` and `wheel.rs` the queues. Rules: SPEC.md.

#![no_std]
#![deny(unsafe_code)]

#[cfg(any(test, feature = "check"))]
extern crate std;

#[cfg(feature = "check")]
mod access;
mod budget;
mod call;
mod calls;
mod cell;
mod dataqueue;
mod error;
mod eventflag;
mod kernel;
mod lock;
mod memorypool;
mod mutex;
mod notification;
mod objects;
mod port;
mod priorityqueue;
mod processor;
mod ready;
mod ring;
mod semaphore;
#[cfg(feature = "check")]
mod sound;
mod spinlock;
mod task;
mod waiting;
mod wheel;

#[cfg(feature = "check")]
pub use access::on_access;
pub use call::Call;
pub use calls::{
    INITIAL_PROCESSOR, INTERRUPT_PRIORITY_MIN, OVERRUN_TIME_MAX_US, OWN_PRIORITY, OverrunStatus,
    ProcessorStatus, SELF, TaskState, TaskStatus,
};
pub use dataqueue::{DataCell, DataQueue, DataQueueStatus};
pub use error::{Error, Result};
pub use eventflag::{EventFlag, EventFlagConfig, EventFlagStatus, FlagMode};
pub use kernel::{Kernel, RELATIVE_TIME_MAX_US, Timeout};
pub use lock::Lock;
pub use memorypool::{BlockCell, MemoryPool, MemoryPoolStatus};
pub use mutex::{Mutex, MutexStatus, Protocol};
pub use notification::{Alarm, Assignment, Cyclic, CyclicConfig, NotificationStatus};
pub use objects::Objects;
pub use port::{Handler, Port};
pub use priorityqueue::{DATA_PRIORITIES, PriorityCell, PriorityQueue, PriorityQueueStatus};
pub use processor::Processor;
pub use semaphore::{Semaphore, SemaphoreStatus};
pub use spinlock::SpinLock;
pub use task::{PRIORITIES, Saved, Task, TaskConfig, Wait};
