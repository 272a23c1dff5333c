//! What there is to know of a task: `ref_tsk`.

use super::{Kernel, Port, Result, Task};
use crate::task::{ANYWHERE, Wait, state, termination};

/// A task's state (SPEC.md RTK-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// `TTS_DMT`
    Dormant,
    /// `TTS_RDY`
    Ready,
    /// `TTS_RUN`
    Running,
    /// `TTS_WAI`
    Waiting,
    /// `TTS_SUS`
    Suspended,
    /// `TTS_WAS`
    WaitingSuspended,
    /// `TTS_RUS`
    RunningSuspended,
}

/// What `ref_tsk` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskStatus {
    /// `tskstat`
    pub state: TaskState,
    /// `tskpri`, from 1.
    pub priority: i32,
    /// `tskbpri`: without what follows from mutexes.
    pub base_priority: i32,
    /// `tskwait`, `wobjid`
    pub wait: Option<Wait>,
    /// `lefttmo`: microseconds; none if it waits for ever.
    pub left_us: Option<u64>,
    /// `actcnt`
    pub activations: u32,
    /// `wupcnt`
    pub wakeups: u32,
    /// `dister`: `ras_ter` does not end it at once.
    pub termination_disabled: bool,
    /// `raster`: it was asked to end meanwhile.
    pub termination_requested: bool,
    /// `prcid`: the processor it is assigned to, from 1.
    pub processor: i32,
    /// `actprc`: where a queued activation begins it; none if it did not say.
    pub activation_processor: Option<i32>,
}

/// What there is to know of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorStatus {
    /// `loc_cpu`
    pub cpu_locked: bool,
    /// `dis_dsp`
    pub dispatch_disabled: bool,
    /// `chg_ipm`
    pub priority_mask: i32,
}

impl<P: Port> Kernel<P> {
    /// `ref_tsk`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ref_tsk(&self, task: i32) -> Result<TaskStatus> {
        let (processor, _) = self.enter_task()?;
        let task = self.found(processor, self.task_or_self(processor, task))?;
        let at = self.lock_processor_of(task);
        let status = self.status(task);
        self.answer(processor, at, Ok(status))
    }

    /// Place among the ready tasks of its processor and priority, from 1, the running one included; of a system that stands still.
    pub fn order_among_ready(&self, task: &'static Task) -> Option<usize> {
        let at = task.at();
        at.ready
            .level(task.priority.get())
            .position(|ready| core::ptr::eq(ready, task))
            .map(|place| place + 1)
    }

    /// The same without a lock or a context: of a system that stands still.
    pub fn status(&self, task: &'static Task) -> TaskStatus {
        let at = task.at();
        let runs = at.current.is(task);
        let left = task.event.at_us().saturating_sub(self.port.now_us());
        let asked_for = task.activation.processor.get();
        TaskStatus {
            state: state_of(task, runs),
            priority: i32::from(task.priority.get()) + 1,
            base_priority: i32::from(task.base.get()) + 1,
            wait: task.wait(),
            left_us: task.event.is_set().then_some(left),
            activations: u32::from(task.activation.queued.get()),
            wakeups: u32::from(task.wakeups.get()),
            termination_disabled: task.termination.get() & termination::DISABLED != 0,
            termination_requested: task.termination.get() & termination::REQUESTED != 0,
            processor: at.index() as i32 + 1,
            activation_processor: (asked_for != ANYWHERE).then(|| i32::from(asked_for) + 1),
        }
    }
}

impl crate::Processor {
    /// Its state, of a system that stands still.
    pub fn status(&self) -> ProcessorStatus {
        ProcessorStatus {
            cpu_locked: self.is_cpu_locked(),
            dispatch_disabled: self.dispatch_disabled.get() != 0,
            priority_mask: -i32::from(self.mask.get()),
        }
    }
}

fn state_of(task: &Task, runs: bool) -> TaskState {
    let (waits, suspended) =
        (task.state.get() & state::WAITING != 0, task.state.get() & state::SUSPENDED != 0);
    match (task.is_dormant(), waits, suspended, runs) {
        (true, ..) => TaskState::Dormant,
        (false, true, true, _) => TaskState::WaitingSuspended,
        (false, true, false, _) => TaskState::Waiting,
        (false, false, true, true) => TaskState::RunningSuspended,
        (false, false, true, false) => TaskState::Suspended,
        (false, false, false, true) => TaskState::Running,
        (false, false, false, false) => TaskState::Ready,
    }
}
