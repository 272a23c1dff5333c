//! Scenarios of the TOPPERS Test Suite Package, run on the kernel. Follows SPEC.md LAB-110 to LAB-115.
//!
//! ```text
//! folder ─► files.rs: scenarios ─► Scenario: a plan, or why there is none ─┬─► hosted: here, one after the other
//!                                                                          └─► qemu.rs: a machine that plays many
//! ```

mod files;
mod qemu;

use tokkyu_measure::ttsp::{KernelPort, Outcome, TtspCase};
use tokkyu_ttsp::compile::{Compiled, compile};
use tokkyu_ttsp::hosted::play;
use tokkyu_ttsp::plan::Plan;

pub use files::{TtspError, read, scenarios};
pub use qemu::{IMAGE, play_all};

/// A scenario of a folder.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The file's name without its ending.
    pub name: String,
    /// Folders in which it is.
    pub about: String,
    /// What is to be done; or what is told of it in place of a result.
    pub plan: Result<Plan, (Outcome, String)>,
}

impl Scenario {
    fn new(name: String, about: String, text: &str) -> Scenario {
        let plan = match compile(text) {
            Ok(Compiled::Plan(plan)) => Ok(*plan),
            Ok(Compiled::Excluded(reason)) => Err((Outcome::Excluded, reason.to_owned())),
            Err(error) => Err((Outcome::Failed, format!("it is not understood: {error}"))),
        };
        Scenario { name, about, plan }
    }

    fn case(&self, port: KernelPort, result: Outcome, reason: String) -> TtspCase {
        TtspCase { scenario: self.name.clone(), about: self.about.clone(), port, result, reason }
    }

    fn outcome(&self, port: KernelPort, outcome: Result<(), String>) -> TtspCase {
        match outcome {
            Ok(()) => self.case(port, Outcome::Passed, String::new()),
            Err(error) => self.case(port, Outcome::Failed, error),
        }
    }
}

/// Plays it on the kernel in this process.
pub fn play_hosted(scenario: &Scenario) -> TtspCase {
    match &scenario.plan {
        Ok(plan) => scenario.outcome(KernelPort::Hosted, play(plan.clone())),
        Err((result, reason)) => scenario.case(KernelPort::Hosted, *result, reason.clone()),
    }
}
