//! Parameters that the node watches: the master tells of each change of one, and of what is below it (NODE-100).

use alloc::string::String;
use alloc::vec::Vec;

use tokkyu_ros1::xmlrpc::Value;

use super::Engine;
use crate::host::Host;
use crate::net::Net;
use crate::param::Param;

impl<N: Net, H: Host> Engine<N, H> {
    /// The master is asked for the value, and for each change from now on; also again, of one whose value the program has no longer.
    pub(crate) fn watch(&mut self, key: String) {
        self.watched.entry(key).or_default().is_known = false;
    }

    /// The master's answer. `updates`: how many had come when it was asked; what has come since is newer.
    pub(crate) fn on_watched(&mut self, key: &str, value: Option<Value<'_>>, updates: u32) {
        let Some(watched) = self.watched.get_mut(key) else { return };
        watched.is_known = true;
        if let Some(value) = value.filter(|_| watched.updates == updates) {
            self.host.on_param(key, Param::from_value(value));
        }
    }

    /// Somebody, the master or a stranger, says that a parameter has another value. What nobody watches is not kept: anybody may say it, of any number
    /// of names. As roscpp does it, a watched namespace is not what it was when something in it is not.
    pub(crate) fn on_param_changed(&mut self, key: &str, value: Option<Value<'_>>) {
        let Some(key) = clean(key) else { return };
        if let Some(watched) = self.watched.get_mut(&key) {
            watched.updates = watched.updates.wrapping_add(1);
            self.host.on_param(&key, value.map_or(Param::Nil, Param::from_value));
        }
        for above in namespaces(&key) {
            if let Some(watched) = self.watched.get_mut(above) {
                watched.updates = watched.updates.wrapping_add(1);
                self.host.on_param_stale(above);
            }
        }
    }
}

/// Without slashes that mean nothing: the master puts one behind. Nothing: it is no global name.
fn clean(key: &str) -> Option<String> {
    let parts: Vec<&str> = key.strip_prefix('/')?.split('/').filter(|part| !part.is_empty()).collect();
    Some(alloc::format!("/{}", parts.join("/")))
}

/// The namespaces that a clean name is in, the next one first.
fn namespaces(key: &str) -> impl Iterator<Item = &str> {
    core::iter::successors(Some(key), |key| {
        let at = key.rfind('/').filter(|_| key.len() > 1)?;
        Some(&key[..at.max(1)])
    })
    .skip(1)
}
