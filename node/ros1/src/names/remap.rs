//! What a node is started with: arguments that rename, name, or set.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{NameError, NameProblem, validate, validate_node};

/// Between both sides of such an argument.
const BECOMES: &str = ":=";

/// What the arguments of a node say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remappings {
    renamed: Vec<(String, String)>,
    parameters: Vec<(String, String)>,
    name: Option<String>,
    namespace: Option<String>,
    log: Option<String>,
    ip: Option<String>,
    hostname: Option<String>,
    master: Option<String>,
}

/// Both sides of an argument that is one: something that could be a name, or a name after `_` or `__`, is before the first `:=`.
fn sides(argument: &str) -> Option<(&str, &str)> {
    let (from, to) = argument.split_once(BECOMES)?;
    let begins = from.starts_with(|c: char| c.is_ascii_alphabetic() || "/~_".contains(c));
    let goes_on = from.chars().skip(1).all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '/');
    (begins && goes_on).then_some((from, to))
}

/// Whether an argument is for [`Remappings`]; the others are the program's own.
pub fn is_remapping(argument: &str) -> bool {
    sides(argument).is_some()
}

impl Remappings {
    /// Reads arguments, in any order; others than these are passed over, and so is `__X` that ROS 1 does not have. Of two that say something
    /// of the same the later one counts.
    ///
    /// # Errors
    /// One that names something that is not valid, and which.
    pub fn parse<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<Remappings, NameError> {
        let mut remappings = Remappings::default();
        for argument in arguments {
            if let Some((from, to)) = sides(argument) {
                remappings.add(argument, from, to)?;
            }
        }
        Ok(remappings)
    }

    fn add(&mut self, argument: &str, from: &str, to: &str) -> Result<(), NameError> {
        if from.starts_with("__") {
            return self.special(from, to);
        }
        if let Some(parameter) = from.strip_prefix('_') {
            if parameter.is_empty() {
                return Err(NameProblem::NoParameter.of(argument));
            }
            validate(&format!("~{parameter}"))?;
            self.parameters.push((parameter.to_owned(), to.to_owned()));
            return Ok(());
        }
        if to.is_empty() {
            return Err(NameProblem::NoTarget.of(argument));
        }
        validate(from)?;
        validate(to)?;
        self.renamed.push((from.to_owned(), to.to_owned()));
        Ok(())
    }

    fn special(&mut self, from: &str, to: &str) -> Result<(), NameError> {
        let place = match from {
            "__name" => {
                validate_node(to)?;
                &mut self.name
            }
            "__ns" => {
                validate(to)?;
                &mut self.namespace
            }
            "__log" => &mut self.log,
            "__ip" => &mut self.ip,
            "__hostname" => &mut self.hostname,
            "__master" => &mut self.master,
            _ => return Ok(()),
        };
        *place = Some(to.to_owned());
        Ok(())
    }

    /// What is renamed: from, to; in the order of the arguments, not resolved.
    pub fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        pairs(&self.renamed)
    }

    /// Private parameters: the name without `_`, to be resolved as `~NAME`, and the value's text, in the order of the arguments.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        pairs(&self.parameters)
    }

    /// `__name`: the node's own name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// `__ns`: the node's namespace.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// `__log`: the file that it logs to.
    pub fn log(&self) -> Option<&str> {
        self.log.as_deref()
    }

    /// `__ip`: in place of `ROS_IP`.
    pub fn ip(&self) -> Option<&str> {
        self.ip.as_deref()
    }

    /// `__hostname`: in place of `ROS_HOSTNAME`.
    pub fn hostname(&self) -> Option<&str> {
        self.hostname.as_deref()
    }

    /// `__master`: in place of `ROS_MASTER_URI`.
    pub fn master(&self) -> Option<&str> {
        self.master.as_deref()
    }
}

fn pairs(of: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    of.iter().map(|(first, second)| (&first[..], &second[..]))
}
