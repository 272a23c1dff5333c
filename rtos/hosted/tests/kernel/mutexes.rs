//! Mutexes: who is how urgent, and who is next (SPEC.md RTK-50 to RTK-52).

use std::rc::Rc;

use tokkyu_rtos::{Error, Mutex, Objects, Processor, Protocol, Task, TaskConfig, TaskState, Timeout};
use tokkyu_rtos_hosted::InTurn;

use crate::desk::{Desk, System, done, leak, system};

/// Tasks from the least urgent, on the second processor but for the last, and who looks on, the least urgent on the first.
const LOW: i32 = 1;
const MIDDLE: i32 = 2;
const HIGH: i32 = 3;
const ELSEWHERE: i32 = 4;
const ONLOOKER: i32 = 5;

const FIRST: i32 = 1;
const SECOND: i32 = 2;
const CEILING: i32 = 3;

fn three() -> (&'static System, Rc<Desk>) {
    let task = |priority, processor, active| {
        Task::new(TaskConfig { priority, processor, may_move_to: 3, active, exinf: 0 })
    };
    let (kernel, desk) = system(Objects {
        processors: leak(vec![Processor::new(), Processor::new()]),
        tasks: leak(vec![
            task(12, 2, true),
            task(9, 2, false),
            task(5, 2, false),
            task(3, 1, false),
            task(16, 1, true),
        ]),
        mutexes: leak(vec![
            Mutex::new(Protocol::Inheritance),
            Mutex::new(Protocol::Inheritance),
            Mutex::new(Protocol::Ceiling(6)),
        ]),
        ..Objects::default()
    });
    kernel.port.run(&mut InTurn);
    (kernel, desk)
}

fn priorities(kernel: &'static System) -> [i32; 4] {
    kernel.check_sound().unwrap();
    [LOW, MIDDLE, HIGH, ELSEWHERE].map(|id| kernel.status(&kernel.objects().tasks[id as usize - 1]).priority)
}

fn state(kernel: &'static System, id: i32) -> TaskState {
    kernel.status(&kernel.objects().tasks[id as usize - 1]).state
}

/// Low has the first, middle the second and waits for the first, high waits for the second, one elsewhere for the first.
fn chain(kernel: &'static System, desk: &Desk, longest: Option<u32>) {
    assert_eq!(desk.now(kernel, LOW, |k| done(k.loc_mtx(FIRST))), Some(0));
    desk.now(kernel, ONLOOKER, |k| done(k.act_tsk(MIDDLE)));
    assert_eq!(desk.now(kernel, MIDDLE, |k| done(k.loc_mtx(SECOND))), Some(0));
    assert_eq!(desk.now(kernel, MIDDLE, |k| done(k.loc_mtx(FIRST))), None);
    assert_eq!(priorities(kernel), [9, 9, 5, 3]);
    desk.now(kernel, ONLOOKER, |k| done(k.act_tsk(HIGH)));
    let waits: fn(&'static System) -> i64 = match longest {
        None => |k| done(k.loc_mtx(SECOND)),
        Some(_) => |k| done(k.tloc_mtx(SECOND, Timeout::After(1_000))),
    };
    assert_eq!(desk.now(kernel, HIGH, waits), None);
    assert_eq!(priorities(kernel), [5, 5, 5, 3]);
}

#[test]
fn urgency_goes_on_from_who_waits_to_who_has_it_through_all_that_are_in_between() {
    let (kernel, desk) = three();
    chain(kernel, &desk, None);
    desk.now(kernel, ONLOOKER, |k| done(k.act_tsk(ELSEWHERE)));
    assert_eq!(desk.now(kernel, ELSEWHERE, |k| done(k.loc_mtx(FIRST))), None);
    assert_eq!(priorities(kernel), [3, 5, 5, 3], "from another processor too");
    assert_eq!(desk.now(kernel, LOW, |k| done(k.unl_mtx(FIRST))), Some(0));
    assert_eq!(priorities(kernel), [12, 5, 5, 3]);
    assert_eq!(desk.answer(ELSEWHERE), Some(0), "the most urgent is next");
    assert_eq!(state(kernel, MIDDLE), TaskState::Waiting);
    assert_eq!(desk.now(kernel, ELSEWHERE, |k| done(k.unl_mtx(FIRST))), Some(0));
    assert_eq!(desk.answer(MIDDLE), Some(0));
    // Who has it next is more urgent, and runs at once: the call has not come back yet.
    assert_eq!(desk.now(kernel, MIDDLE, |k| done(k.unl_mtx(SECOND))), None);
    assert_eq!((priorities(kernel), desk.answer(HIGH)), ([12, 9, 5, 3], Some(0)));
}

#[test]
fn who_waits_no_more_makes_nobody_urgent() {
    let (kernel, desk) = three();
    chain(kernel, &desk, Some(1_000));
    kernel.port.advance(1_001);
    kernel.port.run(&mut InTurn);
    assert_eq!(desk.answer(HIGH), Some(i64::from(Error::Timeout.code())));
    assert_eq!(priorities(kernel), [9, 9, 5, 3]);
    assert_eq!(desk.now(kernel, ONLOOKER, |k| done(k.rel_wai(MIDDLE))), Some(0));
    assert_eq!(priorities(kernel), [12, 9, 5, 3]);
}

#[test]
fn a_task_that_ends_gives_all_back_and_is_urgent_no_more() {
    let (kernel, desk) = three();
    chain(kernel, &desk, None);
    desk.tell(LOW, |k| done(k.ext_tsk().map(|_| ())));
    kernel.port.run(&mut InTurn);
    assert_eq!(state(kernel, LOW), TaskState::Dormant);
    assert_eq!((desk.answer(MIDDLE), priorities(kernel)), (Some(0), [12, 5, 5, 3]));
    desk.tell(MIDDLE, |k| done(k.ext_tsk().map(|_| ())));
    kernel.port.run(&mut InTurn);
    assert_eq!((desk.answer(HIGH), state(kernel, MIDDLE)), (Some(0), TaskState::Dormant));
}

#[test]
fn a_mutex_made_anew_is_nobodys_and_who_waited_is_told() {
    let (kernel, desk) = three();
    chain(kernel, &desk, None);
    assert_eq!(desk.now(kernel, ONLOOKER, |k| done(k.ini_mtx(FIRST))), Some(0));
    assert_eq!(desk.answer(MIDDLE), Some(i64::from(Error::Deleted.code())));
    assert_eq!(priorities(kernel), [12, 5, 5, 3], "middle has the second still");
}

#[test]
fn under_a_ceiling_nobody_in_between_runs_and_what_is_refused_is_refused() {
    let (kernel, desk) = three();
    assert_eq!(desk.now(kernel, LOW, |k| done(k.loc_mtx(CEILING))), Some(0));
    assert_eq!(priorities(kernel)[0], 6);
    desk.now(kernel, ONLOOKER, |k| done(k.act_tsk(MIDDLE)));
    assert_eq!(state(kernel, MIDDLE), TaskState::Ready);
    let illegal = Some(i64::from(Error::IllegalUse.code()));
    assert_eq!(desk.now(kernel, LOW, |k| done(k.loc_mtx(CEILING))), illegal, "it has it");
    assert_eq!(desk.now(kernel, ONLOOKER, |k| done(k.chg_pri(LOW, 5))), illegal, "above the ceiling");
    assert_eq!(
        desk.now(kernel, ONLOOKER, |k| done(k.unl_mtx(CEILING))),
        Some(i64::from(Error::State.code()))
    );
    assert_eq!(desk.now(kernel, ONLOOKER, |k| done(k.chg_pri(LOW, 9))), Some(0));
    assert_eq!(priorities(kernel)[0], 6, "the ceiling holds");
    assert_eq!(desk.now(kernel, LOW, |k| done(k.unl_mtx(CEILING))), Some(0));
    assert_eq!(priorities(kernel)[0], 9);
    assert_eq!(state(kernel, LOW), TaskState::Running, "the first of those that are as urgent");
    desk.now(kernel, ONLOOKER, |k| done(k.act_tsk(HIGH)));
    assert_eq!(desk.now(kernel, HIGH, |k| done(k.loc_mtx(CEILING))), illegal, "more urgent than the ceiling");
}

/// 1. A mutex that nobody has is taken at once, whatever the time. 2. One that somebody has is not waited for without time.
#[test]
fn a_free_mutex_is_not_waited_for() {
    let (kernel, desk) = three();
    assert_eq!(desk.now(kernel, LOW, |k| done(k.tloc_mtx(FIRST, Timeout::After(10)))), Some(0));
    assert_eq!(
        desk.now(kernel, ONLOOKER, |k| done(k.tloc_mtx(FIRST, Timeout::Poll))),
        Some(i64::from(Error::Timeout.code()))
    );
    assert_eq!(desk.now(kernel, ONLOOKER, |k| done(k.tloc_mtx(CEILING, Timeout::Poll))), Some(0));
    assert_eq!(desk.now(kernel, ONLOOKER, |k| done(k.unl_mtx(CEILING))), Some(0));
    kernel.check_sound().unwrap();
}
