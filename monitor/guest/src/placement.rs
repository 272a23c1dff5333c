//! Beside load/, which begins tasks where Linux holds no lock: the guest tells of itself what it likes (MON-71 to MON-75).

use core::cell::UnsafeCell;

use tokkyu_monitor_placement::{COUNTED, PROCESSORS_MAX, Telling, Window};

use crate::call::{PV_SCHED_IPA_INIT, PV_SCHED_IPA_RELEASE, counter, smc};
use crate::{expect, say};

/// What load/src/shared.rs has there.
const SHARED: u64 = crate::processor::SHARED as u64;
const ORDERS: u64 = SHARED + 0x2000;
const COUNTS: u64 = SHARED + 0x3000;
const STATIC: u64 = 0;
const SPREAD: u64 = 1;
const LEAST_LOCKED: u64 = 2;
const BOUNDED_DEFER: u64 = 3;
/// Of a round: it ends with this many activations.
const ENOUGH: u64 = 10;
/// What is told, and what is ordered, is looked for each millisecond.
const SEEN_TICKS: u64 = 1_500_000;
const ROUND_TICKS: u64 = 50_000_000;
/// Memory of the guest's, as it addresses it.
const MEMORY: Window = Window { address: 0x4000_0000, bytes: 0x1fc0_0000, physical: 0x4000_0000 };

/// A task: its count is the second word.
#[repr(C)]
struct Task(UnsafeCell<[u64; 2]>);

/// Of each processor, which task it runs, and its tasks: one, and the one it has when it is idle.
struct Processors {
    running: UnsafeCell<[u64; 2]>,
    tasks: [Task; 2],
    idle: [Task; 2],
}

// SAFETY: the guest's first processor writes, the RTOS reads word by word.
unsafe impl Sync for Processors {}

static LINUX: Processors = Processors {
    running: UnsafeCell::new([0; 2]),
    tasks: [const { Task(UnsafeCell::new([0; 2])) }; 2],
    idle: [const { Task(UnsafeCell::new([0; 2])) }; 2],
};

/// As PV_SCHED_IPA_INIT wants it.
#[repr(align(64))]
struct WhoHas(UnsafeCell<[u64; 8]>);

// SAFETY: the monitor writes, the guest reads.
unsafe impl Sync for WhoHas {}

static WHO_HAS: WhoHas = WhoHas(UnsafeCell::new([0; 8]));

fn write(address: u64, word: u64) {
    // SAFETY: the shared memory, or the statics above.
    unsafe { (address as *mut u64).write_volatile(word) }
}

fn count(at: u64) -> u64 {
    // SAFETY: the shared memory.
    unsafe { ((COUNTS + 8 * at) as *const u64).read_volatile() }
}

fn wait(ticks: u64, is: impl Fn() -> bool) -> bool {
    let end = counter() + ticks;
    while !is() {
        if counter() > end {
            return false;
        }
        // SAFETY: it gives way, so that the other processor gets its turn.
        unsafe { core::arch::asm!("yield", options(nomem, nostack)) };
    }
    true
}

/// What came of a round: activations, and how many of them were moved, found home held, unknown, nowhere free, and waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Came {
    activations: u64,
    moved: u64,
    held: u64,
    unknown: u64,
    nowhere: u64,
    deferred: u64,
}

const NONE: Came = Came { activations: 0, moved: 0, held: 0, unknown: 0, nowhere: 0, deferred: 0 };

/// A round under a policy; `None`: nobody carries orders out.
fn round(number: &mut u64, policy: u64) -> Option<Came> {
    *number += 1;
    // Microseconds from one to the next and of work, the policy, microseconds of patience, the round; the first last.
    for (at, word) in [(1, 10), (2, policy), (3, 50), (4, *number), (0, 100)] {
        write(ORDERS + 8 * at, word);
    }
    let begun = wait(SEEN_TICKS, || count(11) == *number);
    let came = begun && wait(ROUND_TICKS, || count(0) >= ENOUGH);
    write(ORDERS, 0);
    // The last may just have begun.
    wait(SEEN_TICKS, || false);
    let [activations, moved, held, unknown, nowhere, deferred] = [0, 1, 2, 3, 4, 6].map(count);
    came.then_some(Came { activations, moved, held, unknown, nowhere, deferred })
}

fn task(processor: usize, is_idle: bool) -> u64 {
    let tasks = if is_idle { &LINUX.idle } else { &LINUX.tasks };
    tasks[processor].0.get() as u64
}

fn running_at(processor: usize) -> u64 {
    LINUX.running.get() as u64 + 8 * processor as u64
}

fn runs(processor: usize, is_idle: bool, count: u64) {
    write(task(processor, is_idle) + 8, count);
    write(running_at(processor), task(processor, is_idle));
}

fn tell(telling: &Telling, number: u64) {
    telling.write(number, |at, word| write(SHARED + at, word));
    wait(SEEN_TICKS, || false);
}

fn truth() -> Telling {
    let mut telling =
        Telling { flags: COUNTED, count_at: 8, windows: [Window::default(), MEMORY], ..Telling::default() };
    for processor in 0..2 {
        telling.running_at[processor] = running_at(processor);
        telling.idle[processor] = task(processor, true);
    }
    telling
}

/// Whether load/ is beside.
pub fn is_beside() -> bool {
    let mut number = 1_000;
    round(&mut number, STATIC).is_some()
}

pub fn all() {
    let mut number = 2_000;
    let mut under = |policy| {
        let came = round(&mut number, policy);
        expect!("a round", (policy, number, came.is_some()), (policy, number, true));
        came.unwrap_or(NONE)
    };
    let mut is = |what, policy, wanted: fn(Came) -> Came| {
        let came = under(policy);
        expect!(what, came, wanted(Came { activations: came.activations, ..NONE }));
    };
    is("nothing told: at home", LEAST_LOCKED, |came| Came {
        unknown: came.activations,
        nowhere: came.activations,
        ..came
    });
    tell(&truth(), 1);
    (0..2).for_each(|processor| runs(processor, false, 0));
    is("home is free", LEAST_LOCKED, |came| came);
    runs(0, false, 0x1_0100);
    is("home only handles interrupts", LEAST_LOCKED, |came| came);
    runs(0, false, 1);
    is("another is free", LEAST_LOCKED, |came| Came {
        moved: came.activations,
        held: came.activations,
        ..came
    });
    is("static", STATIC, |came| came);
    // When it is begun nobody looks any more.
    is("it waits", BOUNDED_DEFER, |came| Came { deferred: came.activations, ..came });
    runs(1, false, 0x201);
    is("nobody is free", LEAST_LOCKED, |came| Came {
        held: came.activations,
        nowhere: came.activations,
        ..came
    });
    runs(0, false, 2);
    is("another holds less", LEAST_LOCKED, |came| Came {
        moved: came.activations,
        held: came.activations,
        nowhere: came.activations,
        ..came
    });
    runs(1, true, 1);
    is("another is idle", LEAST_LOCKED, |came| Came {
        moved: came.activations,
        held: came.activations,
        ..came
    });
    runs(0, true, 1);
    is("home is idle", LEAST_LOCKED, |came| came);
    let came = under(SPREAD);
    expect!("spread", came.moved.abs_diff(came.activations / 2) <= 1, true);
    say!("ok tasks begin where no lock is held");
    who_has(&mut under);
    lies(under);
}

/// Linux is told who has its processor (MON-62): 1 while the RTOS looks, 0 when the guest does.
fn who_has(mut under: impl FnMut(u64) -> Came) {
    let state = WHO_HAS.0.get() as u64;
    // SAFETY: a static's word, which the monitor writes.
    let own = || unsafe { (state as *const u32).read_volatile() };
    write(ORDERS + 8 * 5, state);
    under(STATIC);
    expect!("told nowhere", (count(12), own()), (0, 0));
    expect!("PV_SCHED_IPA_INIT", smc(PV_SCHED_IPA_INIT, [state, 0, 0]), 0);
    let came = under(STATIC);
    expect!("told that the RTOS has it", (count(12), own()), (came.activations, 0));
    expect!("PV_SCHED_IPA_RELEASE", smc(PV_SCHED_IPA_RELEASE, [0; 3]), 0);
    under(STATIC);
    expect!("told nowhere again", (count(12), own()), (0, 0));
    write(ORDERS + 8 * 5, 0);
    say!("ok it is told who has the processor");
}

/// Addresses of anything but Linux's memory, or that are no multiple of what is read, in each place.
fn lies(mut under: impl FnMut(u64) -> Came) {
    let wrong = [
        0,
        0x0900_0000,
        0x0e00_0000,
        0x0e20_0000,
        0x3fff_fff8,
        MEMORY.address + 4,
        0x5fff_fffc,
        0x6000_0000,
        1 << 36,
        !7,
        !0,
    ];
    let mut lied = 0;
    for (number, wrong) in (2..).zip(wrong) {
        let places: [fn(&mut Telling, u64); 4] = [
            |telling, wrong| telling.running_at = [wrong; PROCESSORS_MAX],
            |telling, wrong| telling.count_at = wrong,
            |telling, wrong| telling.windows[1].physical = wrong,
            |telling, wrong| (telling.windows[1].address, telling.windows[1].bytes) = (0, wrong),
        ];
        for (place, lie) in (0..).zip(places) {
            let mut telling = truth();
            lie(&mut telling, wrong);
            tell(&telling, number << 8 | place);
            runs(0, false, 0);
            expect!(
                "the RTOS goes on",
                (wrong, place, under(LEAST_LOCKED).activations >= ENOUGH),
                (wrong, place, true)
            );
            lied += 1;
        }
    }
    say!("ok {lied} lies are looked through");
}
