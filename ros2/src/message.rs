//! What the two bridges tell each other: ROS2-33, ROS2-34.
//!
//! Pure. What is parsed comes from outside: it is bounded before it is looked at, and nothing panics.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

use tokkyu_bridge::frame;
use tokkyu_bridge::names::{link_topic, of_link_topic};
use tokkyu_contract::qos::Liveliness;
use tokkyu_contract::{Durability, History, Qos, Reliability};

use crate::endpoint::Representation;
use crate::names;

pub use tokkyu_bridge::frame::{ENTRIES_MAX, MESSAGE_MAX_BYTES, MessageError};
pub use tokkyu_bridge::names::CARRIED_MAX_BYTES;

/// Version of the messages.
pub const VERSION: u32 = 1;
/// Longest USER_DATA of a topic.
pub const USER_DATA_MAX_BYTES: usize = 256;

/// All that one bridge has to say, whole in each message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Names the running bridge: another number is another one.
    pub instance: u64,
    /// Counts its messages from 1.
    pub number: u64,
    /// Topics it is the source of.
    pub topics: Vec<Topic>,
    /// The link's topics of the other that have a reader at its side.
    pub wanted: BTreeSet<String>,
}

/// What a message has no room for: USER_DATA of all topics, and so many topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Topics that are not told of.
    pub topics: usize,
}

/// A topic as its source tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its name without leading slash and namespace.
    pub name: String,
    /// Its type, `pkg/msg/Type`.
    pub type_name: String,
    /// Its QoS on both sides.
    pub qos: Qos,
    /// How its samples are laid out.
    pub representation: Representation,
    /// USER_DATA of its writer: newer ROS 2 has the type's hash there.
    pub user_data: Vec<u8>,
    /// The link's topic is this one's name and generation: another one after type or QoS have changed.
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
    topics: Vec<JsonTopic>,
    wanted: BTreeSet<String>,
}

#[derive(Serialize, Deserialize)]
struct JsonTopic {
    name: String,
    #[serde(rename = "type")]
    type_name: String,
    qos: JsonQos,
    /// Absent for xcdr1, which ROS 2 writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    representation: Option<JsonRepresentation>,
    #[serde(default)]
    user_data: String,
    #[serde(default)]
    generation: u32,
}

#[derive(Serialize, Deserialize)]
struct JsonQos {
    reliability: JsonReliability,
    durability: JsonDurability,
    /// Absent for keep_all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lifespan_ns: Option<u64>,
    liveliness: JsonLiveliness,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    liveliness_lease_ns: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JsonRepresentation {
    Xcdr1,
    Xcdr2,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JsonReliability {
    Reliable,
    BestEffort,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JsonDurability {
    Volatile,
    TransientLocal,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JsonLiveliness {
    Automatic,
    ManualByTopic,
}

impl Message {
    /// The message as bytes.
    pub fn write(&self) -> Vec<u8> {
        let json = JsonMessage {
            version: VERSION,
            instance: frame::digits_of(self.instance),
            number: self.number,
            topics: self.topics.iter().map(JsonTopic::from).collect(),
            wanted: self.wanted.clone(),
        };
        serde_json::to_vec(&json).expect("strings and numbers are always JSON")
    }

    /// Makes it fit: leaves out what the other end can do without, then the last topics. Says what, if anything.
    pub fn fit(&mut self) -> Option<LeftOut> {
        if self.write().len() <= MESSAGE_MAX_BYTES {
            return None;
        }
        self.topics.iter_mut().for_each(|topic| topic.user_data.clear());
        let over = self.write().len().saturating_sub(MESSAGE_MAX_BYTES);
        let topics = frame::leave_out_last(&mut self.topics, over, |topic| JsonTopic::from(topic));
        Some(LeftOut { topics })
    }

    /// Reads a message.
    ///
    /// # Errors
    /// It is too long, of another version, or not as ROS2-34 says.
    pub fn parse(bytes: &[u8]) -> Result<Message, MessageError> {
        frame::read(bytes, VERSION, Message::checked)
    }

    fn checked(json: JsonMessage) -> Result<Message, &'static str> {
        frame::check_entries(json.topics.len(), json.wanted.len())?;
        let instance = frame::instance_of(&json.instance)?;
        let is_wish = |text: &String| of_link_topic(text).is_some_and(|(name, _)| names::is_topic(name));
        if !json.wanted.iter().all(is_wish) {
            return Err("a wanted topic's name is none");
        }
        let topics = json.topics.into_iter().map(Topic::checked).collect::<Result<Vec<Topic>, _>>()?;
        frame::check_distinct(topics.iter().map(|topic| topic.name.as_str()))?;
        Ok(Message { instance, number: json.number, topics, wanted: json.wanted })
    }
}

impl From<&Topic> for JsonTopic {
    fn from(topic: &Topic) -> JsonTopic {
        let user_data: String = topic.user_data.iter().map(|byte| format!("{byte:02x}")).collect();
        JsonTopic {
            name: topic.name.clone(),
            type_name: topic.type_name.clone(),
            qos: JsonQos::from(&topic.qos),
            representation: match topic.representation {
                Representation::Xcdr1 => None,
                Representation::Xcdr2 => Some(JsonRepresentation::Xcdr2),
            },
            user_data,
            generation: topic.generation,
        }
    }
}

impl Topic {
    fn checked(json: JsonTopic) -> Result<Topic, &'static str> {
        if !names::is_topic(&json.name) {
            return Err("a topic's name is none");
        }
        if names::dds_type(&json.type_name).is_none() {
            return Err("a topic's type is none");
        }
        let qos = json.qos.checked();
        if qos.contradiction().is_some() {
            return Err("a topic's QoS contradicts itself");
        }
        let user_data = hex(&json.user_data).ok_or("user_data is no hex, or longer than 256 bytes")?;
        let representation = match json.representation {
            None | Some(JsonRepresentation::Xcdr1) => Representation::Xcdr1,
            Some(JsonRepresentation::Xcdr2) => Representation::Xcdr2,
        };
        let JsonTopic { name, type_name, generation, .. } = json;
        Ok(Topic { name, type_name, qos, representation, user_data, generation })
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    if text.len() > 2 * USER_DATA_MAX_BYTES || text.len() % 2 == 1 || !text.is_ascii() {
        return None;
    }
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).ok();
    (0..text.len()).step_by(2).map(byte).collect()
}

impl From<&Qos> for JsonQos {
    fn from(qos: &Qos) -> JsonQos {
        let nanoseconds =
            |span: Option<Duration>| span.map(|span| u64::try_from(span.as_nanos()).unwrap_or(u64::MAX));
        JsonQos {
            reliability: match qos.reliability {
                Reliability::Reliable => JsonReliability::Reliable,
                Reliability::BestEffort => JsonReliability::BestEffort,
            },
            durability: match qos.durability {
                Durability::Volatile => JsonDurability::Volatile,
                Durability::TransientLocal => JsonDurability::TransientLocal,
            },
            depth: qos.depth(),
            deadline_ns: nanoseconds(qos.deadline),
            lifespan_ns: nanoseconds(qos.lifespan),
            liveliness: match qos.liveliness {
                Liveliness::Automatic => JsonLiveliness::Automatic,
                Liveliness::ManualByTopic => JsonLiveliness::ManualByTopic,
            },
            liveliness_lease_ns: nanoseconds(qos.liveliness_lease),
        }
    }
}

impl JsonQos {
    fn checked(&self) -> Qos {
        let span = |nanoseconds: Option<u64>| nanoseconds.map(Duration::from_nanos);
        Qos {
            reliability: match self.reliability {
                JsonReliability::Reliable => Reliability::Reliable,
                JsonReliability::BestEffort => Reliability::BestEffort,
            },
            durability: match self.durability {
                JsonDurability::Volatile => Durability::Volatile,
                JsonDurability::TransientLocal => Durability::TransientLocal,
            },
            history: self.depth.map_or(History::KeepAll, |depth| History::KeepLast { depth }),
            deadline: span(self.deadline_ns),
            lifespan: span(self.lifespan_ns),
            liveliness: match self.liveliness {
                JsonLiveliness::Automatic => Liveliness::Automatic,
                JsonLiveliness::ManualByTopic => Liveliness::ManualByTopic,
            },
            liveliness_lease: span(self.liveliness_lease_ns),
        }
    }
}

#[cfg(test)]
mod tests;
