//! Two processors call at once, in every order in which they can get in each other's way: what comes out is what comes out when each call
//! is made in one go (SPEC.md RTK-30 to RTK-36), and the system is sound.

use std::collections::BTreeSet;
use std::rc::Rc;

use tokkyu_rtos::{
    Alarm, Assignment, DataCell, DataQueue, EventFlag, EventFlagConfig, FlagMode, Mutex, Objects, Port,
    Processor, Protocol, Semaphore, Task, TaskConfig, Timeout,
};
use tokkyu_rtos_hosted::{Grain, InTurn, Order, explore};

use crate::desk::{Deed, Desk, System, code, done, leak, system};

/// Tasks: who calls on the first processor, who calls on the second, whom it is about, a bystander on the second.
const FIRST: i32 = 1;
const SECOND: i32 = 2;
const TARGET: i32 = 3;
const OTHER: i32 = 4;
const SEMAPHORE: i32 = 1;
const QUEUE: i32 = 1;
const FLAG: i32 = 1;
const ALARM: i32 = 1;
/// With inheritance, and with a ceiling.
const INHERITS: i32 = 1;
const CEILING: i32 = 2;

fn pair() -> (&'static System, Rc<Desk>) {
    let task = |priority, processor, active| {
        Task::new(TaskConfig { priority, processor, may_move_to: 3, active, exinf: 0 })
    };
    let objects = Objects {
        processors: leak(vec![Processor::new(), Processor::new()]),
        tasks: leak(vec![task(10, 1, true), task(10, 2, true), task(8, 1, false), task(12, 2, false)]),
        semaphores: leak(vec![Semaphore::new(0, 2, true)]),
        event_flags: leak(vec![EventFlag::new(EventFlagConfig {
            many_may_wait: true,
            ..EventFlagConfig::default()
        })]),
        data_queues: leak(vec![DataQueue::new(leak(vec![DataCell::new()]), true)]),
        mutexes: leak(vec![Mutex::new(Protocol::Inheritance), Mutex::new(Protocol::Ceiling(6))]),
        alarms: leak(vec![Alarm::new(Assignment { processor: 1, may_move_to: 3 })]),
        ..Objects::default()
    };
    let (kernel, desk) = system(objects);
    desk.handler.set(Some(|kernel, _| {
        let _ = kernel.wup_tsk(TARGET);
    }));
    (kernel, desk)
}

/// How the target is brought into the state in which it is called about: what it does once it runs, and what others do then.
struct State {
    name: &'static str,
    /// What the second does before.
    before: Option<Deed>,
    activate: bool,
    does: Option<Deed>,
    then: Option<Deed>,
}

const STATES: &[State] = &[
    State { name: "dormant", before: None, activate: false, does: None, then: None },
    State { name: "running", before: None, activate: true, does: None, then: None },
    State {
        name: "running with an activation queued",
        before: None,
        activate: true,
        does: None,
        then: Some(|k| done(k.mact_tsk(TARGET, 2))),
    },
    State { name: "sleeping", before: None, activate: true, does: Some(|k| done(k.slp_tsk())), then: None },
    State {
        name: "sleeping with an activation queued",
        before: None,
        activate: true,
        does: Some(|k| done(k.slp_tsk())),
        then: Some(|k| done(k.mact_tsk(TARGET, 2))),
    },
    State {
        name: "sleeping for a time",
        before: None,
        activate: true,
        does: Some(|k| done(k.tslp_tsk(Timeout::After(500)))),
        then: None,
    },
    State {
        name: "waiting for a semaphore",
        before: None,
        activate: true,
        does: Some(|k| done(k.wai_sem(SEMAPHORE))),
        then: None,
    },
    State {
        name: "waiting for a semaphore for a time",
        before: None,
        activate: true,
        does: Some(|k| done(k.twai_sem(SEMAPHORE, Timeout::After(500)))),
        then: None,
    },
    State {
        name: "waiting for data",
        before: None,
        activate: true,
        does: Some(|k| code(k.rcv_dtq(QUEUE).map(|data| data as i64))),
        then: None,
    },
    State {
        name: "waiting for bits",
        before: None,
        activate: true,
        does: Some(|k| code(k.wai_flg(FLAG, 3, FlagMode::All))),
        then: None,
    },
    State { name: "suspended", before: None, activate: true, does: Some(|k| done(k.sus_tsk(0))), then: None },
    State {
        name: "waiting and suspended",
        before: None,
        activate: true,
        does: Some(|k| done(k.wai_sem(SEMAPHORE))),
        then: Some(|k| done(k.sus_tsk(TARGET))),
    },
    State {
        name: "waiting for a mutex",
        before: Some(|k| done(k.loc_mtx(INHERITS))),
        activate: true,
        does: Some(|k| done(k.loc_mtx(INHERITS))),
        then: None,
    },
    State {
        name: "waiting for a mutex for a time",
        before: Some(|k| done(k.loc_mtx(INHERITS))),
        activate: true,
        does: Some(|k| done(k.tloc_mtx(INHERITS, Timeout::After(500)))),
        then: None,
    },
    State {
        name: "running with a mutex",
        before: None,
        activate: true,
        does: Some(|k| done(k.loc_mtx(INHERITS))),
        then: None,
    },
    State {
        name: "sleeping with a mutex",
        before: None,
        activate: true,
        does: Some(|k| done(k.loc_mtx(INHERITS).and_then(|()| k.slp_tsk()))),
        then: None,
    },
    State {
        name: "sleeping with a mutex that another waits for",
        before: None,
        activate: true,
        does: Some(|k| done(k.loc_mtx(INHERITS).and_then(|()| k.slp_tsk()))),
        then: Some(|k| done(k.act_tsk(OTHER).and_then(|()| k.tloc_mtx(INHERITS, Timeout::After(700))))),
    },
    State {
        name: "sleeping with a mutex, not to be ended",
        before: None,
        activate: true,
        does: Some(|k| done(k.dis_ter().and_then(|()| k.loc_mtx(INHERITS)).and_then(|()| k.slp_tsk()))),
        then: None,
    },
    State {
        name: "waiting for a semaphore with a mutex with a ceiling",
        before: None,
        activate: true,
        does: Some(|k| done(k.loc_mtx(CEILING).and_then(|()| k.wai_sem(SEMAPHORE)))),
        then: None,
    },
];

const DEEDS: &[(&str, Deed)] = &[
    ("act_tsk", |k| done(k.act_tsk(TARGET))),
    ("mact_tsk 1", |k| done(k.mact_tsk(TARGET, 1))),
    ("mact_tsk 2", |k| done(k.mact_tsk(TARGET, 2))),
    ("can_act", |k| code(k.can_act(TARGET))),
    ("ter_tsk", |k| done(k.ter_tsk(TARGET))),
    ("ras_ter", |k| done(k.ras_ter(TARGET))),
    ("mig_tsk 1", |k| done(k.mig_tsk(TARGET, 1))),
    ("mig_tsk 2", |k| done(k.mig_tsk(TARGET, 2))),
    ("mig_tsk of itself to 2", |k| done(k.mig_tsk(0, 2))),
    ("mig_tsk of itself to 1", |k| done(k.mig_tsk(0, 1))),
    ("chg_pri up", |k| done(k.chg_pri(TARGET, 5))),
    ("chg_pri down", |k| done(k.chg_pri(TARGET, 14))),
    ("rot_rdq", |k| done(k.rot_rdq(8))),
    ("sus_tsk", |k| done(k.sus_tsk(TARGET))),
    ("sus_tsk of the other", |k| done(k.sus_tsk(if k.get_tid() == Ok(FIRST) { SECOND } else { FIRST }))),
    ("rsm_tsk", |k| done(k.rsm_tsk(TARGET))),
    ("wup_tsk", |k| done(k.wup_tsk(TARGET))),
    ("can_wup", |k| code(k.can_wup(TARGET))),
    ("rel_wai", |k| done(k.rel_wai(TARGET))),
    ("slp_tsk", |k| done(k.slp_tsk())),
    ("sig_sem", |k| done(k.sig_sem(SEMAPHORE))),
    ("wai_sem", |k| done(k.wai_sem(SEMAPHORE))),
    ("pol_sem", |k| done(k.pol_sem(SEMAPHORE))),
    ("ini_sem", |k| done(k.ini_sem(SEMAPHORE))),
    ("snd_dtq", |k| done(k.snd_dtq(QUEUE, 7))),
    ("rcv_dtq", |k| code(k.rcv_dtq(QUEUE).map(|data| data as i64))),
    ("set_flg 1", |k| done(k.set_flg(FLAG, 1))),
    ("set_flg 3", |k| done(k.set_flg(FLAG, 3))),
    ("msta_alm 1", |k| done(k.msta_alm(ALARM, 300, 1))),
    ("msta_alm 2", |k| done(k.msta_alm(ALARM, 200, 2))),
    ("stp_alm", |k| done(k.stp_alm(ALARM))),
    ("act_tsk of a bystander", |k| done(k.act_tsk(OTHER))),
    ("loc_mtx", |k| done(k.loc_mtx(INHERITS))),
    ("loc_mtx urgently", |k| done(k.chg_pri(0, 3).and_then(|()| k.loc_mtx(INHERITS)))),
    ("unl_mtx", |k| done(k.unl_mtx(INHERITS))),
    ("ini_mtx", |k| done(k.ini_mtx(INHERITS))),
    ("loc_mtx with a ceiling", |k| done(k.loc_mtx(CEILING))),
    ("ini_mtx with a ceiling", |k| done(k.ini_mtx(CEILING))),
    ("ext_tsk", |k| code(k.ext_tsk().map(|_| 0))),
];

/// What the specification lets be seen in between (SPEC.md RTK-52): who waited for the mutex of a task that is ended runs before the task
/// begins anew where it was activated meanwhile. It is sound all the same.
const IN_BETWEEN: &[(&str, &str, &str)] = &[
    ("sleeping with a mutex that another waits for", "ter_tsk", "mact_tsk 2"),
    ("sleeping with a mutex that another waits for", "ras_ter", "mact_tsk 2"),
];

/// Who calls on a processor: the task that runs there, the target if it does.
fn runs_on(kernel: &'static System, processor: i32) -> i32 {
    let tasks = kernel.objects().tasks.iter();
    let mut runs = tasks.filter(|task| {
        let status = kernel.status(task);
        status.processor == processor && status.state == tokkyu_rtos::TaskState::Running
    });
    runs.next().map_or(0, Task::id)
}

/// Brings the system into a state.
fn set_up(kernel: &'static System, desk: &Desk, state: &State) {
    desk.clear();
    kernel.port.reboot();
    kernel.port.run(&mut InTurn);
    if let Some(deed) = state.before {
        desk.tell(SECOND, deed);
        kernel.port.run(&mut InTurn);
    }
    if state.activate {
        desk.tell(SECOND, |k| done(k.act_tsk(TARGET)));
        kernel.port.run(&mut InTurn);
        if let Some(deed) = state.does {
            desk.tell(TARGET, deed);
            kernel.port.run(&mut InTurn);
        }
    }
    if let Some(deed) = state.then {
        desk.tell(SECOND, deed);
        kernel.port.run(&mut InTurn);
    }
    desk.forget();
}

/// Everything that can be seen afterwards, then what happens when time goes on.
fn outcome(kernel: &'static System, desk: &Desk) -> String {
    kernel.check_sound().unwrap_or_else(|error| panic!("{error}"));
    let now = seen(kernel, desk);
    kernel.port.advance(1_000);
    kernel.port.run(&mut InTurn);
    kernel.check_sound().unwrap_or_else(|error| panic!("later: {error}"));
    format!("{now}\n  later {}", seen(kernel, desk))
}

fn seen(kernel: &'static System, desk: &Desk) -> String {
    let task = |task| {
        let status = kernel.status(task);
        format!("{status:?}").replace("TaskStatus ", "")
    };
    let tasks: Vec<String> = kernel.objects().tasks.iter().map(task).collect();
    let answers = [FIRST, SECOND, TARGET, OTHER].map(|id| desk.answer(id));
    let objects = kernel.objects();
    format!(
        "{answers:?} {:?} {:?} {:?} {:?}\n    {}",
        objects.semaphores[0].status(),
        objects.data_queues[0].status(),
        objects.event_flags[0].status(),
        (
            objects.alarms[0].status(kernel.port.now_us()),
            objects.mutexes[0].status(),
            objects.mutexes[1].status()
        ),
        tasks.join("\n    "),
    )
}

fn together(
    kernel: &'static System,
    desk: &Desk,
    state: &State,
    [first, second]: [Deed; 2],
    grain: Grain,
    order: &mut dyn Order,
) -> String {
    set_up(kernel, desk, state);
    desk.tell(runs_on(kernel, 1), first);
    desk.tell(runs_on(kernel, 2), second);
    kernel.port.set_grain(grain);
    kernel.port.run(order);
    kernel.port.set_grain(Grain::Locks);
    outcome(kernel, desk)
}

/// What was tried, and what came out of it that no two calls one after the other come to.
#[derive(Default)]
struct Compared {
    pairs: u64,
    runs: u64,
    references: u64,
    longest: usize,
    wrong: Vec<String>,
}

impl Compared {
    /// One pair of calls, in every order with at most so many interruptions.
    fn add(
        &mut self,
        (kernel, desk): (&'static System, &Desk),
        state: &State,
        pair: [&(&str, Deed); 2],
        grain: Grain,
        most: u32,
    ) {
        let [(first_name, first), (second_name, second)] = pair;
        let run =
            |grain, order: &mut dyn Order| together(kernel, desk, state, [*first, *second], grain, order);
        let mut right: BTreeSet<String> = BTreeSet::new();
        // One that waits for a lock is interrupted for nothing: without locks to wait for it takes more to the same end.
        let reference = explore(most.max(1) + 2, |order| {
            right.insert(run(Grain::Calls, order));
        });
        let explored = explore(most, |order| {
            let is = run(grain, order);
            let what = format!("{}: {first_name} and {second_name}", state.name);
            let may_differ = IN_BETWEEN.contains(&(state.name, first_name, second_name));
            if !right.contains(&is) && !may_differ && self.wrong.iter().all(|told| !told.starts_with(&what)) {
                self.wrong.push(format!("{what}: {is}\nnot one of {right:#?}"));
            }
        });
        self.pairs += 1;
        self.runs += explored.runs;
        self.references += reference.runs;
        self.longest = self.longest.max(explored.longest);
    }

    fn tell(&self, interruptions: u32) {
        println!(
            "{} pairs, {} runs with at most {interruptions} interruptions and {} choices",
            self.pairs, self.runs, self.longest
        );
        println!("{} runs to compare with", self.references);
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n\n"));
    }
}

fn is_deep() -> bool {
    std::env::var_os("TOKKYU_DEEP").is_some()
}

#[test]
fn two_calls_at_once_are_two_calls_one_after_the_other() {
    let (kernel, desk) = pair();
    // The deep run tries more; a usual run has what most faults need.
    let interruptions = if is_deep() { 2 } else { 1 };
    let mut compared = Compared::default();
    for state in STATES {
        for first in DEEDS {
            for second in DEEDS {
                compared.add((kernel, &desk), state, [first, second], Grain::Locks, interruptions);
            }
        }
    }
    compared.tell(interruptions);
}

/// Calls look at some fields before they know which lock is theirs: what they see there may be old, and nothing else (RTK-32). The deep
/// run tries each pair in each state, a usual one in a state that is another for the next pair.
#[test]
fn so_are_they_between_any_two_accesses_to_memory() {
    let (kernel, desk) = pair();
    let mut compared = Compared::default();
    let mut turn = STATES.iter().cycle();
    for first in DEEDS {
        for second in DEEDS {
            for state in turn.by_ref().take(if is_deep() { STATES.len() } else { 1 }) {
                compared.add((kernel, &desk), state, [first, second], Grain::Accesses, 1);
            }
        }
    }
    compared.tell(1);
}
