//! Sheets: what may be called where, and what is kept out (SPEC.md RTK-60 to RTK-65).

use tokkyu_rtos::{Error, TaskState};

use crate::desk::{Deed, code, done};
use crate::hall::{
    ALARM, BOUND, CALLER, LINE, NEAR, OTHER_SPIN, PATIENT, REMOTE, SEMAPHORE, SPIN, URGENT, hall, refused,
};

fn state(hall: &crate::hall::Hall, id: i32) -> TaskState {
    hall.kernel.status(&hall.kernel.objects().tasks[id as usize - 1]).state
}

/// 1. A spin lock locks its processor too. 2. Another processor does not get it meanwhile. 3. Who has none lets none go. 4. `unl_cpu` does not
///    let it go.
#[test]
fn a_spin_lock_is_one_processor_s() {
    let hall = hall();
    let keeps: Deed = |k| {
        let taken = done(k.loc_spn(SPIN));
        let again = done(k.try_spn(OTHER_SPIN));
        let unlocked = done(k.unl_cpu());
        let stays = i64::from(k.sns_loc());
        let wrong = done(k.unl_spn(OTHER_SPIN));
        let let_go = done(k.unl_spn(SPIN));
        let answers = [
            (taken, 0),
            (again, i64::from(Error::Context.code())),
            (unlocked, 0),
            (stays, 1),
            (wrong, i64::from(Error::IllegalUse.code())),
            (let_go, 0),
        ];
        i64::from(answers.iter().all(|(is, wanted)| is == wanted))
    };
    assert_eq!(hall.does(CALLER, keeps), Some(1));
    // The second has it while it is at its desk: the first tries in vain.
    assert_eq!(hall.does(REMOTE, |k| done(k.try_spn(SPIN))), Some(0));
    assert_eq!(hall.desk.now(hall.kernel, CALLER, |k| done(k.try_spn(SPIN))), refused(Error::State));
    assert_eq!(hall.desk.now(hall.kernel, CALLER, |k| code(k.ref_spn(SPIN).map(i64::from))), Some(1));
    assert_eq!(hall.does(REMOTE, |k| done(k.unl_spn(SPIN))), Some(0));
    assert_eq!(hall.does(CALLER, |k| code(k.ref_spn(SPIN).map(i64::from))), Some(0));
    assert_eq!(hall.does(CALLER, |k| done(k.try_spn(9))), refused(Error::Id));
}

/// 1. Who ends with a spin lock, the processor locked, dispatching disabled and a mask leaves all of it.
#[test]
fn a_task_that_ends_leaves_nothing_locked() {
    let hall = hall();
    assert_eq!(hall.does(CALLER, |k| done(k.act_tsk(NEAR))), None);
    let ends: Deed = |k| {
        let _ = k.dis_dsp().and_then(|()| k.chg_ipm(-3)).and_then(|()| k.loc_spn(SPIN));
        code(k.ext_tsk().map(|_| 0))
    };
    assert_eq!(hall.does(NEAR, ends), None);
    assert_eq!(state(&hall, NEAR), TaskState::Dormant);
    assert_eq!(hall.does(CALLER, |k| code(k.ref_spn(SPIN).map(i64::from))), Some(0));
    assert_eq!(hall.does(CALLER, |k| code(k.get_ipm())), Some(0));
    // The processor alone.
    assert_eq!(hall.does(CALLER, |k| done(k.act_tsk(NEAR))), None);
    let ends: Deed = |k| {
        let _ = k.loc_cpu();
        code(k.ext_tsk().map(|_| 0))
    };
    assert_eq!(hall.does(NEAR, ends), None);
    let free: Deed =
        |k| i64::from(!k.sns_dsp() && !k.sns_loc() && !k.sns_dpn() && !k.sns_ctx() && !k.sns_ker());
    assert_eq!(hall.does(CALLER, free), Some(1));
}

/// 1. With the processor locked calls are refused. 2. What becomes due meanwhile runs when it is unlocked.
#[test]
fn a_locked_processor_answers_no_calls() {
    let hall = hall();
    let locked: Deed = |k| {
        let _ = k.loc_cpu();
        let refused = [
            done(k.act_tsk(PATIENT)),
            done(k.sig_sem(SEMAPHORE)),
            done(k.wai_sem(SEMAPHORE)),
            code(k.get_ipm()),
            done(k.dis_dsp()),
            code(k.get_pid()),
        ];
        let pending = done(k.ras_int(LINE));
        let _ = k.unl_cpu();
        let context = i64::from(Error::Context.code());
        i64::from(refused.iter().all(|answer| *answer == context) && pending == 0)
    };
    assert_eq!(hall.does(CALLER, locked), Some(1));
    assert_eq!(hall.desk.handled.get(), 1);
}

/// 1. With dispatching disabled nobody else runs, and nobody waits. 2. Enabled, the more urgent one does.
#[test]
fn with_dispatching_disabled_the_caller_goes_on() {
    let hall = hall();
    assert_eq!(hall.does(CALLER, |k| done(k.dis_dsp())), Some(0));
    assert_eq!(hall.does(CALLER, |k| done(k.act_tsk(NEAR))), Some(0));
    assert_eq!(hall.does(CALLER, |k| done(k.slp_tsk())), refused(Error::Context));
    assert_eq!(hall.does(CALLER, |k| i64::from(k.sns_dsp() && k.sns_dpn())), Some(1));
    assert_eq!(hall.does(REMOTE, |k| done(k.wup_tsk(NEAR))), Some(0));
    assert_eq!(state(&hall, NEAR), TaskState::Ready);
    assert_eq!(hall.does(CALLER, |k| done(k.ena_dsp())), None);
    assert_eq!(state(&hall, NEAR), TaskState::Running);
}

/// 1. With a mask no switch comes about, and no interrupt of that priority. 2. Priorities that there are not are refused.
#[test]
fn a_mask_keeps_interrupts_and_switches_out() {
    let hall = hall();
    assert_eq!(hall.does(CALLER, |k| done(k.chg_ipm(-8))), Some(0));
    assert_eq!(hall.does(CALLER, |k| code(k.get_ipm())), Some(-8));
    assert_eq!(hall.does(CALLER, |k| done(k.ras_int(LINE))), Some(0));
    assert_eq!(hall.desk.handled.get(), 0);
    assert_eq!(hall.does(CALLER, |k| done(k.act_tsk(NEAR))), Some(0));
    assert_eq!(state(&hall, NEAR), TaskState::Ready);
    assert_eq!(hall.does(CALLER, |k| done(k.chg_ipm(1))), refused(Error::Parameter));
    assert_eq!(hall.does(CALLER, |k| done(k.chg_ipm(0))), None);
    assert_eq!((state(&hall, NEAR), hall.desk.handled.get()), (TaskState::Running, 1));
}

/// 1. Handlers wake, and may not wait, nor ask who they are as tasks do.
#[test]
fn a_handler_may_not_wait() {
    let hall = hall();
    hall.desk.handler.set(Some(|k, _| {
        let context = i64::from(Error::Context.code());
        let refused = [
            done(k.slp_tsk()),
            done(k.wai_sem(SEMAPHORE)),
            done(k.dis_dsp()),
            done(k.chg_ipm(-1)),
            code(k.ext_tsk().map(|_| 0)),
            code(k.get_pri(0)),
            done(k.wup_tsk(0)),
        ];
        assert!(
            refused.iter().all(|answer| *answer == context || *answer == i64::from(Error::Id.code())),
            "{refused:?}"
        );
        assert!(k.sns_ctx());
        let _ = k.act_tsk(NEAR);
    }));
    assert_eq!(hall.does(CALLER, |k| done(k.sta_alm(ALARM, 5))), Some(0));
    hall.later(10);
    assert_eq!((state(&hall, NEAR), hall.desk.handled.get()), (TaskState::Running, 1));
}

/// 1. A handler wakes somebody more urgent while the task that it interrupts has disabled dispatching: it goes on behind the handler.
#[test]
fn a_switch_that_a_handler_brings_about_waits_for_the_task() {
    let hall = hall();
    hall.desk.handler.set(Some(|k, _| {
        let _ = k.act_tsk(NEAR);
    }));
    assert_eq!(hall.does(CALLER, |k| done(k.sta_alm(ALARM, 5).and_then(|()| k.dis_dsp()))), Some(0));
    hall.later(10);
    assert_eq!((state(&hall, CALLER), state(&hall, NEAR)), (TaskState::Running, TaskState::Ready));
    assert_eq!(hall.does(CALLER, |k| done(k.ena_dsp())), None);
    assert_eq!(state(&hall, NEAR), TaskState::Running);
}

/// 1. A CPU exception in a task, with a switch due behind it or not. 2. `xsns_dpn` says where it happened.
#[test]
fn behind_an_exception_the_task_goes_on_or_a_more_urgent_one_does() {
    let hall = hall();
    let quiet: Deed = |k| {
        k.enter_exception();
        let may_switch = !k.xsns_dpn();
        k.leave_exception();
        i64::from(may_switch)
    };
    assert_eq!(hall.does(CALLER, quiet), Some(1));
    let locked: Deed = |k| {
        let _ = k.loc_cpu();
        k.enter_exception();
        let may_switch = !k.xsns_dpn();
        k.leave_exception();
        let _ = k.unl_cpu();
        i64::from(may_switch)
    };
    assert_eq!(hall.does(CALLER, locked), Some(0));
    let wakes: Deed = |k| {
        k.enter_exception();
        let _ = k.act_tsk(NEAR);
        k.leave_exception();
        7
    };
    assert_eq!(hall.does(CALLER, wakes), None);
    assert_eq!(state(&hall, NEAR), TaskState::Running);
    assert_eq!(hall.does(NEAR, |k| done(k.slp_tsk())), None);
    assert_eq!(hall.answer(CALLER), Some(7));
    // As a machine that goes on by itself ends it.
    let ends: Deed = |k| {
        k.enter_exception();
        let _ = k.wup_tsk(NEAR);
        let is_due = k.end_exception();
        let _ = k.get_tim();
        i64::from(is_due)
    };
    assert_eq!(hall.does(CALLER, ends), None);
    assert_eq!(state(&hall, NEAR), TaskState::Running);
}

/// 1. Priorities and their turns: of tasks that are not active, wrong ones, of another processor.
#[test]
fn priorities_and_turns() {
    let hall = hall();
    assert_eq!(hall.does(CALLER, |k| code(k.get_pri(0))), Some(10));
    assert_eq!(hall.does(CALLER, |k| code(k.get_pri(PATIENT))), refused(Error::State));
    assert_eq!(hall.does(CALLER, |k| code(k.get_pri(REMOTE))), Some(10));
    assert_eq!(hall.does(CALLER, |k| done(k.chg_pri(PATIENT, 3))), refused(Error::State));
    assert_eq!(hall.does(CALLER, |k| done(k.chg_pri(0, 17))), refused(Error::Parameter));
    assert_eq!(hall.does(CALLER, |k| done(k.rot_rdq(17))), refused(Error::Parameter));
    assert_eq!(hall.does(CALLER, |k| done(k.act_tsk(BOUND))), Some(0));
    // Its turn: the caller waits for the next.
    assert_eq!(hall.does(CALLER, |k| done(k.rot_rdq(0))), None);
    assert_eq!((state(&hall, CALLER), state(&hall, BOUND)), (TaskState::Ready, TaskState::Running));
    assert_eq!(hall.does(REMOTE, |k| done(k.mrot_rdq(10, 1))), Some(0));
    assert_eq!((state(&hall, CALLER), state(&hall, BOUND)), (TaskState::Running, TaskState::Ready));
    assert_eq!(hall.does(CALLER, |k| done(k.mrot_rdq(10, 3))), refused(Error::Id));
    // Its own priority once more, behind the others of it.
    assert_eq!(hall.does(CALLER, |k| done(k.chg_pri(0, 0))), None);
    assert_eq!(hall.does(BOUND, |k| done(k.slp_tsk())), None);
    assert_eq!(hall.answer(CALLER), Some(0));
    // Of one that waits in a queue by priority.
    hall.urgent_waits(|k| done(k.wai_sem(SEMAPHORE)));
    assert_eq!(hall.does(CALLER, |k| done(k.chg_pri(URGENT, 2))), Some(0));
    assert_eq!(hall.does(CALLER, |k| code(k.get_pri(URGENT))), Some(2));
}

/// 1. A task of one processor alone does not go to another. 2. Processors that there are not. 3. `TPRC_INI`: where it was declared.
#[test]
fn a_task_goes_where_it_may() {
    let hall = hall();
    assert_eq!(hall.does(CALLER, |k| done(k.mact_tsk(BOUND, 2))), refused(Error::Parameter));
    assert_eq!(hall.does(CALLER, |k| done(k.act_tsk(BOUND))), Some(0));
    assert_eq!(hall.does(CALLER, |k| done(k.mig_tsk(BOUND, 2))), refused(Error::Parameter));
    assert_eq!(hall.does(CALLER, |k| done(k.mig_tsk(BOUND, 9))), refused(Error::Id));
    assert_eq!(hall.does(CALLER, |k| done(k.mact_tsk(PATIENT, 2))), Some(0));
    assert_eq!(hall.does(REMOTE, |k| done(k.mig_tsk(PATIENT, 0))), Some(0));
    assert_eq!(hall.kernel.status(&hall.kernel.objects().tasks[PATIENT as usize - 1]).processor, 1);
    assert_eq!(hall.does(CALLER, |k| done(k.mig_tsk(REMOTE, 1))), refused(Error::State));
}
