//! `kernel_cfg.h`: numbers of objects by name (RTC-13).

use crate::system::{Object, System};

/// Each kind's macro of how many there are, in the order of the kernel.
const KINDS: [&str; 9] = [
    "TNUM_SEMID",
    "TNUM_FLGID",
    "TNUM_DTQID",
    "TNUM_PDQID",
    "TNUM_MTXID",
    "TNUM_MPFID",
    "TNUM_SPNID",
    "TNUM_CYCID",
    "TNUM_ALMID",
];

/// Its place in [`KINDS`].
pub(crate) fn kind(object: &Object) -> usize {
    match object {
        Object::Semaphore { .. } => 0,
        Object::EventFlag { .. } => 1,
        Object::DataQueue { .. } => 2,
        Object::PriorityQueue { .. } => 3,
        Object::Mutex { .. } => 4,
        Object::MemoryPool { .. } => 5,
        Object::SpinLock => 6,
        Object::Cyclic { .. } => 7,
        Object::Alarm { .. } => 8,
    }
}

/// The header.
pub fn header(system: &System) -> String {
    let mut lines = String::from(
        "/* Made of the configuration: numbers of objects. */\n#ifndef TOKKYU_KERNEL_CFG_H\n#define TOKKYU_KERNEL_CFG_H\n\n",
    );
    let mut define = |name: &str, value: usize| lines += &format!("#define {name} {value}\n");
    define("TNUM_PRCID", usize::from(system.processors));
    define("TNUM_TSKID", system.tasks.len());
    for (number, task) in (1..).zip(&system.tasks) {
        define(&task.name, number);
    }
    for (place, counted) in KINDS.iter().enumerate() {
        let of_kind: Vec<_> = system.objects.iter().filter(|object| kind(&object.is) == place).collect();
        define(counted, of_kind.len());
        for (number, object) in (1..).zip(of_kind) {
            define(&object.name, number);
        }
    }
    lines + "\n#endif\n"
}
