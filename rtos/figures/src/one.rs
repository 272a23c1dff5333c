//! What one processor does.

use core::fmt::Write;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use tokkyu_rtos::{Call, Port, Result};
use tokkyu_rtos_aarch64::{Console, exit};

use crate::count::{Figure, Mark, ROUNDS, begin, calibrate, good, now, touch};
use crate::kind::{FLOATS, KIND, Kind, MASKED};
use crate::system::{HIGH, KERNEL, LINE, LOW, QUEUE, SEMAPHORE};
use crate::two;

/// What the more urgent task does when it is activated.
static TURN: AtomicU32 = AtomicU32::new(ENDS);
const ENDS: u32 = 0;
const SLEEPS: u32 = 1;
const WAITS: u32 = 2;
const RECEIVES: u32 = 3;

/// Before a call, and behind it in the other task.
static BEFORE: Mark = Mark::new();
static BEHIND: Mark = Mark::new();
/// Once it has used a floating-point register.
static USES: Mark = Mark::new();
/// Before the more urgent task waits.
static RESTS: Mark = Mark::new();

pub(crate) fn high() {
    goes_on();
    let turn = TURN.load(Relaxed);
    while turn != ENDS && TURN.load(Relaxed) == turn {
        RESTS.set();
        let _ = match turn {
            SLEEPS => KERNEL.slp_tsk(),
            WAITS => KERNEL.wai_sem(SEMAPHORE),
            _ => KERNEL.rcv_dtq(QUEUE).map(drop),
        };
        goes_on();
    }
    RESTS.set();
}

#[inline(always)]
fn goes_on() {
    BEHIND.set();
    touch();
    USES.set();
}

pub(crate) fn line() {
    good(KERNEL.act_tsk(HIGH));
}

/// What reading the counter twice costs.
fn overhead() -> u64 {
    (0..ROUNDS)
        .map(|_| {
            let from = now();
            now() - from
        })
        .min()
        .unwrap_or(0)
}

/// With the more urgent task doing `turn`: `call` lets it go on, in which it comes back to where it was.
fn with_other(off: u64, turn: u32, there: &str, back: &str, call: fn() -> Result) {
    let (to_other, to_this, first) = (Figure::new(), Figure::new(), Figure::new());
    TURN.store(turn, Relaxed);
    if turn != ENDS {
        good(KERNEL.act_tsk(HIGH));
    }
    for _ in 0..ROUNDS {
        begin();
        touch();
        BEFORE.set();
        let result = call();
        let after = now();
        good(result);
        to_other.add(BEFORE.get(), BEHIND.get(), off);
        to_this.add(RESTS.get(), after, off);
        first.add(BEHIND.get(), USES.get(), off);
    }
    TURN.store(ENDS, Relaxed);
    if turn != ENDS {
        good(call());
    }
    to_other.tell(there);
    if !back.is_empty() && !MASKED {
        to_this.tell(back);
    }
    if FLOATS && turn == SLEEPS {
        first.tell("first");
    }
}

/// A call that changes nothing about who runs; `undo` makes it possible again.
fn alone(off: u64, name: &str, call: fn() -> Result, undo: fn() -> Result) {
    let figure = Figure::new();
    for _ in 0..ROUNDS {
        begin();
        let from = now();
        let result = call();
        let to = now();
        good(result);
        figure.add(from, to, off);
        good(undo());
    }
    figure.tell(name);
}

fn raise() -> Result {
    tokkyu_rtos_aarch64::raise(0, LINE);
    Ok(())
}

pub(crate) fn main() {
    let off = overhead();
    let _ = writeln!(Console, "overhead {off}");
    if MASKED {
        calibrate(|| {
            KERNEL.port.mask();
            KERNEL.port.unmask();
        });
    }
    with_other(off, ENDS, "act_tsk", "ext_tsk", || KERNEL.act_tsk(HIGH));
    with_other(off, SLEEPS, "wup_tsk", "slp_tsk", || KERNEL.wup_tsk(HIGH));
    with_other(off, WAITS, "sig_sem", "wai_sem", || KERNEL.sig_sem(SEMAPHORE));
    with_other(off, RECEIVES, "snd_dtq", "rcv_dtq", || KERNEL.snd_dtq(QUEUE, 1));
    with_other(off, ENDS, "interrupt", "", raise);
    match KIND {
        Kind::Floats => {}
        Kind::Traced => record(off),
        Kind::Paths | Kind::Masked => one_alone_and_two(off),
    }
    let _ = writeln!(Console, "done");
    exit(0)
}

/// One record.
fn record(off: u64) {
    alone(
        off,
        "record",
        || {
            KERNEL.port.called(Call::ActTsk, LOW);
            Ok(())
        },
        || Ok(()),
    );
}

/// What concerns no more than one task, and two processors.
fn one_alone_and_two(off: u64) {
    alone(
        off,
        "act_tsk_alone",
        || KERNEL.act_tsk(LOW),
        || {
            KERNEL.chg_pri(LOW, 9)?;
            KERNEL.rot_rdq(0)?;
            Ok(())
        },
    );
    alone(off, "sig_sem_alone", || KERNEL.sig_sem(SEMAPHORE), || KERNEL.wai_sem(SEMAPHORE));
    good(KERNEL.sig_sem(SEMAPHORE));
    alone(off, "wai_sem_alone", || KERNEL.wai_sem(SEMAPHORE), || KERNEL.sig_sem(SEMAPHORE));
    alone(off, "snd_dtq_alone", || KERNEL.snd_dtq(QUEUE, 1), || KERNEL.rcv_dtq(QUEUE).map(drop));
    good(KERNEL.snd_dtq(QUEUE, 1));
    alone(off, "rcv_dtq_alone", || KERNEL.rcv_dtq(QUEUE).map(drop), || KERNEL.snd_dtq(QUEUE, 1));
    good(KERNEL.wai_sem(SEMAPHORE));
    good(KERNEL.rcv_dtq(QUEUE).map(drop));
    if MASKED {
        // Not masking: where processors take turns one's would be counted with what the other does meanwhile.
        two::unrelated(off);
    } else {
        two::main(off);
    }
}
