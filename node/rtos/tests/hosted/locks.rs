//! Locks with priority inheritance (NRT-3, NRT-4).

use std::cell::Cell;
use std::rc::Rc;

use tokkyu_callbacks::sync::Mutex;
use tokkyu_rtos_hosted::explore;

use crate::world::{World, make};

const LOW: i32 = 1;
const MIDDLE: i32 = 2;
const HIGH: i32 = 3;

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn priority(world: &World, task: i32) -> i32 {
    world.kernel().status(&world.kernel().objects().tasks[task as usize - 1]).priority
}

/// Who has it is not held up by those in between, and goes back to what it was.
#[test]
fn who_has_a_lock_runs_with_the_priority_of_who_waits() {
    let world = make(1, &[(12, 1, true), (9, 1, false), (5, 1, false)], &[]);
    let lock = leak(Mutex::new(()));
    world.job(LOW, move || {
        let guard = lock.lock();
        assert!(world.kernel().act_tsk(HIGH).is_ok() && world.kernel().act_tsk(MIDDLE).is_ok());
        world.say("low");
        assert_eq!(priority(world, LOW), 5);
        drop(guard);
        assert_eq!(priority(world, LOW), 12);
        world.say("low again");
    });
    world.job(MIDDLE, move || world.say("middle"));
    world.job(HIGH, move || {
        let _guard = lock.lock();
        world.say("high");
    });
    world.run_for(1000);
    assert_eq!(*world.said.borrow(), ["low", "high", "middle", "low again"]);
}

/// Low has one, middle has another and waits for low's, high waits for middle's.
#[test]
fn priority_is_lent_on_from_who_waits_to_who_has_it() {
    let world = make(1, &[(12, 1, true), (9, 1, false), (5, 1, false)], &[]);
    let [one, other] = [leak(Mutex::new(())), leak(Mutex::new(()))];
    world.job(LOW, move || {
        let guard = one.lock();
        assert!(world.kernel().act_tsk(MIDDLE).is_ok());
        assert_eq!(priority(world, LOW), 9);
        assert!(world.kernel().act_tsk(HIGH).is_ok());
        assert_eq!([LOW, MIDDLE, HIGH].map(|task| priority(world, task)), [5, 5, 5]);
        world.say("low");
        drop(guard);
        assert_eq!(priority(world, LOW), 12);
        world.say("low again");
    });
    world.job(MIDDLE, move || {
        let own = other.lock();
        let guard = one.lock();
        world.say("middle");
        drop(guard);
        assert_eq!(priority(world, MIDDLE), 5, "somebody still waits for the other");
        drop(own);
        assert_eq!(priority(world, MIDDLE), 9);
        world.say("middle again");
    });
    world.job(HIGH, move || {
        let _guard = other.lock();
        world.say("high");
    });
    world.run_for(1000);
    assert_eq!(*world.said.borrow(), ["low", "middle", "high", "middle again", "low again"]);
}

/// In every order in which two processors may meet, with so many interruptions.
#[test]
fn two_processors_never_have_a_lock_at_once_and_nobody_is_forgotten() {
    let explored = explore(3, |order| {
        let world = make(2, &[(9, 1, true), (9, 2, true)], &[]);
        let (lock, done, sum) = (leak(Mutex::new(0_u32)), Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        for task in [1, 2] {
            let (done, sum) = (done.clone(), sum.clone());
            world.job(task, move || {
                for _ in 0..2 {
                    let mut guard = lock.lock();
                    let before = *guard;
                    // Somebody else may come in between here.
                    let _ = world.kernel().get_tid();
                    *guard = before + 1;
                    sum.set(*guard);
                }
                done.set(done.get() + 1);
            });
        }
        world.run_with(10_000, order);
        assert_eq!((done.get(), sum.get()), (2, 4));
        assert_eq!(
            [1, 2].map(|task| world.kernel().status(&world.kernel().objects().tasks[task - 1]).priority),
            [9, 9]
        );
    });
    println!("{explored:?}");
    assert!(explored.runs > 1000);
}
