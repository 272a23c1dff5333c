//! The tasks of a queue: which of them is next (SPEC, section 6).
//!
//! ```text
//!             mark: rang, or due           pick                         put back
//!   waiting ─────────────────────► pending ─────► running ──────────────────────────────► waiting
//!                                     ▲              │ mark                                  │
//!                                     └──────────────┴─ pending again once it is put back ◄──┘ there is more
//! ```
//!
//! No lock, clock or thread in here. What a look at them reads of a task lies on one cache line.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tokkyu_contract::{Class, MonoTime};
use tokkyu_topic::Near;

use super::work::Work;
use crate::port::Runner;

/// No time of the clock.
const NEVER: u64 = u64::MAX;

/// Tasks that are asked for before they are looked at, at most.
const LOOKED_AT: usize = 16;

/// Which task of its queue it is. Not used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskId(u64);

struct Task {
    work: Option<Box<dyn Work>>,
    /// Who has the work.
    runner: Option<Runner>,
    /// When it is pending by itself, nanoseconds of the monotonic clock, or [`NEVER`]. Not while it runs.
    due: u64,
    id: TaskId,
    source: u32,
    class: Class,
    is_pending: bool,
    /// Taken away while it runs.
    is_removed: bool,
}

impl Task {
    fn is_ready(&self) -> bool {
        self.is_pending && self.work.is_some()
    }

    fn claim(&mut self, runner: Runner) -> Option<Picked> {
        let work = self.work.take()?;
        self.runner = Some(runner);
        self.due = NEVER;
        Some(Picked { id: self.id, source: self.source, work })
    }
}

/// A task that whoever has this runs.
pub(super) struct Picked {
    pub(super) id: TaskId,
    pub(super) source: u32,
    pub(super) work: Box<dyn Work>,
}

/// What is to be done once a task is back.
pub(super) enum Back {
    /// Nothing.
    Waiting,
    /// It has more to do, or became pending while it ran.
    Pending,
    /// It was taken away while it ran: somebody may wait for that, and this ends it.
    Removed(Box<dyn Work>),
}

/// Most important class first.
#[derive(Default)]
pub(super) struct Tasks {
    tasks: Vec<Task>,
    added: u64,
    /// Where the look for the next one begins, so that tasks of one class take turns.
    turn: usize,
}

impl Tasks {
    pub(super) fn len(&self) -> usize {
        self.tasks.len()
    }

    pub(super) fn ids(&self) -> Vec<TaskId> {
        self.tasks.iter().map(|task| task.id).collect()
    }

    /// One task more, which is pending: it is looked at once at least.
    pub(super) fn add(&mut self, source: u32, class: Class, work: Box<dyn Work>) -> TaskId {
        let id = TaskId(self.added);
        self.added += 1;
        let due = nanos(work.due());
        let (work, is_pending) = (Some(work), true);
        let task = Task { work, runner: None, due, id, source, class, is_pending, is_removed: false };
        let at = self.tasks.partition_point(|other| other.class <= class);
        self.tasks.insert(at, task);
        id
    }

    /// Takes a task away, or, while it runs, once it is put back. Gives what nobody runs, to be dropped without a lock.
    pub(super) fn remove(&mut self, id: TaskId) -> Option<Box<dyn Work>> {
        let at = self.place(id)?;
        if self.tasks[at].runner.is_none() {
            return self.tasks.remove(at).work;
        }
        self.tasks[at].is_removed = true;
        None
    }

    /// Whether another thread has it.
    pub(super) fn is_with_another(&self, id: TaskId, me: Runner) -> bool {
        self.place(id).and_then(|at| self.tasks[at].runner).is_some_and(|runner| runner != me)
    }

    /// Those whose source rang, or whose time has come, are pending. Most queues have no timer: the clock is not read for nothing.
    pub(super) fn mark(&mut self, rang: u32, clock: impl Fn() -> MonoTime) {
        let mut now = None;
        for task in &mut self.tasks {
            let has_rung = rang & 1 << task.source != 0;
            let mut is_due =
                || task.due != NEVER && task.due <= *now.get_or_insert_with(|| nanos(Some(clock())));
            if has_rung || is_due() {
                task.is_pending = true;
            }
        }
    }

    /// When the first is due by itself.
    pub(super) fn next_due(&self) -> Option<MonoTime> {
        let due = self.tasks.iter().map(|task| task.due).min();
        due.filter(|&due| due != NEVER).map(MonoTime::from_nanos)
    }

    /// The most important task that is pending and not running; of one class they take turns.
    pub(super) fn pick(&mut self, runner: Runner) -> Option<Picked> {
        let at = self.best()?;
        self.turn = at + 1;
        // Before it looks: what rings from here on is seen.
        self.tasks[at].is_pending = false;
        self.tasks[at].claim(runner)
    }

    /// What running the task that ran last looks at.
    pub(super) fn add_to(&self, near: &mut Near) {
        near.add_to_write(&self.tasks[..self.tasks.len().min(LOOKED_AT)]);
        let last = self.turn.checked_sub(1).and_then(|at| self.tasks.get(at));
        last.and_then(|task| task.work.as_ref()).into_iter().for_each(|work| work.add_to(near));
    }

    fn best(&self) -> Option<usize> {
        let ready = |&at: &usize| self.tasks[at].is_ready();
        let first = self.turn.min(self.tasks.len());
        let order = (first..self.tasks.len()).chain(0..first);
        order.filter(ready).min_by_key(|&at| self.tasks[at].class)
    }

    /// This very task, if nobody runs it. It stays pending if it is.
    pub(super) fn claim(&mut self, id: TaskId, runner: Runner) -> Option<Picked> {
        let at = self.place(id)?;
        self.tasks[at].claim(runner)
    }

    /// Whoever has it gives it back; `has_more`: it is to be picked again.
    pub(super) fn put_back(&mut self, picked: Picked, due: Option<MonoTime>, has_more: bool) -> Back {
        let Picked { id, work, .. } = picked;
        let Some(at) = self.place(id) else { return Back::Removed(work) };
        let task = &mut self.tasks[at];
        if task.is_removed {
            self.tasks.remove(at);
            return Back::Removed(work);
        }
        task.work = Some(work);
        task.runner = None;
        task.due = nanos(due);
        task.is_pending |= has_more;
        if task.is_pending { Back::Pending } else { Back::Waiting }
    }

    #[cfg(test)]
    pub(super) fn is_leaving(&self, id: TaskId) -> bool {
        self.place(id).is_some_and(|at| self.tasks[at].is_removed)
    }

    fn place(&self, id: TaskId) -> Option<usize> {
        self.tasks.iter().position(|task| task.id == id)
    }
}

fn nanos(due: Option<MonoTime>) -> u64 {
    due.map_or(NEVER, MonoTime::as_nanos)
}

#[cfg(test)]
mod tests {
    use super::super::Step;
    use core::num::NonZeroUsize;

    use super::*;

    /// Due at a time, or never.
    struct Due(Option<u64>);

    impl Work for Due {
        fn step(&mut self) -> Step {
            Step::Idle
        }

        fn due(&self) -> Option<MonoTime> {
            self.0.map(MonoTime::from_nanos)
        }

        fn has_waiting(&mut self) -> bool {
            false
        }

        fn discard(&mut self) {}
    }

    fn runner(number: usize) -> Runner {
        Runner(NonZeroUsize::new(number).unwrap())
    }

    fn at(nanos: u64) -> impl Fn() -> MonoTime {
        move || MonoTime::from_nanos(nanos)
    }

    fn no_clock() -> MonoTime {
        panic!("nothing is due: the clock is not read")
    }

    /// Tasks of these classes, source by source, none of them pending.
    fn tasks(classes: &[Class]) -> (Tasks, Vec<TaskId>) {
        let mut tasks = Tasks::default();
        let add = |(source, &class): (usize, &Class)| tasks.add(source as u32, class, Box::new(Due(None)));
        let ids = classes.iter().enumerate().map(add).collect();
        while let Some(picked) = tasks.pick(runner(1)) {
            tasks.put_back(picked, None, false);
        }
        (tasks, ids)
    }

    fn pick(tasks: &mut Tasks) -> Option<TaskId> {
        let picked = tasks.pick(runner(1))?;
        let id = picked.id;
        tasks.put_back(picked, None, false);
        Some(id)
    }

    #[test]
    fn the_most_important_goes_first() {
        let (mut tasks, ids) = tasks(&[Class::BestEffort, Class::Control, Class::Background]);
        tasks.mark(0b111, no_clock);
        let order: Vec<_> = core::iter::from_fn(|| pick(&mut tasks)).collect();
        assert_eq!(order, [ids[1], ids[0], ids[2]]);
    }

    #[test]
    fn tasks_of_one_class_take_turns() {
        let (mut tasks, ids) = tasks(&[Class::BestEffort; 3]);
        let mut order = Vec::new();
        for _ in 0..6 {
            tasks.mark(0b111, no_clock);
            order.extend(pick(&mut tasks));
        }
        assert_eq!(order, [ids[0], ids[1], ids[2], ids[0], ids[1], ids[2]]);
    }

    #[test]
    fn what_becomes_pending_while_it_runs_is_pending_when_it_is_back() {
        let (mut tasks, _) = tasks(&[Class::BestEffort]);
        tasks.mark(1, no_clock);
        let picked = tasks.pick(runner(1)).unwrap();
        tasks.mark(1, no_clock);
        assert!(tasks.pick(runner(2)).is_none(), "it runs");
        assert!(matches!(tasks.put_back(picked, None, false), Back::Pending));
        let picked = tasks.pick(runner(2)).unwrap();
        assert!(matches!(tasks.put_back(picked, None, false), Back::Waiting));
    }

    #[test]
    fn a_task_is_due_at_its_time_and_not_while_it_runs() {
        let mut tasks = Tasks::default();
        tasks.add(0, Class::BestEffort, Box::new(Due(Some(50))));
        let picked = tasks.pick(runner(1)).expect("it is looked at once");
        assert_eq!(tasks.next_due(), None, "who sleeps is not woken for it: it runs");
        tasks.mark(0, no_clock);
        tasks.put_back(picked, Some(MonoTime::from_nanos(50)), false);
        assert_eq!(tasks.next_due(), Some(MonoTime::from_nanos(50)));
        tasks.mark(0, at(49));
        assert!(tasks.pick(runner(1)).is_none());
        tasks.mark(0, at(50));
        assert!(tasks.pick(runner(1)).is_some());
    }

    #[test]
    fn a_task_that_is_taken_away_while_it_runs_ends_when_it_is_back() {
        let (mut tasks, ids) = tasks(&[Class::BestEffort; 2]);
        tasks.mark(0b11, no_clock);
        let picked = tasks.pick(runner(1)).unwrap();
        assert!(tasks.remove(ids[0]).is_none());
        assert!(tasks.is_with_another(ids[0], runner(2)) && !tasks.is_with_another(ids[0], runner(1)));
        assert!(tasks.remove(ids[1]).is_some(), "nobody runs the other");
        assert!(matches!(tasks.put_back(picked, None, true), Back::Removed(_)));
        assert!(!tasks.is_with_another(ids[0], runner(2)) && tasks.len() == 0);
    }
}
