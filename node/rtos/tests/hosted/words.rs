//! Sleeping at words (NRT-1, NRT-2).

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Release};

use tokkyu_callbacks::port::{Clock, Sleeper};
use tokkyu_contract::MonoTime;
use tokkyu_rtos_hosted::explore;

use crate::world::{PORT, make};

fn word() -> &'static AtomicU32 {
    Box::leak(Box::new(AtomicU32::new(0)))
}

/// In every order in which two processors may meet, with so many interruptions.
#[test]
fn who_sleeps_while_another_wakes_is_woken() {
    let explored = explore(4, |order| {
        let (world, word) = (make(2, &[(9, 1, true), (9, 2, true)], &[]), word());
        world.job(1, move || {
            while word.load(Acquire) == 0 {
                PORT.wait(word, 0, None);
            }
            world.say("woken");
        });
        world.job(2, move || {
            word.store(1, Release);
            PORT.wake(word, 1);
            world.say("waked");
        });
        world.run_with(10_000, order);
        assert_eq!(world.said.borrow().len(), 2, "{:?}", world.said.borrow());
    });
    println!("{explored:?}");
    assert!(explored.runs > 1000);
}

#[test]
fn nobody_wakes_before_its_time_and_the_most_urgent_is_woken_first() {
    let (world, word) = (make(1, &[(9, 1, true), (5, 1, true), (12, 1, true)], &[]), word());
    world.job(1, move || {
        let until = PORT.now() + std::time::Duration::from_nanos(2_000_500);
        PORT.wait(word, 0, Some(until));
        assert!(PORT.now() >= until);
        world.say("in time");
        PORT.wait(word, 0, None);
        world.say("less urgent");
    });
    world.job(2, move || {
        PORT.wait(word, 0, None);
        world.say("urgent");
    });
    world.job(3, move || {
        PORT.sleep_until(MonoTime::from_millis(5));
        PORT.wake(word, 1);
        world.say("one");
        PORT.wake(word, 7);
    });
    world.run_for(1_000_000);
    assert_eq!(*world.said.borrow(), ["in time", "urgent", "one", "less urgent"]);
}
