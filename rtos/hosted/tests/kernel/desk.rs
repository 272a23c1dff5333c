//! Tasks that do what they are told, one call at a time.

use std::cell::Cell;
use std::rc::Rc;

use tokkyu_rtos::{Handler, Kernel, Objects};
use tokkyu_rtos_hosted::{InTurn, Lines, Machine, Programs};

pub type System = Kernel<Machine>;
/// Something that a task does, and what it answers.
pub type Deed = fn(&'static System) -> i64;

/// What a handler does.
pub type Handle = fn(&'static System, Handler);

/// Most tasks of a system.
const TASKS: usize = 8;

#[derive(Default)]
pub struct Desk {
    /// What each task is to do next.
    deeds: [Cell<Option<Deed>>; TASKS],
    answers: [Cell<Option<i64>>; TASKS],
    /// What handlers do.
    pub handler: Cell<Option<Handle>>,
    /// Calls of handlers.
    pub handled: Cell<u64>,
}

impl Desk {
    /// A task is to do this; it does when it runs next.
    pub fn tell(&self, id: i32, deed: Deed) {
        self.answers[id as usize - 1].set(None);
        self.deeds[id as usize - 1].set(Some(deed));
    }

    /// The same, and everybody goes on until nobody can; what it answered, if it has.
    #[allow(dead_code)]
    pub fn now(&self, kernel: &'static System, id: i32, deed: Deed) -> Option<i64> {
        self.tell(id, deed);
        kernel.port.run(&mut InTurn);
        self.answer(id)
    }

    pub fn answer(&self, id: i32) -> Option<i64> {
        self.answers[id as usize - 1].get()
    }

    pub fn clear(&self) {
        self.deeds.iter().for_each(|deed| deed.set(None));
        self.forget();
    }

    pub fn forget(&self) {
        self.answers.iter().for_each(|answer| answer.set(None));
    }
}

struct Callers(Rc<Desk>);

// SAFETY: numbers and references alone are on the stack when a call is made.
unsafe impl Programs for Callers {
    fn task(&self, kernel: &'static System, id: i32) {
        let place = id as usize - 1;
        loop {
            match self.0.deeds[place].take() {
                Some(deed) => {
                    let answer = deed(kernel);
                    self.0.answers[place].set(Some(answer));
                }
                None => kernel.port.wait(),
            }
        }
    }

    fn handler(&self, kernel: &'static System, handler: Handler) {
        self.0.handled.set(self.0.handled.get() + 1);
        if let Some(does) = self.0.handler.get() {
            does(kernel, handler);
        }
    }

    fn line(&self, _: &'static System, _: u32) {
        self.0.handled.set(self.0.handled.get() + 1);
    }

    fn activated(&self, id: i32) {
        // A new life has no orders from the last.
        self.0.deeds[id as usize - 1].take();
    }
}

/// A system of these objects, before anything runs.
pub fn system(objects: Objects) -> (&'static System, Rc<Desk>) {
    system_with(objects, &Lines::new())
}

/// The same with interrupt lines.
pub fn system_with(objects: Objects, lines: &Lines) -> (&'static System, Rc<Desk>) {
    let desk = Rc::new(Desk::default());
    (Machine::boot(objects, lines, Box::new(Callers(Rc::clone(&desk)))), desk)
}

pub fn leak<T>(items: Vec<T>) -> &'static [T] {
    items.leak()
}

pub fn code(result: tokkyu_rtos::Result<impl Into<i64>>) -> i64 {
    result.map_or_else(|error| i64::from(error.code()), Into::into)
}

pub fn done(result: tokkyu_rtos::Result) -> i64 {
    code(result.map(|()| 0))
}
