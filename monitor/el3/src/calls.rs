//! What Linux asks for (MON-20 to MON-25).

use smccc::psci::error;
use tokkyu_monitor_core::{Call, Goal, Refused, SUCCESS, holds, read};

use crate::{entry, gic, machine, processors};

/// An instruction is at a multiple of this.
const INSTRUCTION_BYTES: u64 = 4;

/// Carries a call out; answers `x0`.
#[inline]
pub(crate) fn call(function: u64, arguments: [u64; 3]) -> u64 {
    // A function's number is in the lower half (DEN 0028, section 2.5).
    match read(function as u32, arguments) {
        Call::Answer(answer) => answer as u64,
        other => carry_out(other) as u64,
    }
}

#[inline(never)]
fn carry_out(call: Call) -> i64 {
    let answer = match call {
        Call::Answer(answer) => Ok(answer),
        Call::On(affinity, goal) => on(affinity, goal),
        Call::AffinityInfo(affinity, level) => affinity_info(affinity, level),
        Call::Suspend(goal) => suspend(goal),
        Call::Off => {
            let index = processors::here();
            processors::end(index);
            entry::rest(index)
        }
        Call::SystemOff => machine::off(),
        Call::SystemReset => machine::reset(),
    };
    answer.unwrap_or_else(i64::from)
}

fn on(affinity: u64, goal: Goal) -> Result<i64, i32> {
    let index = processors::of(affinity).ok_or(error::INVALID_PARAMETERS)?;
    check(goal)?;
    processors::ask(index, goal).map_err(|refused| match refused {
        Refused::AlreadyOn => error::ALREADY_ON,
        Refused::Pending => error::ON_PENDING,
        Refused::Never => error::INTERNAL_FAILURE,
    })?;
    gic::wake(index);
    Ok(SUCCESS)
}

/// In memory that Linux has.
fn check(goal: Goal) -> Result<(), i32> {
    let is_instruction = goal.entry.is_multiple_of(INSTRUCTION_BYTES);
    match is_instruction && holds(processors::handoff().memory(), goal.entry, INSTRUCTION_BYTES) {
        true => Ok(()),
        false => Err(error::INVALID_ADDRESS),
    }
}

/// Of a processor alone: levels above it have none of their own here.
fn affinity_info(affinity: u64, level: u64) -> Result<i64, i32> {
    let index = processors::of(affinity).filter(|_| level == 0).ok_or(error::INVALID_PARAMETERS)?;
    Ok(processors::power(index).affinity_info())
}

fn suspend(goal: Option<Goal>) -> Result<i64, i32> {
    goal.map_or(Ok(()), check)?;
    machine::wait_for_interrupt();
    match goal {
        Some(goal) => entry::go(goal),
        None => Ok(SUCCESS),
    }
}
