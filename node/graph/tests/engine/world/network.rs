//! Connections as pairs of queues, with room for so much in each.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use tokkyu_contract::Class;
use tokkyu_graph::{ConnId, Io, Listener, Net, NetError, Outgoing, Ready, Wants};

/// Bytes on their way at most, each way.
const ROOM: usize = 4096;

/// One side of a connection: what has come to it.
#[derive(Default)]
struct Side {
    bytes: VecDeque<u8>,
    /// The other side has closed.
    is_over: bool,
    /// Said once that it is connected.
    is_told: bool,
}

struct Link {
    sides: [Side; 2],
}

#[derive(Clone, Copy)]
struct Place {
    link: usize,
    side: usize,
}

/// Everything between the ends.
pub struct Wire {
    links: Vec<Link>,
    places: BTreeMap<(usize, ConnId), Place>,
    listeners: BTreeMap<(String, u16), (usize, Listener)>,
    waiting: BTreeMap<(usize, u8), VecDeque<usize>>,
    ends: usize,
    random: u64,
    /// Ends that do not read.
    pub deaf: Vec<usize>,
    /// Ends that were told whether small messages are to be held back, one after the other.
    pub no_delay: Vec<(usize, bool)>,
}

fn code(listener: Listener) -> u8 {
    match listener {
        Listener::Slave => 0,
        Listener::Data => 1,
    }
}

impl Wire {
    pub fn new(seed: u64) -> Wire {
        let (links, places) = (Vec::new(), BTreeMap::new());
        let (listeners, waiting) = (BTreeMap::new(), BTreeMap::new());
        Wire {
            links,
            places,
            listeners,
            waiting,
            ends: 0,
            random: seed * 2 + 1,
            deaf: Vec::new(),
            no_delay: Vec::new(),
        }
    }

    pub fn add_end(&mut self) -> usize {
        self.ends += 1;
        self.ends - 1
    }

    pub fn listen(&mut self, end: usize, listener: Listener, host: &str, port: u16) {
        self.listeners.insert((host.to_owned(), port), (end, listener));
    }

    pub fn end_listening(&mut self, host: &str, port: u16) {
        self.listeners.remove(&(host.to_owned(), port));
    }

    pub fn has_waiting(&self, end: usize, listener: Listener) -> bool {
        self.waiting.get(&(end, code(listener))).is_some_and(|waiting| !waiting.is_empty())
    }

    /// From 1 to `most`. Xorshift: it need not be good.
    pub fn piece(&mut self, most: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        1 + (self.random % most as u64) as usize
    }

    pub fn connect(&mut self, end: usize, id: ConnId, host: &str, port: u16) -> Result<(), NetError> {
        self.links.push(Link { sides: Default::default() });
        let link = self.links.len() - 1;
        self.places.insert((end, id), Place { link, side: 0 });
        let Some((other, listener)) = self.listeners.get(&(host.to_owned(), port)).copied() else {
            // Refused, which is heard of later: it may be written to, and is over.
            self.links[link].sides[0].is_over = true;
            return Ok(());
        };
        self.waiting.entry((other, code(listener))).or_default().push_back(link);
        Ok(())
    }

    pub fn accept(&mut self, end: usize, listener: Listener, id: ConnId) -> Option<()> {
        let link = self.waiting.get_mut(&(end, code(listener)))?.pop_front()?;
        self.places.insert((end, id), Place { link, side: 1 });
        Some(())
    }

    fn side(&mut self, end: usize, id: ConnId, is_other: bool) -> Option<&mut Side> {
        let place = self.places.get(&(end, id))?;
        Some(&mut self.links[place.link].sides[place.side ^ usize::from(is_other)])
    }

    pub fn read(&mut self, end: usize, id: ConnId, into: &mut [u8]) -> Io {
        let most = self.piece(into.len());
        let Some(own) = self.side(end, id, false) else { return Io::Over };
        let count = most.min(own.bytes.len());
        if count == 0 {
            return if own.is_over { Io::Over } else { Io::Later };
        }
        into.iter_mut().zip(own.bytes.drain(..count)).for_each(|(to, from)| *to = from);
        Io::Done(count)
    }

    pub fn write(&mut self, end: usize, id: ConnId, bytes: &[u8]) -> Io {
        let most = self.piece(bytes.len());
        match self.side(end, id, false) {
            None => return Io::Over,
            Some(own) if own.is_over => return Io::Over,
            Some(_) => {}
        }
        let Some(other) = self.side(end, id, true) else { return Io::Over };
        let count = most.min(ROOM.saturating_sub(other.bytes.len()));
        if count == 0 {
            return Io::Later;
        }
        other.bytes.extend(&bytes[..count]);
        Io::Done(count)
    }

    /// Ways on which bytes have not been read yet.
    pub fn busy(&self) -> usize {
        self.links.iter().flat_map(|link| &link.sides).filter(|side| !side.bytes.is_empty()).count()
    }

    pub fn close(&mut self, end: usize, id: ConnId) {
        if let Some(other) = self.side(end, id, true) {
            other.is_over = true;
        }
        self.places.remove(&(end, id));
    }

    pub fn ready(&mut self, end: usize, wants: Wants) -> Ready {
        let Wants { id, reads, writes, hears_end, .. } = wants;
        let is_deaf = self.deaf.contains(&end);
        let room = self.side(end, id, true).is_some_and(|other| other.bytes.len() < ROOM);
        let Some(own) = self.side(end, id, false) else { return Ready::default() };
        let has_news = !std::mem::replace(&mut own.is_told, true);
        let is_readable = !is_deaf && (reads && !own.bytes.is_empty() || (reads || hears_end) && own.is_over);
        Ready { is_readable, is_writable: !is_deaf && (has_news || writes && room) }
    }
}

/// The network as one end sees it.
pub struct SimNet {
    pub end: usize,
    pub wire: Arc<Mutex<Wire>>,
}

/// One connection, for who publishes.
struct Way {
    end: usize,
    id: ConnId,
    wire: Arc<Mutex<Wire>>,
}

impl Outgoing for Way {
    fn write(&self, parts: [&[u8]; 2]) -> Io {
        let bytes = parts.concat();
        assert!(!bytes.is_empty(), "nothing to write");
        self.wire.lock().unwrap().write(self.end, self.id, &bytes)
    }
}

impl Net for SimNet {
    fn connect(&mut self, id: ConnId, host: &str, port: u16) -> Result<(), NetError> {
        self.wire.lock().unwrap().connect(self.end, id, host, port)
    }

    fn accept(&mut self, listener: Listener, id: ConnId) -> Option<()> {
        self.wire.lock().unwrap().accept(self.end, listener, id)
    }

    fn read(&mut self, id: ConnId, into: &mut [u8]) -> Io {
        assert!(!into.is_empty(), "nothing to read into");
        self.wire.lock().unwrap().read(self.end, id, into)
    }

    fn write(&mut self, id: ConnId, parts: [&[u8]; 2]) -> Io {
        let bytes = parts.concat();
        assert!(!bytes.is_empty(), "nothing to write");
        self.wire.lock().unwrap().write(self.end, id, &bytes)
    }

    /// Not each time it is asked for: both ways are taken.
    fn outgoing(&self, id: ConnId) -> Option<Arc<dyn Outgoing>> {
        let way = Way { end: self.end, id, wire: self.wire.clone() };
        (self.wire.lock().unwrap().piece(2) == 1).then(|| Arc::new(way) as Arc<dyn Outgoing>)
    }

    fn set_no_delay(&mut self, _id: ConnId, is_set: bool) {
        self.wire.lock().unwrap().no_delay.push((self.end, is_set));
    }

    fn set_class(&mut self, _id: ConnId, _class: Class) {}

    fn close(&mut self, id: ConnId) {
        self.wire.lock().unwrap().close(self.end, id);
    }
}
