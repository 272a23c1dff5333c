//! What the system is told of connections, read back from it (NODE-56, NODE-66).

use std::net::{Ipv6Addr, TcpListener, TcpStream};

use super::*;

const V4: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const V6: IpAddr = IpAddr::V6(Ipv6Addr::LOCALHOST);
const ACCEPTED: ConnId = ConnId(1);
const MADE: ConnId = ConnId(2);

/// One connection that came, and one that was made, with their other ends.
struct Pair {
    sockets: SystemSockets,
    _others: (TcpStream, TcpListener),
}

/// Nothing: the system does not listen there.
fn pair(address: IpAddr) -> Option<Pair> {
    let listener = TcpListener::bind((address, 0)).ok()?;
    let mut sockets =
        SystemSockets::listen(address, Arc::new(EventBell::new().expect("a bell"))).expect("it listens");
    let client = TcpStream::connect((address, sockets.port(Listener::Data))).expect("it is reached");
    sockets.accept(Listener::Data, ACCEPTED).expect("it has connected");
    let port = listener.local_addr().expect("it listens").port();
    sockets.connect(MADE, &address.to_string(), port).expect("it begins");
    Some(Pair { sockets, _others: (client, listener) })
}

impl Pair {
    fn both(&self) -> [BorrowedFd<'_>; 2] {
        [ACCEPTED, MADE].map(|id| self.sockets.descriptor(id).expect("it is open"))
    }
}

fn priority_of(fd: BorrowedFd<'_>) -> std::io::Result<libc::c_int> {
    let (mut priority, mut len) = (-1, size_of::<libc::c_int>() as libc::socklen_t);
    let at = (&raw mut priority).cast();
    // SAFETY: there is an integer of that length.
    let result =
        unsafe { libc::getsockopt(fd.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PRIORITY, at, &raw mut len) };
    if result == 0 { Ok(priority) } else { Err(std::io::Error::last_os_error()) }
}

fn skipped(what: &str, why: impl std::fmt::Display) {
    println!("skipped: {what}: {why}");
}

#[test]
fn a_peer_that_is_gone_is_found_out_in_three_minutes() {
    let pair = pair(V4).expect("loopback");
    for fd in pair.both() {
        assert_eq!(sockopt::socket_keepalive(fd), Ok(true));
        assert_eq!(sockopt::tcp_keepidle(fd), Ok(Duration::from_secs(60)));
        assert_eq!(sockopt::tcp_keepintvl(fd), Ok(Duration::from_secs(10)));
        assert_eq!(sockopt::tcp_keepcnt(fd), Ok(12));
        assert_eq!(sockopt::tcp_user_timeout(fd), Ok(180_000), "also while something is not acknowledged");
    }
}

#[test]
fn small_messages_are_held_back_unless_it_is_asked_for() {
    let mut pair = pair(V4).expect("loopback");
    for id in [ACCEPTED, MADE] {
        let of = |pair: &Pair| sockopt::tcp_nodelay(pair.sockets.descriptor(id).expect("it is open"));
        assert_eq!(of(&pair), Ok(false), "nobody asked");
        pair.sockets.set_no_delay(id, true);
        assert_eq!(of(&pair), Ok(true));
        pair.sockets.set_no_delay(id, false);
        assert_eq!(of(&pair), Ok(false));
    }
}

#[test]
fn a_connection_has_the_priority_of_its_class() {
    let mut pair = pair(V4).expect("loopback");
    if let Err(error) = set_priority(&stream(SocketAddr::new(V4, 0)).expect("a socket"), 6) {
        return skipped("SO_PRIORITY", error);
    }
    for class in Class::ALL {
        [ACCEPTED, MADE].into_iter().for_each(|id| pair.sockets.set_class(id, class));
        for fd in pair.both() {
            let priority = priority_of(fd).expect("it can be set");
            assert_eq!(priority, i32::from(class.priorities().skb_priority), "{class}");
        }
    }
}

#[test]
fn packets_have_the_code_point_of_their_class() {
    let mut pair = pair(V4).expect("loopback");
    if let Err(error) = sockopt::set_ip_tos(stream(SocketAddr::new(V4, 0)).expect("a socket"), 4) {
        return skipped("IP_TOS", error);
    }
    for class in Class::ALL {
        [ACCEPTED, MADE].into_iter().for_each(|id| pair.sockets.set_class(id, class));
        for fd in pair.both() {
            assert_eq!(sockopt::ip_tos(fd), Ok(class.priorities().dscp << 2), "{class}");
        }
    }
}

#[test]
fn packets_have_the_code_point_of_their_class_over_ipv6() {
    let Some(mut pair) = pair(V6) else { return skipped("IPv6", "the system does not listen on ::1") };
    for class in Class::ALL {
        [ACCEPTED, MADE].into_iter().for_each(|id| pair.sockets.set_class(id, class));
        for fd in pair.both() {
            assert_eq!(sockopt::ipv6_tclass(fd), Ok(u32::from(class.priorities().dscp) << 2), "{class}");
        }
    }
}
