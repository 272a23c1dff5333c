//! The remote-driving workload of the paper in virtual time: cameras one way, commands the other.

use super::network::{End, Network};
use super::path::Profile;
use crate::core::{Event, Publication, SessionConfig, Stats, Subscription};
use std::collections::BTreeMap;
use std::time::Duration;
use tokkyu_contract::{Class, FlowId, Ledger, MonoTime, Outcome, Qos};

/// What is driven.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Cameras.
    pub images: usize,
    /// Bytes of a picture.
    pub image_bytes: usize,
    /// Time between two pictures of a camera.
    pub image_period: Duration,
    /// Pictures of each camera.
    pub samples: u32,
    /// QoS of the pictures.
    pub image_qos: Qos,
    /// Bytes of a command.
    pub command_bytes: usize,
    /// Time between two commands.
    pub command_period: Duration,
    /// QoS of the commands.
    pub command_qos: Qos,
}

impl Workload {
    /// The paper's: 374 kB at 10 Hz; commands of 64 bytes at 50 Hz with a lifespan of 150 ms.
    pub fn paper(images: usize, samples: u32, image_qos: Qos) -> Self {
        Workload {
            images,
            image_bytes: 374_000,
            image_period: Duration::from_millis(100),
            samples,
            image_qos,
            command_bytes: 64,
            command_period: Duration::from_millis(20),
            command_qos: Qos { lifespan: Some(Duration::from_millis(150)), ..Qos::default() },
        }
    }

    fn end(&self) -> MonoTime {
        MonoTime::ZERO + self.image_period * self.samples
    }
}

/// One sample: when it was captured, and when it arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Sequence number.
    pub sequence: u32,
    /// Capture, virtual time.
    pub capture: MonoTime,
    /// Delivery, virtual time.
    pub arrival: Option<MonoTime>,
    /// What the sender knew in the end.
    pub sender: Option<Outcome>,
    /// What the receiver said when it did not deliver.
    pub receiver: Option<Outcome>,
}

impl Sample {
    /// The outcome end to end: delivered, or what the receiver said, or what the sender knows.
    pub fn outcome(&self) -> Outcome {
        match (self.arrival, self.receiver, self.sender) {
            (Some(_), _, _) => Outcome::Delivered,
            (None, Some(receiver), _) => receiver,
            // The sender cannot know better than the receiver that it arrived.
            (None, None, Some(Outcome::Delivered) | None) => Outcome::Lost,
            (None, None, Some(sender)) => sender,
        }
    }

    /// Capture to delivery.
    pub fn latency(&self) -> Option<Duration> {
        self.arrival.map(|arrival| arrival.since(self.capture))
    }
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// Samples of each stream: the cameras, then the commands.
    pub streams: Vec<Vec<Sample>>,
    /// Bytes of all frames on the wire, both directions.
    pub wire_bytes: u64,
    /// Bytes published, both directions.
    pub payload_bytes: u64,
    /// The vehicle's session at the end.
    pub vehicle: Stats,
    /// The operator's session at the end.
    pub operator: Stats,
    /// Sender's ledgers of the streams.
    pub sent: Vec<Ledger>,
    /// Receiver's ledgers of the streams.
    pub received: Vec<Ledger>,
    /// Largest frame seen.
    pub largest_frame: usize,
}

struct Run {
    network: Network,
    workload: Workload,
    cameras: Vec<FlowId>,
    command: FlowId,
    streams: Vec<Vec<Sample>>,
    /// Stream of a subscription, at (operator, vehicle).
    readers: BTreeMap<(bool, FlowId), usize>,
    payload_bytes: u64,
}

/// Runs `workload` over `profile` with `seed`.
pub fn drive(profile: &Profile, seed: u64, workload: &Workload, config: SessionConfig) -> Outcomes {
    let mut run = Run::new(profile, seed, workload, config);
    let mut next = [MonoTime::ZERO, MonoTime::ZERO];
    let end = workload.end();
    while next[0] < end || next[1] < end {
        let due = next[0].min(next[1]);
        run.run_to(due);
        if next[0] == due {
            run.capture(due);
            next[0] =
                if due + workload.image_period < end { due + workload.image_period } else { MonoTime::MAX };
        }
        if next[1] == due {
            run.command(due);
            next[1] = if due + workload.command_period < end {
                due + workload.command_period
            } else {
                MonoTime::MAX
            };
        }
    }
    run.run_to(end + Duration::from_secs(2));
    run.finish()
}

impl Run {
    fn new(profile: &Profile, seed: u64, workload: &Workload, config: SessionConfig) -> Self {
        let mut network = Network::new(profile, seed, config);
        let mut readers = BTreeMap::new();
        let mut cameras = Vec::new();
        for image in 0..workload.images {
            let topic = format!("camera/{}", image + 1);
            let camera = network.session(End::Vehicle).advertise(Publication {
                topic: topic.clone(),
                type_name: String::new(),
                class: Class::Realtime,
                qos: workload.image_qos,
                period: Some(workload.image_period),
                size_bytes: workload.image_bytes as u32,
            });
            cameras.push(camera.expect("the workload fits the link"));
            let wanted = Subscription { topic, type_name: String::new(), qos: workload.image_qos };
            let reader = network.session(End::Operator).subscribe(wanted);
            readers.insert((true, reader.expect("the workload fits the link")), image);
        }
        let topic = "drive/command".to_owned();
        let qos = workload.command_qos;
        let command = network.session(End::Operator).advertise(Publication {
            topic: topic.clone(),
            type_name: String::new(),
            class: Class::Control,
            qos,
            period: Some(workload.command_period),
            size_bytes: workload.command_bytes as u32,
        });
        let wanted = Subscription { topic, type_name: String::new(), qos };
        let reader = network.session(End::Vehicle).subscribe(wanted).expect("the workload fits the link");
        readers.insert((false, reader), workload.images);
        Run {
            network,
            workload: workload.clone(),
            cameras,
            command: command.expect("the workload fits the link"),
            streams: vec![Vec::new(); workload.images + 1],
            readers,
            payload_bytes: 0,
        }
    }

    fn run_to(&mut self, until: MonoTime) {
        loop {
            self.network.run_until(until);
            let events = self.network.take_events();
            let idle = events.is_empty();
            for (end, event) in events {
                self.on_event(end, event);
            }
            if idle && self.network.now() >= until {
                return;
            }
        }
    }

    fn on_event(&mut self, end: End, event: Event) {
        let now = self.network.now();
        match event {
            Event::Delivered(delivered) => {
                let stream = self.readers[&(end == End::Operator, delivered.subscription)];
                let sample = &mut self.streams[stream][delivered.id.sequence as usize];
                assert_eq!(sample.arrival, None, "delivered twice: {}", delivered.id);
                sample.arrival = Some(now);
            }
            Event::Missed { id, outcome } => {
                let stream = self.stream_of(end == End::Vehicle, id.flow);
                self.streams[stream][id.sequence as usize].receiver = Some(outcome);
            }
            Event::Settled { id, outcome } => {
                let stream = self.stream_of(end == End::Operator, id.flow);
                self.streams[stream][id.sequence as usize].sender = Some(outcome);
            }
            _ => {}
        }
    }

    /// Streams are numbered like the publisher's flows.
    fn stream_of(&self, is_command: bool, flow: FlowId) -> usize {
        if is_command { self.workload.images } else { usize::from(flow.0) - 1 }
    }

    fn capture(&mut self, now: MonoTime) {
        let clock = Network::clock(End::Vehicle, now);
        let picture = vec![0x5a; self.workload.image_bytes];
        for camera in 0..self.cameras.len() {
            let flow = self.cameras[camera];
            self.publish(End::Vehicle, camera, flow, now, clock, &picture);
        }
    }

    fn command(&mut self, now: MonoTime) {
        let clock = Network::clock(End::Operator, now);
        let command = vec![0xc0; self.workload.command_bytes];
        let (stream, flow) = (self.workload.images, self.command);
        self.publish(End::Operator, stream, flow, now, clock, &command);
    }

    fn publish(
        &mut self,
        end: End,
        stream: usize,
        flow: FlowId,
        now: MonoTime,
        clock: MonoTime,
        bytes: &[u8],
    ) {
        let sequence =
            self.network.session(end).publish(clock, flow, clock, bytes).expect("the workload fits the link");
        assert_eq!(sequence as usize, self.streams[stream].len());
        self.payload_bytes += bytes.len() as u64;
        self.streams[stream].push(Sample {
            sequence,
            capture: now,
            arrival: None,
            sender: None,
            receiver: None,
        });
    }

    fn finish(mut self) -> Outcomes {
        End::BOTH.into_iter().for_each(|end| self.network.session(end).close());
        self.run_to(self.network.now());
        let ends = (End::Vehicle, End::Operator);
        let mut sent: Vec<Ledger> =
            self.cameras.iter().map(|flow| self.network.session(ends.0).sent_ledger(*flow)).collect();
        sent.push(self.network.session(ends.1).sent_ledger(self.command));
        let mut received = vec![Ledger::default(); self.streams.len()];
        for (&(at_operator, reader), &stream) in &self.readers {
            let end = if at_operator { ends.1 } else { ends.0 };
            received[stream] = self.network.session(end).received_ledger(reader);
        }
        Outcomes {
            streams: self.streams,
            wire_bytes: self.network.wire_bytes(),
            payload_bytes: self.payload_bytes,
            vehicle: self.network.session(ends.0).stats(),
            operator: self.network.session(ends.1).stats(),
            sent,
            received,
            largest_frame: self.network.largest_frame(),
        }
    }
}
