//! Processors, clock and programs.
//!
//! One thread runs everything: the context of one processor at a time, until it pauses. No borrow of the state is held over a pause.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;

use tokkyu_rtos::{Handler, Kernel, Lock, Objects, Port, Processor, Task};

use crate::context::{Context, pause};
use crate::interrupt::{Inbox, Interrupt, Lines};
use crate::order::Order;
use crate::pause::Pause;

/// What tasks and handlers do.
///
/// # Safety
/// A context may be given up in any call of the kernel or of the machine, when its task is ended or the machine is. What is on its stack
/// is then forgotten: nothing may be there that has to be dropped.
pub unsafe trait Programs: 'static {
    /// A task of this number begins; it ends when this returns.
    fn task(&self, kernel: &'static Kernel<Machine>, id: i32);
    /// A notification's handler.
    fn handler(&self, kernel: &'static Kernel<Machine>, handler: Handler);
    /// A line's handler.
    fn line(&self, kernel: &'static Kernel<Machine>, number: u32);
    /// A task was activated.
    fn activated(&self, _id: i32) {}
    /// Initialization routines: before any task runs.
    fn initialize(&self, _kernel: &'static Kernel<Machine>) {}
    /// Termination routines: after the last has.
    fn terminate(&self, _kernel: &'static Kernel<Machine>) {}
}

/// What a processor's context stands at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Which {
    Idle(usize),
    Task(i32),
}

struct Core {
    which: Which,
    inbox: Inbox,
    /// Why it let others go on.
    paused: Pause,
    /// It has taken a lock since it masked its interrupts: a call has begun to do something.
    began: bool,
}

/// Where another processor may come in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Before a call begins and behind it: what comes out of calls should be no other than so. A machine does not do it; for comparison.
    Calls,
    /// Before a lock is taken, and where interrupts are let in.
    Locks,
    /// There, and before each access to what processors share.
    Accesses,
}

thread_local! {
    /// A context runs in this thread, and pauses at each access.
    static FINE: Cell<bool> = const { Cell::new(false) };
}

/// A machine of several processors in virtual time.
pub struct Machine {
    kernel: Cell<Option<&'static Kernel<Machine>>>,
    objects: Objects,
    programs: Box<dyn Programs>,
    now_us: Cell<u64>,
    current: Cell<usize>,
    grain: Cell<Grain>,
    cores: RefCell<Vec<Core>>,
    contexts: RefCell<HashMap<Which, Context>>,
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Machine of {} processors at {} µs", self.cores.borrow().len(), self.now_us.get())
    }
}

impl Machine {
    /// A kernel of these objects, on a machine with these lines, ready to run. It is never given back: `objects` are for ever too.
    pub fn boot(objects: Objects, lines: &Lines, programs: Box<dyn Programs>) -> &'static Kernel<Machine> {
        let count = objects.processors.len();
        let core = |index| Core {
            which: Which::Idle(index),
            inbox: Inbox::new(index, lines),
            paused: Pause::Point,
            began: false,
        };
        let machine = Machine {
            kernel: Cell::new(None),
            objects,
            programs,
            now_us: Cell::new(0),
            current: Cell::new(0),
            grain: Cell::new(Grain::Locks),
            cores: RefCell::new((0..count).map(core).collect()),
            contexts: RefCell::default(),
        };
        let kernel: &'static Kernel<Machine> = Box::leak(Box::new(Kernel::new(machine)));
        kernel.port.kernel.set(Some(kernel));
        tokkyu_rtos::on_access(|| {
            if FINE.get() {
                pause(Pause::Point);
            }
        });
        kernel.port.reboot();
        kernel
    }

    /// Begins anew, at time 0.
    pub fn reboot(&self) {
        let kernel = self.kernel();
        self.stop();
        self.now_us.set(0);
        self.current.set(0);
        let count = self.cores.borrow().len();
        for (index, core) in self.cores.borrow_mut().iter_mut().enumerate() {
            core.which = Which::Idle(index);
            core.inbox.reset();
            core.paused = Pause::Point;
            core.began = false;
        }
        kernel.prepare();
        for index in 0..count {
            let idle = Context::new(move || kernel.port.idle());
            self.contexts.borrow_mut().insert(Which::Idle(index), idle);
        }
    }

    fn kernel(&self) -> &'static Kernel<Machine> {
        self.kernel.get().expect("set when the machine was made")
    }

    fn idle(&self) {
        self.kernel().start();
        loop {
            self.pause(Pause::Idle);
        }
    }

    // ---- from outside

    /// Goes on until nobody can: all processors idle, or their programs wait for something that nobody does.
    pub fn run(&self, order: &mut dyn Order) {
        // A program that waits looks once more after somebody else went on.
        let mut looked: Vec<bool> = vec![false; self.cores.borrow().len()];
        loop {
            let able: Vec<usize> =
                (0..looked.len()).filter(|index| self.is_able(*index, looked[*index])).collect();
            let index = match able.is_empty() {
                false if self.goes_on_alone(&able) => self.current.get(),
                false => order.choose(&able, self.current.get()),
                // Whoever waits for that.
                true => match (0..looked.len()).find(|index| self.is_settling(*index)) {
                    Some(index) => index,
                    None => return,
                },
            };
            let waited = matches!(self.cores.borrow()[index].paused, Pause::Waiting);
            let pause = self.go_on(index);
            match (waited, pause) {
                (true, Pause::Waiting) => looked[index] = true,
                _ => {
                    looked.fill(false);
                    looked[index] = matches!(pause, Pause::Waiting);
                }
            }
        }
    }

    /// Where others come in between.
    pub fn set_grain(&self, grain: Grain) {
        self.grain.set(grain);
    }

    fn goes_on_alone(&self, able: &[usize]) -> bool {
        let index = self.current.get();
        self.grain.get() == Grain::Calls && able.contains(&index) && self.cores.borrow()[index].began
    }

    fn is_able(&self, index: usize, looked: bool) -> bool {
        let core = &self.cores.borrow()[index];
        let interrupted = core.inbox.next(self.now_us.get()).is_some();
        match core.paused {
            Pause::Point | Pause::Switched | Pause::Abandoned => true,
            Pause::Locked(lock) => !lock.is_taken(),
            Pause::Idle | Pause::Settling => interrupted,
            Pause::Waiting => interrupted || !looked,
        }
    }

    fn is_settling(&self, index: usize) -> bool {
        matches!(self.cores.borrow()[index].paused, Pause::Settling)
    }

    fn go_on(&self, index: usize) -> Pause {
        self.current.set(index);
        let which = self.cores.borrow()[index].which;
        let mut context = self.contexts.borrow_mut().remove(&which).expect("the context of what runs");
        FINE.set(self.grain.get() == Grain::Accesses);
        let pause = context.go_on();
        FINE.set(false);
        if !matches!(pause, Pause::Abandoned) {
            self.contexts.borrow_mut().insert(which, context);
        }
        self.cores.borrow_mut()[index].paused = pause;
        pause
    }

    /// Time goes on; what is due comes with the next [`run`](Machine::run).
    pub fn advance(&self, us: u64) {
        self.now_us.set(self.now_us.get() + us);
    }

    /// When a processor's timer next goes off.
    pub fn next_us(&self) -> Option<u64> {
        self.cores.borrow().iter().filter_map(|core| core.inbox.timer_us).min()
    }

    /// A line goes up.
    pub fn raise(&self, number: u32) {
        let mut cores = self.cores.borrow_mut();
        let lines = cores.iter_mut().flat_map(|core| &mut core.inbox.lines);
        lines.filter(|line| line.number == number).for_each(|line| line.raised = true);
    }

    /// Whether a line is enabled.
    pub fn is_enabled(&self, number: u32) -> bool {
        let cores = self.cores.borrow();
        let mut lines = cores.iter().flat_map(|core| &core.inbox.lines);
        lines.any(|line| line.number == number && line.enabled)
    }

    /// A program waits for something that only others can do.
    pub fn wait(&self) {
        self.pause(Pause::Waiting);
    }

    /// Returns when nobody else can go on.
    pub fn settle(&self) {
        self.pause(Pause::Settling);
    }

    /// Gives all contexts up; nothing can go on any more.
    pub fn stop(&self) {
        let contexts = std::mem::take(&mut *self.contexts.borrow_mut());
        drop(contexts);
    }

    // ---- from within

    fn pause(&self, why: Pause) {
        pause(why);
        self.take_interrupts();
    }

    fn with_inbox<T>(&self, what: impl FnOnce(&mut Inbox) -> T) -> T {
        what(&mut self.cores.borrow_mut()[self.current.get()].inbox)
    }

    fn take_interrupts(&self) {
        let now_us = self.now_us.get();
        while let Some((interrupt, priority)) = self.with_inbox(|inbox| inbox.next(now_us)) {
            self.with_inbox(|inbox| {
                inbox.accept(interrupt);
                inbox.masked = true;
                inbox.handling.push(priority);
            });
            let kernel = self.kernel();
            kernel.enter_interrupt();
            match interrupt {
                Interrupt::Call => kernel.on_call(),
                Interrupt::Timer => kernel.on_timer(),
                Interrupt::Line(number) => self.open(|| self.programs.line(kernel, number)),
            }
            self.with_inbox(|inbox| inbox.handling.pop());
            // Perhaps another task goes on here, and this one comes back elsewhere.
            kernel.leave_interrupt();
            self.with_inbox(|inbox| inbox.masked = false);
            self.cores.borrow_mut()[self.current.get()].began = false;
        }
    }

    /// A handler's own part, which more urgent interrupts may interrupt. It may have locked the processor when it returns.
    fn open(&self, handler: impl FnOnce()) {
        self.unmask();
        handler();
        self.mask();
    }

    fn which(task: Option<&'static Task>, index: usize) -> Which {
        task.map_or(Which::Idle(index), |task| Which::Task(task.id()))
    }

    /// Makes `to` what this processor runs next.
    fn set(&self, to: Option<&'static Task>) {
        let index = self.current.get();
        let which = Machine::which(to, index);
        // A task that was ended has none, nor one that never began.
        if to.is_some() && !self.contexts.borrow().contains_key(&which) {
            let kernel = self.kernel();
            self.contexts.borrow_mut().insert(which, Context::new(move || kernel.begin()));
        }
        self.cores.borrow_mut()[index].which = which;
    }
}

impl Port for Machine {
    fn objects(&self) -> Objects {
        self.objects
    }

    fn here(&self) -> &'static Processor {
        &self.objects.processors[self.current.get()]
    }

    fn mask(&self) {
        self.with_inbox(|inbox| inbox.masked = true);
    }

    fn unmask(&self) {
        self.with_inbox(|inbox| inbox.masked = false);
        self.cores.borrow_mut()[self.current.get()].began = false;
        self.pause(Pause::Point);
    }

    fn take(&self, lock: &'static Lock) {
        pause(Pause::Point);
        while !lock.try_take() {
            pause(Pause::Locked(lock));
        }
        self.cores.borrow_mut()[self.current.get()].began = true;
    }

    fn relax(&self) {
        self.wait();
    }

    fn switch(&self, _from: Option<&'static Task>, to: Option<&'static Task>) {
        self.set(to);
        pause(Pause::Switched);
    }

    fn abandon(&self, to: Option<&'static Task>) -> ! {
        self.set(to);
        pause(Pause::Abandoned);
        unreachable!("nobody goes on with a context that was given up");
    }

    fn discard(&self, task: &'static Task) {
        let which = Which::Task(task.id());
        let gone = self.contexts.borrow_mut().remove(&which);
        drop(gone);
    }

    fn initialize(&self) {
        self.programs.initialize(self.kernel());
    }

    fn terminate(&self) {
        self.programs.terminate(self.kernel());
    }

    fn activated(&self, task: &'static Task) {
        self.programs.activated(task.id());
    }

    fn run(&self, task: &'static Task) {
        self.programs.task(self.kernel(), task.id());
    }

    fn handle(&self, handler: Handler) {
        self.open(|| self.programs.handler(self.kernel(), handler));
    }

    fn call(&self, processor: usize) {
        self.cores.borrow_mut()[processor].inbox.called = true;
    }

    fn now_us(&self) -> u64 {
        self.now_us.get()
    }

    fn set_timer(&self, at_us: Option<u64>) {
        self.with_inbox(|inbox| inbox.timer_us = at_us);
    }

    fn set_priority_mask(&self, priority: i32) {
        self.with_inbox(|inbox| inbox.mask = priority);
    }

    fn enable_interrupt(&self, number: u32, enabled: bool) -> bool {
        self.with_inbox(|inbox| {
            let line = inbox.lines.iter_mut().find(|line| line.number == number);
            line.map(|line| line.enabled = enabled).is_some()
        })
    }

    fn pend_interrupt(&self, number: u32, pending: bool) -> bool {
        self.with_inbox(|inbox| {
            let line = inbox.lines.iter_mut().find(|line| line.number == number);
            line.map(|line| line.raised = pending).is_some()
        })
    }

    fn is_interrupt_pending(&self, number: u32) -> Option<bool> {
        self.with_inbox(|inbox| {
            let line = inbox.lines.iter().find(|line| line.number == number);
            line.map(|line| line.raised)
        })
    }
}
