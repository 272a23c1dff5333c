//! What the link's tests stand on. [`World`] joins two sessions over a modelled network in virtual time and keeps a
//! notebook of everything that happened; [`bench`] is a wire whose every packet a test sees and may lose; [`peer`] is a
//! peer made by hand, honest or not; [`networks`] makes networks up.
//!
//! A world that is dropped by a failing test prints its network and its seed.

// Each test program uses its own part of this.
#![allow(dead_code)]

pub mod bench;
pub mod networks;
pub mod payload;
pub mod peer;
pub mod stream;

use std::time::Duration;
use tokkyu_contract::{Class, FlowId, History, MonoTime, Outcome, Qos};
use tokkyu_link::core::{Delivered, Event, Publication, SessionConfig, Subscription};
use tokkyu_link::sim::network::{End, Network};
use tokkyu_link::sim::path::{DirectionProfile, Profile};

/// One event, at the virtual time it happened.
pub struct Note {
    pub at: MonoTime,
    pub end: End,
    pub event: Event,
}

/// Two sessions, a network and a notebook.
pub struct World {
    pub network: Network,
    pub notes: Vec<Note>,
    streams: u32,
    _seed: Seed,
}

/// Tells which run failed: prints its name when dropped by a panic.
pub struct Seed {
    network: String,
    seed: u64,
}

impl Seed {
    pub fn new(network: &str, seed: u64) -> Self {
        Seed { network: network.to_owned(), seed }
    }
}

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed on network {:?} with seed {}", self.network, self.seed);
        }
    }
}

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub fn at_ms(millis: u64) -> MonoTime {
    MonoTime::from_millis(millis)
}

/// A span in milliseconds, for people.
pub fn millis(span: Duration) -> f64 {
    span.as_secs_f64() * 1e3
}

/// The value that the share `q` of the values does not exceed; zero when there are none.
pub fn quantile(values: &[Duration], q: f64) -> Duration {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    sorted.get(((sorted.len() as f64 * q) as usize).min(last)).copied().unwrap_or_default()
}

pub fn other(end: End) -> End {
    if end == End::Vehicle { End::Operator } else { End::Vehicle }
}

pub fn named(name: &str) -> Profile {
    Profile::named(name).expect("a profile the library lists")
}

/// Both ways alike.
pub fn both(name: &str, direction: DirectionProfile) -> Profile {
    let profile = Profile { name: name.to_owned(), up: direction.clone(), down: direction };
    profile.check().expect("a usable profile");
    profile
}

/// A link of `mbit` Mbit/s with `delay_ms` one way and a queue of `queue_ms` at its rate.
pub fn link(mbit: u64, delay_ms: u64, queue_ms: u64) -> DirectionProfile {
    DirectionProfile::link(mbit * 1_000_000, ms(delay_ms), (mbit * 125 * queue_ms).max(3_000))
}

pub fn reliable(depth: u32) -> Qos {
    Qos { history: History::KeepLast { depth }, ..Qos::default() }
}

pub fn keep_all() -> Qos {
    Qos { history: History::KeepAll, ..Qos::default() }
}

pub fn with_lifespan(qos: Qos, lifespan_ms: u64) -> Qos {
    Qos { lifespan: Some(ms(lifespan_ms)), ..qos }
}

/// `--qos link` of the issue: reliable, keep last 10, lifespan 500 ms.
pub fn link_qos() -> Qos {
    with_lifespan(reliable(10), 500)
}

pub fn publication(topic: &str, class: Class, qos: Qos) -> Publication {
    Publication { topic: topic.to_owned(), type_name: String::new(), class, qos, period: None, size_bytes: 0 }
}

pub fn subscription(topic: &str, qos: Qos) -> Subscription {
    Subscription { topic: topic.to_owned(), type_name: String::new(), qos }
}

impl World {
    pub fn new(profile: &Profile, seed: u64) -> Self {
        World::with_config(profile, seed, SessionConfig::default())
    }

    pub fn with_config(profile: &Profile, seed: u64, config: SessionConfig) -> Self {
        World {
            network: Network::new(profile, seed, config),
            notes: Vec::new(),
            streams: 0,
            _seed: Seed::new(&profile.name, seed),
        }
    }

    pub fn now(&self) -> MonoTime {
        self.network.now()
    }

    pub fn advertise(&mut self, end: End, topic: &str, class: Class, qos: Qos) -> FlowId {
        self.network.session(end).advertise(publication(topic, class, qos)).expect("within the limits")
    }

    pub fn subscribe(&mut self, end: End, topic: &str, qos: Qos) -> FlowId {
        self.network.session(end).subscribe(subscription(topic, qos)).expect("within the limits")
    }

    /// Publishes a sample captured now whose payload carries `tag`.
    pub fn publish(&mut self, end: End, flow: FlowId, tag: u32, bytes: usize) -> u32 {
        let clock = Network::clock(end, self.now());
        let payload = payload::tagged(tag, bytes);
        self.network.session(end).publish(clock, flow, clock, &payload).expect("the sample is taken")
    }

    /// Lets time pass to `until` and notes what happens.
    pub fn run_to(&mut self, until: MonoTime) {
        loop {
            self.network.run_until(until);
            let events = self.network.take_events();
            if events.is_empty() && self.now() >= until {
                return;
            }
            let at = self.now();
            for (end, event) in events {
                self.notes.push(Note { at, end, event });
            }
        }
    }

    pub fn run_for(&mut self, span: Duration) {
        self.run_to(self.now() + span);
    }

    /// Closes both sessions and notes what they still tell.
    pub fn close(&mut self) {
        End::BOTH.into_iter().for_each(|end| self.network.session(end).close());
        self.run_to(self.now());
    }

    /// Deliveries for one subscription, in order, with the virtual time of each.
    pub fn delivered(&self, end: End, reader: FlowId) -> Vec<(MonoTime, &Delivered)> {
        self.notes
            .iter()
            .filter_map(|note| match &note.event {
                Event::Delivered(d) if note.end == end && d.subscription == reader => Some((note.at, d)),
                _ => None,
            })
            .collect()
    }

    /// Tags of the samples delivered for one subscription, in order; every payload is checked.
    pub fn tags(&self, end: End, reader: FlowId) -> Vec<u32> {
        self.delivered(end, reader).into_iter().map(|(_, d)| payload::tag_of(&d.payload)).collect()
    }

    /// Outcomes the sender told for one flow, in order.
    pub fn settled(&self, end: End, flow: FlowId) -> Vec<(u32, Outcome)> {
        self.events_of(end)
            .filter_map(|event| match event {
                Event::Settled { id, outcome } if id.flow == flow => Some((id.sequence, *outcome)),
                _ => None,
            })
            .collect()
    }

    /// Outcomes the receiver told for samples of the peer's `flow` that it did not deliver, in order.
    pub fn missed(&self, end: End, flow: FlowId) -> Vec<(u32, Outcome)> {
        self.events_of(end)
            .filter_map(|event| match event {
                Event::Missed { id, outcome } if id.flow == flow => Some((id.sequence, *outcome)),
                _ => None,
            })
            .collect()
    }

    pub fn events_of(&self, end: End) -> impl Iterator<Item = &Event> {
        self.notes.iter().filter(move |note| note.end == end).map(|note| &note.event)
    }

    /// How often `wanted` happened at `end`.
    pub fn count(&self, end: End, wanted: &Event) -> usize {
        self.events_of(end).filter(|event| *event == wanted).count()
    }
}
