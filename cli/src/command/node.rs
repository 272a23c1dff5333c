//! `tokkyu node`: code for messages, and what declared topics take in memory.

mod memory;
mod messages;

use clap::Subcommand;

use crate::exit::Done;

#[derive(Debug, Subcommand)]
pub enum Node {
    Memory(memory::Memory),
    Messages(messages::Messages),
}

impl Node {
    pub fn run(&self) -> Done {
        match self {
            Node::Memory(memory) => memory.run(),
            Node::Messages(messages) => messages.run(),
        }
    }
}
