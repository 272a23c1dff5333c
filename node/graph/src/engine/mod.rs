//! The machine: events in, calls of [`Net`] and [`Host`] out.

mod borrow;
mod greet;
mod lend;
mod master;
mod offer;
mod publish;
mod slave;
mod subscribe;
mod watch;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

use tokkyu_contract::{Class, MonoTime};
use tokkyu_topic::Doorbell;

use crate::command::Command;
use crate::connection::{After, Connection, Connections, GREETING_PATIENCE, Role, SLAVE_PATIENCE};
use crate::host::{Failure, Host, Level};
use crate::master::Master;
use crate::net::{ConnId, Listener, Net};
use crate::offered::Offered;
use crate::profile::Profile;
use crate::publication::Publication;
use crate::subscription::Subscription;
use crate::watched::Watched;

/// What a node is, before it does anything.
#[derive(Clone)]
pub struct Identity {
    /// Its global name.
    pub name: String,
    /// Host and port of the master.
    pub master: (String, u16),
    /// What other nodes reach this machine by (NODE-47).
    pub host: String,
    /// The port of the slave API.
    pub slave_port: u16,
    /// The port of TCPROS.
    pub data_port: u16,
    /// The process's number.
    pub pid: i32,
    /// What tells processes that share memory with this one from others (NODE-80). Nothing: none does.
    pub device: Option<String>,
    /// What it may take.
    pub profile: Profile,
    /// What samples that are to be sent ring, at the source that is their class's code.
    pub bell: Arc<dyn Doorbell>,
}

impl Identity {
    /// Where the slave API is.
    pub fn slave_uri(&self) -> String {
        alloc::format!("http://{}:{}/", self.host, self.slave_port)
    }

    /// Where services are.
    pub fn service_uri(&self) -> String {
        alloc::format!("rosrpc://{}:{}", self.host, self.data_port)
    }

    /// The master's address, as others write it.
    pub fn master_uri(&self) -> String {
        alloc::format!("http://{}:{}/", self.master.0, self.master.1)
    }
}

/// What may be done with a connection just now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// There are bytes to read, or it is over.
    pub is_readable: bool,
    /// There is room to write, or it has connected.
    pub is_writable: bool,
}

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Which one.
    pub id: ConnId,
    /// How much it matters: what is ready is served in this order (NODE-57).
    pub class: Class,
    /// Whether it waits for bytes.
    pub reads: bool,
    /// Whether it waits for room.
    pub writes: bool,
    /// Whether it waits for the other end to close, though not for bytes; with [`Wants::reads`] that is told anyway.
    pub hears_end: bool,
}

/// A node, without its threads.
pub struct Engine<N, H> {
    pub(crate) net: N,
    pub(crate) host: H,
    pub(crate) identity: Identity,
    pub(crate) now: MonoTime,
    pub(crate) connections: Connections,
    pub(crate) master: Master,
    pub(crate) publications: BTreeMap<String, Publication>,
    pub(crate) subscriptions: BTreeMap<String, Subscription>,
    pub(crate) offers: BTreeMap<String, Offered>,
    /// Parameters that are watched.
    pub(crate) watched: BTreeMap<String, Watched>,
    /// The number of the next link.
    pub(crate) next_link: u32,
    /// Since when the node ends.
    pub(crate) ending: Option<MonoTime>,
}

impl<N: Net, H: Host> Engine<N, H> {
    /// A node that has nothing yet. Both ports of `identity` are listened on already.
    pub fn new(identity: Identity, net: N, host: H, now: MonoTime) -> Engine<N, H> {
        let connections = Connections::new(identity.profile.connections);
        Engine {
            net,
            host,
            identity,
            now,
            connections,
            master: Master::new(),
            publications: BTreeMap::new(),
            subscriptions: BTreeMap::new(),
            offers: BTreeMap::new(),
            watched: BTreeMap::new(),
            next_link: 0,
            ending: None,
        }
    }

    /// The network, to wait on it.
    pub fn net(&self) -> &N {
        &self.net
    }

    /// The network, to tell it what happened.
    pub fn net_mut(&mut self) -> &mut N {
        &mut self.net
    }

    /// The program wants something.
    pub fn on_command(&mut self, now: MonoTime, command: Command) {
        self.now = now;
        match command {
            Command::Advertise(wanted) => self.advertise(wanted),
            Command::Unadvertise { topic } => self.unadvertise(&topic),
            Command::Subscribe(wanted) => self.subscribe(wanted),
            Command::Unsubscribe { topic, subscriber } => self.unsubscribe(&topic, &subscriber),
            Command::Offer(wanted) => self.offer(wanted),
            Command::Withdraw { service } => self.withdraw(&service),
            Command::Answer { asker, answer } => self.answer(asker, answer),
            Command::Call(call) if self.ending.is_none() => self.master.add_call(call, now),
            Command::Call(call) => (call.done)(Err(Failure::Ending)),
            Command::Watch { key } => self.watch(key),
            Command::Shutdown => self.begin_to_end(),
        }
        self.pump_master();
    }

    /// Whether somebody who connects would be accepted: if not, the listeners are not to be waited for.
    pub fn has_room(&self) -> bool {
        self.connections.has_room()
    }

    /// Somebody has connected.
    pub fn on_accept(&mut self, now: MonoTime, listener: Listener) {
        self.now = now;
        while let Some(id) = self.connections.free() {
            if self.net.accept(listener, id).is_none() {
                return;
            }
            let (role, patience) = match listener {
                Listener::Slave => (Role::Slave, SLAVE_PATIENCE),
                Listener::Data => (Role::Greeting, GREETING_PATIENCE),
            };
            let mut connection = Connection::new(role, Class::BestEffort);
            connection.deadline = Some(now + patience);
            self.connections.put(id, connection);
        }
    }

    /// Something may be done with a connection.
    pub fn on_ready(&mut self, now: MonoTime, id: ConnId, ready: Ready) {
        self.now = now;
        self.serve(id, |engine, connection| engine.on_ready_connection(id, connection, ready));
        self.pump_master();
    }

    /// Samples of these classes, a bit for each code, are there to be sent.
    pub fn on_bell(&mut self, now: MonoTime, classes: u32) {
        self.now = now;
        for class in Class::ALL {
            if classes & 1 << class.code() == 0 {
                continue;
            }
            let is_due = |connection: &Connection| {
                connection.class == class
                    && !connection.waits_for_room
                    && matches!(connection.role, Role::Sending(_))
            };
            for id in self.connections.ids(is_due) {
                self.serve(id, |engine, connection| engine.pump_sending(id, connection));
            }
        }
    }

    /// Time has passed.
    pub fn on_time(&mut self, now: MonoTime) {
        self.now = now;
        let is_late = |connection: &Connection| connection.deadline.is_some_and(|deadline| deadline <= now);
        for id in self.connections.ids(is_late) {
            self.serve(id, |_, _| After::End);
        }
        self.ask_publishers_that_are_due();
        self.pump_master();
    }

    /// When [`Engine::on_time`] has something to do.
    pub fn next_deadline(&self) -> Option<MonoTime> {
        let connections = self.connections.iter().filter_map(|(_, connection)| connection.deadline);
        connections
            .chain(self.next_asking())
            .chain(self.master_deadline())
            .chain(self.ending.map(end_of))
            .min()
    }

    /// All connections, with what they wait for.
    pub fn wants(&self) -> impl Iterator<Item = Wants> {
        self.connections.iter().map(|(id, connection)| Wants {
            id,
            class: connection.class,
            reads: connection.is_listened_to(),
            writes: connection.waits_for_room || connection.has_output(),
            hears_end: matches!(&connection.role, Role::Serving(serving) if serving.is_busy),
        })
    }

    /// Whether everything is over after [`Command::Shutdown`].
    pub fn is_over(&self) -> bool {
        self.ending.is_some_and(|since| self.master.has_nothing_to_do() || self.now >= end_of(since))
    }

    /// Takes a connection out, does something with it, and puts it back or ends it.
    pub(crate) fn serve(&mut self, id: ConnId, act: impl FnOnce(&mut Self, &mut Connection) -> After) {
        let Some(mut connection) = self.connections.take(id) else { return };
        match act(self, &mut connection) {
            After::Stay => self.connections.put(id, connection),
            After::End => {
                self.net.close(id);
                self.connections.free_place(id);
                self.on_end(id, connection);
            }
        }
    }

    fn on_ready_connection(&mut self, id: ConnId, connection: &mut Connection, ready: Ready) -> After {
        if ready.is_writable && self.on_writable(id, connection) == After::End {
            return After::End;
        }
        if !ready.is_readable {
            return After::Stay;
        }
        match &connection.role {
            Role::Slave => self.on_slave(id, connection),
            Role::Master => self.on_master(id, connection),
            Role::Asking(_) => self.on_asking(id, connection),
            Role::Greeting => self.on_greeting(id, connection),
            Role::Sending(_) => self.on_subscriber_speaks(id, connection),
            Role::Joining(_) => self.on_joining(id, connection),
            Role::Receiving(..) => self.on_receiving(id, connection),
            Role::Lending(_) => self.on_borrower_speaks(id, connection),
            Role::Borrowing(..) => self.on_borrowing(id, connection),
            Role::Serving(_) => self.on_serving(id, connection),
        }
    }

    fn on_writable(&mut self, id: ConnId, connection: &mut Connection) -> After {
        if matches!(connection.role, Role::Master) {
            self.on_master_connected(id, connection);
        }
        match connection.flush(&mut self.net, id) {
            After::Stay if connection.has_output() => After::Stay,
            // What it has asked meanwhile.
            After::Stay if matches!(connection.role, Role::Slave) => self.on_slave(id, connection),
            After::Stay => self.pump_sending(id, connection),
            After::End => After::End,
        }
    }

    /// A connection is over: who had it hears of it.
    fn on_end(&mut self, id: ConnId, connection: Connection) {
        match connection.role {
            Role::Slave | Role::Greeting => {}
            Role::Serving(serving) => self.on_client_left(id, &serving),
            Role::Master => self.on_master_lost(),
            Role::Asking(key) | Role::Joining(key) => self.on_link_lost(id, &key),
            Role::Sending(sending) => self.on_subscriber_left(&sending),
            Role::Lending(borrower) => self.on_borrower_left(&borrower),
            Role::Borrowing(key, borrowing) => {
                borrowing.on_gone();
                self.on_link_lost(id, &key);
            }
            Role::Receiving(key, receiving) => {
                self.on_publisher_left(&key, &receiving);
                self.on_link_lost(id, &key);
            }
        }
    }

    fn begin_to_end(&mut self) {
        self.ending = self.ending.or(Some(self.now));
        let topics: alloc::vec::Vec<String> = self.publications.keys().cloned().collect();
        topics.iter().for_each(|topic| self.unadvertise(topic));
        let services: alloc::vec::Vec<String> = self.offers.keys().cloned().collect();
        services.iter().for_each(|service| self.withdraw(service));
        self.unsubscribe_all();
        self.master.drop_calls();
    }

    pub(crate) fn log(&mut self, level: Level, text: fmt::Arguments<'_>) {
        self.host.log(level, text);
    }
}

/// Unregistering takes no longer (NODE-59).
fn end_of(since: MonoTime) -> MonoTime {
    since + core::time::Duration::from_secs(1)
}
