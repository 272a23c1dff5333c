//! `tokkyu node`: code for messages, what declared topics take in memory, topics over the link and to an RTOS beside this Linux.

mod beside;
mod bridge;
mod memory;
mod messages;

use clap::Subcommand;
use tokkyu_drive::program::StopFlag;

use crate::exit::Done;

#[derive(Debug, Subcommand)]
pub enum Node {
    Beside(beside::Beside),
    Bridge(Box<bridge::Bridge>),
    Memory(memory::Memory),
    Messages(messages::Messages),
}

impl Node {
    pub fn run(self, stop: &StopFlag) -> Done {
        match self {
            Node::Beside(beside) => beside.run(stop),
            Node::Bridge(bridge) => bridge.run(stop),
            Node::Memory(memory) => memory.run(),
            Node::Messages(messages) => messages.run(),
        }
    }
}
