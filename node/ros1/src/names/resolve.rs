//! From the name in the code to the one in the graph.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{NameError, NameProblem, Remappings};

/// Checks a name of a topic, service or parameter. The empty one is valid: it is the namespace.
///
/// # Errors
/// What is wrong with it.
pub fn validate(name: &str) -> Result<(), NameError> {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) if !first.is_ascii_alphabetic() && first != '/' && first != '~' => {
            return Err(NameProblem::First.of(name));
        }
        _ => {}
    }
    match chars.find(|&c| !c.is_ascii_alphanumeric() && c != '_' && c != '/') {
        Some(c) => Err(NameProblem::Character(c).of(name)),
        None => Ok(()),
    }
}

/// Checks a node's own name.
///
/// # Errors
/// What is wrong with it.
pub fn validate_node(name: &str) -> Result<(), NameError> {
    validate(name)?;
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains('/');
    if plain { Ok(()) } else { Err(NameProblem::Node.of(name)) }
}

/// The global name of `name` for the node `node` (its own name) in `namespace`, not renamed.
///
/// Slashes that follow each other are one, and none is at the end but that of `/` itself.
///
/// # Errors
/// One of the three is not valid.
pub fn resolve(namespace: &str, node: &str, name: &str) -> Result<String, NameError> {
    validate_node(node)?;
    validate(name)?;
    let namespace = global(namespace)?;
    Ok(match name.strip_prefix('~') {
        Some(private) => clean(&format!("{namespace}/{node}/{private}")),
        None if name.starts_with('/') => clean(name),
        None => clean(&format!("{namespace}/{name}")),
    })
}

/// A namespace from `/`, whether it was written so or not.
fn global(namespace: &str) -> Result<String, NameError> {
    validate(namespace)?;
    if namespace.starts_with('~') {
        return Err(NameProblem::Namespace.of(namespace));
    }
    Ok(clean(namespace))
}

fn clean(name: &str) -> String {
    let mut clean = String::with_capacity(name.len() + 1);
    for part in name.split('/').filter(|part| !part.is_empty()) {
        clean.push('/');
        clean.push_str(part);
    }
    if clean.is_empty() { "/".to_owned() } else { clean }
}

/// A node's own name that nobody else has: `PREFIX_RANDOMNESS`. A name given by `__name` takes its place.
///
/// # Errors
/// The prefix is no node's own name.
pub fn anonymous(prefix: &str, randomness: u64) -> Result<String, NameError> {
    validate_node(prefix)?;
    Ok(format!("{prefix}_{randomness}"))
}

/// What a node makes of names.
#[derive(Clone, Debug)]
pub struct Names {
    namespace: String,
    own: String,
    global: String,
    /// Both global.
    renamed: Vec<(String, String)>,
}

impl Names {
    /// For the node `node` in `namespace` (`ROS_NAMESPACE`, else `/`), unless `__name` and `__ns` say something else.
    ///
    /// # Errors
    /// A name that is not valid, and which.
    pub fn new(node: &str, namespace: &str, remappings: &Remappings) -> Result<Names, NameError> {
        let node = remappings.name().unwrap_or(node);
        let namespace = global(remappings.namespace().unwrap_or(namespace))?;
        let resolved = |name: &str| resolve(&namespace, node, name);
        let global = resolved(node)?;
        let both = |(from, to)| Ok((resolved(from)?, resolved(to)?));
        let renamed = remappings.renamed().map(both).collect::<Result<_, _>>()?;
        Ok(Names { own: node.to_owned(), global, renamed, namespace })
    }

    /// The node's global name.
    pub fn node(&self) -> &str {
        &self.global
    }

    /// Where its relative names are.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The global name of `name`, renamed. Of arguments that rename the same the last counts.
    ///
    /// # Errors
    /// It is not valid.
    pub fn resolve(&self, name: &str) -> Result<String, NameError> {
        let name = resolve(&self.namespace, &self.own, name)?;
        let renamed = self.renamed.iter().rev().find(|(from, _)| *from == name);
        Ok(renamed.map_or(name, |(_, to)| to.clone()))
    }
}
