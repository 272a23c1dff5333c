//! Which ROS topics carry the gate's output: `vehicle.output` of a robot (CON-60 to CON-63).

use super::error::Log;
use super::fields::{Field, Fields, IN_RANGE};
use super::flow::{Flow, Toward};
use super::name;
use crate::pattern;
use crate::units::{Angle, Quantity, TurnRate};

/// Highest DDS domain whose ports exist (RTPS 2.3 §9.6.1).
const DOMAIN_MAX: u64 = 232;
/// A large machine that hardly turns to a toy that spins.
const TURN_RATES: (TurnRate, TurnRate) = (TurnRate(10), TurnRate(20_000));
/// Wheels that hardly steer to wheels across.
const ANGLES: (Angle, Angle) = (Angle(10), Angle(1_571));
/// Topics that ROS, or this output, gives another meaning.
const RESERVED: [&str; 7] =
    ["clock", DIAGNOSTICS, "parameter_events", "rosout", "rosout_agg", "tf", "tf_static"];
/// The topic of ROS's own that diagnostics go to, without the leading slash (REP 107).
pub const DIAGNOSTICS: &str = "diagnostics";
/// The frame of a command that says none: the robot's own (REP 105).
const FRAME: &str = "base_link";
/// Longest name of a frame.
const FRAME_MAX: usize = 240;
/// Topics of tokkyu's own begin so.
const OWN: &str = "tokkyu";
/// What stands behind the command's topic in the name of the state's.
const GATE: &str = "gate";

/// Topics among the robot's own ROS nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Which ROS.
    pub ros: Ros,
    /// What the vehicle is to do; without the leading slash.
    pub topic: String,
    /// In which words.
    pub motion: Motion,
    /// The frame in the header of a command that has one (CON-67); `None`: its type has none.
    pub frame: Option<String>,
    /// Where its speed is read.
    pub speed: Option<SpeedTopic>,
}

/// Which ROS a topic is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ros {
    /// ROS 1, by the master that the environment names.
    One,
    /// ROS 2.
    Two {
        /// The DDS domain; `None`: that of the environment.
        domain: Option<u32>,
    },
}

/// The message of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// `geometry_msgs/msg/Twist`: speed and yaw rate.
    Twist {
        /// Yaw rate of full steering.
        turn_rate: TurnRate,
    },
    /// `ackermann_msgs/msg/AckermannDrive`: speed, acceleration, angle of the wheels.
    Ackermann {
        /// Angle of full steering.
        steering_angle: Angle,
    },
}

/// A topic that tells the vehicle's speed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeedTopic {
    /// Without the leading slash.
    pub topic: String,
    /// What it carries.
    pub message: SpeedMessage,
}

/// A message with a speed in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeedMessage {
    /// `nav_msgs/msg/Odometry`: `twist.twist.linear.x`.
    Odometry,
    /// `geometry_msgs/msg/TwistStamped`: `twist.linear.x`.
    TwistStamped,
}

/// A message in the words of both.
#[derive(Clone, Copy)]
struct TypeName {
    /// `pkg/Type`.
    ros1: &'static str,
    /// `pkg/msg/Type`.
    ros2: &'static str,
}

const TWIST: TypeName = TypeName { ros1: "geometry_msgs/Twist", ros2: "geometry_msgs/msg/Twist" };
const ACKERMANN: TypeName =
    TypeName { ros1: "ackermann_msgs/AckermannDrive", ros2: "ackermann_msgs/msg/AckermannDrive" };
const ACKERMANN_STAMPED: TypeName = TypeName {
    ros1: "ackermann_msgs/AckermannDriveStamped",
    ros2: "ackermann_msgs/msg/AckermannDriveStamped",
};
const STRING: TypeName = TypeName { ros1: "std_msgs/String", ros2: "std_msgs/msg/String" };
const DIAGNOSTIC_ARRAY: TypeName =
    TypeName { ros1: "diagnostic_msgs/DiagnosticArray", ros2: "diagnostic_msgs/msg/DiagnosticArray" };
const ODOMETRY: TypeName = TypeName { ros1: "nav_msgs/Odometry", ros2: "nav_msgs/msg/Odometry" };
const TWIST_STAMPED: TypeName =
    TypeName { ros1: "geometry_msgs/TwistStamped", ros2: "geometry_msgs/msg/TwistStamped" };

#[derive(Clone, Copy)]
enum Kind {
    Twist,
    Ackermann,
}

/// What a command's type is, and whether it has a header.
#[derive(Clone, Copy)]
struct Type {
    kind: Kind,
    is_stamped: bool,
}

impl Output {
    /// The topic of the gate's state; without the leading slash.
    pub fn gate_topic(&self) -> String {
        format!("{}/{GATE}", self.topic)
    }

    /// All topics, as ROS writes them, with their types (CON-63).
    pub fn topics(&self) -> Vec<(Part, String, &'static str)> {
        let speed = self.speed.as_ref();
        let speed_type = |message: SpeedMessage| message.type_name(self.ros);
        let speed = speed.map(|speed| (Part::Speed, format!("/{}", speed.topic), speed_type(speed.message)));
        let published = [
            (Part::Command, format!("/{}", self.topic), self.type_name()),
            (Part::Gate, format!("/{}", self.gate_topic()), self.ros.word(STRING)),
            (Part::Diagnostics, format!("/{DIAGNOSTICS}"), self.ros.word(DIAGNOSTIC_ARRAY)),
        ];
        published.into_iter().chain(speed).collect()
    }

    /// The command's type, as its ROS writes it (CON-66).
    pub const fn type_name(&self) -> &'static str {
        self.ros.word(match (self.motion, self.frame.is_some()) {
            (Motion::Twist { .. }, false) => TWIST,
            (Motion::Twist { .. }, true) => TWIST_STAMPED,
            (Motion::Ackermann { .. }, false) => ACKERMANN,
            (Motion::Ackermann { .. }, true) => ACKERMANN_STAMPED,
        })
    }
}

/// One topic of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What the vehicle is to do.
    Command,
    /// The gate's state.
    Gate,
    /// The gate's state with figures, for ROS's tools.
    Diagnostics,
    /// The vehicle's speed, which is read.
    Speed,
}

impl Part {
    /// What it is, in a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Part::Command => "command",
            Part::Gate => "gate",
            Part::Diagnostics => "diagnostics",
            Part::Speed => "speed",
        }
    }
}

impl SpeedMessage {
    /// Its type, as that ROS writes it (CON-66).
    pub const fn type_name(self, ros: Ros) -> &'static str {
        ros.word(match self {
            SpeedMessage::Odometry => ODOMETRY,
            SpeedMessage::TwistStamped => TWIST_STAMPED,
        })
    }
}

impl Ros {
    /// A type as this ROS writes it.
    const fn word(self, name: TypeName) -> &'static str {
        match self {
            Ros::One => name.ros1,
            Ros::Two { .. } => name.ros2,
        }
    }

    /// The words for the types of commands, each with what it is.
    const fn commands(self) -> [(&'static str, Type); 4] {
        [
            (self.word(TWIST), Type { kind: Kind::Twist, is_stamped: false }),
            (self.word(TWIST_STAMPED), Type { kind: Kind::Twist, is_stamped: true }),
            (self.word(ACKERMANN), Type { kind: Kind::Ackermann, is_stamped: false }),
            (self.word(ACKERMANN_STAMPED), Type { kind: Kind::Ackermann, is_stamped: true }),
        ]
    }

    /// The same for speeds.
    const fn speeds(self) -> [(&'static str, SpeedMessage); 2] {
        [
            (self.word(ODOMETRY), SpeedMessage::Odometry),
            (self.word(TWIST_STAMPED), SpeedMessage::TwistStamped),
        ]
    }
}

/// Nothing if anything of it is wrong, which is in the log.
pub(super) fn read(field: &Field<'_>, flows: &[Flow], log: &mut Log<'_>) -> Option<Output> {
    let fields = field.fields(log, &["ros2", "ros1"])?;
    let (ros2, ros1) = (fields.get("ros2"), fields.get("ros1"));
    match (ros2, ros1) {
        (Some(field), None) => read_topics(&field, Ros::Two { domain: None }, flows, log),
        (None, Some(field)) => read_topics(&field, Ros::One, flows, log),
        (Some(_), Some(_)) => {
            fields.wrong(log, "ros1", "ros2 is given too", "keep one: motors take orders from one side");
            None
        }
        (None, None) => {
            field.wrong(log, "it goes nowhere", "add ros2: or ros1: with topic and type, or leave it out");
            None
        }
    }
}

fn read_topics(field: &Field<'_>, ros: Ros, flows: &[Flow], log: &mut Log<'_>) -> Option<Output> {
    const OF_BOTH: [&str; 6] = ["topic", "type", "frame_id", "turn_rate", "steering_angle", "speed"];
    let own: &[&str] = if ros == Ros::One { &[] } else { &["domain"] };
    let fields = field.fields(log, &[&OF_BOTH[..], own].concat())?;
    let ros = match fields.get("domain").filter(|_| ros != Ros::One) {
        Some(field) => {
            let number = field.integer(log, 0..=DOMAIN_MAX);
            Ros::Two { domain: number.and_then(|number| u32::try_from(number).ok()) }
        }
        None => ros,
    };
    let topic = fields.required(log, "topic", "add the topic of the robot's base, such as topic: /cmd_vel");
    let topic = topic.and_then(|field| read_command_topic(&field, flows, log));
    let example = format!("add what the robot's base takes, such as type: {}", ros.commands()[0].0);
    let kind = fields.required(log, "type", &example).and_then(|field| field.word(log, &ros.commands()));
    let motion = kind.and_then(|of| read_motion(&fields, of.kind, log));
    let frame = kind.and_then(|of| read_frame(&fields, of.is_stamped, log).ok());
    let speed = fields.get("speed");
    let given = speed.is_some();
    let speed = speed.and_then(|field| read_speed(&field, ros, topic.as_deref(), flows, log));
    if given && speed.is_none() {
        return None;
    }
    Some(Output { ros, topic: topic?, motion: motion?, frame: frame?, speed })
}

/// What is wrong is in the log.
struct Wrong;

/// The frame of a type with a header; of another one there is none to say it in.
fn read_frame(fields: &Fields<'_>, is_stamped: bool, log: &mut Log<'_>) -> Result<Option<String>, Wrong> {
    let field = match (fields.get("frame_id"), is_stamped) {
        (None, false) => return Ok(None),
        (None, true) => return Ok(Some(FRAME.to_owned())),
        (Some(field), true) => field,
        (Some(_), false) => {
            let remedy = "remove it, or take the stamped type";
            fields.wrong(log, "frame_id", "a message of this type has no header", remedy);
            return Err(Wrong);
        }
    };
    let text = field.text(log, "a frame such as base_link").ok_or(Wrong)?;
    if !is_frame(text) {
        let remedy = format!(
            "take letters, digits and _ - . /, at most {FRAME_MAX}, no / in front, such as base_link"
        );
        field.wrong(log, "it is not the name of a frame", remedy);
        return Err(Wrong);
    }
    Ok(Some(text.to_owned()))
}

fn is_frame(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    (1..=FRAME_MAX).contains(&text.len()) && !text.starts_with('/') && text.bytes().all(is_letter)
}

/// What full steering is has a name for each type; the other one would have no effect.
fn read_motion(fields: &Fields<'_>, kind: Kind, log: &mut Log<'_>) -> Option<Motion> {
    let (name, other, example) = match kind {
        Kind::Twist => ("turn_rate", "steering_angle", "turn_rate: 1.5 rad/s"),
        Kind::Ackermann => ("steering_angle", "turn_rate", "steering_angle: 0.6 rad"),
    };
    if fields.get(other).is_some() {
        let remedy = format!("remove it: full steering is {name} there");
        fields.wrong(log, other, "a message of this type has none", remedy);
    }
    let _ = fields.required(log, name, &format!("add what full steering is, such as {example}"));
    match kind {
        Kind::Twist => {
            let rate = fields.bounded(log, name, Quantity::TurnRate, TURN_RATES, IN_RANGE);
            rate.map(|turn_rate| Motion::Twist { turn_rate })
        }
        Kind::Ackermann => {
            let angle = fields.bounded(log, name, Quantity::Angle, ANGLES, IN_RANGE);
            angle.map(|steering_angle| Motion::Ackermann { steering_angle })
        }
    }
}

/// What a bridge carries to the same topic would move the vehicle past the gate, or say another state of it.
fn read_command_topic(field: &Field<'_>, flows: &[Flow], log: &mut Log<'_>) -> Option<String> {
    let topic = read_topic(field, log)?;
    let gate = format!("{topic}/{GATE}");
    let published = [
        (topic.as_str(), "to the same topic, past the gate"),
        (&gate, "to the topic of the gate's state"),
        (DIAGNOSTICS, "to /diagnostics, where this output says how the gate is"),
    ];
    for (own, whose) in published {
        refuse_brought(field, own, whose, flows, log)?;
    }
    Some(topic)
}

/// The flow by which a bridge publishes on `topic` at the vehicle.
fn brought<'f>(topic: &str, flows: &'f [Flow]) -> Option<&'f Flow> {
    let is_same = |flow: &&Flow| {
        let matches = flow.name == topic || flow.is_pattern() && pattern::matches(&flow.name, topic);
        flow.toward == Toward::Vehicle && flow.matching.is_none() && matches
    };
    flows.iter().find(is_same)
}

/// Nothing if a flow goes to `topic`, which is in the log then.
fn refuse_brought(
    field: &Field<'_>,
    topic: &str,
    whose: &str,
    flows: &[Flow],
    log: &mut Log<'_>,
) -> Option<()> {
    let Some(flow) = brought(topic, flows) else { return Some(()) };
    let what = format!("flow {} goes {whose}", flow.name);
    field.wrong(log, what, "choose another topic, or another name for that flow");
    None
}

fn read_topic(field: &Field<'_>, log: &mut Log<'_>) -> Option<String> {
    let text = field.text(log, "a topic such as /cmd_vel")?;
    let topic = match name::check_topic(text) {
        Ok(topic) => topic,
        Err((what, remedy)) => {
            field.wrong(log, what, remedy);
            return None;
        }
    };
    if RESERVED.contains(&topic) || topic.split('/').next() == Some(OWN) {
        field.wrong(log, format!("/{topic} is reserved"), "choose another topic");
        return None;
    }
    Some(topic.to_owned())
}

fn read_speed(
    field: &Field<'_>,
    ros: Ros,
    command: Option<&str>,
    flows: &[Flow],
    log: &mut Log<'_>,
) -> Option<SpeedTopic> {
    let fields = field.fields(log, &["topic", "type"])?;
    let topic = fields.required(log, "topic", "add the topic of the speed, such as topic: /odom");
    let topic = topic.and_then(|field| {
        let topic = read_topic(&field, log)?;
        let is_ours = |ours: &str| topic == ours || topic.strip_prefix(ours) == Some("/gate");
        if command.is_some_and(is_ours) {
            field.wrong(log, format!("/{topic} is published by this output"), "choose another topic");
            return None;
        }
        refuse_brought(
            &field,
            &topic,
            "to the topic of the speed: an operator could say how fast it is",
            flows,
            log,
        )?;
        Some(topic)
    });
    let example = format!("add its type, such as type: {}", ros.speeds()[0].0);
    let message = fields.required(log, "type", &example).and_then(|field| field.word(log, &ros.speeds()));
    Some(SpeedTopic { topic: topic?, message: message? })
}
