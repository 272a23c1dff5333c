//! What the program asks of the machine.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_contract::Class;
use tokkyu_topic::Channel;

use crate::host::{Audience, Done, Failure, Handler, Lending, Subscriber};
use crate::net::ConnId;
use crate::payload::Payload;

/// The type of a topic or a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// `PACKAGE/NAME`; `*`: any.
    pub datatype: String,
    /// 32 hexadecimal digits; `*`: any.
    pub md5sum: String,
    /// The whole text; of a service nothing.
    pub definition: String,
}

impl Kind {
    /// Whether two ends with these types understand each other.
    pub fn fits(&self, datatype: &str, md5sum: &str) -> bool {
        let same = |own: &str, other: &str| own == "*" || other == "*" || own == other;
        same(&self.md5sum, md5sum) && same(&self.datatype, datatype)
    }
}

/// Whether two types in one node fit, and what to say if not.
pub(crate) fn check_kind(wanted: &Kind, have: &Kind) -> Result<(), Failure> {
    if have.fits(&wanted.datatype, &wanted.md5sum) {
        return Ok(());
    }
    let text = |kind: &Kind| alloc::format!("{} [{}]", kind.datatype, kind.md5sum);
    Err(Failure::Type { wanted: text(wanted), have: text(have) })
}

/// A topic that the node publishes from now on. Names are global ones: resolved, renamed.
pub struct Advertise {
    /// Its name.
    pub topic: String,
    /// Its type.
    pub kind: Kind,
    /// The queue of each link over the network.
    pub depth: u32,
    /// How much its samples matter.
    pub class: Class,
    /// What the publisher publishes in; it keeps the last sample if the topic is latched.
    pub channel: Arc<Channel<Payload>>,
    /// Who wants to know of subscribers.
    pub audience: Option<Arc<dyn Audience>>,
    /// The same topic in shared memory, if it can be had there.
    pub lending: Option<Arc<dyn Lending>>,
    /// Told when the master knows, or why it never will.
    pub done: Done<()>,
}

/// A subscription that the node has from now on.
pub struct Subscribe {
    /// The topic's name.
    pub topic: String,
    /// Its type.
    pub kind: Kind,
    /// How much its samples matter.
    pub class: Class,
    /// Whether publishers are to send small messages at once.
    pub no_delay: bool,
    /// The longest message, bytes.
    pub longest: usize,
    /// Memory of each slot at the beginning, bytes.
    pub slot_bytes: usize,
    /// Who reads.
    pub subscriber: Arc<dyn Subscriber>,
    /// Told when the master knows, or why it never will.
    pub done: Done<()>,
}

/// A service that the node offers from now on.
pub struct Offer {
    /// Its name.
    pub service: String,
    /// Its type.
    pub kind: Kind,
    /// The longest request, bytes.
    pub longest: usize,
    /// Who answers.
    pub handler: Arc<dyn Handler>,
    /// Told when the master knows, or why it never will.
    pub done: Done<()>,
}

/// A call to the master, as the program wrote it.
pub struct Call {
    /// The document of XML-RPC.
    pub body: String,
    /// Whether it waits for a master that is not there.
    pub waits: bool,
    /// Told with the document of the answer.
    pub done: Done<Vec<u8>>,
}

/// Something to do.
#[allow(clippy::large_enum_variant)] // there are a handful in a node's life
pub enum Command {
    /// Publish a topic.
    Advertise(Advertise),
    /// Publish it no more.
    Unadvertise {
        /// Its name.
        topic: String,
    },
    /// Subscribe to a topic.
    Subscribe(Subscribe),
    /// Subscribe no more.
    Unsubscribe {
        /// The topic's name.
        topic: String,
        /// Who read.
        subscriber: Arc<dyn Subscriber>,
    },
    /// Offer a service.
    Offer(Offer),
    /// Offer it no more.
    Withdraw {
        /// Its name.
        service: String,
    },
    /// The answer to a request.
    Answer {
        /// Who asked.
        asker: ConnId,
        /// The answer in its wire form, or why there is none.
        answer: Result<Vec<u8>, String>,
    },
    /// Call the master.
    Call(Call),
    /// Tell of each change of a parameter, and of its value now; of one that is watched already its value now.
    Watch {
        /// The parameter's name.
        key: String,
    },
    /// End.
    Shutdown,
}
