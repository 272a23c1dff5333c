//! Ending on request: `ras_ter`, `dis_ter`, `ena_ter`, `sns_ter` (SPEC.md RTK-17).

use std::rc::Rc;

use tokkyu_rtos::{
    DataCell, DataQueue, Error, EventFlag, EventFlagConfig, FlagMode, Mutex, Objects, PriorityCell,
    PriorityQueue, Processor, Protocol, Semaphore, Task, TaskConfig, TaskState, TaskStatus, Timeout,
};
use tokkyu_rtos_hosted::InTurn;

use crate::desk::{Deed, Desk, System, code, done, leak, system};

/// Who asks, the one that is asked, and one of another processor.
const ASKS: i32 = 1;
const TARGET: i32 = 2;
const ELSEWHERE: i32 = 3;

const ENDED: Option<i64> = Some(Error::Termination.code() as i64);

fn three() -> (&'static System, Rc<Desk>) {
    let task = |priority, processor, active| {
        Task::new(TaskConfig { priority, processor, may_move_to: 3, active, exinf: 0 })
    };
    let (kernel, desk) = system(Objects {
        processors: leak(vec![Processor::new(), Processor::new()]),
        tasks: leak(vec![task(12, 1, true), task(5, 1, false), task(5, 2, true)]),
        semaphores: leak(vec![Semaphore::new(1, 1, false)]),
        event_flags: leak(vec![EventFlag::new(EventFlagConfig::default())]),
        data_queues: leak(vec![DataQueue::new(leak(vec![DataCell::new()]), false)]),
        priority_queues: leak(vec![PriorityQueue::new(leak(vec![PriorityCell::new()]), 16, false)]),
        mutexes: leak(vec![Mutex::new(Protocol::Inheritance)]),
        ..Objects::default()
    });
    kernel.port.run(&mut InTurn);
    (kernel, desk)
}

fn status(kernel: &'static System, id: i32) -> TaskStatus {
    kernel.check_sound().unwrap();
    kernel.status(&kernel.objects().tasks[id as usize - 1])
}

/// It runs before the one that asks, whose calls come back when it does not.
fn begin(kernel: &'static System, desk: &Desk) {
    assert_eq!(desk.now(kernel, ELSEWHERE, |k| done(k.act_tsk(TARGET))), Some(0));
    assert_eq!(desk.now(kernel, TARGET, |k| done(k.dis_ter())), Some(0));
}

/// What came of it, unless the one that was asked goes on.
fn ask(kernel: &'static System, desk: &Desk) -> Option<i64> {
    desk.now(kernel, ASKS, |k| done(k.ras_ter(TARGET)))
}

#[test]
fn a_task_that_allows_it_is_ended_at_once() {
    let (kernel, desk) = three();
    desk.now(kernel, ELSEWHERE, |k| done(k.act_tsk(TARGET)));
    assert_eq!(desk.now(kernel, TARGET, |k| done(k.slp_tsk())), None);
    assert_eq!(ask(kernel, &desk), Some(0));
    assert_eq!(status(kernel, TARGET).state, TaskState::Dormant);
    // One that is activated meanwhile begins anew, with nothing disabled.
    begin(kernel, &desk);
    assert_eq!(desk.now(kernel, TARGET, |k| done(k.ena_ter().and_then(|()| k.slp_tsk()))), None);
    assert_eq!(desk.now(kernel, ASKS, |k| done(k.act_tsk(TARGET))), Some(0));
    assert_eq!(ask(kernel, &desk), None);
    let again = status(kernel, TARGET);
    assert_eq!((again.state, again.activations, again.termination_disabled), (TaskState::Running, 0, false));
}

#[test]
fn what_is_asked_of_the_wrong_one_is_refused() {
    let (kernel, desk) = three();
    let answers: [(Deed, Error); 4] = [
        (|k| done(k.ras_ter(99)), Error::Id),
        (|k| done(k.ras_ter(ASKS)), Error::IllegalUse),
        (|k| done(k.ras_ter(TARGET)), Error::State),
        (|k| done(k.ras_ter(ELSEWHERE)), Error::State),
    ];
    for (deed, error) in answers {
        assert_eq!(desk.now(kernel, ASKS, deed), Some(i64::from(error.code())));
    }
    let locked: Deed = |k| {
        let _ = k.loc_cpu();
        let answer = done(k.dis_ter()) * 10_000 + done(k.ena_ter()) * 100 + done(k.ras_ter(TARGET));
        let _ = k.unl_cpu();
        answer
    };
    assert_eq!(desk.now(kernel, ASKS, locked), Some(-25 * 10_101));
}

#[test]
fn one_that_does_not_leaves_what_it_waits_for_and_ends_when_it_does() {
    // Each with what makes it wait: nothing is in the queues, and the semaphore's one is taken.
    let waits: [(&str, Deed); 7] = [
        ("slp_tsk", |k| done(k.slp_tsk())),
        ("dly_tsk", |k| done(k.dly_tsk(500))),
        ("wai_sem", |k| {
            let _ = k.pol_sem(1);
            done(k.wai_sem(1))
        }),
        ("wai_flg", |k| code(k.wai_flg(1, 1, FlagMode::All))),
        ("rcv_dtq", |k| code(k.trcv_dtq(1, Timeout::After(900)).map(|data| data as i64))),
        ("snd_dtq", |k| done(k.snd_dtq(1, 1).and_then(|()| k.snd_dtq(1, 2)))),
        ("rcv_pdq", |k| code(k.rcv_pdq(1).map(|(data, _)| data as i64))),
    ];
    for (name, wait) in waits {
        let (kernel, desk) = three();
        begin(kernel, &desk);
        assert_eq!(desk.now(kernel, TARGET, wait), None, "{name}");
        assert_eq!(ask(kernel, &desk), None, "{name}");
        assert_eq!(desk.answer(TARGET), ENDED, "{name}");
        let asked = status(kernel, TARGET);
        assert!(asked.termination_disabled && asked.termination_requested, "{name}");
        assert_eq!((asked.state, asked.wait, asked.left_us), (TaskState::Running, None, None), "{name}");
        // It waits for nothing any more, whatever there is to be had.
        kernel.port.advance(1_000);
        for (next, deed) in waits {
            assert_eq!(desk.now(kernel, TARGET, deed), ENDED, "{next} after {name}");
        }
        assert_eq!(ask_again(kernel, &desk), Some(0), "asked twice");
        assert_eq!(desk.now(kernel, TARGET, |k| done(k.ena_ter())), None);
        assert_eq!(status(kernel, TARGET).state, TaskState::Dormant, "{name}");
        assert_eq!(desk.answer(ASKS), Some(0), "{name}");
    }
}

/// From the task's own processor, while it waits at its desk: it has to let the other run.
fn ask_again(kernel: &'static System, desk: &Desk) -> Option<i64> {
    desk.now(kernel, TARGET, |k| done(k.chg_pri(0, 14)));
    let answer = ask(kernel, desk);
    desk.now(kernel, ASKS, |k| done(k.chg_pri(TARGET, 5)));
    answer
}

#[test]
fn one_that_is_suspended_goes_on() {
    let (kernel, desk) = three();
    begin(kernel, &desk);
    assert_eq!(desk.now(kernel, TARGET, |k| done(k.sus_tsk(0))), None);
    assert_eq!(ask(kernel, &desk), None);
    assert_eq!((status(kernel, TARGET).state, desk.answer(TARGET)), (TaskState::Running, Some(0)));
    // Waiting and suspended: both are over.
    let (kernel, desk) = three();
    begin(kernel, &desk);
    desk.now(kernel, TARGET, |k| done(k.slp_tsk()));
    assert_eq!(desk.now(kernel, ASKS, |k| done(k.sus_tsk(TARGET))), Some(0));
    assert_eq!(ask(kernel, &desk), None);
    assert_eq!((status(kernel, TARGET).state, desk.answer(TARGET)), (TaskState::Running, ENDED));
}

#[test]
fn one_that_has_a_mutex_keeps_it_until_it_ends() {
    let (kernel, desk) = three();
    begin(kernel, &desk);
    assert_eq!(desk.now(kernel, TARGET, |k| done(k.loc_mtx(1).and_then(|()| k.slp_tsk()))), None);
    assert_eq!(ask(kernel, &desk), None);
    assert_eq!(desk.answer(TARGET), ENDED);
    assert_eq!(kernel.objects().mutexes[0].status().owner, Some(TARGET));
    assert_eq!(desk.now(kernel, TARGET, |k| done(k.ena_ter())), None);
    assert_eq!(kernel.objects().mutexes[0].status().owner, None);
    kernel.check_sound().unwrap();
    // Whoever waits for one and is asked makes nobody urgent any more.
    begin(kernel, &desk);
    assert_eq!(desk.now(kernel, ELSEWHERE, |k| done(k.loc_mtx(1))), Some(0));
    assert_eq!(desk.now(kernel, ELSEWHERE, |k| done(k.chg_pri(0, 9))), Some(0));
    assert_eq!(desk.now(kernel, TARGET, |k| done(k.loc_mtx(1))), None);
    assert_eq!(status(kernel, ELSEWHERE).priority, 5);
    assert_eq!(ask(kernel, &desk), None);
    assert_eq!((status(kernel, ELSEWHERE).priority, desk.answer(TARGET)), (9, ENDED));
}

#[test]
fn ter_tsk_ends_it_all_the_same_and_nothing_of_it_is_left() {
    let (kernel, desk) = three();
    begin(kernel, &desk);
    desk.now(kernel, TARGET, |k| done(k.slp_tsk()));
    assert_eq!(desk.now(kernel, ASKS, |k| done(k.ter_tsk(TARGET))), Some(0));
    desk.now(kernel, ELSEWHERE, |k| done(k.act_tsk(TARGET)));
    let anew = status(kernel, TARGET);
    assert!(!anew.termination_disabled && !anew.termination_requested);
    let senses: Deed = |k| i64::from(k.sns_ter());
    assert_eq!(desk.now(kernel, TARGET, senses), Some(0));
    assert_eq!(desk.now(kernel, TARGET, |k| done(k.dis_ter())), Some(0));
    assert_eq!(desk.now(kernel, TARGET, senses), Some(1));
    assert_eq!(desk.now(kernel, TARGET, |k| done(k.ena_ter())), Some(0));
    assert_eq!(desk.now(kernel, TARGET, senses), Some(0));
}
