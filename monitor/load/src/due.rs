//! A task is due at home: where it is begun.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use tokkyu_monitor_placement::{Beside, Choice, Policy, State, Taken, Watch, choose};

use crate::shared::{Count, Orders, add, clear, orders};
use crate::start;
use crate::system::{KERNEL, PROCESSORS};

/// Where there are no orders, it is looked again after so long.
const LOOK_US: u64 = 1_000;
/// A task that waits is looked at again after so long.
const AGAIN_US: u32 = 20;

/// Of a home processor; its own handler and its task, of which one runs at a time, write.
pub(crate) struct Home {
    /// By the counter, when it is due next; 0: not yet.
    next_us: AtomicU64,
    /// Since when it waits, under `bounded-defer`; 0: it does not.
    waits_since_us: AtomicU64,
    turn: AtomicUsize,
    round: AtomicU64,
    /// The task is begun, for the time `due`, on processor `at`.
    pub(crate) is_begun: AtomicBool,
    pub(crate) due: AtomicU64,
    pub(crate) at: AtomicUsize,
}

pub(crate) static HOMES: [Home; PROCESSORS] = [const {
    Home {
        next_us: AtomicU64::new(0),
        waits_since_us: AtomicU64::new(0),
        turn: AtomicUsize::new(0),
        round: AtomicU64::new(0),
        is_begun: AtomicBool::new(false),
        due: AtomicU64::new(0),
        at: AtomicUsize::new(0),
    }
}; PROCESSORS];
pub(crate) static TAKEN: Taken = Taken::new();
pub(crate) static WATCH: Watch = Watch::new();

/// The alarm of a home processor.
pub(crate) fn on_alarm(home: usize) {
    let (kept, orders, now_us) = (&HOMES[home], orders(home), start::now_us());
    if kept.round.swap(orders.round, Relaxed) != orders.round {
        clear(home, orders.round);
        kept.next_us.store(0, Relaxed);
    }
    let waits = kept.waits_since_us.load(Relaxed);
    if waits == 0 {
        kept.due.store(start::due(), Relaxed);
    }
    if orders.period_us == 0 || kept.is_begun.load(Relaxed) {
        add(home, Count::Missed, u64::from(orders.period_us != 0));
    } else if !begin(home, orders, now_us) {
        return;
    }
    kept.waits_since_us.store(0, Relaxed);
    set(home, orders, now_us);
}

/// The next time, by what was meant, not by when it came.
fn set(home: usize, orders: Orders, now_us: u64) {
    let period_us = if orders.period_us == 0 { LOOK_US } else { u64::from(orders.period_us) };
    let meant_us = HOMES[home].next_us.load(Relaxed) + period_us;
    // Much too late, or the first of its kind: from now on.
    let next_us =
        if meant_us > now_us && meant_us <= now_us + period_us { meant_us } else { now_us + period_us };
    HOMES[home].next_us.store(next_us, Relaxed);
    let _ = KERNEL.sta_alm(home as i32 + 1, (next_us - now_us) as u32);
}

/// Whether it is begun; else it waits, and the alarm is set.
fn begin(home: usize, orders: Orders, now_us: u64) -> bool {
    let kept = &HOMES[home];
    let since_us = kept.waits_since_us.load(Relaxed);
    let may_wait = since_us == 0 || now_us.saturating_sub(since_us) < u64::from(orders.defer_us);
    let turn = kept.turn.load(Relaxed);
    let (mut at_home, mut nowhere) = (State::Free, true);
    let choice = choose(orders.policy, (home, PROCESSORS), &TAKEN, (turn, may_wait), |processor| {
        let state = Beside.look(&WATCH, processor, home);
        if processor == home {
            at_home = state;
        }
        nowhere &= state != State::Free;
        state
    });
    let Choice::At(at) = choice else {
        if since_us == 0 {
            kept.waits_since_us.store(now_us.max(1), Relaxed);
            add(home, Count::Deferred, 1);
        }
        let _ = KERNEL.sta_alm(home as i32 + 1, AGAIN_US);
        return false;
    };
    kept.turn.store(turn.wrapping_add(1), Relaxed);
    kept.at.store(at, Relaxed);
    kept.is_begun.store(true, Relaxed);
    if KERNEL.mact_tsk(home as i32 + 1, at as i32 + 1).is_ok() {
        count(home, orders.policy, at, at_home, nowhere);
    } else {
        TAKEN.give(at);
        kept.is_begun.store(false, Relaxed);
        add(home, Count::Missed, 1);
    }
    true
}

/// After it was begun, so that it delays nothing.
fn count(home: usize, policy: Policy, at: usize, at_home: State, nowhere: bool) {
    add(home, Count::Activations, 1);
    add(home, Count::Moved, u64::from(at != home));
    add(home, Count::Held, u64::from(at_home == State::Holds));
    add(home, Count::Unknown, u64::from(at_home == State::Unknown));
    add(home, Count::Nowhere, u64::from(policy == Policy::LeastLocked && nowhere));
}
