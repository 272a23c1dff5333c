//! What an image declares: tasks, stacks, workers, by how many nodes it has.
//!
//! ```text
//!  number   1        2 … n+1           … 2n+1                …        …             …
//!  task     driver   each node's main  each node's network   spare    of `control`  of `realtime`
//! ```

use core::mem::MaybeUninit;

use tokkyu_contract::Class;
use tokkyu_node_rtos::{TASKS_MAX, Worker};
use tokkyu_rtos::{Mutex, Objects, Processor, Protocol, SpinLock, Task, TaskConfig};
use tokkyu_rtos_aarch64::{Stack, StackRange};

/// Bytes of each task's stack.
pub const STACK_BYTES: usize = 16 << 10;

/// The same of an image with C++: exceptions and streams take more.
pub const CPP_STACK_BYTES: usize = 48 << 10;

/// ITRON's priority of the interrupt of the network, or of the Linux beside: below the timer's.
pub(crate) const LINE_PRIORITY: i32 = -2;
/// Moves frames: below what is urgent, above what is not (NRT-11).
const DRIVER_PRIORITY: u8 = 9;
/// Of nodes' networks.
const NETWORK_PRIORITY: u8 = 10;

/// How many there are of what.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// Processors, 1 to 4.
    pub processors: usize,
    /// Nodes, at least 1.
    pub nodes: usize,
    /// Tasks for what else nodes start, `/clock` of simulated time for one.
    pub spare: usize,
    /// Tasks for callbacks of class `control`: one for each node that has such.
    pub control: usize,
    /// The same of class `realtime`.
    pub realtime: usize,
}

impl Counts {
    /// Tasks in all.
    pub const fn tasks(&self) -> usize {
        1 + self.nodes + self.workers()
    }

    /// Tasks for what nodes start.
    pub const fn workers(&self) -> usize {
        self.nodes + self.spare + self.control + self.realtime
    }

    /// The class of a worker, from 0.
    const fn class(&self, worker: usize) -> Option<Class> {
        if worker < self.nodes + self.spare {
            None
        } else if worker < self.nodes + self.spare + self.control {
            Some(Class::Control)
        } else {
            Some(Class::Realtime)
        }
    }
}

/// An array of what `MAKE` makes; `const` as arrays of what cannot be copied otherwise are not.
macro_rules! array {
    ($n:expr, $at:ident => $make:expr) => {{
        let mut all = [const { MaybeUninit::uninit() }; $n];
        let mut $at = 0;
        while $at < $n {
            all[$at] = MaybeUninit::new($make);
            $at += 1;
        }
        // SAFETY: each was written, and nobody else reads them.
        unsafe { all.as_ptr().cast::<[_; $n]>().read() }
    }};
}

/// The tasks; `on`: the processor of each node, from 1.
pub const fn tasks<const N: usize>(counts: Counts, on: &[u8]) -> [Task; N] {
    // Each has a row of its own where it waits (node/rtos/SPEC.md NRT-2).
    assert!(
        N <= TASKS_MAX,
        "an image has 32 tasks at most: fewer nodes, or fewer of control, realtime, spare"
    );
    assert!(counts.processors >= 1 && counts.processors <= 4, "an image has 1 to 4 processors");
    array!(N, at => {
        let worker = at.wrapping_sub(1 + counts.nodes);
        let (priority, processor) = if at == 0 {
            (DRIVER_PRIORITY, 1)
        } else if at <= counts.nodes {
            let processor = on[at - 1];
            assert!(
                processor >= 1 && processor as usize <= counts.processors,
                "a node is on a processor that the image has, from 1"
            );
            (Class::BestEffort.priorities().itron_task, processor)
        } else {
            match counts.class(worker) {
                None => (NETWORK_PRIORITY, 1),
                Some(class) => (class.priorities().itron_task, 1),
            }
        };
        let may_move_to = (1_u16 << counts.processors) as u8 - 1;
        Task::new(TaskConfig { priority, processor, may_move_to, active: at == 0, exinf: 0 })
    })
}

/// Where their stacks are.
pub const fn ranges<const BYTES: usize, const N: usize>(
    stacks: &'static [Stack<BYTES>; N],
) -> [StackRange; N] {
    array!(N, at => stacks[at].range())
}

/// The tasks for what nodes start.
pub const fn workers<const N: usize>(counts: Counts) -> [Worker; N] {
    array!(N, at => Worker::new((2 + counts.nodes + at) as i32, counts.class(at)))
}

static MUTEXES: [Mutex; 1] = [Mutex::new(Protocol::Ceiling(1))];
static SPIN_LOCKS: [SpinLock; 1] = [SpinLock::new()];

/// Number of the mutex of nodes' locks.
pub(crate) const MUTEX: i32 = 1;
/// Number of the spin lock of words.
pub(crate) const SPIN_LOCK: i32 = 1;

/// All objects of an image.
#[inline(always)]
pub const fn objects(processors: &'static [Processor], tasks: &'static [Task]) -> Objects {
    Objects { processors, tasks, mutexes: &MUTEXES, spin_locks: &SPIN_LOCKS, ..Objects::NONE }
}
