//! Sockets with their buffers, which are made once (NRT-21, NRT-24).

use alloc::vec;
use alloc::vec::Vec;

use smoltcp::iface::{SocketHandle, SocketSet};
use smoltcp::socket::tcp::{Socket, SocketBuffer, State};
use smoltcp::time::{Duration, Instant};

use super::memory::Memory;

/// What was written is still sent for so long.
const LINGER: Duration = Duration::from_secs(10);
const KEEP_ALIVE: Duration = Duration::from_secs(60);
const GIVEN_UP: Duration = Duration::from_secs(180);

pub(super) struct Pool {
    pub(super) sockets: SocketSet<'static>,
    free: Vec<SocketHandle>,
    /// Closed, and until when what they have is sent.
    closing: Vec<(SocketHandle, Instant)>,
}

impl Pool {
    pub(super) fn new(memory: Memory) -> Pool {
        let mut sockets = SocketSet::new(Vec::with_capacity(memory.sockets));
        let buffer = |bytes| SocketBuffer::new(vec![0; bytes]);
        let free = (0..memory.sockets)
            .map(|_| sockets.add(Socket::new(buffer(memory.receive_bytes), buffer(memory.send_bytes))))
            .collect();
        Pool { sockets, free, closing: Vec::with_capacity(memory.sockets) }
    }

    pub(super) fn get(&mut self, handle: SocketHandle) -> &mut Socket<'static> {
        self.sockets.get_mut(handle)
    }

    /// One that nobody has, as if it were new.
    pub(super) fn take(&mut self) -> Option<SocketHandle> {
        let handle = self.free.pop()?;
        let socket = self.get(handle);
        socket.set_keep_alive(Some(KEEP_ALIVE));
        socket.set_timeout(Some(GIVEN_UP));
        socket.set_nagle_enabled(true);
        Some(handle)
    }

    /// Ends it: what was written goes out first.
    pub(super) fn close(&mut self, handle: SocketHandle, now: Instant) {
        self.get(handle).close();
        self.closing.push((handle, now + LINGER));
    }

    /// Ends it at once.
    pub(super) fn abort(&mut self, handle: SocketHandle, now: Instant) {
        self.get(handle).abort();
        self.closing.push((handle, now));
    }

    /// Those that are over are free again, and told. True: some are.
    pub(super) fn reap(&mut self, now: Instant, mut freed: impl FnMut(SocketHandle)) -> bool {
        let before = self.free.len();
        let Pool { sockets, free, closing } = self;
        closing.retain(|(handle, until)| {
            let socket: &mut Socket<'_> = sockets.get_mut(*handle);
            let is_over = matches!(socket.state(), State::Closed | State::TimeWait);
            if !is_over && now < *until {
                return true;
            }
            // The other end is told with the next frame of this socket, unless it is used before.
            socket.abort();
            free.push(*handle);
            freed(*handle);
            false
        });
        free.len() > before
    }

    /// When some are over at the latest.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.closing.iter().map(|(_, until)| *until).min()
    }
}
