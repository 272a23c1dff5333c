//! An image beside Linux, on the same processors (`../../../../monitor/SPEC.md`, MON-110 to MON-113): its nodes have no network to others, a
//! master of their own, and topics that cross to Linux.
//!
//! ```text
//!  a node ─ slot ─► "linux": callback ─► window, bell ─────────► Linux
//!  a node ◄─ slot ─ "linux": a task of class `control` ◄─ bell ─ Linux
//! ```

mod carry;
mod memory;
mod network;

pub use carry::carry;
pub(crate) use memory::{MEMORY, heap, words};
pub(crate) use network::LINES;
pub use network::{acknowledge, device, variable};

use tokkyu_callbacks::Message;
use tokkyu_monitor_topics::Direction;
pub use tokkyu_monitor_topics::Topic;
pub use tokkyu_node_rtos::Wire;
use tokkyu_window::WindowForm;

const fn topic<M: Message>(
    name: &'static str,
    direction: Direction,
    slots: u32,
    bytes: u32,
) -> Topic<'static> {
    let form = match WindowForm::new(slots, bytes) {
        Ok(form) => form,
        Err(_) => panic!("a topic that crosses has slots, and a slot has bytes: see WindowForm::new"),
    };
    Topic { name, kind: M::DATATYPE, md5: M::MD5SUM, definition: M::DEFINITION, direction, form }
}

/// A topic by its global name that nodes here publish and Linux reads: so many messages are kept, of so many bytes at most.
pub const fn to_linux<M: Message>(name: &'static str, slots: u32, bytes: u32) -> Topic<'static> {
    topic::<M>(name, Direction::FromRtos, slots, bytes)
}

/// The same that Linux publishes and nodes here subscribe to.
pub const fn from_linux<M: Message>(name: &'static str, slots: u32, bytes: u32) -> Topic<'static> {
    topic::<M>(name, Direction::FromLinux, slots, bytes)
}
