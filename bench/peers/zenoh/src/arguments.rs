//! The command line of every peer (PEER-1 to PEER-4). A wrong or missing flag ends the program with code 2.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use clap::{Parser, ValueEnum, value_parser};

use crate::sample::{LEAST_BYTES, MOST_BYTES};

/// Far enough from the end of the clock that every tick is before it.
const LATEST_START_NS: u64 = u64::MAX / 4;

/// Which end this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    Send,
    Receive,
}

/// What carries Zenoh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    Tcp,
}

/// How the library is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Variant {
    Default,
    Tuned,
}

/// Zenoh as a peer of tokkyu's drive experiment; see bench/peers/SPEC.md.
#[derive(Clone, Debug, Parser)]
#[command(name = "tokkyu-peer-zenoh", version)]
pub struct Arguments {
    pub role: Role,
    #[arg(long)]
    pub mode: Mode,
    #[arg(long)]
    pub variant: Variant,
    /// The paper's condition: 3 reliable and Block, 2 reliable and Drop, 4 best effort and Drop; there is no 1
    #[arg(long, value_parser = value_parser!(u8).range(2..=4))]
    pub qos: u8,
    #[arg(long, value_parser = value_parser!(u32).range(1..=64))]
    pub images: u32,
    /// Bytes of one sample
    #[arg(long)]
    pub size: usize,
    #[arg(long, value_parser = value_parser!(u64).range(1_000..=10_000_000))]
    pub period_us: u64,
    #[arg(long, value_parser = value_parser!(u32).range(1..=100_000))]
    pub samples: u32,
    /// First tick on CLOCK_MONOTONIC
    #[arg(long, value_parser = value_parser!(u64).range(1..=LATEST_START_NS))]
    pub start_at_ns: u64,
    /// Address of this end
    #[arg(long)]
    pub own: Ipv4Addr,
    /// Address of the other end
    #[arg(long)]
    pub other: Ipv4Addr,
    /// Round trip of the path, 0 if next to nothing
    #[arg(long, value_parser = value_parser!(u64).range(..=10_000_000))]
    pub rtt_us: u64,
    /// Rate of the bottleneck, 0 if unknown
    #[arg(long, value_parser = value_parser!(u64).range(..=1_000_000_000))]
    pub rate_kbit: u64,
    /// How long the sender stays after its last tick
    #[arg(long, value_parser = value_parser!(u64).range(..=600_000))]
    pub drain_ms: u64,
    /// SCHED_FIFO priority asked for
    #[arg(long, value_parser = value_parser!(u8).range(1..=99))]
    pub priority: u8,
    /// Written at the end; must not exist
    #[arg(long)]
    pub records: PathBuf,
    /// Written at the end; must not exist
    #[arg(long)]
    pub summary: PathBuf,
}

impl Arguments {
    /// What the parser of single flags cannot see.
    ///
    /// # Errors
    /// The flag and what it could be.
    pub fn check(&self) -> Result<(), String> {
        let sizes = LEAST_BYTES..=MOST_BYTES;
        if !sizes.contains(&self.size) {
            return Err(format!("--size {}: give {} to {} bytes", self.size, sizes.start(), sizes.end()));
        }
        Ok(())
    }

    /// Tick `number` on `CLOCK_MONOTONIC` (PEER-10).
    pub fn tick_ns(&self, number: u32) -> u64 {
        self.start_at_ns.saturating_add(u64::from(number) * self.period_us * 1_000)
    }

    /// When the sender's time is over (PEER-20).
    pub fn sender_end_ns(&self) -> u64 {
        self.tick_ns(self.samples - 1).saturating_add(self.drain_ms * 1_000_000)
    }

    /// Samples of all cameras.
    pub fn all_samples(&self) -> u64 {
        u64::from(self.images) * u64::from(self.samples)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A good command line, with `changes` at its end.
    pub fn arguments(role: &str, changes: &[&str]) -> Result<Arguments, clap::Error> {
        let good = "--mode tcp --variant default --qos 3 --images 2 --size 1000 --period-us 10000 --samples 5 \
                    --start-at-ns 1000000 --own 127.0.0.1 --other 127.0.0.1 --rtt-us 0 --rate-kbit 0 --drain-ms 300 \
                    --priority 10 --records r.csv --summary s.json";
        let mut words = vec!["peer", role];
        let replaced = |flag: &str| changes.contains(&flag);
        for pair in good.split_whitespace().collect::<Vec<_>>().chunks(2) {
            if !replaced(pair[0]) {
                words.extend(pair);
            }
        }
        words.extend(changes.iter().filter(|word| !word.is_empty()));
        Arguments::try_parse_from(words)
    }

    #[test]
    fn ticks_and_the_end_are_where_the_specification_puts_them() {
        let arguments = arguments("send", &[]).unwrap();
        assert_eq!(arguments.tick_ns(4), 41_000_000);
        assert_eq!(arguments.sender_end_ns(), 341_000_000);
        assert_eq!(arguments.all_samples(), 10);
    }

    #[test]
    fn a_condition_or_value_this_peer_does_not_have_is_refused_by_its_flag() {
        for wrong in [["--qos", "1"], ["--mode", "udp"], ["--priority", "0"], ["--own", "::1"]] {
            let error = arguments("send", &wrong).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(wrong[0]), "{error}");
        }
        for size in ["31", "16777217"] {
            let error = arguments("receive", &["--size", size]).unwrap().check().unwrap_err();
            assert!(error.contains("--size"), "{error}");
        }
        assert!(arguments("send", &["--samples", "100000"]).is_ok());
        assert!(arguments("send", &["--samples", "100001"]).is_err());
        assert!(arguments("fly", &[]).is_err());
    }
}
