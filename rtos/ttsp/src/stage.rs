//! Where a scenario is played: who is told to do what, and what they answered.
//!
//! Shared by all processors of a machine, with nothing but atomics, so that it is the same on every port.

use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::{AtomicI64, AtomicU32};

use alloc::vec::Vec;

use tokkyu_rtos::{Kernel, Port};

use crate::perform::{Answer, NOT_A_CALL, perform};
use crate::plan::{Action, Actor, Call, Function, PROCESSORS, Plan, Routine};

/// What a port adds for scenarios.
pub trait Bench {
    /// Whoever waits for its next order looks again when others went on.
    fn wait(&self);
    /// Returns when nobody can go on but the one that calls.
    fn settle(&self);
    /// Time goes on.
    fn advance(&self, us: u64);
    /// A line goes up.
    fn raise(&self, number: u32);
    /// Whether a line is enabled.
    fn is_enabled(&self, number: u32) -> bool;
}

/// Order 0 is none; `n` is the action of index `n - 1`.
#[derive(Debug, Default)]
pub struct Slot {
    order: AtomicU32,
    answered: AtomicU32,
    code: AtomicI64,
    out: [AtomicI64; 10],
    /// Depth on its processor, of a handler that runs.
    active: AtomicU32,
    /// The spin lock that it is trying to get.
    spins_for: AtomicU32,
    /// The block that it got last.
    block: AtomicI64,
    /// Processor on which it became active, as an index.
    on: AtomicU32,
    returned: AtomicU32,
    pub(crate) boots: AtomicU32,
}

impl Slot {
    pub(crate) fn order(&self, index: usize) {
        self.order.store(index as u32 + 1, SeqCst);
    }

    pub(crate) fn answer_to(&self, index: usize) -> Option<Answer> {
        (self.answered.load(SeqCst) == index as u32 + 1).then(|| self.last())
    }

    pub(crate) fn last(&self) -> Answer {
        let mut answer = Answer { code: self.code.load(SeqCst) as i32, out: [0; 10] };
        answer.out.iter_mut().zip(&self.out).for_each(|(to, from)| *to = from.load(SeqCst));
        answer
    }

    fn keep(&self, index: usize, answer: Answer) {
        self.code.store(i64::from(answer.code), SeqCst);
        self.out.iter().zip(answer.out).for_each(|(to, from)| to.store(from, SeqCst));
        self.answered.store(index as u32 + 1, SeqCst);
    }

    pub(crate) fn spins_for(&self) -> u32 {
        self.spins_for.load(SeqCst)
    }

    pub(crate) fn returned(&self) -> u32 {
        self.returned.load(SeqCst)
    }
}

/// The actors of a plan.
#[derive(Debug)]
pub struct Stage {
    pub(crate) plan: Plan,
    tasks: Vec<Slot>,
    alarms: Vec<Slot>,
    cyclics: Vec<Slot>,
    lines: Vec<Slot>,
    exceptions: Vec<Slot>,
    conductor: Slot,
    /// Handlers that run on each processor.
    depth: [AtomicU32; PROCESSORS],
}

fn slots(count: usize) -> Vec<Slot> {
    (0..count).map(|_| Slot::default()).collect()
}

impl Stage {
    /// For a plan.
    pub fn new(plan: Plan) -> Stage {
        let declared = &plan.declared;
        Stage {
            tasks: slots(declared.tasks.len()),
            alarms: slots(declared.alarms.len()),
            cyclics: slots(declared.cyclics.len()),
            lines: slots(declared.lines.len()),
            exceptions: slots(PROCESSORS),
            conductor: Slot::default(),
            depth: [const { AtomicU32::new(0) }; PROCESSORS],
            plan,
        }
    }

    /// The slot of an actor that the plan has.
    pub fn slot(&self, actor: Actor) -> &Slot {
        let (slots, number) = match actor {
            Actor::Conductor => return &self.conductor,
            Actor::Task(number) => (&self.tasks, number),
            Actor::Alarm(number) => (&self.alarms, number),
            Actor::Cyclic(number) => (&self.cyclics, number),
            Actor::Line(number) => (&self.lines, number),
            Actor::Exception(number) => (&self.exceptions, number),
        };
        slots.get(usize::from(number).wrapping_sub(1)).unwrap_or(&self.conductor)
    }

    /// What is done before the first task, or after the last.
    pub fn routines(&self, at_end: bool) -> impl Iterator<Item = &Routine> {
        self.plan.routines.iter().filter(move |routine| routine.at_end == at_end)
    }

    /// A task was activated.
    pub fn activated(&self, id: i32) {
        if let Some(slot) = self.tasks.get((id - 1) as usize) {
            slot.boots.fetch_add(1, SeqCst);
            // What it was told in its life before is no order any more.
            slot.order.store(0, SeqCst);
        }
    }

    /// What a task does: what it is told, until it ends.
    pub fn act<P: Port + Bench>(&self, kernel: &'static Kernel<P>, actor: Actor) {
        let slot = self.slot(actor);
        loop {
            let Some(index) = slot.order.swap(0, SeqCst).checked_sub(1).map(|index| index as usize) else {
                kernel.port.wait();
                continue;
            };
            match self.plan.actions.get(index) {
                Some(Action::Do { call, .. }) => {
                    let answer = self.carry_out(kernel, slot, call);
                    if call.function == Function::hand_back {
                        return;
                    }
                    slot.keep(index, answer);
                }
                _ => return,
            }
        }
    }

    /// The same in a handler.
    pub fn act_in_handler<P: Port + Bench>(&self, kernel: &'static Kernel<P>, actor: Actor) {
        let here = kernel.port.here().index();
        let depth = self.depth[here].fetch_add(1, SeqCst) + 1;
        let slot = self.slot(actor);
        slot.on.store(here as u32, SeqCst);
        slot.active.store(depth, SeqCst);
        self.act(kernel, actor);
        slot.active.store(0, SeqCst);
        slot.returned.fetch_add(1, SeqCst);
        self.depth[here].fetch_sub(1, SeqCst);
    }

    pub(crate) fn carry_out<P: Port + Bench>(
        &self,
        kernel: &'static Kernel<P>,
        slot: &Slot,
        call: &Call,
    ) -> Answer {
        match call.function {
            Function::raise_line => {
                kernel.port.raise(call.arguments[0] as u32);
                Answer::default()
            }
            Function::raise_exception => {
                let number = kernel.port.here().index() as u16 + 1;
                kernel.enter_exception();
                self.act_in_handler(kernel, Actor::Exception(number));
                kernel.leave_exception();
                Answer::default()
            }
            Function::hand_back => Answer::default(),
            Function::loc_spn => {
                slot.spins_for.store(call.arguments[0] as u32, SeqCst);
                let answer = perform(kernel, call).unwrap_or(NOT_A_CALL);
                slot.spins_for.store(0, SeqCst);
                answer
            }
            Function::rel_mpf => {
                let mut call = *call;
                call.arguments[1] = slot.block.load(SeqCst);
                perform(kernel, &call).unwrap_or(NOT_A_CALL)
            }
            Function::get_mpf | Function::tget_mpf | Function::pget_mpf => {
                let answer = perform(kernel, call).unwrap_or(NOT_A_CALL);
                slot.block.store(answer.out[0], SeqCst);
                answer
            }
            _ => perform(kernel, call).unwrap_or(NOT_A_CALL),
        }
    }

    /// Whether a handler is the innermost that runs on its processor.
    pub fn is_active(&self, actor: Actor) -> bool {
        let slot = self.slot(actor);
        let depth = slot.active.load(SeqCst);
        depth != 0 && self.depth[slot.on.load(SeqCst) as usize % PROCESSORS].load(SeqCst) == depth
    }

    /// The innermost line's handler that runs on a processor, if one does.
    pub(crate) fn line_on(&self, processor: usize) -> Option<u16> {
        (1..)
            .zip(&self.lines)
            .find(|(number, slot)| {
                slot.on.load(SeqCst) as usize == processor && self.is_active(Actor::Line(*number))
            })
            .map(|(number, _)| number)
    }
}
