//! The paths, what is wanted of them, and what others reach.

/// A path through the kernel, or of a message through nodes on it.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Its name in results.
    pub name: &'static str,
    /// What the image calls it.
    pub counted: &'static str,
    /// From where to where.
    pub what: &'static str,
    /// How many processors take part.
    pub cores: u32,
    /// Of a message, where there is one.
    pub bytes: Option<u64>,
    /// At most so many instructions.
    pub goal: Option<u64>,
    /// Of FMP3 3.4.0 with and without floating-point registers, and of ASP3, which is for one processor and has no locks. Counted by
    /// a plugin of the same emulator, from the call's first instruction to the last before the end; kernels unmodified, gcc 12.2 -O2.
    pub others: [Option<u64>; 3],
}

const fn of(
    name: &'static str,
    counted: &'static str,
    what: &'static str,
    cores: u32,
    goal: Option<u64>,
    others: [Option<u64>; 3],
) -> Path {
    Path { name, counted, what, cores, bytes: None, goal, others }
}

/// Of a message: nobody else was counted.
const fn message(
    name: &'static str,
    counted: &'static str,
    what: &'static str,
    cores: u32,
    bytes: u64,
    goal: Option<u64>,
) -> Path {
    Path { name, counted, what, cores, bytes: Some(bytes), goal, others: NOBODY }
}

/// How long interrupts are masked at once. FMP3's sample: 143 at the longest.
const fn masked(counted: &'static str, what: &'static str) -> Path {
    of("masked", counted, what, 1, Some(140), NOBODY)
}

/// With two records, of the call and of the switch, or three, of the interrupt too.
const fn traced(name: &'static str, counted: &'static str, what: &'static str) -> Path {
    of(name, counted, what, 1, None, NOBODY)
}

/// Between tasks that use floating-point registers. FMP3 keeps 8 of 32 in a switch, as its calls are functions, and 24 in an interrupt.
const fn floats(name: &'static str, counted: &'static str, what: &'static str, fmp3: u64) -> Path {
    of(name, counted, what, 1, None, [Some(fmp3), None, None])
}

const fn all(fmp3: u64, fmp3_no_fpu: u64, asp3: u64) -> [Option<u64>; 3] {
    [Some(fmp3), Some(fmp3_no_fpu), Some(asp3)]
}

const fn two(fmp3: u64, fmp3_no_fpu: u64) -> [Option<u64>; 3] {
    [Some(fmp3), Some(fmp3_no_fpu), None]
}

const NOBODY: [Option<u64>; 3] = [None; 3];

/// All of them.
#[rustfmt::skip]
pub const PATHS: [Path; 70] = [
    of("task-switch", "act_tsk", "act_tsk of a more urgent task, to its first instruction", 1, Some(110), all(127, 122, 98)),
    of("task-end", "ext_tsk", "the end of a task, to the one that had activated it", 1, None, all(134, 129, 110)),
    of("wake-switch", "wup_tsk", "wup_tsk, to the more urgent task behind its slp_tsk", 1, Some(130), all(153, 143, 123)),
    of("sleep-switch", "slp_tsk", "slp_tsk, to the less urgent task behind its wup_tsk", 1, Some(120), all(132, 122, 118)),
    of("semaphore", "sig_sem", "sig_sem, to the more urgent task behind its wai_sem", 1, Some(130), all(152, 142, 123)),
    of("semaphore-wait", "wai_sem", "wai_sem that waits, to the less urgent task behind its sig_sem", 1, None, all(162, 152, 154)),
    of("data-queue", "snd_dtq", "snd_dtq, to the more urgent task behind its rcv_dtq", 1, Some(160), all(179, 169, 156)),
    of("data-queue-wait", "rcv_dtq", "rcv_dtq that waits, to the less urgent task behind its snd_dtq", 1, None, all(173, 163, 164)),
    of("interrupt-to-task", "interrupt", "an interrupt whose handler calls act_tsk, to the task's first instruction", 1, Some(200), all(232, 210, 192)),
    of("activate-alone", "act_tsk_alone", "act_tsk of a less urgent task, and back", 1, None, all(94, 94, 63)),
    of("semaphore-take-alone", "wai_sem_alone", "wai_sem that takes, and back", 1, Some(45), all(55, 55, 33)),
    of("semaphore-give-alone", "sig_sem_alone", "sig_sem for which nobody waits, and back", 1, Some(50), all(63, 63, 39)),
    of("data-queue-send-alone", "snd_dtq_alone", "snd_dtq into the queue, and back", 1, Some(80), all(93, 93, 77)),
    of("data-queue-receive-alone", "rcv_dtq_alone", "rcv_dtq out of the queue, and back", 1, Some(80), all(90, 90, 74)),
    of("cross-core-activation", "mact_tsk", "mact_tsk to an idle processor, both processors' paths summed", 2, Some(200), [Some(220), None, None]),
    of("cross-core-activation-caller", "mact_tsk_caller", "the caller's part of it", 2, None, two(122, 122)),
    of("cross-core-wake", "wup_tsk_across", "wup_tsk of a task of an idle processor, both summed", 2, None, two(229, 206)),
    of("cross-core-semaphore", "sig_sem_across", "sig_sem for a task of an idle processor, both summed", 2, None, NOBODY),
    of("cross-core-data-queue", "snd_dtq_across", "snd_dtq to a task of an idle processor, both summed", 2, None, NOBODY),
    floats("task-switch", "floats_act_tsk", "registers in use: act_tsk of a more urgent task, to its first instruction", 127),
    floats("task-end", "floats_ext_tsk", "registers in use: the end of a task, to the one that had activated it", 134),
    floats("wake-switch", "floats_wup_tsk", "registers in use: wup_tsk, to the more urgent task behind its slp_tsk", 153),
    floats("sleep-switch", "floats_slp_tsk", "registers in use: slp_tsk, to the less urgent task behind its wup_tsk", 132),
    floats("semaphore", "floats_sig_sem", "registers in use: sig_sem, to the more urgent task behind its wai_sem", 152),
    floats("semaphore-wait", "floats_wai_sem", "registers in use: wai_sem that waits, to the less urgent task behind its sig_sem", 162),
    floats("data-queue", "floats_snd_dtq", "registers in use: snd_dtq, to the more urgent task behind its rcv_dtq", 179),
    floats("data-queue-wait", "floats_rcv_dtq", "registers in use: rcv_dtq that waits, to the less urgent task behind its snd_dtq", 173),
    floats("interrupt-to-task", "floats_interrupt", "registers in use: an interrupt whose handler calls act_tsk, to the task's first instruction", 232),
    of("floats-first", "floats_first", "a task's first use of a floating-point register since it went on: the trap that gets them", 1, None, NOBODY),
    traced("task-switch", "traced_act_tsk", "written down: act_tsk of a more urgent task, to its first instruction"),
    traced("task-end", "traced_ext_tsk", "written down: the end of a task, to the one that had activated it"),
    traced("wake-switch", "traced_wup_tsk", "written down: wup_tsk, to the more urgent task behind its slp_tsk"),
    traced("sleep-switch", "traced_slp_tsk", "written down: slp_tsk, to the less urgent task behind its wup_tsk"),
    traced("semaphore", "traced_sig_sem", "written down: sig_sem, to the more urgent task behind its wai_sem"),
    traced("semaphore-wait", "traced_wai_sem", "written down: wai_sem that waits, to the less urgent task behind its sig_sem"),
    traced("data-queue", "traced_snd_dtq", "written down: snd_dtq, to the more urgent task behind its rcv_dtq"),
    traced("data-queue-wait", "traced_rcv_dtq", "written down: rcv_dtq that waits, to the less urgent task behind its snd_dtq"),
    traced("interrupt-to-task", "traced_interrupt", "written down: an interrupt whose handler calls act_tsk, to the task's first instruction"),
    of("trace-record", "traced_record", "one record of a call", 1, Some(50), NOBODY),
    masked("masked_act_tsk", "interrupts masked at once: act_tsk that switches, and the end of that task"),
    masked("masked_wup_tsk", "interrupts masked at once: wup_tsk that switches, and slp_tsk"),
    masked("masked_sig_sem", "interrupts masked at once: sig_sem that switches, and wai_sem that waits"),
    masked("masked_snd_dtq", "interrupts masked at once: snd_dtq that switches, and rcv_dtq that waits"),
    masked("masked_interrupt", "interrupts masked at once: an interrupt whose handler calls act_tsk, to the task"),
    masked("masked_act_tsk_alone", "interrupts masked at once: act_tsk of a less urgent task"),
    masked("masked_sig_sem_alone", "interrupts masked at once: sig_sem for which nobody waits"),
    masked("masked_wai_sem_alone", "interrupts masked at once: wai_sem that takes"),
    masked("masked_snd_dtq_alone", "interrupts masked at once: snd_dtq into the queue"),
    masked("masked_rcv_dtq_alone", "interrupts masked at once: rcv_dtq out of the queue"),
    of("unrelated-alone", "unrelated_alone", "100 times sig_sem and wai_sem on each of two processors, one after the other, summed", 2, None, NOBODY),
    of("unrelated", "unrelated", "the same at once, each processor with a semaphore of its own", 2, None, NOBODY),
    of("unrelated-waits", "unrelated_waits", "waits for a lock of the kernel's meanwhile (not instructions)", 2, Some(0), NOBODY),
    message("publish-to-callback", "publish-to-callback-64", NEAR, 1, 64, Some(800)),
    message("publish-to-callback", "publish-to-callback-1024", NEAR, 1, 1 << 10, Some(800)),
    message("publish-to-callback", "publish-to-callback-4096", NEAR, 1, 4 << 10, Some(800)),
    message("publish-to-callback", "publish-to-callback-262144", NEAR, 1, 256 << 10, Some(800)),
    message("publish-to-callback", "publish-to-callback-across-64", FAR, 2, 64, None),
    message("publish-to-callback", "publish-to-callback-across-1024", FAR, 2, 1 << 10, None),
    message("publish-to-callback", "publish-to-callback-across-4096", FAR, 2, 4 << 10, Some(1200)),
    message("publish-to-callback", "publish-to-callback-across-262144", FAR, 2, 256 << 10, Some(1200)),
    message("publish", "publish-64", CALL, 1, 64, None),
    message("publish", "publish-1024", CALL, 1, 1 << 10, None),
    message("publish", "publish-4096", CALL, 1, 4 << 10, None),
    message("publish", "publish-262144", CALL, 1, 256 << 10, None),
    message("publish-overrun", "publish-overrun-64", FULL, 1, 64, None),
    message("publish-overrun", "publish-overrun-1024", FULL, 1, 1 << 10, None),
    message("publish-overrun", "publish-overrun-4096", FULL, 1, 4 << 10, None),
    message("publish-overrun", "publish-overrun-262144", FULL, 1, 256 << 10, None),
    message("tcpros", "tcpros-64", TCPROS, 1, 64, None),
    message("tcpros", "tcpros-4096", TCPROS, 1, 4 << 10, None),
];

const NEAR: &str = "a filled message published, to the callback of class control of the same node";
const FAR: &str = "a filled message published, to the callback of a node on an idle processor, both summed";
const CALL: &str = "publishing alone, with a queue that has room";
const FULL: &str = "publishing alone, with a queue that is full: its oldest goes";
const TCPROS: &str =
    "a filled message published, to the callback of a node that has it by TCPROS, over the board's own wire";
