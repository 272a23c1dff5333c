//! What `robot.yaml` declares of topics, built into an image (NRT-12).

use tokkyu_callbacks::port::{Declaration, LINKS, Topic, declared_limits};
use tokkyu_contract::{Class, pattern};

/// A flow, as far as nodes go by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// A topic's global name without the slash at its front, or a pattern of such names.
    pub name: &'static str,
    /// How much its messages matter.
    pub class: Class,
    /// Reliable, and all samples are kept: none is lost.
    pub is_reliable: bool,
    /// How many samples are kept; nothing: all.
    pub depth: Option<u32>,
    /// Whether who comes later gets the last one.
    pub is_latched: bool,
    /// Bytes of its largest message; 0: not declared.
    pub bytes: usize,
}

/// The flows of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flows {
    /// In the order of `robot.yaml`.
    pub(crate) flows: &'static [Flow],
    /// How many samples are all.
    pub(crate) all: u32,
}

impl Flows {
    fn flow_of(&self, topic: &str) -> Option<&'static Flow> {
        let of_pattern = |flow: &&Flow| pattern::is_pattern(flow.name) && pattern::matches(flow.name, topic);
        self.flows.iter().find(|flow| flow.name == topic).or_else(|| self.flows.iter().find(of_pattern))
    }
}

impl Declaration for Flows {
    fn topic(&self, name: &str) -> Option<Topic> {
        let Flow { class, is_reliable, depth, is_latched, bytes, .. } = *self.flow_of(name)?;
        let limits = declared_limits(Some(depth.unwrap_or(self.all)), is_latched, LINKS);
        Some(Topic { class, is_reliable, limits, bytes })
    }
}
