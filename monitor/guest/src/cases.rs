//! What is tried: the calls, processors that go on and off, bounds, lengths of paths.

use core::arch::asm;
use core::hint::spin_loop;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicI64, AtomicU64};

use smccc::arch::{SMCCC_ARCH_FEATURES, SMCCC_VERSION};
use smccc::psci::error::{ALREADY_ON, INVALID_ADDRESS, INVALID_PARAMETERS, NOT_SUPPORTED, ON_PENDING};
use smccc::psci::{
    PSCI_AFFINITY_INFO_64, PSCI_CPU_FREEZE, PSCI_CPU_OFF, PSCI_CPU_ON_32, PSCI_CPU_ON_64,
    PSCI_CPU_SUSPEND_64, PSCI_FEATURES, PSCI_MIGRATE_INFO_TYPE, PSCI_VERSION,
};

use crate::call::{PV_SCHED_FEATURES, PV_SCHED_IPA_INIT, PV_SCHED_KICK_CPU, counter, kept, off, smc};
use crate::console::has_failed;
use crate::power::{
    CALL_WITHOUT_END, COUNT_AND_GO, IS_OFF, IS_ON, LEAD, LEAVE_AN_INTERRUPT, TAKE_AN_INTERRUPT,
    WAIT_FOR_KICK, WAIT_FOR_RACE, affinity_info, begin_anew, has_begun_anew, on, until,
};
use crate::processor::{ABORT, begin, here};
use crate::{between, expect, flood, hotplug, placement, rtos, say, suspend};

const PROCESSORS_MAX: usize = 8;
const NOT: i64 = NOT_SUPPORTED as i64;

/// How often each processor has begun, and with what.
static BEGUN: [AtomicU64; PROCESSORS_MAX] = [const { AtomicU64::new(0) }; PROCESSORS_MAX];
/// Rounds of the race: who is told a number does it.
static ROUND: AtomicU64 = AtomicU64::new(0);
static DONE: AtomicU64 = AtomicU64::new(0);
static ANSWER: AtomicI64 = AtomicI64::new(0);
/// Whom the race is about.
const TARGET: u64 = 2;
const ROUNDS: u64 = 200;

pub fn all(tree: u64, rest: u64) -> ! {
    expect!("x1 to x3 at the beginning", rest, 0);
    // SAFETY: memory; a tree begins with its magic.
    let magic = unsafe { (tree as *const u32).read_volatile() };
    expect!("a device tree", magic, 0xd00d_feed_u32.to_be());
    if has_begun_anew() {
        expect!("the first processor", here(), 0);
        say!("ok a reset begins anew");
        finish();
    }
    let processors =
        (0..PROCESSORS_MAX as u64).filter(|of| affinity_info(*of) != INVALID_PARAMETERS.into()).count();
    say!("guest: {processors} processors");
    if placement::is_beside() {
        placement::all();
        finish();
    }
    answers();
    registers();
    strangers();
    bounds();
    if processors > 1 {
        on_and_off(processors as u64);
        kicked();
    }
    if processors > TARGET as usize {
        races();
    }
    suspend::all();
    between::told();
    between::kept();
    lengths();
    if processors == 1 {
        between::lengths();
    }
    pairs();
    flood::all(processors);
    if processors > 1 {
        hotplug::all();
    }
    begin_anew()
}

fn finish() -> ! {
    say!("{}", if has_failed() { "guest: FAILED" } else { "guest: done" });
    off()
}

/// MON-21, MON-22.
fn answers() {
    expect!("PSCI_VERSION", smc(PSCI_VERSION, [0; 3]), 0x1_0001);
    expect!("SMCCC_VERSION", smc(SMCCC_VERSION, [0; 3]), 0x1_0002);
    expect!("MIGRATE_INFO_TYPE", smc(PSCI_MIGRATE_INFO_TYPE, [0; 3]), 2);
    for known in [PSCI_CPU_ON_64, PSCI_CPU_ON_32, PSCI_CPU_OFF, PSCI_CPU_SUSPEND_64, SMCCC_VERSION] {
        expect!("PSCI_FEATURES", smc(PSCI_FEATURES, [known.into(), 0, 0]), 0);
    }
    expect!("PSCI_FEATURES of none", smc(PSCI_FEATURES, [PSCI_CPU_FREEZE.into(), 0, 0]), NOT);
    expect!("CPU_FREEZE", smc(PSCI_CPU_FREEZE, [0; 3]), NOT);
    expect!("SMCCC_ARCH_FEATURES", smc(SMCCC_ARCH_FEATURES, [SMCCC_VERSION.into(), 0, 0]), 0);
    expect!("SMCCC_ARCH_FEATURES of none", smc(SMCCC_ARCH_FEATURES, [0x8000_8000, 0, 0]), NOT);
    expect!("PV_SCHED_FEATURES by SMCCC", smc(SMCCC_ARCH_FEATURES, [PV_SCHED_FEATURES.into(), 0, 0]), 0);
    for known in PV_SCHED_FEATURES..=PV_SCHED_KICK_CPU {
        expect!("PV_SCHED_FEATURES", smc(PV_SCHED_FEATURES, [known.into(), 0, 0]), 0);
    }
    for asked in 0xf200_0001..=0xf200_0003 {
        expect!("what the RTOS alone may ask for", smc(asked, [1, 0, 0]), NOT);
    }
    expect!("IDLE, which is the RTOS's", smc(0xb200_0000, [0; 3]), NOT);
    say!("ok calls and their answers");
}

/// MON-20: registers are kept, and those that are not say nothing.
fn registers() {
    for (function, answer) in [(PSCI_VERSION, 0x1_0001), (0xc300_1234, NOT as u64), (PSCI_FEATURES, 0)] {
        let after = kept(function, PSCI_VERSION.into());
        expect!("x0", after[0], answer);
        expect!("x1 to x3", [after[1], after[2], after[3]], [0; 3]);
        for (number, word) in after.iter().enumerate().skip(4) {
            expect!("a register", (number, *word), (number, number as u64 * 0x111));
        }
    }
    say!("ok registers are kept");
}

/// MON-20: numbers of chance, with arguments of chance (a linear congruence, Knuth's).
fn strangers() {
    let mut word = 7_u64;
    let mut next = || {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        word
    };
    let mut tried = 0;
    while tried < 10_000 {
        let function = (next() >> 32) as u32;
        // What is PSCI's, or the architecture's, is tried by name.
        if matches!(function >> 24, 0x80 | 0x84 | 0xc4) {
            continue;
        }
        expect!("an unknown call", smc(function, [next(), next(), next()]), NOT);
        tried += 1;
    }
    say!("ok {tried} calls of chance");
}

/// MON-23, MON-30, MON-31.
fn bounds() {
    let wrong = INVALID_ADDRESS.into();
    let last = smc(PSCI_AFFINITY_INFO_64, [1, 0, 0]);
    for target in [8, 1 << 8, 1 << 32, u64::MAX, 0x8000_0000] {
        expect!("a processor that is not there", on(target, begin(), 0), i64::from(INVALID_PARAMETERS));
        expect!("nor its state", affinity_info(target), i64::from(INVALID_PARAMETERS));
    }
    expect!("a level above", smc(PSCI_AFFINITY_INFO_64, [0, 1, 0]), i64::from(INVALID_PARAMETERS));
    if last != INVALID_PARAMETERS.into() {
        for entry in [0, 0x0e00_0000, 0x0900_0000, 0x3fff_fffc, begin() + 2, !3, 1 << 40] {
            expect!("an entry that is not Linux's", (entry, on(1, entry, 0)), (entry, wrong));
        }
        expect!("it is off still", affinity_info(1), IS_OFF);
    }
    for wrong in [0, 0x0e00_0000, 0x3fff_ffc0, begin() + 4, 0x6000_0000, !63, !0] {
        expect!("who has it, told elsewhere", (wrong, smc(PV_SCHED_IPA_INIT, [wrong, 0, 0])), (wrong, NOT));
    }
    expect!("a kick of nobody", smc(PV_SCHED_KICK_CPU, [8, 0, 0]), NOT);
    expect!("itself", on(0, begin(), 0), i64::from(ALREADY_ON));
    let power_down = 1 << 16;
    expect!("power-down to nowhere", smc(PSCI_CPU_SUSPEND_64, [power_down, 0x0e00_0000, 0]), wrong);
    for secret in [0x0e00_0000_usize, 0x0eff_fff8, 0x0904_0000, 0x090b_0000] {
        ABORT.store(0, Relaxed);
        // SAFETY: an abort is passed over; nothing is written.
        let _ = unsafe { (secret as *const u32).read_volatile() };
        // A synchronous external abort (DDI 0487, ISS of a data abort, 0b010000).
        expect!("an abort of Linux's own", (secret, ABORT.load(Relaxed) & 0x3f), (secret, 0x10));
    }
    say!("ok bounds");
}

/// What another processor does.
pub fn other(context: u64) -> ! {
    let own = here();
    between::told();
    match context & 0xff {
        COUNT_AND_GO => {
            BEGUN[own].store(context, Release);
        }
        WAIT_FOR_RACE => race(),
        WAIT_FOR_KICK => {
            BEGUN[own].store(context, Release);
            // SAFETY: it waits; no interrupt is enabled here.
            unsafe { asm!("dsb sy", "wfi", options(nostack)) };
            BEGUN[own].store(0, Release);
        }
        CALL_WITHOUT_END => flood::call_until_told(),
        LEAVE_AN_INTERRUPT => hotplug::leave(),
        TAKE_AN_INTERRUPT => hotplug::take(),
        LEAD => hotplug::lead(),
        _ => expect!("a context", context, COUNT_AND_GO),
    }
    let answer = smc(PSCI_CPU_OFF, [0; 3]);
    expect!("CPU_OFF does not return", answer, 0);
    loop {
        spin_loop();
    }
}

/// MON-23: each comes with its context, and is off again, many times.
fn on_and_off(processors: u64) {
    for round in 1..=20 {
        for of in 1..processors {
            let context = COUNT_AND_GO | of << 8 | round << 16;
            expect!("CPU_ON", on(of, begin(), context), 0);
            until("it comes with its context", || BEGUN[of as usize].load(Acquire) == context);
            until("it is off again", || affinity_info(of) == IS_OFF);
        }
    }
    say!("ok processors on and off");
}

/// MON-62: the wait of another ends.
fn kicked() {
    expect!("CPU_ON", on(1, begin(), WAIT_FOR_KICK), 0);
    until("it waits", || BEGUN[1].load(Acquire) == WAIT_FOR_KICK);
    expect!("PV_SCHED_KICK_CPU", smc(PV_SCHED_KICK_CPU, [1, 0, 0]), 0);
    until("its wait ends", || BEGUN[1].load(Acquire) == 0);
    until("it is off", || affinity_info(1) == IS_OFF);
    say!("ok a kick ends a wait");
}

/// Two of the RTOS's interrupts at once, each time that it gives the processor back (MON-54): all come in, and all is kept.
fn pairs() {
    if !rtos::is_beside() {
        return;
    }
    rtos::begin_round(true);
    between::kept();
    let [raised, first, second] = rtos::pairs();
    expect!("pairs of interrupts", (raised > 3, first, second), (true, raised, raised));
    rtos::begin_round(false);
    say!("ok pairs of the RTOS's interrupts");
}

/// Two call `CPU_ON` of a third at once.
fn races() {
    expect!("CPU_ON", on(1, begin(), WAIT_FOR_RACE), 0);
    until("it is on", || affinity_info(1) == IS_ON);
    let mut pending = 0;
    for round in 1..=ROUNDS {
        let context = COUNT_AND_GO | round << 16;
        ROUND.store(round, Release);
        let own = on(TARGET, begin(), context);
        until("the other has its answer", || DONE.load(Acquire) == round);
        let both = [own, ANSWER.load(Acquire)];
        // Whoever was late may find it on, or off again: then both have it.
        let wins = both.iter().filter(|answer| **answer == 0).count();
        let loses =
            both.iter().filter(|answer| [ON_PENDING.into(), ALREADY_ON.into()].contains(*answer)).count();
        expect!("answers of two", (wins >= 1, wins + loses), (true, 2));
        pending += loses;
        until("it came", || BEGUN[TARGET as usize].load(Acquire) >> 16 == round);
        until("it is off again", || affinity_info(TARGET) == IS_OFF);
    }
    ROUND.store(u64::MAX, Release);
    until("it is off", || affinity_info(1) == IS_OFF);
    say!("ok races: {pending} of {ROUNDS} lost");
}

fn race() {
    let mut last = 0;
    loop {
        let round = ROUND.load(Acquire);
        match round {
            u64::MAX => return,
            round if round != last => {
                ANSWER.store(on(TARGET, begin(), COUNT_AND_GO | round << 16), Release);
                DONE.fetch_max(round, AcqRel);
                last = round;
            }
            // SAFETY: it gives way.
            _ => unsafe { asm!("yield", options(nomem, nostack)) },
        }
    }
}

/// Instructions from before `SMC` to behind it, both reads of the counter but one counted in: under counting at 1 GHz each takes a tick.
fn lengths() {
    let own = {
        let begin = counter();
        counter() - begin
    };
    for (name, function) in [("psci-version", PSCI_VERSION), ("unknown", 0xc300_1234)] {
        let mut all = [0; 16];
        for length in &mut all {
            let begin = counter();
            // SAFETY: as in `smc`, which the compiler could put other instructions around.
            unsafe {
                asm!("smc #0", inout("x0") u64::from(function) => _, inout("x1") 0_u64 => _, inout("x2") 0_u64 => _, inout("x3") 0_u64 => _,
                     options(nostack));
            }
            *length = counter() - begin - own;
        }
        let (least, most) = (all.iter().min(), all.iter().max());
        say!("length {name} {} {}", least.copied().unwrap_or(0), most.copied().unwrap_or(0));
    }
}
