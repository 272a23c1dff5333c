//! What `ref_…` tell, as the header lays it out.
#![allow(non_camel_case_types)] // as C writes them
#![allow(missing_docs)] // the specification has them

use tokkyu_rtos::{
    DataQueueStatus, EventFlagStatus, MemoryPoolStatus, MutexStatus, NotificationStatus, OverrunStatus,
    PriorityQueueStatus, SemaphoreStatus, TaskState, TaskStatus, Wait,
};

/// What is told of a kind of objects.
pub trait Packet<Status> {
    /// As C has it.
    fn of(status: Status) -> Self;
}

/// `TSK_NONE`
fn task(id: Option<i32>) -> i32 {
    id.unwrap_or(0)
}

/// Microseconds that are left; `TMO_FEVR` or the like where there are none.
fn left(us: Option<u64>) -> u32 {
    us.map_or(u32::MAX, |us| us.min(u64::from(u32::MAX - 1)) as u32)
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct T_RTSK {
    pub tskstat: u32,
    pub tskpri: i32,
    pub tskbpri: i32,
    pub tskwait: u32,
    pub wobjid: i32,
    pub lefttmo: u32,
    pub actcnt: u32,
    pub wupcnt: u32,
    pub raster: bool,
    pub dister: bool,
    pub prcid: i32,
    pub actprc: i32,
}

const fn state(state: TaskState) -> u32 {
    match state {
        TaskState::Running => 0x01,
        TaskState::Ready => 0x02,
        TaskState::Waiting => 0x04,
        TaskState::Suspended => 0x08,
        TaskState::RunningSuspended => 0x09,
        TaskState::WaitingSuspended => 0x0c,
        TaskState::Dormant => 0x10,
    }
}

const fn wait(wait: Option<Wait>) -> (u32, i32) {
    match wait {
        None => (0, 0),
        Some(Wait::Sleep) => (0x0001, 0),
        Some(Wait::Delay) => (0x0002, 0),
        Some(Wait::Semaphore(id)) => (0x0004, id as i32),
        Some(Wait::EventFlag(id)) => (0x0008, id as i32),
        Some(Wait::SendDataQueue(id)) => (0x0010, id as i32),
        Some(Wait::ReceiveDataQueue(id)) => (0x0020, id as i32),
        Some(Wait::Mutex(id)) => (0x0080, id as i32),
        Some(Wait::SendPriorityQueue(id)) => (0x0100, id as i32),
        Some(Wait::ReceivePriorityQueue(id)) => (0x0200, id as i32),
        Some(Wait::MemoryPool(id)) => (0x2000, id as i32),
    }
}

impl Packet<TaskStatus> for T_RTSK {
    fn of(status: TaskStatus) -> T_RTSK {
        let (tskwait, wobjid) = wait(status.wait);
        T_RTSK {
            tskstat: state(status.state),
            tskpri: status.priority,
            tskbpri: status.base_priority,
            tskwait,
            wobjid,
            lefttmo: left(status.left_us),
            actcnt: status.activations,
            wupcnt: status.wakeups,
            raster: status.termination_requested,
            dister: status.termination_disabled,
            prcid: status.processor,
            actprc: status.activation_processor.unwrap_or(0),
        }
    }
}

macro_rules! packets {
    ($($name:ident of $status:ident as $from:ident { $($field:ident: $type:ty = $value:expr),+ $(,)? })+) => {
        $(
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $name {
                $(pub $field: $type),+
            }

            impl Packet<$status> for $name {
                fn of($from: $status) -> $name {
                    $name { $($field: $value),+ }
                }
            }
        )+
    };
}

packets! {
    T_RSEM of SemaphoreStatus as status { wtskid: i32 = task(status.waiting), semcnt: u32 = status.count }
    T_RFLG of EventFlagStatus as status { wtskid: i32 = task(status.waiting), flgptn: u32 = status.pattern }
    T_RDTQ of DataQueueStatus as status {
        stskid: i32 = task(status.sending), rtskid: i32 = task(status.receiving), sdtqcnt: u32 = status.count,
    }
    T_RPDQ of PriorityQueueStatus as status {
        stskid: i32 = task(status.sending), rtskid: i32 = task(status.receiving), spdqcnt: u32 = status.count,
    }
    T_RMTX of MutexStatus as status { htskid: i32 = task(status.owner), wtskid: i32 = task(status.waiting) }
    T_RMPF of MemoryPoolStatus as status { wtskid: i32 = task(status.waiting), fblkcnt: u32 = status.free }
    T_RCYC of NotificationStatus as status {
        cycstat: u32 = u32::from(status.left_us.is_some()), lefttim: u32 = left(status.left_us), prcid: i32 = status.processor,
    }
    T_RALM of NotificationStatus as status {
        almstat: u32 = u32::from(status.left_us.is_some()), lefttim: u32 = left(status.left_us), prcid: i32 = status.processor,
    }
    T_ROVR of OverrunStatus as status {
        ovrstat: u32 = u32::from(status.left_us.is_some()), leftotm: u32 = left(status.left_us),
    }
    T_RSPN of bool as is_locked { spnstat: u32 = u32::from(is_locked) }
}
