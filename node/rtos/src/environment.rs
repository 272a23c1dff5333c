//! What the system says of itself.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_callbacks::port::{Clock, Declaration, Environment, Lend};
use tokkyu_callbacks::{Level, Profile};

use crate::flows::Flows;
use crate::system::{Rtos, System};

impl<S: System> Environment for Rtos<S> {
    fn variable(&self, name: &str) -> Option<String> {
        self.0.variable(name)
    }

    fn arguments(&self) -> Vec<String> {
        self.0.arguments()
    }

    /// What the variable `PID` says: of the program that stands for the board, so that who is told finds it. Else 1, as there is one program.
    fn process_number(&self) -> i32 {
        self.0.variable("PID").and_then(|number| number.parse().ok()).unwrap_or(1)
    }

    fn unlikely_number(&self) -> u64 {
        self.wall_now().as_nanos()
    }

    fn profile(&self) -> Profile {
        self.0.profile()
    }

    fn declaration(&self) -> Result<Option<Arc<dyn Declaration>>, String> {
        let flows = Flows { flows: self.0.flows(), all: self.0.profile().depth };
        Ok(if flows.flows.is_empty() { None } else { Some(Arc::new(flows)) })
    }

    fn watched_topic(&self, name: &str) -> u32 {
        self.0.watched_topic(name)
    }

    fn publishes(&self, topic: u32, has_ended: bool) {
        self.0.publishes(topic, has_ended);
    }

    fn print(&self, _level: Level, line: &str) {
        self.0.print(line);
    }

    /// Nobody ends the program but the machine.
    fn on_interrupt(&self, _end: Box<dyn Fn() + Send>) -> Result<(), String> {
        Ok(())
    }
}

impl<S: System> Lend for Rtos<S> {}
