//! Threads of one queue.

use alloc::boxed::Box;

use core::time::Duration;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

/// Calls `call` for each time that it is told to.
struct Told<F> {
    told: Receiver<()>,
    call: F,
}

impl<F: FnMut() + Send> Work for Told<F> {
    fn step(&mut self) -> Step {
        if self.told.try_recv().is_err() {
            return Step::Idle;
        }
        (self.call)();
        Step::Called
    }

    fn has_waiting(&mut self) -> bool {
        false
    }

    fn discard(&mut self) {
        while self.told.try_recv().is_ok() {}
    }
}

/// A task and what tells it; who rings does so afterwards.
fn add(queue: &Queue, class: Class, call: impl FnMut() + Send + 'static) -> (TaskId, u32, Sender<()>) {
    let ((tell, told), source) = (channel(), queue.source());
    (queue.add(source, class, Box::new(Told { told, call })), source, tell)
}

/// A thread that says how its work on the queue has ended.
fn begin<T: Send + 'static>(queue: &Arc<Queue>, work: fn(&Queue) -> T) -> Receiver<T> {
    let (queue, (end, ended)) = (queue.clone(), channel());
    std::thread::spawn(move || end.send(work(&queue)));
    ended
}

fn spin(queue: &Arc<Queue>) -> Receiver<()> {
    begin(queue, Queue::spin)
}

/// Lost, it would be waited for without end. No promise of a time.
fn hear<T>(from: &Receiver<T>) -> T {
    from.recv_timeout(Duration::from_secs(20)).expect("it comes")
}

/// Until one thread leads and all others wait for that.
fn wait_for(queue: &Queue, waiting: u32) {
    while !{
        let state = queue.lock();
        state.is_led && state.waiting == waiting
    } {
        std::thread::yield_now();
    }
}

/// Has so many samples waiting from the beginning.
struct Busy<F> {
    left: u32,
    call: F,
}

impl<F: FnMut() + Send> Work for Busy<F> {
    fn step(&mut self) -> Step {
        let Some(left) = self.left.checked_sub(1) else { return Step::Idle };
        self.left = left;
        (self.call)();
        if self.left == 0 { Step::Called } else { Step::More }
    }

    fn has_waiting(&mut self) -> bool {
        self.left > 0
    }

    fn discard(&mut self) {}
}

/// NODE-62: what begins to wait while a task has more and more is not behind all of it, whatever its class.
#[test]
fn a_task_that_always_has_more_lets_others_have_their_turn() {
    for class in [Class::Control, Class::BestEffort] {
        let (queue, (said, heard)) = (Queue::new(), channel());
        let says = said.clone();
        let (_, other, tell_other) = add(&queue, class, move || says.send("other").unwrap());
        // It is looked at once.
        queue.spin_once();
        let (ringing, mut is_first) = (Arc::downgrade(&queue), true);
        let call = move || {
            said.send("busy").unwrap();
            if core::mem::take(&mut is_first) {
                tell_other.send(()).unwrap();
                ringing.upgrade().unwrap().bell.ring(other);
            }
        };
        queue.add(queue.source(), Class::BestEffort, Box::new(Busy { left: 4, call }));
        queue.spin_once();
        let order: Vec<_> = heard.try_iter().collect();
        assert_eq!(order, ["busy", "other", "busy", "busy", "busy"], "{class:?}");
    }
}

#[test]
fn what_is_pending_beside_the_first_goes_to_a_thread_that_waits() {
    let (queue, (said, heard), (second, is_second)) = (Queue::new(), channel(), channel());
    let (_, one, tell_one) = add(&queue, Class::Control, move || said.send(hear(&is_second)).unwrap());
    let (_, other, tell_other) = add(&queue, Class::BestEffort, move || second.send("ran").unwrap());
    let threads = [spin(&queue), spin(&queue)];
    wait_for(&queue, 1);
    tell_one.send(()).unwrap();
    tell_other.send(()).unwrap();
    // Both before anybody can look: whoever sleeps finds two.
    queue.lock().tasks.mark(1 << one | 1 << other, || port().now());
    queue.bell.ring(one);
    assert_eq!(hear(&heard), "ran", "the first callback waits for the second");
    queue.stop();
    threads.iter().for_each(hear);
}

#[test]
fn all_threads_end_when_the_queue_stops() {
    let queue = Queue::new();
    let threads = [spin(&queue), spin(&queue), spin(&queue)];
    wait_for(&queue, 2);
    queue.stop();
    threads.iter().for_each(hear);
    let state = queue.lock();
    assert_eq!((state.is_led, state.waiting), (false, 0));
}

#[test]
fn all_who_wait_are_called_off() {
    let queue = Queue::new();
    let threads = [(); 3].map(|()| begin(&queue, |queue| queue.call_one(None, queue.wakes())));
    wait_for(&queue, 2);
    queue.wake();
    assert_eq!(threads.each_ref().map(hear), [false; 3]);
}

#[test]
fn who_is_called_off_and_waits_again_keeps_nobody() {
    let queue = Queue::new();
    let spinning = spin(&queue);
    for _ in 0..500 {
        let waits = [(); 2].map(|()| begin(&queue, |queue| queue.call_one(None, queue.wakes())));
        wait_for(&queue, 2);
        queue.wake();
        assert_eq!(waits.each_ref().map(hear), [false; 2]);
    }
    queue.stop();
    hear(&spinning);
}

#[test]
fn who_was_called_off_before_it_waits_does_not_wait() {
    let queue = Queue::new();
    let waits = begin(&queue, |queue| {
        let wakes = queue.wakes();
        queue.wake();
        queue.call_one(None, wakes)
    });
    assert!(!hear(&waits));
}

#[test]
fn who_removes_a_task_waits_for_its_callback() {
    let (queue, (begin, begun), (go, goes)) = (Queue::new(), channel(), channel());
    let is_over = Arc::new(AtomicBool::new(false));
    let told = is_over.clone();
    let (task, source, tell) = add(&queue, Class::BestEffort, move || {
        begin.send(()).unwrap();
        hear(&goes);
        told.store(true, Ordering::Release);
    });
    let thread = spin(&queue);
    tell.send(()).unwrap();
    queue.bell.ring(source);
    hear(&begun);
    let (removed, is_removed) = channel();
    let removes = queue.clone();
    std::thread::spawn(move || {
        removes.remove(task);
        removed.send(is_over.load(Ordering::Acquire))
    });
    while !queue.lock().tasks.is_leaving(task) {
        std::thread::yield_now();
    }
    go.send(()).unwrap();
    assert!(hear(&is_removed), "not before the callback is over");
    queue.stop();
    hear(&thread);
}

#[test]
fn a_callback_may_remove_its_own_task() {
    let (queue, (said, heard)) = (Queue::new(), channel());
    let own: Arc<Mutex<Option<TaskId>>> = Arc::default();
    let (id, removes) = (own.clone(), queue.clone());
    let (task, source, tell) = add(&queue, Class::BestEffort, move || {
        removes.remove(id.lock().expect("it is told"));
        said.send(()).unwrap();
    });
    *own.lock() = Some(task);
    tell.send(()).unwrap();
    queue.bell.ring(source);
    assert!(queue.call_one(None, queue.wakes()));
    hear(&heard);
    assert_eq!(queue.lock().tasks.len(), 0);
}
