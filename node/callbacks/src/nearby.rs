//! Nodes of one program, on a system that has no other programs: they read each other's slots (NODE-119).
//!
//! A publisher's channel is found by a name that its node tells the other one over TCPROS, as with shared memory: the connection tells each that the
//! other lives, and everything else goes through the channel.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::{Arc, Weak};

use tokkyu_graph::Payload;
use tokkyu_topic::Channel;

use crate::port::port;
use crate::sync::{Mutex, Once};

/// What such names begin with.
const PREFIX: &str = "slots-";

#[derive(Default)]
struct Channels {
    by_name: BTreeMap<String, Weak<Channel<Payload>>>,
    added: u64,
}

static CHANNELS: Mutex<Option<Channels>> = Mutex::new(None);

/// What the nodes of this program say, and no others.
pub(crate) fn device() -> String {
    static DEVICE: Once<String> = Once::new();
    match DEVICE.get() {
        Some(device) => device.clone(),
        None => DEVICE.get_or_set(format!("{:032x}", port().unlikely_number())).clone(),
    }
}

/// The name of a channel for other nodes, for as long as the channel lives.
pub(crate) fn name(channel: &Arc<Channel<Payload>>) -> String {
    let mut channels = CHANNELS.lock();
    let channels = channels.get_or_insert_default();
    channels.by_name.retain(|_, channel| channel.strong_count() > 0);
    let name = format!("{PREFIX}{}", channels.added);
    channels.added += 1;
    channels.by_name.insert(name.clone(), Arc::downgrade(channel));
    name
}

/// Whether it is such a name.
pub(crate) fn is_name(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// The channel of that name.
pub(crate) fn find(name: &str) -> Option<Arc<Channel<Payload>>> {
    CHANNELS.lock().as_ref()?.by_name.get(name)?.upgrade()
}
