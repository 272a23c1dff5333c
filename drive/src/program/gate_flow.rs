//! The flow that brings the gate's state to the operator: both of its ends.
//!
//! Runs in the main threads, and never waits. It is best effort: the next report says more than one that was lost.

use bytes::Bytes;
use tokkyu_contract::yaml::robot::Robot;
use tokkyu_contract::{Class, FlowId, History, MonoTime, Qos, Reliability};
use tokkyu_link::core::{EndpointError, Publication, Subscription};
use tokkyu_link::runtime::{Link, Publisher, Subscriber};

use super::DriveError;
use crate::safety::report::{GateReport, REPORT_BYTES, REPORT_EVERY, TOPIC, WORTH};
use crate::safety::{Need, State};

const TYPE: &str = "tokkyu/GateReport";

fn qos() -> Qos {
    Qos {
        reliability: Reliability::BestEffort,
        history: History::KeepLast { depth: 1 },
        lifespan: Some(WORTH),
        ..Qos::default()
    }
}

/// Refuses a robot that has a flow of its own under the reserved name.
pub(crate) fn check(robot: &Robot) -> Result<(), DriveError> {
    let taken = robot.flows.iter().any(|flow| flow.name == TOPIC);
    let what = || "this name is reserved for the gate's own reports".to_owned();
    match taken {
        true => {
            Err(DriveError::Flow { flow: TOPIC.into(), what: what(), remedy: "give the flow another name" })
        }
        false => Ok(()),
    }
}

/// The vehicle's end.
pub(crate) struct GateTeller {
    publisher: Publisher,
    told: Option<(MonoTime, State)>,
}

impl GateTeller {
    /// Announces the flow; call after the cameras', whose flows count from 1.
    ///
    /// # Errors
    /// The link has no place for another flow.
    pub(crate) fn open(link: &Link) -> Result<GateTeller, EndpointError> {
        let publication = Publication {
            topic: TOPIC.to_owned(),
            type_name: TYPE.to_owned(),
            class: Class::Realtime,
            qos: qos(),
            period: Some(REPORT_EVERY),
            size_bytes: REPORT_BYTES as u32,
        };
        Ok(GateTeller { publisher: link.publish(publication)?, told: None })
    }

    /// Tells the gate's state where it changed, or was last told a while ago.
    pub(crate) fn tell(&mut self, now: MonoTime, report: &GateReport) {
        let is_due =
            self.told.is_none_or(|(at, state)| state != report.state || now.since(at) >= REPORT_EVERY);
        if is_due {
            self.told = Some((now, report.state));
            // Without a session it is nobody's news; a full queue has more urgent things.
            let _ = self.publisher.send(Bytes::copy_from_slice(&report.encode()));
        }
    }
}

/// The operator's end.
pub(crate) struct GateEar {
    subscriber: Subscriber,
    flow: Option<FlowId>,
    heard: Option<(MonoTime, GateReport)>,
    /// The motors are silent, as was told last.
    is_silent: bool,
}

impl GateEar {
    /// Asks for the flow.
    ///
    /// # Errors
    /// The link has no place for another subscription.
    pub(crate) fn open(link: &Link) -> Result<GateEar, EndpointError> {
        let subscription = Subscription { topic: TOPIC.to_owned(), type_name: TYPE.to_owned(), qos: qos() };
        Ok(GateEar { subscriber: link.subscribe(subscription)?, flow: None, heard: None, is_silent: false })
    }

    /// Takes what came. What is no report is passed over: the state is shown as unknown soon after.
    pub(crate) fn listen(&mut self) {
        while let Some(sample) = self.subscriber.receive(std::time::Duration::ZERO) {
            self.flow = Some(sample.delivered.id.flow);
            if let Some(report) = GateReport::decode(&sample.delivered.payload) {
                self.heard = Some((sample.delivered.at.saturating_sub(sample.delivered.age), report));
            }
        }
    }

    /// The newest state of all that the motors are known to have had, and when, by our clock.
    pub(crate) fn newest(&self) -> Option<(MonoTime, State)> {
        self.heard.and_then(|(at, report)| Some((at.saturating_sub(report.given?), report.state)))
    }

    /// Whether the vehicle's motors are silent, if that is another than when this was asked last.
    pub(crate) fn motors_news(&mut self) -> Option<bool> {
        let is_silent = self.heard.is_some_and(|(_, report)| report.need == Need::Motors);
        (std::mem::replace(&mut self.is_silent, is_silent) != is_silent).then_some(is_silent)
    }

    /// Whether `flow` of the session is this one: its misses are in nobody's books.
    pub(crate) fn is_flow(&self, flow: FlowId) -> bool {
        self.flow == Some(flow)
    }

    /// The gate at `now`, as far as it is known: an old report is none, nor is one of motors that were given nothing for long,
    /// unless it says so.
    pub(crate) fn report(&self, now: MonoTime) -> Option<GateReport> {
        let age = |(at, report): &(MonoTime, GateReport)| match report.need {
            Need::Motors => Some(now.since(*at)),
            _ => report.given.map(|given| now.since(*at) + given),
        };
        self.heard.filter(|heard| age(heard).is_some_and(|age| age <= WORTH)).map(|(_, report)| report)
    }
}
