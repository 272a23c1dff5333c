//! What two processors do with each other.
//!
//! Under instruction counting processors take turns, and one counter counts the instructions of all: what is between a call and the
//! later of its two ends is the sum of both processors' paths. The caller rests meanwhile.

use core::arch::asm;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU32};

use tokkyu_rtos::Result;

use crate::count::{Figure, LOCK_WAITS, Mark, ROUNDS, good, now};
use crate::system::{HIGH, KERNEL, OTHER, OTHERS_SEMAPHORE, QUEUE, SEMAPHORE};

/// What the second processor's task does when it is activated.
static TURN: AtomicU32 = AtomicU32::new(ENDS);
const ENDS: u32 = 0;
const SLEEPS: u32 = 1;
const WAITS: u32 = 2;
const RECEIVES: u32 = 3;
/// Works for itself.
const WORKS: u32 = 4;

/// Pairs of calls of one round of work.
const PAIRS: usize = 100;

/// When it went on.
static BEHIND: Mark = Mark::new();
/// It has, and the caller may.
static DONE: AtomicBool = AtomicBool::new(false);

pub(crate) fn other() {
    BEHIND.set();
    let turn = TURN.load(Relaxed);
    if turn == WORKS {
        work(OTHERS_SEMAPHORE);
        BEHIND.set();
        return call_back();
    }
    while turn != ENDS && TURN.load(Relaxed) == turn {
        call_back();
        let _ = match turn {
            SLEEPS => KERNEL.slp_tsk(),
            WAITS => KERNEL.wai_sem(SEMAPHORE),
            _ => KERNEL.rcv_dtq(QUEUE).map(drop),
        };
        BEHIND.set();
    }
    call_back();
}

/// Has the resting caller go on, by something that interrupts its processor.
fn call_back() {
    DONE.store(true, Release);
    good(KERNEL.act_tsk(HIGH));
}

/// Until the other has called back.
fn rest() {
    while !DONE.swap(false, Acquire) {
        // SAFETY: interrupts are kept out between the look and the rest, which one that waits ends; then they come.
        unsafe {
            asm!("msr daifset, #2");
            if !DONE.load(Acquire) {
                asm!("wfi");
            }
            asm!("msr daifclr, #2");
        }
    }
    // It waits again, or has ended, some time after it called.
    good(KERNEL.dly_tsk(1000));
}

/// `call` has the second processor's task go on, which does `turn`.
fn across(off: u64, turn: u32, name: &str, caller: &str, call: fn() -> Result) {
    let (both, own) = (Figure::new(), Figure::new());
    TURN.store(turn, Relaxed);
    if turn != ENDS {
        good(KERNEL.act_tsk(OTHER));
        rest();
    }
    for _ in 0..ROUNDS {
        let from = now();
        let result = call();
        let after = now();
        rest();
        good(result);
        own.add(from, after, off);
        both.add(from, after.max(BEHIND.get()), off);
    }
    TURN.store(ENDS, Relaxed);
    if turn != ENDS {
        good(call());
        rest();
    }
    both.tell(name);
    if !caller.is_empty() {
        own.tell(caller);
    }
}

/// Calls that concern nobody else.
fn work(semaphore: i32) {
    for _ in 0..PAIRS {
        good(KERNEL.sig_sem(semaphore));
        good(KERNEL.wai_sem(semaphore));
    }
}

/// Both processors work, each with an object of its own: one after the other, and at once.
pub(crate) fn unrelated(off: u64) {
    let (alone, both, waits) = (Figure::new(), Figure::new(), Figure::new());
    TURN.store(WORKS, Relaxed);
    for _ in 0..ROUNDS {
        let from = now();
        work(SEMAPHORE);
        let own = now() - from;
        let from = now();
        good(KERNEL.mact_tsk(OTHER, 2));
        rest();
        let theirs = BEHIND.get() - from;
        LOCK_WAITS.store(0, Relaxed);
        let from = now();
        good(KERNEL.mact_tsk(OTHER, 2));
        work(SEMAPHORE);
        let mine = now();
        rest();
        alone.put(own + theirs - 2 * off);
        both.put(mine.max(BEHIND.get()) - from - off);
        waits.put(LOCK_WAITS.load(Relaxed));
    }
    TURN.store(ENDS, Relaxed);
    alone.tell_put("unrelated_alone");
    both.tell_put("unrelated");
    waits.tell_put("unrelated_waits");
}

pub(crate) fn main(off: u64) {
    // The second processor comes to rest first.
    good(KERNEL.dly_tsk(1000));
    across(off, ENDS, "mact_tsk", "mact_tsk_caller", || KERNEL.mact_tsk(OTHER, 2));
    across(off, SLEEPS, "wup_tsk_across", "", || KERNEL.wup_tsk(OTHER));
    across(off, WAITS, "sig_sem_across", "", || KERNEL.sig_sem(SEMAPHORE));
    across(off, RECEIVES, "snd_dtq_across", "", || KERNEL.snd_dtq(QUEUE, 1));
}
