//! What Linux asks for, and the RTOS (MON-20 to MON-25, MON-51).

use smccc::psci::error;
use tokkyu_monitor_core::{
    BELL_INTERRUPT, Call, Goal, NOT_SUPPORTED, PROCESSORS_MAX, PV_SCHED_BYTES, RTOS_MEMORY, Range, Refused,
    SUCCESS, World, holds, read,
};

use tokkyu_monitor_machine::gpio;

use crate::{frame, gic, processors, worlds};

/// An instruction is at a multiple of this.
const INSTRUCTION_BYTES: u64 = 4;

/// Carries a call out; answers `x0`.
#[inline]
pub(crate) fn call(function: u64, arguments: [u64; 3]) -> u64 {
    // A function's number is in the lower half (DEN 0028, section 2.5).
    match read(function as u32, arguments) {
        Call::Answer(answer) => answer as u64,
        other => carry_out(other, worlds::of_caller()) as u64,
    }
}

#[inline(never)]
fn carry_out(call: Call, world: World) -> i64 {
    let answer = match (call, world) {
        (Call::Answer(answer), _) => Ok(answer),
        (Call::On(affinity, goal), _) => on(world, affinity, goal),
        (Call::SystemOff, _) => gpio::off(),
        // The RTOS goes on.
        (Call::SystemReset, World::Linux) if processors::handoff().rtos != 0 => {
            worlds::reset_linux(processors::here())
        }
        (Call::SystemReset, _) => gpio::reset(),
        (Call::AffinityInfo(affinity, level), World::Linux) => affinity_info(affinity, level),
        (Call::Suspend(goal), World::Linux) => suspend(goal),
        (Call::StolenTime, World::Linux) => Ok(processors::stolen_time(processors::here()) as i64),
        (Call::Off, World::Linux) => worlds::end_linux(processors::here()),
        (Call::SchedState(address), World::Linux) => sched_state(address),
        (Call::Kick(index), World::Linux) => kick(index),
        (Call::Bell, World::Linux) => {
            gic::raise(BELL_INTERRUPT);
            Ok(SUCCESS)
        }
        (Call::MemoryBase(number), World::Rtos) => seen(number, |range| range.base),
        (Call::MemoryBytes(number), World::Rtos) => seen(number, |range| range.bytes),
        (Call::Budget(processor), World::Rtos) => budget(processor),
        // Linux is told no more of them than of any other number that is not known.
        (Call::MemoryBase(_) | Call::MemoryBytes(_) | Call::Budget(_), World::Linux) => Ok(NOT_SUPPORTED),
        // It has its processors for ever, and says so when it is idle.
        (_, World::Rtos) => Ok(NOT_SUPPORTED),
    };
    answer.unwrap_or_else(i64::from)
}

/// Where Linux looks whether the RTOS has this processor (MON-62).
fn sched_state(address: Option<u64>) -> Result<i64, i32> {
    let is_there = |at: &u64| {
        at.is_multiple_of(PV_SCHED_BYTES) && holds(processors::handoff().memory(), *at, PV_SCHED_BYTES)
    };
    let address = address.map(|at| Some(at).filter(is_there).ok_or(error::NOT_SUPPORTED)).transpose()?;
    // SAFETY: this processor's own.
    unsafe { (*frame::here()).tell_who_has(address) };
    Ok(SUCCESS)
}

/// Its wait for an interrupt ends.
fn kick(index: u64) -> Result<i64, i32> {
    let index = processors::of(index).ok_or(error::NOT_SUPPORTED)?;
    gic::wake(index);
    Ok(SUCCESS)
}

fn seen(number: u64, what: fn(Range) -> u64) -> Result<i64, i32> {
    processors::handoff()
        .seen_by_rtos(number)
        .map(|range| what(range) as i64)
        .ok_or(error::INVALID_PARAMETERS)
}

/// What the RTOS may take of a processor; 0: nobody has declared it.
fn budget(processor: u64) -> Result<i64, i32> {
    let index = processors::of(processor).ok_or(error::INVALID_PARAMETERS)?;
    Ok(processors::handoff().budgets[index % PROCESSORS_MAX].word() as i64)
}

fn on(world: World, affinity: u64, goal: Goal) -> Result<i64, i32> {
    let index = processors::of(affinity).ok_or(error::INVALID_PARAMETERS)?;
    check(world, goal)?;
    processors::ask(world, index, goal).map_err(|refused| match refused {
        Refused::AlreadyOn => error::ALREADY_ON,
        Refused::Pending => error::ON_PENDING,
        Refused::Never => error::INTERNAL_FAILURE,
    })?;
    gic::wake(index);
    Ok(SUCCESS)
}

/// In memory that the system has.
fn check(world: World, goal: Goal) -> Result<(), i32> {
    let memory = match world {
        World::Linux => processors::handoff().memory(),
        World::Rtos => &[RTOS_MEMORY],
    };
    match goal.entry.is_multiple_of(INSTRUCTION_BYTES) && holds(memory, goal.entry, INSTRUCTION_BYTES) {
        true => Ok(()),
        false => Err(error::INVALID_ADDRESS),
    }
}

/// Of a processor alone: levels above it have none of their own here.
fn affinity_info(affinity: u64, level: u64) -> Result<i64, i32> {
    let index = processors::of(affinity).filter(|_| level == 0).ok_or(error::INVALID_PARAMETERS)?;
    Ok(processors::power(World::Linux, index).affinity_info())
}

fn suspend(goal: Option<Goal>) -> Result<i64, i32> {
    goal.map_or(Ok(()), |goal| check(World::Linux, goal))?;
    gic::wait();
    match goal {
        Some(goal) => worlds::begin_linux(goal),
        None => Ok(SUCCESS),
    }
}
