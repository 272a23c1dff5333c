//! Scenarios on a machine that plays many, one in each of its lives.

use std::ops::ControlFlow;

use tokkyu_measure::ttsp::{KernelPort, TtspCase};
use tokkyu_ttsp::carry::pack;
use tokkyu_ttsp::plan::{PROCESSORS, Plan};

use super::Scenario;
use crate::rtos::{Idle, Machine, MachineError, Running, Said};

/// The image that plays.
pub const IMAGE: &str = "tokkyu-ttsp-board";
/// So many scenarios are given to a machine at once: what it takes is 4 MiB, and the suite's largest is 2 kB.
const AT_ONCE: usize = 500;

/// Plays all, and tells of each in their order, until `tell` breaks off.
///
/// # Errors
/// [`MachineError`] if a machine cannot be started.
pub fn play_all(
    machine: &Machine,
    scenarios: &[Scenario],
    mut tell: impl FnMut(TtspCase) -> ControlFlow<()>,
) -> Result<(), MachineError> {
    for some in scenarios.chunks(AT_ONCE) {
        let plans: Vec<&Plan> = some.iter().filter_map(|scenario| scenario.plan.as_ref().ok()).collect();
        let mut played = Played { machine, plans, told: 0, running: None };
        for scenario in some {
            let case = match &scenario.plan {
                Ok(_) => scenario.outcome(KernelPort::Qemu, played.next()?),
                Err((result, reason)) => scenario.case(KernelPort::Qemu, *result, reason.clone()),
            };
            if tell(case).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Plans that are being played.
struct Played<'a> {
    machine: &'a Machine,
    plans: Vec<&'a Plan>,
    /// Outcomes that were told; the machine that runs began with the plan of this number when it began.
    told: usize,
    running: Option<(Running, usize)>,
}

impl Played<'_> {
    /// What becomes of the next plan. A machine that ends over it, or says nothing more, is followed by another for the rest.
    fn next(&mut self) -> Result<Result<(), String>, MachineError> {
        let index = self.told;
        self.told += 1;
        if self.running.is_none() {
            let machine = self.machine.begin(
                PROCESSORS as u32,
                Idle::Waits,
                &pack(self.plans[index..].iter().copied()),
            )?;
            self.running = Some((machine, index));
        }
        let mut words = Vec::new();
        let outcome = loop {
            let Some((machine, first)) = &self.running else { return Ok(Err("no machine".to_owned())) };
            match machine.next() {
                Said::Line(line) => match outcome_of(&line, index - first) {
                    Some(outcome) => return Ok(outcome),
                    None => words.push(line),
                },
                Said::End => break format!("the machine ended: {}", words.join(" | ")),
                Said::Nothing => {
                    break format!("the machine said nothing for a minute: {}", words.join(" | "));
                }
            }
        };
        self.running = None;
        Ok(Err(outcome))
    }
}

/// Of "scenario INDEX passed" and "scenario INDEX failed: WHY", if it is of this index.
fn outcome_of(line: &str, index: usize) -> Option<Result<(), String>> {
    let rest = line.strip_prefix("scenario ")?.strip_prefix(&index.to_string())?;
    match rest.strip_prefix(" failed: ") {
        Some(why) => Some(Err(why.to_owned())),
        None => (rest == " passed").then_some(Ok(())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_outcome_of_its_own_scenario_alone() {
        assert_eq!(outcome_of("scenario 12 passed", 12), Some(Ok(())));
        assert_eq!(outcome_of("scenario 12 failed: it is 3", 12), Some(Err("it is 3".to_owned())));
        for line in ["scenario 12 passed", "scenario 1 passedx", "fault: scenario 1 passed", "scenario 1", ""]
        {
            assert_eq!(outcome_of(line, 1), None, "{line}");
        }
    }
}
