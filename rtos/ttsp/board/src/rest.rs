//! When nobody can go on: each processor idles, or its program has looked for its next order in vain.

use core::arch::asm;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::SeqCst;

use tokkyu_rtos::Processor;
use tokkyu_rtos_aarch64::give_way;
use tokkyu_ttsp::plan::PROCESSORS;

/// In this time every call ends many times over: ticks of the counter, which are instructions of all processors.
const A_WHILE: u64 = 10_000;
/// So many times; then something goes on for ever, and the scenario says what should.
const WHILES: usize = 64;

static LOOKED: [AtomicU32; PROCESSORS] = [const { AtomicU32::new(0) }; PROCESSORS];

/// A program looks for what it has to do, or tries to get a lock, and does not get it.
pub(crate) fn looked(processor: usize) {
    LOOKED[processor].fetch_add(1, SeqCst);
    give_way();
}

fn now() -> u64 {
    let ticks;
    // SAFETY: reads a counter.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
    ticks
}

/// Others have their turn.
fn a_while() {
    let until = now() + A_WHILE;
    while now() < until {
        give_way();
    }
}

/// Returns when nobody can go on but the conductor's processor, the last.
pub(crate) fn settle(processors: &'static [Processor]) {
    let mut before = [0; PROCESSORS];
    for _ in 0..WHILES {
        a_while();
        let looks = LOOKED.each_ref().map(|looked| looked.load(SeqCst));
        let others = processors.iter().take(PROCESSORS - 1).enumerate();
        let mut rests = others.map(|(index, processor)| {
            // Twice since: once could have been before the order came.
            processor.current().is_none() || looks[index].wrapping_sub(before[index]) >= 2
        });
        if rests.all(|rests| rests) {
            return;
        }
        before = looks;
    }
}
