//! What the two bridges tell each other: NODE-94.
//!
//! Pure. What is parsed comes from outside: it is bounded before it is looked at, and nothing panics.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tokkyu_bridge::frame;
use tokkyu_bridge::names::{link_topic, of_link_topic};

use crate::names;

pub use tokkyu_bridge::frame::{ENTRIES_MAX, MESSAGE_MAX_BYTES, MessageError};
pub use tokkyu_bridge::names::CARRIED_MAX_BYTES;

/// Version of the messages.
pub const VERSION: u32 = 1;
/// Longest text of a type: a connection header has no room for more (NODE-44).
pub const DEFINITION_MAX_BYTES: usize = 64 << 10;

/// All that one bridge has to say, whole in each message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Names the running bridge: another number is another one.
    pub instance: u64,
    /// Counts its messages from 1.
    pub number: u64,
    /// Its node's name.
    pub node: String,
    /// Topics it is the source of.
    pub topics: Vec<Topic>,
    /// The link's topics of the other that have a subscriber at its side.
    pub wanted: BTreeSet<String>,
}

/// What a message has no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Topics whose type's text is left out.
    pub definitions: usize,
    /// Topics that are not told of.
    pub topics: usize,
}

/// A topic as its source tells of it: what its first publisher's connection header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its name without leading slash and namespace.
    pub name: String,
    /// Its type, `pkg/Type`.
    pub type_name: String,
    /// The type's md5sum.
    pub md5sum: String,
    /// The type's whole text; empty if there was no room for it.
    pub definition: String,
    /// Whether its publisher keeps the last message for who subscribes later.
    pub is_latched: bool,
    /// Each life of a topic has another one.
    pub generation: u32,
}

impl Topic {
    /// Name of the link's topic that carries it.
    pub fn link_topic(&self) -> String {
        link_topic(&self.name, self.generation)
    }
}

#[derive(Serialize, Deserialize)]
struct JsonMessage {
    version: u32,
    instance: String,
    number: u64,
    node: String,
    topics: Vec<JsonTopic>,
    wanted: BTreeSet<String>,
}

#[derive(Serialize, Deserialize)]
struct JsonTopic {
    name: String,
    #[serde(rename = "type")]
    type_name: String,
    md5sum: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    message_definition: String,
    latching: bool,
    generation: u32,
}

impl Message {
    /// The message as bytes.
    pub fn write(&self) -> Vec<u8> {
        let json = JsonMessage {
            version: VERSION,
            instance: frame::digits_of(self.instance),
            number: self.number,
            node: self.node.clone(),
            topics: self.topics.iter().map(JsonTopic::from).collect(),
            wanted: self.wanted.clone(),
        };
        serde_json::to_vec(&json).expect("strings and numbers are always JSON")
    }

    /// Makes it fit: leaves out the texts of types, the longest first, then the last topics. Says what, if anything.
    pub fn fit(&mut self) -> Option<LeftOut> {
        let mut over = self.write().len().saturating_sub(MESSAGE_MAX_BYTES);
        if over == 0 {
            return None;
        }
        let mut left = LeftOut { definitions: 0, topics: 0 };
        let mut texts: Vec<&mut String> = self
            .topics
            .iter_mut()
            .map(|topic| &mut topic.definition)
            .filter(|text| !text.is_empty())
            .collect();
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        for text in texts {
            if over == 0 {
                break;
            }
            over = over.saturating_sub(frame::json_len(text));
            text.clear();
            left.definitions += 1;
        }
        left.topics = frame::leave_out_last(&mut self.topics, over, |topic| JsonTopic::from(topic));
        Some(left)
    }

    /// Reads a message.
    ///
    /// # Errors
    /// It is too long, of another version, or not as NODE-94 says.
    pub fn parse(bytes: &[u8]) -> Result<Message, MessageError> {
        frame::read(bytes, VERSION, Message::checked)
    }

    fn checked(json: JsonMessage) -> Result<Message, &'static str> {
        frame::check_entries(json.topics.len(), json.wanted.len())?;
        let instance = frame::instance_of(&json.instance)?;
        if !names::is_node(&json.node) {
            return Err("node is no node's name");
        }
        let is_wish = |text: &String| {
            of_link_topic(text).is_some_and(|(name, generation)| generation > 0 && names::is_topic(name))
        };
        if !json.wanted.iter().all(is_wish) {
            return Err("a wanted topic's name is none");
        }
        let topics = json.topics.into_iter().map(Topic::checked).collect::<Result<Vec<Topic>, _>>()?;
        frame::check_distinct(topics.iter().map(|topic| topic.name.as_str()))?;
        Ok(Message { instance, number: json.number, node: json.node, topics, wanted: json.wanted })
    }
}

impl From<&Topic> for JsonTopic {
    fn from(topic: &Topic) -> JsonTopic {
        JsonTopic {
            name: topic.name.clone(),
            type_name: topic.type_name.clone(),
            md5sum: topic.md5sum.clone(),
            message_definition: topic.definition.clone(),
            latching: topic.is_latched,
            generation: topic.generation,
        }
    }
}

impl Topic {
    fn checked(json: JsonTopic) -> Result<Topic, &'static str> {
        if !names::is_topic(&json.name) || json.name.len() > CARRIED_MAX_BYTES {
            return Err("a topic's name is none");
        }
        if names::ros1_type(&json.type_name).as_ref() != Some(&json.type_name) {
            return Err("a topic's type is none");
        }
        if !names::is_md5sum(&json.md5sum) {
            return Err("a topic's md5sum is none");
        }
        if json.message_definition.len() > DEFINITION_MAX_BYTES {
            return Err("a type's text is longer than a connection header");
        }
        if json.generation == 0 {
            return Err("a topic's generation is 0");
        }
        Ok(Topic {
            name: json.name,
            type_name: json.type_name,
            md5sum: json.md5sum,
            definition: json.message_definition,
            is_latched: json.latching,
            generation: json.generation,
        })
    }
}

#[cfg(test)]
mod tests;
