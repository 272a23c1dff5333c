//! A task is due at home: where it is begun.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};

use tokkyu_monitor_placement::{Beside, Choice, Policy, State, Taken, Watch, choose};

use crate::shared::{Count, Orders, add, clear, orders};
use crate::start;
use crate::system::{KERNEL, PROCESSORS};

/// Where there are no orders, it is looked for them, and for what Linux tells, after so long.
const LOOK_US: u64 = 1_000;
/// Its handler looks for what Linux tells: one does.
const WATCHES: usize = 0;
/// A task that waits is looked at again after so long.
const AGAIN_US: u32 = 20;

/// For a task whose beginning is not to be counted.
pub(crate) const NEVER: u64 = 0;

/// Of a home processor; its own handler and its task, of which one runs at a time, write.
pub(crate) struct Home {
    /// By the counter, when it is due next; 0: not yet.
    next_us: AtomicU64,
    /// Since when it waits, under `bounded-defer`; 0: it does not.
    waits_since_us: AtomicU64,
    turn: AtomicUsize,
    round: AtomicU64,
    /// The task is begun, for the time `due`, on processor `at`; before the first time that is none.
    pub(crate) is_begun: AtomicBool,
    pub(crate) due: AtomicU64,
    pub(crate) at: AtomicUsize,
    /// How that was found, as a number.
    found: AtomicU32,
}

pub(crate) static HOMES: [Home; PROCESSORS] = [const {
    Home {
        next_us: AtomicU64::new(0),
        waits_since_us: AtomicU64::new(0),
        turn: AtomicUsize::new(0),
        round: AtomicU64::new(0),
        is_begun: AtomicBool::new(false),
        due: AtomicU64::new(0),
        at: AtomicUsize::new(usize::MAX),
        found: AtomicU32::new(0),
    }
}; PROCESSORS];
pub(crate) static TAKEN: Taken = Taken::new();
pub(crate) static WATCH: Watch = Watch::new();

/// The alarm of a home processor.
pub(crate) fn on_alarm(home: usize) {
    let (kept, orders, now_us) = (&HOMES[home], orders(home), start::now_us());
    let begins = kept.round.swap(orders.round, Relaxed) != orders.round;
    // While a task is due again and again it takes none of its time.
    if home == WATCHES && (begins || orders.period_us == 0) {
        WATCH.refresh(&Beside);
    }
    if begins {
        clear(home, orders.round);
        kept.next_us.store(0, Relaxed);
    }
    let waits = kept.waits_since_us.load(Relaxed);
    if waits == 0 {
        // The first of a round has more to do than others.
        kept.due.store(if begins { NEVER } else { start::due() }, Relaxed);
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
    let look = |processor| Beside.look(&WATCH, processor, home);
    let Choice::At(at, found) = choose(orders.policy, (home, PROCESSORS), &TAKEN, (turn, may_wait), look)
    else {
        if since_us == 0 {
            kept.waits_since_us.store(now_us.max(1), Relaxed);
            add(home, Count::Deferred, 1);
        }
        let _ = KERNEL.sta_alm(home as i32 + 1, AGAIN_US);
        return false;
    };
    kept.turn.store(turn.wrapping_add(1), Relaxed);
    let before = kept.at.swap(at, Relaxed);
    kept.found.store(found.number(), Relaxed);
    kept.is_begun.store(true, Relaxed);
    let task = home as i32 + 1;
    // It goes on being assigned to where it was begun last.
    let begun = if at == before { KERNEL.act_tsk(task) } else { KERNEL.mact_tsk(task, at as i32 + 1) };
    if begun.is_err() {
        TAKEN.give(at);
        kept.is_begun.store(false, Relaxed);
        add(home, Count::Missed, 1);
    }
    true
}

/// For the task, once it has begun: how it was placed.
pub(crate) fn count(home: usize) {
    let kept = &HOMES[home];
    let (at, found) = (kept.at.load(Relaxed), kept.found.load(Relaxed));
    add(home, Count::Activations, 1);
    add(home, Count::Moved, u64::from(at != home));
    if at != home {
        let found = Beside.look(&WATCH, at, at);
        add(home, Count::Arrived, u64::from(found != State::FREE && found != State::UNKNOWN));
    }
    if orders(home).policy != Policy::LeastLocked {
        return;
    }
    // What is known of home follows from where it was begun: elsewhere only if something was held there.
    let is_known = WATCH.is_counted() == Some(true);
    let is_home_free = at == home && found == 0;
    add(home, Count::Held, u64::from(is_known && !is_home_free));
    add(home, Count::Unknown, u64::from(!is_known && !is_home_free));
    add(home, Count::Nowhere, u64::from(found != 0));
}
