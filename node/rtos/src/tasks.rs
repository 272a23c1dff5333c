//! What nodes start, in tasks that are declared for it (NRT-10, NRT-11).

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::num::NonZeroUsize;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use tokkyu_callbacks::port::{Runner, Sleeper, Task, Tasks};
use tokkyu_contract::Class;

use crate::system::{Rtos, System};
use crate::worker::{FREE, Job, TAKEN, Worker};

impl<S: System> Rtos<S> {
    /// The program of a worker's task. False: the task is no worker.
    pub fn run(&self, task: i32) -> bool {
        let Some(worker) = self.0.workers().iter().find(|worker| worker.task == task) else { return false };
        let priority = self.0.kernel().get_pri(task).unwrap_or(1);
        self.0.waiters().of(task).queued.begin(priority as u8);
        // SAFETY: it was activated by who has put the job there and does not touch it any more.
        if let Some(job) = unsafe { (*worker.job.0.get()).take() } {
            job();
        }
        // Free before those who wait for its end are told: they may start the next.
        worker.state.store(FREE, Release);
        worker.ended.fetch_add(1, Release);
        self.wake(&worker.ended, u32::MAX);
        true
    }

    /// Starts something in a worker that is free.
    ///
    /// # Errors
    ///
    /// None is, for people.
    pub fn start(&self, name: &str, class: Option<Class>, job: Job) -> Result<Box<dyn Task>, String> {
        let is_taken = |worker: &&Worker| {
            worker.class == class && worker.state.compare_exchange(FREE, TAKEN, Acquire, Relaxed).is_ok()
        };
        let Some(worker) = self.0.workers().iter().find(is_taken) else {
            return Err(format!("no worker is free for {name}: declare one more of class {class:?}"));
        };
        let ends = worker.ended.load(Acquire);
        // SAFETY: it is free no more, and its task has taken what was there.
        unsafe { *worker.job.0.get() = Some(job) };
        // If it has not come to its end quite yet it is kept.
        if let Err(error) = self.0.kernel().act_tsk(worker.task) {
            // SAFETY: nobody runs it.
            drop(unsafe { (*worker.job.0.get()).take() });
            worker.state.store(FREE, Release);
            return Err(format!("task {} for {name} cannot be activated: {error:?}", worker.task));
        }
        self.0.started(worker.task, name);
        Ok(Box::new(Started { port: *self, worker, ends }))
    }
}

struct Started<S: System> {
    port: Rtos<S>,
    worker: &'static Worker,
    /// How often the worker had ended before.
    ends: u32,
}

impl<S: System> Task for Started<S> {
    fn is_me(&self) -> bool {
        self.port.task() == self.worker.task && self.worker.ended.load(Acquire) == self.ends
    }

    fn join(self: Box<Self>) {
        while self.worker.ended.load(Acquire) == self.ends {
            self.port.wait(&self.worker.ended, self.ends, None);
        }
    }
}

impl<S: System> Tasks for Rtos<S> {
    fn me(&self) -> Runner {
        // Handlers, which run nothing of a node's, have no number.
        Runner(NonZeroUsize::new(self.task() as usize).unwrap_or(NonZeroUsize::MAX))
    }

    fn number(&self) -> u64 {
        self.task() as u64
    }

    fn spawn(
        &self,
        name: &str,
        class: Option<Class>,
        run: Box<dyn FnOnce(Result<(), String>) + Send>,
    ) -> Result<Box<dyn Task>, String> {
        // A worker of the class has its priority from its declaration.
        self.start(name, class, Box::new(move || run(Ok(()))))
    }
}
