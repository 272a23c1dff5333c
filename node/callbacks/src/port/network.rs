//! Sockets: those of the node's thread, which never wait for one alone, and those of a program that waits for an answer.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::net::IpAddr;
use core::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_graph::{ConnId, Listener, Net, Ready, Wants};
use tokkyu_topic::Doorbell;

/// The source of the node's bell that [`Sockets`] ring when a name was looked up; commands ring it too. Samples ring that of their class.
pub const NOTICE: u32 = 30;

/// How long somebody waits; nothing: as long as it takes.
pub type Patience = Option<Duration>;

/// The node's sockets, and the bell that wakes its thread from waiting for them.
pub type Listening = (Arc<dyn NetworkBell>, Box<dyn Sockets>);

/// The system's network.
pub trait Network {
    /// Listens on two free ports of `address`, and makes the bell that wakes [`Sockets::poll`].
    ///
    /// # Errors
    ///
    /// [`NetworkError`].
    fn listen(&self, address: IpAddr) -> Result<Listening, NetworkError>;

    /// Connects, and waits until that is done.
    ///
    /// # Errors
    ///
    /// Why not, for people.
    fn connect(&self, host: &str, port: u16) -> Result<Box<dyn Stream>, String>;

    /// Whether that host is this machine, by its name or a loopback address.
    fn is_here(&self, host: &str, port: u16) -> bool;

    /// What others reach this machine by, if nobody says something else.
    fn machine_name(&self) -> String;
}

/// Sockets cannot be had.
#[derive(Debug)]
pub enum NetworkError {
    /// The system refuses something.
    System {
        /// What was tried.
        what: &'static str,
        /// What it said.
        error: String,
    },
    /// The address cannot be listened on; for people, with what to do.
    Listen(String),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::System { what, error } => write!(f, "{what}: {error}"),
            NetworkError::Listen(text) => f.write_str(text),
        }
    }
}

impl core::error::Error for NetworkError {}

/// The bell of the node's thread: it sleeps in [`Sockets::poll`] alone.
pub trait NetworkBell: Doorbell {
    /// The sources that rang since the last answer, a bit each.
    fn answer(&self) -> u32;

    /// The thread is about to poll. False: something rang since the last answer, and it must not wait.
    fn rest(&self) -> bool;
}

/// The node's sockets: two that listen, and all connections.
pub trait Sockets: Net + Send {
    /// The port of a listener.
    fn port(&self, of: Listener) -> u16;

    /// Connections whose names are looked up now. They are connecting, or have failed, which reading tells.
    fn found(&mut self) -> Vec<ConnId>;

    /// Waits until one of these connections is ready, somebody connects (unless `accepts` is false: there is no room), the bell rings, or until that
    /// time. What is ready is put into `polled`, whose own content is forgotten. It may wake for nothing.
    fn poll(&mut self, wants: &[Wants], accepts: bool, until: Option<MonoTime>, polled: &mut Polled);
}

/// What a poll has found.
#[derive(Debug, Default)]
pub struct Polled {
    /// Connections that are ready, and for what.
    pub ready: Vec<(Wants, Ready)>,
    /// Listeners at which somebody waits.
    pub connecting: Vec<Listener>,
}

/// A connection that waits: for a program that has nothing else to do until it is answered.
pub trait Stream: Send {
    /// So long may a read take.
    ///
    /// # Errors
    ///
    /// Why it cannot be said, for people.
    fn set_patience(&self, patience: Patience) -> Result<(), String>;

    /// Whether the other end has not closed it. Waits for nothing.
    fn is_open(&self) -> bool;

    /// What ends it from another thread.
    ///
    /// # Errors
    ///
    /// Why there is none, for people.
    fn ender(&self) -> Result<Arc<dyn Ender>, String>;

    /// Writes all of it.
    ///
    /// # Errors
    ///
    /// Why not, for people.
    fn write(&mut self, bytes: &[u8]) -> Result<(), String>;

    /// Reads what is there, at least one byte unless the other end has closed it.
    ///
    /// # Errors
    ///
    /// Why not, for people; also that patience is over.
    fn read(&mut self, into: &mut [u8]) -> Result<usize, String>;
}

/// Ends a connection whose owner waits for it.
pub trait Ender: Send + Sync {
    /// It is over from now on.
    fn end(&self);
}
