//! The DDS programs of `ros2/tests/peers`: what ROS 2 nodes are to the bridge. Their README has the face.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tokkyu_lab::wire::{End, Wire};

use super::program::Program;

/// Which library a peer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    Cyclone,
    Fast,
    Python,
    /// A robot's base, of the same library as the last.
    Base,
}

pub use Library::{Base, Cyclone, Fast, Python};

impl Library {
    pub fn name(self) -> &'static str {
        match self {
            Cyclone => "cyclonedds",
            Fast => "fastdds",
            Python => "python",
            Base => "base",
        }
    }

    fn packages(self) -> &'static str {
        match self {
            Cyclone => "cyclonedds-dev cyclonedds-tools",
            Fast => "libfastrtps-dev libfastcdr-dev",
            Python | Base => "python3-venv",
        }
    }

    fn program(self) -> PathBuf {
        folder().join(format!("ros2-peer-{}", self.name()))
    }
}

/// Where `ros2/tests/peers/build` puts them.
fn folder() -> PathBuf {
    let target = || PathBuf::from(env!("CARGO_BIN_EXE_tokkyu")).ancestors().nth(2).map(PathBuf::from);
    match std::env::var_os("TOKKYU_ROS2_PEERS") {
        Some(folder) => PathBuf::from(folder),
        None => target().unwrap_or_default().join("ros2-peers"),
    }
}

/// Whether these can be had here; says so if not.
pub fn are_there(libraries: &[Library]) -> bool {
    let absent = libraries.iter().find(|library| !library.program().exists());
    if let Some(library) = absent {
        eprintln!(
            "skipped: no {}; apt-get install gcc g++ {}, then ros2/tests/peers/build",
            library.program().display(),
            library.packages()
        );
    }
    absent.is_none()
}

/// A sample as a subscriber tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    pub n: u64,
    pub source_ns: i64,
    pub received_ns: i64,
}

/// A running peer.
pub struct Peer(Program);

impl Peer {
    /// Starts one with the words of its face.
    pub fn start(library: Library, domain: u32, words: &str, place: Option<(&Wire, End)>) -> Peer {
        let mut command = Command::new(library.program());
        command.args(words.split_whitespace()).args(["--domain", &domain.to_string()]);
        Peer(Program::start(&format!("{} {words}", library.name()), command, place))
    }

    /// Waits until it has matched so many.
    pub fn until_matched(&self, count: u64) {
        let newest = |lines: &[String]| events(lines, "matched").next_back()?["count"].as_u64();
        self.0.until(&format!("matched {count}"), |lines| newest(lines).filter(|now| *now == count));
    }

    /// Library and words it was started with.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// How many it has matched, each time that changed.
    pub fn matches(&self) -> Vec<u64> {
        events(&self.0.out.all(), "matched").filter_map(|value| value["count"].as_u64()).collect()
    }

    /// Begins to write (`--wait-line`).
    pub fn go(&mut self) {
        self.0.tell("go");
    }

    /// Waits for an event of which `is_it` is true; gives it.
    pub fn until_event(&self, event: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        self.0.until(event, |lines| events(lines, event).find(|value| is_it(value)))
    }

    /// Waits until `is_it` is true of the newest.
    pub fn until_newest(&self, event: &str, is_it: impl Fn(&Value) -> bool) {
        self.0.until(event, |lines| events(lines, event).next_back().filter(|value| is_it(value)));
    }

    /// All of one kind there are so far.
    pub fn events(&self, event: &str) -> Vec<Value> {
        events(&self.0.out.all(), event).collect()
    }

    pub fn has_event(&self, event: &str) -> bool {
        events(&self.0.out.all(), event).next().is_some()
    }

    /// All samples there are so far, each compared byte for byte by the peer.
    pub fn received(&self) -> Vec<Received> {
        received_in(&self.0.out.all())
    }

    /// Numbers of the samples there are so far.
    pub fn numbers(&self) -> Vec<u64> {
        self.received().iter().map(|sample| sample.n).collect()
    }

    /// Waits for so many samples; gives all there are then.
    pub fn until_received(&self, count: usize) -> Vec<Received> {
        self.0.until(&format!("{count} samples"), |lines| {
            Some(received_in(lines)).filter(|samples| samples.len() >= count)
        })
    }

    /// Waits for the sample of that number; gives all there are then.
    pub fn until_number(&self, n: u64) -> Vec<Received> {
        self.0.until(&format!("sample {n}"), |lines| {
            Some(received_in(lines)).filter(|samples| samples.iter().any(|sample| sample.n == n))
        })
    }

    /// Waits until the last `count` samples came without one missing: what came before both sides knew of each other may
    /// have gaps.
    pub fn until_in_row(&self, count: usize) {
        self.0.until(&format!("{count} samples in a row"), |lines| {
            let samples = received_in(lines);
            let last = &samples[samples.len().checked_sub(count)?..];
            last.windows(2).all(|two| two[0].n + 1 == two[1].n).then_some(())
        });
    }

    /// Samples written so far.
    pub fn sent(&self) -> usize {
        events(&self.0.out.all(), "sent").count()
    }

    /// Waits until so many samples are written.
    pub fn until_sent(&self, count: usize) {
        self.0.until(&format!("{count} written"), |lines| {
            (events(lines, "sent").count() >= count).then_some(())
        });
    }

    /// SIGKILL: others count it as there until its lease is over.
    pub fn kill(&mut self) {
        self.0.kill();
    }

    /// Ends it in order: its topic goes with a good-bye.
    pub fn end(mut self) {
        assert_eq!(self.0.end(), Some(0));
    }
}

fn events<'l>(lines: &'l [String], event: &'l str) -> impl DoubleEndedIterator<Item = Value> + 'l {
    let values = lines.iter().map(|line| serde_json::from_str::<Value>(line).expect("a peer speaks JSON"));
    values.filter(move |value| value["event"] == event)
}

fn received_in(lines: &[String]) -> Vec<Received> {
    let of = |value: Value| {
        assert_eq!(value["same"], true, "every byte crosses as it is: {value}");
        let number = |name: &str| value[name].as_i64().expect("a number");
        Received { n: number("n") as u64, source_ns: number("source_ns"), received_ns: number("received_ns") }
    };
    events(lines, "received").map(of).collect()
}

/// From the first that came on, each number once and in order.
pub fn assert_none_missing(samples: &[Received]) {
    let numbers: Vec<u64> = samples.iter().map(|sample| sample.n).collect();
    let first = numbers.first().copied().unwrap_or(0);
    assert_eq!(numbers, (first..).take(numbers.len()).collect::<Vec<u64>>());
}

/// Each number later than the one before: nothing twice, nothing out of order.
pub fn assert_ascending(numbers: &[u64]) {
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
}
