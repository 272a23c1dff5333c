//! Sheets: cyclic and alarm notifications, where and when (SPEC.md RTK-40 to RTK-45).

use tokkyu_rtos::Error;

use crate::desk::{code, done};
use crate::hall::{ALARM, CALLER, CYCLIC, REMOTE, URGENT, hall, refused};

/// 1. Started it comes by its phase and its period. 2. Started anew it begins anew, on the processor that is named. 3. Stopped it comes no more.
#[test]
fn a_cyclic_handler_comes_until_it_is_stopped() {
    let hall = hall();
    assert_eq!(hall.does(CALLER, |k| done(k.sta_cyc(CYCLIC))), Some(0));
    hall.later(20);
    assert_eq!(hall.desk.handled.get(), 1);
    hall.later(200);
    assert_eq!(hall.desk.handled.get(), 3);
    assert_eq!(
        hall.does(CALLER, |k| code(k.ref_cyc(CYCLIC).map(|status| i64::from(status.left_us.is_some())))),
        Some(1)
    );
    assert_eq!(hall.does(CALLER, |k| done(k.msta_cyc(CYCLIC, 2))), Some(0));
    hall.later(12);
    assert_eq!(hall.desk.handled.get(), 4);
    assert_eq!(hall.does(REMOTE, |k| done(k.stp_cyc(CYCLIC))), Some(0));
    assert_eq!(hall.does(REMOTE, |k| done(k.stp_cyc(CYCLIC))), Some(0));
    hall.later(1_000);
    assert_eq!(hall.desk.handled.get(), 4);
    assert_eq!(
        hall.does(CALLER, |k| code(k.ref_cyc(CYCLIC).map(|status| i64::from(status.left_us.is_some())))),
        Some(0)
    );
    assert_eq!(hall.does(CALLER, |k| done(k.msta_cyc(CYCLIC, 9))), refused(Error::Id));
    assert_eq!(hall.does(CALLER, |k| done(k.sta_cyc(9))), refused(Error::Id));
}

/// 1. It comes once. 2. Started again it is moved on. 3. Stopped it does not come. 4. It goes to processors that it may go to alone.
#[test]
fn an_alarm_comes_once_at_its_last_time() {
    let hall = hall();
    assert_eq!(hall.does(CALLER, |k| done(k.sta_alm(ALARM, 50))), Some(0));
    assert_eq!(
        hall.does(CALLER, |k| code(k.ref_alm(ALARM).map(|status| i64::from(status.left_us.is_some())))),
        Some(1)
    );
    hall.later(30);
    assert_eq!(hall.does(REMOTE, |k| done(k.sta_alm(ALARM, 50))), Some(0));
    hall.later(30);
    assert_eq!(hall.desk.handled.get(), 0);
    hall.later(30);
    assert_eq!(hall.desk.handled.get(), 1);
    hall.later(100);
    assert_eq!(hall.desk.handled.get(), 1);
    assert_eq!(hall.does(CALLER, |k| done(k.msta_alm(ALARM, 5, 1).and_then(|()| k.stp_alm(ALARM)))), Some(0));
    hall.later(10);
    assert_eq!(hall.desk.handled.get(), 1);
    assert_eq!(hall.does(CALLER, |k| done(k.msta_alm(ALARM, 5, 2))), refused(Error::Parameter));
    assert_eq!(hall.does(CALLER, |k| done(k.sta_alm(ALARM, u32::MAX))), refused(Error::Parameter));
}

/// 1. A storm: a handler that starts its alarm anew each microsecond. 2. Tasks go on in between, and nothing is lost.
#[test]
fn in_a_storm_of_alarms_tasks_go_on() {
    let hall = hall();
    hall.desk.handler.set(Some(|k, _| {
        let _ = k.sta_alm(ALARM, 0);
        let _ = k.sig_sem(crate::hall::SEMAPHORE);
    }));
    hall.urgent_waits(|k| done(k.wai_sem(crate::hall::SEMAPHORE)));
    assert_eq!(hall.does(CALLER, |k| done(k.sta_alm(ALARM, 0))), Some(0));
    for _ in 0..10_000 {
        hall.kernel.port.advance(1);
        hall.kernel.port.run(&mut tokkyu_rtos_hosted::InTurn);
        if hall.answer(URGENT).is_some() {
            hall.desk.tell(URGENT, |k| done(k.wai_sem(crate::hall::SEMAPHORE)));
        }
    }
    assert!(hall.desk.handled.get() >= 5_000, "{}", hall.desk.handled.get());
    assert_eq!(hall.does(REMOTE, |k| code(k.get_tid())), Some(i64::from(REMOTE)));
    assert_eq!(hall.does(CALLER, |k| done(k.stp_alm(ALARM))), Some(0));
    hall.kernel.check_sound().unwrap();
}
