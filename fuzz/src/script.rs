//! A conversation as bytes: what a fuzz input for a session means, and how a seed for it is written.
//!
//! Step: what u8 (0 datagram, 1 datagram marked Congestion Experienced, 2 publish, 3 an endpoint goes and
//! comes again, 4 datagram on the second path, 5 a path opens, 6 a path goes, anything else: only time passes),
//! wait u8, length u16 little-endian, that many bytes. A length beyond the end takes what is left.

use std::time::Duration;
use tokkyu_link::core::{PathId, SessionConfig};

/// The session under test. Small datagrams and a small bound, so that small inputs have samples of many shards and
/// reach the bound.
pub fn session_config() -> SessionConfig {
    SessionConfig { max_datagram: 256, memory_bytes: 64 << 10, ..SessionConfig::default() }
}

/// What happens in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// The peer's datagram arrives.
    Datagram {
        /// On this path.
        path: PathId,
        /// Marked Congestion Experienced.
        ce: bool,
    },
    /// The application publishes the bytes.
    Publish,
    /// The application withdraws an endpoint and announces it again: by the number of bytes, modulo 4, the first
    /// publication, the first subscription, the second publication, the second subscription.
    Replace,
    /// A path opens, or opens anew: by the number of bytes, modulo 4.
    Open,
    /// A path goes: by the number of bytes, modulo 4.
    Close,
    /// Nothing.
    Wait,
}

/// One step.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// What happens.
    pub what: Happening,
    /// Time that passes before it.
    pub wait: Duration,
    /// The datagram or the sample.
    pub bytes: &'a [u8],
}

/// The steps in an input.
pub fn steps(input: &[u8]) -> impl Iterator<Item = Step<'_>> {
    raw_steps(input).map(|(what, wait, bytes)| Step { what: happening(what), wait, bytes })
}

/// The steps in an input as they are: what, the time that passes before it, the bytes.
pub(crate) fn raw_steps(mut input: &[u8]) -> impl Iterator<Item = (u8, Duration, &[u8])> {
    std::iter::from_fn(move || {
        let ([what, wait, low, high], rest) = input.split_first_chunk()?;
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (bytes, after) = rest.split_at(length);
        input = after;
        Some((*what, span(*wait), bytes))
    })
}

/// Adds a step to an input.
///
/// # Panics
/// When `bytes` are more than 65 535.
pub fn push_step(input: &mut Vec<u8>, what: u8, wait: u8, bytes: &[u8]) {
    let length = u16::try_from(bytes.len()).expect("a datagram");
    input.extend([what, wait]);
    input.extend(length.to_le_bytes());
    input.extend(bytes);
}

fn happening(what: u8) -> Happening {
    match what {
        0 => Happening::Datagram { path: PathId::FIRST, ce: false },
        1 => Happening::Datagram { path: PathId::FIRST, ce: true },
        2 => Happening::Publish,
        3 => Happening::Replace,
        4 => Happening::Datagram { path: PathId(1), ce: false },
        5 => Happening::Open,
        6 => Happening::Close,
        _ => Happening::Wait,
    }
}

/// 100 µs a unit, and from 200 on whole seconds, so that leases, lifespans and wrapped clocks are reached.
fn span(wait: u8) -> Duration {
    match wait {
        0..200 => Duration::from_micros(u64::from(wait) * 100),
        _ => Duration::from_secs(1 << ((wait - 200) / 4)),
    }
}
