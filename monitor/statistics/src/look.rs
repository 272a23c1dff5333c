//! All that is told at one time, and what processors were used for between two looks (MON-103, MON-104).

use core::array::from_fn;

use tokkyu_monitor_core::{PROCESSORS_MAX, STOLEN_TIME_AT, STOLEN_TIME_BYTES};

use crate::word;
use crate::{Counted, Tasks};

/// All that is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look([Processor; PROCESSORS_MAX]);

/// Of one processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Processor {
    stolen_ns: Option<u64>,
    tasks: Option<Tasks>,
    /// And as which number.
    counted: Option<(u64, Counted)>,
}

/// What a processor was used for; nothing: it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Between {
    /// The RTOS's share, in percent.
    pub rtos: Option<f64>,
    /// Linux's: with the RTOS's, 100.
    pub linux: Option<LinuxShares>,
    /// What has come to the counts of the RTOS's tasks.
    pub tasks: Option<Tasks>,
}

/// In percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinuxShares {
    /// In user mode.
    pub user: f64,
    /// In the kernel.
    pub system: f64,
    /// With nothing to do.
    pub idle: f64,
}

impl Look {
    /// From the whole shared memory.
    pub fn read(memory: &[u8]) -> Look {
        Look(from_fn(|processor| Processor {
            stolen_ns: word(memory, STOLEN_TIME_BYTES * processor as u64 + STOLEN_TIME_AT),
            tasks: Tasks::read(memory, processor),
            counted: Counted::read(memory, processor),
        }))
    }

    /// Whether the RTOS tells of its tasks.
    pub fn has_tasks(&self) -> bool {
        self.0.iter().any(|processor| processor.tasks.is_some())
    }

    /// Whether Linux tells what it counts.
    pub fn has_counted(&self) -> bool {
        self.0.iter().any(|processor| processor.counted.is_some())
    }

    /// By the RTOS's clock.
    fn at_us(&self) -> Option<u64> {
        self.0.iter().filter_map(|processor| Some(processor.tasks?.at_us)).max()
    }

    /// Microseconds since an earlier look, by the RTOS's clock; nothing: it does not tell, or it stands still.
    pub fn us_since(&self, before: &Look) -> Option<u64> {
        self.at_us()?.checked_sub(before.at_us()?).filter(|us| *us > 0)
    }

    /// What each processor was used for since an earlier look.
    pub fn since(&self, before: &Look) -> [Between; PROCESSORS_MAX] {
        let us = self.us_since(before);
        from_fn(|processor| {
            let (now, before) = (&self.0[processor], &before.0[processor]);
            let rtos = us.and_then(|us| now.share_since(before, us));
            Between {
                rtos,
                linux: rtos.and_then(|rtos| now.linux_since(before, 100.0 - rtos)),
                tasks: now.tasks.zip(before.tasks).and_then(|(now, before)| now.since(&before)),
            }
        })
    }
}

impl Processor {
    /// The RTOS's share, in percent.
    fn share_since(&self, before: &Processor, us: u64) -> Option<f64> {
        let stolen_ns = self.stolen_ns?.checked_sub(before.stolen_ns?)?;
        Some((stolen_ns as f64 / (us as f64 * 10.0)).min(100.0))
    }

    /// How `percent` are divided.
    fn linux_since(&self, before: &Processor, percent: f64) -> Option<LinuxShares> {
        let ((number, now), (number_before, before)) = (self.counted?, before.counted?);
        if number == number_before {
            return None;
        }
        let ticks = now.since(&before)?;
        let (user, system) = (ticks.user as f64, ticks.system as f64);
        let all = ticks.time_ns as f64 * 1e-9 * ticks.ticks_a_second as f64;
        let idle = (ticks.idle as f64).min((all - user - system - ticks.stolen as f64).max(0.0));
        let sum = user + system + idle;
        let part = |ticks: f64| percent * (ticks / sum);
        (sum > 0.0).then(|| LinuxShares { user: part(user), system: part(system), idle: part(idle) })
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    const BYTES: usize = 0x1_0000;

    /// Of the second processor.
    fn memory(stolen_ns: u64, at_us: u64, turn: u64, counted: &Counted) -> Vec<u8> {
        let mut memory = std::vec![0; BYTES];
        let mut write = |at: u64, value: u64| {
            memory[at as usize..at as usize + 8].copy_from_slice(&value.to_le_bytes());
        };
        write(STOLEN_TIME_BYTES + STOLEN_TIME_AT, stolen_ns);
        Tasks { activations: at_us / 1000, at_us, ..Tasks::default() }.write(1, &mut write);
        counted.write(1, turn, &mut write);
        memory
    }

    fn counted(user: u64, system: u64, idle: u64, stolen: u64) -> Counted {
        Counted { time_ns: 0, ticks_a_second: 100, user, system, idle, stolen }
    }

    /// Two seconds by both clocks, of which the RTOS has a tenth.
    fn shares_of(ticks: Counted) -> Between {
        let before = Look::read(&memory(5_000, 1_000_000, 1, &counted(7, 7, 7, 7)));
        let Counted { user, system, idle, stolen, .. } = ticks;
        let now = Counted { time_ns: 2_000_000_000, ..counted(user + 7, system + 7, idle + 7, stolen + 7) };
        let now = Look::read(&memory(200_005_000, 3_000_000, 2, &now));
        assert_eq!(now.us_since(&before), Some(2_000_000));
        now.since(&before)[1]
    }

    fn assert_near(between: Between, expected: [f64; 4]) {
        let linux = between.linux.expect("it is known");
        let found = [between.rtos.expect("it is known"), linux.user, linux.system, linux.idle];
        for (found_one, expected_one) in found.into_iter().zip(expected) {
            assert!((found_one - expected_one).abs() < 1e-9, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn linux_has_what_the_rtos_leaves() {
        assert_near(shares_of(counted(90, 45, 45, 20)), [10.0, 45.0, 22.5, 22.5]);
    }

    #[test]
    fn what_is_stolen_of_idleness_is_idle_just_once() {
        // The tick was off: idle ticks are all that was not busy.
        assert_near(shares_of(counted(90, 0, 110, 20)), [10.0, 45.0, 0.0, 45.0]);
    }

    #[test]
    fn a_kernel_that_is_not_told_what_is_stolen_has_no_more() {
        assert_near(shares_of(counted(100, 0, 100, 0)), [10.0, 45.0, 0.0, 45.0]);
        assert_near(shares_of(counted(200, 0, 0, 0)), [10.0, 90.0, 0.0, 0.0]);
    }

    #[test]
    fn what_is_not_told_anew_is_not_known() {
        let now = counted(1, 2, 3, 4);
        let before = Look::read(&memory(0, 1_000, 1, &now));
        let same = Look::read(&memory(500_000, 2_000, 1, &now)).since(&before);
        assert_eq!((same[1].rtos, same[1].linux), (Some(50.0), None));
        let anew = Look::read(&memory(500_000, 2_000, 2, &counted(1, 2, 0, 4))).since(&before);
        assert_eq!(anew[1].linux, None);
        let untold = Look::read(&[0; BYTES]);
        assert!(!untold.has_tasks() && !untold.has_counted() && before.has_tasks() && before.has_counted());
        assert!(untold.since(&before).iter().all(|between| *between == Between::default()));
        // Another processor has that clock too.
        assert_eq!((same[0].rtos, same[0].tasks), (Some(0.0), None));
    }

    /// Memory whose blocks can be read, so that numbers of chance are looked at.
    fn any_memory() -> impl Strategy<Value = Vec<u8>> {
        let word = prop_oneof![Just(0), Just(u64::MAX), 0..1_000_u64, any::<u64>()];
        (prop::collection::vec(word, 15), 0..3_u64, 0..=BYTES).prop_map(|(words, turn, bytes)| {
            let tasks = Tasks {
                activations: words[0],
                elsewhere: words[1],
                missed: words[2],
                latest_us: words[3],
                late_us: words[4],
                used_up: words[5],
                at_us: words[6],
            };
            let mut told = memory(
                words[7],
                0,
                turn,
                &Counted {
                    time_ns: words[8],
                    ticks_a_second: words[9],
                    ..counted(words[10], words[11], words[12], words[13])
                },
            );
            tasks.write(1, |at, value| {
                told[at as usize..at as usize + 8].copy_from_slice(&value.to_le_bytes())
            });
            // Cut off now and then.
            told.truncate(if words[14] == 0 { bytes } else { BYTES });
            told
        })
    }

    fn assert_bounded(between: &Between) {
        let rtos = between.rtos;
        assert!(rtos.is_none_or(|share| (0.0..=100.0).contains(&share)), "{between:?}");
        if let Some(LinuxShares { user, system, idle }) = between.linux {
            assert!([user, system, idle].iter().all(|share| (0.0..=100.0).contains(share)), "{between:?}");
            let sum = rtos.unwrap_or_default() + user + system + idle;
            assert!((sum - 100.0).abs() < 1e-6, "{between:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_memory_holds_an_answer_is_in_bounds(before in any_memory(), now in any_memory()) {
            Look::read(&now).since(&Look::read(&before)).iter().for_each(assert_bounded);
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..0x6000)) {
            Look::read(&bytes).since(&Look::read(&[])).iter().for_each(assert_bounded);
        }
    }
}
