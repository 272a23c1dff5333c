//! What is to be done and watched in one scenario: numbers alone, so that any port can carry it.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

/// The processor on which nothing of a scenario runs, and the conductor does: the last.
pub const PROCESSORS: usize = 4;
/// Priority of the conductor.
pub const CONDUCTOR_PRIORITY: u8 = 1;

/// Who does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Actor {
    /// A task of the scenario, by its number.
    Task(u16),
    /// An alarm's handler.
    Alarm(u16),
    /// A cyclic notification's handler.
    Cyclic(u16),
    /// A line's handler, by its place in [`Declared::lines`].
    Line(u16),
    /// The handler of a CPU exception, of the processor.
    Exception(u16),
    /// Who conducts the scenario: a task on a processor of its own.
    Conductor,
}

/// A call with its arguments; what is not needed is 0. Times are microseconds, -1 is for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Which.
    pub function: Function,
    /// Its arguments.
    pub arguments: [i64; 5],
}

macro_rules! functions {
    ($($name:ident),* $(,)?) => {
        /// Calls, by the specification's names.
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Function { $($name),* }

        impl Function {
            /// All of them.
            pub const ALL: &[Function] = &[$(Function::$name),*];

            /// The specification's name.
            pub const fn name(self) -> &'static str {
                match self { $(Function::$name => stringify!($name)),* }
            }
        }
    };
}

functions!(
    act_tsk,
    mact_tsk,
    can_act,
    ext_tsk,
    ter_tsk,
    mig_tsk,
    chg_pri,
    get_pri,
    rot_rdq,
    mrot_rdq,
    slp_tsk,
    tslp_tsk,
    wup_tsk,
    can_wup,
    rel_wai,
    dly_tsk,
    sus_tsk,
    rsm_tsk,
    ref_tsk,
    get_tid,
    get_inf,
    get_pid,
    loc_cpu,
    unl_cpu,
    dis_dsp,
    ena_dsp,
    chg_ipm,
    get_ipm,
    dis_int,
    ena_int,
    get_tim,
    sns_ctx,
    sns_loc,
    sns_dsp,
    sns_dpn,
    sns_ker,
    xsns_dpn,
    sig_sem,
    wai_sem,
    twai_sem,
    pol_sem,
    ini_sem,
    ref_sem,
    set_flg,
    clr_flg,
    wai_flg,
    twai_flg,
    pol_flg,
    ini_flg,
    ref_flg,
    snd_dtq,
    tsnd_dtq,
    psnd_dtq,
    fsnd_dtq,
    rcv_dtq,
    trcv_dtq,
    prcv_dtq,
    ini_dtq,
    ref_dtq,
    snd_pdq,
    tsnd_pdq,
    psnd_pdq,
    rcv_pdq,
    trcv_pdq,
    prcv_pdq,
    ini_pdq,
    ref_pdq,
    get_mpf,
    tget_mpf,
    pget_mpf,
    rel_mpf,
    ini_mpf,
    ref_mpf,
    loc_spn,
    try_spn,
    unl_spn,
    ref_spn,
    sta_cyc,
    msta_cyc,
    stp_cyc,
    ref_cyc,
    sta_alm,
    msta_alm,
    stp_alm,
    ref_alm,
    // Not of the specification: what the suite calls to make something happen.
    raise_line,
    raise_exception,
    hand_back,
);

/// What a call has to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    /// Anything.
    Any,
    /// This error's number; 0 is `E_OK`.
    Code(i32),
    /// This value, without an error.
    Value(i64),
}

/// A step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Action {
    /// Somebody calls, and everybody goes on until nobody can.
    Do {
        /// Who.
        actor: Actor,
        /// What.
        call: Call,
        /// What it answers, at the latest when it runs at the end.
        wanted: Wanted,
    },
    /// Time goes on.
    Advance {
        /// By so much.
        us: u64,
    },
    /// All of these hold.
    Check(Vec<Condition>),
    /// A handler that waits for its next call returns, if it runs.
    ReturnIfActive(Actor),
}

/// Something that can be watched, and what it is to be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Condition {
    /// What.
    pub watch: Watch,
    /// What it has to be.
    pub value: i64,
    /// How the scenario says it.
    pub words: String,
}

/// Kinds of objects with waiting tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Queue {
    /// Of a semaphore.
    Semaphore,
    /// Of an event flag.
    EventFlag,
    /// Senders of a data queue.
    DataSenders,
    /// Receivers.
    DataReceivers,
    /// Senders of a priority data queue.
    PrioritySenders,
    /// Receivers.
    PriorityReceivers,
    /// Of a memory pool.
    MemoryPool,
}

/// What can be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Watch {
    /// A task's field.
    Task(u16, TaskField),
    /// How many wait.
    Waiting(Queue, u16),
    /// Who waits at this place.
    WaitingAt(Queue, u16, u16),
    /// With what data or bits.
    WaitingData(Queue, u16, u16),
    /// With what priority of data or mode.
    WaitingMore(Queue, u16, u16),
    /// A semaphore's count.
    SemaphoreCount(u16),
    /// A flag's pattern.
    FlagPattern(u16),
    /// How many words are in a data queue.
    DataCount(u16),
    /// The word at this place.
    DataAt(u16, u16),
    /// How many words are in a priority data queue.
    PriorityCount(u16),
    /// The word at this place.
    PriorityDataAt(u16, u16),
    /// Its priority.
    PriorityAt(u16, u16),
    /// A pool's free blocks.
    FreeBlocks(u16),
    /// The processor that has a spin lock; 0: none.
    SpinOwner(u16),
    /// Whether an alarm or cyclic notification is started.
    Started(Actor),
    /// Milliseconds until it is due.
    LeftTicks(Actor),
    /// Its processor.
    AssignedTo(Actor),
    /// Whether a handler is the innermost that runs on its processor.
    Active(Actor),
    /// How many times it has returned.
    Returned(Actor),
    /// Whether a line is enabled.
    LineEnabled(u16),
    /// Whether a processor is locked.
    CpuLocked(u16),
    /// Whether dispatching is disabled there.
    DispatchDisabled(u16),
    /// Its priority mask.
    Mask(u16),
    /// What the last call of somebody brought.
    Out(Actor, u8),
    /// The spin lock that somebody is trying to get; 0: none.
    SpinsFor(Actor),
}

/// Of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskField {
    /// As [`state_code`].
    State,
    /// From 1.
    Priority,
    /// As [`wait_code`].
    Wait,
    /// Milliseconds; -1: for ever.
    LeftTicks,
    /// Queued.
    Wakeups,
    /// Queued.
    Activations,
    /// 0: it did not say.
    ActivationProcessor,
    /// From 1.
    Processor,
    /// Among the ready ones of its priority, from 1.
    Order,
    /// Activations since the first.
    Boots,
}

/// A task's state as a number: `TTS_…`.
pub fn state_code(state: tokkyu_rtos::TaskState) -> i64 {
    use tokkyu_rtos::TaskState::{
        Dormant, Ready, Running, RunningSuspended, Suspended, Waiting, WaitingSuspended,
    };
    match state {
        Running => 1,
        Ready => 2,
        Waiting => 4,
        Suspended => 8,
        WaitingSuspended => 12,
        RunningSuspended => 9,
        Dormant => 16,
    }
}

/// What a task waits for as a number: kind and object.
pub fn wait_code(wait: Option<tokkyu_rtos::Wait>) -> i64 {
    use tokkyu_rtos::Wait;
    let (kind, number) = match wait {
        None => (0, 0),
        Some(Wait::Sleep) => (1, 0),
        Some(Wait::Delay) => (2, 0),
        Some(Wait::Semaphore(number)) => (3, number),
        Some(Wait::EventFlag(number)) => (4, number),
        Some(Wait::SendDataQueue(number)) => (5, number),
        Some(Wait::ReceiveDataQueue(number)) => (6, number),
        Some(Wait::SendPriorityQueue(number)) => (7, number),
        Some(Wait::ReceivePriorityQueue(number)) => (8, number),
        Some(Wait::MemoryPool(number)) => (9, number),
        Some(Wait::Mutex(number)) => (10, number),
    };
    kind * 1000 + i64::from(number)
}

/// A task of the scenario.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct DeclaredTask {
    /// From 1.
    pub priority: u8,
    /// From 1.
    pub processor: u8,
    /// A bit for each processor.
    pub may_move_to: u8,
    /// `exinf`
    pub exinf: usize,
}

/// A timed notification of the scenario.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct DeclaredTimed {
    /// From 1.
    pub processor: u8,
    /// A bit for each processor.
    pub may_move_to: u8,
    /// Of a cyclic one.
    pub period_us: u32,
    /// Of a cyclic one.
    pub phase_us: u32,
    /// `TA_STA`
    pub started: bool,
}

/// A data queue, either kind, or a pool.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct DeclaredQueue {
    /// Words or blocks.
    pub room: u16,
    /// `TA_TPRI`
    pub by_priority: bool,
}

/// A semaphore.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct DeclaredSemaphore {
    /// `isemcnt`
    pub initial: u32,
    /// `maxsem`
    pub most: u32,
    /// `TA_TPRI`
    pub by_priority: bool,
}

/// An event flag.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct DeclaredFlag {
    /// `iflgptn`
    pub initial: u32,
    /// `TA_WMUL`
    pub many: bool,
    /// `TA_CLR`
    pub clear: bool,
    /// `TA_TPRI`
    pub by_priority: bool,
}

/// An interrupt line.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct DeclaredLine {
    /// `intno`
    pub number: u32,
    /// From 1.
    pub processor: u8,
    /// `intpri`
    pub priority: i32,
    /// `TA_ENAINT`
    pub enabled: bool,
}

/// The objects of a scenario.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Declared {
    /// Tasks; the conductor comes after them.
    pub tasks: Vec<DeclaredTask>,
    /// Semaphores.
    pub semaphores: Vec<DeclaredSemaphore>,
    /// Event flags.
    pub flags: Vec<DeclaredFlag>,
    /// Data queues.
    pub data_queues: Vec<DeclaredQueue>,
    /// Priority data queues.
    pub priority_queues: Vec<DeclaredQueue>,
    /// Memory pools.
    pub pools: Vec<DeclaredQueue>,
    /// How many spin locks.
    pub spin_locks: u16,
    /// Cyclic notifications.
    pub cyclics: Vec<DeclaredTimed>,
    /// Alarm notifications.
    pub alarms: Vec<DeclaredTimed>,
    /// Interrupt lines.
    pub lines: Vec<DeclaredLine>,
}

/// An initialization or termination routine.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Routine {
    /// After the last task, not before the first.
    pub at_end: bool,
    /// What it does.
    pub call: Call,
    /// What that answers.
    pub wanted: Wanted,
}

/// One scenario.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// Its objects.
    pub declared: Declared,
    /// What is done, in order.
    pub actions: Vec<Action>,
    /// What is done before and after.
    pub routines: Vec<Routine>,
}
