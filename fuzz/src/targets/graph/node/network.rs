//! Connections as what came and has not been read, and how much may still be written.

use std::collections::{BTreeMap, VecDeque};

use tokkyu_contract::Class;
use tokkyu_graph::{ConnId, Io, Listener, Net, NetError, Ready};

#[derive(Default)]
struct End {
    came: VecDeque<u8>,
    /// Bytes that may be written before it waits.
    room: usize,
    /// The other end has closed.
    is_over: bool,
    /// It was told that it has connected, or nobody has to tell it.
    is_told: bool,
}

/// The sockets of one node.
#[derive(Default)]
pub struct Ends {
    open: BTreeMap<ConnId, End>,
    /// In the order in which they came.
    order: Vec<ConnId>,
    waiting: [VecDeque<End>; 2],
    /// What is read and written at once, bytes.
    pub piece: usize,
}

/// What a system takes before anybody reads.
const ROOM: usize = 1024;

impl Ends {
    pub fn open(&self) -> usize {
        self.open.len()
    }

    pub fn is_open(&self, id: ConnId) -> bool {
        self.open.contains_key(&id)
    }

    pub fn is_waited_for(&self, listener: Listener) -> bool {
        !self.waiting[listener as usize].is_empty()
    }

    pub fn wait_for(&mut self, listener: Listener, bytes: &[u8]) {
        let came = bytes.iter().copied().collect();
        self.waiting[listener as usize].push_back(End { came, room: ROOM, is_over: false, is_told: true });
    }

    fn at(&mut self, at: u8) -> Option<&mut End> {
        let id = self.order.get(usize::from(at).checked_rem(self.order.len())?)?;
        self.open.get_mut(id)
    }

    pub fn arrive(&mut self, at: u8, bytes: &[u8]) {
        if let Some(end) = self.at(at).filter(|end| !end.is_over) {
            end.came.extend(bytes);
        }
    }

    pub fn close_from_outside(&mut self, at: u8) {
        self.at(at).into_iter().for_each(|end| end.is_over = true);
    }

    pub fn make_room(&mut self, at: u8, bytes: usize) {
        self.at(at).into_iter().for_each(|end| end.room = end.room.saturating_add(bytes));
    }

    /// As `poll` says it: the end of a connection is told whether it is asked for or not.
    pub fn ready(&self, id: ConnId, reads: bool, writes: bool) -> Ready {
        let Some(end) = self.open.get(&id) else { return Ready::default() };
        let has_connected = !end.is_told && end.room > 0;
        Ready {
            is_readable: end.is_over || reads && !end.came.is_empty(),
            is_writable: has_connected || writes && end.room > 0,
        }
    }

    pub fn tell_connected(&mut self, id: ConnId) {
        self.open.get_mut(&id).into_iter().for_each(|end| end.is_told = true);
    }

    fn end(&mut self, id: ConnId) -> &mut End {
        self.open.get_mut(&id).unwrap_or_else(|| panic!("{id:?} is over"))
    }

    fn add(&mut self, id: ConnId, end: End) {
        assert!(self.open.insert(id, end).is_none(), "{id:?} is another's");
        self.order.push(id);
    }
}

impl Net for Ends {
    fn connect(&mut self, id: ConnId, host: &str, port: u16) -> Result<(), NetError> {
        assert!(!host.is_empty(), "nowhere, port {port}");
        // Some cannot even begin.
        if host == "nowhere" {
            return Err(NetError::Unreachable);
        }
        self.add(id, End::default());
        Ok(())
    }

    fn accept(&mut self, listener: Listener, id: ConnId) -> Option<()> {
        let end = self.waiting[listener as usize].pop_front()?;
        self.add(id, end);
        Some(())
    }

    fn read(&mut self, id: ConnId, into: &mut [u8]) -> Io {
        assert!(!into.is_empty(), "nothing to read into");
        let most = self.piece.min(into.len());
        let end = self.end(id);
        let count = most.min(end.came.len());
        if count == 0 {
            return if end.is_over { Io::Over } else { Io::Later };
        }
        into.iter_mut().zip(end.came.drain(..count)).for_each(|(to, from)| *to = from);
        Io::Done(count)
    }

    fn write(&mut self, id: ConnId, parts: [&[u8]; 2]) -> Io {
        let all = parts[0].len() + parts[1].len();
        assert!(all > 0, "nothing to write");
        let most = self.piece.min(all);
        let end = self.end(id);
        let count = most.min(end.room);
        match (end.is_over, count) {
            (true, _) => Io::Over,
            (false, 0) => Io::Later,
            (false, _) => {
                end.room -= count;
                Io::Done(count)
            }
        }
    }

    fn set_no_delay(&mut self, id: ConnId, _is_set: bool) {
        self.end(id);
    }

    fn set_class(&mut self, id: ConnId, _class: Class) {
        self.end(id);
    }

    fn close(&mut self, id: ConnId) {
        assert!(self.open.remove(&id).is_some(), "{id:?} is closed twice");
        self.order.retain(|other| *other != id);
    }
}
