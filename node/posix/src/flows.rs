//! What `robot.yaml` declares of nodes' topics.

use std::path::Path;

use tokkyu_callbacks::port::{Declaration, Topic};
use tokkyu_contract::yaml::robot::{self, Robot};

use super::memory;

/// The flows of a robot.
#[derive(Clone, Debug)]
pub struct Flows(Robot);

impl Flows {
    /// Reads the file that declares them.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for people: one line each.
    pub fn load(path: impl AsRef<Path>) -> Result<Flows, String> {
        robot::load(path.as_ref()).map(Flows).map_err(|errors| errors.to_string())
    }
}

/// As the program has read them: it and its node go by the same, whoever writes to the file meanwhile.
impl From<Robot> for Flows {
    fn from(robot: Robot) -> Flows {
        Flows(robot)
    }
}

impl Declaration for Flows {
    fn topic(&self, name: &str) -> Option<Topic> {
        let flow = self.0.flow_of(name)?;
        let is_reliable = flow.qos.is_lossless();
        let bytes = flow.size.map_or(0, |size| usize::try_from(size.0).unwrap_or(0));
        Some(Topic { class: flow.class, is_reliable, limits: memory::limits(flow, memory::LINKS), bytes })
    }
}
