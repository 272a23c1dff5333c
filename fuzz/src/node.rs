//! A node's surroundings as bytes: what a fuzz input for the node's machine means, and how a seed for it is written.
//!
//! Step: what u8, wait u8, length u16 little-endian, that many bytes. A length beyond the end takes what is left. What it is stands in the low half
//! of the first byte, how many bytes the network takes and gives at once in the high one: all, or 2 to the power of 1 to 15.

use std::time::Duration;

use crate::script::raw_steps;

/// What happens in a step. `at`: which of the connections that there are, the oldest first, modulo their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeEvent<'a> {
    /// Somebody connects to the slave API, or to TCPROS, and sends something.
    Connects {
        /// To TCPROS.
        to_data: bool,
        /// What is sent.
        bytes: &'a [u8],
    },
    /// So many connect, and say nothing.
    Flood {
        /// To TCPROS.
        to_data: bool,
        /// How many.
        count: usize,
    },
    /// Something arrives.
    Arrives {
        /// At which connection.
        at: u8,
        /// What.
        bytes: &'a [u8],
    },
    /// The other end closes.
    Closes {
        /// Which connection.
        at: u8,
    },
    /// The other end accepts, or takes some of what was written to it.
    Takes {
        /// Of which connection.
        at: u8,
        /// How many bytes more.
        bytes: usize,
    },
    /// The program asks for something.
    Asks {
        /// What.
        what: u8,
        /// Of which topic, service or parameter.
        which: u8,
        /// A sample, a request's answer.
        bytes: &'a [u8],
    },
    /// Only time passes.
    Nothing,
}

/// One step.
#[derive(Clone, Copy, Debug)]
pub struct NodeStep<'a> {
    /// What happens.
    pub what: NodeEvent<'a>,
    /// Time that passes before it.
    pub wait: Duration,
    /// What the network takes and gives at once, bytes.
    pub piece: usize,
}

/// The steps in an input.
pub fn node_steps(input: &[u8]) -> impl Iterator<Item = NodeStep<'_>> {
    raw_steps(input).map(|(what, wait, bytes)| {
        let piece = if what >> 4 == 0 { usize::MAX } else { 1 << (what >> 4) };
        NodeStep { what: event(what & 15, bytes), wait, piece }
    })
}

fn event(what: u8, bytes: &[u8]) -> NodeEvent<'_> {
    let (first, rest) = bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest));
    match what {
        0 => NodeEvent::Connects { to_data: false, bytes },
        1 => NodeEvent::Connects { to_data: true, bytes },
        2 => NodeEvent::Arrives { at: first, bytes: rest },
        3 => NodeEvent::Closes { at: first },
        4 => NodeEvent::Takes { at: first, bytes: usize::MAX },
        5 => NodeEvent::Takes { at: first, bytes: rest.len() },
        6 => {
            let (which, rest) = rest.split_first().map_or((0, rest), |(which, rest)| (*which, rest));
            NodeEvent::Asks { what: first, which, bytes: rest }
        }
        7 => NodeEvent::Flood { to_data: first % 2 == 1, count: rest.len() * 40 },
        _ => NodeEvent::Nothing,
    }
}
