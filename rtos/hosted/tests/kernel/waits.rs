//! Sheets: semaphores, event flags and memory pools (SPEC.md RTK-60).

use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

use tokkyu_rtos::{Error, FlagMode, Timeout};

use crate::desk::{code, done};
use crate::hall::{
    CALLER, CLEARED, EMPTY_POOL, FLAG, PATIENT, POOL, REMOTE, SEMAPHORE, URGENT, hall, refused,
};

/// 1. One at most. 2. Taken, nobody else gets it until its time is over. 3. Made anew, it lets who waits go.
#[test]
fn a_semaphore_holds_no_more_than_it_may() {
    let hall = hall();
    assert_eq!(hall.does(CALLER, |k| done(k.sig_sem(SEMAPHORE))), Some(0));
    assert_eq!(hall.does(CALLER, |k| done(k.sig_sem(SEMAPHORE))), refused(Error::Overflow));
    assert_eq!(hall.does(CALLER, |k| done(k.pol_sem(SEMAPHORE))), Some(0));
    assert_eq!(hall.does(CALLER, |k| done(k.pol_sem(SEMAPHORE))), refused(Error::Timeout));
    assert_eq!(hall.does(CALLER, |k| done(k.twai_sem(SEMAPHORE, Timeout::Poll))), refused(Error::Timeout));
    hall.urgent_waits(|k| done(k.twai_sem(SEMAPHORE, Timeout::After(20))));
    hall.later(30);
    assert_eq!(hall.answer(URGENT), refused(Error::Timeout));
    assert_eq!(hall.does(URGENT, |k| done(k.wai_sem(SEMAPHORE))), None);
    assert_eq!(hall.does(CALLER, |k| done(k.ini_sem(SEMAPHORE))), Some(0));
    assert_eq!(hall.answer(URGENT), refused(Error::Deleted));
    assert_eq!(
        hall.does(URGENT, |k| code(k.ref_sem(SEMAPHORE).map(|status| i64::from(status.count)))),
        Some(0)
    );
}

/// 1. All bits, or one of them. 2. The pattern at release is what is told. 3. Several wait, and those that it is for are released.
#[test]
fn bits_are_waited_for_all_or_any() {
    let hall = hall();
    hall.urgent_waits(|k| code(k.wai_flg(FLAG, 0b11, FlagMode::All)));
    assert_eq!(hall.does(CALLER, |k| done(k.act_tsk(PATIENT))), Some(0));
    assert_eq!(
        hall.does(REMOTE, |k| code(k.twai_flg(FLAG, 0b110, FlagMode::Any, Timeout::After(100)))),
        None
    );
    assert_eq!(hall.does(CALLER, |k| done(k.set_flg(FLAG, 0b01))), Some(0));
    assert_eq!((hall.answer(URGENT), hall.answer(REMOTE)), (None, None));
    assert_eq!(hall.does(CALLER, |k| done(k.set_flg(FLAG, 0b10))), Some(0));
    assert_eq!(hall.answer(URGENT), Some(0b11));
    assert_eq!(hall.does(URGENT, |k| done(k.slp_tsk())), None);
    assert_eq!(hall.answer(REMOTE), Some(0b11));
    assert_eq!(hall.does(CALLER, |k| done(k.wup_tsk(URGENT))), Some(0));
    assert_eq!(hall.does(URGENT, |k| code(k.pol_flg(FLAG, 0b101, FlagMode::Any))), Some(0b11));
    assert_eq!(hall.does(URGENT, |k| code(k.pol_flg(FLAG, 0b101, FlagMode::All))), refused(Error::Timeout));
    assert_eq!(
        hall.does(URGENT, |k| code(k.twai_flg(FLAG, 0b100, FlagMode::All, Timeout::Poll))),
        refused(Error::Timeout)
    );
    assert_eq!(hall.does(URGENT, |k| code(k.wai_flg(FLAG, 0, FlagMode::All))), refused(Error::Parameter));
    assert_eq!(hall.does(URGENT, |k| code(k.twai_flg(FLAG, 0b100, FlagMode::Any, Timeout::After(20)))), None);
    hall.later(30);
    assert_eq!(hall.answer(URGENT), refused(Error::Timeout));
    assert_eq!(hall.does(URGENT, |k| done(k.clr_flg(FLAG, 0b10))), Some(0));
    assert_eq!(
        hall.does(URGENT, |k| code(k.ref_flg(FLAG).map(|status| i64::from(status.pattern)))),
        Some(0b10)
    );
}

/// 1. All bits go when somebody is released, at once or later. 2. A second one may not wait. 3. Made anew, it lets who waits go.
#[test]
fn a_flag_for_one_is_cleared_by_who_is_released() {
    let hall = hall();
    hall.urgent_waits(|k| code(k.wai_flg(CLEARED, 0b1, FlagMode::Any)));
    assert_eq!(
        hall.does(CALLER, |k| code(k.wai_flg(CLEARED, 0b1, FlagMode::Any))),
        refused(Error::IllegalUse)
    );
    assert_eq!(
        hall.does(CALLER, |k| code(k.pol_flg(CLEARED, 0b1, FlagMode::Any))),
        refused(Error::IllegalUse)
    );
    assert_eq!(hall.does(CALLER, |k| done(k.set_flg(CLEARED, 0b111))), Some(0));
    assert_eq!(hall.answer(URGENT), Some(0b111));
    assert_eq!(
        hall.does(URGENT, |k| code(k.ref_flg(CLEARED).map(|status| i64::from(status.pattern)))),
        Some(0)
    );
    assert_eq!(hall.does(URGENT, |k| done(k.set_flg(CLEARED, 0b10))), Some(0));
    assert_eq!(hall.does(URGENT, |k| code(k.wai_flg(CLEARED, 0b10, FlagMode::All))), Some(0b10));
    assert_eq!(hall.does(URGENT, |k| code(k.wai_flg(CLEARED, 0b10, FlagMode::All))), None);
    assert_eq!(hall.does(CALLER, |k| done(k.ini_flg(CLEARED))), Some(0));
    assert_eq!(hall.answer(URGENT), refused(Error::Deleted));
}

/// A block that was given. There is one test that uses it.
static BLOCK: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

fn block() -> *mut u8 {
    BLOCK.load(Relaxed)
}

/// 1. Two blocks, and no third. 2. What comes back goes to who waits. 3. What is no block of it, or not given out, is refused.
#[test]
fn a_pool_gives_each_block_once() {
    let hall = hall();
    let get: crate::desk::Deed = |k| code(k.get_mpf(POOL).map(|block| block as i64));
    let (Some(first), Some(second)) = (hall.does(CALLER, get), hall.does(CALLER, get)) else {
        panic!("two blocks")
    };
    assert_eq!((first - second).abs(), 16);
    assert_eq!(
        hall.does(CALLER, |k| code(k.pget_mpf(POOL).map(|block| block as i64))),
        refused(Error::Timeout)
    );
    assert_eq!(
        hall.does(CALLER, |k| code(k.tget_mpf(POOL, Timeout::Poll).map(|block| block as i64))),
        refused(Error::Timeout)
    );
    hall.urgent_waits(|k| code(k.tget_mpf(POOL, Timeout::After(20)).map(|block| block as i64)));
    hall.later(30);
    assert_eq!(hall.answer(URGENT), refused(Error::Timeout));
    assert_eq!(hall.does(URGENT, get), None);
    BLOCK.store(first as *mut u8, Relaxed);
    let base: crate::desk::Deed = |k| done(k.rel_mpf(POOL, block()));
    assert_eq!(hall.does(CALLER, base), Some(0));
    assert_eq!(hall.answer(URGENT), Some(first));
    assert_eq!(hall.does(URGENT, base), Some(0));
    assert_eq!(hall.does(URGENT, base), refused(Error::Parameter));
    let beside: crate::desk::Deed = |k| done(k.rel_mpf(POOL, block().wrapping_add(20)));
    assert_eq!(hall.does(URGENT, beside), refused(Error::Parameter));
    assert_eq!(hall.does(URGENT, |k| code(k.pget_mpf(POOL).map(|block| block as i64))), Some(first));
    assert_eq!(hall.does(URGENT, |k| code(k.ref_mpf(POOL).map(|status| i64::from(status.free)))), Some(0));
    assert_eq!(hall.does(URGENT, get), None);
    assert_eq!(hall.does(CALLER, |k| done(k.ini_mpf(POOL))), Some(0));
    assert_eq!(hall.answer(URGENT), refused(Error::Deleted));
    assert_eq!(hall.does(URGENT, |k| code(k.ref_mpf(POOL).map(|status| i64::from(status.free)))), Some(2));
    assert_eq!(
        hall.does(URGENT, |k| code(k.pget_mpf(EMPTY_POOL).map(|block| block as i64))),
        refused(Error::Timeout)
    );
    assert_eq!(hall.does(URGENT, |k| done(k.rel_mpf(EMPTY_POOL, block()))), refused(Error::Parameter));
}
