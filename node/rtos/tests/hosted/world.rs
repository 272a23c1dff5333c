//! A system with programs that tests give, in the thread of its test.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};

use tokkyu_contract::Class;
use tokkyu_node_rtos::{Flow, Rtos, Stack, System, TASKS_MAX, Waiters, Wire, Worker};
use tokkyu_rtos::{Handler, Kernel, Mutex, Objects, Port, Processor, Protocol, SpinLock, Task, TaskConfig};
use tokkyu_rtos_hosted::{InTurn, Lines, Machine, Order, Programs};

pub type Job = Box<dyn FnOnce()>;

/// What a test's system has, besides its kernel.
pub struct World {
    pub kernel: Cell<Option<&'static Kernel<Machine>>>,
    pub stack: Cell<Option<&'static Stack<Wire>>>,
    pub waiters: &'static Waiters,
    pub workers: &'static [Worker],
    /// What each task does next, from the first on.
    pub jobs: RefCell<[VecDeque<Job>; TASKS_MAX]>,
    pub variables: RefCell<BTreeMap<String, String>>,
    pub flows: Cell<&'static [Flow]>,
    /// Lines that were printed.
    pub printed: RefCell<Vec<String>>,
    /// What programs say, in its order.
    pub said: RefCell<Vec<&'static str>>,
}

thread_local! {
    static WORLD: Cell<Option<&'static World>> = const { Cell::new(None) };
}

pub fn world() -> &'static World {
    WORLD.get().expect("a test has made it")
}

#[derive(Clone, Copy)]
pub struct Hosted;

pub static PORT: Rtos<Hosted> = Rtos::new(Hosted);

tokkyu_callbacks::port!(PORT);

impl System for Hosted {
    type Port = Machine;
    type Device = Wire;

    fn kernel(&self) -> &'static Kernel<Machine> {
        world().kernel.get().expect("the machine is there")
    }

    fn spin_lock(&self) -> i32 {
        1
    }

    fn mutex(&self) -> i32 {
        1
    }

    fn waiters(&self) -> &'static Waiters {
        world().waiters
    }

    fn workers(&self) -> &'static [Worker] {
        world().workers
    }

    fn stack(&self) -> Option<&'static Stack<Wire>> {
        world().stack.get()
    }

    fn variable(&self, name: &str) -> Option<String> {
        world().variables.borrow().get(name).cloned()
    }

    fn flows(&self) -> &'static [Flow] {
        world().flows.get()
    }

    fn print(&self, line: &str) {
        world().printed.borrow_mut().push(line.to_owned());
    }
}

struct Jobs;

// SAFETY: what a context has on its stack when the test ends is forgotten: memory, which the test's end gives back anyway.
unsafe impl Programs for Jobs {
    fn task(&self, _: &'static Kernel<Machine>, id: i32) {
        if PORT.run(id) {
            return;
        }
        let next = || world().jobs.borrow_mut()[id as usize - 1].pop_front();
        while let Some(job) = next() {
            job();
        }
    }

    fn handler(&self, _: &'static Kernel<Machine>, _: Handler) {}

    fn line(&self, _: &'static Kernel<Machine>, _: u32) {}
}

/// A task's priority and processor, and whether it begins with the system.
pub type Place = (u8, u8, bool);

/// A system of these tasks, and after them workers of these classes.
pub fn make(processors: usize, tasks: &[Place], workers: &[Option<Class>]) -> &'static World {
    let priority = |class: &Option<Class>| class.map_or(10, |class| class.priorities().itron_task);
    let places = tasks.iter().copied().chain(workers.iter().map(|class| (priority(class), 1, false)));
    let task = |(priority, processor, active)| {
        let may_move_to = (1 << processors) - 1;
        Task::new(TaskConfig { priority, processor, may_move_to, active, exinf: 0 })
    };
    let objects = Objects {
        processors: (0..processors).map(|_| Processor::new()).collect::<Vec<_>>().leak(),
        tasks: places.map(task).collect::<Vec<_>>().leak(),
        mutexes: vec![Mutex::new(Protocol::Ceiling(1))].leak(),
        spin_locks: vec![SpinLock::new()].leak(),
        ..Objects::NONE
    };
    let first = tasks.len() as i32 + 1;
    let workers: Vec<_> = (first..).zip(workers).map(|(task, class)| Worker::new(task, *class)).collect();
    let world: &'static World = Box::leak(Box::new(World {
        kernel: Cell::new(None),
        stack: Cell::new(None),
        waiters: Box::leak(Box::default()),
        workers: workers.leak(),
        jobs: RefCell::default(),
        variables: RefCell::default(),
        flows: Cell::default(),
        printed: RefCell::default(),
        said: RefCell::default(),
    }));
    WORLD.set(Some(world));
    world.kernel.set(Some(Machine::boot(objects, &Lines::new(), Box::new(Jobs))));
    world
}

impl World {
    pub fn kernel(&self) -> &'static Kernel<Machine> {
        self.kernel.get().expect("it was made")
    }

    /// A task does this next, once it runs.
    pub fn job(&self, task: i32, job: impl FnOnce() + 'static) {
        self.jobs.borrow_mut()[task as usize - 1].push_back(Box::new(job));
    }

    pub fn say(&self, word: &'static str) {
        self.said.borrow_mut().push(word);
    }

    /// Goes on until nobody can, for that much virtual time.
    pub fn run_for(&self, us: u64) {
        self.run_with(us, &mut InTurn);
    }

    pub fn run_with(&self, us: u64, order: &mut dyn Order) {
        let machine = &self.kernel().port;
        let end = machine.now_us() + us;
        machine.run(order);
        while let Some(next) = machine.next_us().filter(|next| *next <= end) {
            machine.advance(next.saturating_sub(machine.now_us()));
            machine.run(order);
        }
        machine.advance(end.saturating_sub(machine.now_us()));
    }
}
