//! The connections: calls of nodes, and calls to them.
//!
//! ```text
//!  a node connects ─► LISTENS ──a call──► ANSWERS ──all is written──► LISTENS … until either closes it
//!  somebody is to be told ─► TELLS ──all is written──► HEARS ──its answer, or 10 s──► closed
//! ```

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::net::IpAddr;
use core::time::Duration;

use tokkyu_callbacks::port::{Clock, Network, NetworkBell, NetworkError, Polled, Sockets};
use tokkyu_contract::{Class, MonoTime};
use tokkyu_graph::{ConnId, Io, Listener, Net, Ready, Wants};
use tokkyu_ros1::Progress;
use tokkyu_ros1::http::{read_request, read_response, write_request_head, write_response_head};
use tokkyu_ros1::uri::Uri;

use crate::answer::Master;
use crate::told::{Lines, Told};

/// NODE-125.
const CONNECTIONS: usize = 64;
const CALL_MOST: usize = 64 << 10;
/// A node that is told something answers within this (NODE-123).
const PATIENCE: Duration = Duration::from_secs(10);
const CHUNK: usize = 1024;

/// Whose connection it is.
enum Role {
    /// A node's, which asks.
    Asked,
    /// Ours, to the node of this URI, until then.
    Tells(String, MonoTime),
}

struct Talk {
    role: Role,
    input: Vec<u8>,
    output: Vec<u8>,
    /// Once all is written.
    closes: bool,
}

struct Server {
    sockets: Box<dyn Sockets>,
    bell: Arc<dyn NetworkBell>,
    talks: BTreeMap<ConnId, Talk>,
    master: Master,
    lines: Lines,
    made: u32,
}

/// Is the master of all nodes that reach `address`, for ever. `on_ready` is told the address, which is what they have as `ROS_MASTER_URI`.
///
/// # Errors
///
/// [`NetworkError`]: nothing can be listened on.
pub fn serve<P: Network + Clock + ?Sized>(
    port: &P,
    address: IpAddr,
    process: i32,
    on_ready: impl FnOnce(&str),
) -> Result<Infallible, NetworkError> {
    let (bell, sockets) = port.listen(address)?;
    let host = if address.is_unspecified() { port.machine_name() } else { address.to_string() };
    let uri = format!("http://{host}:{}/", sockets.port(Listener::Slave));
    on_ready(&uri);
    let master = Master::new(&uri, process);
    let mut server =
        Server { sockets, bell, talks: BTreeMap::new(), master, lines: Lines::default(), made: 0 };
    let mut polled = Polled::default();
    loop {
        server.turn(&mut polled, port.now());
    }
}

impl Server {
    /// Waits for something, and does what it asks for.
    fn turn(&mut self, polled: &mut Polled, now: MonoTime) {
        self.begin_to_tell(now);
        self.bell.answer();
        let wants: Vec<Wants> = self.talks.iter().map(|(id, talk)| talk.wants(*id)).collect();
        let until = self.talks.values().filter_map(Talk::deadline).min();
        if self.bell.rest() {
            self.sockets.poll(&wants, self.talks.len() < CONNECTIONS, until, polled);
        }
        for _ in core::mem::take(&mut polled.connecting) {
            let id = self.next_id();
            if self.sockets.accept(Listener::Slave, id).is_some() {
                self.talks.insert(id, Talk::new(Role::Asked, Vec::new()));
            }
        }
        for (wants, ready) in core::mem::take(&mut polled.ready) {
            if self.move_bytes(wants.id, ready).is_none() {
                self.end(wants.id);
            }
        }
        let is_late = |talk: &Talk| talk.deadline().is_some_and(|deadline| deadline <= now);
        let late: Vec<ConnId> =
            self.talks.iter().filter(|(_, talk)| is_late(talk)).map(|(id, _)| *id).collect();
        late.into_iter().for_each(|id| self.end(id));
    }

    fn next_id(&mut self) -> ConnId {
        self.made = self.made.wrapping_add(1);
        ConnId(self.made)
    }

    fn end(&mut self, id: ConnId) {
        self.sockets.close(id);
        if let Some(Talk { role: Role::Tells(uri, _), .. }) = self.talks.remove(&id) {
            self.lines.over(&uri);
        }
    }

    /// Connects to whoever is to be told something and is not being told now. A few connections are kept for those who ask.
    fn begin_to_tell(&mut self, now: MonoTime) {
        while self.talks.len() < CONNECTIONS / 2
            && let Some(told) = self.lines.next()
        {
            let id = self.next_id();
            match connect(&mut *self.sockets, id, &told) {
                Some(output) => {
                    self.talks.insert(id, Talk::new(Role::Tells(told.uri, now + PATIENCE), output));
                }
                None => self.lines.over(&told.uri),
            }
        }
    }

    /// Nothing: the connection is over.
    fn move_bytes(&mut self, id: ConnId, ready: Ready) -> Option<()> {
        let talk = self.talks.get_mut(&id)?;
        if ready.is_readable {
            let mut chunk = [0; CHUNK];
            match self.sockets.read(id, &mut chunk) {
                Io::Done(count) => talk.input.extend_from_slice(&chunk[..count]),
                Io::Later => {}
                Io::Over => return None,
            }
            match talk.role {
                Role::Asked => talk.answer(&mut self.master, &mut self.lines),
                Role::Tells(..) => talk.hear()?,
            }
        }
        talk.write(&mut *self.sockets, id)
    }
}

/// Begins to connect; what is to be said then. Nothing: there is no such place.
fn connect(sockets: &mut dyn Sockets, id: ConnId, told: &Told) -> Option<Vec<u8>> {
    let at = Uri::parse(&told.uri).ok()?;
    let host = at.host.to_string();
    let mut head = String::new();
    write_request_head(&mut head, &format!("{host}:{}", at.port), "/", told.body.len()).ok()?;
    sockets.connect(id, &host, at.port).ok()?;
    Some((head + &told.body).into_bytes())
}

impl Talk {
    fn new(role: Role, output: Vec<u8>) -> Talk {
        Talk { role, input: Vec::new(), output, closes: false }
    }

    fn deadline(&self) -> Option<MonoTime> {
        if let Role::Tells(_, deadline) = self.role { Some(deadline) } else { None }
    }

    /// One that has not taken its answer is not read from.
    fn wants(&self, id: ConnId) -> Wants {
        let writes = !self.output.is_empty();
        Wants { id, class: Class::BestEffort, reads: !writes, writes, hears_end: true }
    }

    /// Answers the calls that are whole.
    fn answer(&mut self, master: &mut Master, lines: &mut Lines) {
        loop {
            let (status, body, is_kept, used) = match read_request(&self.input, CALL_MOST) {
                Ok(Progress::More) => return,
                Ok(Progress::Whole { message, used }) => {
                    let answered = master.on_call(message.body);
                    answered.told.into_iter().for_each(|told| lines.add(told));
                    (200, answered.body, message.keep_alive, used)
                }
                Err(refusal) => (refusal.status(), refusal.to_string(), false, self.input.len()),
            };
            let mut head = String::new();
            // A status of three digits, into memory.
            let _ = write_response_head(&mut head, status, body.len(), is_kept);
            self.output.extend_from_slice((head + &body).as_bytes());
            self.input.drain(..used);
            self.closes = !is_kept;
            if self.closes {
                return;
            }
        }
    }

    /// Nothing: the node has answered, or says what is no answer.
    fn hear(&self) -> Option<()> {
        matches!(read_response(&self.input, false, CALL_MOST), Ok(Progress::More)).then_some(())
    }

    /// Nothing: it is over.
    fn write(&mut self, sockets: &mut dyn Sockets, id: ConnId) -> Option<()> {
        if self.output.is_empty() {
            return Some(());
        }
        match sockets.write(id, [&self.output, &[]]) {
            Io::Done(count) => drop(self.output.drain(..count)),
            Io::Later => {}
            Io::Over => return None,
        }
        (!self.output.is_empty() || !self.closes).then_some(())
    }
}
