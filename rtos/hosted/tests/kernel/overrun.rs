//! Processor time that is used up (SPEC.md RTK-60 to RTK-63).

use std::rc::Rc;

use tokkyu_rtos::{Error, Handler, Objects, Processor, Task, TaskConfig};
use tokkyu_rtos_hosted::InTurn;

use crate::desk::{Deed, Desk, System, code, done, leak, system};

/// The less urgent one, which is counted, a more urgent one of the same processor, and one of the other.
const COUNTED: i32 = 1;
const URGENT: i32 = 2;
const ELSEWHERE: i32 = 3;

fn counted(overrun: bool) -> (&'static System, Rc<Desk>) {
    let task = |priority, processor, active| {
        Task::new(TaskConfig { priority, processor, may_move_to: 3, active, exinf: 0 })
    };
    let (kernel, desk) = system(Objects {
        processors: leak(vec![Processor::new(), Processor::new()]),
        tasks: leak(vec![task(10, 1, true), task(5, 1, false), task(10, 2, true)]),
        overrun,
        ..Objects::default()
    });
    desk.handler.set(Some(|_, handler| match handler {
        Handler::Overrun(task) => assert_eq!(i32::from(task), COUNTED),
        _ => panic!("{handler:?}"),
    }));
    kernel.port.run(&mut InTurn);
    (kernel, desk)
}

/// Time passes, in which whoever runs goes on.
fn pass(kernel: &'static System, us: u64) {
    kernel.port.advance(us);
    kernel.port.run(&mut InTurn);
    kernel.check_sound().unwrap();
}

fn left(kernel: &'static System, desk: &Desk) -> Option<i64> {
    desk.now(kernel, ELSEWHERE, |k| {
        code(k.ref_ovr(COUNTED).map(|status| status.left_us.map_or(-1_000, |us| us as i64)))
    })
}

const STOPPED: Option<i64> = Some(-1_000);

#[test]
fn the_handler_is_called_once_when_the_time_is_used_up() {
    let (kernel, desk) = counted(true);
    assert_eq!(left(kernel, &desk), STOPPED);
    assert_eq!(desk.now(kernel, COUNTED, |k| done(k.sta_ovr(0, 100))), Some(0));
    pass(kernel, 60);
    assert_eq!((left(kernel, &desk), desk.handled.get()), (Some(40), 0));
    pass(kernel, 39);
    assert_eq!(desk.handled.get(), 0);
    pass(kernel, 1);
    assert_eq!((left(kernel, &desk), desk.handled.get()), (STOPPED, 1));
    pass(kernel, 10_000);
    assert_eq!(desk.handled.get(), 1);
}

#[test]
fn what_others_use_and_what_it_waits_is_not_counted() {
    let (kernel, desk) = counted(true);
    desk.now(kernel, COUNTED, |k| done(k.sta_ovr(0, 100)));
    pass(kernel, 30);
    // Somebody more urgent runs.
    desk.now(kernel, ELSEWHERE, |k| done(k.act_tsk(URGENT)));
    pass(kernel, 5_000);
    assert_eq!((left(kernel, &desk), desk.handled.get()), (Some(70), 0));
    desk.tell(URGENT, |k| done(k.ext_tsk().map(|_| ())));
    kernel.port.run(&mut InTurn);
    pass(kernel, 30);
    assert_eq!(left(kernel, &desk), Some(40));
    // It waits.
    desk.now(kernel, COUNTED, |k| done(k.dly_tsk(1_000)));
    pass(kernel, 900);
    assert_eq!(left(kernel, &desk), Some(40));
    pass(kernel, 101);
    pass(kernel, 39);
    assert_eq!((left(kernel, &desk), desk.handled.get()), (Some(1), 0));
    pass(kernel, 1);
    assert_eq!(desk.handled.get(), 1);
}

#[test]
fn it_is_started_and_stopped_from_another_processor_and_goes_with_its_task() {
    let (kernel, desk) = counted(true);
    assert_eq!(desk.now(kernel, ELSEWHERE, |k| done(k.sta_ovr(COUNTED, 100))), Some(0));
    pass(kernel, 99);
    assert_eq!(desk.now(kernel, ELSEWHERE, |k| done(k.stp_ovr(COUNTED))), Some(0));
    pass(kernel, 1_000);
    assert_eq!((left(kernel, &desk), desk.handled.get()), (STOPPED, 0));
    assert_eq!(desk.now(kernel, ELSEWHERE, |k| done(k.sta_ovr(COUNTED, 100))), Some(0));
    pass(kernel, 50);
    // It moves to the processor of the other, which runs before it.
    desk.now(kernel, COUNTED, |k| done(k.mig_tsk(0, 2)));
    pass(kernel, 1_000);
    assert_eq!(left(kernel, &desk), Some(50));
    desk.now(kernel, ELSEWHERE, |k| done(k.slp_tsk()));
    pass(kernel, 49);
    assert_eq!(desk.handled.get(), 0);
    pass(kernel, 1);
    assert_eq!(desk.handled.get(), 1);
}

#[test]
fn a_task_that_ends_is_counted_no_more() {
    let (kernel, desk) = counted(true);
    desk.now(kernel, COUNTED, |k| done(k.sta_ovr(0, 100)));
    desk.tell(COUNTED, |k| done(k.ext_tsk().map(|_| ())));
    kernel.port.run(&mut InTurn);
    assert_eq!(left(kernel, &desk), STOPPED);
    desk.now(kernel, ELSEWHERE, |k| done(k.mact_tsk(COUNTED, 1)));
    pass(kernel, 1_000);
    assert_eq!(desk.handled.get(), 0);
    // One that is given before it begins counts from there.
    desk.tell(COUNTED, |k| done(k.ext_tsk().map(|_| ())));
    kernel.port.run(&mut InTurn);
    desk.now(kernel, ELSEWHERE, |k| done(k.sta_ovr(COUNTED, 100)));
    pass(kernel, 1_000);
    assert_eq!(left(kernel, &desk), Some(100));
    desk.now(kernel, ELSEWHERE, |k| done(k.mact_tsk(COUNTED, 1)));
    pass(kernel, 100);
    assert_eq!(desk.handled.get(), 1);
}

#[test]
fn what_is_out_of_range_or_not_declared_is_refused() {
    let refused = |overrun, deed: Deed| {
        let (kernel, desk) = counted(overrun);
        desk.now(kernel, COUNTED, deed)
    };
    let parameter = Some(i64::from(Error::Parameter.code()));
    assert_eq!(refused(true, |k| done(k.sta_ovr(0, 0))), parameter);
    assert_eq!(refused(true, |k| done(k.sta_ovr(0, 4_000_000_001))), parameter);
    assert_eq!(refused(true, |k| done(k.sta_ovr(9, 1))), Some(i64::from(Error::Id.code())));
    assert_eq!(refused(true, |k| done(k.sta_ovr(0, 4_000_000_000))), Some(0));
    let state = Some(i64::from(Error::State.code()));
    assert_eq!(refused(false, |k| done(k.sta_ovr(0, 1))), state);
    assert_eq!(refused(false, |k| done(k.stp_ovr(0))), state);
    assert_eq!(refused(false, |k| code(k.ref_ovr(0).map(|s| i64::from(s.left_us.is_some())))), state);
}
