//! What nodes are still to be told: to each one thing after the other (NODE-123).

use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;

use tokkyu_graph::Param;
use tokkyu_ros1::xmlrpc::{WriteError, Writer};

/// Who speaks to nodes.
const MASTER: &str = "/master";

/// Something that a node is to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The node's own XML-RPC.
    pub uri: String,
    /// A call of it.
    pub body: String,
    /// Of what waits for a node, this takes the place of the same about the same.
    about: (&'static str, String),
}

impl Told {
    fn new(
        uri: &str,
        method: &'static str,
        about: &str,
        write: impl FnOnce(&mut tokkyu_ros1::xmlrpc::Values<'_, String>) -> Result<(), WriteError>,
    ) -> Result<Told, WriteError> {
        let mut body = String::new();
        Writer::call(&mut body, method, |params| {
            params.string(MASTER)?;
            params.string(about)?;
            write(params)
        })?;
        Ok(Told { uri: uri.into(), body, about: (method, about.into()) })
    }

    /// Who publishes a topic now.
    pub(crate) fn publishers(uri: &str, topic: &str, publishers: &[String]) -> Result<Told, WriteError> {
        Told::new(uri, "publisherUpdate", topic, |params| {
            params.array(|out| publishers.iter().try_for_each(|publisher| out.string(publisher)))
        })
    }

    /// That another has its name now, and it is to end.
    pub(crate) fn shutdown(uri: &str, node: &str) -> Result<Told, WriteError> {
        Told::new(
            uri,
            "shutdown",
            &alloc::format!("[{node}] Reason: new node registered with same name"),
            |_| Ok(()),
        )
    }

    /// What a parameter is now.
    pub(crate) fn param(uri: &str, key: &str, value: &Param) -> Result<Told, WriteError> {
        Told::new(uri, "paramUpdate", key, |params| value.write(params))
    }
}

/// For one node.
#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<Told>,
    /// It is being told something.
    is_busy: bool,
}

/// For all nodes.
#[derive(Debug, Default)]
pub(crate) struct Lines(BTreeMap<String, Line>);

impl Lines {
    pub(crate) fn add(&mut self, told: Told) {
        let line = self.0.entry(told.uri.clone()).or_default();
        line.waiting.retain(|older| older.about != told.about);
        line.waiting.push_back(told);
    }

    /// What can be said now; whoever takes it says [`Lines::over`] once.
    pub(crate) fn next(&mut self) -> Option<Told> {
        let line = self.0.values_mut().find(|line| !line.is_busy && !line.waiting.is_empty())?;
        line.is_busy = true;
        line.waiting.pop_front()
    }

    /// It was said, or could not be.
    pub(crate) fn over(&mut self, uri: &str) {
        if let Some(line) = self.0.get_mut(uri) {
            line.is_busy = false;
        }
        self.0.retain(|_, line| line.is_busy || !line.waiting.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use super::*;

    fn of(uri: &str, topic: &str, publisher: &str) -> Told {
        Told::publishers(uri, topic, &[publisher.to_string()]).expect("it can be written")
    }

    #[test]
    fn a_node_hears_one_thing_after_the_other_and_the_last_of_each() {
        let mut lines = Lines::default();
        lines.add(of("http://a:1/", "/x", "first"));
        let first = lines.next().expect("something waits");
        assert!(first.body.contains("first"));
        for (topic, publisher) in [("/x", "second"), ("/y", "other"), ("/x", "third")] {
            lines.add(of("http://a:1/", topic, publisher));
        }
        lines.add(of("http://b:1/", "/x", "third"));
        assert_eq!(lines.next().map(|told| told.uri), Some("http://b:1/".to_string()), "the other is busy");
        assert_eq!(lines.next(), None);
        let mut heard = vec![];
        lines.over("http://a:1/");
        while let Some(told) = lines.next() {
            heard.push(told.about.1);
            lines.over("http://a:1/");
        }
        assert_eq!(heard, ["/y", "/x"]);
        lines.over("http://b:1/");
        assert!(lines.0.is_empty());
    }
}
