//! Tells how punctual control was, and how often a budget was used up, where there are any: after a second, then every ten.

use core::fmt::Write;
use core::sync::atomic::Ordering::Relaxed;

use tokkyu_rtos_aarch64::{Console, linux};

use crate::command::{REFUSED, TAKEN};
use crate::control::KEPT;
use crate::system::KERNEL;

const FIRST_US: u32 = 1_000_000;
const EVERY_US: u32 = 10_000_000;

pub(crate) fn task() {
    let _ = writeln!(Console, "rtos: control of 1 ms on {} processors", KEPT.len());
    let mut wait_us = FIRST_US;
    while KERNEL.dly_tsk(wait_us).is_ok() {
        wait_us = EVERY_US;
        let [taken, refused] = [&TAKEN, &REFUSED].map(|count| count.load(Relaxed));
        let _ = writeln!(Console, "rtos: {taken} commands from Linux, {refused} refused");
        for (processor, kept) in KEPT.iter().enumerate() {
            let [activations, missed, moved, latest_us] =
                [&kept.activations, &kept.missed, &kept.moved, &kept.latest_us]
                    .map(|count| count.load(Relaxed));
            let _ = writeln!(
                Console,
                "rtos: processor {}: {activations} activations, {moved} elsewhere, {missed} missed, the latest {latest_us} us late",
                processor + 1
            );
            if let Some(budget) = linux::budget(processor + 1) {
                let _ = writeln!(Console, "rtos: processor {}: {budget}", processor + 1);
            }
        }
    }
}
