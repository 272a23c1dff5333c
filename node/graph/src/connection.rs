//! One connection, whatever it is for, and all of them.

use alloc::vec::Vec;
use core::time::Duration;

use tokkyu_contract::{Class, MonoTime};

use crate::borrowing::Borrowing;
use crate::lending::Borrower;
use crate::link::LinkKey;
use crate::net::{ConnId, Io, Net, TURN};
use crate::receiving::Receiving;
use crate::sending::Sending;
use crate::serving::Serving;

/// What a connection is for.
pub(crate) enum Role {
    /// Somebody calls our slave API.
    Slave,
    /// We call the master.
    Master,
    /// We ask a publisher's node how to reach it.
    Asking(LinkKey),
    /// Somebody connected to TCPROS and has not said yet what for.
    Greeting,
    /// A subscriber of ours.
    Sending(Sending),
    /// A publisher that has not sent its header yet.
    Joining(LinkKey),
    /// A publisher of ours.
    Receiving(LinkKey, Receiving),
    /// A subscriber that reads our topic in shared memory.
    Lending(Borrower),
    /// A publisher whose topic we read in shared memory.
    Borrowing(LinkKey, Borrowing),
    /// A client of a service of ours.
    Serving(Serving),
}

impl Role {
    /// Whether it is a subscriber's of that topic of ours.
    pub(crate) fn publishes(&self, topic: &str) -> bool {
        match self {
            Role::Sending(sending) => sending.topic == topic,
            Role::Lending(borrower) => borrower.topic == topic,
            _ => false,
        }
    }

    /// Whether it is a linked publisher's of that topic.
    pub(crate) fn subscribes(&self, topic: &str) -> bool {
        matches!(self, Role::Receiving(key, _) | Role::Borrowing(key, _) if key.topic == topic)
    }
}

/// What becomes of a connection after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    Stay,
    End,
}

/// A connection with what has come and what is still to go.
pub(crate) struct Connection {
    pub(crate) role: Role,
    pub(crate) class: Class,
    /// Read and not yet understood.
    pub(crate) input: Vec<u8>,
    /// To be written.
    output: Vec<u8>,
    /// Of `output`, written already.
    written: usize,
    /// It ends then, whatever it does.
    pub(crate) deadline: Option<MonoTime>,
    /// It ends once everything is written.
    pub(crate) ends_when_written: bool,
    /// Whether it waits for room to write.
    pub(crate) waits_for_room: bool,
}

/// What reading brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    /// The other end will send nothing more.
    pub(crate) is_over: bool,
    /// Bytes that came.
    pub(crate) bytes: usize,
}

/// The header is there within this.
pub(crate) const GREETING_PATIENCE: Duration = Duration::from_secs(5);
/// A connection may say nothing for so long.
pub(crate) const SLAVE_PATIENCE: Duration = Duration::from_secs(60);
const CHUNK: usize = 4096;

impl Connection {
    pub(crate) fn new(role: Role, class: Class) -> Connection {
        Connection {
            role,
            class,
            input: Vec::new(),
            output: Vec::new(),
            written: 0,
            deadline: None,
            ends_when_written: false,
            waits_for_room: false,
        }
    }

    /// Reads what has come behind `input`, until that is `most` bytes long.
    pub(crate) fn receive(&mut self, net: &mut impl Net, id: ConnId, most: usize) -> Received {
        let before = self.input.len();
        let most = most.min(before + TURN);
        let mut is_over = false;
        while self.input.len() < most {
            let have = self.input.len();
            self.input.resize((have + CHUNK.max(have)).min(most), 0);
            let io = net.read(id, &mut self.input[have..]);
            self.input.truncate(have + if let Io::Done(count) = io { count } else { 0 });
            match io {
                Io::Done(_) => {}
                Io::Later => break,
                Io::Over => {
                    is_over = true;
                    break;
                }
            }
        }
        Received { is_over, bytes: self.input.len() - before }
    }

    /// `used` bytes of `input` are understood.
    pub(crate) fn consume(&mut self, used: usize) {
        self.input.drain(..used.min(self.input.len()));
    }

    /// Puts bytes behind what is to be written.
    pub(crate) fn queue(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
    }

    /// Whether what comes is read now: not while the answer to what came before is on its way.
    pub(crate) fn is_listened_to(&self) -> bool {
        match &self.role {
            Role::Slave => !self.has_output(),
            Role::Serving(serving) => !serving.is_busy,
            _ => true,
        }
    }

    pub(crate) fn has_output(&self) -> bool {
        self.written < self.output.len()
    }

    /// Writes as much as goes.
    pub(crate) fn flush(&mut self, net: &mut impl Net, id: ConnId) -> After {
        self.waits_for_room = false;
        while self.has_output() {
            match net.write(id, [&self.output[self.written..], &[]]) {
                Io::Done(count) => self.written += count,
                Io::Later => {
                    self.waits_for_room = true;
                    return After::Stay;
                }
                Io::Over => return After::End,
            }
        }
        self.output.clear();
        self.written = 0;
        if self.ends_when_written { After::End } else { After::Stay }
    }
}

/// All connections, by number.
pub(crate) struct Connections {
    places: Vec<Place>,
    most: usize,
}

struct Place {
    /// How often the place was used, so that an event for a former connection finds nobody.
    uses: u16,
    is_taken: bool,
    /// Nothing also while the connection is being served.
    connection: Option<Connection>,
}

impl Connections {
    pub(crate) fn new(most: usize) -> Connections {
        Connections { places: Vec::new(), most: most.min(1 << 16) }
    }

    /// A number for a connection that may come. Nothing: there are as many as may be.
    pub(crate) fn free(&mut self) -> Option<ConnId> {
        let at = match self.places.iter().position(|place| !place.is_taken) {
            Some(at) => at,
            None if self.places.len() < self.most => {
                self.places.push(Place { uses: 0, is_taken: false, connection: None });
                self.places.len() - 1
            }
            None => return None,
        };
        Some(ConnId(u32::from(self.places[at].uses) << 16 | at as u32))
    }

    /// Whether there is room for one more.
    pub(crate) fn has_room(&self) -> bool {
        self.places.len() < self.most || self.places.iter().any(|place| !place.is_taken)
    }

    fn place(&mut self, id: ConnId) -> Option<&mut Place> {
        let place = self.places.get_mut((id.0 & 0xffff) as usize)?;
        (u32::from(place.uses) == id.0 >> 16).then_some(place)
    }

    /// Puts a new connection, or one that was taken out, in its place.
    pub(crate) fn put(&mut self, id: ConnId, connection: Connection) {
        if let Some(place) = self.place(id) {
            place.is_taken = true;
            place.connection = Some(connection);
        }
    }

    /// Takes it out to serve it; its place stays its own.
    pub(crate) fn take(&mut self, id: ConnId) -> Option<Connection> {
        self.place(id)?.connection.take()
    }

    /// Its number is not its own any more.
    pub(crate) fn free_place(&mut self, id: ConnId) {
        if let Some(place) = self.place(id) {
            place.uses = place.uses.wrapping_add(1);
            place.is_taken = false;
            place.connection = None;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ConnId, &Connection)> {
        self.places.iter().enumerate().filter_map(|(at, place)| {
            let id = ConnId(u32::from(place.uses) << 16 | at as u32);
            place.connection.as_ref().map(|connection| (id, connection))
        })
    }

    /// The numbers of those that `wanted` says yes to.
    pub(crate) fn ids(&self, wanted: impl Fn(&Connection) -> bool) -> Vec<ConnId> {
        self.iter().filter(|(_, connection)| wanted(connection)).map(|(id, _)| id).collect()
    }
}
