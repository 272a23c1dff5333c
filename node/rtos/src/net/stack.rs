//! The stack, and the task that drives it (NRT-20).
//!
//! ```text
//!  device's interrupt ─┐
//!  somebody has written ├─► driver: frames in, TCP, frames out ─► bells of those whose sockets have something
//!  a timer of TCP's is due ┘
//! ```

use core::net::Ipv4Addr;
use core::sync::atomic::AtomicU32;

use smoltcp::iface::{Config, Interface, PollResult};
use smoltcp::phy::Device;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress};
use tokkyu_callbacks::sync::{Condition, Mutex, MutexGuard};
use tokkyu_contract::MonoTime;

use super::address::Address;
use super::hosts::Hosts;
use super::marks::{Marking, Marks};
use super::memory::Memory;
use super::pool::Pool;

/// The network of a system.
pub struct Stack<D> {
    inner: Mutex<Inner<D>>,
    address: Address,
    hosts: Hosts,
    /// 1: there is something for the driver.
    pub(super) kicked: AtomicU32,
    /// Told when something has come, gone or ended, for those who wait for one connection.
    pub(super) moved: Condition,
}

pub(super) struct Inner<D> {
    pub(super) interface: Interface,
    pub(super) device: Marking<D>,
    pub(super) pool: Pool,
    next_port: u16,
    next_local: u16,
}

/// The first of the ports that nodes listen on, unless another is said; two of each node, one after the other (NRT-22).
pub const FIRST_PORT: u16 = 11_411;
/// Of our end of connections that we make (RFC 6335, section 6: dynamic ports).
const FIRST_LOCAL: u16 = 49_152;

pub(super) fn instant(time: MonoTime) -> Instant {
    Instant::from_micros((time.as_nanos() / 1000) as i64)
}

impl<D: Device + Send> Stack<D> {
    /// A stack over a device with that hardware address. `seed` is another one at each start: sequence numbers begin with it.
    pub fn new(mut device: D, hardware: [u8; 6], address: Address, memory: Memory, seed: u64) -> Stack<D> {
        let mut config = Config::new(HardwareAddress::Ethernet(EthernetAddress(hardware)));
        config.random_seed = seed;
        let mut interface = Interface::new(config, &mut device, Instant::ZERO);
        // There is room for one, and for one route.
        interface.update_ip_addrs(|addresses| {
            let _ = addresses.push(address.cidr());
        });
        if let Some(gateway) = address.gateway {
            let _ = interface.routes_mut().add_default_ipv4_route(gateway);
        }
        let next_local = FIRST_LOCAL + (seed % 8192) as u16;
        let device = Marking { device, marks: Marks::new(memory.sockets) };
        let pool = Pool::new(memory);
        let inner = Inner { interface, device, pool, next_port: FIRST_PORT, next_local };
        Stack {
            inner: Mutex::new(inner),
            address,
            hosts: Hosts::default(),
            kicked: AtomicU32::new(0),
            moved: Condition::new(),
        }
    }

    /// Nodes listen on ports from this one on.
    pub fn with_first_port(self, port: u16) -> Stack<D> {
        self.lock().next_port = port;
        self
    }

    /// Machines that have names.
    pub fn with_hosts(self, hosts: Hosts) -> Stack<D> {
        Stack { hosts, ..self }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner<D>> {
        self.inner.lock()
    }

    /// Where the system is.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Where a host is that somebody named: one of the hosts, or a number.
    pub(super) fn find(&self, host: &str) -> Option<Ipv4Addr> {
        let named = self.hosts.find(host).or_else(|| Address::number(host));
        named.map(|address| self.address.seen_from_here(address))
    }

    /// A socket waits for whoever connects to that port, for tests of frames alone. False: there is none left.
    #[doc(hidden)]
    pub fn listen_at(&self, port: u16) -> bool {
        let mut inner = self.lock();
        let taken = inner.pool.take();
        taken.is_some_and(|handle| inner.pool.get(handle).listen(port).is_ok())
    }

    /// Moves what there is to move; until when there is nothing more by itself.
    pub fn turn(&self, now: MonoTime) -> Option<MonoTime> {
        let at = instant(now);
        let mut inner = self.lock();
        let Inner { interface, device, pool, .. } = &mut *inner;
        let polled = interface.poll(at, device, &mut pool.sockets);
        let reaped = pool.reap(at, |socket| device.marks.forget(socket));
        let next = interface.poll_at(at, &pool.sockets).into_iter().chain(pool.deadline()).min();
        drop(inner);
        if reaped || polled == PollResult::SocketStateChanged {
            self.moved.notify_all();
        }
        next.map(|next| MonoTime::from_nanos(next.total_micros().max(0) as u64 * 1000))
    }
}

impl<D> Inner<D> {
    /// A port that nobody listens on.
    pub(super) fn next_port(&mut self) -> u16 {
        let port = self.next_port;
        self.next_port = port.checked_add(1).unwrap_or(FIRST_PORT);
        port
    }

    /// A port for our end of a connection.
    pub(super) fn next_local(&mut self) -> u16 {
        self.next_local = self.next_local.checked_add(1).unwrap_or(FIRST_LOCAL);
        self.next_local
    }
}
