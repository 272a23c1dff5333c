//! One flow of `robot.yaml`: its type and its reader.

use std::net::IpAddr;

use super::camera::{self, Camera, Encoding, Source};
use super::error::Log;
use super::fields::{Field, Fields};
use super::qos::{self, GivenQos};
use crate::class::Class;
use crate::pattern;
use crate::qos::Qos;
use crate::trace::FlowId;
use crate::units::{Bytes, Quantity, Rate};

/// The fields of a flow, beside those of [`qos::FIELDS`] and [`camera::FIELDS`].
const OWN_FIELDS: [&str; 6] = ["type", "rate", "size", "class", "toward", "match"];

/// Largest sample: room for a raw 4K picture in RGB, 25 MB; what is larger is a file, not a sample (CON-11).
const MAX_SIZE: Bytes = Bytes(64 * 1024 * 1024);

/// Highest rate in hertz, a period of 100 us: beyond it a mistyped unit is likelier than such a flow (CON-11).
const MAX_RATE_HZ: u64 = 10_000;

/// Which end of the link receives a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Toward {
    /// From the operator to the vehicle.
    Vehicle,
    /// From the vehicle to the operator.
    #[default]
    Operator,
}

impl Toward {
    /// The word used in `robot.yaml`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Toward::Vehicle => "vehicle",
            Toward::Operator => "operator",
        }
    }
}

/// Which packets of existing programs belong to a flow; at least one field is given, and all given ones must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// Destination port, TCP or UDP.
    pub dst_port: Option<u16>,
    /// Source port, TCP or UDP.
    pub src_port: Option<u16>,
    /// Destination address.
    pub dst_addr: Option<IpAddr>,
    /// Name of the sending process.
    pub process: Option<String>,
}

/// One flow of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Position in the file, counted from 1 ([`FlowId::SESSION`] is 0).
    pub id: FlowId,
    /// Name within the robot, such as `camera/front`, or a pattern of names, such as `camera/*` ([`Flow::is_pattern`]).
    pub name: String,
    /// Type of the samples, such as `sensor_msgs/msg/Image`.
    pub type_name: Option<String>,
    /// Samples per second the publisher intends, at most 10 kHz.
    pub rate: Option<Rate>,
    /// Size of the largest sample, at most 64 MiB.
    pub size: Option<Bytes>,
    /// What the flow is worth compared with the others.
    pub class: Class,
    /// Quality of service; ROS 2's default, and unused, for a flow with [`Flow::matching`].
    pub qos: Qos,
    /// Which of [`Flow::qos`]'s fields the file gives; the others have ROS 2's default.
    pub given: GivenQos,
    /// Which end receives the flow.
    pub toward: Toward,
    /// Set when the flow is an existing program's traffic, which keeps its own protocol.
    pub matching: Option<Matching>,
    /// Where the samples of a camera flow come from.
    pub source: Option<Source>,
    /// How the pictures of a camera flow are encoded.
    pub encoding: Encoding,
    /// Width of the pictures in pixels, given together with `height`.
    pub width: Option<u32>,
    /// Height of the pictures in pixels, given together with `width`.
    pub height: Option<u32>,
}

impl Flow {
    /// Whether the name stands for many topics.
    pub fn is_pattern(&self) -> bool {
        pattern::is_pattern(&self.name)
    }
}

/// Reads flow number `id` from its field. `None` when it has no class; what is wrong is in the log.
pub(super) fn read(id: FlowId, name: &str, field: &Field<'_>, log: &mut Log<'_>) -> Option<Flow> {
    let known = [&OWN_FIELDS[..], &qos::FIELDS, &camera::FIELDS].concat();
    let fields = field.fields(log, &known)?;
    let class = class(&fields, log);
    let matching = fields.get("match").and_then(|field| matching(&field, log));
    let size = size(&fields, log);
    let rate = rate(&fields, log);
    let towards = [("vehicle", Toward::Vehicle), ("operator", Toward::Operator)];
    let toward = fields.get("toward").and_then(|field| field.word(log, &towards)).unwrap_or_default();
    let type_name = type_name(&fields, log);
    if pattern::is_pattern(name) {
        refuse_in_pattern(&fields, log);
    }
    let (qos, camera) = if fields.get("match").is_some() {
        refuse_beside_match(&fields, log);
        (Qos::default(), Camera::default())
    } else {
        (qos::read(&fields, log), camera::read(&fields, size, log))
    };
    let given = qos::given(&fields);
    let Camera { source, encoding, width, height } = camera;
    let name = name.to_owned();
    let class = class?;
    Some(Flow {
        id,
        name,
        type_name,
        rate,
        size,
        class,
        qos,
        given,
        toward,
        matching,
        source,
        encoding,
        width,
        height,
    })
}

fn class(fields: &Fields<'_>, log: &mut Log<'_>) -> Option<Class> {
    let words = Class::ALL.map(|class| (class.as_str(), class));
    let remedy = "add class: control, realtime, best_effort or background";
    fields.required(log, "class", remedy)?.word(log, &words)
}

fn size(fields: &Fields<'_>, log: &mut Log<'_>) -> Option<Bytes> {
    let field = fields.get("size")?;
    let size: Bytes = field.quantity(log, Quantity::Size, str::parse)?;
    if size == Bytes(0) {
        field.wrong(log, "a sample of 0 B carries nothing", "write the size of the largest sample");
    } else if size > MAX_SIZE {
        let what = format!("{size} is more than a sample may have, 64 MiB");
        field.wrong(log, what, "send it in parts or compressed");
    }
    Some(size)
}

fn rate(fields: &Fields<'_>, log: &mut Log<'_>) -> Option<Rate> {
    let field = fields.get("rate")?;
    let rate: Rate = field.quantity(log, Quantity::Rate, str::parse)?;
    if rate.millihertz() > MAX_RATE_HZ * 1_000 {
        field.wrong(log, format!("{rate} is faster than 10 kHz"), "put several readings in one sample");
    }
    Some(rate)
}

/// A ROS type name: `package/msg/Type`, or `package/Type` as ROS 1 writes it.
fn type_name(fields: &Fields<'_>, log: &mut Log<'_>) -> Option<String> {
    let field = fields.get("type")?;
    let text = field.text(log, "a type such as sensor_msgs/msg/Image")?;
    let is_part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !text.split('/').all(is_part) {
        let what = format!("\"{}\" is not a type name", super::error::clip(text));
        field.wrong(log, what, "write it like sensor_msgs/msg/Image");
    }
    Some(text.to_owned())
}

/// An existing program's packets keep their program's protocol: the link can order them, not repair them (CON-14).
fn refuse_beside_match(fields: &Fields<'_>, log: &mut Log<'_>) {
    let refused = qos::FIELDS.iter().chain(&camera::FIELDS).filter(|name| fields.get(name).is_some());
    for name in refused {
        let what = "cannot be beside match, an existing program's traffic keeps its own protocol";
        fields.wrong(log, name, what, format!("remove {name} or match"));
    }
}

/// A camera is one flow, and packets are matched by what they hold: neither can have many names (CON-9).
fn refuse_in_pattern(fields: &Fields<'_>, log: &mut Log<'_>) {
    for name in ["source", "match"].into_iter().filter(|name| fields.get(name).is_some()) {
        let what = "cannot be in a flow whose name is a pattern";
        fields.wrong(log, name, what, "give the flow a name without *");
    }
}

fn matching(field: &Field<'_>, log: &mut Log<'_>) -> Option<Matching> {
    const KEYS: [&str; 4] = ["dst_port", "src_port", "dst_addr", "process"];
    let fields = field.fields(log, &KEYS)?;
    if fields.is_empty() {
        field.wrong(log, "matches no packet", "add dst_port, src_port, dst_addr or process");
    }
    let mut port = |name| -> Option<u16> {
        let number = fields.get(name)?.integer(log, 1..=u64::from(u16::MAX))?;
        u16::try_from(number).ok()
    };
    let (dst_port, src_port) = (port("dst_port"), port("src_port"));
    let dst_addr =
        fields.get("dst_addr").and_then(|field| field.parsed(log, "an address such as 10.1.2.3 or fd00::1"));
    let process = fields.get("process").and_then(|field| field.text(log, "the name of a process"));
    Some(Matching { dst_port, src_port, dst_addr, process: process.map(str::to_owned) })
}
