//! What this image may take of processors that Linux has too (RTA-67): asked of the monitor once, given to the kernel, counted.
//!
//! Written by the first processor before any task runs; how often one was used up, by that processor's handlers.

use core::fmt;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use smccc::smc64;
use tokkyu_rtos::{Kernel, Port};

use crate::secure::SECURE;
use crate::stack::PROCESSORS_MAX;

/// The monitor's call (monitor/SPEC.md, MON-82): microseconds of a period in its lower half, those of the period in its upper one.
const BUDGET: u32 = 0xf200_0003;

/// A processor's budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// What tasks may take of each period, in microseconds.
    pub budget_us: u32,
    /// How long a period is, in microseconds.
    pub period_us: u32,
    /// In how many periods they took it all.
    pub used_up: u64,
}

/// In the words that a report has of it.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Budget { budget_us, period_us, used_up } = self;
        write!(f, "budget of {budget_us} us in {period_us} used up {used_up} times")
    }
}

/// The monitor's word, 0: there is none; and in how many periods it was used up.
struct Given {
    word: AtomicU64,
    used_up: AtomicU64,
}

static GIVEN: [Given; PROCESSORS_MAX] =
    [const { Given { word: AtomicU64::new(0), used_up: AtomicU64::new(0) } }; PROCESSORS_MAX];

/// The kernel is prepared, and no processor has started. `None`: the kernel does not take one.
pub(crate) fn start<P: Port>(kernel: &'static Kernel<P>) -> Option<()> {
    if !SECURE {
        return Some(());
    }
    for (processor, given) in (1..).zip(&GIVEN[..kernel.objects().processors.len().min(PROCESSORS_MAX)]) {
        let word = ask(processor - 1);
        given.word.store(word, Relaxed);
        if word != 0 {
            kernel.start_budget_at_boot(processor as i32, word as u32, (word >> 32) as u32).ok()?;
        }
    }
    Some(())
}

/// A monitor that knows no budgets, or not this processor, answers less than 0.
fn ask(processor: u64) -> u64 {
    let mut arguments = [0; 17];
    arguments[0] = processor;
    let [answer, ..] = smc64(BUDGET, arguments);
    if answer as i64 > 0 { answer } else { 0 }
}

/// That of the processor of this number, from 1, is used up.
pub(crate) fn count(processor: u16) {
    if let Some(given) = GIVEN.get(usize::from(processor).wrapping_sub(1)) {
        given.used_up.fetch_add(1, Relaxed);
    }
}

/// The budget of the processor of a number, from 1; none, if none is declared for it.
pub fn budget(processor: usize) -> Option<Budget> {
    let given = GIVEN.get(processor.wrapping_sub(1))?;
    let word = given.word.load(Relaxed);
    let budget = Budget {
        budget_us: word as u32,
        period_us: (word >> 32) as u32,
        used_up: given.used_up.load(Relaxed),
    };
    (word != 0).then_some(budget)
}
