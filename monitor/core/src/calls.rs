//! What a call asks for (MON-20 to MON-24).

use smccc::arch::{SMCCC_ARCH_FEATURES, SMCCC_VERSION};
use smccc::psci::{
    PSCI_AFFINITY_INFO_32, PSCI_AFFINITY_INFO_64, PSCI_CPU_OFF, PSCI_CPU_ON_32, PSCI_CPU_ON_64,
    PSCI_CPU_SUSPEND_32, PSCI_CPU_SUSPEND_64, PSCI_FEATURES, PSCI_MIGRATE_INFO_TYPE, PSCI_SYSTEM_OFF,
    PSCI_SYSTEM_RESET, PSCI_VERSION, error::NOT_SUPPORTED as PSCI_NOT_SUPPORTED,
};

/// The answer to a number that is not known.
pub const NOT_SUPPORTED: i64 = PSCI_NOT_SUPPORTED as i64;
/// Stolen time (DEN 0057, section 3.1): whether there is one of its calls, and where this processor's is.
pub const PV_TIME_FEATURES: u32 = 0xc500_0020;
/// See [`PV_TIME_FEATURES`].
pub const PV_TIME_ST: u32 = 0xc500_0021;
/// Bytes from one processor's structure to the next.
pub const STOLEN_TIME_BYTES: u64 = 64;
/// In a structure: nanoseconds.
pub const STOLEN_TIME_AT: u64 = 8;

/// Which processor the RTOS has, of openEuler's and Kylin's kernels (their Documentation/virt/kvm/arm/pvsched.rst): whether there is one of
/// these calls; where this processor's structure is; that it is not any more; that a processor is to look.
pub const PV_SCHED_FEATURES: u32 = 0xc500_0090;
/// See [`PV_SCHED_FEATURES`].
pub const PV_SCHED_IPA_INIT: u32 = 0xc500_0091;
/// See [`PV_SCHED_FEATURES`].
pub const PV_SCHED_IPA_RELEASE: u32 = 0xc500_0092;
/// See [`PV_SCHED_FEATURES`].
pub const PV_SCHED_KICK_CPU: u32 = 0xc500_0093;
/// Bytes of such a structure, and what its address is a multiple of. The first four are not 0 while the processor is not Linux's.
pub const PV_SCHED_BYTES: u64 = 64;

/// The answer of what has been done.
pub const SUCCESS: i64 = 0;
/// PSCI 1.1 and SMCCC 1.2: major in the upper half, minor in the lower.
const PSCI_IS: i64 = 0x1_0001;
const SMCCC_IS: i64 = 0x1_0002;
/// A trusted system that need not be moved from processor to processor (DEN 0022, section 5.9.1).
const NOT_TO_BE_MOVED: i64 = 2;
/// In a function's number: its arguments have 64 bits.
const HAS_64_BITS: u32 = 1 << 30;
/// In a power state: the processor loses what it has (DEN 0022, section 5.4.2.1).
const POWER_DOWN: u64 = 1 << 16;

/// Where a processor goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The first instruction.
    pub entry: u64,
    /// For `x0`.
    pub context: u64,
}

/// The RTOS has nothing to do on this processor (MON-53).
pub const IDLE: u32 = 0xb200_0000;

/// Where a memory begins that the RTOS may look into, and how long it is (MON-70).
pub const MEMORY_BASE: u32 = 0xf200_0001;
/// See [`MEMORY_BASE`].
pub const MEMORY_BYTES: u32 = 0xf200_0002;

/// Linux has written to a topic: the RTOS is to look (MON-94).
pub const BELL: u32 = 0x8300_0001;
/// The interrupt that it gets then.
pub const BELL_INTERRUPT: u32 = 232;
/// The interrupt that Linux gets when the RTOS has written (MON-93).
pub const TOPICS_INTERRUPT: u32 = 233;

/// What the RTOS may take of a processor (MON-82).
pub const BUDGET: u32 = 0xf200_0003;

/// The two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// At non-secure EL1.
    Linux,
    /// At secure EL1.
    Rtos,
}

/// A call that was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Nothing but an answer.
    Answer(i64),
    /// `CPU_ON` of a processor, by its affinity.
    On(u64, Goal),
    /// `CPU_OFF`.
    Off,
    /// `CPU_SUSPEND`; with where to go on after a power-down.
    Suspend(Option<Goal>),
    /// `AFFINITY_INFO` of a processor, by its affinity, or of those above it.
    AffinityInfo(u64, u64),
    /// `PV_TIME_ST`.
    StolenTime,
    /// `PV_SCHED_IPA_INIT` with a structure's address; `None`: `PV_SCHED_IPA_RELEASE`.
    SchedState(Option<u64>),
    /// `PV_SCHED_KICK_CPU` of a processor, by its number.
    Kick(u64),
    /// `MEMORY_BASE` of the memory of this number.
    MemoryBase(u64),
    /// `MEMORY_BYTES` of it.
    MemoryBytes(u64),
    /// `BELL`.
    Bell,
    /// `BUDGET` of a processor, by its number.
    Budget(u64),
    /// `SYSTEM_OFF`.
    SystemOff,
    /// `SYSTEM_RESET`.
    SystemReset,
}

/// Reads `x0` to `x3`.
#[inline]
pub fn read(function: u32, arguments: [u64; 3]) -> Call {
    let [first, second, third] =
        if function & HAS_64_BITS == 0 { arguments.map(|of_64| of_64 & 0xffff_ffff) } else { arguments };
    match function {
        PSCI_VERSION => Call::Answer(PSCI_IS),
        SMCCC_VERSION => Call::Answer(SMCCC_IS),
        PSCI_CPU_ON_32 | PSCI_CPU_ON_64 => Call::On(first, Goal { entry: second, context: third }),
        PSCI_CPU_OFF => Call::Off,
        PSCI_CPU_SUSPEND_32 | PSCI_CPU_SUSPEND_64 => {
            Call::Suspend((first & POWER_DOWN != 0).then_some(Goal { entry: second, context: third }))
        }
        PSCI_AFFINITY_INFO_32 | PSCI_AFFINITY_INFO_64 => Call::AffinityInfo(first, second),
        PSCI_MIGRATE_INFO_TYPE => Call::Answer(NOT_TO_BE_MOVED),
        PSCI_SYSTEM_OFF => Call::SystemOff,
        PSCI_SYSTEM_RESET => Call::SystemReset,
        PSCI_FEATURES => Call::Answer(if has_psci(first as u32) { SUCCESS } else { NOT_SUPPORTED }),
        PV_TIME_FEATURES => {
            let is_one = matches!(first as u32, PV_TIME_FEATURES | PV_TIME_ST);
            Call::Answer(if is_one { SUCCESS } else { NOT_SUPPORTED })
        }
        PV_TIME_ST => Call::StolenTime,
        PV_SCHED_FEATURES => {
            let is_one = matches!(first as u32, PV_SCHED_FEATURES..=PV_SCHED_KICK_CPU);
            Call::Answer(if is_one { SUCCESS } else { NOT_SUPPORTED })
        }
        PV_SCHED_IPA_INIT => Call::SchedState(Some(first)),
        PV_SCHED_IPA_RELEASE => Call::SchedState(None),
        PV_SCHED_KICK_CPU => Call::Kick(first),
        BELL => Call::Bell,
        MEMORY_BASE => Call::MemoryBase(first),
        MEMORY_BYTES => Call::MemoryBytes(first),
        BUDGET => Call::Budget(first),
        SMCCC_ARCH_FEATURES => Call::Answer(if has_arch(first as u32) { SUCCESS } else { NOT_SUPPORTED }),
        _ => Call::Answer(NOT_SUPPORTED),
    }
}

/// Power states are in the original form, and the operating system decides alone: no bit is set.
fn has_psci(function: u32) -> bool {
    matches!(
        function,
        PSCI_VERSION
            | PSCI_CPU_SUSPEND_32
            | PSCI_CPU_SUSPEND_64
            | PSCI_CPU_OFF
            | PSCI_CPU_ON_32
            | PSCI_CPU_ON_64
            | PSCI_AFFINITY_INFO_32
            | PSCI_AFFINITY_INFO_64
            | PSCI_MIGRATE_INFO_TYPE
            | PSCI_SYSTEM_OFF
            | PSCI_SYSTEM_RESET
            | PSCI_FEATURES
            | SMCCC_VERSION
    )
}

fn has_arch(function: u32) -> bool {
    matches!(function, SMCCC_VERSION | SMCCC_ARCH_FEATURES | PV_TIME_FEATURES | PV_SCHED_FEATURES)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::vec::Vec;

    use super::*;

    const KNOWN: [u32; 24] = [
        PSCI_VERSION,
        SMCCC_VERSION,
        SMCCC_ARCH_FEATURES,
        PSCI_CPU_ON_32,
        PSCI_CPU_ON_64,
        PSCI_CPU_OFF,
        PSCI_CPU_SUSPEND_32,
        PSCI_CPU_SUSPEND_64,
        PSCI_AFFINITY_INFO_32,
        PSCI_AFFINITY_INFO_64,
        PSCI_MIGRATE_INFO_TYPE,
        PSCI_SYSTEM_OFF,
        PSCI_SYSTEM_RESET,
        PSCI_FEATURES,
        PV_TIME_FEATURES,
        PV_TIME_ST,
        MEMORY_BASE,
        MEMORY_BYTES,
        BUDGET,
        PV_SCHED_FEATURES,
        PV_SCHED_IPA_INIT,
        PV_SCHED_IPA_RELEASE,
        PV_SCHED_KICK_CPU,
        BELL,
    ];

    #[test]
    fn what_psci_features_promises_is_there() {
        let all = (0x8400_0000..0x8400_0040).chain(0xc400_0000..0xc400_0040).chain([SMCCC_VERSION]);
        let promised: Vec<u32> =
            all.filter(|of| read(PSCI_FEATURES, [u64::from(*of), 0, 0]) == Call::Answer(SUCCESS)).collect();
        for function in &promised {
            let known = [u64::from(PSCI_VERSION), 0, 0];
            assert_ne!(read(*function, known), Call::Answer(NOT_SUPPORTED), "{function:#x}");
        }
        // All but two of stolen time, four of who has a processor, three of the RTOS's, the bell, and what tells of the architecture's.
        assert_eq!(promised.len(), KNOWN.len() - 11);
    }

    #[test]
    fn a_call_in_32_bits_sees_the_lower_halves() {
        let arguments = [0xffff_ffff_0000_0001, 0xffff_ffff_4000_0000, 0xffff_ffff_0000_0007];
        let lower = Goal { entry: 0x4000_0000, context: 7 };
        assert_eq!(read(PSCI_CPU_ON_32, arguments), Call::On(1, lower));
        let whole = Goal { entry: arguments[1], context: arguments[2] };
        assert_eq!(read(PSCI_CPU_ON_64, arguments), Call::On(arguments[0], whole));
    }

    #[test]
    fn a_suspended_processor_keeps_what_it_has_unless_it_is_to_lose_it() {
        assert_eq!(read(PSCI_CPU_SUSPEND_64, [0, 8, 9]), Call::Suspend(None));
        let goal = Goal { entry: 8, context: 9 };
        assert_eq!(read(PSCI_CPU_SUSPEND_64, [POWER_DOWN, 8, 9]), Call::Suspend(Some(goal)));
    }

    #[test]
    fn stolen_time_is_found_as_its_document_says() {
        let supported = |function, of: u32| read(function, [of.into(), 0, 0]) == Call::Answer(SUCCESS);
        assert!(supported(SMCCC_ARCH_FEATURES, PV_TIME_FEATURES));
        assert!(supported(PV_TIME_FEATURES, PV_TIME_FEATURES) && supported(PV_TIME_FEATURES, PV_TIME_ST));
        assert!(!supported(PV_TIME_FEATURES, PV_TIME_ST + 1) && !supported(PV_TIME_FEATURES, 0));
    }

    #[test]
    fn who_has_a_processor_is_found_as_its_document_says() {
        let supported = |function, of: u32| read(function, [of.into(), 0, 0]) == Call::Answer(SUCCESS);
        assert!(supported(SMCCC_ARCH_FEATURES, PV_SCHED_FEATURES));
        assert!((PV_SCHED_FEATURES..=PV_SCHED_KICK_CPU).all(|of| supported(PV_SCHED_FEATURES, of)));
        assert!(!supported(PV_SCHED_FEATURES, PV_SCHED_KICK_CPU + 1) && !supported(PV_SCHED_FEATURES, 0));
        assert_eq!(read(PV_SCHED_IPA_INIT, [0x4000_0040, 0, 0]), Call::SchedState(Some(0x4000_0040)));
    }

    proptest! {
        #[test]
        fn what_is_not_known_is_not_supported(function: u32, arguments: [u64; 3]) {
            prop_assume!(!KNOWN.contains(&function));
            prop_assert_eq!(read(function, arguments), Call::Answer(NOT_SUPPORTED));
        }
    }
}
