//! The tasks: one for each home processor, which works as long as is ordered, wherever it was begun, and one that looks for what Linux
//! tells.

use core::fmt::Write;
use core::sync::atomic::Ordering::Relaxed;

use tokkyu_monitor_placement::Beside;
use tokkyu_rtos_aarch64::{Console, linux};

use crate::due::{HOMES, TAKEN, WATCH};
use crate::shared::{Count, add, change, orders};
use crate::start;
use crate::system::KERNEL;

const WATCH_US: u32 = 1_000;

/// One activation.
pub(crate) fn of_home(home: usize) {
    let begun = start::now();
    let kept = &HOMES[home];
    let at = kept.at.load(Relaxed);
    let took = begun.saturating_sub(kept.due.load(Relaxed));
    let (all, most) = if at == home {
        (Count::StartTicks, Count::StartMost)
    } else {
        (Count::MovedTicks, Count::MovedMost)
    };
    add(home, all, took);
    change(home, most, |before| before.max(took));
    let orders = orders(home);
    add(home, Count::Seen, u64::from(linux::word(orders.look_at).is_some_and(|word| word as u32 == 1)));
    let ticks = u64::from(orders.work_us) * start::ticks_in_us();
    while start::now() - begun < ticks {}
    TAKEN.give(at);
    kept.is_begun.store(false, Relaxed);
}

/// For ever.
pub(crate) fn watch() {
    let _ = writeln!(Console, "load: begins");
    loop {
        if WATCH.refresh(&Beside) {
            let _ = writeln!(
                Console,
                "load: {}",
                match WATCH.is_counted() {
                    None => "Linux tells nothing",
                    Some(true) => "Linux counts its tasks",
                    Some(false) => "Linux does not count its tasks",
                }
            );
        }
        let _ = KERNEL.dly_tsk(WATCH_US);
    }
}
