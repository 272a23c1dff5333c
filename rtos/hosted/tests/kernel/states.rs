//! All states that two processors and four tasks come into by the calls that concern tasks, one call after the other: each is sound, and each call
//! answers as it may (SPEC.md RTK-30 to RTK-36). What is on its way at the same time is tried in pairs.rs.

use std::collections::{BTreeSet, VecDeque};

use tokkyu_rtos::{Error, Objects, Processor, Task, TaskConfig, TaskState};
use tokkyu_rtos_hosted::InTurn;

use crate::desk::{Deed, Desk, System, done, leak, system};

/// On each processor a task that calls and is never called about, and two more urgent ones that may go anywhere.
const PLACES: [(u8, u8, bool); 4] = [(10, 1, true), (10, 2, true), (8, 1, false), (8, 2, false)];
const FIRST: i32 = 3;
const OTHER: i32 = 4;

/// A call about one of the two, by whoever runs on a processor.
const ABOUT: [(&str, [Deed; 2]); 11] = [
    ("act_tsk", [|k| done(k.act_tsk(FIRST)), |k| done(k.act_tsk(OTHER))]),
    ("mact_tsk 1", [|k| done(k.mact_tsk(FIRST, 1)), |k| done(k.mact_tsk(OTHER, 1))]),
    ("mact_tsk 2", [|k| done(k.mact_tsk(FIRST, 2)), |k| done(k.mact_tsk(OTHER, 2))]),
    ("ter_tsk", [|k| done(k.ter_tsk(FIRST)), |k| done(k.ter_tsk(OTHER))]),
    ("ras_ter", [|k| done(k.ras_ter(FIRST)), |k| done(k.ras_ter(OTHER))]),
    ("wup_tsk", [|k| done(k.wup_tsk(FIRST)), |k| done(k.wup_tsk(OTHER))]),
    ("rel_wai", [|k| done(k.rel_wai(FIRST)), |k| done(k.rel_wai(OTHER))]),
    ("sus_tsk", [|k| done(k.sus_tsk(FIRST)), |k| done(k.sus_tsk(OTHER))]),
    ("rsm_tsk", [|k| done(k.rsm_tsk(FIRST)), |k| done(k.rsm_tsk(OTHER))]),
    ("mig_tsk 1", [|k| done(k.mig_tsk(FIRST, 1)), |k| done(k.mig_tsk(OTHER, 1))]),
    ("mig_tsk 2", [|k| done(k.mig_tsk(FIRST, 2)), |k| done(k.mig_tsk(OTHER, 2))]),
];

/// A call of one of the two about itself.
const OWN: [(&str, Deed); 2] =
    [("slp_tsk", |k| done(k.slp_tsk())), ("ext_tsk", |k| crate::desk::code(k.ext_tsk().map(|_| 0)))];

/// A call on a processor.
#[derive(Clone, Copy)]
struct Step {
    processor: i32,
    name: &'static str,
    deed: Deed,
    /// Of the two alone.
    is_own: bool,
}

fn steps() -> Vec<Step> {
    let about = ABOUT.iter().flat_map(|(name, deeds)| deeds.iter().map(|deed| (*name, *deed, false)));
    let all: Vec<_> = about.chain(OWN.iter().map(|(name, deed)| (*name, *deed, true))).collect();
    let on = |processor| move |(name, deed, is_own)| Step { processor, name, deed, is_own };
    all.iter().copied().map(on(1)).chain(all.iter().copied().map(on(2))).collect()
}

fn runs_on(kernel: &'static System, processor: i32) -> Option<i32> {
    let status = kernel.objects().tasks.iter().map(|task| (task.id(), kernel.status(task)));
    let mut runs =
        status.filter(|(_, status)| status.processor == processor && status.state == TaskState::Running);
    let (id, _) = runs.next()?;
    assert!(runs.next().is_none(), "two tasks run on processor {processor}");
    Some(id)
}

/// All that can be seen of it. Tasks that nobody has told anything are all at the same place.
fn state(kernel: &'static System) -> String {
    kernel.check_sound().unwrap_or_else(|error| panic!("{error}"));
    let tasks = kernel.objects().tasks.iter();
    tasks.map(|task| format!("{:?} {:?} ", kernel.status(task), kernel.order_among_ready(task))).collect()
}

/// Makes a call; nothing if nobody can, or it is about itself and the one who runs is not to end or to sleep.
fn make(kernel: &'static System, desk: &Desk, step: Step) -> Option<Option<i64>> {
    let caller = runs_on(kernel, step.processor)?;
    if step.is_own && caller != FIRST && caller != OTHER {
        return None;
    }
    desk.tell(caller, step.deed);
    kernel.port.run(&mut InTurn);
    Some(desk.answer(caller))
}

/// From the beginning, by these steps.
fn go(kernel: &'static System, desk: &Desk, path: &[Step]) {
    desk.clear();
    kernel.port.reboot();
    kernel.port.run(&mut InTurn);
    for step in path {
        make(kernel, desk, *step);
    }
}

fn may_answer(answer: i64) -> bool {
    let errors = [
        Error::State,
        Error::Overflow,
        Error::IllegalUse,
        Error::Context,
        Error::Termination,
        Error::Released,
    ];
    answer == 0 || errors.iter().any(|error| i64::from(error.code()) == answer)
}

#[test]
fn every_state_of_two_processors_and_four_tasks_is_sound() {
    let task = |(priority, processor, active)| {
        Task::new(TaskConfig { priority, processor, may_move_to: 3, active, exinf: 0 })
    };
    let (kernel, desk) = system(Objects {
        processors: leak(vec![Processor::new(), Processor::new()]),
        tasks: leak(PLACES.map(task).into()),
        ..Objects::default()
    });
    let steps = steps();
    go(kernel, &desk, &[]);
    let mut found: BTreeSet<String> = BTreeSet::from([state(kernel)]);
    let mut next: VecDeque<Vec<Step>> = VecDeque::from([Vec::new()]);
    let (mut calls, mut longest) = (0_u64, 0);
    while let Some(path) = next.pop_front() {
        longest = longest.max(path.len());
        go(kernel, &desk, &path);
        let here = state(kernel);
        for step in &steps {
            let Some(answer) = make(kernel, &desk, *step) else { continue };
            calls += 1;
            let words = || {
                path.iter()
                    .chain([step])
                    .map(|step| format!("{} on {}", step.name, step.processor))
                    .collect::<Vec<_>>()
            };
            assert!(answer.is_none_or(may_answer), "{answer:?} after {:?}", words());
            let is = state(kernel);
            if is == here && answer.is_some() {
                continue;
            }
            if found.insert(is) {
                next.push_back(path.iter().copied().chain([*step]).collect());
            }
            go(kernel, &desk, &path);
        }
    }
    println!("{} states, {calls} calls, at most {longest} calls to a state", found.len());
    assert!(found.len() > 1_000, "{}", found.len());
}
