//! `robot.yaml`: what the robot's engineer intends, one flow after the other (CON-1).

use std::path::Path;

use super::error::{Errors, Log};
use super::fields::{Field, Fields};
use super::tree::{self, Kind, Node, join};
use super::vehicle::{self, Vehicle};
use super::{file, flow, name};
use crate::pattern;
use crate::trace::FlowId;

pub use super::camera::{Encoding, Source};
pub use super::flow::{Flow, Matching, Toward};
pub use super::qos::GivenQos;

/// A robot's flows, as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Robot {
    /// Name of the robot, at most 64 characters that can stand in a file name.
    pub name: String,
    /// The flows in the order of the file; `flows[i].id` is `i + 1`.
    pub flows: Vec<Flow>,
    /// What it can do as a vehicle, and how it is stopped.
    pub vehicle: Vehicle,
}

impl Robot {
    /// The flow called `name`, such as `camera/front`.
    pub fn flow(&self, name: &str) -> Option<&Flow> {
        self.flows.iter().find(|flow| flow.name == name)
    }

    /// The flow that `topic` belongs to: the one of that name, else the first whose pattern it matches (CON-9).
    pub fn flow_of(&self, topic: &str) -> Option<&Flow> {
        let of_pattern = |flow: &&Flow| flow.is_pattern() && pattern::matches(&flow.name, topic);
        self.flow(topic).or_else(|| self.flows.iter().find(of_pattern))
    }

    /// Paths are relative to the file they stand in (CON-16).
    fn based_at(mut self, folder: &Path) -> Robot {
        for flow in &mut self.flows {
            flow.source = flow.source.take().map(|source| source.based_at(folder));
        }
        self
    }
}

/// Reads the text of a `robot.yaml`. `file_name` stands in the errors. Paths are kept as written.
///
/// # Errors
///
/// Everything that is wrong with the text, up to [`super::MAX_ERRORS`].
pub fn parse(file_name: &str, text: &str) -> Result<Robot, Errors> {
    let mut log = Log::new(file_name, text);
    let robot = tree::read(text, &mut log).and_then(|root| read(&root, &mut log));
    log.finish(robot)
}

/// Reads the `robot.yaml` at `path`. Relative paths in it count from its folder.
///
/// # Errors
///
/// The file cannot be read, or as [`parse`].
pub fn load(path: &Path) -> Result<Robot, Errors> {
    let robot = parse(&path.display().to_string(), &file::read(path)?)?;
    Ok(robot.based_at(path.parent().unwrap_or(Path::new(""))))
}

fn read(root: &Node, log: &mut Log<'_>) -> Option<Robot> {
    if matches!(root.kind, Kind::Nothing) {
        log.report(root.at, "", "the file is empty", "add robot: and flows:");
        return None;
    }
    let fields = Field::root(root).fields(log, &["robot", "flows", "vehicle"])?;
    let name = robot_name(&fields, log);
    let flows = fields.required(log, "flows", "add flows:, one line for each flow");
    let flows = flows.and_then(|field| read_flows(&field, log));
    let known = flows.as_deref().unwrap_or_default();
    let vehicle = fields.get("vehicle").map(|field| vehicle::read(&field, known, log)).unwrap_or_default();
    Some(Robot { name: name?, flows: flows?, vehicle })
}

fn robot_name(fields: &Fields<'_>, log: &mut Log<'_>) -> Option<String> {
    let field = fields.required(log, "robot", "add robot: and a name")?;
    let text = field.text(log, "the robot's name")?;
    if let Err((what, remedy)) = name::check_label(text) {
        field.wrong(log, what, remedy);
    }
    Some(text.to_owned())
}

fn read_flows(field: &Field<'_>, log: &mut Log<'_>) -> Option<Vec<Flow>> {
    let entries = field.entries(log)?;
    if entries.is_empty() {
        field.wrong(log, "there are no flows", "add one line for each flow");
    }
    let mut flows = Vec::new();
    for (position, entry) in entries.iter().enumerate() {
        if log.is_full() {
            break;
        }
        let path = join(&field.path, &entry.key);
        let Ok(id) = u16::try_from(position + 1) else {
            log.report(entry.key_at, &path, format!("more than {} flows", u16::MAX), "remove some");
            break;
        };
        if let Err((what, remedy)) = name::check_flow(&entry.key) {
            log.report(entry.key_at, &path, what, remedy);
        }
        let field = Field { node: &entry.value, key_at: entry.key_at, path };
        flows.extend(flow::read(FlowId(id), &entry.key, &field, log));
    }
    Some(flows)
}
