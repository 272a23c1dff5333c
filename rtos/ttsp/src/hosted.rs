//! Plans on the kernel in one process and in virtual time.

use std::cell::RefCell;
use std::rc::Rc;

use tokkyu_rtos::{Handler, Kernel};
use tokkyu_rtos_hosted::{InTurn, Line, Lines, Machine, Programs};

use crate::conduct::conduct;
use crate::objects::objects;
use crate::perform::{NOT_A_CALL, perform};
use crate::plan::{Actor, Plan};
use crate::stage::{Bench, Stage};

type Verdict = Rc<RefCell<Option<Result<(), String>>>>;

struct Play {
    stage: Rc<Stage>,
    conductor: i32,
    verdict: Verdict,
    /// What routines answered that is not as the scenario says.
    faults: Rc<RefCell<Vec<String>>>,
}

impl Play {
    fn run_routines(&self, kernel: &'static Kernel<Machine>, at_end: bool) {
        for routine in self.stage.routines(at_end) {
            let answer = perform(kernel, &routine.call).unwrap_or(NOT_A_CALL);
            if !answer.is(routine.wanted) {
                let (name, wanted) = (routine.call.function.name(), routine.wanted);
                let when = if at_end { "at the end" } else { "at the beginning" };
                self.faults.borrow_mut().push(format!("{name} {when} answers {answer:?}, not {wanted:?}"));
            }
        }
    }
}

// SAFETY: when a call is made that may not come back, actors have numbers and references alone on their stacks. What the conductor has is
// no more than words: they are lost if it does not come to its end, and nothing else.
unsafe impl Programs for Play {
    fn task(&self, kernel: &'static Kernel<Machine>, id: i32) {
        if id == self.conductor {
            *self.verdict.borrow_mut() = Some(conduct(kernel, &self.stage));
        } else {
            self.stage.act(kernel, Actor::Task(id as u16));
        }
    }

    fn handler(&self, kernel: &'static Kernel<Machine>, handler: Handler) {
        let actor = match handler {
            Handler::Alarm(number) => Actor::Alarm(number),
            Handler::Cyclic(number) => Actor::Cyclic(number),
            // No scenario declares it.
            Handler::Overrun(_) | Handler::BudgetOver(_) => return,
        };
        self.stage.act_in_handler(kernel, actor);
    }

    fn line(&self, kernel: &'static Kernel<Machine>, number: u32) {
        let lines = (1..).zip(&self.stage.plan.declared.lines);
        if let Some((place, _)) = lines.into_iter().find(|(_, line)| line.number == number) {
            self.stage.act_in_handler(kernel, Actor::Line(place));
        }
    }

    fn initialize(&self, kernel: &'static Kernel<Machine>) {
        self.run_routines(kernel, false);
    }

    fn terminate(&self, kernel: &'static Kernel<Machine>) {
        self.run_routines(kernel, true);
    }

    fn activated(&self, id: i32) {
        self.stage.activated(id);
    }
}

impl Bench for Machine {
    fn wait(&self) {
        Machine::wait(self);
    }

    fn settle(&self) {
        Machine::settle(self);
    }

    fn advance(&self, us: u64) {
        Machine::advance(self, us);
    }

    fn raise(&self, number: u32) {
        Machine::raise(self, number);
    }

    fn is_enabled(&self, number: u32) -> bool {
        Machine::is_enabled(self, number)
    }
}

/// Plays a plan.
///
/// # Errors
/// What is not as the scenario says.
pub fn play(plan: Plan) -> Result<(), String> {
    let lines: Lines = plan
        .declared
        .lines
        .iter()
        .map(|line| {
            let processor = usize::from(line.processor) - 1;
            (line.number, Line { processor, priority: line.priority, enabled: line.enabled })
        })
        .collect();
    let objects = objects(&plan.declared);
    let conductor = objects.tasks.len() as i32;
    let verdict: Verdict = Rc::default();
    let faults = Rc::default();
    let play = Play {
        stage: Rc::new(Stage::new(plan)),
        conductor,
        verdict: Rc::clone(&verdict),
        faults: Rc::clone(&faults),
    };
    let kernel = Machine::boot(objects, &lines, Box::new(play));
    kernel.port.run(&mut InTurn);
    kernel.end();
    kernel.port.stop();
    let verdict = verdict.borrow_mut().take();
    verdict.unwrap_or_else(|| Err("the conductor did not come to its end".to_owned()))?;
    let faults: Vec<String> = faults.take();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}
