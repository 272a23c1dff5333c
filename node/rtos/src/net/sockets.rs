//! The sockets of one node.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::task::Waker;

use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp::{Socket, State};
use tokkyu_callbacks::port::{Clock, Polled, Sockets};
use tokkyu_contract::{Class, MonoTime};
use tokkyu_graph::{ConnId, Io, Listener, Net, NetError, Ready, Wants};

use super::bell::{Ringing, TaskBell};
use super::pool::Pool;
use super::stack::{Inner, Stack, instant};
use crate::system::{Rtos, System};

/// Sockets that wait for somebody at each port: as many can connect before the node looks.
const WAITING: usize = 2;

const LISTENERS: [Listener; 2] = [Listener::Slave, Listener::Data];

pub(super) struct TaskSockets<S: System> {
    port: Rtos<S>,
    stack: &'static Stack<S::Device>,
    bell: Arc<TaskBell<S>>,
    waker: Waker,
    open: BTreeMap<ConnId, SocketHandle>,
    doors: [Door; 2],
}

/// A port that is listened on.
struct Door {
    port: u16,
    /// Those that wait for somebody, or have somebody who is not accepted yet.
    waiting: Vec<SocketHandle>,
}

impl Door {
    /// As many as should wait do, if there are so many.
    fn fill(&mut self, pool: &mut Pool) {
        for handle in &self.waiting {
            // Who was there has gone before it was accepted.
            let socket = pool.get(*handle);
            if socket.state() == State::Closed {
                let _ = socket.listen(self.port);
            }
        }
        while self.waiting.len() < WAITING
            && let Some(handle) = pool.take()
        {
            // It is closed, and the port is none of 0.
            let _ = pool.get(handle).listen(self.port);
            self.waiting.push(handle);
        }
    }

    /// One with somebody.
    fn connected(&self, pool: &mut Pool) -> Option<usize> {
        let is_connected = |handle: &SocketHandle| {
            !matches!(pool.get(*handle).state(), State::Listen | State::SynReceived | State::Closed)
        };
        self.waiting.iter().position(is_connected)
    }
}

fn at(listener: Listener) -> usize {
    match listener {
        Listener::Slave => 0,
        Listener::Data => 1,
    }
}

impl<S: System> TaskSockets<S> {
    pub(super) fn listen(port: Rtos<S>, stack: &'static Stack<S::Device>, bell: Arc<TaskBell<S>>) -> Self {
        let waker = Waker::from(Arc::new(Ringing(bell.clone())));
        let mut inner = stack.lock();
        let doors = LISTENERS.map(|_| Door { port: inner.next_port(), waiting: Vec::with_capacity(WAITING) });
        drop(inner);
        TaskSockets { port, stack, bell, waker, open: BTreeMap::new(), doors }
    }

    fn look(&mut self, wants: &[Wants], accepts: bool, polled: &mut Polled) {
        let mut inner = self.stack.lock();
        let pool = &mut inner.pool;
        polled.ready.clear();
        polled.connecting.clear();
        for wanted in wants {
            let Some(handle) = self.open.get(&wanted.id) else { continue };
            let socket = pool.get(*handle);
            let ready = ready_of(socket, *wanted);
            if ready == Ready::default() {
                socket.register_recv_waker(&self.waker);
                socket.register_send_waker(&self.waker);
            } else {
                polled.ready.push((*wanted, ready));
            }
        }
        for (listener, door) in LISTENERS.into_iter().zip(&mut self.doors) {
            door.fill(pool);
            if accepts && door.connected(pool).is_some() {
                polled.connecting.push(listener);
            }
            for handle in &door.waiting {
                pool.get(*handle).register_recv_waker(&self.waker);
                pool.get(*handle).register_send_waker(&self.waker);
            }
        }
    }

    fn with<T>(&mut self, id: ConnId, act: impl FnOnce(&mut Socket<'static>) -> T) -> Option<T> {
        let handle = *self.open.get(&id)?;
        Some(act(self.stack.lock().pool.get(handle)))
    }
}

/// Neither end has said anything yet.
pub(super) fn is_connecting(socket: &Socket<'_>) -> bool {
    matches!(socket.state(), State::SynSent | State::SynReceived)
}

fn ready_of(socket: &Socket<'_>, wants: Wants) -> Ready {
    let is_over = !is_connecting(socket) && !socket.may_recv();
    Ready {
        is_readable: (wants.reads && socket.can_recv())
            || ((wants.reads || wants.hears_end || wants.writes) && is_over),
        is_writable: wants.writes && socket.can_send(),
    }
}

/// What became of reading.
pub(super) fn read(socket: &mut Socket<'_>, into: &mut [u8]) -> Io {
    match socket.recv_slice(into) {
        Ok(0) if is_connecting(socket) || socket.may_recv() => Io::Later,
        Ok(0) => Io::Over,
        Ok(count) => Io::Done(count),
        Err(_) if is_connecting(socket) => Io::Later,
        Err(_) => Io::Over,
    }
}

/// What became of writing.
pub(super) fn write(socket: &mut Socket<'_>, parts: [&[u8]; 2]) -> Io {
    let mut count = 0;
    for part in parts {
        match socket.send_slice(part) {
            Ok(sent) => {
                count += sent;
                if sent < part.len() {
                    break;
                }
            }
            Err(_) if is_connecting(socket) => return Io::Later,
            Err(_) => return Io::Over,
        }
    }
    if count == 0 { Io::Later } else { Io::Done(count) }
}

impl<S: System> Sockets for TaskSockets<S> {
    fn port(&self, of: Listener) -> u16 {
        self.doors[at(of)].port
    }

    /// No names are looked up.
    fn found(&mut self) -> Vec<ConnId> {
        Vec::new()
    }

    fn poll(&mut self, wants: &[Wants], accepts: bool, until: Option<MonoTime>, polled: &mut Polled) {
        self.look(wants, accepts, polled);
        if !polled.ready.is_empty() || !polled.connecting.is_empty() {
            return;
        }
        // Whoever has something since that look rings.
        if self.bell.is_resting() && until.is_none_or(|until| until > self.port.now()) {
            self.bell.sleep(until);
            self.look(wants, accepts, polled);
        }
    }
}

impl<S: System> Net for TaskSockets<S> {
    fn connect(&mut self, id: ConnId, host: &str, port: u16) -> Result<(), NetError> {
        let address = self.stack.find(host).ok_or(NetError::Unreachable)?;
        let mut inner = self.stack.lock();
        let handle = inner.begin(address, port, self.port.now()).ok_or(NetError::NoSocket)?;
        drop(inner);
        self.open.insert(id, handle);
        self.stack.kick(&self.port);
        Ok(())
    }

    fn accept(&mut self, listener: Listener, id: ConnId) -> Option<()> {
        let mut inner = self.stack.lock();
        let door = &mut self.doors[at(listener)];
        let connected = door.connected(&mut inner.pool)?;
        let handle = door.waiting.remove(connected);
        door.fill(&mut inner.pool);
        drop(inner);
        self.open.insert(id, handle);
        Some(())
    }

    fn read(&mut self, id: ConnId, into: &mut [u8]) -> Io {
        let io = self.with(id, |socket| read(socket, into)).unwrap_or(Io::Over);
        // There is room for more: the other end is told.
        if let Io::Done(_) = io {
            self.stack.kick(&self.port);
        }
        io
    }

    fn write(&mut self, id: ConnId, parts: [&[u8]; 2]) -> Io {
        let io = self.with(id, |socket| write(socket, parts)).unwrap_or(Io::Over);
        if let Io::Done(_) = io {
            self.stack.kick(&self.port);
        }
        io
    }

    fn set_no_delay(&mut self, id: ConnId, is_set: bool) {
        self.with(id, |socket| socket.set_nagle_enabled(!is_set));
    }

    fn set_class(&mut self, id: ConnId, class: Class) {
        let Some(handle) = self.open.get(&id) else { return };
        let mut inner = self.stack.lock();
        let Inner { device, pool, .. } = &mut *inner;
        device.marks.set(*handle, pool.get(*handle), class);
    }

    fn close(&mut self, id: ConnId) {
        if let Some(handle) = self.open.remove(&id) {
            self.stack.lock().pool.close(handle, instant(self.port.now()));
            self.stack.kick(&self.port);
        }
    }
}

impl<S: System> Drop for TaskSockets<S> {
    fn drop(&mut self) {
        let now = instant(self.port.now());
        let mut inner = self.stack.lock();
        core::mem::take(&mut self.open).into_values().for_each(|handle| inner.pool.close(handle, now));
        let waiting = self.doors.iter_mut().flat_map(|door| core::mem::take(&mut door.waiting));
        waiting.for_each(|handle| inner.pool.abort(handle, now));
        drop(inner);
        self.stack.kick(&self.port);
    }
}
