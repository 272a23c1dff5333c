//! Interrupt lines: asked for, taken back, kept out (SPEC.md RTK-65).

use tokkyu_rtos::{Error, Objects, Processor, Task, TaskConfig};
use tokkyu_rtos_hosted::{InTurn, Line};

use crate::desk::{Deed, code, done, leak, system_with};

/// One of the caller's processor, and one of the other.
const OWN: u32 = 40;
const OTHERS: u32 = 41;
const CALLER: i32 = 1;

#[test]
fn what_is_asked_for_comes_once_it_is_let_in_unless_it_is_taken_back() {
    let line = |processor| Line { processor, priority: -8, enabled: true };
    let task =
        |processor| Task::new(TaskConfig { priority: 8, processor, may_move_to: 3, active: true, exinf: 0 });
    let objects = Objects {
        processors: leak(vec![Processor::new(), Processor::new()]),
        tasks: leak(vec![task(1), task(2)]),
        ..Objects::default()
    };
    let (kernel, desk) = system_with(objects, &vec![(OWN, line(0)), (OTHERS, line(1))]);
    kernel.port.run(&mut InTurn);
    let does = |deed: Deed| desk.now(kernel, CALLER, deed);

    assert_eq!(does(|k| done(k.ras_int(OWN))), Some(0));
    assert_eq!(desk.handled.get(), 1);
    assert_eq!(does(|k| code(k.prb_int(OWN))), Some(0), "it was taken");
    // Disabled, it is asked for until somebody takes that back or lets it in.
    assert_eq!(does(|k| done(k.dis_int(OWN).and_then(|()| k.ras_int(OWN)))), Some(0));
    assert_eq!((does(|k| code(k.prb_int(OWN))), desk.handled.get()), (Some(1), 1));
    assert_eq!(does(|k| done(k.clr_int(OWN).and_then(|()| k.ena_int(OWN)))), Some(0));
    assert_eq!((does(|k| code(k.prb_int(OWN))), desk.handled.get()), (Some(0), 1));
    // With the processor locked too, which it stays.
    let locked: Deed = |k| {
        let _ = k.loc_cpu();
        let asked = code(k.ras_int(OWN).and_then(|()| k.prb_int(OWN)));
        let stays = i64::from(k.sns_loc());
        let _ = k.unl_cpu();
        asked * 10 + stays
    };
    assert_eq!((does(locked), desk.handled.get()), (Some(11), 2));
    let refused = Some(i64::from(Error::Parameter.code()));
    assert_eq!(does(|k| done(k.ras_int(OTHERS))), refused, "another processor's");
    assert_eq!(does(|k| done(k.clr_int(OTHERS))), refused);
    assert_eq!(does(|k| code(k.prb_int(99))), refused);
    kernel.check_sound().unwrap();
}
