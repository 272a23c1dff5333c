//! The topics, open. ROS2-42, ROS2-43.

use std::sync::Arc;
use std::time::Duration;

use tokkyu_bridge::motors::{Diagnosis, Subscribers, Topics, Untold};
use tokkyu_contract::motion::Wanted;
use tokkyu_contract::yaml::output::{DIAGNOSTICS, Output};
use tokkyu_contract::{Durability, History, Qos, Reliability, WallTime};

use super::error::MotorsError;
use super::messages;
use super::speed::SpeedReader;
use crate::bridge::{place, wall_now};
use crate::dds::{Participant, Writer};
use crate::endpoint::Representation;
use crate::names::{dds_topic, dds_type};

/// The topics as long as they are open.
pub struct Motors {
    command: Writer,
    /// Of a command with a header.
    frame: Option<String>,
    state: Writer,
    diagnostics: Writer,
    _speed: Option<SpeedReader>,
}

/// A command is said anew each 50 ms at least, and one that waited for so long is not what the gate says: twice the default
/// deadline of the driver's.
const COMMAND_WORTH: Duration = Duration::from_millis(200);

/// The command's.
fn command_qos() -> Qos {
    Qos { lifespan: Some(COMMAND_WORTH), ..newest() }
}

/// A subscriber with ROS 2's default QoS is served, and nobody gets what is not the newest.
fn newest() -> Qos {
    let (reliability, durability) = (Reliability::Reliable, Durability::Volatile);
    Qos { reliability, durability, history: History::KeepLast { depth: 1 }, ..Qos::default() }
}

impl Motors {
    /// Opens the topics of `output` in `domain`, for the nodes of this host alone; `on_speed` gets each speed as it comes. DDS's
    /// own threads have `fifo_priority`, where the system grants it: the commands' thread may wait for a lock of theirs.
    ///
    /// # Errors
    /// DDS cannot be joined. For that no other thread may open a UDP socket meanwhile.
    pub fn open(
        output: &Output,
        domain: u32,
        fifo_priority: Option<u8>,
        on_speed: impl Fn(f32) + Send + 'static,
    ) -> Result<Motors, MotorsError> {
        let participant = Arc::new(Participant::join(&place::find(domain, &[])?, b"", fifo_priority)?);
        let writer = |topic: &str, type_name: &str, qos: &Qos| {
            let (topic, type_name) = (dds_topic(topic), dds_type(type_name).unwrap_or_default());
            Writer::that_never_waits(&participant, &topic, &type_name, qos, Representation::Xcdr1)
        };
        let speed = output.speed.as_ref();
        let speed = speed.map(|speed| SpeedReader::start(&participant, speed, on_speed)).transpose()?;
        Ok(Motors {
            command: writer(&output.topic, output.type_name(), &command_qos())?,
            frame: output.frame.clone(),
            state: writer(&output.gate_topic(), "std_msgs/msg/String", &newest())?,
            diagnostics: writer(DIAGNOSTICS, "diagnostic_msgs/msg/DiagnosticArray", &newest())?,
            _speed: speed,
        })
    }
}

fn write(writer: &Writer, sample: &[u8]) -> Result<(), Untold> {
    writer.write(sample, wall_now()).map_err(|error| Untold(error.to_string()))
}

impl Topics for Motors {
    fn command(&self, wanted: &Wanted) -> Result<(), Untold> {
        write(&self.command, &messages::command(wanted, wall_now(), self.frame.as_deref()))
    }

    fn state(&self, word: &str) -> Result<(), Untold> {
        write(&self.state, &messages::string(word))
    }

    fn diagnosis(&self, at: WallTime, diagnosis: &Diagnosis) -> Result<(), Untold> {
        write(&self.diagnostics, &messages::diagnostics(at, diagnosis))
    }

    fn subscribers(&self) -> Option<Subscribers> {
        self.command.readers().map(|(now, came)| Subscribers { now, came })
    }
}
