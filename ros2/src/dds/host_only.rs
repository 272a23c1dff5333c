//! Keeps DDS's sockets to this host: ROS2-38.
//!
//! A classic BPF filter on each UDP socket of Cyclone DDS drops what did not come from a program of this host, before
//! anybody reads it. It asks the kernel and not the packet: a sender can forge an address, and the host's own change.
//!
//! ```text
//!  to one of the host's own addresses         through loopback, whatever address   HATYPE is loopback
//!  multicast, on the interface it went out    given back by dev_loopback_xmit()    PKTTYPE is PACKET_LOOPBACK
//!  from another host, or another namespace    in by a network device               neither: dropped
//! ```
//!
//! The filter must be there before the socket is bound: nothing drops a packet that waits already, and threads of DDS read from
//! the first moment on. Cyclone DDS gives its sockets to nobody, but tells, in the thread that sets the domain up, how large
//! each one's buffer is, between `socket()` and `bind()` (`ddsi_udp.c`, `ddsi_udp_create_conn`). That word is our turn.
//! A socket that is found bound, or that was never found before DDS is up, is an error: nothing is kept by luck.
//!
//! Runs in the thread that joins the domain, once. Invariant: after [`keep`] every UDP socket of the domain has the filter.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::RawFd;
use std::ptr;

use cyclors as c;
use libc::{SOL_SOCKET, sock_filter};

use super::error::DdsError;

/// What makes Cyclone DDS tell of its sockets. The file is never written to: what it tells goes to [`on_word`].
pub(super) const TRACING: &str =
    "<Tracing><Category>config</Category><OutputFile>stderr</OutputFile></Tracing>";

/// `linux/if_packet.h`: a multicast or broadcast given back to the host that sent it.
const PACKET_LOOPBACK: u32 = 5;
const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

/// Keeps what comes from this host, whole, and nothing else.
const FILTER: [sock_filter; 6] = [
    sock_filter { code: LOAD, jt: 0, jf: 0, k: (libc::SKF_AD_OFF + libc::SKF_AD_PKTTYPE) as u32 },
    sock_filter { code: IF_EQUAL, jt: 2, jf: 0, k: PACKET_LOOPBACK },
    sock_filter { code: LOAD, jt: 0, jf: 0, k: (libc::SKF_AD_OFF + libc::SKF_AD_HATYPE) as u32 },
    sock_filter { code: IF_EQUAL, jt: 0, jf: 1, k: libc::ARPHRD_LOOPBACK as u32 },
    sock_filter { code: RETURN, jt: 0, jf: 0, k: u32::MAX },
    sock_filter { code: RETURN, jt: 0, jf: 0, k: 0 },
];

thread_local! {
    /// Of the thread that sets a domain up, while it does.
    static GUARD: RefCell<Option<Guard>> = const { RefCell::new(None) };
}

/// Sets a domain up by `create`, with [`TRACING`] in its configuration, and keeps its sockets to this host. No other
/// thread of the process may open a UDP socket meanwhile: it would be taken for one of DDS.
///
/// # Errors
/// As `create`; a socket could not be kept to this host, and what was created is gone.
pub(super) fn keep<T>(create: impl FnOnce() -> Result<T, DdsError>) -> Result<T, DdsError> {
    let guard = Guard::new().map_err(refused)?;
    // SAFETY: the function lives as long as the program, and needs no data. It may stay: without a guard it does nothing.
    unsafe { c::dds_set_trace_sink(Some(on_word), ptr::null_mut()) };
    GUARD.set(Some(guard));
    let created = create();
    let guard = GUARD.take();
    let created = created?;
    guard.map_or(Ok(()), Guard::end).map_err(refused)?;
    Ok(created)
}

fn refused(error: io::Error) -> DdsError {
    let code = error.raw_os_error().unwrap_or(0);
    let why = format!("{error}; with --interface it need not");
    DdsError { what: "keep to this host".to_owned(), why, code: -code }
}

/// Cyclone DDS says something, in any thread of its own or ours. Must call nothing of DDS, and not panic.
unsafe extern "C" fn on_word(_: *mut c_void, _: *const c::dds_log_data_t) {
    // A thread that is ending has no guard any more.
    let _ = GUARD.try_with(|guard| {
        if let Ok(mut guard) = guard.try_borrow_mut()
            && let Some(guard) = guard.as_mut()
        {
            guard.look();
        }
    });
}

/// Sockets by their cookies: a descriptor's number may be another socket's a moment later.
struct Guard {
    others: BTreeSet<u64>,
    kept: BTreeSet<u64>,
    failure: Option<io::Error>,
}

impl Guard {
    /// What is open now is none of DDS.
    fn new() -> io::Result<Guard> {
        let others = udp_sockets()?.into_iter().map(|(_, cookie)| cookie).collect();
        Ok(Guard { others, kept: BTreeSet::new(), failure: None })
    }

    fn look(&mut self) {
        if self.failure.is_none() {
            self.failure = self.keep_new().err();
        }
    }

    fn keep_new(&mut self) -> io::Result<()> {
        for (socket, cookie) in udp_sockets()? {
            if !self.others.contains(&cookie) && self.kept.insert(cookie) {
                if is_bound(socket)? {
                    return Err(io::Error::other("a socket was bound before it was seen"));
                }
                attach(socket)?;
            }
        }
        Ok(())
    }

    /// All is set up: what is new now, and not kept, came unseen.
    fn end(self) -> io::Result<()> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let is_known = |cookie: &u64| self.others.contains(cookie) || self.kept.contains(cookie);
        match udp_sockets()?.iter().all(|(_, cookie)| is_known(cookie)) && !self.kept.is_empty() {
            true => Ok(()),
            false => Err(io::Error::other("a socket was opened unseen")),
        }
    }
}

/// UDP sockets of this process: descriptor and cookie.
fn udp_sockets() -> io::Result<Vec<(RawFd, u64)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let Some(descriptor) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // Not a socket, or closed meanwhile.
        let Ok(protocol) = option::<c_int>(descriptor, libc::SO_PROTOCOL) else { continue };
        if protocol == libc::IPPROTO_UDP {
            found.push((descriptor, option::<u64>(descriptor, libc::SO_COOKIE)?));
        }
    }
    Ok(found)
}

/// A number the kernel knows of a socket.
fn option<T: Copy + From<u8>>(socket: RawFd, name: c_int) -> io::Result<T> {
    let mut value = T::from(0);
    let mut size = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `size` bytes into a number, and takes any descriptor.
    let result =
        unsafe { libc::getsockopt(socket, SOL_SOCKET, name, ptr::from_mut(&mut value).cast(), &mut size) };
    if result == 0 { Ok(value) } else { Err(io::Error::last_os_error()) }
}

/// Whether packets may have come: a UDP socket without a port gets none.
fn is_bound(socket: RawFd) -> io::Result<bool> {
    let mut address = MaybeUninit::<libc::sockaddr_storage>::zeroed();
    let mut size = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `size` bytes, there is room for any address, and zeros are one. The port is at the
    // same place of IPv4's address and IPv6's, and within the storage.
    unsafe {
        if libc::getsockname(socket, address.as_mut_ptr().cast(), &mut size) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((*address.as_ptr().cast::<libc::sockaddr_in>()).sin_port != 0)
    }
}

fn attach(socket: RawFd) -> io::Result<()> {
    // The kernel copies the program, and does not write to it.
    let program = libc::sock_fprog { len: FILTER.len() as u16, filter: FILTER.as_ptr().cast_mut() };
    let size = size_of::<libc::sock_fprog>() as libc::socklen_t;
    // SAFETY: the program lives until after the call, and has as many instructions as it says.
    let result = unsafe {
        libc::setsockopt(socket, SOL_SOCKET, libc::SO_ATTACH_FILTER, ptr::from_ref(&program).cast(), size)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, UdpSocket};
    use std::os::fd::AsRawFd;
    use std::sync::{Mutex, PoisonError};
    use std::time::Duration;

    use super::super::participant::{Participant, Place};
    use super::*;

    /// One at a time: a socket of another test would be taken for one of DDS.
    static ALONE: Mutex<()> = Mutex::new(());

    fn why(result: Result<UdpSocket, DdsError>) -> String {
        result.expect_err("a socket that nobody told of").to_string()
    }

    #[test]
    fn a_socket_that_came_unseen_or_too_late_is_an_error() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let bind = || UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        assert!(why(keep(|| Ok(bind()))).contains("opened unseen"));
        let tell_late = || {
            let socket = bind();
            // SAFETY: what the function is given it does not look at.
            unsafe { on_word(ptr::null_mut(), ptr::null()) };
            Ok(socket)
        };
        assert!(why(keep(tell_late)).contains("bound before it was seen"));
    }

    #[test]
    fn a_domain_of_this_host_has_the_filter_on_every_socket_and_others_have_none() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let other = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let before = udp_sockets().unwrap();
        let place = Place { domain: 231, interfaces: vec!["lo".to_owned()], host_only: true };
        let participant = Participant::join(&place, b"", None).unwrap();
        let after = udp_sockets().unwrap();
        let (others, of_dds): (Vec<_>, Vec<_>) = after.iter().partition(|socket| before.contains(socket));
        assert!(of_dds.len() >= 5, "two for unicast, two for multicast, one to send: {of_dds:?}");
        assert!(of_dds.iter().all(|(socket, _)| instructions(*socket) == FILTER.len()));
        assert!(others.iter().any(|(socket, _)| *socket == other.as_raw_fd()));
        assert!(others.iter().all(|(socket, _)| instructions(*socket) == 0));
        drop(participant);
    }

    /// How long a socket's filter is.
    fn instructions(socket: RawFd) -> usize {
        let mut count: libc::socklen_t = 0;
        // SAFETY: with no room the kernel writes nothing but the count.
        let result = unsafe {
            libc::getsockopt(socket, SOL_SOCKET, libc::SO_ATTACH_FILTER, ptr::null_mut(), &mut count)
        };
        assert_eq!(result, 0, "SO_GET_FILTER: {}", io::Error::last_os_error());
        count as usize
    }

    #[test]
    fn what_this_host_sends_passes_the_filter_by_unicast_and_by_multicast() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let group = Ipv4Addr::new(239, 255, 0, 77);
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        socket.join_multicast_v4(&group, &Ipv4Addr::LOCALHOST).unwrap();
        attach(socket.as_raw_fd()).unwrap();
        let port = socket.local_addr().unwrap().port();
        let sender = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        for to in [Ipv4Addr::LOCALHOST, group] {
            sender.send_to(b"a whole packet", (to, port)).unwrap();
            let mut bytes = [0; 64];
            let size = socket.recv(&mut bytes).unwrap();
            assert_eq!(&bytes[..size], b"a whole packet", "to {to}");
        }
    }
}
