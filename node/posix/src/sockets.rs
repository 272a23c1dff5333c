//! Sockets of Linux that never wait.

use std::collections::HashMap;
use std::io::IoSlice;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendFlags, SocketFlags, SocketType, accept_with, bind,
    connect, getsockname, listen, recv, sendmsg, socket_with, sockopt,
};
use tokkyu_callbacks::port::{NOTICE, Polled, Sockets};
use tokkyu_contract::{Class, MonoTime};
use tokkyu_graph::{ConnId, Io, Listener, Net, NetError, Outgoing, Wants};
use tokkyu_topic::Doorbell;

use super::bell::EventBell;
use super::clock::mono_now;
use super::poll;
use super::resolver::{Full, Resolver, by_system};

/// The node's sockets: two that listen, and all connections.
pub(super) struct SystemSockets {
    slave: OwnedFd,
    data: OwnedFd,
    open: HashMap<ConnId, Socket>,
    resolver: Resolver,
    bell: Arc<EventBell>,
    /// The system had nothing left for who connects: it is asked again then.
    accepts_from: Option<MonoTime>,
}

/// A connection that says nothing is probed after this, so often, and is over then.
const IDLE: Duration = Duration::from_secs(60);
const BETWEEN: Duration = Duration::from_secs(10);
const PROBES: u32 = 12;

/// Who connects waits so long when the system has nothing left, rather than that it is asked all the time.
const REST: Duration = Duration::from_millis(100);

enum Socket {
    /// Its name is looked up.
    Unnamed,
    /// Connecting or connected; the other addresses of its name, to be tried if this one does not answer.
    Open { fd: Arc<Connected>, has_spoken: bool, others: Vec<SocketAddr> },
    /// It cannot be reached.
    Failed,
}

/// A connection's descriptor: publishers' threads may write to it too, which keeps it.
struct Connected(OwnedFd);

impl Connected {
    fn send(&self, parts: [&[u8]; 2]) -> Result<usize, Errno> {
        // Not `writev`: that raises a signal when the other end has closed.
        sendmsg(&self.0, &parts.map(IoSlice::new), &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)
    }
}

impl AsFd for Connected {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Outgoing for Connected {
    fn write(&self, parts: [&[u8]; 2]) -> Io {
        match self.send(parts) {
            Ok(0) => Io::Over,
            Ok(count) => Io::Done(count),
            Err(Errno::AGAIN | Errno::INTR) => Io::Later,
            Err(_) => Io::Over,
        }
    }
}

/// A port cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot listen on {address}: {error}; is it an address of this machine (ROS_IP, ROS_HOSTNAME, __ip, __hostname)?"
)]
pub(super) struct ListenError {
    address: SocketAddr,
    error: Errno,
}

impl SystemSockets {
    /// Listens on two free ports of `address`. The bell rings from another thread when a name was looked up.
    pub(super) fn listen(address: IpAddr, bell: Arc<EventBell>) -> Result<SystemSockets, ListenError> {
        let [slave, data] = [listener(address)?, listener(address)?];
        let ringing = bell.clone();
        let resolver = Resolver::new(Box::new(by_system), Arc::new(move || ringing.ring(NOTICE)));
        Ok(SystemSockets { slave, data, open: HashMap::new(), resolver, bell, accepts_from: None })
    }

    /// What a listener is polled by.
    pub(super) fn listener(&self, of: Listener) -> BorrowedFd<'_> {
        match of {
            Listener::Slave => self.slave.as_fd(),
            Listener::Data => self.data.as_fd(),
        }
    }

    /// Until then nobody is accepted; nothing: somebody is.
    pub(super) fn accepts_from(&self) -> Option<MonoTime> {
        self.accepts_from.filter(|&from| from > mono_now())
    }

    /// What a connection is polled by; nothing while its name is looked up.
    pub(super) fn descriptor(&self, id: ConnId) -> Option<BorrowedFd<'_>> {
        match self.open.get(&id)? {
            Socket::Open { fd, .. } => Some(fd.as_fd()),
            Socket::Unnamed | Socket::Failed => None,
        }
    }

    /// What a poll is ended by.
    pub(super) fn bell(&self) -> &EventBell {
        &self.bell
    }

    /// After an error: the next address of the name, if the connection has not been made yet.
    fn try_next(&mut self, id: ConnId) -> Io {
        let Some(socket) = self.open.get_mut(&id) else { return Io::Over };
        if let Socket::Open { has_spoken: false, others, .. } = socket
            && !others.is_empty()
        {
            *socket = connecting(std::mem::take(others));
            return if matches!(socket, Socket::Failed) { Io::Over } else { Io::Later };
        }
        Io::Over
    }

    fn judge(&mut self, id: ConnId, result: Result<usize, Errno>) -> Io {
        match result {
            Ok(0) => Io::Over,
            Ok(count) => {
                if let Some(Socket::Open { has_spoken, .. }) = self.open.get_mut(&id) {
                    *has_spoken = true;
                }
                Io::Done(count)
            }
            Err(Errno::AGAIN | Errno::INTR | Errno::NOTCONN | Errno::INPROGRESS) => Io::Later,
            Err(_) => self.try_next(id),
        }
    }
}

/// The first of these addresses that does not refuse at once.
fn connecting(mut addresses: Vec<SocketAddr>) -> Socket {
    while !addresses.is_empty() {
        let address = addresses.remove(0);
        if let Ok(fd) = begin(address) {
            return Socket::Open { fd: Arc::new(Connected(fd)), has_spoken: false, others: addresses };
        }
    }
    Socket::Failed
}

fn begin(address: SocketAddr) -> Result<OwnedFd, Errno> {
    let fd = stream(address)?;
    match connect(&fd, &address) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(fd),
        Err(error) => Err(error),
    }
}

fn stream(address: SocketAddr) -> Result<OwnedFd, Errno> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let fd = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, None)?;
    keep_alive(&fd);
    Ok(fd)
}

/// A peer whose machine is gone is found out in three minutes (NODE-56). Not vital: errors are passed over.
pub(super) fn keep_alive(fd: impl AsFd) {
    let _ = sockopt::set_socket_keepalive(&fd, true);
    let _ = sockopt::set_tcp_keepidle(&fd, IDLE);
    let _ = sockopt::set_tcp_keepintvl(&fd, BETWEEN);
    let _ = sockopt::set_tcp_keepcnt(&fd, PROBES);
    // While something that was sent is not acknowledged nobody probes: without this it is sent again for a quarter of an hour.
    let _ = sockopt::set_tcp_user_timeout(&fd, (IDLE + BETWEEN * PROBES).as_millis() as u32);
}

fn listener(address: IpAddr) -> Result<OwnedFd, ListenError> {
    let address = SocketAddr::new(address, 0);
    let fail = |error| ListenError { address, error };
    let fd = stream(address).map_err(fail)?;
    bind(&fd, &address).and_then(|()| listen(&fd, 128)).map_err(fail)?;
    Ok(fd)
}

/// `SO_PRIORITY`: the kernel's queues go by it. After the type of service, which sets it too.
fn set_priority(fd: &OwnedFd, priority: u8) -> std::io::Result<()> {
    let priority = libc::c_int::from(priority);
    let (at, len) = (&raw const priority, size_of_val(&priority) as libc::socklen_t);
    // SAFETY: the value is an integer of that length.
    let result =
        unsafe { libc::setsockopt(fd.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PRIORITY, at.cast(), len) };
    if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

/// An address that needs no looking up.
fn literal(host: &str) -> Option<IpAddr> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if bare == "localhost" { Some(Ipv4Addr::LOCALHOST.into()) } else { bare.parse().ok() }
}

impl Sockets for SystemSockets {
    fn port(&self, of: Listener) -> u16 {
        let name = getsockname(self.listener(of)).ok();
        name.and_then(|name| SocketAddr::try_from(name).ok()).map_or(0, |address| address.port())
    }

    fn found(&mut self) -> Vec<ConnId> {
        let mut ids = Vec::new();
        for (id, addresses) in self.resolver.found() {
            if let Some(socket) = self.open.get_mut(&id) {
                *socket = connecting(addresses);
                ids.push(id);
            }
        }
        ids
    }

    fn poll(&mut self, wants: &[Wants], accepts: bool, until: Option<MonoTime>, polled: &mut Polled) {
        poll::wait(self, wants, accepts, until, polled);
    }
}

impl Net for SystemSockets {
    fn connect(&mut self, id: ConnId, host: &str, port: u16) -> Result<(), NetError> {
        if let Some(ip) = literal(host) {
            let refused = |error| match error {
                Errno::MFILE | Errno::NFILE => NetError::NoSocket,
                _ => NetError::Unreachable,
            };
            let fd = begin(SocketAddr::new(ip, port)).map_err(refused)?;
            let fd = Arc::new(Connected(fd));
            self.open.insert(id, Socket::Open { fd, has_spoken: false, others: Vec::new() });
            return Ok(());
        }
        self.resolver.ask(id, host, port).map_err(|Full| NetError::Names)?;
        self.open.insert(id, Socket::Unnamed);
        Ok(())
    }

    fn accept(&mut self, listener: Listener, id: ConnId) -> Option<()> {
        let fd = match accept_with(self.listener(listener), SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
            Ok(fd) => fd,
            Err(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
                self.accepts_from = Some(mono_now() + REST);
                return None;
            }
            Err(_) => return None,
        };
        keep_alive(&fd);
        let fd = Arc::new(Connected(fd));
        self.open.insert(id, Socket::Open { fd, has_spoken: true, others: Vec::new() });
        Some(())
    }

    fn read(&mut self, id: ConnId, into: &mut [u8]) -> Io {
        let result = match self.open.get(&id) {
            Some(Socket::Open { fd, .. }) => recv(fd, into, RecvFlags::empty()).map(|(count, _)| count),
            Some(Socket::Unnamed) => return Io::Later,
            Some(Socket::Failed) | None => return Io::Over,
        };
        self.judge(id, result)
    }

    fn write(&mut self, id: ConnId, parts: [&[u8]; 2]) -> Io {
        let result = match self.open.get(&id) {
            Some(Socket::Open { fd, .. }) => fd.send(parts),
            Some(Socket::Unnamed) => return Io::Later,
            Some(Socket::Failed) | None => return Io::Over,
        };
        self.judge(id, result)
    }

    fn outgoing(&self, id: ConnId) -> Option<Arc<dyn Outgoing>> {
        match self.open.get(&id)? {
            Socket::Open { fd, .. } => Some(fd.clone()),
            Socket::Unnamed | Socket::Failed => None,
        }
    }

    fn set_no_delay(&mut self, id: ConnId, is_set: bool) {
        if let Some(Socket::Open { fd, .. }) = self.open.get(&id) {
            let _ = sockopt::set_tcp_nodelay(fd, is_set);
        }
    }

    fn set_class(&mut self, id: ConnId, class: Class) {
        let Some(Socket::Open { fd, .. }) = self.open.get(&id) else { return };
        let priorities = class.priorities();
        // Not vital: each of the first two is one version's of IP, and some systems have none.
        let _ = sockopt::set_ip_tos(fd, priorities.dscp << 2);
        let _ = sockopt::set_ipv6_tclass(fd, u32::from(priorities.dscp) << 2);
        let _ = set_priority(&fd.0, priorities.skb_priority);
    }

    fn close(&mut self, id: ConnId) {
        if let Some(Socket::Unnamed) = self.open.remove(&id) {
            self.resolver.forget(id);
        }
        // What was closed may be what was missing.
        self.accepts_from = None;
    }
}

#[cfg(test)]
mod tests;
