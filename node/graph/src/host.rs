//! What the machine tells the program around it, and what the program gives it to call.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use tokkyu_topic::{Doorbell, Reader, Terms};

use crate::net::ConnId;
use crate::param::Param;
use crate::payload::Payload;

/// How much a line of the log matters, as in ROS.
#[allow(missing_docs)] // each is what its name says
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
    Fatal,
}

/// The program around the machine. Called in the machine's own thread: nothing here may wait.
pub trait Host {
    /// A line for the log.
    fn log(&mut self, level: Level, text: fmt::Arguments<'_>);

    /// Somebody (`rosnode kill`, or a node with the same name) wants the node to end; `caller` is who asks.
    fn on_shutdown(&mut self, caller: &str, reason: &str);

    /// A parameter that is watched has another value.
    fn on_param(&mut self, key: &str, value: Param);

    /// Something in a namespace that is watched has another value: what was told of the namespace is not so any more. [`Command::Watch`](crate::Command::Watch)
    /// asks for it again.
    fn on_param_stale(&mut self, key: &str);
}

/// Where the samples of a link come from. The connection header of roscpp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Its number in this node; another connection to the same publisher has another.
    pub link: u32,
    /// The publisher's name.
    pub callerid: String,
    /// The topic.
    pub topic: String,
    /// `PACKAGE/NAME`.
    pub datatype: String,
    /// The type's md5sum.
    pub md5sum: String,
    /// The type's whole text.
    pub definition: String,
    /// Whether the first sample may be an old one.
    pub is_latched: bool,
}

/// A subscription of the program. It may be called while its thread reads.
pub trait Subscriber: Send + Sync {
    /// How its links join.
    fn terms(&self) -> Terms;

    /// What rings when a sample has come, and at which source.
    fn bell(&self) -> (Arc<dyn Doorbell>, u32);

    /// One more publisher.
    fn on_publisher(&self, origin: Arc<Origin>, reader: Reader<Payload>);

    /// One more publisher, in another process of this device: its topic is opened by the name `lender`. Returns what it is to be told; or why it cannot
    /// be opened. It counts once [`Subscriber::on_linked`] says so.
    fn borrow(&self, origin: &Arc<Origin>, lender: &str) -> Result<Listening, String> {
        let _ = (origin, lender);
        Err("this subscription does not share memory".into())
    }

    /// The publisher of that number, which we borrow from, knows of us.
    fn on_linked(&self, link: u32) {
        let _ = link;
    }

    /// The publisher of that number is gone. What it sent is still to be read. It may be one that had no room for this subscription.
    fn on_gone(&self, link: u32);
}

/// How a subscription listens to a publisher in another process of its device (NODE-81).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    /// The bell that is to be rung.
    pub bell: String,
    /// At which source.
    pub source: u32,
    /// Of a reliable subscription: where it says what it has taken (NODE-86).
    pub receipts: Option<Receipts>,
}

/// Where a reliable subscription says which samples it has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipts {
    /// Which word beside the bell.
    pub word: u32,
    /// Samples that its queue has room for.
    pub depth: u32,
}

/// A topic of ours in memory that other processes of the device share (NODE-80).
pub trait Lending: Send + Sync {
    /// What a subscriber in another process opens it by. It is made when the first one asks.
    ///
    /// # Errors
    ///
    /// Why it cannot be lent, for people.
    fn begin(&self) -> Result<String, String>;

    /// A subscriber has opened it, and is woken from now on; what is latched is there for it. Returns the bell's number.
    ///
    /// # Errors
    ///
    /// Why it cannot be woken, for people.
    fn add(&self, listening: &Listening) -> Result<u32, String>;

    /// That bell is not rung any more.
    fn remove(&self, bell: u32);

    /// A subscriber's process may have died: what it had is taken back.
    fn reclaim(&self);
}

/// What is said to who subscribes to a topic of ours, and who leaves again: roscpp's connect and disconnect callbacks.
pub trait Audience: Send + Sync {
    /// Somebody subscribes. So many do now.
    fn on_subscriber(&self, callerid: &str, count: u32);

    /// Somebody has left. So many are left.
    fn on_left(&self, callerid: &str, count: u32);
}

/// A request to a service of ours. It is answered by [`Command::Answer`](crate::Command::Answer).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Which connection waits.
    pub asker: ConnId,
    /// Who asks.
    pub callerid: String,
    /// The request in its wire form.
    pub bytes: Vec<u8>,
}

/// A service of the program.
pub trait Handler: Send + Sync {
    /// Takes the request; it is answered later, in the program's own thread.
    fn on_request(&self, request: Request);

    /// Who asked has left: nobody hears the answer. One that has not begun need not.
    fn on_left(&self, asker: ConnId) {
        let _ = asker;
    }
}

/// What could not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The topic is known here with another type.
    Type {
        /// What it is asked for with.
        wanted: String,
        /// What it has.
        have: String,
    },
    /// The service is offered here already.
    Offered,
    /// The master refused.
    Master(String),
    /// The master did not answer in time.
    NoAnswer,
    /// The node ends.
    Ending,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Type { wanted, have } => {
                write!(
                    f,
                    "the topic has type {have} in this node, and {wanted} is another; use one of them for both"
                )
            }
            Failure::Offered => f.write_str("this node offers the service already"),
            Failure::Master(said) => write!(f, "the master refused: {said}"),
            Failure::NoAnswer => {
                f.write_str("the master did not answer in time; is it there (ROS_MASTER_URI)?")
            }
            Failure::Ending => f.write_str("the node is ending"),
        }
    }
}

impl core::error::Error for Failure {}

/// Told once how something ended. Must not wait.
pub type Done<T> = Box<dyn FnOnce(Result<T, Failure>) + Send>;
