//! Carries a plan out, from a task on a processor of its own.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tokkyu_rtos::{Kernel, Port, TaskState};

use crate::perform::Answer;
use crate::plan::{Action, Actor, Function, Wanted};
use crate::stage::{Bench, Stage};
use crate::watch::watch;

/// A call that has not answered yet.
struct Pending {
    actor: Actor,
    index: usize,
    wanted: Wanted,
    function: Function,
}

/// What is not as the scenario says; nothing if all is.
pub fn conduct<P: Port + Bench>(kernel: &'static Kernel<P>, stage: &Stage) -> Result<(), String> {
    let mut pending: Vec<Pending> = Vec::new();
    kernel.port.settle();
    for (index, action) in stage.plan.actions.iter().enumerate() {
        match action {
            Action::Do { actor, call, wanted } => {
                let pends = Pending { actor: *actor, index, wanted: *wanted, function: call.function };
                if *actor == Actor::Conductor {
                    let answer = stage.carry_out(kernel, stage.slot(*actor), call);
                    compare(&pends, answer)?;
                } else {
                    stage.slot(*actor).order(index);
                    pending.push(pends);
                }
            }
            Action::ReturnIfActive(actor) => {
                if stage.is_active(*actor) {
                    stage.slot(*actor).order(index);
                }
            }
            Action::Advance { us } => kernel.port.advance(*us),
            Action::Check(conditions) => {
                for condition in conditions {
                    let is = watch(kernel, stage, condition.watch);
                    if is != Some(condition.value) {
                        let (words, value) = (&condition.words, condition.value);
                        return Err(format!("action {index}: {words} ({value}) is {is:?}"));
                    }
                }
            }
        }
        kernel.port.settle();
        for pends in &pending {
            if let Some(answer) = stage.slot(pends.actor).answer_to(pends.index) {
                compare(pends, answer)?;
            }
        }
        pending.retain(|pends| stage.slot(pends.actor).answer_to(pends.index).is_none());
    }
    match pending.iter().find(|pends| runs(kernel, pends.actor) && pends.wanted != Wanted::Any) {
        Some(pends) => {
            Err(format!("{} of {:?} has not returned, and runs", pends.function.name(), pends.actor))
        }
        None => Ok(()),
    }
}

fn runs<P: Port>(kernel: &'static Kernel<P>, actor: Actor) -> bool {
    let Actor::Task(number) = actor else { return false };
    let task = kernel.objects().tasks.get(usize::from(number) - 1);
    task.is_some_and(|task| kernel.status(task).state == TaskState::Running)
}

fn compare(pends: &Pending, answer: Answer) -> Result<(), String> {
    if answer.is(pends.wanted) {
        return Ok(());
    }
    let (name, wanted) = (pends.function.name(), pends.wanted);
    let (actor, index) = (pends.actor, pends.index);
    Err(format!(
        "action {index}: {name} of {actor:?} answers {} {:?}, not {wanted:?}",
        answer.code, answer.out
    ))
}
