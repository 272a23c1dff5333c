//! How fast a vehicle may be over a link of which latency: `vehicle.degraded` of a robot (CON-58).
//!
//! What a camera sees is `latency` old when the motors do something about it, and meanwhile the vehicle goes on. The rule
//! bounds how far: speed times latency is never more than declared. The German ordinance on remote driving (StVFernLV)
//! asks for such a rule; that this one meets it is not claimed.

use core::time::Duration;

use super::error::Log;
use super::fields::{Field, Fields, IN_RANGE};
use super::flow::{Flow, Toward};
use crate::units::{DurationText, Quantity, Speed, parse_duration};

/// A wheelchair's crawl to a fast train.
pub(super) const SPEEDS: (Speed, Speed) = (Speed(360_000), Speed(400_000_000));
const LATENCIES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(10));
const REACTIONS: (Duration, Duration) = (Duration::ZERO, Duration::from_secs(10));

/// A worse link means a slower vehicle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degraded {
    /// The vehicle goes at most so fast ...
    pub speed: Speed,
    /// ... at this latency, from what a camera sees to what the motors do about it.
    pub at: Duration,
    /// What the vehicle itself adds to the latency of pictures and commands.
    pub reaction: Duration,
    /// Names of the flows whose pictures count; none of a robot without cameras.
    pub cameras: Vec<String>,
}

impl Degraded {
    /// The most at `latency`.
    pub fn speed_at(&self, latency: Duration) -> Speed {
        let blind = u128::from(self.speed.0) * self.at.as_nanos();
        Speed(u64::try_from(blind / latency.as_nanos().max(1)).unwrap_or(u64::MAX))
    }

    /// How far the vehicle may go between what a camera sees and what the motors do about it, in metres.
    pub fn blind_m(&self) -> f32 {
        self.speed.mps() * self.at.as_secs_f32()
    }
}

/// What is not given, or wrong and in the log, has its default; nothing without both `speed` and `at`.
pub(super) fn read(field: &Field<'_>, flows: &[Flow], log: &mut Log<'_>) -> Option<Degraded> {
    let fields = field.fields(log, &["speed", "at", "reaction", "cameras"])?;
    let _ = fields.required(log, "speed", "add the most at that latency, such as speed: 50 km/h");
    let _ = fields.required(log, "at", "add the latency for that speed, such as at: 200 ms");
    let speed = fields.bounded(log, "speed", Quantity::Speed, SPEEDS, IN_RANGE);
    let at = span(&fields, "at", LATENCIES, log);
    let reaction = span(&fields, "reaction", REACTIONS, log).unwrap_or_default();
    let cameras = match fields.get("cameras") {
        Some(field) => read_cameras(&field, flows, log),
        None => flows.iter().filter(|flow| is_camera(flow)).map(|flow| flow.name.clone()).collect(),
    };
    Some(Degraded { speed: speed?, at: at?, reaction, cameras })
}

fn is_camera(flow: &Flow) -> bool {
    flow.source.is_some() && flow.toward == Toward::Operator
}

fn read_cameras(field: &Field<'_>, flows: &[Flow], log: &mut Log<'_>) -> Vec<String> {
    let items = field.items(log).unwrap_or_default();
    if items.is_empty() {
        field.wrong(log, "no camera counts", "name one, or leave the field out: then all count");
    }
    let name = |item: &Field<'_>| {
        let name = item.text(log, "the name of a camera's flow")?;
        let is_known = flows.iter().any(|flow| flow.name == name && is_camera(flow));
        if !is_known {
            let what = format!("\"{name}\" is no flow with a source toward the operator");
            item.wrong(log, what, "write the name of a camera as it stands under flows");
        }
        Some(name.to_owned())
    };
    items.iter().filter_map(name).collect()
}

fn span(
    fields: &Fields<'_>,
    name: &str,
    (least, most): (Duration, Duration),
    log: &mut Log<'_>,
) -> Option<Duration> {
    let field = fields.get(name)?;
    let value = field.quantity(log, Quantity::Duration, parse_duration)?;
    if !(least..=most).contains(&value) {
        let [value, least, most] = [value, least, most].map(DurationText);
        field.wrong(log, format!("{value} is not from {least} to {most}"), IN_RANGE);
        return None;
    }
    Some(value)
}
