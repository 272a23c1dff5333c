//! Sheets: data queues and priority data queues, with and without room (SPEC.md RTK-60).

use tokkyu_rtos::{Error, Timeout};

use crate::desk::{code, done};
use crate::hall::{CALLER, MEETING, QUEUE, RANKED, RANKED_MEETING, URGENT, hall, refused};

/// 1. Three go in, the fourth does not. 2. They come out in their order, also where the places begin anew. 3. None is left.
#[test]
fn data_come_out_in_their_order_round_and_round() {
    let hall = hall();
    for first in [1, 3, 5] {
        let _ = first;
        for _ in 0..3 {
            assert_eq!(hall.does(CALLER, |k| done(k.snd_dtq(QUEUE, 7))), Some(0));
        }
        assert_eq!(hall.does(CALLER, |k| done(k.psnd_dtq(QUEUE, 8))), refused(Error::Timeout));
        assert_eq!(hall.does(CALLER, |k| done(k.tsnd_dtq(QUEUE, 8, Timeout::Poll))), refused(Error::Timeout));
        assert_eq!(hall.does(CALLER, |k| code(k.rcv_dtq(QUEUE).map(|data| data as i64))), Some(7));
        assert_eq!(hall.does(CALLER, |k| done(k.psnd_dtq(QUEUE, 9))), Some(0));
        for wanted in [7, 7, 9] {
            assert_eq!(hall.does(CALLER, |k| code(k.prcv_dtq(QUEUE).map(|data| data as i64))), Some(wanted));
        }
    }
    assert_eq!(
        hall.does(CALLER, |k| code(k.prcv_dtq(QUEUE).map(|data| data as i64))),
        refused(Error::Timeout)
    );
    let polled =
        |k: &'static crate::desk::System| code(k.trcv_dtq(QUEUE, Timeout::Poll).map(|data| data as i64));
    assert_eq!(hall.does(CALLER, polled), refused(Error::Timeout));
}

/// 1. One waits for data. 2. It is handed what is sent, by each way of sending, and no place is used.
#[test]
fn who_waits_for_data_is_handed_them() {
    let hall = hall();
    hall.urgent_waits(|k| code(k.rcv_dtq(QUEUE).map(|data| data as i64)));
    assert_eq!(hall.does(CALLER, |k| done(k.snd_dtq(QUEUE, 1))), Some(0));
    assert_eq!(hall.answer(URGENT), Some(1));
    assert_eq!(hall.does(URGENT, |k| code(k.rcv_dtq(QUEUE).map(|data| data as i64))), None);
    assert_eq!(hall.does(CALLER, |k| done(k.psnd_dtq(QUEUE, 2))), Some(0));
    assert_eq!(hall.answer(URGENT), Some(2));
    assert_eq!(
        hall.does(URGENT, |k| code(k.trcv_dtq(QUEUE, Timeout::After(50)).map(|data| data as i64))),
        None
    );
    assert_eq!(hall.does(CALLER, |k| done(k.fsnd_dtq(QUEUE, 3))), Some(0));
    assert_eq!(hall.answer(URGENT), Some(3));
    assert_eq!(
        hall.does(URGENT, |k| code(k.trcv_dtq(QUEUE, Timeout::After(50)).map(|data| data as i64))),
        None
    );
    hall.later(60);
    assert_eq!(hall.answer(URGENT), refused(Error::Timeout));
    assert_eq!(hall.does(URGENT, |k| done(k.slp_tsk())), None);
    assert_eq!(hall.does(CALLER, |k| code(k.ref_dtq(QUEUE).map(|status| i64::from(status.count)))), Some(0));
}

/// 1. A full queue's oldest goes where sending is forced, in a queue with places, and not in one without. 2. Those that wait to send follow.
#[test]
fn a_forced_datum_takes_the_oldests_place() {
    let hall = hall();
    for _ in 0..3 {
        assert_eq!(hall.does(CALLER, |k| done(k.fsnd_dtq(QUEUE, 1))), Some(0));
    }
    assert_eq!(hall.does(CALLER, |k| done(k.fsnd_dtq(QUEUE, 2))), Some(0));
    hall.urgent_waits(|k| done(k.snd_dtq(QUEUE, 3)));
    for wanted in [1, 1, 2, 3] {
        assert_eq!(hall.does(CALLER, |k| code(k.rcv_dtq(QUEUE).map(|data| data as i64))), Some(wanted));
    }
    assert_eq!(hall.answer(URGENT), Some(0));
    assert_eq!(hall.does(URGENT, |k| done(k.fsnd_dtq(MEETING, 4))), refused(Error::IllegalUse));
}

/// 1. Without places who sends waits for who receives. 2. Either may wait first. 3. Made anew, it lets who waits go.
#[test]
fn without_places_sender_and_receiver_meet() {
    let hall = hall();
    hall.urgent_waits(|k| done(k.snd_dtq(MEETING, 5)));
    assert_eq!(hall.does(CALLER, |k| code(k.rcv_dtq(MEETING).map(|data| data as i64))), Some(5));
    assert_eq!(hall.answer(URGENT), Some(0));
    assert_eq!(hall.does(URGENT, |k| code(k.rcv_dtq(MEETING).map(|data| data as i64))), None);
    assert_eq!(hall.does(CALLER, |k| done(k.snd_dtq(MEETING, 6))), Some(0));
    assert_eq!(hall.answer(URGENT), Some(6));
    assert_eq!(hall.does(URGENT, |k| done(k.tsnd_dtq(MEETING, 7, Timeout::After(30)))), None);
    hall.later(40);
    assert_eq!(hall.answer(URGENT), refused(Error::Timeout));
    assert_eq!(hall.does(URGENT, |k| done(k.snd_dtq(MEETING, 7))), None);
    assert_eq!(hall.does(CALLER, |k| done(k.ini_dtq(MEETING))), Some(0));
    assert_eq!(hall.answer(URGENT), refused(Error::Deleted));
    assert_eq!(
        hall.does(URGENT, |k| code(k.prcv_dtq(MEETING).map(|data| data as i64))),
        refused(Error::Timeout)
    );
}

fn both((data, priority): (usize, i32)) -> i64 {
    data as i64 * 10 + i64::from(priority)
}

/// 1. The most urgent comes out first, those of one priority in their order. 2. A full queue takes no more. 3. Priorities that it has not are
///    refused.
#[test]
fn ranked_data_come_out_by_their_priority() {
    let hall = hall();
    for _ in 0..2 {
        assert_eq!(hall.does(CALLER, |k| done(k.snd_pdq(RANKED, 1, 2))), Some(0));
        assert_eq!(hall.does(CALLER, |k| done(k.psnd_pdq(RANKED, 2, 1))), Some(0));
        assert_eq!(hall.does(CALLER, |k| done(k.psnd_pdq(RANKED, 3, 1))), refused(Error::Timeout));
        assert_eq!(
            hall.does(CALLER, |k| done(k.tsnd_pdq(RANKED, 3, 1, Timeout::Poll))),
            refused(Error::Timeout)
        );
        assert_eq!(hall.does(CALLER, |k| code(k.rcv_pdq(RANKED).map(both))), Some(21));
        assert_eq!(hall.does(CALLER, |k| code(k.prcv_pdq(RANKED).map(both))), Some(12));
    }
    // Two of one priority, of which the first leaves the second behind.
    assert_eq!(hall.does(CALLER, |k| done(k.snd_pdq(RANKED, 4, 1))), Some(0));
    assert_eq!(hall.does(CALLER, |k| done(k.snd_pdq(RANKED, 5, 1))), Some(0));
    assert_eq!(hall.does(CALLER, |k| code(k.rcv_pdq(RANKED).map(both))), Some(41));
    assert_eq!(hall.does(CALLER, |k| code(k.rcv_pdq(RANKED).map(both))), Some(51));
    assert_eq!(hall.does(CALLER, |k| code(k.prcv_pdq(RANKED).map(both))), refused(Error::Timeout));
    assert_eq!(
        hall.does(CALLER, |k| code(k.trcv_pdq(RANKED, Timeout::Poll).map(both))),
        refused(Error::Timeout)
    );
    assert_eq!(hall.does(CALLER, |k| done(k.snd_pdq(RANKED, 1, 0))), refused(Error::Parameter));
    assert_eq!(hall.does(CALLER, |k| done(k.snd_pdq(RANKED, 1, 3))), refused(Error::Parameter));
}

/// 1. Who waits is handed what is sent, whatever its priority. 2. Who waits to send is let in by priority of its datum. 3. Times run out.
#[test]
fn who_waits_for_ranked_data_is_handed_them() {
    let hall = hall();
    hall.urgent_waits(|k| code(k.rcv_pdq(RANKED).map(both)));
    assert_eq!(hall.does(CALLER, |k| done(k.snd_pdq(RANKED, 1, 2))), Some(0));
    assert_eq!(hall.answer(URGENT), Some(12));
    assert_eq!(hall.does(URGENT, |k| code(k.trcv_pdq(RANKED, Timeout::After(30)).map(both))), None);
    hall.later(40);
    assert_eq!(hall.answer(URGENT), refused(Error::Timeout));
    assert_eq!(hall.does(URGENT, |k| code(k.rcv_pdq(RANKED).map(both))), None);
    assert_eq!(hall.does(CALLER, |k| done(k.psnd_pdq(RANKED, 2, 1))), Some(0));
    assert_eq!(hall.answer(URGENT), Some(21));
    assert_eq!(
        hall.does(URGENT, |k| done(k.snd_pdq(RANKED, 3, 2).and_then(|()| k.snd_pdq(RANKED, 4, 2)))),
        Some(0)
    );
    assert_eq!(hall.does(URGENT, |k| done(k.tsnd_pdq(RANKED, 5, 1, Timeout::After(30)))), None);
    hall.later(40);
    assert_eq!(hall.answer(URGENT), refused(Error::Timeout));
    assert_eq!(hall.does(URGENT, |k| done(k.snd_pdq(RANKED, 6, 1))), None);
    for wanted in [32, 61, 42] {
        assert_eq!(hall.does(CALLER, |k| code(k.rcv_pdq(RANKED).map(both))), Some(wanted));
    }
    assert_eq!(hall.answer(URGENT), Some(0));
    assert_eq!(hall.does(URGENT, |k| done(k.slp_tsk())), None);
    assert_eq!(hall.does(CALLER, |k| code(k.ref_pdq(RANKED).map(|status| i64::from(status.count)))), Some(0));
}

/// 1. Without places sender and receiver meet. 2. Made anew, it lets who waits go.
#[test]
fn without_places_ranked_data_are_handed_over() {
    let hall = hall();
    hall.urgent_waits(|k| done(k.snd_pdq(RANKED_MEETING, 5, 2)));
    assert_eq!(hall.does(CALLER, |k| code(k.rcv_pdq(RANKED_MEETING).map(both))), Some(52));
    assert_eq!(hall.answer(URGENT), Some(0));
    assert_eq!(hall.does(URGENT, |k| code(k.rcv_pdq(RANKED_MEETING).map(both))), None);
    assert_eq!(hall.does(CALLER, |k| done(k.snd_pdq(RANKED_MEETING, 6, 1))), Some(0));
    assert_eq!(hall.answer(URGENT), Some(61));
    assert_eq!(hall.does(URGENT, |k| code(k.rcv_pdq(RANKED_MEETING).map(both))), None);
    assert_eq!(hall.does(CALLER, |k| done(k.ini_pdq(RANKED_MEETING))), Some(0));
    assert_eq!(hall.answer(URGENT), refused(Error::Deleted));
    assert_eq!(hall.does(URGENT, |k| done(k.psnd_pdq(RANKED_MEETING, 1, 1))), refused(Error::Timeout));
    assert_eq!(hall.does(URGENT, |k| code(k.prcv_pdq(RANKED_MEETING).map(both))), refused(Error::Timeout));
}
